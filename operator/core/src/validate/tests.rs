mod hostile;
mod options;
mod permitted;
mod run_timeout;
mod thresholds;
mod topology;
mod variants;

use crate::testing::{CPU_PINNED, HOST_NETWORK, PAIR_TCP, PAIR_UDP, checked};
use crate::valid::FastPaths;
use nettest_api::Reason;

#[test]
fn what_users_type_becomes_types() {
    insta::assert_debug_snapshot!("pair_tcp", checked(PAIR_TCP));
    insta::assert_debug_snapshot!("pair_udp", checked(PAIR_UDP));
    insta::assert_debug_snapshot!("host_network", checked(HOST_NETWORK));
    insta::assert_debug_snapshot!("cpu_pinned", checked(CPU_PINNED));
}

/// A manifest with this spec, as a user would type it.
fn manifest(spec: &str) -> String {
    format!(
        "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: t, namespace: default}}\nspec: {spec}\n"
    )
}

fn refusal(spec: &str) -> (Reason, String) {
    let refusal = checked(&manifest(spec)).expect_err(spec);
    (refusal.reason(), refusal.to_string())
}

#[test]
fn refusals_name_the_field_and_the_fix() {
    for (spec, says) in [
        // beyond the schema's bounds: the schema may be gone or older
        (
            "{traffic: {parallelStreams: 0}}",
            "traffic.parallelStreams is 0: set 1 to 128",
        ),
        (
            "{traffic: {parallelStreams: 129}}",
            "traffic.parallelStreams is 129: set 1 to 128",
        ),
        (
            "{traffic: {duration: 0s}}",
            "traffic.duration is 0s: set 1s to 24h",
        ),
        (
            "{traffic: {duration: 25h}}",
            "traffic.duration is 25h: set 1s to 24h",
        ),
        (
            "{traffic: {duration: 10}}",
            "traffic.duration \"10\" is not a duration",
        ),
        (
            "{traffic: {duration: 1500ms}}",
            "traffic.duration is 1500ms: use whole seconds",
        ),
        (
            "{traffic: {omit: 601s}}",
            "traffic.omit is 601s: set 0s to 600s",
        ),
        (
            "{traffic: {omit: 100ms}}",
            "traffic.omit is 100ms: use whole seconds",
        ),
        (
            "{traffic: {interval: 50ms}}",
            "traffic.interval is 50ms: set 100ms to 60s",
        ),
        (
            "{traffic: {bitrate: 2T}}",
            "traffic.bitrate is 2T: set 0 (unlimited) to 1T",
        ),
        (
            "{traffic: {bitrate: fast}}",
            "traffic.bitrate \"fast\" is not a quantity",
        ),
        (
            "{traffic: {bitrate: -1}}",
            "traffic.bitrate \"-1\" is not a quantity",
        ),
        ("{traffic: {bytes: 0}}", "traffic.bytes is 0: set 1 to 16Ti"),
        (
            "{traffic: {messageSize: 2Mi}}",
            "traffic.messageSize is 2Mi: set 1 to 1Mi for TCP",
        ),
        (
            "{traffic: {protocol: UDP, messageSize: 8}}",
            "traffic.messageSize is 8: set 16 to 65507 for UDP",
        ),
        (
            "{traffic: {protocol: UDP, messageSize: 64Ki}}",
            "traffic.messageSize is 64Ki: set 16 to 65507 for UDP",
        ),
        (
            "{traffic: {windowSize: 1Gi}}",
            "traffic.windowSize is 1Gi: set 1 to 512Mi",
        ),
        (
            "{traffic: {windowSize: \"0.3\"}}",
            "traffic.windowSize \"0.3\" is not a whole number",
        ),
        ("{repeats: {count: 21}}", "repeats.count is 21: set 1 to 20"),
        ("{repeats: {count: -3}}", "repeats.count is -3: set 1 to 20"),
        (
            "{repeats: {pause: 11m}}",
            "repeats.pause is 11m: set 0s to 10m",
        ),
        (
            "{limits: {scheduleTimeout: 1s}}",
            "limits.scheduleTimeout is 1s: set 5s to 24h",
        ),
        (
            "{limits: {runTimeout: 49h}}",
            "limits.runTimeout is 49h: set 10s to 48h",
        ),
        (
            "{client: {cpu: {count: 0}}}",
            "client.cpu.count is 0: set 1 to 64",
        ),
        (
            "{server: {memory: 1Mi}}",
            "server.memory is 1Mi: set 32Mi to 64Gi",
        ),
        // contradictions
        (
            "{traffic: {duration: 10s, bytes: 1Gi}}",
            "traffic.duration, traffic.bytes and traffic.blocks exclude each other",
        ),
        (
            "{traffic: {protocol: UDP, congestionControl: bbr}}",
            "traffic.congestionControl is TCP's",
        ),
        (
            "{traffic: {protocol: UDP, zeroCopy: true}}",
            "traffic.zeroCopy is TCP's",
        ),
        (
            "{traffic: {udpOffload: true}}",
            "traffic.udpOffload is UDP's",
        ),
        (
            "{traffic: {fast: true, zeroCopy: false}}",
            "traffic.zeroCopy false contradicts traffic.fast",
        ),
        (
            "{traffic: {fast: true, skipReceiveCopy: false}}",
            "traffic.skipReceiveCopy false contradicts traffic.fast",
        ),
        (
            "{traffic: {protocol: UDP, fast: true, udpOffload: false}}",
            "traffic.udpOffload false contradicts traffic.fast",
        ),
        (
            "{path: {type: Host}}",
            "path.type Host needs server.network Host",
        ),
        (
            "{server: {network: Host}}",
            "server.network Host needs path.type Host",
        ),
        (
            "{client: {nodeName: a, nodeSelector: {x: y}}}",
            "client has nodeName and nodeSelector: set one of them",
        ),
        (
            "{topology: {type: Pair, pair: {placement: SameNode}}, client: {nodeName: a}, server: {nodeName: b}}",
            "topology.pair.placement SameNode contradicts",
        ),
        (
            "{client: {nodeName: a}, server: {nodeName: a}}",
            "topology.pair.placement DifferentNode contradicts",
        ),
        (
            "{thresholds: [{name: l, metric: LossPPM, max: 1}]}",
            "thresholds[0].metric LossPPM needs UDP in traffic.protocol or sweep.protocols",
        ),
        (
            "{thresholds: [{name: t, metric: Throughput, max: 1}]}",
            "thresholds[0] is a Throughput threshold: set min",
        ),
        (
            "{thresholds: [{name: t, metric: Throughput}]}",
            "thresholds[0] is a Throughput threshold: set min",
        ),
        (
            "{traffic: {protocol: UDP}, thresholds: [{name: l, metric: LossPPM, min: 1}]}",
            "thresholds[0] is a LossPPM threshold: set max",
        ),
        (
            "{traffic: {protocol: UDP}, thresholds: [{name: l, metric: LossPPM, max: 2M}]}",
            "thresholds[0].max is 2M: set at most 1000000",
        ),
        (
            "{thresholds: [{name: t, metric: Throughput, min: 1}, {name: t, metric: Throughput, min: 2}]}",
            "thresholds[1].name \"t\" is there twice",
        ),
        // a run that could not end in time
        (
            "{traffic: {duration: 24h}, repeats: {count: 3}}",
            "repeats.count and traffic make a run of 72h",
        ),
        // text that is meant for somebody else
        (
            "{client: {nodeName: \"-F /etc/passwd\"}}",
            "client.nodeName \"-F /etc/passwd\" is not a node's name",
        ),
        (
            "{client: {nodeName: \"a\\nb\"}}",
            "client.nodeName \"a\\nb\" is not a node's name",
        ),
        (
            "{client: {nodeName: \"\"}}",
            "client.nodeName \"\" is not a node's name",
        ),
        (
            "{client: {nodeSelector: {\"a b\": c}}}",
            "client.nodeSelector has \"a b\": \"c\", which is not a label",
        ),
        (
            "{server: {nodeSelector: {a: \"--version\"}}}",
            "server.nodeSelector has \"a\": \"--version\"",
        ),
        (
            "{traffic: {congestionControl: \"-J\"}}",
            "traffic.congestionControl \"-J\" is not a name",
        ),
        (
            "{traffic: {congestionControl: \"cubic --logfile=/x\"}}",
            "traffic.congestionControl",
        ),
        (
            "{thresholds: [{name: \"A b\", metric: Throughput, min: 1}]}",
            "thresholds[0].name \"A b\" has other characters",
        ),
    ] {
        let (reason, message) = refusal(spec);
        assert_eq!(reason, Reason::InvalidSpec, "{spec}: {message}");
        assert!(message.starts_with(says), "{spec}: {message}");
    }
}

