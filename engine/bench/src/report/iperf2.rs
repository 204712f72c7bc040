//! The CSV lines of `-y C`: time, address, port, address, port, id, interval, bytes, bits a second, and for UDP
//! more of them. 2.2's TCP server prints begin and end of the interval as two fields, and a line of names above.
//! The interval has one decimal: the time comes from bytes and rate.

use super::{Delivered, together};

pub fn read(receivers: &[String], senders: &[String]) -> Result<Delivered, String> {
    let sent = together(flows(senders))?;
    let received = together(flows(receivers))?;
    if received.seconds == 0.0 {
        return Err("the receiver printed no line".to_owned());
    }
    Ok(Delivered {
        sent_bytes: sent.bytes,
        ..received
    })
}

fn flows(outputs: &[String]) -> impl Iterator<Item = Result<Delivered, String>> {
    outputs
        .iter()
        .flat_map(|output| output.lines())
        .filter_map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            // Not a line of figures, or the one that sums up the others.
            if fields.len() < 9 || fields[5].parse::<u32>().is_err() {
                return None;
            }
            let bytes = if fields[6].contains('-') { 7 } else { 8 };
            Some(flow(&fields[bytes..]).ok_or_else(|| format!("no figures in the line {line:?}")))
        })
}

fn flow(fields: &[&str]) -> Option<Delivered> {
    let bytes: u64 = fields.first()?.parse().ok()?;
    let rate: f64 = fields.get(1)?.parse().ok()?;
    Some(Delivered {
        bytes,
        sent_bytes: 0,
        seconds: if rate > 0.0 {
            bytes as f64 * 8.0 / rate
        } else {
            0.0
        },
        shares: vec![rate],
    })
}
