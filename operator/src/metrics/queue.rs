//! The runs that have not ended, by what their status says: pure.

use jiff::Timestamp;
use nettest_api::{NetTestRun, Reason, condition};
use nettest_core::conditions::find;

/// How many, and since when.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Queue {
    /// Pairs that are waiting to be measured or being measured.
    pub pairs: i64,
    /// For nodes that others measure on.
    pub queued: i64,
    /// For their pods, or for what keeps them from having any.
    pub waiting: i64,
    pub running: i64,
    /// When the first of the queued runs was made.
    pub oldest_queued: Option<Timestamp>,
}

impl Queue {
    pub fn of<'a>(unfinished: impl IntoIterator<Item = &'a NetTestRun>) -> Queue {
        let mut queue = Queue::default();
        for run in unfinished {
            let status = run.status.as_ref();
            let progress = status.and_then(|status| status.progress);
            queue.pairs += progress.map_or(1, |progress| {
                i64::from(progress.pairs - progress.measured - progress.failed).max(0)
            });
            let succeeded = status.and_then(|s| find(&s.conditions, condition::SUCCEEDED));
            match succeeded.and_then(|condition| Reason::parse(&condition.reason)) {
                Some(Reason::Queued) => {
                    queue.queued += 1;
                    let created = run.metadata.creation_timestamp.as_ref().map(|time| time.0);
                    queue.oldest_queued = queue.oldest_queued.into_iter().chain(created).min();
                }
                Some(Reason::Running) => queue.running += 1,
                _ => queue.waiting += 1,
            }
        }
        queue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(minute: u32, reason: &str, progress: &str) -> NetTestRun {
        serde_yaml::from_str(&format!(
            "{{apiVersion: nettest.dev/v1alpha1, kind: NetTestRun, metadata: {{name: r, creationTimestamp: '2026-12-01T10:{minute:02}:00Z'}}, spec: {{test: {{}}}}, \
             status: {{{progress} conditions: [{{type: Succeeded, status: Unknown, reason: {reason}, message: m, lastTransitionTime: '2026-12-01T10:00:00Z'}}]}}}}"
        ))
        .unwrap()
    }

    #[test]
    fn runs_are_counted_by_what_they_wait_for() {
        let mesh = "progress: {pairs: 6, running: 1, measured: 2, failed: 1},";
        let runs = [
            run(9, "Queued", ""),
            run(5, "Queued", ""),
            run(1, "Running", mesh),
            run(2, "Pending", ""),
            run(3, "Starting", ""),
        ];
        let queue = Queue::of(&runs);
        let oldest = "2026-12-01T10:05:00Z".parse().ok();
        assert_eq!(
            queue,
            Queue {
                pairs: 2 + 3 + 2,
                queued: 2,
                waiting: 2,
                running: 1,
                oldest_queued: oldest
            }
        );
        assert_eq!(Queue::of([]), Queue::default());
    }
}
