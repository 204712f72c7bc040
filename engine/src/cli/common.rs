//! Single flags that several roles read.

use super::flags::Flags;
use super::{CliError, value};
use crate::session::config::{DEFAULT_PORT, Keepalive, Padding, Patience};
use std::time::Duration;

/// A day, in the milliseconds of timeouts.
const DAY_MS: u64 = 86_400_000;

pub fn port(flags: &Flags) -> Result<u16, CliError> {
    match &flags.both.port {
        Some(text) => value::port("-p", text),
        None => Ok(DEFAULT_PORT),
    }
}

pub fn connect_timeout(flags: &Flags) -> Result<Option<Duration>, CliError> {
    flags
        .client
        .connect_timeout
        .as_deref()
        .map(|text| {
            value::count(
                "--connect-timeout",
                text,
                1..=3_600_000,
                "1 to 3600000 milliseconds",
            )
            .map(Duration::from_millis)
        })
        .transpose()
}

pub fn patience(flags: &Flags) -> Result<Patience, CliError> {
    let mut patience = Patience::default();
    if let Some(text) = flags.both.rcv_timeout.as_deref() {
        let words = "100 to 86400000 milliseconds";
        let ms = value::count("--rcv-timeout", text, 100..=DAY_MS, words)?;
        patience.receive = Duration::from_millis(ms);
    }
    if let Some(text) = flags.both.snd_timeout.as_deref() {
        let words = "0 to 86400000 milliseconds";
        let ms = value::count("--snd-timeout", text, 0..=DAY_MS, words)?;
        patience.send = (ms > 0).then(|| Duration::from_millis(ms));
    }
    if let Some(text) = flags.both.cntl_ka.as_deref() {
        patience.keepalive = keepalive(text)?;
    }
    Ok(patience)
}

/// `--cntl-ka[=idle/interval/count]`: each part may be left out, which leaves ours.
fn keepalive(text: &str) -> Result<Keepalive, CliError> {
    let flag = "--cntl-ka";
    let mut parts = text.split('/');
    // Linux: MAX_TCP_KEEPIDLE, MAX_TCP_KEEPINTVL (32767 s), MAX_TCP_KEEPCNT (127).
    let mut part = |range, words| match parts.next() {
        None | Some("") => Ok(None),
        Some(text) => value::count(flag, text, range, words).map(Some),
    };
    let seconds = "1 to 32767 seconds idle and between probes";
    let idle = part(1..=32_767, seconds)?;
    let interval = part(1..=32_767, seconds)?;
    let count = part(1..=127, "1 to 127 probes")?;
    if parts.next().is_some() {
        return Err(CliError::NotA {
            flag,
            value: text.to_owned(),
            wanted: "IDLE/INTERVAL/COUNT",
        });
    }
    // iperf3's own rule (error 158).
    if let (Some(idle), Some(interval), Some(count)) = (idle, interval, count)
        && idle <= interval * count
    {
        return Err(CliError::NotA {
            flag,
            value: text.to_owned(),
            wanted: "an idle time above INTERVAL times COUNT",
        });
    }
    Ok(Keepalive {
        idle: idle.map(Duration::from_secs),
        interval: interval.map(Duration::from_secs),
        count: count.map(|n| n as u32),
    })
}

pub fn padding(flags: &Flags) -> Padding {
    if flags.both.use_pkcs1_padding {
        Padding::Pkcs1
    } else {
        Padding::Oaep
    }
}

/// The interface that was named once, or twice alike.
pub fn one_device(given: [Option<String>; 3]) -> Result<Option<String>, CliError> {
    let mut device = None;
    for next in given.into_iter().flatten() {
        match &device {
            Some(first) if *first != next => {
                return Err(CliError::Conflict(
                    "%DEV",
                    "--bind-dev",
                    "they name different interfaces",
                ));
            }
            _ => device = Some(next),
        }
    }
    Ok(device)
}

pub fn run_token(flags: &Flags) -> Result<Option<String>, CliError> {
    flags
        .cluster
        .run_token
        .as_deref()
        .map(|text| {
            value::name(
                "--run-token",
                text,
                20,
                |b| matches!(b, b'a'..=b'z' | b'2'..=b'7'),
                "1 to 20 characters of a-z and 2-7",
            )
        })
        .transpose()
}

pub fn exclusive_cpus(flags: &Flags) -> Result<Option<u32>, CliError> {
    flags
        .cluster
        .require_exclusive_cpus
        .as_deref()
        .map(|text| {
            value::count("--require-exclusive-cpus", text, 1..=1024, "1 to 1024 CPUs")
                .map(|n| n as u32)
        })
        .transpose()
}
