//! Which documents are kept: pure.

use flate2::{Compression, write::GzEncoder};
use nettest_report::{
    digest::{Digest, DocumentSum},
    event::Event,
};
use sha2::{Digest as _, Sha256};
use std::io::Write;

/// Half of what etcd takes in one object (1.5 MiB by default) would be 768 KiB; base64 adds a third.
pub const BUDGET_BYTES: usize = 512 * 1024;

/// Measurement lines, compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documents {
    /// Gzip of the lines that are kept, each with its newline; `None` when none could be.
    pub gzip: Option<Vec<u8>>,
    /// How many are kept.
    pub lines: usize,
    /// Not all that was measured is here.
    pub truncated: bool,
}

impl Documents {
    /// The log could not be read.
    pub const fn unreadable() -> Documents {
        Documents {
            gzip: None,
            lines: 0,
            truncated: true,
        }
    }
}

/// Take this run's measurement lines out of a log and keep as many as fit the budget.
pub fn keep(log: &str, digest: &Digest, budget: usize) -> Documents {
    let lines: Vec<&str> = log
        .lines()
        .filter(|line| is_measurement_of(line, digest))
        .collect();
    let whole = digest
        .document
        .as_ref()
        .is_some_and(|sum| *sum == checksum(&lines));
    let (gzip, kept) = fit(&lines, budget);
    Documents {
        gzip,
        lines: kept,
        truncated: !whole || kept < lines.len(),
    }
}

/// Other lines are progress, or noise of something that wraps the engine.
fn is_measurement_of(line: &str, digest: &Digest) -> bool {
    matches!(
        Event::parse(line),
        Some(Event::Measurement(measurement))
            if measurement.run == digest.run && measurement.attempt == digest.attempt
    )
}

fn checksum(lines: &[&str]) -> DocumentSum {
    let mut hash = Sha256::new();
    let mut bytes = 0;
    for line in lines {
        hash.update(line.as_bytes());
        hash.update(b"\n");
        bytes += line.len() as u64 + 1;
    }
    DocumentSum {
        sha256: format!("{:x}", hash.finalize()),
        bytes,
    }
}

/// The longest head of the lines whose gzip fits. Mostly that is all of them, on the first try; else it is
/// found by halving.
fn fit(lines: &[&str], budget: usize) -> (Option<Vec<u8>>, usize) {
    let (mut best, mut low, mut high) = (None, 0, lines.len());
    let mut count = high;
    while low < high {
        match compress(&lines[..count]) {
            Some(bytes) if bytes.len() <= budget => {
                best = Some(bytes);
                low = count;
            }
            _ => high = count - 1,
        }
        count = (low + high).div_ceil(2);
    }
    (best, low)
}

/// The same lines give the same bytes: no time, no file name.
fn compress(lines: &[&str]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    for line in lines {
        encoder.write_all(line.as_bytes()).ok()?;
        encoder.write_all(b"\n").ok()?;
    }
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettest_report::{digest::Outcome, event::Measurement};
    use std::io::Read;

    fn measurement(run: &str, attempt: u32, repeat: u32, filler: usize) -> String {
        // Text that gzip cannot shrink to nothing.
        let noise: String = (0..filler)
            .map(|i| {
                format!(
                    "{:x}",
                    Sha256::digest((i as u64 + u64::from(repeat) * 1_000_000).to_le_bytes())
                )
            })
            .collect();
        Event::Measurement(Measurement {
            run: run.into(),
            attempt,
            variant: "tcp".into(),
            repeat,
            thinned: false,
            report: serde_json::json!({"start": {}, "noise": noise}),
        })
        .to_line()
        .unwrap()
    }

    fn digest(lines: &[&str]) -> Digest {
        Digest {
            version: 1,
            run: "uid".into(),
            attempt: 1,
            outcome: Outcome::Complete,
            reason: None,
            message: String::new(),
            document: Some(checksum(lines)),
            figures: Vec::new(),
            client_host: None,
            server_host: None,
        }
    }

    fn unzip(documents: &Documents) -> String {
        let mut text = String::new();
        flate2::read::GzDecoder::new(documents.gzip.as_deref().unwrap())
            .read_to_string(&mut text)
            .unwrap();
        text
    }

    #[test]
    fn noise_and_other_attempts_are_left_out_and_the_rest_is_byte_equal() {
        let (one, two) = (measurement("uid", 1, 1, 1), measurement("uid", 1, 2, 1));
        let log = format!(
            "wrapper: hello\n{one}\n{}\n{{\"event\":\"interval\"}}\n{two}\n{}\n",
            measurement("uid", 2, 1, 1),
            measurement("other", 1, 1, 1),
        );
        let documents = keep(&log, &digest(&[&one, &two]), BUDGET_BYTES);
        assert_eq!((documents.lines, documents.truncated), (2, false));
        assert_eq!(unzip(&documents), format!("{one}\n{two}\n"));
    }

    #[test]
    fn a_line_cut_or_changed_is_noticed() {
        let (one, two) = (measurement("uid", 1, 1, 1), measurement("uid", 1, 2, 1));
        let sum = digest(&[&one, &two]);
        let cut = format!("{one}\n{}", &two[..two.len() / 2]);
        let documents = keep(&cut, &sum, BUDGET_BYTES);
        assert_eq!((documents.lines, documents.truncated), (1, true));
        let forged = format!("{one}\n{}\n", two.replace("tcp", "udp"));
        assert!(keep(&forged, &sum, BUDGET_BYTES).truncated);
    }

    #[test]
    fn past_the_budget_the_first_documents_are_kept() {
        let lines: Vec<String> = (1..=9).map(|n| measurement("uid", 1, n, 100)).collect();
        let refs: Vec<&str> = lines.iter().map(String::as_str).collect();
        let sum = digest(&refs);
        let log = lines.join("\n");
        let five = compress(&refs[..5]).unwrap().len();
        let documents = keep(&log, &sum, five);
        assert_eq!((documents.lines, documents.truncated), (5, true));
        assert_eq!(unzip(&documents).lines().count(), 5);
        let none = keep(&log, &sum, 10);
        assert_eq!(
            none,
            Documents {
                gzip: None,
                lines: 0,
                truncated: true
            }
        );
        let exact = compress(&refs).unwrap().len();
        assert!(!keep(&log, &sum, exact).truncated);
    }

    #[test]
    fn an_empty_log_is_truncated() {
        let documents = keep("", &digest(&[&measurement("uid", 1, 1, 1)]), BUDGET_BYTES);
        assert_eq!((documents.gzip, documents.truncated), (None, true));
    }
}
