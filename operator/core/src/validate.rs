//! Spec -> [`ValidTest`]. Checks again what the schema checks: objects may be older than the schema, or the
//! schema may be gone; and checks what CEL cannot see (sizes in quantities, names, the operator's policy).
//!
//! - [`topology`], [`endpoint`]: between whom
//! - [`route`], [`sweep`], [`traffic`]: what, in which variants
//! - [`repeats`], [`threshold`], [`limits`], [`ceiling`]: how often, how good, how long at most

mod ceiling;
mod endpoint;
mod limits;
mod repeats;
mod route;
mod sweep;
mod threshold;
mod topology;
mod traffic;

use crate::{policy::Policy, schedule, span, valid::ValidTest};
use nettest_api::{NetTestSpec, Reason, duration, topology::TopologyKind};
use std::{fmt::Display, ops::RangeInclusive, time::Duration};
use thiserror::Error;

/// Why a test does not run, before any pod. The message names the field and the fix.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("{field} {problem}")]
    Invalid { field: String, problem: String },
    /// The operator's policy has a say.
    #[error("{field} {problem}")]
    NotPermitted { field: String, problem: String },
}

impl Refusal {
    pub fn reason(&self) -> Reason {
        match self {
            Refusal::Invalid { .. } => Reason::InvalidSpec,
            Refusal::NotPermitted { .. } => Reason::NotPermitted,
        }
    }

    pub(crate) fn invalid(field: impl Into<String>, problem: impl Into<String>) -> Refusal {
        Refusal::Invalid {
            field: field.into(),
            problem: cut(problem.into()),
        }
    }

    pub(crate) fn not_permitted(field: impl Into<String>, problem: impl Into<String>) -> Refusal {
        Refusal::NotPermitted {
            field: field.into(),
            problem: cut(problem.into()),
        }
    }
}

/// Check a spec whole. Sync, total; the first problem found is the refusal. What is wrong in itself comes before what
/// is not permitted.
pub fn validate(
    spec: &NetTestSpec,
    namespace: &str,
    policy: &Policy,
) -> Result<ValidTest, Refusal> {
    let NetTestSpec {
        topology,
        path,
        client,
        server,
        traffic,
        sweep,
        repeats,
        thresholds,
        limits,
        schedule,
        cleanup,
        rerun,
    } = spec;
    let rules = topology::Rules {
        topology,
        path,
        client,
        server,
        direction: traffic.direction,
        sweep: sweep.as_ref(),
    };
    let valid_topology = topology::topology(&rules)?;
    let valid_client = endpoint::endpoint("client", client)?;
    let valid_server = endpoint::endpoint("server", server)?;
    let max_bitrate = limits::max_bitrate(limits)?;
    let routes = route::routes(path.kind, client.network, server.network, sweep.as_ref())?;
    let is_mesh = topology.kind == TopologyKind::Mesh;
    let axes = sweep::Axes::of(traffic, sweep.as_ref())?;
    let base = traffic::base(traffic, &axes.protocols, path.ip_family)?;
    let variants = sweep::variants(&base, &axes, &routes, max_bitrate, is_mesh)?;
    let repeats = repeats::repeats(repeats)?;
    let thresholds = threshold::thresholds(thresholds, &variants)?;
    let limits = limits::limits(limits, max_bitrate, &variants, repeats)?;
    let cleanup = repeats::cleanup(cleanup)?;
    // When it is due is asked elsewhere.
    if let Some(schedule) = schedule {
        schedule::parse(schedule)?;
    }
    if let Some(token) = rerun
        && !(1..=63).contains(&token.chars().count())
    {
        return Err(Refusal::invalid(
            "rerun",
            "is a text of 1 to 63 characters, e.g. a date",
        ));
    }
    let mut test = ValidTest {
        topology: valid_topology,
        ip_family: path.ip_family,
        client: valid_client,
        server: valid_server,
        variants,
        repeats,
        thresholds,
        timeouts: base.timeouts,
        limits,
        cleanup,
    };
    ceiling::permitted(&test, spec, namespace, policy)?;
    ceiling::run_timeout(&mut test, policy);
    Ok(test)
}

/// A condition's message has room for 32 KiB, and a hostile text may be longer: without the schema nothing bounds it.
fn cut(mut problem: String) -> String {
    const MOST: usize = 2_000;
    if let Some((end, _)) = problem.char_indices().nth(MOST) {
        problem.truncate(end);
        problem.push('…');
    }
    problem
}

/// A count in its bounds.
fn count(field: &str, value: impl Into<i64>, bounds: RangeInclusive<u32>) -> Result<u32, Refusal> {
    let value = value.into();
    u32::try_from(value)
        .ok()
        .filter(|value| bounds.contains(value))
        .ok_or_else(|| out_of_bounds(field, value, bounds.start(), bounds.end()))
}

fn out_of_bounds(field: &str, value: i64, from: impl Display, to: impl Display) -> Refusal {
    Refusal::invalid(field, format!("is {value}: set {from} to {to}"))
}

/// A duration in its bounds (milliseconds); `words` are the bounds for people.
fn span_in(
    field: &str,
    text: &duration::Duration,
    bounds: RangeInclusive<u128>,
    words: &str,
) -> Result<Duration, Refusal> {
    let span = span::parse(text.as_str())
        .map_err(|error| Refusal::invalid(field, format!("{:?} {error}", text.as_str())))?;
    if !bounds.contains(&span.as_millis()) {
        return Err(Refusal::invalid(
            field,
            format!("is {}: set {words}", text.as_str()),
        ));
    }
    Ok(span)
}

/// A quantity in its bounds; `words` are the bounds for people.
fn quantity_in(
    field: &str,
    text: &nettest_api::quantity::Quantity,
    bounds: RangeInclusive<u64>,
    words: &str,
) -> Result<u64, Refusal> {
    let number = crate::quantity::whole(text.as_str())
        .map_err(|error| Refusal::invalid(field, format!("{:?} {error}", text.as_str())))?;
    if !bounds.contains(&number) {
        return Err(Refusal::invalid(
            field,
            format!("is {}: set {words}", text.as_str()),
        ));
    }
    Ok(number)
}

#[cfg(test)]
mod tests;
