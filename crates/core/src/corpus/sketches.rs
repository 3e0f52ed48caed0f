//! Sketches of segments: sets of character n-grams in a fixed number of bits.

/// Number of 64-bit words in a sketch.
const WORDS: usize = 16;

/// Number of bytes of a segment that are sketched; translations of longer segments begin alike.
const LONGEST: usize = 256;

/// Number of counters of n-grams.
const COUNTERS: usize = 8192;

/// Bytes of an n-gram, by its first byte: three letters of one or two bytes each, or two characters
/// of three bytes. No n-gram begins inside a character.
const MASKS: [u64; 256] = {
    let mut masks = [0xffff_ffff_ffff; 256];
    let mut byte = 0;
    while byte < 0xc0 {
        masks[byte] = if byte < 0x80 { 0xff_ffff } else { 0 };
        byte += 1;
    }
    masks
};

/// Calls a function with the hash of each n-gram; the hash is 0 inside a character.
///
/// N-grams are three letters in a row, or two characters if they are whole words.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn hash_ngrams(segment: &str, mut add: impl FnMut(u64)) {
    let segment = segment.as_bytes();
    let mut bytes = [0; LONGEST + 8];
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
    for window in bytes[..length + 8].windows(8).take(length.saturating_sub(2)) {
        let ngram = u64::from_le_bytes(window.try_into().unwrap_or_default());
        // One bit tells capitals from small letters in ASCII.
        let ngram = (ngram | 0x20_2020) & MASKS[usize::from(window[0])];
        // The fractional part of a multiple of the golden ratio spreads neighbouring numbers.
        add(ngram.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }
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
        let mut bits = [0; WORDS];
        hash_ngrams(segment, |hash| {
            let index = (hash >> 54) as usize;
            bits[index / 64] |= 1 << (index % 64);
        });
        bits[0] &= !1;
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

    /// Counts the n-grams of segments.
    pub(super) fn of<'a>(segments: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut counts = vec![0_u32; COUNTERS];
        for segment in segments.clone() {
            hash_ngrams(segment, |hash| counts[(hash >> 51) as usize] += 1);
        }
        let mut language = Self { counts, familiarity: 0.0 };
        let all: Vec<f64> =
            segments.filter_map(|segment| language.familiarity(segment, 1)).collect();
        language.familiarity = all.iter().sum::<f64>() / all.len().max(1) as f64;
        language
    }

    /// Computes the mean logarithm of the counts of a segment's n-grams, less `own`; `None` if
    /// there are too few n-grams.
    pub(super) fn familiarity(&self, segment: &str, own: u32) -> Option<f64> {
        let (mut sum, mut ngrams) = (0.0, 0_usize);
        hash_ngrams(segment, |hash| {
            if hash != 0 {
                let count = self.counts[(hash >> 51) as usize].saturating_sub(own);
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
