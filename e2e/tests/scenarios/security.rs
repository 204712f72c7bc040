//! What the operator and the engines may do: no more than they need.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::{
    core::v1::Pod,
    rbac::v1::{ClusterRole, PolicyRule, Role as RbacRole},
};
use kube::{
    ResourceExt,
    api::{Api, ListParams},
};
use nettest_e2e::{
    Namespace, cluster::Cluster, command::kubectl, container::Container, engine_pod::Role,
    manifest::short, operator::Operator, release, seconds,
};

/// Every namespace of the scenarios enforces restricted; this looks at what that level does not ask.
#[tokio::test]
async fn engines_have_no_token_and_no_cpu_limit() -> Result<()> {
    Namespace::with("no-token", async |ns| {
        ns.apply(&short("plain", 3)).await?;
        ns.engine_runs("plain", Role::Client, seconds(60)).await?;
        for role in [Role::Client, Role::Server] {
            let pod = ns.engine_pod("plain", role).await?.context("no pod")?;
            let spec = pod.spec.clone().context("no spec")?;
            ensure!(
                spec.automount_service_account_token == Some(false),
                "a token is mounted"
            );
            ensure!(spec.volumes.unwrap_or_default().is_empty(), "a volume");
            ensure!(spec.enable_service_links == Some(false), "service links");
            let context = spec.containers[0]
                .security_context
                .clone()
                .unwrap_or_default();
            ensure!(
                context.read_only_root_filesystem == Some(true),
                "a writable root"
            );
            let container = Container::of(&pod, "engine")?;
            let mounts = container.process("nettest-engine")?.mounts()?;
            ensure!(
                !mounts.contains("serviceaccount"),
                "a token is mounted:\n{mounts}"
            );
            let quota = container.cpu_quota()?;
            ensure!(
                quota.is_none(),
                "a shared engine must not be throttled: {quota:?} us"
            );
        }
        ns.succeeds("plain", seconds(60)).await.map(drop)
    })
    .await
}

/// The operator's own pod would be let into a namespace that enforces restricted.
#[tokio::test]
async fn the_operator_passes_restricted() -> Result<()> {
    Namespace::with("operator-pod", async |ns| {
        let pod = Operator::ready(&ns.cluster).await?.pod;
        let mut spec = pod.spec.context("no spec")?;
        spec.service_account_name = None;
        spec.service_account = None;
        spec.volumes = None;
        for container in &mut spec.containers {
            container.volume_mounts = None;
        }
        let copy: Pod = serde_json::from_value(serde_json::json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "copy"}, "spec": spec,
        }))?;
        ns.kubectl("create --dry-run=server -f -")
            .input(serde_json::to_string(&copy)?)
            .run()
            .await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn roles_have_no_wildcards() -> Result<()> {
    let cluster = Cluster::connect().await?;
    let ours =
        ListParams::default().labels(&format!("app.kubernetes.io/instance={}", release::NAME));
    let cluster_roles = Api::<ClusterRole>::all(cluster.client.clone())
        .list(&ours)
        .await?;
    let roles = Api::<RbacRole>::all(cluster.client.clone())
        .list(&ours)
        .await?;
    let mut rules = Vec::new();
    for role in &cluster_roles {
        rules.extend(
            role.rules
                .iter()
                .flatten()
                .map(|rule| (role.name_any(), rule)),
        );
    }
    for role in &roles {
        rules.extend(
            role.rules
                .iter()
                .flatten()
                .map(|rule| (role.name_any(), rule)),
        );
    }
    ensure!(
        rules.len() > 5,
        "only {} rules: are these all?",
        rules.len()
    );
    for (role, rule) in rules {
        ensure!(
            !words(rule).any(|word| word.contains('*')),
            "{role} has a wildcard: {rule:?}"
        );
    }
    Ok(())
}

fn words(rule: &PolicyRule) -> impl Iterator<Item = &String> {
    let lists = [
        &rule.api_groups,
        &rule.resources,
        &rule.non_resource_urls,
        &rule.resource_names,
    ];
    lists.into_iter().flatten().flatten().chain(&rule.verbs)
}

/// All that the operator may do in a namespace of a user's. A change of this file is a change of what users trust it with.
#[tokio::test]
async fn rights_are_those_of_the_golden_file() -> Result<()> {
    let cluster = Cluster::connect().await?;
    let list = kubectl(&format!(
        "auth can-i --list --no-headers --namespace default --as system:serviceaccount:{}:{}",
        release::NAMESPACE,
        release::NAME
    ));
    let mut rights: Vec<String> = list
        .run()
        .await?
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        // What every account may read, such as /healthz: the API server's, not ours.
        .filter(|line| !line.starts_with("[/"))
        .collect();
    rights.sort();
    let rights = rights.join("\n") + "\n";
    let file = cluster.repository("e2e/tests/scenarios/golden/operator-rights.txt");
    if std::env::var_os("NETTEST_UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &rights)?;
    }
    let golden = std::fs::read_to_string(&file)?;
    ensure!(
        golden == rights,
        "the operator's rights have changed; NETTEST_UPDATE_GOLDEN=1 writes them down.\n--- golden\n{golden}--- now\n{rights}"
    );
    Ok(())
}
