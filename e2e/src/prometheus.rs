//! The real Prometheus, asked with promtool.

use crate::command::Command;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

/// One series at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub labels: BTreeMap<String, String>,
    pub value: f64,
}

#[derive(Deserialize)]
struct Raw {
    metric: BTreeMap<String, String>,
    /// Time, and the value as text.
    value: (f64, String),
}

/// An instant query.
pub async fn query(expression: &str) -> Result<Vec<Sample>> {
    let server = std::env::var("NETTEST_CLUSTER_PROMETHEUS")
        .context("NETTEST_CLUSTER_PROMETHEUS is not set: run `make e2e`")?;
    let answer = Command::line("promtool query instant -o json")
        .args([server, expression.to_owned()])
        .run()
        .await?;
    let raw: Vec<Raw> =
        serde_json::from_str(&answer).with_context(|| format!("{expression}: {answer}"))?;
    raw.into_iter()
        .map(|raw| {
            Ok(Sample {
                labels: raw.metric,
                value: raw.value.1.parse()?,
            })
        })
        .collect()
}
