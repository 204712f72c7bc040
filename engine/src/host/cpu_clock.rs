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
        percent(self.used?, sock::process_cpu().ok()?, self.begun.elapsed())
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
    fn field_report_071_never_above_the_machine() {
        let clock = CpuClock::start();
        while clock.begun.elapsed() < Duration::from_millis(30) {}
        let cpu = clock.elapsed().unwrap();
        let most = 100.0 * std::thread::available_parallelism().unwrap().get() as f64;
        // Accounting is in ticks: a short span may be off by one.
        assert!(
            cpu.total >= 0.0 && cpu.total <= most * 1.5 + 40.0,
            "{cpu:?}"
        );
        assert!((cpu.user + cpu.system - cpu.total).abs() < 1e-9);
    }
}
