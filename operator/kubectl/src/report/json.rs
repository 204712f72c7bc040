//! For programs: the run, every pair, every document.

use super::ReportError;
use crate::subject::{PairMeasurement, Subject};
use nettest_api::NetTestRun;
use nettest_core::ledger::PairRecord;
use nettest_report::event::Measurement;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    name: &'a str,
    run: &'a NetTestRun,
    /// By number; empty for a run with one pair.
    pairs: &'a BTreeMap<u32, PairRecord>,
    documents: Vec<Document<'a>>,
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<u32>,
    #[serde(flatten)]
    measurement: &'a Measurement,
}

pub fn json(subject: &Subject) -> Result<String, ReportError> {
    let Subject {
        name,
        namespace: _,
        run,
        pairs,
        measurements,
    } = subject;
    let documents = measurements
        .iter()
        .map(|PairMeasurement { pair, measurement }| Document {
            pair: *pair,
            measurement,
        });
    let report = Report {
        name,
        run,
        pairs,
        documents: documents.collect(),
    };
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}
