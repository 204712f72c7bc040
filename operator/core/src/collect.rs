//! What an engine left behind, read and checked: its digest from the termination message, its measurement
//! lines from the log.

use crate::valid::{Lane, RunUid, ValidTest};
use nettest_api::{Reason, result::Flow};
use nettest_report::{
    digest::{DIGEST_VERSION, Digest, FailureReason, Figures, Outcome, decode},
    event::Event,
};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// Why a text is not the digest of this attempt.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DigestError {
    #[error("the engine left no digest")]
    Missing,
    #[error("the engine's last words are not a digest: {0}")]
    Unreadable(String),
    #[error(
        "the digest has version {0}, this operator reads version {DIGEST_VERSION}: use one image for both"
    )]
    Version(u32),
    #[error("the digest belongs to run {run} attempt {attempt}, not to this one")]
    Foreign { run: String, attempt: u32 },
}

/// Why a complete digest is not a result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IncompleteError {
    #[error("the digest has no figures of {variant}, {flow:?}")]
    Flow { variant: String, flow: Flow },
    #[error("the digest has {seen} repeats of {variant}, {flow:?}, and not {asked}")]
    Repeats {
        variant: String,
        flow: Flow,
        seen: usize,
        /// `3`, or `3 to 9`.
        asked: String,
    },
    #[error("the digest's figures of {variant}, {flow:?}, differ in length")]
    Uneven { variant: String, flow: Flow },
    #[error("the digest has {seen} figures for {asked} variants and flows")]
    Others { seen: usize, asked: usize },
}

/// Parse a termination message, and refuse what belongs to another run or attempt.
pub fn digest(text: &str, run: &RunUid, attempt: u32) -> Result<Digest, DigestError> {
    if text.trim().is_empty() {
        return Err(DigestError::Missing);
    }
    let digest = decode(text).map_err(|error| DigestError::Unreadable(error.to_string()))?;
    if digest.version != DIGEST_VERSION {
        return Err(DigestError::Version(digest.version));
    }
    if digest.run != run.as_str() || digest.attempt != attempt {
        return Err(DigestError::Foreign {
            run: digest.run,
            attempt: digest.attempt,
        });
    }
    Ok(digest)
}

/// Whether a digest that says Complete has every repeat of every variant and flow of its lane: an incomplete run is never a result.
pub fn complete(test: &ValidTest, lane: Lane, digest: &Digest) -> Result<(), IncompleteError> {
    let wanted: Vec<_> = test
        .variants_of(lane)
        .flat_map(|variant| variant.flows().iter().map(move |flow| (variant, *flow)))
        .collect();
    for (variant, flow) in &wanted {
        let (name, flow) = (|| variant.key.clone(), *flow);
        let figures = digest
            .figures
            .iter()
            .find(|figures| figures.variant == variant.key && flow_of(figures) == Some(flow))
            .ok_or_else(|| IncompleteError::Flow {
                variant: name(),
                flow,
            })?;
        let seen = figures.received_bits_per_second.len();
        let (least, most) = (test.repeats.count, test.repeats.most());
        if !(least as usize..=most as usize).contains(&seen) {
            return Err(IncompleteError::Repeats {
                variant: name(),
                flow,
                seen,
                asked: match least == most {
                    true => least.to_string(),
                    false => format!("{least} to {most}"),
                },
            });
        }
        let must = [
            &figures.sent_bits_per_second,
            &figures.sent_bytes,
            &figures.received_bytes,
        ];
        let may = [
            &figures.retransmits,
            &figures.rtt_microseconds,
            &figures.rtt_p50_microseconds,
            &figures.rtt_p90_microseconds,
            &figures.rtt_p99_microseconds,
            &figures.fairness_ppm,
            &figures.datagrams,
            &figures.lost_datagrams,
            &figures.out_of_order,
            &figures.jitter_microseconds,
            &figures.client_cpu_milli,
            &figures.server_cpu_milli,
        ];
        let even = must.iter().all(|all| all.len() == seen)
            && may.iter().all(|all| all.is_empty() || all.len() == seen);
        if !even {
            return Err(IncompleteError::Uneven {
                variant: name(),
                flow,
            });
        }
    }
    // One twice, or one of another lane.
    if digest.figures.len() != wanted.len() {
        return Err(IncompleteError::Others {
            seen: digest.figures.len(),
            asked: wanted.len(),
        });
    }
    Ok(())
}

/// The flow of figures, `None` when its name is not one.
pub fn flow_of(figures: &Figures) -> Option<Flow> {
    match figures.flow.as_str() {
        "ClientToServer" => Some(Flow::ClientToServer),
        "ServerToClient" => Some(Flow::ServerToClient),
        _ => None,
    }
}

/// The measurement lines of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documents {
    /// Each line with its newline, in order, of this run and attempt only.
    pub lines: String,
    /// The lines are all that the digest counts, to the byte.
    pub whole: bool,
}

/// Pick the measurement lines out of a client's log. Noise from elsewhere is left out; the digest's checksum
/// tells whether all is there.
pub fn documents(log: &str, digest: &Digest) -> Documents {
    let mut lines = String::new();
    for line in log.lines() {
        let ours = matches!(
            Event::parse(line),
            Some(Event::Measurement(found)) if found.run == digest.run && found.attempt == digest.attempt
        );
        if ours {
            lines.push_str(line);
            lines.push('\n');
        }
    }
    let whole = digest.document.as_ref().is_some_and(|sum| {
        sum.bytes == lines.len() as u64 && sum.sha256.eq_ignore_ascii_case(&sha256(&lines))
    });
    Documents { lines, whole }
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Why a digest that is no result has none: the engine's reason as ours.
pub fn failure(digest: &Digest) -> Reason {
    match digest.reason {
        Some(FailureReason::PeerUnreachable) => Reason::PeerUnreachable,
        Some(FailureReason::NameNotResolved) => Reason::NameNotResolved,
        Some(FailureReason::ServerBusy) => Reason::ServerBusy,
        Some(FailureReason::ProtocolUnsupported) => Reason::ProtocolUnsupported,
        Some(FailureReason::ExclusiveCPUNotGranted) => Reason::ExclusiveCPUNotGranted,
        Some(FailureReason::Interrupted) => Reason::Interrupted,
        Some(FailureReason::InvalidSpec) => Reason::InvalidSpec,
        Some(FailureReason::EngineCrashed) | None => Reason::EngineCrashed,
    }
}

/// A digest that is a result in itself, not a failure.
pub fn is_complete(digest: &Digest) -> bool {
    digest.outcome == Outcome::Complete
}

#[cfg(test)]
mod tests;
