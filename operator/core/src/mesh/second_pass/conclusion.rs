//! What both passes say together, for the status.

use super::{MeshNode, MeshPair, NodeName, NodeSet, PairOutcome, Record, Verdict, record};
use std::{cmp::Reverse, collections::BTreeMap};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    /// Worst first: the confirmed, then by bad pairs.
    pub suspects: Vec<Suspect>,
    /// Bad pairs of which no node is suspect, in the mesh's order: a bad path between two good nodes.
    /// [`suspect_pair_message`] says one in words.
    pub suspect_pairs: Vec<MeshPair>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspect {
    pub node: NodeName,
    /// Of the first pass.
    pub bad_pairs: u32,
    /// Of the first pass.
    pub good_pairs: u32,
    /// Failed again, against a node that has passed.
    pub confirmed: bool,
    /// One sentence, with counts.
    pub message: String,
}

/// How a suspect's second measurement ended.
#[derive(Debug, Clone, Copy)]
struct Retested {
    verdict: Verdict,
    reference: u32,
}

/// Who is bad, after both passes. `second` is empty when there was no second pass, or none was wanted.
pub fn conclude(nodes: &[MeshNode], first: &[PairOutcome], second: &[PairOutcome]) -> Conclusion {
    let record = Record::new(nodes.len(), first);
    let retested = retests(&record, second);
    let mut confirmed = NodeSet::new(nodes.len());
    for (node, Retested { verdict, .. }) in &retested {
        if *verdict == Verdict::Bad {
            confirmed.insert(*node);
        }
    }

    // Who passed, or met confirmed nodes only, is innocent; what that leaves is looked at anew.
    let (left, mut named) = record::standing_out(nodes.len(), first, &confirmed);
    for node in record.to_retest().iter() {
        let open = !matches!(retested.get(&node), Some(retest) if retest.verdict == Verdict::Good);
        if open && left.get(node as usize).is_some_and(|left| *left > 0) {
            named.insert(node);
        }
    }
    for node in confirmed.iter() {
        named.insert(node);
    }

    let mut suspects: Vec<Suspect> = named
        .iter()
        .filter_map(|node| {
            Some(Suspect {
                node: nodes.get(node as usize)?.name.clone(),
                bad_pairs: record.bad(node),
                good_pairs: record.good(node),
                confirmed: confirmed.contains(node),
                message: message(nodes, &record, node, retested.get(&node), first),
            })
        })
        .collect();
    suspects.sort_by_key(|suspect| {
        (
            !suspect.confirmed,
            Reverse(suspect.bad_pairs),
            suspect.good_pairs,
            suspect.node.clone(),
        )
    });
    let suspect_pairs = record::unexplained_by(first, &named)
        .map(|outcome| MeshPair {
            client: outcome.client,
            server: outcome.server,
        })
        .collect();
    Conclusion {
        suspects,
        suspect_pairs,
    }
}

/// A pair of [`Conclusion::suspect_pairs`] in words.
pub fn suspect_pair_message(nodes: &[MeshNode], pair: MeshPair) -> String {
    format!(
        "{} and {} failed against each other, and each passed against another node: look at the way between them",
        name(nodes, pair.client),
        name(nodes, pair.server)
    )
}

/// The last measured retest of each suspect. Which end is the suspect is known from the first pass.
fn retests(record: &Record, second: &[PairOutcome]) -> BTreeMap<u32, Retested> {
    let wanted = record.to_retest();
    let mut retested = BTreeMap::new();
    for outcome in second {
        let PairOutcome {
            client,
            server,
            verdict,
        } = *outcome;
        let (suspect, reference) = match (wanted.contains(client), wanted.contains(server)) {
            (true, false) => (client, server),
            (false, true) => (server, client),
            _ => continue,
        };
        if verdict != Verdict::NotMeasured && record.may_tell(reference) {
            retested.insert(suspect, Retested { verdict, reference });
        }
    }
    retested
}

fn message(
    nodes: &[MeshNode],
    record: &Record,
    node: u32,
    retested: Option<&Retested>,
    first: &[PairOutcome],
) -> String {
    let who = name(nodes, node);
    let (good, bad) = (record.good(node), record.bad(node));
    let failed = match (bad, good) {
        (1, 0) => {
            let partner = partners(node, first).next();
            let partner = partner.map_or("?", |partner| name(nodes, partner));
            format!("{who} failed against {partner}, the only node that it was measured with")
        }
        _ => format!("{who} failed against {bad} of {} nodes", bad + good),
    };
    match retested {
        Some(Retested {
            verdict: Verdict::Bad,
            reference,
        }) => format!(
            "{failed}, and again against {}, which passed against {}",
            name(nodes, *reference),
            many(record.good(*reference))
        ),
        Some(Retested { reference, .. }) => format!(
            "{failed}, but then passed against {}: it was bad for a while only, or the ways to the others are",
            name(nodes, *reference)
        ),
        None if !record.anything_good() => {
            format!("{failed}, and no node passed, so nothing tells which of them are bad")
        }
        None if record.failed(node) => format!(
            "{failed}; it was not measured again with a node that passed, so the others may be the bad ones"
        ),
        None => format!(
            "{failed}, most of which failed against few others: the node is bad at times, or the ways to these nodes are"
        ),
    }
}

fn partners(node: u32, first: &[PairOutcome]) -> impl Iterator<Item = u32> {
    first
        .iter()
        .filter(|outcome| outcome.verdict != Verdict::NotMeasured)
        .filter_map(move |outcome| match *outcome {
            PairOutcome { client, server, .. } if client == node => Some(server),
            PairOutcome { client, server, .. } if server == node => Some(client),
            _ => None,
        })
}

fn many(nodes: u32) -> String {
    match nodes {
        1 => "1 other node".to_owned(),
        _ => format!("{nodes} other nodes"),
    }
}

fn name(nodes: &[MeshNode], node: u32) -> &str {
    nodes
        .get(node as usize)
        .map_or("?", |node| node.name.as_str())
}
