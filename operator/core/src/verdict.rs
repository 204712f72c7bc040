//! Results against thresholds.

use crate::{
    units,
    valid::{Bound, ValidTest, ValidThreshold},
};
use nettest_api::result::{Flow, ThresholdResult, VariantResult, Verdict};

/// How a measured test went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Passed or Failed; Error is for what was not measured.
    pub verdict: Verdict,
    /// One a threshold, in the order of the spec.
    pub thresholds: Vec<ThresholdResult>,
}

/// Every flow must meet every threshold. A figure that is unknown meets none: it cannot be shown to.
pub fn verdict(test: &ValidTest, results: &[VariantResult]) -> Judgement {
    let thresholds: Vec<ThresholdResult> = test
        .thresholds
        .iter()
        .map(|threshold| judge(threshold, results))
        .collect();
    Judgement {
        verdict: if thresholds.iter().all(|threshold| threshold.met) {
            Verdict::Passed
        } else {
            Verdict::Failed
        },
        thresholds,
    }
}

fn judge(threshold: &ValidThreshold, results: &[VariantResult]) -> ThresholdResult {
    let flows: Vec<(bool, String)> = results
        .iter()
        .map(|result| match &threshold.bound {
            Bound::AtLeast(min) => {
                let seen = u64::try_from(result.throughput_bits_per_second.median).unwrap_or(0);
                (
                    seen >= *min,
                    format!(
                        "{} at the receiver, at least {} asked",
                        units::bits_per_second(seen),
                        units::bits_per_second(*min)
                    ),
                )
            }
            Bound::AtMost(max) => match result.loss_ppm {
                Some(seen) => (
                    u64::try_from(seen).is_ok_and(|seen| seen <= *max),
                    format!("{seen} ppm of datagrams lost, at most {max} asked"),
                ),
                None => (false, format!("loss is unknown, at most {max} ppm asked")),
            },
            Bound::Percent { .. } => (false, "is not built yet".to_owned()),
        })
        .collect();
    let message = match (flows.as_slice(), results) {
        ([], _) => "nothing was measured".to_owned(),
        ([(_, text)], _) => text.clone(),
        _ => flows
            .iter()
            .zip(results)
            .map(|((_, text), result)| format!("{}: {text}", flow_words(result.flow)))
            .collect::<Vec<_>>()
            .join("; "),
    };
    ThresholdResult {
        name: threshold.name.clone(),
        met: !flows.is_empty() && flows.iter().all(|(met, _)| *met),
        severity: threshold.severity,
        observed: None,
        wanted: None,
        variant: None,
        pair: None,
        missed_pairs: None,
        message,
    }
}

fn flow_words(flow: Flow) -> &'static str {
    match flow {
        Flow::ClientToServer => "client to server",
        Flow::ServerToClient => "server to client",
    }
}

#[cfg(test)]
mod tests;
