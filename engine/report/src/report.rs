//! What one test found, as the engine holds it. The writers (text, JSON, digest) read only this.
//!
//! Times are seconds of a monotonic clock since the counted part began (the omitted part has its own clock
//! that restarts at its end, as iperf3's rows do). `None` is unknown, never 0.

pub use crate::facts::{HostFacts, SocketFacts};
use crate::params::{Direction, Protocol, TestParams};
use serde::{Deserialize, Serialize};

/// Which end wrote the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    Client,
    Server,
}

/// Which of the two directions of a test a stream belongs to. In a reverse test everything is
/// `ServerToClient`; in a bidirectional one both occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Flow {
    ClientToServer,
    ServerToClient,
}

impl Flow {
    /// Whether the end with `role` sends on this flow.
    pub fn sends(self, role: Role) -> bool {
        matches!(
            (self, role),
            (Flow::ClientToServer, Role::Client) | (Flow::ServerToClient, Role::Server)
        )
    }

    /// The flows of a test in the order of their streams.
    pub fn of(direction: Direction) -> &'static [Flow] {
        match direction {
            Direction::Forward => &[Flow::ClientToServer],
            Direction::Reverse => &[Flow::ServerToClient],
            Direction::Bidirectional => &[Flow::ClientToServer, Flow::ServerToClient],
        }
    }
}

/// One test of one end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub role: Role,
    pub params: TestParams,
    pub start: Start,
    pub intervals: Vec<Interval>,
    /// Absent when the test did not reach its results.
    pub end: Option<End>,
    /// One sentence; present when the test failed or was cut short.
    pub error: Option<String>,
    /// The server's own report, when asked for and given.
    pub server_output: Option<ServerOutput>,
    /// The file that stood for the payload at this end (`-F`).
    pub file: Option<DiskFile>,
    /// What this end's machine granted; and the peer's, when the peer is a nettest engine.
    pub host: HostFacts,
    pub peer_host: Option<HostFacts>,
}

/// What `-F` named: read by a sender, written by a receiver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskFile {
    pub name: String,
    /// Bytes at the end of the test; `None`: a pipe or a device.
    pub size: Option<u64>,
}

