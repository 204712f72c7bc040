//! Ranges of addresses.

use std::{fmt, net::IpAddr, str::FromStr};
use thiserror::Error;

/// A range of addresses, as `10.0.0.0/8`, `2001:db8::/32` or a single address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    prefix: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is not a range of addresses such as 10.0.0.0/8 or 2001:db8::/32")]
pub struct CidrError(String);

impl Cidr {
    pub fn contains(&self, address: IpAddr) -> bool {
        // The bits that must be equal, at the upper end of each.
        let (one, other, bits) = match (self.address, address) {
            (IpAddr::V4(one), IpAddr::V4(other)) => {
                (u128::from(one.to_bits()), u128::from(other.to_bits()), 32)
            }
            (IpAddr::V6(one), IpAddr::V6(other)) => (one.to_bits(), other.to_bits(), 128),
            _ => return false,
        };
        let free = bits - u32::from(self.prefix);
        // Of 128 free bits none are left to compare, and a shift by 128 is none in Rust.
        (one ^ other).checked_shr(free).unwrap_or(0) == 0
    }
}

impl FromStr for Cidr {
    type Err = CidrError;

    fn from_str(text: &str) -> Result<Self, CidrError> {
        let refuse = || CidrError(text.to_owned());
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| refuse())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            // u8 would take a plus sign.
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().map_err(|_| refuse())?
            }
            Some(_) => return Err(refuse()),
            None => most,
        };
        if prefix > most {
            return Err(refuse());
        }
        Ok(Cidr { address, prefix })
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_in_its_ranges_only() {
        for (range, address, within) in [
            ("10.0.0.0/8", "10.255.1.2", true),
            ("10.0.0.0/8", "11.0.0.0", false),
            // As people write it: bits below the prefix do not count.
            ("10.1.2.3/8", "10.9.9.9", true),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.6", false),
            ("192.0.2.6/31", "192.0.2.7", true),
            ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("::/0", "2001:db8::1", true),
            ("::/0", "192.0.2.1", false),
            ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("2001:db8::1/128", "2001:db8::1", true),
        ] {
            let range: Cidr = range.parse().unwrap();
            assert_eq!(
                range.contains(address.parse().unwrap()),
                within,
                "{range} {address}"
            );
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "/8",
            "10.0.0.0/",
            "10.0.0.0/33",
            "10.0.0.0/+8",
            "10.0.0.0/-1",
            "10.0.0/8",
            "::/129",
            "all",
            "10.0.0.0/8/8",
            "fe80::1%eth0/64",
            " 10.0.0.0/8",
        ] {
            assert!(text.parse::<Cidr>().is_err(), "{text:?}");
        }
    }
}
