//! How often a measurement is taken.

use crate::duration::Duration;
use kube::KubeSchema;
use serde::{Deserialize, Serialize};

/// How often a measurement is taken; the median repeat is the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("has(self.maxSpreadPercent) || !has(self.maxCount)", "repeats.maxCount is for repeats.maxSpreadPercent: set both, or neither"))]
#[x_kube(validation = ("!has(self.maxCount) || self.maxCount >= self.count", "repeats.maxCount is less than repeats.count"))]
pub struct Repeats {
    /// Measurements of the same thing, one after the other.
    #[serde(default = "Repeats::default_count")]
    #[schemars(range(min = 1, max = 20))]
    pub count: i32,
    /// Rest between two repeats: 0s to 10m.
    #[serde(default = "Repeats::default_pause")]
    #[x_kube(validation = ("duration(self) <= duration('10m')", "repeats.pause is at most 10m"))]
    pub pause: Duration,
    /// Above this spread of the throughput, (max - min) / median in percent, more repeats are taken, up to `maxCount`; a spread that stays above it ends the test with reason Unstable. No check when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub max_spread_percent: Option<i32>,
    /// With maxSpreadPercent: repeats at most; 9, or `count` when that is more, when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 50))]
    pub max_count: Option<i32>,
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
            max_spread_percent: None,
            max_count: None,
        }
    }
}
