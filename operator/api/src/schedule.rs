//! When a test is run again by itself.

use crate::duration::Duration;
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a test is run again by itself, as a CronJob. A test with a schedule runs at its times and for a new spec.rerun, not when it is applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Schedule {
    /// Minute, hour, day of the month, month, day of the week; or @hourly, @daily, @weekly, @monthly, @yearly.
    #[schemars(
        length(min = 6, max = 128),
        regex(pattern = r"^[@A-Za-z0-9*/,?#+ -]+$")
    )]
    pub cron: String,
    /// A name of the IANA time zone database; Etc/UTC when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 64),
        regex(pattern = r"^[A-Za-z][A-Za-z0-9_+/-]*$")
    )]
    pub time_zone: Option<String>,
    /// Each run starts this much later at most, always the same for this test, so that many tests do not all begin on the hour.
    #[serde(default = "Schedule::no_time")]
    #[x_kube(validation = ("duration(self) <= duration('24h')", "schedule.jitter is at most 24h"))]
    pub jitter: Duration,
    /// When the run before still goes on: Forbid skips the new one, Replace ends the old one, Allow starts the new one beside it (it waits for its nodes).
    #[serde(default)]
    pub concurrency_policy: ConcurrencyPolicy,
    /// A run that could not start within this time after its own is skipped. Of several that were missed only the last is made good, of more than 100 none. No limit when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("duration(self) >= duration('10s') && duration(self) <= duration('168h')", "schedule.startingDeadline is 10s to 168h"))]
    pub starting_deadline: Option<Duration>,
    /// No new runs while true. What was missed meanwhile is not made good.
    #[serde(default)]
    pub suspend: bool,
}

impl Schedule {
    fn no_time() -> Duration {
        Duration::from("0s")
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum ConcurrencyPolicy {
    #[default]
    Forbid,
    Allow,
    Replace,
}
