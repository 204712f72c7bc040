//! What one test is asked to do.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Transport of the data streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Protocol {
    #[serde(rename = "TCP")]
    Tcp,
    #[serde(rename = "UDP")]
    Udp,
    #[serde(rename = "SCTP")]
    Sctp,
}

impl Protocol {
    /// As iperf3 prints it.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Tcp => "TCP",
            Protocol::Udp => "UDP",
            Protocol::Sctp => "SCTP",
        }
    }

    /// A byte stream on connections: what is written arrives, in order, or the connection breaks.
    pub fn is_reliable(self) -> bool {
        match self {
            Protocol::Tcp | Protocol::Sctp => true,
            Protocol::Udp => false,
        }
    }
}

/// Who sends: the client (Forward), the server (Reverse), both at once (Bidirectional).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    Forward,
    Reverse,
    Bidirectional,
}

/// What ends the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Limit {
    /// Data time after the omitted part. Zero: until the client is told to stop.
    Time(Duration),
    /// Bytes over all sending streams of a direction (after the omitted part).
    Bytes(u64),
    /// Blocks (writes or datagrams) over all sending streams of a direction.
    Blocks(u64),
}

/// One test, as both ends know it. Every field is checked before a socket opens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestParams {
    pub protocol: Protocol,
    pub direction: Direction,
    pub limit: Limit,
    /// Data flows this long before counting starts (0..=600 s).
    pub omit: Duration,
    /// Time between interval rows; zero: no rows.
    pub interval: Duration,
    /// Streams a direction, 1..=128.
    pub streams: u16,
    /// Asked bits per second a stream; `None`: unlimited.
    pub bitrate: Option<u64>,
    /// Blocks sent back to back when paced (`-b R/burst`); 0 or 1: one.
    pub burst: u32,
    /// Bytes of one write or one datagram's payload. `None`: the default
    /// (TCP 128 KiB; UDP: the MSS of the control connection, else 1460).
    pub block_size: Option<u32>,
    /// Asked socket buffer in bytes (`-w`).
    pub window: Option<u32>,
    /// Asked TCP maximum segment size (`-M`).
    pub mss: Option<u32>,
    pub no_delay: bool,
    /// Asked TCP congestion control (`-C`).
    pub congestion: Option<String>,
    /// IPv4 TOS or IPv6 traffic class byte of the data streams.
    pub tos: u8,
    /// UDP sequence numbers of 64 bits.
    pub udp_counters_64bit: bool,
    /// Senders write from the page cache, without a copy (`-Z`).
    pub zerocopy: bool,
    /// Receivers throw the data away in the kernel (`--skip-rx-copy`).
    pub skip_rx_copy: bool,
    /// UDP segmentation and receive offload were asked for (`--gsro`).
    pub gsro: bool,
    /// All fast paths of the protocol are asked for as wishes: what is not to be had is left out (`--fast`).
    pub fast: bool,
    /// Asked kernel pacing of each sending socket, bits per second (`--fq-rate`).
    pub fq_rate: Option<u64>,
    /// IPv6 flow label of the data streams (`-L`).
    pub flow_label: Option<u32>,
    /// Data streams are MPTCP connections where both kernels have it (`-m`).
    pub mptcp: bool,
    /// IPv4 datagrams must not be fragmented (`--dont-fragment`).
    pub dont_fragment: bool,
    /// The payload repeats a pattern in place of random bytes (`--repeating-payload`).
    pub repeating_payload: bool,
    /// Ask the server for its own report.
    pub get_server_output: bool,
    /// Affinity that the server is asked to take (`-A n,m`): an index as iperf3 has it.
    pub server_affinity: Option<u32>,
    pub title: Option<String>,
    pub extra_data: Option<String>,
}

impl TestParams {
    /// iperf3's default TCP block, bytes.
    pub const TCP_BLOCK: u32 = 128 * 1024;
    /// iperf3's fallback UDP datagram payload, bytes.
    pub const UDP_BLOCK: u32 = 1460;
    /// iperf3's default SCTP block, bytes.
    pub const SCTP_BLOCK: u32 = 64 * 1024;
    /// iperf3's default UDP bitrate, bits per second.
    pub const UDP_BITRATE: u64 = 1024 * 1024;
    pub const MAX_STREAMS: u16 = 128;
}

impl Default for TestParams {
    /// iperf3's defaults: TCP, forward, 10 s, rows each second, one stream.
    fn default() -> Self {
        TestParams {
            protocol: Protocol::Tcp,
            direction: Direction::Forward,
            limit: Limit::Time(Duration::from_secs(10)),
            omit: Duration::ZERO,
            interval: Duration::from_secs(1),
            streams: 1,
            bitrate: None,
            burst: 0,
            block_size: None,
            window: None,
            mss: None,
            no_delay: false,
            congestion: None,
            tos: 0,
            udp_counters_64bit: false,
            zerocopy: false,
            skip_rx_copy: false,
            gsro: false,
            fast: false,
            fq_rate: None,
            flow_label: None,
            mptcp: false,
            dont_fragment: false,
            repeating_payload: false,
            get_server_output: false,
            server_affinity: None,
            title: None,
            extra_data: None,
        }
    }
}
