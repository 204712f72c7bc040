//! The ConfigMaps with the pairs of runs that have several, and what they were last known to hold: only the leader
//! writes them, so they are read once, and again after a write that did not go as it should.

use crate::{
    apply::{FIELD_MANAGER, create::controller_uid, owner},
    client::{CallError, call},
    scope::Scope,
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use k8s_openapi::{ByteString, api::core::v1::ConfigMap};
use kube::{Api, ResourceExt, api::ObjectMeta, api::PostParams};
use nettest_api::{NetTestRun, labels};
use nettest_core::{
    ledger::{Ledger, PairRecord, shard_of},
    names,
    valid::RunUid,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io::{Read, Write},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The only entry of each: JSON, gzip.
pub const KEY: &str = "pairs.json.gz";
/// A ConfigMap holds 1 MiB; what is in it is not trusted to unpack to less than this.
const MAX_TEXT: u64 = 64 * 1024 * 1024;

/// What is known of a run's ConfigMaps.
#[derive(Debug, Clone, Default)]
struct Known {
    ledger: Ledger,
    /// By shard.
    versions: BTreeMap<u32, String>,
}

/// Of all runs that were looked at and go on.
#[derive(Debug, Default)]
pub struct Ledgers(Mutex<HashMap<RunUid, Known>>);

impl Ledgers {
    fn known(&self) -> MutexGuard<'_, HashMap<RunUid, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run is over or gone.
    pub fn forget(&self, run: &RunUid) {
        self.known().remove(run);
    }

    /// Keep those of these runs only.
    pub fn retain(&self, keep: impl Fn(&RunUid) -> bool) {
        self.known().retain(|run, _| keep(run));
    }

    /// What is known of the run's pairs. `shards` is how many ConfigMaps there may be.
    pub async fn read(
        &self,
        scope: &Scope,
        run: &NetTestRun,
        uid: &RunUid,
        shards: u32,
    ) -> Result<Ledger, CallError> {
        if let Some(known) = self.known().get(uid) {
            return Ok(known.ledger.clone());
        }
        let known = load(scope, run, shards).await?;
        let ledger = known.ledger.clone();
        self.known().insert(uid.clone(), known);
        Ok(ledger)
    }

    /// Write these records. One ConfigMap a call is written when they are of one, which they mostly are.
    pub async fn write(
        &self,
        scope: &Scope,
        run: &NetTestRun,
        uid: &RunUid,
        records: &[(u32, PairRecord)],
    ) -> Result<(), CallError> {
        let mut known = self.known().remove(uid).unwrap_or_default();
        known.ledger.0.extend(records.iter().cloned());
        let shards: BTreeSet<u32> = records
            .iter()
            .map(|(number, _)| shard_of(*number))
            .collect();
        for shard in shards {
            let version = known.versions.get(&shard).cloned();
            // After an error all is read anew.
            let version = write_shard(scope, run, &known.ledger, shard, version).await?;
            known.versions.insert(shard, version);
        }
        self.known().insert(uid.clone(), known);
        Ok(())
    }
}

/// Read it from its ConfigMaps. Of a finished run nobody writes it any more, and it need not be remembered.
pub async fn finished(scope: &Scope, run: &NetTestRun, shards: u32) -> Result<Ledger, CallError> {
    Ok(load(scope, run, shards).await?.ledger)
}

async fn load(scope: &Scope, run: &NetTestRun, shards: u32) -> Result<Known, CallError> {
    let maps: Api<ConfigMap> = scope.api(&run.namespace().unwrap_or_default());
    let mut known = Known::default();
    for shard in 0..shards {
        let name = names::ledger_name(&run.name_any(), shard);
        let map = call("read the pairs' ConfigMap", maps.get_opt(&name)).await?;
        // One that is not this run's is left alone; the write will say so.
        let Some(map) = map.filter(|map| controller_uid(map) == run.metadata.uid.as_deref()) else {
            continue;
        };
        known
            .versions
            .insert(shard, map.resource_version().unwrap_or_default());
        let added = text(&map).is_some_and(|text| known.ledger.add_shard(shard, &text).is_ok());
        if !added {
            // Its pairs are measured again: a result is never made up.
            tracing::warn!(map = %name, "the pairs' ConfigMap cannot be read");
        }
    }
    Ok(known)
}

async fn write_shard(
    scope: &Scope,
    run: &NetTestRun,
    ledger: &Ledger,
    shard: u32,
    version: Option<String>,
) -> Result<String, CallError> {
    let maps: Api<ConfigMap> = scope.api(&run.namespace().unwrap_or_default());
    let map = config_map(run, ledger, shard, version.clone());
    let params = PostParams {
        field_manager: Some(FIELD_MANAGER.to_owned()),
        ..PostParams::default()
    };
    let written = match version {
        Some(_) => {
            let name = map.name_any();
            call(
                "write the pairs' ConfigMap",
                maps.replace(&name, &params, &map),
            )
            .await?
        }
        None => call("create the pairs' ConfigMap", maps.create(&params, &map)).await?,
    };
    Ok(written.resource_version().unwrap_or_default())
}

fn config_map(run: &NetTestRun, ledger: &Ledger, shard: u32, version: Option<String>) -> ConfigMap {
    let mut tags = BTreeMap::from([
        (
            labels::MANAGED_BY.to_owned(),
            labels::MANAGED_BY_VALUE.to_owned(),
        ),
        (labels::RUN_UID.to_owned(), run.uid().unwrap_or_default()),
    ]);
    if let Some(test) = &run.spec.test_name {
        tags.insert(labels::TEST.to_owned(), names::label_value(test));
    }
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(names::ledger_name(&run.name_any(), shard)),
            namespace: run.namespace(),
            labels: Some(tags),
            owner_references: owner(run).map(|owner| vec![owner]),
            resource_version: version,
            ..ObjectMeta::default()
        },
        binary_data: Some(BTreeMap::from([(
            KEY.to_owned(),
            ByteString(packed(&ledger.shard_text(shard))),
        )])),
        ..ConfigMap::default()
    }
}

/// Writing to memory cannot fail.
fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let _ = encoder.write_all(text.as_bytes());
    encoder.finish().unwrap_or_default()
}

fn text(map: &ConfigMap) -> Option<String> {
    let packed = &map.binary_data.as_ref()?.get(KEY)?.0;
    let mut text = String::new();
    GzDecoder::new(packed.as_slice())
        .take(MAX_TEXT)
        .read_to_string(&mut text)
        .ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_read_back_and_nonsense_is_not() {
        let run: NetTestRun = serde_yaml::from_str(
            "{apiVersion: nettest.dev/v1alpha1, kind: NetTestRun, metadata: {name: mesh-1, namespace: a, uid: u}, spec: {test: {}}}",
        )
        .unwrap();
        let record: PairRecord = serde_yaml::from_str(
            "{client: a, server: b, lane: {client: Pod, server: Pod}, state: Failed, attempt: 1, reason: NodeLost}",
        )
        .unwrap();
        let ledger = Ledger([(3, record)].into());
        let map = config_map(&run, &ledger, 0, None);
        assert_eq!(map.name_any(), "mesh-1-pairs-0");
        let mut read = Ledger::default();
        read.add_shard(0, &text(&map).unwrap()).unwrap();
        assert_eq!(read, ledger);
        let mut broken = map.clone();
        broken.binary_data = Some([(KEY.to_owned(), ByteString(b"x".to_vec()))].into());
        assert_eq!(text(&broken), None);
        assert_eq!(text(&ConfigMap::default()), None);
    }
}
