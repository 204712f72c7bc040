//! What a process of ours holds, as the kernel counts it.

use std::process::Child;
use std::time::{Duration, Instant};

fn proc(child: &Child, what: &str) -> String {
    let path = format!("/proc/{}/{what}", child.id());
    std::fs::read_to_string(&path).expect("the process lives")
}

fn entries(child: &Child, what: &str) -> usize {
    let entries = std::fs::read_dir(format!("/proc/{}/{what}", child.id()));
    entries.expect("the process lives").count()
}

pub fn threads(child: &Child) -> usize {
    entries(child, "task")
}

pub fn descriptors(child: &Child) -> usize {
    entries(child, "fd")
}

/// Resident memory, KiB.
pub fn resident(child: &Child) -> u64 {
    let status = proc(child, "status");
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .expect("a VmRSS line")
}

/// CPU time so far, user and system: proc(5) has it in ticks of 10 ms after the name in parentheses.
pub fn cpu_time(child: &Child) -> Duration {
    let stat = proc(child, "stat");
    let (_, fields) = stat.rsplit_once(')').expect("a name in parentheses");
    let ticks: u64 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|ticks| ticks.parse::<u64>().expect("ticks"))
        .sum();
    Duration::from_millis(ticks * 10)
}

/// Waits until `what` holds: a loaded machine takes its time.
pub fn until(limit: Duration, what: &str, mut holds: impl FnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < limit, "not within {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
    begun.elapsed()
}
