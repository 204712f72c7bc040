//! One pair of a run as a run of its own, so that it is planned as any pair is.

use super::is_simultaneous;
use crate::{
    layout::PairSpec,
    ledger::Ledger,
    names::{self, Role},
    node_facts::NodeFacts,
    observed::{Claim, Observed, RunFacts},
    plan::{Plan, Step},
    pod_facts::{NodePair, PodFacts},
    valid::{NodeChoice, NodeName, ValidEndpoint, ValidTest, ValidTopology},
};
use nettest_api::topology::Placement;
use std::collections::BTreeMap;

/// The test and what is seen of it. `queues`: who waits before this run matters, which is so before the pair has its
/// nodes.
pub(super) fn of(
    test: &ValidTest,
    seen: &Observed,
    number: u32,
    pair: &PairSpec,
    queues: bool,
) -> (ValidTest, Observed) {
    let named = |end: &ValidEndpoint, node: &NodeName| ValidEndpoint {
        node: NodeChoice::Named(node.clone()),
        ..end.clone()
    };
    let of_pair = ValidTest {
        topology: match &test.topology {
            ValidTopology::External(external) => ValidTopology::External(external.clone()),
            _ if pair.client == pair.server => ValidTopology::Pair {
                placement: Placement::SameNode,
            },
            _ => ValidTopology::Pair {
                placement: Placement::DifferentNode,
            },
        },
        client: named(&test.client, &pair.client),
        server: named(&test.server, &pair.server),
        variants: test.variants_of(pair.lane).cloned().collect(),
        ..test.clone()
    };
    let shared = is_simultaneous(test);
    let attempt = seen.ledger.get(number).map_or(1, |record| record.attempt);
    let is_mine = |of: Option<u32>, serves: bool| match of {
        Some(of) => of == number,
        None => shared && serves,
    };
    let pods = seen
        .pods
        .iter()
        .filter(|pod| is_mine(pod.number, pod.role == Role::Server))
        .map(|pod| PodFacts {
            // Of the shared server: as if it were this client's alone, in whichever attempt.
            attempt: if pod.number.is_none() {
                attempt
            } else {
                pod.attempt
            },
            pair: NodePair {
                client: pair.client.clone(),
                server: pair.server.clone(),
            },
            ..pod.clone()
        });
    let services = seen.services.iter();
    let services = services.filter(|service| is_mine(service.number, true));
    let mut claims = seen.claims.clone();
    if !shared {
        let others = seen.pods.iter().filter(|pod| pod.number != Some(number));
        claims.extend(others.filter_map(Claim::from_pod));
    }
    let of_pair_seen = Observed {
        run: RunFacts {
            attempt,
            placed: None,
            client_was_running: false,
            nodes: vec![],
            number: Some(number),
            ..seen.run.clone()
        },
        nodes: seen.nodes.iter().map(|facts| node(facts, pair)).collect(),
        pods: pods.collect(),
        services: services.cloned().collect(),
        ledger: Ledger::default(),
        external: seen.external.clone(),
        // The run has its place already.
        concurrent_runs: None,
        claims,
        waiters: if queues { seen.waiters.clone() } else { vec![] },
        refusal: seen.refusal.clone(),
    };
    (of_pair, of_pair_seen)
}

/// Whether taints and the control plane keep pods away was decided when the nodes were chosen. Of others' nodes it is
/// known whether they are there, by which claims are judged.
fn node(facts: &NodeFacts, pair: &PairSpec) -> NodeFacts {
    let NodeFacts {
        name,
        labels,
        ready,
        closed,
        control_plane: _,
        taints: _,
    } = facts;
    let mine = *name == pair.client || *name == pair.server;
    NodeFacts {
        name: name.clone(),
        labels: if mine {
            labels.clone()
        } else {
            BTreeMap::new()
        },
        ready: *ready,
        closed: if mine {
            closed.clone()
        } else {
            Some("is not this pair's".to_owned())
        },
        control_plane: false,
        taints: vec![],
    }
}

/// A pair's plan as one of the run: the server of a star's clients is no pair's, and no client takes it away.
pub(super) fn back(test: &ValidTest, run: &RunFacts, mut plan: Plan) -> Plan {
    if !is_simultaneous(test) {
        return plan;
    }
    match &mut plan.step {
        Some(Step::CreatePod(pod)) if pod.role() == Role::Server => {
            pod.number = None;
            pod.name =
                names::pod_name(&run.name, run.uid.as_str(), None, pod.attempt, Role::Server);
        }
        Some(Step::CreateService(service)) => service.number = None,
        Some(Step::DeletePod { name, .. })
            if *name == names::pod_name(&run.name, run.uid.as_str(), None, 1, Role::Server) =>
        {
            plan.step = None;
        }
        _ => {}
    }
    plan
}
