//! Random payload, in memory only: networks that compress must not look faster, and the root may be read-only.

use std::hash::{BuildHasher, RandomState};

/// Fills the buffer with bytes that do not compress (xorshift64*, seeded by the process's random hasher keys).
pub fn fill(buffer: &mut [u8]) {
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
    #[test]
    fn no_byte_is_left_out_and_two_buffers_differ() {
        let (mut one, mut two) = ([0; 4099], [0; 4099]);
        super::fill(&mut one);
        super::fill(&mut two);
        assert_ne!(one, two);
        let zeros = one.iter().filter(|byte| **byte == 0).count();
        assert!(zeros < 60, "{zeros} zero bytes of 4099 are not random");
    }
}
