//! What a client's flags mean together.

use super::flags::Flags;
use super::{
    Action, CliError, ClientAction, connect_timeout, exclusive_cpus, output, port, run_token, value,
};
use crate::session::{ClientConfig, Repeats};
use nettest_report::params::{Direction, Limit, Protocol, TestParams};
use std::time::Duration;

pub fn action(flags: &Flags, host: &str) -> Result<Action, CliError> {
    if let Some(flag) = flags.server_only() {
        return Err(CliError::WrongRole {
            flag,
            role: "a server",
        });
    }
    let (host, host_dev) = value::host("-c", host)?;
    let (bind, bind_addr_dev) = match flags.bind.as_deref() {
        Some(text) => {
            let (addr, dev) = value::bind(text)?;
            (Some(addr), dev)
        }
        None => (None, None),
    };
    let given_dev = match flags.bind_dev.as_deref() {
        Some(dev) => Some(value::device("--bind-dev", dev)?),
        None => None,
    };
    let (affinity, server_affinity) = match flags.affinity.as_deref() {
        Some(text) => {
            let (own, server) = value::affinity(text)?;
            (Some(own), server)
        }
        None => (None, None),
    };
    let params = TestParams {
        server_affinity,
        ..params(flags)?
    };
    let mut config = ClientConfig::new(host, params);
    config.bind_dev = one_device([host_dev, bind_addr_dev, given_dev])?;
    config.port = port(flags)?;
    config.family = value::family(flags.version4, flags.version6, bind.as_ref())?;
    config.bind = bind;
    config.connect_timeout = connect_timeout(flags)?;
    config.affinity = affinity;
    config.run_token = run_token(flags)?;
    config.exclusive_cpus = exclusive_cpus(flags)?;
    if let Some(text) = flags.rcv_timeout.as_deref() {
        config.rcv_timeout = Duration::from_millis(value::count(
            "--rcv-timeout",
            text,
            100..=86_400_000,
            "100 to 86400000 milliseconds",
        )?);
    }
    Ok(Action::Client(Box::new(ClientAction {
        config,
        output: output(flags)?,
        repeats: repeats(flags)?,
    })))
}

fn params(flags: &Flags) -> Result<TestParams, CliError> {
    let protocol = if flags.udp {
        tcp_only(flags)?;
        Protocol::Udp
    } else {
        if flags.udp_counters_64bit {
            return Err(CliError::Needs {
                flag: "--udp-counters-64bit",
                needs: "-u",
            });
        }
        Protocol::Tcp
    };
    let direction = match (flags.reverse, flags.bidir) {
        (true, true) => {
            return Err(CliError::Conflict(
                "-R",
                "--bidir",
                "a bidirectional test has both directions already",
            ));
        }
        (true, false) => Direction::Reverse,
        (false, true) => Direction::Bidirectional,
        (false, false) => Direction::Forward,
    };
    let (bitrate, burst) = match (flags.bitrate.as_deref(), protocol) {
        (Some(text), _) => value::bitrate(text)?,
        (None, Protocol::Udp) => (Some(TestParams::UDP_BITRATE), 0),
        (None, Protocol::Tcp) => (None, 0),
    };
    let defaults = TestParams::default();
    Ok(TestParams {
        protocol,
        direction,
        limit: limit(flags)?,
        omit: match flags.omit.as_deref() {
            Some(text) => value::seconds("-O", text, 0.0..=600.0, "0 to 600 seconds")?,
            None => defaults.omit,
        },
        interval: match flags.interval.as_deref() {
            Some(text) => value::interval(text)?,
            None => defaults.interval,
        },
        streams: match flags.parallel.as_deref() {
            Some(text) => value::count("-P", text, 1..=128, "1 to 128 streams")? as u16,
            None => defaults.streams,
        },
        bitrate,
        burst,
        block_size: block_size(flags, protocol)?,
        window: match flags.window.as_deref() {
            // As with iperf3, 0 is the kernel's own choice.
            Some(text) => Some(value::size("-w", text, 0..=512 << 20, "0 to 512M bytes")? as u32)
                .filter(|bytes| *bytes > 0),
            None => None,
        },
        // Linux takes 88 (TCP_MIN_MSS) to 32767 (MAX_TCP_WINDOW).
        mss: match flags.set_mss.as_deref() {
            Some(text) => Some(value::count("-M", text, 88..=32767, "88 to 32767 bytes")? as u32),
            None => None,
        },
        no_delay: flags.no_delay,
        congestion: match flags.congestion.as_deref() {
            Some(text) => Some(value::name(
                "-C",
                text,
                15,
                |b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'),
                "the name of a congestion control (1 to 15 letters, digits, dashes)",
            )?),
            None => None,
        },
        tos: match (flags.tos.as_deref(), flags.dscp.as_deref()) {
            (Some(_), Some(_)) => {
                return Err(CliError::Conflict("-S", "--dscp", "both set the TOS byte"));
            }
            (Some(text), None) => value::tos(text)?,
            (None, Some(text)) => value::dscp(text)?,
            (None, None) => 0,
        },
        udp_counters_64bit: flags.udp_counters_64bit,
        get_server_output: flags.get_server_output,
        server_affinity: None,
        title: text("-T", flags.title.as_deref())?,
        extra_data: text("--extra-data", flags.extra_data.as_deref())?,
    })
}

