//! The fuzz targets of engine/fuzz with drawn inputs: recorded sessions and valid blocks, bent in a few places, and
//! plain noise. The draws are the same each time; `FUZZ_SECONDS` makes them go on for so long (`make fuzz`).

#![allow(
    clippy::panic,
    reason = "clippy takes the helpers of a test for production code"
)]

#[path = "../../fuzz/src/lib.rs"]
mod targets;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use std::time::{Duration, Instant};

/// One change of an input.
#[derive(Debug, Clone)]
enum Edit {
    Set(usize, u8),
    Insert(usize, Vec<u8>),
    Cut(usize, usize),
    Double(usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = || 0usize..4096;
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Set(at, byte)),
        (at(), vec(any::<u8>(), 1..12)).prop_map(|(at, bytes)| Edit::Insert(at, bytes)),
        (at(), 1usize..40).prop_map(|(at, count)| Edit::Cut(at, count)),
        (at(), 1usize..40).prop_map(|(at, count)| Edit::Double(at, count)),
        (at(), prop::sample::select(HARD.to_vec()))
            .prop_map(|(at, text)| Edit::Insert(at, text.as_bytes().to_vec())),
    ]
}

/// What parsers have stumbled over.
const HARD: [&str; 18] = [
    "-1",
    "0",
    "1e308",
    "1e-308",
    "9223372036854775808",
    "18446744073709551615",
    "2147483648",
    "NaN",
    "null",
    "[]",
    "{}",
    "\"\"",
    "\\u0000",
    "\u{fe0f}",
    "[[[[[[[[",
    "{\"a\":",
    "K",
    ".5T",
];

fn edited(seed: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for edit in edits {
        let length = bytes.len().max(1);
        let range = |at: usize, count: usize| {
            let from = at % length;
            from..(from + count).min(length)
        };
        match edit {
            Edit::Set(at, byte) => {
                if let Some(there) = bytes.get_mut(at % length) {
                    *there = *byte;
                }
            }
            Edit::Insert(at, more) => {
                let at = (at % length).min(bytes.len());
                bytes.splice(at..at, more.iter().copied());
            }
            Edit::Cut(at, count) if !bytes.is_empty() => drop(bytes.drain(range(*at, *count))),
            Edit::Double(at, count) if !bytes.is_empty() => {
                let twice = bytes[range(*at, *count)].to_vec();
                let at = at % length;
                bytes.splice(at..at, twice);
            }
            Edit::Cut(..) | Edit::Double(..) => {}
        }
    }
    bytes
}

/// A step of a script that feeds these bytes.
fn fed(bytes: &[u8]) -> Vec<u8> {
    let pieces = bytes.chunks(199);
    pieces
        .flat_map(|piece| [&[piece.len() as u8], piece].concat())
        .collect()
}

fn framed(json: &str) -> Vec<u8> {
    let length = json.len() as u32;
    [&length.to_be_bytes(), json.as_bytes()].concat()
}

const PARAMS: &str = r#"{"udp":true,"omit":1,"time":3,"num":0,"blockcount":0,"parallel":2,"reverse":true,"len":1000,"bandwidth":5000000,"pacing_timer":1000,"burst":10,"MSS":1400,"window":65536,"TOS":184,"flowlabel":1,"title":"a","congestion":"cubic","get_server_output":1,"udp_counters_64bit":1,"client_version":"3.12"}"#;
const RESULTS: &str = r#"{"cpu_util_total":1.5,"cpu_util_user":1,"cpu_util_system":0.5,"sender_has_retransmits":18446744073709551615,"congestion_used":"cubic","streams":[{"id":1,"bytes":65536,"retransmits":-1,"jitter":0.001,"errors":-1,"omitted_errors":0,"packets":65,"omitted_packets":1,"start_time":0,"end_time":1.5},{"id":3,"bytes":0,"retransmits":0,"jitter":0,"errors":0,"packets":0,"start_time":0,"end_time":1}]}"#;

