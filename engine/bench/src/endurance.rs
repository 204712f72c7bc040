//! What a server has resident after many short tests: one server, one client after the other.

use crate::{
    command,
    peer::{Kind, Peer},
    place::Place,
    process::Process,
    trial, watcher,
    work::Path,
};
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Its name for `--only`.
pub const ROW: &str = "short-tests";
/// Bytes of each test.
pub const BYTES: u64 = 64 * 1024;
/// Ours does all tests, so long as one takes no longer than this.
const OURS_A_TEST: Duration = Duration::from_millis(100);
/// The others do as many as they can in this time: iperf3 of today takes a second for each.
const OTHERS: Duration = Duration::from_secs(15);
const ONE_TEST: Duration = Duration::from_secs(10);
/// So many failures one after the other, and there is nothing more to learn.
const FAILURES: u32 = 5;
/// After so many tests the memory is looked at, beside the begin and the end.
const LOOKS: [u32; 3] = [1, 100, 1000];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Endurance {
    pub path: Path,
    pub peer: Kind,
    pub wanted: u32,
    /// Tests that ended well.
    pub done: u32,
    pub failed: u32,
    /// Of the tests that ended well, in sum.
    pub seconds: f64,
    /// Resident bytes of the server, and after how many tests.
    pub marks: Vec<(u32, u64)>,
    /// Why it ended before its time, or was not done at all.
    pub fault: Option<String>,
}

impl Endurance {
    pub fn after(&self, tests: u32) -> Option<u64> {
        let found = self.marks.iter().find(|(at, _)| *at == tests);
        found.map(|(_, bytes)| *bytes)
    }

    /// None of none that ended well. A test that fails may take all of the time that one is given, and says nothing of
    /// what a test takes.
    pub fn seconds_a_test(&self) -> Option<f64> {
        (self.done > 0).then(|| self.seconds / f64::from(self.done))
    }

    fn ended_well(&mut self, took: Duration) {
        self.done += 1;
        self.seconds += took.as_secs_f64();
    }

    pub fn at_the_end(&self) -> Option<u64> {
        self.marks.last().map(|(_, bytes)| *bytes)
    }
}

/// How long they take about, in seconds.
pub fn guess(peers: &[Peer], wanted: u32) -> f64 {
    const A_TEST: f64 = 0.008;
    let able = peers
        .iter()
        .filter(|peer| command::short_tests(peer, "", BYTES).is_ok());
    let each = |peer: &Peer| {
        let all = f64::from(wanted) * A_TEST;
        match peer.kind {
            Kind::Ours => all,
            _ => all.min(OTHERS.as_secs_f64()),
        }
    };
    able.map(each).sum()
}

/// Runs so many tests against one server of this program, or as many as the time allows.
pub fn run(place: &Place, peer: &Peer, wanted: u32) -> Endurance {
    let mut found = Endurance {
        path: place.path,
        peer: peer.kind,
        wanted,
        done: 0,
        failed: 0,
        seconds: 0.0,
        marks: Vec::new(),
        fault: None,
    };
    if let Err(error) = tests(place, peer, &mut found) {
        found.fault = Some(format!("{error:#}"));
    }
    found
}

fn tests(place: &Place, peer: &Peer, found: &mut Endurance) -> Result<()> {
    let most = match peer.kind {
        Kind::Ours => OURS_A_TEST * found.wanted,
        _ => OTHERS,
    };
    let plan =
        command::short_tests(peer, place.address, BYTES).map_err(|why| anyhow::anyhow!(why))?;
    let server = place.at_server(|| {
        Process::start(&peer.program, &plan.server.arguments, most + ONE_TEST * 2)
    })??;
    trial::wait_until_it_listens(&plan.server, &server)?;
    let look = |found: &mut Endurance| {
        if let Some(bytes) = watcher::resident(server.pid()) {
            found.marks.push((found.done, bytes));
        }
    };
    look(found);
    let begun = Instant::now();
    let ended = place.at_client(|| -> Result<()> {
        let mut in_a_row = 0;
        while found.done < found.wanted && begun.elapsed() < most {
            let started = Instant::now();
            let client = Process::start(&peer.program, &plan.client, ONE_TEST)?.wait()?;
            let Some(fault) = client.fault() else {
                in_a_row = 0;
                found.ended_well(started.elapsed());
                if LOOKS.contains(&found.done) {
                    look(found);
                }
                continue;
            };
            found.failed += 1;
            in_a_row += 1;
            if in_a_row == FAILURES {
                bail!("{FAILURES} tests failed one after the other: {fault}");
            }
        }
        Ok(())
    })?;
    if found.marks.last().is_none_or(|(at, _)| *at != found.done) {
        look(found);
    }
    server.tell_to_end(trial::TO_END);
    server.wait()?;
    ended
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::peer::Abilities;

    pub fn endurance(peer: Kind) -> Endurance {
        Endurance {
            path: Path::Lo,
            peer,
            wanted: 10_000,
            done: 10_000,
            failed: 0,
            seconds: 80.0,
            marks: vec![
                (0, 3 << 20),
                (1, 4 << 20),
                (100, 4 << 20),
                (1000, 5 << 20),
                (10_000, 5 << 20),
            ],
            fault: None,
        }
    }

    #[test]
    fn memory_by_the_number_of_tests() {
        let found = endurance(Kind::Ours);
        assert_eq!(found.after(1000), Some(5 << 20));
        assert_eq!(found.after(2), None);
        assert_eq!(found.at_the_end(), Some(5 << 20));
    }

    #[test]
    fn a_test_takes_what_those_that_ended_well_took() {
        let mut found = Endurance {
            done: 0,
            failed: 3,
            seconds: 0.0,
            ..endurance(Kind::Ours)
        };
        assert_eq!(found.seconds_a_test(), None);
        found.ended_well(Duration::from_millis(6));
        found.ended_well(Duration::from_millis(10));
        let seconds = found.seconds_a_test().expect("two ended well");
        assert!((seconds - 0.008).abs() < 1e-9, "{seconds}");
    }

    #[test]
    fn the_others_take_no_longer_than_they_are_given() {
        let peer = |kind| Peer {
            kind,
            name: String::new(),
            program: "".into(),
            abilities: Abilities::default(),
        };
        let peers = [Kind::Ours, Kind::Iperf3Newest, Kind::Neper].map(peer);
        assert!((guess(&peers, 10_000) - 95.0).abs() < 1e-9);
        assert!((guess(&peers, 100) - 1.6).abs() < 1e-9);
    }

    #[test]
    fn a_program_that_cannot_do_it_says_why() {
        let place = Place::make(Path::Lo, false).expect("the machine's own loopback device");
        let peer = |kind| Peer {
            kind,
            name: kind.to_string(),
            program: "/nonexistent/program".into(),
            abilities: Abilities::default(),
        };
        for (kind, why) in [
            (Kind::Neper, "no run of a number of bytes"),
            (Kind::Iperf3, "does not start"),
        ] {
            let found = run(&place, &peer(kind), 3);
            assert_eq!((found.done, found.marks.len()), (0, 0));
            let fault = found.fault.expect("a reason");
            assert!(fault.contains(why), "{fault}");
        }
    }
}
