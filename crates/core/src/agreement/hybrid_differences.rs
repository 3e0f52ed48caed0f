//! Differences between systems by two metrics whose scores were swapped at random, added up.
//!
//! Soft pairwise accuracy takes a pair of systems to be as different as the sum of their differences over
//! segments and the sum of the squares say. Both are made of the segments that are rated for both systems.

use std::ops::Range;

use ndarray::parallel::prelude::*;
use ndarray::{Array4, ArrayView2};
use pulp::{Arch, NullaryFnOnce};
#[cfg(target_arch = "x86_64")]
use pulp::{cast, x86::V3};

use super::permutation::{Permutation, Unit, swapped_cells_as_masks};
use crate::interruption;

/// Segments that are added at a time, each into a sum of its own: the order of additions is the same on
/// every processor, and so are the digits.
const LANES: usize = 8;

/// By draw and hybrid, the sum of differences of each pair of systems and that of their squares, shaped (draw,
/// hybrid, sum, pair).
///
/// The metrics are shaped (system, segment) like `rated`, which says which cells count.
#[must_use]
pub fn hybrid_differences(
    metrics: [&ArrayView2<'_, f64>; 2],
    rated: &ArrayView2<'_, bool>,
    pairs: &[[usize; 2]],
    (permutation, unit): (Permutation, Unit),
    draws: Range<u64>,
) -> Array4<f64> {
    let count = (draws.end - draws.start) as usize;
    let (systems, segments) = rated.dim();
    let width = segments.next_multiple_of(LANES);
    // Cells that do not count are NaN, and so are all differences from them.
    let held = metrics.map(|metric| -> Vec<f64> {
        metric
            .iter()
            .zip(rated)
            .map(|(&score, &rated)| if rated { score } else { f64::NAN })
            .collect()
    });
    let mut sums = Array4::zeros((count, 2, 2, pairs.len()));
    sums.outer_iter_mut().into_par_iter().enumerate().for_each_init(
        || (Vec::new(), [vec![f64::NAN; systems * width], vec![f64::NAN; systems * width]]),
        |(swapped, hybrids), (index, mut sums)| {
            interruption::check();
            let draw = draws.start + index as u64;
            swapped_cells_as_masks(permutation, unit, systems * segments, draw, swapped);
            for system in 0..systems {
                let cells = system * segments..(system + 1) * segments;
                let swapped = &swapped[cells.clone()];
                let [first, second] = &mut *hybrids;
                Arch::new().dispatch(Swap {
                    metrics: [&held[0][cells.clone()], &held[1][cells]],
                    swapped,
                    hybrids: [&mut first[system * width..], &mut second[system * width..]],
                });
            }
            for (pair, &systems) in pairs.iter().enumerate() {
                interruption::check();
                for (hybrid, scores) in hybrids.iter().enumerate() {
                    let row = |system: usize| &scores[system * width..(system + 1) * width];
                    let [first, second] = systems.map(row);
                    let found = add_up(first, second);
                    for (sum, found) in found.into_iter().enumerate() {
                        sums[[hybrid, sum, pair]] = found;
                    }
                }
            }
        },
    );
    sums
}

/// Gives each hybrid the scores of one metric, or of the other where they are swapped.
struct Swap<'a> {
    metrics: [&'a [f64]; 2],
    /// All bits where a cell is swapped.
    swapped: &'a [u64],
    hybrids: [&'a mut [f64]; 2],
}

impl NullaryFnOnce for Swap<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn call(self) {
        let [first, second] = self.hybrids;
        let cells = self.metrics[0].iter().zip(self.metrics[1]).zip(self.swapped);
        for (((&one, &other), &swapped), (first, second)) in cells.zip(first.iter_mut().zip(second))
        {
            let (one, other) = (one.to_bits(), other.to_bits());
            *first = f64::from_bits((one & !swapped) | (other & swapped));
            *second = f64::from_bits((other & !swapped) | (one & swapped));
        }
    }
}

/// The sum of the differences of two systems, and that of their squares; those that are NaN do not count.
fn add_up(first: &[f64], second: &[f64]) -> [f64; 2] {
    #[cfg(target_arch = "x86_64")]
    if let Some(processor) = V3::try_new() {
        let lanes = processor.vectorize(AddUp { processor, first, second });
        return lanes.map(|lanes| lanes.iter().sum());
    }
    let (mut totals, mut squares) = ([0.0; LANES], [0.0; LANES]);
    let chunks = first.as_chunks::<LANES>().0.iter().zip(second.as_chunks::<LANES>().0);
    for (first, second) in chunks {
        for lane in 0..LANES {
            let difference = first[lane] - second[lane];
            let difference = if difference.is_nan() { 0.0 } else { difference };
            totals[lane] += difference;
            squares[lane] += difference * difference;
        }
    }
    [totals.iter().sum(), squares.iter().sum()]
}

/// The same additions in the same order, several by one instruction.
#[cfg(target_arch = "x86_64")]
struct AddUp<'a> {
    processor: V3,
    first: &'a [f64],
    second: &'a [f64],
}

