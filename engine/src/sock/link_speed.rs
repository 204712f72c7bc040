//! The speed of a physical link, as its driver tells it (ethtool(8)). A made-up device has none that means anything: a veth
//! says 10 Gbit/s by convention, a tap 10 Mbit/s.

use super::netlink::{Message, Netlink};
use socket2::Socket;
use std::io;
use std::os::fd::AsRawFd;

/// `struct ifinfomsg`: the flags, and its size.
const FLAGS_AT: usize = 8;
const HEAD: usize = 16;
/// VLANs on VLANs (802.1ad), and one more.
const DEEPEST: usize = 3;

/// include/uapi/linux/ethtool.h. Newer drivers answer it too: the kernel fills it from what replaced it (Linux 4.6).
const ETHTOOL_GSET: u32 = 0x0000_0001;
const COMMAND_BYTES: usize = 44;
const SPEED_AT: usize = 12;
const SPEED_HIGH_AT: usize = 28;

/// Whose speed is the link's.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Speed {
    /// Of the device with this name.
    Own(String),
    /// Of the device with this number: this one is a VLAN on it.
    Below(u32),
    /// No link, or not known to be one.
    Nobodys,
}

/// Of the device with this number, bits per second. `None`: it is no physical one, or the kernel
/// does not tell. `socket`: any one of this network namespace.
pub fn link_speed(socket: &Socket, netlink: &mut Netlink, index: u32) -> Option<u64> {
    let mut index = index;
    for _ in 0..DEEPEST {
        let answer = netlink.link(index).ok()?;
        match of(answer) {
            Speed::Own(name) => return megabits(socket, &name).ok()?.map(|m| m * 1_000_000),
            Speed::Below(device) => index = device,
            Speed::Nobodys => return None,
        }
    }
    None
}

fn of(device: Message<'_>) -> Speed {
    let loopback = libc::IFF_LOOPBACK as u32;
    if device
        .number(FLAGS_AT)
        .is_none_or(|flags| flags & loopback != 0)
    {
        return Speed::Nobodys;
    }
    // Drivers of physical devices have no kind; what stands there then is that of a bridge or bond which they are a port of.
    let info = device.nested(HEAD, libc::IFLA_LINKINFO);
    let kind = info.and_then(|info| info.attribute_name(0, libc::IFLA_INFO_KIND));
    match kind {
        // A bond's is the sum of its members that are up.
        None | Some("bond") => match device.attribute_name(HEAD, libc::IFLA_IFNAME) {
            Some(name) => Speed::Own(name.to_owned()),
            None => Speed::Nobodys,
        },
        Some("vlan") => {
            let elsewhere = device.attribute(HEAD, libc::IFLA_LINK_NETNSID).is_some();
            match device.attribute_number(HEAD, libc::IFLA_LINK) {
                Some(below) if !elsewhere => Speed::Below(below),
                _ => Speed::Nobodys,
            }
        }
        Some(_) => Speed::Nobodys,
    }
}

fn megabits(socket: &Socket, name: &str) -> io::Result<Option<u64>> {
    let mut command = [0u8; COMMAND_BYTES];
    command[..4].copy_from_slice(&ETHTOOL_GSET.to_ne_bytes());
    let mut ifr_name = [0; libc::IFNAMSIZ];
    if name.len() >= ifr_name.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (to, from) in ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    let mut request = libc::ifreq {
        ifr_name,
        ifr_ifru: libc::__c_anonymous_ifr_ifru {
            ifru_data: command.as_mut_ptr().cast(),
        },
    };
    // SAFETY: ETHTOOL_GSET reads and writes one `struct ethtool_cmd`, of COMMAND_BYTES bytes, at `ifru_data`: `command`,
    // which lives through the call, as does `request`, whose name ends with a NUL.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL as _, &mut request) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let half = |at: usize| u16::from_ne_bytes([command[at], command[at + 1]]);
    Ok(known(half(SPEED_AT), half(SPEED_HIGH_AT)))
}

/// `SPEED_UNKNOWN` is -1; drivers that know nothing (of a link that is down) say 0 or the half of it, too.
fn known(low: u16, high: u16) -> Option<u64> {
    match (low, high) {
        (0, 0) | (u16::MAX, 0 | u16::MAX) => None,
        (low, high) => Some(u64::from(high) << 16 | u64::from(low)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sock::netlink::{messages, question};
    use std::net::UdpSocket;

    fn attribute(kind: u16, data: &[u8]) -> Vec<u8> {
        let mut bytes = (4 + data.len() as u16).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn device(flags: i32, info: &[u8], others: &[(u16, &[u8])]) -> Speed {
        let mut head = [0; HEAD];
        head[FLAGS_AT..FLAGS_AT + 4].copy_from_slice(&flags.to_ne_bytes());
        let mut attributes = vec![(libc::IFLA_IFNAME, b"eth0\0".as_slice())];
        attributes.extend(others);
        attributes.push((libc::IFLA_LINKINFO, info));
        let bytes = question(libc::RTM_NEWLINK, 0, &head, &attributes);
        of(messages(&bytes).next().unwrap())
    }

    #[test]
    fn only_physical_devices_and_what_stands_on_them_have_a_speed() {
        let up = libc::IFF_UP;
        let own = Speed::Own("eth0".to_owned());
        let kind = |name: &str| attribute(libc::IFLA_INFO_KIND, format!("{name}\0").as_bytes());
        // IFLA_INFO_SLAVE_KIND: a port of a bond.
        let port = attribute(4, b"bond\0");
        let below = 7u32.to_ne_bytes();
        let on_seven = (libc::IFLA_LINK, below.as_slice());
        let elsewhere = (libc::IFLA_LINK_NETNSID, [0u8; 4]);
        assert_eq!(device(up, &[], &[]), own);
        assert_eq!(device(up, &port, &[]), own);
        assert_eq!(device(up, &kind("bond"), &[]), own);
        assert_eq!(device(up, &kind("vlan"), &[on_seven]), Speed::Below(7));
        let far = [on_seven, (elsewhere.0, elsewhere.1.as_slice())];
        assert_eq!(device(up, &kind("vlan"), &far), Speed::Nobodys);
        assert_eq!(device(up, &kind("vlan"), &[]), Speed::Nobodys);
        for name in [
            "veth",
            "bridge",
            "tun",
            "vxlan",
            "macvlan",
            "dummy",
            "wireguard",
        ] {
            assert_eq!(
                device(up, &kind(name), &[on_seven]),
                Speed::Nobodys,
                "{name}"
            );
        }
        assert_eq!(device(up | libc::IFF_LOOPBACK, &[], &[]), Speed::Nobodys);
    }

    #[test]
    fn unknown_is_no_speed() {
        for (low, high, speed) in [
            (1000, 0, Some(1000)),
            // 100 and 400 Gbit/s.
            (0x86a0, 1, Some(100_000)),
            (0x1a80, 6, Some(400_000)),
            (0, 0, None),
            (u16::MAX, u16::MAX, None),
            (u16::MAX, 0, None),
        ] {
            assert_eq!(known(low, high), speed, "{low} {high}");
        }
    }

    #[test]
    fn what_is_no_device_or_has_no_driver_is_an_error() {
        let socket = Socket::from(UdpSocket::bind("127.0.0.1:0").unwrap());
        for name in ["lo", "no-such-device", "a-name-that-is-too-long"] {
            assert!(megabits(&socket, name).is_err(), "{name}");
        }
        let mut netlink = Netlink::open().unwrap();
        assert_eq!(link_speed(&socket, &mut netlink, 1), None);
    }
}
