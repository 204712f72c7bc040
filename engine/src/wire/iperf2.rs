//! iperf 2 speaks another protocol on the same kind of port: its first bytes are told from a cookie.

use super::cookie::COOKIE_LEN;

pub const ADVICE: &str = "it speaks as iperf 2 does, and this server speaks iperf3's protocol; use iperf3 or this program, or start an iperf 2 server (its port is 5001)";

/// A cookie is text up to its last byte. iperf 2 begins with a header of small binary numbers or, when old, with the
/// digits of its payload.
pub fn speaks(bytes: &[u8; COOKIE_LEN]) -> bool {
    bytes.starts_with(b"0123456789") || bytes[..8].contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::cookie::Cookie;

    #[test]
    fn cookies_are_not_taken_for_iperf_2() {
        for cookie in [
            Cookie::random([5; 36]),
            Cookie::probe(),
            Cookie::waiting([0; 36]),
            Cookie::for_run("abc", [9; 36]),
        ] {
            assert!(!speaks(cookie.bytes()), "{cookie}");
        }
    }

    #[test]
    fn both_beginnings_of_iperf_2_are_known() {
        // 2.1.8 as seen on the wire, with -d.
        let mut header = [0xff; COOKIE_LEN];
        header[..8].copy_from_slice(&[0xc0, 0x01, 0x00, 0x79, 0x00, 0x00, 0x00, 0x01]);
        assert!(speaks(&header));
        let digits: Vec<u8> = (0..COOKIE_LEN).map(|i| b'0' + (i % 10) as u8).collect();
        assert!(speaks(&digits.try_into().unwrap()));
    }
}
