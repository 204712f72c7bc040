//! While the client runs, and when it ended well.

use super::*;
use crate::{
    observed::Observed,
    testing::{CPU_PINNED, PAIR_TCP, digest, host, measured_by, seen, text, valid},
};

const RATES: [u64; 3] = [900_000_000, 950_000_000, 910_000_000];

fn of(manifest: &str, second: i64, change: impl FnOnce(&mut Observed)) -> Plan {
    let mut seen = seen(manifest);
    seen.run.placed = Some(at(0));
    seen.run.client_was_running = true;
    change(&mut seen);
    plan(&valid(manifest), &seen, at(second))
}

fn both() -> Vec<PodFacts> {
    vec![pod(Role::Server, running()), pod(Role::Client, running())]
}

#[test]
fn a_running_client_is_left_alone_until_its_deadline() {
    let mut test = valid(PAIR_TCP);
    test.limits.run_timeout = Duration::from_secs(1_000);
    let mut seen = seen(PAIR_TCP);
    seen.pods = both();
    // Longer than scheduleTimeout, which does not count any more.
    let before = plan(&test, &seen, at(999));
    assert_eq!(told(&before), "- | Running | a1");
    assert_eq!(before.requeue_after, Some(Duration::from_secs(1)));
    assert_eq!(
        told(&plan(&test, &seen, at(1_000))),
        "- | failed RunTimeout | a1"
    );
}

#[test]
fn a_node_whose_clock_is_behind_does_not_shorten_the_time() {
    let behind = PodState::Running {
        started: true,
        since: Some(at(-3_600)),
    };
    let plan = of(PAIR_TCP, 9, |seen| {
        seen.pods = vec![pod(Role::Server, running()), pod(Role::Client, behind)];
    });
    assert_eq!(told(&plan), "- | Running | a1");
}

#[test]
fn the_clients_last_words_are_waited_for_when_its_server_is_gone() {
    let client = || pod(Role::Client, running());
    for pods in [
        vec![client()],
        vec![pod(Role::Server, exited(137, "")), client()],
    ] {
        let plan = of(PAIR_TCP, 9, |seen| seen.pods = pods);
        assert_eq!(told(&plan), "- | Running | a1");
    }
}

#[test]
fn a_whole_digest_is_the_result_whatever_became_of_the_rest() {
    for servers in [
        vec![pod(Role::Server, running())],
        vec![pod(Role::Server, exited(137, ""))],
        vec![],
    ] {
        let plan = of(PAIR_TCP, 9, |seen| {
            seen.pods = servers;
            seen.pods
                .push(pod(Role::Client, exited(0, &text(&digest(&RATES)))));
            seen.nodes.clear();
        });
        assert_eq!(told(&plan), "- | measured | a1");
        assert_eq!(plan.collect[0].pod, "run-a1-client");
    }
}

#[test]
fn an_exclusive_end_must_have_confirmed_its_cpus() {
    let with = |client, server| {
        let mut digest = measured_by(&valid(CPU_PINNED), digest(&RATES[..1]));
        (digest.client_host, digest.server_host) = (client, server);
        of(CPU_PINNED, 9, |seen| {
            seen.pods = vec![
                pod(Role::Server, running()),
                pod(Role::Client, exited(0, &text(&digest))),
            ];
        })
    };
    let confirmed = with(Some(host("2-3", 2)), Some(host("1", 1)));
    assert_eq!(told(&confirmed), "- | measured | a1");
    for (client, server) in [
        (Some(host("2-3", 2)), Some(host("0-3", 4))),
        (Some(host("2-3", 2)), None),
        (Some(host("2", 1)), Some(host("1", 1))),
    ] {
        let plan = with(client, server);
        assert_eq!(told(&plan), "- | failed ExclusiveCPUNotGranted | a1");
    }
}

#[test]
fn an_incomplete_run_is_never_a_result() {
    let mut uneven = digest(&RATES);
    uneven.figures[0].retransmits = vec![1];
    let mut other_flow = digest(&RATES);
    other_flow.figures[0].flow = "ServerToClient".to_owned();
    for broken in [digest(&RATES[..2]), digest(&[]), uneven, other_flow] {
        let plan = of(PAIR_TCP, 9, |seen| {
            seen.pods = vec![pod(Role::Client, exited(0, &text(&broken)))];
        });
        assert_eq!(told(&plan), "- | failed EngineCrashed | a1");
    }
}

#[test]
fn a_finished_run_only_tidies_up_and_a_deleted_one_too() {
    for end in [
        (|seen: &mut Observed| seen.run.finished = true) as fn(&mut Observed),
        |seen| seen.run.deleting = true,
    ] {
        let left = |pods: Vec<PodFacts>| {
            of(PAIR_TCP, 9, |seen| {
                end(seen);
                seen.pods = pods;
            })
        };
        let first = told(&left(both()));
        assert_eq!(
            first, "delete run-a1-client | settled | a1",
            "traffic stops first"
        );
        let mut leaving = both();
        leaving[1].deleting = true;
        assert_eq!(told(&left(leaving)), "delete run-a1-server | settled | a1");
        let done = left(vec![]);
        assert_eq!(
            (told(&done).as_str(), done.requeue_after),
            ("- | settled | a1", None)
        );
    }
}

/// Pods do not see the devices of their nodes; a node's label may tell.
#[test]
fn a_link_that_no_device_tells_is_told_by_the_nodes_label() {
    let manifest = PAIR_TCP.replace(
        "min: 900M",
        "relativeTo: {kind: LinkSpeed, percent: 90, nodeLabel: example.com/link}",
    );
    let links = |of_device: Option<u64>| {
        let mut digest = digest(&RATES);
        for host in [&mut digest.client_host, &mut digest.server_host] {
            host.as_mut().expect("a host").link_speed_bits_per_second = of_device;
        }
        let plan = of(&manifest, 9, |seen| {
            seen.pods = vec![pod(Role::Client, exited(0, &text(&digest)))];
            for (node, speed) in seen.nodes.iter_mut().zip(["10G", "fast"]) {
                node.labels
                    .insert("example.com/link".to_owned(), speed.to_owned());
            }
        });
        let Stage::Measured(digest) = plan.progress.stage else {
            panic!("{plan:?}");
        };
        [digest.client_host, digest.server_host]
            .map(|host| host.and_then(|host| host.link_speed_bits_per_second))
    };
    assert_eq!(links(None), [Some(10_000_000_000), None]);
    assert_eq!(links(Some(5)), [Some(5), Some(5)]);
}
