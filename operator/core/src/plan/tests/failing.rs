//! Ends without a result, and new attempts.

use super::*;
use crate::{
    observed::Observed,
    testing::{CPU_PINNED, PAIR_TCP, digest, failure, seen, text, valid},
};
use nettest_report::digest::FailureReason;

/// At second 60, with a client that the status knows as running.
fn of(manifest: &str, change: impl FnOnce(&mut Observed)) -> Plan {
    let mut seen = seen(manifest);
    seen.run.placed = Some(at(0));
    seen.run.client_was_running = true;
    change(&mut seen);
    plan(&valid(manifest), &seen, at(60))
}

/// As [`of`], before any client ran.
fn early(manifest: &str, change: impl FnOnce(&mut Observed)) -> Plan {
    of(manifest, |seen| {
        seen.run.client_was_running = false;
        change(seen);
    })
}

/// The same pods in the last attempt.
fn last(seen: &mut Observed) {
    seen.run.attempt = MAX_ATTEMPTS;
    for pod in &mut seen.pods {
        pod.attempt = MAX_ATTEMPTS;
    }
}

fn failed(reason: FailureReason) -> String {
    text(&failure(reason, "it said so"))
}

#[test]
fn a_failing_clients_own_reason() {
    use FailureReason::*;
    let again = [
        PeerUnreachable,
        NameNotResolved,
        ServerBusy,
        Interrupted,
        ExclusiveCPUNotGranted,
    ];
    for reason in again
        .into_iter()
        .chain([ProtocolUnsupported, InvalidSpec, EngineCrashed])
    {
        let pods = |attempt: u32| {
            let digest = Digest {
                attempt,
                ..failure(reason, "it said so")
            };
            let client = pod(Role::Client, exited(1, &text(&digest)));
            vec![pod(Role::Server, running()), client]
        };
        let first = of(PAIR_TCP, |seen| seen.pods = pods(1));
        if again.contains(&reason) {
            assert_eq!(told(&first), "- | Pending | a2");
        } else {
            assert_eq!(told(&first), format!("- | failed {reason:?} | a1"));
        }
        assert!(
            message(&first).contains("the client: it said so"),
            "{}",
            message(&first)
        );
        let finally = of(PAIR_TCP, |seen| {
            seen.pods = pods(MAX_ATTEMPTS);
            last(seen);
        });
        assert_eq!(told(&finally), format!("- | failed {reason:?} | a3"));
    }
}

#[test]
fn a_servers_failure_is_the_cause_of_its_clients() {
    let plan = of(PAIR_TCP, |seen| {
        seen.pods = vec![
            pod(
                Role::Server,
                exited(1, &failed(FailureReason::ProtocolUnsupported)),
            ),
            pod(
                Role::Client,
                exited(3, &failed(FailureReason::PeerUnreachable)),
            ),
        ];
    });
    assert_eq!(told(&plan), "- | failed ProtocolUnsupported | a1");
    // A server that only ended is no cause.
    let plan = of(PAIR_TCP, |seen| {
        seen.pods = vec![
            pod(Role::Server, exited(0, "")),
            pod(Role::Client, exited(1, &failed(FailureReason::InvalidSpec))),
        ];
    });
    assert_eq!(told(&plan), "- | failed InvalidSpec | a1");
}

#[test]
fn engines_that_end_without_a_word() {
    let killed = Ended {
        exit_code: Some(137),
        ..Ended::default()
    };
    let out_of_memory = Ended {
        out_of_memory: true,
        ..killed.clone()
    };
    let deadline = Ended {
        pod_reason: "DeadlineExceeded".to_owned(),
        ..killed.clone()
    };
    let evicted = Ended {
        disrupted: true,
        pod_reason: "Evicted".to_owned(),
        ..killed.clone()
    };
    for (ended, is) in [
        (killed, "- | failed EngineCrashed | a1"),
        (out_of_memory, "- | failed EngineOutOfMemory | a1"),
        (deadline, "- | failed RunTimeout | a1"),
        (evicted, "- | Pending | a2"),
        (Ended::default(), "- | Pending | a2"),
    ] {
        let state = PodState::Ended(ended);
        let server = early(PAIR_TCP, |seen| {
            seen.pods = vec![pod(Role::Server, state.clone())]
        });
        assert_eq!(told(&server), is, "server {state:?}");
        let client = of(PAIR_TCP, |seen| {
            seen.pods = vec![
                pod(Role::Server, running()),
                pod(Role::Client, state.clone()),
            ];
        });
        assert_eq!(told(&client), is, "client {state:?}");
    }
    // One that only ended early is tried again.
    let quiet = early(PAIR_TCP, |seen| {
        seen.pods = vec![pod(Role::Server, exited(0, ""))]
    });
    assert_eq!(told(&quiet), "- | Pending | a2");
}

