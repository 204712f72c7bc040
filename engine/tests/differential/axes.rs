//! What a combination is made of: for each axis the flags that it may add to a command line, how likely each
//! is, and what it asks of the others. The first value of an axis is always "nothing said", or the value that
//! all others can live with.
//!
//! Placeholders are filled in by [`crate::combination`]: `{rate}`, `{cport}`, `{file}`.

use crate::peer::Stock;

/// What a value needs of the rest of its combination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Tcp,
    Udp,
    Ipv4,
    /// The machine has `::1`.
    Ipv6,
    /// `-6` is said.
    OverIpv6,
    /// `-t`: the others end by themselves.
    Timed,
    /// A number of bytes or blocks, or a file.
    Counted,
    Forward,
    /// The client receives.
    Receives,
    /// Few streams: blocks are so large that more of them would not send one a second.
    FewStreams,
    /// A sender that stays within what was asked. iperf3 3.18 forgets the rate when there is a burst (field report
    /// 021), and sends on until the next interval when there is no rate: either takes the whole machine for a second.
    Measured,
    /// No datagrams that the client receives: as fast as can be some are lost, and iperf3 3.12 waits for them until
    /// somebody ends it, with its own server too.
    Lossless,
    /// No mark, no rate in the kernel and no `--snd-timeout`: MPTCP sockets take none of them.
    PlainSocket,
    /// Not `-F`: a file is its own payload, and ours refuses to be told two.
    NoFile,
    /// Several CPUs: `-A 0,1`.
    TwoCpus,
}

#[derive(Debug, Clone, Copy)]
pub struct Value {
    /// Separated by blanks.
    pub flags: &'static str,
    pub weight: u32,
    pub needs: &'static [Need],
}

#[derive(Debug, Clone, Copy)]
pub struct Axis {
    pub name: &'static str,
    pub values: &'static [Value],
}

const fn value(weight: u32, flags: &'static str, needs: &'static [Need]) -> Value {
    Value {
        flags,
        weight,
        needs,
    }
}

use Need::*;

pub const PROTOCOL: usize = 0;
pub const DIRECTION: usize = 1;
pub const STREAMS: usize = 2;
pub const LIMIT: usize = 3;

