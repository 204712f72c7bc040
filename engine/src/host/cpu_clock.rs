//! CPU time of this process over a span of wall time, as iperf3 reports it: percent of one CPU.

use crate::sock::{self, CpuTime};
use nettest_report::report::Cpu;
use std::time::{Duration, Instant};

/// Start it when the data starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuClock {
    begun: Instant,
    used: Option<CpuTime>,
}

impl CpuClock {
    pub fn start() -> Self {
        CpuClock {
            begun: Instant::now(),
            used: sock::process_cpu().ok(),
        }
    }

    /// CPU since the start; `None`: unknown (the kernel does not tell, or no time has passed).
    pub fn elapsed(&self) -> Option<Cpu> {
        // Not the standard library's count, which reads the cgroup's files: the test ends in this moment.
        let cpus = sock::allowed_cpus().ok().map(|cpus| cpus.len());
        let cpu = percent(self.used?, sock::process_cpu().ok()?, self.begun.elapsed())?;
        Some(within(cpu, cpus))
    }
}

/// The kernel books CPU time in ticks: what was used before a short span may be booked within it, and more than there
/// is of it (field report 071). Where the number of CPUs is unknown nothing is cut.
fn within(cpu: Cpu, cpus: Option<usize>) -> Cpu {
    let Some(cpus) = cpus.filter(|cpus| *cpus > 0) else {
        return cpu;
    };
    let share = (100.0 * cpus as f64 / cpu.total).min(1.0);
    if share.is_nan() {
        return cpu;
    }
    Cpu {
        total: cpu.total * share,
        user: cpu.user * share,
        system: cpu.system * share,
    }
}

fn percent(before: CpuTime, after: CpuTime, wall: Duration) -> Option<Cpu> {
    if wall.is_zero() {
        return None;
    }
    let share = |now: Duration, then: Duration| {
        100.0 * now.saturating_sub(then).as_secs_f64() / wall.as_secs_f64()
    };
    let (user, system) = (
        share(after.user, before.user),
        share(after.system, before.system),
    );
    Some(Cpu {
        total: user + system,
        user,
        system,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_cpu() {
        let at = |user, system| CpuTime {
            user: Duration::from_millis(user),
            system: Duration::from_millis(system),
        };
        let cpu = percent(at(100, 1000), at(200, 1400), Duration::from_secs(1)).unwrap();
        assert_eq!(
            cpu,
            Cpu {
                total: 50.0,
                user: 10.0,
                system: 40.0
            }
        );
        assert_eq!(percent(at(0, 0), at(1, 1), Duration::ZERO), None);
    }

    #[test]
    fn report_071_never_above_the_machine() {
        let clock = CpuClock::start();
        while clock.begun.elapsed() < Duration::from_millis(30) {}
        let cpu = clock.elapsed().unwrap();
        let most = 100.0 * sock::allowed_cpus().unwrap().len() as f64;
        assert!(cpu.total >= 0.0 && cpu.total <= most + 1e-6, "{cpu:?}");
        assert!((cpu.user + cpu.system - cpu.total).abs() < 1e-9);
    }

    #[test]
    fn a_short_span_that_was_booked_too_much_is_cut_in_proportion() {
        let cpu = |total, user, system| Cpu {
            total,
            user,
            system,
        };
        assert_eq!(
            within(cpu(400.0, 100.0, 300.0), Some(2)),
            cpu(200.0, 50.0, 150.0)
        );
        assert_eq!(
            within(cpu(150.0, 100.0, 50.0), Some(2)),
            cpu(150.0, 100.0, 50.0)
        );
        assert_eq!(within(cpu(0.0, 0.0, 0.0), Some(2)), cpu(0.0, 0.0, 0.0));
        for unknown in [None, Some(0)] {
            let whole = cpu(400.0, 100.0, 300.0);
            assert_eq!(within(whole, unknown), whole);
        }
    }
}
