//! This thread's CPUs and timers, this process's CPU time, this machine's name.

use super::checked;
use std::ffi::CStr;
use std::io;
use std::time::Duration;

/// CPUs that the scheduler may use for the calling thread, ascending host CPU ids.
pub fn allowed_cpus() -> io::Result<Vec<usize>> {
    // SAFETY: cpu_set_t is plain bits; zero is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes at most size_of(set) bytes; 0 is the calling thread.
    checked(unsafe { libc::sched_getaffinity(0, size_of_val(&set), &mut set) })?;
    let inside = |cpu: &usize| {
        // SAFETY: reads one bit; `cpu` is below the size of the set.
        unsafe { libc::CPU_ISSET(*cpu, &set) }
    };
    Ok((0..libc::CPU_SETSIZE as usize).filter(inside).collect())
}

/// Binds the calling thread (only it) to these host CPU ids.
pub fn set_affinity(cpus: &[usize]) -> io::Result<()> {
    // SAFETY: as in `allowed_cpus`.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &cpu in cpus {
        if cpu >= libc::CPU_SETSIZE as usize {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("there is no CPU {cpu}"),
            ));
        }
        // SAFETY: sets one bit; the bound was checked above.
        unsafe { libc::CPU_SET(cpu, &mut set) };
    }
    // SAFETY: the kernel reads size_of(set) bytes; 0 is the calling thread.
    checked(unsafe { libc::sched_setaffinity(0, size_of_val(&set), &set) }).map(drop)
}

/// How late the calling thread's sleeps may end, nanoseconds, so that the kernel can end several together. At most its
/// default of 50 us, and at least 1 (0 would mean that default). Best effort.
pub fn timer_slack(ns: u64) {
    let slack = ns.clamp(1, 50_000) as libc::c_ulong;
    // SAFETY: PR_SET_TIMERSLACK takes one number and touches no memory.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, slack) };
}

/// CPU time of this process, all threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTime {
    pub user: Duration,
    pub system: Duration,
}

pub fn process_cpu() -> io::Result<CpuTime> {
    // SAFETY: rusage is plain numbers; zero is valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the structure, which lives through the call.
    checked(unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) })?;
    let time = |of: libc::timeval| {
        Duration::from_secs(of.tv_sec.unsigned_abs())
            + Duration::from_micros(of.tv_usec.unsigned_abs())
    };
    Ok(CpuTime {
        user: time(usage.ru_utime),
        system: time(usage.ru_stime),
    })
}

/// System, node, release, version, machine: the words of `uname -a`.
pub fn uname() -> io::Result<[String; 5]> {
    // SAFETY: utsname is arrays of characters; zero is valid.
    let mut names: libc::utsname = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the structure with NUL-terminated strings.
    checked(unsafe { libc::uname(&mut names) })?;
    let text = |field: &[libc::c_char]| {
        // SAFETY: NUL-terminated by the kernel, and the zeroed structure ends in NUL in any case.
        unsafe { CStr::from_ptr(field.as_ptr()) }
            .to_string_lossy()
            .into_owned()
    };
    Ok([
        text(&names.sysname),
        text(&names.nodename),
        text(&names.release),
        text(&names.version),
        text(&names.machine),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_can_be_pinned_to_one_of_its_cpus_and_others_stay_as_they_are() {
        let before = allowed_cpus().unwrap();
        let last = *before.last().unwrap();
        std::thread::spawn(move || {
            set_affinity(&[last]).unwrap();
            assert_eq!(allowed_cpus().unwrap(), vec![last]);
        })
        .join()
        .unwrap();
        assert_eq!(allowed_cpus().unwrap(), before);
    }

    #[test]
    fn a_cpu_that_does_not_exist_is_refused() {
        assert!(set_affinity(&[100_000]).is_err());
        assert!(set_affinity(&[]).is_err());
    }

    #[test]
    fn work_costs_cpu_time() {
        let before = process_cpu().unwrap();
        let begun = std::time::Instant::now();
        while process_cpu().unwrap().user + process_cpu().unwrap().system
            < before.user + before.system + Duration::from_millis(5)
        {
            assert!(
                begun.elapsed() < Duration::from_secs(10),
                "busy for 10 s and no CPU time"
            );
        }
    }

    #[test]
    fn uname_is_linux() {
        let names = uname().unwrap();
        assert_eq!(names[0], "Linux");
        assert!(names.iter().all(|name| !name.is_empty()), "{names:?}");
    }
}
