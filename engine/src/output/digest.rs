//! The digest of a client or server process.

use crate::cli::RunLabel;
use nettest_report::digest::message::cut;
use nettest_report::digest::{
    DIGEST_VERSION, Digest, DocumentSum, FailureReason, Figures, LONGEST_MESSAGE, Outcome,
};
use nettest_report::report::{Flow, HostFacts, Report, SocketFacts};
use nettest_report::round_trip::{Quantiles, quantiles};
use nettest_report::sums::{FlowEnd, whole};

pub fn flow_name(flow: Flow) -> &'static str {
    match flow {
        Flow::ClientToServer => "ClientToServer",
        Flow::ServerToClient => "ServerToClient",
    }
}

/// The digest of a process that measured nothing.
pub fn failed(label: &RunLabel, reason: FailureReason, message: &str) -> Digest {
    Digest {
        version: DIGEST_VERSION,
        run: label.uid.clone(),
        attempt: label.attempt,
        outcome: Outcome::Failed,
        reason: Some(reason),
        message: cut(message, LONGEST_MESSAGE),
        document: None,
        thinned: 0,
        figures: Vec::new(),
        figures_in_log: None,
        client_host: None,
        server_host: None,
    }
}

/// What a client's measurements come to, by variant. It holds sums only: the rows of a long series would fill the memory.
#[derive(Debug)]
pub struct Tally {
    variants: Vec<OfVariant>,
    /// Index of the variant that was measured last.
    last: usize,
    throttling: [Throttling; 2],
}

#[derive(Debug)]
struct OfVariant {
    name: String,
    flows: &'static [Flow],
    repeats: Vec<Repeat>,
    /// Client and server of the last repeat.
    hosts: [Option<HostFacts>; 2],
}

/// One measurement that came to its end.
#[derive(Debug)]
struct Repeat {
    flows: Vec<FlowEnd>,
    /// By the flows of the variant.
    round_trips: Vec<Option<Quantiles>>,
    /// Percent of a CPU, of client and server.
    cpu: [Option<f64>; 2],
}

/// Over all measurements.
#[derive(Debug, Default, Clone, Copy)]
struct Throttling {
    periods: Option<u64>,
    usec: Option<u64>,
}

impl Tally {
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Tally {
        let variant = |name: &str| OfVariant {
            name: name.to_owned(),
            flows: &[],
            repeats: Vec::new(),
            hosts: [None, None],
        };
        Tally {
            variants: names.into_iter().map(variant).collect(),
            last: 0,
            throttling: [Throttling::default(); 2],
        }
    }

    /// A measurement of the variant with this index has ended, well or not.
    pub fn note(&mut self, variant: usize, report: &Report) {
        let Some(of) = self.variants.get_mut(variant) else {
            return;
        };
        self.last = variant;
        of.flows = Flow::of(report.params.direction);
        of.hosts = [Some(report.host.clone()), report.peer_host.clone()];
        for (sum, host) in self.throttling.iter_mut().zip(&of.hosts) {
            let Some(host) = host else { continue };
            add(&mut sum.periods, host.throttled_periods);
            add(&mut sum.usec, host.throttled_usec);
        }
        if let (None, Some(end)) = (&report.error, &report.end) {
            of.repeats.push(Repeat {
                round_trips: of
                    .flows
                    .iter()
                    .map(|flow| quantiles(&report.intervals, *flow))
                    .collect(),
                flows: FlowEnd::of(end),
                cpu: [end.local_cpu, end.remote_cpu].map(|cpu| Some(cpu?.total)),
            });
        }
    }

    /// Complete when every variant has its figures of `wanted` repeats.
    pub fn digest(
        &self,
        label: &RunLabel,
        wanted: u32,
        failure: Option<(FailureReason, String)>,
        document: Option<DocumentSum>,
    ) -> Digest {
        let mut digest = match failure.or_else(|| self.missing(wanted)) {
            Some((reason, message)) => failed(label, reason, &message),
            None => Digest {
                outcome: Outcome::Complete,
                reason: None,
                figures: self.figures(),
                ..failed(label, FailureReason::EngineCrashed, "")
            },
        };
        digest.document = document;
        [digest.client_host, digest.server_host] = [self.host(0), self.host(1)];
        digest
    }

    fn several(&self) -> bool {
        self.variants.len() > 1
    }

    /// What is said of one variant, with its name if there are others.
    pub fn about(&self, variant: usize, message: &str) -> String {
        match self.variants.get(variant).filter(|_| self.several()) {
            Some(of) => format!("variant {}: {message}", of.name),
            None => message.to_owned(),
        }
    }

