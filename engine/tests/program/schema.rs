//! Live documents of both ends against the published schema.

use crate::run::{Running, Server, engine, finish, free_port, signal, text, wait};
use boon::{Compiler, Schemas};
use serde_json::Value;
use std::io::Read;

const PUBLISHED: &str = include_str!("../../../docs/engine-report.schema.json");

/// Panics when `value` does not follow the schema, or the part of it.
#[track_caller]
fn check(what: &str, part: &str, value: &Value) {
    let mut compiler = Compiler::new();
    let name = "urn:nettest:engine-report";
    let schema = serde_json::from_str(PUBLISHED).expect("the schema is JSON");
    compiler
        .add_resource(name, schema)
        .expect("the schema is taken");
    let mut schemas = Schemas::new();
    let index = compiler.compile(&format!("{name}{part}"), &mut schemas);
    let index = index.expect("the schema is one");
    if let Err(error) = schemas.validate(value, index) {
        panic!("{what}: {error:#}\n{value:#}");
    }
}

const MODES: [&str; 12] = [
    "",
    "-R",
    "--bidir",
    "-P 3",
    "-O 0.5",
    "-n 1M",
    "-u",
    "-u -R",
    "-u --bidir -P 2",
    "-M 1000 -w 64K -S 8 -T rack --extra-data x",
    "--get-server-output",
    "-Z --skip-rx-copy --fq-rate 50M",
];

#[test]
fn documents_of_both_ends_follow_the_schema() {
    for some in MODES.chunks(4) {
        std::thread::scope(|scope| {
            for mode in some {
                scope.spawn(move || measure(mode));
            }
        });
    }
}

fn measure(mode: &str) {
    let port = free_port();
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("log");
    let mut server = engine(&format!("-s -1 -J -p {port} -I {}", log.display()))
        .spawn()
        .expect("the server starts");
    // The pid file is there when it listens.
    while std::fs::read(&log).is_ok_and(|pid| pid.is_empty()) || !log.exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let time = if mode.contains("-n") { "" } else { "-t 1" };
    let client = finish(&format!(
        "-c 127.0.0.1 -p {port} {time} -i 0.5 -b 8M -J {mode}"
    ));
    assert_eq!(
        client.status.code(),
        Some(0),
        "{mode}: {}",
        text(&client.stderr)
    );
    let mut printed = Vec::new();
    let mut out = server.stdout.take().expect("stdout is piped");
    out.read_to_end(&mut printed)
        .expect("the server's document");
    wait(server);
    let client = serde_json::from_slice(&client.stdout).expect("one document");
    check(&format!("{mode} client"), "", &client);
    let server = serde_json::from_slice(&printed).expect("one document");
    check(&format!("{mode} server"), "", &server);
    if mode.contains("--get-server-output") {
        check(mode, "", &client["server_output_json"]);
    }
}

/// Lines as they come, and the partial document after a signal.
#[test]
fn lines_and_partial_documents_follow_the_schema() {
    let server = Server::start("");
    let flags = format!("-c 127.0.0.1 -p {} -t 20 -i 0.2 -b 8M", server.port);
    let client = Running::start(&format!("{flags} --json-stream")).until("\"event\":\"interval\"");
    signal(&client.child, "TERM");
    let output = client.end();
    let lines: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("a value a line"))
        .collect();
    for line in &lines {
        check("a line", "#/$defs/line", line);
    }
    assert_eq!(lines[lines.len() - 2]["event"], "error");
    assert!(lines[lines.len() - 1]["data"]["sum_sent"].is_object());
    let refused = finish(&format!("-c 127.0.0.1 -p {} -J", free_port()));
    let document = serde_json::from_slice(&refused.stdout).expect("one document");
    check("a refused client", "", &document);
}
