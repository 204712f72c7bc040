//! How evenly the streams of one flow share what is there: Jain's fairness index (R. Jain, D. Chiu, W. Hawe, "A
//! Quantitative Measure of Fairness and Discrimination for Resource Allocation in Shared Computer Systems", DEC-TR-301,
//! 1984): (sum x)^2 / (n * sum x^2). 1: all have the same; 1/n: one has everything.

use crate::report::StreamEnd;

/// Of the throughputs that the receiver counted. `None`: fewer than two streams, one of them unknown, or no data at all.
pub fn of<'a>(streams: impl IntoIterator<Item = &'a StreamEnd>) -> Option<f64> {
    let rates = streams
        .into_iter()
        .map(|stream| stream.received.bits_per_second())
        .collect::<Option<Vec<f64>>>()?;
    jain(&rates)
}

/// Of any shares that are not negative.
pub fn jain(shares: &[f64]) -> Option<f64> {
    // Of parts of the largest, so that no square overflows.
    let largest = shares.iter().copied().fold(0.0, f64::max);
    if shares.len() < 2 || !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let parts = shares.iter().map(|share| share / largest);
    let sum: f64 = parts.clone().sum();
    let squares: f64 = parts.map(|part| part * part).sum();
    let count = shares.len() as f64;
    Some((sum * sum / (count * squares)).clamp(1.0 / count, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Direction, Protocol};
    use crate::report::Role;
    use crate::sample;
    use proptest::prelude::*;

    #[test]
    fn even_shares_are_fair_and_one_that_has_all_is_not() {
        assert_eq!(jain(&[5.0, 5.0, 5.0, 5.0]), Some(1.0));
        assert_eq!(jain(&[8.0, 0.0, 0.0, 0.0]), Some(0.25));
        // The paper's example: k of n share evenly, the others have nothing: k/n.
        assert_eq!(jain(&[3.0, 3.0, 3.0, 0.0]), Some(0.75));
        assert_eq!(jain(&[2.0, 4.0]), Some(0.9));
    }

    #[test]
    fn nothing_is_said_of_one_stream_or_of_no_data() {
        for shares in [&[][..], &[7.0], &[0.0, 0.0], &[f64::NAN, f64::NAN]] {
            assert_eq!(jain(shares), None, "{shares:?}");
        }
    }

    #[test]
    fn it_is_the_receivers_count_over_its_own_time() {
        let mut end = sample::end(Protocol::Tcp, Direction::Forward, Role::Client, 2);
        assert_eq!(of(&end.streams), Some(1.0));
        end.streams[0].sent.bytes = Some(1);
        assert_eq!(of(&end.streams), Some(1.0), "what was sent does not matter");
        // The same bytes in half of the time.
        end.streams[0].received.end /= 2.0;
        assert_eq!(of(&end.streams), Some(0.9));
        end.streams[0].received.bytes = None;
        assert_eq!(of(&end.streams), None, "unknown is not 0");
    }

    proptest! {
        #[test]
        fn it_lies_between_one_nth_and_one(shares in proptest::collection::vec(0.0..1e300f64, 2..130)) {
            let n = shares.len() as f64;
            if let Some(index) = jain(&shares) {
                prop_assert!((1.0 / n..=1.0).contains(&index), "{index}");
            } else {
                prop_assert!(shares.iter().all(|share| *share == 0.0));
            }
        }
    }
}
