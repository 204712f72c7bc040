//! The commands about what is there, against an API server with a few objects: what they print, what they ask for, and
//! what they say when something is not as it should be.

// Helpers of tests; clippy.toml allows it in the tests themselves.
#![allow(clippy::unwrap_used)]

mod objects;
mod server;

use objects::{mesh, pair, record, run, test};
use serde_json::{Value, json};
use server::Server;

/// A pair that was measured twice, and a mesh of which one pair was lost.
fn lab() -> Server {
    let slow = pair("rack-2", "2026-12-01T11:00:00Z", [7_900, 8_000, 8_100]);
    let fast = pair("rack-1", "2026-12-01T10:00:00Z", [9_400, 9_410, 9_420]);
    let records = json!({
        "0": record("node1", "node2", Some([9_400, 9_300])),
        "1": record("node1", "node3", Some([940, 930])),
        "2": record("node2", "node3", None),
    });
    Server::new()
        .object("nettests", test("rack", "Passed"))
        .object("nettests", test("mesh", "Failed"))
        .objects("nettestruns", "rack", &[slow, fast])
        .objects("nettestruns", "mesh", &[mesh("mesh-1")])
        .object("configmaps", objects::ledger("mesh-1", &records))
}

/// Standard output and standard error, and the exit code before them where it is not 0.
fn said(server: &Server, line: &str) -> String {
    let (code, out, err) = server.run(line);
    let mut text = String::new();
    if code != 0 {
        text += &format!("[exit {code}]\n");
    }
    text + &out + &err
}

#[test]
fn each_command_on_a_pair() {
    let server = lab();
    insta::assert_snapshot!("why", said(&server, "why rack"));
    insta::assert_snapshot!("compare", said(&server, "compare run/rack-1 rack"));
    // Ages depend on the day.
    let history = said(&server, "history rack");
    let history = history
        .lines()
        .map(|line| line.rsplit_once("  ").map_or(line, |(rest, _)| rest));
    insta::assert_snapshot!("history", history.collect::<Vec<_>>().join("\n"));
    insta::assert_snapshot!("watch", said(&server, "watch rack"));
    assert_eq!(
        said(&server, "matrix rack"),
        "[exit 2]\nerror: rack-2 has one pair, and a matrix needs several; kubectl nettest why rack -n lab has its figures\n"
    );
}

#[test]
fn each_command_on_a_mesh() {
    let server = lab();
    insta::assert_snapshot!("matrix", said(&server, "matrix mesh"));
    insta::assert_snapshot!("matrix-zones", said(&server, "matrix mesh --zones"));
    insta::assert_snapshot!("why-mesh", said(&server, "why run/mesh-1"));
    let wrong = said(&server, "matrix mesh --variant udp-p1");
    assert!(
        wrong.contains("mesh-1 has no variant udp-p1; it has tcp-p1"),
        "{wrong}"
    );
}

