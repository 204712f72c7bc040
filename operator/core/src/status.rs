//! The status of runs and tests.

mod facts;
mod many;

use crate::{
    aggregate::aggregate,
    conditions::{conditions, find},
    diagnose::{self, diagnose},
    plan::{Progress, Stage},
    valid::ValidTest,
    validate::Refusal,
    verdict::{History, MeasuredPair, verdict},
};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use nettest_api::{
    NetTest, NetTestRun, NetTestRunStatus, NetTestStatus, condition,
    net_test_run::DocumentsStatus,
    result::{EndpointStatus, PairStatus, VariantResult, Verdict},
};
use nettest_report::{digest::Digest, report::HostFacts};

/// As the definition's maxItems: the API server refuses a status with more.
const MAX_DIAGNOSES: usize = 16;

/// Whether a run's result stands: Succeeded is True or False.
pub fn finished(status: &NetTestRunStatus) -> bool {
    find(&status.conditions, condition::SUCCEEDED)
        .is_some_and(|condition| matches!(condition.status.as_str(), "True" | "False"))
}

/// The status of a run after a pass. `documents` is what was kept of the log, with [`Stage::Measured`]; `history` are
/// the results of the runs before, for thresholds that are relative to them.
pub fn run_status(
    run: &NetTestRun,
    test: &ValidTest,
    progress: &Progress,
    documents: Option<DocumentsStatus>,
    history: &History,
    now: Timestamp,
) -> NetTestRunStatus {
    let old = run.status.clone().unwrap_or_default();
    let Progress {
        attempt,
        placed,
        pair,
        many,
        stage,
    } = progress;
    if *stage == Stage::Settled {
        return old;
    }
    let mut status = NetTestRunStatus {
        observed_generation: run.metadata.generation,
        start_time: old.start_time.clone().or(Some(Time(now))),
        placement_time: placed.map(Time),
        attempt: i32::try_from(*attempt).ok(),
        pair: pair.clone().or(old.pair),
        ..NetTestRunStatus::default()
    };
    if let Some(many) = many {
        many::note(&mut status, run, test, many);
    }
    let facts = match stage {
        Stage::Settled => return status,
        Stage::Concluded => {
            let judgement = many::judge(test, many.as_ref(), history);
            status.verdict = Some(judgement.verdict);
            status.finish_time = Some(Time(now));
            let diagnosis = many
                .iter()
                .flat_map(|many| diagnose::of_run(test, &many.ledger));
            status.diagnosis = diagnosis.take(MAX_DIAGNOSES).collect();
            let facts = facts::concluded(test, &judgement, many.as_ref());
            status.thresholds = judgement.thresholds;
            facts
        }
        Stage::Waiting(waiting) => facts::waiting(waiting),
        Stage::Failed {
            reason,
            message,
            ran,
        } => {
            status.verdict = Some(Verdict::Error);
            status.finish_time = Some(Time(now));
            facts::failed(*reason, message, *ran)
        }
        Stage::Measured(digest) => {
            let results = aggregate(test, digest);
            let pair = measured_pair(status.pair.as_ref(), digest, &results);
            let judgement = verdict(test, std::slice::from_ref(&pair), history);
            let mut diagnosis = diagnose(test, digest, &results);
            diagnosis.extend(diagnose::of_pair(test, &pair));
            diagnosis.truncate(MAX_DIAGNOSES);
            status.diagnosis = diagnosis;
            status.verdict = Some(judgement.verdict);
            status.finish_time = Some(Time(now));
            if let Some(pair) = &mut status.pair {
                add_cpus(pair, digest);
            }
            let facts = facts::measured(test, digest, &results, &judgement);
            status.results = results;
            status.thresholds = judgement.thresholds;
            status.documents = documents;
            facts
        }
    };
    status.conditions = conditions(&old.conditions, &facts, run.metadata.generation, now);
    if let Some(many) = many {
        let ended = !matches!(stage, Stage::Waiting(_));
        status.pairs = many::pairs(&status, test, many, history, ended);
    }
    status
}

