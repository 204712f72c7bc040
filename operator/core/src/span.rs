//! Spans of time as Go's `time.ParseDuration` reads them, in milliseconds and never negative.

use std::time::Duration;
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SpanError {
    #[error("is not a duration: write e.g. 10s, 1m30s or 500ms")]
    Syntax,
    #[error("is finer than a millisecond")]
    TooFine,
    #[error("is too long to count")]
    Overflow,
}

/// Parse the grammar that the schema allows: numbers, each with its unit h, m, s or ms.
pub fn parse(text: &str) -> Result<Duration, SpanError> {
    let mut rest = text;
    let mut micros: u128 = 0;
    if rest.is_empty() {
        return Err(SpanError::Syntax);
    }
    while !rest.is_empty() {
        let split = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .ok_or(SpanError::Syntax)?;
        let (number, tail) = rest.split_at(split);
        // "ms" before "m": the longer unit first, as Go does.
        let (unit_micros, tail) = [
            ("ms", 1_000u128),
            ("h", 3_600_000_000),
            ("m", 60_000_000),
            ("s", 1_000_000),
        ]
        .iter()
        .find_map(|(unit, micros)| Some((*micros, tail.strip_prefix(unit)?)))
        .ok_or(SpanError::Syntax)?;
        micros = micros
            .checked_add(scaled(number, unit_micros)?)
            .ok_or(SpanError::Overflow)?;
        rest = tail;
    }
    if !micros.is_multiple_of(1_000) {
        return Err(SpanError::TooFine);
    }
    u64::try_from(micros / 1_000)
        .map(Duration::from_millis)
        .map_err(|_| SpanError::Overflow)
}

fn scaled(number: &str, unit: u128) -> Result<u128, SpanError> {
    let (integer, decimals) = number.split_once('.').unwrap_or((number, ""));
    if integer.is_empty() || decimals.contains('.') || (number.contains('.') && decimals.is_empty())
    {
        return Err(SpanError::Syntax);
    }
    let decimals = decimals.trim_end_matches('0');
    if decimals.len() > 12 {
        return Err(SpanError::TooFine);
    }
    let scale = 10u128.pow(decimals.len() as u32);
    let integer: u64 = integer.parse().map_err(|_| SpanError::Overflow)?;
    let fraction: u64 = if decimals.is_empty() {
        0
    } else {
        decimals.parse().map_err(|_| SpanError::Syntax)?
    };
    let value = (u128::from(integer) * scale + u128::from(fraction))
        .checked_mul(unit)
        .ok_or(SpanError::Overflow)?;
    if value % scale != 0 {
        return Err(SpanError::TooFine);
    }
    Ok(value / scale)
}

/// Written as a user would: `1h30m`, `10s`, `1500ms`.
pub fn display(span: Duration) -> String {
    let millis = span.as_millis();
    if !millis.is_multiple_of(1_000) {
        return format!("{millis}ms");
    }
    let seconds = span.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = String::new();
    for (value, unit) in [(hours, "h"), (minutes, "m"), (rest, "s")] {
        if value > 0 {
            text.push_str(&format!("{value}{unit}"));
        }
    }
    if text.is_empty() {
        "0s".to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_go_reads_them() {
        for (text, millis) in [
            ("0s", 0),
            ("10s", 10_000),
            ("1m30s", 90_000),
            ("500ms", 500),
            ("1.5s", 1_500),
            ("1h1m1s1ms", 3_661_001),
            ("0.25h", 900_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn refuses_other_things() {
        use SpanError::*;
        for (text, error) in [
            ("", Syntax),
            ("10", Syntax),
            ("s", Syntax),
            ("-1s", Syntax),
            ("1d", Syntax),
            ("1.s", Syntax),
            ("1 s", Syntax),
            ("0.1ms", TooFine),
            ("1.00001s", TooFine),
            ("99999999999999999999s", Overflow),
        ] {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "[0-9.hms]{0,40}") {
            let _ = parse(&text);
        }

        #[test]
        fn display_is_read_back(millis in 0u64..200_000_000) {
            let span = Duration::from_millis(millis);
            proptest::prop_assert_eq!(parse(&display(span)), Ok(span));
        }
    }
}
