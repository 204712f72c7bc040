//! How long to wait after failed passes over one object: kube's error policy does not count them.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Mutex,
    time::Duration,
};

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);

/// Failures in a row, by object.
#[derive(Debug, Default)]
pub struct Backoff(Mutex<HashMap<String, u32>>);

impl Backoff {
    /// One more failure: how long to wait.
    pub fn failed(&self, object: &str) -> Duration {
        let mut counts = self.counts();
        let count = counts.entry(object.to_owned()).or_default();
        let wait = delay(*count, object);
        *count = count.saturating_add(1);
        wait
    }

    /// Failures in a row so far.
    pub fn failures(&self, object: &str) -> u32 {
        self.counts().get(object).copied().unwrap_or_default()
    }

    /// Count anew: it went well, or the object is gone.
    pub fn succeeded(&self, object: &str) {
        self.counts().remove(object);
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, HashMap<String, u32>> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Doubles up to a minute. Objects that failed together come back spread over a quarter of the wait: a hash
/// of the name is random enough for that.
fn delay(failures: u32, object: &str) -> Duration {
    let wait = FIRST.saturating_mul(1 << failures.min(6)).min(LONGEST);
    let mut hasher = DefaultHasher::new();
    (object, failures).hash(&mut hasher);
    let share = (hasher.finish() % 256) as u32;
    wait.saturating_sub(wait / 4 * share / 256)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_minute_and_start_anew_after_success() {
        let backoff = Backoff::default();
        let waits: Vec<Duration> = (0..9).map(|_| backoff.failed("ns/a")).collect();
        assert!(waits[0] <= FIRST && waits[0] >= FIRST * 3 / 4, "{waits:?}");
        assert!(waits[3] > waits[1], "{waits:?}");
        assert!(
            waits[8] <= LONGEST && waits[8] >= LONGEST * 3 / 4,
            "{waits:?}"
        );
        backoff.succeeded("ns/a");
        assert_eq!(backoff.failed("ns/a"), waits[0]);
        assert!(backoff.failed("ns/b") <= FIRST);
    }
}
