//! What a test remembers of its runs after they are gone.

use crate::{conditions::find, status::finished};
use nettest_api::{NetTestRun, condition, net_test::PastRun};
use std::cmp::Reverse;

/// As the definition's maxItems: the API server refuses a status with more.
pub const MAX_HISTORY: usize = 20;

/// The runs that have ended, newest first: those that were known, and those that are there.
pub fn history<'a>(
    known: &[PastRun],
    runs: impl IntoIterator<Item = &'a NetTestRun>,
) -> Vec<PastRun> {
    let mut all: Vec<PastRun> = runs.into_iter().filter_map(past_run).collect();
    let gone: Vec<PastRun> = known
        .iter()
        .filter(|past| all.iter().all(|there| there.run != past.run))
        .cloned()
        .collect();
    all.extend(gone);
    all.sort_by_cached_key(|past| {
        let finished = past.finish_time.as_ref().map(|time| time.0);
        Reverse((finished, past.run.clone()))
    });
    all.truncate(MAX_HISTORY);
    all
}

/// A run in a line, if it has ended.
fn past_run(run: &NetTestRun) -> Option<PastRun> {
    let status = run.status.as_ref().filter(|status| finished(status))?;
    let reason = find(&status.conditions, condition::SUCCEEDED)?
        .reason
        .clone();
    Some(PastRun {
        run: run.metadata.name.clone()?,
        verdict: status.verdict?,
        reason: short(reason, 64),
        finish_time: status.finish_time.clone(),
        throughput: status
            .results
            .first()
            .map(|result| short(result.throughput.clone(), 32)),
    })
}

/// At most so many characters, as the definition has it.
fn short(text: String, most: usize) -> String {
    if text.chars().count() <= most {
        return text;
    }
    text.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettest_api::result::Verdict;

    fn run(name: &str, minute: u32, verdict: &str) -> NetTestRun {
        let status = if verdict.is_empty() {
            "{}".to_owned()
        } else {
            format!(
                "{{verdict: {verdict}, finishTime: '2026-11-30T16:{minute:02}:00Z', conditions: [{{type: Succeeded, status: 'False', reason: {verdict}, \
                 message: m, lastTransitionTime: '2026-11-30T16:00:00Z'}}]}}"
            )
        };
        serde_yaml::from_str(&format!(
            "{{apiVersion: nettest.dev/v1alpha1, kind: NetTestRun, metadata: {{name: {name}}}, spec: {{test: {{}}}}, status: {status}}}"
        ))
        .unwrap()
    }

    fn names(history: &[PastRun]) -> Vec<&str> {
        history.iter().map(|past| past.run.as_str()).collect()
    }

    #[test]
    fn newest_first_and_none_that_goes_on() {
        let runs = [
            run("b", 20, "Passed"),
            run("c", 0, ""),
            run("a", 10, "Failed"),
        ];
        let first = history(&[], &runs);
        assert_eq!(names(&first), ["b", "a"]);
        assert_eq!(
            (first[1].verdict, first[1].reason.as_str()),
            (Verdict::Failed, "Failed")
        );
        // Gone and remembered; the same pass again changes nothing.
        let again = history(&first, &[run("d", 15, "Error"), run("a", 10, "Failed")]);
        assert_eq!(names(&again), ["b", "d", "a"]);
        assert_eq!(history(&again, []), again);
    }

    #[test]
    fn twenty_at_most() {
        let runs: Vec<NetTestRun> = (0..30)
            .map(|n| run(&format!("r{n:02}"), n, "Passed"))
            .collect();
        let all = history(&[], &runs);
        assert_eq!(all.len(), MAX_HISTORY);
        assert_eq!((all[0].run.as_str(), all[19].run.as_str()), ("r29", "r10"));
        assert_eq!(history(&all, &[run("r30", 30, "Passed")])[19].run, "r11");
    }
}