/// Of the client. The first four are the ones that the others' needs look at.
pub const CLIENT: &[Axis] = &[
    Axis {
        name: "protocol",
        values: &[value(3, "", &[]), value(2, "-u", &[])],
    },
    Axis {
        name: "direction",
        values: &[
            value(2, "", &[]),
            value(2, "-R", &[]),
            value(1, "--bidir", &[]),
        ],
    },
    Axis {
        name: "streams",
        values: &[
            value(30, "", &[]),
            value(5, "-P 1", &[]),
            value(20, "-P 2", &[]),
            value(20, "-P 4", &[]),
            value(12, "-P 8", &[]),
            value(3, "-P 32", &[]),
            value(1, "-P 128", &[]),
        ],
    },
    Axis {
        name: "limit",
        values: &[
            value(30, "-t 1", &[]),
            value(2, "-t 2", &[]),
            value(8, "-n 1M", &[Tcp]),
            value(8, "-n 100K", &[]),
            value(4, "-n 123457", &[Tcp]),
            value(8, "-k 20", &[]),
            value(8, "-k 200", &[]),
            // Ours sends the whole file on each stream.
            value(4, "-F {file}", &[Tcp, Forward, FewStreams]),
        ],
    },
    Axis {
        name: "omit",
        values: &[
            value(10, "", &[]),
            value(1, "-O 0", &[]),
            value(2, "-O 1", &[Timed]),
        ],
    },
    Axis {
        name: "rate",
        values: &[
            value(8, "-b {rate}", &[]),
            value(2, "-b {rate}/4", &[Measured]),
            value(1, "--bitrate {rate}", &[]),
            // UDP at its 1 Mbit/s.
            value(2, "", &[Udp, FewStreams, Timed]),
            // As fast as can be, but not for long; with 128 streams stock ones may not end, with themselves either.
            value(1, "-b 0", &[Counted, Measured, Lossless, FewStreams]),
        ],
    },
    Axis {
        name: "length",
        values: &[
            value(4, "-l 1000", &[]),
            value(2, "", &[FewStreams]),
            value(3, "-l 4K", &[]),
            value(2, "-l 1400", &[]),
            value(2, "-l 16K", &[FewStreams]),
            value(2, "-l 64K", &[Tcp, FewStreams]),
        ],
    },
    Axis {
        name: "window",
        values: &[
            value(6, "", &[]),
            value(1, "-w 64K", &[]),
            value(1, "-w 256K", &[]),
        ],
    },
    Axis {
        name: "mss",
        values: &[
            value(6, "", &[]),
            value(1, "-M 1000", &[Tcp]),
            value(1, "-M 1400", &[Tcp]),
        ],
    },
    Axis {
        name: "no delay",
        values: &[value(4, "", &[]), value(1, "-N", &[Tcp])],
    },
    Axis {
        name: "congestion control",
        values: &[
            value(6, "", &[]),
            value(1, "-C reno", &[Tcp]),
            value(1, "-C bbr", &[Tcp]),
            value(1, "-C cubic", &[Tcp]),
        ],
    },
    Axis {
        name: "marking",
        values: &[
            value(6, "", &[]),
            value(1, "-S 72", &[]),
            value(1, "-S 0x20", &[]),
            value(1, "-S 050", &[]),
            value(1, "--dscp ef", &[]),
            value(1, "--dscp 10", &[]),
            value(1, "--dscp af11", &[]),
        ],
    },
    Axis {
        name: "interval",
        values: &[
            value(3, "", &[]),
            value(1, "-i 0", &[Timed]),
            value(1, "-i 0.1", &[]),
            value(1, "-i 0.5", &[]),
            value(1, "-i 1", &[]),
        ],
    },
    Axis {
        name: "address",
        values: &[
            value(5, "", &[]),
            value(1, "-4", &[]),
            value(2, "-6", &[Ipv6]),
        ],
    },
    Axis {
        name: "bind",
        values: &[
            value(6, "", &[]),
            value(1, "-B 127.0.0.1", &[Ipv4]),
            value(1, "-B ::1", &[OverIpv6]),
            value(1, "-B 127.0.0.1%lo", &[Ipv4]),
            value(1, "--bind-dev lo", &[]),
        ],
    },
    Axis {
        name: "client port",
        values: &[value(6, "", &[]), value(1, "--cport {cport}", &[])],
    },
    Axis {
        name: "flow label",
        values: &[value(6, "", &[]), value(1, "-L 12", &[OverIpv6])],
    },
    Axis {
        name: "counters",
        values: &[value(3, "", &[]), value(1, "--udp-counters-64bit", &[Udp])],
    },
    Axis {
        name: "server output",
        values: &[value(3, "", &[]), value(1, "--get-server-output", &[])],
    },
    Axis {
        name: "zero copy",
        values: &[value(3, "", &[]), value(1, "-Z", &[Tcp])],
    },
    Axis {
        name: "received copy",
        values: &[value(3, "", &[]), value(1, "--skip-rx-copy", &[Tcp])],
    },
    Axis {
        name: "payload",
        values: &[
            value(4, "", &[]),
            value(1, "--repeating-payload", &[NoFile]),
        ],
    },
    Axis {
        name: "title",
        values: &[value(5, "", &[]), value(1, "-T night", &[])],
    },
    Axis {
        name: "extra data",
        values: &[value(5, "", &[]), value(1, "--extra-data rack=7", &[])],
    },
    Axis {
        name: "unit",
        values: &[
            value(6, "", &[]),
            value(1, "-f k", &[]),
            value(1, "-f m", &[]),
            value(1, "-f K", &[]),
            value(1, "-f M", &[]),
        ],
    },
    Axis {
        name: "detail",
        values: &[value(5, "", &[]), value(1, "-V", &[])],
    },
    Axis {
        name: "output",
        values: &[
            value(6, "-J", &[]),
            value(2, "", &[]),
            value(1, "--json-stream", &[]),
        ],
    },
    Axis {
        name: "connect timeout",
        values: &[value(5, "", &[]), value(1, "--connect-timeout 5000", &[])],
    },
    Axis {
        name: "kernel pacing",
        values: &[value(5, "", &[]), value(1, "--fq-rate 400M", &[])],
    },
    Axis {
        name: "fragments",
        values: &[value(4, "", &[]), value(1, "--dont-fragment", &[Udp, Ipv4])],
    },
    Axis {
        name: "CPU",
        values: &[
            value(6, "", &[]),
            value(1, "-A 0", &[]),
            value(1, "-A 0,1", &[TwoCpus]),
        ],
    },
    Axis {
        name: "receive timeout",
        values: &[
            value(6, "", &[]),
            value(1, "--rcv-timeout 20000", &[Receives]),
        ],
    },
    Axis {
        name: "send timeout",
        values: &[value(6, "", &[]), value(1, "--snd-timeout 20000", &[Tcp])],
    },
    Axis {
        name: "keepalive",
        values: &[
            value(6, "", &[]),
            value(1, "--cntl-ka", &[]),
            value(1, "--cntl-ka=30/5/3", &[]),
        ],
    },
    Axis {
        name: "offload",
        values: &[value(3, "", &[]), value(1, "--gsro", &[Udp])],
    },
    Axis {
        name: "multipath",
        values: &[value(8, "", &[]), value(1, "-m", &[Tcp, PlainSocket])],
    },
];

/// Of the server, which also has `-s -1 -p PORT`.
pub const SERVER: &[Axis] = &[
    Axis {
        name: "server's output",
        values: &[value(3, "-J", &[]), value(1, "", &[])],
    },
    Axis {
        name: "server's interval",
        values: &[value(3, "", &[]), value(1, "-i 0.5", &[])],
    },
    Axis {
        name: "server's detail",
        values: &[value(5, "", &[]), value(1, "-V", &[])],
    },
];

/// Flags that 3.12 does not have yet, and the first of the versions here that has them. [`crate::tests`] holds
/// this against what the programs say of themselves.
pub const LATER: &[(&str, Stock)] = &[
    ("--json-stream", Stock::V3_18),
    ("--skip-rx-copy", Stock::Newest),
    ("--cntl-ka", Stock::Newest),
    ("--gsro", Stock::Newest),
    ("-m", Stock::Newest),
];

/// The first version that has the flag.
pub fn since(flag: &str) -> Stock {
    let name = flag.split('=').next().unwrap_or(flag);
    LATER
        .iter()
        .find(|(later, _)| *later == name)
        .map_or(Stock::V3_12, |(_, version)| *version)
}
