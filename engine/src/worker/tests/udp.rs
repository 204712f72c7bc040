//! Datagrams between two streams of ours.

use super::*;

/// What a paced sender did with a budget of datagrams, seen by itself and by a receiver that only looks at the clock.
struct Paced {
    sent: u64,
    /// From the first datagram to the last, as the sender saw it.
    took: Duration,
    gaps: Vec<Duration>,
}

fn paced_udp(bitrate: u64, burst: u32, block: usize, datagrams: u64) -> Paced {
    let (one, two) = udp_pair();
    let control = silent();
    control.set_budget(None, Some(datagrams));
    let paced = with(task(one, Duty::Send, Protocol::Udp, block), |load| {
        load.bitrate = Some(bitrate);
        load.burst = burst;
    });
    let sender = spawn(paced, control.clone()).unwrap();
    two.set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let reader = std::thread::spawn(move || {
        let mut arrivals = Vec::new();
        let mut buffer = vec![0; 65536];
        while two.recv(&mut buffer).is_ok() {
            arrivals.push(Instant::now());
        }
        arrivals
    });
    control.start();
    wait_until("the budget is used up", || sender.is_finished());
    let (first, last) = sender.first_last();
    let took = last.unwrap() - first.unwrap();
    let sent = sender.join().snapshot.packets;
    let arrivals = reader.join().unwrap();
    let gaps = arrivals.windows(2).map(|pair| pair[1] - pair[0]).collect();
    Paced { sent, took, gaps }
}

/// Never faster than asked, in any try. As fast as asked whenever the machine lets the thread run: a loaded one gets
/// some tries, since nothing but the pacer can make one of them right to the per cent.
fn keeps_the_rate(
    bitrate: u64,
    burst: u32,
    block: usize,
    datagrams: u64,
    evenly: impl Fn(&Paced) -> bool,
) {
    const TRIES: usize = 20;
    let chunk = u64::from(burst.max(1));
    // The first chunk leaves at once, so the last one is due after the wire time of all others.
    let bits = (datagrams - chunk) * block as u64 * 8;
    let nominal = Duration::from_secs_f64(bits as f64 / bitrate as f64);
    let mut seen = Vec::new();
    for _ in 0..TRIES {
        let paced = paced_udp(bitrate, burst, block, datagrams);
        assert_eq!(paced.sent, datagrams);
        assert!(
            paced.took + Duration::from_micros(100) >= nominal,
            "faster than asked: {:?} of {nominal:?}",
            paced.took
        );
        if paced.took <= nominal.mul_f64(1.02) && evenly(&paced) {
            return;
        }
        seen.push(paced.took);
    }
    panic!("not once in {TRIES} tries was it {nominal:?}: {seen:?}");
}

#[test]
fn report_019_slow_udp_has_the_right_number_of_datagrams() {
    // -u -b 10k -l 1340 for 10 s are 9 or 10 datagrams; here ten times as fast.
    keeps_the_rate(100_000, 0, 1340, 10, |_| true);
}

#[test]
fn report_020_udp_leaves_evenly() {
    keeps_the_rate(1_000_000, 0, 1000, 50, |paced| {
        let mut gaps = paced.gaps.clone();
        gaps.sort();
        let median = gaps[gaps.len() / 2].as_secs_f64() * 1000.0;
        (7.5..=8.5).contains(&median)
    });
}

#[test]
fn report_021_a_burst_keeps_the_average() {
    // 1000 datagrams a second in tens, the first of them at the start.
    keeps_the_rate(10_000_000, 10, 1250, 300, |paced| {
        let close = |gap: &&Duration| **gap < Duration::from_millis(3);
        paced.gaps.iter().filter(close).count() >= 300 - 300 / 10 - 3
    });
}

#[test]
fn udp_budgets_are_exact_and_arrive() {
    for (bytes, blocks, expected) in [(None, Some(100), 100), (Some(14_100), None, 71)] {
        // Small ones: all of them fit into a default receive buffer, whenever the receiver runs.
        let (one, two) = udp_pair();
        let (sending, receiving) = (silent(), silent());
        sending.set_budget(bytes, blocks);
        let paced = with(task(one, Duty::Send, Protocol::Udp, 200), |load| {
            load.bitrate = Some(20_000_000);
        });
        let receiver = spawn(
            task(two, Duty::Receive, Protocol::Udp, 200),
            receiving.clone(),
        )
        .unwrap();
        let sender = spawn(paced, sending.clone()).unwrap();
        receiving.start();
        sending.start();
        wait_until("budget", || {
            sending.budget_exhausted() && sender.is_finished()
        });
        receiving.stop();
        let (sent, received) = (sender.join().snapshot, receiver.join().snapshot);
        assert_eq!((sent.packets, sent.bytes), (expected, expected * 200));
        assert_eq!(
            (received.packets, received.bytes, received.lost),
            (expected, expected * 200, 0)
        );
        assert_eq!(received.socket_drops, Some(0));
    }
}

#[test]
fn udp_flood_counts_add_up() {
    let (one, two) = udp_pair();
    let (sending, receiving) = (silent(), silent());
    let wide = |task: StreamTask| with(task, |load| load.udp_64bit = true);
    let receiver = spawn(
        wide(task(two, Duty::Receive, Protocol::Udp, 1448)),
        receiving.clone(),
    )
    .unwrap();
    let sender = spawn(
        wide(task(one, Duty::Send, Protocol::Udp, 1448)),
        sending.clone(),
    )
    .unwrap();
    receiving.start();
    sending.start();
    after(200);
    sending.stop();
    wait_until("sender", || sender.is_finished());
    receiving.stop();
    let (sent, received) = (sender.join(), receiver.join());
    assert!(
        sent.error.is_none() && received.error.is_none(),
        "{sent:?} {received:?}"
    );
    let (sent, received) = (sent.snapshot, received.snapshot);
    assert!(
        sent.packets > 1000 && received.packets > 1000,
        "{sent:?} {received:?}"
    );
    assert_eq!(received.bytes, received.packets * 1448);
    assert_eq!(received.packets + received.lost, received.highest_seq);
    assert_eq!((received.out_of_order, received.duplicates), (0, 0));
    // Loopback loses nothing else: what did not arrive was dropped by the full socket. The kernel counts merged ones
    // as one, whatever their length, and those of a full socket are not as long as the others: near, and not exact.
    let (missing, dropped) = (
        sent.packets - received.packets,
        received.socket_drops.unwrap(),
    );
    assert!(
        missing.abs_diff(dropped) * 2 <= missing.max(100),
        "{missing} missing, {dropped} dropped"
    );
}
