//! Whether the scheduler gave this process CPUs of its own.

use super::{format_cpus, online_cpus};
use crate::sock;
use std::io;

#[derive(Debug, thiserror::Error)]
pub enum ExclusiveError {
    #[error(
        "the CPUs of this process cannot be read: {source}; exclusive CPUs cannot be confirmed"
    )]
    Unreadable { source: io::Error },
    #[error(
        "the number of CPUs of this machine cannot be read; exclusive CPUs cannot be confirmed"
    )]
    OnlineUnknown,
    #[error(
        "{required} exclusive CPUs were asked for, but this process may run on {count} ({allowed}): the kubelet needs cpuManagerPolicy static and the pod integer CPU requests equal to its limits"
    )]
    WrongCount {
        required: u32,
        count: usize,
        allowed: String,
    },
    #[error(
        "{required} exclusive CPUs were asked for, but that is every CPU of this machine ({online}): nothing keeps other processes off them"
    )]
    WholeMachine { required: u32, online: u32 },
}

/// The host CPU ids of this process, when there are exactly `required` and the machine has more.
pub fn exclusive(required: u32) -> Result<Vec<usize>, ExclusiveError> {
    let allowed = sock::allowed_cpus().map_err(|source| ExclusiveError::Unreadable { source })?;
    judge(allowed, online_cpus(), required)
}

fn judge(
    allowed: Vec<usize>,
    online: Option<u32>,
    required: u32,
) -> Result<Vec<usize>, ExclusiveError> {
    let online = online.ok_or(ExclusiveError::OnlineUnknown)?;
    if allowed.len() != required as usize {
        let (count, allowed) = (allowed.len(), format_cpus(&allowed));
        return Err(ExclusiveError::WrongCount {
            required,
            count,
            allowed,
        });
    }
    if required >= online {
        return Err(ExclusiveError::WholeMachine { required, online });
    }
    Ok(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_granted_ones_are_named() {
        assert_eq!(judge(vec![3], Some(4), 1).unwrap(), [3]);
        assert_eq!(judge(vec![2, 6], Some(8), 2).unwrap(), [2, 6]);
    }

    #[test]
    fn the_shared_pool_is_refused_with_its_cpus() {
        let error = judge(vec![0, 1, 2, 3], Some(4), 1).unwrap_err().to_string();
        assert!(error.contains("may run on 4 (0-3)"), "{error}");
    }

    #[test]
    fn a_whole_machine_or_an_unknown_one_is_not_exclusive() {
        assert!(matches!(
            judge(vec![0, 1], Some(2), 2),
            Err(ExclusiveError::WholeMachine { online: 2, .. })
        ));
        assert!(matches!(
            judge(vec![0], None, 1),
            Err(ExclusiveError::OnlineUnknown)
        ));
    }

    #[test]
    fn a_thread_bound_to_one_cpu_of_several_passes() {
        std::thread::spawn(|| {
            let last = *sock::allowed_cpus().unwrap().last().unwrap();
            sock::set_affinity(&[last]).unwrap();
            match online_cpus().unwrap() {
                1 => assert!(matches!(
                    exclusive(1),
                    Err(ExclusiveError::WholeMachine { .. })
                )),
                _ => assert_eq!(exclusive(1).unwrap(), [last]),
            }
        })
        .join()
        .unwrap();
    }
}
