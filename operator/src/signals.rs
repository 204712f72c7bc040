//! SIGTERM and SIGINT: the first asks everything to end, the second ends the process.

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};

/// Turns true when the process is asked to end.
pub fn stop_on_signals() -> std::io::Result<watch::Receiver<bool>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        next(&mut terminate, &mut interrupt).await;
        tracing::info!("asked to end; once more to end at once");
        sender.send_replace(true);
        next(&mut terminate, &mut interrupt).await;
        std::process::exit(1);
    });
    Ok(receiver)
}

async fn next(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
