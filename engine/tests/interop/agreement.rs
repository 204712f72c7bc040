//! Do the two ends agree? Each end's document carries the sums of both; what one end says about the other
//! must be what the other says about itself.

use crate::{
    mode::{Direction, Mode},
    peer::{Peer, Stock},
    session::Documents,
};
use serde_json::Value;

/// What may be on the way when the receiver stops counting: the stock server stops at TEST_END whatever is
/// in its socket. Two socket buffers (4 MiB each here) and two blocks a stream.
const IN_FLIGHT_PER_STREAM: u64 = 2 * (4 << 20) + 2 * (128 << 10);
/// UDP at 8 Mbit/s: a few datagrams a stream.
const DATAGRAMS_IN_FLIGHT: i64 = 8;

/// 3.16 and later count in the stream's thread: their own document can lack the last block of a stream that
/// the results on the wire have (seen with 3.18 in both roles of the stock tool).
fn last_blocks(server: &Peer, mode: Mode) -> u64 {
    match server {
        Peer::Stock(Stock::V3_18) if !mode.udp => (128 << 10) * mode.streams,
        _ => 0,
    }
}

pub fn check(mode: Mode, server: &Peer, documents: &Documents) -> Vec<String> {
    let suffixes: &[&str] = match mode.direction {
        Direction::Forward | Direction::Reverse => &[""],
        Direction::Bidirectional => &["", "_bidir_reverse"],
    };
    suffixes
        .iter()
        .filter_map(|suffix| {
            let fault = flow(mode, server, suffix, documents).err()?;
            Some(format!("sum_*{suffix}: {fault}"))
        })
        .collect()
}

fn flow(mode: Mode, server: &Peer, suffix: &str, documents: &Documents) -> Result<(), String> {
    let figure = |document: &Value, sum: &str, key: &str| -> Result<u64, String> {
        let value = &document["end"][format!("{sum}{suffix}")][key];
        value
            .as_u64()
            .or_else(|| {
                value
                    .as_f64()
                    .filter(|number| number.fract() == 0.0)
                    .map(|number| number as u64)
            })
            .ok_or_else(|| format!("no {sum}{suffix}.{key} but {value}"))
    };
    let sent = figure(&documents.client, "sum_sent", "bytes")?;
    let received = figure(&documents.client, "sum_received", "bytes")?;
    let rate = if mode.udp { 8_000_000 } else { 200_000_000 };
    let asked = rate / 8 * mode.streams;
    if sent < asked * 8 / 10 || sent > asked * 12 / 10 {
        return Err(format!("{sent} bytes sent, {asked} asked"));
    }
    if received > sent {
        return Err(format!("{received} bytes received of {sent} sent"));
    }
    if mode.udp {
        let lost = figure(&documents.client, "sum_received", "lost_packets")
            .or_else(|_| figure(&documents.client, "sum", "lost_packets"))?;
        let gap = (sent - received) as i64 / 1400 - lost as i64;
        if gap.abs() > DATAGRAMS_IN_FLIGHT * mode.streams as i64 {
            return Err(format!(
                "{sent} bytes sent, {received} received, but {lost} datagrams lost"
            ));
        }
    } else if sent - received > IN_FLIGHT_PER_STREAM * mode.streams {
        return Err(format!("{sent} bytes sent, only {received} received"));
    }

    // The server's own document: a stock server prints 0 for the half that it did not count itself (report 047).
    let server_counts_received = (mode.direction != Direction::Reverse) == suffix.is_empty();
    let (sum, ours) = if server_counts_received {
        ("sum_received", received)
    } else {
        ("sum_sent", sent)
    };
    let theirs = figure(&documents.server, sum, "bytes")?;
    if theirs.abs_diff(ours) > last_blocks(server, mode) {
        return Err(format!(
            "the client says {sum} was {ours} bytes, the server {theirs}"
        ));
    }
    Ok(())
}
