//! What is written against the published schema, `docs/engine-report.schema.json`.

use super::*;
use crate::session::Turn;
use boon::{Compiler, SchemaIndex, Schemas};
use nettest_report::iperf::{Document, StreamLine};
use nettest_report::report::{DiskFile, ServerOutput, SocketFacts};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const PUBLISHED: &str = include_str!("../../../../docs/engine-report.schema.json");
const NAME: &str = "urn:nettest:engine-report";

struct Published {
    schemas: Schemas,
    document: SchemaIndex,
    line: SchemaIndex,
}

impl Published {
    fn read() -> Self {
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        let value = serde_json::from_str(PUBLISHED).unwrap();
        compiler.add_resource(NAME, value).unwrap();
        let mut compile = |part: &str| {
            compiler
                .compile(&format!("{NAME}{part}"), &mut schemas)
                .unwrap_or_else(|error| panic!("the schema itself: {error}"))
        };
        let (document, line) = (compile(""), compile("#/$defs/line"));
        Published {
            schemas,
            document,
            line,
        }
    }

    #[track_caller]
    fn check(&self, what: &str, part: SchemaIndex, value: &Value) {
        if let Err(error) = self.schemas.validate(value, part) {
            panic!("{what}: {error:#}\n{value:#}");
        }
    }

    fn refuses(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.document).is_err()
    }
}

/// Reports of every mode, whole, cut short and never begun, with all that may be in them.
fn reports() -> Vec<(String, Report)> {
    let mut all = Vec::new();
    for protocol in [Protocol::Tcp, Protocol::Udp, Protocol::Sctp] {
        for direction in [
            Direction::Forward,
            Direction::Reverse,
            Direction::Bidirectional,
        ] {
            for role in [Role::Client, Role::Server] {
                for streams in [1, 3] {
                    let name = format!("{protocol:?} {direction:?} {role:?} {streams}");
                    let report = sample::report(protocol, direction, role, streams);
                    all.extend(variants(&name, &report));
                }
            }
        }
    }
    all
}

fn variants(name: &str, whole: &Report) -> Vec<(String, Report)> {
    let mut asked = whole.clone();
    asked.params.mss = Some(1400);
    asked.params.window = Some(65_536);
    asked.params.congestion = Some("bbr".to_owned());
    asked.params.fq_rate = Some(5_000_000);
    asked.params.flow_label = Some(7);
    asked.params.title = Some("rack".to_owned());
    asked.params.extra_data = Some("{}".to_owned());
    asked.params.limit = Limit::Blocks(100);
    asked.server_output = Some(ServerOutput::Text("rows\n".to_owned()));
    asked.file = Some(DiskFile {
        name: "data".to_owned(),
        size: None,
    });
    asked.host.sockets = SocketFacts {
        sndbuf: Some(1),
        rcvbuf: Some(2),
        mss: Some(3),
        congestion: Some("bbr".to_owned()),
        mptcp: Some(false),
        gso: Some(true),
        gro: Some(false),
        zerocopy: Some(true),
        skip_rx_copy: Some(false),
        fq_rate: Some(4),
    };
    asked.host.qdisc = Some("mq/fq".to_owned());
    asked.host.node = Some("node-a".to_owned());
    asked.peer_host = Some(asked.host.clone());
    let mut cut = whole.clone();
    cut.error = Some("the control connection was closed".to_owned());
    cut.server_output = Some(ServerOutput::Json(json!({"start": {}})));
    if let Some(end) = &mut cut.end {
        end.remote_cpu = None;
        for stream in &mut end.streams {
            stream.received.bytes = None;
            if let Some(tcp) = &mut stream.tcp {
                tcp.retransmits = None;
            }
            if let Some(udp) = &mut stream.udp {
                (udp.lost, udp.jitter_seconds) = (None, None);
            }
        }
    }
    let mut unmeasured = cut.clone();
    unmeasured.end = None;
    let mut unconnected = unmeasured.clone();
    unconnected.start.connected.clear();
    unconnected.intervals.clear();
    [
        ("whole", whole.clone()),
        ("asked", asked),
        ("cut", cut),
        ("unmeasured", unmeasured),
        ("unconnected", unconnected),
    ]
    .map(|(what, report)| (format!("{name} {what}"), report))
    .to_vec()
}

