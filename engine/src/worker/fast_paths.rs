//! The fast paths of a stream, settled before its thread starts: what the report says is what is in force, not what
//! was asked. With `--fast` they are wishes, and what cannot be had is taken back with its reason.

use super::{Duty, Load};
use crate::sock::{Granted, MemoryFile};
use nettest_report::params::Protocol;
use std::fs::File;

/// What [`Granted`] does not tell of the paths of one stream. `None`: not a thing of this stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FastPaths {
    /// The kernel sends from the page cache, without a copy.
    pub zerocopy: Option<bool>,
    /// The kernel throws away what arrives, without a copy.
    pub skip_rx_copy: Option<bool>,
    /// Why a wish of `--fast` was not to be had.
    pub declined: Option<String>,
}

impl FastPaths {
    /// Takes out of `load` what is only wished for and not to be had. `granted`: what the kernel said to the socket's
    /// options, and to the offloads of datagrams.
    pub fn settle(load: &mut Load, duty: Duty, granted: &Granted, file: Option<&File>) -> Self {
        match duty {
            Duty::Send => Self::of_sender(load, granted, file),
            Duty::Receive => Self::of_receiver(load, granted, file.is_some()),
        }
    }

    fn of_sender(load: &mut Load, granted: &Granted, file: Option<&File>) -> Self {
        if load.protocol == Protocol::Udp {
            return FastPaths::default();
        }
        let mptcp = granted.mptcp == Some(true);
        let declined = if load.fast && load.zerocopy {
            obstacle(mptcp, file)
        } else {
            None
        };
        load.zerocopy &= declined.is_none();
        FastPaths {
            // Linux copies what is sent over MPTCP and SCTP, whoever asks.
            zerocopy: Some(load.zerocopy && load.protocol == Protocol::Tcp && !mptcp),
            declined,
            ..FastPaths::default()
        }
    }

    fn of_receiver(load: &Load, granted: &Granted, writes_a_file: bool) -> Self {
        let in_force = match load.protocol {
            Protocol::Tcp => !writes_a_file,
            // Merged datagrams are read as a whole: see workload's udp.
            Protocol::Udp => granted.gro != Some(true),
            // Linux takes MSG_TRUNC of SCTP for a plain read.
            Protocol::Sctp => false,
        };
        let why = "what arrives is written to a file (-F), so that it is copied";
        FastPaths {
            skip_rx_copy: Some(load.skip_rx_copy && in_force),
            declined: (load.fast && load.skip_rx_copy && writes_a_file).then(|| why.to_owned()),
            ..FastPaths::default()
        }
    }
}

/// Why a byte stream cannot be sent from the page cache.
fn obstacle(mptcp: bool, file: Option<&File>) -> Option<String> {
    if mptcp {
        return Some("what is sent over MPTCP is copied by the kernel".to_owned());
    }
    if let Some(file) = file {
        let has_pages = file.metadata().is_ok_and(|about| about.is_file());
        return (!has_pages).then(|| {
            "what is sent comes from a pipe or a device, so that it is copied".to_owned()
        });
    }
    // The stream makes its own where there can be one.
    MemoryFile::holding(&[]).err().map(|source| {
        format!("what is sent is copied: no memory file (memfd) is to be had: {source}")
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::load;
    use super::*;

    fn fast(protocol: Protocol) -> Load {
        Load {
            zerocopy: protocol != Protocol::Udp,
            skip_rx_copy: true,
            fast: true,
            ..load(protocol, 1000)
        }
    }

    fn settled(
        protocol: Protocol,
        duty: Duty,
        granted: &Granted,
        file: Option<&File>,
    ) -> (Load, FastPaths) {
        let mut load = fast(protocol);
        let paths = FastPaths::settle(&mut load, duty, granted, file);
        (load, paths)
    }

    #[test]
    fn tcp_has_one_each_way() {
        let granted = Granted::default();
        let (load, sends) = settled(Protocol::Tcp, Duty::Send, &granted, None);
        assert!(load.zerocopy);
        assert_eq!((sends.zerocopy, sends.skip_rx_copy), (Some(true), None));
        let (_, receives) = settled(Protocol::Tcp, Duty::Receive, &granted, None);
        assert_eq!(
            (receives.zerocopy, receives.skip_rx_copy),
            (None, Some(true))
        );
        assert_eq!((sends.declined, receives.declined), (None, None));
    }

    #[test]
    fn what_the_kernel_copies_is_not_called_fast() {
        let mptcp = Granted {
            mptcp: Some(true),
            ..Granted::default()
        };
        let (wished, paths) = settled(Protocol::Tcp, Duty::Send, &mptcp, None);
        assert_eq!((wished.zerocopy, paths.zerocopy), (false, Some(false)));
        assert!(paths.declined.unwrap().contains("MPTCP"));
        // Asked for by name it stays, and the report tells the truth.
        let mut named = Load {
            fast: false,
            ..fast(Protocol::Tcp)
        };
        let paths = FastPaths::settle(&mut named, Duty::Send, &mptcp, None);
        assert_eq!((named.zerocopy, paths.zerocopy), (true, Some(false)));
        assert_eq!(paths.declined, None);
        for duty in [Duty::Send, Duty::Receive] {
            let (_, paths) = settled(Protocol::Sctp, duty, &Granted::default(), None);
            assert!(![paths.zerocopy, paths.skip_rx_copy].contains(&Some(true)));
        }
    }

    #[test]
    fn merged_datagrams_are_read_as_a_whole() {
        for (merged, skipped) in [(Some(true), false), (Some(false), true), (None, true)] {
            let granted = Granted {
                gro: merged,
                ..Granted::default()
            };
            let (_, paths) = settled(Protocol::Udp, Duty::Receive, &granted, None);
            assert_eq!(paths.skip_rx_copy, Some(skipped), "{merged:?}");
        }
    }

    #[test]
    fn a_file_wins() {
        let granted = Granted::default();
        let regular = tempfile::tempfile().unwrap();
        let (load, paths) = settled(Protocol::Tcp, Duty::Send, &granted, Some(&regular));
        assert_eq!((load.zerocopy, paths.declined), (true, None));
        let (_, paths) = settled(Protocol::Tcp, Duty::Receive, &granted, Some(&regular));
        assert_eq!(paths.skip_rx_copy, Some(false));
        assert!(paths.declined.unwrap().contains("-F"));
        let device = File::open("/dev/zero").unwrap();
        let (load, paths) = settled(Protocol::Tcp, Duty::Send, &granted, Some(&device));
        assert_eq!((load.zerocopy, paths.zerocopy), (false, Some(false)));
        assert!(paths.declined.unwrap().contains("pipe or a device"));
    }
}