#[cfg(target_arch = "x86_64")]
impl NullaryFnOnce for AddUp<'_> {
    type Output = [[f64; LANES]; 2];

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for AVX2")]
    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self { processor, first, second } = self;
        let none = processor.splat_f64x4(0.0);
        let (mut totals, mut squares) = ([none; LANES / 4], [none; LANES / 4]);
        let chunks = first.as_chunks::<LANES>().0.iter().zip(second.as_chunks::<LANES>().0);
        for (first, second) in chunks {
            let (first, second) = (first.as_chunks::<4>().0, second.as_chunks::<4>().0);
            for part in 0..LANES / 4 {
                let difference = processor.sub_f64x4(cast(first[part]), cast(second[part]));
                let is_number = processor.cmp_eq_f64x4(difference, difference);
                let difference = processor.select_f64x4(is_number, difference, none);
                totals[part] = processor.add_f64x4(totals[part], difference);
                let square = processor.mul_f64x4(difference, difference);
                squares[part] = processor.add_f64x4(squares[part], square);
            }
        }
        [cast(totals), cast(squares)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::permutation::swapped_cells;
    use ndarray::Array2;

    #[test]
    fn differences_are_those_of_the_cells_that_each_hybrid_holds() {
        let (systems, segments) = (4, 21);
        let metrics = [3, 7].map(|factor| {
            Array2::from_shape_fn((systems, segments), |(i, k)| ((i * factor + k * k) % 11) as f64)
        });
        let rated = Array2::from_shape_fn((systems, segments), |(i, k)| (i + k) % 5 > 0);
        let pairs = [[0, 1], [1, 3], [2, 3]];
        let how = (Permutation::Random { seed: 4 }, Unit::Cell);
        let views = [&metrics[0].view(), &metrics[1].view()];
        let found = hybrid_differences(views, &rated.view(), &pairs, how, 2..6);
        let swapped = swapped_cells(systems * segments, 2..6, 4);
        for draw in 0..4 {
            for hybrid in 0..2 {
                for (pair, [a, b]) in pairs.into_iter().enumerate() {
                    let held = |system: usize, segment: usize| {
                        let swaps = usize::from(swapped[[draw, system * segments + segment]]);
                        metrics[hybrid ^ swaps][[system, segment]]
                    };
                    let both = (0..segments).filter(|&k| rated[[a, k]] && rated[[b, k]]);
                    let differences: Vec<f64> = both.map(|k| held(a, k) - held(b, k)).collect();
                    let squares: f64 = differences.iter().map(|d| d * d).sum();
                    assert_eq!(found[[draw, hybrid, 0, pair]], differences.iter().sum::<f64>());
                    assert_eq!(found[[draw, hybrid, 1, pair]], squares);
                }
            }
        }
    }

    #[test]
    fn an_enumerated_draw_swaps_the_systems_whose_bits_are_set() {
        let metrics = [0.0, 1.0].map(|value| Array2::from_elem((2, 3), value));
        let rated = Array2::from_elem((2, 3), true);
        let how = (Permutation::Enumerated, Unit::System { items: 3 });
        let views = [&metrics[0].view(), &metrics[1].view()];
        let found = hybrid_differences(views, &rated.view(), &[[0, 1]], how, 0..4);
        let first_hybrid: Vec<f64> = (0..4).map(|draw| found[[draw, 0, 0, 0]]).collect();
        assert_eq!(first_hybrid, [0.0, 3.0, -3.0, 0.0]);
    }
}
