//! The documents that are kept of a run.

use crate::Namespace;
use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use nettest_report::event::{Event, Measurement};
use std::io::Read;

impl Namespace {
    /// Those in a ConfigMap, each line of which must be one.
    pub async fn documents(&self, map: &str) -> Result<Vec<Measurement>> {
        let maps: Api<ConfigMap> = self.api();
        let map = maps.get(map).await?;
        let data = map.binary_data.unwrap_or_default();
        let packed = data.get("documents.jsonl.gz").context("no documents")?;
        let mut text = String::new();
        GzDecoder::new(packed.0.as_slice()).read_to_string(&mut text)?;
        let documents = text.lines().map(|line| match Event::parse(line) {
            Some(Event::Measurement(measurement)) => Ok(measurement),
            _ => anyhow::bail!("not a document: {line}"),
        });
        documents.collect()
    }
}
