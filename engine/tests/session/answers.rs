//! What our client makes of a server's answers.

use crate::raw::Raw;
use crate::run::{engine, finish, text, wait};
use serde_json::Value;
use std::net::{TcpListener, TcpStream};
use std::process::Output;
use std::time::{Duration, Instant};

/// Our client against a server that is scripted up to the exchange of parameters.
fn against(flags: &str, server: impl FnOnce(&TcpListener, &mut Raw)) -> Output {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let client = engine(&format!("-c 127.0.0.1 -p {port} {flags}")).spawn();
    let client = client.expect("the client starts");
    let mut raw = Raw::accept(&listener);
    assert_eq!(raw.exactly(37).last(), Some(&0));
    server(&listener, &mut raw);
    wait(client)
}

/// A whole test, whose results carry the server's output.
fn with_output(listener: &TcpListener, raw: &mut Raw) {
    raw.send(&[9]);
    whole_test(listener, raw);
}

fn whole_test(listener: &TcpListener, raw: &mut Raw) {
    raw.json();
    raw.send(&[10]);
    let (mut stream, _): (TcpStream, _) = listener.accept().expect("a stream");
    raw.send(&[1, 2]);
    let reader = std::thread::spawn(move || std::io::copy(&mut stream, &mut std::io::sink()));
    assert_eq!(raw.state(), 4);
    raw.send(&[13]);
    raw.json();
    raw.send_json(
        r#"{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":-1,"server_output_text":"THEIR ROWS","streams":[{"id":1,"bytes":65536,"retransmits":-1,"jitter":0,"errors":0,"packets":0,"start_time":0,"end_time":1}]}"#,
    );
    raw.send(&[14]);
    assert_eq!(raw.state(), 16);
    reader.join().expect("it reads").expect("to the end");
}

/// iperf3 3.12, once asked, sends its output in every later test.
#[test]
fn server_output_that_was_not_asked_for_is_not_shown() {
    for (flags, shown) in [
        ("", false),
        ("-J", false),
        ("--get-server-output", true),
        ("-J --get-server-output", true),
    ] {
        let output = against(&format!("-n 64K {flags}"), with_output);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        assert_eq!(said.contains("THEIR ROWS"), shown, "{flags}: {said}");
        let named = said.contains("Server output") || said.contains("server_output_text");
        assert_eq!(named, shown, "{flags}: {said}");
    }
}

fn reason(output: &Output) -> Value {
    let out = text(&output.stdout);
    let last: Value = serde_json::from_str(out.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["event"], "digest", "{out}");
    last["data"]["reason"].clone()
}

/// The kernel at either end decides what there is; the request was a right one.
#[test]
fn a_congestion_control_that_a_kernel_does_not_have_is_protocol_unsupported() {
    let run = "-n 64K --measurement-stream --run-uid u-1";
    // Nothing listens there: what this machine lacks is said before a packet.
    let ours = finish(&format!("-c 127.0.0.1 -p 9 -C nonsense {run}"));
    assert_eq!(ours.status.code(), Some(1));
    assert_eq!(reason(&ours), "ProtocolUnsupported");
    let said = text(&ours.stderr);
    assert!(said.contains("\"nonsense\""), "{said}");

    let theirs = against(&format!("-C reno {run}"), |_, raw| {
        raw.send(&[9]);
        assert_eq!(raw.json()["congestion"], "reno");
        raw.send(&[0xfe]);
        raw.send(&134i32.to_be_bytes());
        raw.send(&2i32.to_be_bytes());
    });
    assert_eq!(theirs.status.code(), Some(1));
    assert_eq!(reason(&theirs), "ProtocolUnsupported");
    let said = text(&theirs.stderr);
    assert!(said.contains("congestion control"), "{said}");
}

/// It took the connection, and says nothing: within the connect timeout that is no server.
#[test]
fn a_mute_server_is_unreachable_within_the_connect_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let begun = Instant::now();
    let flags = "--connect-timeout 700 --measurement-stream --run-uid u-1";
    let output = finish(&format!("-c 127.0.0.1 -p {port} {flags}"));
    let took = begun.elapsed();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert_eq!(reason(&output), "PeerUnreachable");
    let said = text(&output.stderr);
    assert!(said.contains("did not answer within 700 ms"), "{said}");
    assert!(took >= Duration::from_millis(700), "{took:?}");
    assert!(took < Duration::from_secs(6), "{took:?}");
}

/// The limit is the first answer's alone: a slow start of the test is another matter.
#[test]
fn a_connect_timeout_ends_with_the_first_answer() {
    let output = against("--connect-timeout 700 -n 64K", |listener, raw| {
        raw.send(&[9]);
        std::thread::sleep(Duration::from_millis(1000));
        whole_test(listener, raw);
    });
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}
