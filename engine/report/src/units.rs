//! iperf3's number rules: suffixes of flags, and the columns of its rows (its `units.c`).
//!
//! Bytes count in powers of 1024, bits in powers of 1000. JSON, status and metrics carry base units only.

use thiserror::Error;

/// Why a number with a suffix was refused. The caller names the flag.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnitError {
    #[error("'{0}' is not a number; give digits and at most one suffix K, M, G or T")]
    NotANumber(String),
    #[error("'{text}' has the unknown suffix '{suffix}'; the suffixes are K, M, G and T")]
    UnknownSuffix { text: String, suffix: String },
    #[error("'{0}' is negative; give 0 or more")]
    Negative(String),
    #[error("'{0}' is too large; the largest value is 2^63-1")]
    TooLarge(String),
}

/// A count or size (`-n -k -l -w`): suffixes K M G T are powers of 1024.
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    parse(text, 1024)
}

/// A bitrate (`-b`): suffixes K M G T are powers of 1000.
pub fn parse_rate(text: &str) -> Result<u64, UnitError> {
    parse(text, 1000)
}

fn parse(text: &str, base: u128) -> Result<u64, UnitError> {
    let not_a_number = || UnitError::NotANumber(text.to_owned());
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')))
        .unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    if let Some(rest) = number.strip_prefix('-') {
        return Err(if rest.is_empty() {
            not_a_number()
        } else {
            UnitError::Negative(text.to_owned())
        });
    }
    let number = number.strip_prefix('+').unwrap_or(number);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) {
        return Err(not_a_number());
    }
    let power = match suffix {
        "" => 0,
        "k" | "K" => 1,
        "m" | "M" => 2,
        "g" | "G" => 3,
        "t" | "T" => 4,
        _ => {
            return Err(UnitError::UnknownSuffix {
                text: text.to_owned(),
                suffix: suffix.to_owned(),
            });
        }
    };
    let factor = base.pow(power);
    let too_large = || UnitError::TooLarge(text.to_owned());
    // Exact: "1.5K" is 1536, and 2^63-1 keeps its last digit. Below 10^-18 a fraction changes nothing.
    let mut value = match whole {
        "" => 0,
        _ if whole.trim_start_matches('0').len() > 20 => return Err(too_large()),
        _ => whole.parse::<u128>().map_err(|_| not_a_number())? * factor,
    };
    let fraction = fraction.get(..18).unwrap_or(fraction);
    if !fraction.is_empty() {
        let part = fraction.parse::<u128>().map_err(|_| not_a_number())?;
        value += part * factor / 10u128.pow(fraction.len() as u32);
    }
    match u64::try_from(value) {
        Ok(value) if value <= i64::MAX as u64 => Ok(value),
        _ => Err(too_large()),
    }
}

/// How bitrates are shown (`-f`). Transfer is always scaled by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// Bits, the unit that fits.
    #[default]
    Auto,
    /// Bits in this power of 1000 (`k m g t`).
    Bits(u8),
    /// Bytes in this power of 1024 (`K M G T`).
    Bytes(u8),
}

impl Format {
    /// The letter of `-f`; `None` for anything else.
    pub fn from_letter(text: &str) -> Option<Format> {
        Some(match text {
            "k" => Format::Bits(1),
            "m" => Format::Bits(2),
            "g" => Format::Bits(3),
            "t" => Format::Bits(4),
            "K" => Format::Bytes(1),
            "M" => Format::Bytes(2),
            "G" => Format::Bytes(3),
            "T" => Format::Bytes(4),
            _ => return None,
        })
    }
}

const BIT_UNITS: [&str; 7] = ["bits", "Kbits", "Mbits", "Gbits", "Tbits", "Pbits", "Ebits"];
const BYTE_UNITS: [&str; 7] = [
    "Bytes", "KBytes", "MBytes", "GBytes", "TBytes", "PBytes", "EBytes",
];

/// The Transfer column, e.g. `1.25 MBytes`. iperf3 stops at TBytes; we go on, so that the columns hold.
pub fn transfer(bytes: u64) -> String {
    scaled(bytes as f64, 1024.0, &BYTE_UNITS)
}

/// The Bitrate column, e.g. `10.5 Mbits/sec`.
pub fn bitrate(bits_per_second: f64, format: Format) -> String {
    let text = match format {
        Format::Auto => scaled(bits_per_second, 1000.0, &BIT_UNITS),
        Format::Bits(power) => fixed(bits_per_second, 1000.0, power, &BIT_UNITS),
        Format::Bytes(power) => fixed(bits_per_second / 8.0, 1024.0, power, &BYTE_UNITS),
    };
    text + "/sec"
}

fn scaled(mut value: f64, base: f64, units: &[&str; 7]) -> String {
    let mut power = 0;
    while value >= base && power < units.len() - 1 {
        value /= base;
        power += 1;
    }
    four_columns(value, units[power])
}

