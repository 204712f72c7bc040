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
