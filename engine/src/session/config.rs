//! What a client or a server is told to do.

use nettest_report::params::TestParams;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
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

/// TCP keepalive of the control connection (`--cntl-ka`). `None`: ours, which notices a dead peer within 15 s.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Keepalive {
    pub idle: Option<Duration>,
    pub interval: Option<Duration>,
    pub count: Option<u32>,
}

/// How long the ends of a test wait for each other. The same for client and server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How long a receiving end waits without any data before it gives the test up (`--rcv-timeout`).
    pub receive: Duration,
    /// How long sent data may stay unacknowledged (`--snd-timeout`).
    pub send: Option<Duration>,
    pub keepalive: Keepalive,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            receive: DEFAULT_RCV_TIMEOUT,
            send: None,
            keepalive: Keepalive::default(),
        }
    }
}

/// RSA padding of a login: it is not negotiated, so both ends must be told the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Padding {
    /// Since iperf3 3.17.
    #[default]
    Oaep,
    /// `--use-pkcs1-padding`; iperf3 up to 3.16.
    Pkcs1,
}

/// A password: never printed, not even in a debug line.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(pub String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// Who a client says it is (`--username`, `--rsa-public-key-path`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    pub username: String,
    /// `IPERF3_PASSWORD`; `None`: asked for on the terminal.
    pub password: Option<Password>,
    pub public_key: PathBuf,
    pub padding: Padding,
}

/// Who may test on a server (`--rsa-private-key-path`, `--authorized-users-path`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    pub private_key: PathBuf,
    pub users: PathBuf,
    /// How far the client's clock may be off (`--time-skew-threshold`).
    pub skew: Duration,
    pub padding: Padding,
}

/// `--server-bitrate-limit RATE[/SECONDS]`, over all streams of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitrateLimit {
    /// Bits per second.
    pub rate: u64,
    /// The running average is taken over so long.
    pub over: Duration,
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
    pub patience: Patience,
    /// Indexes into the set of allowed CPUs; the streams take them in turn. Empty: the scheduler's choice.
    pub affinity: Vec<u32>,
    /// Local port of the first data stream, the next streams take the next ones (`--cport`).
    pub cport: Option<u16>,
    /// What is sent in place of random bytes, or where a receiver writes what arrives (`-F`).
    pub file: Option<PathBuf>,
    pub login: Option<Login>,
    /// How long to stand in line when the server is busy; zero: not at all.
    pub queue_timeout: Duration,
    /// SCTP: local addresses to bind (`-X`).
    pub sctp_bind: Vec<IpAddr>,
    /// SCTP: streams of each association (`--nstreams`).
    pub sctp_streams: Option<u16>,
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
            patience: Patience::default(),
            affinity: Vec::new(),
            cport: None,
            file: None,
            login: None,
            queue_timeout: DEFAULT_QUEUE_TIMEOUT,
            sctp_bind: Vec::new(),
            sctp_streams: None,
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
    /// Interface that clients come in by (`-B addr%dev`, `--bind-dev`).
    pub bind_dev: Option<String>,
    pub family: Option<Family>,
    /// End after one test (`-1`).
    pub one_off: bool,
    /// Tests at a time; one more stands in line, or is told "busy".
    pub max_tests: usize,
    /// Clients of ours that may stand in line.
    pub queue: usize,
    pub run_token: Option<String>,
    /// A server of one test or of a run ends when none came for so long; any other waits on (iperf3 only sets itself
    /// up anew).
    pub idle_timeout: Option<Duration>,
    pub exclusive_cpus: Option<u32>,
    /// Indexes into the set of allowed CPUs; the streams take them in turn.
    pub affinity: Vec<u32>,
    /// Time between the server's own rows.
    pub interval: Duration,
    pub patience: Patience,
    /// What reverse tests send, or where a test's data is written to (`-F`).
    pub file: Option<PathBuf>,
    pub bitrate_limit: Option<BitrateLimit>,
    /// Longest test, omitted part included (`--server-max-duration`).
    pub max_duration: Option<Duration>,
    pub guard: Option<Guard>,
    /// Answers `GET /healthz` there, apart from the test port (`--health-port`).
    pub health_port: Option<u16>,
}

impl ServerConfig {
    /// iperf3's defaults, and one test at a time.
    pub fn new(port: u16) -> Self {
        ServerConfig {
            port,
            bind: None,
            bind_dev: None,
            family: None,
            one_off: false,
            max_tests: 1,
            queue: DEFAULT_QUEUE,
            run_token: None,
            idle_timeout: None,
            exclusive_cpus: None,
            affinity: Vec::new(),
            interval: Duration::from_secs(1),
            patience: Patience::default(),
            file: None,
            bitrate_limit: None,
            max_duration: None,
            guard: None,
            health_port: None,
        }
    }
}

pub const DEFAULT_PORT: u16 = 5201;
/// Places in a server's line.
pub const DEFAULT_QUEUE: usize = 16;
/// How long a client stands in line.
pub const DEFAULT_QUEUE_TIMEOUT: Duration = Duration::from_secs(60);
/// iperf3's `--rcv-timeout`.
pub const DEFAULT_RCV_TIMEOUT: Duration = Duration::from_secs(120);

/// How a server that ended by itself or was told to end came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerOutcome {
    /// The one test of a one-off server is over; the code is the test's own.
    OneOffDone { tests: u64, exit_code: u8 },
    /// SIGINT or SIGTERM while no test ran, or after the running ones were ended.
    Stopped { tests: u64, interrupted: u64 },
    /// `--idle-timeout` of a one-off server.
    Idle,
}
