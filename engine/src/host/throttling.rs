//! How often and how long the CPU limit of our cgroup held us up: a rate measured under it is the limit's, not the
//! network's.

use nettest_report::report::HostFacts;
use std::fs;

/// Totals since the cgroup was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttling {
    pub periods: u64,
    pub usec: u64,
}

impl Throttling {
    /// `None`: no CPU controller, or not visible.
    pub fn read() -> Option<Throttling> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        files(&own)
            .iter()
            .find_map(|path| parse(&fs::read_to_string(path).ok()?))
    }

    /// Puts what came since `earlier` into the facts; unknown stays `None`.
    pub fn note(facts: &mut HostFacts, earlier: Option<Throttling>, later: Option<Throttling>) {
        let (Some(earlier), Some(later)) = (earlier, later) else {
            return;
        };
        facts.throttled_periods = Some(later.periods.saturating_sub(earlier.periods));
        facts.throttled_usec = Some(later.usec.saturating_sub(earlier.usec));
    }
}

/// Where cpu.stat may be, by the lines of /proc/self/cgroup (`0::PATH` in v2, `N:cpu,cpuacct:PATH` in v1). Inside a
/// container without a cgroup namespace the path is the host's, and ours is the mount itself: tried last.
fn files(own: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in own.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
            continue;
        };
        let mount = if controllers.is_empty() {
            "/sys/fs/cgroup".to_owned()
        } else if controllers.split(',').any(|name| name == "cpu") {
            format!("/sys/fs/cgroup/{controllers}")
        } else {
            continue;
        };
        files.push(format!("{mount}{}/cpu.stat", path.trim_end_matches('/')));
        files.push(format!("{mount}/cpu.stat"));
    }
    files
}

/// v2 counts microseconds, v1 nanoseconds. A root cgroup has neither line.
fn parse(stat: &str) -> Option<Throttling> {
    let field = |name: &str| {
        stat.lines().find_map(|line| {
            line.strip_prefix(name)?
                .strip_prefix(' ')?
                .trim()
                .parse::<u64>()
                .ok()
        })
    };
    let usec = field("throttled_usec").or_else(|| Some(field("throttled_time")? / 1000))?;
    Some(Throttling {
        periods: field("nr_throttled")?,
        usec,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_of_the_file() {
        let v2 = "usage_usec 9\nnr_periods 7\nnr_throttled 3\nthrottled_usec 1500\n";
        let v1 = "nr_periods 7\nnr_throttled 3\nthrottled_time 1500000\n";
        assert_eq!(
            parse(v2),
            Some(Throttling {
                periods: 3,
                usec: 1500
            })
        );
        assert_eq!(parse(v1), parse(v2));
        assert_eq!(parse("usage_usec 9\n"), None);
    }

    #[test]
    fn the_own_group_is_looked_at_before_the_mount() {
        assert_eq!(
            files("0::/kubepods/pod1/ctr\n"),
            [
                "/sys/fs/cgroup/kubepods/pod1/ctr/cpu.stat",
                "/sys/fs/cgroup/cpu.stat"
            ]
        );
        assert_eq!(
            files("4:cpu,cpuacct:/\n3:memory:/x\n")[0],
            "/sys/fs/cgroup/cpu,cpuacct/cpu.stat"
        );
    }

    #[test]
    fn unknown_is_not_zero() {
        let mut facts = HostFacts::default();
        Throttling::note(
            &mut facts,
            None,
            Some(Throttling {
                periods: 1,
                usec: 1,
            }),
        );
        assert_eq!(
            (facts.throttled_periods, facts.throttled_usec),
            (None, None)
        );
        let at = |periods, usec| Some(Throttling { periods, usec });
        Throttling::note(&mut facts, at(5, 100), at(7, 450));
        assert_eq!(
            (facts.throttled_periods, facts.throttled_usec),
            (Some(2), Some(350))
        );
    }
}
