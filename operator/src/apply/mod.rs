//! The writes, one API request each. Names are deterministic and deletes carry the UID, so each may be done
//! again after a crash.
//!
//! - [`create`]: pods, runs, the documents' ConfigMap
//! - [`delete`]: with a UID precondition
//! - [`status`]: server-side apply, last in a pass

pub mod create;
pub mod delete;
pub mod status;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;

/// Who we are to server-side apply and in `managedFields`.
pub const FIELD_MANAGER: &str = "nettest-operator";

/// This object as the controller of another. It does not block its own deletion: nothing of ours holds
/// anything back. `None` for an object without name or UID.
pub fn owner<K: Resource<DynamicType = ()>>(object: &K) -> Option<OwnerReference> {
    Some(OwnerReference {
        api_version: K::api_version(&()).into_owned(),
        kind: K::kind(&()).into_owned(),
        name: object.meta().name.clone()?,
        uid: object.meta().uid.clone()?,
        controller: Some(true),
        block_owner_deletion: Some(false),
    })
}
