//! Poisson bootstrap: each unit counts as often as its own Poisson number says (Chamandy et al., 2012).
//!
//! The bootstrap draws n of n units, so that nobody can say how often a unit was drawn before all are known.
//! Independent Poisson numbers of mean 1 are what these counts come to for many units, and need no other
//! unit: parts of a test set can be counted, added up and forgotten.

use std::ops::Range;

use ndarray::{Array2, ArrayView2};
use pulp::{Arch, NullaryFnOnce};

use super::stream::{Purpose, Stream};
use super::weighted_sums::weighted_sums;

/// Weights that are drawn at a time.
const TOGETHER: usize = 512;
/// A part of the units begins at a multiple of so many, as with swaps.
const PART: u64 = super::swaps::COINS;

/// A weight is the number of these bounds that 16 random bits reach.
///
/// Each weight has its probability under a Poisson distribution to within 7 of 65,536, and mean and
/// variance are 1 exactly: of all numbers 24,106 give 0, 24,116 give 1, then 12,052, 4,018, 1,004, 201, 33, 5,
/// and one gives 8.
const BOUNDS: [u16; 8] = [24_106, 48_222, 60_274, 64_292, 65_296, 65_497, 65_530, 65_535];

/// The weighted sums of rows in each of `replicates`, shaped (replicate, column).
///
/// A weight depends on the seed, the replicate and the unit's place among all units, of which the rows may
/// be a part: the sums of parts add up to those of the whole.
///
/// # Panics
/// When a part begins elsewhere than at a multiple of 64 units.
#[must_use]
pub fn poisson_sums(
    rows: &ArrayView2<'_, f64>,
    replicates: Range<u64>,
    seed: u64,
    first_unit: u64,
) -> Array2<f64> {
    assert!(first_unit.is_multiple_of(PART), "a part begins at a multiple of {PART} units");
    weighted_sums(rows, replicates, |index, weights| {
        let mut stream = Stream::new(seed, Purpose::Poisson, index);
        stream.skip(2 * first_unit);
        draw(weights, &mut stream);
    })
}

fn draw(weights: &mut [u8], stream: &mut Stream) {
    let processor = Arch::new();
    let mut bits = [0; TOGETHER];
    for weights in weights.chunks_mut(TOGETHER) {
        stream.fill(&mut bits);
        processor.dispatch(Weigh { bits: &bits, weights });
    }
}

/// Turns random bits into weights.
struct Weigh<'a> {
    bits: &'a [u16; TOGETHER],
    weights: &'a mut [u8],
}

impl NullaryFnOnce for Weigh<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn call(self) {
        for (weight, &bits) in self.weights.iter_mut().zip(self.bits) {
            let mut reached = 0_u16;
            for bound in BOUNDS {
                reached += u16::from(bits >= bound);
            }
            *weight = reached as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Axis, Slice};

    fn rows() -> Array2<f64> {
        Array2::from_shape_fn((1500, 19), |(i, j)| match j {
            3 => i as f64 + 0.25,
            7 => 40_000.0 + i as f64,
            _ => (i * (j + 3) % 97) as f64,
        })
    }

    #[test]
    fn weights_have_the_mean_and_the_variance_of_a_poisson_number() {
        let (mut sum, mut squares) = (0_u64, 0_u64);
        for bits in 0..=u16::MAX {
            let weight = BOUNDS.iter().filter(|&&bound| bits >= bound).count() as u64;
            sum += weight;
            squares += weight * weight;
        }
        assert_eq!((sum, squares), (1 << 16, 2 << 16));
    }

    #[test]
    fn every_weight_is_about_as_likely_as_a_poisson_number() {
        let mut likely = 65_536.0 / std::f64::consts::E;
        for (weight, pair) in (1..).zip(BOUNDS.windows(2)) {
            likely /= f64::from(weight);
            assert!((f64::from(pair[1] - pair[0]) - likely).abs() < 7.0, "{weight}");
        }
    }

    #[test]
    fn the_sums_of_parts_add_up_to_those_of_the_whole() {
        let rows = rows();
        let whole = poisson_sums(&rows.view(), 5..75, 3, 0);
        for size in [64, 512, 960] {
            let mut sums = Array2::zeros(whole.dim());
            for (part, rows) in rows.axis_chunks_iter(Axis(0), size).enumerate() {
                sums += &poisson_sums(&rows, 5..75, 3, (part * size) as u64);
            }
            assert_eq!(sums, whole);
        }
    }

    #[test]
    fn a_replicate_does_not_depend_on_its_neighbours() {
        let rows = rows();
        let all = poisson_sums(&rows.view(), 0..100, 5, 0);
        let some = poisson_sums(&rows.view(), 40..77, 5, 0);
        assert_eq!(all.slice_axis(Axis(0), Slice::from(40..77)), some);
        assert_ne!(all.row(0), all.row(1));
        assert_ne!(all, poisson_sums(&rows.view(), 0..100, 6, 0));
    }

    #[test]
    fn replicates_spread_like_the_theory_says() {
        // Each unit adds its square to the variance of a sum.
        let rows = Array2::from_shape_fn((400, 1), |(i, _)| (i % 2) as f64);
        let sums = poisson_sums(&rows.view(), 0..4000, 11, 0);
        let variance = sums.var(0.0);
        assert!((variance - 200.0).abs() < 20.0, "{variance}");
    }
}
