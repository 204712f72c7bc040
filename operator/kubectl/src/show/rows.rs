//! iperf3-style rows from the iperf3 documents of the repeats. Only the sums: a document may come without the
//! rows of single streams.

use nettest_report::event::IntervalSum;
use nettest_report::units::{Format, bitrate, transfer};
use serde_json::Value;
use std::fmt::Write;

/// The two flows of a document and the keys of their sums.
const FLOWS: [(&str, &str); 2] = [
    ("client to server", ""),
    ("server to client", "_bidir_reverse"),
];
const RULE: &str = "- - - - - - - - - - - - - - - - - - - - - - - - -";

/// The rows of one repeat. `intervals`: with one row an interval, else only the totals.
pub fn rows(document: &Value, intervals: bool) -> String {
    let udp = document
        .pointer("/start/test_start/protocol")
        .and_then(Value::as_str)
        == Some("UDP");
    let both = !document["end"]["sum_sent_bidir_reverse"].is_null();
    let reverse = document
        .pointer("/start/test_start/reverse")
        .and_then(Value::as_i64)
        == Some(1);
    let streams = document["start"]["connected"]
        .as_array()
        .map_or(1, |connected| {
            if both {
                connected.len() / 2
            } else {
                connected.len()
            }
        });

    let mut out = String::new();
    for (flow, suffix) in FLOWS.into_iter().take(if both { 2 } else { 1 }) {
        let flow = if reverse && !both { FLOWS[1].0 } else { flow };
        let _ = writeln!(out, "{flow}, {}", counted(streams));
        let _ = writeln!(
            out,
            "Interval           Transfer     Bitrate         {}",
            if udp { "Jitter    Lost/Total" } else { "Retr" }
        );
        if intervals {
            for interval in document["intervals"].as_array().into_iter().flatten() {
                let sum = &interval[format!("sum{suffix}")];
                let _ = writeln!(out, "{}", interval_row(sum, udp));
            }
            let _ = writeln!(out, "{RULE}");
        }
        for (key, who) in [("sum_sent", "sender"), ("sum_received", "receiver")] {
            let sum = &document["end"][format!("{key}{suffix}")];
            let datagrams = &document["end"][format!("sum{suffix}")];
            let _ = writeln!(out, "{}", end_row(sum, datagrams, udp, who));
        }
    }
    out
}

/// The row of an interval that has just ended, from an engine's own line.
pub fn interval(sum: &IntervalSum) -> String {
    let document = serde_json::json!({
        "start": sum.start, "end": sum.end, "bytes": sum.bytes, "bits_per_second": sum.bits_per_second,
        "retransmits": sum.retransmits, "omitted": sum.omitted,
    });
    let Some(packets) = sum.datagrams else {
        return interval_row(&document, false);
    };
    let lost = sum.lost.unwrap_or(0);
    let percent = match packets {
        0 => "-".to_owned(),
        _ => format!("{:.2}%", lost as f64 * 100.0 / packets as f64),
    };
    let told = sum.lost.map_or_else(
        || packets.to_string(),
        |lost| format!("{lost}/{packets} ({percent})"),
    );
    format!("{}{told}{}", front(&document), omitted(sum.omitted))
}

fn omitted(is: bool) -> &'static str {
    if is { "  (omitted)" } else { "" }
}

fn counted(streams: usize) -> String {
    match streams {
        1 => "1 stream".to_owned(),
        many => format!("sum of {many} streams"),
    }
}

fn interval_row(sum: &Value, udp: bool) -> String {
    let mut row = front(sum);
    if udp {
        row += &datagrams(sum);
    } else if let Some(retransmits) = sum["retransmits"].as_u64() {
        let _ = write!(row, "{retransmits:>5}");
    }
    row += omitted(sum["omitted"].as_bool() == Some(true));
    row.trim_end().to_owned()
}

fn end_row(sum: &Value, bare: &Value, udp: bool, who: &str) -> String {
    let mut row = front(sum);
    if udp {
        // Loss is the receiver's to tell; old documents have it in the bare sum only.
        let told = if sum["lost_packets"].is_null() {
            bare
        } else {
            sum
        };
        row += &if who == "receiver" {
            datagrams(told)
        } else {
            sum["packets"]
                .as_u64()
                .map_or_else(String::new, |sent| format!("          {sent}"))
        };
        let _ = write!(row, "  {who}");
        return row;
    }
    let retransmits = sum["retransmits"]
        .as_u64()
        .map_or_else(String::new, |count| count.to_string());
    let _ = write!(row, "{retransmits:>5}  {who}");
    row
}

