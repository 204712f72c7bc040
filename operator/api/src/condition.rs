//! The condition types of both kinds. `Succeeded` is the one to wait for.

/// The spec was understood and is permitted.
pub const ACCEPTED: &str = "Accepted";
/// Both pods run on their nodes.
pub const SCHEDULED: &str = "Scheduled";
/// Every repeat was measured.
pub const MEASURED: &str = "Measured";
/// Every threshold was met.
pub const WITHIN_THRESHOLDS: &str = "WithinThresholds";
/// Both engines ran on CPUs of their own.
pub const CPU_PINNED: &str = "CPUPinned";
/// Measured, and within its thresholds. Unknown while the run goes on.
pub const SUCCEEDED: &str = "Succeeded";
/// The run has come to its end, whichever: the one to wait for where a failure must not be waited out.
pub const COMPLETE: &str = "Complete";

/// All types, in the order in which they turn.
pub const ALL: [&str; 7] = [
    ACCEPTED,
    SCHEDULED,
    MEASURED,
    WITHIN_THRESHOLDS,
    CPU_PINNED,
    SUCCEEDED,
    COMPLETE,
];
