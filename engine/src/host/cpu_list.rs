//! Lists of CPUs as the kernel writes them: `0`, `2-3,6`.

use std::fs;

/// Ascending ids to the kernel's notation.
pub fn format_cpus(cpus: &[usize]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = cpus;
    while let [first, ..] = *rest {
        let run = rest
            .iter()
            .enumerate()
            .take_while(|(step, cpu)| **cpu == first + step)
            .count();
        parts.push(if run > 1 {
            format!("{first}-{}", first + run - 1)
        } else {
            first.to_string()
        });
        rest = &rest[run..];
    }
    parts.join(",")
}

/// The kernel's notation to ascending ids; `None`: not in that notation.
pub fn parse_cpus(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        // Far above any machine: a list is not worth the memory beyond it.
        if last >= 1 << 16 {
            return None;
        }
        cpus.extend(first..=last);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Some(cpus)
}

/// CPUs online on the machine. Not from libc: musl answers sysconf with the allowed ones.
pub fn online_cpus() -> Option<u32> {
    let list = fs::read_to_string("/sys/devices/system/cpu/online")
        .ok()
        .and_then(|text| parse_cpus(&text));
    let count = list
        .map(|cpus| cpus.len())
        .filter(|count| *count > 0)
        .or_else(|| {
            let stat = fs::read_to_string("/proc/stat").ok()?;
            Some(cpus_in_stat(&stat)).filter(|count| *count > 0)
        })?;
    u32::try_from(count).ok()
}

/// Lines `cpu0 …`, without the sum `cpu …`.
fn cpus_in_stat(stat: &str) -> usize {
    let is_cpu = |line: &&str| {
        line.strip_prefix("cpu")
            .is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()))
    };
    stat.lines().filter(is_cpu).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_kernels_notation() {
        assert_eq!(format_cpus(&[0]), "0");
        assert_eq!(format_cpus(&[2, 3, 6]), "2-3,6");
        assert_eq!(format_cpus(&[]), "");
        assert_eq!(parse_cpus("0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(parse_cpus("0-"), None);
        assert_eq!(parse_cpus("0-99999999999"), None);
    }

    #[test]
    fn the_sum_line_is_no_cpu() {
        assert_eq!(cpus_in_stat("cpu  1 2\ncpu0 1\ncpu1 1\nintr 5\n"), 2);
    }

    #[test]
    fn this_machine_has_at_least_the_allowed_ones() {
        let allowed = crate::sock::allowed_cpus().unwrap().len() as u32;
        assert!(online_cpus().unwrap() >= allowed);
    }

    proptest! {
        #[test]
        fn there_and_back(set in proptest::collection::btree_set(0usize..300, 0..40)) {
            let cpus: Vec<usize> = set.into_iter().collect();
            prop_assert_eq!(parse_cpus(&format_cpus(&cpus)), Some(cpus));
        }
    }
}
