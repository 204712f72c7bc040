//! The daemon, the pid file, the log file, the time before each line.

use crate::run::{Server, engine, finish, free_port, text};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn process(pidfile: &Path) -> u32 {
    let number = fs::read_to_string(pidfile).expect("the pid file");
    number.parse().expect("a number alone")
}

fn gone(path: &Path) {
    let begun = Instant::now();
    while path.exists() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{path:?} stays");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// It listens when its starter has its exit code; it has a session of its own; its files are the starter's.
#[test]
fn a_daemon_serves_after_its_starter_has_gone() {
    let dir = tempfile::tempdir().expect("a folder");
    let port = free_port();
    let started = engine(&format!("-s -D -p {port} -I pid --logfile log -1"))
        .current_dir(dir.path())
        .output()
        .expect("the engine runs");
    assert_eq!(started.status.code(), Some(0), "{}", text(&started.stderr));
    assert!(started.stdout.is_empty() && started.stderr.is_empty());
    let pid = process(&dir.path().join("pid"));
    let session = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the daemon runs");
    let fields: Vec<&str> = session
        .rsplit(") ")
        .next()
        .expect("fields")
        .split(' ')
        .collect();
    // state, ppid, pgrp, session, tty
    assert_ne!(fields[3], pid.to_string(), "it leads no session");
    assert_eq!(fields[4], "0", "it has no terminal");
    let cwd = fs::read_link(format!("/proc/{pid}/cwd")).expect("its folder");
    assert_eq!(cwd, Path::new("/"));
    let client = finish(&format!("-c 127.0.0.1 -p {port} -n 1M"));
    assert_eq!(client.status.code(), Some(0), "{}", text(&client.stderr));
    gone(&dir.path().join("pid"));
    let log = fs::read_to_string(dir.path().join("log")).expect("the log");
    assert!(
        log.contains("Server listening on") && log.contains("receiver"),
        "{log}"
    );
}

/// What fails before it is in the background is the starter's failure.
#[test]
fn a_daemon_that_cannot_listen_fails_its_starter() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port();
    let dir = tempfile::tempdir().expect("a folder");
    let pidfile = dir.path().join("pid");
    let output = finish(&format!(
        "-s -D -B 127.0.0.1 -p {port} -I {}",
        pidfile.display()
    ));
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains(&port.to_string()), "{said}");
    assert!(!pidfile.exists());
}

#[test]
fn a_pid_file_is_there_while_the_server_is() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("pid");
    let mut server = Server::start(&format!("-I {}", path.display()));
    assert_eq!(process(&path), server.child.id());
    let second = finish(&format!("-s -p {} -I {}", free_port(), path.display()));
    assert_eq!(second.status.code(), Some(1));
    let said = text(&second.stderr);
    assert!(said.contains(&server.child.id().to_string()), "{said}");
    assert_eq!(process(&path), server.child.id(), "the first one's still");
    assert_eq!(server.stop().0, Some(0));
    assert!(!path.exists());
}

#[test]
fn a_pid_file_that_cannot_be_written_is_exit_1() {
    for role in ["-s", "-c 127.0.0.1"] {
        let port = free_port();
        let output = finish(&format!("{role} -p {port} -I /nonexistent/pid"));
        assert_eq!(output.status.code(), Some(1), "{role}");
        assert!(text(&output.stderr).contains("/nonexistent/pid"), "{role}");
        assert!(output.stdout.is_empty(), "{role}");
    }
}

/// strftime's format, before the title, before every line; the log file is appended to.
#[test]
fn timestamps_stand_before_every_line_of_a_log() {
    let server = Server::start("");
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("log");
    for _ in 0..2 {
        let mut client = engine(&format!(
            "-c 127.0.0.1 -p {} -n 1M --logfile {} -T rack",
            server.port,
            log.display()
        ));
        client.arg("--timestamps=%Y %H:%M ");
        let output = client.output().expect("the client runs");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(output.stdout.is_empty());
    }
    let year = Command::new("date").arg("+%Y").output().expect("date runs");
    let year = text(&year.stdout).trim().to_owned();
    let seen = fs::read_to_string(&log).expect("the log");
    for line in seen.lines() {
        let rest = line
            .strip_prefix(&format!("{year} "))
            .unwrap_or_else(|| panic!("{line}"));
        assert!(rest[5..].starts_with(" rack:  "), "{line}");
    }
    assert_eq!(seen.matches("iperf Done.").count(), 2, "{seen}");
}

/// Accepted without effect is said, and is no failure.
#[test]
fn flags_without_effect_are_said() {
    let server = Server::start("");
    let flags = format!("-c 127.0.0.1 -p {} -n 1M -J", server.port);
    let output = finish(&format!("{flags} --pacing-timer 1000 -f m"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    for flag in ["--pacing-timer", "-f"] {
        assert!(said.contains(&format!("{flag} has no effect")), "{said}");
    }
}

/// As iperf3: `-B` takes a name too.
#[test]
fn a_local_name_is_looked_up() {
    let server = Server::start("-B localhost -4");
    let bound = |name: &str| {
        finish(&format!(
            "-c 127.0.0.1 -p {} -n 1M -4 -B {name}",
            server.port
        ))
    };
    let output = bound("localhost");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = bound("no-such-host.invalid");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("-B: the name 'no-such-host.invalid'"));
}

/// Whatever else is on the command line, as iperf3.
#[test]
fn the_version_says_what_this_machine_can_do() {
    let output = finish("-v -c 127.0.0.1");
    assert_eq!(output.status.code(), Some(0));
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].starts_with("nettest-engine "), "{printed}");
    assert!(lines[1].starts_with("Linux "), "{printed}");
    assert!(
        lines[2].starts_with("Optional features available: "),
        "{printed}"
    );
}

/// Debug lines go to stderr, so that stdout is the report alone.
#[test]
fn debug_lines_are_on_stderr() {
    let server = Server::start("");
    let flags = format!("-c 127.0.0.1 -p {} -n 1M", server.port);
    let lines = |level: &str| {
        let output = finish(&format!("{flags} {level}"));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(!text(&output.stdout).contains("debug"));
        text(&output.stderr).matches("debug - ").count()
    };
    let counts = ["", "--debug=1", "--debug=2", "-d"].map(lines);
    assert_eq!(counts[0], 0);
    assert!(
        counts[0] < counts[1] && counts[1] < counts[2] && counts[2] < counts[3],
        "{counts:?}"
    );
}
