//! A test whose every field was checked. Later code takes these types, never text.

mod traffic;

pub use traffic::{CongestionControl, End, FastPaths, SocketOptions, ValidTimeouts, ValidTraffic};

use nettest_api::{
    cleanup::PodCleanup,
    endpoint::{CpuEnforcement, CpuMode, Network, Toleration},
    path::{IPFamily, PathKind},
    result::Flow,
    threshold::{Severity, ThresholdMetric, ThresholdScope},
    topology::{MeshSelection, Placement, SecondPass, StarConcurrency},
    traffic::Direction,
};
use std::{collections::BTreeMap, fmt, time::Duration};

/// One test, valid and permitted. Made by [`crate::validate::validate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidTest {
    pub topology: ValidTopology,
    /// Of the address that clients dial; `None`: the cluster's first.
    pub ip_family: Option<IPFamily>,
    pub client: ValidEndpoint,
    pub server: ValidEndpoint,
    /// 1 to 128, in the order in which they are measured: at most 64 of the sweep, and of a mesh each both ways.
    pub variants: Vec<ValidVariant>,
    pub repeats: ValidRepeats,
    pub thresholds: Vec<ValidThreshold>,
    pub timeouts: ValidTimeouts,
    pub limits: ValidLimits,
    pub cleanup: ValidCleanup,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValidTopology {
    Pair { placement: Placement },
    Mesh(ValidMesh),
    Star(ValidStar),
    External(ValidExternal),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidMesh {
    /// Empty: every worker.
    pub node_selector: BTreeMap<String, String>,
    pub include_control_plane: bool,
    pub selection: MeshSelection,
    /// 1 to 100.
    pub pairs_per_node: u32,
    /// 1 to 500.
    pub max_concurrent: u32,
    pub second_pass: SecondPass,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidStar {
    pub concurrency: StarConcurrency,
    /// 1 to 200.
    pub max_clients: u32,
    pub include_control_plane: bool,
}

/// A server outside of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidExternal {
    /// A DNS name, or an address as [`std::net::IpAddr`] writes it.
    pub host: String,
    pub port: u16,
}

/// One point of the sweep, one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidVariant {
    /// Of the results, e.g. `tcp-p4` or `udp-p1-l1400`. A mesh has each twice: once a direction.
    pub name: String,
    /// What the engine calls it: unique in a test. The name, with `-reverse` for a mesh's way back.
    pub key: String,
    pub path: PathKind,
    pub client_network: Network,
    pub server_network: Network,
    pub traffic: ValidTraffic,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidEndpoint {
    pub node: NodeChoice,
    pub tolerations: Vec<Toleration>,
    pub cpu: CpuMode,
    pub enforcement: CpuEnforcement,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValidRepeats {
    /// 1 to 20.
    pub count: u32,
    pub pause: Duration,
    /// How far the repeats of a variant may lie apart.
    pub stability: Option<Stability>,
}

impl ValidRepeats {
    /// So many at most.
    pub fn most(&self) -> u32 {
        self.stability
            .map_or(self.count, |stability| stability.max_count.max(self.count))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stability {
    /// 1 to 1000.
    pub max_spread_percent: u32,
    /// `count` to 50.
    pub max_count: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidThreshold {
    pub name: String,
    pub metric: ThresholdMetric,
    pub bound: Bound,
    pub scope: ThresholdScope,
    pub severity: Severity,
    /// Of this variant alone.
    pub variant: Option<String>,
}

/// In the metric's unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bound {
    AtLeast(u64),
    AtMost(u64),
    /// Throughput: at least, other metrics: at most so much of it.
    Percent {
        /// 1 to 1000.
        percent: u32,
        of: Relative,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relative {
    /// The slower end's link.
    LinkSpeed { node_label: Option<String> },
    /// The same pair's figure of this variant.
    Variant(String),
    /// The median of so many runs before.
    History { runs: u32 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValidLimits {
    pub schedule_timeout: Duration,
    /// Given, or the planned time of all variants and repeats of a pair plus 2 minutes.
    pub run_timeout: Duration,
    pub max_bitrate: Option<Bitrate>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValidCleanup {
    pub pods: PodCleanup,
    /// `None`: not by time.
    pub ttl: Option<Duration>,
    /// Runs that are kept.
    pub successful: u32,
    pub failed: u32,
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

/// The networks of a client and its server: pods of one lane serve all of its variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Lane {
    pub client: Network,
    pub server: Network,
}

impl Lane {
    /// Both ends in the pod network.
    pub const PODS: Lane = Lane {
        client: Network::Pod,
        server: Network::Pod,
    };

    /// A short word for names of pods: `pod`, `host`, `hostpod` (from a node to a pod), `podhost`.
    pub const fn as_str(self) -> &'static str {
        match (self.client, self.server) {
            (Network::Pod, Network::Pod) => "pod",
            (Network::Host, Network::Host) => "host",
            (Network::Host, Network::Pod) => "hostpod",
            (Network::Pod, Network::Host) => "podhost",
        }
    }
}

impl ValidVariant {
    pub fn lane(&self) -> Lane {
        Lane {
            client: self.client_network,
            server: self.server_network,
        }
    }

    /// How many flows a measurement has: two when both ends send.
    pub fn flows(&self) -> &'static [Flow] {
        use Flow::{ClientToServer, ServerToClient};
        match self.traffic.direction {
            Direction::Forward => &[ClientToServer],
            Direction::Reverse => &[ServerToClient],
            Direction::Bidirectional => &[ClientToServer, ServerToClient],
        }
    }
}

impl ValidTest {
    /// In the order of the variants; never empty, because variants are not.
    pub fn lanes(&self) -> Vec<Lane> {
        let mut lanes = Vec::new();
        for variant in &self.variants {
            if !lanes.contains(&variant.lane()) {
                lanes.push(variant.lane());
            }
        }
        lanes
    }

    /// The variants that one client measures.
    pub fn variants_of(&self, lane: Lane) -> impl Iterator<Item = &ValidVariant> {
        self.variants
            .iter()
            .filter(move |variant| variant.lane() == lane)
    }

    /// By the engine's name of it.
    pub fn variant(&self, key: &str) -> Option<&ValidVariant> {
        self.variants.iter().find(|variant| variant.key == key)
    }

    /// Whether an end asked for CPUs of its own.
    pub fn wants_exclusive_cpus(&self) -> bool {
        [&self.client, &self.server]
            .iter()
            .any(|end| end.cpu == CpuMode::Exclusive)
    }

    /// Whether pods may go to control-plane nodes.
    pub fn includes_control_plane(&self) -> bool {
        match &self.topology {
            ValidTopology::Mesh(mesh) => mesh.include_control_plane,
            ValidTopology::Star(star) => star.include_control_plane,
            ValidTopology::Pair { .. } | ValidTopology::External(_) => false,
        }
    }

    /// Whether an end that asked for them must have them.
    pub fn requires_exclusive_cpus(&self) -> bool {
        [&self.client, &self.server]
            .iter()
            .any(|end| end.cpu == CpuMode::Exclusive && end.enforcement == CpuEnforcement::Required)
    }

    /// One client and one server node: the run's figures are the pair's.
    pub fn is_one_pair(&self) -> bool {
        matches!(
            self.topology,
            ValidTopology::Pair { .. } | ValidTopology::External(_)
        )
    }
}
