//! What to do next: one step, what to say, when to look again.

mod attempt;
mod blocked;
mod clean;
mod finish;
mod many;
mod start;

use crate::{
    ledger::{KeptDocuments, Ledger, PairRecord},
    observed::Observed,
    pod::{PodPlan, ServicePlan},
    valid::{NodeName, ValidTest},
};
use jiff::Timestamp;
use nettest_api::{
    Reason,
    cleanup::PodCleanup,
    result::{PairStatus, Suspect},
};
use nettest_report::digest::Digest;
use std::time::Duration;

/// A run is tried at most this often when pods vanish or are refused. A measured result is never repeated.
pub const MAX_ATTEMPTS: u32 = 3;

/// The outcome of one pass.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Plan {
    /// At most one write. After a create that was refused, set [`Observed::refusal`] and plan again.
    pub step: Option<Step>,
    /// What the status says after the step.
    pub progress: Progress,
    /// Documents that are kept before the result is written: with the status ([`Stage::Measured`]) or by the step.
    pub collect: Vec<Collect>,
    /// Look again after this; `None`: nothing is left to do.
    pub requeue_after: Option<Duration>,
}

/// The documents of what a client pod measured, to be read from its log.
#[derive(Debug, Clone, PartialEq)]
pub struct Collect {
    pub pod: String,
    /// The pair, of a run with several.
    pub number: Option<u32>,
    pub digest: Box<Digest>,
    /// Bytes, compressed, that may be kept of them.
    pub budget: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// AlreadyExists is success when the existing pod's run-uid label is this run's.
    CreatePod(Box<PodPlan>),
    /// The Service in front of a server.
    CreateService(Box<ServicePlan>),
    /// With the UID as precondition; NotFound and Conflict are success.
    DeletePod {
        name: String,
        uid: String,
    },
    DeleteService {
        name: String,
        uid: String,
    },
    /// Write these pairs' records, by their numbers, into the run's ConfigMaps.
    Record(Vec<(u32, PairRecord)>),
}

/// Where a run is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    pub attempt: u32,
    /// When this attempt left the queue.
    pub placed: Option<Timestamp>,
    pub pair: Option<PairStatus>,
    /// Of a run with several pairs.
    pub many: Option<Many>,
    pub stage: Stage,
}

/// Where the pairs of a run are.
#[derive(Debug, Clone, PartialEq)]
pub struct Many {
    /// The nodes that take part.
    pub nodes: Vec<NodeName>,
    /// How many pairs there are.
    pub pairs: u32,
    /// Those that are being measured.
    pub running: Vec<u32>,
    /// What is known of them, with what this pass writes.
    pub ledger: Ledger,
    /// Who failed against good nodes, once that is known.
    pub suspects: Vec<Suspect>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    /// The status stands: do not write it.
    Settled,
    Waiting(Waiting),
    /// Every repeat was measured.
    Measured(Box<Digest>),
    /// Every pair has come to its end.
    Concluded,
    /// It ends without a result.
    Failed {
        reason: Reason,
        message: String,
        /// Both pods ran.
        ran: bool,
    },
}

/// A run that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub phase: Phase,
    /// The reason that would end the run if nothing changed.
    pub blocked: Option<Reason>,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Pending,
    Queued,
    Starting,
    Running,
}

impl Plan {
    /// The documents of a pair that this pass records are kept.
    pub fn keep(&mut self, number: u32, kept: KeptDocuments) {
        let step = match &mut self.step {
            Some(Step::Record(records)) => records.as_mut_slice(),
            _ => &mut [],
        };
        let recorded = step.iter_mut().filter(|(of, _)| *of == number);
        let recorded = recorded.map(|(_, record)| record);
        let many = self.progress.many.as_mut();
        let told = many.and_then(|many| many.ledger.0.get_mut(&number));
        for record in recorded.chain(told) {
            record.documents = Some(kept);
        }
    }
}

impl Phase {
    pub fn reason(self) -> Reason {
        match self {
            Phase::Pending => Reason::Pending,
            Phase::Queued => Reason::Queued,
            Phase::Starting => Reason::Starting,
            Phase::Running => Reason::Running,
        }
    }
}

/// Decide. Sync and total.
pub fn plan(test: &ValidTest, seen: &Observed, now: Timestamp) -> Plan {
    if seen.run.finished || seen.run.deleting {
        return clean::all(seen, test.cleanup.pods);
    }
    if many::is_many(test) {
        many::plan(test, seen, now)
    } else {
        attempt::plan(test, seen, now)
    }
}

/// Remove what a run left, whatever its spec: for runs that were refused.
pub fn clean_up(seen: &Observed) -> Plan {
    clean::all(seen, PodCleanup::Always)
}

#[cfg(test)]
pub(crate) mod tests;
