//! What can be said of the schemas without an API server: shape, bounds and the rules' presence.

use super::nettest_crds;
use serde_json::Value;

fn schemas() -> Vec<(String, Value)> {
    nettest_crds()
        .into_iter()
        .map(|crd| {
            let name = crd.spec.names.kind.clone();
            let schema = crd.spec.versions[0].schema.clone().expect("a schema");
            (
                name,
                serde_json::to_value(schema.open_api_v3_schema).expect("JSON"),
            )
        })
        .collect()
}

/// Every schema below this one with its path.
fn walk(path: &str, schema: &Value, see: &mut impl FnMut(&str, &Value)) {
    see(path, schema);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        walk(&format!("{path}.{name}"), property, see);
    }
    for inner in ["items", "additionalProperties"] {
        if schema[inner].is_object() {
            walk(&format!("{path}.{inner}"), &schema[inner], see);
        }
    }
}

#[test]
fn names_scope_and_columns() {
    let crds = nettest_crds();
    let [test, run] = crds.as_slice() else {
        panic!("two kinds");
    };
    for (crd, name, short) in [
        (test, "nettests.nettest.dev", "nt"),
        (run, "nettestruns.nettest.dev", "ntr"),
    ] {
        assert_eq!(crd.metadata.name.as_deref(), Some(name));
        assert_eq!(crd.spec.scope, "Namespaced");
        assert_eq!(crd.spec.names.short_names, Some(vec![short.to_owned()]));
        // Not the kind's singular: `kubectl get nettest NAME` would then ask for every kind of the category.
        assert_eq!(
            crd.spec.names.categories,
            Some(vec!["nettest-all".to_owned()])
        );
        assert!(
            crd.spec
                .names
                .categories
                .iter()
                .flatten()
                .all(|category| *category != crd.spec.names.plural
                    && Some(category) != crd.spec.names.singular.as_ref())
        );
        let version = &crd.spec.versions[0];
        assert!(
            version
                .subresources
                .as_ref()
                .is_some_and(|sub| sub.status.is_some())
        );
        let columns: Vec<&str> = version
            .additional_printer_columns
            .iter()
            .flatten()
            .map(|column| column.name.as_str())
            .collect();
        assert!(
            columns.contains(&"Throughput") && columns.contains(&"Verdict"),
            "{columns:?}"
        );
    }
}

#[test]
fn every_list_and_text_of_the_spec_is_bounded() {
    // Without bounds the API server reckons each CEL rule at its worst and refuses the definition.
    for (kind, schema) in schemas() {
        let mut unbounded = Vec::new();
        walk(
            &format!("{kind}.spec"),
            &schema["properties"]["spec"],
            &mut |path, schema| {
                let bounded = match schema["type"].as_str() {
                    Some("array") => schema["maxItems"].is_u64(),
                    Some("string") => {
                        schema["maxLength"].is_u64()
                        || schema["enum"].is_array()
                        || schema["format"] == "date-time"
                        // A pattern with an end bounds it as well.
                        || schema["pattern"].as_str().is_some_and(|pattern| pattern.contains("{0,14}"))
                    }
                    Some("object") if schema["additionalProperties"].is_object() => {
                        schema["maxProperties"].is_u64()
                    }
                    _ => true,
                };
                if !bounded {
                    unbounded.push(path.to_owned());
                }
            },
        );
        assert_eq!(unbounded, Vec::<String>::new());
    }
}

#[test]
fn every_list_of_the_status_is_bounded() {
    for (kind, schema) in schemas() {
        // What a peer says, and what is made of it.
        let texts = [
            "results.items.congestionControl",
            "results.items.clientQdisc",
            "results.items.serverQdisc",
            "diagnosis.items.reason",
            "diagnosis.items.message",
            "diagnosis.items.hint",
        ];
        let (mut lists, mut bounded) = (0, 0);
        let status = &schema["properties"]["status"];
        walk(&format!("{kind}.status"), status, &mut |path, schema| {
            if schema["type"] == "array" {
                assert!(schema["maxItems"].is_u64(), "{path}");
                lists += 1;
            }
            if texts.iter().any(|text| path.ends_with(text)) {
                assert!(schema["maxLength"].is_u64(), "{path}");
                bounded += 1;
            }
        });
        assert!(lists >= 5, "{kind} has {lists}");
        assert_eq!(bounded, texts.len(), "{kind}");
    }
}

