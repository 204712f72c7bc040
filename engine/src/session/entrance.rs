//! How a client gets into a server: its cookie, its login, and the line.

use super::link::{self, Link};
use super::{ClientConfig, Observer, SessionError, Stop, facts, streams};
use crate::login;
use crate::wire::client::{ClientEvent, ClientMachine};
use crate::wire::cookie::Cookie;
use crate::wire::error::WireError;
use crate::wire::extras::Extras;
use crate::wire::params;
use jiff::Timestamp;

/// A run's server is there for its run alone: nobody stands in line.
pub fn cookie(cfg: &ClientConfig) -> Cookie {
    match &cfg.run_token {
        Some(token) => Cookie::for_run(token, facts::entropy()),
        None if cfg.queue_timeout.is_zero() => Cookie::random(facts::entropy()),
        None => Cookie::waiting(facts::entropy()),
    }
}

/// The password, before anything is connected: a person may take long to type it.
pub async fn password(cfg: &ClientConfig, stop: &mut Stop) -> Result<Option<String>, SessionError> {
    let Some(login) = &cfg.login else {
        return Ok(None);
    };
    match login::ask::password(login, stop).await? {
        Ok(password) => Ok(Some(password)),
        Err(cause) => Err(SessionError::Interrupted(cause.describe())),
    }
}

/// The parameters as they go over the wire. The login's token is made now, since it carries the time.
pub fn parameters(cfg: &ClientConfig, password: Option<&str>) -> Result<Vec<u8>, SessionError> {
    let authtoken = match (&cfg.login, password) {
        (Some(login), Some(password)) => Some(login::token_of(login, password, Timestamp::now())?),
        _ => None,
    };
    let extras = Extras {
        authtoken,
        answers_alive: true,
    };
    let block = streams::block_size(&cfg.params);
    Ok(params::encode_with(&cfg.params, block, &extras))
}

/// Until the server wants the streams. `cfg.queue_timeout` is the longest time in its line.
pub async fn enter(
    cfg: &ClientConfig,
    password: Option<&str>,
    link: &mut Link<ClientMachine>,
    peer: &str,
    observer: &mut dyn Observer,
    stop: &mut Stop,
) -> Result<(), SessionError> {
    let enough = tokio::time::Instant::now() + cfg.queue_timeout;
    let mut told = None;
    loop {
        let in_line = told.is_some();
        let event = tokio::select! {
            event = link.event() => event,
            cause = stop.asked() => return Err(SessionError::Interrupted(cause.describe())),
            () = tokio::time::sleep_until(enough), if in_line => {
                return Err(SessionError::InLine { seconds: cfg.queue_timeout.as_secs() });
            }
        };
        match event {
            ClientEvent::OpenStreams => return Ok(()),
            ClientEvent::InLine(place) => {
                if told.replace(place) != Some(place) {
                    observer.in_line(place);
                }
            }
            ClientEvent::ParamsWanted => {
                let json = parameters(cfg, password)?;
                link.machine.send_params(&json, link.now());
            }
            ClientEvent::Failed(WireError::Closed { .. }) if link.machine.closed_on_params() => {
                return Err(SessionError::ClosedOnParams {
                    peer: peer.to_owned(),
                    hint: match cfg.login {
                        Some(_) => {
                            "it may have refused the login: check the user, the password, the padding and both clocks"
                        }
                        None => "it may want a login (--username and --rsa-public-key-path)",
                    },
                });
            }
            other => return Err(link::unexpected(other, peer, link)),
        }
    }
}
