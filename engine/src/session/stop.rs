//! One shared wish to end: set by SIGINT or SIGTERM, or by a test.

use std::sync::Arc;
use tokio::sync::watch;

/// What asked for the end; it is named in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    Interrupt,
    Terminate,
    Hangup,
    /// Nobody reads the rows any more, or the disk is full.
    OutputLost,
}

impl StopCause {
    pub fn describe(self) -> &'static str {
        match self {
            StopCause::Interrupt => "interrupted by SIGINT",
            StopCause::Terminate => "terminated by SIGTERM",
            StopCause::Hangup => "terminated by SIGHUP",
            StopCause::OutputLost => "ended early: its output could not be written",
        }
    }
}

/// Listens for the wish to end. Clones share it.
#[derive(Debug, Clone)]
pub struct Stop {
    seen: watch::Receiver<Option<StopCause>>,
    /// Keeps the channel open when nobody will ever ask.
    _own: Option<Arc<watch::Sender<Option<StopCause>>>>,
}

/// Asks for the end.
#[derive(Debug, Clone)]
pub struct Stopper(Arc<watch::Sender<Option<StopCause>>>);

impl Stop {
    /// A wish that never comes.
    pub fn never() -> Self {
        let (tx, seen) = watch::channel(None);
        Stop {
            seen,
            _own: Some(Arc::new(tx)),
        }
    }

    pub fn pair() -> (Stopper, Stop) {
        let (tx, seen) = watch::channel(None);
        (Stopper(Arc::new(tx)), Stop { seen, _own: None })
    }

    pub fn cause(&self) -> Option<StopCause> {
        *self.seen.borrow()
    }

    /// Resolves when the end is asked for. Safe to cancel.
    pub async fn asked(&mut self) -> StopCause {
        loop {
            if let Some(cause) = self.cause() {
                return cause;
            }
            if self.seen.changed().await.is_err() {
                // Nobody can ask any more.
                std::future::pending::<()>().await;
            }
        }
    }
}

impl Stopper {
    pub fn stop(&self, cause: StopCause) {
        self.0.send_if_modified(|seen| {
            let first = seen.is_none();
            seen.get_or_insert(cause);
            first
        });
    }
}

/// A [`Stop`] that SIGINT, SIGTERM and SIGHUP set, or the [`Stopper`]. A second signal ends the process at once with code 1.
pub fn on_signals() -> std::io::Result<(Stopper, Stop)> {
    use tokio::signal::unix::{SignalKind, signal};
    let (stopper, stop) = Stop::pair();
    let own = stopper.clone();
    let mut int = signal(SignalKind::interrupt())?;
    let mut term = signal(SignalKind::terminate())?;
    let mut hup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        let mut seen = 0u32;
        loop {
            let cause = tokio::select! {
                _ = int.recv() => StopCause::Interrupt,
                _ = term.recv() => StopCause::Terminate,
                _ = hup.recv() => StopCause::Hangup,
            };
            seen += 1;
            if seen > 1 {
                std::process::exit(1);
            }
            stopper.stop(cause);
        }
    });
    Ok((own, stop))
}
