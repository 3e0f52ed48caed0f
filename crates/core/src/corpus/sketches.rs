//! Sketches of segments: sets of character n-grams in a fixed number of bits.

/// Number of 64-bit words in a sketch, and the logarithm of their bits to base 2.
const WORDS: usize = 8;
const BITS: u32 = 9;

/// Number of bytes of a segment that are sketched; translations of longer segments begin alike.
const LONGEST: usize = 128;

/// Number of counters of n-grams.
const COUNTERS: usize = 8192;

/// Number of n-grams that fit into a vector of the processor.
const LANES: usize = 8;

/// Calls a function with the hash of each n-gram; the hash is 0 inside a character.
///
/// N-grams are three letters in a row, of one or two bytes each, or two characters of three bytes
/// if they are whole words. No n-gram begins inside a character.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn hash_ngrams(segment: &str, mut add: impl FnMut(u32)) {
    let segment = segment.as_bytes();
    let mut bytes = [0; LONGEST + LANES];
    let mut length = segment.len().min(LONGEST);
    if segment[..length].iter().fold(0, |most, &byte| most.max(byte)) >= 0xe3 {
        // Some writers of Chinese and Japanese insert spaces and others do not.
        length = 0;
        for &byte in segment.iter().filter(|&&byte| byte > b' ').take(LONGEST) {
            bytes[length] = byte;
            length += 1;
        }
    } else {
        bytes[..length].copy_from_slice(&segment[..length]);
    }
    let ngrams = length.saturating_sub(2);
    let n = ngrams.next_multiple_of(LANES);
    let mut hashes = [0_u32; LONGEST];
    let hashes = &mut hashes[..n];
    // Slices of one length, so that the compiler makes vectors.
    let [first, second, third, fourth, fifth, sixth] =
        [0, 1, 2, 3, 4, 5].map(|offset| &bytes[offset..offset + n]);
    for (index, hash) in hashes.iter_mut().enumerate() {
        let byte = |bytes: &[u8]| u32::from(bytes[index]);
        // One bit tells capitals from small letters in ASCII.
        let letters = byte(first) | byte(second) << 8 | byte(third) << 16 | 0x20_2020;
        let is_letter = u32::from(first[index] < 0x80).wrapping_neg();
        let is_wide = u32::from(first[index] >= 0xc0).wrapping_neg();
        let mask = (is_letter & 0xff_ffff) | is_wide;
        let others = (byte(fifth) | byte(sixth) << 8) & is_wide;
        // Fractional parts of multiples of irrational numbers spread neighbouring numbers.
        *hash = ((letters | byte(fourth) << 24) & mask)
            .wrapping_mul(0x9e37_79b1)
            .wrapping_add(others.wrapping_mul(0x85eb_ca6b));
    }
    hashes[..ngrams].iter().for_each(|&hash| add(hash));
}

/// Set of the character n-grams of a segment, hashed into a fixed number of bits.
#[derive(Debug, Clone)]
pub(super) struct Sketch {
    bits: [u64; WORDS],
    size: u32,
}

impl Sketch {
    /// Sketches a segment.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    pub(super) fn new(segment: &str) -> Self {
        // Bytes are written without reading them, unlike bits.
        let mut set = [0_u8; 64 * WORDS];
        hash_ngrams(segment, |hash| set[(hash >> (32 - BITS)) as usize] = 1);
        set[0] = 0;
        let mut bits = [0; WORDS];
        for (word, bytes) in bits.iter_mut().zip(set.chunks_exact(64)) {
            for eight in bytes.chunks_exact(8) {
                let eight = u64::from_le_bytes(eight.try_into().unwrap_or_default());
                // The product gathers the lowest bits of eight bytes in its highest byte.
                *word = *word << 8 | eight.wrapping_mul(0x0102_0408_1020_4080) >> 56;
            }
        }
        Self { bits, size: bits.iter().map(|word| word.count_ones()).sum() }
    }

    /// Returns true if the segment has no n-grams.
    pub(super) fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Computes Dice's coefficient of the two sets, from 0 to 1.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    pub(super) fn similarity(&self, other: &Self) -> f32 {
        let size = self.size + other.size;
        if size == 0 {
            return 0.0;
        }
        let common: u32 =
            self.bits.iter().zip(&other.bits).map(|(a, b)| (a & b).count_ones()).sum();
        (2 * common) as f32 / size as f32
    }
}

/// Frequencies of n-grams in a language, as its references have them.
pub(super) struct Language {
    counts: Vec<u32>,
    /// Mean familiarity of the references.
    pub(super) familiarity: f64,
}

impl Language {
    /// Fewest n-grams of a segment whose language can be told.
    const FEWEST: usize = 30;

    /// Largest number of segments whose mean familiarity is computed.
    const MOST: usize = 100;

    /// Counts the n-grams of segments.
    pub(super) fn of<'a>(segments: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut counts = vec![0_u32; COUNTERS];
        for segment in segments.clone() {
            hash_ngrams(segment, |hash| counts[(hash >> 19) as usize] += 1);
        }
        let mut language = Self { counts, familiarity: 0.0 };
        let some = segments.filter_map(|segment| language.familiarity(segment, 1));
        let all: Vec<f64> = some.take(Self::MOST).collect();
        language.familiarity = all.iter().sum::<f64>() / all.len().max(1) as f64;
        language
    }

    /// Computes the mean logarithm of the counts of a segment's n-grams, less `own`; `None` if
    /// there are too few n-grams.
    pub(super) fn familiarity(&self, segment: &str, own: u32) -> Option<f64> {
        let (mut sum, mut ngrams) = (0.0, 0_usize);
        hash_ngrams(segment, |hash| {
            if hash != 0 {
                let count = self.counts[(hash >> 19) as usize].saturating_sub(own);
                sum += logarithm(count);
                ngrams += 1;
            }
        });
        (ngrams >= Self::FEWEST).then(|| sum / ngrams as f64)
    }
}

/// Returns the logarithm of a count plus one half, interpolated between powers of two.
fn logarithm(count: u32) -> f64 {
    let bits = ((2 * count + 1) as f32).to_bits();
    f64::from(bits) / f64::from(1 << 23) * std::f64::consts::LN_2
}
