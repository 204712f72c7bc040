//! The startup probe: asks one of our servers whether it takes tests, without being one.

use super::{ClientConfig, SessionError, net};
use crate::wire::cookie::Cookie;
use crate::wire::state::State;
use nettest_report::params::TestParams;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

pub async fn run(host: &str, port: u16, timeout: Duration) -> Result<(), SessionError> {
    let mut cfg = ClientConfig::new(host, TestParams::default());
    cfg.port = port;
    cfg.connect_timeout = Some(timeout);
    let mut stream = net::connect_control(&cfg).await?;
    let peer = format!("{host}:{port}");
    let during = "the probe";
    let failed = |source| SessionError::Control {
        peer: peer.clone(),
        during,
        source,
    };
    let ask = async {
        stream.write_all(Cookie::probe().bytes()).await?;
        let mut answer = [0u8; 1];
        let got = stream.read(&mut answer).await?;
        Ok(answer.get(..got).and_then(|a| a.first().copied()))
    };
    let answer = match tokio::time::timeout(timeout, ask).await {
        Ok(answer) => answer.map_err(failed)?,
        Err(_) => {
            return Err(SessionError::Deadline {
                peer,
                during,
                seconds: timeout.as_secs(),
            });
        }
    };
    match answer.map(State::of) {
        Some(Some(State::ParamExchange)) => Ok(()),
        Some(Some(State::AccessDenied)) => Err(SessionError::Busy),
        None => Err(SessionError::ControlClosed { peer, during }),
        Some(_) => Err(SessionError::Protocol {
            peer,
            what: "it answered a probe with another state".to_owned(),
        }),
    }
}
