//! The table of results.

use super::figures::{cpu, flow, index, micros, percent, rate};
use super::grid::{Column, Extent, Grid, grid};
use nettest_api::result::VariantResult;
use nettest_api::traffic::Protocol;

/// The results, a row a variant and flow. Protocols have figures of their own, so that each has a table of its own.
pub fn table(results: &[VariantResult], extent: Extent) -> Grid {
    let mut protocols: Vec<Protocol> = Vec::new();
    for result in results {
        if !protocols.contains(&result.protocol) {
            protocols.push(result.protocol);
        }
    }
    let mut whole = Grid {
        text: String::new(),
        is_cut: false,
    };
    for protocol in protocols {
        let of_it = results.iter().filter(|result| result.protocol == protocol);
        let of_it: Vec<VariantResult> = of_it.cloned().collect();
        let Grid { text, is_cut } = grid(&COLUMNS, &of_it, extent);
        if !whole.text.is_empty() {
            whole.text.push('\n');
        }
        whole.text += &text;
        whole.is_cut |= is_cut;
    }
    whole
}

const COLUMNS: [Column<VariantResult>; 21] = [
    text("VARIANT", 0, |r| Some(r.variant.clone())),
    text("FLOW", 1, |r| Some(flow(r.flow).to_owned())),
    text("FAST PATHS", 7, |r| {
        let names: Vec<&str> = r.fast_paths.iter().map(|path| path.as_str()).collect();
        (!names.is_empty()).then(|| names.join(","))
    }),
    figure("THROUGHPUT", 0, |r| Some(r.throughput.clone())),
    figure("MIN", 5, |r| rate(r.throughput_bits_per_second.min)),
    figure("MAX", 5, |r| rate(r.throughput_bits_per_second.max)),
    figure("SPREAD", 3, |r| {
        Some(format!("{} %", r.throughput_bits_per_second.spread_percent))
    }),
    wide("SENT", |r| rate(r.sender_bits_per_second)),
    figure("FAIRNESS", 8, |r| r.fairness_ppm.map(index)),
    figure("RETR", 2, |r| r.retransmits.map(|count| count.to_string())),
    figure("RTT", 4, |r| r.rtt_microseconds.map(micros)),
    figure("LOST/TOTAL", 6, |r| {
        Some(format!("{}/{}", r.lost_datagrams?, r.datagrams?))
    }),
    figure("LOSS", 2, |r| r.loss_ppm.map(percent)),
    figure("JITTER", 4, |r| r.jitter_microseconds.map(micros)),
    wide("OUT OF ORDER", |r| {
        r.out_of_order.map(|count| count.to_string())
    }),
    figure("CLIENT CPU", 6, |r| r.client_cpu_milli.map(cpu)),
    figure("SERVER CPU", 6, |r| r.server_cpu_milli.map(cpu)),
    wide("CONGESTION", |r| r.congestion_control.clone()),
    wide("CLIENT QDISC", |r| r.client_qdisc.clone()),
    wide("SERVER QDISC", |r| r.server_qdisc.clone()),
    wide("REPEATS", |r| Some(r.repeats.to_string())),
];

type Cell = fn(&VariantResult) -> Option<String>;

const fn column(
    name: &'static str,
    right: bool,
    wide: bool,
    spare: u8,
    cell: Cell,
) -> Column<VariantResult> {
    Column {
        name,
        right,
        wide,
        spare,
        cell,
    }
}

const fn text(name: &'static str, spare: u8, cell: Cell) -> Column<VariantResult> {
    column(name, false, false, spare, cell)
}

const fn figure(name: &'static str, spare: u8, cell: Cell) -> Column<VariantResult> {
    column(name, true, false, spare, cell)
}

const fn wide(name: &'static str, cell: Cell) -> Column<VariantResult> {
    column(name, true, true, 9, cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(yaml: &str) -> Vec<VariantResult> {
        serde_yaml::from_str(yaml).unwrap()
    }

    fn table(results: &[VariantResult], wide: bool) -> String {
        let width = None;
        super::table(results, Extent { wide, width }).text
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
             tcp-p1   client to server  9.41 Gbit/s  8.12 Gbit/s  9.48 Gbit/s    14 %   118  62 µs        98 %       124 %\n"
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

    #[test]
    fn each_protocol_has_a_table_with_its_figures() {
        let udp = "
- variant: udp-p1
  protocol: UDP
  flow: ClientToServer
  throughput: 1.05 Mbit/s
  throughputBitsPerSecond: {median: 1050000, min: 1040000, max: 1050000, spreadPercent: 0}
  senderBitsPerSecond: 1050000
  receiverBitsPerSecond: 1050000
  sentBytes: 1
  receivedBytes: 1
  datagrams: 906
  lostDatagrams: 9
  lossPPM: 9934
  jitterMicroseconds: 12
  repeats: 3
";
        let mut both = results(TCP);
        both.extend(results(udp));
        both.extend(results(&TCP.replace("tcp-p1", "tcp-p16")));
        assert_eq!(
            table(&both, false),
            "VARIANT  FLOW               THROUGHPUT          MIN          MAX  SPREAD  RETR    RTT  CLIENT CPU  SERVER CPU\n\
             tcp-p1   client to server  9.41 Gbit/s  8.12 Gbit/s  9.48 Gbit/s    14 %   118  62 µs        98 %       124 %\n\
             tcp-p16  client to server  9.41 Gbit/s  8.12 Gbit/s  9.48 Gbit/s    14 %   118  62 µs        98 %       124 %\n\
             \n\
             VARIANT  FLOW               THROUGHPUT          MIN          MAX  SPREAD  LOST/TOTAL    LOSS  JITTER\n\
             udp-p1   client to server  1.05 Mbit/s  1.04 Mbit/s  1.05 Mbit/s     0 %       9/906  0.99 %   12 µs\n"
        );
    }

    #[test]
    fn a_narrow_terminal_has_what_matters() {
        let extent = Extent {
            wide: false,
            width: Some(80),
        };
        let Grid { text, is_cut } = super::table(&results(TCP), extent);
        assert!(is_cut);
        assert_eq!(
            text,
            "VARIANT  FLOW               THROUGHPUT  SPREAD  RETR    RTT\n\
             tcp-p1   client to server  9.41 Gbit/s    14 %   118  62 µs\n"
        );
    }
}
