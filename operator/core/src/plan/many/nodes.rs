//! The first pass of a run: which nodes take part.

use super::{failed, is_over, waiting};
use crate::{
    exclusivity::{self, Turn},
    layout::{self, Layout},
    ledger::Ledger,
    observed::Observed,
    plan::{Many, Phase, Plan, attempt::PATIENCE},
    valid::{ValidTest, ValidTopology},
};
use jiff::Timestamp;
use nettest_api::Reason;
use std::time::Duration;

/// They are written down before anything is made.
pub(super) fn choose(test: &ValidTest, seen: &Observed, now: Timestamp) -> Plan {
    let placed = seen.run.placed.unwrap_or(now);
    let wait = |phase, blocked, message: String, placed| {
        waiting(seen, phase, blocked, message, placed, None, PATIENCE)
    };
    let nodes = match &test.topology {
        // One pair takes the nodes that are free.
        ValidTopology::Pair { .. } | ValidTopology::External(_) => {
            match exclusivity::turn(test, seen) {
                Turn::Now(pair) => Ok(vec![pair.client, pair.server]),
                Turn::Wait { why, place } => {
                    let message = format!("number {place} in line: {why}");
                    return wait(Phase::Queued, None, message, None);
                }
                Turn::NoPair { why } => Err(why),
            }
        }
        ValidTopology::Mesh(_) | ValidTopology::Star(_) => {
            if let Some(Turn::Wait { why, place }) = exclusivity::ceiling(seen) {
                let message = format!("number {place} in line: {why}");
                return wait(Phase::Queued, None, message, None);
            }
            layout::members(test, &seen.nodes)
        }
    };
    match nodes {
        Ok(nodes) => {
            let layout = Layout::new(test, &nodes, &seen.nodes, &seen.run.seed);
            let many = Many {
                pairs: layout.len(),
                nodes,
                running: vec![],
                ledger: Ledger::default(),
                suspects: vec![],
            };
            let message = format!("{} pairs are planned", layout.len());
            waiting(
                seen,
                Phase::Starting,
                None,
                message,
                Some(now),
                Some(many),
                Duration::ZERO,
            )
        }
        Err(why) if is_over(placed, test.limits.schedule_timeout, now) => {
            let timeout = crate::span::display(test.limits.schedule_timeout);
            failed(
                seen,
                Reason::Unschedulable,
                format!("{why} (limits.scheduleTimeout of {timeout} has passed)"),
                None,
            )
        }
        Err(why) => wait(
            Phase::Pending,
            Some(Reason::Unschedulable),
            why,
            Some(placed),
        ),
    }
}
