//! Bad input, refused by the API server with a message that names the field.

use anyhow::{Result, ensure};
use nettest_e2e::{Namespace, manifest::net_test};

/// A spec, and what the refusal must say.
const REFUSED: &[(&str, &str)] = &[
    // unknown fields
    (
        "traffic: {paralelStreams: 4}",
        "spec.traffic.paralelStreams",
    ),
    ("image: mine", "spec.image"),
    ("client: {command: [sh]}", "spec.client.command"),
    ("server: {cpu: {cores: 2}}", "spec.server.cpu.cores"),
    // words that are not in the list
    ("topology: {type: Ring}", "spec.topology.type"),
    (
        "topology: {pair: {placement: Near}}",
        "spec.topology.pair.placement",
    ),
    ("path: {type: ClusterIP}", "spec.path.type"),
    ("traffic: {protocol: tcp}", "spec.traffic.protocol"),
    ("traffic: {direction: Sideways}", "spec.traffic.direction"),
    ("client: {network: host}", "spec.client.network"),
    ("client: {cpu: {mode: Pinned}}", "spec.client.cpu.mode"),
    (
        "thresholds: [{name: a, metric: Speed, min: 1}]",
        "spec.thresholds[0].metric",
    ),
    // numbers out of range
    (
        "traffic: {parallelStreams: 0}",
        "spec.traffic.parallelStreams",
    ),
    (
        "traffic: {parallelStreams: 129}",
        "spec.traffic.parallelStreams",
    ),
    ("client: {cpu: {count: 0}}", "spec.client.cpu.count"),
    ("server: {cpu: {count: 65}}", "spec.server.cpu.count"),
    ("repeats: {count: 0}", "spec.repeats.count"),
    ("repeats: {count: 21}", "spec.repeats.count"),
    ("traffic: {duration: 0s}", "traffic.duration is 1s to 24h"),
    ("traffic: {duration: 25h}", "traffic.duration is 1s to 24h"),
    ("traffic: {omit: 601s}", "traffic.omit is at most 600s"),
    (
        "traffic: {interval: 50ms}",
        "traffic.interval is 100ms to 60s",
    ),
    (
        "traffic: {interval: 61s}",
        "traffic.interval is 100ms to 60s",
    ),
    ("repeats: {pause: 11m}", "repeats.pause is at most 10m"),
    (
        "limits: {scheduleTimeout: 1s}",
        "limits.scheduleTimeout is 5s to 24h",
    ),
    (
        "limits: {scheduleTimeout: 25h}",
        "limits.scheduleTimeout is 5s to 24h",
    ),
    (
        "limits: {runTimeout: 9s}",
        "limits.runTimeout is 10s to 48h",
    ),
    ("traffic: {bitrate: -1}", "spec.traffic.bitrate"),
    (
        "traffic: {messageSize: 1048577}",
        "traffic.messageSize is 1 to 1Mi for TCP",
    ),
    (
        "traffic: {protocol: UDP, messageSize: 15}",
        "traffic.messageSize is 16 to 65507 for UDP",
    ),
    (
        "traffic: {protocol: UDP, messageSize: 65508}",
        "traffic.messageSize is 16 to 65507 for UDP",
    ),
    // sizes as text
    (
        "traffic: {messageSize: 2Mi}",
        "traffic.messageSize is 1 to 1Mi for TCP",
    ),
    (
        "traffic: {protocol: UDP, messageSize: 64Ki}",
        "traffic.messageSize is 16 to 65507 for UDP",
    ),
    (
        "traffic: {protocol: UDP, messageSize: \"8\"}",
        "traffic.messageSize is 16 to 65507 for UDP",
    ),
    (
        "traffic: {windowSize: 1Gi}",
        "traffic.windowSize is 1 to 512Mi",
    ),
    ("traffic: {bitrate: 2T}", "traffic.bitrate is at most 1T"),
    ("traffic: {bytes: 0}", "traffic.bytes is 1 to 16Ti"),
    ("server: {memory: 900Gi}", "memory is 32Mi to 64Gi"),
    ("client: {memory: 1Mi}", "spec.client.memory"),
    (
        "traffic: {duration: 1500ms}",
        "traffic.duration is 1s to 24h in whole seconds",
    ),
    ("server: {nodeName: \"Node 1\"}", "spec.server.nodeName"),
    // text that is no number, no time, no name
    ("traffic: {duration: ten}", "spec.traffic.duration"),
    ("traffic: {duration: 10}", "spec.traffic.duration"),
    ("traffic: {bitrate: fast}", "spec.traffic.bitrate"),
    ("traffic: {bitrate: \"-1\"}", "spec.traffic.bitrate"),
    ("client: {memory: lots}", "spec.client.memory"),
    (
        "traffic: {congestionControl: \"cubic; reboot\"}",
        "spec.traffic.congestionControl",
    ),
    (
        "thresholds: [{name: Bad Name, metric: Throughput, min: 1M}]",
        "spec.thresholds[0].name",
    ),
    // contradictions
    (
        "traffic: {duration: 10s, bytes: 1G}",
        "traffic.duration and traffic.bytes exclude each other",
    ),
    (
        "traffic: {protocol: UDP, congestionControl: cubic}",
        "traffic.congestionControl is TCP's",
    ),
    (
        "traffic: {protocol: UDP, zeroCopy: true}",
        "traffic.zeroCopy is TCP's",
    ),
    ("traffic: {udpOffload: true}", "traffic.udpOffload is UDP's"),
    (
        "traffic: {fast: true, zeroCopy: false}",
        "traffic.zeroCopy false contradicts traffic.fast",
    ),
    (
        "traffic: {fast: true, skipReceiveCopy: false}",
        "traffic.skipReceiveCopy false contradicts traffic.fast",
    ),
    (
        "traffic: {protocol: UDP, fast: true, udpOffload: false}",
        "traffic.udpOffload false contradicts traffic.fast",
    ),
    ("traffic: {fast: Everything}", "spec.traffic.fast"),
    (
        "path: {type: Host}",
        "path.type Host needs server.network Host",
    ),
    (
        "server: {network: Host}",
        "server.network Host needs path.type Host",
    ),
    (
        "client: {nodeName: node1, nodeSelector: {a: b}}",
        "set nodeName or nodeSelector, not both",
    ),
    (
        "topology: {pair: {placement: SameNode}}\nclient: {nodeName: node1}\nserver: {nodeName: node2}",
        "placement SameNode contradicts client.nodeName and server.nodeName",
    ),
    (
        "client: {nodeName: node1}\nserver: {nodeName: node1}",
        "placement DifferentNode contradicts client.nodeName and server.nodeName",
    ),
    (
        "thresholds: [{name: loss, metric: LossPPM, max: 1}]",
        "a LossPPM threshold needs traffic.protocol UDP",
    ),
    (
        "thresholds: [{name: rate, metric: Throughput, max: 1M}]",
        "a Throughput threshold has min",
    ),
    (
        "thresholds: [{name: rate, metric: Throughput}]",
        "a Throughput threshold has min",
    ),
    (
        "traffic: {protocol: UDP}\nthresholds: [{name: loss, metric: LossPPM, min: 1}]",
        "a LossPPM threshold has max",
    ),
    (
        "thresholds: [{name: a, metric: Throughput, min: 1M}, {name: a, metric: Throughput, min: 2M}]",
        "Duplicate value",
    ),
];

