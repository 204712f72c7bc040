//! Single values of flags: text in, a checked type or an error that names the flag out.
//!
//! - [`address`]: hosts, local addresses, interfaces, families

mod address;
mod posix;

pub use address::{Local, device, family, host, local};

use super::CliError;
use crate::session::config::BitrateLimit;
use nettest_report::units::{self, UnitError};
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
    let rate = self::rate("-b", rate)?;
    if rate.is_none() && burst > 0 {
        return Err(CliError::Needs {
            flag: "-b with a burst",
            needs: "a rate above 0",
        });
    }
    Ok((rate, burst))
}

/// Bits per second; 0 is unlimited, so none.
pub fn rate(flag: &'static str, text: &str) -> Checked<Option<u64>> {
    // Ten Pbit/s: above any link, below any overflow.
    let rate = ranged(
        flag,
        text,
        units::parse_rate(text),
        0..=10_000_000_000_000_000,
        "0 to 10000T bits per second",
    )?;
    Ok((rate > 0).then_some(rate))
}

/// `--server-bitrate-limit RATE[/SECONDS]`; the time has iperf3's bounds of `-i`.
pub fn bitrate_limit(text: &str) -> Checked<Option<BitrateLimit>> {
    let flag = "--server-bitrate-limit";
    let (text, over) = match text.split_once('/') {
        Some((rate, over)) => {
            let words = "0.1 to 60 seconds after the slash";
            (rate, seconds(flag, over, 0.1..=60.0, words)?)
        }
        None => (text, DEFAULT_LIMIT_TIME),
    };
    Ok(rate(flag, text)?.map(|rate| BitrateLimit { rate, over }))
}

/// iperf3's.
const DEFAULT_LIMIT_TIME: Duration = Duration::from_secs(5);

pub fn port(flag: &'static str, text: &str) -> Checked<u16> {
    count(flag, text, 1..=65535, "a port from 1 to 65535").map(|port| port as u16)
}

/// `-L`: 20 bits (RFC 8200); 0 is "no label".
pub fn flow_label(text: &str) -> Checked<u32> {
    let words = "1 to 0xfffff";
    match c_number("-L", text, 0xf_ffff, words)? {
        0 => Err(out_of_range("-L", text, words)),
        label => Ok(label as u32),
    }
}

/// `--timestamps`: a format that can be written.
pub fn strftime(text: &str) -> Checked<String> {
    let refuse = || CliError::NotA {
        flag: "--timestamps",
        value: text.to_owned(),
        wanted: "a format of strftime on one line",
    };
    if text.len() > 256 || text.chars().any(char::is_control) {
        return Err(refuse());
    }
    let text = &posix::format(text);
    let some_time = jiff::Timestamp::UNIX_EPOCH.to_zoned(jiff::tz::TimeZone::UTC);
    jiff::fmt::strtime::format(text, &some_time).map_err(|_| refuse())?;
    Ok(text.to_owned())
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

/// `-A N[:N…][,M]`: indexes into the allowed CPUs of this end and, from a client, one of the server (the wire
/// carries one).
pub fn affinity(text: &str) -> Checked<(Vec<u32>, Option<u32>)> {
    let one = |part: &str| count("-A", part, 0..=1023, "0 to 1023").map(|n| n as u32);
    let (own, server) = match text.split_once(',') {
        Some((_, server)) if server.contains([':', ',']) => {
            return Err(CliError::NotA {
                flag: "-A",
                value: text.to_owned(),
                wanted: "N, a list N:N:…, or either of them and one CPU of the server (0:2:4,1)",
            });
        }
        Some((own, server)) => (own, Some(one(server)?)),
        None => (text, None),
    };
    Ok((own.split(':').map(one).collect::<Checked<_>>()?, server))
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

fn out_of_range(flag: &'static str, value: &str, range: &'static str) -> CliError {
    CliError::OutOfRange {
        flag,
        value: value.to_owned(),
        range,
    }
}
