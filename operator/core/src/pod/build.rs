//! Pod objects. In the pod network they pass the restricted Pod Security level; with the host's network they
//! differ from that in `hostNetwork` and its ports alone.

use super::{CONTAINER, EngineConfig, Owner, Part, PodPlan};
use crate::{
    argv::{self, Invocation, PORT, TOKEN_ENV, Targets},
    names::{self, Role},
    node_facts::CONTROL_PLANE,
    pinning::fell_back,
    token::RunToken,
    valid::{Lane, NodeName, ValidEndpoint, ValidTest},
};
use k8s_openapi::{
    api::core::v1::{
        Affinity, Capabilities, Container, ContainerPort, EnvVar, EnvVarSource, ExecAction,
        LocalObjectReference, NodeAffinity, NodeSelector, NodeSelectorRequirement,
        NodeSelectorTerm, ObjectFieldSelector, Pod, PodSecurityContext, PodSpec, Probe,
        ResourceRequirements, SeccompProfile, SecurityContext, Toleration,
    },
    apimachinery::pkg::{
        api::resource::Quantity,
        apis::meta::v1::{ObjectMeta, OwnerReference},
    },
};
use kube::Resource;
use nettest_api::{
    NetTestRun,
    endpoint::{CpuMode, Network},
    labels,
};
use std::{collections::BTreeMap, time::Duration};

/// A number of our own: the image has no passwd file.
const USER: i64 = 65_532;
/// The server outlives the longest client by this.
const SLACK: Duration = Duration::from_secs(60);

/// The server's pod. `token` is fresh randomness: whoever has it may connect.
pub fn server_pod(
    test: &ValidTest,
    owner: &Owner,
    plan: &PodPlan,
    config: &EngineConfig,
    token: &RunToken,
) -> Pod {
    let call = Invocation::in_pod(owner.uid.clone(), plan.attempt);
    let lifetime = test
        .limits
        .schedule_timeout
        .saturating_add(test.limits.run_timeout)
        .saturating_add(SLACK);
    let mut container = container(
        &test.server,
        config,
        Some(token),
        plan.attempt,
        argv::server_args(test, &call),
    );
    // Both protocols: UDP tests have a TCP control connection. With the host's network the declared ports let
    // the scheduler see a clash.
    container.ports = Some(
        ["TCP", "UDP"]
            .into_iter()
            .map(|protocol| ContainerPort {
                container_port: i32::from(PORT),
                protocol: Some(protocol.to_owned()),
                ..ContainerPort::default()
            })
            .collect(),
    );
    // A startup probe stops after its first success, so nothing runs beside a measurement. A plain TCP probe
    // would look like a client.
    container.startup_probe = Some(Probe {
        exec: Some(ExecAction {
            command: Some(
                std::iter::once(argv::ENGINE.to_owned())
                    .chain(argv::probe_args(PORT))
                    .collect(),
            ),
        }),
        period_seconds: Some(1),
        timeout_seconds: Some(5),
        failure_threshold: Some(failure_threshold(test.limits.schedule_timeout)),
        ..Probe::default()
    });
    assemble(test, owner, plan, config, container, lifetime)
}

/// The client's pod, for a server that runs.
pub fn client_pod(
    test: &ValidTest,
    owner: &Owner,
    plan: &PodPlan,
    config: &EngineConfig,
    lane: Lane,
    targets: &Targets,
    token: Option<&RunToken>,
) -> Pod {
    let call = Invocation::in_pod(owner.uid.clone(), plan.attempt);
    let lifetime = test.limits.run_timeout.saturating_add(SLACK);
    let args = argv::client_args(test, lane, targets, &call);
    let container = container(&test.client, config, token, plan.attempt, args);
    assemble(test, owner, plan, config, container, lifetime)
}

/// Either pod, as planned. `fresh` is used for a server only.
pub fn pod(
    test: &ValidTest,
    owner: &Owner,
    plan: &PodPlan,
    config: &EngineConfig,
    fresh: &RunToken,
) -> Pod {
    match &plan.part {
        Part::Server => server_pod(test, owner, plan, config, fresh),
        Part::Client { targets, token } => client_pod(
            test,
            owner,
            plan,
            config,
            plan.lane,
            targets,
            token.as_ref(),
        ),
    }
}

