//! The wall clock is set while a test runs, in a machine of its own: User-Mode Linux, whose root is this machine's,
//! read-only.

use crate::run::{text, wait};
use crate::strict::{self, count, list, number};
use serde_json::Value;
use std::process::{Command, Stdio};

/// An hour back, and then two hours ahead; the client's document stands between the marks, and the clock before them
/// and behind.
const INIT: &str = r#"#!/bin/sh
mount -t proc proc /proc
mount -t tmpfs tmp /run
ip link set lo up
ENGINE -s >/run/server 2>&1 &
until ENGINE --probe; do sleep 0.1; done
(sleep 1.2; date -s "@$(($(date +%s) - 3600))"; sleep 1; date -s "@$(($(date +%s) + 7200))") >/run/date 2>&1 &
date +=CLOCK=%s=CLOCK=
echo =DOCUMENT=
ENGINE -c 127.0.0.1 -J -i 0.5 FLAGS
echo =DOCUMENT=
date +=CLOCK=%s=CLOCK=
poweroff -f
"#;

fn measured_with_a_stepping_clock(flags: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("init");
    let init = INIT
        .replace("ENGINE", env!("CARGO_BIN_EXE_nettest-engine"))
        .replace("FLAGS", flags);
    std::fs::write(&script, init).expect("a script");
    let shell = format!("init=/bin/sh -- {}", script.display());
    let child = Command::new("linux.uml")
        .args([
            "rootfstype=hostfs",
            "rootflags=/",
            "ro",
            "mem=256M",
            "con=null",
            "con0=null,fd:1",
            "quiet",
        ])
        .args(shell.split(' '))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("linux.uml (user-mode-linux) starts; hack/install-prerequisites brings it");
    let printed = text(&wait(child).stdout);
    let part = |mark: &str, nth: usize| {
        let part = printed.split(mark).nth(nth);
        part.unwrap_or_else(|| panic!("no {mark}: {printed}"))
            .to_owned()
    };
    let clock = |nth| part("=CLOCK=", nth).parse::<i64>().expect("seconds");
    // On a busy machine the second step may come after the test.
    let stepped = clock(3) - clock(1);
    assert!(stepped.abs() > 3000, "the clock went {stepped} s ahead");
    strict::parse(part("=DOCUMENT=", 1).as_bytes())
}

#[test]
fn report_072_a_step_of_the_wall_clock_changes_no_figure() {
    for flags in ["-t 3 -b 20M", "-t 3 -u -b 4M -l 1000 -R"] {
        let document = measured_with_a_stepping_clock(flags);
        // No row is negative or of no length, all follow each other.
        strict::sane(&document);
        let end = &document["end"];
        for sum in ["sum_sent", "sum_received"] {
            let seconds = number(&end[sum]["seconds"]);
            assert!((2.9..4.0).contains(&seconds), "{flags}: {sum}: {seconds}");
        }
        let rows: Vec<f64> = list(&document["intervals"])
            .iter()
            .map(|row| number(&row["sum"]["seconds"]))
            .collect();
        assert!(
            rows.len() >= 3 && rows.iter().all(|seconds| *seconds < 2.0),
            "{flags}: {rows:?}"
        );
        assert!(
            count(&end["sum_received"]["bytes"]) > 1_000_000,
            "{flags}: {end}"
        );
        if flags.contains("-u") {
            let jitter = number(&end["sum_received"]["jitter_ms"]);
            assert!(jitter < 100.0, "{flags}: {jitter}");
        }
    }
}
