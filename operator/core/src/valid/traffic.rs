//! What flows, checked.

use super::{Bitrate, Bytes};
use nettest_api::traffic::{Direction, Protocol};
use std::time::Duration;

/// What one variant sends. Options that its protocol does not have are not set.
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
    /// Of each stream. `None`: the protocol's default. Zero: unlimited. Never above limits.maxBitrate, all streams
    /// together.
    pub bitrate: Option<Bitrate>,
    /// Writes or datagrams at once, 1 to 1000; only with a bitrate above zero.
    pub burst: Option<u32>,
    /// Of each stream, kept by the sending kernel.
    pub fair_queue_rate: Option<Bitrate>,
    pub message_size: Option<Bytes>,
    pub window: Option<Bytes>,
    pub congestion_control: Option<CongestionControl>,
    pub socket: SocketOptions,
    pub fast_paths: FastPaths,
}

/// Options of the sockets and their packets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SocketOptions {
    /// TCP, SCTP: 88 to 32767 bytes.
    pub mss: Option<u32>,
    /// TCP, SCTP.
    pub no_delay: bool,
    /// TCP.
    pub mptcp: bool,
    /// SCTP: streams of an association.
    pub sctp_streams: Option<u16>,
    /// 0 to 63.
    pub dscp: Option<u8>,
    /// IPv6: 20 bits, not zero.
    pub flow_label: Option<u32>,
    /// UDP over IPv4.
    pub dont_fragment: bool,
    pub repeating_payload: bool,
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
    /// Writes or datagrams.
    Blocks(u64),
}

/// How long the ends wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValidTimeouts {
    /// For the server's first answer.
    pub connect: Duration,
    /// A receiver for data; `None`: the engine's own.
    pub receive: Option<Duration>,
    /// Sent data for its acknowledgement (TCP); `None`: the kernel's own.
    pub send: Option<Duration>,
}

/// A kernel's name for a TCP congestion control: `[a-z][a-z0-9_]{0,14}`, so never a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CongestionControl(pub(crate) String);

impl CongestionControl {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
