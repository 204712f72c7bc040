//! Until the client's container runs.

use super::*;
use crate::{
    names,
    observed::{Claim, Observed, Waiter},
    refusal::CreateRefusal,
    testing::{CPU_PINNED, HOST_NETWORK, PAIR_TCP, seen, valid},
    valid::RunUid,
};
use nettest_api::{Reason, path::PathKind};

/// The plan of a manifest, for what this makes of a fresh run, at this second.
fn of(manifest: &str, second: i64, change: impl FnOnce(&mut Observed)) -> Plan {
    let mut seen = seen(manifest);
    change(&mut seen);
    plan(&valid(manifest), &seen, at(second))
}

fn claim(nodes: [&str; 2]) -> Claim {
    Claim {
        run: RunUid::from("other"),
        namespace: "default".to_owned(),
        holder: "lab/other-1-a1-server".to_owned(),
        nodes: NodePair {
            client: nodes[0].into(),
            server: nodes[1].into(),
        },
        created: Some(at(-100)),
        client: false,
        deleting: false,
    }
}

#[test]
fn a_free_cluster_gets_a_server() {
    let plan = of(PAIR_TCP, 0, |_| {});
    assert_eq!(told(&plan), "create server a1 | Starting | a1");
    let pair = plan.progress.pair.clone().unwrap();
    assert_eq!(
        (pair.client.node.as_str(), pair.server.node.as_str()),
        ("worker-1", "worker-2")
    );
    assert_eq!(plan.progress.placed, Some(at(0)));
}

#[test]
fn without_fitting_nodes_it_says_why_of_each_and_ends_in_time() {
    let cordoned = |second, placed| {
        of(PAIR_TCP, second, |seen| {
            seen.nodes[1].closed = Some("is cordoned".to_owned());
            seen.run.placed = placed;
        })
    };
    let waits = cordoned(0, None);
    assert_eq!(told(&waits), "- | Pending/Unschedulable | a1");
    assert_eq!(
        message(&waits),
        "topology.pair.placement is DifferentNode and only worker-1 fits: add a node or use SameNode or Any (worker-2 is cordoned)"
    );
    let just_before = cordoned(179, Some(at(0)));
    assert_eq!(told(&just_before), "- | Pending/Unschedulable | a1");
    assert_eq!(just_before.requeue_after, Some(Duration::from_secs(1)));
    let ends = cordoned(180, Some(at(0)));
    assert_eq!(told(&ends), "- | failed Unschedulable | a1");
    let said = message(&ends);
    assert!(
        said.ends_with("(limits.scheduleTimeout of 3m has passed)"),
        "{said}"
    );
}

#[test]
fn busy_nodes_queue_it_and_the_queue_is_not_counted() {
    let plan = of(PAIR_TCP, 5_000, |seen| {
        seen.claims = vec![claim(["worker-2", "worker-2"])];
        seen.run.placed = Some(at(0));
    });
    assert_eq!(told(&plan), "- | Queued | a1");
    assert!(
        message(&plan).contains("lab/other-1-a1-server"),
        "{}",
        message(&plan)
    );
    assert_eq!(plan.progress.placed, None);
}

#[test]
fn who_waits_longer_comes_first() {
    let beside = |created| {
        of(PAIR_TCP, 9, |seen| {
            seen.waiters = vec![Waiter {
                run: RunUid::from("other"),
                namespace: "default".to_owned(),
                holder: "lab/other-1".to_owned(),
                created: Some(at(created)),
                done: 0,
                test: valid(PAIR_TCP),
            }];
        })
    };
    assert_eq!(told(&beside(-1)), "- | Queued | a1");
    assert_eq!(told(&beside(1)), "create server a1 | Starting | a1");
}

#[test]
fn what_the_api_server_refuses() {
    let pss = r#"pods "x" is forbidden: violates PodSecurity "restricted:latest": host namespaces"#;
    let quota = r#"pods "x" is forbidden: exceeded quota: q, requested: pods=1"#;
    let webhook = r#"admission webhook "w" denied the request: no"#;
    for (text, second, is) in [
        (pss, 0, "- | failed PodSecurityDenied | a1"),
        (quota, 0, "- | Pending/QuotaExceeded | a1"),
        (quota, 180, "- | failed QuotaExceeded | a1"),
        (webhook, 0, "- | Pending/AdmissionDenied | a1"),
        (webhook, 180, "- | failed AdmissionDenied | a1"),
    ] {
        let plan = of(PAIR_TCP, second, |seen| {
            seen.refusal = CreateRefusal::classify(403, text);
            seen.run.placed = Some(at(0));
        });
        assert_eq!(told(&plan), is);
        assert!(message(&plan).contains(text), "{}", message(&plan));
    }
    // At the deadline it does not try again, and gives the reason it waited for.
    let late = of(PAIR_TCP, 181, |seen| {
        seen.run.placed = Some(at(0));
        seen.run.blocked = Some((Reason::QuotaExceeded, quota.to_owned()));
    });
    assert_eq!(told(&late), "- | failed QuotaExceeded | a1");
    // The client's pod may be refused as well.
    let client = of(PAIR_TCP, 1, |seen| {
        seen.pods = vec![pod(Role::Server, running())];
        seen.refusal = CreateRefusal::classify(403, quota);
    });
    assert_eq!(told(&client), "- | Pending/QuotaExceeded | a1");
    let said = message(&client);
    assert!(said.starts_with("the client pod was refused"), "{said}");
}

