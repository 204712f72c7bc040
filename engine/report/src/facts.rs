//! What the machine and the kernel of one end gave a test.

use crate::names;
use serde::{Deserialize, Serialize};

/// What the machine of one end granted. Sent to a nettest peer beside iperf3's results: what is read keeps plain names
/// only ([`names`]), others are empty or unknown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct HostFacts {
    #[serde(deserialize_with = "names::plain::<{ names::HOST }, _>")]
    pub hostname: String,
    #[serde(deserialize_with = "names::plain::<{ names::KERNEL }, _>")]
    pub kernel: String,
    /// Node name as the operator passed it (`NODE_NAME`), if any.
    #[serde(deserialize_with = "names::plain_or_unknown::<{ names::HOST }, _>")]
    pub node: Option<String>,
    /// CPUs that the scheduler may use for this process, e.g. `0` or `2-3,6`.
    #[serde(deserialize_with = "names::plain::<{ names::CPUS }, _>")]
    pub allowed_cpus: String,
    pub allowed_cpu_count: u32,
    /// CPUs online on the machine.
    pub online_cpu_count: u32,
    /// cgroup throttling during the test.
    pub throttled_periods: Option<u64>,
    pub throttled_usec: Option<u64>,
    /// MTU of the device that the data leaves by, bytes.
    pub mtu: Option<u32>,
    /// Queueing discipline of that device, e.g. `fq`, `noqueue`; of one with several queues theirs too: `mq/fq`.
    #[serde(deserialize_with = "names::plain_or_unknown::<{ names::QDISC }, _>")]
    pub qdisc: Option<String>,
    /// Speed of the link that the data leaves by, where that device is a physical one (or a bond or VLAN on such) and its
    /// driver tells: not of a pod's veth, nor of loopback.
    pub link_speed_bits_per_second: Option<u64>,
    /// What the kernel granted the data sockets of this end; what was asked is in the parameters.
    pub sockets: SocketFacts,
}

/// What a kernel granted the data sockets of one end. `None`: not known, or not a thing of this protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SocketFacts {
    /// Bytes, as the kernel tells them: Linux doubles what was asked for its own bookkeeping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sndbuf: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rcvbuf: Option<u32>,
    /// TCP maximum segment size of the connection, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mss: Option<u32>,
    /// TCP congestion control.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "names::plain_or_unknown::<{ names::CONGESTION }, _>"
    )]
    pub congestion: Option<String>,
    /// Whether all streams really are MPTCP connections; false: (some) have fallen back to TCP, or were never more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mptcp: Option<bool>,
    /// Whether the kernel cuts what a UDP sender sends (UDP_SEGMENT), and merges for a receiver (UDP_GRO).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gso: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gro: Option<bool>,
    /// Whether the senders of byte streams have the kernel send from the page cache, without a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zerocopy: Option<bool>,
    /// Whether the receivers have the kernel throw the data away unread, without a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_rx_copy: Option<bool>,
    /// Kernel pacing of the senders, bits per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fq_rate: Option<u64>,
}

impl SocketFacts {
    /// The fast paths in force at this end, by the names of their fields in the document's `granted`.
    pub fn fast_paths(&self) -> Vec<&'static str> {
        [
            ("zerocopy", self.zerocopy),
            ("skip_rx_copy", self.skip_rx_copy),
            ("gso", self.gso),
            ("gro", self.gro),
        ]
        .into_iter()
        .filter_map(|(name, in_force)| (in_force == Some(true)).then_some(name))
        .collect()
    }
}
