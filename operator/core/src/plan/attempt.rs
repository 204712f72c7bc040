//! One attempt: which of its pods exist decides where it is.

use super::{MAX_ATTEMPTS, Phase, Plan, Progress, Stage, Step, Waiting, clean, finish, start};
use crate::{
    names::Role,
    node_facts::{NodeFacts, zone_of},
    observed::Observed,
    pod_facts::{NodePair, PodFacts},
    valid::{Lane, NodeName, ValidTest, ValidTopology, ValidVariant},
};
use jiff::{SignedDuration, Timestamp};
use nettest_api::{
    Reason,
    path::{IPFamily, PathKind},
    result::{EndpointStatus, PairStatus},
};
use std::{collections::BTreeSet, time::Duration};

/// Look again this often while something else must move: watches tell sooner, this is the safety net.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn plan(test: &ValidTest, seen: &Observed, now: Timestamp) -> Plan {
    let attempt = Attempt::new(test, seen, now);
    // A new attempt begins only when nothing of the one before is left: no attempt runs beside another.
    if seen.pods.iter().any(|pod| pod.attempt != attempt.number) {
        let stale = seen.pods.iter().filter(|pod| pod.attempt != attempt.number);
        let plan = attempt.waiting(
            Phase::Pending,
            None,
            "removing the pods of the attempt before",
        );
        return attempt.step(plan, clean::next(stale));
    }
    match (attempt.client, attempt.server) {
        (Some(client), _) => finish::with_client(&attempt, client),
        // Our status is written after the client's create, so it may miss a client that lived for a moment.
        // Then the same attempt starts a client again; nothing of it was ever read.
        (None, _) if attempt.client_was_running() => attempt.retry(
            Reason::Interrupted,
            "the client pod vanished before its result was read",
        ),
        (None, Some(server)) => start::with_server(&attempt, server),
        (None, None) => start::from_nothing(&attempt),
    }
}

/// What is known about the current attempt.
#[derive(Debug)]
pub(super) struct Attempt<'a> {
    pub test: &'a ValidTest,
    pub seen: &'a Observed,
    pub now: Timestamp,
    pub number: u32,
    pub client: Option<&'a PodFacts>,
    pub server: Option<&'a PodFacts>,
    /// When it left the queue. A wiped status is made good by the pods' own times.
    pub placed: Option<Timestamp>,
}

