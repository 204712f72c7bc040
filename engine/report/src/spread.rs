//! The median repeat, and how far the others are from it.

/// The repeat in the middle; of an even count the lower of the two, so that it is one that ran. Equal rates keep the
/// order in which they were measured. `None`: there are no rates.
pub fn median_index(rates: &[u64]) -> Option<usize> {
    let mut order: Vec<usize> = (0..rates.len()).collect();
    order.sort_by_key(|&index| rates.get(index).copied());
    order.get(rates.len().checked_sub(1)? / 2).copied()
}

/// From the lowest to the highest rate, in whole percent of the median (rounded down). `None`: there are no rates.
pub fn percent(rates: &[u64]) -> Option<u64> {
    let median = *rates.get(median_index(rates)?)?;
    let (min, max) = (rates.iter().min()?, rates.iter().max()?);
    let percent = u128::from(max - min) * 100 / u128::from(median.max(1));
    Some(u64::try_from(percent).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_a_repeat_that_ran() {
        for (rates, index, spread) in [
            (vec![], None, None),
            (vec![7], Some(0), Some(0)),
            (vec![0, 0], Some(0), Some(0)),
            (vec![20, 10], Some(1), Some(100)),
            (vec![30, 10, 20], Some(2), Some(100)),
            (vec![4, 3, 2, 1], Some(2), Some(150)),
            (vec![100, 116, 100], Some(2), Some(16)),
            (vec![1000, 1159, 1000], Some(2), Some(15)),
            (vec![0, 0, 5], Some(1), Some(500)),
            (vec![0, u64::MAX, 0], Some(2), Some(u64::MAX)),
        ] {
            assert_eq!(median_index(&rates), index, "{rates:?}");
            assert_eq!(percent(&rates), spread, "{rates:?}");
        }
    }
}
