//! Waiting: always with a deadline, and with what was seen last in the error.

use anyhow::{Result, bail};
use std::time::{Duration, Instant};

/// Short: some scenarios must act within a pod's start, which takes less than a second.
const POLL: Duration = Duration::from_millis(50);

/// What one look found.
#[derive(Debug)]
pub enum Seen<T> {
    Done(T),
    /// Not yet: what there is instead.
    NotYet(String),
}

impl<T> Seen<T> {
    /// `Done` when there is a value.
    pub fn some(value: Option<T>, otherwise: impl FnOnce() -> String) -> Seen<T> {
        match value {
            Some(value) => Seen::Done(value),
            None => Seen::NotYet(otherwise()),
        }
    }
}

impl Seen<()> {
    /// `Done` when `condition` holds.
    pub fn when(condition: bool, otherwise: impl FnOnce() -> String) -> Seen<()> {
        Seen::some(condition.then_some(()), otherwise)
    }
}

/// Looks again and again. An error of a look ends the wait at once: only `NotYet` is worth waiting for.
pub async fn until<T>(
    what: &str,
    deadline: Duration,
    mut look: impl AsyncFnMut() -> Result<Seen<T>>,
) -> Result<T> {
    let begun = Instant::now();
    loop {
        let last = match tokio::time::timeout(deadline, look()).await {
            Ok(Ok(Seen::Done(value))) => return Ok(value),
            Ok(Ok(Seen::NotYet(last))) => last,
            Ok(Err(error)) => return Err(error.context(format!("while waiting for {what}"))),
            Err(_) => "one look alone took that long".to_owned(),
        };
        if begun.elapsed() >= deadline {
            bail!("{what}: not within {deadline:?}; seen last: {last}");
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Looks again and again for `span`: what must not happen must not happen in all that time.
pub async fn throughout(
    what: &str,
    span: Duration,
    mut look: impl AsyncFnMut() -> Result<Seen<()>>,
) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < span {
        if let Seen::NotYet(instead) = look().await? {
            bail!(
                "{what}: held for {:.1} s only; then: {instead}",
                begun.elapsed().as_secs_f32()
            );
        }
        tokio::time::sleep(POLL).await;
    }
    Ok(())
}
