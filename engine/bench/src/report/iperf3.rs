//! The JSON document of a client: iperf3 itself, riperf3 and our engine print the same one.

use super::{Delivered, together};
use crate::work::{Direction, Work};
use serde_json::Value;

pub fn read(document: &str, work: &Work) -> Result<Delivered, String> {
    let document: Value = serde_json::from_str(document)
        .map_err(|error| format!("the client printed no JSON document: {error}"))?;
    if let Some(error) = document["error"].as_str() {
        return Err(error.to_owned());
    }
    let suffixes: &[&str] = match work.direction {
        Direction::Both => &["", "_bidir_reverse"],
        Direction::Forward | Direction::Reverse => &[""],
    };
    let mut read = together(suffixes.iter().map(|suffix| flow(&document, suffix)))?;
    read.shares = if work.clients > 1 {
        vec![read.bytes as f64 / read.seconds.max(f64::MIN_POSITIVE)]
    } else {
        streams(&document)
    };
    Ok(read)
}

/// What each TCP stream's receiver counted.
fn streams(document: &Value) -> Vec<f64> {
    let streams = document["end"]["streams"].as_array();
    streams
        .into_iter()
        .flatten()
        .filter_map(|stream| stream["receiver"]["bytes"].as_f64())
        .collect()
}

fn flow(document: &Value, suffix: &str) -> Result<Delivered, String> {
    let figure = |sum: &str, key: &str| {
        document["end"][format!("{sum}{suffix}")][key]
            .as_f64()
            .ok_or_else(|| format!("the document has no end.{sum}{suffix}.{key}"))
    };
    Ok(Delivered {
        bytes: figure("sum_received", "bytes")? as u64,
        sent_bytes: figure("sum_sent", "bytes")? as u64,
        seconds: figure("sum_received", "seconds")?,
        shares: Vec::new(),
    })
}