#[test]
fn words_of_another_run_or_attempt_are_not_heard() {
    let whole = || digest(&[1, 2, 3]);
    for digest in [
        Digest {
            run: "another".to_owned(),
            ..whole()
        },
        Digest {
            attempt: 2,
            ..whole()
        },
        Digest {
            version: 99,
            ..whole()
        },
    ] {
        let plan = of(PAIR_TCP, |seen| {
            seen.pods = vec![pod(Role::Client, exited(0, &text(&digest)))];
        });
        assert_eq!(told(&plan), "- | failed EngineCrashed | a1");
    }
}

#[test]
fn a_vanished_client_is_a_new_attempt_three_times_at_most() {
    for left in [vec![pod(Role::Server, running())], vec![]] {
        let plan = of(PAIR_TCP, |seen| seen.pods = left.clone());
        assert_eq!(told(&plan), "- | Pending | a2");
        assert_eq!(plan.progress.placed, None, "it has its own time");
        let plan = of(PAIR_TCP, |seen| {
            seen.pods = left;
            last(seen);
        });
        assert_eq!(told(&plan), "- | failed Interrupted | a3");
    }
}

#[test]
fn a_new_attempt_starts_when_nothing_of_the_old_one_is_left() {
    let second = |pods: Vec<PodFacts>| {
        early(PAIR_TCP, |seen| {
            seen.run.attempt = 2;
            seen.run.placed = None;
            seen.pods = pods;
        })
    };
    let (server, client) = (pod(Role::Server, running()), pod(Role::Client, running()));
    let leaving = PodFacts {
        deleting: true,
        ..client.clone()
    };
    for (pods, is) in [
        (
            vec![server.clone(), client],
            "delete run-a1-client | Pending | a2",
        ),
        (
            vec![server, leaving.clone()],
            "delete run-a1-server | Pending | a2",
        ),
        (vec![leaving], "- | Pending | a2"),
        (vec![], "create server a2 | Starting | a2"),
    ] {
        assert_eq!(told(&second(pods)), is);
    }
}

#[test]
fn a_wiped_status_is_made_good_by_the_pods() {
    let plan = early(PAIR_TCP, |seen| {
        seen.run.placed = None;
        seen.pods = vec![PodFacts {
            attempt: 2,
            ..pod(Role::Server, running())
        }];
    });
    assert_eq!(told(&plan), "create client a2 | Starting | a2");
    assert_eq!(plan.progress.placed, Some(at(0)));
}

#[test]
fn what_the_kubelet_refuses_is_tried_again_a_bounded_number_of_times() {
    for (reason, exclusive) in [
        ("UnexpectedAdmissionError", "ExclusiveCPUNotGranted"),
        ("OutOfcpu", "ExclusiveCPUNotGranted"),
        ("TopologyAffinityError", "TopologyAffinityError"),
        ("SMTAlignmentError", "SMTAlignmentError"),
        ("OutOfmemory", "Unschedulable"),
    ] {
        for (manifest, finally) in [(CPU_PINNED, exclusive), (PAIR_TCP, "Unschedulable")] {
            let refused = |created| {
                early(manifest, |seen| {
                    seen.pods = vec![PodFacts {
                        created: Some(at(created)),
                        ..pod(Role::Server, kubelet_refused(reason))
                    }];
                })
            };
            let soon = refused(58);
            assert_eq!(told(&soon), format!("- | Pending/{finally} | a1"));
            assert_eq!(soon.requeue_after, Some(Duration::from_secs(3)));
            assert_eq!(told(&refused(50)), "- | Pending | a2");
            let ends = early(manifest, |seen| {
                seen.pods = vec![pod(Role::Server, kubelet_refused(reason))];
                last(seen);
            });
            assert_eq!(told(&ends), format!("- | failed {finally} | a3"));
            let said = message(&ends);
            assert!(said.contains("not enough cpus available"), "{said}");
        }
    }
}

#[test]
fn a_lost_node_ends_a_measurement_and_moves_a_start() {
    let unready = |seen: &mut Observed| seen.nodes[1].ready = false;
    let gone = |seen: &mut Observed| seen.nodes.retain(|node| node.name.as_str() != "worker-1");
    for lose in [unready as fn(&mut Observed), gone] {
        let measuring = of(PAIR_TCP, |seen| {
            seen.pods = vec![pod(Role::Server, running()), pod(Role::Client, running())];
            lose(seen);
        });
        assert_eq!(told(&measuring), "- | failed NodeLost | a1");
    }
    let starting = |in_last: bool| {
        early(PAIR_TCP, |seen| {
            seen.pods = vec![pod(Role::Server, PodState::Pending)];
            unready(seen);
            if in_last {
                last(seen);
            }
        })
    };
    assert_eq!(told(&starting(false)), "- | Pending | a2");
    assert_eq!(told(&starting(true)), "- | failed NodeLost | a3");
}
