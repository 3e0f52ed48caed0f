//! Summaries of bootstrap scores and of rows of units by system and by pair, without keeping
//! differences.

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, ArrayView3, ArrayViewMut1, Zip};

use crate::interruption;

/// Selects each pair's differences at the given ranks, shaped (rank, pair).
///
/// `scores` are shaped (system, replicate). Ranks ascend, and count from 0 for the smallest.
#[must_use]
pub fn ranked(
    scores: &ArrayView2<'_, f64>,
    pairs: &[(usize, usize)],
    ranks: &[usize],
) -> Array2<f64> {
    let mut ranked = Array2::zeros((pairs.len(), ranks.len()));
    ranked.outer_iter_mut().into_par_iter().enumerate().for_each_init(
        Vec::new,
        |values, (place, ranked)| {
            interruption::check();
            subtract(scores, pairs[place], values);
            select(values, ranks, ranked);
        },
    );
    ranked.reversed_axes()
}

/// Puts the values at some ranks, which ascend, into `selected`, and the values into another order.
fn select(values: &mut [f64], ranks: &[usize], selected: ArrayViewMut1<'_, f64>) {
    let mut start = 0;
    let mut last = f64::NAN;
    for (&rank, selected) in ranks.iter().zip(selected) {
        // All values before `start` are the smallest; the one of the last rank is next to it.
        if rank >= start {
            let (_, value, _) =
                values[start..].select_nth_unstable_by(rank - start, f64::total_cmp);
            (start, last) = (rank + 1, *value);
        }
        *selected = last;
    }
}

/// Computes the differences of a pair in all replicates.
fn subtract(scores: &ArrayView2<'_, f64>, (a, b): (usize, usize), differences: &mut Vec<f64>) {
    differences.resize(scores.ncols(), 0.0);
    let into = ArrayViewMut1::from(&mut differences[..]);
    Zip::from(into)
        .and(scores.row(a))
        .and(scores.row(b))
        .for_each(|into, first, second| *into = first - second);
}

/// Counts the replicates in which the first system of each pair scores higher, and lower.
///
/// `scores` are shaped (system, replicate). A difference counts as a tie up to `tolerance` times
/// the larger of `scale` and the largest difference of the pair.
#[must_use]
pub fn above_and_below(
    scores: &ArrayView2<'_, f64>,
    pairs: &[(usize, usize)],
    tolerance: f64,
    scale: f64,
) -> (Vec<u64>, Vec<u64>) {
    pairs
        .par_iter()
        .map_init(Vec::new, |differences, &pair| {
            interruption::check();
            subtract(scores, pair, differences);
            let largest = differences.iter().fold(0.0, |largest: f64, d| largest.max(d.abs()));
            let tie = tolerance * largest.max(scale);
            let above = differences.iter().filter(|d| **d > tie).count() as u64;
            let below = differences.iter().filter(|d| **d < -tie).count() as u64;
            (above, below)
        })
        .unzip()
}

/// Counts, for each pair, the units in which the rows of its systems differ.
///
/// `rows` are shaped (unit, system, column).
#[must_use]
pub fn differing_units(rows: &ArrayView3<'_, f64>, pairs: &[(usize, usize)]) -> Vec<u64> {
    let rows = rows.as_standard_layout();
    pairs
        .par_iter()
        .map(|&pair| {
            interruption::check();
            units_of(&rows.view(), pair).filter(|(first, second)| first != second).count() as u64
        })
        .collect()
}

/// Yields the rows of two systems, unit by unit; all rows are stored one after the other.
fn units_of<'a>(
    rows: &ArrayView3<'a, f64>,
    (a, b): (usize, usize),
) -> impl Iterator<Item = (&'a [f64], &'a [f64])> + use<'a> {
    let (_, systems, width) = rows.dim();
    let cells = rows.to_slice().unwrap_or_default();
    cells
        .chunks_exact((systems * width).max(1))
        .map(move |unit| (&unit[a * width..(a + 1) * width], &unit[b * width..(b + 1) * width]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn scores() -> Array2<f64> {
        Array2::from_shape_fn((3, 41), |(system, replicate)| {
            ((replicate * 13 + system * 29) % 37) as f64
        })
    }

    fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut sorted: Vec<f64> = values.collect();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    #[test]
    fn ranks_are_those_of_sorted_values() {
        let (scores, pairs, ranks) = (scores(), [(0, 1), (2, 0)], [0, 3, 20, 20, 37, 40]);
        let of_pairs = ranked(&scores.view(), &pairs, &ranks);
        let at_ranks = |sorted: Vec<f64>| ranks.map(|rank| sorted[rank]).to_vec();
        for (place, &(a, b)) in pairs.iter().enumerate() {
            let expected = sorted((0..41).map(|r| scores[[a, r]] - scores[[b, r]]));
            assert_eq!(of_pairs.column(place).to_vec(), at_ranks(expected));
        }
    }

    #[test]
    fn wins_are_counted_by_sign() {
        let scores = array![[1.0, 2.0, 3.0, 4.0], [2.0, 2.0 + 1e-12, 1.0, 3.0]];
        let counted = above_and_below(&scores.view(), &[(0, 1), (1, 0)], 1e-9, 1.0);
        assert_eq!(counted, (vec![2, 1], vec![1, 2]));
    }

    #[test]
    fn units_differ_where_any_count_does() {
        let rows =
            array![[[1.0, 2.0], [1.0, 2.0]], [[3.0, 5.0], [4.0, 5.0]], [[0.0, 2.0], [0.0, 6.0]]];
        assert_eq!(differing_units(&rows.view(), &[(0, 1), (1, 1)]), vec![2, 0]);
    }
}
