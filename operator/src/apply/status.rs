//! Status, by server-side apply.

use super::FIELD_MANAGER;
use crate::client::{CallError, call};
use kube::{
    Api, Resource, ResourceExt,
    api::{Patch, PatchParams},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use std::fmt::Debug;

/// Set the status of this very object. The UID goes along, so that a new object of the same name answers
/// Conflict rather than take over an old result.
pub async fn apply<K, S>(api: &Api<K>, object: &K, status: &S) -> Result<K, CallError>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned,
    S: Serialize,
{
    let patch = json!({
        "apiVersion": K::api_version(&()),
        "kind": K::kind(&()),
        "metadata": {"name": object.name_any(), "uid": object.uid()},
        "status": status,
    });
    let params = PatchParams::apply(FIELD_MANAGER).force();
    call(
        "write the status",
        api.patch_status(&object.name_any(), &params, &Patch::Apply(&patch)),
    )
    .await
}
