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
use nettest_core::{collect, names, pod::CONTAINER};
use nettest_report::digest::Digest;

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

/// Megabytes of parsing and gzip, off the threads that answer probes.
async fn compressed(log: String, digest: Digest) -> Kept {
    tokio::task::spawn_blocking(move || keep(&collect::documents(&log, &digest), BUDGET_BYTES))
        .await
        .unwrap_or(Kept::NOTHING)
}