impl<'a> Attempt<'a> {
    fn new(test: &'a ValidTest, seen: &'a Observed, now: Timestamp) -> Attempt<'a> {
        let of_pods = seen.pods.iter().map(|pod| pod.attempt).max();
        let number = seen.run.attempt.max(of_pods.unwrap_or(1));
        let pod = |role: Role| {
            seen.pods
                .iter()
                .find(|pod| pod.attempt == number && pod.role == role)
        };
        let oldest = seen
            .pods
            .iter()
            .filter(|pod| pod.attempt == number)
            .filter_map(|pod| pod.created)
            .min();
        Attempt {
            test,
            seen,
            now,
            number,
            client: pod(Role::Client),
            server: pod(Role::Server),
            placed: seen.run.placed.or(oldest),
        }
    }

    /// Of a test with one lane, which is all that an attempt has.
    pub fn lane(&self) -> Lane {
        self.test
            .variants
            .first()
            .map_or(Lane::PODS, ValidVariant::lane)
    }

    /// Each once, by the order of the paths.
    pub fn paths(&self) -> impl Iterator<Item = PathKind> + use<> {
        let paths = self.test.variants.iter().map(|variant| variant.path);
        paths.collect::<BTreeSet<PathKind>>().into_iter()
    }

    /// Whether the server is none of ours.
    pub fn is_external(&self) -> bool {
        matches!(self.test.topology, ValidTopology::External(_))
    }

    fn client_was_running(&self) -> bool {
        self.seen.run.client_was_running && self.seen.run.attempt == self.number
    }

    /// A time that began then has passed.
    pub fn over(&self, since: Timestamp, limit: Duration) -> bool {
        self.left(since, limit).is_zero()
    }

    /// What is left of a time that began then.
    fn left(&self, since: Timestamp, limit: Duration) -> Duration {
        let limit = SignedDuration::try_from(limit).unwrap_or(SignedDuration::MAX);
        let left = limit.saturating_sub(self.now.duration_since(since));
        Duration::try_from(left).unwrap_or(Duration::ZERO)
    }

    /// scheduleTimeout has passed. Never before the attempt left the queue.
    pub fn placing_is_over(&self) -> bool {
        self.placed
            .is_some_and(|placed| self.over(placed, self.test.limits.schedule_timeout))
    }

    /// Whether a node is gone or not ready.
    pub fn lost(&self, node: &NodeName) -> bool {
        // An external server is on none.
        let external = match &self.test.topology {
            ValidTopology::External(external) => external.host == node.as_str(),
            _ => false,
        };
        !external
            && !self
                .seen
                .nodes
                .iter()
                .any(|facts| facts.name == *node && facts.ready)
    }

    /// The run goes on. The longest wait is [`PATIENCE`], the shortest what is left until the next deadline.
    pub fn waiting(
        &self,
        phase: Phase,
        blocked: Option<Reason>,
        message: impl Into<String>,
    ) -> Plan {
        let deadline = match (phase, self.client) {
            (Phase::Running, Some(client)) => finish::running_since(client)
                .map(|since| self.left(since, self.test.limits.run_timeout)),
            (Phase::Queued, _) => None,
            _ => self
                .placed
                .map(|placed| self.left(placed, self.test.limits.schedule_timeout)),
        };
        let mut plan = self.plan(Stage::Waiting(Waiting {
            phase,
            blocked,
            message: message.into(),
        }));
        plan.requeue_after = Some(deadline.map_or(PATIENCE, |left| {
            left.clamp(Duration::from_millis(100), PATIENCE)
        }));
        plan
    }

    /// The run ends without a result.
    pub fn failed(&self, reason: Reason, message: impl Into<String>, ran: bool) -> Plan {
        self.plan(Stage::Failed {
            reason,
            message: message.into(),
            ran,
        })
    }

    /// A wait that ends with the reason it waits for, once scheduleTimeout has passed.
    pub fn until_placed(
        &self,
        phase: Phase,
        blocked: Option<Reason>,
        message: impl Into<String>,
    ) -> Plan {
        let message = message.into();
        if self.placing_is_over() {
            let timeout = crate::span::display(self.test.limits.schedule_timeout);
            return self.failed(
                blocked.unwrap_or(Reason::ScheduleTimeout),
                format!("{message} (limits.scheduleTimeout of {timeout} has passed)"),
                false,
            );
        }
        self.waiting(phase, blocked, message)
    }

    /// Another attempt, a bounded number of times. The number is written before anything is removed, so that a
    /// crash in between cannot lose it.
    pub fn retry(&self, reason: Reason, message: impl Into<String>) -> Plan {
        let message = message.into();
        if self.number >= MAX_ATTEMPTS {
            return self.failed(
                reason,
                format!("{message} (attempt {MAX_ATTEMPTS} of {MAX_ATTEMPTS})"),
                self.client.is_some() || self.client_was_running(),
            );
        }
        let next = self.number + 1;
        let mut plan = self.waiting(
            Phase::Pending,
            None,
            format!(
                "attempt {} ended: {message}; attempt {next} follows",
                self.number
            ),
        );
        plan.progress.attempt = next;
        plan.progress.placed = None;
        plan.requeue_after = Some(Duration::ZERO);
        plan
    }

    /// As [`Attempt::retry`], not before the pod has been there for a while: a kubelet that refused a pod
    /// refuses its twin a moment later, too.
    pub fn retry_later(&self, pod: &PodFacts, reason: Reason, message: impl Into<String>) -> Plan {
        let pause = Duration::from_secs(5).saturating_mul(self.number);
        let left = pod
            .created
            .map_or(Duration::ZERO, |created| self.left(created, pause));
        if left.is_zero() || self.number >= MAX_ATTEMPTS {
            return self.retry(reason, message);
        }
        let mut plan = self.waiting(Phase::Pending, Some(reason), message);
        plan.requeue_after = Some(left);
        plan
    }

    /// The same plan with a step; after one there is always more to do.
    pub fn step(&self, mut plan: Plan, step: Option<Step>) -> Plan {
        if step.is_some() {
            plan.requeue_after = Some(Duration::ZERO);
        }
        plan.step = step;
        plan
    }

    pub fn plan(&self, stage: Stage) -> Plan {
        Plan {
            step: None,
            progress: Progress {
                attempt: self.number,
                placed: self.placed,
                pair: self.pair_status(),
                many: None,
                stage,
            },
            collect: vec![],
            // A finished run has its pods to remove.
            requeue_after: Some(Duration::ZERO),
        }
    }

    fn pair_status(&self) -> Option<PairStatus> {
        let pair = self.server.or(self.client).map(|pod| &pod.pair)?;
        Some(pair_status(
            &self.seen.nodes,
            pair,
            self.test.ip_family,
            self.client,
            self.server,
        ))
    }
}

pub(super) fn pair_status(
    nodes: &[NodeFacts],
    pair: &NodePair,
    family: Option<IPFamily>,
    client: Option<&PodFacts>,
    server: Option<&PodFacts>,
) -> PairStatus {
    let end = |node: &NodeName, pod: Option<&PodFacts>| EndpointStatus {
        node: node.as_str().to_owned(),
        zone: zone_of(nodes, node),
        address: pod
            .and_then(|pod| pod.address(family))
            .map(|address| address.to_string()),
        allowed_cpus: None,
    };
    PairStatus {
        client: end(&pair.client, client),
        server: end(&pair.server, server),
    }
}
