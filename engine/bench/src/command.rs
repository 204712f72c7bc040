//! The command lines of each program for each row. Pure: what cannot be done is an answer, not a surprise.

use crate::{
    peer::{Dialect, Kind, Peer},
    work::{Direction, Fast, Protocol, Work},
};

/// What holds for the whole bench.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    pub seconds: u32,
    /// The same for all; none means the system's default.
    pub congestion: Option<&'a str>,
    /// The server's, as the client dials it.
    pub address: &'a str,
}

/// How the servers of a run end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// After their one test.
    ByThemselves,
    /// By SIGINT, once the clients have ended.
    Told,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    pub arguments: Vec<String>,
    /// Where it listens once it is ready.
    pub port: u16,
    pub listens: Protocol,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub servers: Vec<Server>,
    pub end: End,
    pub clients: Vec<Vec<String>>,
    /// Flags of the row that the program lacks: it does the same work without them.
    pub without: Vec<&'static str>,
}

const PORT: u16 = 5201;
const NEPER_CONTROL: u16 = 12866;

/// # Errors
/// Why the program cannot do this row.
pub fn plan(peer: &Peer, work: &Work, setting: &Setting<'_>) -> Result<Plan, &'static str> {
    match peer.kind.dialect() {
        Dialect::Iperf3 => iperf3(peer, work, setting),
        Dialect::Iperf2 => iperf2(work, setting),
        Dialect::Neper => neper(peer, work, setting),
    }
}

fn iperf3(peer: &Peer, work: &Work, setting: &Setting<'_>) -> Result<Plan, &'static str> {
    let mut flags = Words::default();
    let mut without = Vec::new();
    match work.bytes {
        Some(bytes) => flags.pair("-n", bytes),
        None => flags.pair("-t", setting.seconds),
    }
    if work.streams > 1 {
        flags.pair("-P", work.streams);
    }
    match work.direction {
        Direction::Forward => {}
        Direction::Reverse => flags.word("-R"),
        Direction::Both => flags.word("--bidir"),
    }
    match work.protocol {
        Protocol::Tcp => {
            if let Some(congestion) = setting.congestion {
                flags.pair("-C", congestion);
            }
        }
        Protocol::Udp => {
            flags.word("-u");
            flags.pair("-b", work.rate.unwrap_or(0));
            if peer.abilities.sendmmsg {
                flags.word("--sendmmsg");
            }
        }
    }
    if let Some(length) = work.length {
        flags.pair("-l", length);
    }
    // The server sets what the client asks for.
    if let Some(window) = work.window {
        flags.pair("-w", window);
    }
    if work.fast == Fast::SkipReceive && !peer.abilities.skip_rx_copy {
        return Err("no --skip-rx-copy");
    }
    if work.fast == Fast::All && peer.abilities.fast {
        flags.word("--fast");
    } else if work.fast != Fast::No {
        if work.fast == Fast::All {
            flags.word("-Z");
        }
        if peer.abilities.skip_rx_copy {
            flags.word("--skip-rx-copy");
        } else {
            without.push("--skip-rx-copy");
        }
    }
    if work.gsro {
        if peer.abilities.gsro {
            flags.word("--gsro");
        } else {
            without.push("--gsro");
        }
    }

    let shared = work.clients > 1 && peer.kind.serves_many();
    let servers = if shared { 1 } else { work.clients };
    let port = |index: u32| PORT + index as u16;
    Ok(Plan {
        servers: (0..servers)
            .map(|index| {
                let mut words = Words::of(&["-s", "-J"]);
                if !shared {
                    words.word("-1");
                } else if peer.kind == Kind::Ours {
                    // One at a time unless told, as iperf3.
                    words.pair("--max-tests", work.clients);
                }
                words.pair("-p", port(index));
                Server {
                    arguments: words.0,
                    port: port(index),
                    listens: Protocol::Tcp,
                }
            })
            .collect(),
        end: if shared { End::Told } else { End::ByThemselves },
        clients: (0..work.clients)
            .map(|index| {
                let mut words = Words::of(&["-c", setting.address, "-J"]);
                words.pair("-p", port(if shared { 0 } else { index }));
                words.0.extend(flags.0.iter().cloned());
                words.0
            })
            .collect(),
        without,
    })
}

/// iperf2 has no flag that leaves out a copy, and both directions share one socket: not the same work.
fn iperf2(work: &Work, setting: &Setting<'_>) -> Result<Plan, &'static str> {
    if work.fast != Fast::No {
        return Err("no flag that leaves out a copy");
    }
    if work.direction == Direction::Both {
        return Err("both directions share one socket");
    }
    let mut server = Words::of(&["-s", "-y", "C"]);
    let mut client = Words::of(&["-c", setting.address, "-y", "C"]);
    match work.bytes {
        Some(bytes) => client.pair("-n", bytes),
        None => client.pair("-t", setting.seconds),
    }
    if work.streams > 1 {
        client.pair("-P", work.streams);
    }
    if work.direction == Direction::Reverse {
        client.word("-R");
    }
    match work.protocol {
        Protocol::Tcp => {
            if let Some(congestion) = setting.congestion {
                server.pair("-Z", congestion);
                client.pair("-Z", congestion);
            }
        }
        Protocol::Udp => {
            server.word("-u");
            client.word("-u");
            // It has no "unlimited", and refuses 0: a rate that no machine reaches.
            client.pair("-b", work.rate.unwrap_or(100_000_000_000));
        }
    }
    if let Some(length) = work.length {
        server.pair("-l", length);
        client.pair("-l", length);
    }
    // Each end has its own.
    if let Some(window) = work.window {
        server.pair("-w", window);
        client.pair("-w", window);
    }
    server.pair("-p", PORT);
    client.pair("-p", PORT);
    Ok(Plan {
        servers: vec![Server {
            arguments: server.0,
            port: PORT,
            listens: work.protocol,
        }],
        end: End::Told,
        clients: vec![client.0; work.clients as usize],
        without: if work.gsro {
            vec!["--gsro"]
        } else {
            Vec::new()
        },
    })
}

fn neper(peer: &Peer, work: &Work, setting: &Setting<'_>) -> Result<Plan, &'static str> {
    if work.protocol == Protocol::Udp {
        return Err("tcp_stream does TCP only");
    }
    if work.bytes.is_some() {
        return Err("no run of a number of bytes");
    }
    if work.direction != Direction::Forward {
        return Err("its receiver's count is not printed in this direction");
    }
    // Two processors here: iperf3's thread a stream is neper's thread a flow up to that, and no more than
    // its authors' own examples beyond.
    let threads = work.streams.min(2);
    let mut both = Words::default();
    both.pair("-F", work.streams);
    both.pair("-T", threads);
    if work.fast != Fast::No && peer.abilities.skip_rx_copy {
        both.word("--skip-rx-copy");
    }
    if work.fast == Fast::All {
        both.word("-Z");
    }
    if let Some(congestion) = setting.congestion {
        both.pair("--congestion-control", congestion);
    }
    both.pair("-l", setting.seconds);
    // The block of the others' default; its own is 16 KiB.
    both.pair("-B", work.length.unwrap_or(128 * 1024));
    // Otherwise a file a process in the current folder.
    both.word("--nolog");
    let mut client = Words::of(&["-c", "-H", setting.address]);
    client.0.extend(both.0.iter().cloned());
    Ok(Plan {
        servers: vec![Server {
            arguments: both.0,
            port: NEPER_CONTROL,
            listens: Protocol::Tcp,
        }],
        end: End::ByThemselves,
        clients: vec![client.0],
        without: Vec::new(),
    })
}

/// One server, and a client that is started again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortTests {
    pub server: Server,
    pub client: Vec<String>,
}

/// # Errors
/// Why the program has no server of many tests.
pub fn short_tests(peer: &Peer, address: &str, bytes: u64) -> Result<ShortTests, &'static str> {
    if peer.kind.dialect() == Dialect::Neper {
        return Err("no run of a number of bytes");
    }
    let mut server = Words::of(&["-s"]);
    server.pair("-p", PORT);
    let mut client = Words::of(&["-c", address]);
    client.pair("-p", PORT);
    client.pair("-n", bytes);
    Ok(ShortTests {
        server: Server {
            arguments: server.0,
            port: PORT,
            listens: Protocol::Tcp,
        },
        client: client.0,
    })
}

#[derive(Debug, Default)]
struct Words(Vec<String>);

impl Words {
    fn of(words: &[&str]) -> Self {
        Words(words.iter().map(|word| (*word).to_owned()).collect())
    }

    fn word(&mut self, word: &str) {
        self.0.push(word.to_owned());
    }

    fn pair(&mut self, flag: &str, value: impl ToString) {
        self.0.extend([flag.to_owned(), value.to_string()]);
    }
}

/// A name for one of the programs, without the machine's folders.
pub fn program(kind: Kind) -> &'static str {
    match kind {
        Kind::Ours => "nettest-engine",
        Kind::Iperf3 => "iperf3",
        Kind::Iperf3_18 => "iperf3-3.18",
        Kind::Iperf3Newest => "$NETTEST_IPERF3_NEWEST",
        Kind::Iperf2 => "iperf",
        Kind::Riperf3 => "riperf3",
        Kind::Neper => "tcp_stream",
    }
}

#[cfg(test)]
mod tests;
