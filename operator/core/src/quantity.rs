//! Kubernetes quantities as whole numbers. Exact: no float touches them.

use thiserror::Error;

/// Why a text is not a usable quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum QuantityError {
    #[error(
        "is not a quantity: write a number with an optional suffix k, M, G, T, Ki, Mi, Gi or Ti"
    )]
    Syntax,
    #[error("is not a whole number: use fewer decimals or a smaller suffix")]
    Fraction,
    #[error("is too large to count")]
    Overflow,
}

/// Parse the grammar that the schema allows (apimachinery's `resource.Quantity` without the exponents and the
/// suffixes below one, which have no meaning for bits and bytes).
pub fn whole(text: &str) -> Result<u64, QuantityError> {
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, suffix) = text.split_at(split);
    let factor: u128 = match suffix {
        "" => 1,
        "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "Ti" => 1 << 40,
        _ => return Err(QuantityError::Syntax),
    };
    let (integer, decimals) = match number.split_once('.') {
        Some((_, "")) => return Err(QuantityError::Syntax),
        Some((integer, decimals)) => (integer, decimals),
        None => (number, ""),
    };
    if integer.is_empty() || decimals.contains('.') {
        return Err(QuantityError::Syntax);
    }
    // 32 characters are the schema's limit; more than 18 decimals could not be whole at any suffix but zeros.
    let decimals = decimals.trim_end_matches('0');
    if decimals.len() > 18 {
        return Err(QuantityError::Fraction);
    }
    let parse = |digits: &str| -> Result<u128, QuantityError> {
        if digits.is_empty() {
            return Ok(0);
        }
        digits.parse().map_err(|_| QuantityError::Overflow)
    };
    let scale = 10u128.pow(decimals.len() as u32);
    let scaled = parse(integer)?
        .checked_mul(scale)
        .and_then(|value| value.checked_add(parse(decimals).ok()?))
        .and_then(|value| value.checked_mul(factor))
        .ok_or(QuantityError::Overflow)?;
    if scaled % scale != 0 {
        return Err(QuantityError::Fraction);
    }
    u64::try_from(scaled / scale).map_err(|_| QuantityError::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_kubernetes_counts() {
        for (text, number) in [
            ("0", 0),
            ("1400", 1400),
            ("100M", 100_000_000),
            ("1.5Gi", 1_610_612_736),
            ("0.5k", 500),
            ("2.50G", 2_500_000_000),
            ("128Ki", 131_072),
            ("1T", 1_000_000_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(whole(text), Ok(number), "{text}");
        }
    }

    #[test]
    fn refuses_what_it_cannot_count_exactly() {
        use QuantityError::*;
        for (text, error) in [
            ("", Syntax),
            ("-1", Syntax),
            ("1e3", Syntax),
            ("1m", Syntax),
            ("1 M", Syntax),
            (".5M", Syntax),
            ("1.", Syntax),
            ("1.2.3M", Syntax),
            ("1.5", Fraction),
            ("0.0001k", Fraction),
            ("18446744073709551616", Overflow),
            ("99999999999999999999999999999999999999999999", Overflow),
            ("18446744073709551615Ti", Overflow),
        ] {
            assert_eq!(whole(text), Err(error), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,40}") {
            let _ = whole(&text);
        }

        #[test]
        fn any_whole_number_comes_back(number: u64) {
            proptest::prop_assert_eq!(whole(&number.to_string()), Ok(number));
        }
    }
}
