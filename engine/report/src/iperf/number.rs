//! Numbers as cJSON prints them: an integral value has no fraction, NaN and infinity are `null`.

use serde::{Serialize, Serializer};

/// The largest magnitude below which every integral f64 is exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Num(pub f64);

impl Num {
    /// Seconds with iperf3's resolution of a microsecond.
    pub fn seconds(seconds: f64) -> Num {
        Num((seconds * 1e6).round() / 1e6)
    }
}

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Num(value) = *self;
        if !value.is_finite() {
            serializer.serialize_unit()
        } else if value == value.trunc() && value.abs() < EXACT {
            serializer.serialize_i64(value as i64)
        } else {
            serializer.serialize_f64(value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_no_fraction_and_no_number_is_null() {
        for (value, shown) in [
            (0.0, "0"),
            (-0.0, "0"),
            (2.0, "2"),
            (1e9, "1000000000"),
            (1.5, "1.5"),
            (f64::NAN, "null"),
            (f64::INFINITY, "null"),
        ] {
            assert_eq!(
                serde_json::to_string(&Num(value)).ok().as_deref(),
                Some(shown)
            );
        }
        assert_eq!(
            serde_json::to_string(&Num::seconds(0.999_972_999_9))
                .ok()
                .as_deref(),
            Some("0.999973")
        );
    }
}
