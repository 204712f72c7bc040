use super::*;

const PAIRS: &str = "
- {client: n1, server: n4, state: Failed, reason: PeerUnreachable, message: no route to host}
- client: n2
  server: n4
  state: Measured
  missed: [line-rate, loss]
  figures:
  - {variant: tcp-p4, flow: ClientToServer, throughputBitsPerSecond: 9400000000, spreadPercent: 1, retransmits: 3, rttMicroseconds: 60}
  - {variant: tcp-p4, flow: ServerToClient, throughputBitsPerSecond: 10000000, spreadPercent: 1, retransmits: 918, rttMicroseconds: 21000}
- {client: n1, server: n2, state: Measured, secondPass: true, figures: [{variant: tcp-p4, flow: ClientToServer, throughputBitsPerSecond: 9410000000, spreadPercent: 1, retransmits: 0, rttMicroseconds: 61}]}
";

fn pairs() -> Vec<PairResult> {
    serde_yaml::from_str(PAIRS).unwrap()
}

fn shown(pairs: &[PairResult], wide: bool, width: Option<usize>) -> String {
    worst(pairs, Extent { wide, width }).text
}

#[test]
fn a_pair_is_its_slowest_figure_and_why() {
    assert_eq!(
        shown(&pairs(), false, None),
        "pairs, worst first:\n\
         CLIENT  SERVER  RESULT              SLOWEST  FLOW               THROUGHPUT  RETR       RTT  WHY\n\
         n1      n4      not measured        -        -                           -     -         -  PeerUnreachable\n\
         n2      n4      MISSED              tcp-p4   server to client  10.0 Mbit/s   918  21.00 ms  line-rate,loss\n\
         n1      n2      good (second pass)  tcp-p4   client to server  9.41 Gbit/s     0     61 µs  -\n"
    );
    assert_eq!(
        shown(&pairs()[1..], false, Some(70)),
        "pairs, worst first:\n\
         CLIENT  SERVER  RESULT               THROUGHPUT  WHY\n\
         n2      n4      MISSED              10.0 Mbit/s  line-rate,loss\n\
         n1      n2      good (second pass)  9.41 Gbit/s  -\n"
    );
}

#[test]
fn ten_of_many_and_all_when_wide() {
    let many: Vec<PairResult> = pairs().into_iter().cycle().take(45).collect();
    let few = shown(&many, false, None);
    assert!(few.starts_with("the 10 worst pairs:\n"), "{few}");
    assert_eq!(few.lines().count(), 12);
    let wide = shown(&many, true, None);
    assert_eq!(wide.lines().count(), 47);
    assert!(wide.contains("no route to host") && !few.contains("no route"));
    assert_eq!(shown(&[], false, None), "");
}

#[test]
fn how_far_the_pairs_are() {
    let line = |pairs, running, measured, failed| {
        progress(&Progress {
            pairs,
            running,
            measured,
            failed,
        })
    };
    assert_eq!(line(45, 3, 12, 0), "12 of 45 pairs measured, 3 running");
    assert_eq!(
        line(45, 0, 43, 2),
        "43 of 45 pairs measured, 2 could not be measured"
    );
    assert_eq!(line(1, 0, 1, 0), "1 of 1 pair measured");
}

#[test]
fn suspects_are_named_by_how_sure_it_is() {
    let all: Vec<Suspect> = serde_yaml::from_str(
        "[{node: n4, confirmed: true, badPairs: 3, goodPairs: 0, message: 'n4 failed against 3 of 3 nodes'}, {node: n5, confirmed: false, badPairs: 1, goodPairs: 0, message: m}]",
    )
    .unwrap();
    assert_eq!(
        suspects(&all),
        "bad node n4: n4 failed against 3 of 3 nodes\nsuspect n5: m\n"
    );
}

#[test]
fn where_every_pair_is() {
    let mut run: NetTestRun = serde_yaml::from_str(
        "apiVersion: nettest.dev/v1alpha1\nkind: NetTestRun\nmetadata: {name: a-1, namespace: lab}\nspec: {test: {}}\nstatus: {ledger: {prefix: a-1-pairs, shards: 1}}",
    )
    .unwrap();
    assert_eq!(
        rest(&run).unwrap(),
        "every pair: kubectl nettest report run/a-1 -n lab -o csv\n"
    );
    run.status = None;
    assert_eq!(rest(&run), None);
}
