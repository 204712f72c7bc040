//! What tests start from: manifests as users type them, pods and nodes as clusters return them.

use crate::{
    ledger::Ledger,
    node_facts::NodeFacts,
    observed::{Observed, RunFacts},
    policy::Policy,
    token::RunToken,
    valid::{NodeName, RunUid, ValidTest},
    validate::{Refusal, validate},
};
use jiff::Timestamp;
use nettest_api::{NetTest, NetTestRun};
use nettest_report::{
    digest::{DIGEST_VERSION, Digest, FailureReason, Figures, Outcome},
    report::HostFacts,
};

pub const PAIR_TCP: &str = "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: pair-tcp, namespace: default}
spec:
  traffic: {parallelStreams: 4, omit: 1s, duration: 10s}
  thresholds:
    - {name: at-least-900m, metric: Throughput, min: 900M}
";

pub const PAIR_UDP: &str = "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: pair-udp, namespace: default}
spec:
  traffic: {protocol: UDP, bitrate: 100M, messageSize: 1400, direction: Bidirectional, interval: 500ms}
  repeats: {count: 2, pause: 1500ms}
  thresholds:
    - {name: loss, metric: LossPPM, max: 100}
    - {name: rate, metric: Throughput, min: 90M}
";

pub const HOST_NETWORK: &str = "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: host-network, namespace: nettest-system}
spec:
  path: {type: Host}
  client: {network: Host, nodeSelector: {rack: a}}
  server: {network: Host, nodeName: worker-2}
  traffic: {direction: Reverse, bytes: 1Gi, windowSize: 4Mi, congestionControl: bbr, bitrate: 0}
";

pub const CPU_PINNED: &str = "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: cpu-pinned, namespace: default}
spec:
  client: {cpu: {mode: Exclusive, count: 2}, memory: 512Mi}
  server: {cpu: {mode: Exclusive}}
  repeats: {count: 1}
";

pub const UID: &str = "6b7e1c1a-0000-4000-8000-000000000001";

pub fn now() -> Timestamp {
    at(0)
}

/// Seconds after the moment that tests call now.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

/// A manifest through the real reader and validate.
pub fn checked(manifest: &str) -> Result<ValidTest, Refusal> {
    let test: NetTest = serde_yaml::from_str(manifest).unwrap();
    let namespace = test.metadata.namespace.clone().unwrap_or_default();
    validate(
        &test.spec,
        &namespace,
        &Policy::with_host_network("nettest-system"),
    )
}

pub fn valid(manifest: &str) -> ValidTest {
    checked(manifest).unwrap()
}

/// The run that the operator makes for a manifest.
pub fn run_of(manifest: &str) -> NetTestRun {
    let test: NetTest = serde_yaml::from_str(manifest).unwrap();
    let name = test.metadata.name.clone().unwrap();
    let mut run = NetTestRun::new(
        &crate::names::run_name(&name, 1),
        nettest_api::NetTestRunSpec {
            test_name: Some(name),
            test_generation: Some(1),
            rerun: None,
            scheduled_time: None,
            test: test.spec,
        },
    );
    run.metadata.namespace = test.metadata.namespace;
    run.metadata.uid = Some(UID.to_owned());
    run.metadata.generation = Some(1);
    run.metadata.creation_timestamp =
        Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(now()));
    run
}

pub fn node(name: &str) -> NodeFacts {
    NodeFacts {
        name: NodeName::from(name),
        labels: [("rack".to_owned(), "a".to_owned())].into(),
        ready: true,
        closed: None,
        control_plane: false,
        taints: vec![],
    }
}

/// A new run that sees two nodes and nothing else.
pub fn seen(manifest: &str) -> Observed {
    Observed {
        run: RunFacts::from_run(&run_of(manifest)).unwrap(),
        nodes: vec![node("worker-1"), node("worker-2")],
        pods: vec![],
        claims: vec![],
        waiters: vec![],
        ledger: Ledger::default(),
        services: vec![],
        external: None,
        concurrent_runs: None,
        refusal: None,
    }
}

pub fn token() -> RunToken {
    RunToken::parse("abcdefghijklmnopqrst").unwrap()
}

pub fn uid() -> RunUid {
    RunUid::from(UID)
}

pub fn host(allowed: &str, count: u32) -> HostFacts {
    HostFacts {
        hostname: "pod".to_owned(),
        kernel: "6.1".to_owned(),
        allowed_cpus: allowed.to_owned(),
        allowed_cpu_count: count,
        online_cpu_count: 4,
        ..HostFacts::default()
    }
}

pub fn figures(flow: &str, rates: &[u64]) -> Figures {
    Figures {
        variant: "tcp-p4".to_owned(),
        flow: flow.to_owned(),
        sent_bits_per_second: rates.iter().map(|rate| rate + 1).collect(),
        received_bits_per_second: rates.to_vec(),
        sent_bytes: rates.iter().map(|rate| rate / 8 + 1).collect(),
        received_bytes: rates.iter().map(|rate| rate / 8).collect(),
        ..Figures::default()
    }
}

/// A whole forward digest of attempt 1.
pub fn digest(rates: &[u64]) -> Digest {
    Digest {
        version: DIGEST_VERSION,
        run: UID.to_owned(),
        attempt: 1,
        outcome: Outcome::Complete,
        reason: None,
        message: String::new(),
        document: None,
        thinned: 0,
        figures: vec![figures("ClientToServer", rates)],
        figures_in_log: None,
        client_host: Some(host("0-3", 4)),
        server_host: Some(host("0-3", 4)),
    }
}

pub fn failure(reason: FailureReason, message: &str) -> Digest {
    Digest {
        outcome: Outcome::Failed,
        reason: Some(reason),
        message: message.to_owned(),
        figures: vec![],
        ..digest(&[])
    }
}

pub fn text(digest: &Digest) -> String {
    serde_json::to_string(digest).unwrap()
}

/// The same digest as this test's only variant has it.
pub fn measured_by(test: &ValidTest, mut digest: Digest) -> Digest {
    for figures in &mut digest.figures {
        figures.variant.clone_from(&test.variants[0].key);
    }
    digest
}
