//! CEL rules of a NetTest's spec that several fields need alike.

use kube::core::Rule;

/// What is measured: the sweep's protocols stand in place of the traffic's.
const PROTOCOLS: &str = "(has(self.sweep) && has(self.sweep.protocols) ? self.sweep.protocols : [self.traffic.protocol])";

/// Whether one of these is measured.
fn measures(protocols: &[&str]) -> String {
    let any: Vec<String> = protocols
        .iter()
        .map(|protocol| format!("'{protocol}' in {PROTOCOLS}"))
        .collect();
    any.join(" || ")
}

/// `traffic.FIELD` only means something to these protocols.
pub(crate) fn value_of(protocols: &[&str], field: &str, message: &str) -> Rule {
    let measured = measures(protocols);
    Rule::new(format!("!has(self.traffic.{field}) || {measured}")).message(message)
}

/// The same of a field that is true or false: false asks for nothing.
pub(crate) fn switch_of(protocols: &[&str], field: &str, message: &str) -> Rule {
    let measured = measures(protocols);
    Rule::new(format!(
        "!has(self.traffic.{field}) || !self.traffic.{field} || {measured}"
    ))
    .message(message)
}

/// Thresholds on these metrics need one of these protocols.
pub(crate) fn metrics_of(protocols: &[&str], metrics: &[&str], message: &str) -> Rule {
    let measured = measures(protocols);
    let others: Vec<String> = metrics
        .iter()
        .map(|metric| format!("t.metric != '{metric}'"))
        .collect();
    Rule::new(format!(
        "!has(self.thresholds) || {measured} || self.thresholds.all(t, {})",
        others.join(" && ")
    ))
    .message(message)
}

/// Where one of these protocols is measured, `text` holds: a rule about `self`.
pub(crate) fn where_measured(protocols: &[&str], text: &str, message: &str) -> Rule {
    let measured = measures(protocols);
    Rule::new(format!("!({measured}) || ({text})")).message(message)
}

/// A link has one speed, and so one label says it.
pub(crate) fn one_link_label() -> Rule {
    const NAMES_NONE: &str = "!has($.relativeTo) || !has($.relativeTo.nodeLabel)";
    let none_of = |one: &str| NAMES_NONE.replace("$", one);
    Rule::new(format!(
        "!has(self.thresholds) || self.thresholds.all(a, {} || self.thresholds.all(b, {} || a.relativeTo.nodeLabel == b.relativeTo.nodeLabel))",
        none_of("a"),
        none_of("b"),
    ))
    .message("thresholds: all relativeTo.nodeLabel of a test name the same label: a link has one speed")
}