/// The deadline is the operator's business; the probe itself must not kill a slow start before it.
fn failure_threshold(timeout: Duration) -> i32 {
    i32::try_from(timeout.as_secs().saturating_add(60)).unwrap_or(i32::MAX)
}

fn container(
    end: &ValidEndpoint,
    config: &EngineConfig,
    token: Option<&RunToken>,
    attempt: u32,
    args: Vec<String>,
) -> Container {
    Container {
        name: CONTAINER.to_owned(),
        image: Some(config.image.clone()),
        image_pull_policy: config.image_pull_policy.clone(),
        command: Some(vec![argv::ENGINE.to_owned()]),
        args: Some(args),
        env: Some(env(token)),
        resources: Some(resources(end, attempt)),
        security_context: Some(SecurityContext {
            allow_privilege_escalation: Some(false),
            read_only_root_filesystem: Some(true),
            run_as_non_root: Some(true),
            run_as_user: Some(USER),
            capabilities: Some(Capabilities {
                drop: Some(vec!["ALL".to_owned()]),
                add: None,
            }),
            ..SecurityContext::default()
        }),
        termination_message_policy: Some("File".to_owned()),
        ..Container::default()
    }
}

fn env(token: Option<&RunToken>) -> Vec<EnvVar> {
    let mut env = vec![EnvVar {
        name: "NODE_NAME".to_owned(),
        value_from: Some(EnvVarSource {
            field_ref: Some(ObjectFieldSelector {
                field_path: "spec.nodeName".to_owned(),
                ..ObjectFieldSelector::default()
            }),
            ..EnvVarSource::default()
        }),
        ..EnvVar::default()
    }];
    env.extend(token.map(|token| EnvVar {
        name: TOKEN_ENV.to_owned(),
        value: Some(token.as_str().to_owned()),
        ..EnvVar::default()
    }));
    env
}

/// Exclusive: Guaranteed with whole CPUs, which the kubelet's static policy grants. Shared: never a CPU limit,
/// which would measure the throttle. CPUs that are only preferred are asked for once.
fn resources(end: &ValidEndpoint, attempt: u32) -> ResourceRequirements {
    let memory = ("memory".to_owned(), Quantity(end.memory.0.to_string()));
    let mode = if fell_back(end, attempt) {
        CpuMode::Shared
    } else {
        end.cpu
    };
    let (requests, limits) = match mode {
        CpuMode::Exclusive => {
            let cpu = ("cpu".to_owned(), Quantity(end.cpus.to_string()));
            let both = BTreeMap::from([cpu, memory]);
            (both.clone(), both)
        }
        CpuMode::Shared => {
            let cpu = ("cpu".to_owned(), Quantity(format!("{}m", end.cpus * 100)));
            (
                BTreeMap::from([cpu, memory.clone()]),
                BTreeMap::from([memory]),
            )
        }
    };
    ResourceRequirements {
        requests: Some(requests),
        limits: Some(limits),
        ..ResourceRequirements::default()
    }
}

fn assemble(
    test: &ValidTest,
    owner: &Owner,
    plan: &PodPlan,
    config: &EngineConfig,
    container: Container,
    lifetime: Duration,
) -> Pod {
    let role = plan.role();
    let (end, node, network) = match role {
        Role::Client => (&test.client, &plan.pair.client, plan.lane.client),
        Role::Server => (&test.server, &plan.pair.server, plan.lane.server),
    };
    let host = network == Network::Host;
    Pod {
        metadata: metadata(owner, plan, role),
        spec: Some(PodSpec {
            containers: vec![container],
            affinity: Some(pinned_to(node)),
            tolerations: tolerations(end, test.includes_control_plane()),
            host_network: host.then_some(true),
            restart_policy: Some("Never".to_owned()),
            active_deadline_seconds: Some(i64::try_from(lifetime.as_secs()).unwrap_or(i64::MAX)),
            termination_grace_period_seconds: Some(5),
            automount_service_account_token: Some(false),
            enable_service_links: Some(false),
            priority_class_name: config.priority_class.clone(),
            image_pull_secrets: (!config.image_pull_secrets.is_empty()).then(|| {
                config
                    .image_pull_secrets
                    .iter()
                    .map(|name| LocalObjectReference { name: name.clone() })
                    .collect()
            }),
            security_context: Some(PodSecurityContext {
                run_as_non_root: Some(true),
                run_as_user: Some(USER),
                run_as_group: Some(USER),
                seccomp_profile: Some(SeccompProfile {
                    type_: "RuntimeDefault".to_owned(),
                    localhost_profile: None,
                }),
                ..PodSecurityContext::default()
            }),
            ..PodSpec::default()
        }),
        status: None,
    }
}

