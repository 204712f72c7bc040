use super::*;
use crate::event::Event;
use crate::report::HostFacts;
use proptest::prelude::*;

const RUN: &str = "0b5c8d0e-1111-4222-8333-444455556666";

fn digest(figures: Vec<Figures>) -> Digest {
    Digest {
        version: DIGEST_VERSION,
        run: RUN.to_owned(),
        attempt: 2,
        outcome: Outcome::Complete,
        reason: None,
        message: String::new(),
        document: Some(DocumentSum::of("the lines")),
        thinned: 0,
        figures,
        figures_in_log: None,
        client_host: Some(host("node-a")),
        server_host: Some(host("node-b")),
    }
}

fn host(name: &str) -> HostFacts {
    HostFacts {
        hostname: format!("nettest-client-{name}"),
        kernel: "6.12.0-12345-very-long-vendor-suffix.x86_64".to_owned(),
        node: Some(format!("{name}.rack-12.example.net")),
        allowed_cpus: "2-3,66-67".to_owned(),
        allowed_cpu_count: 4,
        online_cpu_count: 128,
        mtu: Some(1500),
        qdisc: Some("mq/fq_codel".to_owned()),
        ..HostFacts::default()
    }
}

/// Figures that no two repeats have alike, as of a fast link.
fn figures(variants: usize, flows: &[&str], repeats: u64) -> Vec<Figures> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut column = |around: u64| -> Vec<u64> {
        (0..repeats)
            .map(|_| {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                around + seed % around
            })
            .collect()
    };
    let mut all = Vec::new();
    for n in 0..variants {
        for flow in flows {
            all.push(Figures {
                variant: format!("udp-p{n}-m1400"),
                flow: (*flow).to_owned(),
                sent_bits_per_second: column(90_000_000_000),
                received_bits_per_second: column(90_000_000_000),
                sent_bytes: column(110_000_000_000),
                received_bytes: column(110_000_000_000),
                fairness_ppm: column(500_000),
                datagrams: column(80_000_000),
                lost_datagrams: column(8000),
                out_of_order: column(80),
                jitter_microseconds: column(8),
                client_cpu_milli: column(3000),
                server_cpu_milli: column(3000),
                sender_sockets: Some(SocketFacts {
                    sndbuf: Some(425_984),
                    congestion: Some("cubic".to_owned()),
                    ..SocketFacts::default()
                }),
                receiver_sockets: Some(SocketFacts::default()),
                ..Figures::default()
            });
        }
    }
    all
}

fn log_of(digest: &Digest) -> String {
    let line = Event::Digest(digest.clone()).to_line().unwrap();
    format!("noise of a sidecar\n{{\"event\":\"interval\"}}\n{line}\n")
}

#[test]
fn a_small_digest_is_its_own_json() {
    let small = digest(figures(1, &["ClientToServer"], 3));
    let text = encode(&small);
    assert_eq!(text, serde_json::to_string(&small).unwrap());
    assert_eq!(decode(&text).unwrap(), small);
    assert_eq!(decode(&format!(" {text}\n")).unwrap(), small);
    assert!(!text.contains("thinned") && !text.contains("figuresInLog"));
}

/// What engines wrote before there were variants.
#[test]
fn a_digest_without_the_newer_fields_is_read() {
    let old = r#"{"version":1,"run":"u","attempt":1,"outcome":"Complete","figures":[{"variant":"default",
        "flow":"ClientToServer","sentBitsPerSecond":[1],"receivedBitsPerSecond":[1],"sentBytes":[1],"receivedBytes":[1]}]}"#;
    let digest = decode(old).unwrap();
    assert_eq!(digest.figures[0].received_bits_per_second, [1]);
    assert_eq!((digest.thinned, digest.figures_in_log), (0, None));
    assert_eq!(digest.figures[0].sender_sockets, None);
}

#[test]
fn a_longer_digest_is_compressed() {
    let longer = digest(figures(3, &["ClientToServer", "ServerToClient"], 5));
    let text = encode(&longer);
    assert!(serde_json::to_string(&longer).unwrap().len() > MAX_DIGEST_BYTES);
    assert!(text.starts_with("z1:") && text.len() <= MAX_DIGEST_BYTES);
    assert_eq!(decode(&text).unwrap(), longer);
}

#[test]
fn a_sweeps_digest_is_a_stub_that_finds_the_whole_one() {
    let whole = digest(figures(64, &["ClientToServer", "ServerToClient"], 9));
    let text = encode(&whole);
    assert!(text.len() <= MAX_DIGEST_BYTES);
    let stub = decode(&text).unwrap();
    let json = serde_json::to_string(&whole).unwrap();
    assert_eq!(stub.figures_in_log, Some(DocumentSum::of(&json)));
    let without = Digest {
        figures: Vec::new(),
        figures_in_log: stub.figures_in_log.clone(),
        ..whole.clone()
    };
    assert_eq!(stub, without);
    assert_eq!(find_in_log(&log_of(&whole), &stub), Some(whole));
}

