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

/// What a stock sender of 3.16 or later sends past its own sum: its threads count and send on while the main
/// thread adds up, so its figure can lack the last block of each stream (seen with 3.18 in both roles).
fn uncounted(sender: &Peer, mode: Mode) -> u64 {
    let block = if mode.udp { 1400 } else { 128 << 10 };
    match sender {
        Peer::Stock(Stock::V3_18) => block * mode.streams,
        _ => 0,
    }
}

pub fn check(mode: Mode, client: &Peer, server: &Peer, documents: &Documents) -> Vec<String> {
    let suffixes: &[&str] = match mode.direction {
        Direction::Forward | Direction::Reverse => &[""],
        Direction::Bidirectional => &["", "_bidir_reverse"],
    };
    suffixes
        .iter()
        .filter_map(|suffix| {
            let fault = flow(mode, client, server, suffix, documents).err()?;
            Some(format!("sum_*{suffix}: {fault}"))
        })
        .collect()
}

fn flow(
    mode: Mode,
    client: &Peer,
    server: &Peer,
    suffix: &str,
    documents: &Documents,
) -> Result<(), String> {
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
    let client_sends = (mode.direction != Direction::Reverse) == suffix.is_empty();
    let uncounted = uncounted(if client_sends { client } else { server }, mode);
    if received > sent + uncounted {
        return Err(format!("{received} bytes received of {sent} sent"));
    }
    if mode.udp {
        let lost = figure(&documents.client, "sum_received", "lost_packets")
            .or_else(|_| figure(&documents.client, "sum", "lost_packets"))?;
        let gap = (sent as i64 - received as i64) / 1400 - lost as i64;
        if gap.abs() > DATAGRAMS_IN_FLIGHT * mode.streams as i64 {
            return Err(format!(
                "{sent} bytes sent, {received} received, but {lost} datagrams lost"
            ));
        }
    } else if sent.saturating_sub(received) > IN_FLIGHT_PER_STREAM * mode.streams {
        return Err(format!("{sent} bytes sent, only {received} received"));
    }

    // The server's own document: a stock server prints 0 for the half that it did not count itself (report 047).
    let (sum, ours) = if client_sends {
        ("sum_received", received)
    } else {
        ("sum_sent", sent)
    };
    let theirs = figure(&documents.server, sum, "bytes")?;
    if theirs.abs_diff(ours) > uncounted {
        return Err(format!(
            "the client says {sum} was {ours} bytes, the server {theirs}"
        ));
    }
    Ok(())
}
