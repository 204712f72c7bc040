//! Server-side apply of one NetTest.

use super::client::said;
use kube::Api;
use kube::api::{Patch, PatchParams, ValidationDirective};
use nettest_api::NetTest;
use serde_json::{Value, json};
use thiserror::Error;

pub const FIELD_MANAGER: &str = "kubectl-nettest";

#[derive(Debug, Error)]
pub enum ApplyError {
    #[error("{name} was refused: {message}")]
    Refused { name: String, message: String },
    #[error(
        "you may not apply {name} in namespace {namespace} ({message}); ask whoever runs the cluster, and check with: kubectl auth can-i patch nettests.nettest.dev -n {namespace}"
    )]
    NotPermitted {
        name: String,
        namespace: String,
        message: String,
    },
    #[error(
        "{name} has fields that another tool set ({message}): --force-conflicts takes them over"
    )]
    Conflict { name: String, message: String },
    #[error(
        "this cluster does not know NetTests: install the operator first (helm install nettest charts/nettest)"
    )]
    NoSuchKind,
    #[error("the namespace {namespace} of {name} does not exist")]
    NoNamespace { name: String, namespace: String },
    #[error("cannot apply {name}: {}", said(error))]
    Failed { name: String, error: kube::Error },
}

/// Applies a document; the answer has its generation.
pub async fn apply(
    api: &Api<NetTest>,
    name: &str,
    document: &Value,
    namespace: &str,
    force: bool,
) -> Result<NetTest, ApplyError> {
    let mut params = PatchParams::apply(FIELD_MANAGER);
    params.force = force;
    // A field that the cluster's (older) CRD does not have is refused, not dropped.
    params.field_validation = Some(ValidationDirective::Strict);
    api.patch(name, &params, &Patch::Apply(&wanted(document, namespace)))
        .await
        .map_err(|error| explain(name.to_owned(), namespace, error))
}

/// The document without what only a server sets: a file may be the output of `kubectl get -o yaml`.
fn wanted(document: &Value, namespace: &str) -> Value {
    let mut wanted = document.clone();
    if let Some(object) = wanted.as_object_mut() {
        object.remove("status");
    }
    if let Some(metadata) = wanted.get_mut("metadata").and_then(Value::as_object_mut) {
        for key in [
            "managedFields",
            "resourceVersion",
            "uid",
            "generation",
            "creationTimestamp",
        ] {
            metadata.remove(key);
        }
        metadata.insert("namespace".to_owned(), json!(namespace));
    }
    wanted
}

fn explain(name: String, namespace: &str, error: kube::Error) -> ApplyError {
    let kube::Error::Api(status) = &error else {
        return ApplyError::Failed { name, error };
    };
    match status.code {
        // Of a namespace the server says its name, of a kind only that the page is not there.
        404 if status.message.contains("namespaces") => ApplyError::NoNamespace {
            name,
            namespace: namespace.to_owned(),
        },
        404 => ApplyError::NoSuchKind,
        409 => ApplyError::Conflict {
            name,
            message: status.message.clone(),
        },
        // An admission policy answers 403, too, and says which it is.
        403 if status.message.contains(" cannot ") => ApplyError::NotPermitted {
            name,
            namespace: namespace.to_owned(),
            message: status.message.clone(),
        },
        400 | 403 | 422 => ApplyError::Refused {
            name,
            message: status.message.clone(),
        },
        _ => ApplyError::Failed { name, error },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube::core::Status;

    fn explained(code: u16, message: &str) -> String {
        let status = Status {
            code,
            message: message.to_owned(),
            ..Status::default()
        };
        explain("a".into(), "lab", kube::Error::Api(Box::new(status))).to_string()
    }

    #[test]
    fn what_a_server_set_is_not_applied() {
        let got = json!({"kind": "NetTest", "metadata": {"name": "a", "uid": "u", "managedFields": [], "labels": {}}, "spec": {}, "status": {}});
        assert_eq!(
            wanted(&got, "lab"),
            json!({"kind": "NetTest", "metadata": {"name": "a", "labels": {}, "namespace": "lab"}, "spec": {}})
        );
    }

    #[test]
    fn answers_of_the_server_become_advice() {
        assert!(
            explained(404, "the server could not find the requested resource")
                .contains("install the operator")
        );
        assert_eq!(
            explained(404, "namespaces \"lab\" not found"),
            "the namespace lab of a does not exist"
        );
        assert_eq!(
            explained(500, "etcd is away"),
            "cannot apply a: etcd is away"
        );
        assert!(explained(409, "conflict with \"kubectl\"").contains("--force-conflicts"));
        let forbidden = explained(
            403,
            "forbidden: User \"u\" cannot patch resource \"nettests\"",
        );
        assert!(
            forbidden.contains("kubectl auth can-i patch nettests.nettest.dev -n lab"),
            "{forbidden}"
        );
        assert!(explained(403, "denied by a policy").starts_with("a was refused"));
        let refused = explained(422, "spec.traffic: Invalid value");
        assert!(
            refused.starts_with("a was refused") && refused.contains("spec.traffic"),
            "{refused}"
        );
    }
}
