//! `kubectl nettest run --local` as a user starts it, with a scripted program in the engine's place: what it is
//! asked, what is printed where, the exit code, and that nothing is left running.

// Helpers of tests; clippy.toml allows it in the tests themselves.
#![allow(clippy::unwrap_used)]

mod elsewhere;
mod fast_paths;
mod real;
mod scene;
mod sweep;

use scene::{SERVER, Said, Scene, TEST};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_test_that_passes() {
    let scene = Scene::new("echo noise; digest 2000000000");
    let said = scene.run(&["--report", scene.path("out.json").to_str().unwrap()]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("2.00 Gbit/s"), "{said:?}");
    assert!(
        said.out.lines().last().unwrap().starts_with("a: PASSED"),
        "{said:?}"
    );
    assert!(
        !said.out.contains('\x1b') && !said.err.contains('\x1b'),
        "{said:?}"
    );
    assert!(said.err.contains("1 x 1 s"), "{said:?}");
    let report = std::fs::read_to_string(scene.path("out.json")).unwrap();
    assert!(report.contains(r#""verdict": "Passed""#), "{report}");
    assert_eq!(scene.running(), [""; 0]);
}

#[test]
fn the_token_is_in_the_environment_and_not_in_the_arguments() {
    let scene = Scene::new("digest 2000000000");
    scene.run(&["-q"]);
    let starts = scene.starts();
    let token = |role: &str| {
        let start = starts.iter().find(|start| start.contains(role)).unwrap();
        let (_, rest) = start.split_once(' ').unwrap();
        let (token, args) = rest.split_once(' ').unwrap();
        assert!(!args.contains(token), "{start}");
        token.to_owned()
    };
    let (server, client) = (token(" -s "), token(" -c "));
    assert_eq!(server, client);
    assert_eq!(server.len(), 20, "{starts:?}");
}

#[test]
fn a_server_that_nobody_can_end_any_more_ends_itself() {
    let manifest = TEST.replace("{count: 1}", "{count: 1, pause: 90s}");
    let scene = Scene::with(&manifest, SERVER, "digest 2000000000");
    assert_eq!(scene.run(&["-q"]).code, Some(0));
    let starts = scene.starts();
    let asked = |role: &str| {
        let start = starts.iter().find(|start| start.contains(role)).unwrap();
        start.contains("--idle-timeout 120")
    };
    assert!(asked(" -s ") && !asked(" -c "), "{starts:?}");
}

#[test]
fn a_missed_threshold_is_exit_1_and_objects_stand_alone_on_stdout() {
    let scene = Scene::new("digest 5");
    let said = scene.run(&["-o", "yaml"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let object: serde_json::Value = serde_yaml::from_str(&said.out).unwrap();
    assert_eq!(object["kind"], "NetTest");
    assert_eq!(object["status"]["verdict"], "Failed");
    assert_eq!(object["status"]["thresholds"][0]["met"], false);
    let said = scene.run(&["-o", "json", "-q"]);
    let object: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(object["status"]["results"][0]["receiverBitsPerSecond"], 5);
    assert_eq!(said.err, "");
}

#[test]
fn a_server_that_does_not_start_is_said_in_its_own_words() {
    let scene = Scene::with(TEST, "echo port taken >&2; exit 1", "digest 5");
    let said = scene.run(&[]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.out.contains("ERROR") && said.out.contains("port taken"),
        "{said:?}"
    );
}

#[test]
fn a_client_without_a_result_is_exit_2_with_its_words() {
    let scene = Scene::new("echo out of luck >&2; exit 1");
    let said = scene.run(&[]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.out.contains("EngineCrashed") && said.out.contains("out of luck"),
        "{said:?}"
    );
    assert_eq!(scene.running(), [""; 0]);
}

#[test]
fn a_server_that_dies_during_the_test_is_the_reason_and_not_the_client_that_misses_it() {
    let dying = "ready; sleep 1; echo last words >&2; kill -KILL $$";
    for (server, client, says) in [
        (
            dying,
            "sleep 1.2; failed PeerUnreachable; exit 3",
            "SIGKILL",
        ),
        (dying, "sleep 1.2; exit 3", "last words"),
        (
            "ready; sleep 1; exit 7",
            "sleep 1.2; failed PeerUnreachable; exit 3",
            "exit status: 7",
        ),
    ] {
        let said = Scene::with(TEST, server, client).run(&["-q"]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(
            said.out.contains("EngineCrashed") && said.out.contains(says),
            "{says}: {said:?}"
        );
    }
    // A server that lives is not blamed.
    let said = Scene::new("failed PeerUnreachable; exit 3").run(&["-q"]);
    assert!(said.out.contains("PeerUnreachable"), "{said:?}");
}

#[test]
fn two_tests_and_the_worse_counts() {
    let second = TEST
        .replace("name: a}", "name: b}")
        .replace("min: 1G", "min: 9G");
    let scene = Scene::with(&format!("{TEST}---\n{second}"), SERVER, "digest 2000000000");
    let said = scene.run(&["-q"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains("a: PASSED") && said.out.contains("b: FAILED"),
        "{said:?}"
    );
}

#[test]
fn one_wrong_test_of_several_keeps_all_from_being_measured() {
    let second = TEST
        .replace("name: a}", "name: b}")
        .replace("{count: 1}", "{count: 99}");
    let scene = Scene::with(&format!("{TEST}---\n{second}"), SERVER, "digest 2000000000");
    let said = scene.run(&[]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.out.contains("b: ERROR (InvalidSpec): repeats.count") && !said.out.contains("a:"),
        "{said:?}"
    );
    assert!(said.err.contains("nothing was measured"), "{said:?}");
    assert_eq!(scene.starts(), [""; 0]);
}

#[test]
fn a_report_without_a_place_starts_nothing() {
    let scene = Scene::new("digest 2000000000");
    let said = scene.run(&["--report", scene.path("new/out.json").to_str().unwrap()]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("there is no directory"), "{said:?}");
    assert!(!scene.path("new").exists());
    assert_eq!(scene.starts(), [""; 0]);
}

#[test]
fn a_full_standard_output_is_named() {
    let scene = Scene::new("digest 2000000000");
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let said = Said::of(scene.command(&["-q"]).stdout(full).output().unwrap());
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("standard output"), "{said:?}");
}

#[test]
fn exclusive_cpus_start_nothing_here() {
    let manifest = TEST.replace("spec:\n", "spec:\n  client: {cpu: {mode: Exclusive}}\n");
    let scene = Scene::with(&manifest, SERVER, "digest 5");
    let said = scene.run(&[]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.out.contains("ExclusiveCPUNotGranted"), "{said:?}");
    assert_eq!(scene.starts(), [""; 0]);
}

#[test]
fn preferred_exclusive_cpus_are_done_without_and_it_is_said() {
    let manifest = TEST.replace(
        "spec:\n",
        "spec:\n  client: {cpu: {mode: Exclusive, enforcement: Preferred}}\n",
    );
    let said = Scene::with(&manifest, SERVER, "digest 2000000000").run(&[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("client.cpu.mode"), "{said:?}");
}

#[test]
fn an_interrupt_ends_both_ends_and_says_so() {
    for signal in ["INT", "TERM"] {
        let scene = Scene::with(
            &TEST.replace("{count: 1}", "{count: 3}"),
            SERVER,
            "measured 1; : >$0.measured; exec sleep 30",
        );
        let child = scene
            .command(&[])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while !scene.path("engine.measured").exists() {
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "no client was started"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        // The line is read a moment after it was written.
        std::thread::sleep(Duration::from_millis(500));
        let pid = child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-s", signal, &pid])
                .status()
                .unwrap()
                .success()
        );
        let said = Said::of(child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.out.contains("interrupted"), "{said:?}");
        assert!(said.out.contains("1 of 3 repeats done"), "{said:?}");
        assert!(!said.out.contains("PASSED"), "{said:?}");
        assert!(begun.elapsed() < Duration::from_secs(25), "{said:?}");
        assert_eq!(scene.running(), [""; 0]);
    }
}

#[test]
fn a_wrong_file_starts_nothing_and_is_one_line() {
    for manifest in ["]", "kind: Pod\napiVersion: v1\n", "a: [1,\n- b"] {
        let scene = Scene::with(manifest, SERVER, "digest 5");
        let said = scene.run(&[]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(
            said.err.starts_with("error: ") && said.err.contains("a.yaml"),
            "{said:?}"
        );
        assert_eq!((said.out.as_str(), scene.starts().len()), ("", 0));
    }
}
