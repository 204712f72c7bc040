//! What was measured: integers with the unit in the name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Verdict {
    /// Measured, every threshold met.
    Passed,
    /// Measured, a threshold missed.
    Failed,
    /// Could not be measured.
    Error,
}

/// The figures of one variant and one flow: those of the median repeat, and the spread over the repeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VariantResult {
    pub variant: String,
    pub flow: Flow,
    /// Printable, e.g. `9.41 Gbit/s`.
    pub throughput: String,
    /// At the receiver, over the repeats.
    pub throughput_bits_per_second: Spread,
    pub sender_bits_per_second: i64,
    pub receiver_bits_per_second: i64,
    pub sent_bytes: i64,
    pub received_bytes: i64,
    /// TCP; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retransmits: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_microseconds: Option<i64>,
    /// UDP: datagrams that the receiver should have seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datagrams: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_datagrams: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "lossPPM")]
    pub loss_ppm: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_of_order: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter_microseconds: Option<i64>,
    /// CPU of the engines, thousandths of one CPU.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        rename = "clientCPUMilli"
    )]
    pub client_cpu_milli: Option<i64>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        rename = "serverCPUMilli"
    )]
    pub server_cpu_milli: Option<i64>,
    pub repeats: i32,
}

/// Who sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Flow {
    ClientToServer,
    ServerToClient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Spread {
    /// The median repeat (of an even count the lower of the two in the middle, so that it is one that ran).
    pub median: i64,
    pub min: i64,
    pub max: i64,
    /// (max - min) / median.
    pub spread_percent: i64,
}

/// How one threshold went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThresholdResult {
    pub name: String,
    pub met: bool,
    /// What was measured against what, e.g. `191 Mbit/s at the receiver, at least 900 Mbit/s asked`.
    pub message: String,
}

/// Where one end ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndpointStatus {
    pub node: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// CPUs that the engine was allowed, e.g. `0` or `2-3`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        rename = "allowedCPUs"
    )]
    pub allowed_cpus: Option<String>,
}

/// Where the pair ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairStatus {
    pub client: EndpointStatus,
    pub server: EndpointStatus,
}
