//! What iperf3 has no key for: one object in `start`, and one in `end`, so that every other key is iperf3's.

use super::number::Num;
use crate::report::{self, HostFacts, Report, SocketFacts, StreamEnd};
use crate::sums::FlowEnd;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Start<'a> {
    requested: Requested<'a>,
    granted: Granted<'a>,
    /// Of the device that this end's data leaves by.
    qdisc: Option<&'a str>,
}

/// What was asked of the sockets; `null`: nothing, so that the kernel chose.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Requested<'a> {
    window: Option<u32>,
    mss: Option<u32>,
    congestion: Option<&'a str>,
    fq_rate: Option<u64>,
    flow_label: Option<u32>,
    no_delay: bool,
    mptcp: bool,
    zerocopy: bool,
    skip_rx_copy: bool,
    gsro: bool,
    fast: bool,
    dont_fragment: bool,
}

/// What this end's kernel gave the data sockets; `null`: not known, or not a thing of this protocol.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Granted<'a> {
    sndbuf: Option<u32>,
    rcvbuf: Option<u32>,
    mss: Option<u32>,
    congestion: Option<&'a str>,
    fq_rate: Option<u64>,
    mptcp: Option<bool>,
    gso: Option<bool>,
    gro: Option<bool>,
    zerocopy: Option<bool>,
    skip_rx_copy: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct End<'a> {
    streams: Vec<Stream>,
    fast_paths: FastPaths,
    /// Jain's index over the streams of the first flow; `null`: a single stream, or not known.
    fairness: Option<Num>,
    /// Of the second flow of a bidirectional test.
    #[serde(skip_serializing_if = "Option::is_none")]
    fairness_bidir_reverse: Option<Option<Num>>,
    host: &'a HostFacts,
    peer_host: Option<&'a HostFacts>,
}

/// By end, what was in force: the names of `granted`. `null`: an end that did not tell.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct FastPaths {
    client: Option<Vec<&'static str>>,
    server: Option<Vec<&'static str>>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Stream {
    socket: i32,
    /// UDP: datagrams that came more than once.
    duplicates: Option<u64>,
    /// UDP: datagrams of `lost_packets` that the receiver's own socket had no room for.
    socket_drops: Option<u64>,
}

impl<'a> Start<'a> {
    pub fn of(report: &'a Report) -> Self {
        let params = &report.params;
        Start {
            requested: Requested {
                window: params.window,
                mss: params.mss,
                congestion: params.congestion.as_deref(),
                fq_rate: params.fq_rate,
                flow_label: params.flow_label,
                no_delay: params.no_delay,
                mptcp: params.mptcp,
                zerocopy: params.zerocopy,
                skip_rx_copy: params.skip_rx_copy,
                gsro: params.gsro,
                fast: params.fast,
                dont_fragment: params.dont_fragment,
            },
            granted: Granted::of(&report.host.sockets),
            qdisc: report.host.qdisc.as_deref(),
        }
    }
}

impl<'a> Granted<'a> {
    fn of(sockets: &'a SocketFacts) -> Self {
        let SocketFacts {
            sndbuf,
            rcvbuf,
            mss,
            congestion,
            mptcp,
            gso,
            gro,
            zerocopy,
            skip_rx_copy,
            fq_rate,
        } = sockets;
        Granted {
            sndbuf: *sndbuf,
            rcvbuf: *rcvbuf,
            mss: *mss,
            congestion: congestion.as_deref(),
            fq_rate: *fq_rate,
            mptcp: *mptcp,
            gso: *gso,
            gro: *gro,
            zerocopy: *zerocopy,
            skip_rx_copy: *skip_rx_copy,
        }
    }
}

impl<'a> End<'a> {
    pub fn of(report: &'a Report, end: &report::End) -> Self {
        let mut fairness = FlowEnd::of(end)
            .into_iter()
            .map(|flow| flow.fairness.map(Num));
        End {
            streams: end.streams.iter().map(Stream::of).collect(),
            fast_paths: FastPaths::of(report),
            fairness: fairness.next().flatten(),
            fairness_bidir_reverse: fairness.next(),
            host: &report.host,
            peer_host: report.peer_host.as_ref(),
        }
    }
}

impl End<'_> {
    pub fn drop_streams(&mut self) {
        self.streams.clear();
    }
}

impl FastPaths {
    fn of(report: &Report) -> Self {
        let (client, server) = report.client_and_server();
        let names = |host: Option<&HostFacts>| host.map(|host| host.sockets.fast_paths());
        FastPaths {
            client: names(client),
            server: names(server),
        }
    }
}

impl Stream {
    fn of(stream: &StreamEnd) -> Self {
        Stream {
            socket: stream.socket,
            duplicates: stream.udp.and_then(|udp| udp.duplicates),
            socket_drops: stream.udp.and_then(|udp| udp.socket_drops),
        }
    }
}
