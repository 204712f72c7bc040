//! The startup probe.
use super::*;

pub async fn run(_host: &str, _port: u16, _timeout: Duration) -> Result<(), SessionError> {
    Err(SessionError::Option("not built yet".to_owned()))
}
