//! E12: SIGINT, SIGTERM and SIGHUP in each state of both roles, as text and as a document, and a second SIGTERM: the end
//! within two seconds, the documented code, exactly one document. The peers say nothing more once the state is reached.

use crate::process::until;
use crate::raw::{COOKIE, Raw};
use crate::run::{engine, free_port, signal, text, wait};
use crate::uninterrupted::uninterrupted;
use serde_json::Value;
use socket2::{Domain, Socket, Type};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::Output;
use std::time::{Duration, Instant};

/// Two seconds, and some for a machine that runs all of these at once.
const ENDED: Duration = Duration::from_millis(4000);
const PARAMS: &str = r#"{"tcp":true,"time":60,"parallel":1,"len":16384,"bandwidth":1000000}"#;
const RESULTS: &str = r#"{"cpu_util_total":1,"cpu_util_user":1,"cpu_util_system":0,"sender_has_retransmits":-1,"streams":[{"id":1,"bytes":0,"retransmits":-1,"jitter":0,"errors":0,"packets":0,"start_time":0,"end_time":1}]}"#;

/// The signals, and the code of a program that ends by them (docs/exit-codes.md).
const SIGNALS: [(&str, i32); 3] = [("INT", 130), ("TERM", 143), ("HUP", 129)];

struct Case {
    state: &'static str,
    signal: &'static str,
    code: i32,
    json: bool,
    /// The signal comes twice.
    twice: bool,
}

impl Case {
    fn name(&self) -> String {
        let twice = if self.twice { " twice" } else { "" };
        let form = if self.json { "-J" } else { "text" };
        format!("{}{twice} in '{}' as {form}", self.signal, self.state)
    }
}

fn cases(states: &[&'static str]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &state in states {
        for (signal, code) in SIGNALS {
            for (json, twice) in [(false, false), (true, false), (true, true)] {
                if !twice || signal == "TERM" {
                    cases.push(Case {
                        state,
                        signal,
                        code,
                        json,
                        twice,
                    });
                }
            }
        }
    }
    cases
}

/// Signals the program and waits for its end.
fn end(case: &Case, child: std::process::Child) -> Output {
    let begun = Instant::now();
    signal(&child, case.signal);
    if case.twice {
        std::thread::sleep(Duration::from_millis(20));
        // It may have ended by now: then its own exit code is what counts.
        let _ = std::process::Command::new("kill")
            .args([&format!("-{}", case.signal), &child.id().to_string()])
            .stderr(std::process::Stdio::null())
            .status();
    }
    let output = wait(child);
    let took = begun.elapsed();
    assert!(took < ENDED, "{}: {took:?}", case.name());
    output
}

fn document(case: &Case, output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        panic!("{}: {e}: '{out}' '{err}'", case.name())
    })
}

/// A port whose queue is full: a connection is tried, and nothing answers.
fn unanswered() -> (u16, Vec<Socket>) {
    let any: SocketAddr = "127.0.0.1:0".parse().expect("an address");
    let listener = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    listener.bind(&any.into()).expect("a port");
    listener.listen(0).expect("listens");
    let addr = listener.local_addr().expect("its address");
    let port = addr.as_socket().expect("of IPv4").port();
    let mut held = vec![listener];
    for _ in 0..3 {
        let filler = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        filler.set_nonblocking(true).expect("non-blocking");
        let _ = filler.connect(&addr);
        held.push(filler);
    }
    (port, held)
}

/// Whether the process has a socket in state 2, SYN_SENT (proc_pid_net(5)).
fn connecting(pid: u32) -> bool {
    let Ok(entries) = std::fs::read_dir(format!("/proc/{pid}/fd")) else {
        return false;
    };
    let links = entries.flatten().filter_map(|e| e.path().read_link().ok());
    let own: Vec<String> = links
        .filter_map(|link| Some(link.to_str()?.strip_prefix("socket:[")?.replace(']', "")))
        .collect();
    let all = std::fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    all.lines().any(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        fields.get(3) == Some(&"02")
            && fields
                .get(9)
                .is_some_and(|inode| own.iter().any(|o| o == inode))
    })
}

fn client(case: &Case) {
    let form = if case.json { "-J" } else { "" };
    let state = case.state;
    let flags = match state {
        "a reverse test" => "-t 60 -R -b 5M",
        "the streams" | "a UDP test" => "-u -t 60 -b 5M",
        "the end" | "the results" => "-n 64K",
        _ => "-t 60 -b 5M",
    };
    let start = |port: u16| {
        let child = engine(&format!("-c 127.0.0.1 -p {port} {flags} {form}")).spawn();
        child.expect("the client starts")
    };
    let output = if state == "the connection" {
        let (port, _held) = unanswered();
        let child = start(port);
        let limit = Duration::from_secs(20);
        until(limit, "it connects", || connecting(child.id()));
        end(case, child)
    } else {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let udp = UdpSocket::bind(("127.0.0.1", port)).expect("the same UDP port");
        let patience = Some(Duration::from_secs(25));
        udp.set_read_timeout(patience).expect("a timeout");
        let child = start(port);
        let mut raw = Raw::accept(&listener);
        raw.exactly(37);
        let _stream = serve(state, &listener, &udp, &mut raw);
        end(case, child)
    };
    let name = case.name();
    assert_eq!(output.status.code(), Some(case.code), "{name}");
    let said = text(&output.stderr);
    let named = format!("SIG{}", case.signal);
    assert!(said.contains(&named), "{name}: {said}");
    assert_eq!(said.lines().count(), 1, "{name}: {said}");
    if case.json {
        let document = document(case, &output);
        let error = document["error"].as_str().unwrap_or_default();
        assert!(error.contains(&named), "{name}: {error}");
        let moved = document["end"]["sum_sent"]["bytes"].as_u64();
        let measured = ["a TCP test", "a UDP test", "the end", "the results"].contains(&state);
        assert_eq!(moved.is_some_and(|n| n > 0), measured, "{name}: {document}");
    }
}

