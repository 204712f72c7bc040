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
                .map(|bytes| (bytes.first().copied().unwrap_or(255), bytes.len())),
        );
    }
    all
}

#[test]
fn cut_by_the_kernel_or_sent_one_by_one_the_receiver_sees_the_same() {
    let expected: Vec<(u8, usize)> = (0..20).map(|index| (index, 1000)).collect();
    for (segmented, merged) in [(true, true), (true, false), (false, true), (false, false)] {
        let (from, to) = pair();
        let mut receive = ReceiveBatch::new(&to);
        if !merged {
            set_udp_option(&to, libc::UDP_GRO, 0).unwrap();
            receive.merged = false;
        }
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
    for (block, capacity) in [(16, 64), (1448, 45), (32_768, 1), (65_507, 1)] {
        assert_eq!(
            SendBatch::new(&from, block, |_| ()).unwrap().capacity(),
            capacity
        );
    }
    assert!(SendBatch::new(&from, 0, |_| ()).is_err());
    assert!(SendBatch::new(&from, 65_508, |_| ()).is_err());
}
