use super::*;
use crate::{
    endurance::{Endurance, tests::endurance},
    peer::Kind,
    record,
    samples::tests::a_run,
};

fn text(runs: Vec<Run>) -> String {
    markdown(&record::tests::record(runs), "make bench")
}

fn failed(mut run: Run, outcome: Outcome) -> Run {
    run.outcome = outcome;
    run
}

fn lines<'a>(text: &'a str, beginning: &str) -> Vec<&'a str> {
    text.lines()
        .filter(|line| line.starts_with(beginning))
        .collect()
}

#[test]
fn a_line_a_program_with_median_spread_ratio_and_cpu() {
    let text = text(vec![
        a_run("tcp1", Kind::Ours, 0, 6.0),
        a_run("tcp1", Kind::Iperf3Newest, 0, 5.0),
        a_run("tcp1", Kind::Ours, 1, 8.0),
        a_run("tcp1", Kind::Iperf3Newest, 1, 5.0),
    ]);
    assert_eq!(
        lines(&text, "| tcp1 | lo | n")[..2],
        [
            "| tcp1 | lo | nettest-engine | 28.000 (24.000–32.000) | – | 0.146 + 0.073 | – | not measured | 40 k | – | 4.0 |  |",
            "| tcp1 | lo | newest iperf3 | 20.000 (20.000–20.000) | 1.40 (1.20–1.60) | 0.200 + 0.100 | 0.73 (0.62–0.83) | not measured | 40 k | – | 4.0 |  |",
        ]
    );
    assert!(text.contains("| tcp1 | lo | rate ≥ 1.05 × the best of iperf3 newest, 3.18, riperf3 | 1.40 (1.20–1.60) × newest iperf3 | yes |"));
}

#[test]
fn an_absent_program_is_named_with_the_way_to_get_it() {
    let text = text(vec![a_run("tcp1", Kind::Ours, 0, 6.0)]);
    assert!(
        text.contains("| absent | neper: `make tcp_stream` in a clone"),
        "{text}"
    );
}

#[test]
fn failures_and_inabilities_are_lines_too() {
    let run = || a_run("fast1", Kind::Iperf3, 0, 0.0);
    let unable = Outcome::Unable("no flag that leaves out a copy".to_owned());
    let text_unable = text(vec![failed(run(), unable)]);
    assert!(
        text_unable.contains("| fast1 | lo | iperf3 of PATH | – | – | – | – | not measured | – | – | – | not done: no flag that leaves out a copy |"),
        "{text_unable}"
    );
    let fault = Outcome::Failed("client: exit status 1: a | b\nc".to_owned());
    let text_failed = text(vec![run(), failed(run(), fault)]);
    assert!(
        text_failed.contains("**failed in 1 of 2**: client: exit status 1: a \\| b c |"),
        "{text_failed}"
    );
}

#[test]
fn the_small_run_shows_whether_every_byte_was_counted() {
    let text = text(vec![
        a_run("small", Kind::Ours, 0, 0.001_048_576),
        a_run("small", Kind::Iperf3, 0, 0.0),
    ]);
    assert!(text.contains("| small | lo | nettest-engine | 2100.0 (2100.0–2100.0) | – | 1000.0 + 500.0 | not measured | all in 1 of 1 | 4.0 |  |"), "{text}");
    assert!(text.contains("| all in 0 of 1 | 4.0 |"), "{text}");
}

#[test]
fn the_commands_are_there_to_repeat() {
    let text = text(vec![
        a_run("clients50", Kind::Ours, 0, 0.25),
        a_run("clients50", Kind::Iperf3, 0, 0.25),
    ]);
    for line in [
        "clients50    nettest-engine -s -J --max-tests 50 -p 5201",
        "             nettest-engine -c SERVER -J -p 5201 -t 2 -u -b 20000000 -l 1400   # 50 of them",
        "clients50    iperf3 -s -J -1 -p 5201   # 50 of them",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn every_line_of_a_table_has_its_columns() {
    let runs = work::ALL
        .iter()
        .map(|work| a_run(work.name, Kind::Ours, 0, 1.0));
    let text = text(runs.collect());
    for table in text.split("### ").filter(|part| part.contains("| work |")) {
        let widths: Vec<usize> = table
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(|line| line.matches('|').count())
            .collect();
        assert!(widths.len() > 2, "{table}");
        assert!(widths.iter().all(|width| *width == widths[0]), "{table}");
    }
}

#[test]
fn fairness_and_calls_are_shown_where_they_are_known() {
    let mut many = a_run("tcp8", Kind::Ours, 0, 1.0);
    let mut counted = a_run("small", Kind::Ours, 0, 0.001);
    if let (Outcome::Done(many), Outcome::Done(counted)) = (&mut many.outcome, &mut counted.outcome)
    {
        many.fairness = Some(0.98765);
        counted.calls = Some(crate::run::Calls {
            client: 420,
            server: 310,
        });
    }
    let mut record = record::tests::record(vec![many, counted.clone()]);
    record.counted = vec![counted];
    let text = markdown(&record, "make bench");
    assert!(text.contains("| 40 k | 0.988 | 4.0 |"), "{text}");
    // Of a run of a megabyte, calls a gigabyte would say nothing.
    assert!(text.contains("| 420 + 310 | all in"), "{text}");
}

#[test]
fn memory_after_many_short_tests() {
    let mut record = record::tests::record(vec![a_run("tcp1", Kind::Ours, 0, 1.0)]);
    assert!(!markdown(&record, "make bench").contains("short tests"));
    record.endurance = vec![
        endurance(Kind::Ours),
        Endurance {
            done: 0,
            seconds: 0.0,
            marks: Vec::new(),
            fault: Some("no run of a number of bytes".to_owned()),
            ..endurance(Kind::Neper)
        },
    ];
    let text = markdown(&record, "make bench");
    for line in [
        "| lo | nettest-engine | 10000 | 8.0 | 3.0 | 4.0 | 4.0 | 5.0 | 5.0 |  |",
        "| lo | neper | 0 | – | – | – | – | – | – | no run of a number of bytes |",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}
