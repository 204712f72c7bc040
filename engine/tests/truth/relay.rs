//! E8 between two of ours: a relay on the path loses, swaps and repeats datagrams, and remembers what it passed on.

use crate::run::{Server, finish, text};
use crate::strict::{self, count};
use crate::uninterrupted::uninterrupted;
use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LENGTH: usize = 300;

/// What leaves when a datagram with this number comes; it may hold some back.
type Faults = fn(u64, &mut Vec<Vec<u8>>, Vec<u8>) -> Vec<Vec<u8>>;

/// What the relay passed on, in order.
type Passed = Arc<Mutex<Vec<u64>>>;

struct Relay {
    port: u16,
    passed: Passed,
    over: Arc<AtomicBool>,
}

impl Relay {
    fn start(server: u16, faults: Faults) -> Relay {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let client_side = UdpSocket::bind(("127.0.0.1", port)).expect("the same UDP port");
        let server_side = UdpSocket::bind("127.0.0.1:0").expect("a port");
        server_side
            .connect(("127.0.0.1", server))
            .expect("connects");
        let relay = Relay {
            port,
            passed: Passed::default(),
            over: Arc::default(),
        };
        std::thread::spawn(move || {
            let (client, _) = listener.accept().expect("a client");
            let server = TcpStream::connect(("127.0.0.1", server)).expect("the server listens");
            let both = (
                client.try_clone().expect("a handle"),
                server.try_clone().expect("a handle"),
            );
            std::thread::spawn(move || pump(both.1, both.0));
            pump(client, server);
        });
        let client: Arc<Mutex<Option<SocketAddr>>> = Arc::default();
        for (from, to, learns) in [
            (client_side.try_clone(), server_side.try_clone(), true),
            (server_side.try_clone(), client_side.try_clone(), false),
        ] {
            let (from, to) = (from.expect("a handle"), to.expect("a handle"));
            from.set_read_timeout(Some(Duration::from_millis(50)))
                .expect("a timeout");
            let (passed, over, client) = (relay.passed.clone(), relay.over.clone(), client.clone());
            std::thread::spawn(move || {
                let mut held = Vec::new();
                let mut buffer = [0; 2000];
                while !over.load(Ordering::Relaxed) {
                    let Ok((length, peer)) = uninterrupted(|| from.recv_from(&mut buffer)) else {
                        continue;
                    };
                    if learns {
                        *client.lock().expect("the client") = Some(peer);
                    }
                    let datagram = buffer[..length].to_vec();
                    let leaving = match number(&datagram) {
                        Some(number) => faults(number, &mut held, datagram),
                        None => vec![datagram],
                    };
                    for datagram in leaving {
                        passed
                            .lock()
                            .expect("the numbers")
                            .extend(number(&datagram));
                        let _ = match *client.lock().expect("the client") {
                            Some(client) if !learns => to.send_to(&datagram, client),
                            _ => to.send(&datagram),
                        };
                    }
                }
            });
        }
        relay
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

fn pump(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(std::net::Shutdown::Write);
}

/// Of a datagram of the data; hellos have none.
fn number(datagram: &[u8]) -> Option<u64> {
    let number = datagram.get(8..12).filter(|_| datagram.len() == LENGTH)?;
    Some(u64::from(u32::from_be_bytes(
        number.try_into().expect("four bytes"),
    )))
}

/// One in ten is lost, one in seven comes after the next, one in thirteen comes twice.
fn mixed(number: u64, held: &mut Vec<Vec<u8>>, datagram: Vec<u8>) -> Vec<Vec<u8>> {
    let mut leaving = Vec::new();
    if number.is_multiple_of(7) && !number.is_multiple_of(10) {
        held.push(datagram);
        return leaving;
    }
    if !number.is_multiple_of(10) {
        leaving.push(datagram.clone());
    }
    if number.is_multiple_of(13) {
        leaving.push(datagram);
    }
    leaving.append(held);
    leaving
}

#[test]
fn e8_both_ends_tell_what_a_bad_path_did() {
    for reverse in ["", "-R"] {
        let server = Server::start("-i 0");
        let relay = Relay::start(server.port, mixed);
        let output = finish(&format!(
            "-c 127.0.0.1 -p {} -u -k 5000 -l {LENGTH} -b 8M -i 0 -w 400K --measurement-stream --run-uid u {reverse}",
            relay.port
        ));
        assert_eq!(
            output.status.code(),
            Some(0),
            "{reverse}: {}",
            text(&output.stderr)
        );
        let passed = relay.passed.lock().expect("the numbers").clone();
        let (mut seen, mut highest, mut late, mut twice) = (BTreeSet::new(), 0, 0u64, 0u64);
        for number in passed {
            if !seen.insert(number) {
                twice += 1;
            } else if number < highest {
                late += 1;
            }
            highest = highest.max(number);
        }
        assert!(
            late > 400 && twice > 250 && seen.len() < 4600,
            "{late} {twice} {}",
            seen.len()
        );
        let document = strict::measured(&output.stdout);
        let end = &document["end"];
        let (udp, more) = (&end["streams"][0]["udp"], &document["nettest"]["udp"][0]);
        assert_eq!(count(&udp["out_of_order"]), late, "{reverse}: {udp}");
        assert_eq!(count(&more["duplicates"]), twice, "{reverse}: {more}");
        assert_eq!(more["socketDrops"], 0, "{reverse}: {more}");
        assert_eq!(end["sum_sent"]["packets"], 5000, "{reverse}: {end}");
        let received = &end["sum_received"];
        assert_eq!(
            count(&received["lost_packets"]),
            5000 - seen.len() as u64,
            "{reverse}: {received}"
        );
        assert_eq!(
            count(&received["bytes"]),
            (seen.len() * LENGTH) as u64,
            "{reverse}: {received}"
        );
    }
}
