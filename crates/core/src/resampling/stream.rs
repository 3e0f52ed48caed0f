//! Random numbers that depend on (seed, purpose, index) and on nothing else.

use pulp::{Arch, NullaryFnOnce};

use super::cipher::{self, Blocks, Cipher, WORDS};

/// Words of 32 bits that are taken from the cipher at a time.
const TOGETHER: usize = cipher::BLOCKS * WORDS;

/// Purpose of random numbers; the draws of different purposes are independent.
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
}

/// Returns the cipher of a seed and a purpose.
pub(super) fn keyed(seed: u64, purpose: Purpose) -> Cipher {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8] = purpose as u8;
    Cipher::new(key)
}

/// The random numbers of one replicate.
///
/// The cipher's key is the seed and the purpose, and the replicate's index its stream number, so the
/// streams of different replicates are independent by the cipher's construction.
#[derive(Debug, Clone)]
pub struct Stream {
    cipher: Cipher,
    index: u64,
    /// Some words of the stream, how many of them are used up, and the block that follows them.
    words: Blocks,
    used: usize,
    next: u64,
}

impl Stream {
    /// Starts the numbers of one replicate for one purpose.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        let cipher = keyed(seed, purpose);
        Self { cipher, index, words: [[0; cipher::BLOCKS]; WORDS], used: TOGETHER, next: 0 }
    }

    /// Returns 32 fair bits.
    fn word(&mut self) -> u32 {
        if self.used == TOGETHER {
            self.refill();
        }
        let word = self.words[self.used % WORDS][self.used / WORDS];
        self.used += 1;
        word
    }

    fn refill(&mut self) {
        self.cipher.successive(self.index, self.next, &mut self.words);
        self.next += cipher::BLOCKS as u64;
        self.used = 0;
    }

    /// Returns 64 fair bits.
    pub fn bits(&mut self) -> u64 {
        let low = u64::from(self.word());
        low | u64::from(self.word()) << 32
    }

    /// Returns a whole number below `bound`, all equally likely (Lemire, 2019: multiply, reject the
    /// excess).
    pub fn below(&mut self, bound: u32) -> u32 {
        let mut product = u64::from(self.word()) * u64::from(bound);
        if (product as u32) < bound {
            let excess = bound.wrapping_neg() % bound;
            while (product as u32) < excess {
                product = u64::from(self.word()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// Calls `visit` with `count` whole numbers below `bound`: the numbers that `count` calls of
    /// [`Stream::below`] would give, in less time.
    pub fn each_below(&mut self, bound: u32, count: usize, mut visit: impl FnMut(u32)) {
        let excess = if bound == 0 { 0 } else { bound.wrapping_neg() % bound };
        let mut missing = count;
        let mut numbers = [[0; cipher::BLOCKS]; WORDS];
        let processor = Arch::new();
        while missing > 0 {
            if self.used == TOGETHER && missing >= TOGETHER {
                self.refill();
                let (words, numbers) = (&self.words, &mut numbers);
                if processor.dispatch(AllBelow { words, bound, excess, numbers }) {
                    for block in 0..cipher::BLOCKS {
                        for numbers in numbers.iter() {
                            visit(numbers[block]);
                        }
                    }
                    self.used = TOGETHER;
                    missing -= TOGETHER;
                    continue;
                }
            }
            let product = u64::from(self.word()) * u64::from(bound);
            if (product as u32) >= excess {
                visit((product >> 32) as u32);
                missing -= 1;
            }
        }
    }
}

/// The upper half of two words.
const HIGH: u64 = !0 << 32;

/// Turns words into numbers below a bound, and says whether none of them must be rejected.
struct AllBelow<'a> {
    words: &'a Blocks,
    bound: u32,
    excess: u32,
    numbers: &'a mut Blocks,
}

impl NullaryFnOnce for AllBelow<'_> {
    type Output = bool;

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn call(self) -> bool {
        let bound = u64::from(self.bound);
        let mut least = [u32::MAX; cipher::BLOCKS];
        for (numbers, words) in self.numbers.iter_mut().zip(self.words) {
            // Two words at a time stay in their places.
            let pairs: [u64; cipher::BLOCKS / 2] = pulp::cast(*words);
            let (low, high) =
                (pairs.map(|pair| (pair & !HIGH) * bound), pairs.map(|pair| (pair >> 32) * bound));
            *numbers = pulp::cast::<[u64; cipher::BLOCKS / 2], _>(std::array::from_fn(|place| {
                low[place] >> 32 | high[place] & HIGH
            }));
            let rest: [u32; cipher::BLOCKS] =
                pulp::cast::<[u64; cipher::BLOCKS / 2], _>(std::array::from_fn(|place| {
                    low[place] & !HIGH | high[place] << 32
                }));
            least = std::array::from_fn(|place| least[place].min(rest[place]));
        }
        least.iter().all(|&least| least >= self.excess)
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
    fn below_one_is_zero() {
        assert_eq!(Stream::new(0, Purpose::Bootstrap, 0).below(1), 0);
    }
}
