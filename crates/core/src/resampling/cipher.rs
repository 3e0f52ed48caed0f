//! The cipher behind all random numbers: `ChaCha` with 8 rounds (Bernstein, 2008), several blocks at a time.
//!
//! A block is 16 words of 32 bits, and depends on the key, the number of its stream and its index
//! there. So blocks can be made in any order: one stream's blocks one after the other, or many
//! streams' blocks at once. Each step is made for all blocks together, by vector instructions.

use pulp::NullaryFnOnce;
#[cfg(target_arch = "x86_64")]
use pulp::{cast, u32x8, x86::V3};

/// Blocks that are made together: as many as a register of AVX2 has words.
pub(super) const BLOCKS: usize = 8;
/// Words of a block.
pub(super) const WORDS: usize = 16;

/// Words by their place in a block, then by block.
pub(super) type Blocks = [[u32; BLOCKS]; WORDS];

/// "expand 32-byte k".
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// A key of 32 bytes.
#[derive(Debug, Clone)]
pub(super) struct Cipher {
    key: [u32; 8],
}

impl Cipher {
    pub(super) fn new(key: [u8; 32]) -> Self {
        let words = key.as_chunks().0;
        Self { key: std::array::from_fn(|place| u32::from_le_bytes(words[place])) }
    }

    /// Writes blocks of a stream, from a place on.
    pub(super) fn successive(&self, stream: u64, first: u64, blocks: &mut Blocks) {
        self.write(|block| (stream, first.wrapping_add(block)), blocks);
    }

    /// Writes the blocks at one place of successive streams.
    pub(super) fn parallel(&self, first_stream: u64, place: u64, blocks: &mut Blocks) {
        self.write(|block| (first_stream.wrapping_add(block), place), blocks);
    }

    /// Writes the blocks whose streams and places are given.
    fn write(&self, of: impl Fn(u64) -> (u64, u64), blocks: &mut Blocks) {
        let of: [(u64, u64); BLOCKS] = std::array::from_fn(|block| of(block as u64));
        let start: Blocks = std::array::from_fn(|word| match word {
            0..4 => [CONSTANTS[word]; BLOCKS],
            4..12 => [self.key[word - 4]; BLOCKS],
            12 => of.map(|(_, place)| place as u32),
            13 => of.map(|(_, place)| (place >> 32) as u32),
            14 => of.map(|(stream, _)| stream as u32),
            _ => of.map(|(stream, _)| (stream >> 32) as u32),
        });
        #[cfg(target_arch = "x86_64")]
        if let Some(processor) = V3::try_new() {
            let load = |words| Register { processor, words: cast(words) };
            return processor.vectorize(Rounds { start: &start, load, blocks });
        }
        Rounds { start: &start, load: |words: [u32; BLOCKS]| words, blocks }.call();
    }
}

/// One word of each of several blocks.
trait Lanes: Copy {
    fn plus(self, other: Self) -> Self;

    /// Computes one xor the other, rotated to the left.
    fn mixed<const BY: i32, const BACK: i32>(self, other: Self) -> Self;

    fn words(self) -> [u32; BLOCKS];
}

impl Lanes for [u32; BLOCKS] {
    fn plus(self, other: Self) -> Self {
        std::array::from_fn(|block| self[block].wrapping_add(other[block]))
    }

    fn mixed<const BY: i32, const BACK: i32>(self, other: Self) -> Self {
        std::array::from_fn(|block| (self[block] ^ other[block]).rotate_right(BACK.unsigned_abs()))
    }

    fn words(self) -> [u32; BLOCKS] {
        self
    }
}

/// Lanes in a register of AVX2.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Register {
    processor: V3,
    words: u32x8,
}

#[cfg(target_arch = "x86_64")]
#[expect(clippy::inline_always, reason = "only inlined code is compiled for AVX2")]
impl Lanes for Register {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self { words: self.processor.wrapping_add_u32x8(self.words, other.words), ..self }
    }

    #[inline(always)]
    fn mixed<const BY: i32, const BACK: i32>(self, other: Self) -> Self {
        let avx2 = self.processor.avx2;
        let mixed = cast(self.processor.xor_u32x8(self.words, other.words));
        let (left, right) =
            (avx2._mm256_slli_epi32::<BY>(mixed), avx2._mm256_srli_epi32::<BACK>(mixed));
        Self { words: cast(avx2._mm256_or_si256(left, right)), ..self }
    }

    #[inline(always)]
    fn words(self) -> [u32; BLOCKS] {
        cast(self.words)
    }
}

/// Eight rounds on the start; their result is added to it and written.
struct Rounds<'a, F> {
    start: &'a Blocks,
    load: F,
    blocks: &'a mut Blocks,
}

impl<L: Lanes, F: Fn([u32; BLOCKS]) -> L> NullaryFnOnce for Rounds<'_, F> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn call(self) {
        let Self { start, load, blocks } = self;
        let mut words: [L; WORDS] = std::array::from_fn(|word| load(start[word]));
        for _ in 0..4 {
            quarter(&mut words, [0, 4, 8, 12]);
            quarter(&mut words, [1, 5, 9, 13]);
            quarter(&mut words, [2, 6, 10, 14]);
            quarter(&mut words, [3, 7, 11, 15]);
            quarter(&mut words, [0, 5, 10, 15]);
            quarter(&mut words, [1, 6, 11, 12]);
            quarter(&mut words, [2, 7, 8, 13]);
            quarter(&mut words, [3, 4, 9, 14]);
        }
        for ((block, word), start) in blocks.iter_mut().zip(words).zip(start) {
            *block = word.plus(load(*start)).words();
        }
    }
}

/// Computes a quarter of a round.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn quarter<L: Lanes>(words: &mut [L; WORDS], [a, b, c, d]: [usize; 4]) {
    words[a] = words[a].plus(words[b]);
    words[d] = words[d].mixed::<16, 16>(words[a]);
    words[c] = words[c].plus(words[d]);
    words[b] = words[b].mixed::<12, 20>(words[c]);
    words[a] = words[a].plus(words[b]);
    words[d] = words[d].mixed::<8, 24>(words[a]);
    words[c] = words[c].plus(words[d]);
    words[b] = words[b].mixed::<7, 25>(words[c]);
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;

    fn expected(key: [u8; 32], stream: u64, place: u64) -> [u32; WORDS] {
        let mut known = ChaCha8Rng::from_seed(key);
        known.set_stream(stream);
        known.set_word_pos(u128::from(place) * WORDS as u128);
        std::array::from_fn(|_| known.next_u32())
    }

    #[test]
    fn blocks_are_those_of_another_implementation() {
        let key: [u8; 32] = std::array::from_fn(|place| (place * 37 + 5) as u8);
        let cipher = Cipher::new(key);
        for (stream, first) in [(0, 0), (7, 3), (u64::MAX - 3, 1 << 40), (1 << 33, (1 << 32) - 4)] {
            let mut successive = [[0; BLOCKS]; WORDS];
            let mut parallel = successive;
            cipher.successive(stream, first, &mut successive);
            cipher.parallel(stream, first, &mut parallel);
            for block in 0..BLOCKS {
                let later = block as u64;
                let of = |blocks: &Blocks| blocks.map(|words| words[block]);
                assert_eq!(of(&successive), expected(key, stream, first + later));
                assert_eq!(of(&parallel), expected(key, stream.wrapping_add(later), first));
            }
        }
    }
}
