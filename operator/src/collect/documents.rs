//! How many of the documents are kept: pure. Which lines are documents, nettest-core says.

use flate2::{Compression, write::GzEncoder};
use nettest_core::collect;
use std::io::Write;

/// Measurement lines, compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Gzip of the lines that are kept, each with its newline; `None` when none could be.
    pub gzip: Option<Vec<u8>>,
    /// Not all that was measured is here.
    pub truncated: bool,
}

impl Kept {
    /// The log could not be read.
    pub const NOTHING: Kept = Kept {
        gzip: None,
        truncated: true,
    };
}

/// Keep as many documents, from the first, as fit the budget.
pub fn keep(documents: &collect::Documents, budget: usize) -> Kept {
    let lines: Vec<&str> = documents.lines.split_inclusive('\n').collect();
    let (gzip, count) = fit(&lines, budget);
    Kept {
        gzip,
        truncated: !documents.whole || count < lines.len(),
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
    }
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nettest_core::documents::CONFIG_MAP_BYTES;
    use std::io::Read;

    /// Lines that gzip cannot shrink to nothing.
    fn documents(count: u64, whole: bool) -> collect::Documents {
        let mut state = 1_u64;
        let mut next = || {
            // Knuth's linear congruential constants; any noise will do.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state
        };
        let line = |_| {
            format!(
                "{}\n",
                (0..100)
                    .map(|_| format!("{:x}", next()))
                    .collect::<String>()
            )
        };
        collect::Documents {
            lines: (0..count).map(line).collect(),
            whole,
        }
    }

    fn unzip(kept: &Kept) -> String {
        let mut text = String::new();
        flate2::read::GzDecoder::new(kept.gzip.as_deref().unwrap())
            .read_to_string(&mut text)
            .unwrap();
        text
    }

    #[test]
    fn what_fits_is_kept_byte_equal() {
        let all = documents(9, true);
        let kept = keep(&all, CONFIG_MAP_BYTES);
        assert!(!kept.truncated);
        assert_eq!(unzip(&kept), all.lines);
        let exact = kept.gzip.unwrap().len();
        assert!(!keep(&all, exact).truncated);
        assert!(keep(&documents(9, false), CONFIG_MAP_BYTES).truncated);
    }

    #[test]
    fn past_the_budget_the_first_documents_are_kept() {
        let all = documents(9, true);
        let five: Vec<&str> = all.lines.split_inclusive('\n').take(5).collect();
        let kept = keep(&all, compress(&five).unwrap().len());
        assert!(kept.truncated);
        assert_eq!(unzip(&kept), five.concat());
        assert_eq!(keep(&all, 10), Kept::NOTHING);
    }

    #[test]
    fn without_lines_nothing_is_kept() {
        assert_eq!(keep(&documents(0, false), CONFIG_MAP_BYTES), Kept::NOTHING);
    }
}
