//! Several variants on one machine: one server, one client that measures all of them.

use crate::{SERVER, Scene};

const SWEEP: &str = "\
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: a}
spec:
  client: {network: Host}
  traffic: {bytes: 1M}
  sweep: {protocols: [TCP, UDP], parallelStreams: [1, 4]}
  repeats: {count: 1, maxSpreadPercent: 10, maxCount: 3}
  thresholds:
  - {name: enough, metric: Throughput, min: 1G}
  - {name: more, metric: Throughput, min: 5G, severity: Warn}
";

/// A client whose digest has these variants, each at 2 Gbit/s.
fn measured(variants: &[&str]) -> String {
    let figures: Vec<String> = variants
        .iter()
        .map(|variant| {
            format!(
                r#"{{"variant":"{variant}","flow":"ClientToServer","sentBitsPerSecond":[2000000000],"receivedBitsPerSecond":[2000000000],"sentBytes":[1],"receivedBytes":[1]}}"#
            )
        })
        .collect();
    format!(
        r#"echo '{{"event":"digest","data":{{"version":1,"run":"'$(value --run-uid)'","attempt":1,"outcome":"Complete","figures":[{}]}}}}'"#,
        figures.join(",")
    )
}

const ALL: [&str; 4] = ["tcp-p1", "tcp-p4", "udp-p1", "udp-p4"];

#[test]
fn one_client_measures_every_variant_and_a_warning_passes() {
    let scene = Scene::with(SWEEP, SERVER, &measured(&ALL));
    let said = scene.run(&[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let rows: Vec<&str> = said
        .out
        .lines()
        .filter(|line| line.contains("client to server  "))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(rows, ALL, "{said:?}");
    assert!(
        said.out.contains("threshold enough met: ")
            && said
                .out
                .contains("threshold more MISSED (a warning only): "),
        "{said:?}"
    );
    assert!(
        said.err.contains("4 variants, each 1 to 3 x 1000000 bytes"),
        "{said:?}"
    );
    assert!(said.err.contains("client.network"), "{said:?}");
    let starts = scene.starts();
    let of = |role: &str| starts.iter().filter(|start| start.contains(role)).count();
    assert_eq!((of(" -s "), of(" -c ")), (1, 1), "{starts:?}");
    let client = starts.iter().find(|start| start.contains(" -c ")).unwrap();
    for word in [
        "--variant tcp-p1 -c 127.0.0.1",
        "--variant udp-p4 -c 127.0.0.1",
        "-n 1000000",
        "--max-spread-percent 10 --max-repeats 3",
    ] {
        assert!(client.contains(word), "{word}: {client}");
    }
    assert_eq!(scene.running(), [""; 0]);
}

#[test]
fn a_variant_that_was_not_measured_leaves_no_result() {
    let said = Scene::with(SWEEP, SERVER, &measured(&ALL[..3])).run(&["-q"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.out.contains("EngineCrashed"), "{said:?}");
}

#[test]
fn what_needs_a_cluster_is_refused_and_starts_nothing() {
    for (spec, says) in [
        (
            "{topology: {type: Mesh}}",
            "topology.type Mesh needs the nodes of a cluster",
        ),
        (
            "{topology: {type: Star}}",
            "topology.type Star needs the nodes of a cluster",
        ),
        (
            "{sweep: {paths: [PodIP, ClusterIP]}}",
            "sweep.paths has several paths",
        ),
    ] {
        let (head, _) = SWEEP.split_once("spec:").unwrap();
        let scene = Scene::with(&format!("{head}spec: {spec}\n"), SERVER, "exit 1");
        let said = scene.run(&[]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(
            said.out
                .starts_with(&format!("a: ERROR (InvalidSpec): {says}")),
            "{said:?}"
        );
        assert_eq!(said.out.lines().count(), 1, "{said:?}");
        assert_eq!(scene.starts(), [""; 0]);
    }
}

#[test]
fn what_is_for_the_operator_is_noted() {
    let text = SWEEP.replace(
        "spec:\n",
        "spec:\n  schedule: {cron: '@daily'}\n  rerun: x\n  cleanup: {pods: Never}\n",
    );
    let scene = Scene::with(&text, SERVER, &measured(&ALL));
    let said = scene.run(&[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.err
            .contains("no effect here have client.network, schedule, cleanup, rerun"),
        "{said:?}"
    );
    assert!(!scene.run(&["-q"]).err.contains("note:"));
}
