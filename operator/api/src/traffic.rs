//! What flows between client and server.

use crate::{duration::Duration, quantity::Quantity};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What flows between client and server: iperf3's options, one typed field each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[x_kube(validation = ("[has(self.duration), has(self.bytes), has(self.blocks)].filter(set, set).size() <= 1", "traffic.duration, traffic.bytes and traffic.blocks exclude each other: set the one that should end the test"))]
#[x_kube(validation = ("!has(self.bitrateBurst) || (has(self.bitrate) && quantity(string(self.bitrate)).compareTo(quantity('0')) > 0)", "traffic.bitrateBurst needs a traffic.bitrate above 0: set it, or remove bitrateBurst"))]
#[x_kube(validation = ("!has(self.fast) || !self.fast || !has(self.zeroCopy) || self.zeroCopy", "traffic.zeroCopy false contradicts traffic.fast, which takes every fast path: remove zeroCopy, or remove fast and set the ones that you want"))]
#[x_kube(validation = ("!has(self.fast) || !self.fast || !has(self.skipReceiveCopy) || self.skipReceiveCopy", "traffic.skipReceiveCopy false contradicts traffic.fast, which takes every fast path: remove skipReceiveCopy, or remove fast and set the ones that you want"))]
#[x_kube(validation = ("!has(self.fast) || !self.fast || !has(self.udpOffload) || self.udpOffload", "traffic.udpOffload false contradicts traffic.fast, which takes every fast path: remove udpOffload, or remove fast and set the ones that you want"))]
#[x_kube(validation = ("!has(self.mptcp) || !self.mptcp || (!has(self.dscp) && !has(self.fairQueueRate) && !has(self.flowLabel) && !has(self.sendTimeout) && (!has(self.zeroCopy) || !self.zeroCopy))", "traffic.mptcp: Linux takes no dscp, fairQueueRate, flowLabel, sendTimeout or zeroCopy for it: remove them, or remove mptcp"))]
pub struct Traffic {
    /// What carries the data.
    #[serde(default)]
    pub protocol: Protocol,
    /// Who sends: the client (Forward), the server (Reverse), both at once (Bidirectional).
    #[serde(default)]
    pub direction: Direction,
    /// How long data is counted, after `omit`: whole seconds, 1s to 24h. 10s when neither this nor `bytes` nor `blocks` is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("duration(self) >= duration('1s') && duration(self) <= duration('24h') && duration(self).getMilliseconds() % 1000 == 0", "traffic.duration is 1s to 24h in whole seconds"))]
    pub duration: Option<Duration>,
    /// End after this many bytes, of all streams together, instead of a duration: 1 to 16Ti.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("quantity(string(self)).compareTo(quantity('1')) >= 0 && quantity(string(self)).compareTo(quantity('16Ti')) <= 0", "traffic.bytes is 1 to 16Ti"))]
    pub bytes: Option<Quantity>,
    /// End after this many writes (TCP, SCTP) or datagrams (UDP) of all streams together, instead of a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000_000_i64))]
    pub blocks: Option<i64>,
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
    /// Writes or datagrams that leave at once, and then a rest that makes up the bitrate. With `bitrate` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub bitrate_burst: Option<i32>,
    /// Bits per second of each stream that the sending kernel keeps to by itself (SO_MAX_PACING_RATE), evenly where `bitrate` makes small bursts. UDP needs the fq queueing discipline on the sender's device for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("quantity(string(self)).compareTo(quantity('1k')) >= 0 && quantity(string(self)).compareTo(quantity('1T')) <= 0", "traffic.fairQueueRate is 1k to 1T bits per second"))]
    pub fair_queue_rate: Option<Quantity>,
    /// Bytes of one write (TCP and SCTP, at most 1Mi) or one datagram (UDP, 16 to 65507).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("quantity(string(self)).compareTo(quantity('1')) >= 0 && quantity(string(self)).compareTo(quantity('1Mi')) <= 0", "traffic.messageSize is 1 to 1Mi for TCP and SCTP, 16 to 65507 for UDP"))]
    pub message_size: Option<Quantity>,
    /// Asked socket buffer in bytes, at most 512Mi. The kernel may grant less: the iperf3 document has what it granted (`sndbuf_actual`, `rcvbuf_actual`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("quantity(string(self)).compareTo(quantity('1')) >= 0 && quantity(string(self)).compareTo(quantity('512Mi')) <= 0", "traffic.windowSize is 1 to 512Mi"))]
    pub window_size: Option<Quantity>,
    /// TCP congestion control, e.g. cubic or bbr.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[a-z][a-z0-9_]{0,14}$"))]
    pub congestion_control: Option<String>,
    /// TCP and SCTP: largest segment in bytes, headers not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 88, max = 32767))]
    pub mss: Option<i32>,
    /// TCP and SCTP: small writes leave at once (no Nagle).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_delay: Option<bool>,
    /// TCP: several paths at once (MPTCP); plain TCP where a kernel has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mptcp: Option<bool>,
    /// SCTP: streams within each association.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub sctp_streams: Option<i32>,
    /// Class of the packets (DSCP), 0 to 63: 46 is EF, 34 is AF41, 8 is CS1, 1 is LE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 63))]
    pub dscp: Option<i32>,
    /// IPv6 flow label, 1 to 1048575; needs `path.ipFamily: IPv6`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_048_575))]
    pub flow_label: Option<i32>,
    /// UDP over IPv4: no router may cut the datagrams; those that are too long for the path are lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dont_fragment: Option<bool>,
    /// The payload repeats a pattern, as with iperf2, for devices that compress. Otherwise it is random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeating_payload: Option<bool>,
    /// How long the client tries to reach the server: 100ms to 5m; 5s when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("duration(self) >= duration('100ms') && duration(self) <= duration('5m')", "traffic.connectTimeout is 100ms to 5m"))]
    pub connect_timeout: Option<Duration>,
    /// How long a receiver waits for data before it gives up: 100ms to 1h.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("duration(self) >= duration('100ms') && duration(self) <= duration('1h')", "traffic.receiveTimeout is 100ms to 1h"))]
    pub receive_timeout: Option<Duration>,
    /// TCP: how long sent data may stay unacknowledged before the connection is given up: 100ms to 1h.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = ("duration(self) >= duration('100ms') && duration(self) <= duration('1h')", "traffic.sendTimeout is 100ms to 1h"))]
    pub send_timeout: Option<Duration>,
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
            blocks: None,
            omit: Self::default_omit(),
            interval: Self::default_interval(),
            parallel_streams: 1,
            bitrate: None,
            bitrate_burst: None,
            fair_queue_rate: None,
            message_size: None,
            window_size: None,
            congestion_control: None,
            mss: None,
            no_delay: None,
            mptcp: None,
            sctp_streams: None,
            dscp: None,
            flow_label: None,
            dont_fragment: None,
            repeating_payload: None,
            connect_timeout: None,
            receive_timeout: None,
            send_timeout: None,
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