fn fixed(value: f64, base: f64, power: u8, units: &[&str; 7]) -> String {
    let power = usize::from(power).min(units.len() - 1);
    four_columns(value / base.powi(power as i32), units[power])
}

/// iperf3's precision: the border is where two decimals would round up to a fifth column.
fn four_columns(value: f64, unit: &str) -> String {
    let decimals = if value < 9.995 {
        2
    } else if value < 99.95 {
        1
    } else {
        0
    };
    format!("{value:4.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_binary_and_rates_decimal() {
        for (text, size, rate) in [
            ("0", 0, 0),
            ("1", 1, 1),
            ("10k", 10_240, 10_000),
            ("10K", 10_240, 10_000),
            ("5M", 5_242_880, 5_000_000),
            ("1g", 1 << 30, 1_000_000_000),
            ("2T", 2 << 40, 2_000_000_000_000),
            ("1.5K", 1536, 1500),
            (".5m", 524_288, 500_000),
            ("1.", 1, 1),
            ("0.1", 0, 0),
            ("+3", 3, 3),
            ("9223372036854775807", i64::MAX as u64, i64::MAX as u64),
            ("0000000000000000000000007", 7, 7),
        ] {
            assert_eq!(parse_size(text), Ok(size), "{text}");
            assert_eq!(parse_rate(text), Ok(rate), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused_with_its_reason() {
        for text in ["", "K", ".", "abc", "--1", "1.2.3", "1-2", "-", "+", "-.-"] {
            let refused = parse_size(text);
            assert!(
                matches!(
                    refused,
                    Err(UnitError::NotANumber(_) | UnitError::Negative(_))
                ),
                "{text}: {refused:?}"
            );
        }
        assert!(matches!(parse_rate("-1"), Err(UnitError::Negative(_))));
        for text in ["1x", "64B", "1KB", "1 K", "1e3", "10Mbit"] {
            assert!(
                matches!(parse_size(text), Err(UnitError::UnknownSuffix { .. })),
                "{text}"
            );
        }
        for text in [
            "9223372036854775808",
            "9000000T",
            "99999999999999999999999999999999999999999999",
        ] {
            assert!(
                matches!(parse_size(text), Err(UnitError::TooLarge(_))),
                "{text}"
            );
        }
    }

    /// Field report 012: over one terabyte the printed total was garbage or misaligned.
    #[test]
    fn report_012_transfer_keeps_its_columns_up_to_the_largest_count() {
        for (bytes, shown) in [
            (0, "0.00 Bytes"),
            (1, "1.00 Bytes"),
            (1023, "1023 Bytes"),
            (1024, "1.00 KBytes"),
            (131_072, " 128 KBytes"),
            (1_310_720, "1.25 MBytes"),
            (10_485_760, "10.0 MBytes"),
            (728_760_320, " 695 MBytes"),
            (1 << 30, "1.00 GBytes"),
            (1 << 40, "1.00 TBytes"),
            (1023 << 40, "1023 TBytes"),
            (1 << 50, "1.00 PBytes"),
            (i64::MAX as u64, "8.00 EBytes"),
            (u64::MAX, "16.0 EBytes"),
        ] {
            assert_eq!(transfer(bytes), shown, "{bytes}");
        }
    }

    /// Field report 055: 10,485,760 bytes in one second, in every unit.
    #[test]
    fn report_055_bitrates_are_decimal_bits_or_binary_bytes() {
        let rate = 10_485_760.0 * 8.0;
        for (letter, shown) in [
            ("k", "83886 Kbits/sec"),
            ("m", "83.9 Mbits/sec"),
            ("g", "0.08 Gbits/sec"),
            ("t", "0.00 Tbits/sec"),
            ("K", "10240 KBytes/sec"),
            ("M", "10.0 MBytes/sec"),
            ("G", "0.01 GBytes/sec"),
            ("T", "0.00 TBytes/sec"),
        ] {
            let format = Format::from_letter(letter).unwrap_or_default();
            assert_eq!(bitrate(rate, format), shown, "{letter}");
        }
        assert_eq!(bitrate(rate, Format::Auto), "83.9 Mbits/sec");
        assert_eq!(bitrate(0.0, Format::Auto), "0.00 bits/sec");
        assert_eq!(bitrate(9.995e6, Format::Auto), "10.0 Mbits/sec");
        assert_eq!(bitrate(9.99e6, Format::Auto), "9.99 Mbits/sec");
        assert_eq!(bitrate(99.95e6, Format::Auto), " 100 Mbits/sec");
    }

    #[test]
    fn other_format_letters_are_refused() {
        for letter in ["", "x", "b", "bits", "kk", "P"] {
            assert_eq!(Format::from_letter(letter), None, "{letter}");
        }
    }
}
