//! The metrics and labels that docs/metrics.md promises.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

/// Of every scrape, whatever it scrapes (Prometheus's documentation, "Jobs and instances").
const OF_PROMETHEUS: [&str; 2] = ["up", "scrape_samples_scraped"];
/// Of every series that is scraped.
const OF_TARGETS: [&str; 2] = ["job", "instance"];

#[derive(Debug)]
pub struct Catalogue {
    metrics: BTreeMap<String, BTreeSet<String>>,
}

pub fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(path)
}

impl Catalogue {
    /// From the tables: the first column has the metric, the second its labels, and the table's head those that all of it have.
    pub fn read() -> Catalogue {
        let text = std::fs::read_to_string(repository("docs/metrics.md")).expect("docs/metrics.md");
        let of_pairs = text
            .split("\n\n")
            .find_map(|paragraph| paragraph.strip_prefix("Labels: "))
            .expect("the labels of what was measured");
        // What stands in brackets are values.
        let of_pairs = of_pairs
            .split('(')
            .flat_map(|part| {
                part.split_once(')')
                    .map_or(part, |(_, after)| after)
                    .split(',')
            })
            .collect::<Vec<_>>()
            .join(",");
        let of_pairs = quoted(&of_pairs);
        let mut metrics = BTreeMap::new();
        let mut common = BTreeSet::new();
        for line in text.lines().filter(|line| line.starts_with('|')) {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            match cells[..] {
                [_, "Metric", "Labels beside those below", ..] => common = of_pairs.clone(),
                [_, "Metric", head, ..] => common = quoted(head),
                [_, name, labels, ..] if name.starts_with('`') => {
                    // `state`: `queued`, … : what comes after a colon are values.
                    let own = labels.split("`:").next().unwrap_or_default();
                    let own = if own.len() < labels.len() {
                        format!("{own}`")
                    } else {
                        own.to_owned()
                    };
                    let labels = common.iter().cloned().chain(quoted(&own));
                    let labels = labels.chain(OF_TARGETS.map(str::to_owned)).collect();
                    metrics.insert(name.trim_matches('`').to_owned(), labels);
                }
                _ => {}
            }
        }
        // The process's own stand in the text.
        for name in quoted(&text)
            .into_iter()
            .filter(|name| name.starts_with("process_"))
        {
            metrics.insert(name, OF_TARGETS.map(str::to_owned).into());
        }
        for name in OF_PROMETHEUS {
            metrics.insert(name.to_owned(), OF_TARGETS.map(str::to_owned).into());
        }
        assert!(metrics.len() > 25, "{metrics:?}");
        Catalogue { metrics }
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.metrics.keys()
    }

    /// A histogram has a bucket's label, too.
    pub fn labels(&self, metric: &str) -> Option<BTreeSet<String>> {
        if let Some(labels) = self.metrics.get(metric) {
            return Some(labels.clone());
        }
        let [bucket, count, sum] =
            ["_bucket", "_count", "_sum"].map(|end| metric.strip_suffix(end));
        let mut labels = self.metrics.get(bucket.or(count).or(sum)?)?.clone();
        if bucket.is_some() {
            labels.insert("le".to_owned());
        }
        Some(labels)
    }
}

/// What stands in backquotes.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn labels_are_those_of_the_tables() {
    let catalogue = Catalogue::read();
    let labels = |metric| {
        catalogue
            .labels(metric)
            .map(|labels| labels.into_iter().collect::<Vec<_>>().join(" "))
    };
    assert_eq!(
        labels("nettest_throughput_bytes_per_second").as_deref(),
        Some(
            "client_node client_zone direction instance job nettest nettest_namespace path protocol server_node server_zone stat variant"
        )
    );
    assert_eq!(
        labels("nettest_unfinished_runs").as_deref(),
        Some("instance job state")
    );
    assert_eq!(
        labels("nettest_run_duration_seconds_bucket").as_deref(),
        Some("instance job le")
    );
    assert_eq!(
        labels("nettest_suspect").as_deref(),
        Some("confirmed instance job nettest nettest_namespace node")
    );
    assert_eq!(labels("nettest_bogus"), None);
}
