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
mod tests {
    use super::Reason;

    #[test]
    fn every_reason_is_read_back_and_explained_to_users() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reasons.md");
        let page = std::fs::read_to_string(page).expect("docs/reasons.md");
        for &reason in Reason::ALL {
            assert_eq!(Reason::parse(reason.as_str()), Some(reason));
            let (section, row) = (format!("### {reason}"), format!("| {reason} |"));
            assert!(
                page.lines()
                    .any(|line| line == section || line.starts_with(&row)),
                "docs/reasons.md does not explain {reason}"
            );
        }
        assert_eq!(Reason::parse("passed"), None);
    }

    #[test]
    fn no_reason_is_explained_that_does_not_exist() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reasons.md");
        let page = std::fs::read_to_string(page).expect("docs/reasons.md");
        let explained: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("### "))
            .collect();
        assert!(explained.len() > 10, "{explained:?}");
        for name in explained {
            assert!(Reason::parse(name).is_some(), "there is no reason {name}");
        }
    }
}
