//! The four bytes that open a UDP stream, and their answer. They are written in the machine's byte order by
//! iperf3; every machine this runs on is little-endian, so the bytes are given as they travel.

/// Client to server since 3.12: the text "9876".
pub const HELLO: [u8; 4] = 0x3637_3839u32.to_le_bytes();
/// Server to client since 3.12.
pub const REPLY: [u8; 4] = 0x3938_3736u32.to_le_bytes();
/// Client to server up to 3.11 (123456789).
pub const OLD_HELLO: [u8; 4] = 123_456_789u32.to_le_bytes();
/// Server to client up to 3.11 (987654321).
pub const OLD_REPLY: [u8; 4] = 987_654_321u32.to_le_bytes();

/// The answer to a datagram that may be a hello. iperf3's server looks at no content; ours wants four bytes, so
/// that a late datagram of an earlier test does not open a stream.
pub fn answer(datagram: &[u8]) -> Option<[u8; 4]> {
    if datagram == OLD_HELLO {
        return Some(OLD_REPLY);
    }
    (datagram.len() == 4).then_some(REPLY)
}

/// What a datagram from the server means for a client that waits for its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    Reply,
    /// Data of a reverse test that overtook the reply, or whose reply was lost: the stream is open all the
    /// same (field report 032).
    EarlyData,
    Noise,
}

/// `data_expected`: the server sends on this stream.
pub fn hear(datagram: &[u8], data_expected: bool) -> Heard {
    if datagram == REPLY || datagram == OLD_REPLY {
        return Heard::Reply;
    }
    if data_expected && datagram.len() >= 12 {
        return Heard::EarlyData;
    }
    Heard::Noise
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of facts/engine.md 1.5, as seen on the wire.
    #[test]
    fn the_magics_are_those_of_iperf3() {
        assert_eq!(&HELLO, b"9876");
        assert_eq!(&REPLY, b"6789");
        assert_eq!(OLD_REPLY, [0xb1, 0x68, 0xde, 0x3a]);
    }

    #[test]
    fn both_vintages_are_answered_in_kind() {
        assert_eq!(answer(&HELLO), Some(REPLY));
        assert_eq!(answer(&OLD_HELLO), Some(OLD_REPLY));
        assert_eq!(answer(b""), None);
        assert_eq!(answer(&[0; 1460]), None);
    }

    #[test]
    fn early_data_opens_only_streams_that_receive() {
        assert_eq!(hear(&REPLY, false), Heard::Reply);
        assert_eq!(hear(&OLD_REPLY, true), Heard::Reply);
        assert_eq!(hear(&[0; 100], true), Heard::EarlyData);
        assert_eq!(hear(&[0; 100], false), Heard::Noise);
        assert_eq!(hear(&[0; 3], true), Heard::Noise);
    }
}
