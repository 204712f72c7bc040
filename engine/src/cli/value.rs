//! Single values of flags: text in, a checked type or an error that names the flag out.

use super::CliError;
use crate::session::Family;
use nettest_report::units::{self, UnitError};
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::time::Duration;

type Checked<T> = Result<T, CliError>;

/// A whole number without suffix.
pub fn count(
    flag: &'static str,
    text: &str,
    range: RangeInclusive<u64>,
    words: &'static str,
) -> Checked<u64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(CliError::NotA {
            flag,
            value: text.to_owned(),
            wanted: "a whole number",
        });
    }
    match text.parse() {
        Ok(n) if range.contains(&n) => Ok(n),
        _ => Err(out_of_range(flag, text, words)),
    }
}

/// A size or count with a binary suffix.
pub fn size(
    flag: &'static str,
    text: &str,
    range: RangeInclusive<u64>,
    words: &'static str,
) -> Checked<u64> {
    ranged(flag, text, units::parse_size(text), range, words)
}

fn ranged(
    flag: &'static str,
    text: &str,
    parsed: Result<u64, UnitError>,
    range: RangeInclusive<u64>,
    words: &'static str,
) -> Checked<u64> {
    let value = parsed.map_err(|source| CliError::Unit { flag, source })?;
    if range.contains(&value) {
        Ok(value)
    } else {
        Err(out_of_range(flag, text, words))
    }
}

/// `-b RATE[/BURST]`: bits per second (`None`: unlimited) and the blocks of a burst.
pub fn bitrate(text: &str) -> Checked<(Option<u64>, u32)> {
    let (rate, burst) = match text.split_once('/') {
        Some((rate, burst)) => {
            let burst = count(
                "-b",
                burst,
                1..=1000,
                "a burst of 1 to 1000 blocks after the slash",
            )?;
            (rate, burst as u32)
        }
        None => (text, 0),
    };
    // Ten Pbit/s: above any link, below any overflow.
    let rate = ranged(
        "-b",
        rate,
        units::parse_rate(rate),
        0..=10_000_000_000_000_000,
        "0 to 10000T bits per second",
    )?;
    if rate == 0 && burst > 0 {
        return Err(CliError::Needs {
            flag: "-b with a burst",
            needs: "a rate above 0",
        });
    }
    Ok(((rate > 0).then_some(rate), burst))
}

/// Seconds with a fraction, kept to the microsecond.
pub fn seconds(
    flag: &'static str,
    text: &str,
    range: RangeInclusive<f64>,
    words: &'static str,
) -> Checked<Duration> {
    let plain = text
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+'));
    let value = text
        .parse::<f64>()
        .ok()
        .filter(|_| plain)
        .ok_or_else(|| CliError::NotA {
            flag,
            value: text.to_owned(),
            wanted: "a number of seconds",
        })?;
    if range.contains(&value) {
        Ok(Duration::from_micros((value * 1e6).round() as u64))
    } else {
        Err(out_of_range(flag, text, words))
    }
}

/// `-i`: zero, or within iperf3's bounds.
pub fn interval(text: &str) -> Checked<Duration> {
    let words = "0 (no rows) or 0.1 to 60 seconds";
    let interval = seconds("-i", text, 0.0..=60.0, words)?;
    if !interval.is_zero() && interval < Duration::from_millis(100) {
        return Err(out_of_range("-i", text, words));
    }
    Ok(interval)
}

/// `-S`: a byte with C's prefixes.
pub fn tos(text: &str) -> Checked<u8> {
    c_number("-S", text, 255, "0 to 255").map(|n| n as u8)
}

/// `--dscp`: the code point, as a TOS byte. Names as in RFC 2474, 2597, 3246, 5865 and 8622.
pub fn dscp(text: &str) -> Checked<u8> {
    let named = match text.to_ascii_lowercase().as_str() {
        "af11" => Some(10),
        "af12" => Some(12),
        "af13" => Some(14),
        "af21" => Some(18),
        "af22" => Some(20),
        "af23" => Some(22),
        "af31" => Some(26),
        "af32" => Some(28),
        "af33" => Some(30),
        "af41" => Some(34),
        "af42" => Some(36),
        "af43" => Some(38),
        "cs0" => Some(0),
        "cs1" => Some(8),
        "cs2" => Some(16),
        "cs3" => Some(24),
        "cs4" => Some(32),
        "cs5" => Some(40),
        "cs6" => Some(48),
        "cs7" => Some(56),
        "ef" => Some(46),
        "va" => Some(44),
        "le" => Some(1),
        _ => None,
    };
    let words = "0 to 63 or a name (af11 to af43, cs0 to cs7, ef, va, le)";
    match named {
        Some(point) => Ok(point << 2),
        None => c_number("--dscp", text, 63, words).map(|n| (n as u8) << 2),
    }
}

