//! Texts that are meant for somebody else: a shell, a flag parser, a path, a log, a label, an address.

use super::*;
use serde_json::{Value, json};

fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "-F /etc/passwd",
        "--logfile=/tmp/x",
        "--",
        "-J",
        "$(reboot)",
        "`id`",
        "a;reboot",
        "a|b",
        "a&&b",
        "a b",
        " ",
        "",
        "a\nb",
        "a\r\nX: y",
        "a\0b",
        "\u{1b}[2J",
        "../../etc/passwd",
        "/etc/passwd",
        "{{ .Values.x }}",
        "%s%n",
        "'\"",
        "a,b",
        "a=b",
        "*",
        "\u{202e}txt",
        "\u{ff41}",
        "\u{e4}",
        "\u{1f600}",
        "null\u{0}",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("a".repeat(10 << 10));
    texts.push("9".repeat(10 << 10));
    texts.push("\u{e4}".repeat(5 << 10));
    texts
}

/// Every field of a spec that holds text, as the schema would not know it.
fn specs(text: &str) -> Vec<(&'static str, Value)> {
    let end = |role: &str, field: Value| json!({role: field});
    let external = |host: Value| json!({"topology": {"type": "External", "external": host}});
    let threshold = |more: Value| {
        let mut one = json!({"name": "a", "metric": "Throughput", "min": 1});
        for (key, value) in more.as_object().unwrap() {
            one[key] = value.clone();
        }
        json!({"thresholds": [one]})
    };
    let relative = |relative: Value| json!({"thresholds": [{"name": "a", "metric": "Throughput", "relativeTo": relative}]});
    let traffic = |field: &str| json!({"traffic": {field: text}});
    vec![
        ("nodeName", end("client", json!({"nodeName": text}))),
        ("key", end("server", json!({"nodeSelector": {text: "a"}}))),
        (
            "taint",
            end("client", json!({"tolerations": [{"key": text}]})),
        ),
        ("memory", end("server", json!({"memory": text}))),
        (
            "mesh",
            json!({"topology": {"type": "Mesh", "mesh": {"nodeSelector": {text: "a"}}}}),
        ),
        ("host", external(json!({"host": text}))),
        ("duration", traffic("duration")),
        ("omit", traffic("omit")),
        ("interval", traffic("interval")),
        ("bytes", traffic("bytes")),
        ("bitrate", traffic("bitrate")),
        ("fairQueueRate", traffic("fairQueueRate")),
        ("messageSize", traffic("messageSize")),
        ("windowSize", traffic("windowSize")),
        ("congestionControl", traffic("congestionControl")),
        ("connectTimeout", traffic("connectTimeout")),
        ("receiveTimeout", traffic("receiveTimeout")),
        ("sendTimeout", traffic("sendTimeout")),
        ("sizes", json!({"sweep": {"messageSizes": [text]}})),
        ("windows", json!({"sweep": {"windowSizes": [text]}})),
        (
            "controls",
            json!({"sweep": {"congestionControls": ["cubic", text]}}),
        ),
        ("pause", json!({"repeats": {"pause": text}})),
        ("name", threshold(json!({"name": text}))),
        ("min", threshold(json!({"min": text}))),
        ("variant", threshold(json!({"variant": text}))),
        (
            "relative",
            relative(json!({"kind": "Variant", "percent": 1, "variant": text})),
        ),
        (
            "label",
            relative(json!({"kind": "LinkSpeed", "percent": 1, "nodeLabel": text})),
        ),
        (
            "scheduleTimeout",
            json!({"limits": {"scheduleTimeout": text}}),
        ),
        ("runTimeout", json!({"limits": {"runTimeout": text}})),
        ("maxBitrate", json!({"limits": {"maxBitrate": text}})),
        ("cron", json!({"schedule": {"cron": text}})),
        (
            "timeZone",
            json!({"schedule": {"cron": "@daily", "timeZone": text}}),
        ),
        (
            "jitter",
            json!({"schedule": {"cron": "@daily", "jitter": text}}),
        ),
        ("ttl", json!({"cleanup": {"ttlAfterFinished": text}})),
    ]
}

#[test]
fn each_is_refused_in_each_field() {
    let everything = crate::policy::Policy::everything();
    let mut refused = 0;
    for text in texts() {
        for (field, spec) in specs(&text) {
            let spec = serde_json::from_value(spec).expect("text is text");
            let checked = crate::validate::validate(&spec, "default", &everything);
            let Err(refusal) = checked else {
                panic!("{field} takes {text:.40}");
            };
            assert_eq!(refusal.reason(), Reason::InvalidSpec, "{field}: {refusal}");
            assert!(refusal.to_string().len() < 10_000, "{field}");
            refused += 1;
        }
    }
    assert!(refused >= 900, "{refused}");
}

#[test]
fn values_of_labels_are_checked_too() {
    for text in texts() {
        if text.is_empty() {
            // A label's value may be.
            continue;
        }
        for field in [
            json!({"client": {"nodeSelector": {"a": text}}}),
            json!({"server": {"tolerations": [{"key": "a", "value": text}]}}),
        ] {
            let spec = serde_json::from_value(field).expect("text is text");
            let everything = crate::policy::Policy::everything();
            assert!(
                crate::validate::validate(&spec, "default", &everything).is_err(),
                "{text:.40}"
            );
        }
    }
}