#[test]
fn fast_paths_are_all_or_those_that_are_named() {
    let these = |zero_copy, skip_receive_copy, udp_offload| FastPaths::These {
        zero_copy,
        skip_receive_copy,
        udp_offload,
    };
    for (traffic, paths) in [
        ("{}", these(false, false, false)),
        ("{fast: false}", these(false, false, false)),
        ("{zeroCopy: true}", these(true, false, false)),
        ("{skipReceiveCopy: true}", these(false, true, false)),
        (
            "{protocol: UDP, udpOffload: true, skipReceiveCopy: true, zeroCopy: false}",
            these(false, true, true),
        ),
        (
            "{zeroCopy: false, udpOffload: false}",
            these(false, false, false),
        ),
        ("{fast: true}", FastPaths::All),
        ("{protocol: UDP, fast: true}", FastPaths::All),
        // Redundant, and what is meant is clear.
        (
            "{fast: true, zeroCopy: true, skipReceiveCopy: true}",
            FastPaths::All,
        ),
    ] {
        let manifest = format!(
            "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: t}}\nspec: {{traffic: {traffic}}}\n"
        );
        assert_eq!(
            crate::testing::valid(&manifest).variants[0]
                .traffic
                .fast_paths,
            paths,
            "{traffic}"
        );
    }
}

