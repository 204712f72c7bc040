//! Our document's keys against the stock tool's for the same mode, both roles.

use crate::{
    mode::Mode,
    peer::{Peer, Role, Stock},
    session,
};
use serde_json::Value;
use std::{
    collections::{BTreeSet, HashMap, hash_map::Entry},
    sync::Mutex,
};

type Keys = BTreeSet<String>;

/// Keys that newer iperf3 versions print and 3.12 does not: ours follow the newer ones.
const SINCE_3_12: [&str; 4] = [
    "start.fq_rate",
    "start.test_start.bidir",
    "start.test_start.fqrate",
    "start.test_start.interval",
];

/// Key sets of a client's and a server's document.
type Pair = (Keys, Keys);

/// Stock with stock, measured once a mode.
static REFERENCES: Mutex<Option<HashMap<(Stock, Mode), Pair>>> = Mutex::new(None);

pub fn check(stock: Stock, role: Role, mode: Mode, document: &Value) -> Vec<String> {
    let reference = match reference(stock, role, mode) {
        Ok(keys) => keys,
        Err(fault) => return vec![format!("stock with stock: {fault}")],
    };
    let ours = key_paths(document);
    let missing = reference
        .difference(&ours)
        .map(|key| format!("{role:?} document lacks {key}"));
    let extra = ours
        .difference(&reference)
        .filter(|key| stock != Stock::V3_12 || !SINCE_3_12.contains(&key.as_str()))
        .map(|key| format!("{role:?} document has {key}, the stock one has not"));
    missing.chain(extra).collect()
}

fn reference(stock: Stock, role: Role, mode: Mode) -> Result<Keys, String> {
    let mut cache = REFERENCES
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let cache = cache.get_or_insert_with(HashMap::new);
    let (client, server) = match cache.entry((stock, mode)) {
        Entry::Occupied(measured) => measured.into_mut(),
        Entry::Vacant(place) => {
            let peer = Peer::Stock(stock);
            let documents = session::run(&peer, &peer, mode)?;
            place.insert((key_paths(&documents.client), key_paths(&documents.server)))
        }
    };
    Ok(match role {
        Role::Client => client.clone(),
        Role::Server => server.clone(),
    })
}

/// Every path of keys in the document; array elements share one path.
fn key_paths(value: &Value) -> Keys {
    fn walk(value: &Value, path: &str, keys: &mut Keys) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    let path = if path.is_empty() {
                        key.clone()
                    } else {
                        format!("{path}.{key}")
                    };
                    walk(member, &path, keys);
                    keys.insert(path);
                }
            }
            Value::Array(elements) => {
                for element in elements {
                    walk(element, &format!("{path}[]"), keys);
                }
            }
            _ => {}
        }
    }
    let mut keys = Keys::new();
    walk(value, "", &mut keys);
    keys
}
