//! What is measured: one row of the tables each.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Tcp,
    Udp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Reverse,
    Both,
}

/// Copies that the program is told to leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fast {
    No,
    /// The receiver drops the payload in the kernel (`--skip-rx-copy`).
    SkipReceive,
    /// And the sender does not copy it into the kernel either (`-Z`).
    All,
}

/// What the row is about, hence which of its figures the ratio is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Main {
    Bits,
    Datagrams,
    Wall,
}

/// The tables of the document, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Group {
    Tcp,
    TcpFast,
    Udp,
    UdpGso,
    Paced,
    Clients,
    Small,
}

impl Group {
    pub const ALL: [Group; 7] = [
        Group::Tcp,
        Group::TcpFast,
        Group::Udp,
        Group::UdpGso,
        Group::Paced,
        Group::Clients,
        Group::Small,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Group::Tcp => "TCP, every program's default: the payload is copied at both ends",
            Group::TcpFast => "TCP without copies",
            Group::Udp => "UDP, as fast as it goes, without --gsro",
            Group::UdpGso => "UDP with --gsro",
            Group::Paced => "UDP, paced",
            Group::Clients => "Many UDP clients",
            Group::Small => "A whole run of 1 MiB",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    pub name: &'static str,
    pub group: Group,
    pub main: Main,
    pub protocol: Protocol,
    pub direction: Direction,
    pub streams: u32,
    /// Client processes at the same time.
    pub clients: u32,
    pub fast: Fast,
    pub gsro: bool,
    /// Bytes a datagram or a write; the program's default if not given.
    pub length: Option<u32>,
    /// Bytes of the sockets' buffers (`-w`); the program's own choice if not given.
    pub window: Option<u32>,
    /// Bits a second of each client; UDP without a rate sends as fast as it can.
    pub rate: Option<u64>,
    /// Ends after so many bytes, not after a time.
    pub bytes: Option<u64>,
}

const TCP: Work = Work {
    name: "tcp",
    group: Group::Tcp,
    main: Main::Bits,
    protocol: Protocol::Tcp,
    direction: Direction::Forward,
    streams: 1,
    clients: 1,
    fast: Fast::No,
    gsro: false,
    length: None,
    window: None,
    rate: None,
    bytes: None,
};

const UDP: Work = Work {
    group: Group::Udp,
    main: Main::Datagrams,
    protocol: Protocol::Udp,
    ..TCP
};

const fn tcp(name: &'static str, streams: u32, direction: Direction) -> Work {
    Work {
        name,
        streams,
        direction,
        ..TCP
    }
}

const fn fast(name: &'static str, streams: u32, fast: Fast) -> Work {
    Work {
        name,
        streams,
        fast,
        group: Group::TcpFast,
        ..TCP
    }
}

/// iperf3 is fastest with blocks of 1 MiB, which is its most.
const fn fast_1m(name: &'static str, streams: u32) -> Work {
    Work {
        length: Some(1 << 20),
        ..fast(name, streams, Fast::All)
    }
}

const fn udp(name: &'static str, length: u32) -> Work {
    Work {
        name,
        length: Some(length),
        ..UDP
    }
}

const fn gso(name: &'static str, length: u32) -> Work {
    Work {
        group: Group::UdpGso,
        main: Main::Bits,
        gsro: true,
        ..udp(name, length)
    }
}

/// With the same buffers for all: ours takes larger ones than the others where it may.
const fn same_window(name: &'static str, work: Work) -> Work {
    Work {
        name,
        window: Some(4 << 20),
        ..work
    }
}

const fn paced(name: &'static str, group: Group, clients: u32, rate: u64) -> Work {
    Work {
        group,
        main: Main::Bits,
        clients,
        rate: Some(rate),
        ..udp(name, 1400)
    }
}

pub const ALL: [Work; 22] = [
    tcp("tcp1", 1, Direction::Forward),
    tcp("tcp2", 2, Direction::Forward),
    tcp("tcp8", 8, Direction::Forward),
    tcp("tcp64", 64, Direction::Forward),
    tcp("tcp128", 128, Direction::Forward),
    tcp("tcp1-reverse", 1, Direction::Reverse),
    tcp("tcp1-bidir", 1, Direction::Both),
    fast("fast1", 1, Fast::All),
    fast("fast2", 2, Fast::All),
    fast_1m("fast1-1m", 1),
    fast_1m("fast2-1m", 2),
    fast("skip1", 1, Fast::SkipReceive),
    udp("udp64", 64),
    udp("udp1400", 1400),
    same_window("udp1400-w", udp("udp1400", 1400)),
    gso("gso64", 64),
    gso("gso1400", 1400),
    same_window("gso1400-w", gso("gso1400", 1400)),
    gso("gso8192", 8192),
    paced("paced", Group::Paced, 1, 1_000_000_000),
    paced("clients50", Group::Clients, 50, 20_000_000),
    Work {
        group: Group::Small,
        main: Main::Wall,
        bytes: Some(1 << 20),
        ..tcp("small", 1, Direction::Forward)
    },
];

impl Work {
    /// Do the words of `--only` choose this row? A word is a row, the beginning of some, or a group.
    pub fn chosen(&self, only: &[String]) -> bool {
        only.is_empty()
            || only.iter().any(|word| {
                self.name.starts_with(word.as_str())
                    || Group::from_str(word, true).is_ok_and(|group| group == self.group)
            })
    }
}

pub fn named(name: &str) -> Option<&'static Work> {
    ALL.iter().find(|work| work.name == name)
}

/// What lies between the two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Path {
    /// The loopback device, MTU 65536.
    Lo,
    /// A veth pair between two network namespaces, MTU 1500.
    Veth,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Path::Lo => "lo",
            Path::Veth => "veth",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(only: &[&str]) -> Vec<&'static str> {
        let only: Vec<String> = only.iter().map(|word| (*word).to_owned()).collect();
        ALL.iter()
            .filter(|work| work.chosen(&only))
            .map(|work| work.name)
            .collect()
    }

    #[test]
    fn rows_are_chosen_by_beginning_or_group() {
        assert_eq!(names(&[]).len(), ALL.len());
        assert_eq!(
            names(&["tcp1"]),
            ["tcp1", "tcp128", "tcp1-reverse", "tcp1-bidir"]
        );
        assert_eq!(
            names(&["tcp-fast", "small"]),
            ["fast1", "fast2", "fast1-1m", "fast2-1m", "skip1", "small"]
        );
        assert_eq!(
            names(&["gso"]),
            ["gso64", "gso1400", "gso1400-w", "gso8192"]
        );
        assert_eq!(names(&["nothing"]), [""; 0]);
    }

    #[test]
    fn a_name_means_one_row() {
        for work in &ALL {
            assert_eq!(named(work.name), Some(work));
        }
    }
}
