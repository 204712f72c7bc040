//! The table of results.

use comfy_table::{CellAlignment, Table, presets};
use nettest_api::result::{Flow, VariantResult};
use nettest_core::units;

/// The results, a row a variant and flow. Columns that nobody has a figure for are left out.
pub fn table(results: &[VariantResult], wide: bool) -> String {
    let columns: Vec<Column> = COLUMNS
        .iter()
        .filter(|column| wide || !column.wide)
        .filter(|column| results.iter().any(|result| (column.cell)(result).is_some()))
        .copied()
        .collect();
    let mut table = Table::new();
    // As kubectl prints: columns and nothing else, so that awk reads them too.
    table.load_preset(presets::NOTHING);
    table.set_header(columns.iter().map(|column| column.name));
    for result in results {
        table.add_row(
            columns
                .iter()
                .map(|column| (column.cell)(result).unwrap_or_else(|| "-".to_owned())),
        );
    }
    for (index, column) in columns.iter().enumerate() {
        if let Some(shown) = table.column_mut(index) {
            shown.set_padding((0, 2));
            if column.right {
                shown.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    table
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

#[derive(Clone, Copy)]
struct Column {
    name: &'static str,
    wide: bool,
    right: bool,
    cell: fn(&VariantResult) -> Option<String>,
}

const COLUMNS: [Column; 21] = [
    text("VARIANT", |r| Some(r.variant.clone())),
    text("FLOW", |r| {
        Some(
            match r.flow {
                Flow::ClientToServer => "client to server",
                Flow::ServerToClient => "server to client",
            }
            .to_owned(),
        )
    }),
    text("FAST PATHS", |r| {
        let names: Vec<&str> = r.fast_paths.iter().map(|path| path.as_str()).collect();
        (!names.is_empty()).then(|| names.join(","))
    }),
    figure("THROUGHPUT", |r| Some(r.throughput.clone())),
    figure("MIN", |r| rate(r.throughput_bits_per_second.min)),
    figure("MAX", |r| rate(r.throughput_bits_per_second.max)),
    figure("SPREAD", |r| {
        Some(format!("{} %", r.throughput_bits_per_second.spread_percent))
    }),
    wide("SENT", |r| rate(r.sender_bits_per_second)),
    figure("FAIRNESS", |r| r.fairness_ppm.map(index)),
    figure("RETR", |r| r.retransmits.map(|count| count.to_string())),
    figure("RTT", |r| r.rtt_microseconds.map(micros)),
    figure("LOST/TOTAL", |r| {
        Some(format!("{}/{}", r.lost_datagrams?, r.datagrams?))
    }),
    figure("LOSS", |r| r.loss_ppm.map(percent)),
    figure("JITTER", |r| r.jitter_microseconds.map(micros)),
    wide("OUT OF ORDER", |r| {
        r.out_of_order.map(|count| count.to_string())
    }),
    figure("CLIENT CPU", |r| r.client_cpu_milli.map(cpu)),
    figure("SERVER CPU", |r| r.server_cpu_milli.map(cpu)),
    wide("CONGESTION", |r| r.congestion_control.clone()),
    wide("CLIENT QDISC", |r| r.client_qdisc.clone()),
    wide("SERVER QDISC", |r| r.server_qdisc.clone()),
    wide("REPEATS", |r| Some(r.repeats.to_string())),
];

const fn column(
    name: &'static str,
    wide: bool,
    right: bool,
    cell: fn(&VariantResult) -> Option<String>,
) -> Column {
    Column {
        name,
        wide,
        right,
        cell,
    }
}

const fn text(name: &'static str, cell: fn(&VariantResult) -> Option<String>) -> Column {
    column(name, false, false, cell)
}

const fn figure(name: &'static str, cell: fn(&VariantResult) -> Option<String>) -> Column {
    column(name, false, true, cell)
}

const fn wide(name: &'static str, cell: fn(&VariantResult) -> Option<String>) -> Column {
    column(name, true, true, cell)
}

fn rate(bits_per_second: i64) -> Option<String> {
    u64::try_from(bits_per_second)
        .ok()
        .map(units::bits_per_second)
}

fn micros(micros: i64) -> String {
    if micros < 1_000 {
        format!("{micros} us")
    } else {
        format!("{:.2} ms", micros as f64 / 1e3)
    }
}

fn percent(ppm: i64) -> String {
    format!("{:.2} %", ppm as f64 / 1e4)
}

/// Jain's index: 1.000 is even.
fn index(ppm: i64) -> String {
    format!("{:.3}", ppm as f64 / 1e6)
}

fn cpu(milli: i64) -> String {
    format!("{} %", (milli + 5) / 10)
}

#[cfg(test)]
mod tests {
    use super::table;
    use nettest_api::result::VariantResult;

    fn results(yaml: &str) -> Vec<VariantResult> {
        serde_yaml::from_str(yaml).unwrap()
    }

    const TCP: &str = "
- variant: tcp-p1
  flow: ClientToServer
  throughput: 9.41 Gbit/s
  throughputBitsPerSecond: {median: 9410000000, min: 8120000000, max: 9480000000, spreadPercent: 14}
  senderBitsPerSecond: 9420000000
  receiverBitsPerSecond: 9410000000
  sentBytes: 1
  receivedBytes: 1
  retransmits: 118
  rttMicroseconds: 62
  clientCPUMilli: 984
  serverCPUMilli: 1240
  repeats: 3
";

    #[test]
    fn tcp_has_no_columns_of_udp() {
        assert_eq!(
            table(&results(TCP), false),
            "VARIANT  FLOW               THROUGHPUT          MIN          MAX  SPREAD  RETR    RTT  CLIENT CPU  SERVER CPU\n\
             tcp-p1   client to server  9.41 Gbit/s  8.12 Gbit/s  9.48 Gbit/s    14 %   118  62 us        98 %       124 %\n"
        );
        assert!(table(&results(TCP), true).contains("SENT"));
    }

    #[test]
    fn fast_paths_stand_by_their_variant_and_what_carried_it_is_wide() {
        let more = "  fairnessPPM: 987654\n  fastPaths: [ZeroCopy, SkipReceiveCopy]\n  congestionControl: bbr\n  clientQdisc: noqueue\n  serverQdisc: mq/fq\n";
        let results = results(&format!("{TCP}{more}"));
        let text = table(&results, false);
        for (named, said) in [
            ("FAST PATHS", "ZeroCopy,SkipReceiveCopy"),
            ("FAIRNESS", "0.988"),
        ] {
            assert!(text.contains(named) && text.contains(said), "{text}");
        }
        assert!(
            !text.contains("CONGESTION") && !text.contains("bbr"),
            "{text}"
        );
        let wide = table(&results, true);
        for (named, said) in [
            ("CONGESTION", "bbr"),
            ("CLIENT QDISC", "noqueue"),
            ("SERVER QDISC", "mq/fq"),
        ] {
            assert!(wide.contains(named) && wide.contains(said), "{wide}");
        }
    }

    #[test]
    fn an_unknown_figure_is_a_dash() {
        let mut both = results(TCP);
        both.extend(results(&TCP.replace("  retransmits: 118\n", "")));
        let text = table(&both, false);
        let last = text
            .lines()
            .last()
            .unwrap()
            .split_whitespace()
            .collect::<Vec<_>>();
        assert!(last.contains(&"-"), "{text}");
    }
}
