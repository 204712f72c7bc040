//! What the figures depend on and no program chooses: read once, before the first run.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::{fs, process::Command, thread};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// When, of what commit.
    pub taken: String,
    pub commit: String,
    pub cpu: String,
    pub cpus: usize,
    /// Caches of a CPU and whether it is a virtual one, where the kernel tells.
    #[serde(default)]
    pub cpu_details: Vec<String>,
    pub memory: String,
    pub kernel: String,
    /// Of the last minute, before the first run.
    pub load_before: String,
    /// Of the last minute, after the last run: the bench itself, and what else ran.
    #[serde(default)]
    pub load_after: Option<String>,
    /// What a hypervisor gave to others meanwhile, of all CPU time.
    #[serde(default)]
    pub stolen_percent: Option<f64>,
    pub default_congestion: String,
    pub default_qdisc: String,
    pub rmem_max: String,
    pub wmem_max: String,
    pub tcp_rmem: String,
    pub tcp_wmem: String,
}

impl Machine {
    pub fn read() -> Result<Self> {
        let words = |value: String| value.split_whitespace().collect::<Vec<_>>().join(" ");
        let cpuinfo = fs::read_to_string("/proc/cpuinfo")?;
        Ok(Machine {
            taken: jiff::Timestamp::now()
                .strftime("%Y-%m-%d %H:%M UTC")
                .to_string(),
            commit: commit(),
            cpu: cpu(&cpuinfo),
            cpu_details: cpu_details(&cpuinfo),
            cpus: thread::available_parallelism()?.get(),
            memory: memory(&fs::read_to_string("/proc/meminfo")?),
            kernel: sysctl("kernel/osrelease"),
            load_before: load().unwrap_or_else(|| "unknown".to_owned()),
            load_after: None,
            stolen_percent: None,
            default_congestion: sysctl("net/ipv4/tcp_congestion_control"),
            default_qdisc: sysctl("net/core/default_qdisc"),
            rmem_max: sysctl("net/core/rmem_max"),
            wmem_max: sysctl("net/core/wmem_max"),
            tcp_rmem: words(sysctl("net/ipv4/tcp_rmem")),
            tcp_wmem: words(sysctl("net/ipv4/tcp_wmem")),
        })
    }
}

/// Of the last minute.
pub fn load() -> Option<String> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    Some(text.split_whitespace().next()?.to_owned())
}

/// CPU time of the whole machine so far, and the part of it that a hypervisor gave to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTime {
    all: u64,
    stolen: u64,
}

impl CpuTime {
    pub fn read() -> Option<Self> {
        cpu_time(&fs::read_to_string("/proc/stat").ok()?)
    }

    pub fn stolen_percent_since(self, before: CpuTime) -> Option<f64> {
        let all = self.all.checked_sub(before.all).filter(|all| *all > 0)?;
        Some(self.stolen.saturating_sub(before.stolen) as f64 * 100.0 / all as f64)
    }
}

/// "cpu  user nice system idle iowait irq softirq steal guest guest_nice": guests are in user and nice already.
fn cpu_time(stat: &str) -> Option<CpuTime> {
    let columns = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let times: Vec<u64> = columns
        .split_whitespace()
        .take(8)
        .map(|word| word.parse().ok())
        .collect::<Option<_>>()?;
    Some(CpuTime {
        all: times.iter().sum(),
        stolen: *times.get(7)?,
    })
}

fn sysctl(name: &str) -> String {
    fs::read_to_string(format!("/proc/sys/{name}"))
        .map_or_else(|_| "unknown".to_owned(), |value| value.trim().to_owned())
}

/// Cubic for everybody where it may be chosen: the default of the machine (bbr without the fq qdisc, say) would
/// measure itself. Root may choose any that is there, others what is allowed.
pub fn congestion(root: bool) -> Option<&'static str> {
    let list = if root {
        "net/ipv4/tcp_available_congestion_control"
    } else {
        "net/ipv4/tcp_allowed_congestion_control"
    };
    sysctl(list)
        .split_whitespace()
        .any(|name| name == "cubic")
        .then_some("cubic")
}