/// The least and the most that must pass, so that a refusal above is the field's and not the schema's mood.
const ACCEPTED: &[&str] = &[
    "{}",
    "traffic: {parallelStreams: 128, duration: 24h, omit: 600s, interval: 60s, bitrate: 10G, windowSize: 4Mi}",
    "traffic: {protocol: UDP, messageSize: 65507, bitrate: \"0\"}\nthresholds: [{name: loss, metric: LossPPM, max: 0}]",
    "traffic: {bytes: 1G, messageSize: 1Mi, congestionControl: bbr}",
    "traffic: {fast: true, zeroCopy: true}",
    "traffic: {zeroCopy: true, skipReceiveCopy: true, udpOffload: false}",
    "traffic: {protocol: UDP, udpOffload: true, skipReceiveCopy: true}",
    "traffic: {duration: 1m30s, interval: 100ms}\nrepeats: {count: 20, pause: 0s}\nlimits: {scheduleTimeout: 5s, runTimeout: 48h}",
    "path: {type: Host}\nserver: {network: Host}",
    "client: {cpu: {mode: Exclusive, count: 64}, memory: 1.5Gi, nodeSelector: {topology.kubernetes.io/zone: a}}",
];

#[tokio::test]
async fn bad_input_is_refused_by_name_and_good_input_is_not() -> Result<()> {
    Namespace::with("admission", async |ns| {
        let create = ns.kubectl("create --dry-run=server -f -");
        for spec in ACCEPTED {
            create.clone().input(manifest(spec)).run().await?;
        }
        let mut wrong = Vec::new();
        for (spec, says) in REFUSED {
            let output = create.clone().input(manifest(spec)).output().await?;
            if output.success {
                wrong.push(format!("accepted: {spec}"));
            } else if !output.stderr.contains(says) {
                wrong.push(format!(
                    "{spec}\n  does not say `{says}`: {}",
                    output.stderr.trim()
                ));
            }
        }
        ensure!(
            wrong.is_empty(),
            "{} of {}:\n{}",
            wrong.len(),
            REFUSED.len(),
            wrong.join("\n")
        );
        Ok(())
    })
    .await
}

fn manifest(spec: &str) -> String {
    net_test("bad-input", spec)
}
