//! The Service in front of one server pod. One server a Service: control and data connections of a test must reach
//! the same one (kubernetes/kubernetes#63567).

use super::{Owner, ServicePlan, build::owned};
use crate::{argv::PORT, names};
use k8s_openapi::{
    api::core::v1::{Service, ServicePort, ServiceSpec},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use nettest_api::{labels, labels::Role};
use std::collections::BTreeMap;

/// The object, as planned.
pub fn service(owner: &Owner, plan: &ServicePlan) -> Service {
    let mut tags = BTreeMap::from([
        (
            labels::MANAGED_BY.to_owned(),
            labels::MANAGED_BY_VALUE.to_owned(),
        ),
        (labels::RUN_UID.to_owned(), owner.uid.as_str().to_owned()),
        (labels::ATTEMPT.to_owned(), plan.attempt.to_string()),
    ]);
    if let Some(number) = plan.number {
        tags.insert(labels::PAIR.to_owned(), number.to_string());
    }
    // What only this server's pod carries.
    let mut selector = tags.clone();
    selector.insert(labels::ROLE.to_owned(), Role::Server.as_str().to_owned());
    if let Some(test) = &owner.test {
        tags.insert(labels::TEST.to_owned(), names::label_value(test));
    }
    let port = |protocol: &str| ServicePort {
        name: Some(protocol.to_lowercase()),
        port: i32::from(PORT),
        protocol: Some(protocol.to_owned()),
        ..ServicePort::default()
    };
    Service {
        metadata: ObjectMeta {
            name: Some(plan.name.clone()),
            namespace: Some(owner.namespace.clone()),
            labels: Some(tags),
            owner_references: Some(vec![owned(owner)]),
            ..ObjectMeta::default()
        },
        spec: Some(ServiceSpec {
            type_: Some(
                if plan.node_port {
                    "NodePort"
                } else {
                    "ClusterIP"
                }
                .to_owned(),
            ),
            selector: Some(selector),
            ports: Some(vec![port("TCP"), port("UDP")]),
            // The server's own probe says when it is ready; nodes may know the way to it before.
            publish_not_ready_addresses: Some(true),
            ip_families: plan.family.map(|family| vec![family.as_str().to_owned()]),
            ip_family_policy: Some("SingleStack".to_owned()),
            ..ServiceSpec::default()
        }),
        status: None,
    }
}
