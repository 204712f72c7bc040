//! The five fields of a cron, read strictly: what cron implementations disagree about is refused.

use croner::{Weekday, parser::CronParser};
use jiff::civil::{self, Date};
use std::{fmt, time::Duration};
use thiserror::Error;

/// Why a text is not a cron. The text follows `schedule.cron`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CronError {
    #[error(
        "{0:?} is no cron that is known: write @hourly, @daily, @midnight, @weekly, @monthly, @yearly or five fields"
    )]
    Alias(String),
    #[error("names a time zone: write it in schedule.timeZone, and five fields here")]
    Zone,
    #[error(
        "has {0} fields: write five (minute, hour, day of the month, month, day of the week); seconds and years cannot be given"
    )]
    Count(usize),
    #[error("has {text:?} as its {field}: write {allowed}")]
    Field {
        field: &'static str,
        text: String,
        allowed: &'static str,
    },
    #[error("never fires: no {days} exists; write a day that its months have")]
    Never { days: String },
}

/// A field, the letters and signs that it may have, and what to write, for people.
struct Field {
    name: &'static str,
    signs: &'static str,
    allowed: &'static str,
}

const SIGNS: &str = "0123456789*,-/";
const FIELDS: [Field; 5] = [
    Field {
        name: "minute",
        signs: "",
        allowed: "*, 0 to 59, a list 0,30, a range 0-10 or a step */15",
    },
    Field {
        name: "hour",
        signs: "",
        allowed: "*, 0 to 23, a list 0,12, a range 8-18 or a step */6",
    },
    Field {
        name: "day of the month",
        signs: "?LW",
        allowed: "*, 1 to 31, a list, a range, a step, or L for the last day",
    },
    Field {
        name: "month",
        signs: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        allowed: "*, 1 to 12, JAN to DEC, a list, a range or a step",
    },
    Field {
        name: "day of the week",
        signs: "?#ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        allowed: "*, 0 to 7 (0 and 7 are Sunday), SUN to SAT, a list, a range or a step",
    },
];

/// As CronJob knows them (robfig/cron, descriptors), without @every.
const ALIASES: [(&str, &str); 7] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

/// A cron that fires.
#[derive(Clone, PartialEq, Eq)]
pub struct Cron(croner::Cron);

impl fmt::Debug for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cron({})", self.0.pattern)
    }
}

impl Cron {
    pub fn parse(text: &str) -> Result<Cron, CronError> {
        let text = text.trim();
        let fields = if text.starts_with('@') {
            let alias = ALIASES
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(text));
            alias.ok_or_else(|| CronError::Alias(text.to_owned()))?.1
        } else {
            text
        };
        if fields.contains('=') {
            return Err(CronError::Zone);
        }
        let parts: Vec<&str> = fields.split_whitespace().collect();
        if parts.len() != FIELDS.len() {
            return Err(CronError::Count(parts.len()));
        }
        for (index, (part, field)) in parts.iter().zip(&FIELDS).enumerate() {
            let fits = part.chars().all(|sign| {
                let sign = sign.to_ascii_uppercase();
                SIGNS.contains(sign) || field.signs.contains(sign)
            });
            // Each field alone, so that the error names it.
            let mut alone = ["*"; 5];
            alone[index] = part;
            if !fits || read(&alone).is_none() {
                return Err(CronError::Field {
                    field: field.name,
                    text: (*part).to_owned(),
                    allowed: field.allowed,
                });
            }
        }
        let cron = read(&parts)
            .map(Cron)
            .ok_or(CronError::Count(parts.len()))?;
        if cron.days().next().is_none() {
            return Err(CronError::Never {
                days: format!("day {} of month {}", parts[2], parts[3]),
            });
        }
        Ok(cron)
    }

    /// The first time from a moment of the wall clock on, the moment included or not.
    pub(super) fn from(&self, start: civil::DateTime, included: bool) -> Option<civil::DateTime> {
        self.0.find_next_occurrence(&start, included).ok()
    }

    /// Whether every hour has a time: then the hours are counted, not named.
    pub(super) fn is_hourly(&self) -> bool {
        (0..24).all(|hour| self.0.pattern.hour_match(hour).unwrap_or_default())
    }

    /// The least that lies between two times, clock changes aside.
    pub(super) fn shortest_gap(&self) -> Duration {
        const DAY: u64 = 24 * 60;
        let pattern = &self.0.pattern;
        let minutes: Vec<u64> = (0..DAY)
            .filter(|minute| {
                pattern.hour_match((minute / 60) as u32).unwrap_or_default()
                    && pattern
                        .minute_match((minute % 60) as u32)
                        .unwrap_or_default()
            })
            .collect();
        let within = minutes.windows(2).map(|pair| pair[1] - pair[0]).min();
        let (first, last) = (
            minutes.first().copied().unwrap_or_default(),
            minutes.last().copied().unwrap_or_default(),
        );
        let mut shortest = within.unwrap_or(u64::MAX);
        // From the last time of a day to the first of the next day that has any.
        let mut before: Option<Date> = None;
        for day in self.days() {
            if let Some(before) = before {
                let days =
                    u64::try_from(before.until(day).map_or(1, |span| span.get_days())).unwrap_or(1);
                shortest = shortest.min((days * DAY + first).saturating_sub(last));
                if days == 1 {
                    break;
                }
            }
            before = Some(day);
        }
        Duration::from_secs(shortest.saturating_mul(60))
    }

    /// The days of 28 years, which have every kind of year: leap or not, begun on each day of the week.
    fn days(&self) -> impl Iterator<Item = Date> {
        let start = civil::date(2000, 1, 1);
        (0..28 * 366).filter_map(move |offset| {
            let day = start.checked_add(jiff::Span::new().days(offset)).ok()?;
            let pattern = &self.0.pattern;
            let (year, month, number) = (
                i32::from(day.year()),
                day.month().unsigned_abs().into(),
                day.day().unsigned_abs().into(),
            );
            let weekday = day.weekday().to_sunday_zero_offset().unsigned_abs();
            let weekday = Weekday::from_days_from_sunday(weekday.into());
            let fires = pattern.month_match(month).unwrap_or_default()
                && pattern
                    .day_match(year, month, number, weekday)
                    .unwrap_or_default();
            fires.then_some(day)
        })
    }
}

fn read(parts: &[&str]) -> Option<croner::Cron> {
    CronParser::builder()
        .seconds(croner::parser::Seconds::Disallowed)
        .year(croner::parser::Year::Disallowed)
        .build()
        .parse(&parts.join(" "))
        .ok()
}
