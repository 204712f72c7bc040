//! What a client says beside the parameters of its test.

use super::params::ParamsError;
use super::ranges;
use serde_json::{Map, Value, json};

/// iperf3's servers ignore keys that they do not know.
const ALIVE: &str = "nettest_alive";
const TOKEN: &str = "authtoken";

#[derive(Clone, Default, PartialEq, Eq)]
pub struct Extras {
    /// A login in base64.
    pub authtoken: Option<String>,
    /// The client answers each [`super::state::State::Alive`] with the same byte. Clients of ours do.
    pub answers_alive: bool,
}

impl std::fmt::Debug for Extras {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let token = self.authtoken.as_ref().map(|_| "…");
        write!(f, "Extras({token:?}, {})", self.answers_alive)
    }
}

impl Extras {
    pub(super) fn encode(&self, keys: &mut Map<String, Value>) {
        let Extras {
            authtoken,
            answers_alive,
        } = self;
        if let Some(token) = authtoken {
            keys.insert(TOKEN.to_owned(), json!(token));
        }
        if *answers_alive {
            keys.insert(ALIVE.to_owned(), json!(1));
        }
    }

    pub(super) fn decode(keys: &Map<String, Value>) -> Result<Self, ParamsError> {
        Ok(Extras {
            authtoken: ranges::text(keys, TOKEN)?,
            answers_alive: ranges::flag(keys, ALIVE)?,
        })
    }
}
