//! Random numbers that depend on (seed, purpose, index) and on nothing else.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Numbers of 32 bits that are taken from the cipher at a time.
const WORDS: usize = 256;

/// What the numbers are for: one purpose's draws tell nothing about another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Units drawn with replacement.
    Bootstrap = 1,
    /// Units on which systems are swapped.
    Swaps = 2,
    /// Scores of two metrics swapped.
    Permutation = 3,
    /// Segments, documents or systems drawn to judge a coefficient.
    Agreement = 4,
    /// How often units count in a bootstrap of parts.
    Poisson = 5,
}

/// The random numbers of one replicate.
///
/// The cipher's key is the seed and the purpose, and the replicate's index its stream number, so the
/// streams of different replicates are independent by the cipher's construction.
#[derive(Debug, Clone)]
pub struct Stream {
    cipher: ChaCha8Rng,
}

impl Stream {
    /// The numbers of one replicate for one purpose.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8] = purpose as u8;
        let mut cipher = ChaCha8Rng::from_seed(key);
        cipher.set_stream(index);
        Self { cipher }
    }

    /// 64 fair bits.
    pub fn bits(&mut self) -> u64 {
        self.cipher.next_u64()
    }

    /// Leaves out the first so many bytes of the stream, a multiple of 4.
    pub fn skip(&mut self, bytes: u64) {
        self.cipher.set_word_pos(u128::from(bytes / 4));
    }

    /// The next bytes, all fair.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.cipher.fill_bytes(bytes);
    }

    /// A whole number below `bound`, all equally likely (Lemire, 2019: multiply, reject the excess).
    pub fn below(&mut self, bound: u32) -> u32 {
        let mut product = u64::from(self.cipher.next_u32()) * u64::from(bound);
        if (product as u32) < bound {
            let excess = bound.wrapping_neg() % bound;
            while (product as u32) < excess {
                product = u64::from(self.cipher.next_u32()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// Calls `visit` with so many whole numbers below `bound`: those that as many calls of
    /// [`Stream::below`] would give, in less time.
    pub fn each_below(&mut self, bound: u32, count: usize, mut visit: impl FnMut(u32)) {
        let excess = if bound == 0 { 0 } else { bound.wrapping_neg() % bound };
        let mut bytes = [0; 4 * WORDS];
        let mut missing = count;
        while missing > 0 {
            let bytes = &mut bytes[..4 * missing.min(WORDS)];
            self.cipher.fill_bytes(bytes);
            for word in bytes.as_chunks().0 {
                let product = u64::from(u32::from_le_bytes(*word)) * u64::from(bound);
                if (product as u32) >= excess {
                    visit((product >> 32) as u32);
                    missing -= 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(seed: u64, purpose: Purpose, index: u64) -> Vec<u64> {
        let mut stream = Stream::new(seed, purpose, index);
        (0..4).map(|_| stream.bits()).collect()
    }

    #[test]
    fn a_stream_depends_on_its_key_alone() {
        assert_eq!(first(0, Purpose::Swaps, 3), first(0, Purpose::Swaps, 3));
        assert_ne!(first(0, Purpose::Swaps, 3), first(1, Purpose::Swaps, 3));
        assert_ne!(first(0, Purpose::Swaps, 3), first(0, Purpose::Bootstrap, 3));
        assert_ne!(first(0, Purpose::Swaps, 3), first(0, Purpose::Swaps, 4));
    }

    #[test]
    fn numbers_below_a_bound_are_equally_likely() {
        let mut stream = Stream::new(7, Purpose::Bootstrap, 0);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[stream.below(7) as usize] += 1;
        }
        // Five standard deviations of a binomial count around 10,000.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 465), "{counts:?}");
    }

    #[test]
    fn many_numbers_at_a_time_are_those_of_single_calls() {
        // The largest bound rejects almost half of the cipher's words.
        for (bound, count) in [(7, 1000), (1826, 1826), ((1 << 31) + 1, 777), (1, 3), (5, 0)] {
            let mut single = Stream::new(3, Purpose::Bootstrap, 9);
            let mut many = single.clone();
            for count in [count, 2] {
                let mut found = Vec::new();
                many.each_below(bound, count, |number| found.push(number));
                let expected: Vec<_> = (0..count).map(|_| single.below(bound)).collect();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn a_stream_can_begin_anywhere() {
        let mut stream = Stream::new(1, Purpose::Swaps, 2);
        let words: Vec<_> = (0..40).map(|_| stream.bits()).collect();
        for start in [0, 1, 7, 8, 33] {
            let mut later = Stream::new(1, Purpose::Swaps, 2);
            later.skip(8 * start);
            assert_eq!(later.bits(), words[start as usize]);
        }
    }

    #[test]
    fn below_one_is_zero() {
        assert_eq!(Stream::new(0, Purpose::Bootstrap, 0).below(1), 0);
    }
}
