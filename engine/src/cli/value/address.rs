//! Hosts, local addresses, interfaces, families.

use super::{Checked, CliError};
use crate::session::Family;
use std::net::IpAddr;

/// What `-B` or `-X` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Local {
    Addr(IpAddr),
    /// To be looked up.
    Name(String),
}

/// `HOST[%DEV]` of this machine.
pub fn local(flag: &'static str, text: &str) -> Checked<(Local, Option<String>)> {
    let name = text.split('%').next().unwrap_or(text);
    // What looks like a part of an address is no name, whatever the resolver makes of it.
    let named = name.bytes().any(|b| b.is_ascii_alphabetic()) && !name.contains(':');
    if !named {
        let (addr, dev) = bind(flag, text)?;
        return Ok((Local::Addr(addr), dev));
    }
    let (name, dev) = host(flag, text)?;
    Ok((Local::Name(name), dev))
}

/// `ADDR[%DEV]`.
pub fn bind(flag: &'static str, text: &str) -> Checked<(IpAddr, Option<String>)> {
    let (addr, dev) = match text.split_once('%') {
        Some((addr, dev)) => (addr, Some(device(flag, dev)?)),
        None => (text, None),
    };
    let addr = addr.parse().map_err(|_| CliError::NotA {
        flag,
        value: text.to_owned(),
        wanted: "an IPv4 or IPv6 address of this machine",
    })?;
    Ok((addr, dev))
}

/// `HOST[%DEV]`: a name or address, and the interface. A link-local address keeps its zone.
pub fn host(flag: &'static str, text: &str) -> Checked<(String, Option<String>)> {
    let refuse = |wanted| CliError::NotA {
        flag,
        value: text.to_owned(),
        wanted,
    };
    if names_a_port(text) {
        return Err(refuse(
            "a host name or address alone; give the port with -p",
        ));
    }
    let (name, dev) = match text.split_once('%') {
        Some((name, dev)) => (name, Some(device(flag, dev)?)),
        None => (text, None),
    };
    let name = name
        .strip_prefix('[')
        .and_then(|n| n.strip_suffix(']'))
        .unwrap_or(name);
    let legal = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    if name.is_empty() || name.len() > 253 || name.starts_with('-') || !name.chars().all(legal) {
        return Err(refuse("a host name or address"));
    }
    match (name.parse::<IpAddr>(), &dev) {
        (Ok(IpAddr::V6(v6)), Some(zone)) if v6.is_unicast_link_local() => {
            Ok((format!("{name}%{zone}"), dev))
        }
        _ => Ok((name.to_owned(), dev)),
    }
}

/// `HOST:PORT`, or `[ADDRESS]:PORT`; an IPv6 address alone has more colons.
fn names_a_port(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(host, port)| {
        let alone = !host.contains(':') || (host.starts_with('[') && host.ends_with(']'));
        let digits = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
        alone && digits && !host.is_empty()
    })
}

/// An interface name, as Linux allows it (IFNAMSIZ).
pub fn device(flag: &'static str, text: &str) -> Checked<String> {
    let legal = |b: u8| b.is_ascii_graphic() && !matches!(b, b'/' | b'%');
    if (1..=15).contains(&text.len()) && text.bytes().all(legal) {
        return Ok(text.to_owned());
    }
    Err(CliError::NotA {
        flag,
        value: text.to_owned(),
        wanted: "an interface name (1 to 15 characters)",
    })
}

/// `-4` or `-6`, which must agree with the local address.
pub fn family(v4: bool, v6: bool, bind: Option<&IpAddr>) -> Checked<Option<Family>> {
    let family = match (v4, v6) {
        (true, true) => {
            return Err(CliError::Conflict("-4", "-6", "choose one address family"));
        }
        (true, false) => Some(Family::V4),
        (false, true) => Some(Family::V6),
        (false, false) => None,
    };
    match (family, bind) {
        (Some(Family::V4), Some(IpAddr::V6(_))) => Err(CliError::Conflict(
            "-4",
            "-B",
            "the local address is an IPv6 one",
        )),
        (Some(Family::V6), Some(IpAddr::V4(_))) => Err(CliError::Conflict(
            "-6",
            "-B",
            "the local address is an IPv4 one",
        )),
        _ => Ok(family),
    }
}
