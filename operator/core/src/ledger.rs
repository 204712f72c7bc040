//! What is known of each pair of a run with several: kept in ConfigMaps, since a status has no room for all.

use crate::valid::Lane;
use nettest_api::{
    Reason,
    result::{PairState, VariantResult},
};

/// One pair, whole.
#[derive(Debug, Clone, PartialEq)]
pub struct PairRecord {
    /// Node of the client.
    pub client: String,
    /// Node of the server.
    pub server: String,
    pub lane: Lane,
    /// Measured once more, against a good node.
    pub second_pass: bool,
    pub state: PairState,
    /// From 1.
    pub attempt: u32,
    /// Why it could not be measured.
    pub reason: Option<Reason>,
    pub message: String,
    /// One a variant and flow.
    pub results: Vec<VariantResult>,
    /// Bits per second of the ends' links, where somebody knows them.
    pub client_link: Option<u64>,
    pub server_link: Option<u64>,
}
