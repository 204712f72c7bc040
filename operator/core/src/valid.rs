//! A test whose every field was checked. Later code takes these types, never text.

use nettest_api::{
    endpoint::{CpuMode, Network},
    path::PathKind,
    topology::Placement,
    traffic::{Direction, Protocol},
};
use std::{collections::BTreeMap, fmt, time::Duration};

/// One test, valid and permitted. Made by [`crate::validate::validate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidTest {
    pub placement: Placement,
    pub path: PathKind,
    pub client: ValidEndpoint,
    pub server: ValidEndpoint,
    pub traffic: ValidTraffic,
    pub repeats: ValidRepeats,
    pub thresholds: Vec<ValidThreshold>,
    pub limits: ValidLimits,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidEndpoint {
    pub network: Network,
    pub node: NodeChoice,
    pub cpu: CpuMode,
    /// 1 to 64.
    pub cpus: u32,
    pub memory: Bytes,
}

/// Where an end may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeChoice {
    Any,
    Named(NodeName),
    /// Never empty.
    Labelled(BTreeMap<String, String>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidTraffic {
    pub protocol: Protocol,
    pub direction: Direction,
    pub end: End,
    /// Whole seconds.
    pub omit: Duration,
    pub interval: Duration,
    /// 1 to 128.
    pub streams: u16,
    /// `None`: the protocol's default. Zero: unlimited.
    pub bitrate: Option<Bitrate>,
    pub message_size: Option<Bytes>,
    pub window: Option<Bytes>,
    pub congestion_control: Option<CongestionControl>,
    pub fast_paths: FastPaths,
}

/// What was asked to spare copies and calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FastPaths {
    /// All that the engines find here.
    All,
    /// These, and no others.
    These {
        zero_copy: bool,
        skip_receive_copy: bool,
        udp_offload: bool,
    },
}

/// What ends one repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Whole seconds.
    Time(Duration),
    Bytes(Bytes),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValidRepeats {
    /// 1 to 20.
    pub count: u32,
    pub pause: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidThreshold {
    pub name: String,
    pub bound: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Receiver's bits per second of each flow.
    ThroughputAtLeast(Bitrate),
    /// Lost datagrams per million of each flow.
    LossAtMost(Ppm),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValidLimits {
    pub schedule_timeout: Duration,
    /// Given, or the planned time of all repeats plus 2 minutes.
    pub run_timeout: Duration,
}

/// Bits per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bitrate(pub u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// Parts per million.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ppm(pub u64);

/// Name of a Kubernetes node (a DNS subdomain when it came from a spec).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeName(pub String);

impl NodeName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for NodeName {
    fn from(name: &str) -> Self {
        NodeName(name.to_owned())
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// UID of a NetTestRun.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunUid(pub String);

impl RunUid {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for RunUid {
    fn from(uid: &str) -> Self {
        RunUid(uid.to_owned())
    }
}

impl fmt::Display for RunUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A kernel's name for a TCP congestion control: `[a-z][a-z0-9_]{0,14}`, so never a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CongestionControl(pub(crate) String);

impl CongestionControl {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ValidTest {
    /// Name of the one variant of this slice, e.g. `tcp-p4`.
    pub fn variant(&self) -> String {
        let protocol = match self.traffic.protocol {
            Protocol::TCP => "tcp",
            Protocol::UDP => "udp",
        };
        format!("{protocol}-p{}", self.traffic.streams)
    }

    /// How many flows a measurement has: two when both ends send.
    pub fn flows(&self) -> &'static [nettest_api::result::Flow] {
        use nettest_api::result::Flow::{ClientToServer, ServerToClient};
        match self.traffic.direction {
            Direction::Forward => &[ClientToServer],
            Direction::Reverse => &[ServerToClient],
            Direction::Bidirectional => &[ClientToServer, ServerToClient],
        }
    }

    /// Whether an end asked for CPUs of its own.
    pub fn wants_exclusive_cpus(&self) -> bool {
        [&self.client, &self.server]
            .iter()
            .any(|end| end.cpu == CpuMode::Exclusive)
    }
}
