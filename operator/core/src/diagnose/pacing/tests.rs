use crate::{
    aggregate::aggregate,
    diagnose::diagnose,
    testing::{digest, figures, host, measured_by, valid},
};
use nettest_api::diagnosis::Diagnosis;
use nettest_report::{digest::Digest, report::HostFacts};
use proptest::prelude::*;

const GBIT: u64 = 1_000_000_000;

/// One stream between two nodes, as a user writes it; `traffic` and `more` are added.
fn manifest(traffic: &str, more: &str) -> String {
    format!(
        "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: t, namespace: default}}\nspec: {{traffic: {{{traffic}}}, repeats: {{count: 1}}{more}}}\n"
    )
}

fn end(node: &str, qdisc: Option<&str>, congestion: Option<&str>) -> Option<HostFacts> {
    let mut host = host("0-1", 2);
    host.node = Some(node.to_owned());
    host.qdisc = qdisc.map(str::to_owned);
    host.sockets.congestion = congestion.map(str::to_owned);
    host.sockets.mss = Some(1448);
    Some(host)
}

/// 20 Gbit/s of bbr without fq at either end, between two nodes with CPU to spare.
fn slow() -> Digest {
    let mut digest = digest(&[20 * GBIT]);
    digest.client_host = end("worker-1", Some("noqueue"), Some("bbr"));
    digest.server_host = end("worker-2", Some("noqueue"), Some("bbr"));
    let figures = &mut digest.figures[0];
    figures.retransmits = vec![3];
    figures.rtt_microseconds = vec![80];
    figures.client_cpu_milli = vec![620];
    figures.server_cpu_milli = vec![480];
    digest
}

fn said(traffic: &str, more: &str, digest: &Digest) -> Vec<Diagnosis> {
    let test = valid(&manifest(traffic, more));
    let digest = measured_by(&test, digest.clone());
    diagnose(&test, &digest, &aggregate(&test, &digest))
}

fn fires(digest: &Digest) -> bool {
    let back = digest.figures[0].flow == "ServerToClient";
    let traffic = if back { "direction: Reverse" } else { "" };
    !said(traffic, "", digest).is_empty()
}

#[test]
fn a_stream_of_bbr_without_fq_is_told_with_its_figures_and_what_to_do() {
    let [found] = said("", "", &slow()).try_into().expect("one");
    assert_eq!(found.reason, "PacingLimited");
    assert_eq!(
        found.message,
        "the client sent with bbr by a device whose queueing discipline is noqueue and not fq, so that TCP paced the stream by a timer of its own: 20.0 Gbit/s with the client at 62 % of a CPU and the server at 48 %"
    );
    for word in [
        "traffic.congestionControl",
        "cubic",
        "tc qdisc replace dev DEVICE root fq` in the client's network namespace",
    ] {
        assert!(found.hint.contains(word), "{word}: {}", found.hint);
    }
}

#[test]
fn the_sender_is_the_one_whose_device_counts() {
    // The server sends: the client's fq is no help, and its own would be.
    let mut digest = slow();
    digest.figures[0].flow = "ServerToClient".to_owned();
    digest.client_host = end("worker-1", Some("fq"), Some("cubic"));
    let [found] = said("direction: Reverse", "", &digest)
        .try_into()
        .expect("one");
    assert!(
        found.message.starts_with("the server sent with bbr"),
        "{}",
        found.message
    );
    let on_the_node = ", path: {type: Host}, server: {network: Host}";
    let test = crate::validate::validate(
        &serde_yaml::from_str::<nettest_api::NetTest>(&manifest("direction: Reverse", on_the_node))
            .expect("a manifest")
            .spec,
        "default",
        &crate::policy::Policy::everything(),
    )
    .expect("valid");
    let mut digest = measured_by(&test, digest);
    let [found] = diagnose(&test, &digest, &aggregate(&test, &digest))
        .try_into()
        .expect("one");
    assert!(
        found.hint.ends_with("on the server's node"),
        "{}",
        found.hint
    );
    digest.server_host = end("worker-2", Some("fq"), Some("bbr"));
    assert_eq!(said("direction: Reverse", "", &digest), []);
}

