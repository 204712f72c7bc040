//! What is kept of a run in ConfigMaps: its pairs, and the documents of what was measured.

use super::{
    client::Connection,
    problem::{Asked, Problem},
};
use crate::subject::PairMeasurement;
use flate2::read::GzDecoder;
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, ResourceExt};
use nettest_api::NetTestRun;
use nettest_core::{
    ledger::{Ledger, PairRecord},
    names,
};
use nettest_report::event::Event;
use std::{collections::BTreeMap, io::Read};

/// What is in a ConfigMap is not trusted to unpack to less than this.
const MOST: u64 = 64 * 1024 * 1024;

/// ConfigMaps that are asked for at the same time.
const AT_A_TIME: usize = 8;

/// Whether it has several pairs, kept or not.
pub fn has_several(run: &NetTestRun) -> bool {
    let status = run.status.as_ref();
    status.is_some_and(|status| status.progress.is_some())
}

/// The pairs of a run with several, by number; of one that has one, none.
pub async fn pairs(
    connection: &Connection,
    run: &NetTestRun,
) -> Result<BTreeMap<u32, PairRecord>, Problem> {
    let status = run.status.as_ref();
    let Some(kept) = status.and_then(|status| status.ledger.as_ref()) else {
        return Ok(BTreeMap::new());
    };
    let mut ledger = Ledger::default();
    for shard in 0..u32::try_from(kept.shards).unwrap_or(0) {
        let name = format!("{}-{shard}", kept.prefix);
        let what = format!("ConfigMap {name} in namespace {}", connection.namespace);
        let Some(text) = read(connection, &name, "pairs.json.gz").await? else {
            return Err(Problem::Lost { what });
        };
        ledger
            .add_shard(shard, &text)
            .map_err(|error| Problem::Newer {
                what,
                error: error.to_string(),
            })?;
    }
    Ok(ledger.0)
}

/// The documents of a run, by pair where it has several; and how many of their ConfigMaps are gone or broken.
pub async fn documents(
    connection: &Connection,
    run: &NetTestRun,
    pairs: &BTreeMap<u32, PairRecord>,
    on_read: &dyn Fn(usize, usize),
) -> Result<(Vec<PairMeasurement>, usize), Problem> {
    let own = run
        .status
        .as_ref()
        .and_then(|s| s.documents.as_ref()?.config_map.clone());
    let own = own.map(|name| (None, name));
    let of_pairs = pairs
        .iter()
        .filter(|(_, record)| record.documents.is_some())
        .map(|(number, _)| {
            (
                Some(*number),
                names::documents_name(&run.name_any(), Some(*number)),
            )
        });
    let maps: Vec<(Option<u32>, String)> = own.into_iter().chain(of_pairs).collect();
    let texts = maps.iter().map(async |(number, name)| {
        let text = read(connection, name, "documents.jsonl.gz").await?;
        Ok((*number, text))
    });
    let mut texts = std::pin::pin!(stream::iter(texts).buffered(AT_A_TIME));
    let mut all = Vec::new();
    let (mut done, mut lost) = (0, 0);
    while let Some((number, text)) = texts.try_next().await? {
        done += 1;
        on_read(done, maps.len());
        lost += usize::from(text.is_none());
        let lines = text.iter().flat_map(|text| text.lines());
        all.extend(lines.filter_map(|line| match Event::parse(line) {
            Some(Event::Measurement(measurement)) => Some(PairMeasurement {
                pair: number,
                measurement,
            }),
            _ => None,
        }));
    }
    Ok((all, lost))
}

/// `None`: it is gone, or not what it should be.
async fn read(connection: &Connection, name: &str, key: &str) -> Result<Option<String>, Problem> {
    let Connection {
        client,
        namespace,
        server,
    } = connection;
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let asked = Asked {
        verb: "get",
        resource: "configmaps",
        kind: "ConfigMap",
        name: Some(name),
        namespace,
        server,
    };
    let map = maps
        .get_opt(name)
        .await
        .map_err(|error| asked.problem(&error))?;
    let packed = map.and_then(|map| map.binary_data?.remove(key));
    let Some(packed) = packed else {
        return Ok(None);
    };
    let mut text = String::new();
    let read = GzDecoder::new(packed.0.as_slice())
        .take(MOST)
        .read_to_string(&mut text);
    // At the bound it may go on.
    Ok(read.ok().filter(|size| (*size as u64) < MOST).map(|_| text))
}