/// Interval, transfer and bitrate, in iperf3's columns. What is unknown is `-`, never 0.
fn front(sum: &Value) -> String {
    let number = |key: &str| sum[key].as_f64();
    let time = match (number("start"), number("end")) {
        (Some(start), Some(end)) => format!("{start:>6.2}-{end:<6.2} sec"),
        _ => format!("{:>17}", "-"),
    };
    let moved = sum["bytes"]
        .as_u64()
        .map_or_else(|| "-".to_owned(), transfer);
    let rate = number("bits_per_second")
        .map_or_else(|| "-".to_owned(), |rate| bitrate(rate, Format::Auto));
    format!("{time}  {moved:>11}  {rate:>14}  ")
}

fn datagrams(sum: &Value) -> String {
    let (Some(lost), Some(packets)) = (sum["lost_packets"].as_i64(), sum["packets"].as_i64())
    else {
        return sum["packets"]
            .as_i64()
            .map_or_else(String::new, |sent| format!("          {sent}"));
    };
    let jitter = sum["jitter_ms"]
        .as_f64()
        .map_or_else(|| "-".to_owned(), |jitter| format!("{jitter:.3} ms"));
    let percent = match packets {
        0 => "-".to_owned(),
        _ => format!("{:.2}%", lost as f64 * 100.0 / packets as f64),
    };
    format!("{jitter:<9} {lost}/{packets} ({percent})")
}

#[cfg(test)]
mod tests {
    use super::rows;
    use serde_json::json;

    #[test]
    fn tcp_rows() {
        let document = json!({
            "start": {"connected": [{}], "test_start": {"protocol": "TCP", "reverse": 0}},
            "intervals": [
                {"sum": {"start": 0.0, "end": 1.0, "bytes": 1_310_720, "bits_per_second": 10_485_760.0, "retransmits": 3, "omitted": true}},
                {"sum": {"start": 0.0, "end": 1.0, "bytes": 1_310_720, "bits_per_second": 10_485_760.0, "retransmits": 0, "omitted": false}},
            ],
            "end": {
                "sum_sent": {"start": 0.0, "end": 1.0, "bytes": 1_310_720, "bits_per_second": 10_485_760.0, "retransmits": 3},
                "sum_received": {"start": 0.0, "end": 1.01, "bytes": 1_310_720, "bits_per_second": 10_381_940.0},
            }
        });
        assert_eq!(
            rows(&document, true),
            "client to server, 1 stream\n\
             Interval           Transfer     Bitrate         Retr\n  \
             0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec      3  (omitted)\n  \
             0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec      0\n\
             - - - - - - - - - - - - - - - - - - - - - - - - -\n  \
             0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec      3  sender\n  \
             0.00-1.01   sec  1.25 MBytes  10.4 Mbits/sec         receiver\n"
        );
        assert_eq!(rows(&document, false).lines().count(), 4);
    }

    #[test]
    fn udp_rows_show_loss_at_the_receiver() {
        let document = json!({
            "start": {"connected": [{}, {}], "test_start": {"protocol": "UDP", "reverse": 1}},
            "intervals": [],
            "end": {
                "sum": {"packets": 1000, "lost_packets": 10, "jitter_ms": 0.0123},
                "sum_sent": {"start": 0.0, "end": 1.0, "bytes": 1_310_720, "bits_per_second": 10_485_760.0, "packets": 1000},
                "sum_received": {"start": 0.0, "end": 1.0, "bytes": 1_297_613, "bits_per_second": 10_380_904.0, "packets": 1000, "lost_packets": 10, "jitter_ms": 0.0123},
            }
        });
        let text = rows(&document, false);
        assert!(
            text.starts_with("server to client, sum of 2 streams\n"),
            "{text}"
        );
        assert!(
            text.contains("0.012 ms  10/1000 (1.00%)  receiver"),
            "{text}"
        );
    }

    #[test]
    fn a_bidirectional_document_has_both_flows_and_unknown_is_a_dash() {
        let sum = json!({"start": 0.0, "end": 1.0, "bytes": 10, "bits_per_second": 80.0});
        let document = json!({
            "start": {"connected": [{}, {}], "test_start": {"protocol": "TCP"}},
            "end": {"sum_sent": sum, "sum_received": null, "sum_sent_bidir_reverse": sum, "sum_received_bidir_reverse": sum}
        });
        let text = rows(&document, true);
        assert!(
            text.contains("client to server, 1 stream")
                && text.contains("server to client, 1 stream"),
            "{text}"
        );
        assert!(
            text.lines().any(|line| line.contains('-')
                && line.ends_with("receiver")
                && !line.contains("bits")),
            "{text}"
        );
        assert!(!text.contains("0.00 bits"), "{text}");
    }

    #[test]
    fn any_json_gives_rows_and_no_panic() {
        for document in [json!(null), json!([]), json!({"intervals": 3, "end": "x"})] {
            assert!(rows(&document, true).contains("sender"));
        }
    }
}