fn commit() -> String {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).output().ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    match (
        git(&["rev-parse", "--short", "HEAD"]),
        git(&["status", "--porcelain", "engine"]),
    ) {
        (Some(commit), Some(changes)) if changes.is_empty() => commit,
        (Some(commit), _) => format!("{commit} with changes"),
        (None, _) => "unknown".to_owned(),
    }
}

/// "L2 1 MiB" and the like of the first CPU, and whether a hypervisor is below it.
fn cpu_details(cpuinfo: &str) -> Vec<String> {
    let mut details: Vec<String> = (0..8)
        .filter_map(|index| {
            let folder = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
            let read = |name: &str| {
                let text = fs::read_to_string(format!("{folder}/{name}")).ok()?;
                Some(text.trim().to_owned())
            };
            let kind = match read("type")?.as_str() {
                "Data" => "d",
                "Instruction" => "i",
                _ => "",
            };
            Some(format!("L{}{kind} {}", read("level")?, read("size")?))
        })
        .collect();
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"));
    if flags.is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor")) {
        details.push("a virtual machine".to_owned());
    }
    details
}

/// Some virtual machines name no model.
fn cpu(cpuinfo: &str) -> String {
    let field = |name: &str| {
        cpuinfo
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(key, _)| key.trim() == name)
            .map(|(_, value)| value.trim())
            .filter(|value| !value.is_empty() && *value != "unknown")
    };
    if let Some(model) = field("model name") {
        return model.to_owned();
    }
    match (field("vendor_id"), field("cpu family"), field("model")) {
        (Some(vendor), Some(family), Some(model)) => {
            format!("{vendor}, family {family}, model {model}")
        }
        _ => "unknown".to_owned(),
    }
}

fn memory(meminfo: &str) -> String {
    meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .and_then(|value| value.split_whitespace().next()?.parse::<f64>().ok())
        .map_or_else(
            || "unknown".to_owned(),
            |kib| format!("{:.1} GiB", kib / f64::from(1 << 20)),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_with_and_without_a_name() {
        let unnamed = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: unknown\n";
        assert_eq!(cpu(unnamed), "AuthenticAMD, family 25, model 17");
        assert_eq!(cpu("model name\t: Some CPU @ 2 GHz\n"), "Some CPU @ 2 GHz");
        assert_eq!(cpu(""), "unknown");
    }

    #[test]
    fn a_hypervisor_is_named() {
        let last = |cpuinfo| cpu_details(cpuinfo).pop();
        assert_eq!(
            last("flags\t\t: fpu hypervisor sse\n").as_deref(),
            Some("a virtual machine")
        );
        assert_ne!(
            last("flags\t\t: fpu sse\n").as_deref(),
            Some("a virtual machine")
        );
    }

    #[test]
    fn stolen_time_is_a_part_of_all() {
        let at = |text| cpu_time(text).expect("readable");
        let before = at("cpu  10 0 10 70 5 0 5 0 3 0\ncpu0 1 2 3\n");
        let after = at("cpu  20 0 20 130 5 0 5 20 9 0\n");
        assert_eq!(after.stolen_percent_since(before), Some(20.0));
        assert_eq!(before.stolen_percent_since(before), None);
        assert_eq!(cpu_time("intr 1 2\n"), None);
        assert!(CpuTime::read().is_some());
    }

    #[test]
    fn memory_in_gib() {
        assert_eq!(memory("MemTotal:       24641536 kB\n"), "23.5 GiB");
        assert_eq!(memory(""), "unknown");
    }

    #[test]
    fn this_machine_can_be_read() {
        assert!(Machine::read().expect("readable").cpus >= 1);
    }
}