#[test]
fn each_flow_of_a_bidirectional_test_is_looked_at() {
    let mut digest = slow();
    let mut back = figures("ServerToClient", &[15 * GBIT]);
    back.retransmits = vec![0];
    back.rtt_microseconds = vec![90];
    back.client_cpu_milli = vec![620];
    back.server_cpu_milli = vec![480];
    digest.figures.push(back);
    let found = said("direction: Bidirectional", "", &digest);
    let ends: Vec<&str> = found.iter().map(|one| &one.message[..10]).collect();
    assert_eq!(ends, ["the client", "the server"]);
}

#[test]
fn only_a_congestion_control_that_paces_without_fq() {
    for (congestion, qdisc, told) in [
        (Some("bbr"), Some("noqueue"), true),
        (Some("bbr"), Some("fq_codel"), true),
        (Some("bbr"), Some("pfifo_fast"), true),
        (Some("bbr2"), Some("mq/fq_codel"), true),
        (Some("bbr3"), Some("mq/fq_codel+pfifo_fast"), true),
        // fq paces
        (Some("bbr"), Some("fq"), false),
        (Some("bbr"), Some("mq/fq"), false),
        (Some("bbr"), Some("mq/fq_codel+fq"), false),
        // what is below them is not known
        (Some("bbr"), Some("mq"), false),
        (Some("bbr"), Some("htb"), false),
        (Some("bbr"), Some("clsact"), false),
        (Some("bbr"), Some(""), false),
        // time or shape
        (Some("bbr"), Some("etf"), false),
        (Some("bbr"), Some("tbf"), false),
        (Some("bbr"), Some("netem"), false),
        (Some("bbr"), Some("cake"), false),
        // nobody told
        (Some("bbr"), None, false),
        (None, Some("noqueue"), false),
        // no pacing of their own
        (Some("cubic"), Some("noqueue"), false),
        (Some("reno"), Some("noqueue"), false),
        (Some("dctcp"), Some("pfifo_fast"), false),
    ] {
        let mut digest = slow();
        digest.client_host = end("worker-1", qdisc, congestion);
        assert_eq!(fires(&digest), told, "{congestion:?} on {qdisc:?}");
    }
}

#[test]
fn only_within_what_timers_reach_and_not_at_a_links_rate() {
    for (mbit, between_nodes, within_one) in [
        // 200 Mbit/s, 1, 10 Gbit/s: links, and nothing that a timer could not do
        (191, false, false),
        (941, false, false),
        (9_413, false, false),
        (9_910, false, false),
        (10_500, true, true),
        (15_000, true, true),
        (21_500, true, true),
        // 25 Gbit/s in an overlay, plain, with jumbo frames
        (22_700, false, true),
        (23_500, false, true),
        (24_700, false, true),
        (27_000, true, true),
        (35_000, true, true),
        // 40 Gbit/s
        (37_600, false, true),
        // faster than any timer that was measured
        (40_001, false, false),
        (94_000, false, false),
    ] {
        let mut digest = slow();
        digest.figures[0].received_bits_per_second = vec![mbit * 1_000_000];
        digest.figures[0].sent_bits_per_second = vec![mbit * 1_000_000];
        digest.figures[0].sent_bytes = vec![mbit * 1_000_000];
        assert_eq!(fires(&digest), between_nodes, "{mbit} Mbit/s");
        digest.server_host = end("worker-1", Some("noqueue"), None);
        assert_eq!(fires(&digest), within_one, "{mbit} Mbit/s in one machine");
    }
}

