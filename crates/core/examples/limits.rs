//! Speed of one thread in the basic steps of resampling, as JSON: seconds for one draw of a
//! bootstrap from few and from many units, one multiply-and-add, one row of a table of subset sums
//! added, one byte read from memory, one letter cut into words and one n-gram counted.
//! `benchmarks/limits.py` sets the kernels beside it.

use std::hint::black_box;
use std::time::Instant;

use pulp::{Arch, NullaryFnOnce};
use truebleu_core::resampling::{Purpose, Stream};

/// The shortest time of several runs, by how often the step was made.
fn seconds_each(steps: usize, mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..15).map(time).fold(f64::INFINITY, f64::min) / steps as f64
}

/// Draws with replacement, each counted: nothing else that a bootstrap does.
fn draws(units: u32, rounds: u64) -> f64 {
    let mut draws = vec![0_u8; units as usize];
    seconds_each(units as usize * rounds as usize, || {
        for index in 0..rounds {
            Stream::new(1, Purpose::Bootstrap, index).each_below(units, units as usize, |unit| {
                draws[unit as usize] = draws[unit as usize].wrapping_add(1);
            });
        }
        black_box(&draws);
    })
}

const STEPS: u16 = 1 << 15;

/// Bytes multiplied and added up in registers, in as many chains as fit there.
#[cfg(target_arch = "x86_64")]
fn multiply_adds() -> f64 {
    use pulp::x86::V3;
    use pulp::{cast, u8x32, u16x16};

    struct Chains {
        processor: V3,
        rows: [u8x32; 2],
    }

    impl NullaryFnOnce for Chains {
        type Output = [[u16x16; 2]; 4];

        #[expect(clippy::inline_always, reason = "only inlined code is compiled for AVX2")]
        #[inline(always)]
        fn call(self) -> Self::Output {
            let Self { processor, rows } = self;
            let mut sums = [[processor.splat_u16x16(0); 2]; 4];
            for step in 0..i32::from(STEPS) {
                for (set, sums) in (1..).zip(&mut sums) {
                    let weight = cast(processor.splat_i32x8(step * set));
                    for (sum, row) in sums.iter_mut().zip(rows) {
                        let products = processor.avx2._mm256_maddubs_epi16(cast(row), weight);
                        *sum = processor.wrapping_add_u16x16(*sum, cast(products));
                    }
                }
            }
            sums
        }
    }

    let Some(processor) = V3::try_new() else { return f64::NAN };
    seconds_each(usize::from(STEPS) * 8 * 32, || {
        let rows = black_box([cast([3_u8; 32]), cast([5_u8; 32])]);
        black_box(processor.vectorize(Chains { processor, rows }));
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn multiply_adds() -> f64 {
    f64::NAN
}

/// Rows of 32 numbers of 16 bits, looked up in a table in the fastest cache and added up.
struct Lookups<'a> {
    table: &'a [[u16; 32]; 256],
    bytes: &'a [u8],
}

impl NullaryFnOnce for Lookups<'_> {
    type Output = [[u16; 32]; 2];

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn call(self) -> Self::Output {
        let mut sums = [[0_u16; 32]; 2];
        for pair in self.bytes.as_chunks::<2>().0 {
            for (sum, &byte) in sums.iter_mut().zip(pair) {
                let row = &self.table[usize::from(byte)];
                *sum = std::array::from_fn(|column| sum[column].wrapping_add(row[column]));
            }
        }
        sums
    }
}

fn lookups() -> f64 {
    let table = [[1_u16; 32]; 256];
    let mut stream = Stream::new(1, Purpose::Swaps, 0);
    let bytes: Vec<u8> = (0..STEPS / 8).flat_map(|_| stream.bits().to_le_bytes()).collect();
    seconds_each(bytes.len(), || {
        black_box(Arch::new().dispatch(Lookups { table: &table, bytes: &bytes }));
    })
}

/// A text cut into words at spaces, each of them hashed: seconds for one letter.
fn letters() -> f64 {
    let mut stream = Stream::new(2, Purpose::Swaps, 0);
    let mut letter = || b"etaoin shrdlu "[stream.below(14) as usize];
    let text: Vec<u8> = (0..1 << 20).map(|_| letter()).collect();
    seconds_each(text.len(), || {
        let mut words = 0_u64;
        for word in text.split(|&byte| byte == b' ') {
            let (eights, rest) = word.as_chunks::<8>();
            let mut hash = rest.iter().fold(0, |hash, &byte| hash << 8 | u64::from(byte));
            for eight in eights {
                hash = (hash ^ u64::from_le_bytes(*eight)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
            words = words.wrapping_add(hash);
        }
        black_box(words);
    })
}

/// N-grams hashed, looked up in a table in the fastest cache, and counted: seconds for one.
fn ngrams() -> f64 {
    let mut stream = Stream::new(3, Purpose::Swaps, 0);
    let words: Vec<u64> = (0..1 << 12).map(|_| u64::from(stream.below(300))).collect();
    let mut counts = [(0_u64, 0_u32); 1024];
    seconds_each(4 * words.len(), || {
        let mut found = 0;
        for window in words.windows(4) {
            let mut ngram = 1_u64;
            for &word in window {
                ngram = (ngram ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let slot = &mut counts[(ngram >> 54) as usize];
                found += u32::from(slot.0 == ngram);
                *slot = (ngram, slot.1.wrapping_add(1));
            }
        }
        black_box(found);
    })
}

/// Reading memory that no cache holds.
fn reading() -> f64 {
    let memory = vec![1_u64; 1 << 24];
    seconds_each(memory.len() * 8, || {
        black_box(memory.iter().fold(0_u64, |sum, &number| sum.wrapping_add(number)));
    })
}

#[expect(clippy::print_stdout, reason = "its output is what it is for")]
fn main() {
    println!(
        "{{\"few_draws\": {:e}, \"many_draws\": {:e}, \"multiply_add\": {:e}, \"lookup\": {:e}, \
         \"byte\": {:e}, \"letter\": {:e}, \"ngram\": {:e}}}",
        draws(1826, 50),
        draws(1_000_000, 1),
        multiply_adds(),
        lookups(),
        reading(),
        letters(),
        ngrams()
    );
}
