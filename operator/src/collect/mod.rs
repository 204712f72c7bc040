//! The documents of a measurement: read from pods/log, checked against the digest's checksum, kept gzip in a
//! ConfigMap. Nothing here can fail a run: what is missing or does not fit is `truncated`. What another try may
//! bring is an error, so that the pass is done again while the client pod is still there.
//!
//! - [`log`]: the read; [`documents`]: how much of it is kept; [`config_map`]: as what

pub mod config_map;
pub mod documents;
pub mod log;

use crate::{
    apply::create::{self, Created},
    client::CallError,
    scope::Scope,
};
use config_map::config_map;
use documents::{Kept, keep};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use nettest_api::{NetTestRun, net_test_run::DocumentsStatus};
use nettest_core::{
    collect,
    ledger::KeptDocuments,
    plan::Collect,
    pod::CONTAINER,
    pod_facts::{PodFacts, PodState},
};
use nettest_report::digest::{Digest, decode, find_in_log};

/// What is kept of the documents of one client pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub config_map: String,
    pub kept: KeptDocuments,
}

impl Stored {
    /// As the status of a run with one pair says it; nothing may be kept.
    pub fn status(stored: Option<Stored>) -> DocumentsStatus {
        DocumentsStatus {
            truncated: stored.as_ref().is_none_or(|stored| stored.kept.truncated),
            config_map: stored.map(|stored| stored.config_map),
            pairs: None,
        }
    }
}

/// Read, check, keep. Its only write is a create, so it may be done again. `None`: nothing could be kept.
pub async fn collect(
    scope: &Scope,
    run: &NetTestRun,
    namespace: &str,
    wanted: &Collect,
) -> Result<Option<Stored>, CallError> {
    let Collect {
        pod,
        number,
        digest,
        budget,
    } = wanted;
    let kept = match log::read(&scope.api(namespace), pod, CONTAINER).await {
        Ok(log) => compressed(log, digest.clone(), *budget).await,
        Err(error) if error.is_transient() => return Err(error),
        Err(error) => {
            tracing::warn!(pod, %error, "the documents are lost; the figures are in the digest");
            Kept::NOTHING
        }
    };
    let Some(gzip) = kept.gzip else {
        return Ok(None);
    };
    let Some(map) = config_map(run, *number, digest.attempt, gzip) else {
        return Ok(None);
    };
    Ok(match create::documents(&scope.api(namespace), &map).await {
        Ok(Created::Done { object, .. }) => Some(Stored {
            kept: KeptDocuments {
                bytes: size(&object),
                truncated: kept.truncated,
            },
            config_map: object.name_any(),
        }),
        Ok(Created::Taken { holder }) => {
            tracing::warn!(
                pod,
                holder,
                "the documents are lost: their ConfigMap's name is taken"
            );
            None
        }
        // Quota, policy, or the namespace is going away: the figures matter more.
        Ok(Created::Refused(status)) => {
            tracing::warn!(pod, message = %status.message, "the documents are lost: no ConfigMap");
            None
        }
        Err(error) if error.is_transient() => return Err(error),
        Err(error) => {
            tracing::warn!(pod, %error, "the documents are lost");
            None
        }
    })
}

/// A digest that does not fit the termination message is whole in the log: put it in its place. `is_done` says whose
/// result stands already.
pub async fn whole_digests(
    scope: &Scope,
    namespace: &str,
    pods: &mut [PodFacts],
    is_done: impl Fn(Option<u32>) -> bool,
) -> Result<(), CallError> {
    for pod in pods {
        let PodState::Ended(ended) = &mut pod.state else {
            continue;
        };
        if is_done(pod.number) || pod.deleting {
            continue;
        }
        let Ok(stub) = decode(&ended.message) else {
            continue;
        };
        if stub.figures_in_log.is_none() {
            continue;
        }
        let log = match log::read(&scope.api(namespace), &pod.name, CONTAINER).await {
            Ok(log) => log,
            Err(error) if error.is_transient() => return Err(error),
            Err(error) => {
                tracing::warn!(pod = %pod.name, %error, "the figures are in the log, which cannot be read");
                continue;
            }
        };
        match find_in_log(&log, &stub).map(|whole| serde_json::to_string(&whole)) {
            Some(Ok(whole)) => ended.message = whole,
            _ => {
                tracing::warn!(pod = %pod.name, "the figures are in the log, which does not have them");
            }
        }
    }
    Ok(())
}

/// Megabytes of parsing and gzip, off the threads that answer probes.
async fn compressed(log: String, digest: Box<Digest>, budget: usize) -> Kept {
    tokio::task::spawn_blocking(move || keep(&collect::documents(&log, &digest), budget))
        .await
        .unwrap_or(Kept::NOTHING)
}

/// Of what it holds, compressed.
fn size(map: &ConfigMap) -> u32 {
    let all = map.binary_data.iter().flat_map(|data| data.values());
    u32::try_from(all.map(|bytes| bytes.0.len()).sum::<usize>()).unwrap_or(u32::MAX)
}
