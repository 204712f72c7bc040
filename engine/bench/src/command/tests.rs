use super::*;
use crate::{peer::Abilities, work};
use std::path::PathBuf;

const SETTING: Setting<'_> = Setting {
    seconds: 2,
    congestion: Some("cubic"),
    address: "10.0.0.2",
};

fn peer(kind: Kind, abilities: Abilities) -> Peer {
    Peer {
        kind,
        name: kind.to_string(),
        program: PathBuf::new(),
        abilities,
    }
}

const ALL_FLAGS: Abilities = Abilities {
    skip_rx_copy: true,
    gsro: true,
    fast: false,
    sendmmsg: false,
};

fn first_client(kind: Kind, abilities: Abilities, row: &str) -> String {
    let work = work::named(row).expect("a row");
    let plan = plan(&peer(kind, abilities), work, &SETTING).expect("can do it");
    plan.clients[0].join(" ")
}

#[test]
fn every_flag_of_the_row_that_the_program_has() {
    let ours = |row| first_client(Kind::Ours, ALL_FLAGS, row);
    assert_eq!(ours("tcp1"), "-c 10.0.0.2 -J -p 5201 -t 2 -C cubic");
    assert_eq!(
        ours("tcp1-bidir"),
        "-c 10.0.0.2 -J -p 5201 -t 2 --bidir -C cubic"
    );
    assert_eq!(
        ours("fast2"),
        "-c 10.0.0.2 -J -p 5201 -t 2 -P 2 -C cubic -Z --skip-rx-copy"
    );
    assert_eq!(
        ours("gso8192"),
        "-c 10.0.0.2 -J -p 5201 -t 2 -u -b 0 -l 8192 --gsro"
    );
    assert_eq!(ours("small"), "-c 10.0.0.2 -J -p 5201 -n 1048576 -C cubic");
}

#[test]
fn a_program_without_the_flag_does_the_same_work_and_says_so() {
    let work = work::named("gso1400").expect("a row");
    let plan = plan(&peer(Kind::Iperf3, Abilities::default()), work, &SETTING).expect("can");
    assert_eq!(plan.without, ["--gsro"]);
    assert_eq!(
        plan.clients[0].join(" "),
        "-c 10.0.0.2 -J -p 5201 -t 2 -u -b 0 -l 1400"
    );
}

#[test]
fn a_row_that_is_only_that_flag_is_refused() {
    let work = work::named("skip1").expect("a row");
    let refused = plan(&peer(Kind::Iperf3, Abilities::default()), work, &SETTING);
    assert_eq!(refused, Err("no --skip-rx-copy"));
}

#[test]
fn fifty_clients_share_our_server_and_need_fifty_of_iperf3() {
    let work = work::named("clients50").expect("a row");
    let ours = plan(&peer(Kind::Ours, ALL_FLAGS), work, &SETTING).expect("can");
    assert_eq!((ours.servers.len(), ours.clients.len()), (1, 50));
    assert_eq!(ours.end, End::Told);
    assert!(
        ours.servers[0]
            .arguments
            .ends_with(&["--max-tests", "50", "-p", "5201"].map(str::to_owned))
    );
    assert!(ours.clients.iter().all(|client| client == &ours.clients[0]));
    let theirs = plan(&peer(Kind::Iperf3Newest, ALL_FLAGS), work, &SETTING).expect("can");
    assert_eq!((theirs.servers.len(), theirs.clients.len()), (50, 50));
    assert_eq!(theirs.servers[49].port, 5250);
    assert!(theirs.clients[49].join(" ").contains("-p 5250 "));
}

#[test]
fn riperf3_batches_its_datagrams_where_it_can() {
    let abilities = Abilities {
        sendmmsg: true,
        ..ALL_FLAGS
    };
    assert!(first_client(Kind::Riperf3, abilities, "udp64").contains(" --sendmmsg"));
    assert!(!first_client(Kind::Riperf3, abilities, "tcp1").contains("--sendmmsg"));
}

#[test]
fn other_dialects() {
    assert_eq!(
        first_client(Kind::Iperf2, Abilities::default(), "udp64"),
        "-c 10.0.0.2 -y C -t 2 -u -b 100000000000 -l 64 -p 5201"
    );
    assert_eq!(
        first_client(Kind::Neper, ALL_FLAGS, "fast2"),
        "-c -H 10.0.0.2 -F 2 -T 2 --skip-rx-copy -Z --congestion-control cubic -l 2 -B 131072 --nolog"
    );
}

#[test]
fn buffers_of_one_size_at_both_ends() {
    let work = work::named("gso1400-w").expect("a row");
    for kind in [Kind::Ours, Kind::Iperf3Newest, Kind::Riperf3] {
        assert_eq!(
            first_client(kind, ALL_FLAGS, work.name),
            "-c 10.0.0.2 -J -p 5201 -t 2 -u -b 0 -l 1400 -w 4194304 --gsro"
        );
    }
    // iperf2's server is told nothing by its client.
    let iperf2 = plan(&peer(Kind::Iperf2, Abilities::default()), work, &SETTING).expect("can");
    for words in [&iperf2.servers[0].arguments, &iperf2.clients[0]] {
        assert!(words.join(" ").contains(" -w 4194304 "), "{words:?}");
    }
}

#[test]
fn blocks_of_a_megabyte() {
    assert_eq!(
        first_client(Kind::Iperf3Newest, ALL_FLAGS, "fast1-1m"),
        "-c 10.0.0.2 -J -p 5201 -t 2 -C cubic -l 1048576 -Z --skip-rx-copy"
    );
    assert!(first_client(Kind::Neper, ALL_FLAGS, "fast2-1m").contains(" -B 1048576 "));
}

#[test]
fn one_flag_for_every_copy_where_there_is_one() {
    let abilities = Abilities {
        fast: true,
        ..ALL_FLAGS
    };
    assert_eq!(
        first_client(Kind::Ours, abilities, "fast1"),
        "-c 10.0.0.2 -J -p 5201 -t 2 -C cubic --fast"
    );
    // The row of the receiver's copy alone.
    assert!(first_client(Kind::Ours, abilities, "skip1").ends_with("-C cubic --skip-rx-copy"));
}

#[test]
fn short_tests_have_one_server_for_all() {
    let tests = |kind| short_tests(&peer(kind, ALL_FLAGS), "10.0.0.2", 65_536);
    let ours = tests(Kind::Ours).expect("can");
    assert_eq!(ours.server.arguments.join(" "), "-s -p 5201");
    assert_eq!(ours.client.join(" "), "-c 10.0.0.2 -p 5201 -n 65536");
    assert!(tests(Kind::Neper).is_err());
}