#[test]
fn contradictions_are_refused_by_name_with_the_fix() {
    for (kind, schema) in schemas() {
        let mut messages = Vec::new();
        walk(&kind, &schema, &mut |_, schema| {
            let rules = schema["x-kubernetes-validations"].as_array();
            for rule in rules.into_iter().flatten() {
                let text = rule["rule"].as_str().unwrap_or_default().to_owned();
                messages.push((
                    rule["message"].as_str().unwrap_or_default().to_owned(),
                    text,
                ));
            }
        });
        for (says, fix, on) in [
            (
                "traffic.zeroCopy is TCP's",
                "remove it, or set",
                "self.traffic.zeroCopy",
            ),
            (
                "traffic.udpOffload is UDP's",
                "remove it, or set",
                "self.traffic.udpOffload",
            ),
            (
                "traffic.zeroCopy false contradicts traffic.fast",
                "remove zeroCopy",
                "self.zeroCopy",
            ),
            (
                "traffic.skipReceiveCopy false contradicts traffic.fast",
                "remove skipReceiveCopy",
                "self.skipReceiveCopy",
            ),
            (
                "traffic.udpOffload false contradicts traffic.fast",
                "remove udpOffload",
                "self.udpOffload",
            ),
            (
                "traffic.duration, traffic.bytes and traffic.blocks exclude",
                "set the one",
                "self.blocks",
            ),
            (
                "traffic.bitrateBurst needs",
                "set it, or remove",
                "self.bitrateBurst",
            ),
            (
                "traffic.congestionControl is TCP's",
                "remove it",
                "self.traffic.congestionControl",
            ),
            ("traffic.mss is", "remove it", "self.traffic.mss"),
            ("traffic.noDelay is", "remove it", "self.traffic.noDelay"),
            ("traffic.mptcp is", "remove it", "self.traffic.mptcp"),
            ("traffic.mptcp: Linux takes no", "remove them", "self.mptcp"),
            (
                "traffic.sendTimeout is",
                "remove it",
                "self.traffic.sendTimeout",
            ),
            (
                "traffic.sctpStreams is",
                "remove it",
                "self.traffic.sctpStreams",
            ),
            (
                "traffic.dontFragment is UDP's",
                "remove it",
                "self.traffic.dontFragment",
            ),
            (
                "traffic.dontFragment is IPv4's",
                "remove it",
                "self.path.ipFamily",
            ),
            (
                "traffic.flowLabel is IPv6's",
                "set path.ipFamily",
                "self.traffic.flowLabel",
            ),
            (
                "traffic.direction Reverse is not for",
                "use Forward",
                "self.topology.type",
            ),
            (
                "traffic.bitrate is above limits.maxBitrate",
                "lower it",
                "self.limits.maxBitrate",
            ),
            (
                "sweep makes more than 64 variants",
                "shorten",
                "size(self.paths)",
            ),
            (
                "sweep.paths stands in place of",
                "remove them",
                "self.sweep.paths",
            ),
            (
                "sweep.congestionControls is TCP's",
                "remove it",
                "self.sweep.congestionControls",
            ),
            (
                "topology.type Mesh takes its nodes by",
                "remove nodeName",
                "self.client.nodeName",
            ),
            (
                "topology.type External has no server pod",
                "remove server",
                "self.server.nodeName",
            ),
            (
                "topology.type External has one way",
                "remove path.type",
                "self.path.type",
            ),
            (
                "client.nodeName is one node",
                "use client.nodeSelector",
                "self.client.nodeName",
            ),
            ("thresholds on LossPPM", "need UDP", "self.thresholds"),
            (
                "thresholds on RTTMicroseconds",
                "need TCP",
                "self.thresholds",
            ),
        ] {
            assert!(
                messages
                    .iter()
                    .any(|(message, rule)| message.starts_with(says)
                        && message.contains(fix)
                        && rule.contains(on)),
                "{kind}: {says}"
            );
        }
    }
}

