//! The fixed list of reasons. They are API: used by condition, event and metric alike.

/// Why a condition has its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
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
}

impl Reason {
    /// Every reason, in the order of the list above.
    pub const ALL: &'static [Reason] = &[
        Reason::Valid,
        Reason::Pending,
        Reason::Queued,
        Reason::Starting,
        Reason::Running,
        Reason::PodsRunning,
        Reason::MeasurementComplete,
        Reason::ThresholdsMet,
        Reason::NoThresholds,
        Reason::ExclusiveConfirmed,
        Reason::SharedPool,
        Reason::Passed,
        Reason::ThresholdNotMet,
        Reason::NotMeasured,
        Reason::Refused,
        Reason::Unschedulable,
        Reason::PodSecurityDenied,
        Reason::QuotaExceeded,
        Reason::AdmissionDenied,
        Reason::ImagePullFailed,
        Reason::PortConflict,
        Reason::TopologyAffinityError,
        Reason::SMTAlignmentError,
        Reason::ExclusiveCPUNotGranted,
        Reason::PeerUnreachable,
        Reason::NameNotResolved,
        Reason::ServerBusy,
        Reason::ProtocolUnsupported,
        Reason::EngineCrashed,
        Reason::EngineOutOfMemory,
        Reason::ScheduleTimeout,
        Reason::RunTimeout,
        Reason::Interrupted,
        Reason::NodeLost,
        Reason::InvalidSpec,
        Reason::NotPermitted,
    ];

    /// The reason of this name.
    pub fn parse(text: &str) -> Option<Reason> {
        Self::ALL
            .iter()
            .copied()
            .find(|reason| reason.as_str() == text)
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::Valid => "Valid",
            Reason::Pending => "Pending",
            Reason::Queued => "Queued",
            Reason::Starting => "Starting",
            Reason::Running => "Running",
            Reason::PodsRunning => "PodsRunning",
            Reason::MeasurementComplete => "MeasurementComplete",
            Reason::ThresholdsMet => "ThresholdsMet",
            Reason::NoThresholds => "NoThresholds",
            Reason::ExclusiveConfirmed => "ExclusiveConfirmed",
            Reason::SharedPool => "SharedPool",
            Reason::Passed => "Passed",
            Reason::ThresholdNotMet => "ThresholdNotMet",
            Reason::NotMeasured => "NotMeasured",
            Reason::Refused => "Refused",
            Reason::Unschedulable => "Unschedulable",
            Reason::PodSecurityDenied => "PodSecurityDenied",
            Reason::QuotaExceeded => "QuotaExceeded",
            Reason::AdmissionDenied => "AdmissionDenied",
            Reason::ImagePullFailed => "ImagePullFailed",
            Reason::PortConflict => "PortConflict",
            Reason::TopologyAffinityError => "TopologyAffinityError",
            Reason::SMTAlignmentError => "SMTAlignmentError",
            Reason::ExclusiveCPUNotGranted => "ExclusiveCPUNotGranted",
            Reason::PeerUnreachable => "PeerUnreachable",
            Reason::NameNotResolved => "NameNotResolved",
            Reason::ServerBusy => "ServerBusy",
            Reason::ProtocolUnsupported => "ProtocolUnsupported",
            Reason::EngineCrashed => "EngineCrashed",
            Reason::EngineOutOfMemory => "EngineOutOfMemory",
            Reason::ScheduleTimeout => "ScheduleTimeout",
            Reason::RunTimeout => "RunTimeout",
            Reason::Interrupted => "Interrupted",
            Reason::NodeLost => "NodeLost",
            Reason::InvalidSpec => "InvalidSpec",
            Reason::NotPermitted => "NotPermitted",
        }
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
