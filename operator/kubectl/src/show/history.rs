//! The runs of a test, latest first.

use super::grid::{Column, Extent, Grid, grid};
use jiff::{SignedDuration, Timestamp};
use nettest_api::result::Verdict;
use serde::Serialize;

/// A line of it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Past {
    pub run: String,
    /// Only the test's own status remembers it.
    pub deleted: bool,
    pub finished: Option<Timestamp>,
    /// How long ago.
    #[serde(skip)]
    pub ago: Option<SignedDuration>,
    pub verdict: Option<Verdict>,
    pub reason: String,
    pub throughput: Option<String>,
}

const COLUMNS: [Column<Past>; 6] = [
    column("RUN", 0, |past| {
        let deleted = if past.deleted { " (deleted)" } else { "" };
        Some(format!("{}{deleted}", past.run))
    }),
    column("VERDICT", 0, |past| Some(verdict(past.verdict).to_owned())),
    column("REASON", 0, |past| Some(past.reason.clone())),
    column("THROUGHPUT", 2, |past| past.throughput.clone()),
    column("FINISHED", 3, |past| {
        past.finished.map(|time| time.to_string())
    }),
    column("AGO", 1, |past| past.ago.map(ago)),
];

const fn column(name: &'static str, spare: u8, cell: fn(&Past) -> Option<String>) -> Column<Past> {
    Column {
        name,
        right: false,
        wide: false,
        spare,
        cell,
    }
}

/// A run that was deleted may be newer than one that is there. Those that go on come first, in their order.
pub fn latest_first(past: &mut [Past]) {
    past.sort_by_key(|past| {
        let unknown = if past.deleted {
            Timestamp::MIN
        } else {
            Timestamp::MAX
        };
        std::cmp::Reverse(past.finished.unwrap_or(unknown))
    });
}

pub fn table(past: &[Past], extent: Extent) -> Grid {
    grid(&COLUMNS, past, extent)
}

fn verdict(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Passed) => "Passed",
        Some(Verdict::Failed) => "Failed",
        Some(Verdict::Error) => "Error",
        None => "going",
    }
}

/// As kubectl prints ages: the largest unit, or two where the first is small.
pub fn ago(time: SignedDuration) -> String {
    let seconds = time.as_secs().max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..600 => format!("{minutes}m{}s", seconds % 60),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => format!("{hours}h{}m", minutes % 60),
        28_800..172_800 => format!("{hours}h"),
        _ => format!("{days}d"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_kubectls() {
        for (seconds, text) in [
            (0, "0s"),
            (119, "119s"),
            (125, "2m5s"),
            (3_600, "60m"),
            (11_000, "3h3m"),
            (90_000, "25h"),
            (200_000, "2d"),
        ] {
            assert_eq!(ago(SignedDuration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn a_deleted_run_stands_at_its_time() {
        let past = |run: &str, deleted, finished: Option<&str>| Past {
            run: run.into(),
            deleted,
            finished: finished.map(|time| time.parse().unwrap()),
            ago: None,
            verdict: None,
            reason: "-".into(),
            throughput: None,
        };
        let mut all = [
            past("a-5", false, None),
            past("a-4", false, None),
            past("a-2", false, Some("2026-12-01T10:00:00Z")),
            past("a-1", true, None),
            past("a-3", true, Some("2026-12-01T11:00:00Z")),
        ];
        latest_first(&mut all);
        let names: Vec<&str> = all.iter().map(|past| past.run.as_str()).collect();
        assert_eq!(names, ["a-5", "a-4", "a-3", "a-2", "a-1"]);
    }

    #[test]
    fn a_run_that_goes_on_has_no_end() {
        let past = Past {
            run: "a-2".into(),
            deleted: false,
            finished: None,
            ago: None,
            verdict: None,
            reason: "Running".into(),
            throughput: None,
        };
        let ended = Past {
            run: "a-1".into(),
            deleted: true,
            finished: "2026-12-01T10:00:00Z".parse().ok(),
            ago: Some(SignedDuration::from_mins(61)),
            verdict: Some(Verdict::Failed),
            reason: "ThresholdNotMet".into(),
            throughput: Some("9.41 Gbit/s".into()),
        };
        let extent = Extent {
            wide: false,
            width: None,
        };
        assert_eq!(
            table(&[past, ended], extent).text,
            "RUN            VERDICT  REASON           THROUGHPUT   FINISHED              AGO\n\
             a-2            going    Running          -            -                     -\n\
             a-1 (deleted)  Failed   ThresholdNotMet  9.41 Gbit/s  2026-12-01T10:00:00Z  61m\n"
        );
    }
}
