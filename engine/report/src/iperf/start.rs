//! The `start` section.

use super::nettest;
use super::number::Num;
use crate::params::{Direction, Limit, Protocol};
use crate::report::{Connected, Report, Role};
use serde::Serialize;

/// `connected`, `version` and `system_info` are always there; the rest from the connection on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Start<'a> {
    connected: &'a [Connected],
    version: &'a str,
    system_info: &'a str,
    #[serde(flatten)]
    test: Option<Test<'a>>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Test<'a> {
    timestamp: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    connecting_to: Option<Address<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted_connection: Option<Address<'a>>,
    cookie: &'a str,
    /// Asked by `-M`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tcp_mss: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tcp_mss_default: Option<Option<u32>>,
    target_bitrate: u64,
    fq_rate: u64,
    sock_bufsize: u32,
    sndbuf_actual: Option<u32>,
    rcvbuf_actual: Option<u32>,
    test_start: TestStart,
    nettest: nettest::Start<'a>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Timestamp {
    time: String,
    timesecs: i64,
    timemillisecs: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Address<'a> {
    host: &'a str,
    port: u16,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct TestStart {
    protocol: &'static str,
    num_streams: u16,
    blksize: u32,
    omit: Num,
    duration: Num,
    bytes: u64,
    blocks: u64,
    reverse: u8,
    tos: u8,
    target_bitrate: u64,
    bidir: u8,
    fqrate: u64,
    interval: Num,
    gso: u8,
    gro: u8,
}

impl<'a> Start<'a> {
    /// What is left when single streams are not told.
    pub(super) fn drop_streams(&mut self) {
        self.connected = &[];
    }

    pub fn of(report: &'a Report) -> Self {
        let start = &report.start;
        // Without streams there is no test to describe; iperf3 leaves these keys out too.
        let test = (!start.connected.is_empty()).then(|| Test::of(report));
        Start {
            connected: &start.connected,
            version: &start.version,
            system_info: &start.system_info,
            test,
        }
    }
}

impl<'a> Test<'a> {
    fn of(report: &'a Report) -> Self {
        let (start, params) = (&report.start, &report.params);
        let peer = Address {
            host: &start.peer_host,
            port: start.peer_port,
        };
        let (connecting_to, accepted_connection) = match report.role {
            Role::Client => (Some(peer), None),
            Role::Server => (None, Some(peer)),
        };
        let (tcp_mss, tcp_mss_default) = match (params.protocol, params.mss) {
            (Protocol::Udp | Protocol::Sctp, _) => (None, None),
            (Protocol::Tcp, Some(asked)) => (Some(asked), None),
            (Protocol::Tcp, None) => (None, Some(start.tcp_mss)),
        };
        let target_bitrate = params.bitrate.unwrap_or(0);
        let fq_rate = params.fq_rate.unwrap_or(0);
        let (duration, bytes, blocks) = match params.limit {
            Limit::Time(time) => (time.as_secs_f64(), 0, 0),
            Limit::Bytes(bytes) => (0.0, bytes, 0),
            Limit::Blocks(blocks) => (0.0, 0, blocks),
        };
        Test {
            timestamp: Timestamp {
                time: http_date(start.time_unix_micros),
                timesecs: start.time_unix_micros.div_euclid(1_000_000),
                timemillisecs: start.time_unix_micros.div_euclid(1_000),
            },
            connecting_to,
            accepted_connection,
            cookie: &start.cookie,
            tcp_mss,
            tcp_mss_default,
            target_bitrate,
            fq_rate,
            sock_bufsize: params.window.unwrap_or(0),
            sndbuf_actual: start.sndbuf_actual,
            rcvbuf_actual: start.rcvbuf_actual,
            test_start: TestStart {
                protocol: params.protocol.name(),
                num_streams: params.streams,
                blksize: start.block_size,
                omit: Num(params.omit.as_secs_f64()),
                duration: Num(duration),
                bytes,
                blocks,
                reverse: (params.direction == Direction::Reverse).into(),
                tos: params.tos,
                target_bitrate,
                bidir: (params.direction == Direction::Bidirectional).into(),
                fqrate: fq_rate,
                interval: Num(params.interval.as_secs_f64()),
                gso: params.gsro.into(),
                gro: params.gsro.into(),
            },
            nettest: nettest::Start::of(report),
        }
    }
}

/// RFC 9110 section 5.6.7, e.g. `Mon, 30 Nov 2026 16:22:52 GMT`; empty when out of range.
pub fn http_date(unix_micros: i64) -> String {
    jiff::Timestamp::from_microsecond(unix_micros)
        .map(|t| t.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string())
        .unwrap_or_default()
}

impl Report {
    /// The wall-clock time of the start as HTTP writes it.
    pub fn start_date(&self) -> String {
        http_date(self.start.time_unix_micros)
    }
}
