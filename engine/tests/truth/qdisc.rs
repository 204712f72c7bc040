//! The queueing discipline and the MTU of the device that the data leaves by, against what `tc` says of it.

use crate::lab::Net;
use crate::run::text;
use serde_json::Value;
use std::collections::BTreeSet;

fn both_ends(document: &Value) -> (&Value, &Value) {
    let end = &document["end"]["nettest"];
    let qdisc = |host: &str| &end[host]["qdisc"];
    assert_eq!(&document["start"]["nettest"]["qdisc"], qdisc("host"));
    (qdisc("host"), qdisc("peer_host"))
}

#[test]
fn each_end_tells_its_own_devices_discipline() {
    let (near, far) = Net::pair();
    near.run("tc qdisc add dev v0 root tbf rate 1gbit burst 64kb limit 4mb");
    let server = far.server("-V");
    for address in ["10.7.0.2", "fd07::2", "fe80::2%v0"] {
        for flags in ["-n 10K", "-n 10K -R", "-u -k 3", "-u -k 3 --bidir"] {
            let document = near.measure(address, flags);
            let (own, peers) = both_ends(&document);
            assert_eq!((own, peers), (&"tbf".into(), &"noqueue".into()), "{flags}");
            // What a veth says of its speed is a convention.
            for host in ["host", "peer_host"] {
                let host = &document["end"]["nettest"][host];
                assert_eq!(host["linkSpeedBitsPerSecond"], Value::Null, "{host}");
            }
        }
    }
    for (flags, lines) in [
        ("", "snd_qdisc tbf\nrcv_qdisc noqueue\n"),
        ("-R", "snd_qdisc noqueue\nrcv_qdisc tbf\n"),
    ] {
        let said = near.finish(&format!("-c 10.7.0.2 -n 10K -V {flags}"));
        let said = text(&said.stdout);
        assert!(said.contains(lines), "{said}");
    }
    // The server's own report, the same way round.
    let served = text(&server.stop().stdout);
    assert!(
        served.contains("snd_qdisc tbf\nrcv_qdisc noqueue\n"),
        "{served}"
    );
    assert!(
        served.contains("snd_qdisc noqueue\nrcv_qdisc tbf\n"),
        "{served}"
    );
}

/// Not the device that has the address: what goes to an address of one's own never leaves the machine.
#[test]
fn an_address_of_ones_own_is_reached_by_loopback() {
    let (near, _far) = Net::pair();
    near.run("tc qdisc add dev v0 root tbf rate 1gbit burst 64kb limit 4mb");
    let _server = near.server("");
    for address in ["10.7.0.1", "fd07::1"] {
        let document = near.measure(address, "-n 10K");
        let host = &document["end"]["nettest"]["host"];
        assert_eq!(host["linkSpeedBitsPerSecond"], Value::Null, "{address}");
        assert_eq!(host["qdisc"], "noqueue", "{address}");
        assert_eq!(host["mtu"], 65536, "{address}");
    }
}

/// The kernel gives them in pieces, after those of other devices.
#[test]
fn the_disciplines_of_a_device_with_many_queues_are_told_below_its_own() {
    let (near, far) = Net::pair();
    let _server = far.server("");
    near.run(&format!(
        "ip link add m0 numtxqueues 300 type veth peer name m0 netns {}",
        far.pid()
    ));
    for (net, number) in [(&near, 1), (&far, 2)] {
        net.run(&format!("ip addr add 10.8.0.{number}/24 dev m0"));
        net.run("ip link set m0 up");
    }
    near.run("tc qdisc add dev m0 root handle 1: mq");
    near.run("tc qdisc replace dev m0 parent 1:7 handle 7: pfifo limit 100");
    let listed = near.run("tc -j qdisc show dev m0");
    let listed: Value = serde_json::from_str(&listed).expect("tc's JSON");
    let kinds = listed.as_array().expect("a list").iter();
    let kinds: BTreeSet<&str> = kinds
        .filter_map(|one| one["kind"].as_str())
        .filter(|kind| *kind != "mq")
        .collect();
    assert!(kinds.len() > 1 && kinds.contains("pfifo"), "{kinds:?}");
    let kinds: Vec<&str> = kinds.into_iter().collect();
    let document = near.measure("10.8.0.2", "-n 10K");
    let qdisc = format!("mq/{}", kinds.join("+"));
    assert_eq!(both_ends(&document), (&qdisc.into(), &"noqueue".into()));
}
