//! What is known of each pair of a run with several: kept in ConfigMaps, since a status has no room for all.

use crate::valid::Lane;
use nettest_api::{
    Reason,
    diagnosis::Diagnosis,
    result::{PairState, VariantResult},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Pairs in one ConfigMap: with 64 variants a pair has 100 KiB of results, which gzip makes a twentieth of.
pub const SHARD: u32 = 200;

/// One pair, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PairRecord {
    /// Node of the client.
    pub client: String,
    /// Node of the server.
    pub server: String,
    /// Their zones, where the nodes have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_zone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_zone: Option<String>,
    pub lane: Lane,
    /// Measured once more, against a good node.
    #[serde(default)]
    pub second_pass: bool,
    pub state: PairState,
    /// From 1.
    pub attempt: u32,
    /// Why it could not be measured.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "reason")]
    pub reason: Option<Reason>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// One a variant and flow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<VariantResult>,
    /// What held its throughput, by what its engines said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnosis: Vec<Diagnosis>,
    /// Why an end had no CPUs of its own, where they were preferred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unpinned: Option<String>,
    /// Bits per second of the ends' links, where somebody knows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_link: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_link: Option<u64>,
    /// What is kept of its documents. Absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<KeptDocuments>,
}

/// The documents of one pair, in a ConfigMap of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptDocuments {
    /// Compressed.
    pub bytes: u32,
    /// Not all that was measured is there.
    pub truncated: bool,
}

impl PairRecord {
    /// Its end stands.
    pub fn is_done(&self) -> bool {
        matches!(self.state, PairState::Measured | PairState::Failed)
    }
}

/// The records of a run by the pairs' numbers. A pair without one has not been looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger(pub BTreeMap<u32, PairRecord>);

/// The ConfigMap that a pair is in.
pub fn shard_of(number: u32) -> u32 {
    number / SHARD
}

impl Ledger {
    pub fn get(&self, number: u32) -> Option<&PairRecord> {
        self.0.get(&number)
    }

    pub fn is_done(&self, number: u32) -> bool {
        self.get(number).is_some_and(PairRecord::is_done)
    }

    /// How many ConfigMaps it is in.
    pub fn shards(&self) -> u32 {
        self.0
            .keys()
            .next_back()
            .map_or(0, |last| shard_of(*last) + 1)
    }

    /// The JSON text of one ConfigMap's records.
    pub fn shard_text(&self, shard: u32) -> String {
        let first = shard.saturating_mul(SHARD);
        let records: BTreeMap<u32, &PairRecord> = self
            .0
            .range(first..first.saturating_add(SHARD))
            .map(|(number, record)| (*number, record))
            .collect();
        // Text and integers only: it cannot fail.
        serde_json::to_string(&records).unwrap_or_default()
    }

    /// Add what a ConfigMap has. Numbers of other shards are somebody's joke and left out.
    pub fn add_shard(&mut self, shard: u32, text: &str) -> Result<(), serde_json::Error> {
        let records: BTreeMap<u32, PairRecord> = serde_json::from_str(text)?;
        self.0.extend(
            records
                .into_iter()
                .filter(|(number, _)| shard_of(*number) == shard),
        );
        Ok(())
    }
}

/// As its name.
mod reason {
    use nettest_api::Reason;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(
        reason: &Option<Reason>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(reason.map_or("", Reason::as_str))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Reason>, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Reason::parse(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(client: &str) -> PairRecord {
        PairRecord {
            client: client.to_owned(),
            server: "b".to_owned(),
            client_zone: Some("east".to_owned()),
            server_zone: None,
            lane: Lane::PODS,
            second_pass: false,
            state: PairState::Failed,
            attempt: 2,
            reason: Some(Reason::PeerUnreachable),
            message: "no answer".to_owned(),
            results: vec![],
            diagnosis: vec![],
            unpinned: Some("all of 4 CPUs".to_owned()),
            client_link: Some(10_000_000_000),
            server_link: None,
            documents: Some(KeptDocuments {
                bytes: 2048,
                truncated: true,
            }),
        }
    }

    #[test]
    fn shards_are_read_back() {
        let numbers = [0, SHARD - 1, SHARD, 3 * SHARD + 1];
        let ledger = Ledger(
            numbers
                .map(|number| (number, record(&format!("n{number}"))))
                .into(),
        );
        assert_eq!(ledger.shards(), 4);
        let mut read = Ledger::default();
        for shard in 0..ledger.shards() {
            read.add_shard(shard, &ledger.shard_text(shard)).unwrap();
        }
        assert_eq!(read, ledger);
        assert!(ledger.is_done(0) && !ledger.is_done(1));
        assert!(Ledger::default().add_shard(0, "{").is_err());
        let mut foreign = Ledger::default();
        foreign.add_shard(7, &ledger.shard_text(0)).unwrap();
        assert_eq!(foreign, Ledger::default());
    }
}