impl DiskFile {
    /// Whole percent of the file; an empty one is whole at once, as with iperf3.
    pub fn percent(&self, bytes: Option<u64>) -> Option<u64> {
        match (self.size?, bytes?) {
            (0, _) => Some(100),
            (size, bytes) => u64::try_from(u128::from(bytes) * 100 / u128::from(size)).ok(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ServerOutput {
    Text(String),
    Json(serde_json::Value),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    pub connected: Vec<Connected>,
    /// e.g. `nettest 0.1.0`
    pub version: String,
    /// `uname -a` style.
    pub system_info: String,
    /// Wall clock at the start, microseconds since the epoch.
    pub time_unix_micros: i64,
    /// Client: the host that was asked for. Server: the accepted peer's address.
    pub peer_host: String,
    /// Client: the asked port. Server: the accepted peer's port.
    pub peer_port: u16,
    pub cookie: String,
    /// MSS of the control connection of a TCP test, bytes.
    pub tcp_mss: Option<u32>,
    /// MSS of the control connection, whatever the protocol of the data, bytes.
    pub control_mss: Option<u32>,
    /// Bytes of a block, as settled.
    pub block_size: u32,
    /// Granted (getsockopt) socket buffers of the first data stream.
    pub sndbuf_actual: Option<u32>,
    pub rcvbuf_actual: Option<u32>,
}

impl Default for Start {
    fn default() -> Self {
        Start {
            connected: Vec::new(),
            version: concat!("nettest ", env!("CARGO_PKG_VERSION")).to_owned(),
            system_info: String::new(),
            time_unix_micros: 0,
            peer_host: String::new(),
            peer_port: 0,
            cookie: String::new(),
            tcp_mss: None,
            control_mss: None,
            block_size: 0,
            sndbuf_actual: None,
            rcvbuf_actual: None,
        }
    }
}

/// One data stream's addresses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connected {
    pub socket: i32,
    pub local_host: String,
    pub local_port: u16,
    pub remote_host: String,
    pub remote_port: u16,
}

/// One row a stream; the sums are derived by the writers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub streams: Vec<StreamInterval>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamInterval {
    pub socket: i32,
    pub flow: Flow,
    /// This end sends on the stream.
    pub sender: bool,
    pub start: f64,
    pub end: f64,
    pub bytes: u64,
    pub omitted: bool,
    /// TCP sender only.
    pub tcp: Option<TcpSample>,
    /// Segments retransmitted in this interval (TCP sender with tcp_info).
    pub retransmits: Option<u64>,
    /// UDP only.
    pub udp: Option<UdpInterval>,
}

/// tcp_info at the end of an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpSample {
    pub snd_cwnd_bytes: u64,
    pub snd_wnd_bytes: Option<u64>,
    pub rtt_us: u32,
    pub rttvar_us: u32,
    pub pmtu: u32,
    pub reorder: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct UdpInterval {
    /// Sender: datagrams sent. Receiver: datagrams expected in this interval (received + lost).
    pub packets: u64,
    /// Receiver only.
    pub lost: Option<u64>,
    pub jitter_seconds: Option<f64>,
    pub out_of_order: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct End {
    pub streams: Vec<StreamEnd>,
    /// Percent of one CPU, this process.
    pub local_cpu: Option<Cpu>,
    pub remote_cpu: Option<Cpu>,
    pub sender_congestion: Option<String>,
    pub receiver_congestion: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    pub total: f64,
    pub user: f64,
    pub system: f64,
}

/// Totals of one stream over the counted part, from both ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamEnd {
    pub socket: i32,
    /// iperf3's stream id on the wire (1, 3, 4, 5 …).
    pub id: i32,
    pub flow: Flow,
    /// This end sends on the stream.
    pub sender: bool,
    pub sent: Totals,
    pub received: Totals,
    pub tcp: Option<TcpEnd>,
    pub udp: Option<UdpEnd>,
}

/// One end's count. `bytes` is `None` when that end's figure never arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    pub start: f64,
    pub end: f64,
    pub bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TcpEnd {
    /// `None` when the sender has no tcp_info.
    pub retransmits: Option<u64>,
    /// The following only on the sending end.
    pub max_snd_cwnd: Option<u64>,
    pub max_snd_wnd: Option<u64>,
    pub max_rtt_us: Option<u32>,
    pub min_rtt_us: Option<u32>,
    pub mean_rtt_us: Option<u32>,
    pub reorder: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct UdpEnd {
    /// Datagrams the sender counted.
    pub packets_sent: Option<u64>,
    /// Highest sequence number at the receiver less the omitted ones (iperf3's `packets` of a receiver).
    pub packets_received: Option<u64>,
    pub lost: Option<u64>,
    pub out_of_order: Option<u64>,
    pub duplicates: Option<u64>,
    pub jitter_seconds: Option<f64>,
    /// Dropped by the receiver's own socket buffer (a part of `lost`), where the kernel counts it.
    pub socket_drops: Option<u64>,
}

impl Report {
    /// A report of a test that never began.
    pub fn blank(role: Role, system_info: String) -> Self {
        Report {
            role,
            params: TestParams::default(),
            start: Start {
                system_info,
                ..Start::default()
            },
            intervals: Vec::new(),
            end: None,
            error: None,
            server_output: None,
            file: None,
            host: HostFacts::default(),
            peer_host: None,
        }
    }

    /// Whether the streams are UDP.
    pub fn is_udp(&self) -> bool {
        self.params.protocol == Protocol::Udp
    }

    /// The machines of the client and of the server, as far as they are known.
    pub fn client_and_server(&self) -> (Option<&HostFacts>, Option<&HostFacts>) {
        let (own, peer) = (Some(&self.host), self.peer_host.as_ref());
        match self.role {
            Role::Client => (own, peer),
            Role::Server => (peer, own),
        }
    }
}
