//! Medians, and how sure a ratio is. Pure, and the same figures give the same interval each time.

/// Of an even number, the mean of the middle two. None of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        count if count % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

pub fn spread(values: &[f64]) -> Option<Spread> {
    Some(Spread {
        median: median(values)?,
        min: values.iter().copied().min_by(f64::total_cmp)?,
        max: values.iter().copied().max_by(f64::total_cmp)?,
    })
}

/// A median with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

const RESAMPLES: usize = 4000;

/// Percentile bootstrap: the median of as many values drawn with replacement, many times over.
/// With seven values the interval is honest about how little seven values say.
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    let middle = median(values)?;
    let mut random = SplitMix(0x6e65_7474_6573_7431);
    let mut drawn = vec![0.0; values.len()];
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            for place in &mut drawn {
                *place = values[random.below(values.len())];
            }
            median(&drawn)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let tail = RESAMPLES * 25 / 1000;
    Some(Estimate {
        median: middle,
        low: medians[tail],
        high: medians[RESAMPLES - 1 - tail],
    })
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        let spread = spread(&[2.0, 9.0, 1.0]).expect("values");
        assert_eq!((spread.min, spread.median, spread.max), (1.0, 2.0, 9.0));
    }

    #[test]
    fn equal_values_are_sure() {
        let sure = estimate(&[1.2; 7]).expect("values");
        assert_eq!((sure.low, sure.median, sure.high), (1.2, 1.2, 1.2));
        assert_eq!(estimate(&[]), None);
    }

    #[test]
    fn the_interval_holds_the_median_within_the_values_and_is_repeatable() {
        let values = [0.9, 1.0, 1.04, 1.1, 1.15, 1.2, 1.9];
        let found = estimate(&values).expect("values");
        assert_eq!(estimate(&values), Some(found));
        assert_eq!(found.median, 1.1);
        // By order statistics, the 2nd and the 6th of 7 hold the median with 87.5 %, all of them with 98.4 %.
        assert!((0.9..=1.0).contains(&found.low), "{found:?}");
        assert!((1.2..=1.9).contains(&found.high), "{found:?}");
    }

    #[test]
    fn an_outlier_does_not_move_the_median() {
        let quiet = estimate(&[1.0, 1.01, 1.02, 1.03, 1.04]).expect("values");
        let noisy = estimate(&[1.0, 1.01, 1.02, 1.03, 40.0]).expect("values");
        assert_eq!(quiet.median, noisy.median);
        assert!(noisy.high > quiet.high);
    }

    #[test]
    fn draws_reach_every_value_and_no_further() {
        let mut random = SplitMix(1);
        let mut seen = [0; 7];
        for _ in 0..7000 {
            seen[random.below(7)] += 1;
        }
        assert!(
            seen.iter().all(|&count| (800..1200).contains(&count)),
            "{seen:?}"
        );
    }
}
