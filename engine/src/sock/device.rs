//! The device that data to a peer leaves by, as this network namespace has it (sysfs may show another one's).

use super::int_option;
use super::link_speed::link_speed;
use super::netlink::{INDEX_AT, LINK, Message, Netlink};
use socket2::Socket;
use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, SocketAddr};

/// `struct rtmsg`, `struct tcmsg`; the latter has the number of the device where `struct ifinfomsg` has it.
const ROUTE: usize = 12;
const DISCIPLINE: usize = 20;
/// include/uapi/linux/pkt_sched.h; libc has no names for them.
const TC_H_MAJ_MASK: u32 = 0xffff_0000;
const TC_H_ROOT: u32 = 0xffff_ffff;
/// Disciplines that only spread packets over the device's queues, each of which has one of its own.
const SPREADERS: [&str; 3] = ["mq", "mqprio", "taprio"];

/// `None`: the kernel does not tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Device {
    pub mtu: Option<u32>,
    /// Its queueing discipline, e.g. `fq`, `noqueue`; where it only spreads over several queues, theirs too: `mq/fq`.
    pub qdisc: Option<String>,
    /// Of a physical device, bits per second.
    pub link_speed: Option<u64>,
}

/// Of a connected socket. Errors: there is no route, or a sandbox lets nobody ask.
pub fn device_of(socket: &Socket) -> io::Result<Device> {
    let (local, peer) = (address(socket.local_addr())?, address(socket.peer_addr())?);
    let bound = int_option(socket, libc::SOL_SOCKET, libc::SO_BINDTOIFINDEX)
        .and_then(|index| u32::try_from(index).ok());
    // A link-local address is one of an interface.
    let zone = match peer {
        SocketAddr::V6(v6) => Some(v6.scope_id()),
        SocketAddr::V4(_) => None,
    };
    let given = bound.into_iter().chain(zone).find(|index| *index > 0);
    let mut netlink = Netlink::open()?;
    let index = route(
        &mut netlink,
        local.ip().to_canonical(),
        peer.ip().to_canonical(),
        given,
    )?;
    let mut device = link(&mut netlink, index)?;
    if let Some(root) = &mut device.qdisc
        && SPREADERS.contains(&root.as_str())
    {
        let queues = queues(&mut netlink, index)?;
        if !queues.is_empty() {
            let queues: Vec<String> = queues.into_iter().collect();
            *root = format!("{root}/{}", queues.join("+"));
        }
    }
    device.link_speed = link_speed(socket, &mut netlink, index);
    Ok(device)
}

fn address(addr: io::Result<socket2::SockAddr>) -> io::Result<SocketAddr> {
    addr?
        .as_socket()
        .ok_or_else(|| io::Error::other("the socket has no IP address"))
}

/// The number of the device that the route to `peer` leaves by.
fn route(
    netlink: &mut Netlink,
    local: IpAddr,
    peer: IpAddr,
    bound: Option<u32>,
) -> io::Result<u32> {
    let (family, from, to) = match (local, peer) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            (libc::AF_INET, from.octets().to_vec(), to.octets().to_vec())
        }
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            (libc::AF_INET6, from.octets().to_vec(), to.octets().to_vec())
        }
        _ => {
            return Err(io::Error::other(
                "the two ends have no address family in common",
            ));
        }
    };
    let bits = to.len() as u8 * 8;
    let mut head = [0; ROUTE];
    head[..3].copy_from_slice(&[family as u8, bits, bits]);
    let index = bound.unwrap_or(0).to_ne_bytes();
    let attributes = [
        (libc::RTA_DST, to.as_slice()),
        (libc::RTA_SRC, from.as_slice()),
        (libc::RTA_OIF, index.as_slice()),
    ];
    let given = if bound.is_some() { 3 } else { 2 };
    let answer = netlink.ask(libc::RTM_GETROUTE, &head, &attributes[..given])?;
    answer
        .attribute_number(ROUTE, libc::RTA_OIF)
        .ok_or_else(|| io::Error::other("the kernel's route names no device"))
}

