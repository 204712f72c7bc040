//! Every combination of what is varied, as variants.

use super::{
    Refusal, count, limits,
    route::Route,
    traffic::{self, Base, Point},
};
use crate::{
    names,
    valid::{Bitrate, Bytes, CongestionControl, ValidVariant},
};
use nettest_api::{
    path::PathKind,
    quantity::Quantity,
    sweep::Sweep,
    traffic::{Direction, Protocol, Traffic},
};
use std::{collections::BTreeSet, fmt::Debug};

/// Variants of a sweep at most.
const MOST: usize = 64;
/// What a spec without a sweep varies.
static NOTHING: Sweep = Sweep {
    parallel_streams: Vec::new(),
    message_sizes: Vec::new(),
    window_sizes: Vec::new(),
    protocols: Vec::new(),
    paths: Vec::new(),
    congestion_controls: Vec::new(),
};

/// What is varied, each list with one entry at least, and no entry twice.
#[derive(Debug)]
pub(super) struct Axes<'a> {
    pub protocols: Vec<Protocol>,
    streams: Vec<u16>,
    /// With the field that each stands in.
    message_sizes: Vec<Option<(String, &'a Quantity)>>,
    windows: Vec<Option<Bytes>>,
    /// Of TCP.
    congestion_controls: Vec<Option<CongestionControl>>,
}

impl<'a> Axes<'a> {
    pub fn of(traffic: &'a Traffic, sweep: Option<&'a Sweep>) -> Result<Axes<'a>, Refusal> {
        let Sweep {
            parallel_streams,
            message_sizes,
            window_sizes,
            protocols,
            paths,
            congestion_controls,
        } = sweep.unwrap_or(&NOTHING);
        let lengths = [
            parallel_streams.len(),
            message_sizes.len(),
            window_sizes.len(),
            protocols.len(),
            paths.len(),
            congestion_controls.len(),
        ];
        // Lists are at most a hostile object's size, so the product must not wrap.
        let variants = lengths
            .iter()
            .fold(1_usize, |all, &length| all.saturating_mul(length.max(1)));
        if variants > MOST {
            return Err(Refusal::invalid(
                "sweep",
                "makes more than 64 variants: shorten its lists",
            ));
        }
        twice("sweep.protocols", protocols)?;
        twice("sweep.paths", paths)?;
        let protocols = match protocols.as_slice() {
            [] => vec![traffic.protocol],
            _ => protocols.clone(),
        };
        let has_tcp = protocols.contains(&Protocol::TCP);
        if !has_tcp && !congestion_controls.is_empty() {
            let fix = if sweep.is_some_and(|sweep| sweep.protocols.is_empty()) {
                "set traffic.protocol to TCP"
            } else {
                "add TCP to sweep.protocols"
            };
            return Err(Refusal::invalid(
                "sweep.congestionControls",
                format!("is TCP's: remove it, or {fix}"),
            ));
        }
        Ok(Axes {
            protocols,
            streams: streams(traffic.parallel_streams, parallel_streams)?,
            message_sizes: sizes(traffic.message_size.as_ref(), message_sizes)?,
            windows: windows(traffic.window_size.as_ref(), window_sizes)?,
            congestion_controls: congestion_controls_of(
                traffic.congestion_control.as_deref(),
                congestion_controls,
            )?,
        })
    }

    /// Every combination; what only TCP has is not varied for others.
    fn points(&self) -> Result<Vec<Point>, Refusal> {
        let none = [None];
        let mut points = Vec::new();
        for &protocol in &self.protocols {
            let congestion_controls = match protocol {
                Protocol::TCP => self.congestion_controls.as_slice(),
                Protocol::UDP | Protocol::SCTP => &none,
            };
            for &streams in &self.streams {
                for size in &self.message_sizes {
                    let message_size = size
                        .as_ref()
                        .map(|(field, text)| traffic::message_size(field, text, protocol))
                        .transpose()?;
                    for &window in &self.windows {
                        for congestion_control in congestion_controls {
                            points.push(Point {
                                protocol,
                                streams,
                                message_size,
                                window,
                                congestion_control: congestion_control.clone(),
                            });
                        }
                    }
                }
            }
        }
        Ok(points)
    }

    /// What tells this point from the others.
    fn name(&self, point: &Point, path: Option<PathKind>) -> String {
        let Point {
            protocol,
            streams,
            message_size,
            window,
            congestion_control,
        } = point;
        let mut name = format!("{}-p{streams}", protocol.as_str().to_ascii_lowercase());
        if let (Some(size), true) = (message_size, self.message_sizes.len() > 1) {
            name.push_str(&format!("-l{}", size.0));
        }
        if let (Some(window), true) = (window, self.windows.len() > 1) {
            name.push_str(&format!("-w{}", window.0));
        }
        if let (Some(control), true) = (congestion_control, self.congestion_controls.len() > 1) {
            // A name of a label ends with a letter or a digit.
            let word = control.as_str().replace('_', "-");
            name.push_str(&format!("-{}", word.trim_end_matches('-')));
        }
        if let Some(path) = path {
            name.push_str(&format!("-{}", path.as_str().to_ascii_lowercase()));
        }
        name
    }
}

