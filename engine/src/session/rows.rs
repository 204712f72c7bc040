//! Rows as they fall due, into the report and to the observer.

use super::Observer;
use super::meter::Meter;
use super::streams::Controls;
use nettest_report::report::{Interval, Report};
use std::time::Instant;

pub struct Rows<'a> {
    pub meter: Meter,
    pub report: &'a mut Report,
    pub observer: &'a mut dyn Observer,
}

impl Rows<'_> {
    /// What is due at `now`: the end of the omitted part, or a row. Rows that were missed are one row with its
    /// true bounds (field report 036).
    pub fn tick(&mut self, now: Instant, controls: &Controls) {
        if self.meter.omit_due(now) {
            let row = self.meter.end_omit(now, controls.has_budget());
            controls.set_budget();
            if let Some(row) = row {
                self.tell(row);
            }
        } else if self.meter.row_due(now) {
            let row = self.meter.row(now);
            self.tell(row);
        }
    }

    /// The row up to the end of the data; the threads have ended.
    pub fn last(&mut self, stopped: Instant) {
        if let Some(row) = self.meter.last_row(stopped) {
            self.tell(row);
        }
    }

    fn tell(&mut self, row: Interval) {
        self.report.intervals.push(row.clone());
        self.observer.interval(self.report, &row);
    }
}
