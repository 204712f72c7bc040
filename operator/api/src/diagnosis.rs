//! What held the throughput, where the figures show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One cause that the figures of a run show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnosis {
    /// A word of the list in docs/reasons.md, e.g. `PacingLimited`.
    #[schemars(length(max = 64))]
    pub reason: String,
    /// What was seen, with its figures.
    #[schemars(length(max = 1024))]
    pub message: String,
    /// What to do about it, and how to make sure.
    #[schemars(length(max = 1024))]
    pub hint: String,
}
