//! What the cluster or the operator does not let a test do: said with the right reason, ended in time.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::apps::v1::Deployment;
use kube::api::{Api, Patch, PatchParams};
use nettest_api::condition;
use nettest_e2e::{
    Namespace, audit,
    cluster::Cluster,
    manifest::{net_test, on_nodes, short, short_spec},
    namespace::{HOST_NETWORK_REFUSED, Level},
    net_test::state,
    operator::Operator,
    release, seconds,
    until::{Seen, until},
};
use serde_json::json;
use std::time::Instant;

const HOST: &str = "path: {type: Host}\nclient: {network: Host}\nserver: {network: Host}\n";

#[tokio::test]
async fn unschedulable_with_the_schedulers_own_message() -> Result<()> {
    Namespace::with("unschedulable", async |ns| {
        let spec = format!(
            "server: {{nodeName: node2, memory: 64Gi}}\nlimits: {{scheduleTimeout: 6s}}\n{}",
            short_spec(1)
        );
        let begun = Instant::now();
        ns.apply(&net_test("too-big", &spec)).await?;
        shown_at_once(ns, "too-big", "Insufficient memory").await?;
        let message = ns.fails("too-big", "Unschedulable", seconds(30)).await?;
        ensure!(
            message.contains("Insufficient memory"),
            "not the scheduler's own message: {message}"
        );
        let took = begun.elapsed();
        ensure!(
            took > seconds(5) && took < seconds(20),
            "scheduleTimeout is 6s, it took {took:?}"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn unschedulable_for_want_of_a_node() -> Result<()> {
    Namespace::with("no-node", async |ns| {
        let spec = format!(
            "server: {{nodeName: node9}}\nlimits: {{scheduleTimeout: 5s}}\n{}",
            short_spec(1)
        );
        ns.apply(&net_test("no-node", &spec)).await?;
        let message = ns.fails("no-node", "Unschedulable", seconds(30)).await?;
        ensure!(message.contains("node9"), "{message}");
        no_pods(ns)
    })
    .await
}

#[tokio::test]
async fn host_network_in_a_namespace_that_the_policy_does_not_name() -> Result<()> {
    Namespace::with("not-permitted", async |ns| {
        ns.apply(&net_test("host", &format!("{HOST}{}", short_spec(1))))
            .await?;
        let message = ns.fails("host", "NotPermitted", seconds(20)).await?;
        ensure!(
            message.contains("network"),
            "does not name the field: {message}"
        );
        no_pods(ns)
    })
    .await
}

#[tokio::test]
async fn host_network_in_a_namespace_that_forbids_it() -> Result<()> {
    Namespace::named(HOST_NETWORK_REFUSED, Level::Restricted, async |ns| {
        let begun = Instant::now();
        let before = audit::pod_creates(&ns.name)?.len();
        ns.apply(&net_test("host", &format!("{HOST}{}", short_spec(1))))
            .await?;
        let message = ns.fails("host", "PodSecurityDenied", seconds(20)).await?;
        ensure!(
            message.contains("violates PodSecurity"),
            "not the API server's own message: {message}"
        );
        ensure!(
            begun.elapsed() < seconds(15),
            "ends at once, not after {:?}",
            begun.elapsed()
        );
        ensure!(
            audit::pod_creates(&ns.name)?.len() == before,
            "a pod was made"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_quota_that_has_no_room() -> Result<()> {
    Namespace::with("quota", async |ns| {
        ns.kubectl("create quota full --hard=pods=0").run().await?;
        until("the quota is in force", seconds(20), async || {
            let used = ns
                .kubectl("get quota full -o jsonpath={.status.hard.pods}")
                .run()
                .await?;
            Ok(Seen::when(used == "0", || used))
        })
        .await?;
        ns.apply(&net_test(
            "quota",
            &format!("limits: {{scheduleTimeout: 5s}}\n{}", short_spec(1)),
        ))
        .await?;
        let message = ns.fails("quota", "QuotaExceeded", seconds(30)).await?;
        ensure!(
            message.contains("exceeded quota"),
            "not the API server's own message: {message}"
        );
        no_pods(ns)
    })
    .await
}

/// A quota that gets room in time is no failure.
#[tokio::test]
async fn a_quota_that_gets_room_in_time() -> Result<()> {
    Namespace::with("quota-room", async |ns| {
        ns.kubectl("create quota full --hard=pods=0").run().await?;
        ns.apply(&short("quota", 1)).await?;
        until("it says what it waits for", seconds(20), async || {
            let seen = state(&ns.test("quota").await?, condition::SCHEDULED);
            Ok(Seen::when(seen.contains("QuotaExceeded"), || seen))
        })
        .await?;
        ns.kubectl("delete quota full").run().await?;
        ns.succeeds("quota", seconds(60)).await.map(drop)
    })
    .await
}

/// A rule of the cluster's own, as policy engines and webhooks bring them.
#[tokio::test]
async fn a_policy_of_the_cluster_that_forbids_it() -> Result<()> {
    Namespace::with("admission", async |ns| {
        let rule = Rule(ns.name.clone());
        ns.apply(&rule.manifest()).await?;
        until("the rule is in force", seconds(30), async || {
            let tried = ns
                .kubectl("create --dry-run=server -f -")
                .input(PROBE)
                .output()
                .await?;
            Ok(Seen::when(
                tried.stderr.contains("no pods of this kind"),
                || tried.stderr,
            ))
        })
        .await?;
        let spec = format!("limits: {{scheduleTimeout: 5s}}\n{}", short_spec(1));
        ns.apply(&net_test("forbidden", &spec)).await?;
        shown_at_once(ns, "forbidden", "AdmissionDenied").await?;
        let message = ns
            .fails("forbidden", "AdmissionDenied", seconds(30))
            .await?;
        ensure!(
            message.contains("no pods of this kind"),
            "not the rule's own words: {message}"
        );
        no_pods(ns)
    })
    .await
}

/// What Pod Security lets through, to ask the rule alone.
const PROBE: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: probe}\nspec:\n  \
     securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}\n  \
     containers: [{name: probe, image: \"localhost/busybox:dev\", securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}]\n";

/// A ValidatingAdmissionPolicy against all pods of the namespace of this name, which goes with the scenario.
struct Rule(String);

impl Rule {
    fn manifest(&self) -> String {
        let name = &self.0;
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: {name}}}\nspec:\n  \
             matchConstraints: {{resourceRules: [{{apiGroups: [\"\"], apiVersions: [v1], operations: [CREATE], resources: [pods]}}]}}\n  \
             validations: [{{expression: \"false\", message: no pods of this kind}}]\n---\n\
             apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: {name}}}\nspec:\n  \
             policyName: {name}\n  validationActions: [Deny]\n  \
             matchResources: {{namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: {name}}}}}}}\n"
        )
    }
}

impl Drop for Rule {
    fn drop(&mut self) {
        let kinds = "validatingadmissionpolicybinding,validatingadmissionpolicy";
        let ended = std::process::Command::new("kubectl")
            .args(["delete", kinds, &self.0, "--ignore-not-found"])
            .stdout(std::process::Stdio::null())
            .status();
        if !ended.as_ref().is_ok_and(|status| status.success()) {
            eprintln!("cannot delete the policy {}: {ended:?}", self.0);
        }
    }
}

/// A port of the host that somebody else has.
#[tokio::test]
async fn a_port_of_the_node_that_is_taken() -> Result<()> {
    Namespace::named(nettest_e2e::namespace::HOST_NETWORK, Level::Privileged, async |ns| {
        let neighbour = "apiVersion: v1\nkind: Pod\nmetadata: {name: neighbour}\nspec:\n  nodeName: node2\n  hostNetwork: true\n  \
             terminationGracePeriodSeconds: 0\n  containers:\n  - {name: peer, image: \"localhost/busybox:dev\", imagePullPolicy: Never, \
             command: [sleep, \"3600\"], ports: [{containerPort: 5201, hostPort: 5201}]}\n";
        ns.apply(neighbour).await?;
        let spec = format!("{HOST}limits: {{scheduleTimeout: 6s}}\n{}", short_spec(1));
        let spec = spec.replace("server: {", "server: {nodeName: node2, ");
        ns.apply(&net_test("port", &spec)).await?;
        let message = ns.fails("port", "PortConflict", seconds(30)).await?;
        ensure!(message.contains("free ports"), "not the scheduler's own message: {message}");
        Ok(())
    })
    .await
}

/// The chart has one image for all; an engine image that nodes do not have is what a typing error in a mirror's name gives.
#[tokio::test]
async fn no_image() -> Result<()> {
    Namespace::with("no-image", async |ns| {
        let right = engine_image(&ns.cluster, "localhost/nettest:absent").await?;
        let body = no_image_in(ns).await;
        engine_image(&ns.cluster, &right).await?;
        body
    })
    .await
}

async fn no_image_in(ns: &Namespace) -> Result<()> {
    let spec = format!("limits: {{scheduleTimeout: 8s}}\n{}", short_spec(1));
    ns.apply(&net_test("no-image", &on_nodes("node1", "node2", &spec)))
        .await?;
    shown_at_once(ns, "no-image", "ImagePullFailed").await?;
    let message = ns.fails("no-image", "ImagePullFailed", seconds(30)).await?;
    ensure!(
        message.contains("localhost/nettest:absent"),
        "does not name the image: {message}"
    );
    Ok(())
}

/// Has the operator use another engine image; the one that it used before.
async fn engine_image(cluster: &Cluster, image: &str) -> Result<String> {
    const FLAG: &str = "--engine-image=";
    let old = Operator::ready(cluster).await?.pod.metadata.name;
    let deployments: Api<Deployment> = Api::namespaced(cluster.client.clone(), release::NAMESPACE);
    let deployment = deployments.get(release::NAME).await?;
    let template = deployment.spec.and_then(|s| s.template.spec);
    let arguments = template.and_then(|s| s.containers.into_iter().next()?.args);
    let arguments = arguments.context("the operator has no arguments")?;
    let place = arguments.iter().position(|a| a.starts_with(FLAG));
    let place = place.with_context(|| format!("no {FLAG} in {arguments:?}"))?;
    let patch: Patch<()> = Patch::Json(serde_json::from_value(json!([{
        "op": "replace",
        "path": format!("/spec/template/spec/containers/0/args/{place}"),
        "value": format!("{FLAG}{image}"),
    }]))?);
    deployments
        .patch(release::NAME, &PatchParams::default(), &patch)
        .await?;
    until(
        "the operator with the other image is ready",
        seconds(60),
        async || {
            let now = Operator::ready(cluster).await?.pod.metadata.name;
            Ok(Seen::when(now != old, || format!("{now:?}")))
        },
    )
    .await?;
    Ok(arguments[place].trim_start_matches(FLAG).to_owned())
}

/// While it waits it says for what.
async fn shown_at_once(ns: &Namespace, name: &str, text: &str) -> Result<()> {
    until(
        &format!("{name} says {text} while it waits"),
        seconds(7),
        async || {
            let test = ns.test(name).await?;
            let seen =
                state(&test, condition::SCHEDULED) + " | " + &state(&test, condition::SUCCEEDED);
            let waits = state(&test, condition::SUCCEEDED).starts_with("Unknown");
            Ok(Seen::when(waits && seen.contains(text), || seen))
        },
    )
    .await
}

fn no_pods(ns: &Namespace) -> Result<()> {
    let created = audit::pod_creates(&ns.name)?;
    ensure!(created.is_empty(), "pods were made: {created:?}");
    Ok(())
}
