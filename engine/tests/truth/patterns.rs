//! E8: what happens to datagrams on their way is counted exactly. Scripted peers lose, swap, repeat, delay and shorten
//! them and put foreign ones between; what must come out is worked out here by the plain definitions.

use crate::peers::{Player, ScriptedServer, Width, datagram, send_to_server};
use crate::run::{Server, text};
use crate::strict;
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::UdpSocket;
use std::time::Duration;

const LENGTH: usize = 200;

/// What is put on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    /// This number, whole.
    Send(u64),
    /// This number, with so many bytes.
    Short(u64, usize),
    /// So many bytes, too few for a header.
    Fragment(usize),
    /// A number that none of the test's datagrams has.
    Absurd(u64),
    /// This number, from another socket of the same address.
    Foreign(u64),
}

/// What a receiver must have counted.
#[derive(Debug, Default, PartialEq, Eq)]
struct Truth {
    bytes: u64,
    highest: u64,
    lost: u64,
    out_of_order: u64,
    duplicates: u64,
}

fn truth(acts: &[Act]) -> Truth {
    let mut seen = BTreeSet::new();
    let mut truth = Truth::default();
    for act in acts {
        let (number, length) = match *act {
            Act::Send(number) => (number, LENGTH),
            Act::Short(number, length) => (number, length),
            Act::Fragment(_) | Act::Absurd(_) | Act::Foreign(_) => continue,
        };
        if seen.insert(number) {
            truth.bytes += length as u64;
            truth.out_of_order += u64::from(number < truth.highest);
        } else {
            truth.duplicates += 1;
        }
        truth.highest = truth.highest.max(number);
    }
    truth.lost = truth.highest - seen.len() as u64;
    truth
}

fn play(acts: &[Act], width: Width, player: &mut Player, foreigners: &[UdpSocket], port: u16) {
    let sent = Duration::from_millis(7);
    for (count, act) in acts.iter().enumerate() {
        let bytes = match *act {
            Act::Send(number) | Act::Absurd(number) | Act::Foreign(number) => {
                datagram(number, LENGTH, width, sent)
            }
            Act::Short(number, length) => datagram(number, length, width, sent),
            Act::Fragment(length) => vec![0xff; length],
        };
        if matches!(act, Act::Foreign(_)) {
            let foreigner = &foreigners[count % foreigners.len()];
            // Nobody may be there to take it.
            let _ = foreigner.send_to(&bytes, ("127.0.0.1", port));
        } else {
            player.play(&bytes);
        }
    }
}

/// The same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

fn plain(count: u64) -> Vec<Act> {
    (1..=count).map(Act::Send).collect()
}

/// `-u` in the numbers of reports 025 and 026, and every kind of fault alone.
fn single_faults() -> Vec<(String, Vec<Act>)> {
    let n = 3000;
    let mut all = vec![("nothing happens".to_owned(), plain(n))];
    for every in [2, 3, 10, 97, 1000] {
        let kept = plain(n)
            .into_iter()
            .enumerate()
            .filter(|(at, _)| at % every != every - 2);
        all.push((
            format!("one in {every} lost"),
            kept.map(|(_, act)| act).collect(),
        ));
        let mut swapped = plain(n);
        (0..n as usize - 1)
            .step_by(every.max(2))
            .for_each(|at| swapped.swap(at, at + 1));
        all.push((format!("one in {every} swapped"), swapped));
        let doubled = plain(n).into_iter().enumerate().flat_map(|(at, act)| {
            let times = if at % every == 0 { 2 } else { 1 };
            std::iter::repeat_n(act, times)
        });
        all.push((format!("one in {every} twice"), doubled.collect()));
    }
    for late in [1, 5, 64, 1000, 2900] {
        let mut acts = plain(n);
        for at in (10..60).rev() {
            let act = acts.remove(at);
            acts.insert((at + late).min(acts.len()), act);
        }
        all.push((format!("fifty come {late} later"), acts));
    }
    for (from, to) in [(1, 1), (1, 500), (100, 129), (1000, 2999)] {
        let kept = (1..=n).filter(|number| !(from..=to).contains(number));
        all.push((
            format!("{from} to {to} lost"),
            kept.map(Act::Send).collect(),
        ));
    }
    let many = |act: fn(u64) -> Act| {
        let acts = (1..=n).flat_map(move |number| [Act::Send(number), act(number)]);
        acts.collect::<Vec<_>>()
    };
    all.push(("everything twice".to_owned(), many(Act::Send)));
    all.push((
        "backwards".to_owned(),
        (1..=n).rev().map(Act::Send).collect(),
    ));
    all.push((
        "foreign ones between".to_owned(),
        many(|number| Act::Foreign(number + 5)),
    ));
    all.push((
        "far foreign ones between".to_owned(),
        many(|number| Act::Foreign(number + 100_000)),
    ));
    all.push((
        "fragments between".to_owned(),
        many(|number| Act::Fragment(number as usize % 12)),
    ));
    all.push(("number 0 between".to_owned(), many(|_| Act::Absurd(0))));
    all.push((
        "shortened ones".to_owned(),
        (1..=n)
            .map(|number| Act::Short(number, 16 + number as usize % 180))
            .collect(),
    ));
    all.push((
        "one old one again and again".to_owned(),
        many(|_| Act::Send(1)),
    ));
    all.push((
        "the same again at the end".to_owned(),
        [plain(n), plain(n)].concat(),
    ));
    all
}

