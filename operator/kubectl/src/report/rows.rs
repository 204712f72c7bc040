//! The results of a run, a row a pair, variant and flow: what every report has.

use crate::subject::Subject;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use nettest_api::{
    condition,
    result::{PairState, VariantResult, Verdict},
};
use nettest_core::conditions::find;

/// One result of one pair.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    pub client: String,
    pub server: String,
    pub second_pass: bool,
    /// `None`: it could not be measured.
    pub result: Option<&'a VariantResult>,
    /// Why not.
    pub reason: String,
}

/// Of several pairs, in the order of their numbers.
pub fn rows(subject: &Subject) -> Vec<Row<'_>> {
    let status = subject.run.status.as_ref();
    if subject.pairs.is_empty() {
        let pair = status.and_then(|status| status.pair.as_ref());
        let results = status.map_or(&[][..], |status| status.results.as_slice());
        let row = |result| Row {
            client: pair
                .map(|pair| pair.client.node.clone())
                .unwrap_or_default(),
            server: pair
                .map(|pair| pair.server.node.clone())
                .unwrap_or_default(),
            second_pass: false,
            result: Some(result),
            reason: String::new(),
        };
        return results.iter().map(row).collect();
    }
    let mut rows = Vec::new();
    for record in subject.pairs.values() {
        let row = |result| Row {
            client: record.client.clone(),
            server: record.server.clone(),
            second_pass: record.second_pass,
            result,
            reason: record
                .reason
                .map_or_else(String::new, |reason| reason.to_string()),
        };
        match record.state {
            PairState::Measured => {
                rows.extend(record.results.iter().map(|result| row(Some(result))))
            }
            _ => rows.push(row(None)),
        }
    }
    rows
}

/// What was not measured, then from the lowest rate to the highest.
pub fn worst_first(subject: &Subject) -> Vec<Row<'_>> {
    let mut rows = rows(subject);
    rows.sort_by_key(|row| {
        row.result
            .map_or(-1, |result| result.throughput_bits_per_second.median)
    });
    rows
}

/// Reason and message of the end.
pub fn conclusion(subject: &Subject) -> (String, String) {
    let status = subject.run.status.as_ref();
    let succeeded = status.and_then(|status| find(&status.conditions, condition::SUCCEEDED));
    succeeded.map_or_else(Default::default, |condition| {
        (condition.reason.clone(), condition.message.clone())
    })
}

pub fn verdict(subject: &Subject) -> &'static str {
    match subject
        .run
        .status
        .as_ref()
        .and_then(|status| status.verdict)
    {
        Some(Verdict::Passed) => "PASSED",
        Some(Verdict::Failed) => "FAILED",
        Some(Verdict::Error) => "ERROR",
        None => "NOT ENDED",
    }
}

/// To the second, as the API has it.
pub fn ended(time: &Option<Time>) -> Option<String> {
    let time = time.as_ref()?.0;
    let second = jiff::Timestamp::from_second(time.as_second()).ok()?;
    Some(second.to_string())
}
