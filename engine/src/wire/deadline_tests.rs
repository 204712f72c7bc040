//! Peers that say nothing, or too little, in each phase.

use super::*;

/// Field report 088, E3: every wait of the server has a deadline, and it is kept to the second.
#[test]
fn a_silent_client_is_given_up_in_every_phase() {
    let params = TestParams {
        limit: Limit::Bytes(1 << 40),
        ..TestParams::default()
    };
    for (name, mut s) in servers(&params) {
        let limit = match name {
            "params" => HANDSHAKE,
            "running" => LIFE,
            "streams" | "results" | "done" => STEP,
            // The server's own turn.
            _ => {
                assert_eq!(s.deadline(), None, "{name}");
                continue;
            }
        };
        s.tick(T0 + limit - Duration::from_millis(1));
        assert_eq!(s.next_event(), None, "{name} ended early");
        s.tick(T0 + limit);
        assert!(
            matches!(
                s.next_event(),
                Some(ServerEvent::Failed(WireError::Deadline { .. }))
            ),
            "{name}"
        );
        assert_eq!(s.take_output().first(), Some(&0xfe), "{name}");
    }
}

#[test]
fn a_silent_server_is_given_up_in_every_phase_that_waits_for_it() {
    for (name, mut c) in clients() {
        if ["streams", "running", "own results"].contains(&name) {
            assert_eq!(c.deadline(), None, "{name}");
            continue;
        }
        let limit = match name {
            "ending" | "results" | "display" => LIFE,
            _ => STEP,
        };
        c.tick(T0 + limit - Duration::from_millis(1));
        assert_eq!(c.next_event(), None, "{name} ended early");
        c.tick(T0 + limit);
        let Some(ClientEvent::Failed(WireError::Deadline { seconds, .. })) = c.next_event() else {
            panic!("{name} has no end")
        };
        assert_eq!(seconds, limit.as_secs(), "{name}");
    }
}

/// Field report 073: 15 s without life are over 15 s after the last sign of it, not 15 s after the end of the test.
#[test]
fn report_073_a_server_that_died_before_the_end_is_not_waited_for_anew() {
    let (_, mut c) = clients()
        .into_iter()
        .find(|(name, _)| *name == "running")
        .unwrap();
    c.end_test(seconds(6));
    c.tick(seconds(20));
    assert_eq!(c.next_event(), None);
    c.tick(seconds(21));
    assert!(matches!(
        c.next_event(),
        Some(ClientEvent::Failed(WireError::Deadline { seconds: 15, .. }))
    ));
}

#[test]
fn one_byte_a_second_does_not_stretch_the_handshake() {
    let mut s = ServerMachine::new(T0);
    for (second, byte) in [0, 0, 1, 0, b'{'].into_iter().enumerate() {
        let second = second as u64;
        s.feed(&[byte]);
        s.tick(seconds(second));
        assert_eq!(s.next_event(), None);
    }
    s.tick(seconds(5));
    assert!(matches!(
        s.next_event(),
        Some(ServerEvent::Failed(WireError::Deadline { .. }))
    ));
}

#[test]
fn a_server_keeps_the_time_itself_even_when_data_goes_on() {
    let params = TestParams {
        limit: Limit::Time(Duration::from_secs(3)),
        omit: Duration::from_secs(1),
        ..TestParams::default()
    };
    let (_, mut s) = servers(&params).swap_remove(3);
    for second in 0..14 {
        s.alive(seconds(second));
        s.tick(seconds(second));
        assert_eq!(s.next_event(), None, "at {second} s");
    }
    s.alive(seconds(14));
    s.tick(seconds(14));
    assert!(matches!(
        s.next_event(),
        Some(ServerEvent::Failed(WireError::Deadline { seconds: 14, .. }))
    ));
    assert_eq!(s.take_output(), [0xfe, 0, 0, 0, 160, 0, 0, 0, 0]);
}

#[test]
fn slow_blocks_are_no_sign_of_death() {
    let params = TestParams {
        bitrate: Some(10_000),
        limit: Limit::Bytes(1 << 30),
        ..TestParams::default()
    };
    let (_, mut s) = servers(&params).swap_remove(3);
    // 128 KiB at 10 kbit/s is one block in 104.9 s.
    s.tick(seconds(119));
    assert_eq!(s.next_event(), None);
    s.tick(seconds(120));
    assert!(matches!(
        s.next_event(),
        Some(ServerEvent::Failed(WireError::Deadline { .. }))
    ));
}
