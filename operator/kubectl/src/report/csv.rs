//! For tables: a row a pair, variant and flow. What is unknown is empty, never 0.

use super::{ReportError, rows::rows};
use crate::subject::Subject;
use nettest_api::result::{Flow, VariantResult};

type Figure = fn(&VariantResult) -> Option<i64>;

/// In this order; later releases add at the end.
const FIGURES: [(&str, Figure); 20] = [
    ("throughput_bits_per_second", |r| {
        Some(r.throughput_bits_per_second.median)
    }),
    ("throughput_min_bits_per_second", |r| {
        Some(r.throughput_bits_per_second.min)
    }),
    ("throughput_max_bits_per_second", |r| {
        Some(r.throughput_bits_per_second.max)
    }),
    ("spread_percent", |r| {
        Some(r.throughput_bits_per_second.spread_percent)
    }),
    ("sender_bits_per_second", |r| Some(r.sender_bits_per_second)),
    ("sent_bytes", |r| Some(r.sent_bytes)),
    ("received_bytes", |r| Some(r.received_bytes)),
    ("retransmits", |r| r.retransmits),
    ("rtt_microseconds", |r| r.rtt_microseconds),
    ("rtt_p50_microseconds", |r| {
        Some(r.rtt_percentiles_microseconds?.p50)
    }),
    ("rtt_p90_microseconds", |r| {
        Some(r.rtt_percentiles_microseconds?.p90)
    }),
    ("rtt_p99_microseconds", |r| {
        Some(r.rtt_percentiles_microseconds?.p99)
    }),
    ("datagrams", |r| r.datagrams),
    ("lost_datagrams", |r| r.lost_datagrams),
    ("loss_ppm", |r| r.loss_ppm),
    ("out_of_order", |r| r.out_of_order),
    ("jitter_microseconds", |r| r.jitter_microseconds),
    ("client_cpu_milli", |r| r.client_cpu_milli),
    ("server_cpu_milli", |r| r.server_cpu_milli),
    ("repeats", |r| Some(i64::from(r.repeats))),
];
const NAMES: [&str; 10] = [
    "test",
    "run",
    "client",
    "server",
    "second_pass",
    "not_measured",
    "variant",
    "protocol",
    "path",
    "flow",
];

pub fn csv(subject: &Subject) -> Result<String, ReportError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let figures = FIGURES.iter().map(|(name, _)| *name);
    writer.write_record(NAMES.into_iter().chain(figures))?;
    let run = subject.run.metadata.name.clone().unwrap_or_default();
    for row in rows(subject) {
        let result = row.result;
        let flow = |result: &VariantResult| match result.flow {
            Flow::ClientToServer => "ClientToServer",
            Flow::ServerToClient => "ServerToClient",
        };
        let of = |text: fn(&VariantResult) -> &str| result.map_or("", text).to_owned();
        let names = [
            subject.name.clone(),
            run.clone(),
            row.client,
            row.server,
            row.second_pass.to_string(),
            row.reason,
            of(|result| &result.variant),
            of(|result| result.protocol.as_str()),
            of(|result| result.path.as_str()),
            result.map_or("", flow).to_owned(),
        ];
        let figures = FIGURES.iter().map(|(_, figure)| {
            let value = result.and_then(figure);
            value.map_or_else(String::new, |value| value.to_string())
        });
        writer.write_record(names.into_iter().chain(figures))?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error());
    let bytes = bytes.map_err(csv::Error::from)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
