use super::*;
use crate::testing::{CPU_PINNED, PAIR_TCP, digest, host, valid};

fn judge(manifest: &str, client: Option<HostFacts>, server: Option<HostFacts>) -> Pinning {
    let mut digest = digest(&[1]);
    (digest.client_host, digest.server_host) = (client, server);
    pinning(&valid(manifest), &digest)
}

#[test]
fn confirmed_by_exactly_the_asked_cpus_of_a_larger_machine() {
    assert_eq!(
        judge(CPU_PINNED, Some(host("2-3", 2)), Some(host("1", 1))),
        Pinning::Exclusive {
            message: "client on CPU 2-3 of 4; server on CPU 1 of 4".to_owned()
        }
    );
    let all_of_a_small_machine = HostFacts {
        online_cpu_count: 2,
        ..host("0-1", 2)
    };
    for (client, server, names) in [
        (Some(host("2-3", 2)), None, "server"),
        (None, Some(host("1", 1)), "client"),
        (
            Some(host("0-3", 4)),
            Some(host("1", 1)),
            "client's engine was allowed 4 of 4 CPUs (0-3), 2 of its own asked",
        ),
        (Some(all_of_a_small_machine), Some(host("1", 1)), "client"),
    ] {
        let Pinning::Refused { message } = judge(CPU_PINNED, client, server) else {
            panic!("{names}");
        };
        assert!(message.contains(names), "{message}");
    }
}

#[test]
fn one_shared_end_makes_a_shared_run_and_the_other_must_still_confirm() {
    assert_eq!(
        judge(PAIR_TCP, None, None),
        Pinning::Shared {
            message: "client and server ran in the shared pool".to_owned()
        }
    );
    let mixed = CPU_PINNED.replace("server: {cpu: {mode: Exclusive}}", "server: {}");
    assert_eq!(
        judge(&mixed, Some(host("2-3", 2)), None),
        Pinning::Shared {
            message: "server ran in the shared pool".to_owned()
        }
    );
    assert!(matches!(
        judge(&mixed, Some(host("0-3", 4)), None),
        Pinning::Refused { .. }
    ));
}

#[test]
fn preferred_cpus_are_done_without_and_required_ones_are_not() {
    let (good, bad) = (Some(host("1", 1)), Some(host("0-3", 4)));
    let of = |client: &str, server: &str| {
        CPU_PINNED
            .replace(
                "client: {cpu: {mode: Exclusive, count: 2}, memory: 512Mi}",
                &format!("client: {{cpu: {{mode: Exclusive, enforcement: {client}}}}}"),
            )
            .replace(
                "server: {cpu: {mode: Exclusive}}",
                &format!("server: {{cpu: {{mode: Exclusive, enforcement: {server}}}}}"),
            )
    };
    for (client, server) in [("Preferred", "Preferred"), ("Preferred", "Required")] {
        let Pinning::FellBack { message } = judge(&of(client, server), bad.clone(), good.clone())
        else {
            panic!("{client} {server}");
        };
        assert!(
            message.starts_with("the client's engine was allowed 4 of 4 CPUs"),
            "{message}"
        );
    }
    // One end must have them, whichever else was done without.
    assert!(matches!(
        judge(&of("Preferred", "Required"), bad.clone(), bad.clone()),
        Pinning::Refused { message } if message.starts_with("the server's")
    ));
    assert!(matches!(
        judge(&of("Preferred", "Preferred"), good.clone(), good),
        Pinning::Exclusive { .. }
    ));
}

/// The second attempt of a preferred end is in the shared pool, even if that has no more CPUs left than were asked for.
#[test]
fn a_shared_pool_as_small_as_what_was_asked_for_is_no_exclusive_cpu() {
    let preferred = CPU_PINNED.replace("count: 2}", "count: 1, enforcement: Preferred}");
    let of = |attempt: u32| {
        let mut digest = digest(&[1]);
        digest.attempt = attempt;
        (digest.client_host, digest.server_host) = (Some(host("0", 1)), Some(host("1", 1)));
        pinning(&valid(&preferred), &digest)
    };
    assert!(matches!(of(1), Pinning::Exclusive { .. }));
    let Pinning::FellBack { message } = of(2) else {
        panic!("{:?}", of(2));
    };
    assert!(
        message.starts_with("the client ran in the shared pool") && message.ends_with("attempt 2"),
        "{message}"
    );
    // The other end is required, and was asked for again.
    assert!(!message.contains("server"), "{message}");
}