    fn missing(&self, wanted: u32) -> Option<(FailureReason, String)> {
        let short = |of: &OfVariant| of.repeats.len() < wanted as usize;
        let at = self.variants.iter().position(short)?;
        let measured = self.variants.get(at)?.repeats.len();
        let message = format!("{measured} of {wanted} repeats were measured");
        Some((FailureReason::EngineCrashed, self.about(at, &message)))
    }

    fn figures(&self) -> Vec<Figures> {
        let several = self.several();
        let of = |of: &OfVariant| -> Vec<Figures> {
            of.flows
                .iter()
                .map(|flow| of.figures(*flow, several))
                .collect()
        };
        self.variants.iter().flat_map(of).collect()
    }

    /// The client's (0) or server's (1) facts: what is the same for all variants, or the last one's. What diagnoses rest on
    /// must be every variant's, else it is unknown.
    fn host(&self, end: usize) -> Option<HostFacts> {
        let all = || self.variants.iter().filter_map(|of| of.hosts[end].as_ref());
        let mut host = self.variants.get(self.last)?.hosts[end].clone()?;
        host.mtu = agreed(all().map(|host| host.mtu));
        host.qdisc = agreed(all().map(|host| host.qdisc.clone()));
        host.link_speed_bits_per_second = agreed(all().map(|host| host.link_speed_bits_per_second));
        host.throttled_periods = self.throttling[end].periods;
        host.throttled_usec = self.throttling[end].usec;
        if self.several() {
            // Each variant's figures have their own.
            host.sockets = SocketFacts::default();
        }
        Some(host)
    }
}

impl OfVariant {
    fn figures(&self, flow: Flow, several: bool) -> Figures {
        let column = |of: &dyn Fn(&FlowEnd) -> Option<u64>| {
            let one = |repeat: &Repeat| of(repeat.flows.iter().find(|sum| sum.flow == flow)?);
            let all: Option<Vec<u64>> = self.repeats.iter().map(one).collect();
            all.unwrap_or_default()
        };
        let index = self.flows.iter().position(|of| *of == flow);
        let round_trip = |of: fn(Quantiles) -> u64| {
            let one = |repeat: &Repeat| repeat.round_trips.get(index?).copied()?.map(of);
            let all: Option<Vec<u64>> = self.repeats.iter().map(one).collect();
            all.unwrap_or_default()
        };
        let cpu = |end: usize| {
            let one = |repeat: &Repeat| Some(whole(repeat.cpu[end]? * 10.0));
            let all: Option<Vec<u64>> = self.repeats.iter().map(one).collect();
            all.unwrap_or_default()
        };
        let [client, server] = [0, 1].map(|end: usize| {
            let host = self.hosts[end].as_ref().filter(|_| several);
            host.map(|host| host.sockets.clone())
        });
        let (sender, receiver) = match flow {
            Flow::ClientToServer => (client, server),
            Flow::ServerToClient => (server, client),
        };
        Figures {
            variant: self.name.clone(),
            flow: flow_name(flow).to_owned(),
            sent_bits_per_second: column(&|f| f.sent.whole_bits_per_second()),
            received_bits_per_second: column(&|f| f.received.whole_bits_per_second()),
            sent_bytes: column(&|f| f.sent.bytes),
            received_bytes: column(&|f| f.received.bytes),
            retransmits: column(&|f| f.retransmits),
            rtt_microseconds: column(&|f| f.mean_rtt_us.map(u64::from)),
            rtt_p50_microseconds: round_trip(|q| q.p50),
            rtt_p90_microseconds: round_trip(|q| q.p90),
            rtt_p99_microseconds: round_trip(|q| q.p99),
            fairness_ppm: column(&|f| f.fairness.map(|index| whole(index * 1e6))),
            datagrams: column(&|f| f.udp.and_then(|u| u.packets_sent.or(u.packets_received))),
            lost_datagrams: column(&|f| f.udp?.lost),
            out_of_order: column(&|f| f.udp?.out_of_order),
            jitter_microseconds: column(&|f| Some(whole(f.udp?.jitter_seconds? * 1e6))),
            client_cpu_milli: cpu(0),
            server_cpu_milli: cpu(1),
            sender_sockets: sender,
            receiver_sockets: receiver,
        }
    }
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}

/// What all agree on that know it.
fn agreed<T: PartialEq>(all: impl Iterator<Item = Option<T>>) -> Option<T> {
    let mut known = all.flatten();
    let first = known.next()?;
    known.all(|other| other == first).then_some(first)
}
