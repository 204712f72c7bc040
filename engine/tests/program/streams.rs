//! Output that is read while the test runs.

use crate::run::{Server, engine, finish, text, wait};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader};

/// Field report 051.
#[test]
fn report_051_json_stream_is_readable_while_it_runs() {
    let server = Server::start("");
    let mut child = engine(&format!(
        "-c 127.0.0.1 -p {} -t 4 -b 20M --json-stream",
        server.port
    ))
    .spawn()
    .expect("the client starts");
    let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    let mut next = || -> Value {
        let line = lines.next().expect("a line").expect("a whole line");
        serde_json::from_str(&line).expect("JSON")
    };
    assert_eq!(next()["event"], "start");
    assert_eq!(next()["event"], "interval");
    let running = child.try_wait().expect("the child can be waited for");
    assert!(running.is_none(), "the first rows came with the end");
    for _ in 0..3 {
        assert_eq!(next()["event"], "interval");
    }
    assert_eq!(next()["event"], "end");
    assert!(lines.next().is_none());
    assert_eq!(wait(child).status.code(), Some(0));
}

#[test]
fn repeats_are_measurements_and_the_digest_sums_them() {
    let server = Server::start("");
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("digest");
    let output = finish(&format!(
        "-c 127.0.0.1 -p {} -t 0.5 -i 0.25 --bidir -b 20M --measurement-stream --run-uid u-1 --attempt 1 \
         --variant tcp --repeats 2 --repeat-pause 0.1 --digest-file {}",
        server.port,
        file.display()
    ));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    let events: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let of = |name: &str| events.iter().filter(|e| e["event"] == name).count();
    assert_eq!(of("measurement"), 2);
    assert_eq!(of("digest"), 1);
    assert!(of("interval") >= 8, "{stdout}");
    let digest = &events[events.len() - 1]["data"];
    assert_eq!(digest["outcome"], "Complete", "{digest}");
    let measured: String = stdout
        .lines()
        .zip(&events)
        .filter(|(_, e)| e["event"] == "measurement")
        .map(|(line, _)| format!("{line}\n"))
        .collect();
    let sum: String = Sha256::digest(&measured)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(digest["document"]["sha256"], sum);
    assert_eq!(digest["document"]["bytes"], measured.len());
    for (n, flow) in ["ClientToServer", "ServerToClient"].iter().enumerate() {
        let figures = &digest["figures"][n];
        assert_eq!(figures["flow"], *flow);
        let sum = ["sum_received", "sum_received_bidir_reverse"][n];
        let measured: Vec<u64> = events
            .iter()
            .filter(|event| event["event"] == "measurement")
            .filter_map(|event| event["data"]["report"]["end"][sum]["bits_per_second"].as_f64())
            .map(|rate| rate.round() as u64)
            .collect();
        assert_eq!(
            figures["receivedBitsPerSecond"],
            Value::from(measured.clone())
        );
        assert!(
            measured.iter().all(|rate| *rate > 0 && *rate < 25_000_000),
            "{figures}"
        );
        assert_eq!(figures["serverCPUMilli"].as_array().map(Vec::len), Some(2));
    }
    assert!(
        digest["serverHost"]["allowedCpuCount"].as_u64().is_some(),
        "{digest}"
    );
    let written = std::fs::read(&file).expect("the file");
    assert!(written.len() <= 4096);
    let written: Value = serde_json::from_slice(&written).expect("JSON");
    assert_eq!(&written, digest);
}
