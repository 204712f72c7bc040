use super::*;
use crate::testing::{PAIR_TCP, PAIR_UDP, digest as whole, figures, measured_by, text, uid, valid};
use nettest_report::{digest::DocumentSum, event::Measurement};

#[test]
fn a_digest_is_read_back_and_checked_against_its_run() {
    let good = whole(&[1, 2, 3]);
    assert_eq!(digest(&text(&good), &uid(), 1), Ok(good.clone()));
    assert_eq!(digest(" \n", &uid(), 1), Err(DigestError::Missing));
    assert!(matches!(
        digest("panicked at main.rs", &uid(), 1),
        Err(DigestError::Unreadable(_))
    ));
    // Cut by the kubelet at 4096 bytes.
    let cut = text(&good)[..100].to_owned();
    assert!(matches!(
        digest(&cut, &uid(), 1),
        Err(DigestError::Unreadable(_))
    ));
    assert_eq!(
        digest(&text(&good), &uid(), 2),
        Err(DigestError::Foreign {
            run: good.run.clone(),
            attempt: 1
        })
    );
    assert!(matches!(
        digest(&text(&good), &RunUid::from("another"), 1),
        Err(DigestError::Foreign { .. })
    ));
    let newer = Digest { version: 2, ..good };
    assert_eq!(
        digest(&text(&newer), &uid(), 1),
        Err(DigestError::Version(2))
    );
}

/// A server's facts are its own to say, and go on to the status and terminals.
#[test]
fn names_in_a_digest_that_are_none_are_unknown() {
    let mut told = whole(&[1]);
    let mut host = told.server_host.take().expect("a host");
    host.qdisc = Some("\u{1b}]0;title\u{7}".to_owned());
    host.sockets.congestion = Some("c".repeat(3_000));
    told.server_host = Some(host.clone());
    let read = digest(&text(&told), &uid(), 1).expect("a digest");
    host.qdisc = None;
    host.sockets.congestion = None;
    assert_eq!(read.server_host, Some(host));
}

#[test]
fn complete_means_every_repeat_of_every_flow() {
    let (tcp, udp) = (valid(PAIR_TCP), valid(PAIR_UDP));
    assert_eq!(complete(&tcp, Lane::PODS, &whole(&[1, 2, 3])), Ok(()));
    assert!(matches!(
        complete(&tcp, Lane::PODS, &whole(&[1, 2])),
        Err(IncompleteError::Repeats { seen: 2, .. })
    ));
    // One of another lane, or one twice.
    let mut twice = whole(&[1, 2, 3]);
    twice.figures.push(twice.figures[0].clone());
    assert_eq!(
        complete(&tcp, Lane::PODS, &twice),
        Err(IncompleteError::Others { seen: 2, asked: 1 })
    );
    // Bidirectional: two flows, two repeats each.
    let mut both = whole(&[1, 2]);
    assert!(matches!(
        complete(&udp, Lane::PODS, &measured_by(&udp, both.clone())),
        Err(IncompleteError::Flow {
            flow: Flow::ServerToClient,
            ..
        })
    ));
    both.figures.push(figures("ServerToClient", &[3, 4]));
    assert_eq!(
        complete(&udp, Lane::PODS, &measured_by(&udp, both.clone())),
        Ok(())
    );
    both.figures[1].jitter_microseconds = vec![1];
    assert!(matches!(
        complete(&udp, Lane::PODS, &measured_by(&udp, both.clone())),
        Err(IncompleteError::Uneven { .. })
    ));
}

fn measurement(run: &str, repeat: u32) -> String {
    Event::Measurement(Measurement {
        run: run.to_owned(),
        attempt: 1,
        variant: "tcp-p4".to_owned(),
        repeat,
        thinned: false,
        report: serde_json::json!({"end": {}}),
    })
    .to_line()
    .expect("JSON")
}

#[test]
fn documents_are_our_lines_and_whole_by_their_checksum() {
    let mut digest = whole(&[1, 2, 3]);
    let (one, two) = (measurement(&digest.run, 1), measurement(&digest.run, 2));
    let lines = format!("{one}\n{two}\n");
    digest.document = Some(DocumentSum {
        sha256: sha256(&lines),
        bytes: lines.len() as u64,
    });
    let log = format!(
        "noise\n{one}\n{}\n{{\"event\":\"interval\"}}\n{two}\n",
        measurement("another", 1)
    );
    assert_eq!(documents(&log, &digest), Documents { lines, whole: true });
    // A rotated, cut or forged log is told by the sum.
    for broken in [
        format!("{one}\n"),
        String::new(),
        format!("{one}\n{two}\n{two}\n"),
    ] {
        assert!(!documents(&broken, &digest).whole);
    }
    digest.document = None;
    assert!(!documents(&log, &digest).whole, "nothing vouches for it");
}

#[test]
fn sums_are_sha256() {
    assert_eq!(
        sha256("abc"),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}
