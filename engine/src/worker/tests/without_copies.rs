//! `-Z`, `--skip-rx-copy` and `-F` over real sockets.

use super::*;
use std::io::{Seek, SeekFrom, Write};

/// Sends so many bytes and says what both ends counted.
fn transfer(send: impl FnOnce(&mut Load), receive: impl FnOnce(&mut Load)) -> (u64, u64) {
    let (one, two) = tcp_pair();
    let (sending, receiving) = (silent(), silent());
    sending.set_budget(Some(10_000_019), None);
    let sender = spawn(
        with(task(one, Duty::Send, Protocol::Tcp, 131_072), send),
        sending.clone(),
    )
    .unwrap();
    let receiver = spawn(
        with(task(two, Duty::Receive, Protocol::Tcp, 131_072), receive),
        receiving.clone(),
    )
    .unwrap();
    receiving.start();
    sending.start();
    wait_until("all is sent", || sender.is_finished());
    receiving.stop();
    (sender.join().snapshot.bytes, receiver.join().snapshot.bytes)
}

#[test]
fn zerocopy_and_skipped_reads_count_to_the_byte() {
    let both = (10_000_019, 10_000_019);
    assert_eq!(transfer(|load| load.zerocopy = true, |_| ()), both);
    assert_eq!(transfer(|_| (), |load| load.skip_rx_copy = true), both);
    assert_eq!(
        transfer(|load| load.zerocopy = true, |load| load.skip_rx_copy = true),
        both
    );
}

#[test]
fn a_zerocopy_sender_sends_its_payload() {
    let (one, mut two) = tcp_pair();
    let control = silent();
    control.set_budget(Some(250), None);
    let sender = spawn(
        with(task(one, Duty::Send, Protocol::Tcp, 100), |load| {
            load.zerocopy = true;
            load.payload = crate::workload::Payload::Digits;
        }),
        control.clone(),
    )
    .unwrap();
    control.start();
    wait_until("all is sent", || sender.is_finished());
    drop(sender.join());
    let mut all = Vec::new();
    two.read_to_end(&mut all).unwrap();
    let digits: Vec<u8> = (b'0'..=b'9').cycle().take(250).collect();
    assert_eq!(all, digits, "blocks of 100 begin at 0 again");
}

#[test]
fn a_paced_zerocopy_sender_keeps_its_rate() {
    let (one, mut two) = tcp_pair();
    let sink = std::thread::spawn(move || std::io::copy(&mut two, &mut std::io::sink()).unwrap());
    let control = silent();
    control.set_budget(Some(250_000), None);
    let sender = spawn(
        with(task(one, Duty::Send, Protocol::Tcp, 131_072), |load| {
            load.zerocopy = true;
            load.bitrate = Some(10_000_000);
        }),
        control.clone(),
    )
    .unwrap();
    control.start();
    wait_until("all is sent", || sender.is_finished());
    let (first, last) = sender.first_last();
    // 200 ms at that rate, of which the last piece of 10 ms leaves at once.
    let took = last.unwrap() - first.unwrap();
    assert!(took >= Duration::from_millis(185), "{took:?}");
    assert_eq!(sender.join().snapshot.bytes, 250_000);
    assert_eq!(sink.join().unwrap(), 250_000);
}

/// Header only: 40000 bytes cannot be merged. 1000 can: then the whole is read. The counts are the same.
#[test]
fn a_skipping_udp_receiver_counts_every_datagram_and_its_true_size() {
    for (block, count) in [(40_000usize, 20u64), (1000, 400)] {
        let (one, two) = udp_pair();
        let (sending, receiving) = (silent(), silent());
        sending.set_budget(None, Some(count));
        let sender = spawn(
            with(task(one, Duty::Send, Protocol::Udp, block), |load| {
                load.bitrate = Some(50_000_000);
            }),
            sending.clone(),
        )
        .unwrap();
        let receiver = spawn(
            with(task(two, Duty::Receive, Protocol::Udp, block), |load| {
                load.skip_rx_copy = true;
            }),
            receiving.clone(),
        )
        .unwrap();
        receiving.start();
        sending.start();
        wait_until("all is sent", || sender.is_finished());
        receiving.stop();
        let got = receiver.join().snapshot;
        assert_eq!(
            (got.packets, got.bytes, got.lost),
            (count, count * block as u64, 0),
            "{block}"
        );
    }
}

fn file_of(bytes: &[u8]) -> std::fs::File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    file
}

#[test]
fn a_file_is_sent_to_its_end_and_arrives_as_it_was() {
    let content: Vec<u8> = (0..1_000_003u32).map(|i| (i * 7 % 251) as u8).collect();
    for zerocopy in [false, true] {
        let (one, two) = tcp_pair();
        let (sending, receiving) = (silent(), silent());
        let mut from = with(task(one, Duty::Send, Protocol::Tcp, 131_072), |load| {
            load.zerocopy = zerocopy;
        });
        from.file = Some(file_of(&content));
        let mut written = file_of(b"");
        let mut to = with(task(two, Duty::Receive, Protocol::Tcp, 131_072), |load| {
            // A file has to see the data all the same.
            load.skip_rx_copy = true;
        });
        to.file = Some(written.try_clone().unwrap());
        let sender = spawn(from, sending.clone()).unwrap();
        let receiver = spawn(to, receiving.clone()).unwrap();
        receiving.start();
        sending.start();
        wait_until("all is sent", || sender.is_finished());
        assert!(sender.is_complete() && !receiver.is_complete());
        receiving.stop();
        assert_eq!(sender.join().snapshot.bytes, 1_000_003);
        assert_eq!(receiver.join().snapshot.bytes, 1_000_003);
        let mut arrived = Vec::new();
        written.seek(SeekFrom::Start(0)).unwrap();
        written.read_to_end(&mut arrived).unwrap();
        assert!(arrived == content, "zerocopy {zerocopy}");
    }
}

#[test]
fn a_budget_ends_a_file_early_and_exactly() {
    let (one, mut two) = tcp_pair();
    let control = silent();
    control.set_budget(Some(1500), None);
    let mut from = task(one, Duty::Send, Protocol::Tcp, 1000);
    from.file = Some(file_of(&[5; 4000]));
    let sender = spawn(from, control.clone()).unwrap();
    control.start();
    wait_until("the budget is sent", || sender.is_finished());
    assert!(control.budget_exhausted() && !sender.is_complete());
    drop(sender.join());
    let mut all = Vec::new();
    two.read_to_end(&mut all).unwrap();
    assert_eq!(all.len(), 1500);
}

#[test]
fn a_file_that_cannot_take_what_arrives_is_a_named_error() {
    let (one, two) = tcp_pair();
    let (sending, receiving) = (silent(), silent());
    sending.set_budget(Some(1000), None);
    let sender = spawn(task(one, Duty::Send, Protocol::Tcp, 1000), sending.clone()).unwrap();
    let mut to = task(two, Duty::Receive, Protocol::Tcp, 1000);
    to.file = Some(
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap(),
    );
    let receiver = spawn(to, receiving.clone()).unwrap();
    receiving.start();
    sending.start();
    wait_until("the receiver ends", || receiver.is_finished());
    let error = receiver.join().error.unwrap().to_string();
    assert!(error.contains("file"), "{error}");
    drop(sender);
}
