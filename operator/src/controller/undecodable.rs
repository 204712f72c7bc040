//! Objects that do not decode: one that was stored before the schema was narrowed, or by a newer release. The
//! watch goes on for all others (DeserializeGuard); where the spec is at fault, the status says so.

use super::{context::Context, error::PassError};
use crate::client::call;
use k8s_openapi::NamespaceResourceScope;
use kube::{
    Api, Resource,
    api::{ApiResource, DynamicObject, ObjectMeta},
    core::object::{HasSpec, HasStatus},
};
use nettest_core::validate::Refusal;
use serde::de::DeserializeOwned;

/// A kind that can be told no though its spec cannot be read.
pub trait Refusable:
    Resource<DynamicType = (), Scope = NamespaceResourceScope> + HasSpec + HasStatus
{
    /// Write the refusal into the status, unless the status has an end already.
    fn refuse(
        context: &Context,
        metadata: ObjectMeta,
        status: Option<Self::Status>,
        refusal: &Refusal,
    ) -> impl Future<Output = Result<(), PassError>> + Send;
}

/// Look at the object as it is stored now, and refuse it if its spec does not decode.
pub async fn look<K>(context: &Context, namespace: &str, name: &str) -> Result<(), PassError>
where
    K: Refusable,
    K::Spec: DeserializeOwned,
    K::Status: DeserializeOwned,
{
    let client = context.scope.client().clone();
    let raw: Api<DynamicObject> =
        Api::namespaced_with(client, namespace, &ApiResource::erase::<K>(&()));
    let Some(object) = call("read what does not decode", raw.get_opt(name)).await? else {
        return Ok(());
    };
    if object.metadata.deletion_timestamp.is_some() {
        return Ok(());
    }
    let part = |name: &str| object.data.get(name).cloned().unwrap_or_default();
    let Err(error) = serde_json::from_value::<K::Spec>(part("spec")) else {
        return Ok(());
    };
    // A status that does not decode is a newer release's: not ours to overwrite.
    let Ok(status) = serde_json::from_value::<Option<K::Status>>(part("status")) else {
        return Ok(());
    };
    let refusal = Refusal::Invalid {
        field: "spec".into(),
        problem: format!("does not decode: {error}; correct it and apply it again"),
    };
    K::refuse(context, object.metadata, status, &refusal).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Asked, Expect, play};
    use nettest_api::{NetTest, NetTestRun};
    use serde_json::json;
    use std::sync::Arc;

    const TEST: &str = "/namespaces/default/nettests/rack";
    const TEST_STATUS: &str = "/namespaces/default/nettests/rack/status";

    fn rack(kind: &str, spec: &str, status: &str) -> String {
        format!(
            "{{apiVersion: nettest.dev/v1alpha1, kind: {kind}, metadata: {{name: rack, namespace: default, uid: u, generation: 3}}, spec: {spec}, status: {status}}}"
        )
    }

    async fn look_at<K>(script: Vec<Expect>) -> Asked
    where
        K: Refusable,
        K::Spec: DeserializeOwned,
        K::Status: DeserializeOwned,
    {
        let (outcome, asked) = play(script, |context: Arc<Context>| async move {
            look::<K>(&context, "default", "rack").await
        })
        .await;
        outcome.unwrap();
        asked
    }

    #[tokio::test]
    async fn a_spec_that_does_not_decode_is_refused_with_the_parsers_words() {
        let bad = rack("NetTest", "{trafic: {}}", "null");
        let asked = look_at::<NetTest>(vec![
            Expect::get(TEST, &bad),
            Expect::patch(TEST_STATUS, &bad),
        ])
        .await;
        let patch = asked.body("PATCH");
        assert_eq!(patch["metadata"], json!({"name": "rack", "uid": "u"}));
        assert_eq!(patch["status"]["observedGeneration"], 3);
        for condition in patch["status"]["conditions"].as_array().unwrap() {
            if ["Accepted", "Succeeded"].contains(&condition["type"].as_str().unwrap()) {
                assert_eq!(condition["status"], "False");
                assert_eq!(condition["reason"], "InvalidSpec");
                let message = condition["message"].as_str().unwrap();
                assert!(message.contains("unknown field `trafic`"), "{message}");
            }
        }
        assert_eq!(asked.events, ["InvalidSpec"]);

        // Told once.
        let told = rack("NetTest", "{trafic: {}}", &patch["status"].to_string());
        assert_eq!(
            look_at::<NetTest>(vec![Expect::get(TEST, &told)])
                .await
                .events,
            [""; 0]
        );
    }

    #[tokio::test]
    async fn a_run_is_refused_alike() {
        const RUN: &str = "/namespaces/default/nettestruns/rack";
        const STATUS: &str = "/namespaces/default/nettestruns/rack/status";
        let bad = rack(
            "NetTestRun",
            "{test: {traffic: {protocol: QUIC}}}",
            "{attempt: 1}",
        );
        let asked =
            look_at::<NetTestRun>(vec![Expect::get(RUN, &bad), Expect::patch(STATUS, &bad)]).await;
        assert_eq!(asked.body("PATCH")["status"]["verdict"], "Error");
        assert_eq!(asked.events, ["InvalidSpec"]);
    }

    #[tokio::test]
    async fn what_a_newer_release_wrote_is_left_alone() {
        for object in [
            rack("NetTest", "{}", "{verdict: Unstable}"),
            rack("NetTest", "{trafic: {}}", "{verdict: Unstable}"),
        ] {
            let asked = look_at::<NetTest>(vec![Expect::get(TEST, &object)]).await;
            assert_eq!(asked.lines.len(), 1);
        }
    }
}