fn c_number(flag: &'static str, text: &str, max: u64, words: &'static str) -> Checked<u64> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (text.get(2..).unwrap_or_default(), 16),
        [b'0', _, ..] => (text.get(1..).unwrap_or_default(), 8),
        _ => (text, 10),
    };
    let plain = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    let negative = text
        .strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
    match u64::from_str_radix(digits, radix) {
        _ if negative => Err(out_of_range(flag, text, words)),
        Ok(n) if plain && n <= max => Ok(n),
        Ok(_) if plain => Err(out_of_range(flag, text, words)),
        Err(_) if plain => Err(out_of_range(flag, text, words)),
        _ => Err(CliError::NotA {
            flag,
            value: text.to_owned(),
            wanted: words,
        }),
    }
}

/// `-A n[,m]`: indexes into the allowed CPUs of this end and, from a client, of the server.
pub fn affinity(text: &str) -> Checked<(u32, Option<u32>)> {
    let one = |part: &str| count("-A", part, 0..=1023, "0 to 1023").map(|n| n as u32);
    match text.split_once(',') {
        Some((own, server)) => Ok((one(own)?, Some(one(server)?))),
        None => Ok((one(text)?, None)),
    }
}

/// `ADDR[%DEV]`.
pub fn bind(text: &str) -> Checked<(IpAddr, Option<String>)> {
    let (addr, dev) = match text.split_once('%') {
        Some((addr, dev)) => (addr, Some(device("-B", dev)?)),
        None => (text, None),
    };
    let addr = addr.parse().map_err(|_| CliError::NotA {
        flag: "-B",
        value: text.to_owned(),
        wanted: "an IPv4 or IPv6 address of this machine",
    })?;
    Ok((addr, dev))
}

/// `HOST[%DEV]`: a name or address, and the interface. A link-local address keeps its zone.
pub fn host(flag: &'static str, text: &str) -> Checked<(String, Option<String>)> {
    let refuse = |wanted| CliError::NotA {
        flag,
        value: text.to_owned(),
        wanted,
    };
    if names_a_port(text) {
        return Err(refuse(
            "a host name or address alone; give the port with -p",
        ));
    }
    let (name, dev) = match text.split_once('%') {
        Some((name, dev)) => (name, Some(device(flag, dev)?)),
        None => (text, None),
    };
    let name = name
        .strip_prefix('[')
        .and_then(|n| n.strip_suffix(']'))
        .unwrap_or(name);
    let legal = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    if name.is_empty() || name.len() > 253 || name.starts_with('-') || !name.chars().all(legal) {
        return Err(refuse("a host name or address"));
    }
    match (name.parse::<IpAddr>(), &dev) {
        (Ok(IpAddr::V6(v6)), Some(zone)) if v6.is_unicast_link_local() => {
            Ok((format!("{name}%{zone}"), dev))
        }
        _ => Ok((name.to_owned(), dev)),
    }
}

/// `HOST:PORT`, or `[ADDRESS]:PORT`; an IPv6 address alone has more colons.
fn names_a_port(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(host, port)| {
        let alone = !host.contains(':') || (host.starts_with('[') && host.ends_with(']'));
        let digits = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
        alone && digits && !host.is_empty()
    })
}

/// An interface name, as Linux allows it (IFNAMSIZ).
pub fn device(flag: &'static str, text: &str) -> Checked<String> {
    let legal = |b: u8| b.is_ascii_graphic() && !matches!(b, b'/' | b'%');
    if (1..=15).contains(&text.len()) && text.bytes().all(legal) {
        return Ok(text.to_owned());
    }
    Err(CliError::NotA {
        flag,
        value: text.to_owned(),
        wanted: "an interface name (1 to 15 characters)",
    })
}

/// A name from a closed set of characters.
pub fn name(
    flag: &'static str,
    text: &str,
    longest: usize,
    legal: fn(u8) -> bool,
    wanted: &'static str,
) -> Checked<String> {
    if !text.is_empty() && text.len() <= longest && text.bytes().all(legal) {
        return Ok(text.to_owned());
    }
    Err(CliError::NotA {
        flag,
        value: text.to_owned(),
        wanted,
    })
}

/// `-4` or `-6`, which must agree with the local address.
pub fn family(v4: bool, v6: bool, bind: Option<&IpAddr>) -> Checked<Option<Family>> {
    let family = match (v4, v6) {
        (true, true) => {
            return Err(CliError::Conflict("-4", "-6", "choose one address family"));
        }
        (true, false) => Some(Family::V4),
        (false, true) => Some(Family::V6),
        (false, false) => None,
    };
    match (family, bind) {
        (Some(Family::V4), Some(IpAddr::V6(_))) => Err(CliError::Conflict(
            "-4",
            "-B",
            "the local address is an IPv6 one",
        )),
        (Some(Family::V6), Some(IpAddr::V4(_))) => Err(CliError::Conflict(
            "-6",
            "-B",
            "the local address is an IPv4 one",
        )),
        _ => Ok(family),
    }
}

fn out_of_range(flag: &'static str, value: &str, range: &'static str) -> CliError {
    CliError::OutOfRange {
        flag,
        value: value.to_owned(),
        range,
    }
}
