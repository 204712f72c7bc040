//! Tests as a whole: the drivers that join the control protocol ([`crate::wire`]), the data threads
//! ([`crate::worker`]) and the observers that print. tokio runs control only.
//!
//! - [`config`]: what a client or server is told
//! - [`observer`]: who is told what happens
//! - [`stop`]: the wish to end
//! - [`error`]: why a test failed

mod background;
mod client;
pub mod config;
mod door;
mod end;
mod entrance;
pub mod error;
mod facts;
mod files;
mod gather;
mod goal;
mod granted;
mod health;
mod hub;
mod knock;
mod limits;
mod line;
mod link;
mod listen;
mod meter;
mod narrow;
mod net;
pub mod observer;
mod open;
mod probe;
mod repeats;
mod rows;
mod sctp;
mod serve;
mod served_output;
mod server;
mod signs;
pub mod stop;
mod streams;
mod tcp_series;
mod totals;
mod track;
mod udp_figures;
mod watch;

pub use config::{
    BitrateLimit, ClientConfig, Family, Guard, Keepalive, Login, Padding, Password, Patience,
    ServerConfig, ServerOutcome,
};
pub use error::SessionError;
pub use observer::{Observer, Silent};
pub use stop::{Stop, StopCause, Stopper};

use nettest_report::report::Report;
use std::time::Duration;

/// One client test. The report is whole as far as the test came; `observer.finished` has been called.
pub async fn run_client(
    cfg: &ClientConfig,
    observer: &mut dyn Observer,
    stop: Stop,
) -> (Report, Result<(), SessionError>) {
    client::run(cfg, observer, stop).await
}

/// Serve until one test is over (`one_off`), the idle time is over, or `stop` is asked for.
/// `make_observer` gives one observer a test; its `listening` and `accepted` come before the test.
pub async fn run_server(
    cfg: &ServerConfig,
    make_observer: impl FnMut() -> Box<dyn Observer>,
    stop: Stop,
) -> Result<ServerOutcome, SessionError> {
    server::run(cfg, make_observer, stop).await
}

/// `repeats.count` tests with a pause between; ends at the first that fails. `observer.repeat` comes before
/// each, `observer.finished` after each.
pub async fn run_repeats(
    cfg: &ClientConfig,
    repeats: Repeats,
    observer: &mut dyn Observer,
    stop: Stop,
) -> (Vec<Report>, Result<(), SessionError>) {
    repeats::run(cfg, repeats, observer, stop).await
}

/// Whether a server of ours takes tests at `host`. It does not use up a one-off server.
pub async fn probe(host: &str, port: u16, timeout: Duration) -> Result<(), SessionError> {
    probe::run(host, port, timeout).await
}

/// How often a client test is run, and the pause between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeats {
    /// 1 or more.
    pub count: u32,
    pub pause: Duration,
}

impl Default for Repeats {
    fn default() -> Self {
        Repeats {
            count: 1,
            pause: Duration::ZERO,
        }
    }
}
