//! Rows as they fall due, into the report and to the observer.

use super::Observer;
use super::meter::Meter;
use super::streams::Controls;
use crate::host::CpuClock;
use nettest_report::report::{Cpu, Interval, Report};
use std::time::Instant;

/// Rows of single streams that a server keeps in its report at the most (some 50 MB): how many there will be is the
/// client's choice. Later ones are printed all the same.
pub const KEPT_BY_SERVER: usize = 200_000;

pub struct Rows<'a> {
    pub meter: Meter,
    pub report: &'a mut Report,
    pub observer: &'a mut dyn Observer,
    /// Of the counted part, like all figures: it starts anew when the omitted part ends.
    cpu: CpuClock,
    /// Rows of single streams that the report still takes.
    room: usize,
    /// The last row is told.
    over: bool,
}

/// When the data was told to end, and what it had cost by then: the exchange of results is no part of the test.
#[derive(Debug, Clone, Copy)]
pub struct Stopped {
    pub at: Instant,
    pub cpu: Option<Cpu>,
}

impl<'a> Rows<'a> {
    /// Data starts now. The report takes at most `room` rows of single streams, and none that the observer does not
    /// ask for.
    pub fn new(
        meter: Meter,
        report: &'a mut Report,
        observer: &'a mut dyn Observer,
        room: usize,
    ) -> Self {
        let room = if observer.keeps_rows(report) { room } else { 0 };
        Rows {
            meter,
            report,
            observer,
            cpu: CpuClock::start(),
            room,
            over: false,
        }
    }

    /// What is due at `now`: the end of the omitted part, or a row. Rows that were missed are one row with its
    /// true bounds (field report 036).
    pub fn tick(&mut self, now: Instant, controls: &Controls) {
        if self.meter.omit_due(now) {
            let row = self.meter.end_omit(now, controls.has_budget());
            controls.set_budget();
            self.cpu = CpuClock::start();
            if let Some(row) = row {
                self.tell(row);
            }
        } else if self.meter.row_due(now) {
            let row = self.meter.row(now);
            self.tell(row);
        }
    }

    /// The measured part ends now.
    pub fn stopped(&self) -> Stopped {
        Stopped {
            at: Instant::now(),
            cpu: self.cpu.elapsed(),
        }
    }

    /// The row up to the end of the data; the threads have ended. Once.
    pub fn last(&mut self, stopped: Stopped) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        if let Some(row) = self.meter.last_row(stopped.at) {
            self.tell(row);
        }
    }

    fn tell(&mut self, row: Interval) {
        self.observer.interval(self.report, &row);
        if let Some(left) = self.room.checked_sub(row.streams.len()) {
            self.room = left;
            self.report.intervals.push(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Silent, facts};
    use nettest_report::params::{Limit, TestParams};
    use nettest_report::report::{Flow, Role, StreamInterval};
    use std::time::Duration;

    struct Keeps(bool);

    impl Observer for Keeps {
        fn keeps_rows(&self, _report: &Report) -> bool {
            self.0
        }
    }

    fn row(streams: usize) -> Interval {
        let one = StreamInterval {
            socket: 5,
            flow: Flow::ClientToServer,
            sender: false,
            start: 0.0,
            end: 1.0,
            bytes: 1,
            omitted: false,
            tcp: None,
            retransmits: None,
            udp: None,
        };
        Interval {
            streams: vec![one; streams],
        }
    }

    /// How many of ten rows of four streams the report has in the end.
    fn kept(observer: &mut dyn Observer, room: usize) -> usize {
        let params = TestParams::default();
        let mut report = facts::blank(Role::Server, &params, String::new(), 0);
        let meter = Meter::new(Vec::new(), &params, Duration::ZERO, Instant::now());
        let mut rows = Rows::new(meter, &mut report, observer, room);
        (0..10).for_each(|_| rows.tell(row(4)));
        report.intervals.len()
    }

    #[test]
    fn a_report_holds_no_more_rows_than_it_has_room_for() {
        assert_eq!(kept(&mut Keeps(true), usize::MAX), 10);
        assert_eq!(kept(&mut Keeps(true), 15), 3);
        assert_eq!(kept(&mut Keeps(false), usize::MAX), 0);
        assert_eq!(kept(&mut Silent, usize::MAX), 10);
    }

    #[test]
    fn cpu_time_of_the_omitted_part_does_not_count() {
        let params = TestParams {
            omit: Duration::from_millis(200),
            limit: Limit::Time(Duration::from_secs(9)),
            ..TestParams::default()
        };
        let mut report = facts::blank(Role::Client, &params, String::new(), 0);
        let begun = Instant::now();
        let meter = Meter::new(Vec::new(), &params, Duration::ZERO, begun);
        let mut silent = Silent;
        let mut rows = Rows::new(meter, &mut report, &mut silent, 0);
        let first = rows.cpu;
        rows.tick(
            begun + Duration::from_millis(100),
            &Controls::new(params.limit),
        );
        assert_eq!(rows.cpu, first);
        rows.tick(
            begun + Duration::from_millis(201),
            &Controls::new(params.limit),
        );
        assert_ne!(rows.cpu, first);
    }
}
