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
        "too-long",
        "traffic: {duration: 24h}\nrepeats: {count: 20}",
        "repeats.count",
    ),
    (
        "fraction",
        "traffic: {messageSize: 1.0001Ki}",
        "traffic.messageSize",
    ),
    (
        "loss",
        "traffic: {protocol: UDP}\nthresholds: [{name: loss, metric: LossPPM, max: 2000000}]",
        "thresholds[0]",
    ),
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