/// A cloud's cap or a policer may be at any rate: between nodes the sender's CPU must show the timers.
#[test]
fn between_nodes_the_senders_cpu_must_be_that_of_the_timers() {
    // 20 Gbit/s are 38147 segments a second; 8 us of each are 305 thousandths of a CPU.
    for (gbit, sender_milli, between_nodes) in [
        (20, 306, true),
        (20, 305, false),
        (20, 80, false),
        (30, 458, true),
        (30, 457, false),
        (12, 184, true),
        (12, 183, false),
    ] {
        for flow in ["ClientToServer", "ServerToClient"] {
            let mut digest = slow();
            let figures = &mut digest.figures[0];
            figures.flow = flow.to_owned();
            figures.received_bits_per_second = vec![gbit * GBIT];
            figures.sent_bits_per_second = vec![gbit * GBIT];
            figures.sent_bytes = vec![gbit * GBIT];
            let (sender, receiver) = match flow {
                "ClientToServer" => (&mut figures.client_cpu_milli, &mut figures.server_cpu_milli),
                _ => (&mut figures.server_cpu_milli, &mut figures.client_cpu_milli),
            };
            (*sender, *receiver) = (vec![sender_milli], vec![480]);
            let what = format!("{flow} {gbit} Gbit/s with {sender_milli}");
            assert_eq!(fires(&digest), between_nodes, "{what}");
            digest.server_host = end("worker-1", Some("noqueue"), Some("bbr"));
            assert!(fires(&digest), "{what} in one machine");
        }
    }
}

#[test]
fn nothing_is_said_where_something_else_may_hold_it() {
    let digest = slow();
    for (traffic, told) in [
        ("", true),
        ("parallelStreams: 2", false),
        ("bitrate: 0", true),
        ("bitrate: 20G", false),
        ("bitrate: 22G", false),
        ("bitrate: 100G", true),
        // 20 Gbit/s x 80 us is 200 kB
        ("windowSize: 256Ki", false),
        ("windowSize: 400k", false),
        ("windowSize: 512Ki", true),
    ] {
        assert_eq!(!said(traffic, "", &digest).is_empty(), told, "{traffic}");
    }
    type Change = fn(&mut Digest);
    let changes: [(&str, Change); 10] = [
        ("the receiver's CPU is full", |d| {
            d.figures[0].server_cpu_milli = vec![900]
        }),
        ("throttled", |d| {
            d.server_host.as_mut().expect("a host").throttled_periods = Some(1)
        }),
        ("a long way: 20 Gbit/s x 1 ms are 2.5 MB", |d| {
            d.figures[0].rtt_microseconds = vec![1_000]
        }),
        // 2.5 GB are 1.7 million segments
        ("loss", |d| d.figures[0].retransmits = vec![18_000]),
        ("a moment", |d| d.figures[0].sent_bytes = vec![1_000_000]),
        ("CPU unknown", |d| d.figures[0].client_cpu_milli.clear()),
        ("round-trip time unknown", |d| {
            d.figures[0].rtt_microseconds.clear()
        }),
        ("segment size unknown", |d| {
            d.client_host.as_mut().expect("a host").sockets.mss = None
        }),
        ("retransmits unknown", |d| d.figures[0].retransmits.clear()),
        ("no host facts for want of space", |d| {
            d.client_host = None;
            d.server_host = None;
        }),
    ];
    for (what, change) in changes {
        let mut digest = slow();
        change(&mut digest);
        assert!(!fires(&digest), "{what}");
    }
}

#[test]
fn a_window_that_was_asked_for_needs_the_round_trip_time() {
    let mut digest = slow();
    digest.server_host = end("worker-1", Some("noqueue"), None);
    assert!(!said("windowSize: 1Mi", "", &digest).is_empty());
    digest.figures[0].rtt_microseconds.clear();
    assert!(!said("", "", &digest).is_empty());
    assert!(said("windowSize: 1Mi", "", &digest).is_empty());
}

