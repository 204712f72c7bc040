//! What a server's flags mean together.

use super::common::{exclusive_cpus, one_device, padding, patience, port, run_token};
use super::flags::Flags;
use super::output::output;
use super::value::Local;
use super::{Action, CliError, ServerAction, value};
use crate::session::ServerConfig;
use crate::session::config::Guard;
use std::time::Duration;

pub fn action(flags: &Flags) -> Result<Action, CliError> {
    let server = &flags.server;
    let mut config = ServerConfig::new(port(flags)?);
    let (bind, bind_name, bind_addr_dev) = match flags.both.bind.as_deref() {
        Some(text) => match value::local("-B", text)? {
            (Local::Addr(addr), dev) => (Some(addr), None, dev),
            (Local::Name(name), dev) => (None, Some(name), dev),
        },
        None => (None, None, None),
    };
    config.bind = bind;
    let given_dev = match flags.both.bind_dev.as_deref() {
        Some(dev) => Some(value::device("--bind-dev", dev)?),
        None => None,
    };
    config.bind_dev = one_device([None, bind_addr_dev, given_dev])?;
    config.family = value::family(
        flags.both.version4,
        flags.both.version6,
        config.bind.as_ref(),
    )?;
    config.one_off = server.one_off;
    if let Some(text) = server.max_tests.as_deref() {
        config.max_tests = value::count("--max-tests", text, 1..=128, "1 to 128 tests")? as usize;
    }
    if let Some(text) = server.queue.as_deref() {
        config.queue = value::count("--queue", text, 0..=1024, "0 to 1024 clients")? as usize;
    }
    if let Some(text) = server.idle_timeout.as_deref() {
        config.idle_timeout = Some(Duration::from_secs(value::count(
            "--idle-timeout",
            text,
            1..=86_400,
            "1 to 86400 seconds",
        )?));
    }
    if let Some(text) = flags.both.affinity.as_deref() {
        match value::affinity(text)? {
            (own, None) => config.affinity = own,
            (_, Some(_)) => {
                return Err(CliError::WrongRole {
                    flag: "-A N,M (with a second number)".to_owned(),
                    role: "a client",
                });
            }
        }
    }
    if let Some(text) = flags.both.interval.as_deref() {
        config.interval = value::interval(text)?;
    }
    config.patience = patience(flags)?;
    config.file = flags.both.file.clone();
    config.bitrate_limit = server
        .server_bitrate_limit
        .as_deref()
        .map(value::bitrate_limit)
        .transpose()?
        .flatten();
    if let Some(text) = server.server_max_duration.as_deref() {
        let flag = "--server-max-duration";
        let seconds = value::count(flag, text, 0..=86_400, "0 to 86400 seconds")?;
        config.max_duration = (seconds > 0).then(|| Duration::from_secs(seconds));
    }
    config.guard = guard(flags)?;
    if let Some(text) = server.health_port.as_deref() {
        let port = value::port("--health-port", text)?;
        if port == config.port {
            return Err(CliError::Conflict(
                "--health-port",
                "-p",
                "they need different ports",
            ));
        }
        config.health_port = Some(port);
    }
    config.run_token = run_token(flags)?;
    config.exclusive_cpus = exclusive_cpus(flags)?;
    Ok(Action::Server(Box::new(ServerAction {
        config,
        bind_name,
        output: output(flags)?,
        daemon: server.daemon,
    })))
}

fn guard(flags: &Flags) -> Result<Option<Guard>, CliError> {
    let server = &flags.server;
    let (Some(private_key), Some(users)) =
        (&server.rsa_private_key_path, &server.authorized_users_path)
    else {
        return Ok(None);
    };
    let skew = match server.time_skew_threshold.as_deref() {
        Some(text) => value::count(
            "--time-skew-threshold",
            text,
            1..=86_400,
            "1 to 86400 seconds",
        )?,
        // iperf3's.
        None => 10,
    };
    Ok(Some(Guard {
        private_key: private_key.clone(),
        users: users.clone(),
        skew: Duration::from_secs(skew),
        padding: padding(flags),
    }))
}