fn scheduler(message: &str) -> PodState {
    PodState::Unscheduled {
        message: message.to_owned(),
    }
}

fn kubelet(reason: &str) -> PodState {
    PodState::Starting {
        reason: reason.to_owned(),
        message: "told by the kubelet".to_owned(),
    }
}

#[test]
fn what_holds_a_pod_up() {
    let cpu = "0/2 nodes are available: 1 Insufficient cpu.";
    let ports = "0/2 nodes are available: 1 node(s) didn't have free ports.";
    for (manifest, state, waits, ends) in [
        (PAIR_TCP, PodState::Pending, "", "ScheduleTimeout"),
        (PAIR_TCP, scheduler(""), "", "ScheduleTimeout"),
        (PAIR_TCP, scheduler(cpu), "/Unschedulable", "Unschedulable"),
        (
            CPU_PINNED,
            scheduler(cpu),
            "/ExclusiveCPUNotGranted",
            "ExclusiveCPUNotGranted",
        ),
        (
            HOST_NETWORK,
            scheduler(ports),
            "/PortConflict",
            "PortConflict",
        ),
        (
            PAIR_TCP,
            kubelet("ErrImagePull"),
            "/ImagePullFailed",
            "ImagePullFailed",
        ),
        (
            PAIR_TCP,
            kubelet("ImagePullBackOff"),
            "/ImagePullFailed",
            "ImagePullFailed",
        ),
        (
            PAIR_TCP,
            kubelet("ErrImageNeverPull"),
            "/ImagePullFailed",
            "ImagePullFailed",
        ),
        (
            PAIR_TCP,
            kubelet("InvalidImageName"),
            "/ImagePullFailed",
            "ImagePullFailed",
        ),
        (
            PAIR_TCP,
            kubelet("ContainerCreating"),
            "",
            "ScheduleTimeout",
        ),
        (
            PAIR_TCP,
            kubelet("CreateContainerError"),
            "/EngineCrashed",
            "EngineCrashed",
        ),
    ] {
        for role in [Role::Server, Role::Client] {
            let pods = || match role {
                Role::Server => vec![pod(Role::Server, state.clone())],
                Role::Client => vec![
                    pod(Role::Server, running()),
                    pod(Role::Client, state.clone()),
                ],
            };
            let early = of(manifest, 179, |seen| seen.pods = pods());
            assert_eq!(told(&early), format!("- | Starting{waits} | a1"), "{role}");
            let late = of(manifest, 180, |seen| seen.pods = pods());
            assert_eq!(told(&late), format!("- | failed {ends} | a1"), "{role}");
            // The scheduler's and the kubelet's own words are kept.
            if let PodState::Unscheduled { message: words }
            | PodState::Starting { message: words, .. } = &state
            {
                assert!(message(&late).contains(words), "{}", message(&late));
            }
        }
    }
}

#[test]
fn a_server_that_never_accepts_ends_in_time() {
    let deaf = |second| {
        of(PAIR_TCP, second, |seen| {
            let state = PodState::Running {
                started: false,
                since: Some(at(0)),
            };
            seen.pods = vec![pod(Role::Server, state)];
        })
    };
    assert_eq!(told(&deaf(179)), "- | Starting | a1");
    assert_eq!(told(&deaf(180)), "- | failed ScheduleTimeout | a1");
}

#[test]
fn a_ready_server_gets_its_client_and_the_host_path_its_nodes_address() {
    let ready = |manifest| {
        of(manifest, 5, |seen| {
            seen.pods = vec![pod(Role::Server, running())]
        })
    };
    assert_eq!(told(&ready(PAIR_TCP)), "create client a1 | Starting | a1");
    let Some(Step::CreatePod(client)) = ready(HOST_NETWORK).step else {
        panic!("no create")
    };
    let node = ([192, 0, 2, 2], 5201).into();
    assert!(
        matches!(client.part, Part::Client { targets, .. } if targets == [(PathKind::Host, node)].into())
    );
}

#[test]
fn a_server_without_address_or_on_its_way_out_gets_no_client() {
    let server = || pod(Role::Server, running());
    for server in [
        PodFacts {
            addresses: vec![],
            ..server()
        },
        PodFacts {
            deleting: true,
            ..server()
        },
    ] {
        let plan = of(PAIR_TCP, 5, |seen| seen.pods = vec![server]);
        assert_eq!(told(&plan), "- | Starting | a1");
    }
}

