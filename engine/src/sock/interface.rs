//! The interface that carries an address, as this network namespace has it (sysfs may show another one's).

use super::checked;
use socket2::{Domain, Socket, Type};
use std::ffi::CStr;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::AsRawFd;

/// MTU in bytes of the interface that has the local address `local`.
pub fn mtu_of(local: IpAddr) -> io::Result<Option<u32>> {
    match name_of(local)? {
        Some(name) => mtu(&name).map(Some),
        None => Ok(None),
    }
}

type Name = [libc::c_char; libc::IFNAMSIZ];

fn name_of(local: IpAddr) -> io::Result<Option<Name>> {
    let mut list: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: getifaddrs writes the head of a list that we free below; it is read only in between.
    checked(unsafe { libc::getifaddrs(&mut list) })?;
    let mut found = None;
    let mut entry = list;
    // SAFETY: `entry` is null or a live element of the list; ifa_name is a NUL-terminated string of that element.
    while let Some(item) = unsafe { entry.as_ref() } {
        if address(item.ifa_addr) == Some(local) {
            // SAFETY: as above.
            let text = unsafe { CStr::from_ptr(item.ifa_name) };
            let mut name: Name = [0; libc::IFNAMSIZ];
            for (to, from) in name
                .iter_mut()
                .take(libc::IFNAMSIZ - 1)
                .zip(text.to_bytes())
            {
                *to = *from as libc::c_char;
            }
            found = Some(name);
            break;
        }
        entry = item.ifa_next;
    }
    // SAFETY: the list came from getifaddrs and nothing points into it any more (the name was copied).
    unsafe { libc::freeifaddrs(list) };
    Ok(found)
}

/// The address in an entry of getifaddrs; `None` for other families (packet sockets) and for no address.
fn address(raw: *const libc::sockaddr) -> Option<IpAddr> {
    // SAFETY: null or an address that lives as long as the list; its size follows from the family it names.
    let family = i32::from(unsafe { raw.as_ref() }?.sa_family);
    match family {
        libc::AF_INET => {
            // SAFETY: AF_INET means sockaddr_in.
            let v4 = unsafe { raw.cast::<libc::sockaddr_in>().read_unaligned() };
            Some(IpAddr::V4(Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr))))
        }
        libc::AF_INET6 => {
            // SAFETY: AF_INET6 means sockaddr_in6.
            let v6 = unsafe { raw.cast::<libc::sockaddr_in6>().read_unaligned() };
            Some(IpAddr::V6(Ipv6Addr::from(v6.sin6_addr.s6_addr)))
        }
        _ => None,
    }
}

fn mtu(name: &Name) -> io::Result<u32> {
    let any = Socket::new(Domain::IPV4, Type::DGRAM, None)
        .or_else(|_| Socket::new(Domain::IPV6, Type::DGRAM, None))?;
    // SAFETY: ifreq is plain data; zero is a valid value of all its members.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request.ifr_name = *name;
    // SAFETY: SIOCGIFMTU reads the name and writes ifru_mtu of the same structure.
    checked(unsafe { libc::ioctl(any.as_raw_fd(), libc::SIOCGIFMTU as _, &mut request) })?;
    // SAFETY: the call above succeeded and filled this member.
    let bytes = unsafe { request.ifr_ifru.ifru_mtu };
    u32::try_from(bytes).map_err(|_| io::Error::other("the kernel gave a negative MTU"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_its_well_known_mtu() {
        assert_eq!(
            mtu_of(IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap(),
            Some(65536)
        );
    }

    #[test]
    fn an_address_of_nobody_has_none() {
        assert_eq!(mtu_of("203.0.113.77".parse().unwrap()).unwrap(), None);
    }
}
