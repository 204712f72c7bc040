//! One combination of flags: what client and server are called with, and what that asks for.

use crate::axes::{self, CLIENT, SERVER};
use crate::peer::Peer;
use crate::session::{self, Ends};
use std::fmt;

/// Bits per second that a TCP test sends in all, so that two CPUs can do many tests side by side.
const TCP_RATE: u64 = 64_000_000;
const UDP_RATE: u64 = 16_000_000;
/// What iperf3 sends UDP at when nothing is said.
const UDP_DEFAULT_RATE: u64 = 1 << 20;
/// Bytes of the file that `-F` sends: no multiple of any block.
pub const FILE_SIZE: u64 = 300_007;

/// The index of the value on each axis, client's first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Combination {
    pub choices: Vec<u8>,
}

/// What only a run knows: where it happens.
#[derive(Debug, Clone)]
pub struct Place {
    pub port: u16,
    pub cport: u16,
    pub file: String,
}

impl Combination {
    fn words(
        &self,
        axes: &'static [axes::Axis],
        skip: usize,
    ) -> impl Iterator<Item = &'static str> + Clone {
        axes.iter()
            .zip(self.choices.iter().skip(skip))
            .flat_map(|(axis, choice)| axis.values[usize::from(*choice)].flags.split_whitespace())
    }

    /// The client's flags with their placeholders.
    pub fn client_words(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.words(CLIENT, 0)
    }

    pub fn server_words(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.words(SERVER, CLIENT.len())
    }

    pub fn client(&self, place: &Place) -> Vec<String> {
        let host = if self.has("-6") { "::1" } else { "127.0.0.1" };
        let port = place.port.to_string();
        let mut arguments = ["-c", host, "-p", &port].map(String::from).to_vec();
        arguments.extend(self.client_words().map(|word| {
            word.replace("{rate}", &self.rate().unwrap_or_default().to_string())
                .replace("{cport}", &place.cport.to_string())
                .replace("{file}", &place.file)
        }));
        arguments
    }

    pub fn server(&self, place: &Place) -> Vec<String> {
        let port = place.port.to_string();
        let mut arguments = ["-s", "-1", "-p", &port].map(String::from).to_vec();
        arguments.extend(self.server_words().map(String::from));
        arguments
    }

    pub fn run(&self, client: &Peer, server: &Peer, place: &Place) -> Ends {
        session::run(
            (client, &self.client(place)),
            (server, &self.server(place)),
            place.port,
        )
    }

    /// How many ports of its own a client with `--cport` uses; both directions of each stream have one.
    pub fn client_ports(&self) -> u16 {
        match self.has("--cport") {
            true => 2 * self.streams() as u16,
            false => 0,
        }
    }

    pub fn has(&self, flag: &str) -> bool {
        self.client_words().any(|word| word == flag)
    }

    fn value_of(&self, flag: &str) -> Option<&'static str> {
        self.client_words().skip_while(|word| *word != flag).nth(1)
    }

    /// A value with its suffix of 1024.
    fn amount(&self, flag: &str) -> Option<u64> {
        let text = self.value_of(flag)?;
        let (digits, factor) = match text.strip_suffix('K') {
            Some(digits) => (digits, 1 << 10),
            None => match text.strip_suffix('M') {
                Some(digits) => (digits, 1 << 20),
                None => (text, 1),
            },
        };
        digits.parse::<u64>().ok().map(|number| number * factor)
    }

    pub fn udp(&self) -> bool {
        self.has("-u")
    }

    pub fn bidirectional(&self) -> bool {
        self.has("--bidir")
    }

    pub fn reverse(&self) -> bool {
        self.has("-R")
    }

    pub fn streams(&self) -> u64 {
        self.amount("-P").unwrap_or(1)
    }

    pub fn bytes(&self) -> Option<u64> {
        self.amount("-n")
    }

    pub fn blocks(&self) -> Option<u64> {
        self.amount("-k")
    }

    pub fn sends_file(&self) -> bool {
        self.has("-F")
    }

    /// `-l`; what a program takes without it is its own affair.
    pub fn length(&self) -> Option<u64> {
        self.amount("-l")
    }

    pub fn seconds(&self) -> Option<u64> {
        self.amount("-t")
    }

    pub fn omits(&self) -> bool {
        self.amount("-O").is_some_and(|seconds| seconds > 0)
    }

    /// Bits per second of a stream; none: as fast as can be.
    pub fn rate(&self) -> Option<u64> {
        if self.value_of("-b") == Some("0") {
            return None;
        }
        let asked = self.has("-b") || self.has("--bitrate");
        match (self.udp(), asked) {
            (true, false) => Some(UDP_DEFAULT_RATE),
            (true, true) => Some(UDP_RATE / self.streams()),
            // Small writes on that many threads are work for two CPUs that others use too.
            (false, true) if self.streams() >= 32 => Some(TCP_RATE / 4 / self.streams()),
            (false, true) => Some(TCP_RATE / self.streams()),
            (false, false) => None,
        }
    }

    /// Blocks that may leave at once.
    pub fn burst(&self) -> u64 {
        let burst = self.value_of("-b").and_then(|rate| rate.split_once('/'));
        burst.and_then(|(_, burst)| burst.parse().ok()).unwrap_or(1)
    }
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let client: Vec<&str> = self.client_words().collect();
        let server: Vec<&str> = self.server_words().collect();
        write!(f, "{} | -s {}", client.join(" "), server.join(" "))
    }
}
