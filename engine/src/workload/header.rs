//! The head of an iperf3 datagram: seconds and microseconds of the sender's monotonic clock and the sequence
//! number, which begins at 1, all big-endian. The number has 64 bits when both ends agreed on it.

use crate::stats::Width;

/// What a datagram says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Nanoseconds of the sender's clock (microsecond steps on the wire).
    pub sent_ns: u64,
    pub sequence: u64,
}

impl Header {
    /// Bytes on the wire.
    pub const fn size(width: Width) -> usize {
        match width {
            Width::Bits32 => 12,
            Width::Bits64 => 16,
        }
    }

    /// Writes it to the front of `datagram`, which must be at least [`Header::size`] long (see `check_block`);
    /// a shorter one is left as it is.
    pub fn write(self, datagram: &mut [u8], width: Width) {
        let Some(head) = datagram.get_mut(..Self::size(width)) else {
            return;
        };
        let micros = self.sent_ns / 1000;
        head[..4].copy_from_slice(&((micros / 1_000_000) as u32).to_be_bytes());
        head[4..8].copy_from_slice(&((micros % 1_000_000) as u32).to_be_bytes());
        match width {
            Width::Bits32 => head[8..].copy_from_slice(&(self.sequence as u32).to_be_bytes()),
            Width::Bits64 => head[8..].copy_from_slice(&self.sequence.to_be_bytes()),
        }
    }

    /// `None`: too short to be a datagram of a test.
    pub fn read(datagram: &[u8], width: Width) -> Option<Header> {
        let (seconds, rest) = datagram.split_first_chunk::<4>()?;
        let (micros, rest) = rest.split_first_chunk::<4>()?;
        let sequence = match width {
            Width::Bits32 => u64::from(u32::from_be_bytes(*rest.first_chunk()?)),
            Width::Bits64 => u64::from_be_bytes(*rest.first_chunk()?),
        };
        let seconds = u64::from(u32::from_be_bytes(*seconds));
        let micros = u64::from(u32::from_be_bytes(*micros));
        Some(Header {
            sent_ns: (seconds * 1_000_000 + micros) * 1000,
            sequence,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bytes_are_those_of_iperf3() {
        let mut datagram = [0xaa; 18];
        Header {
            sent_ns: 2_000_003_000,
            sequence: 0x0102,
        }
        .write(&mut datagram, Width::Bits32);
        assert_eq!(
            datagram[..14],
            [0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 1, 2, 0xaa, 0xaa]
        );
        Header {
            sent_ns: 2_000_003_000,
            sequence: 1 << 40,
        }
        .write(&mut datagram, Width::Bits64);
        assert_eq!(datagram[8..], [0, 0, 1, 0, 0, 0, 0, 0, 0xaa, 0xaa]);
    }

    #[test]
    fn short_datagrams_are_none_and_stay_untouched() {
        let mut short = [7; 11];
        Header {
            sent_ns: 1,
            sequence: 1,
        }
        .write(&mut short, Width::Bits32);
        assert_eq!(short, [7; 11]);
        assert_eq!(Header::read(&short, Width::Bits32), None);
        assert_eq!(Header::read(&[0; 15], Width::Bits64), None);
        assert_eq!(Header::read(&[], Width::Bits32), None);
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            prop_assert_eq!(Header::read(&bytes, Width::Bits32).is_some(), bytes.len() >= 12);
            prop_assert_eq!(Header::read(&bytes, Width::Bits64).is_some(), bytes.len() >= 16);
        }

        #[test]
        fn what_was_written_is_read(micros in 0u64..4_000_000_000_000_000, sequence in any::<u64>()) {
            let header = Header { sent_ns: micros * 1000, sequence };
            let mut datagram = [0; 16];
            header.write(&mut datagram, Width::Bits64);
            prop_assert_eq!(Header::read(&datagram, Width::Bits64), Some(header));
        }
    }
}
