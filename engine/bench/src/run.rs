//! What one run of one program showed, as it is kept in the file of raw runs.

use crate::{peer::Kind, work::Path};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub path: Path,
    /// A row's name.
    pub work: String,
    pub peer: Kind,
    pub round: u32,
    /// Flags of the row that the program lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Done(Measured),
    /// Why, in one line.
    Failed(String),
    /// The program has no way to do this work.
    Unable(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// By the receiver's own count.
    pub delivered_bytes: u64,
    pub sent_bytes: u64,
    /// What the receiver says.
    pub own_seconds: f64,
    /// For how long the device carried data; none if it was too short to see.
    pub carried_seconds: Option<f64>,
    /// From the start of the first client process to the end of the last.
    pub wall_seconds: f64,
    pub client_cpu_seconds: f64,
    pub server_cpu_seconds: f64,
    /// Peak, all servers in sum.
    pub server_rss_bytes: u64,
    pub servers: u32,
    pub clients: u32,
    /// Jain's index over the streams or the clients, where there are several and the program tells of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<f64>,
    /// What the device carried in its busier direction; a packet is what the stack hands to it, before any cutting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_packets: Option<u64>,
    /// Only in the runs that counted them, whose other figures are not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<Calls>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    pub client: u64,
    pub server: u64,
}

/// A program's time is believed unless the device carried data for this much longer.
const BELIEVED: f64 = 1.02;

impl Measured {
    /// Seconds to divide by: the receiver's own, but not if it gives the time that was asked for while it
    /// took longer. Many clients do not start at the same moment, so their device says nothing about one.
    pub fn seconds(&self) -> f64 {
        match self.carried_seconds {
            Some(carried) if self.longer() => carried,
            _ => self.own_seconds,
        }
    }

    pub fn longer(&self) -> bool {
        self.clients == 1
            && self
                .carried_seconds
                .is_some_and(|carried| carried > self.own_seconds * BELIEVED)
    }

    pub fn bits_per_second(&self) -> f64 {
        self.delivered_bytes as f64 * 8.0 / self.seconds()
    }

    pub fn gigabytes(&self) -> f64 {
        self.delivered_bytes as f64 / 1e9
    }

    /// 0 to 1; the sender's count against the receiver's.
    pub fn loss(&self) -> f64 {
        if self.sent_bytes == 0 {
            return 0.0;
        }
        (1.0 - self.delivered_bytes as f64 / self.sent_bytes as f64).max(0.0)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn measured() -> Measured {
        Measured {
            delivered_bytes: 5_000_000_000,
            sent_bytes: 5_000_000_000,
            own_seconds: 2.0,
            carried_seconds: Some(2.01),
            wall_seconds: 2.1,
            client_cpu_seconds: 1.0,
            server_cpu_seconds: 0.5,
            server_rss_bytes: 4 << 20,
            servers: 1,
            clients: 1,
            fairness: None,
            device_packets: Some(80_000),
            calls: None,
        }
    }

    #[test]
    fn a_time_that_the_device_contradicts_is_not_believed() {
        let honest = measured();
        assert_eq!(honest.bits_per_second(), 20e9);
        let nominal = Measured {
            carried_seconds: Some(4.0),
            ..measured()
        };
        assert!(nominal.longer());
        assert_eq!(nominal.bits_per_second(), 10e9);
        let many = Measured {
            clients: 50,
            ..nominal
        };
        assert_eq!(many.bits_per_second(), 20e9);
    }

    #[test]
    fn loss_is_what_the_receiver_lacks() {
        let lossy = Measured {
            sent_bytes: 10_000_000_000,
            ..measured()
        };
        assert_eq!(lossy.loss(), 0.5);
        // A sender that stops counting early (iperf3 3.16 and later) has not lost less than nothing.
        let uncounted = Measured {
            sent_bytes: 4_999_000_000,
            ..measured()
        };
        assert_eq!(uncounted.loss(), 0.0);
    }
}
