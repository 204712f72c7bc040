//! Which pair begins next.

use super::{Pairs, active::Active, is_simultaneous, waiting};
use crate::{
    exclusivity::Busy,
    ledger::Ledger,
    mesh::{next::next, node_set::NodeSet},
    observed::{Claim, Observed},
    plan::{Phase, Plan, attempt::PATIENCE},
    valid::ValidTopology,
};

impl Pairs<'_> {
    /// Nothing has to be finished first: the next pair, if there is one whose nodes are free.
    pub(super) fn begin(&self, active: &mut Active) -> Option<Plan> {
        let room = self.room(active.going.len());
        let own = self.own_claims();
        let mut claims = self.seen.claims.clone();
        claims.extend(own);
        let busy = Busy::of(&Observed {
            claims,
            run: self.seen.run.clone(),
            nodes: self.seen.nodes.clone(),
            waiters: self.seen.waiters.clone(),
            pods: vec![],
            services: vec![],
            ledger: Ledger::default(),
            external: None,
            concurrent_runs: None,
            refusal: None,
        });
        let number = self.pick(&busy, room, active)?;
        let pair = self.layout.pair(number)?;
        let queued = self.one(number, &pair, true, active)?;
        if queued.phase != Phase::Queued {
            return None;
        }
        // It has nothing yet, so it is not under way.
        active.going.retain(|going| *going != number);
        if !active.going.is_empty() {
            return None;
        }
        // Nobody counts the time in the queue.
        let many = self.many(active);
        Some(waiting(
            self.seen,
            Phase::Queued,
            None,
            queued.message,
            None,
            Some(many),
            PATIENCE,
        ))
    }

    /// How many more pairs may run.
    fn room(&self, going: usize) -> usize {
        let most = match &self.test.topology {
            ValidTopology::Mesh(mesh) => mesh.max_concurrent,
            ValidTopology::Star(star) if is_simultaneous(self.test) => star.max_clients,
            _ => 1,
        };
        usize::try_from(most)
            .unwrap_or(usize::MAX)
            .saturating_sub(going)
    }

    /// Pods of this run's own pairs hold their nodes, too.
    fn own_claims(&self) -> Vec<Claim> {
        if is_simultaneous(self.test) {
            return vec![];
        }
        self.seen.pods.iter().filter_map(Claim::from_pod).collect()
    }

    fn pick(&self, busy: &Busy, room: usize, active: &Active) -> Option<u32> {
        let mut set = NodeSet::new(self.layout.nodes.len());
        for (index, node) in (0..).zip(&self.layout.nodes) {
            let open = self
                .seen
                .nodes
                .iter()
                .any(|facts| facts.name == node.name && facts.closed.is_none());
            let external = matches!(self.test.topology, ValidTopology::External(_)) && index == 1;
            if busy.nodes.contains(&node.name) || (!open && !external) {
                set.insert(index);
            }
        }
        let is_open =
            |number: &u32| !self.seen.ledger.is_done(*number) && !active.going.contains(number);
        if is_simultaneous(self.test) {
            // One server for all: it is busy by itself.
            let mut numbers =
                (0..self.layout.first.len()).flat_map(|index| self.layout.numbers(index));
            return numbers.find(is_open).filter(|_| room > 0);
        }
        if self.layout.nodes.len() == 2 && self.layout.nodes[0] == self.layout.nodes[1] {
            // One node against itself.
            let mut numbers = self.layout.numbers(0);
            return numbers
                .find(is_open)
                .filter(|_| room > 0 && !set.contains(0));
        }
        let pairs: Vec<_> = self
            .layout
            .first
            .iter()
            .chain(&self.layout.second)
            .copied()
            .collect();
        let first = next(&pairs, &set, room.min(1), |index| {
            self.layout.numbers(index).any(|number| is_open(&number))
        });
        self.layout.numbers(*first.first()?).find(is_open)
    }
}
