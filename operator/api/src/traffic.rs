//! What flows between client and server.

use crate::{duration::Duration, quantity::Quantity};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What flows between client and server: iperf3's options, one typed field each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("!(has(self.duration) && has(self.bytes))", "traffic.duration and traffic.bytes exclude each other: set the one that should end the test"))]
#[x_kube(validation = ("self.protocol == 'TCP' || !has(self.congestionControl)", "traffic.congestionControl is TCP's: remove it or set traffic.protocol to TCP"))]
#[x_kube(validation = ("self.protocol == 'TCP' || !has(self.zeroCopy) || !self.zeroCopy", "traffic.zeroCopy is TCP's: remove it, or set traffic.protocol to TCP; UDP has traffic.udpOffload"))]
#[x_kube(validation = ("self.protocol == 'UDP' || !has(self.udpOffload) || !self.udpOffload", "traffic.udpOffload is UDP's: remove it, or set traffic.protocol to UDP; TCP has traffic.zeroCopy"))]
#[x_kube(validation = ("!has(self.fast) || !self.fast || !has(self.zeroCopy) || self.zeroCopy", "traffic.zeroCopy false contradicts traffic.fast, which takes every fast path: remove zeroCopy, or remove fast and set the ones that you want"))]
#[x_kube(validation = ("!has(self.fast) || !self.fast || !has(self.skipReceiveCopy) || self.skipReceiveCopy", "traffic.skipReceiveCopy false contradicts traffic.fast, which takes every fast path: remove skipReceiveCopy, or remove fast and set the ones that you want"))]
#[x_kube(validation = ("!has(self.fast) || !self.fast || !has(self.udpOffload) || self.udpOffload", "traffic.udpOffload false contradicts traffic.fast, which takes every fast path: remove udpOffload, or remove fast and set the ones that you want"))]
#[x_kube(validation = ("self.protocol == 'UDP' || !has(self.messageSize) || (quantity(string(self.messageSize)).compareTo(quantity('1')) >= 0 && quantity(string(self.messageSize)).compareTo(quantity('1Mi')) <= 0)", "traffic.messageSize is 1 to 1Mi for TCP"))]
#[x_kube(validation = ("self.protocol == 'TCP' || !has(self.messageSize) || (quantity(string(self.messageSize)).compareTo(quantity('16')) >= 0 && quantity(string(self.messageSize)).compareTo(quantity('65507')) <= 0)", "traffic.messageSize is 16 to 65507 for UDP"))]
pub struct Traffic {
    /// What carries the data.
    #[serde(default)]
    pub protocol: Protocol,
    /// Who sends: the client (Forward), the server (Reverse), both at once (Bidirectional).
    #[serde(default)]
    pub direction: Direction,
    /// How long data is counted, after `omit`: whole seconds, 1s to 24h. 10s when neither this nor `bytes` is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("duration(self) >= duration('1s') && duration(self) <= duration('24h') && duration(self).getMilliseconds() % 1000 == 0", "traffic.duration is 1s to 24h in whole seconds"))]
    pub duration: Option<Duration>,
    /// End after this many bytes, of all streams together, instead of a duration: 1 to 16Ti.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("quantity(string(self)).compareTo(quantity('1')) >= 0 && quantity(string(self)).compareTo(quantity('16Ti')) <= 0", "traffic.bytes is 1 to 16Ti"))]
    pub bytes: Option<Quantity>,
    /// Data flows this long before counting starts: whole seconds, 0s to 600s.
    #[serde(default = "Traffic::default_omit")]
    #[x_kube(validation = ("duration(self) <= duration('600s') && duration(self).getMilliseconds() % 1000 == 0", "traffic.omit is at most 600s in whole seconds"))]
    pub omit: Duration,
    /// Time between rows: 100ms to 60s.
    #[serde(default = "Traffic::default_interval")]
    #[x_kube(validation = ("duration(self) >= duration('100ms') && duration(self) <= duration('60s')", "traffic.interval is 100ms to 60s"))]
    pub interval: Duration,
    /// Connections (or UDP flows) at once; figures are their sum.
    #[serde(default = "Traffic::default_streams")]
    #[schemars(range(min = 1, max = 128))]
    pub parallel_streams: i32,
    /// Asked bits per second of each stream; 0 is unlimited. TCP is unlimited and UDP 1M when unset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("quantity(string(self)).compareTo(quantity('1T')) <= 0", "traffic.bitrate is at most 1T bits per second"))]
    pub bitrate: Option<Quantity>,
    /// Bytes of one write (TCP, at most 1Mi) or one datagram (UDP, 16 to 65507).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_size: Option<Quantity>,
    /// Asked socket buffer in bytes, at most 512Mi. The kernel may grant less: the iperf3 document has what it granted (`sndbuf_actual`, `rcvbuf_actual`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("quantity(string(self)).compareTo(quantity('1')) >= 0 && quantity(string(self)).compareTo(quantity('512Mi')) <= 0", "traffic.windowSize is 1 to 512Mi"))]
    pub window_size: Option<Quantity>,
    /// TCP congestion control, e.g. cubic or bbr.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[a-z][a-z0-9_]{0,14}$"))]
    pub congestion_control: Option<String>,
    /// Every fast path below that fits the protocol and that both ends' kernels have; `results[].fastPaths` names those in force. For what the path can carry, not what an application gets: without it the payload is copied at both ends, as with iperf3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fast: Option<bool>,
    /// TCP: the sender hands the kernel its payload without a copy. Part of `fast`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_copy: Option<bool>,
    /// The receiver's kernel counts the payload and drops it, without a copy to the program; merged datagrams (UDP) are copied all the same. Part of `fast`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_receive_copy: Option<bool>,
    /// UDP: the kernel cuts large sends into datagrams (GSO) and merges what arrives (GRO); refused where it cannot. Part of `fast`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub udp_offload: Option<bool>,
}

impl Traffic {
    pub const DEFAULT_DURATION: &'static str = "10s";

    fn default_omit() -> Duration {
        Duration::from("0s")
    }

    fn default_interval() -> Duration {
        Duration::from("1s")
    }

    fn default_streams() -> i32 {
        1
    }
}

impl Default for Traffic {
    fn default() -> Self {
        Traffic {
            protocol: Protocol::TCP,
            direction: Direction::Forward,
            duration: None,
            bytes: None,
            omit: Self::default_omit(),
            interval: Self::default_interval(),
            parallel_streams: 1,
            bitrate: None,
            message_size: None,
            window_size: None,
            congestion_control: None,
            fast: None,
            zero_copy: None,
            skip_receive_copy: None,
            udp_offload: None,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Protocol {
    #[default]
    TCP,
    UDP,
    SCTP,
}

impl Protocol {
    /// As in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Protocol::TCP => "TCP",
            Protocol::UDP => "UDP",
            Protocol::SCTP => "SCTP",
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Direction {
    #[default]
    Forward,
    Reverse,
    Bidirectional,
}
