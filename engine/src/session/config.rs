//! What a client or a server is told to do.

use nettest_report::params::TestParams;
use std::net::IpAddr;
use std::time::Duration;

/// An address family that was asked for (`-4`, `-6`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    V4,
    V6,
}

impl Family {
    pub fn admits(self, addr: &IpAddr) -> bool {
        match self {
            Family::V4 => addr.is_ipv4(),
            Family::V6 => addr.is_ipv6(),
        }
    }
}

/// One client test.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientConfig {
    /// Name or address of the server; a link-local address carries its zone (`fe80::1%eth0`).
    pub host: String,
    /// Interface that control and data leave by (`-c host%dev`, `-B addr%dev`).
    pub bind_dev: Option<String>,
    pub port: u16,
    pub bind: Option<IpAddr>,
    pub family: Option<Family>,
    pub params: TestParams,
    /// How long to wait for the control connection; `None`: as long as the kernel tries.
    pub connect_timeout: Option<Duration>,
    /// How long a receiving end waits without any data before it gives the test up.
    pub rcv_timeout: Duration,
    /// Index into the set of allowed CPUs.
    pub affinity: Option<u32>,
    pub run_token: Option<String>,
    /// So many CPUs must be this process's own.
    pub exclusive_cpus: Option<u32>,
}

impl ClientConfig {
    /// iperf3's defaults towards `host`.
    pub fn new(host: impl Into<String>, params: TestParams) -> Self {
        ClientConfig {
            host: host.into(),
            bind_dev: None,
            port: DEFAULT_PORT,
            bind: None,
            family: None,
            params,
            connect_timeout: None,
            rcv_timeout: DEFAULT_RCV_TIMEOUT,
            affinity: None,
            run_token: None,
            exclusive_cpus: None,
        }
    }
}

/// One server process.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    pub port: u16,
    pub bind: Option<IpAddr>,
    pub family: Option<Family>,
    /// End after one test (`-1`).
    pub one_off: bool,
    /// Tests at a time; one more is told "busy".
    pub max_tests: usize,
    pub run_token: Option<String>,
    /// A server of one test or of a run ends when none came for so long; any other waits on (iperf3 only sets itself
    /// up anew).
    pub idle_timeout: Option<Duration>,
    pub exclusive_cpus: Option<u32>,
    pub affinity: Option<u32>,
    /// Time between the server's own rows.
    pub interval: Duration,
}

impl ServerConfig {
    /// iperf3's defaults, and one test at a time.
    pub fn new(port: u16) -> Self {
        ServerConfig {
            port,
            bind: None,
            family: None,
            one_off: false,
            max_tests: 1,
            run_token: None,
            idle_timeout: None,
            exclusive_cpus: None,
            affinity: None,
            interval: Duration::from_secs(1),
        }
    }
}

pub const DEFAULT_PORT: u16 = 5201;
/// iperf3's `--rcv-timeout`.
pub const DEFAULT_RCV_TIMEOUT: Duration = Duration::from_secs(120);

/// How a server that ended by itself or was told to end came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerOutcome {
    /// The one test of a one-off server is over (whatever its result, as iperf3).
    OneOffDone { tests: u64 },
    /// SIGINT or SIGTERM while no test ran, or after the running ones were ended.
    Stopped { tests: u64, interrupted: u64 },
    /// `--idle-timeout` of a one-off server.
    Idle,
}
