//! The chart's Grafana dashboards: complete, consistent, and about nothing but the metrics and labels of docs/metrics.md.
//! That their queries return data is shown on the real cluster (e2e/tests/scenarios/dashboards.rs).

mod dashboards {
    pub mod catalogue;
    pub mod promql;
}

use dashboards::{
    catalogue::{Catalogue, repository},
    promql::{Selector, selectors},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

/// Rows hold no data. All else that a dashboard may have; graph, singlestat, table-old and the like are gone from Grafana.
const PANELS: [&str; 7] = [
    "row",
    "bargauge",
    "heatmap",
    "stat",
    "state-timeline",
    "table",
    "timeseries",
];

/// Grafana's names of what we show (packages/grafana-data, valueFormats): base units, so that no panel scales by itself.
const UNITS: [&str; 9] = [
    "bps",
    "bytes",
    "dateTimeFromNow",
    "none",
    "ops",
    "percentunit",
    "pps",
    "s",
    "short",
];

fn dashboards() -> BTreeMap<String, Value> {
    let folder = repository("charts/nettest/dashboards");
    let files = std::fs::read_dir(&folder).expect("charts/nettest/dashboards");
    files
        .map(|file| file.expect("a file").path())
        .map(|path: PathBuf| {
            let name = path.file_stem().expect("a name").to_string_lossy();
            let text = std::fs::read_to_string(&path).expect("text");
            let value = serde_json::from_str(&text).expect("JSON");
            (name.into_owned(), value)
        })
        .collect()
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    let list = value.pointer(pointer).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn panels(dashboard: &Value) -> impl Iterator<Item = &Value> {
    let panels = list(dashboard, "/panels").iter();
    panels.filter(|panel| text(panel, "/type") != "row")
}

fn variables(dashboard: &Value) -> &[Value] {
    list(dashboard, "/templating/list")
}

/// Every query: of panels, and of variables as selectors of series.
fn queries(dashboard: &Value) -> Vec<(String, String)> {
    let of_panels = panels(dashboard).flat_map(|panel| {
        let targets = list(panel, "/targets").iter();
        targets.map(|target| {
            (
                text(panel, "/title").to_owned(),
                text(target, "/expr").to_owned(),
            )
        })
    });
    let of_variables = variables(dashboard)
        .iter()
        .filter(|variable| text(variable, "/type") == "query")
        .map(|variable| {
            let query = text(variable, "/definition");
            (format!("${}", text(variable, "/name")), query.to_owned())
        });
    of_panels.chain(of_variables).collect()
}

#[test]
fn there_are_the_four_that_link_to_each_other() {
    let all = dashboards();
    let names: Vec<&str> = all.keys().map(String::as_str).collect();
    assert_eq!(names, ["mesh", "operator", "overview", "pair"]);
    for (name, dashboard) in &all {
        // Links of other dashboards hold it: it never changes.
        assert_eq!(text(dashboard, "/uid"), format!("nettest-{name}"));
        assert!(
            text(dashboard, "/title").starts_with("nettest / "),
            "{name}"
        );
        assert!(!text(dashboard, "/description").is_empty(), "{name}");
        let tags = list(dashboard, "/tags");
        assert!(tags.contains(&"nettest".into()), "{name}: {tags:?}");
        let link = &list(dashboard, "/links")[0];
        assert_eq!(list(link, "/tags"), ["nettest"], "{name}");
        assert_eq!(dashboard["editable"], false, "{name}");
        assert_eq!(dashboard["id"], Value::Null, "{name}: Grafana gives the id");
        // Of Grafana 11.6 and 12.0.
        assert_eq!(dashboard["schemaVersion"], 41, "{name}");
    }
    for (name, dashboard) in &all {
        let whole = dashboard.to_string();
        for link in whole.split("\"/d/").skip(1) {
            let uid = link.split(['?', '"', '/']).next().unwrap_or_default();
            let known = all.values().any(|other| text(other, "/uid") == uid);
            assert!(known, "{name} links to {uid}");
        }
    }
}

#[test]
fn every_panel_says_what_it_shows_in_which_unit_from_the_chosen_source() {
    for (name, dashboard) in dashboards() {
        let mut seen = 0;
        for panel in panels(&dashboard) {
            let title = text(panel, "/title");
            let at = format!("{name}: {title}");
            assert!(!title.is_empty(), "{name}: a panel without a title");
            assert!(
                text(panel, "/description").ends_with('.'),
                "{at}: description"
            );
            assert!(PANELS.contains(&text(panel, "/type")), "{at}: type");
            let unit = text(panel, "/fieldConfig/defaults/unit");
            assert!(UNITS.contains(&unit), "{at}: unit {unit:?}");
            let targets = list(panel, "/targets");
            assert!(!targets.is_empty(), "{at}: no query");
            for of in targets.iter().chain([panel]) {
                assert_eq!(text(of, "/datasource/type"), "prometheus", "{at}");
                assert_eq!(text(of, "/datasource/uid"), "${datasource}", "{at}");
            }
            let ids: BTreeSet<&str> = targets
                .iter()
                .map(|target| text(target, "/refId"))
                .collect();
            assert_eq!(ids.len(), targets.len(), "{at}: refId");
            for target in targets {
                // A table, a bar or a number is of now; a line is of the range.
                let instant = !matches!(
                    text(panel, "/type"),
                    "timeseries" | "state-timeline" | "heatmap"
                );
                assert_eq!(target["instant"], instant, "{at}");
                assert_eq!(target["range"], !instant, "{at}");
            }
            seen += 1;
        }
        assert!(seen >= 12, "{name} has {seen} panels");
    }
}

/// Bits are bytes times 8 with unit bps, and nothing else is.
#[test]
fn throughput_is_shown_in_bits() {
    for (name, dashboard) in dashboards() {
        for panel in panels(&dashboard) {
            let at = format!("{name}: {}", text(panel, "/title"));
            let mut units = vec![text(panel, "/fieldConfig/defaults/unit")];
            for over in list(panel, "/fieldConfig/overrides") {
                let set = list(over, "/properties").iter();
                units.extend(
                    set.filter(|property| property["id"] == "unit")
                        .map(|property| text(property, "/value")),
                );
            }
            for target in list(panel, "/targets") {
                let expression = text(target, "/expr");
                let bits = expression.contains("* 8");
                assert_eq!(bits, units.contains(&"bps"), "{at}: {expression}");
                let ratio = expression.contains('/') || !expression.contains("throughput_bytes");
                assert!(bits || ratio, "{at}: bytes a second: {expression}");
            }
        }
    }
}

#[test]
fn panels_do_not_overlap_and_have_ids_of_their_own() {
    for (name, dashboard) in dashboards() {
        let mut taken: BTreeMap<(u64, u64), &str> = BTreeMap::new();
        let mut ids = BTreeSet::new();
        let mut titles = BTreeSet::new();
        for panel in list(&dashboard, "/panels") {
            let title = text(panel, "/title");
            assert!(
                ids.insert(panel["id"].as_u64().expect("an id")),
                "{name}: {title}"
            );
            assert!(
                titles.insert((text(panel, "/type"), title)),
                "{name}: {title}"
            );
            let [x, y, w, h] = ["x", "y", "w", "h"].map(|of| {
                let number = panel["gridPos"][of].as_u64();
                number.unwrap_or_else(|| panic!("{name}: {title}: gridPos.{of}"))
            });
            assert!(w > 0 && h > 0 && x + w <= 24, "{name}: {title}");
            for place in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
                let other = taken.insert(place, title);
                assert_eq!(other, None, "{name}: {title} lies on another at {place:?}");
            }
        }
    }
}

#[test]
fn queries_are_of_documented_metrics_and_their_labels() {
    let catalogue = Catalogue::read();
    let mut used = BTreeSet::new();
    for (name, dashboard) in dashboards() {
        for (of, expression) in queries(&dashboard) {
            let at = format!("{name}: {of}: {expression}");
            let found = selectors(&expression);
            assert!(!found.series.is_empty(), "{at}: no metric");
            let mut labels = BTreeSet::new();
            for Selector { metric, matched } in &found.series {
                let known = catalogue.labels(metric);
                let known = known.unwrap_or_else(|| panic!("{at}: {metric} is not documented"));
                for label in matched {
                    assert!(known.contains(label), "{at}: {metric} has no label {label}");
                }
                labels.extend(known);
                used.insert(metric.clone());
            }
            for label in &found.grouped {
                assert!(labels.contains(label), "{at}: no metric has label {label}");
            }
        }
    }
    // What nobody looks at need not be measured.
    for metric in catalogue
        .names()
        .filter(|name| name.starts_with("nettest_"))
    {
        let shown = used.iter().any(|used| used.starts_with(metric.as_str()));
        assert!(shown, "no dashboard shows {metric}");
    }
}

/// Names come from variables: a dashboard fits every cluster.
#[test]
fn every_series_is_chosen_by_variables_and_every_variable_is_used() {
    for (name, dashboard) in dashboards() {
        let all = variables(&dashboard);
        let names: Vec<&str> = all.iter().map(|variable| text(variable, "/name")).collect();
        assert_eq!(names[0], "datasource", "{name}");
        assert_eq!(text(&all[0], "/query"), "prometheus", "{name}");
        let queries = queries(&dashboard);
        for variable in &all[1..] {
            let (own, at) = (
                text(variable, "/name"),
                format!("{name}: ${}", text(variable, "/name")),
            );
            assert!(!text(variable, "/label").is_empty(), "{at}");
            assert!(text(variable, "/description").ends_with('.'), "{at}");
            assert_eq!(text(variable, "/datasource/uid"), "${datasource}", "{at}");
            assert_eq!(
                text(variable, "/query/query"),
                text(variable, "/definition"),
                "{at}"
            );
            // Read again when the range changes: what is gone since is no choice.
            assert_eq!(variable["refresh"], 2, "{at}");
            assert_eq!(variable["multi"], variable["includeAll"], "{at}");
            let uses = queries.iter().filter(|(of, query)| {
                *of != format!("${own}") && query.contains(&format!("\"${own}\""))
            });
            assert!(uses.count() > 0, "{at} is not used");
            // A variable with several values is a regular expression.
            let operator = if variable["multi"] == true { "=~" } else { "=" };
            for (of, query) in &queries {
                for found in query.match_indices(&format!("\"${own}\"")) {
                    let before = &query[..found.0];
                    let equals =
                        before.ends_with(operator) && (operator == "=~" || !before.ends_with("=~"));
                    assert!(equals, "{at} in {of}: {query}");
                }
            }
        }
        for (of, query) in &queries {
            if of.starts_with('$') {
                continue;
            }
            for selector in query.match_indices('{') {
                let inside = &query[selector.0..];
                let inside = inside.split('}').next().unwrap_or_default();
                assert!(
                    inside.contains("\"$namespace\"") || inside.contains("\"$job\""),
                    "{name}: {of}: not chosen by a variable: {query}"
                );
            }
            let mut words = query.split(|c: char| !(c.is_alphanumeric() || c == '$' || c == '_'));
            let unknown = words.find(|word| {
                let variable = word.strip_prefix('$');
                variable.is_some_and(|v| {
                    !names.contains(&v) && !["__rate_interval", "__range"].contains(&v)
                })
            });
            assert_eq!(unknown, None, "{name}: {of}: {query}");
        }
    }
}
