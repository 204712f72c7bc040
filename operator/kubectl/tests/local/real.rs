//! The engine itself on this machine's loopback address: what scripted ones cannot show.

use crate::{Said, Scene};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The engine of this tree; it is no dependency of this crate, and so no test of it finds one ready.
fn engine() -> &'static Path {
    static ENGINE: OnceLock<PathBuf> = OnceLock::new();
    ENGINE.get_or_init(|| {
        if let Some(engine) = std::env::var_os("NETTEST_ENGINE") {
            return engine.into();
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args([
            "build",
            "--quiet",
            "--locked",
            "--package",
            "nettest-engine",
        ]);
        // Beside the program that is tested, in the same profile's folder.
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let built = build
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .status();
        assert!(built.unwrap().success(), "the engine does not build");
        Path::new(env!("CARGO_BIN_EXE_kubectl-nettest")).with_file_name("nettest-engine")
    })
}

fn run(spec: &str, more: &[&str]) -> Said {
    let head = "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {name: a}\nspec:\n";
    let scene = Scene::with(&format!("{head}{spec}"), "exit 1", "exit 1");
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-nettest"))
        .args(["run", "--local", "-f"])
        .arg(scene.path("a.yaml"))
        .arg("--engine")
        .arg(engine())
        .args(more)
        .stdin(Stdio::null())
        .output();
    Said::of(output.unwrap())
}

fn status(said: &Said) -> serde_json::Value {
    let object: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    object["status"].clone()
}

#[test]
fn a_sweep_with_repeats_that_differ() {
    let spec = "
  traffic: {bytes: 2M, messageSize: 1400}
  sweep: {protocols: [TCP, UDP], parallelStreams: [1, 3]}
  repeats: {count: 2, pause: 0s, maxSpreadPercent: 1, maxCount: 3}
  thresholds:
  - {name: usable, metric: Throughput, min: 1k}
  - {name: compared, metric: Throughput, variant: tcp-p3, relativeTo: {kind: Variant, variant: tcp-p1, percent: 1}}
  - {name: impossible, metric: Throughput, min: 900G, severity: Warn}
";
    let spec = spec.replace("messageSize: 1400", "messageSize: 1400, bitrate: 100M");
    let said = run(&spec, &["-q", "-o", "json"]);
    let status = status(&said);
    let results = status["results"].as_array().unwrap();
    let rows: Vec<(&str, &str)> = results
        .iter()
        .map(|result| {
            let text = |key: &str| result[key].as_str().unwrap();
            (text("variant"), text("protocol"))
        })
        .collect();
    let all = [
        ("tcp-p1", "TCP"),
        ("tcp-p3", "TCP"),
        ("udp-p1", "UDP"),
        ("udp-p3", "UDP"),
    ];
    assert_eq!(rows, all, "{said:?}");
    for result in results {
        let repeats = result["repeats"].as_i64().unwrap();
        assert!((2..=3).contains(&repeats), "{result}");
    }
    let met = |index: usize| status["thresholds"][index]["met"].as_bool().unwrap();
    assert_eq!([met(0), met(1), met(2)], [true, true, false], "{status}");
    // A spread above 1 % after three repeats is chance; a threshold that only warns never is the reason.
    let unstable = results.iter().any(|result| {
        let spread = &result["throughputBitsPerSecond"]["spreadPercent"];
        spread.as_i64().unwrap() > 1
    });
    assert_eq!(said.code, Some(i32::from(unstable)), "{status}");
}

#[test]
fn blocks_and_both_ways_and_ipv6() {
    let spec = "
  path: {ipFamily: IPv6}
  traffic: {blocks: 200, messageSize: 8Ki, direction: Bidirectional}
  repeats: {count: 1}
";
    let said = run(spec, &["-q"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    for flow in ["client to server", "server to client"] {
        assert!(said.out.contains(&format!("tcp-p1   {flow}")), "{said:?}");
    }
}

/// A stock iperf3 server of the loopback address, ended when dropped.
struct Stock(Child);

impl Drop for Stock {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn stock() -> (Stock, u16) {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let child = Command::new("iperf3")
        .args([
            "-s",
            "-B",
            "127.0.0.1",
            "-p",
            &port.to_string(),
            "--forceflush",
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut stock = Stock(child.unwrap());
    // A connection that asks nothing would be a test to it: it says when it listens.
    let out = stock.0.stdout.take().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(out));
    let begun = Instant::now();
    while !lines.next().unwrap().unwrap().contains("listening") {
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
    // What it says later must not fill the pipe.
    std::thread::spawn(move || lines.for_each(drop));
    (stock, port)
}

#[test]
fn a_stock_iperf3_elsewhere() {
    let (_stock, port) = stock();
    let spec = format!(
        "
  topology: {{type: External, external: {{host: localhost, port: {port}}}}}
  path: {{ipFamily: IPv4}}
  traffic: {{bytes: 1M, bitrate: 100M}}
  sweep: {{protocols: [TCP, UDP], parallelStreams: [1, 2]}}
  repeats: {{count: 2, pause: 0s}}
"
    );
    let said = run(&spec, &["-q", "-o", "json"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let status = status(&said);
    assert_eq!(status["results"].as_array().unwrap().len(), 4, "{status}");
    assert_eq!(status["pair"]["server"]["node"], "localhost", "{status}");
}
