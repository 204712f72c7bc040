//! `kubectl nettest run` against an API server that answers from a script: what is asked of it, and which result
//! counts.

// Helpers of tests; clippy.toml allows it in the tests themselves.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

const TEST: &str = "\
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: a, namespace: lab}
spec: {}
";

/// An object of the cluster; `ended` is status, reason and verdict of its end.
fn object(kind: &str, name: &str, ended: Option<(&str, &str, &str)>) -> Value {
    let spec = match kind {
        "NetTestRun" => json!({"testName": "a", "testGeneration": 1, "test": {}}),
        _ => json!({}),
    };
    let mut object = json!({
        "apiVersion": "nettest.dev/v1alpha1", "kind": kind,
        "metadata": {"name": name, "namespace": "lab", "uid": format!("uid-{name}"), "generation": 1, "resourceVersion": "1"},
        "spec": spec,
    });
    if let Some((status, reason, verdict)) = ended {
        object["status"] = json!({
            "verdict": verdict,
            "conditions": [{"type": "Succeeded", "status": status, "reason": reason, "message": "said",
                "observedGeneration": 1, "lastTransitionTime": "2026-01-01T00:00:00Z"}],
        });
    }
    object
}

/// The objects that a server answers with.
struct Answers {
    /// To the apply.
    applied: Value,
    /// To lists of tests.
    test: Value,
    /// To the create of a run, and to lists of runs.
    run: Value,
}

/// Exit code, standard error, and the requests (method and the path's end) of one start of the program.
fn run(answers: Answers) -> (Option<i32>, String, Vec<String>) {
    run_of(TEST, answers)
}

fn run_of(text: &str, answers: Answers) -> (Option<i32>, String, Vec<String>) {
    let (code, _, err, asked) = said(text, answers);
    (code, err, asked)
}

/// Exit code, standard output, standard error, requests.
fn said(text: &str, answers: Answers) -> (Option<i32>, String, String, Vec<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (manifest, kubeconfig) = (folder.path().join("a.yaml"), folder.path().join("config"));
    std::fs::write(&manifest, text).unwrap();
    let cluster = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": format!("http://{}", listener.local_addr().unwrap())}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": {}}],
    });
    std::fs::write(&kubeconfig, cluster.to_string()).unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = asked.clone();
    // Ends with the test's process.
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            answer(stream, &answers, &log);
        }
    });
    let said = Command::new(env!("CARGO_BIN_EXE_kubectl-nettest"))
        .args(["run", "--timeout", "20s", "-f"])
        .arg(manifest)
        .arg("--kubeconfig")
        .arg(kubeconfig)
        .output()
        .unwrap();
    let asked = asked.lock().unwrap().clone();
    let out = String::from_utf8(said.stdout).unwrap();
    let err = String::from_utf8(said.stderr).unwrap();
    (said.status.code(), out, err, asked)
}

