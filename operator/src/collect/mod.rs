//! The documents of a measurement: read from pods/log, checked against the digest's checksum, kept gzip in a
//! ConfigMap. Nothing here can fail a run: what is missing or does not fit is `truncated`.
//!
//! - [`log`]: the read; [`documents`]: how much of it is kept; [`config_map`]: as what

pub mod config_map;
pub mod documents;
pub mod log;

use crate::{
    apply::create::{self, Created},
    scope::Scope,
};
use config_map::config_map;
use documents::{BUDGET_BYTES, Kept, keep};
use nettest_api::{NetTestRun, net_test_run::DocumentsStatus};
use nettest_core::{collect, names, pod::CONTAINER};
use nettest_report::digest::Digest;

/// Read, check, keep: what the status says about it. Its only write is a create, so it may be done again.
pub async fn collect(
    scope: &Scope,
    run: &NetTestRun,
    namespace: &str,
    pod: &str,
    digest: &Digest,
) -> DocumentsStatus {
    let kept = match log::read(&scope.api(namespace), pod, CONTAINER).await {
        Ok(log) => compressed(log, digest.clone()).await,
        Err(error) => {
            tracing::warn!(pod, %error, "the documents are lost; the figures are in the digest");
            Kept::NOTHING
        }
    };
    let nothing = DocumentsStatus {
        config_map: None,
        truncated: true,
    };
    let Some(gzip) = kept.gzip else {
        return nothing;
    };
    let Some(map) = config_map(run, digest.attempt, gzip) else {
        return nothing;
    };
    match create::documents(&scope.api(namespace), &map).await {
        Ok(Created::Done) => DocumentsStatus {
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
            nothing
        }
        // Quota, policy, or the namespace is going away: the figures matter more.
        Ok(Created::Refused(status)) => {
            tracing::warn!(pod, message = %status.message, "the documents are lost: no ConfigMap");
            nothing
        }
        Err(error) => {
            tracing::warn!(pod, %error, "the documents are lost");
            nothing
        }
    }
}

/// Megabytes of parsing and gzip, off the threads that answer probes.
async fn compressed(log: String, digest: Digest) -> Kept {
    tokio::task::spawn_blocking(move || keep(&collect::documents(&log, &digest), BUDGET_BYTES))
        .await
        .unwrap_or(Kept::NOTHING)
}
