//! Deletes.

use crate::client::{CallError, call};
use kube::{
    Api, Resource,
    api::{DeleteParams, Preconditions, PropagationPolicy},
};
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// Delete this very object: one of the same name that came since is left alone. What is gone is done.
pub async fn delete<K>(api: &Api<K>, name: &str, uid: &str) -> Result<(), CallError>
where
    K: Resource + Clone + Debug + DeserializeOwned,
{
    let params = DeleteParams {
        preconditions: Some(Preconditions {
            uid: Some(uid.to_owned()),
            resource_version: None,
        }),
        propagation_policy: Some(PropagationPolicy::Background),
        ..DeleteParams::default()
    };
    match call("delete an object", api.delete(name, &params)).await {
        Ok(_) => Ok(()),
        Err(error) if error.is_not_found() || error.is_conflict() => Ok(()),
        Err(error) => Err(error),
    }
}
