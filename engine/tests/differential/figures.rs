//! Are the figures right? Exact where they can be; rates near the target.

use crate::combination::{Combination, FILE_SIZE};
use crate::peer::{Peer, Stock};
use serde_json::Value;

/// Of the target, for paced runs; or one write of each stream where that is more.
const RATE_TOLERANCE: f64 = 0.03;

/// A stock receiver divides by its own time until TEST_END. Our sender sends that only once its data has arrived
/// (esnet/iperf#382), which can be a delayed acknowledgement and a rest later.
const STOCK_CLOCK: f64 = 0.1;
/// A stock sender leaves its last segment to Nagle's algorithm; our receiver's time goes on until it comes, with the
/// delayed acknowledgement, 40 ms later.
const STOCK_TAIL: f64 = 0.06;
/// Seconds for each stream of a stock end: its threads start and end one after the other.
const STOCK_THREAD: f64 = 0.002;
/// Bytes that a stock sender with `--gsro` hands over at once, whatever its rate; so many times what a burst has.
const OFFLOADED: u64 = 65_507;
/// Seconds between the two ends' clocks for `-O`, and for each stream: their threads start one after the other.
const OMIT_APART: f64 = 0.1;
const OMIT_APART_A_STREAM: f64 = 0.005;

#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    pub text: String,
    /// A rate: may be the machine's doing, and is looked at once more.
    pub rate: bool,
}

/// One direction of a test, as both ends' documents show it.
struct Flow<'a> {
    combination: &'a Combination,
    suffix: &'static str,
    sender: &'a Peer,
    receiver: &'a Peer,
    client_sends: bool,
    client: Option<&'a Value>,
    server: Option<&'a Value>,
}

pub fn check(
    combination: &Combination,
    (client, client_document): (&Peer, Option<&Value>),
    (server, server_document): (&Peer, Option<&Value>),
) -> Vec<Fault> {
    let suffixes: &[&str] = match combination.bidirectional() {
        false => &[""],
        true => &["", "_bidir_reverse"],
    };
    let mut faults = Vec::new();
    for suffix in suffixes {
        let client_sends = !combination.reverse() && suffix.is_empty();
        let (sender, receiver) = match client_sends {
            true => (client, server),
            false => (server, client),
        };
        let flow = Flow {
            combination,
            suffix,
            sender,
            receiver,
            client_sends,
            client: client_document,
            server: server_document,
        };
        flow.check(&mut faults);
    }
    faults
}

