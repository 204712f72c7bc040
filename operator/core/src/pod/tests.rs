use super::*;
use crate::{
    argv,
    pod_facts::PodFacts,
    testing::{CPU_PINNED, HOST_NETWORK, PAIR_TCP, PAIR_UDP, run_of, token, valid},
};
use k8s_openapi::api::core::v1::Pod;

fn made(manifest: &str) -> [Pod; 2] {
    let (test, owner) = (valid(manifest), Owner::of(&run_of(manifest)).unwrap());
    let config = EngineConfig {
        image: "registry.example/nettest:0.1.0".to_owned(),
        image_pull_policy: Some("IfNotPresent".to_owned()),
        ..EngineConfig::default()
    };
    let plan = |part: Part| {
        let role = if part == Part::Server {
            Role::Server
        } else {
            Role::Client
        };
        PodPlan {
            name: crate::names::pod_name(&owner.run, owner.uid.as_str(), None, 1, role),
            attempt: 1,
            number: None,
            pair: NodePair {
                client: "worker-1".into(),
                server: "worker-2".into(),
            },
            lane: test.lanes()[0],
            part,
        }
    };
    let client = Part::Client {
        targets: [(test.variants[0].path, ([10, 244, 1, 7], 5201).into())].into(),
        token: Some(token()),
    };
    // The fresh token of a client's build is not used: it takes the server's.
    let unused = RunToken::parse("unused").unwrap();
    [
        pod(&test, &owner, &plan(Part::Server), &config, &token()),
        pod(&test, &owner, &plan(client), &config, &unused),
    ]
}

#[test]
fn from_what_users_type() {
    for (name, manifest) in [
        ("pair_tcp", PAIR_TCP),
        ("pair_udp", PAIR_UDP),
        ("host_network", HOST_NETWORK),
        ("cpu_pinned", CPU_PINNED),
    ] {
        let [server, client] = made(manifest);
        insta::assert_yaml_snapshot!(format!("{name}_server"), server);
        insta::assert_yaml_snapshot!(format!("{name}_client"), client);
    }
}

/// The checks of the restricted level (kubernetes/pod-security-admission policy/check_*.go) that can apply.
fn breaks_restricted(pod: &Pod) -> Vec<&'static str> {
    let spec = pod.spec.as_ref().unwrap();
    let context = spec.security_context.as_ref().unwrap();
    let mut broken = Vec::new();
    let mut must = |holds: bool, what: &'static str| {
        if !holds {
            broken.push(what);
        }
    };
    must(spec.host_network != Some(true), "hostNetwork");
    must(
        spec.host_pid.is_none() && spec.host_ipc.is_none(),
        "hostPID, hostIPC",
    );
    must(spec.volumes.is_none(), "volumes");
    must(context.run_as_non_root == Some(true), "runAsNonRoot");
    must(
        context.run_as_user.is_some_and(|user| user > 0),
        "runAsUser",
    );
    must(context.sysctls.is_none(), "sysctls");
    must(
        context
            .seccomp_profile
            .as_ref()
            .is_some_and(|profile| profile.type_ == "RuntimeDefault"),
        "seccompProfile",
    );
    for container in &spec.containers {
        let own = container.security_context.as_ref().unwrap();
        let capabilities = own.capabilities.as_ref().unwrap();
        must(own.privileged.is_none(), "privileged");
        must(
            own.allow_privilege_escalation == Some(false),
            "allowPrivilegeEscalation",
        );
        must(
            capabilities.drop == Some(vec!["ALL".to_owned()]) && capabilities.add.is_none(),
            "capabilities",
        );
        must(
            container
                .ports
                .iter()
                .flatten()
                .all(|port| port.host_port.is_none()),
            "hostPort",
        );
    }
    broken
}

#[test]
fn the_pod_network_is_restricted_and_the_hosts_differs_in_that_alone() {
    for manifest in [PAIR_TCP, PAIR_UDP, CPU_PINNED] {
        for pod in made(manifest) {
            assert_eq!(breaks_restricted(&pod), Vec::<&str>::new());
        }
    }
    for pod in made(HOST_NETWORK) {
        assert_eq!(breaks_restricted(&pod), ["hostNetwork"]);
    }
}

#[test]
fn engine_pods_carry_no_token_and_no_service_links() {
    for pod in made(HOST_NETWORK).into_iter().chain(made(PAIR_TCP)) {
        let spec = pod.spec.unwrap();
        assert_eq!(spec.automount_service_account_token, Some(false));
        assert_eq!(spec.enable_service_links, Some(false));
        assert_eq!(spec.service_account_name, None);
    }
}

#[test]
fn exclusive_pods_are_guaranteed_and_shared_ones_have_no_cpu_limit() {
    let resources = |pod: &Pod| {
        pod.spec.as_ref().unwrap().containers[0]
            .resources
            .clone()
            .unwrap()
    };
    let [server, client] = made(CPU_PINNED);
    for (pod, cpus) in [(&server, "1"), (&client, "2")] {
        let resources = resources(pod);
        assert_eq!(resources.requests, resources.limits);
        assert_eq!(resources.limits.unwrap()["cpu"].0, cpus);
    }
    for pod in made(PAIR_TCP) {
        let resources = resources(&pod);
        assert_eq!(resources.requests.unwrap()["cpu"].0, "100m");
        assert!(!resources.limits.unwrap().contains_key("cpu"));
    }
}

#[test]
fn both_pods_share_the_servers_token_and_are_recognised_again() {
    for mut pod in made(PAIR_TCP) {
        pod.metadata.uid = Some("pod-uid".to_owned());
        let facts = PodFacts::from_pod(&pod).expect("one of ours");
        assert_eq!(facts.token, Some(token()));
        assert_eq!(
            (facts.run.as_str(), facts.attempt),
            (crate::testing::UID, 1)
        );
        assert_eq!(
            facts.pair,
            NodePair {
                client: "worker-1".into(),
                server: "worker-2".into()
            }
        );
        let args = pod.spec.unwrap().containers[0].args.clone().unwrap();
        assert!(
            !args.iter().any(|arg| arg.contains(token().as_str())),
            "argument lists are readable by all"
        );
        assert!(
            args.windows(2)
                .any(|pair| pair == ["--digest-file", argv::TERMINATION_LOG])
        );
    }
}

#[test]
fn long_node_names_are_whole_in_annotations() {
    let long = format!("{}.example.com", "n".repeat(60));
    let owner = Owner::of(&run_of(PAIR_TCP)).unwrap();
    let plan = PodPlan {
        name: "x".to_owned(),
        attempt: 1,
        number: None,
        pair: NodePair {
            client: long.as_str().into(),
            server: "worker-2".into(),
        },
        lane: Lane::PODS,
        part: Part::Server,
    };
    let mut made = server_pod(
        &valid(PAIR_TCP),
        &owner,
        &plan,
        &EngineConfig::default(),
        &token(),
    );
    made.metadata.uid = Some("pod-uid".to_owned());
    assert!(
        made.metadata
            .labels
            .as_ref()
            .unwrap()
            .values()
            .all(|value| value.len() <= 63)
    );
    assert_eq!(
        PodFacts::from_pod(&made).unwrap().pair.client.as_str(),
        long
    );
}
