//! What a client's flags mean together.

use super::common::{
    connect_timeout, exclusive_cpus, one_device, padding, patience, port, run_token,
};
use super::flags::{Client, Flags};
use super::output::output;
use super::params::{limit, params};
use super::value::Local;
use super::{Action, CliError, ClientAction, Environment, VariantAction, value, variants};
use crate::session::config::{Login, Password};
use crate::session::{ClientConfig, Extra, Family, Repeats};
use nettest_report::params::{Direction, TestParams};
use nettest_report::units;
use std::net::IpAddr;
use std::time::Duration;

pub fn action(flags: &Flags, host: &str, environment: Environment) -> Result<Action, CliError> {
    let client = &flags.client;
    let (host, host_dev) = value::host("-c", host)?;
    let (bind, bind_name, bind_addr_dev) = match flags.both.bind.as_deref() {
        Some(text) => match value::local("-B", text)? {
            (Local::Addr(addr), dev) => (Some(addr), None, dev),
            (Local::Name(name), dev) => (None, Some(name), dev),
        },
        None => (None, None, None),
    };
    let given_dev = match flags.both.bind_dev.as_deref() {
        Some(dev) => Some(value::device("--bind-dev", dev)?),
        None => None,
    };
    let (affinity, server_affinity) = match flags.both.affinity.as_deref() {
        Some(text) => value::affinity(text)?,
        None => (Vec::new(), None),
    };
    let params = TestParams {
        server_affinity,
        ..params(flags)?
    };
    let mut config = ClientConfig::new(host, params);
    config.bind_dev = one_device([host_dev, bind_addr_dev, given_dev])?;
    config.port = port(flags)?;
    config.family = value::family(flags.both.version4, flags.both.version6, bind.as_ref())?;
    one_kind_of_address(&config, bind)?;
    config.bind = bind;
    config.connect_timeout = connect_timeout(flags)?;
    config.patience = patience(flags)?;
    config.affinity = affinity;
    config.cport = cport(flags, &config.params)?;
    config.file = flags.both.file.clone();
    config.login = login(flags, environment.password)?;
    if let Some(text) = client.queue_timeout.as_deref() {
        let seconds = value::count("--queue-timeout", text, 0..=86_400, "0 to 86400 seconds")?;
        config.queue_timeout = Duration::from_secs(seconds);
    }
    let mut xbind_names = Vec::new();
    for text in &client.xbind {
        match value::local("-X", text)? {
            (Local::Addr(addr), None) => config.sctp_bind.push(addr),
            (Local::Name(name), None) => xbind_names.push(name),
            (_, Some(_)) => {
                return Err(CliError::NotA {
                    flag: "-X",
                    value: text.clone(),
                    wanted: "an address or name without an interface",
                });
            }
        }
    }
    config.sctp_streams = match client.nstreams.as_deref() {
        // The Init chunk has 16 bits for it (RFC 9260, 3.3.2).
        Some(text) => Some(value::size("--nstreams", text, 1..=65_535, "1 to 65535")? as u16),
        None => None,
    };
    config.run_token = run_token(flags)?;
    config.exclusive_cpus = exclusive_cpus(flags)?;
    if let Some(text) = client.pacing_timer.as_deref() {
        // Without effect, and still a number.
        value::size("--pacing-timer", text, 0..=i32::MAX as u64, "0 to 2047M")?;
    }
    let sends = config.params.direction != Direction::Reverse;
    let variant = VariantAction {
        name: variants::name(flags.cluster.variant.as_deref())?,
        limit_is_the_file: config.file.is_some() && sends && limit(client)?.is_none(),
        config,
        bind_name,
        xbind_names,
    };
    Ok(Action::Client(Box::new(ClientAction {
        variants: vec![variant],
        output: output(flags)?,
        repeats: repeats(flags)?,
    })))
}

/// With iperf3 a 0 is the default, as if the flag were not there: scripts count on it.
pub fn zeros(client: &mut Client) {
    let Client {
        bytes,
        blockcount,
        length,
        set_mss,
        ..
    } = client;
    for size in [bytes, blockcount, length] {
        size.take_if(|text| units::parse_size(text) == Ok(0));
    }
    set_mss.take_if(|text| text.parse() == Ok(0u32));
}

/// `-L` and `--dont-fragment` are of one address family each.
fn one_kind_of_address(config: &ClientConfig, bind: Option<IpAddr>) -> Result<(), CliError> {
    let host: Option<IpAddr> = config.host.parse().ok();
    let is = |family: Family| {
        [host, bind]
            .into_iter()
            .flatten()
            .any(|addr| family.admits(&addr))
    };
    if config.params.flow_label.is_some() && is(Family::V4) {
        return Err(CliError::Conflict(
            "-L",
            "an IPv4 address",
            "only IPv6 has flow labels",
        ));
    }
    if config.params.dont_fragment && is(Family::V6) {
        return Err(CliError::Conflict(
            "--dont-fragment",
            "an IPv6 address",
            "IPv6 never fragments on the way",
        ));
    }
    Ok(())
}

/// Every stream has a port of its own.
fn cport(flags: &Flags, params: &TestParams) -> Result<Option<u16>, CliError> {
    let Some(text) = flags.client.cport.as_deref() else {
        return Ok(None);
    };
    let first = value::port("--cport", text)?;
    let both_ways = if params.direction == Direction::Bidirectional {
        2
    } else {
        1
    };
    let last = u32::from(first) + u32::from(params.streams) * both_ways - 1;
    if last > u32::from(u16::MAX) {
        return Err(CliError::OutOfRange {
            flag: "--cport",
            value: text.to_owned(),
            range: "a port with room up to 65535 for all streams",
        });
    }
    Ok(Some(first))
}

fn login(flags: &Flags, password: Option<String>) -> Result<Option<Login>, CliError> {
    let client = &flags.client;
    let (Some(username), Some(public_key)) = (&client.username, &client.rsa_public_key_path) else {
        return Ok(None);
    };
    Ok(Some(Login {
        // The login is lines of text (iperf3's auth), in one RSA block.
        username: value::name(
            "--username",
            username,
            128,
            |b| !b.is_ascii_control(),
            "a user name (1 to 128 characters on one line)",
        )?,
        password: password.map(Password),
        public_key: public_key.clone(),
        padding: padding(flags),
    }))
}

fn repeats(flags: &Flags) -> Result<Repeats, CliError> {
    let count = match flags.cluster.repeats.as_deref() {
        Some(text) => value::count("--repeats", text, 1..=100, "1 to 100 repeats")?,
        None => 1,
    };
    Ok(Repeats {
        count: count as u32,
        extra: extra(flags, count)?,
        pause: match flags.cluster.repeat_pause.as_deref() {
            Some(text) => {
                value::seconds("--repeat-pause", text, 0.0..=3600.0, "0 to 3600 seconds")?
            }
            None => Duration::ZERO,
        },
    })
}

/// What a variant that is measured `count` times may be measured more.
fn extra(flags: &Flags, count: u64) -> Result<Option<Extra>, CliError> {
    let cluster = &flags.cluster;
    let (Some(spread), Some(most)) = (&cluster.max_spread_percent, &cluster.max_repeats) else {
        return Ok(None);
    };
    let flag = "--max-spread-percent";
    let max_spread_percent = value::count(flag, spread, 1..=1000, "1 to 1000 percent")?;
    let words = "as many as --repeats to 50";
    let max_count = value::count("--max-repeats", most, count..=50, words)? as u32;
    Ok(Some(Extra {
        max_spread_percent,
        max_count,
    }))
}
