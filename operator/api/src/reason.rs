//! The fixed list of reasons. They are API: used by condition, event, metric and diagnosis alike.

/// The list, written once: a reason's name is its text.
macro_rules! reasons {
    ($($name:ident),+ $(,)?) => {
        /// Why a condition has its status, or a run its throughput.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Reason {
            $($name),+
        }

        impl Reason {
            /// Every reason, in the order of the list.
            pub const ALL: &'static [Reason] = &[$(Reason::$name),+];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Reason::$name => stringify!($name)),+
                }
            }
        }
    };
}

reasons! {
    // progress
    Valid,
    Pending,
    Queued,
    Starting,
    Running,
    // good ends
    PodsRunning,
    MeasurementComplete,
    ThresholdsMet,
    NoThresholds,
    ExclusiveConfirmed,
    SharedPool,
    Passed,
    // bad ends
    ThresholdNotMet,
    Unstable,
    NotMeasured,
    Refused,
    Unschedulable,
    PodSecurityDenied,
    QuotaExceeded,
    AdmissionDenied,
    ImagePullFailed,
    PortConflict,
    TopologyAffinityError,
    SMTAlignmentError,
    ExclusiveCPUNotGranted,
    PeerUnreachable,
    NameNotResolved,
    ServerBusy,
    ProtocolUnsupported,
    EngineCrashed,
    EngineOutOfMemory,
    ScheduleTimeout,
    RunTimeout,
    Interrupted,
    NodeLost,
    InvalidSpec,
    NotPermitted,
    // diagnosis
    PacingLimited,
    OverlayOverhead,
}

impl Reason {
    /// The reason of this name.
    pub fn parse(text: &str) -> Option<Reason> {
        Self::ALL
            .iter()
            .copied()
            .find(|reason| reason.as_str() == text)
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
