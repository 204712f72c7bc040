//! Bad input, refused by the API server with a message that names the field.

mod hostile;
mod refused;

use anyhow::{Result, ensure};
use nettest_e2e::{Namespace, manifest::net_test};
use refused::REFUSED;

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
    "{topology: {type: Mesh}}",
    "{topology: {type: Mesh, mesh: {selection: RandomPairs, pairsPerNode: 5}}}",
    "{topology: {type: Star, star: {concurrency: Simultaneous}}}",
    "{topology: {type: External, external: {host: iperf.example.net}}}",
    "{topology: {type: External, external: {host: \"2001:db8::1\"}}, path: {ipFamily: IPv6}}",
    "{sweep: {protocols: [TCP, UDP], parallelStreams: [1, 4], messageSizes: [64, 1400, \"8Ki\"], paths: [PodIP, Host]}, traffic: {congestionControl: bbr, udpOffload: true}}",
    "{traffic: {blocks: 1000}}",
    "{traffic: {protocol: SCTP, sctpStreams: 4, mss: 1200, noDelay: true}}",
    "{traffic: {flowLabel: 5, dscp: 46}, path: {ipFamily: IPv6}}",
    "{traffic: {protocol: UDP, dontFragment: true}}",
    "{traffic: {bitrate: 1G, bitrateBurst: 10, fairQueueRate: 2G, connectTimeout: 1s, receiveTimeout: 30s, sendTimeout: 30s}, limits: {maxBitrate: 5G}}",
    "{thresholds: [{name: a, metric: RTTMicroseconds, max: 100}, {name: b, metric: Throughput, relativeTo: {kind: LinkSpeed, percent: 90}}, {name: c, metric: Throughput, relativeTo: {kind: History, percent: 80, runs: 5}, severity: Warn, scope: Median}]}",
    "{thresholds: []}",
    "{schedule: {cron: \"0 3 * * *\", timeZone: Europe/Berlin, jitter: 10m}}",
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
