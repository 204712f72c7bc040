//! What goes on, on stderr (`-d`): 1 the steps, 2 what was asked and settled, 3 what was found, 4 each row.

use super::hint;
use crate::session::{Observer, Turn};
use nettest_report::report::{Interval, Report, ServerOutput};
use serde::Serialize;
use std::net::SocketAddr;

/// The observer, which also says at `level` (0: not at all) what it hears.
pub fn around(level: u8, observer: Box<dyn Observer>) -> Box<dyn Observer> {
    match level {
        0 => observer,
        level => Box::new(Debug { level, observer }),
    }
}

struct Debug {
    level: u8,
    observer: Box<dyn Observer>,
}

impl Debug {
    fn say(&self, level: u8, what: &str, detail: &str) {
        if self.level >= level {
            hint(&format!("nettest-engine: debug - {what}: {detail}"));
        }
    }

    fn show(&self, level: u8, what: &str, value: &impl Serialize) {
        if self.level >= level {
            self.say(
                level,
                what,
                &serde_json::to_string(value).unwrap_or_default(),
            );
        }
    }
}

impl Observer for Debug {
    fn repeat(&mut self, turn: Turn<'_>) {
        let what = format!("{} of variant {}", turn.repeat, turn.variant);
        self.say(1, "repeat", &what);
        self.observer.repeat(turn);
    }

    fn started(&mut self, report: &Report) {
        let streams = report.start.connected.len();
        self.say(1, "data begins, streams", &streams.to_string());
        self.show(2, "parameters", &report.params);
        self.show(2, "start", &report.start);
        self.show(3, "host", &report.host);
        self.observer.started(report);
    }

    fn keeps_rows(&self, report: &Report) -> bool {
        self.observer.keeps_rows(report)
    }

    fn interval(&mut self, report: &Report, interval: &Interval) {
        self.show(4, "row", interval);
        self.observer.interval(report, interval);
    }

    fn finished(&mut self, report: &Report) {
        self.say(1, "end", report.error.as_deref().unwrap_or("done"));
        self.show(3, "results", &report.end);
        self.show(3, "peer's host", &report.peer_host);
        self.observer.finished(report);
    }

    fn listening(&mut self, port: u16, test_number: u64) {
        self.say(1, "listening", &format!("port {port}, test {test_number}"));
        self.observer.listening(port, test_number);
    }

    fn one_of_several(&mut self, test_number: u64) {
        self.observer.one_of_several(test_number);
    }

    fn accepted(&mut self, peer: SocketAddr) {
        self.say(1, "accepted", &peer.to_string());
        self.observer.accepted(peer);
    }

    fn in_line(&mut self, place: u32) {
        self.say(1, "in line", &place.to_string());
        self.observer.in_line(place);
    }

    fn turned_away(&mut self, peer: SocketAddr, why: &str) {
        self.observer.turned_away(peer, why);
    }

    fn notice(&mut self, text: &str) {
        self.observer.notice(text);
    }

    fn server_output(&self, report: &Report) -> Option<ServerOutput> {
        self.observer.server_output(report)
    }
}
