//! What was asked, in words.

use crate::show::figures::{bytes, counted, rate};
use crate::subject::Subject;
use nettest_api::{endpoint::CpuMode, topology, traffic};
use nettest_core::{
    policy::Policy,
    valid::{Bitrate, End, ValidEndpoint, ValidTest, ValidTopology, ValidTraffic},
    validate::validate,
};
use std::collections::BTreeSet;
use std::time::Duration;

/// Every row has a value; a spec that this release does not know has no rows.
pub fn words(subject: &Subject) -> Vec<(&'static str, String)> {
    let namespace = subject.namespace.as_deref().unwrap_or("default");
    let Ok(test) = validate(&subject.run.spec.test, namespace, &Policy::everything()) else {
        return vec![];
    };
    let of = |say: fn(&ValidTraffic) -> Option<String>| {
        let said = test.variants.iter().map(|variant| say(&variant.traffic));
        every(said.map(|said| said.unwrap_or_else(|| "the kernel's own".to_owned())))
    };
    let is_set = |known: fn(&ValidTraffic) -> bool| {
        let mut all = test.variants.iter();
        all.any(|variant| known(&variant.traffic))
    };
    let mut rows = vec![];
    // On one machine there is nothing to choose from.
    if subject.namespace.is_some() {
        rows.push(("Between", between(&test.topology)));
        let paths = test.variants.iter().map(|variant| {
            let path = variant.path.as_str();
            let (client, server) = (variant.client_network, variant.server_network);
            format!("{path}, {client:?} to {server:?} network")
        });
        rows.push(("Path", every(paths)));
        rows.push(("Client", endpoint(&test.client)));
        rows.push(("Server", endpoint(&test.server)));
    }
    rows.push(("Protocol", of(|t| Some(t.protocol.as_str().to_owned()))));
    rows.push(("Direction", of(|t| Some(direction(t.direction).to_owned()))));
    rows.push(("Streams", of(|t| Some(t.streams.to_string()))));
    if is_set(|t| t.message_size.is_some()) {
        rows.push(("Message size", of(|t| Some(bytes(t.message_size?.0)))));
    }
    if is_set(|t| t.window.is_some()) {
        rows.push(("Window asked", of(|t| Some(bytes(t.window?.0)))));
    }
    if is_set(|t| t.congestion_control.is_some()) {
        let name = |t: &ValidTraffic| Some(t.congestion_control.as_ref()?.as_str().to_owned());
        rows.push(("Congestion control", of(name)));
    }
    if is_set(|t| t.bitrate.is_some()) {
        let said = test
            .variants
            .iter()
            .map(|variant| bitrate(&variant.traffic));
        rows.push(("Bitrate of a stream", every(said)));
    }
    rows.push(("A repeat", of(|t| Some(repeat(t)))));
    rows.push(("Repeats", repeats(&test)));
    if test.variants.len() > 1 {
        let count = i64::try_from(test.variants.len()).unwrap_or(i64::MAX);
        rows.push(("Variants", count.to_string()));
    }
    rows
}

/// Each once, in the order of the variants.
fn every(said: impl Iterator<Item = String>) -> String {
    let mut seen = BTreeSet::new();
    let each: Vec<String> = said.filter(|said| seen.insert(said.clone())).collect();
    each.join("; ")
}

fn between(of: &ValidTopology) -> String {
    match of {
        ValidTopology::Pair { placement } => match placement {
            topology::Placement::SameNode => "two pods of one node".to_owned(),
            topology::Placement::DifferentNode => "two nodes".to_owned(),
            topology::Placement::DifferentZone => "two nodes of two zones".to_owned(),
            topology::Placement::Any => "two nodes where there are two, else one".to_owned(),
        },
        ValidTopology::Mesh(mesh) => match mesh.selection {
            topology::MeshSelection::Full => "every node and every other".to_owned(),
            topology::MeshSelection::Ring => "every node and the next".to_owned(),
            topology::MeshSelection::RandomPairs => {
                format!("every node and {} others by chance", mesh.pairs_per_node)
            }
            topology::MeshSelection::PerZonePair => {
                "a pair of nodes for every two zones".to_owned()
            }
        },
        ValidTopology::Star(star) => match star.concurrency {
            topology::StarConcurrency::OneByOne => {
                "many clients and one server, one by one".to_owned()
            }
            topology::StarConcurrency::Simultaneous => {
                "many clients and one server, all at once".to_owned()
            }
        },
        ValidTopology::External(external) => format!(
            "a pod and {}, port {}, outside of the cluster",
            external.host, external.port
        ),
    }
}

fn endpoint(of: &ValidEndpoint) -> String {
    let cpus = counted(of.cpus, "CPU");
    let mode = match of.cpu {
        CpuMode::Shared => "shared",
        CpuMode::Exclusive => "exclusive",
    };
    format!("{cpus}, {mode}; {} of memory", bytes(of.memory.0))
}

fn direction(of: traffic::Direction) -> &'static str {
    match of {
        traffic::Direction::Forward => "client to server",
        traffic::Direction::Reverse => "server to client",
        traffic::Direction::Bidirectional => "both ways at once",
    }
}

fn bitrate(of: &ValidTraffic) -> String {
    match of.bitrate {
        None => "the protocol's default".to_owned(),
        Some(Bitrate(0)) => "unlimited".to_owned(),
        Some(Bitrate(most)) => i64::try_from(most)
            .ok()
            .and_then(rate)
            .unwrap_or_else(|| format!("{most} bit/s")),
    }
}

fn repeat(of: &ValidTraffic) -> String {
    let length = match of.end {
        End::Time(time) => seconds(time),
        End::Bytes(size) => bytes(size.0),
        End::Blocks(count) => format!("{count} messages"),
    };
    match of.omit {
        Duration::ZERO => length,
        omit => format!("{length}, after {} that do not count", seconds(omit)),
    }
}

fn repeats(test: &ValidTest) -> String {
    let count = test.repeats.count;
    let pause = match test.repeats.pause {
        Duration::ZERO => String::new(),
        pause => format!(", {} apart", seconds(pause)),
    };
    match test.repeats.stability {
        None => format!("{count}{pause}"),
        Some(stability) => format!(
            "{count}{pause}; up to {} while they differ by more than {} %",
            test.repeats.most(),
            stability.max_spread_percent
        ),
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::words;
    use crate::report::tests::{mesh, sweep};

    #[test]
    fn a_spec_is_said_in_words() {
        let said = words(&sweep("rack"));
        for row in [
            ("Between", "two nodes"),
            ("Path", "PodIP, Pod to Pod network"),
            ("Protocol", "TCP"),
            ("Direction", "client to server"),
            ("Streams", "1; 2; 4; 8"),
            ("Variants", "4"),
        ] {
            let row = (row.0, row.1.to_owned());
            assert!(said.contains(&row), "{row:?}: {said:?}");
        }
        assert!(
            words(&mesh(3, "b")).contains(&("Between", "every node and every other".to_owned()))
        );
    }

    #[test]
    fn a_spec_of_another_release_has_no_words() {
        let mut subject = sweep("rack");
        subject.run.spec.test.repeats.count = 0;
        assert_eq!(words(&subject), []);
    }
}