fn tcp_only(flags: &Flags) -> Result<(), CliError> {
    let given = [("-C", flags.congestion.is_some()), ("-N", flags.no_delay)];
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(CliError::Conflict(flag, "-u", "it is an option of TCP")),
        None => Ok(()),
    }
}

fn limit(flags: &Flags) -> Result<Limit, CliError> {
    let one = "only one thing can end a test";
    match (
        flags.time.as_deref(),
        flags.bytes.as_deref(),
        flags.blockcount.as_deref(),
    ) {
        (Some(_), Some(_), _) => Err(CliError::Conflict("-t", "-n", one)),
        (Some(_), _, Some(_)) => Err(CliError::Conflict("-t", "-k", one)),
        (_, Some(_), Some(_)) => Err(CliError::Conflict("-n", "-k", one)),
        (Some(text), None, None) => {
            value::seconds("-t", text, 0.0..=86_400.0, "0 to 86400 seconds").map(Limit::Time)
        }
        (None, Some(text), None) => {
            value::size("-n", text, 1..=u64::MAX, "1 byte or more").map(Limit::Bytes)
        }
        (None, None, Some(text)) => {
            value::size("-k", text, 1..=u64::MAX, "1 block or more").map(Limit::Blocks)
        }
        (None, None, None) => Ok(TestParams::default().limit),
    }
}

fn block_size(flags: &Flags, protocol: Protocol) -> Result<Option<u32>, CliError> {
    let Some(text) = flags.length.as_deref() else {
        return Ok(None);
    };
    // iperf3: MAX_BLOCKSIZE, and for UDP the header (16 bytes with 64-bit counters) and IPv4's largest payload.
    let size = match protocol {
        Protocol::Tcp => value::size("-l", text, 1..=1 << 20, "1 to 1M bytes"),
        Protocol::Udp => value::size("-l", text, 16..=65507, "16 to 65507 bytes with -u"),
    }?;
    Ok(Some(size as u32))
}

/// Free text goes to the server within the 8 KiB of the parameters.
fn text(flag: &'static str, given: Option<&str>) -> Result<Option<String>, CliError> {
    match given {
        Some(text) if text.len() > 1024 || text.chars().any(char::is_control) => {
            Err(CliError::NotA {
                flag,
                value: text.chars().take(40).collect(),
                wanted: "a text of at most 1024 bytes on one line",
            })
        }
        other => Ok(other.map(str::to_owned)),
    }
}

fn one_device(given: [Option<String>; 3]) -> Result<Option<String>, CliError> {
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

fn repeats(flags: &Flags) -> Result<Repeats, CliError> {
    Ok(Repeats {
        count: match flags.repeats.as_deref() {
            Some(text) => value::count("--repeats", text, 1..=100, "1 to 100 repeats")? as u32,
            None => 1,
        },
        pause: match flags.repeat_pause.as_deref() {
            Some(text) => {
                value::seconds("--repeat-pause", text, 0.0..=3600.0, "0 to 3600 seconds")?
            }
            None => Duration::ZERO,
        },
    })
}