/// All variants, a path after the other. A mesh has each twice, once a direction, unless both ends send at once.
pub(super) fn variants(
    base: &Base,
    axes: &Axes<'_>,
    routes: &[Route],
    max_bitrate: Option<Bitrate>,
    is_mesh: bool,
) -> Result<Vec<ValidVariant>, Refusal> {
    let points = axes.points()?;
    let mut variants = Vec::new();
    let mut known = BTreeSet::new();
    for route in routes {
        for point in &points {
            let name = axes.name(point, (routes.len() > 1).then_some(route.path));
            if !names::is_dns_label(&name) || !known.insert(name.clone()) {
                return Err(Refusal::invalid(
                    "sweep",
                    format!("makes two variants of the name {name}: remove one"),
                ));
            }
            let bitrate = limits::paced(base.bitrate, point, max_bitrate)?;
            let variant = ValidVariant {
                key: name.clone(),
                name,
                path: route.path,
                client_network: route.client,
                server_network: route.server,
                traffic: base.at(point.clone(), bitrate),
            };
            let way_back = (is_mesh && base.direction == Direction::Forward).then(|| {
                let mut back = variant.clone();
                back.key.push_str("-reverse");
                back.traffic.direction = Direction::Reverse;
                back
            });
            variants.push(variant);
            variants.extend(way_back);
        }
    }
    Ok(variants)
}

fn streams(alone: i32, list: &[i32]) -> Result<Vec<u16>, Refusal> {
    twice("sweep.parallelStreams", list)?;
    let one = |field: &str, streams: i32| {
        count(field, streams, 1..=128).map(|streams| u16::try_from(streams).unwrap_or(u16::MAX))
    };
    if list.is_empty() {
        return Ok(vec![one("traffic.parallelStreams", alone)?]);
    }
    list.iter()
        .enumerate()
        .map(|(index, &streams)| one(&format!("sweep.parallelStreams[{index}]"), streams))
        .collect()
}

type NamedSize<'a> = Option<(String, &'a Quantity)>;

/// Bounds are the protocol's: see [`traffic::message_size`].
fn sizes<'a>(
    alone: Option<&'a Quantity>,
    list: &'a [Quantity],
) -> Result<Vec<NamedSize<'a>>, Refusal> {
    if list.is_empty() {
        return Ok(vec![
            alone.map(|text| ("traffic.messageSize".to_owned(), text)),
        ]);
    }
    // 1024 and 1Ki are the same.
    let numbers: Vec<_> = list
        .iter()
        .filter_map(|text| crate::quantity::whole(text.as_str()).ok())
        .collect();
    twice("sweep.messageSizes", &numbers)?;
    Ok(list
        .iter()
        .enumerate()
        .map(|(index, text)| Some((format!("sweep.messageSizes[{index}]"), text)))
        .collect())
}

fn windows(alone: Option<&Quantity>, list: &[Quantity]) -> Result<Vec<Option<Bytes>>, Refusal> {
    if list.is_empty() {
        let alone = alone.map(|text| traffic::window("traffic.windowSize", text));
        return Ok(vec![alone.transpose()?]);
    }
    let windows = list
        .iter()
        .enumerate()
        .map(|(index, text)| traffic::window(&format!("sweep.windowSizes[{index}]"), text))
        .collect::<Result<Vec<Bytes>, Refusal>>()?;
    let numbers: Vec<u64> = windows.iter().map(|window| window.0).collect();
    twice("sweep.windowSizes", &numbers)?;
    Ok(windows.into_iter().map(Some).collect())
}

fn congestion_controls_of(
    alone: Option<&str>,
    list: &[String],
) -> Result<Vec<Option<CongestionControl>>, Refusal> {
    twice("sweep.congestionControls", list)?;
    if list.is_empty() {
        let alone = alone.map(|name| traffic::congestion("traffic.congestionControl", name));
        return Ok(vec![alone.transpose()?]);
    }
    list.iter()
        .enumerate()
        .map(|(index, name)| {
            traffic::congestion(&format!("sweep.congestionControls[{index}]"), name).map(Some)
        })
        .collect()
}

fn twice<T: PartialEq + Debug>(field: &str, list: &[T]) -> Result<(), Refusal> {
    let again = list
        .iter()
        .enumerate()
        .find(|(index, item)| list[..*index].contains(item));
    match again {
        None => Ok(()),
        Some((_, item)) => Err(Refusal::invalid(
            field,
            format!("has {item:?} twice: remove one"),
        )),
    }
}
