//! The digest: what the operator decides on. It fits a pod's 4 KiB termination message, so it reaches the
//! API server without an exec right and without a way from the operator to the pod.
//!
//! - [`message`]: the digest as that message, plain, compressed or as a stub
//! - [`log`]: the whole digest that a stub stands for

pub mod log;
pub mod message;

pub use log::find_in_log;
pub use message::{DecodeError, decode, encode};

use crate::report::{HostFacts, SocketFacts};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Kubernetes cuts a termination message at this many bytes.
pub const MAX_DIGEST_BYTES: usize = 4096;
pub const DIGEST_VERSION: u32 = 1;
/// Bytes of [`Digest::message`].
pub const LONGEST_MESSAGE: usize = 512;

/// How a client or server pod's engine ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Digest {
    pub version: u32,
    /// UID of the NetTestRun (`--run-uid`): a late digest can never be taken for another run's.
    pub run: String,
    pub attempt: u32,
    pub outcome: Outcome,
    /// Set when `outcome` is `Failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<FailureReason>,
    /// One sentence for people, at most 512 bytes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// SHA-256 (hex) and length of the measurement lines, each with its newline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<DocumentSum>,
    /// Measurement lines that hold less than the whole document, to keep the log small. The figures are whole.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub thinned: u32,
    /// One entry a variant and flow, in the order measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figures>,
    /// A stub's: the figures did not fit, and are in the log's digest line. SHA-256 (hex) and length of the JSON text of
    /// the whole digest there ([`find_in_log`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures_in_log: Option<DocumentSum>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_host: Option<HostFacts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_host: Option<HostFacts>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Every repeat was measured.
    Complete,
    /// Nothing usable, or fewer repeats than asked: never a result.
    Failed,
}

/// Why an engine could not measure. The names are the API's reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FailureReason {
    PeerUnreachable,
    NameNotResolved,
    ServerBusy,
    ProtocolUnsupported,
    ExclusiveCPUNotGranted,
    Interrupted,
    InvalidSpec,
    EngineCrashed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentSum {
    pub sha256: String,
    pub bytes: u64,
}

impl DocumentSum {
    pub fn of(text: &str) -> Self {
        let hash = Sha256::digest(text);
        DocumentSum {
            sha256: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
            bytes: text.len() as u64,
        }
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The figures of one variant and one flow. Every array has one entry a repeat, in order; an array is
/// absent when the figure does not exist for the protocol or is unknown. Integers with the unit in the name.
/// Variants may have different counts of repeats: an unsteady one is measured more often.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Figures {
    pub variant: String,
    /// `ClientToServer` or `ServerToClient`.
    pub flow: String,
    pub sent_bits_per_second: Vec<u64>,
    pub received_bits_per_second: Vec<u64>,
    pub sent_bytes: Vec<u64>,
    pub received_bytes: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retransmits: Vec<u64>,
    /// Jain's index over the streams, in millionths: 1000000 is even, 1000000/streams is one that has all. Absent
    /// for a single stream.
    #[serde(rename = "fairnessPPM", skip_serializing_if = "Vec::is_empty")]
    pub fairness_ppm: Vec<u64>,
    /// Mean smoothed round-trip time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rtt_microseconds: Vec<u64>,
    /// Its quantiles over the streams' intervals, where the client is the sender.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rtt_p50_microseconds: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rtt_p90_microseconds: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rtt_p99_microseconds: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub datagrams: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost_datagrams: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub out_of_order: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jitter_microseconds: Vec<u64>,
    /// Thousandths of one CPU.
    #[serde(rename = "clientCPUMilli", skip_serializing_if = "Vec::is_empty")]
    pub client_cpu_milli: Vec<u64>,
    #[serde(rename = "serverCPUMilli", skip_serializing_if = "Vec::is_empty")]
    pub server_cpu_milli: Vec<u64>,
    /// What the kernels granted the sockets of this variant's last repeat. Only in a digest of several variants: that
    /// of one has them in its host facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender_sockets: Option<SocketFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receiver_sockets: Option<SocketFacts>,
}

#[cfg(test)]
mod tests;
