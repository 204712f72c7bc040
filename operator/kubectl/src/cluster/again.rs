//! A run of its own for a test that an apply alone does not measure: one that has its result already (who says `run`, a
//! pipeline above all, must not be given the figures of last week), or one with a schedule, whose time has not come.

use super::apply::FIELD_MANAGER;
use super::client::said;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Resource};
use nettest_api::{NetTest, NetTestRun, NetTestRunSpec, labels};
use nettest_core::names;
use std::collections::BTreeMap;
use thiserror::Error;

#[derive(Debug, Error)]
#[error(
    "{name} was applied, and a run to measure it cannot be made: {}",
    said(error)
)]
pub struct AgainError {
    name: String,
    error: kube::Error,
}

/// Makes a run of the test as it stands.
pub async fn again(api: &Api<NetTestRun>, test: &NetTest) -> Result<NetTestRun, AgainError> {
    let params = PostParams {
        field_manager: Some(FIELD_MANAGER.to_owned()),
        ..PostParams::default()
    };
    api.create(&params, &wanted(test))
        .await
        .map_err(|error| AgainError {
            name: test.metadata.name.clone().unwrap_or_default(),
            error,
        })
}

/// The run of a test that has ended, where it has several pairs: the run alone has them. Whoever may not read it sees
/// what the test has.
pub async fn run_with_pairs(api: &Api<NetTestRun>, test: &NetTest) -> Option<NetTestRun> {
    let status = test.status.as_ref()?;
    status.progress.as_ref()?;
    api.get_opt(status.latest_run.as_deref()?)
        .await
        .ok()
        .flatten()
}

/// As the operator makes them, so that it counts in the test's history and metrics and goes with the test.
fn wanted(test: &NetTest) -> NetTestRun {
    let meta = &test.metadata;
    let name = meta.name.clone().unwrap_or_default();
    let owner = meta.uid.clone().map(|uid| OwnerReference {
        api_version: NetTest::api_version(&()).into_owned(),
        kind: NetTest::kind(&()).into_owned(),
        name: name.clone(),
        uid,
        controller: Some(true),
        block_owner_deletion: Some(false),
    });
    NetTestRun {
        metadata: ObjectMeta {
            generate_name: Some(format!(
                "{}-",
                names::run_name(&name, meta.generation.unwrap_or(1))
            )),
            namespace: meta.namespace.clone(),
            labels: Some(BTreeMap::from([(
                labels::TEST.to_owned(),
                names::label_value(&name),
            )])),
            owner_references: owner.map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        spec: NetTestRunSpec {
            test_name: Some(name),
            test_generation: meta.generation,
            rerun: None,
            scheduled_time: None,
            test: test.spec.clone(),
        },
        status: None,
    }
}

#[cfg(test)]
mod tests {
    use super::wanted;
    use nettest_api::NetTest;

    #[test]
    fn it_is_a_copy_that_belongs_to_the_test() {
        let test: NetTest = serde_yaml::from_str(
            "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {name: a, namespace: lab, uid: u, generation: 4}\nspec: {repeats: {count: 7}}",
        )
        .unwrap();
        let run = wanted(&test);
        assert_eq!(run.metadata.name, None);
        assert_eq!(run.metadata.generate_name.as_deref(), Some("a-4-"));
        assert_eq!(run.metadata.namespace.as_deref(), Some("lab"));
        assert_eq!(run.metadata.labels.unwrap()["nettest.dev/test"], "a");
        let owners = run.metadata.owner_references.unwrap();
        assert_eq!(
            (owners[0].kind.as_str(), owners[0].uid.as_str()),
            ("NetTest", "u")
        );
        assert_eq!(owners[0].controller, Some(true));
        assert_eq!(run.spec.test_generation, Some(4));
        assert_eq!(run.spec.test, test.spec);
    }
}
