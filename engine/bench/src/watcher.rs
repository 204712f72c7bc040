//! Looks at a run from outside while it lasts: the device's byte counters say for how long data moved, whatever
//! a program says about its time, and the kernel says how much memory the servers had.

use nix::unistd::Pid;
use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Fine enough for runs of a second; a look reads one small file of /proc, the same for every program.
const SAMPLE_EVERY: Duration = Duration::from_millis(10);
/// Of so many looks one looks at the memory, too: a file a server.
const MEMORY_EVERY: u32 = 25;

#[derive(Debug, Default, PartialEq)]
pub struct Watched {
    /// Time between the first and the last thousandth of the bytes, as if it were for all of them.
    pub carried_seconds: Option<f64>,
    /// Of the device, in its busier direction.
    pub packets: Option<u64>,
    /// Peak resident memory of all servers in sum. Not `ru_maxrss`: that begins with what the bench itself had
    /// when it started them (fork keeps the parent's high-water mark over exec).
    pub server_rss_bytes: u64,
}

/// Watches until told to stop. The servers' namespace is where the device is looked at.
pub fn watch(servers: &[Pid], stop: &AtomicBool) -> Watched {
    let begun = Instant::now();
    let mut samples = Vec::new();
    let mut peaks = vec![0; servers.len()];
    let mut turn = 0;
    let mut packets: Option<(Carried, Carried)> = None;
    loop {
        let last = stop.load(Ordering::Relaxed);
        if let Some(carried) = servers.first().and_then(|&server| devices(server)) {
            samples.push((begun.elapsed().as_secs_f64(), carried.bytes));
            packets = Some((packets.map_or(carried, |(first, _)| first), carried));
        }
        if turn % MEMORY_EVERY == 1 || last {
            for (peak, &server) in peaks.iter_mut().zip(servers) {
                *peak = high_water(server).unwrap_or(0).max(*peak);
            }
        }
        if last {
            break;
        }
        turn += 1;
        thread::sleep(SAMPLE_EVERY);
    }
    Watched {
        carried_seconds: carried_seconds(&samples),
        packets: packets.map(|(first, last)| last.busier_since(first)),
        server_rss_bytes: peaks.iter().sum(),
    }
}

/// What all devices of a namespace have carried so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Carried {
    /// Both directions.
    bytes: u64,
    received_packets: u64,
    sent_packets: u64,
}

impl Carried {
    fn busier_since(self, first: Carried) -> u64 {
        let received = self.received_packets.saturating_sub(first.received_packets);
        received.max(self.sent_packets.saturating_sub(first.sent_packets))
    }
}

fn devices(pid: Pid) -> Option<Carried> {
    sum_of_devices(&fs::read_to_string(format!("/proc/{pid}/net/dev")).ok()?)
}

/// The first two columns are received bytes and packets, the ninth and tenth the sent ones.
fn sum_of_devices(text: &str) -> Option<Carried> {
    let devices = text.lines().filter_map(|line| line.split_once(':'));
    devices
        .map(|(_, columns)| device(columns))
        .try_fold(Carried::default(), |sum, device| {
            let device = device?;
            Some(Carried {
                bytes: sum.bytes + device.bytes,
                received_packets: sum.received_packets + device.received_packets,
                sent_packets: sum.sent_packets + device.sent_packets,
            })
        })
}

fn device(columns: &str) -> Option<Carried> {
    let mut columns = columns.split_whitespace().map(|word| word.parse().ok());
    let received: u64 = columns.next()??;
    let received_packets = columns.next()??;
    let sent: u64 = columns.nth(6)??;
    Some(Carried {
        bytes: received + sent,
        received_packets,
        sent_packets: columns.next()??,
    })
}

/// `VmHWM` of a process that is still there.
fn high_water(pid: Pid) -> Option<u64> {
    memory(pid, "VmHWM:")
}

/// What a process that is still there has resident now.
pub fn resident(pid: Pid) -> Option<u64> {
    memory(pid, "VmRSS:")
}

fn memory(pid: Pid, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024)
}

fn carried_seconds(samples: &[(f64, u64)]) -> Option<f64> {
    const EDGE: f64 = 0.001;
    let first = samples.first()?.1 as f64;
    let total = samples.last()?.1 as f64 - first;
    if total <= 0.0 {
        return None;
    }
    let reached = |part: f64| {
        let goal = first + total * part;
        samples.windows(2).find_map(|pair| {
            let ((from, low), (to, high)) = (pair[0], pair[1]);
            let (low, high) = (low as f64, high as f64);
            (high >= goal && high > low).then(|| from + (to - from) * (goal - low) / (high - low))
        })
    };
    Some((reached(1.0 - EDGE)? - reached(EDGE)?) / (1.0 - 2.0 * EDGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Idle for 0.5 s, 2 s of data, 1 s idle with a few bytes of control in it.
    #[test]
    fn only_the_time_with_data_counts() {
        let samples: Vec<(f64, u64)> = (0..350)
            .map(|tick| {
                let data = (tick - 50).clamp(0, 200) as u64 * 10_000_000;
                (
                    f64::from(tick) / 100.0,
                    1000 + data + u64::from(tick > 300) * 400,
                )
            })
            .collect();
        let seconds = carried_seconds(&samples).expect("data moved");
        assert!((seconds - 2.0).abs() < 0.001, "{seconds}");
    }

    #[test]
    fn nothing_moved() {
        assert_eq!(carried_seconds(&[]), None);
        assert_eq!(carried_seconds(&[(0.0, 7), (1.0, 7)]), None);
    }

    #[test]
    fn both_directions_of_all_devices() {
        let text = "Inter-|   Receive                                                |  Transmit\n \
             face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n    \
                lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0\n \
             veth0: 7000000      10    0    0    0     0          0         0     2000      20    0    0    0     0       0          0\n";
        let carried = sum_of_devices(text).expect("readable");
        assert_eq!(
            carried,
            Carried {
                bytes: 7_002_200,
                received_packets: 11,
                sent_packets: 21,
            }
        );
        assert_eq!(carried.busier_since(Carried::default()), 21);
        assert_eq!(sum_of_devices("lo: 100 1 0\n"), None);
    }

    #[test]
    fn this_process_has_memory() {
        let peak = high_water(Pid::this()).expect("readable");
        let now = resident(Pid::this()).expect("readable");
        assert!(now > 1 << 16 && peak > 1 << 16, "{now} of {peak}");
    }
}
