//! Streams over loopback sockets.
//!
//! - [`tcp`], [`budget`]: byte streams
//! - [`udp`]: datagrams, paced and flooded
//! - [`without_copies`]: zero-copy, skipped reads, files
//! - [`omit`]: where the counted part of paced datagrams begins
//! - [`scripted`]: datagrams of a peer that loses, swaps, repeats and lies
mod budget;
mod omit;
mod scripted;
mod tcp;
mod udp;
mod without_copies;

use super::*;
use nettest_report::params::Protocol;
use socket2::Socket;
use std::io::Read;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn tcp_pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (one, listener.accept().unwrap().0)
}

fn udp_pair() -> (UdpSocket, UdpSocket) {
    let (one, two) = (
        UdpSocket::bind("127.0.0.1:0").unwrap(),
        UdpSocket::bind("127.0.0.1:0").unwrap(),
    );
    one.connect(two.local_addr().unwrap()).unwrap();
    two.connect(one.local_addr().unwrap()).unwrap();
    (one, two)
}

fn task(
    socket: impl Into<Socket>,
    duty: Duty,
    protocol: Protocol,
    block_size: usize,
) -> StreamTask {
    let socket = socket.into();
    StreamTask {
        socket,
        duty,
        load: load(protocol, block_size),
        file: None,
        cpu: None,
    }
}

/// Unlimited, and nothing special.
pub(crate) fn load(protocol: Protocol, block_size: usize) -> Load {
    Load {
        protocol,
        block_size,
        bitrate: None,
        burst: 0,
        udp_64bit: false,
        payload: crate::workload::Payload::Random,
        zerocopy: false,
        skip_rx_copy: false,
        gsro: false,
        fast: false,
        kernel_paced: false,
    }
}

/// `task` with its load changed.
fn with(mut task: StreamTask, change: impl FnOnce(&mut Load)) -> StreamTask {
    change(&mut task.load);
    task
}

fn silent() -> Arc<RunControl> {
    RunControl::new(Arc::new(|| ()))
}

/// A stop takes effect within 60 ms (a sender) or 110 ms (a receiver); the rest is for a loaded machine.
const SOON: Duration = Duration::from_millis(500);

/// Polls; a test must not hang for ever.
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !done() {
        assert!(Instant::now() < deadline, "not within 10 s: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn after(milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

#[test]
fn blocks_that_no_loop_can_work_with_are_refused() {
    for (protocol, size) in [
        (Protocol::Udp, 0),
        (Protocol::Udp, 11),
        (Protocol::Udp, 65_508),
        (Protocol::Tcp, 0),
        (Protocol::Tcp, (1 << 20) + 1),
    ] {
        let (one, _two) = udp_pair();
        let error = spawn(task(one, Duty::Send, protocol, size), silent()).unwrap_err();
        assert!(
            error.to_string().contains(&format!("{size} bytes")),
            "{error}"
        );
    }
}

#[test]
fn a_thread_runs_on_its_cpu_or_says_why_not() {
    let last = *crate::sock::allowed_cpus().unwrap().last().unwrap();
    for (cpu, works) in [(last, true), (5000, false)] {
        let (one, mut two) = tcp_pair();
        let control = silent();
        control.set_budget(Some(1000), None);
        let pinned = StreamTask {
            cpu: Some(cpu),
            ..task(one, Duty::Send, Protocol::Tcp, 1000)
        };
        let sender = spawn(pinned, control.clone()).unwrap();
        control.start();
        let mut all = Vec::new();
        let outcome = sender.join();
        two.read_to_end(&mut all).unwrap();
        assert_eq!(
            (outcome.error.is_none(), all.len() == 1000),
            (works, works),
            "{outcome:?}"
        );
    }
}
