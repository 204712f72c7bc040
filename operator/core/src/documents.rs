//! How much of the documents of what was measured is kept.

use crate::{ledger::Ledger, plan::Collect};
use nettest_api::{net_test_run::DocumentsStatus, result::PairState};

/// In one ConfigMap: etcd takes 1.5 MiB in one request by default, and base64 adds a third.
pub const CONFIG_MAP_BYTES: usize = 512 * 1024;
/// Of a run with several pairs. An etcd holds 2 GiB by default, all runs of a history and everything else included.
pub const RUN_BYTES: usize = 8 * 1024 * 1024;
/// A single stream's ten seconds are about 3 KiB.
const LEAST_SHARE: usize = 16 * 1024;
/// What is left of the run's is not worth a ConfigMap.
const LEAST_REST: usize = 2 * 1024;

/// What one pair of so many may have, so that the first do not leave the others nothing.
pub fn share(pairs: u32) -> usize {
    let pairs = usize::try_from(pairs).unwrap_or(usize::MAX).max(1);
    (RUN_BYTES / pairs).clamp(LEAST_SHARE, CONFIG_MAP_BYTES)
}

/// As many of these as the run still has room for.
pub fn within(wanted: Vec<Collect>, ledger: &Ledger) -> Vec<Collect> {
    let kept = ledger.0.values().filter_map(|record| record.documents);
    let kept: usize = kept
        .map(|kept| usize::try_from(kept.bytes).unwrap_or(usize::MAX))
        .fold(0, usize::saturating_add);
    let mut left = RUN_BYTES.saturating_sub(kept);
    let mut fits = Vec::new();
    for collect in wanted {
        let budget = collect.budget.min(left);
        if budget < LEAST_REST {
            break;
        }
        left -= budget;
        fits.push(Collect { budget, ..collect });
    }
    fits
}

/// Of the pairs of a run. `None`: nothing is measured yet.
pub fn of_pairs(ledger: &Ledger) -> Option<DocumentsStatus> {
    let measured = ledger.0.values();
    let mut measured = measured.filter(|record| record.state == PairState::Measured);
    let (mut pairs, mut truncated) = (0, false);
    let first = measured.next()?;
    for record in std::iter::once(first).chain(measured) {
        pairs += i32::from(record.documents.is_some());
        truncated |= record.documents.is_none_or(|kept| kept.truncated);
    }
    Some(DocumentsStatus {
        config_map: None,
        pairs: Some(pairs),
        truncated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{KeptDocuments, PairRecord};
    use nettest_report::digest::Digest;

    fn record(state: &str, documents: Option<KeptDocuments>) -> PairRecord {
        let text = format!(
            "{{client: a, server: b, lane: {{client: Pod, server: Pod}}, state: {state}, attempt: 1}}"
        );
        PairRecord {
            documents,
            ..serde_yaml::from_str(&text).unwrap()
        }
    }

    fn kept(bytes: usize, truncated: bool) -> Option<KeptDocuments> {
        let bytes = u32::try_from(bytes).unwrap();
        Some(KeptDocuments { bytes, truncated })
    }

    fn wanted(number: u32, pairs: u32) -> Collect {
        let digest = r#"{"version": 1, "run": "u", "attempt": 1, "outcome": "Complete"}"#;
        let digest: Digest = serde_json::from_str(digest).unwrap();
        Collect {
            pod: format!("run-p{number}"),
            number: Some(number),
            digest: Box::new(digest),
            budget: share(pairs),
        }
    }

    #[test]
    fn no_run_keeps_more_than_its_budget() {
        for pairs in [1, 3, 16, 100, 512, 4_950, 499_500] {
            let mut ledger = Ledger::default();
            let mut total = 0;
            for number in 0..pairs.min(2_000) {
                let collect = within(vec![wanted(number, pairs)], &ledger);
                // The worst case: each takes all that it may.
                let documents = collect.first().and_then(|one| kept(one.budget, true));
                total += documents.map_or(0, |kept| kept.bytes as usize);
                ledger.0.insert(number, record("Measured", documents));
            }
            assert!(total <= RUN_BYTES, "{pairs} pairs: {total}");
            assert!(total >= RUN_BYTES.min(CONFIG_MAP_BYTES * pairs as usize) - LEAST_SHARE);
        }
    }

    #[test]
    fn what_is_collected_at_a_time_shares_the_rest() {
        let ledger = Ledger([(0, record("Measured", kept(RUN_BYTES - 20 * 1024, false)))].into());
        let fits = within(
            (1..5).map(|number| wanted(number, 4_950)).collect(),
            &ledger,
        );
        let budgets: Vec<usize> = fits.iter().map(|one| one.budget).collect();
        assert_eq!(budgets, [16 * 1024, 4 * 1024]);
    }

    #[test]
    fn the_status_says_of_how_many_pairs_they_are() {
        let ledger = |records: Vec<PairRecord>| Ledger((0..).zip(records).collect());
        assert_eq!(of_pairs(&ledger(vec![record("Failed", None)])), None);
        let whole = ledger(vec![
            record("Measured", kept(9, false)),
            record("Failed", None),
        ]);
        let status = of_pairs(&whole).unwrap();
        assert_eq!((status.pairs, status.truncated), (Some(1), false));
        let cut = ledger(vec![
            record("Measured", kept(9, false)),
            record("Measured", None),
        ]);
        let status = of_pairs(&cut).unwrap();
        assert_eq!((status.pairs, status.truncated), (Some(1), true));
    }
}