#[test]
fn a_report_goes_to_a_file_or_to_standard_output() {
    let server = lab();
    let text = said(&server, "report mesh -o csv");
    assert_eq!(text.lines().count(), 1 + 2 * 2 + 1, "{text}");
    assert!(text.contains("node2,node3,false,"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mesh.html");
    let text = said(&server, &format!("report mesh --out {}", file.display()));
    assert_eq!(text, format!("report: {}\n", file.display()));
    let html = std::fs::read_to_string(&file).unwrap();
    assert!(
        html.contains("Every node against every other") && html.contains("bad node node3"),
        "{html}"
    );
    let wrong = said(&server, "report mesh --out /nowhere/at/all.html");
    assert!(
        wrong.contains("there is no directory /nowhere/at"),
        "{wrong}"
    );
    let text = said(&server, "report rack -o junit");
    assert!(
        text.contains(r#"<testsuite name="rack" tests="2""#),
        "{text}"
    );
}

/// Of two meshes that differ in one pair, the spread over the pairs said that it is noise.
#[test]
fn meshes_are_compared_pair_by_pair() {
    let records = |slow: i64| {
        json!({
            "0": record("node1", "node2", Some([9_400, 9_300])),
            "1": record("node1", "node3", Some([slow, slow])),
            "2": record("node2", "node3", Some([940, 940])),
        })
    };
    let server = Server::new()
        .object("nettests", test("mesh", "Failed"))
        .objects("nettestruns", "mesh", &[mesh("mesh-2"), mesh("mesh-1")])
        .object("configmaps", objects::ledger("mesh-1", &records(9_000)))
        .object("configmaps", objects::ledger("mesh-2", &records(4_500)));
    insta::assert_snapshot!(
        "compare-meshes",
        said(&server, "compare run/mesh-1 run/mesh-2")
    );
    let (_, json, _) = server.run("compare run/mesh-1 run/mesh-2 -o json");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["pairs"].as_array().unwrap().len(), 6);
    assert_eq!(json["variants"][0]["change"]["noise"], "OverPairs");
}

#[test]
fn a_run_that_is_gone_is_not_taken_for_an_older_one() {
    let mut of = test("rack", "Failed");
    of["status"] = json!({
        "verdict": "Failed", "latestRun": "rack-3", "lastRunTime": "2026-12-01T12:00:00Z",
        "conditions": [{"type": "Succeeded", "status": "False", "reason": "ThresholdNotMet", "message": "slow",
            "observedGeneration": 1, "lastTransitionTime": "2026-12-01T12:00:00Z"}],
    });
    let older = pair("rack-2", "2026-12-01T11:00:00Z", [7_900, 8_000, 8_100]);
    let server = Server::new()
        .object("nettests", of)
        .objects("nettestruns", "rack", &[older]);
    for line in ["why rack", "watch rack", "report rack -o md"] {
        let text = said(&server, line);
        assert!(
            text.contains("FAILED") && text.contains("slow"),
            "{line}: {text}"
        );
    }
    assert!(said(&server, "why run/rack-2").contains("PASSED"));
}

#[test]
fn pairs_that_are_lost_are_missed() {
    let server = Server::new()
        .object("nettests", test("mesh", "Failed"))
        .objects("nettestruns", "mesh", &[mesh("mesh-1")]);
    for line in ["matrix mesh", "report mesh -o csv", "compare mesh mesh"] {
        let text = said(&server, line);
        assert!(
            text.starts_with(
                "[exit 2]\nerror: ConfigMap mesh-1-pairs-0 in namespace lab is gone, or"
            ),
            "{line}: {text}"
        );
    }
}

#[test]
fn programs_get_the_same_figures() {
    let server = lab();
    let json = |line: &str| -> Value {
        let (code, out, err) = server.run(line);
        assert_eq!((code, err.as_str()), (0, ""), "{line}: {out}");
        serde_json::from_str(&out).unwrap()
    };
    let compared = json("compare run/rack-1 rack -o json");
    assert_eq!(compared["before"]["run"], "rack-1");
    assert_eq!(
        compared["variants"][0]["after"]["median"],
        8_000_000_000_i64
    );
    assert_eq!(compared["variants"][0]["change"]["permille"], -150);
    assert_eq!(compared["variants"][0]["change"]["noise"], "Beyond");
    let history = json("history rack -o json");
    let runs: Vec<&Value> = history["runs"].as_array().unwrap().iter().collect();
    assert_eq!((runs.len(), &runs[0]["run"]), (2, &json!("rack-2")));
    assert_eq!(runs[0]["finished"], "2026-12-01T11:00:00Z");
    let matrix = json("matrix mesh -o json");
    let ways = matrix["variants"][0]["ways"].as_array().unwrap();
    assert_eq!(ways.len(), 6);
    assert!(ways.contains(
        &json!({"from": "node3", "to": "node1", "throughputBitsPerSecond": 930_000_000})
    ));
    assert!(
        ways.contains(&json!({"from": "node2", "to": "node3", "throughputBitsPerSecond": null}))
    );
    let why = json("why run/mesh-1 -o json");
    assert_eq!(why["verdict"], "Failed");
    assert_eq!(why["suspects"][0]["node"], "node3");
    let watched = json("watch rack -o json");
    assert_eq!(watched["status"]["verdict"], "Passed");
    let dry = json("cleanup rack --dry-run -o json");
    assert_eq!(
        dry,
        json!({"runs": ["lab/rack-2", "lab/rack-1"], "deleted": 0})
    );
    let (_, yaml, _) = server.run("why rack -o yaml");
    assert!(yaml.starts_with("run: rack-2\n"), "{yaml}");
}

#[test]
fn a_name_is_found_in_whichever_namespace_it_is() {
    let server = lab();
    let line = "why rack --namespace lab";
    let found = said(&server, "why rack -A");
    assert_eq!(found, said(&server, line));
    let wrong = said(&server, "why mehs -A");
    assert!(
        wrong.contains("there is no NetTest mehs in any namespace; did you mean mesh?"),
        "{wrong}"
    );
    let mut other = test("rack", "Passed");
    other["metadata"]["namespace"] = json!("other");
    other["metadata"]["name"] = json!("rack");
    let twice = lab().another("nettests", other);
    let several = said(&twice, "why rack -A");
    assert!(
        several.contains("in the namespaces lab, other: choose one with --namespace"),
        "{several}"
    );
    let refused = said(&Server::refusing((403, "", "no")), "why rack -A");
    assert!(
        refused.contains("you may not list nettests.nettest.dev in all namespaces")
            && refused.contains("kubectl auth can-i list nettests.nettest.dev -A"),
        "{refused}"
    );
}

#[test]
fn cleanup_deletes_what_has_ended_and_nothing_else() {
    let going = run("rack-3", "rack", json!({"conditions": []}));
    let server = lab().objects(
        "nettestruns",
        "rack",
        &[going, pair("rack-2", "2026-12-01T11:00:00Z", [1, 1, 1])],
    );
    let dry = said(&server, "cleanup rack --dry-run");
    assert_eq!(
        dry,
        "lab/rack-2\n1 run would be deleted\nnote: rack-3 is still going and stays; kubectl delete nettestrun/rack-3 -n lab ends it\n"
    );
    let unasked = said(&server, "cleanup rack");
    assert!(unasked.contains("say --yes"), "{unasked}");
    assert!(
        server
            .asked()
            .iter()
            .all(|asked| !asked.starts_with("DELETE"))
    );
    let done = said(&server, "cleanup rack --yes");
    assert!(done.contains("1 run deleted"), "{done}");
    let deleted: Vec<String> = server
        .asked()
        .into_iter()
        .filter(|asked| asked.starts_with("DELETE"))
        .collect();
    assert_eq!(deleted, ["DELETE nettestruns/rack-2"]);
}

#[test]
fn what_is_wrong_is_one_sentence_with_what_to_do() {
    let server = lab();
    for (line, words) in [
        (
            "why mehs",
            "there is no NetTest mehs in namespace lab; did you mean mesh?",
        ),
        (
            "why run/mesh-2",
            "there is no NetTestRun mesh-2 in namespace lab; did you mean mesh-1?",
        ),
        (
            "why pod/a",
            "'pod/a' names nothing; write the name of a NetTest, or run/NAME",
        ),
        (
            "history run/rack-1",
            "rack-1 is a run, and a history is a NetTest's",
        ),
    ] {
        let text = said(&server, line);
        assert!(
            text.starts_with("[exit 2]\nerror: ") && text.contains(words),
            "{line}: {text}"
        );
        assert_eq!(text.lines().count(), 2, "{line}: {text}");
    }
    for (refused, line, words) in [
        (
            (404, "", ""),
            "why rack",
            "the CRDs of nettest are not installed; install the chart",
        ),
        (
            (403, "rack", "no"),
            "why rack",
            "you may not get nettests.nettest.dev in namespace lab",
        ),
        (
            (403, "rack", "no"),
            "history rack",
            "kubectl auth can-i get nettests.nettest.dev -n lab",
        ),
        ((401, "rack", "who"), "why rack", "does not know you"),
    ] {
        let text = said(&Server::refusing(refused), line);
        assert!(text.contains(words), "{refused:?} {line}: {text}");
    }
    let newer = json!({"apiVersion": "nettest.dev/v1alpha1", "kind": "NetTest", "metadata": {"name": "rack", "namespace": "lab"}, "spec": {"topology": {"type": "Torus"}}});
    let text = said(&Server::new().object("nettests", newer), "why rack");
    assert!(
        text.contains("it is of a newer nettest than the plugin") && text.contains("Torus"),
        "{text}"
    );
    let waits = Server::new().object("nettests", test("new", ""));
    let text = said(&waits, "compare new new");
    assert!(
        text.contains("new has not run yet: no operator has looked at it yet"),
        "{text}"
    );
    let goes = Server::new().object("nettests", test("new", "")).objects(
        "nettestruns",
        "new",
        &[run(
            "new-1",
            "new",
            objects::going("Queued", "number 2 in line"),
        )],
    );
    let text = said(&goes, "compare new new");
    assert!(
        text.contains("is still going (Queued: number 2 in line)")
            && text.contains("kubectl nettest watch new"),
        "{text}"
    );
    assert_eq!(
        said(&goes, "why new"),
        "new-1: not ended: Queued: number 2 in line\n\ncause and remedy: docs/reasons.md#queued\n"
    );
    let text = server::away("why rack");
    assert!(
        text.starts_with(
            "error: the cluster at http://127.0.0.1:1 does not answer: Connection refused"
        ) && text.contains("--context"),
        "{text}"
    );
    let text = said(&server, "report rack --out /tmp/rack.pdf");
    assert!(
        text.contains("the name /tmp/rack.pdf does not say the form of the report"),
        "{text}"
    );
}

/// Values that a program prints are those of the objects.
#[test]
fn a_later_run_that_goes_on_is_named() {
    let going: Value = run(
        "rack-3",
        "rack",
        objects::going("Running", "the client measures"),
    );
    let runs = [
        going,
        pair("rack-2", "2026-12-01T11:00:00Z", [8_000, 8_000, 8_000]),
    ];
    let server =
        Server::new()
            .object("nettests", test("rack", ""))
            .objects("nettestruns", "rack", &runs);
    let text = said(&server, "compare rack rack");
    assert!(
        text.contains("note: rack-3 is still going; this is rack-2, which ended before"),
        "{text}"
    );
}
