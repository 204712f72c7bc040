//! `-O` with paced datagrams: neither end counts one less.

use super::*;

/// Datagrams that the sender and the receiver count; `None`: the machine did not let the threads run.
fn counted(bitrate: u64, omit: u64, time: u64) -> Option<(u64, u64)> {
    let (one, two) = udp_pair();
    let (sending, receiving) = (silent(), silent());
    let paced = |load: &mut Load| load.bitrate = Some(bitrate);
    let sender = spawn(
        with(task(one, Duty::Send, Protocol::Udp, 1000), paced),
        sending.clone(),
    )
    .unwrap();
    let receiver = spawn(
        with(task(two, Duty::Receive, Protocol::Udp, 1000), paced),
        receiving.clone(),
    )
    .unwrap();
    let ms = Duration::from_millis;
    for control in [&receiving, &sending] {
        control.time(ms(omit), ms(time));
        control.start();
    }
    after(omit + time + 30);
    sending.stop();
    wait_until("the sender ends", || sender.is_finished());
    receiving.stop();
    let part = |handle: StreamHandle| {
        let mark = handle.marked();
        let all = handle.join().snapshot;
        mark.map(|mark| all.since(&mark))
    };
    let (sent, received) = (part(sender)?, part(receiver)?);
    assert_eq!(received.lost, 0);
    assert_eq!(received.bytes, received.packets * 1000);
    assert_eq!(received.packets, received.highest_seq);
    Some((sent.packets, received.packets))
}

/// 8 ms and 10 ms apart, where one is due at the very end of the omitted part, and 7.27 ms, where none is. A loaded
/// machine gets some tries: only the pacer and the boundary can make one of them right.
#[test]
fn both_ends_count_what_rate_and_time_ask_for() {
    for (bitrate, omit, time, expected) in [
        (1_000_000, 200, 400, 50),
        (800_000, 300, 300, 30),
        (1_100_000, 200, 400, 55),
    ] {
        let mut seen = Vec::new();
        while seen.last() != Some(&Some((expected, expected))) {
            assert!(seen.len() < 20, "{bitrate}: {seen:?}");
            seen.push(counted(bitrate, omit, time));
        }
    }
}
