//! E13, field report 090: what a container may lack. With little of it the program runs, or it says in one line what
//! stopped it; it never panics, and it leaves no server that is there only in part.

use crate::run::{Server, free_port, text, wait};
use std::process::{Command, Output, Stdio};

const ENGINE: &str = env!("CARGO_BIN_EXE_nettest-engine");

/// The engine under a wrapper, such as a limit.
fn under(wrapper: &str, flags: &str) -> Command {
    let words = format!("{wrapper} {ENGINE} {flags}");
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or(ENGINE));
    command
        .args(words)
        .env_remove("NETTEST_RUN_TOKEN")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn finish(wrapper: &str, flags: &str) -> Output {
    wait(under(wrapper, flags).spawn().expect("the engine starts"))
}

/// Only root may change its uid or its mounts. Said on stderr, since a test that did not run is no success.
fn root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").expect("proc");
    let root = status.lines().any(|line| line.starts_with("Uid:\t0\t"));
    if !root {
        eprintln!("NOT TRIED: this test needs root");
    }
    root
}

/// One line that says what, and no panic.
fn one_clear_error(case: &str, output: &Output) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{case}: {said}");
    assert_eq!(said.lines().count(), 1, "{case}: {said}");
    assert!(
        said.starts_with("nettest-engine: error - "),
        "{case}: {said}"
    );
    assert!(!said.contains("crashed"), "{case}: {said}");
}

fn runs(case: &str, output: &Output) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{case}: {said}");
    assert!(said.is_empty(), "{case}: {said}");
}

const TESTS: [&str; 6] = [
    "-n 1M",
    "-n 1M -P 8",
    "-n 1M -R -P 8",
    "-n 1M -Z",
    "-n 1M -R -Z",
    "-u -t 0.3 -b 5M -P 2 -J",
];

#[test]
fn a_few_descriptors_are_enough_and_fewer_are_one_clear_error() {
    let wrapper = "prlimit --nofile=32 --";
    let port = free_port();
    let server = under(wrapper, &format!("-s -p {port}")).spawn();
    let server = Server::of(server.expect("the server starts"), port);
    let client =
        |wrapper: &str, test: &str| finish(wrapper, &format!("-c 127.0.0.1 -p {port} {test}"));
    for test in TESTS {
        runs(test, &client(wrapper, test));
    }
    for few in 6..16 {
        let wrapper = format!("prlimit --nofile={few} --");
        one_clear_error(&format!("client of {few}"), &client(&wrapper, "-n 1M"));
        let output = finish(&wrapper, &format!("-s -p {}", free_port()));
        one_clear_error(&format!("server of {few}"), &output);
    }
    // More streams than descriptors: the test fails at both ends, the server does not.
    let output = client("prlimit --nofile=32 --", "-n 1M -P 64");
    one_clear_error("64 streams", &output);
    // The server may not be done with it yet: then this one stands in line, and says so.
    let after = client(wrapper, "-n 1M -P 4");
    assert_eq!(after.status.code(), Some(0), "{}", text(&after.stderr));
    drop(server);
}

fn died_of_memory(output: &Output) -> bool {
    let said = text(&output.stderr);
    ["memory allocation of", "failed to allocate"]
        .iter()
        .any(|words| said.contains(words))
}

/// 96 MiB of address space hold a server, a client and their stacks; with 20 MiB there is an end somewhere, in one line.
#[test]
fn little_memory_is_enough_or_one_clear_error() {
    for (mebibytes, sure) in [(96, true), (20, false), (12, false)] {
        let wrapper = format!("prlimit --as={} --", mebibytes << 20);
        if !sure && !finish(&wrapper, "-v").status.success() {
            // An unoptimised program does not even fit: its loader says so, or dies, and it never began.
            continue;
        }
        let port = free_port();
        let free = Server::start("");
        for test in TESTS {
            let case = format!("{mebibytes} MiB {test}");
            let output = finish(&wrapper, &format!("-c 127.0.0.1 -p {} {test}", free.port));
            if sure || output.status.success() {
                runs(&case, &output);
            } else if output.status.code().is_none() || died_of_memory(&output) {
                // An allocation that fails within Rust's or C's own library ends the program, or a thread as it begins,
                // with words of theirs.
                let said = text(&output.stderr);
                assert!(said.contains("memory"), "{case}: {said}");
            } else {
                one_clear_error(&case, &output);
            }
        }
        if !sure {
            continue;
        }
        let server = under(&wrapper, &format!("-s -p {port}")).spawn();
        let server = Server::of(server.expect("the server starts"), port);
        for test in TESTS {
            let case = format!("server of {mebibytes} MiB {test}");
            runs(
                &case,
                &finish("env", &format!("-c 127.0.0.1 -p {port} {test}")),
            );
        }
        drop(server);
    }
}

