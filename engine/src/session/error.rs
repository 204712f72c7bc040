//! Why a test did not come to its results: one sentence a variant.

use crate::sock::SockError;
use nettest_report::digest::FailureReason;
use std::io;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum SessionError {
    #[error(
        "the host name '{host}' could not be resolved: {why}; check the name or give an address"
    )]
    NameNotResolved { host: String, why: String },
    #[error("the host '{host}' has no {family} address; leave out -4/-6 or give another host")]
    NoAddressOfFamily { host: String, family: &'static str },
    #[error(
        "unable to connect to server {addr}: connection refused; check that a server listens there"
    )]
    Refused { addr: String },
    #[error(
        "unable to connect to server {addr}: timed out after {millis} ms; check the address and any network policy"
    )]
    ConnectTimedOut { addr: String, millis: u128 },
    #[error(
        "the server {peer} took the connection but did not answer within {millis} ms; check that a test server listens there"
    )]
    Mute { peer: String, millis: u64 },
    #[error(
        "unable to connect to server {addr}: no route to host; check the address and the routes"
    )]
    NoRoute { addr: String },
    #[error("unable to connect to server {addr}: {source}")]
    Connect { addr: String, source: io::Error },
    #[error(
        "unable to bind to {addr}: {source}; check that the address is this machine's own and the port free"
    )]
    Bind { addr: String, source: io::Error },
    #[error(
        "unable to bind to the address {addr}: {source}; check that it is an address of this machine"
    )]
    BindAddress { addr: String, source: io::Error },
    #[error(
        "unable to bind to the interface {dev}: {source}; check that this machine has it and that this user may use it"
    )]
    BindDevice { dev: String, source: io::Error },
    #[error("unable to open a data stream to {addr}: {source}")]
    StreamConnect { addr: String, source: io::Error },
    #[error("the server is busy running a test, or does not take this client; try again later")]
    Busy,
    #[error(
        "the server is busy: {seconds} s in line were not enough; try again later, or wait longer with --queue-timeout"
    )]
    InLine { seconds: u64 },
    #[error(
        "the control connection to {peer} was closed by the peer as it got the parameters; {hint}"
    )]
    ClosedOnParams { peer: String, hint: &'static str },
    #[error("no sign of life came from {peer} for {seconds} s; the test was given up")]
    NoSign { peer: String, seconds: u64 },
    #[error(transparent)]
    Login(#[from] crate::login::LoginError),
    #[error("{peer} asked for more than this server allows: {what}")]
    OverLimit { peer: String, what: String },
    #[error("the server ended the test with an error: {message}")]
    Server {
        code: i32,
        errno: i32,
        message: String,
    },
    #[error("the server was terminated during the test")]
    ServerTerminated,
    #[error("the client was terminated during the test")]
    ClientTerminated,
    #[error("the control connection to {peer} was closed by the peer during {during}")]
    ControlClosed { peer: String, during: &'static str },
    #[error("the control connection to {peer} failed during {during}: {source}")]
    Control {
        peer: String,
        during: &'static str,
        source: io::Error,
    },
    #[error("{peer} did not answer within {seconds} s during {during}")]
    Deadline {
        peer: String,
        during: &'static str,
        seconds: u64,
    },
    #[error("{peer} does not speak iperf3's protocol: {what}")]
    Protocol { peer: String, what: String },
    #[error("{peer} asked for a test that this server does not run: {what}")]
    Refusing {
        peer: String,
        code: i32,
        what: String,
    },
    #[error(
        "no answer to the UDP hello from {peer} after {tries} tries; check that UDP port {port} is open both ways"
    )]
    UdpHello { peer: String, port: u16, tries: u32 },
    #[error("no data arrived for {seconds} s from {peer}; the test was given up")]
    NoData { peer: String, seconds: u64 },
    #[error(
        "unable to {doing} the file '{path}' (-F): {source}; check the name and its permissions"
    )]
    File {
        doing: &'static str,
        path: String,
        source: io::Error,
    },
    #[error("data stream {id} failed: {source}")]
    Stream { id: i32, source: io::Error },
    /// What this machine's kernel has, and not what was asked, decides.
    #[error("{0}")]
    Congestion(String),
    #[error("{0}")]
    Option(String),
    #[error("{0}")]
    Interrupted(&'static str),
    #[error("exclusive CPUs were not granted: {0}")]
    Exclusive(String),
    #[error("{what}: {source}")]
    Local {
        what: &'static str,
        source: io::Error,
    },
}

impl SessionError {
    /// 1 a test that failed, 3 peer unreachable, 4 exclusive CPU not granted, 5 server busy.
    pub fn exit_code(&self) -> u8 {
        use SessionError as E;
        match self {
            E::NameNotResolved { .. }
            | E::NoAddressOfFamily { .. }
            | E::Refused { .. }
            | E::ConnectTimedOut { .. }
            | E::Mute { .. }
            | E::NoRoute { .. }
            | E::Connect { .. } => 3,
            E::Exclusive(_) => 4,
            E::Busy | E::InLine { .. } => 5,
            _ => 1,
        }
    }

    /// The API's reason.
    pub fn reason(&self) -> FailureReason {
        use SessionError as E;
        match self {
            E::NameNotResolved { .. } | E::NoAddressOfFamily { .. } => {
                FailureReason::NameNotResolved
            }
            E::Refused { .. }
            | E::ConnectTimedOut { .. }
            | E::Mute { .. }
            | E::NoRoute { .. }
            | E::Connect { .. }
            | E::StreamConnect { .. }
            | E::Control { .. }
            | E::ControlClosed { .. }
            | E::Deadline { .. }
            | E::UdpHello { .. }
            | E::NoData { .. }
            | E::NoSign { .. }
            | E::ClosedOnParams { .. } => FailureReason::PeerUnreachable,
            E::Busy | E::InLine { .. } => FailureReason::ServerBusy,
            E::Login(_) | E::OverLimit { .. } => FailureReason::InvalidSpec,
            E::Protocol { .. } | E::Refusing { .. } | E::Server { .. } | E::Congestion(_) => {
                FailureReason::ProtocolUnsupported
            }
            E::ServerTerminated | E::ClientTerminated | E::Interrupted(_) => {
                FailureReason::Interrupted
            }
            E::Exclusive(_) => FailureReason::ExclusiveCPUNotGranted,
            E::Bind { .. }
            | E::BindAddress { .. }
            | E::BindDevice { .. }
            | E::File { .. }
            | E::Option(_) => FailureReason::InvalidSpec,
            E::Stream { .. } | E::Local { .. } => FailureReason::EngineCrashed,
        }
    }
}

impl From<SockError> for SessionError {
    fn from(error: SockError) -> Self {
        match error {
            SockError::Congestion { .. } | SockError::NoSctp { .. } => {
                SessionError::Congestion(error.to_string())
            }
            _ => SessionError::Option(error.to_string()),
        }
    }
}
