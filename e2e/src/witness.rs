//! Watches the engine pods of some namespaces while something runs: who measured whom, and whether any node was in two
//! measurements at one moment.

use crate::{
    Namespace,
    engine_pod::{Role, engine_state, is_running, is_terminated},
};
use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::Pod;
use kube::{
    ResourceExt,
    api::{Api, ListParams},
};
use nettest_api::labels;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};
use tokio::{sync::oneshot, task::JoinHandle};

/// Clients measure for a second at least: none comes and goes between two looks.
const LOOK: Duration = Duration::from_millis(30);

/// A client that was seen.
#[derive(Debug, Clone)]
pub struct Client {
    pub namespace: String,
    pub run_uid: String,
    pub pod: String,
    /// The nodes of its pair.
    pub client: String,
    pub server: String,
    /// When it was there, ran and had ended.
    pub made: Instant,
    pub ran: Option<Instant>,
    pub ended: Option<Instant>,
}

/// All that was seen.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// In the order in which they came.
    pub clients: Vec<Client>,
    /// Each moment at which two clients that had not ended had a node in common.
    pub shared: Vec<String>,
    /// Clients that ran at one moment, at most.
    pub at_once: usize,
    looks: u32,
    known: BTreeMap<String, usize>,
}

/// The watch, until [`Witness::end`].
#[derive(Debug)]
pub struct Witness {
    task: JoinHandle<Result<Seen>>,
    stop: oneshot::Sender<()>,
}

impl Witness {
    /// Looks at all namespaces given.
    pub fn of(namespaces: &[&Namespace]) -> Witness {
        let apis: Vec<Api<Pod>> = namespaces.iter().map(|ns| ns.api()).collect();
        let (stop, mut stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let engines = format!("{}={}", labels::MANAGED_BY, labels::MANAGED_BY_VALUE);
            // Of the API server's memory: as new as a watch's.
            let cheap = ListParams::default().labels(&engines).match_any();
            let mut seen = Seen::default();
            loop {
                let mut pods = Vec::new();
                for api in &apis {
                    pods.extend(api.list(&cheap).await.context("the witness's list")?);
                }
                seen.look(&pods);
                let pause = tokio::time::timeout(LOOK, &mut stopped).await;
                if pause.is_ok() {
                    return Ok(seen);
                }
            }
        });
        Witness { task, stop }
    }

    /// What was seen until now.
    pub async fn end(self) -> Result<Seen> {
        let _ = self.stop.send(());
        self.task.await.context("the witness")?
    }
}

impl Seen {
    fn look(&mut self, pods: &[Pod]) {
        self.looks += 1;
        let now = Instant::now();
        let clients = pods
            .iter()
            .filter(|pod| label(pod, labels::ROLE) == Role::Client.as_str());
        let mut live: Vec<&Pod> = Vec::new();
        for pod in clients {
            let index = *self
                .known
                .entry(pod.uid().unwrap_or_default())
                .or_insert_with(|| {
                    self.clients.push(Client {
                        namespace: pod.namespace().unwrap_or_default(),
                        run_uid: label(pod, labels::RUN_UID),
                        pod: pod.name_any(),
                        client: label(pod, labels::CLIENT_NODE),
                        server: label(pod, labels::SERVER_NODE),
                        made: now,
                        ran: None,
                        ended: None,
                    });
                    self.clients.len() - 1
                });
            let client = &mut self.clients[index];
            if is_terminated(pod) {
                client.ended.get_or_insert(now);
                client.ran.get_or_insert(now);
            } else {
                live.push(pod);
                if engine_state(pod).is_some() && is_running(pod) {
                    client.ran.get_or_insert(now);
                }
            }
        }
        self.at_once = self
            .at_once
            .max(live.iter().filter(|pod| is_running(pod)).count());
        for (index, one) in live.iter().enumerate() {
            for other in &live[index + 1..] {
                let common: Vec<String> = nodes(one).intersection(&nodes(other)).cloned().collect();
                if !common.is_empty() {
                    let names = [one.name_any(), other.name_any()].join(" and ");
                    self.shared
                        .push(format!("{names} at once on {}", common.join(", ")));
                }
            }
        }
    }

    /// The pairs of nodes that were measured, each as often as it was, smaller name first.
    pub fn pairs(&self) -> Vec<[String; 2]> {
        let mut pairs: Vec<[String; 2]> = self
            .clients
            .iter()
            .map(|client| {
                let mut pair = [client.client.clone(), client.server.clone()];
                pair.sort();
                pair
            })
            .collect();
        pairs.sort();
        pairs
    }

    /// No node was in two measurements at one moment.
    pub fn one_at_a_time(&self) -> Result<()> {
        ensure!(
            self.shared.is_empty(),
            "{} of {} looks saw a node in two measurements, first: {}",
            self.shared.len(),
            self.looks,
            self.shared[0]
        );
        Ok(())
    }
}

fn label(pod: &Pod, key: &str) -> String {
    pod.labels().get(key).cloned().unwrap_or_default()
}

fn nodes(pod: &Pod) -> BTreeSet<String> {
    [
        label(pod, labels::CLIENT_NODE),
        label(pod, labels::SERVER_NODE),
    ]
    .into()
}
