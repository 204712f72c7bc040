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
use documents::{BUDGET_BYTES, Kept, keep};
use nettest_api::{NetTestRun, net_test_run::DocumentsStatus};
use nettest_core::{
    collect, names,
    pod::CONTAINER,
    pod_facts::{PodFacts, PodState},
};
use nettest_report::digest::{Digest, decode, find_in_log};

/// Nothing could be kept.
pub const LOST: DocumentsStatus = DocumentsStatus {
    config_map: None,
    truncated: true,
};

/// Read, check, keep: what the status says about it. Its only write is a create, so it may be done again.
pub async fn collect(
    scope: &Scope,
    run: &NetTestRun,
    namespace: &str,
    pod: &str,
    digest: &Digest,
) -> Result<DocumentsStatus, CallError> {
    let kept = match log::read(&scope.api(namespace), pod, CONTAINER).await {
        Ok(log) => compressed(log, digest.clone()).await,
        Err(error) if error.is_transient() => return Err(error),
        Err(error) => {
            tracing::warn!(pod, %error, "the documents are lost; the figures are in the digest");
            Kept::NOTHING
        }
    };
    let Some(gzip) = kept.gzip else {
        return Ok(LOST);
    };
    let Some(map) = config_map(run, digest.attempt, gzip) else {
        return Ok(LOST);
    };
    Ok(match create::documents(&scope.api(namespace), &map).await {
        Ok(Created::Done { .. }) => DocumentsStatus {
            config_map: Some(names::documents_name(
                run.metadata.name.as_deref().unwrap_or_default(),
            )),
            truncated: kept.truncated,
        },
        Ok(Created::Taken { holder }) => {
            tracing::warn!(
                pod,
                holder,
                "the documents are lost: their ConfigMap's name is taken"
            );
            LOST
        }
        // Quota, policy, or the namespace is going away: the figures matter more.
        Ok(Created::Refused(status)) => {
            tracing::warn!(pod, message = %status.message, "the documents are lost: no ConfigMap");
            LOST
        }
        Err(error) if error.is_transient() => return Err(error),
        Err(error) => {
            tracing::warn!(pod, %error, "the documents are lost");
            LOST
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
async fn compressed(log: String, digest: Digest) -> Kept {
    tokio::task::spawn_blocking(move || keep(&collect::documents(&log, &digest), BUDGET_BYTES))
        .await
        .unwrap_or(Kept::NOTHING)
}
