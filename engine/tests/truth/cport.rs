//! `--cport`: the ports that the streams leave from.

use crate::lab::Alone;
use crate::run::text;
use crate::strict::{count, list};
use serde_json::Value;
use std::time::{Duration, Instant};

fn ports(document: &Value) -> Vec<u64> {
    let connected = list(&document["start"]["connected"]);
    connected
        .iter()
        .map(|stream| count(&stream["local_port"]))
        .collect()
}

/// One port a stream and direction from the asked one on, and the same again at once.
#[test]
fn report_059_client_ports_count_up_over_streams_and_directions() {
    let lab = Alone::new("");
    for (flags, expected) in [
        ("--cport 15200 --bidir -n 100K", vec![15200, 15201]),
        ("--cport 15200 --bidir -n 100K", vec![15200, 15201]),
        ("--cport 15100 -P 3 -n 100K", vec![15100, 15101, 15102]),
        ("--cport 15100 -P 3 -n 100K -R", vec![15100, 15101, 15102]),
        ("--cport 15100 -P 3 -n 100K -R", vec![15100, 15101, 15102]),
        (
            "--cport 15300 -P 2 --bidir -u -k 10 -b 10M",
            vec![15300, 15301, 15302, 15303],
        ),
        (
            "--cport 15300 -P 2 --bidir -u -k 10 -b 10M",
            vec![15300, 15301, 15302, 15303],
        ),
    ] {
        let document = lab.measure(flags);
        assert_eq!(ports(&document), expected, "{flags}");
    }
}

/// The last port of a row of streams may not exist, or be somebody's: a line that names it.
#[test]
fn report_059_a_client_port_that_is_taken_is_named() {
    let lab = Alone::new("");
    let _taken = lab.net.server("-p 15401");
    let begun = Instant::now();
    while !lab.net.finish("--probe -p 15401").status.success() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it listens");
    }
    let output = lab.net.finish("-c 127.0.0.1 --cport 15400 -P 3 -n 100K");
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("15401"), "{said}");
    lab.measure("--cport 15402 -P 3 -n 100K");
}
