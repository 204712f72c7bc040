//! Objects as a cluster has them.

use serde_json::{Value, json};
use std::io::Write;

pub fn test(name: &str, verdict: &str) -> Value {
    let mut object = json!({
        "apiVersion": "nettest.dev/v1alpha1", "kind": "NetTest",
        "metadata": {"name": name, "namespace": "lab", "uid": format!("uid-{name}"), "generation": 1},
        "spec": {},
    });
    if !verdict.is_empty() {
        object["status"] = json!({"verdict": verdict, "latestRun": format!("{name}-1")});
    }
    object
}

pub fn going(reason: &str, message: &str) -> Value {
    json!({"conditions": [condition("Succeeded", "Unknown", reason, message)]})
}

fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": message, "observedGeneration": 1, "lastTransitionTime": "2026-12-01T10:00:00Z"})
}

pub fn run(name: &str, of: &str, status: Value) -> Value {
    // The later ones have the higher numbers.
    let minute = name.bytes().last().unwrap_or(b'0') - b'0';
    json!({
        "apiVersion": "nettest.dev/v1alpha1", "kind": "NetTestRun",
        "metadata": {"name": name, "namespace": "lab", "uid": format!("uid-{name}"), "generation": 1,
            "creationTimestamp": format!("2026-12-01T09:0{minute}:00Z"),
            "ownerReferences": [{"apiVersion": "nettest.dev/v1alpha1", "kind": "NetTest", "name": of, "uid": format!("uid-{of}"), "controller": true}]},
        "spec": {"testName": of, "testGeneration": 1, "test": {}},
        "status": status,
    })
}

fn result(flow: &str, mbits: [i64; 3]) -> Value {
    let [min, median, max] = mbits.map(|rate| rate * 1_000_000);
    json!({
        "variant": "tcp-p1", "flow": flow, "throughput": format!("{:.2} Gbit/s", median as f64 / 1e9),
        "throughputBitsPerSecond": {"median": median, "min": min, "max": max, "spreadPercent": (max - min) * 100 / median},
        "senderBitsPerSecond": median, "receiverBitsPerSecond": median, "sentBytes": median / 8, "receivedBytes": median / 8,
        "retransmits": 12, "rttMicroseconds": 180, "repeats": 3,
    })
}

pub fn pair(name: &str, finished: &str, mbits: [i64; 3]) -> Value {
    let status = json!({
        "verdict": "Passed", "finishTime": finished,
        "conditions": [condition("Succeeded", "True", "Passed", "measured, and within its thresholds")],
        "pair": {"client": {"node": "node1"}, "server": {"node": "node2"}},
        "results": [result("ClientToServer", mbits)],
        "thresholds": [{"name": "line-rate", "met": true, "message": "enough at the receiver"}],
    });
    run(name, "rack", status)
}

pub fn mesh(name: &str) -> Value {
    let status = json!({
        "verdict": "Failed", "finishTime": "2026-12-01T10:00:00Z",
        "conditions": [condition("Succeeded", "False", "ThresholdNotMet", "line-rate: 940 Mbit/s from node1 to node3"),
            condition("Measured", "False", "NotMeasured", "1 of 3 pairs could not be measured")],
        "ledger": {"prefix": format!("{name}-pairs"), "shards": 1},
        "progress": {"pairs": 3, "running": 0, "measured": 2, "failed": 1},
        "results": [result("ClientToServer", [940, 940, 9_400]), result("ServerToClient", [930, 930, 9_300])],
        "thresholds": [{"name": "line-rate", "met": false, "message": "940 Mbit/s from node1 to node3, at least 9.00 Gbit/s asked"}],
        "suspects": [{"node": "node3", "confirmed": true, "badPairs": 2, "goodPairs": 0, "message": "failed against node1 and node2"}],
        "pairs": [{"client": "node2", "server": "node3", "state": "Failed", "reason": "PeerUnreachable", "message": "no answer in 10 s"}],
    });
    run(name, "mesh", status)
}

/// Of two flows, there and back; `None`: it could not be measured.
pub fn record(client: &str, server: &str, mbits: Option<[i64; 2]>) -> Value {
    let mut record = json!({"client": client, "server": server, "clientZone": "east", "serverZone": if server == "node3" { "west" } else { "east" },
        "lane": {"client": "Pod", "server": "Pod"}, "state": "Failed", "attempt": 1});
    if let Some([there, back]) = mbits {
        record["state"] = json!("Measured");
        record["results"] = json!([
            result("ClientToServer", [there; 3]),
            result("ServerToClient", [back; 3])
        ]);
    }
    record
}

pub fn ledger(run: &str, records: &Value) -> Value {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(records.to_string().as_bytes()).unwrap();
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("{run}-pairs-0"), "namespace": "lab"},
        "binaryData": {"pairs.json.gz": k8s_openapi::ByteString(gzip.finish().unwrap())},
    })
}