#[test]
fn every_document_and_line_follows_the_published_schema() {
    let published = Published::read();
    for (name, report) in reports() {
        let text = Document::of(&report).to_pretty().unwrap();
        let value = serde_json::from_str(&text).unwrap();
        published.check(&name, published.document, &value);
        let seen = watch(&report, |sink| {
            let kind = OutputKind::JsonStream { full: false };
            let mut observer = observer::of(&output(kind), sink);
            match report.role {
                Role::Server => observer.one_of_several(3),
                Role::Client => observer.repeat(Turn {
                    variant: "tcp-p4",
                    variants: 2,
                    repeat: 3,
                    repeats: 5,
                }),
            }
            observer
        });
        for line in seen.lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            published.check(&name, published.line, &value);
            let key = match report.role {
                Role::Server => r#"{"test":3,"event":"#,
                Role::Client => r#"{"variant":"tcp-p4","repeat":3,"event":"#,
            };
            assert!(line.starts_with(key), "{name}: {line}");
        }
    }
    let title = StreamLine::ServerOutputText("x").to_line().unwrap();
    let value = serde_json::from_str(&title).unwrap();
    published.check("text", published.line, &value);
}

/// A schema that takes anything would pass the test above.
#[test]
fn other_documents_do_not_follow_it() {
    let published = Published::read();
    let report = sample::report(Protocol::Tcp, Direction::Forward, Role::Client, 1);
    let value = Document::of(&report).to_value().unwrap();
    assert!(!published.refuses(&value));
    for (pointer, wrong) in [
        ("/start/version", json!(3)),
        ("/start/test_start/protocol", json!("QUIC")),
        ("/start/test_start/reverse", json!(true)),
        ("/start/nettest/granted", json!({})),
        ("/intervals/0/streams/0/bytes", json!(-1)),
        ("/intervals/0/streams/0/omitted", json!(0)),
        ("/intervals/0/sum", json!({})),
        ("/end/sum_sent/bits_per_second", json!("fast")),
        ("/end/streams/0/sender", json!({})),
        ("/end/cpu_utilization_percent/host_total", json!(-1)),
    ] {
        let mut wronged = value.clone();
        *wronged.pointer_mut(pointer).unwrap() = wrong;
        assert!(published.refuses(&wronged), "{pointer}");
    }
    for object in [
        "",
        "/start",
        "/end",
        "/intervals/0/streams/0",
        "/end/nettest/host",
    ] {
        let mut wronged = value.clone();
        let members = wronged
            .pointer_mut(object)
            .unwrap()
            .as_object_mut()
            .unwrap();
        members.insert("surprise".to_owned(), json!(1));
        assert!(published.refuses(&wronged), "{object}");
    }
}

/// No key is described that nothing writes.
#[test]
fn every_key_of_the_schema_is_written_by_some_test() {
    fn described(value: &Value, into: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    if name == "properties" {
                        into.extend(member.as_object().unwrap().keys().cloned());
                    }
                    described(member, into);
                }
            }
            Value::Array(elements) => elements.iter().for_each(|e| described(e, into)),
            _ => {}
        }
    }
    fn written(value: &Value, into: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    into.insert(name.clone());
                    written(member, into);
                }
            }
            Value::Array(elements) => elements.iter().for_each(|e| written(e, into)),
            _ => {}
        }
    }
    let mut known = BTreeSet::new();
    described(&serde_json::from_str(PUBLISHED).unwrap(), &mut known);
    let mut seen: BTreeSet<String> = ["event", "data", "test", "variant", "repeat"]
        .map(str::to_owned)
        .into();
    for (_, report) in reports() {
        written(&Document::of(&report).to_value().unwrap(), &mut seen);
    }
    let unwritten: Vec<_> = known.difference(&seen).collect();
    assert!(unwritten.is_empty(), "{unwritten:?}");
}