fn link(netlink: &mut Netlink, index: u32) -> io::Result<Device> {
    let answer = netlink.link(index)?;
    Ok(Device {
        mtu: answer.attribute_number(LINK, libc::IFLA_MTU),
        qdisc: answer
            .attribute_name(LINK, libc::IFLA_QDISC)
            .map(str::to_owned),
        link_speed: None,
    })
}

/// Kinds of the disciplines right below the root of a device. The kernel can only list those of all devices, in the
/// order of the devices.
fn queues(netlink: &mut Netlink, index: u32) -> io::Result<BTreeSet<String>> {
    let mut head = [0; DISCIPLINE];
    head[INDEX_AT..INDEX_AT + 4].copy_from_slice(&index.to_ne_bytes());
    let mut tree = Tree::default();
    netlink.list(libc::RTM_GETQDISC, &head, |message| {
        if message.number(INDEX_AT) == Some(index) {
            tree.note(message);
            true
        } else {
            tree.is_empty()
        }
    })?;
    Ok(tree.below_the_root())
}

/// Disciplines of one device.
#[derive(Debug, Default)]
struct Tree {
    root: Option<u32>,
    others: Vec<(u32, String)>,
}

impl Tree {
    fn is_empty(&self) -> bool {
        self.root.is_none() && self.others.is_empty()
    }

    fn note(&mut self, message: Message<'_>) {
        let (Some(handle), Some(parent)) = (message.number(8), message.number(12)) else {
            return;
        };
        if parent == TC_H_ROOT {
            self.root = Some(handle);
        } else if let Some(kind) = message.attribute_name(DISCIPLINE, libc::TCA_KIND) {
            self.others.push((parent, kind.to_owned()));
        }
    }

    fn below_the_root(self) -> BTreeSet<String> {
        let Some(root) = self.root else {
            return BTreeSet::new();
        };
        let below = |(parent, _): &(u32, String)| parent & TC_H_MAJ_MASK == root & TC_H_MAJ_MASK;
        let below = self.others.into_iter().filter(below);
        below.map(|(_, kind)| kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream, UdpSocket};

    #[test]
    fn loopback_has_its_well_known_mtu_and_no_queue() {
        for at in ["127.0.0.1:0", "[::1]:0"] {
            let listener = TcpListener::bind(at).unwrap();
            let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let device = device_of(&Socket::from(stream)).unwrap();
            assert_eq!(device.mtu, Some(65536), "{at}");
            // Whatever the machine's owner has put there.
            assert!(device.qdisc.is_some(), "{at}");
            assert_eq!(device.link_speed, None, "{at}");
        }
    }

    #[test]
    fn an_ipv4_peer_of_a_dual_stack_socket_counts_as_ipv4() {
        let listener = TcpListener::bind("[::]:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let _client = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        let device = device_of(&Socket::from(accepted)).unwrap();
        assert_eq!(device.mtu, Some(65536));
    }

    #[test]
    fn a_socket_without_a_peer_has_none() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        assert!(device_of(&Socket::from(socket)).is_err());
    }

    #[test]
    fn what_is_below_the_root_is_told_from_what_is_deeper_and_from_ingress() {
        let tree = Tree {
            root: Some(0x0001_0000),
            others: vec![
                (0x0001_0002, "fq".to_owned()),
                (0x0001_0001, "fq".to_owned()),
                (0x8001_0001, "netem".to_owned()),
                (0xffff_fff1, "clsact".to_owned()),
            ],
        };
        assert_eq!(tree.below_the_root(), BTreeSet::from(["fq".to_owned()]));
        // The kernel's own `mq` has the number 0, and so has the parent of each of its queues.
        let tree = Tree {
            root: Some(0),
            others: vec![(2, "fq_codel".to_owned()), (1, "pfifo".to_owned())],
        };
        let both = ["fq_codel", "pfifo"].map(str::to_owned);
        assert_eq!(tree.below_the_root(), BTreeSet::from(both));
        assert!(Tree::default().below_the_root().is_empty());
    }
}
