//! Waits for the end of an applied test, or of a run.

use super::client::said;
use super::state::{Conditioned, State, state};
use futures::{StreamExt, pin_mut};
use kube::Api;
use kube::runtime::{WatchStreamExt, watcher};
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::time::Duration;
use thiserror::Error;
use tokio::time::{Instant, timeout_at};

/// A run of many pairs moves on several times a second: nobody reads that, and a log of it less.
const PAIRS_PAUSE: Duration = Duration::from_secs(5);
/// After this long without a sign of an operator, the user is told.
const OPERATOR_SILENT: Duration = Duration::from_secs(15);

#[derive(Debug, Error)]
pub enum WaitError {
    #[error("{0} was deleted before it ended")]
    Deleted(String),
    #[error(
        "{name} was changed by somebody else while it ran: that run's result is not this file's"
    )]
    Changed { name: String },
    #[error("{name} has not ended within {} s ({last}); it goes on in the cluster: kubectl get {kind}/{name} -n {namespace}", .time.as_secs())]
    Timeout {
        kind: String,
        name: String,
        namespace: String,
        time: Duration,
        last: String,
    },
    #[error("cannot read {name}: {error}")]
    Unreadable { name: String, error: String },
}

/// Until the generation of `applied` has ended. `on_news` gets each new sentence about how far it is.
pub async fn wait<K>(
    api: &Api<K>,
    applied: &K,
    time: Duration,
    on_news: &dyn Fn(&str),
) -> Result<K, WaitError>
where
    K: Conditioned + Clone + Debug + DeserializeOwned + Send + 'static,
{
    let name = applied.meta().name.clone().unwrap_or_default();
    let deadline = Instant::now() + time;
    let silent_at = Instant::now() + OPERATOR_SILENT;
    let objects = watcher::watch_object(api.clone(), &name).default_backoff();
    pin_mut!(objects);
    let mut last = "no operator has looked at it yet".to_owned();
    let mut told_silent = false;
    let mut told_pairs: Option<Instant> = None;
    loop {
        let until = if told_silent {
            deadline
        } else {
            silent_at.min(deadline)
        };
        let next = match timeout_at(until, objects.next()).await {
            Ok(next) => next,
            Err(_) if Instant::now() >= deadline => {
                let kind = K::kind(&()).to_ascii_lowercase();
                return Err(WaitError::Timeout {
                    kind,
                    namespace: applied.meta().namespace.clone().unwrap_or_default(),
                    name,
                    time,
                    last,
                });
            }
            Err(_) => {
                told_silent = true;
                on_news(&format!(
                    "{last}: is one installed, and does it watch this namespace?"
                ));
                continue;
            }
        };
        let seen = match next {
            // Lost connections are taken up again by the watcher; a refusal stays one.
            Some(Err(
                watcher::Error::InitialListFailed(error) | watcher::Error::WatchStartFailed(error),
            )) if is_refusal(&error) => {
                return Err(WaitError::Unreadable {
                    name,
                    error: said(&error),
                });
            }
            Some(Err(_)) => continue,
            Some(Ok(None)) | None => return Err(WaitError::Deleted(name)),
            Some(Ok(Some(seen))) => seen,
        };
        if seen.meta().uid != applied.meta().uid {
            return Err(WaitError::Deleted(name));
        }
        if seen.meta().generation > applied.meta().generation {
            return Err(WaitError::Changed { name });
        }
        match state(&seen) {
            State::Ended => return Ok(seen),
            State::Unseen => {}
            State::Going(sentence) => {
                told_silent = true;
                if sentence != last {
                    on_news(&sentence);
                    last = sentence;
                }
            }
            State::Measuring(sentence) => {
                told_silent = true;
                let now = Instant::now();
                let is_soon = told_pairs.is_some_and(|told| now < told + PAIRS_PAUSE);
                if sentence != last && !is_soon {
                    told_pairs = Some(now);
                    on_news(&sentence);
                }
                last = sentence;
            }
        }
    }
}

fn is_refusal(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if matches!(status.code, 401 | 403 | 404))
}
