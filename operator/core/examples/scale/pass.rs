//! What one pass over a mesh costs that is nearly done: the plan and the status.

use nettest_api::NetTestRun;
use nettest_core::{
    ledger::{Ledger, PairRecord},
    mesh::Mesh,
    node_facts::NodeFacts,
    observed::{Observed, RunFacts},
    plan,
    policy::Policy,
    status::run_status,
    valid::ValidTest,
    validate::validate,
};
use std::collections::BTreeMap;

const RUN: &str = "
apiVersion: nettest.dev/v1alpha1
kind: NetTestRun
metadata: {name: mesh-1, namespace: default, uid: 6b7e1c1a-0000-4000-8000-000000000001, creationTimestamp: 2026-12-01T00:00:00Z}
spec:
  test:
    topology: {type: Mesh}
    thresholds:
    - {name: line-rate, metric: Throughput, min: 9G}
    - {name: wish, metric: Throughput, min: 9.4G, severity: Warn}
";

/// As the status of a pair with two results has them.
const RECORD: &str = "
client: a
server: b
lane: {client: Pod, server: Pod}
state: Measured
attempt: 1
results:
- {variant: tcp, flow: ClientToServer, throughput: 9.41 Gbit/s, throughputBitsPerSecond: {median: 9410000000, min: 9400000000, max: 9420000000, spreadPercent: 0}, senderBitsPerSecond: 9411000000, receiverBitsPerSecond: 9410000000, sentBytes: 11763750000, receivedBytes: 11762500000, retransmits: 12, rttMicroseconds: 180, clientCPUMilli: 640, serverCPUMilli: 710, repeats: 3, congestionControl: cubic}
- {variant: tcp, flow: ServerToClient, throughput: 9.41 Gbit/s, throughputBitsPerSecond: {median: 9410000000, min: 9400000000, max: 9420000000, spreadPercent: 0}, senderBitsPerSecond: 9411000000, receiverBitsPerSecond: 9410000000, sentBytes: 11763750000, receivedBytes: 11762500000, retransmits: 12, rttMicroseconds: 180, clientCPUMilli: 640, serverCPUMilli: 710, repeats: 3, congestionControl: cubic}
";

/// A run of which all pairs but the last are measured.
pub struct Run {
    run: NetTestRun,
    test: ValidTest,
    seen: Observed,
}

impl Run {
    pub fn of(mesh: &Mesh) -> Result<Run, Box<dyn std::error::Error>> {
        let run: NetTestRun = serde_yaml::from_str(RUN)?;
        let test = validate(&run.spec.test, "default", &Policy::everything())?;
        let record: PairRecord = serde_yaml::from_str(RECORD)?;
        let name = |node: u32| mesh.nodes[node as usize].name.as_str().to_owned();
        let pairs = mesh.pairs.iter().take(mesh.pairs.len() - 1);
        let records = pairs.map(|pair| PairRecord {
            client: name(pair.client),
            server: name(pair.server),
            ..record.clone()
        });
        let facts = RunFacts {
            nodes: mesh.nodes.iter().map(|node| node.name.clone()).collect(),
            placed: run.metadata.creation_timestamp.as_ref().map(|time| time.0),
            ..RunFacts::from_run(&run).ok_or("a run without name")?
        };
        let nodes = mesh.nodes.iter().map(|node| NodeFacts {
            name: node.name.clone(),
            labels: BTreeMap::new(),
            ready: true,
            closed: None,
            control_plane: false,
            taints: vec![],
        });
        let seen = Observed {
            run: facts,
            nodes: nodes.collect(),
            pods: vec![],
            services: vec![],
            ledger: Ledger((0..).zip(records).collect()),
            external: None,
            claims: vec![],
            waiters: vec![],
            concurrent_runs: None,
            refusal: None,
        };
        Ok(Run { run, test, seen })
    }

    /// Bytes of the status.
    pub fn pass(&self) -> usize {
        let now = jiff::Timestamp::UNIX_EPOCH;
        let plan = plan::plan(&self.test, &self.seen, now);
        let status = run_status(&self.run, &self.test, &plan.progress, None, &[], now);
        serde_json::to_string(&status).map_or(0, |text| text.len())
    }
}