#[test]
fn what_timers_cost_is_no_other_cause() {
    // As seen on lo: a sender at the end of its CPU; and on veth with busy CPUs: few losses, a long queue.
    type Change = fn(&mut Digest);
    let changes: [(&str, Change); 3] = [
        ("the sender's CPU is full", |d| {
            d.figures[0].client_cpu_milli = vec![990]
        }),
        ("some loss", |d| d.figures[0].retransmits = vec![3_847]),
        ("20 Gbit/s x 500 us are 1.25 MB", |d| {
            d.figures[0].rtt_microseconds = vec![500]
        }),
    ];
    for (what, change) in changes {
        let mut digest = slow();
        change(&mut digest);
        assert!(fires(&digest), "{what}");
    }
}

#[test]
fn udp_has_no_congestion_control() {
    let mut digest = slow();
    digest.client_host = end("worker-1", Some("noqueue"), None);
    assert_eq!(said("protocol: UDP, bitrate: 0", "", &digest), []);
}

#[test]
fn one_machine_is_one_node_or_without_nodes_one_name() {
    let link = |client: Option<HostFacts>, server: Option<HostFacts>| {
        let mut digest = slow();
        let figures = &mut digest.figures[0];
        figures.received_bits_per_second = vec![24 * GBIT];
        // As of a server that sends: then only within one machine anything is said.
        figures.rtt_microseconds.clear();
        digest.client_host = client;
        digest.server_host = server;
        fires(&digest)
    };
    let named = |node: Option<&str>, hostname: &str| {
        let mut host = end("", Some("noqueue"), Some("bbr"))?;
        host.node = node.map(str::to_owned);
        host.hostname = hostname.to_owned();
        Some(host)
    };
    assert!(link(named(Some("a"), "pod-1"), named(Some("a"), "pod-2")));
    assert!(link(named(None, "here"), named(None, "here")));
    assert!(!link(named(Some("a"), "x"), named(Some("b"), "x")));
    assert!(!link(named(Some("a"), "x"), named(None, "x")));
    assert!(!link(named(None, "a"), named(None, "b")));
    assert!(!link(named(None, ""), named(None, "")));
}

proptest! {
    /// Any figures at all: no panic, and what is told holds what it must.
    #[test]
    fn whatever_the_figures_a_verdict_has_its_grounds(
        rate in prop_oneof![0..60 * GBIT, any::<u64>()],
        sent in prop_oneof![0..60 * GBIT, any::<u64>()],
        bytes in any::<u64>(),
        retransmits in prop_oneof![0..1_000u64, any::<u64>()],
        rtt in prop_oneof![0..2_000u64, any::<u64>()],
        cpu in (prop_oneof![0..2_000u64, any::<u64>()], 0..2_000u64),
        congestion in prop::sample::select(vec!["bbr", "bbr2", "cubic", "reno", ""]),
        qdisc in prop::sample::select(vec!["noqueue", "fq", "mq/fq", "mq/fq_codel", "mq", "htb", "/", ""]),
        streams in 1..3u32,
    ) {
        let mut digest = slow();
        digest.client_host = end("worker-1", Some(qdisc), Some(congestion));
        let figures = &mut digest.figures[0];
        figures.received_bits_per_second = vec![rate];
        figures.sent_bits_per_second = vec![sent];
        figures.sent_bytes = vec![bytes];
        figures.retransmits = vec![retransmits];
        figures.rtt_microseconds = vec![rtt];
        figures.client_cpu_milli = vec![cpu.0];
        figures.server_cpu_milli = vec![cpu.1];
        let found = said(&format!("parallelStreams: {streams}"), "", &digest);
        prop_assert!(found.len() <= 1);
        if !found.is_empty() {
            prop_assert!(congestion.starts_with("bbr"));
            prop_assert!(!qdisc.is_empty() && !["fq", "mq/fq", "mq", "htb", "/"].contains(&qdisc));
            prop_assert!(streams == 1);
            prop_assert!((10 * GBIT..=40 * GBIT).contains(&rate));
            prop_assert!(cpu.1 < 900);
        }
    }
}