/// As uid 65532 and without any capability, as in a restricted pod.
fn as_nobody(uid: u32) -> String {
    format!(
        "setpriv --reuid={uid} --regid={uid} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all"
    )
}

/// Threads count against the limit of processes (`pids` of a cgroup as well as RLIMIT_NPROC).
#[test]
fn few_processes_are_enough_or_one_clear_error() {
    if !root() {
        return;
    }
    // The limit counts by the user: each case has one of its own. The user comes last: the engine may lie where nobody
    // but root can look.
    let limited = |limit: u32, uid| format!("prlimit --nproc={limit} -- {}", as_nobody(uid));
    for (number, limit) in [1u32, 2, 3, 4, 6, 16].into_iter().enumerate() {
        let uid = 64_000 + number as u32 * 2;
        let wrapper = limited(limit, uid);
        let free = Server::start("");
        let output = finish(&wrapper, &format!("-c 127.0.0.1 -p {} -n 1M", free.port));
        let case = format!("client of {limit}");
        if limit > 4 || output.status.success() {
            runs(&case, &output);
        } else {
            one_clear_error(&case, &output);
        }
        let port = free_port();
        let flags = format!("-s -p {port} -1 --idle-timeout 15");
        let wrapper = limited(limit, uid + 1);
        let mut server = under(&wrapper, &flags).spawn().expect("the server starts");
        if limit <= 4 {
            one_clear_error(&format!("server of {limit}"), &wait(server));
            continue;
        }
        let mut connected = std::net::TcpStream::connect(("127.0.0.1", port));
        while connected.is_err() && server.try_wait().is_ok_and(|ended| ended.is_none()) {
            std::thread::sleep(std::time::Duration::from_millis(10));
            connected = std::net::TcpStream::connect(("127.0.0.1", port));
        }
        let output = finish("env", &format!("-c 127.0.0.1 -p {port} -n 1M -P 8"));
        if limit >= 16 {
            runs("client of the server of 16", &output);
        } else {
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{limit}: {said}");
            assert!(said.contains("could not be made"), "{limit}: {said}");
        }
        let said = text(&wait(server).stderr);
        assert!(!said.contains("panicked"), "{limit}: {said}");
    }
}

/// No folder is written to: TMPDIR is none.
#[test]
fn report_090_no_temporary_file_is_needed() {
    let server = Server::start("");
    for test in TESTS {
        let output = finish(
            "env TMPDIR=/proc",
            &format!("-c 127.0.0.1 -p {} {test}", server.port),
        );
        runs(test, &output);
    }
}

/// A root that cannot be written to, no /tmp, a user without a name, no rights at all; both ends.
#[test]
fn report_090_a_read_only_root_and_no_rights_are_enough() {
    if !root() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let script = dir.path().join("read-only");
    // The engine lies in the tree that becomes read-only; /tmp is an empty one that nobody may write to.
    std::fs::write(
        &script,
        "set -e\nmount --make-rprivate /\nmount -t tmpfs -o mode=0555,ro none /tmp\n\
         mount -o remount,bind,ro /\n! touch /nettest-wrote-here 2>/dev/null\nexec \"$@\"\n",
    )
    .expect("the script");
    // The script is read before /tmp is covered.
    let wrapper = format!(
        "unshare --mount sh {} env TMPDIR=/proc {}",
        script.display(),
        as_nobody(65_532)
    );
    let port = free_port();
    let server = under(&wrapper, &format!("-s -p {port}")).spawn();
    let server = Server::of(server.expect("the server starts"), port);
    for test in TESTS {
        runs(
            test,
            &finish(&wrapper, &format!("-c 127.0.0.1 -p {port} {test}")),
        );
    }
    drop(server);
}