/// Recorded or written after the facts: each reaches far into its target.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let (params, results) = (framed(PARAMS), framed(RESULTS));
    let lines = |lines: &[&str]| lines.iter().map(|line| line.as_bytes().to_vec()).collect();
    match target {
        "parameters" => lines(&[
            PARAMS,
            r#"{"tcp":true,"time":0}"#,
            r#"{"tcp":true,"num":5242880}"#,
        ]),
        "results" => lines(&[RESULTS]),
        "server_session" => vec![
            [
                fed(&params),
                vec![230, 230, 235, 201],
                fed(&[4]),
                fed(&results),
                fed(&[16]),
            ]
            .concat(),
            [
                fed(&framed(r#"{"tcp":true}"#)),
                vec![230, 235, 210, 245],
                fed(&[12]),
            ]
            .concat(),
        ],
        "client_session" => vec![
            [
                fed(&[9, 10, 1, 2]),
                vec![201, 230],
                fed(&[13]),
                fed(&results),
                fed(&[14]),
            ]
            .concat(),
            [fed(&[9]), fed(&[0xfe, 0, 0, 0, 6, 0, 0, 0, 0])].concat(),
            [fed(&[9, 10]), fed(&[0xff])].concat(),
        ],
        "datagrams" => vec![
            [
                &[4][..],
                b"9876",
                &[4],
                b"6789",
                &[4],
                &[0x15, 0xcd, 0x5b, 7],
            ]
            .concat(),
            (1..=9u8)
                .flat_map(|number| [&[16][..], &[0; 11], &[number], &[0; 4]].concat())
                .collect(),
        ],
        "command_line" => lines(&[
            "-c 127.0.0.1 -p 5201 -t 10 -P 4 -R -b 10M/5 -w 1M -l 128K -O 2 -J --get-server-output",
            "-s -1 -p 5201 -B ::1%lo --idle-timeout 5 --server-bitrate-limit 1G/5 --max-tests 4 -A 0,1",
            "-c fe80::1%eth0 -u -b 0 -n 5G --dscp af11 -S 0x10 -L 1 -Z -C cubic -M 1400 --timestamps=%F",
        ]),
        _ => lines(&[
            "10M",
            "1.5G/3",
            "0x1f",
            "af41",
            "0,1",
            "10/2/3",
            "fe80::1%eth0",
            "1e3",
            "٣",
        ]),
    }
}

/// Of a round.
const CASES: u32 = 200;

fn fuzz(target: &str) {
    let found = targets::TARGETS.iter().find(|(name, _)| *name == target);
    let (_, run) = found.expect("a target");
    let asked = std::env::var("FUZZ_SECONDS")
        .ok()
        .and_then(|s| s.parse().ok());
    let time = Duration::from_secs(asked.unwrap_or(2));
    // The values' first byte chooses the flag.
    let chooser = target == "values";
    let input = (
        prop::sample::select(seeds(target)),
        vec(edit(), 0..8),
        vec(any::<u8>(), 0..64),
        0u8..8,
        any::<u8>(),
    )
        .prop_map(move |(seed, edits, noise, kind, first)| {
            let bytes = match kind {
                0 => noise,
                1 => [edited(&seed, &edits), noise].concat(),
                _ => edited(&seed, &edits),
            };
            if chooser {
                [vec![first], bytes].concat()
            } else {
                bytes
            }
        });
    let (begun, mut rounds) = (Instant::now(), 0u64);
    // The first round is always run, whatever the machine does besides.
    while rounds < 1 || begun.elapsed() < time {
        let mut entropy = [0; 32];
        entropy[..8].copy_from_slice(&rounds.to_le_bytes());
        let config = Config {
            cases: CASES,
            failure_persistence: None,
            max_shrink_iters: 20_000,
            ..Config::default()
        };
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &entropy);
        let outcome = TestRunner::new_with_rng(config, random).run(&input, |bytes| {
            run(&bytes);
            Ok(())
        });
        if let Err(TestError::Fail(why, bytes)) = outcome {
            let readable = String::from_utf8_lossy(&bytes);
            panic!("{target}, round {rounds}: {why}\nbytes: {bytes:?}\ntext: {readable}");
        }
        rounds += 1;
    }
    eprintln!(
        "{target}: {} inputs in {:?}",
        rounds * u64::from(CASES),
        begun.elapsed()
    );
}

macro_rules! targets {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() {
            fuzz(stringify!($name));
        })*

        #[test]
        fn every_target_is_tried() {
            let names = targets::TARGETS.map(|(name, _)| name);
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

targets!(
    parameters,
    results,
    server_session,
    client_session,
    datagrams,
    command_line,
    values
);
