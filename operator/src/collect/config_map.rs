//! The ConfigMap of a run's documents, or those of one of its pairs: pure.

use crate::apply::owner;
use k8s_openapi::{ByteString, api::core::v1::ConfigMap};
use kube::api::ObjectMeta;
use nettest_api::{NetTestRun, labels};
use nettest_core::names;
use std::collections::BTreeMap;

/// Its only entry: JSON lines, gzip.
pub const KEY: &str = "documents.jsonl.gz";

/// `None` for a run without name or UID, which the API does not have.
pub fn config_map(
    run: &NetTestRun,
    pair: Option<u32>,
    attempt: u32,
    gzip: Vec<u8>,
) -> Option<ConfigMap> {
    let name = run.metadata.name.as_deref()?;
    let mut tags = BTreeMap::from([
        (
            labels::MANAGED_BY.to_owned(),
            labels::MANAGED_BY_VALUE.to_owned(),
        ),
        (labels::RUN_UID.to_owned(), run.metadata.uid.clone()?),
        (labels::ATTEMPT.to_owned(), attempt.to_string()),
    ]);
    if let Some(number) = pair {
        tags.insert(labels::PAIR.to_owned(), number.to_string());
    }
    if let Some(test) = &run.spec.test_name {
        tags.insert(labels::TEST.to_owned(), names::label_value(test));
    }
    Some(ConfigMap {
        metadata: ObjectMeta {
            name: Some(names::documents_name(name, pair)),
            namespace: run.metadata.namespace.clone(),
            labels: Some(tags),
            owner_references: Some(vec![owner(run)?]),
            ..ObjectMeta::default()
        },
        binary_data: Some(BTreeMap::from([(KEY.to_owned(), ByteString(gzip))])),
        immutable: Some(true),
        ..ConfigMap::default()
    })
}
