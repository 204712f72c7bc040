//! The digest of a client or server process, within a termination message's 4096 bytes.

use crate::cli::RunLabel;
use nettest_report::digest::{
    DIGEST_VERSION, Digest, DocumentSum, FailureReason, Figures, MAX_DIGEST_BYTES, Outcome,
};
use nettest_report::report::{Flow, HostFacts, Report};
use nettest_report::sums::FlowEnd;
use std::collections::VecDeque;

const LONGEST_MESSAGE: usize = 512;

pub fn flow_name(flow: Flow) -> &'static str {
    match flow {
        Flow::ClientToServer => "ClientToServer",
        Flow::ServerToClient => "ServerToClient",
    }
}

/// A client's digest: complete when every one of `wanted` repeats has its figures.
pub fn of_client(
    label: &RunLabel,
    reports: &[Report],
    wanted: u32,
    failure: Option<(FailureReason, String)>,
    document: Option<DocumentSum>,
) -> Digest {
    let last = reports.last();
    let measured = reports
        .iter()
        .filter(|r| r.error.is_none() && r.end.is_some())
        .count();
    let failure = failure.or_else(|| {
        (measured < wanted as usize).then(|| {
            (
                FailureReason::EngineCrashed,
                format!("{measured} of {wanted} repeats were measured"),
            )
        })
    });
    let mut digest = match failure {
        Some((reason, message)) => failed(label, reason, &message),
        None => Digest {
            outcome: Outcome::Complete,
            reason: None,
            figures: figures(&label.variant, reports),
            ..failed(label, FailureReason::EngineCrashed, "")
        },
    };
    digest.document = document;
    digest.client_host = last.map(|r| r.host.clone());
    digest.server_host = last.and_then(|r| r.peer_host.clone());
    digest
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
        figures: Vec::new(),
        client_host: None,
        server_host: None,
    }
}

fn figures(variant: &str, reports: &[Report]) -> Vec<Figures> {
    let sums: Vec<(&Report, Vec<FlowEnd>)> = reports
        .iter()
        .filter_map(|r| r.end.as_ref().map(|end| (r, FlowEnd::of(end))))
        .collect();
    let Some(direction) = reports.first().map(|r| r.params.direction) else {
        return Vec::new();
    };
    Flow::of(direction)
        .iter()
        .map(|&flow| {
            let column = |of: &dyn Fn(&Report, &FlowEnd) -> Option<u64>| {
                sums.iter()
                    .map(|(report, flows)| of(report, flows.iter().find(|f| f.flow == flow)?))
                    .collect::<Option<Vec<u64>>>()
                    .unwrap_or_default()
            };
            Figures {
                variant: variant.to_owned(),
                flow: flow_name(flow).to_owned(),
                sent_bits_per_second: column(&|_, f| f.sent.bits_per_second().map(whole)),
                received_bits_per_second: column(&|_, f| f.received.bits_per_second().map(whole)),
                sent_bytes: column(&|_, f| f.sent.bytes),
                received_bytes: column(&|_, f| f.received.bytes),
                retransmits: column(&|_, f| f.retransmits),
                rtt_microseconds: column(&|_, f| f.mean_rtt_us.map(u64::from)),
                fairness_ppm: column(&|_, f| f.fairness.map(|index| whole(index * 1e6))),
                datagrams: column(&|_, f| {
                    f.udp.and_then(|u| u.packets_sent.or(u.packets_received))
                }),
                lost_datagrams: column(&|_, f| f.udp?.lost),
                out_of_order: column(&|_, f| f.udp?.out_of_order),
                jitter_microseconds: column(&|_, f| Some(whole(f.udp?.jitter_seconds? * 1e6))),
                client_cpu_milli: column(&|r, _| {
                    Some(whole(r.end.as_ref()?.local_cpu?.total * 10.0))
                }),
                server_cpu_milli: column(&|r, _| {
                    Some(whole(r.end.as_ref()?.remote_cpu?.total * 10.0))
                }),
            }
        })
        .collect()
}

fn whole(value: f64) -> u64 {
    // `as` saturates, and turns NaN into 0.
    value.round() as u64
}

/// What may be left out, from the least missed to the most.
type Step = (&'static str, fn(&mut Digest));

const STEPS: &[Step] = &[
    ("kernel and host names", |d| {
        for host in hosts(d) {
            host.kernel.clear();
            host.hostname.clear();
        }
    }),
    ("CPU of the second direction", |d| {
        for second in d.figures.iter_mut().skip(1) {
            second.client_cpu_milli.clear();
            second.server_cpu_milli.clear();
        }
    }),
    ("out-of-order counts", |d| {
        each(d, |f| f.out_of_order.clear())
    }),
    ("fairness", |d| each(d, |f| f.fairness_ppm.clear())),
    ("byte counts", |d| {
        each(d, |f| {
            f.sent_bytes.clear();
            f.received_bytes.clear();
        })
    }),
    ("round-trip times", |d| {
        each(d, |f| f.rtt_microseconds.clear())
    }),
    ("CPU", |d| {
        each(d, |f| {
            f.client_cpu_milli.clear();
            f.server_cpu_milli.clear();
        })
    }),
    ("jitter", |d| each(d, |f| f.jitter_microseconds.clear())),
    ("host facts", |d| {
        d.client_host = None;
        d.server_host = None;
    }),
    ("retransmits", |d| each(d, |f| f.retransmits.clear())),
    ("datagram counts", |d| {
        each(d, |f| {
            f.datagrams.clear();
            f.lost_datagrams.clear();
        })
    }),
    ("sent bitrates", |d| {
        each(d, |f| f.sent_bits_per_second.clear())
    }),
    ("all figures", |d| d.figures.clear()),
];

fn each(digest: &mut Digest, change: fn(&mut Figures)) {
    digest.figures.iter_mut().for_each(change);
}

fn hosts(digest: &mut Digest) -> impl Iterator<Item = &mut HostFacts> {
    digest
        .client_host
        .iter_mut()
        .chain(digest.server_host.iter_mut())
}

/// The digest that fits, and its JSON. Whatever had to be left out is named in the message.
pub fn fit(mut digest: Digest) -> (Digest, String) {
    let said = digest.message.clone();
    let mut steps: VecDeque<&Step> = STEPS.iter().collect();
    let mut left_out: Vec<&str> = Vec::new();
    loop {
        let json = serde_json::to_string(&digest).unwrap_or_default();
        if json.len() <= MAX_DIGEST_BYTES {
            return (digest, json);
        }
        let Some((what, leave_out)) = steps.pop_front() else {
            // Only the message can be left: escaped control characters swell sixfold.
            digest.message = cut(&digest.message, digest.message.len() / 2);
            continue;
        };
        let before = digest.clone();
        leave_out(&mut digest);
        if digest != before {
            left_out.push(what);
            let note = format!("left out for space: {}", left_out.join(", "));
            digest.message = match said.as_str() {
                "" => note,
                said => cut(&format!("{note}; {said}"), LONGEST_MESSAGE),
            };
        }
    }
}

/// At most `bytes` of the text, cut between characters.
fn cut(text: &str, bytes: usize) -> String {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}
