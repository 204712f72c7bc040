//! Text output against the stock tool's: the same kinds of lines with the same columns. Figures differ, their
//! places do not.

use std::collections::BTreeSet;

/// Lines of ours that a stock end has not in the same place: its receiver says nothing of CPUs with -V, it knows the
/// congestion control of its own end only, and has no count of what its own socket dropped. Of fast paths, fairness and
/// queueing disciplines it says nothing at all.
const ADDITIONS: &[&str] = &[
    "CPU Utilization: ",
    "snd_tcp_congestion ",
    "rcv_tcp_congestion ",
    "dropped by the receiver's own socket buffer",
    "Fast paths: ",
    "Fairness (Jain's index): ",
    "snd_qdisc ",
    "rcv_qdisc ",
];

/// What a stock end prints for want of the other's figures; ours has them.
const UNKNOWN: &[&str] = &[
    "(receiver statistics not available)",
    "(sender statistics not available)",
];

/// Lines of the stock tool that ours has not.
const OTHERWISE: &[&str] = &[
    // 3.18 only, with -V and -i 0; its row says (omitted).
    "Finished omit period, starting real test",
    // The newest, with -V; ours says so in start.nettest of its document only.
    "Control connection TCP Keepalive TCP_KEEPIDLE/TCP_KEEPINTVL/TCP_KEEPCNT are set to #/#/#",
];

/// 3.12 puts a sender's header before the rows of a client that only received, when there was no row before the end
/// of the test.
const HEADER_OF_A_SHORT_TEST: &str = "[ ID] Interval Transfer Bitrate Retr Cwnd";

pub fn compare(ours: &[String], reference: &[String]) -> Vec<String> {
    let (ours, reference) = (Lines::of(ours), Lines::of(reference));
    let missing = reference
        .shapes
        .difference(&ours.shapes)
        .filter(|line| !OTHERWISE.contains(&line.as_str()))
        .filter(|line| !(ours.is_short() && *line == HEADER_OF_A_SHORT_TEST))
        .map(|line| format!("no line like {line:?}"));
    let extra = ours
        .shapes
        .difference(&reference.shapes)
        .filter(|_| !reference.cut)
        .filter(|line| !ADDITIONS.iter().any(|addition| line.contains(addition)))
        // A test can be too short for a row, or for the header of one.
        .filter(|line| !(reference.is_short() && (is_row(line) || line.starts_with("[ ID]"))))
        .map(|line| format!("a line {line:?}, the stock one has none like it"));
    missing.chain(extra).collect()
}

#[derive(Debug)]
struct Lines {
    shapes: BTreeSet<String>,
    /// Up to the server's output: after that iperf3 goes on with the other direction of a `--bidir` test.
    cut: bool,
}

impl Lines {
    fn of(lines: &[String]) -> Self {
        let begins = |line: &&String| line.contains("Server ") && line.ends_with("output:");
        let shapes = lines
            .iter()
            .take_while(|line| !begins(line))
            .filter(|line| !UNKNOWN.iter().any(|unknown| line.ends_with(unknown)))
            .map(|line| shape(line))
            .collect();
        Lines {
            shapes,
            cut: lines.iter().any(|line| begins(&line)),
        }
    }

    /// At most the row that is made at the end.
    fn is_short(&self) -> bool {
        !self
            .shapes
            .contains("- - - - - - - - - - - - - - - - - - - - - - - - -")
            || self.shapes.iter().filter(|line| is_row(line)).count() <= 2
    }
}

/// Of an interval, not of the summary.
fn is_row(shape: &str) -> bool {
    shape.starts_with('[')
        && shape.contains(" sec ")
        && !shape.ends_with("sender")
        && !shape.ends_with("receiver")
}

/// Numbers and their scale taken out, blanks made one; what identifies a program or a test too.
fn shape(line: &str) -> String {
    // iperf3 puts a title before some lines (not the blank one of a piece, nor the server's output), ours before all.
    let line = line.replace("night:", "");
    let line = line.trim();
    if line.starts_with("iperf 3") || line.starts_with("nettest ") {
        return "version".into();
    }
    if line.starts_with("Cookie: ") {
        return "cookie".into();
    }
    line.split_whitespace()
        .map(word)
        .collect::<Vec<_>>()
        .join(" ")
        // Sockets have one, two or three digits.
        .replace("[ #", "[#")
}

fn word(word: &str) -> String {
    match word {
        "Byte" | "KByte" | "MByte" | "Bytes" | "KBytes" | "MBytes" | "GBytes" => {
            return "Bytes".into();
        }
        // A 3.18 server says bytes where blocks were asked.
        "blocks" => return "bytes".into(),
        "Bytes/sec" | "KBytes/sec" | "MBytes/sec" => return "Bytes/sec".into(),
        "bits/sec" | "Kbits/sec" | "Mbits/sec" | "Gbits/sec" => return "bits/sec".into(),
        _ => {}
    }
    let mut shape = String::new();
    for letter in word.chars() {
        let letter = if letter.is_ascii_digit() || (letter == '.' && shape.ends_with('#')) {
            '#'
        } else {
            letter
        };
        if letter != '#' || !shape.ends_with('#') {
            shape.push(letter);
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::shape;

    #[test]
    fn rows_of_other_sizes_have_one_shape() {
        let one = "[  5]   0.00-1.00   sec  1.12 GBytes  9.65 Gbits/sec    0   2.62 MBytes";
        let two = "[ 12]  10.00-11.00  sec   640 KBytes  5.24 Mbits/sec   12    320 KBytes";
        assert_eq!(shape(one), "[#] #-# sec # Bytes # bits/sec # # Bytes");
        assert_eq!(shape(one), shape(two));
    }
}
