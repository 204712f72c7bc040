//! How many files, sockets and pipes this process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit to what an unprivileged process may have. The usual 1024 is there for programs that use select(2)
/// (systemd's file-hierarchy and limits notes); this one does not. Best effort: with the old limit fewer streams open.
pub fn allow_many_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    let _ = setrlimit(Resource::Nofile, raised);
}

/// Whether this descriptor is one of the lower half: who can do without one leaves the rest to who cannot.
pub fn is_plentiful(descriptor: i32) -> bool {
    let most = getrlimit(Resource::Nofile).current;
    most.is_none_or(|most| u64::try_from(descriptor).is_ok_and(|one| one < most / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_are_not_for_everybody() {
        let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        assert!(is_plentiful(3));
        assert!(!is_plentiful(-1), "no descriptor at all");
        if let Ok(last) = i32::try_from(most - 1) {
            assert!(!is_plentiful(last));
        }
    }
}
