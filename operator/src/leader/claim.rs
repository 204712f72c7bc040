//! What to do about a lease: pure.

use super::DURATION;
use k8s_openapi::{api::coordination::v1::Lease, apimachinery::pkg::apis::meta::v1::MicroTime};
use std::time::Duration;
use tokio::time::Instant;

/// The last state of the lease that we saw, and when we first saw it.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    holder: Option<String>,
    renewed: Option<MicroTime>,
    since: Instant,
}

impl Seen {
    pub fn update(before: Option<Seen>, lease: &Lease, now: Instant) -> Seen {
        let spec = lease.spec.as_ref();
        let holder = spec.and_then(|spec| spec.holder_identity.clone());
        let renewed = spec.and_then(|spec| spec.renew_time.clone());
        match before {
            Some(before) if before.holder == holder && before.renewed == renewed => before,
            _ => Seen {
                holder,
                renewed,
                since: now,
            },
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    Create,
    Replace,
    Wait,
}

/// Free, ours or dead: take it. Else wait.
pub fn decide(lease: Option<&Lease>, seen: Option<&Seen>, identity: &str, now: Instant) -> Claim {
    let Some(lease) = lease else {
        return Claim::Create;
    };
    let spec = lease.spec.as_ref();
    let holder = spec
        .and_then(|spec| spec.holder_identity.as_deref())
        .unwrap_or("");
    if holder.is_empty() || holder == identity {
        return Claim::Replace;
    }
    let duration = spec
        .and_then(|spec| spec.lease_duration_seconds)
        .and_then(|seconds| u64::try_from(seconds).ok())
        .map_or(DURATION, Duration::from_secs);
    match seen {
        Some(seen) if now.duration_since(seen.since) > duration => Claim::Replace,
        _ => Claim::Wait,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(holder: &str, renewed: &str) -> Lease {
        serde_yaml::from_str(&format!(
            "metadata: {{name: nettest-operator}}\nspec: {{holderIdentity: '{holder}', leaseDurationSeconds: 15, renewTime: '{renewed}'}}"
        ))
        .unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_wrong_wall_clock_neither_steals_nor_blocks() {
        // renewTime an hour ago by our wall clock: the holder is alive all the same.
        let old = lease("other", "2020-01-01T00:00:00.000000Z");
        let start = Instant::now();
        let seen = Seen::update(None, &old, start);
        assert_eq!(decide(Some(&old), Some(&seen), "me", start), Claim::Wait);
        // It renews at 10 s: the count starts anew.
        let newer = lease("other", "2020-01-01T00:00:10.000000Z");
        let seen = Seen::update(Some(seen), &newer, start + Duration::from_secs(10));
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(decide(Some(&newer), Some(&seen), "me", at(20)), Claim::Wait);
        // Dead for 15 s by our clock, though renewTime may lie in the future.
        let future = lease("other", "2099-01-01T00:00:00.000000Z");
        let seen = Seen::update(Some(seen), &future, at(21));
        assert_eq!(
            decide(Some(&future), Some(&seen), "me", at(36)),
            Claim::Wait
        );
        assert_eq!(
            decide(Some(&future), Some(&seen), "me", at(37)),
            Claim::Replace
        );
    }

    #[tokio::test]
    async fn a_free_lease_and_our_own_are_taken_at_once() {
        let now = Instant::now();
        assert_eq!(decide(None, None, "me", now), Claim::Create);
        let free = lease("", "2020-01-01T00:00:00.000000Z");
        assert_eq!(decide(Some(&free), None, "me", now), Claim::Replace);
        let ours = lease("me", "2020-01-01T00:00:00.000000Z");
        assert_eq!(decide(Some(&ours), None, "me", now), Claim::Replace);
    }
}
