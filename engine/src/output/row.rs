//! The layout of iperf3's rows (its `iperf_locale.c`): columns, headers, separators.

use nettest_report::params::Direction;
use nettest_report::report::{Interval, Report, Role};
use nettest_report::units::{Format, bitrate, transfer};

pub const SEPARATOR: &str = "- - - - - - - - - - - - - - - - - - - - - - - - -\n";

/// What stands in the first column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Stream(i32),
    Sum,
}

/// The fixed part of a row.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub who: Who,
    /// `[TX-C]` and the like; only in a bidirectional test.
    pub role: Option<&'static str>,
    pub start: f64,
    pub end: f64,
}

/// The columns after the bitrate.
#[derive(Debug, Clone, Copy)]
pub enum Columns {
    None,
    Retransmits(u64),
    RetransmitsAndWindow {
        retransmits: u64,
        window: u64,
    },
    Sent {
        datagrams: u64,
        aligned: bool,
    },
    Received {
        jitter_seconds: f64,
        lost: u64,
        datagrams: u64,
    },
}

impl Row {
    fn times(&self) -> String {
        let who = match self.who {
            Who::Stream(id) => format!("{id:3}"),
            Who::Sum => "SUM".to_owned(),
        };
        format!(
            "[{who}]{} {:6.2}-{:<6.2} sec",
            self.role.unwrap_or(""),
            self.start,
            self.end
        )
    }

    /// A whole row with its newline; `note` is the trailing word.
    pub fn line(
        &self,
        bytes: u64,
        rate: f64,
        format: Format,
        columns: Columns,
        note: &str,
    ) -> String {
        let extra = match columns {
            Columns::None => " ".repeat(14),
            Columns::Retransmits(count) => format!("{count:3}           "),
            Columns::RetransmitsAndWindow {
                retransmits,
                window,
            } => format!("{retransmits:3}   {}     ", transfer(window)),
            Columns::Sent { datagrams, aligned } => {
                format!(
                    "{}{datagrams}",
                    if aligned {
                        " ".repeat(10)
                    } else {
                        String::new()
                    }
                )
            }
            Columns::Received {
                jitter_seconds,
                lost,
                datagrams,
            } => format!(
                "{:5.3} ms  {lost}/{datagrams} ({}%)",
                jitter_seconds * 1e3,
                percent(lost, datagrams)
            ),
        };
        format!(
            "{}  {}  {}  {extra}  {note}\n",
            self.times(),
            transfer(bytes),
            bitrate(rate, format)
        )
    }

    /// A row that says something in words.
    pub fn words(&self, words: &str) -> String {
        format!("{}  {words}\n", self.times())
    }

    /// The row for figures that the other end never gave.
    pub fn unavailable(&self, whose: &str) -> String {
        let who = match self.who {
            Who::Stream(id) => format!("{id:3}"),
            Who::Sum => "SUM".to_owned(),
        };
        format!(
            "[{who}]{} ({whose} statistics not available)\n",
            self.role.unwrap_or("")
        )
    }
}

/// The header above rows that end in these columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Header {
    Plain,
    Retransmits,
    RetransmitsAndWindow,
    Sent,
    Received,
}

impl Header {
    /// Above the interval rows of a test, which all have the columns of the first.
    pub fn of_rows(report: &Report, first: &Interval) -> Header {
        let streams = first.streams.iter();
        let counts = streams.clone().any(|s| s.retransmits.is_some());
        let receives = streams.clone().any(|s| !s.sender);
        match (report.is_udp(), receives, counts) {
            (true, true, _) => Header::Received,
            (true, false, _) => Header::Sent,
            (false, _, true) => Header::RetransmitsAndWindow,
            (false, _, false) => Header::Plain,
        }
    }

    pub fn line(self, bidirectional: bool) -> String {
        let tail = match self {
            Header::Plain => "",
            Header::Retransmits => "         Retr",
            Header::RetransmitsAndWindow => "         Retr  Cwnd",
            Header::Sent => "         Total Datagrams",
            Header::Received => "         Jitter    Lost/Total Datagrams",
        };
        let role = if bidirectional { "[Role]" } else { "" };
        format!("[ ID]{role} Interval           Transfer     Bitrate{tail}\n")
    }
}

/// `[TX-C]` for a client that sends, and so on; only where both directions are shown.
pub fn role_mark(report: &Report, sender: bool) -> Option<&'static str> {
    (report.params.direction == Direction::Bidirectional).then_some(match (sender, report.role) {
        (true, Role::Client) => "[TX-C]",
        (false, Role::Client) => "[RX-C]",
        (true, Role::Server) => "[TX-S]",
        (false, Role::Server) => "[RX-S]",
    })
}

/// Two significant digits, without an exponent.
fn percent(lost: u64, datagrams: u64) -> String {
    let value = nettest_report::sums::lost_percent(lost, datagrams);
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = (1.0 - value.log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_has_two_significant_digits() {
        for (lost, of, shown) in [
            (0, 76, "0"),
            (0, 0, "0"),
            (1, 76, "1.3"),
            (1, 100, "1"),
            (1, 3, "33"),
            (76, 76, "100"),
            (1, 1000, "0.1"),
            (123, 100_000, "0.12"),
            (1, 10_000_000, "0.00001"),
        ] {
            assert_eq!(percent(lost, of), shown, "{lost}/{of}");
        }
    }
}
