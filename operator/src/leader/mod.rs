//! Leader election by a Lease, as client-go does it: a lease is dead when *we* have not seen it change for
//! its whole duration by our own monotonic clock, so wrong wall clocks on either side do no harm; writes
//! carry the resourceVersion that was read, so two takers cannot both win.
//!
//! Not kube-lease-manager: in 0.13 a holder that cannot renew goes on believing that it leads (its
//! `is_holder` does not look at the expiry), and it compares wall clocks of two machines.

mod claim;

use crate::client::{CallError, call};
use claim::{Claim, Seen, decide};
use k8s_openapi::{
    api::coordination::v1::{Lease, LeaseSpec},
    apimachinery::pkg::apis::meta::v1::MicroTime,
};
use kube::{
    Api, Client,
    api::{ObjectMeta, PostParams},
};
use std::time::Duration;
use tokio::{sync::watch, time::Instant};

pub const LEASE_NAME: &str = "nettest-operator";
/// Others may take over after this long without a sign of life.
const DURATION: Duration = Duration::from_secs(15);
/// The leader stops by itself before that.
const RENEW_DEADLINE: Duration = Duration::from_secs(10);
const RENEW_EVERY: Duration = Duration::from_secs(3);
const TRY_EVERY: Duration = Duration::from_secs(2);

/// One replica's part in the election.
#[derive(Debug)]
pub struct Election {
    leases: Api<Lease>,
    namespace: String,
    identity: String,
}

impl Election {
    pub fn new(client: Client, namespace: &str, identity: String) -> Election {
        Election {
            leases: Api::namespaced(client, namespace),
            namespace: namespace.to_owned(),
            identity,
        }
    }

    /// Wait until we lead.
    pub async fn won(&self) {
        let mut seen = None;
        loop {
            match tokio::time::timeout(RENEW_DEADLINE, self.attempt(&mut seen)).await {
                Ok(Ok(true)) => return,
                Ok(Ok(false)) => {}
                Ok(Err(error)) => tracing::warn!(%error, "leader election"),
                Err(_) => tracing::warn!("leader election: the API server does not answer"),
            }
            tokio::time::sleep(TRY_EVERY).await;
        }
    }

    /// Renew until leadership is lost (returns) or `stop` turns true (the lease is given back, then returns).
    pub async fn keep(&self, mut stop: watch::Receiver<bool>) {
        let mut renewed = Instant::now();
        let mut seen = None;
        loop {
            let deadline = renewed + RENEW_DEADLINE;
            let next = (Instant::now() + RENEW_EVERY).min(deadline);
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => {
                    self.release().await;
                    return;
                }
                () = tokio::time::sleep_until(next) => {}
            }
            // The deadline counts from before the request: the server may have seen it at any time since.
            let started = Instant::now();
            match tokio::time::timeout_at(deadline, self.attempt(&mut seen)).await {
                Ok(Ok(true)) => renewed = started,
                Ok(Ok(false)) => {
                    tracing::error!("another replica has the lease");
                    return;
                }
                Ok(Err(error)) => tracing::warn!(%error, "lease not renewed"),
                Err(_) => {}
            }
            if Instant::now() >= deadline && renewed < started {
                tracing::error!(
                    "the lease could not be renewed for {} s",
                    RENEW_DEADLINE.as_secs()
                );
                return;
            }
        }
    }

    /// Read, decide, write: whether the lease is ours now.
    async fn attempt(&self, seen: &mut Option<Seen>) -> Result<bool, CallError> {
        let lease = call("read the Lease", self.leases.get_opt(LEASE_NAME)).await?;
        let now = Instant::now();
        *seen = lease
            .as_ref()
            .map(|lease| Seen::update(seen.take(), lease, now));
        let claim = decide(lease.as_ref(), seen.as_ref(), &self.identity, now);
        let written = match claim {
            Claim::Wait => return Ok(false),
            Claim::Create => {
                let new = self.lease(ObjectMeta::default(), None);
                call(
                    "create the Lease",
                    self.leases.create(&PostParams::default(), &new),
                )
                .await
            }
            Claim::Replace => {
                let Some(old) = lease else { return Ok(false) };
                // The whole metadata goes back, with its resourceVersion: a conflict means somebody was faster.
                let new = self.lease(old.metadata.clone(), old.spec.as_ref());
                call(
                    "renew the Lease",
                    self.leases
                        .replace(LEASE_NAME, &PostParams::default(), &new),
                )
                .await
            }
        };
        match written {
            Ok(lease) => {
                *seen = Some(Seen::update(seen.take(), &lease, now));
                Ok(true)
            }
            // Not "lost": the next attempt reads who won.
            Err(error) => Err(error),
        }
    }

    fn lease(&self, metadata: ObjectMeta, old: Option<&LeaseSpec>) -> Lease {
        let now = MicroTime(jiff::Timestamp::now());
        let old_holder = old.and_then(|old| old.holder_identity.as_deref());
        let ours = old_holder == Some(&self.identity);
        let transitions = old.and_then(|old| old.lease_transitions).unwrap_or(0);
        Lease {
            metadata: ObjectMeta {
                name: Some(LEASE_NAME.to_owned()),
                namespace: Some(self.namespace.clone()),
                managed_fields: None,
                ..metadata
            },
            spec: Some(LeaseSpec {
                holder_identity: Some(self.identity.clone()),
                lease_duration_seconds: i32::try_from(DURATION.as_secs()).ok(),
                acquire_time: old
                    .filter(|_| ours)
                    .and_then(|old| old.acquire_time.clone())
                    .or_else(|| Some(now.clone())),
                renew_time: Some(now),
                lease_transitions: Some(if ours || old.is_none() {
                    transitions
                } else {
                    transitions.saturating_add(1)
                }),
                ..LeaseSpec::default()
            }),
        }
    }

    /// Give the lease back, so that the next replica need not wait.
    async fn release(&self) {
        let released = async {
            let Some(mut lease) = call("read the Lease", self.leases.get_opt(LEASE_NAME)).await?
            else {
                return Ok(());
            };
            let Some(spec) = lease.spec.as_mut() else {
                return Ok(());
            };
            if spec.holder_identity.as_deref() != Some(&self.identity) {
                return Ok(());
            }
            spec.holder_identity = None;
            lease.metadata.managed_fields = None;
            call(
                "give back the Lease",
                self.leases
                    .replace(LEASE_NAME, &PostParams::default(), &lease),
            )
            .await
            .map(drop)
        };
        match tokio::time::timeout(RENEW_DEADLINE, released).await {
            Ok(Ok(())) => {}
            Ok(Err::<(), CallError>(error)) => tracing::warn!(%error, "lease not given back"),
            Err(_) => tracing::warn!("lease not given back: the API server does not answer"),
        }
    }
}

#[cfg(test)]
mod tests;
