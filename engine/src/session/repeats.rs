//! A test run several times.
use super::*;

pub async fn run(
    cfg: &ClientConfig,
    repeats: Repeats,
    observer: &mut dyn Observer,
    mut stop: Stop,
) -> (Vec<Report>, Result<(), SessionError>) {
    let mut reports = Vec::new();
    for number in 1..=repeats.count.max(1) {
        observer.repeat(number);
        let (report, result) = run_client(cfg, observer, stop.clone()).await;
        reports.push(report);
        if result.is_err() {
            return (reports, result);
        }
        if number < repeats.count {
            tokio::select! {
                () = tokio::time::sleep(repeats.pause) => {}
                cause = stop.asked() => return (reports, Err(SessionError::Interrupted(cause.describe()))),
            }
        }
    }
    (reports, Ok(()))
}
