//! The client's driver. (Being written: answers an error until it is.)
use super::*;

pub async fn run(
    cfg: &ClientConfig,
    observer: &mut dyn Observer,
    _stop: Stop,
) -> (Report, Result<(), SessionError>) {
    let report = Report {
        role: nettest_report::report::Role::Client,
        params: cfg.params.clone(),
        start: Default::default(),
        intervals: Vec::new(),
        end: None,
        error: Some("not built yet".to_owned()),
        server_output: None,
        host: Default::default(),
        peer_host: None,
    };
    observer.finished(&report);
    (
        report,
        Err(SessionError::Option("not built yet".to_owned())),
    )
}
