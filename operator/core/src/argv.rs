//! The engine's argument lists: flags, enums and integers, never a user's free text. The same lists start
//! pods and, for `kubectl nettest run --local`, processes.

use crate::{
    token::RunToken,
    valid::{
        End, FastPaths, Lane, RunUid, SocketOptions, ValidEndpoint, ValidTest, ValidTopology,
        ValidVariant,
    },
};
use nettest_api::{
    endpoint::{CpuEnforcement, CpuMode},
    path::PathKind,
    topology::StarConcurrency,
    traffic::{Direction, Protocol},
};
use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    time::Duration,
};

/// Port of every server pod: a run has its node to itself, so one is enough.
pub const PORT: u16 = 5201;
/// Path of the engine in the image.
pub const ENGINE: &str = "/nettest-engine";
/// How long a client tries to reach its server unless the spec says, milliseconds.
pub const CONNECT_TIMEOUT_MS: u32 = 5_000;
/// Where the kubelet reads a container's last words.
pub const TERMINATION_LOG: &str = "/dev/termination-log";
/// Env that carries the run's token.
pub const TOKEN_ENV: &str = "NETTEST_RUN_TOKEN";

/// Which start of which run this is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    pub run: RunUid,
    /// From 1.
    pub attempt: u32,
    pub port: u16,
    /// Where the digest goes at the end; `None`: nowhere.
    pub digest_file: Option<String>,
    /// `None` when it comes by env, as in pods (argument lists are readable by every process of a host).
    pub token: Option<RunToken>,
    /// Server: the address to listen on; `None`: all.
    pub bind: Option<IpAddr>,
    /// Whether an Exclusive end must prove its CPUs. False where nothing grants any, as with `--local`.
    pub require_exclusive: bool,
    /// Server: how long it waits for a client before it ends by itself. `None`: for ever, as in pods, which
    /// have a deadline of their own.
    pub idle_timeout: Option<Duration>,
}

impl Invocation {
    /// As in pods.
    pub fn in_pod(run: RunUid, attempt: u32) -> Invocation {
        Invocation {
            run,
            attempt,
            port: PORT,
            digest_file: Some(TERMINATION_LOG.to_owned()),
            token: None,
            bind: None,
            require_exclusive: true,
            idle_timeout: None,
        }
    }
}

/// Arguments of the server.
pub fn server_args(test: &ValidTest, call: &Invocation) -> Vec<String> {
    let mut args = Args::default();
    args.flag("-s").value("-p", call.port);
    if let Some(address) = call.bind {
        args.value("-B", address);
    }
    args.value("--max-tests", tests_at_a_time(test));
    // It learns everything else from its clients.
    if let Some(receive) = test.timeouts.receive {
        args.value("--rcv-timeout", receive.as_millis());
    }
    if let Some(send) = test.timeouts.send {
        args.value("--snd-timeout", send.as_millis());
    }
    if let Some(idle) = call.idle_timeout {
        args.value("--idle-timeout", idle.as_secs());
    }
    args.common(&test.server, call);
    args.0
}

/// Where a client finds its server, for each path that its variants take.
pub type Targets = BTreeMap<PathKind, SocketAddr>;

/// Arguments of the client of a lane: what all its variants share, then one group a variant. A variant whose path has
/// no target is left out; the plan makes no client before it has them all.
pub fn client_args(
    test: &ValidTest,
    lane: Lane,
    targets: &Targets,
    call: &Invocation,
) -> Vec<String> {
    let mut args = Args::default();
    args.value("--connect-timeout", test.timeouts.connect.as_millis())
        .flag("--measurement-stream")
        .value("--repeats", test.repeats.count)
        .value("--repeat-pause", seconds(test.repeats.pause));
    if let Some(stability) = test.repeats.stability {
        args.value("--max-spread-percent", stability.max_spread_percent)
            .value("--max-repeats", test.repeats.most());
    }
    args.common(&test.client, call);
    for variant in test.variants_of(lane) {
        if let Some(target) = targets.get(&variant.path) {
            args.value("--variant", &variant.key)
                .value("-c", target.ip())
                .value("-p", target.port());
            args.traffic(variant, target.ip());
            args.timeouts(test, variant);
        }
    }
    args.0
}

/// Only the clients of a star may come all at once; the engine takes no more than 128.
fn tests_at_a_time(test: &ValidTest) -> u32 {
    match &test.topology {
        ValidTopology::Star(star) if star.concurrency == StarConcurrency::Simultaneous => {
            star.max_clients.min(128)
        }
        _ => 1,
    }
}

/// Arguments of the probe that tells when a server accepts tests.
pub fn probe_args(port: u16) -> Vec<String> {
    let mut args = Args::default();
    args.flag("--probe").value("-p", port);
    args.0
}

#[derive(Debug, Default)]
struct Args(Vec<String>);

impl Args {
    fn flag(&mut self, name: &str) -> &mut Self {
        self.0.push(name.to_owned());
        self
    }

