//! Field report 054: the log of a server that runs many tests.

use crate::run::{engine, finish, free_port, text};
use std::process::Child;
use std::time::{Duration, Instant};

fn descriptors(child: &Child) -> usize {
    let open = std::fs::read_dir(format!("/proc/{}/fd", child.id()));
    open.expect("the server runs").count()
}

#[test]
fn report_054_a_hundred_tests_with_a_log_file_hold_no_descriptor() {
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("log");
    let port = free_port();
    let mut child = engine(&format!("-s -p {port} --logfile {}", log.display()))
        .spawn()
        .expect("the server starts");
    let begun = Instant::now();
    while !finish(&format!("--probe -p {port}")).status.success() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it listens");
    }
    let test = || {
        let output = finish(&format!("-c 127.0.0.1 -p {port} -n 10K"));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    };
    test();
    let before = descriptors(&child);
    (0..100).for_each(|_| test());
    let begun = Instant::now();
    // The last test's connections go a moment after its end.
    while descriptors(&child) > before {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "more than {before}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let logged = std::fs::read_to_string(&log).expect("the log");
    assert_eq!(logged.matches("Accepted connection").count(), 101);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}
