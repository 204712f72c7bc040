//! A small generator of numbers that gives the same ones on every machine: SplitMix64 (Steele, Lea and Flood,
//! "Fast splittable pseudorandom number generators", 2014).

#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// An index into weights, each as likely as its weight says.
    pub fn weighted(&mut self, weights: impl Iterator<Item = u32> + Clone) -> usize {
        let total: u64 = weights.clone().map(u64::from).sum();
        let mut left = self.next() % total.max(1);
        for (index, weight) in weights.enumerate() {
            match left.checked_sub(u64::from(weight)) {
                None => return index,
                Some(rest) => left = rest,
            }
        }
        0
    }
}