#[test]
fn no_field_takes_null_and_none_is_a_float() {
    for (kind, schema) in schemas() {
        walk(&kind, &schema, &mut |path, schema| {
            assert_ne!(schema["nullable"], true, "{path}");
            assert_ne!(schema["type"], "number", "{path}");
            assert!(
                !schema["format"]
                    .as_str()
                    .unwrap_or_default()
                    .starts_with("uint"),
                "{path}"
            );
        });
    }
}

#[test]
fn every_field_is_explained_in_our_own_words() {
    for (kind, schema) in schemas() {
        walk(&kind, &schema, &mut |path, schema| {
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                // Kubernetes explains its own types.
                if path.contains(".conditions.") || path == kind && name == "metadata" {
                    continue;
                }
                let text = property["description"].as_str().unwrap_or_default();
                assert!(
                    !text.is_empty() && !text.starts_with("Time is a wrapper"),
                    "{path}.{name} says {text:?}"
                );
            }
        });
    }
}

#[test]
fn every_rule_has_a_message_and_names_only_what_exists() {
    for (kind, schema) in schemas() {
        let mut rules = 0;
        walk(&kind, &schema, &mut |path, schema| {
            for rule in schema["x-kubernetes-validations"]
                .as_array()
                .into_iter()
                .flatten()
            {
                rules += 1;
                let text = rule["rule"].as_str().expect("a rule");
                assert!(
                    rule["message"]
                        .as_str()
                        .is_some_and(|message| !message.is_empty()),
                    "{path}: {text}"
                );
                for chain in text.split("self.").skip(1) {
                    let chain: String = chain
                        .chars()
                        .take_while(|c| c.is_ascii_alphanumeric() || *c == '.')
                        .collect();
                    let mut at = schema;
                    for name in chain.split('.') {
                        // Past a list or a scalar come CEL's own functions.
                        let Some(properties) = at["properties"].as_object() else {
                            break;
                        };
                        at = properties
                            .get(name)
                            .unwrap_or_else(|| panic!("{path}: no {name} for {text}"));
                    }
                }
            }
        });
        assert!(rules >= 15, "{kind} has {rules}");
    }
}

#[test]
fn defaults_are_what_an_empty_spec_means() {
    let spec: crate::NetTestSpec =
        serde_json::from_value(serde_json::json!({})).expect("all optional");
    assert_eq!(spec, crate::NetTestSpec::default());
    // What the API server writes into an object is what the types say.
    let (_, schema) = &schemas()[0];
    let properties = schema["properties"]["spec"]["properties"]
        .as_object()
        .expect("fields");
    let defaults: serde_json::Map<String, Value> = properties
        .iter()
        .filter(|(_, field)| !field["default"].is_null())
        .map(|(name, field)| (name.clone(), field["default"].clone()))
        .collect();
    let filled: crate::NetTestSpec =
        serde_json::from_value(Value::Object(defaults)).expect("defaults fit");
    assert_eq!(filled, spec);
}

#[test]
fn a_run_cannot_change() {
    let (_, schema) = &schemas()[1];
    let rules = schema["properties"]["spec"]["x-kubernetes-validations"]
        .as_array()
        .expect("rules");
    assert!(rules.iter().any(|rule| rule["rule"] == "self == oldSelf"));
}

/// The folders that `make generate` writes and people apply: `kubectl apply -f crds/`, and the chart's copies.
#[test]
fn the_files_that_users_apply_are_these_definitions() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for folder in ["crds", "charts/nettest/files/crds"] {
        let mut files: Vec<_> = std::fs::read_dir(format!("{root}/{folder}"))
            .expect("a folder of definitions")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.sort();
        let mut written: Vec<Value> = files
            .iter()
            .map(|file| {
                let text = std::fs::read_to_string(file).expect("a file");
                serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{file:?}: {error}"))
            })
            .collect();
        let mut made: Vec<Value> = nettest_crds()
            .iter()
            .map(|crd| serde_json::to_value(crd).expect("JSON"))
            .collect();
        let name = |crd: &Value| {
            crd["metadata"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        written.sort_by_key(name);
        made.sort_by_key(name);
        assert!(written == made, "{folder} is out of date: make generate");
    }
}
