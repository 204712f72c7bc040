//! Why the throughput is what it is, where the figures of a run show it. People act on this: a rule says nothing
//! as soon as something else may be the cause, or a figure that it needs is unknown.

mod overlay;
mod pacing;
mod unstable;

use crate::{
    collect::flow_of,
    ledger::Ledger,
    summary,
    valid::{ValidTest, ValidVariant},
    verdict::MeasuredPair,
};
use nettest_api::{
    diagnosis::Diagnosis,
    result::{Flow, VariantResult},
};
use nettest_report::{digest::Digest, report::SocketFacts};
use std::collections::BTreeSet;

/// What held each flow of a measured pair, by what its engines said. `results` are those of the digest
/// ([`crate::aggregate::aggregate`]).
pub fn diagnose(test: &ValidTest, digest: &Digest, results: &[VariantResult]) -> Vec<Diagnosis> {
    results
        .iter()
        .filter_map(|result| {
            let variant = variant_of(test, result)?;
            let found = pacing::limited(variant, digest, result)?;
            Some(with_variant(test, result, found))
        })
        .collect()
}

/// What the results of two nodes show, those of all lanes together.
pub fn of_pair(test: &ValidTest, pair: &MeasuredPair<'_>) -> Vec<Diagnosis> {
    let overhead = overlay::overhead(test, pair);
    let unstable = pair
        .results
        .iter()
        .filter_map(|result| Some(with_variant(test, result, unstable::told(test, result)?)));
    overhead.into_iter().chain(unstable).collect()
}

/// What held the pairs of a whole run. Of several pairs each reason is told once, of the first pair that has it, with
/// how many have it.
pub fn of_run(test: &ValidTest, ledger: &Ledger) -> Vec<Diagnosis> {
    let records: Vec<_> = summary::of_first_pass(ledger).collect();
    let pairs = summary::between(records.iter().copied());
    let of_records = records.iter().flat_map(|record| {
        let nodes = (record.client.as_str(), record.server.as_str());
        let found = record.diagnosis.iter().cloned();
        found.map(move |found| (nodes, found))
    });
    let of_pairs = pairs.iter().flat_map(|pair| {
        let found = of_pair(test, pair).into_iter();
        found.map(move |found| ((pair.client, pair.server), found))
    });
    let all = of_records.chain(of_pairs);
    if pairs.len() <= 1 {
        return all.map(|(_, found)| found).collect();
    }
    type Nodes<'a> = (&'a str, &'a str);
    let mut told: Vec<(Nodes<'_>, Diagnosis, BTreeSet<Nodes<'_>>)> = Vec::new();
    for (nodes, found) in all {
        let known = told
            .iter_mut()
            .find(|(_, told, _)| told.reason == found.reason);
        match known {
            Some((_, _, of)) => {
                of.insert(nodes);
            }
            None => told.push((nodes, found, BTreeSet::from([nodes]))),
        }
    }
    told.into_iter()
        .map(|((client, server), found, of)| {
            let more = match of.len().saturating_sub(1) {
                0 => String::new(),
                more => format!("; so, too, {more} more of {} pairs", pairs.len()),
            };
            Diagnosis {
                message: format!("{client} -> {server}: {}{more}", found.message),
                ..found
            }
        })
        .collect()
}

fn variant_of<'a>(test: &'a ValidTest, result: &VariantResult) -> Option<&'a ValidVariant> {
    let mut variants = test.variants.iter();
    variants
        .find(|variant| variant.name == result.variant && variant.flows().contains(&result.flow))
}

/// Which variant is meant goes without saying where there is but one.
fn with_variant(test: &ValidTest, result: &VariantResult, found: Diagnosis) -> Diagnosis {
    if test
        .variants
        .iter()
        .all(|other| other.name == result.variant)
    {
        return found;
    }
    Diagnosis {
        message: format!("{}: {}", result.variant, found.message),
        ..found
    }
}

/// What the sender's kernel granted: with several variants each has its own, else it is the host's.
fn sender_sockets<'a>(
    variant: &ValidVariant,
    digest: &'a Digest,
    flow: Flow,
) -> Option<&'a SocketFacts> {
    let mut figures = digest.figures.iter();
    let own = figures
        .find(|figures| figures.variant == variant.key && flow_of(figures) == Some(flow))
        .and_then(|figures| figures.sender_sockets.as_ref());
    let host = match flow {
        Flow::ClientToServer => &digest.client_host,
        Flow::ServerToClient => &digest.server_host,
    };
    own.or(host.as_ref().map(|host| &host.sockets))
}

#[cfg(test)]
mod tests;
