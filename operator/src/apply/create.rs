//! Creates. "Already exists" is done when what exists is what we would have made.

use super::FIELD_MANAGER;
use crate::client::{CallError, call};
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Service};
use kube::{Api, Resource, ResourceExt, api::PostParams, core::Status};
use nettest_api::{NetTestRun, labels};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// How a create went.
#[derive(Debug, Clone, PartialEq)]
pub enum Created<K> {
    /// It is there: made now, or by an earlier pass that did not live to tell.
    Done { object: Box<K>, now: bool },
    /// The name is taken by an object that is not ours.
    Taken { holder: String },
    /// The API server refuses it: admission, quota, Pod Security.
    Refused(Box<Status>),
}

/// Create an engine pod.
pub async fn pod(pods: &Api<Pod>, pod: &Pod) -> Result<Created<Pod>, CallError> {
    create("create a pod", pods, pod, |there| {
        [labels::RUN_UID, labels::ATTEMPT, labels::ROLE]
            .iter()
            .all(|key| there.labels().get(*key) == pod.labels().get(*key))
    })
    .await
}

/// Create the Service in front of a server.
pub async fn service(
    services: &Api<Service>,
    service: &Service,
) -> Result<Created<Service>, CallError> {
    create("create a Service", services, service, |there| {
        controller_uid(there) == controller_uid(service)
    })
    .await
}

/// Create the run of a NetTest's generation.
pub async fn run(
    runs: &Api<NetTestRun>,
    run: &NetTestRun,
) -> Result<Created<NetTestRun>, CallError> {
    create("create a NetTestRun", runs, run, |there| {
        controller_uid(there) == controller_uid(run)
    })
    .await
}

/// Create the ConfigMap of a run's documents.
pub async fn documents(
    maps: &Api<ConfigMap>,
    map: &ConfigMap,
) -> Result<Created<ConfigMap>, CallError> {
    create("create the documents' ConfigMap", maps, map, |there| {
        // Those of another attempt are another measurement.
        controller_uid(there) == controller_uid(map)
            && there.labels().get(labels::ATTEMPT) == map.labels().get(labels::ATTEMPT)
    })
    .await
}

async fn create<K>(
    what: &'static str,
    api: &Api<K>,
    object: &K,
    is_ours: impl FnOnce(&K) -> bool,
) -> Result<Created<K>, CallError>
where
    K: Resource + Clone + Debug + Serialize + DeserializeOwned,
{
    let params = PostParams {
        field_manager: Some(FIELD_MANAGER.to_owned()),
        ..PostParams::default()
    };
    let error = match call(what, api.create(&params, object)).await {
        Ok(object) => {
            return Ok(Created::Done {
                object: Box::new(object),
                now: true,
            });
        }
        Err(error) => error,
    };
    match error.status() {
        Some(status) if status.reason == "AlreadyExists" => {
            let there = call("read what has the name", api.get_opt(&object.name_any())).await?;
            match there {
                Some(there) if is_ours(&there) => Ok(Created::Done {
                    object: Box::new(there),
                    now: false,
                }),
                Some(there) => Ok(Created::Taken {
                    holder: there.uid().unwrap_or_default(),
                }),
                // Gone between the two requests: the next pass creates it.
                None => Err(error),
            }
        }
        // 404 is a namespace that went away, 429 and 5xx are the server's trouble: neither judges the object.
        Some(status) if matches!(status.code, 400 | 403 | 422) => {
            Ok(Created::Refused(Box::new(status.clone())))
        }
        _ => Err(error),
    }
}

/// UID of the object that controls this one.
pub fn controller_uid<K: Resource>(object: &K) -> Option<&str> {
    let owners = object
        .meta()
        .owner_references
        .as_deref()
        .unwrap_or_default();
    owners
        .iter()
        .find(|owner| owner.controller == Some(true))
        .map(|owner| owner.uid.as_str())
}
