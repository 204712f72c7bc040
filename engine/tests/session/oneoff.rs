//! Field report 082: what ends a one-off server, and with which status.

use crate::raw::{COOKIE, Raw};
use crate::run::{Running, Server, finish, signal, text};
use std::time::Duration;

fn status(mut server: Server) -> Option<i32> {
    server.child.wait().expect("the server ends").code()
}

#[test]
fn a_one_off_server_ends_with_its_tests_own_status() {
    let server = Server::start("-1");
    let output = finish(&format!("-c 127.0.0.1 -p {} -t 1 -b 1M", server.port));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(status(server), Some(0));
    // iperf3's own ends well whatever came of its test.
    for (flags, code) in [("-1", 1), ("-1 --iperf3-exit-codes", 0)] {
        let server = Server::start(flags);
        let client = format!("-c 127.0.0.1 -p {} -t 30 -b 1M", server.port);
        let client = Running::start(&client).until("/sec");
        signal(&client.child, "KILL");
        assert_eq!(status(server), Some(code), "{flags}");
        client.end();
    }
}

#[test]
fn report_082_connections_that_are_no_test_do_not_use_it_up() {
    let server = Server::start("-1");
    drop(Raw::connect(server.port));
    let mut cookie_only = Raw::connect(server.port);
    cookie_only.send(COOKIE);
    assert_eq!(cookie_only.state(), 9);
    drop(cookie_only);
    let mut wrong = Raw::connect(server.port);
    wrong.send(COOKIE);
    assert_eq!(wrong.state(), 9);
    wrong.send_json(r#"{"tcp":true,"parallel":0}"#);
    assert_eq!(wrong.rest(), [0xfe, 0, 0, 0, 6, 0, 0, 0, 0]);
    assert_eq!(
        finish(&format!("--probe -p {}", server.port)).status.code(),
        Some(0)
    );
    std::thread::sleep(Duration::from_millis(100));
    let output = finish(&format!("-c 127.0.0.1 -p {} -t 1 -b 1M", server.port));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(status(server), Some(0));
}
