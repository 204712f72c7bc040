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
mod rows;
mod sctp;
mod series;
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
pub use observer::{Observer, Silent, Turn};
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

/// All variants `repeats.count` times, round by round, with a pause between any two tests; then those whose rates lie
/// too far apart, as often as `repeats.extra` allows. Ends at the first test that fails. `observer.repeat` comes before each,
/// `observer.finished` after each; `measured` then gets the variant's index and the report.
pub async fn run_series(
    variants: &[Variant],
    repeats: Repeats,
    observer: &mut dyn Observer,
    stop: Stop,
    measured: impl FnMut(usize, Report),
) -> Result<(), SeriesError> {
    series::run(variants, repeats, observer, stop, measured).await
}

/// Whether a server of ours takes tests at `host`. It does not use up a one-off server.
pub async fn probe(host: &str, port: u16, timeout: Duration) -> Result<(), SessionError> {
    probe::run(host, port, timeout).await
}

/// One of the tests of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    pub name: String,
    pub config: ClientConfig,
}

/// How often each variant is measured, and the pause between any two measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeats {
    /// 1 or more.
    pub count: u32,
    pub pause: Duration,
    /// `None`: the count is all.
    pub extra: Option<Extra>,
}

/// When a variant is measured more often than the count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extra {
    /// From the lowest to the highest received rate of a flow, in percent of the median: above it, once more.
    pub max_spread_percent: u64,
    /// Repeats in all.
    pub max_count: u32,
}

impl Repeats {
    /// The count of a variant that stays unsteady.
    pub fn most(self) -> u32 {
        let extra = self.extra.map_or(0, |extra| extra.max_count);
        self.count.max(extra).max(1)
    }
}

/// A series ended early.
#[derive(Debug)]
pub struct SeriesError {
    /// Index of the variant.
    pub variant: usize,
    pub error: SessionError,
}

impl Default for Repeats {
    fn default() -> Self {
        Repeats {
            count: 1,
            pause: Duration::ZERO,
            extra: None,
        }
    }
}
