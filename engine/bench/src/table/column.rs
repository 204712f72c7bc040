//! The columns of a table of runs: what each says of one program in one row.

use super::NOTHING;
use crate::{
    goals::percent,
    peer::Kind,
    record::Record,
    run::{Calls, Measured, Outcome},
    samples::{Figure, Samples},
    statistics::{Estimate, Spread},
    work::Group,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    Rate,
    Datagrams,
    Loss,
    /// Of the row's main figure.
    Ratio,
    /// CPU seconds a gigabyte.
    Cpu,
    CpuRatio,
    /// CPU milliseconds of a run.
    CpuOfARun,
    /// A gigabyte.
    Calls,
    CallsOfARun,
    DevicePackets,
    Fairness,
    Memory,
    Wall,
    CountedBytes,
}

pub fn columns(group: Group) -> &'static [Column] {
    use Column::{
        Calls, CallsOfARun, CountedBytes, Cpu, CpuOfARun, CpuRatio, Datagrams, DevicePackets,
        Fairness, Loss, Memory, Rate, Ratio, Wall,
    };
    match group {
        Group::Tcp | Group::TcpFast => &[
            Rate,
            Ratio,
            Cpu,
            CpuRatio,
            Calls,
            DevicePackets,
            Fairness,
            Memory,
        ],
        Group::Udp | Group::UdpGso | Group::Paced => &[
            Rate,
            Datagrams,
            Loss,
            Ratio,
            Cpu,
            CpuRatio,
            Calls,
            DevicePackets,
            Memory,
        ],
        Group::Clients => &[
            Rate, Datagrams, Loss, Ratio, Cpu, CpuRatio, Calls, Fairness, Memory,
        ],
        Group::Small => &[Wall, Ratio, CpuOfARun, CallsOfARun, CountedBytes, Memory],
    }
}

impl Column {
    pub fn head(self) -> &'static str {
        match self {
            Column::Rate => "Gbit/s",
            Column::Datagrams => "datagrams/s",
            Column::Loss => "loss",
            Column::Ratio => "ours ÷ it",
            Column::Cpu => "CPU s/GB, client + server",
            Column::CpuRatio => "CPU/GB, ours ÷ it",
            Column::CpuOfARun => "CPU ms, client + server",
            Column::Calls => "calls/GB, client + server",
            Column::CallsOfARun => "calls, client + server",
            Column::DevicePackets => "packets/s of the device",
            Column::Fairness => "fairness",
            Column::Memory => "server MiB",
            Column::Wall => "ms, start to end of the client",
            Column::CountedBytes => "bytes counted",
        }
    }

    pub fn cell(self, record: &Record, samples: &Samples<'_>, kind: Kind) -> String {
        let spread = |figure: Figure, show: fn(f64) -> String| {
            let found = samples.spread(kind, figure);
            found.map(|spread| range(spread, show))
        };
        let ratio = |figure: Figure| {
            let found = (kind != Kind::Ours).then(|| samples.ratio(kind, figure));
            found.flatten().map(times)
        };
        let cell = match self {
            Column::Rate => spread(Figure::Bits, |bits| format!("{:.3}", bits / 1e9)),
            Column::Datagrams => spread(Figure::Datagrams, thousands),
            Column::Loss => samples
                .spread(kind, Figure::Loss)
                .map(|loss| percent(loss.median)),
            Column::Ratio => ratio(Figure::main(samples.work)),
            Column::Cpu => both(samples, kind, 3, |run| {
                let gigabytes = run.gigabytes();
                (
                    run.client_cpu_seconds / gigabytes,
                    run.server_cpu_seconds / gigabytes,
                )
            }),
            Column::CpuRatio => ratio(Figure::Cpu),
            Column::CpuOfARun => both(samples, kind, 1, |run| {
                (run.client_cpu_seconds * 1e3, run.server_cpu_seconds * 1e3)
            }),
            Column::Calls => return calls(record, samples, kind, Measured::gigabytes),
            Column::CallsOfARun => return calls(record, samples, kind, |_| 1.0),
            Column::DevicePackets => samples
                .median_of_known(kind, |run| Some(run.device_packets? as f64 / run.seconds()))
                .map(thousands),
            Column::Fairness => samples
                .median_of_known(kind, |run| run.fairness)
                .map(|fairness| format!("{fairness:.3}")),
            // A server that was gone before it could be looked at has no figure.
            Column::Memory => samples
                .median_of_known(kind, |run| {
                    let bytes = Some(run.server_rss_bytes).filter(|bytes| *bytes > 0)?;
                    Some(bytes as f64 / f64::from(1 << 20))
                })
                .map(|mib| format!("{mib:.1}")),
            Column::Wall => spread(Figure::Wall, |seconds| format!("{:.1}", seconds * 1e3)),
            Column::CountedBytes => counted_bytes(samples, kind),
        };
        cell.unwrap_or_else(|| NOTHING.to_owned())
    }
}

/// "client + server", the median of each.
fn both(
    samples: &Samples<'_>,
    kind: Kind,
    digits: usize,
    figure: fn(&Measured) -> (f64, f64),
) -> Option<String> {
    let client = samples.median(kind, |measured| figure(measured).0)?;
    let server = samples.median(kind, |measured| figure(measured).1)?;
    Some(format!("{client:.digits$} + {server:.digits$}"))
}

fn times(ratio: Estimate) -> String {
    format!("{:.2} ({:.2}–{:.2})", ratio.median, ratio.low, ratio.high)
}

fn range(spread: Spread, show: fn(f64) -> String) -> String {
    format!(
        "{} ({}–{})",
        show(spread.median),
        show(spread.min),
        show(spread.max)
    )
}

fn thousands(value: f64) -> String {
    format!("{:.0} k", value / 1e3)
}

fn counted_bytes(samples: &Samples<'_>, kind: Kind) -> Option<String> {
    let asked = samples.work.bytes.unwrap_or(0);
    let all = samples.done(kind).count();
    let whole = samples
        .done(kind)
        .filter(|(_, run)| run.delivered_bytes == asked)
        .count();
    (all > 0).then(|| format!("all in {whole} of {all}"))
}

/// Of the run that counted them, by what divides them.
fn calls(
    record: &Record,
    samples: &Samples<'_>,
    kind: Kind,
    divisor: fn(&Measured) -> f64,
) -> String {
    let found = record.counted.iter().find_map(|run| match &run.outcome {
        Outcome::Done(measured)
            if (run.path, run.work.as_str(), run.peer)
                == (samples.path, samples.work.name, kind) =>
        {
            Some((measured, measured.calls?))
        }
        _ => None,
    });
    found.map_or_else(
        || "not measured".to_owned(),
        |(measured, Calls { client, server })| {
            let of = |calls: u64| calls as f64 / divisor(measured);
            format!("{:.0} + {:.0}", of(client), of(server))
        },
    )
}
