//! Axes: where the ticks are and what they are called.

/// From 0 in steps of 1, 2 or 5 times a power of ten, at least up to `max`; about `count` of them.
pub fn ticks(max: f64, count: usize) -> Vec<f64> {
    if !max.is_finite() || max <= 0.0 || count == 0 {
        return vec![0.0, 1.0];
    }
    let raw = max / count as f64;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| step * count as f64 >= max)
        .unwrap_or(10.0 * power);
    let last = (max / step - 1e-9).ceil().max(1.0) as usize;
    (0..=last).map(|index| index as f64 * step).collect()
}

/// Bits per second in the unit of the largest: the unit, and what to divide by.
pub fn unit(max: f64) -> (&'static str, f64) {
    match max {
        max if max >= 1e9 => ("Gbit/s", 1e9),
        max if max >= 1e6 => ("Mbit/s", 1e6),
        max if max >= 1e3 => ("kbit/s", 1e3),
        _ => ("bit/s", 1.0),
    }
}

/// A tick's number, without digits that say nothing.
pub fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_reach_the_highest() {
        for (max, wanted) in [
            (9.4, vec![0.0, 2.0, 4.0, 6.0, 8.0, 10.0]),
            (10.0, vec![0.0, 2.0, 4.0, 6.0, 8.0, 10.0]),
            (25.0, vec![0.0, 5.0, 10.0, 15.0, 20.0, 25.0]),
            (0.0, vec![0.0, 1.0]),
            (f64::NAN, vec![0.0, 1.0]),
        ] {
            assert_eq!(ticks(max, 5), wanted, "{max}");
        }
        for max in [0.001, 0.7, 3.0, 99.0, 1e12] {
            let ticks = ticks(max, 5);
            assert!(
                ticks.last().is_some_and(|last| *last >= max * 0.999_999),
                "{max}"
            );
            assert!((2..=7).contains(&ticks.len()), "{max}: {ticks:?}");
        }
        assert_eq!(number(2.500), "2.5");
        assert_eq!(number(10.0), "10");
        assert_eq!(number(0.0), "0");
    }
}
