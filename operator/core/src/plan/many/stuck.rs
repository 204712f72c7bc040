//! Pairs that nobody can measure any more.

use super::{Pairs, active::Active, is_over};
use crate::{
    ledger::PairRecord,
    plan::Plan,
    valid::{NodeName, ValidTopology},
};
use nettest_api::{Reason, result::PairState};

impl Pairs<'_> {
    /// Nothing runs and nothing can begin: the nodes of what is left are gone, closed or somebody else's.
    pub(super) fn stuck(&self) -> Option<Plan> {
        let placed = self.seen.run.placed?;
        let closed = |name: &NodeName| {
            let mut nodes = self.seen.nodes.iter();
            match nodes.find(|facts| facts.name == *name) {
                Some(facts) => facts.closed.clone(),
                None => Some("is gone".to_owned()),
            }
        };
        if !is_over(placed, self.test.limits.schedule_timeout, self.now) {
            return None;
        }
        let external = matches!(self.test.topology, ValidTopology::External(_));
        let mut records = Vec::new();
        for number in 0..self.layout.len() {
            if self.seen.ledger.is_done(number) {
                continue;
            }
            let Some(pair) = self.layout.pair(number) else {
                continue;
            };
            let server = Some(&pair.server).filter(|_| !external);
            let why = [Some(&pair.client), server]
                .into_iter()
                .flatten()
                .find_map(|node| Some(format!("node {node} {}", closed(node)?)));
            if let Some(message) = why {
                let record = PairRecord {
                    reason: Some(Reason::NodeLost),
                    message,
                    ..self.record(&pair, PairState::Failed, 1)
                };
                records.push((number, record));
            }
            // A step is bounded; the next pass goes on.
            if records.len() >= 200 {
                break;
            }
        }
        if records.is_empty() {
            return None;
        }
        let active = Active {
            records,
            ..Active::default()
        };
        Some(self.go_on(active))
    }
}
