//! How often a measurement is taken.

use crate::duration::Duration;
use kube::KubeSchema;
use serde::{Deserialize, Serialize};

/// How often a measurement is taken; the median repeat is the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Repeats {
    /// Measurements of the same thing, one after the other.
    #[serde(default = "Repeats::default_count")]
    #[schemars(range(min = 1, max = 20))]
    pub count: i32,
    /// Rest between two repeats: 0s to 10m.
    #[serde(default = "Repeats::default_pause")]
    #[x_kube(validation = ("duration(self) <= duration('10m')", "repeats.pause is at most 10m"))]
    pub pause: Duration,
}

impl Repeats {
    fn default_count() -> i32 {
        3
    }

    fn default_pause() -> Duration {
        Duration::from("1s")
    }
}

impl Default for Repeats {
    fn default() -> Self {
        Repeats {
            count: Self::default_count(),
            pause: Self::default_pause(),
        }
    }
}