impl Flow<'_> {
    fn figure(&self, document: Option<&Value>, sum: &str, key: &str) -> Option<f64> {
        document?
            .get("end")?
            .get(format!("{sum}{}", self.suffix))?
            .get(key)?
            .as_f64()
    }

    fn check(&self, faults: &mut Vec<Fault>) {
        let mut say = |rate: bool, text: String| {
            let suffix = self.suffix;
            faults.push(Fault {
                text: format!("sum{suffix}: {text}"),
                rate,
            });
        };
        let documents = [(self.client, "client"), (self.server, "server")];
        for (document, who) in documents {
            let ours = match who {
                "client" => self.is_ours(true),
                _ => self.is_ours(false),
            };
            if document.is_none() {
                continue;
            }
            let (sent, received) = (
                self.figure(document, "sum_sent", "bytes"),
                self.figure(document, "sum_received", "bytes"),
            );
            let (Some(sent), Some(received)) = (sent, received) else {
                say(false, format!("the {who} has no sums"));
                continue;
            };
            // Field report 047: a stock server knows only what it counted itself and prints 0 for the other.
            if !ours && who == "server" {
                let counted = if self.client_sends { received } else { sent };
                self.totals(counted, counted, &mut say, who);
                continue;
            }
            self.totals(sent, received, &mut say, who);
            self.datagrams(document, &mut say, who);
            self.rates(document, &mut say, who);
        }
        self.agree(&mut say);
    }

    fn is_ours(&self, client: bool) -> bool {
        let peer = if client == self.client_sends {
            self.sender
        } else {
            self.receiver
        };
        *peer == Peer::Ours
    }

    fn block(&self) -> u64 {
        let said =
            |document: Option<&Value>| document?.pointer("/start/test_start/blksize")?.as_u64();
        let length = self.combination.length();
        length
            .or_else(|| said(self.client))
            .or_else(|| said(self.server))
            .unwrap_or(128 << 10)
    }

    /// A stock client ends a test when one direction has what was asked, and counts its reads as blocks (3.12): the
    /// other direction, and blocks that it receives, end somewhere.
    fn ended_by_a_stock_client(&self) -> bool {
        let client = if self.client_sends {
            self.sender
        } else {
            self.receiver
        };
        let combination = self.combination;
        let reads = !self.client_sends && combination.blocks().is_some();
        matches!(client, Peer::Stock(_)) && (combination.bidirectional() || reads)
    }

    /// Our server rounds `-n` up to whole blocks for a stock client: 3.16 and later do not count a part of one, and
    /// would wait for ever.
    fn budget_is_ours(&self) -> bool {
        self.client_sends || *self.receiver == Peer::Ours || self.combination.bytes().is_none()
    }

    /// What a sender of one of ours must have sent; a stock one at least so much.
    fn wanted(&self) -> Option<u64> {
        let combination = self.combination;
        if combination.sends_file() {
            // Ours sends the file on every stream; with iperf3 all together send as much as there is in it.
            let streams = match self.sender {
                Peer::Ours => combination.streams(),
                Peer::Stock(_) => 1,
            };
            return Some(FILE_SIZE * streams);
        }
        let blocks = combination.blocks().map(|blocks| blocks * self.block());
        combination.bytes().or(blocks)
    }

    fn totals(&self, sent: f64, received: f64, say: &mut impl FnMut(bool, String), who: &str) {
        let combination = self.combination;
        if received > sent + self.uncounted() + self.around_omit() {
            say(
                combination.omits(),
                format!("the {who} says {received} bytes received of {sent} sent"),
            );
        }
        let Some(wanted) = self.wanted() else {
            return;
        };
        if self.ended_by_a_stock_client() {
            return;
        }
        let wanted = wanted as f64;
        // A datagram is whole.
        let last = if combination.udp() {
            self.block() as f64 - 1.0
        } else {
            0.0
        };
        let exact = *self.sender == Peer::Ours && self.budget_is_ours();
        // What a stock end leaves out of its sum is missing in the document of that end, and in what it says of it.
        let least = wanted - self.uncounted();
        if sent < least || (exact && sent > wanted + last) {
            say(
                false,
                format!("the {who} says {sent} bytes sent, {wanted} asked"),
            );
        }
        let ours = exact && *self.receiver == Peer::Ours;
        let agree = if ours {
            received == sent
        } else {
            received + self.uncounted() >= sent
        };
        if !combination.udp() && !agree {
            say(
                false,
                format!("the {who} says {sent} bytes sent and {received} received"),
            );
        }
    }

    /// Bytes that a stock end leaves out of its sum; see [`crate::stock`].
    fn uncounted(&self) -> f64 {
        let stock_ends = [self.sender, self.receiver];
        let threads = stock_ends
            .iter()
            .any(|peer| matches!(peer, Peer::Stock(stock) if *stock >= Stock::V3_18));
        if threads {
            (self.block() * self.combination.streams()) as f64
        } else {
            0.0
        }
    }

    /// The ends' omitted parts do not end at one moment: what is on the way then counts at one end only.
    fn around_omit(&self) -> f64 {
        let streams = self.combination.streams();
        let rate = self.combination.rate().unwrap_or_default() * streams;
        let apart = OMIT_APART + OMIT_APART_A_STREAM * streams as f64;
        match self.combination.omits() {
            true => rate as f64 / 8.0 * apart + self.offloaded(),
            false => 0.0,
        }
    }

    /// Bytes that a stock sender has the kernel cut into datagrams at a time, on all streams.
    fn offloaded(&self) -> f64 {
        let combination = self.combination;
        match matches!(self.sender, Peer::Stock(_)) && combination.has("--gsro") {
            true => (OFFLOADED * combination.burst() * combination.streams()) as f64,
            false => 0.0,
        }
    }

    fn datagrams(&self, document: Option<&Value>, say: &mut impl FnMut(bool, String), who: &str) {
        if !self.combination.udp() {
            return;
        }
        let packets = |sum: &str| self.figure(document, sum, "packets");
        let (Some(sent), Some(lost), Some(bytes)) = (
            packets("sum_sent"),
            self.figure(document, "sum_received", "lost_packets"),
            self.figure(document, "sum_received", "bytes"),
        ) else {
            say(false, format!("the {who} has no datagrams in its sums"));
            return;
        };
        let received = bytes / self.block() as f64;
        if lost < 0.0 || lost > sent {
            say(
                false,
                format!("the {who} says {lost} datagrams lost of {sent}"),
            );
        }
        // A stock receiver stops counting at the end of the test, whatever is in its socket (field report 382).
        if *self.receiver == Peer::Ours
            && (sent - received - lost).abs() * self.block() as f64 > self.around_omit()
        {
            let text =
                format!("the {who} says {sent} datagrams sent, {received} received, {lost} lost");
            say(self.combination.omits(), text);
        }
    }

    fn rates(&self, document: Option<&Value>, say: &mut impl FnMut(bool, String), who: &str) {
        let combination = self.combination;
        let (Some(rate), Some(seconds)) = (combination.rate(), combination.seconds()) else {
            return;
        };
        let target = (rate * combination.streams()) as f64;
        let write = self.block() * 8 * combination.burst() * combination.streams();
        // Where the counting begins in the middle, a write can be on either side of it at both ends.
        let write = if combination.omits() {
            2 * write
        } else {
            write
        };
        // Either may be the larger one: a write is not cut in two.
        let mut allowed = (target * RATE_TOLERANCE).max(write as f64 / seconds as f64);
        if matches!(self.receiver, Peer::Stock(_)) {
            allowed += target * STOCK_CLOCK / seconds as f64;
        }
        if matches!(self.sender, Peer::Stock(_)) && !combination.udp() {
            allowed += target * STOCK_TAIL / seconds as f64;
        }
        allowed += self.offloaded() * 8.0 / seconds as f64;
        if [self.sender, self.receiver]
            .iter()
            .any(|peer| **peer != Peer::Ours)
        {
            let threads = STOCK_THREAD * combination.streams() as f64;
            allowed += target * threads / seconds as f64;
        }
        let measured = |sum: &str| self.figure(document, sum, "bits_per_second");
        let sent = measured("sum_sent");
        for sum in ["sum_sent", "sum_received"] {
            let measured = measured(sum);
            let near = |wanted: f64| measured.is_some_and(|m| (m - wanted).abs() <= allowed);
            // How well a stock sender keeps its rate on a busy machine is its own affair; our receiver has to say
            // what that sender says.
            let as_sent = matches!(self.sender, Peer::Stock(_))
                && sent.is_some_and(|sent| sent < target && near(sent));
            if !near(target) && !as_sent {
                let text = format!(
                    "the {who}'s {sum} is {measured:?} bits/s, {target} asked, {allowed} allowed"
                );
                say(true, text);
            }
        }
    }

    /// What an end says of itself, the other must say of it too.
    fn agree(&self, say: &mut impl FnMut(bool, String)) {
        if self.client.is_none() || self.server.is_none() {
            return;
        }
        // A stock server does not know what the client counted (field report 047).
        let sums: &[&str] = match (self.is_ours(false), self.client_sends) {
            (true, _) => &["sum_sent", "sum_received"],
            (false, true) => &["sum_received"],
            (false, false) => &["sum_sent"],
        };
        for sum in sums {
            let client = self.figure(self.client, sum, "bytes");
            let server = self.figure(self.server, sum, "bytes");
            let apart = client
                .zip(server)
                .map(|(client, server)| (client - server).abs());
            if apart.is_none_or(|apart| apart > self.uncounted()) {
                say(
                    false,
                    format!("{sum} is {client:?} bytes by the client, {server:?} by the server"),
                );
            }
        }
    }
}