/// The one pair of a digest.
fn measured_pair<'a>(
    pair: Option<&'a PairStatus>,
    digest: &Digest,
    results: &'a [VariantResult],
) -> MeasuredPair<'a> {
    let link = |host: Option<&HostFacts>| host.and_then(|host| host.link_speed_bits_per_second);
    MeasuredPair {
        client: pair.map_or("client", |pair| &pair.client.node),
        server: pair.map_or("server", |pair| &pair.server.node),
        results: results.iter().collect(),
        client_link: link(digest.client_host.as_ref()),
        server_link: link(digest.server_host.as_ref()),
    }
}

/// The status of a run that was refused before any pod.
pub fn refused_run_status(run: &NetTestRun, refusal: &Refusal, now: Timestamp) -> NetTestRunStatus {
    let old = run.status.clone().unwrap_or_default();
    let facts = facts::refused(refusal);
    NetTestRunStatus {
        observed_generation: run.metadata.generation,
        start_time: old.start_time.or(Some(Time(now))),
        finish_time: Some(Time(now)),
        verdict: Some(Verdict::Error),
        conditions: conditions(&old.conditions, &facts, run.metadata.generation, now),
        ..NetTestRunStatus::default()
    }
}

/// The status of a test: its latest run's, in short. `run` is the run of the test's present generation, if it
/// exists yet; the result of an older one never shows under a newer generation.
pub fn test_status(test: &NetTest, run: Option<&NetTestRun>, now: Timestamp) -> NetTestStatus {
    let old = test.status.clone().unwrap_or_default();
    let generation = test.metadata.generation;
    let run = run.filter(|run| run.spec.test_generation == generation || generation.is_none());
    let Some(run) = run else {
        return NetTestStatus {
            observed_generation: generation,
            conditions: conditions(&old.conditions, &facts::new_test(), generation, now),
            latest_run: old.latest_run,
            last_run_time: old.last_run_time,
            history: old.history,
            next_run_time: old.next_run_time,
            last_schedule_time: old.last_schedule_time,
            last_rerun: old.last_rerun,
            ..NetTestStatus::default()
        };
    };
    let status = run.status.clone().unwrap_or_default();
    let facts = facts::from_conditions(&status.conditions);
    NetTestStatus {
        observed_generation: generation,
        conditions: conditions(&old.conditions, &facts, generation, now),
        verdict: status.verdict,
        latest_run: run.metadata.name.clone(),
        last_run_time: status.finish_time.or(old.last_run_time),
        pair: status.pair,
        results: status.results,
        thresholds: status.thresholds,
        diagnosis: status.diagnosis,
        progress: status.progress,
        suspects: status.suspects,
        // These are the schedule's to say.
        history: old.history,
        next_run_time: old.next_run_time,
        last_schedule_time: old.last_schedule_time,
        last_rerun: old.last_rerun,
    }
}

/// The pair of a run as the engines themselves saw it, for runs without pods (`--local`).
pub fn pair_from_digest(digest: &Digest) -> Option<PairStatus> {
    let end = |host: &HostFacts| EndpointStatus {
        node: host.node.clone().unwrap_or_else(|| host.hostname.clone()),
        zone: None,
        address: None,
        allowed_cpus: Some(host.allowed_cpus.clone()),
    };
    Some(PairStatus {
        client: end(digest.client_host.as_ref()?),
        server: end(digest.server_host.as_ref()?),
    })
}

fn add_cpus(pair: &mut PairStatus, digest: &Digest) {
    let hosts = [
        (&mut pair.client, digest.client_host.as_ref()),
        (&mut pair.server, digest.server_host.as_ref()),
    ];
    for (end, host) in hosts {
        end.allowed_cpus = host
            .map(|host| host.allowed_cpus.clone())
            .filter(|cpus| !cpus.is_empty());
    }
}

#[cfg(test)]
mod tests;
