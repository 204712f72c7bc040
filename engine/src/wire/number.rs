//! JSON numbers as peers of every vintage write them.

use serde_json::Value;

/// A whole number. iperf3 up to 3.13 writes -1 as 18446744073709551615 (its issue 1539), and any number may
/// come as a float: those wrap to what was meant. `None` for what is no whole number.
pub fn whole(value: &Value) -> Option<i64> {
    let number = value.as_number()?;
    if let Some(small) = number.as_i64() {
        return Some(small);
    }
    if let Some(large) = number.as_u64() {
        return Some(large as i64);
    }
    let float = number.as_f64()?;
    if !float.is_finite() || float.fract() != 0.0 {
        return None;
    }
    // 2^64 is what a u64 of all ones becomes on its way through a double.
    if float == 18_446_744_073_709_551_616.0 {
        return Some(-1);
    }
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float) {
        return Some(float as i64);
    }
    None
}

/// A count: negative is unknown.
pub fn count(value: &Value) -> Option<u64> {
    whole(value).and_then(|n| u64::try_from(n).ok())
}

/// A finite number.
pub fn real(value: &Value) -> Option<f64> {
    value.as_f64().filter(|f| f.is_finite())
}

/// iperf3 writes flags as true or as 1.
pub fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(_) => whole(value).map(|n| n != 0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<i64> {
        whole(&serde_json::from_str(text).unwrap())
    }

    /// Field report 049.
    #[test]
    fn report_049_minus_one_of_old_peers_is_minus_one() {
        assert_eq!(of("18446744073709551615"), Some(-1));
        assert_eq!(of("1.8446744073709552e19"), Some(-1));
        assert_eq!(of("-1"), Some(-1));
        assert_eq!(count(&serde_json::json!(18446744073709551615u64)), None);
    }

    #[test]
    fn whole_numbers_in_any_clothes() {
        assert_eq!(of("5"), Some(5));
        assert_eq!(of("5.0"), Some(5));
        assert_eq!(of("1e6"), Some(1_000_000));
        assert_eq!(of("5.5"), None);
        assert_eq!(of("1e308"), None);
        assert_eq!(of("\"5\""), None);
    }

    #[test]
    fn flags_are_true_or_one() {
        assert_eq!(flag(&serde_json::json!(true)), Some(true));
        assert_eq!(flag(&serde_json::json!(1)), Some(true));
        assert_eq!(flag(&serde_json::json!(0)), Some(false));
        assert_eq!(flag(&serde_json::json!("1")), None);
        assert_eq!(flag(&serde_json::json!([])), None);
    }
}
