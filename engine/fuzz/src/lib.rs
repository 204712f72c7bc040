//! What is fuzzed: each takes any bytes and panics when an invariant breaks. Used by the coverage-guided targets
//! (`cargo fuzz`, `make fuzz`) and, with drawn inputs, by the engine's own tests.
//!
//! The invariants: no panic; each session ends by its deadlines once nothing more comes; a machine says little, and
//! takes a bounded number of steps.

use nettest_engine::cli::{self, Environment};
use nettest_engine::stats::{SequenceTracker, Width};
use nettest_engine::wire::client::{ClientEvent, ClientMachine};
use nettest_engine::wire::cookie::Cookie;
use nettest_engine::wire::hello::{self, Heard};
use nettest_engine::wire::results::{self, Results};
use nettest_engine::wire::server::{ServerEvent, ServerMachine};
use nettest_engine::wire::{self, params};
use nettest_engine::workload::Header;
use nettest_report::params::{Limit, TestParams};
use std::ffi::OsString;
use std::time::Duration;

/// A name, and what takes the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// For the runners.
pub const TARGETS: [Target; 7] = [
    ("parameters", parameters),
    ("results", peer_results),
    ("server_session", server_session),
    ("client_session", client_session),
    ("datagrams", datagrams),
    ("command_line", command_line),
    ("values", values),
];

/// More than any machine has to say in one session but its results.
const TALK: usize = 64 * 1024;
/// No session has so many events.
const EVENTS: usize = 64;
/// The longest that a session may stand still: a slow `-b` may space its blocks by an hour, and the limits of the
/// server's own time are a day and ten minutes.
const STILL: Duration = Duration::from_secs(86_400 + 600 + 3600 + 60);

/// What is accepted is within the server's bounds, and comes back as it was.
pub fn parameters(data: &[u8]) {
    let Ok(taken) = params::decode(data) else {
        return;
    };
    assert!((1..=128).contains(&taken.streams), "{taken:?}");
    assert!(taken.block_size.is_none_or(|n| n <= 1 << 20), "{taken:?}");
    assert!(taken.window.is_none_or(|n| n <= 512 << 20), "{taken:?}");
    assert!(taken.omit <= Duration::from_secs(600), "{taken:?}");
    if let Limit::Time(time) = taken.limit {
        assert!(time <= Duration::from_secs(86_400), "{taken:?}");
    }
    assert!(wire::server::longest_gap(&taken) <= Duration::from_secs(3600));
    let block = taken.block_size.unwrap_or(1000);
    let again = params::decode(&params::encode(&taken, block));
    assert!(again.is_ok(), "{taken:?}: {again:?}");
}

pub fn peer_results(data: &[u8]) {
    if let Ok(taken) = results::decode(data) {
        assert!(taken.streams.len() <= 256);
        let again = results::decode(&results::encode(&taken));
        assert!(again.is_ok(), "{taken:?}: {again:?}");
    }
}

/// The input is a script: a byte below 200 is the length of what is fed next, the others are what else may happen.
struct Script<'a> {
    left: &'a [u8],
    now: Duration,
}

enum Step<'a> {
    Feed(&'a [u8]),
    Wait,
    Other(u8),
}

impl<'a> Iterator for Script<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        let (&first, rest) = self.left.split_first()?;
        self.left = rest;
        Some(match first {
            0..200 => {
                let (fed, rest) = rest.split_at(rest.len().min(usize::from(first)));
                self.left = rest;
                Step::Feed(fed)
            }
            200..230 => {
                self.now += Duration::from_millis(u64::from(first - 199) * 700);
                Step::Wait
            }
            other => Step::Other(other),
        })
    }
}

fn script(data: &[u8]) -> Script<'_> {
    Script {
        left: data,
        now: Duration::from_secs(100),
    }
}

/// A client's whole session with our server, whose driver does its part at once, or does it late.
pub fn server_session(data: &[u8]) {
    let mut script = script(data);
    let mut machine = ServerMachine::new(script.now);
    let (mut said, mut events) = (0, 0);
    while let Some(step) = script.next() {
        let now = script.now;
        match step {
            Step::Feed(bytes) => {
                machine.feed(bytes);
                machine.alive(now);
            }
            Step::Wait => machine.tick(now),
            Step::Other(230..235) => machine.stream_arrived(now),
            Step::Other(235..245) => machine.start(now),
            Step::Other(245..250) => machine.alive(now),
            Step::Other(250) => machine.closed(),
            Step::Other(251) => machine.terminate(),
            Step::Other(252) => machine.refuse(6, 0),
            Step::Other(253) => machine.deny(),
            Step::Other(_) => {}
        }
        events += serve(&mut machine, now);
        said += machine.take_output().len();
    }
    // Nothing more comes: its deadlines end it.
    let from = script.now;
    let mut now = from;
    while !machine.is_over() {
        events += serve(&mut machine, now);
        let Some(deadline) = machine.deadline() else {
            assert!(machine.is_over(), "a session that waits for ever");
            break;
        };
        now = now.max(deadline);
        machine.tick(now);
        events += 1;
        assert!(events < data.len() + EVENTS, "it does not end");
    }
    said += machine.take_output().len();
    assert!(now - from <= STILL, "{:?}", now - from);
    assert!(said < TALK + data.len(), "{said} bytes");
}

fn serve(machine: &mut ServerMachine, now: Duration) -> usize {
    let mut events = 0;
    while let Some(event) = machine.next_event() {
        events += 1;
        assert!(events < EVENTS, "events without end");
        match event {
            ServerEvent::Params(params) => machine.accept(&params, now),
            ServerEvent::TestEnd => machine.exchange(now),
            ServerEvent::PeerResults(_) => machine.send_results(&Results::default(), now),
            ServerEvent::Done | ServerEvent::Failed(_) => assert!(machine.is_over()),
        }
    }
    events
}

