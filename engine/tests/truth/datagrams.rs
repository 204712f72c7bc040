//! UDP through paths that police, lose and delay, and with peers that tell less than ours.

use crate::lab::{Alone, Net};
use crate::peers::{ScriptedServer, Width, datagram};
use crate::run::text;
use crate::strict::{self, count, list, number};
use std::time::{Duration, Instant};

/// What a server of an old iperf3 tells of a stream, with nothing optional.
const NOTHING_OPTIONAL: &str =
    r#""bytes":90000,"retransmits":-1,"jitter":0.001,"errors":7,"packets":97"#;

/// One datagram in fifty comes 1.1 s late: it is no loss in the end, and no row shows less than none.
#[test]
fn report_027_late_datagrams_make_no_row_negative() {
    let mut server = ScriptedServer::start("-R -t 3 -i 0.5 -b 1M -l 500 -J");
    let begun = Instant::now();
    let mut late = std::collections::VecDeque::new();
    let mut total = 0;
    while begun.elapsed() < Duration::from_millis(2800) {
        total += 1;
        let now = begun.elapsed();
        let bytes = datagram(total, 500, Width::Bits32, now);
        if total % 50 == 0 && now < Duration::from_millis(1500) {
            late.push_back((now + Duration::from_millis(1100), bytes));
        } else {
            server.player.play(&bytes);
        }
        while late.front().is_some_and(|(due, _)| *due <= begun.elapsed()) {
            let (_, bytes) = late.pop_front().expect("a late one");
            server.player.play(&bytes);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(
        total > 100 && late.is_empty(),
        "{total} datagrams, {} left",
        late.len()
    );
    let (_, output) = server.finish(&format!(
        r#""bytes":{},"retransmits":-1,"jitter":0,"errors":0,"packets":{total},"start_time":0,"end_time":3"#,
        total * 500
    ));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document = strict::parse(&output.stdout);
    // A row's losses are within what was sent in it, and its rate within the line's.
    strict::sane(&document);
    let rows: Vec<_> = list(&document["intervals"])
        .iter()
        .map(|row| &row["sum"])
        .collect();
    assert!(rows.len() >= 5, "{rows:?}");
    let shown: u64 = rows.iter().map(|row| count(&row["packets"])).sum();
    assert_eq!(shown, total);
    assert!(
        rows.iter().any(|row| row["lost_packets"] != 0),
        "nothing was late: {rows:?}"
    );
    let received = &document["end"]["sum_received"];
    assert_eq!(received["lost_packets"], 0, "{received}");
    assert_eq!(received["bytes"], total * 500);
}

/// Datagrams above the MTU leave in fragments, which UDP_SEGMENT cannot make: with `--gsro` iperf3's newest fails with
/// EMSGSIZE or delivers nothing. They arrive, and the result says that nothing was segmented.
#[test]
fn datagrams_above_the_mtu_arrive_in_fragments() {
    let (near, far) = Net::pair();
    let _server = far.server("");
    for server in ["10.7.0.2", "fd07::2"] {
        // The headers of the two families leave 1472 and 1452 bytes of 1500.
        let whole = if server.contains(':') { 1452 } else { 1472 };
        for (block, segments) in [(8192, false), (whole + 1, false), (whole, true)] {
            for gsro in ["", "--gsro"] {
                for reverse in ["", "-R"] {
                    let flags = format!("-u -b 20M -k 60 -l {block} {gsro} {reverse}");
                    let document = near.measure(server, &flags);
                    let received = &document["end"]["sum_received"];
                    assert_eq!(received["packets"], 60, "{server} {flags}");
                    assert_eq!(received["lost_packets"], 0, "{server} {flags}");
                    assert_eq!(received["bytes"], 60 * block, "{server} {flags}");
                    let sender = match reverse {
                        "" => "host",
                        _ => "peer_host",
                    };
                    let sockets = &document["end"]["nettest"][sender]["sockets"];
                    assert_eq!(sockets["gso"], segments, "{server} {flags}");
                }
            }
        }
    }
    let said = near.finish("-c 10.7.0.2 -u -b 20M -k 10 -l 8192 --gsro");
    let said = text(&said.stderr);
    assert_eq!(said.matches("8192 bytes").count(), 1, "{said}");
    let said = near.finish("-c 10.7.0.2 -u -b 20M -k 10 -l 8192");
    assert_eq!(text(&said.stderr), "");
}

/// Half is policed away in front of the receiver: each sum is its own end's count.
#[test]
fn report_029_what_was_sent_is_not_shown_as_received() {
    let (near, far) = Net::pair();
    let _server = far.server("");
    for net in [&near, &far] {
        net.unmerged("v0");
        net.input(
            &["dropped"],
            "udp length > 500 limit rate over 1250/second burst 20 packets counter name dropped drop",
        );
    }
    for (flags, receiver) in [("", &far), ("-R", &near)] {
        let before = receiver.counted()["dropped"];
        let end = &near.measure("10.7.0.2", &format!("-u -b 20M -l 1000 -t 2 {flags}"))["end"];
        let dropped = receiver.counted()["dropped"] - before;
        let (sent, received) = (&end["sum_sent"], &end["sum_received"]);
        assert!(
            number(&received["bits_per_second"]) < 10.5e6,
            "{flags}: {received}"
        );
        assert_eq!(received["lost_packets"], dropped, "{flags}: {end}");
        assert_eq!(
            count(&sent["packets"]) * 1000,
            count(&sent["bytes"]),
            "{flags}: {sent}"
        );
        assert_eq!(
            count(&sent["packets"]) - dropped,
            count(&received["bytes"]) / 1000,
            "{flags}: {end}"
        );
        assert!(
            number(&received["lost_percent"]) > 30.0,
            "{flags}: {received}"
        );
    }
}

/// A server that tells nothing optional: no omitted counts, no times.
#[test]
fn report_030_loss_is_right_with_peers_that_leave_keys_out() {
    let mut server = ScriptedServer::start("-k 100 -l 1000 -b 8M -J");
    let arrived = server.arrivals().len();
    let (_, output) = server.finish(NOTHING_OPTIONAL);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document = strict::parse(&output.stdout);
    assert_eq!(arrived, 100);
    // 7 that it missed, and 3 at the end of which it never knew.
    let end = &document["end"];
    assert_eq!(end["sum_received"]["lost_packets"], 10, "{end}");
    assert_eq!(end["sum_received"]["bytes"], 90_000, "{end}");
    assert_eq!(end["sum_sent"]["packets"], 100, "{end}");
    // And in reverse, where the loss is our own count.
    let mut server = ScriptedServer::start("-R -k 100 -l 1000 -b 8M -J");
    for number in (1..=100).filter(|number| number % 10 != 5) {
        server
            .player
            .play(&datagram(number, 1000, Width::Bits32, Duration::ZERO));
    }
    let (results, output) =
        server.finish(r#""bytes":100000,"retransmits":-1,"jitter":0,"errors":0,"packets":100"#);
    assert_eq!(results["streams"][0]["errors"], 10, "{results}");
    let end = &strict::parse(&output.stdout)["end"];
    assert_eq!(end["sum_received"]["lost_packets"], 10, "{end}");
    assert_eq!(end["sum_sent"]["packets"], 100, "{end}");
}

/// The first hellos are lost in a real path: they are repeated. All of them lost: an error that says so, and the server
/// takes the next test.
#[test]
fn report_031_lost_hellos_are_repeated_and_given_up_in_the_end() {
    let lab = Alone::new("");
    // Two packets of 32 bytes.
    lab.net.input(
        &["dropped"],
        "udp dport 5201 udp length 12 quota until 64 bytes counter name dropped drop",
    );
    for flags in ["-u -k 50 -b 4M", "-u -k 50 -b 4M -R"] {
        let end = &lab.measure(flags)["end"];
        assert_eq!(end["sum_received"]["packets"], 50, "{flags}: {end}");
        assert_eq!(lab.net.counted()["dropped"], 2, "{flags}");
    }
    lab.net.nft("flush ruleset");
    lab.net
        .input(&["dropped"], "udp dport 5201 counter name dropped drop");
    let begun = Instant::now();
    let output = lab.net.finish("-c 127.0.0.1 -J -u -t 1");
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(output.status.code(), Some(1));
    let error = strict::parse(&output.stdout)["error"].to_string();
    // Both ends give up after 10 s; whichever is first says what is missing.
    let said = ["UDP hello", "data streams did not arrive"];
    assert!(said.iter().any(|said| error.contains(said)), "{error}");
    assert!(lab.net.counted()["dropped"] >= 3, "{:?}", lab.net.counted());
    lab.net.nft("flush ruleset");
    lab.measure("-u -k 50 -b 4M");
}

/// Datagrams that overflow the receiver's own buffer are told apart from those that the network lost.
#[test]
fn drops_of_the_receivers_own_socket_are_not_the_networks() {
    let lab = Alone::new("");
    lab.net.unmerged("lo");
    let said = |flags: &str| text(&lab.net.finish(&format!("-c 127.0.0.1 {flags}")).stdout);
    // A buffer of a few datagrams, and bursts that it cannot hold.
    let printed = said("-u -b 200M/300 -l 1000 -k 60000 -w 4K -i 0");
    let lost = printed
        .lines()
        .find(|line| line.ends_with("receiver"))
        .expect("the summary");
    let lost: u64 = lost
        .split_whitespace()
        .find_map(|word| word.split_once('/').and_then(|(lost, _)| lost.parse().ok()))
        .unwrap_or_else(|| panic!("no loss in {lost}"));
    let own = "datagrams dropped by the receiver's own socket buffer";
    let dropped: u64 = printed
        .lines()
        .find(|line| line.ends_with(own))
        .and_then(|line| line.split_whitespace().rev().nth(8)?.parse().ok())
        .unwrap_or_else(|| panic!("no drops in {printed}"));
    assert!(dropped > 0, "{printed}");
    assert_eq!(lost, dropped, "nothing was lost but there: {printed}");
    // And the other way round: what the network drops is none of the buffer's.
    lab.net.input(
        &[],
        "udp dport 5201 udp length > 500 numgen inc mod 10 0 drop",
    );
    let printed = said("-u -b 10M -l 1000 -k 1000 -i 0");
    assert!(printed.contains("100/1000 (10%)"), "{printed}");
    assert!(!printed.contains(own), "{printed}");
}

/// 128 bytes are asked for, in whatever order the flags stand.
#[test]
fn report_038_datagrams_have_the_asked_length_in_any_order_of_flags() {
    let lab = Alone::new("");
    lab.net.unmerged("lo");
    // The header of UDP has 8 bytes, a hello 4.
    lab.net.input(
        &["asked", "other"],
        "udp dport 5201 udp length 136 counter name asked\nudp dport 5201 udp length != { 12, 136 } counter name other",
    );
    let mut sent = 0;
    for flags in [
        "-t 0.2 --length 128 -u",
        "-t 0.2 -u --length 128",
        "-u -l 128 -t 0.2",
        "-u -t 0.2 -l 128",
        "-l 128 -u -t 0.2",
        "-l 128 -t 0.2 -u",
    ] {
        let end = &lab.measure(flags)["end"];
        sent += count(&end["sum_sent"]["packets"]);
        let counted = lab.net.counted();
        assert_eq!((counted["asked"], counted["other"]), (sent, 0), "{flags}");
    }
    assert!(sent >= 6 * 100, "{sent}");
}

/// What is lost on the way back is the second direction's, in both ends' documents.
#[test]
fn a_loss_is_that_of_its_own_direction() {
    let net = Net::new();
    net.unmerged("lo");
    net.input(
        &["dropped"],
        "udp sport 5201 udp length 508 numgen inc mod 5 == 2 counter name dropped drop",
    );
    let server = net.server("-1 -J");
    let client = net.measure("127.0.0.1", "-u --bidir -k 200 -l 500 -b 8M");
    let dropped = net.counted()["dropped"];
    let server = strict::parse(&server.end().stdout);
    assert!(dropped >= 39, "{dropped}");
    for end in [&client["end"], &server["end"]] {
        assert_eq!(end["sum_received"]["lost_packets"], 0, "{end}");
        assert_eq!(end["sum_received"]["bytes"], 100_000, "{end}");
        assert_eq!(
            end["sum_received_bidir_reverse"]["lost_packets"], dropped,
            "{end}"
        );
        assert_eq!(
            end["sum_received_bidir_reverse"]["bytes"],
            (200 - dropped) * 500,
            "{end}"
        );
        assert_eq!(end["sum_sent_bidir_reverse"]["packets"], 200, "{end}");
    }
}

/// RFC 3550: every second datagram says that it left 10 ms later than it did.
#[test]
fn jitter_is_the_mean_difference_of_the_transit_times() {
    let mut seen = Vec::new();
    // The machine's own jitter comes on top.
    for _ in 0..5 {
        let mut server = ScriptedServer::start("-R -k 300 -l 100 -b 1M -J");
        let begun = Instant::now();
        for number in 1..=300 {
            let shift = Duration::from_millis(10 * (number % 2));
            server.player.play(&datagram(
                number,
                100,
                Width::Bits32,
                begun.elapsed() + shift,
            ));
            std::thread::sleep(Duration::from_millis(1));
        }
        let (results, output) =
            server.finish(r#""bytes":30000,"retransmits":-1,"jitter":0,"errors":0,"packets":300"#);
        let end = &strict::parse(&output.stdout)["end"];
        let jitter = number(&end["sum_received"]["jitter_ms"]);
        let told = number(&results["streams"][0]["jitter"]) * 1e3;
        assert!((jitter - told).abs() < 0.001, "{jitter} {told}");
        if (9.0..11.0).contains(&jitter) {
            return;
        }
        seen.push(jitter);
    }
    panic!("10 ms were measured as {seen:?}");
}
