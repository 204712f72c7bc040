//! The server's driver. (Being written: answers an error until it is.)
use super::*;

pub async fn run(
    _cfg: &ServerConfig,
    _make_observer: impl FnMut() -> Box<dyn Observer>,
    _stop: Stop,
) -> Result<ServerOutcome, SessionError> {
    Err(SessionError::Option("not built yet".to_owned()))
}