#[test]
fn the_host_network_needs_the_operators_policy() {
    let elsewhere = HOST_NETWORK.replace("nettest-system", "default");
    let refusal = checked(&elsewhere).expect_err("not permitted");
    assert_eq!(refusal.reason(), Reason::NotPermitted);
    assert_eq!(
        refusal.to_string(),
        "client.network Host is not permitted in namespace default: ask the operator's administrator to add it to policy.hostNetworkNamespaces, or use Pod"
    );
    assert!(checked(HOST_NETWORK).is_ok());
}

#[test]
fn an_unknown_field_is_refused_by_name() {
    let manifest = PAIR_TCP.replace("duration:", "durration:");
    let error = serde_yaml::from_str::<nettest_api::NetTest>(&manifest).expect_err("a typo");
    assert!(error.to_string().contains("durration"), "{error}");
}

#[test]
fn every_example_is_valid() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut seen = 0;
    for entry in std::fs::read_dir(examples).expect("examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a manifest");
        let spec = spec_of(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let checked =
            crate::validate::validate(&spec, "default", &crate::policy::Policy::everything());
        assert!(checked.is_ok(), "{path:?}: {checked:?}");
        seen += 1;
    }
    assert!(seen >= 30, "{seen} examples");
    let table = std::fs::read_to_string(format!("{examples}/README.md")).expect("a table");
    assert_eq!(
        table.matches(".yaml)").count(),
        seen,
        "README.md shows each once"
    );
}

/// Of either kind.
fn spec_of(text: &str) -> Result<nettest_api::NetTestSpec, serde_yaml::Error> {
    if text.contains("kind: NetTestRun\n") {
        return serde_yaml::from_str::<nettest_api::NetTestRun>(text).map(|run| run.spec.test);
    }
    serde_yaml::from_str::<nettest_api::NetTest>(text).map(|test| test.spec)
}
