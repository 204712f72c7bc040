//! What the schema cannot see is refused by the operator, before any pod.

use anyhow::{Result, ensure};
use nettest_api::condition;
use nettest_e2e::{
    Namespace, audit,
    manifest::net_test,
    net_test::{is, state},
    seconds,
};

/// Name, spec, the field that the refusal must name.
const INVALID: &[(&str, &str, &str)] = &[
    (
        "message-tcp",
        "traffic: {messageSize: 2Mi}",
        "traffic.messageSize",
    ),
    (
        "message-udp",
        "traffic: {protocol: UDP, messageSize: 64Ki}",
        "traffic.messageSize",
    ),
    (
        "message-small",
        "traffic: {protocol: UDP, messageSize: \"8\"}",
        "traffic.messageSize",
    ),
    ("window", "traffic: {windowSize: 1Gi}", "traffic.windowSize"),
    (
        "bitrate",
        "traffic: {bitrate: 900000000T}",
        "traffic.bitrate",
    ),
    (
        "fraction",
        "traffic: {duration: 1500ms}",
        "traffic.duration",
    ),
    ("memory", "server: {memory: 900Gi}", "server.memory"),
];

#[tokio::test]
async fn what_the_schema_cannot_see_is_refused_before_any_pod() -> Result<()> {
    Namespace::with("invalid", async |ns| {
        let manifests: Vec<String> = INVALID
            .iter()
            .map(|(name, spec, _)| net_test(name, spec))
            .collect();
        ns.apply(&manifests.join("---\n")).await?;
        for (name, _, field) in INVALID {
            let message = ns.fails(name, "InvalidSpec", seconds(20)).await?;
            ensure!(
                message.contains(field),
                "{name}: does not name {field}: {message}"
            );
            let test = ns.test(name).await?;
            ensure!(
                is(&test, condition::ACCEPTED, "False/InvalidSpec"),
                "{name}: Accepted is {}",
                state(&test, condition::ACCEPTED)
            );
        }
        let created = audit::pod_creates(&ns.name)?;
        ensure!(created.is_empty(), "pods were made: {created:?}");
        Ok(())
    })
    .await
}
