//! What is sent, in memory only: the root may be read-only. Random, since networks that compress must not look faster;
//! a pattern when asked for.

use std::hash::{BuildHasher, RandomState};

/// What fills a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payload {
    Random,
    /// iperf3's `--repeating-payload`: the ASCII digits, again and again.
    Digits,
}

impl Payload {
    pub fn fill(self, buffer: &mut [u8]) {
        match self {
            Payload::Random => random(buffer),
            Payload::Digits => {
                for (byte, digit) in buffer.iter_mut().zip((b'0'..=b'9').cycle()) {
                    *byte = digit;
                }
            }
        }
    }
}

/// Fills the buffer with bytes that do not compress (xorshift64*, seeded by the process's random hasher keys).
fn random(buffer: &mut [u8]) {
    let mut state = RandomState::new().hash_one(buffer.len()) | 1;
    for chunk in buffer.chunks_mut(8) {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let word = state.wrapping_mul(0x2545_F491_4F6C_DD1D).to_ne_bytes();
        chunk.copy_from_slice(&word[..chunk.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_is_iperf3s() {
        let mut block = [0; 23];
        Payload::Digits.fill(&mut block);
        assert_eq!(&block, b"01234567890123456789012");
    }

    #[test]
    fn no_byte_is_left_out_and_two_buffers_differ() {
        let (mut one, mut two) = ([0; 4099], [0; 4099]);
        Payload::Random.fill(&mut one);
        Payload::Random.fill(&mut two);
        assert_ne!(one, two);
        let zeros = one.iter().filter(|byte| **byte == 0).count();
        assert!(zeros < 60, "{zeros} zero bytes of 4099 are not random");
    }
}
