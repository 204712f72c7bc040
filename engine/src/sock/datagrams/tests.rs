//! Both ends of a batch over loopback, each way that a kernel may degrade it.

use super::*;
use std::net::UdpSocket;
use std::time::Duration;

fn pair() -> (Socket, Socket) {
    let (one, two) = (
        UdpSocket::bind("127.0.0.1:0").unwrap(),
        UdpSocket::bind("127.0.0.1:0").unwrap(),
    );
    one.connect(two.local_addr().unwrap()).unwrap();
    two.connect(one.local_addr().unwrap()).unwrap();
    two.set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    (one.into(), two.into())
}

fn numbered(batch: &mut SendBatch, count: usize) {
    for index in 0..count {
        batch.datagram(index)[0] = index as u8;
    }
}

/// First byte and size of everything that arrives until silence.
fn arrived(batch: &mut ReceiveBatch, socket: &Socket) -> Vec<(u8, usize)> {
    let mut all = Vec::new();
    while batch.receive(socket).is_ok() {
        all.extend(
            batch
                .datagrams()
                .map(|it| (it.bytes.first().copied().unwrap_or(255), it.length)),
        );
    }
    all
}

#[test]
fn cut_by_the_kernel_or_sent_one_by_one_the_receiver_sees_the_same() {
    let expected: Vec<(u8, usize)> = (0..20).map(|index| (index, 1000)).collect();
    for (segmented, merged) in [(true, true), (true, false), (false, true), (false, false)] {
        let (from, to) = pair();
        if merged {
            assert!(matches!(offer_merged(&to, 1000), Offer::InForce));
        }
        let mut receive = ReceiveBatch::new(&to);
        assert_eq!(receive.merged, merged);
        let mut send = SendBatch::new(&from, 1000, |_| ()).unwrap();
        assert!(send.segmented(), "Linux has had UDP_SEGMENT since 4.18");
        if !segmented {
            set_udp_option(&from, libc::UDP_SEGMENT, 0).unwrap();
            send.segmented = false;
        }
        numbered(&mut send, 20);
        assert_eq!(send.send(&from, 20).unwrap(), 20);
        assert_eq!(
            arrived(&mut receive, &to),
            expected,
            "segmented {segmented}, merged {merged}"
        );
    }
}

#[test]
fn a_path_that_cannot_cut_falls_back_to_one_by_one() {
    let (from, to) = pair();
    let mut send = SendBatch::new(&from, 1000, |_| ()).unwrap();
    // More segments than any kernel takes in one call: refused with EINVAL, as a datagram above the MTU would be.
    set_udp_option(&from, libc::UDP_SEGMENT, 1).unwrap();
    numbered(&mut send, 20);
    assert_eq!(send.send(&from, 20).unwrap(), 20);
    assert!(!send.segmented());
    let all = arrived(&mut ReceiveBatch::new(&to), &to);
    assert_eq!(all, (0..20).map(|index| (index, 1000)).collect::<Vec<_>>());
}

/// Linux before 6.9 takes 64 datagrams in one call, and refuses more with EINVAL.
#[test]
fn a_kernel_that_takes_fewer_gets_fewer() {
    let (from, to) = pair();
    assert!(matches!(offer_merged(&to, 16), Offer::InForce));
    let mut send = SendBatch::new(&from, 16, |_| ()).unwrap();
    numbered(&mut send, 128);
    let first = send.send(&from, 128).unwrap();
    if first == 128 {
        // A newer one: it refuses 128 of 16 bytes as too many when it is to cut them by 8.
        set_udp_option(&from, libc::UDP_SEGMENT, 8).unwrap();
        assert_eq!(send.send(&from, 128).unwrap(), 64);
        set_udp_option(&from, libc::UDP_SEGMENT, 16).unwrap();
    }
    assert_eq!((send.capacity(), send.segmented()), (64, true));
    assert_eq!(send.send(&from, 128).unwrap(), 64, "and no more is tried");
    let all = arrived(&mut ReceiveBatch::new(&to), &to);
    let cut_by_8 = if first == 128 { 128 } else { 0 };
    assert_eq!(all.len(), first + cut_by_8 + 64);
}

#[test]
fn odd_sizes_arrive_as_they_are() {
    let (from, to) = pair();
    for size in [0, 1, 65507] {
        from.send(&vec![9; size]).unwrap();
    }
    let all = arrived(&mut ReceiveBatch::new(&to), &to);
    assert_eq!(all, [(255, 0), (9, 1), (9, 65507)]);
}

#[test]
fn a_batch_never_exceeds_one_call() {
    let (from, _to) = pair();
    for (block, capacity) in [(16, 128), (1448, 45), (32_768, 1), (65_507, 1)] {
        assert_eq!(
            SendBatch::new(&from, block, |_| ()).unwrap().capacity(),
            capacity
        );
    }
    assert!(SendBatch::new(&from, 0, |_| ()).is_err());
    assert!(SendBatch::new(&from, 65_508, |_| ()).is_err());
}

#[test]
fn heads_tell_the_true_length_of_what_was_not_read() {
    let (from, to) = pair();
    for size in [0, 10, 64, 65, 1448, 65_507] {
        from.send(&vec![7; size]).unwrap();
    }
    let mut heads = ReceiveBatch::heads();
    let all = arrived(&mut heads, &to);
    assert_eq!(
        all,
        [(255, 0), (7, 10), (7, 64), (7, 65), (7, 1448), (7, 65_507)]
    );
}

#[test]
fn what_is_in_force_is_read_back() {
    let (one, two) = pair();
    assert_eq!((segments(&one), merges(&two)), (Some(false), Some(false)));
    assert!(matches!(offer_segments(&one, 1448), Offer::InForce));
    assert!(matches!(offer_merged(&two, 1448), Offer::InForce));
    assert_eq!((segments(&one), merges(&two)), (Some(true), Some(true)));
    assert!(matches!(offer_segments(&one, 40_000), Offer::TooLarge));
    assert!(matches!(offer_merged(&two, 40_000), Offer::TooLarge));
}