fn metadata(owner: &Owner, plan: &PodPlan, role: Role) -> ObjectMeta {
    let pairs = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    };
    let mut tags = pairs(&[
        (labels::MANAGED_BY, labels::MANAGED_BY_VALUE),
        ("app.kubernetes.io/name", "nettest-engine"),
        (labels::RUN_UID, owner.uid.as_str()),
        (labels::ROLE, role.as_str()),
        (labels::ATTEMPT, &plan.attempt.to_string()),
        (
            labels::CLIENT_NODE,
            &names::label_value(plan.pair.client.as_str()),
        ),
        (
            labels::SERVER_NODE,
            &names::label_value(plan.pair.server.as_str()),
        ),
        // Meshes look for labels or annotations: a proxy would be measured, and break the Guaranteed class.
        ("sidecar.istio.io/inject", "false"),
    ]);
    if let Some(number) = plan.number {
        tags.insert(labels::PAIR.to_owned(), number.to_string());
    }
    if let Some(test) = &owner.test {
        tags.insert(labels::TEST.to_owned(), names::label_value(test));
    }
    let annotations = pairs(&[
        (labels::CLIENT_NODE, plan.pair.client.as_str()),
        (labels::SERVER_NODE, plan.pair.server.as_str()),
        ("sidecar.istio.io/inject", "false"),
        ("linkerd.io/inject", "disabled"),
        ("consul.hashicorp.com/connect-inject", "false"),
        ("kuma.io/sidecar-injection", "disabled"),
        ("cluster-autoscaler.kubernetes.io/safe-to-evict", "false"),
        ("karpenter.sh/do-not-disrupt", "true"),
    ]);
    ObjectMeta {
        name: Some(plan.name.clone()),
        namespace: Some(owner.namespace.clone()),
        labels: Some(tags),
        annotations: Some(annotations),
        owner_references: Some(vec![owned(owner)]),
        ..ObjectMeta::default()
    }
}

/// The run as the owner of what is made for it: deleting the run takes all of it away.
pub(super) fn owned(owner: &Owner) -> OwnerReference {
    OwnerReference {
        api_version: NetTestRun::api_version(&()).into_owned(),
        kind: NetTestRun::kind(&()).into_owned(),
        name: owner.run.clone(),
        uid: owner.uid.as_str().to_owned(),
        controller: Some(true),
        block_owner_deletion: Some(false),
    }
}

/// With the control plane comes its usual taint.
fn tolerations(end: &ValidEndpoint, control_plane: bool) -> Option<Vec<Toleration>> {
    let mut tolerations: Vec<Toleration> = end
        .tolerations
        .iter()
        .map(|toleration| Toleration {
            key: Some(toleration.key.clone()),
            operator: Some(format!("{:?}", toleration.operator)),
            value: toleration.value.clone(),
            effect: toleration.effect.map(|effect| format!("{effect:?}")),
            toleration_seconds: None,
        })
        .collect();
    if control_plane {
        tolerations.push(Toleration {
            key: Some(CONTROL_PLANE.to_owned()),
            operator: Some("Exists".to_owned()),
            ..Toleration::default()
        });
    }
    (!tolerations.is_empty()).then_some(tolerations)
}

/// As DaemonSets do: the scheduler still checks resources, ports and taints, and says why not.
fn pinned_to(node: &NodeName) -> Affinity {
    Affinity {
        node_affinity: Some(NodeAffinity {
            required_during_scheduling_ignored_during_execution: Some(NodeSelector {
                node_selector_terms: vec![NodeSelectorTerm {
                    match_fields: Some(vec![NodeSelectorRequirement {
                        key: "metadata.name".to_owned(),
                        operator: "In".to_owned(),
                        values: Some(vec![node.as_str().to_owned()]),
                    }]),
                    match_expressions: None,
                }],
            }),
            ..NodeAffinity::default()
        }),
        ..Affinity::default()
    }
}