#[test]
fn two_servers_on_one_node_never_both_get_a_client() {
    let beside = |mine: i64, claim: Claim| {
        of(PAIR_TCP, 30, |seen| {
            seen.pods = vec![PodFacts {
                created: Some(at(mine)),
                ..pod(Role::Server, running())
            }];
            seen.nodes.push(crate::testing::node("worker-3"));
            seen.claims = vec![claim];
        })
    };
    let theirs = |client: bool| Claim {
        created: Some(at(10)),
        client,
        ..claim(["worker-3", "worker-1"])
    };
    // The older server stays and waits, the younger gives way, and everybody gives way to a client.
    let gives_way = "delete run-a1-server | Queued | a1";
    assert_eq!(told(&beside(5, theirs(false))), "- | Queued | a1");
    assert_eq!(told(&beside(15, theirs(false))), gives_way);
    assert_eq!(told(&beside(5, theirs(true))), gives_way);
    // Elsewhere is no conflict.
    assert_eq!(
        told(&beside(5, claim(["worker-3", "worker-3"]))),
        "create client a1 | Starting | a1"
    );
}

#[test]
fn a_pod_stuck_on_a_lost_node_holds_that_node_alone() {
    let stuck = |deleting| {
        of(PAIR_TCP, 0, |seen| {
            seen.claims = vec![Claim {
                deleting,
                client: true,
                ..claim(["worker-9", "worker-1"])
            }];
        })
    };
    assert_eq!(told(&stuck(true)), "create server a1 | Starting | a1");
    assert_eq!(told(&stuck(false)), "- | Queued | a1");
}

#[test]
fn a_service_stands_before_the_server_before_there_is_a_client() {
    let manifest = PAIR_TCP.replace(
        "spec:",
        "spec:\n  sweep: {paths: [ClusterIP, PodIP, NodePort]}",
    );
    let service = |addresses: &[[u8; 4]], node_port| crate::service_facts::ServiceFacts {
        name: names::service_name("run-a1-server"),
        uid: "s".to_owned(),
        number: None,
        attempt: 1,
        deleting: false,
        addresses: addresses.iter().map(|address| (*address).into()).collect(),
        node_port,
    };
    let with = |state, services: Vec<_>| {
        of(&manifest, 5, |seen| {
            seen.pods = vec![pod(Role::Server, state)];
            seen.services = services;
        })
    };
    for state in [PodState::Pending, running()] {
        let made = with(state, vec![]);
        assert_eq!(told(&made), "create s-run-a1-server | Starting | a1");
        let Some(Step::CreateService(service)) = made.step else {
            panic!("no Service")
        };
        assert!(service.node_port);
        assert_eq!(service.server, "run-a1-server");
    }
    let starting = with(
        PodState::Pending,
        vec![service(&[[10, 96, 0, 7]], Some(30_001))],
    );
    assert_eq!(told(&starting), "- | Starting | a1");
    let without = with(running(), vec![service(&[], Some(30_001))]);
    assert_eq!(told(&without), "- | Starting | a1");
    let ready = with(running(), vec![service(&[[10, 96, 0, 7]], Some(30_001))]);
    let Some(Step::CreatePod(client)) = ready.step else {
        panic!("no client")
    };
    let Part::Client { targets, .. } = client.part else {
        panic!("no client")
    };
    let expected = [
        (PathKind::PodIP, ([10, 244, 1, 7], 5201).into()),
        (PathKind::ClusterIP, ([10, 96, 0, 7], 5201).into()),
        (PathKind::NodePort, ([192, 0, 2, 2], 30_001).into()),
    ];
    assert_eq!(targets, expected.into());
}

#[test]
fn an_external_server_has_a_client_and_no_pod_of_its_own() {
    let manifest = "
apiVersion: nettest.dev/v1alpha1
kind: NetTest
metadata: {name: external, namespace: default}
spec: {topology: {type: External, external: {host: iperf.example.net, port: 5202}}}
";
    let test: nettest_api::NetTest = serde_yaml::from_str(manifest).expect("a manifest");
    let test =
        crate::validate::validate(&test.spec, "default", &crate::policy::Policy::everything())
            .expect("valid");
    let with = |external| {
        let mut seen = seen(manifest);
        seen.external = external;
        plan(&test, &seen, at(1))
    };
    let made = with(Some(Ok([203, 0, 113, 9].into())));
    assert_eq!(told(&made), "create client a1 | Starting | a1");
    let Some(Step::CreatePod(client)) = made.step else {
        panic!("no client")
    };
    let target = ([203, 0, 113, 9], 5202).into();
    let expected = Part::Client {
        targets: [(PathKind::PodIP, target)].into(),
        token: None,
    };
    assert_eq!(client.part, expected);
    let refused = with(Some(Err((Reason::NotPermitted, "is loopback".to_owned()))));
    assert_eq!(told(&refused), "- | failed NotPermitted | a1");
    let unknown = with(Some(Err((Reason::NameNotResolved, "no answer".to_owned()))));
    assert_eq!(told(&unknown), "- | Starting/NameNotResolved | a1");
}
