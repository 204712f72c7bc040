//! Grafana's dashboards as the chart ships them, and their queries as Grafana would send them.

use crate::{command::kubectl, prometheus};
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::{collections::BTreeMap, time::Duration};

/// What a dashboard shows at once here.
pub const RANGE: Duration = Duration::from_secs(300);

#[derive(Debug, Deserialize)]
pub struct Dashboard {
    pub uid: String,
    panels: Vec<Panel>,
    templating: Templating,
}

#[derive(Debug, Deserialize)]
struct Templating {
    list: Vec<Variable>,
}

#[derive(Debug, Deserialize)]
struct Variable {
    name: String,
    /// `query` or `datasource`.
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    definition: String,
    #[serde(rename = "allValue")]
    all_value: Option<String>,
    multi: bool,
}

#[derive(Debug, Deserialize)]
struct Panel {
    title: String,
    #[serde(default)]
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    expr: String,
    instant: bool,
}

/// A query of a panel, ready to be sent.
#[derive(Debug)]
pub struct Query {
    pub panel: String,
    pub expression: String,
    instant: bool,
}

/// What a user selected of the variables that take several values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// "All".
    All,
    /// Each value ticked by itself.
    Each,
}

/// What the release's ConfigMaps hold for Grafana's sidecar, by uid.
pub async fn shipped(namespace: &str) -> Result<BTreeMap<String, Dashboard>> {
    #[derive(Deserialize)]
    struct Maps {
        items: Vec<Map>,
    }
    #[derive(Deserialize)]
    struct Map {
        data: BTreeMap<String, String>,
    }
    let list = format!("get configmaps -n {namespace} -l grafana_dashboard=1 -o json");
    let maps: Maps = serde_json::from_str(&kubectl(&list).run().await?)?;
    maps.items
        .iter()
        .flat_map(|map| &map.data)
        .map(|(file, text)| {
            let dashboard: Dashboard = serde_json::from_str(text).with_context(|| file.clone())?;
            Ok((dashboard.uid.clone(), dashboard))
        })
        .collect()
}

impl Dashboard {
    /// Its queries, with every variable asked of Prometheus. `one` are the values of those that take one: each must be on offer.
    pub async fn queries(&self, one: &[(&str, &str)], several: Selection) -> Result<Vec<Query>> {
        let mut values: Vec<(&str, String)> = Vec::new();
        for variable in &self.templating.list {
            if variable.kind == "query" {
                let chosen = variable.choose(&values, one, several).await;
                let chosen = chosen.with_context(|| format!("{}: ${}", self.uid, variable.name))?;
                values.push((&variable.name, chosen));
            }
        }
        let targets = self.panels.iter().flat_map(|panel| {
            let targets = panel.targets.iter();
            targets.map(|target| Query {
                panel: panel.title.clone(),
                expression: substituted(&target.expr, &values),
                instant: target.instant,
            })
        });
        Ok(targets.collect())
    }
}

impl Variable {
    async fn choose(
        &self,
        before: &[(&str, String)],
        one: &[(&str, &str)],
        several: Selection,
    ) -> Result<String> {
        let definition = substituted(&self.definition, before);
        let inner = definition.strip_prefix("label_values(");
        let inner = inner.and_then(|inner| inner.strip_suffix(')'));
        let (series, label) = inner
            .and_then(|inner| inner.rsplit_once(", "))
            .with_context(|| format!("not label_values(SERIES, LABEL): {definition}"))?;
        let offered = prometheus::label_values(series, label).await?;
        ensure!(!offered.is_empty(), "nothing is on offer: {definition}");
        if self.multi {
            return match several {
                Selection::All => self.all_value.clone().context("no allValue"),
                Selection::Each => Ok(format!("({})", escaped(&offered).join("|"))),
            };
        }
        let Some((_, value)) = one.iter().find(|(name, _)| *name == self.name) else {
            bail!("no value was chosen of {offered:?}");
        };
        ensure!(
            offered.iter().any(|offer| offer == value),
            "{value} is not on offer: {offered:?}"
        );
        Ok((*value).to_owned())
    }
}

impl Query {
    /// The values that the panel would show, those that are no number left out.
    pub async fn values(&self) -> Result<Vec<f64>> {
        let values = if self.instant {
            let samples = prometheus::query(&self.expression).await?;
            samples.iter().map(|sample| sample.value).collect()
        } else {
            prometheus::query_range(&self.expression, RANGE).await?
        };
        Ok(values
            .into_iter()
            .filter(|value: &f64| value.is_finite())
            .collect())
    }
}

/// As Grafana escapes the values of a variable with several for Prometheus: regular expressions in a quoted string.
fn escaped(values: &[String]) -> Vec<String> {
    let special = |c| r"\^$*+?.()|[]{}".contains(c);
    let escape = |value: &String| {
        value.chars().fold(String::new(), |mut out, c| {
            if special(c) {
                out.push_str(r"\\");
            }
            out.push(c);
            out
        })
    };
    values.iter().map(escape).collect()
}

fn substituted(text: &str, values: &[(&str, String)]) -> String {
    // Four scrapes of a Prometheus data source's usual interval, Grafana's least.
    let text = text.replace("$__rate_interval", "1m");
    let mut text = text.replace("$__range", &format!("{}s", RANGE.as_secs()));
    // The longest names first: $name is the beginning of $names.
    let mut values: Vec<_> = values.iter().collect();
    values.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    for (name, value) in values {
        text = text.replace(&format!("${name}"), value);
    }
    text
}
