//! What a reader has to keep in mind.

use crate::show::figures::flow;
use crate::subject::Subject;
use nettest_api::{NetTestRunStatus, result::VariantResult};

/// Percent of the median from which on a spread is worth a word.
const WIDE: i64 = 20;

pub fn warnings(subject: &Subject, status: &NetTestRunStatus) -> Vec<String> {
    let mut warnings = vec![];
    if status.documents.as_ref().is_some_and(|kept| kept.truncated) {
        warnings.push(
            "Not all documents could be kept; the figures are whole all the same.".to_owned(),
        );
    }
    if subject.measurements.iter().any(|of| of.measurement.thinned) {
        warnings.push("Some rows of single streams or intervals were left out of the documents to keep them small.".to_owned());
    }
    if subject.measurements.is_empty() && !status.results.is_empty() {
        warnings.push(
            "No documents are at hand, so there is no throughput over time and no environment."
                .to_owned(),
        );
    }
    let wide = |result: &&VariantResult| result.throughput_bits_per_second.spread_percent > WIDE;
    let wide: Vec<String> = status
        .results
        .iter()
        .filter(wide)
        .map(|result| {
            let spread = result.throughput_bits_per_second.spread_percent;
            format!("{}, {} ({spread} %)", result.variant, flow(result.flow))
        })
        .collect();
    if !wide.is_empty() && status.progress.is_none() {
        warnings.push(format!(
            "The repeats differ by more than {WIDE} %, and more or longer ones would tell more: {}.",
            wide.join("; ")
        ));
    }
    warnings
}