/// One request a connection.
fn answer(mut stream: TcpStream, answers: &Answers, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 {
            return;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let mut words = head.split(' ');
    let method = words.next().unwrap().to_owned();
    let path = words.next().unwrap().split('?').next().unwrap().to_owned();
    let (_, end) = path.split_once("/namespaces/lab/").unwrap();
    asked.lock().unwrap().push(format!("{method} {end}"));
    let list = |item: &Value| json!({"apiVersion": "nettest.dev/v1alpha1", "kind": "List", "metadata": {"resourceVersion": "1"}, "items": [item]});
    let one = |kind: &str| {
        end.strip_prefix(kind)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    let answer = match (method.as_str(), end) {
        ("PATCH", _) => answers.applied.clone(),
        ("POST", _) => answers.run.clone(),
        (_, "nettestruns") => list(&answers.run),
        ("GET", _) if one("nettestruns") => answers.run.clone(),
        _ => list(&answers.test),
    }
    .to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        answer.len()
    );
    // The program may have what it wants and be gone.
    let _ = stream.write_all((head + &answer).as_bytes());
}

const PASSED: Option<(&str, &str, &str)> = Some(("True", "Passed", "Passed"));
const MISSED: Option<(&str, &str, &str)> = Some(("False", "ThresholdNotMet", "Failed"));
const NOT_MEASURED: Option<(&str, &str, &str)> = Some(("False", "Unschedulable", "Error"));

#[test]
fn a_new_test_is_applied_and_its_end_is_the_exit_code() {
    for (ended, code) in [(PASSED, 0), (MISSED, 1), (NOT_MEASURED, 2)] {
        let (seen, err, asked) = run(Answers {
            applied: object("NetTest", "a", None),
            test: object("NetTest", "a", ended),
            run: Value::Null,
        });
        assert_eq!(seen, Some(code), "{err}");
        assert_eq!(asked[..2], ["PATCH nettests/a", "GET nettests"], "{err}");
    }
}

#[test]
fn an_unchanged_test_is_measured_again_and_the_old_result_does_not_count() {
    let (code, err, asked) = run(Answers {
        applied: object("NetTest", "a", PASSED),
        test: object("NetTest", "a", PASSED),
        run: object("NetTestRun", "a-1-x7k2p", MISSED),
    });
    assert_eq!(code, Some(1), "{err}");
    assert_eq!(
        asked[..3],
        ["PATCH nettests/a", "POST nettestruns", "GET nettestruns"],
        "{err}"
    );
    assert!(err.contains("measured again as a-1-x7k2p"), "{err}");
}

#[test]
fn a_test_with_a_schedule_is_measured_now_and_not_waited_for() {
    let mut applied = object("NetTest", "a", None);
    applied["spec"] = json!({"schedule": {"cron": "0 3 * * *"}});
    let (code, err, asked) = run_of(
        &TEST.replace("spec: {}", "spec: {schedule: {cron: '0 3 * * *'}}"),
        Answers {
            test: applied.clone(),
            applied,
            run: object("NetTestRun", "a-1-x7k2p", PASSED),
        },
    );
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(
        asked[..3],
        ["PATCH nettests/a", "POST nettestruns", "GET nettestruns"],
        "{err}"
    );
    assert!(
        err.contains(
            "it has a schedule, and by itself runs at its times only; measured now as a-1-x7k2p"
        ),
        "{err}"
    );
}

#[test]
fn the_pairs_of_a_mesh_come_from_its_run() {
    let mut test = object("NetTest", "a", MISSED);
    test["status"]["latestRun"] = json!("a-1");
    test["status"]["progress"] = json!({"pairs": 3, "running": 0, "measured": 3, "failed": 0});
    let mut ran = object("NetTestRun", "a-1", MISSED);
    ran["status"]["ledger"] = json!({"prefix": "a-1-pairs", "shards": 1});
    ran["status"]["pairs"] = json!([{
        "client": "n1", "server": "n2", "state": "Measured", "missed": ["line-rate"],
        "figures": [{"variant": "tcp-p1", "flow": "ClientToServer", "throughputBitsPerSecond": 10_000_000, "spreadPercent": 1}],
    }]);
    let (code, out, err, asked) = said(
        &TEST.replace("spec: {}", "spec: {topology: {type: Mesh}}"),
        Answers {
            applied: object("NetTest", "a", None),
            test,
            run: ran,
        },
    );
    assert_eq!(code, Some(1), "{err}");
    assert!(
        asked.contains(&"GET nettestruns/a-1".to_owned()),
        "{asked:?}"
    );
    for words in [
        "n1      n2      MISSED  tcp-p1   client to server  10.0 Mbit/s  line-rate",
        "3 of 3 pairs measured",
        "kubectl nettest report run/a-1 -n lab -o csv",
    ] {
        assert!(out.contains(words), "{words}: {out}");
    }
}

#[test]
fn nothing_is_asked_of_the_cluster_for_a_wrong_file() {
    let wrong_spec = format!(
        "{TEST}---\n{}",
        TEST.replace("name: a", "name: b")
            .replace("{}", "{repeats: {count: 99}}")
    );
    let wrong_name = TEST.replace("name: a", "name: Bad_Name");
    for (text, says) in [
        (wrong_spec.as_str(), "b is not valid: repeats.count is 99"),
        (&wrong_name, "metadata.name \"Bad_Name\""),
    ] {
        let (code, err, asked) = run_of(
            text,
            Answers {
                applied: object("NetTest", "a", PASSED),
                test: object("NetTest", "a", PASSED),
                run: Value::Null,
            },
        );
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains(says), "{err}");
        assert_eq!(asked, [""; 0]);
    }
}
