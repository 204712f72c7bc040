//! A receiving stream and a peer that plays given datagrams.

use super::*;
use crate::stats::{Snapshot, Width};
use crate::workload::Header;

/// Plays datagrams with these numbers to a receiving stream.
fn play(numbers: &[u64], extra: impl FnOnce(&UdpSocket, &UdpSocket)) -> (Snapshot, u64) {
    let (peer, two) = udp_pair();
    let foreigner = UdpSocket::bind("127.0.0.1:0").unwrap();
    let control = silent();
    let receiver = spawn(
        task(two, Duty::Receive, Protocol::Udp, 1000),
        control.clone(),
    )
    .unwrap();
    control.start();
    let mut datagram = vec![0x55; 1000];
    for (count, number) in numbers.iter().enumerate() {
        Header {
            sent_ns: 5,
            sequence: *number,
        }
        .write(&mut datagram, Width::Bits32);
        peer.send(&datagram).unwrap();
        if count % 50 == 49 {
            // A default receive buffer holds a few hundred of them.
            wait_until("received so far", || {
                let seen = receiver.snapshot();
                seen.packets + seen.duplicates > count as u64
            });
        }
    }
    extra(&peer, &foreigner);
    control.stop();
    wait_until("receiver", || receiver.is_finished());
    let malformed = receiver.malformed();
    (receiver.join().snapshot, malformed)
}

#[test]
fn report_025_a_reordering_path() {
    let mut numbers: Vec<u64> = (1..=1000).collect();
    for pair in 0..40 {
        numbers.swap(10 + pair * 20, 11 + pair * 20);
    }
    let (seen, _) = play(&numbers, |_, _| ());
    assert_eq!((seen.lost, seen.out_of_order, seen.duplicates), (0, 40, 0));
    assert_eq!(
        (seen.packets, seen.bytes, seen.highest_seq),
        (1000, 1_000_000, 1000)
    );
}

#[test]
fn report_026_loss_duplicates_and_a_swap() {
    let mut numbers: Vec<u64> = (1..=1000)
        .filter(|number| !(100..130).contains(number))
        .collect();
    let at = numbers.iter().position(|number| *number == 500).unwrap();
    numbers.swap(at, at + 1);
    numbers.splice(600..600, [250; 5]);
    let (seen, _) = play(&numbers, |_, _| ());
    assert_eq!((seen.lost, seen.duplicates, seen.out_of_order), (30, 5, 1));
    assert_eq!(
        (seen.packets, seen.bytes),
        (970, 970_000),
        "each datagram counts once"
    );
}

#[test]
fn short_and_foreign_datagrams_are_not_data() {
    let (seen, malformed) = play(&[1, 2, 4, 3], |peer, foreigner| {
        for size in 0..12 {
            peer.send(&vec![0xff; size]).unwrap();
        }
        // A repeated hello, number 0, and an absurd number.
        peer.send(b"9876").unwrap();
        let mut datagram = [0; 64];
        for sequence in [0, 0xffff_ff00] {
            Header {
                sent_ns: 5,
                sequence,
            }
            .write(&mut datagram, Width::Bits32);
            peer.send(&datagram).unwrap();
        }
        // Another sender at the same address: the socket is connected to its peer.
        Header {
            sent_ns: 5,
            sequence: 900,
        }
        .write(&mut datagram, Width::Bits32);
        foreigner
            .send_to(&datagram, peer.peer_addr().unwrap())
            .unwrap();
    });
    assert_eq!((seen.packets, seen.bytes, seen.highest_seq), (4, 4000, 4));
    assert_eq!((seen.lost, seen.out_of_order), (0, 1));
    assert_eq!(malformed, 15);
}

#[test]
fn datagrams_on_the_way_at_the_stop_still_count() {
    let (peer, two) = udp_pair();
    let control = silent();
    let receiver = spawn(
        task(two, Duty::Receive, Protocol::Udp, 100),
        control.clone(),
    )
    .unwrap();
    control.start();
    control.stop();
    after(20);
    let mut datagram = [0; 100];
    Header {
        sent_ns: 5,
        sequence: 1,
    }
    .write(&mut datagram, Width::Bits32);
    peer.send(&datagram).unwrap();
    let begun = Instant::now();
    wait_until("receiver", || receiver.is_finished());
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    assert_eq!(receiver.join().snapshot.packets, 1);
}
