//! One shared wish to end: set by SIGINT or SIGTERM, or by a test.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

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

    /// Shells' 128 + the number of the signal.
    pub fn exit_code(self) -> u8 {
        match self {
            StopCause::Interrupt => 130,
            StopCause::Terminate => 143,
            StopCause::Hangup => 129,
            StopCause::OutputLost => 1,
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

/// After a second signal the last words and the report have this long, so that a document is cut off nowhere.
const PATIENCE: Duration = Duration::from_millis(1800);
/// After the first one, whatever hangs, as an output that nobody reads.
const LIMIT: Duration = Duration::from_secs(10);

/// A [`Stop`] that SIGINT, SIGTERM and SIGHUP set, or the [`Stopper`]. A second signal ends the process within two seconds.
/// They are heard on a thread of their own: the others may be held up by a stalled output.
pub fn on_signals() -> std::io::Result<(Stopper, Stop)> {
    let (stopper, stop) = Stop::pair();
    let own = stopper.clone();
    let (ready, watched) = std::sync::mpsc::channel();
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            match runtime {
                Ok(runtime) => runtime.block_on(watch(&stopper, &ready)),
                Err(error) => drop(ready.send(Err(error))),
            }
        })?;
    match watched.recv() {
        Ok(watched) => watched.map(|()| (own, stop)),
        Err(_) => Err(std::io::ErrorKind::BrokenPipe.into()),
    }
}

/// Tells `ready` when no signal is missed any more, or that there is no watching them.
async fn watch(stopper: &Stopper, ready: &std::sync::mpsc::Sender<std::io::Result<()>>) {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ];
    let mut signals = match signals.map(signal) {
        [Ok(int), Ok(term), Ok(hup)] => [int, term, hup],
        [int, term, hup] => {
            let error = [int, term, hup].into_iter().find_map(Result::err);
            let error = error.unwrap_or_else(|| std::io::ErrorKind::Other.into());
            drop(ready.send(Err(error)));
            return;
        }
    };
    drop(ready.send(Ok(())));
    let mut next = async || {
        let [int, term, hup] = &mut signals;
        tokio::select! {
            _ = int.recv() => StopCause::Interrupt,
            _ = term.recv() => StopCause::Terminate,
            _ = hup.recv() => StopCause::Hangup,
        }
    };
    let cause = next().await;
    stopper.stop(cause);
    let cause = match timeout(LIMIT, next()).await {
        Ok(second) => {
            tokio::time::sleep(PATIENCE).await;
            second
        }
        Err(_) => cause,
    };
    std::process::exit(i32::from(cause.exit_code()));
}
