//! Status, by server-side apply.

use super::FIELD_MANAGER;
use crate::{
    client::{CallError, call},
    scope::Scope,
};
use k8s_openapi::NamespaceResourceScope;
use kube::{
    Api, Resource, ResourceExt,
    api::{ObjectMeta, Patch, PatchParams},
    core::{DeserializeGuard, object::HasStatus},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use std::fmt::Debug;

/// Others may write to the object (annotations, owners) while we do. A few of their writes in a row are no
/// reason to begin the pass anew.
const TRIES: u32 = 5;

/// Set the status of this very object, as it was when the pass read it. The UID goes along, so that a new object
/// of the same name answers Conflict rather than take over an old result; so does the resourceVersion, so that a
/// write that comes late (of an earlier leader, or one that we gave up waiting for) cannot undo a newer status.
pub async fn apply<K>(scope: &Scope, object: &K, status: &K::Status) -> Result<(), CallError>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + HasStatus
        + Clone
        + Debug
        + DeserializeOwned,
    K::Status: Serialize + PartialEq,
{
    let name = object.name_any();
    // The status may say that the object does not decode: then neither does the answer.
    let api: Api<DeserializeGuard<K>> = scope.api(&object.namespace().unwrap_or_default());
    let params = PatchParams::apply(FIELD_MANAGER).force();
    let mut version = object.resource_version();
    let mut tries = 1;
    loop {
        let patch = json!({
            "apiVersion": K::api_version(&()),
            "kind": K::kind(&()),
            "metadata": ObjectMeta {
                name: Some(name.clone()),
                uid: object.uid(),
                resource_version: version.clone(),
                ..ObjectMeta::default()
            },
            "status": status,
        });
        let patch = Patch::Apply(&patch);
        let error = match call("write the status", api.patch_status(&name, &params, &patch)).await {
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        if !error.is_conflict() || tries >= TRIES {
            return Err(error);
        }
        let now = call("read what has changed", api.get_opt(&name)).await?;
        let now = now.and_then(|now| now.0.ok());
        let Some(now) = now.filter(|now| is_as_judged(now, object)) else {
            return Err(error);
        };
        version = now.resource_version();
        tries += 1;
    }
}

/// Whether what the status was made from still stands.
fn is_as_judged<K>(now: &K, judged: &K) -> bool
where
    K: Resource + HasStatus,
    K::Status: PartialEq,
{
    now.uid() == judged.uid()
        && now.meta().generation == judged.meta().generation
        && now.status() == judged.status()
}
