//! neper's `key=value` lines. Its client prints what the server received a second; of bytes it says nothing.

use super::Delivered;

pub fn read(output: &str, asked_seconds: f64) -> Result<Delivered, String> {
    let rate: f64 = output
        .lines()
        .find_map(|line| line.strip_prefix("remote_throughput="))
        .and_then(|value| value.trim().parse().ok())
        .ok_or("the client printed no remote_throughput")?;
    let bytes = (rate / 8.0 * asked_seconds) as u64;
    Ok(Delivered {
        bytes,
        sent_bytes: bytes,
        seconds: asked_seconds,
        shares: Vec::new(),
    })
}