    fn value(&mut self, name: &str, value: impl ToString) -> &mut Self {
        self.0.push(name.to_owned());
        self.0.push(value.to_string());
        self
    }

    /// `server`: where this variant finds it.
    fn traffic(&mut self, variant: &ValidVariant, server: IpAddr) {
        let traffic = &variant.traffic;
        match traffic.protocol {
            Protocol::TCP => {}
            // 32-bit sequence numbers wrap within the longest tests allowed.
            Protocol::UDP => {
                self.flag("-u").flag("--udp-counters-64bit");
            }
            Protocol::SCTP => {
                self.flag("--sctp");
            }
        }
        match traffic.direction {
            Direction::Forward => {}
            Direction::Reverse => {
                self.flag("-R");
            }
            Direction::Bidirectional => {
                self.flag("--bidir");
            }
        }
        match traffic.end {
            End::Time(time) => self.value("-t", time.as_secs()),
            End::Bytes(bytes) => self.value("-n", bytes.0),
            End::Blocks(blocks) => self.value("-k", blocks),
        };
        if !traffic.omit.is_zero() {
            self.value("-O", traffic.omit.as_secs());
        }
        self.value("-i", seconds(traffic.interval))
            .value("-P", traffic.streams);
        match (traffic.bitrate, traffic.burst) {
            (Some(rate), Some(burst)) => {
                self.value("-b", format_args!("{}/{burst}", rate.0));
            }
            (Some(rate), None) => {
                self.value("-b", rate.0);
            }
            (None, _) => {}
        }
        if let Some(rate) = traffic.fair_queue_rate {
            self.value("--fq-rate", rate.0);
        }
        if let Some(size) = traffic.message_size {
            self.value("-l", size.0);
        }
        if let Some(window) = traffic.window {
            self.value("-w", window.0);
        }
        if let Some(name) = &traffic.congestion_control {
            self.value("-C", name.as_str());
        }
        self.socket(&traffic.socket, server);
        self.fast_paths(traffic.fast_paths);
    }

    fn socket(&mut self, options: &SocketOptions, server: IpAddr) {
        let SocketOptions {
            mss,
            no_delay,
            mptcp,
            sctp_streams,
            dscp,
            flow_label,
            dont_fragment,
            repeating_payload,
        } = options;
        for (name, number) in [
            ("-M", *mss),
            ("--nstreams", sctp_streams.map(u32::from)),
            ("--dscp", dscp.map(u32::from)),
            ("-L", *flow_label),
        ] {
            if let Some(number) = number {
                self.value(name, number);
            }
        }
        for (name, asked) in [
            ("-N", *no_delay),
            ("-m", *mptcp),
            // IPv6 never fragments on the way, and the engine refuses to ask it not to.
            ("--dont-fragment", *dont_fragment && server.is_ipv4()),
            ("--repeating-payload", *repeating_payload),
        ] {
            if asked {
                self.flag(name);
            }
        }
    }

    fn timeouts(&mut self, test: &ValidTest, variant: &ValidVariant) {
        // A client that only sends receives nothing, and the engine says so.
        if let Some(receive) = test.timeouts.receive
            && variant.traffic.direction != Direction::Forward
        {
            self.value("--rcv-timeout", receive.as_millis());
        }
        if let Some(send) = test.timeouts.send
            && variant.traffic.protocol == Protocol::TCP
        {
            self.value("--snd-timeout", send.as_millis());
        }
    }

    fn fast_paths(&mut self, asked: FastPaths) {
        match asked {
            FastPaths::All => {
                self.flag("--fast");
            }
            FastPaths::These {
                zero_copy,
                skip_receive_copy,
                udp_offload,
            } => {
                for (flag, asked) in [
                    ("-Z", zero_copy),
                    ("--skip-rx-copy", skip_receive_copy),
                    ("--gsro", udp_offload),
                ] {
                    if asked {
                        self.flag(flag);
                    }
                }
            }
        }
    }

    fn common(&mut self, end: &ValidEndpoint, call: &Invocation) {
        if let Some(token) = &call.token {
            self.value("--run-token", token.as_str());
        }
        let required = end.enforcement == CpuEnforcement::Required;
        if call.require_exclusive && end.cpu == CpuMode::Exclusive && required {
            self.value("--require-exclusive-cpus", end.cpus);
        }
        self.value("--run-uid", call.run.as_str())
            .value("--attempt", call.attempt);
        if let Some(file) = &call.digest_file {
            self.value("--digest-file", file);
        }
    }
}

/// Seconds with decimals only where there are some.
fn seconds(span: Duration) -> String {
    let millis = span.subsec_millis();
    if millis == 0 {
        return span.as_secs().to_string();
    }
    format!("{}.{millis:03}", span.as_secs())
        .trim_end_matches('0')
        .to_owned()
}

#[cfg(test)]
mod tests;