/// A server's whole session with our client.
pub fn client_session(data: &[u8]) {
    let mut script = script(data);
    let json = params::encode(&TestParams::default(), 131_072);
    let mut client = Client {
        machine: ClientMachine::new(&Cookie::random([7; 36]), json, script.now),
        running: false,
        over: false,
        events: 0,
    };
    let mut said = 0;
    while let Some(step) = script.next() {
        let now = script.now;
        match step {
            Step::Feed(bytes) => client.machine.feed(bytes, now),
            Step::Wait => client.machine.tick(now),
            Step::Other(230..245) if client.running => client.machine.end_test(now),
            Step::Other(250) => client.machine.closed(),
            Step::Other(251) => {
                client.machine.terminate();
                client.over = true;
            }
            Step::Other(_) => {}
        }
        client.go_on(now);
        said += client.machine.take_output().len();
    }
    let from = script.now;
    let mut now = from;
    let mut turns = 0;
    while !client.over {
        turns += 1;
        assert!(turns < EVENTS, "it does not end");
        match client.machine.deadline() {
            Some(deadline) => {
                now = now.max(deadline);
                client.machine.tick(now);
            }
            // The driver's own time limit, and its watch over the data, end a test.
            None => {
                assert!(client.running, "a session that waits for ever");
                client.machine.end_test(now);
                client.running = false;
            }
        }
        client.go_on(now);
    }
    said += client.machine.take_output().len();
    assert!(now - from <= STILL, "{:?}", now - from);
    assert!(said < TALK + data.len(), "{said} bytes");
}

struct Client {
    machine: ClientMachine,
    running: bool,
    over: bool,
    events: usize,
}

impl Client {
    fn go_on(&mut self, now: Duration) {
        while let Some(event) = self.machine.next_event() {
            self.events += 1;
            assert!(self.events < EVENTS, "events without end");
            match event {
                ClientEvent::ParamsWanted => self.machine.send_params(b"{}", now),
                ClientEvent::OpenStreams => self.machine.streams_open(now),
                // A place in line, as often as the server likes; each costs it some bytes.
                ClientEvent::InLine(_) => self.events -= 1,
                ClientEvent::TestStart => {}
                ClientEvent::TestRunning => self.running = true,
                ClientEvent::ResultsWanted => {
                    self.running = false;
                    self.machine.send_results(&Results::default(), now);
                }
                ClientEvent::PeerResults(_) => {}
                ClientEvent::Done | ClientEvent::Failed(_) => self.over = true,
            }
        }
    }
}

/// The hello, the header, and the count of what arrived: a byte of length, then so many bytes, again and again.
pub fn datagrams(data: &[u8]) {
    let mut trackers = [
        (SequenceTracker::default(), Width::Bits32),
        (SequenceTracker::default(), Width::Bits64),
    ];
    let mut left = data;
    let mut arrived = 0u64;
    while let Some((&length, rest)) = left.split_first() {
        let (datagram, rest) = rest.split_at(rest.len().min(usize::from(length)));
        left = rest;
        // Never more than came in: no reflector.
        if let Some(answer) = hello::answer(datagram) {
            assert!(answer.len() <= datagram.len());
        }
        let heard = hello::hear(datagram, false);
        assert!(heard != Heard::EarlyData, "data where none is expected");
        hello::hear(datagram, true);
        arrived += 1;
        for (tracker, width) in &mut trackers {
            if let Some(header) = Header::read(datagram, *width) {
                tracker.arrive(header.sequence, *width);
            }
            assert!(tracker.received() <= arrived);
            assert!(tracker.received() + tracker.duplicates() <= arrived);
            assert!(tracker.lost() <= tracker.highest());
        }
    }
}

/// Words apart by NUL or blanks.
pub fn command_line(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let words = text
        .split([' ', '\0', '\n'])
        .filter(|word| !word.is_empty());
    let args = std::iter::once("nettest-engine").chain(words);
    parsed(args.map(OsString::from).collect());
}

/// The first byte chooses a flag that takes a value, the rest is the value.
pub fn values(data: &[u8]) {
    const FLAGS: [&str; 30] = [
        "-t",
        "-n",
        "-k",
        "-l",
        "-b",
        "-w",
        "-M",
        "-O",
        "-P",
        "-i",
        "-p",
        "-S",
        "-L",
        "-A",
        "-B",
        "-C",
        "-X",
        "--dscp",
        "--fq-rate",
        "--cport",
        "--cntl-ka",
        "--rcv-timeout",
        "--snd-timeout",
        "--pacing-timer",
        "--connect-timeout",
        "--nstreams",
        "--timestamps",
        "--bind-dev",
        "-T",
        "--extra-data",
    ];
    const SERVER_FLAGS: [&str; 4] = [
        "--server-bitrate-limit",
        "--server-max-duration",
        "--idle-timeout",
        "--max-tests",
    ];
    let Some((&which, value)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(value) else {
        return;
    };
    if text.contains('\0') {
        return;
    }
    let which = usize::from(which) % (FLAGS.len() + SERVER_FLAGS.len());
    let args = match FLAGS.get(which) {
        Some(flag) => vec!["nettest-engine", "-c", "127.0.0.1", flag, text],
        None => vec![
            "nettest-engine",
            "-s",
            SERVER_FLAGS[which - FLAGS.len()],
            text,
        ],
    };
    parsed(args.into_iter().map(OsString::from).collect());
}

/// Understood, or refused in few words.
fn parsed(args: Vec<OsString>) {
    if let Err(error) = cli::parse(args, Environment::default()) {
        assert!(!error.to_string().is_empty());
    }
}
