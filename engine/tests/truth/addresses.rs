//! Where streams leave from and go to.

use crate::lab::{Alone, Net};
use crate::run::text;
use crate::strict::{count, list};

#[test]
fn report_060_an_address_alone_leaves_the_ports_to_the_kernel() {
    let lab = Alone::new("");
    for flags in [
        "-B 127.0.0.1 -P 4 -n 100K",
        "-B 127.0.0.1 -P 4 -u -k 10 -b 10M",
    ] {
        let document = lab.measure(flags);
        let connected = list(&document["start"]["connected"]);
        let ports: Vec<u64> = connected
            .iter()
            .map(|stream| count(&stream["local_port"]))
            .collect();
        assert_eq!(ports.len(), 4);
        assert!(ports.iter().all(|port| *port >= 1024), "{flags}: {ports:?}");
    }
}

#[test]
fn report_061_a_bad_port_is_a_parameter_error() {
    let net = Net::new();
    for (flags, named) in [
        ("--cport fdfdf", "--cport"),
        ("--cport 70000", "--cport"),
        ("--cport -1", "--cport"),
        ("-p 0", "-p"),
        ("-p 65536", "-p"),
        ("-p x", "-p"),
    ] {
        let output = net.finish(&format!("-c 127.0.0.1 {flags}"));
        assert_eq!(output.status.code(), Some(1), "{flags}");
        let said = text(&output.stderr);
        assert!(
            said.contains("parameter error") && said.contains(named),
            "{flags}: {said}"
        );
    }
}

#[test]
fn report_062_link_local_addresses_work_with_a_zone_and_ask_for_one() {
    let (near, far) = Net::pair();
    let _server = far.server("");
    for server in [
        "fe80::2%v0",
        "fe80::2%v0 -B fe80::1%v0",
        "fe80::2%v0 -6 -B fe80::1%v0 -R",
    ] {
        let document = near.measure(server, "-n 100K");
        assert_eq!(
            document["end"]["sum_received"]["bytes"], 102_400,
            "{server}"
        );
        let document = near.measure(server, "-u -k 10 -b 10M");
        assert_eq!(document["end"]["sum_received"]["packets"], 10, "{server}");
    }
    let output = near.finish("-c fe80::2 -n 100K --connect-timeout 2000");
    assert_ne!(output.status.code(), Some(0));
    let said = text(&output.stderr);
    assert!(said.contains("fe80::2%"), "the zone is asked for: {said}");
}
