//! What is removed, and when.

use crate::duration::Duration;
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is removed, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cleanup {
    /// The pods of a finished run. Always: removed. OnSuccess: kept, ended, when the run did not pass, to be looked at. Never: kept. Kept pods go with their run.
    #[serde(default)]
    pub pods: PodCleanup,
    /// A finished run is deleted after this time; never by time when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("duration(self) <= duration('8760h')", "cleanup.ttlAfterFinished is at most 8760h"))]
    pub ttl_after_finished: Option<Duration>,
    /// Runs that passed, of which the latest are kept.
    #[serde(default = "Cleanup::default_limit")]
    #[schemars(range(min = 0, max = 100))]
    pub successful_runs_history_limit: i32,
    /// Runs that did not pass, of which the latest are kept.
    #[serde(default = "Cleanup::default_limit")]
    #[schemars(range(min = 0, max = 100))]
    pub failed_runs_history_limit: i32,
}

impl Cleanup {
    fn default_limit() -> i32 {
        3
    }
}

impl Default for Cleanup {
    fn default() -> Self {
        Cleanup {
            pods: PodCleanup::default(),
            ttl_after_finished: None,
            successful_runs_history_limit: Self::default_limit(),
            failed_runs_history_limit: Self::default_limit(),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum PodCleanup {
    #[default]
    Always,
    OnSuccess,
    Never,
}
