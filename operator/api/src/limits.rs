//! How long a run may wait and last.

use crate::{duration::Duration, quantity::Quantity};
use kube::KubeSchema;
use serde::{Deserialize, Serialize};

/// How long a run may wait and last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Limits {
    /// From the first try to place a pod until it runs: 5s to 24h. Past it the run fails with the reason it waits for.
    #[serde(default = "Limits::default_schedule")]
    #[x_kube(validation = ("duration(self) >= duration('5s') && duration(self) <= duration('24h')", "limits.scheduleTimeout is 5s to 24h"))]
    pub schedule_timeout: Duration,
    /// From a client's start to its result, each pair for itself: 10s to 48h. Unset: the planned time of all its variants and repeats plus 2m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("duration(self) >= duration('10s') && duration(self) <= duration('48h')", "limits.runTimeout is 10s to 48h"))]
    pub run_timeout: Option<Duration>,
    /// No end of a pair sends more than this many bits per second, all streams together: an unlimited test is paced at it, one that asks for more is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("quantity(string(self)).compareTo(quantity('1k')) >= 0 && quantity(string(self)).compareTo(quantity('1T')) <= 0", "limits.maxBitrate is 1k to 1T bits per second"))]
    pub max_bitrate: Option<Quantity>,
}

impl Limits {
    fn default_schedule() -> Duration {
        Duration::from("3m")
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            schedule_timeout: Self::default_schedule(),
            run_timeout: None,
            max_bitrate: None,
        }
    }
}