/// A bit of everything, by dice.
fn mixture(seed: u64, n: u64) -> Vec<Act> {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (loss, double, late, short, foreign) = (
        dice.below(40),
        dice.below(30),
        dice.below(30),
        dice.below(20),
        dice.below(20),
    );
    let mut acts: Vec<(u64, Act)> = Vec::new();
    for number in 1..=n {
        let place = number * 10;
        if dice.below(100) < loss {
            continue;
        }
        let act = if dice.below(100) < short {
            Act::Short(number, 16 + dice.below(180) as usize)
        } else {
            Act::Send(number)
        };
        let delay = if dice.below(100) < late {
            dice.below(400 * 10)
        } else {
            0
        };
        acts.push((place + delay, act));
        if dice.below(100) < double {
            acts.push((place + delay + dice.below(700 * 10), act));
        }
        if dice.below(100) < foreign {
            acts.push((place, Act::Foreign(number + dice.below(50))));
            acts.push((place, Act::Fragment(dice.below(12) as usize)));
        }
    }
    acts.sort_by_key(|(place, _)| *place);
    acts.into_iter().map(|(_, act)| act).collect()
}

fn foreigners() -> Vec<UdpSocket> {
    ["127.0.0.1:0", "127.0.0.2:0"]
        .map(|address| UdpSocket::bind(address).expect("an address"))
        .into()
}

fn of_results(results: &Value) -> Truth {
    let stream = &results["streams"][0];
    let extra = &stream["nettest"];
    assert_eq!(extra["socketDrops"], 0, "the script's own fault: {stream}");
    Truth {
        bytes: strict::count(&stream["bytes"]),
        highest: strict::count(&stream["packets"]),
        lost: strict::count(&stream["errors"]),
        out_of_order: strict::count(&extra["outOfOrder"]),
        duplicates: strict::count(&extra["duplicates"]),
    }
}

fn count_at_server(server: &Server, patterns: &[(String, Vec<Act>)]) {
    let foreigners = foreigners();
    for (turn, (name, acts)) in patterns.iter().enumerate() {
        let width = if turn % 2 == 0 {
            Width::Bits32
        } else {
            Width::Bits64
        };
        let expected = truth(acts);
        let results = send_to_server(server.port, LENGTH, width, expected.highest, |player| {
            play(acts, width, player, &foreigners, server.port);
        });
        assert_eq!(of_results(&results), expected, "{name}, {width:?}");
    }
}

#[test]
fn e8_every_single_fault_of_a_path_is_counted_exactly() {
    let patterns = single_faults();
    assert!(patterns.len() >= 30, "{}", patterns.len());
    count_at_server(&Server::start("-i 0"), &patterns);
}

#[test]
fn e8_mixtures_of_faults_are_counted_exactly() {
    let patterns: Vec<_> = (1..=30)
        .map(|seed| (format!("mixture {seed}"), mixture(seed, 3000)))
        .collect();
    count_at_server(&Server::start("-i 0"), &patterns);
}

/// The other end: a client of ours that receives. `-k` ends it as soon as the last number is there.
#[test]
fn e8_a_receiving_client_counts_as_exactly() {
    let foreigners = foreigners();
    let mut patterns: Vec<_> = single_faults().into_iter().step_by(4).collect();
    patterns.extend((100..106).map(|seed| (format!("mixture {seed}"), mixture(seed, 3000))));
    for (name, mut acts) in patterns {
        // The last one is there, so that the client need not wait for it.
        let last = truth(&acts).highest + 1;
        acts.push(Act::Send(last));
        let expected = truth(&acts);
        let mut server = ScriptedServer::start(&format!(
            "-R -i 0 -k {last} -l {LENGTH} -b 100M --measurement-stream --run-uid u"
        ));
        let port = server.player.peer.port();
        play(&acts, Width::Bits32, &mut server.player, &foreigners, port);
        let sent = last * LENGTH as u64;
        let (results, output) = server.finish(&format!(
            r#""bytes":{sent},"retransmits":-1,"jitter":0,"errors":0,"omitted_errors":0,"packets":{last},"omitted_packets":0,"start_time":0,"end_time":1"#
        ));
        assert_eq!(
            output.status.code(),
            Some(0),
            "{name}: {}",
            text(&output.stderr)
        );
        assert_eq!(of_results(&results), expected, "{name}");
        let document = strict::measured(&output.stdout);
        let (udp, more) = (
            &document["end"]["streams"][0]["udp"],
            &document["nettest"]["udp"][0],
        );
        assert_eq!(udp["out_of_order"], expected.out_of_order, "{name}");
        assert_eq!(more["duplicates"], expected.duplicates, "{name}");
        let received = &document["end"]["sum_received"];
        assert_eq!(
            received["lost_packets"], expected.lost,
            "{name}: {received}"
        );
        assert_eq!(received["packets"], expected.highest, "{name}: {received}");
        assert_eq!(received["bytes"], expected.bytes, "{name}: {received}");
        assert_eq!(document["end"]["sum_sent"]["packets"], last, "{name}");
    }
}

/// A flood of datagrams out of order is counted, not printed.
#[test]
fn report_035_ten_thousand_reordered_datagrams_are_no_ten_thousand_lines() {
    let mut server = Server::start("");
    let mut acts = plain(20_000);
    (0..20_000).step_by(2).for_each(|at| acts.swap(at, at + 1));
    count_at_server(&server, &[("swapped".to_owned(), acts)]);
    let (_, printed) = server.stop();
    let lines = printed.lines().count();
    assert!(lines < 100, "{lines} lines");
    assert!(
        printed.contains("10000 datagrams received out-of-order"),
        "{printed}"
    );
}
