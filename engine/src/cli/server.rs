//! What a server's flags mean together.

use super::flags::Flags;
use super::{Action, CliError, ServerAction, exclusive_cpus, output, port, run_token, value};
use crate::session::ServerConfig;
use std::time::Duration;

pub fn action(flags: &Flags) -> Result<Action, CliError> {
    if let Some(flag) = flags.client_only() {
        return Err(CliError::WrongRole {
            flag,
            role: "a client",
        });
    }
    let mut config = ServerConfig::new(port(flags)?);
    if let Some(text) = flags.bind.as_deref() {
        let (addr, dev) = value::bind(text)?;
        if dev.is_some() {
            return Err(CliError::NotA {
                flag: "-B",
                value: text.to_owned(),
                wanted: "an address without an interface (a server binds to an address only)",
            });
        }
        config.bind = Some(addr);
    }
    config.family = value::family(flags.version4, flags.version6, config.bind.as_ref())?;
    config.one_off = flags.one_off;
    if let Some(text) = flags.max_tests.as_deref() {
        config.max_tests = value::count("--max-tests", text, 1..=128, "1 to 128 tests")? as usize;
    }
    if let Some(text) = flags.idle_timeout.as_deref() {
        config.idle_timeout = Some(Duration::from_secs(value::count(
            "--idle-timeout",
            text,
            1..=86_400,
            "1 to 86400 seconds",
        )?));
    }
    if let Some(text) = flags.affinity.as_deref() {
        match value::affinity(text)? {
            (own, None) => config.affinity = Some(own),
            (_, Some(_)) => {
                return Err(CliError::WrongRole {
                    flag: "-A N,M (with a second number)",
                    role: "a client",
                });
            }
        }
    }
    if let Some(text) = flags.interval.as_deref() {
        config.interval = value::interval(text)?;
    }
    config.run_token = run_token(flags)?;
    config.exclusive_cpus = exclusive_cpus(flags)?;
    Ok(Action::Server(Box::new(ServerAction {
        config,
        output: output(flags)?,
    })))
}