/// A scripted server up to that state, and what it has to hold on to.
fn serve(state: &str, listener: &TcpListener, udp: &UdpSocket, raw: &mut Raw) -> Option<TcpStream> {
    if state == "the handshake" {
        return None;
    }
    raw.send(&[9]);
    raw.json();
    if state == "the parameters" {
        return None;
    }
    raw.send(&[10]);
    let mut datagram = [0; 2000];
    if ["the streams", "a UDP test"].contains(&state) {
        let (_, peer) = uninterrupted(|| udp.recv_from(&mut datagram)).expect("a hello");
        if state == "a UDP test" {
            udp.send_to(b"6789", peer).expect("an answer");
            raw.send(&[1, 2]);
            for _ in 0..20 {
                uninterrupted(|| udp.recv_from(&mut datagram)).expect("data");
            }
        }
        return None;
    }
    let (mut stream, _) = listener.accept().expect("a stream");
    stream.read_exact(&mut [0; 37]).expect("its cookie");
    if state == "the start" {
        return Some(stream);
    }
    raw.send(&[1, 2]);
    match state {
        "a reverse test" => stream.write_all(&[0; 300_000]).expect("data"),
        "a TCP test" => stream.read_exact(&mut [0; 300_000]).expect("data"),
        _ => {
            stream.read_exact(&mut [0; 65_536]).expect("all of it");
            assert_eq!(raw.state(), 4);
        }
    }
    if state == "the results" {
        raw.send(&[13]);
        raw.json();
    }
    Some(stream)
}

#[test]
fn signals_in_every_state_of_a_client_end_it_with_what_it_has() {
    let cases = cases(&[
        "the connection",
        "the handshake",
        "the parameters",
        "the streams",
        "the start",
        "a TCP test",
        "a reverse test",
        "a UDP test",
        "the end",
        "the results",
    ]);
    for some in cases.chunks(24) {
        std::thread::scope(|scope| {
            for case in some {
                scope.spawn(move || client(case));
            }
        });
    }
}

fn server(case: &Case) {
    let form = if case.json { "-J" } else { "" };
    let port = free_port();
    let child = engine(&format!("-s -p {port} {form}")).spawn();
    let child = child.expect("the server starts");
    until(Duration::from_secs(20), "it listens", || {
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    let test = !["idle", "the handshake", "the parameters"].contains(&case.state);
    let _held = visit(case.state, port);
    let output = end(case, child);
    let name = case.name();
    let code = if test { case.code } else { 0 };
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{name}: {said}");
    if case.json && test {
        let document = document(case, &output);
        let error = document["error"].as_str().unwrap_or_default();
        let named = format!("SIG{}", case.signal);
        assert!(error.contains(&named), "{name}: {document}");
    } else if case.json && !output.stdout.is_empty() {
        document(case, &output);
    }
}

/// A raw client up to that state.
fn visit(state: &str, port: u16) -> Vec<Raw> {
    match state {
        "idle" => Vec::new(),
        "the handshake" => vec![Raw::connect(port)],
        "the parameters" => vec![Raw::knock(port, COOKIE)],
        "the streams" => vec![Raw::start_test(port, PARAMS)],
        "a UDP test" => {
            let mut raw = Raw::start_test(port, &PARAMS.replace("tcp", "udp"));
            let stream = UdpSocket::bind("127.0.0.1:0").expect("a socket");
            stream.connect(("127.0.0.1", port)).expect("connects");
            let patience = Some(Duration::from_secs(20));
            stream.set_read_timeout(patience).expect("a timeout");
            stream.send(b"9876").expect("a hello");
            uninterrupted(|| stream.recv(&mut [0; 100])).expect("an answer");
            assert_eq!([raw.state(), raw.state()], [1, 2]);
            vec![raw]
        }
        "a reverse test" => {
            let params = PARAMS.replace('}', r#","reverse":true}"#);
            let (raw, stream) = Raw::running(port, COOKIE, &params);
            vec![raw, stream]
        }
        _ => {
            let (mut raw, stream) = Raw::running(port, COOKIE, PARAMS);
            if state != "a TCP test" {
                raw.send(&[4]);
                assert_eq!(raw.state(), 13);
            }
            if state == "the close" {
                raw.send_json(RESULTS);
                raw.json();
                assert_eq!(raw.state(), 14);
            }
            vec![raw, stream]
        }
    }
}

#[test]
fn signals_in_every_state_of_a_server_end_it_with_what_it_has() {
    let cases = cases(&[
        "idle",
        "the handshake",
        "the parameters",
        "the streams",
        "a TCP test",
        "a reverse test",
        "a UDP test",
        "the results",
        "the close",
    ]);
    for some in cases.chunks(24) {
        std::thread::scope(|scope| {
            for case in some {
                scope.spawn(move || server(case));
            }
        });
    }
}