#[test]
fn a_line_of_another_run_attempt_or_text_is_not_taken() {
    let whole = digest(figures(64, &["ClientToServer"], 9));
    let stub = decode(&encode(&whole)).unwrap();
    let log = log_of(&whole);
    assert_eq!(find_in_log(&log, &whole), None, "a whole digest is no stub");
    assert_eq!(find_in_log(&log[..log.len() - 100], &stub), None);
    assert_eq!(find_in_log("", &stub), None);
    for foreign in [
        Digest {
            run: "another".to_owned(),
            ..stub.clone()
        },
        Digest {
            attempt: 3,
            ..stub.clone()
        },
    ] {
        assert_eq!(find_in_log(&log, &foreign), None);
    }
    let mut other = whole.clone();
    other.figures[0].received_bits_per_second[0] += 1;
    assert_eq!(find_in_log(&log_of(&other), &stub), None);
    // A line that somebody else wrote is no obstacle.
    let both = log_of(&other) + &log + "{\"event\":\"digest\",\"data\":{}}\n";
    assert_eq!(find_in_log(&both, &stub), Some(whole));
}

#[test]
fn what_swells_still_fits() {
    let mut worst = digest(Vec::new());
    worst.outcome = Outcome::Failed;
    worst.message = "é\u{1}".repeat(2000);
    worst.server_host = Some(HostFacts {
        allowed_cpus: "100-101,".repeat(128),
        ..host("b")
    });
    let text = encode(&worst);
    assert!(text.len() <= MAX_DIGEST_BYTES, "{}", text.len());
    let read = decode(&text).unwrap();
    assert!(!read.message.is_empty());
    assert_eq!((read.outcome, read.attempt), (Outcome::Failed, 2));
    assert_eq!(
        read.figures_in_log, None,
        "there are no figures to look for"
    );
}

#[test]
fn what_inflates_to_much_more_is_refused() {
    use base64::Engine as _;
    use std::io::Write;
    let mut deflating = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..64 {
        deflating.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let bomb = base64::engine::general_purpose::STANDARD.encode(deflating.finish().unwrap());
    assert!(bomb.len() < 100_000);
    let refused = decode(&format!("z1:{bomb}"));
    assert!(matches!(refused, Err(DecodeError::TooLong)), "{refused:?}");
    let long = format!("{{\"run\":\"{}\"}}", "x".repeat(message::MOST_BYTES));
    assert!(matches!(decode(&long), Err(DecodeError::TooLong)));
    assert!(matches!(decode("z1:%"), Err(DecodeError::Base64(_))));
    assert!(matches!(
        decode("z1://///w=="),
        Err(DecodeError::Deflate(_))
    ));
    assert!(decode("z1:").is_err());
    assert!(matches!(decode(""), Err(DecodeError::Json(_))));
    assert!(matches!(
        decode(&"[".repeat(100_000)),
        Err(DecodeError::Json(_))
    ));
}

fn any_digest() -> impl Strategy<Value = Digest> {
    let column = || prop::collection::vec(any::<u64>(), 0..40);
    let one = (
        "[a-z0-9.-]{1,63}",
        any::<bool>(),
        column(),
        column(),
        column(),
    )
        .prop_map(|(variant, forward, sent, received, retransmits)| Figures {
            variant,
            flow: if forward {
                "ClientToServer"
            } else {
                "ServerToClient"
            }
            .to_owned(),
            sent_bits_per_second: sent.clone(),
            received_bits_per_second: received,
            sent_bytes: sent,
            retransmits,
            ..Figures::default()
        });
    (
        "[a-zA-Z0-9-]{0,64}",
        any::<u32>(),
        ".{0,600}",
        any::<u32>(),
        prop::collection::vec(one, 0..130),
        prop::option::of("[0-9,-]{0,1024}"),
    )
        .prop_map(|(run, attempt, message, thinned, figures, cpus)| Digest {
            run,
            attempt,
            message,
            thinned,
            client_host: cpus.map(|allowed_cpus| HostFacts {
                allowed_cpus,
                ..host("a")
            }),
            ..digest(figures)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_digest_fits_and_comes_back(whole in any_digest()) {
        let text = encode(&whole);
        prop_assert!(text.len() <= MAX_DIGEST_BYTES, "{}", text.len());
        let read = decode(&text).unwrap();
        prop_assert_eq!((&read.run, read.attempt), (&whole.run, whole.attempt));
        if read.figures_in_log.is_some() {
            prop_assert_eq!(find_in_log(&log_of(&whole), &read), Some(whole));
        } else {
            prop_assert_eq!(&read.figures, &whole.figures);
        }
    }

    #[test]
    fn a_text_that_was_cut_is_refused(whole in any_digest(), keep in 0usize..4096) {
        let text = encode(&whole);
        let cut = message::cut(&text, keep.min(text.len() - 1));
        // Only what base64 pads with may go without a loss.
        if let Ok(read) = decode(&cut) {
            prop_assert_eq!(read.figures, decode(&text).unwrap().figures);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in ".{0,300}", bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        use base64::Engine as _;
        let _ = decode(&text);
        let _ = decode(&format!("z1:{text}"));
        let _ = decode(&format!("z1:{}", base64::engine::general_purpose::STANDARD.encode(bytes)));
    }
}
