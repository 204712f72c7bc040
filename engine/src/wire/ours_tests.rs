//! What only our own ends say to each other, and an error that old servers cut short.

use super::*;

/// iperf3 up to 3.18 sends one of the two numbers when a login is wrong, and closes.
#[test]
fn an_error_whose_second_number_is_missing_is_understood() {
    for (_, mut c) in clients() {
        c.feed(&[0xfe], T0);
        c.feed(&142i32.to_be_bytes(), T0);
        let early = c.next_event();
        c.closed();
        // In the exchange of results the byte is part of a length.
        if let Some(ClientEvent::Failed(WireError::Server { code, errno })) =
            early.or(c.next_event())
        {
            assert_eq!((code, errno), (142, 0));
        }
    }
    let mut c = client(&TestParams::default());
    c.feed(&[9, 0xfe, 0, 0, 0, 142], T0);
    c.closed();
    let told = WireError::Server {
        code: 142,
        errno: 0,
    };
    assert_eq!(c.next_event(), Some(ClientEvent::Failed(told)));
}

#[test]
fn a_place_in_line_is_told_and_then_the_test_goes_on() {
    let mut c = client(&TestParams::default());
    c.take_output();
    for place in [3u32, 2, 2, 1] {
        c.feed(&[32], T0);
        c.feed(&place.to_be_bytes(), seconds(9));
        assert_eq!(c.next_event(), Some(ClientEvent::InLine(place)));
        assert_eq!(
            c.deadline(),
            Some(seconds(19)),
            "a server in which nothing stirs is dead"
        );
    }
    c.feed(&[9], seconds(9));
    // What they say of the time was made before the wait.
    assert_eq!(c.next_event(), Some(ClientEvent::ParamsWanted));
    assert_eq!((c.take_output(), c.deadline()), (Vec::new(), None));
    c.send_params(b"{}", seconds(9));
    assert_eq!(c.take_output(), b"\0\0\0\x02{}");
    assert_eq!(c.deadline(), Some(seconds(19)));
    c.send_params(b"{}", seconds(9));
    assert!(c.take_output().is_empty(), "once");
    // Only before the parameters.
    c.feed(&[32], seconds(9));
    assert!(matches!(
        c.next_event(),
        Some(ClientEvent::Failed(WireError::Unexpected { byte: 32, .. }))
    ));
}

/// A frozen client of ours is noticed whatever the data does, and one that answers lives on.
#[test]
fn a_client_that_can_is_asked_for_signs_of_life() {
    let params = TestParams::default();
    let extras = extras::Extras {
        answers_alive: true,
        ..extras::Extras::default()
    };
    let json = params::encode_with(&params, 1000, &extras);
    let mut c = ClientMachine::new(&Cookie::random([7; 36]), json, T0);
    let mut s = ServerMachine::new(T0);
    c.take_output();
    exchange(&mut c, &mut s, 100);
    s.accept(&params, T0);
    s.start(T0);
    assert_eq!(s.take_output(), [10, 1, 2, 33]);
    c.feed(&[10, 1, 2, 33], T0);
    assert_eq!((c.heard_alive(), c.take_output()), (Some(T0), vec![33]));
    s.feed(&[33]);
    s.tick(seconds(3));
    assert_eq!(s.take_output(), [33]);
    c.feed(&[33], seconds(3));
    assert_eq!(c.heard_alive(), Some(seconds(3)));
    assert_eq!(c.take_output(), [33]);
    s.feed(&[33]);
    s.alive(seconds(3));
    s.tick(seconds(6));
    assert_eq!(s.take_output(), [33], "it is asked again");
    // One that crosses the end of the test.
    c.end_test(seconds(6));
    c.feed(&[33, 13], seconds(6));
    while let Some(event) = c.next_event() {
        assert!(!matches!(event, ClientEvent::Failed(_)), "{event:?}");
    }
    s.tick(seconds(18));
    while s
        .next_event()
        .is_some_and(|event| matches!(event, ServerEvent::Params(_)))
    {}
    assert_eq!(
        s.take_output()[..5],
        [0xfe, 0, 0, 0, 144],
        "15 s after the last sign"
    );
}

/// A hostile server could else make the client's memory grow: what it is to be told goes nowhere.
#[test]
fn a_flood_of_questions_gets_no_flood_of_answers() {
    let mut c = client(&TestParams::default());
    c.feed(&[9, 10, 1, 2], T0);
    c.take_output();
    c.feed(&[33; 10_000], T0);
    c.feed(&[33; 10_000], T0);
    assert_eq!(c.take_output(), [33]);
    c.feed(&[33], seconds(3));
    assert_eq!(c.take_output(), [33], "who asks as ours do is answered");
}
