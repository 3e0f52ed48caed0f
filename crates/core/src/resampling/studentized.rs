//! Differences of pairs over their standard errors, after random swaps (Janssen 1997).
//!
//! A unit adds g·x − h·y to the error of a difference, where g and h are the gradients at the swapped sums
//! and x and y the rows of the unit that the two systems have after the swap. With s the sum of both rows
//! and d their difference that is ((g − h)·s ± (g + h)·d) / 2, minus where the unit was swapped: all
//! units are added up column by column, without asking for each which row is whose.

use std::ops::Range;

use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, ArrayView2, ArrayView3, Axis};

use super::swaps::{Coins, Swaps};
use crate::interruption;

/// What a difference without error counts as: no replicate can reach it, and it stays finite.
const CERTAIN: f64 = 1e12;

/// Each pair's difference over its standard error in each replicate, shaped (replicate, pair).
///
/// `rows` are shaped (unit, system, column), `taken` has the sums over the units that each of the
/// replicates swaps, shaped (replicate, system, column), and `sums` those over all units. An error of at most
/// `least` is none.
///
/// # Panics
///
/// May panic unless the shapes fit together.
#[expect(clippy::too_many_arguments, reason = "all of them are settings of one pass")]
pub fn studentized_differences(
    rows: &ArrayView3<'_, f64>,
    taken: &ArrayView3<'_, f64>,
    sums: &ArrayView2<'_, f64>,
    pairs: &[(usize, usize)],
    scoring: &impl Scoring,
    swaps: Swaps,
    replicates: Range<u64>,
    least: f64,
) -> Array2<f64> {
    let mut values = Array2::zeros((taken.dim().0, pairs.len()));
    for (place, &pair) in pairs.iter().enumerate() {
        let pair = Pair::new(rows, sums, pair, scoring);
        values
            .column_mut(place)
            .into_iter()
            .zip(taken.outer_iter())
            .zip(replicates.clone())
            .collect::<Vec<_>>()
            .into_par_iter()
            .for_each_init(Scratch::default, |scratch, ((value, taken), replicate)| {
                interruption::check();
                *value = pair.studentized(&taken, Coins::new(swaps, replicate), least, scratch);
            });
    }
    values
}

/// What makes a score of sums, and its derivatives by each column.
pub trait Scoring: Sync {
    /// The score of one row of sums.
    fn score(&self, sums: &[f64]) -> f64;

    /// Writes the derivative of the score by each column.
    fn gradient(&self, sums: &[f64], gradient: &mut [f64]);
}

/// Two systems whose outputs are swapped.
struct Pair<'a, S> {
    systems: (usize, usize),
    scoring: &'a S,
    sums: (Array1<f64>, Array1<f64>),
    /// The sums and the differences of both systems' rows, by column and unit.
    both: Array2<f64>,
    apart: Array2<f64>,
}

#[derive(Default)]
struct Scratch {
    even: Vec<f64>,
    odd: Vec<f64>,
}

impl<'a, S: Scoring> Pair<'a, S> {
    fn new(
        rows: &ArrayView3<'_, f64>,
        sums: &ArrayView2<'_, f64>,
        (a, b): (usize, usize),
        scoring: &'a S,
    ) -> Self {
        let (one, other) = (rows.index_axis(Axis(1), a), rows.index_axis(Axis(1), b));
        let by_column = |table: Array2<f64>| table.t().as_standard_layout().into_owned();
        Self {
            systems: (a, b),
            scoring,
            sums: (sums.row(a).to_owned(), sums.row(b).to_owned()),
            both: by_column(&one + &other),
            apart: by_column(&one - &other),
        }
    }

    fn studentized(
        &self,
        taken: &ArrayView2<'_, f64>,
        mut coins: Coins,
        least: f64,
        scratch: &mut Scratch,
    ) -> f64 {
        let moved = &taken.row(self.systems.1) - &taken.row(self.systems.0);
        let (first, second) = (&self.sums.0 + &moved, &self.sums.1 - &moved);
        let (g, h) = (self.gradient(&first), self.gradient(&second));
        let units = self.both.ncols();
        weighted(&self.both, g.iter().zip(&h).map(|(g, h)| (g - h) / 2.0), &mut scratch.even);
        weighted(&self.apart, g.iter().zip(&h).map(|(g, h)| (g + h) / 2.0), &mut scratch.odd);
        let each = &mut scratch.even;
        for (each, odd) in each.chunks_mut(64).zip(scratch.odd.chunks(64)) {
            let bits = coins.next();
            for (unit, (each, odd)) in each.iter_mut().zip(odd).enumerate() {
                *each += if bits >> unit & 1 == 1 { -odd } else { *odd };
            }
        }
        let mean = each.iter().sum::<f64>() / units as f64;
        let squares: f64 = each.iter().map(|each| (each - mean) * (each - mean)).sum();
        let error = (squares * units as f64 / (units as f64 - 1.0)).sqrt();
        let difference = self.score(&first) - self.score(&second);
        if error > least {
            difference / error
        } else if difference.abs() <= least {
            0.0
        } else {
            CERTAIN.copysign(difference)
        }
    }

    fn score(&self, sums: &Array1<f64>) -> f64 {
        self.scoring.score(&sums.to_vec())
    }

    fn gradient(&self, sums: &Array1<f64>) -> Vec<f64> {
        let mut gradient = vec![0.0; sums.len()];
        self.scoring.gradient(&sums.to_vec(), &mut gradient);
        gradient
    }
}

/// Adds up the columns with their weights, unit by unit.
fn weighted(columns: &Array2<f64>, weights: impl Iterator<Item = f64>, sums: &mut Vec<f64>) {
    sums.clear();
    sums.resize(columns.ncols(), 0.0);
    for (column, weight) in columns.outer_iter().zip(weights) {
        sums.iter_mut().zip(column).for_each(|(sum, cell)| *sum += weight * cell);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array3;

    use super::super::swaps::swapped_sums;
    use super::*;

    /// The first column over the second.
    struct Ratio;

    impl Scoring for Ratio {
        fn score(&self, sums: &[f64]) -> f64 {
            sums[0] / sums[1]
        }

        fn gradient(&self, sums: &[f64], gradient: &mut [f64]) {
            gradient.copy_from_slice(&[1.0 / sums[1], -sums[0] / (sums[1] * sums[1])]);
        }
    }

    /// The same by its definition: rows swapped one by one, then the delta method.
    fn plainly(rows: &Array3<f64>, (a, b): (usize, usize), replicate: u64) -> f64 {
        let side = |own: usize, other: usize| -> Vec<[f64; 2]> {
            (0..rows.dim().0)
                .map(|unit| if replicate >> unit & 1 == 1 { other } else { own })
                .enumerate()
                .map(|(unit, system)| [rows[[unit, system, 0]], rows[[unit, system, 1]]])
                .collect()
        };
        let total = |rows: &[[f64; 2]]| {
            [rows.iter().map(|row| row[0]).sum::<f64>(), rows.iter().map(|row| row[1]).sum()]
        };
        let added = |rows: &[[f64; 2]]| -> Vec<f64> {
            let mut gradient = [0.0; 2];
            Ratio.gradient(&total(rows), &mut gradient);
            rows.iter().map(|row| gradient[0] * row[0] + gradient[1] * row[1]).collect()
        };
        let (first, second) = (side(a, b), side(b, a));
        let each: Vec<f64> = added(&first)
            .iter()
            .zip(added(&second))
            .map(|(first, second)| first - second)
            .collect();
        let n = each.len() as f64;
        let mean = each.iter().sum::<f64>() / n;
        let variance = each.iter().map(|e| (e - mean).powi(2)).sum::<f64>() * n / (n - 1.0);
        (Ratio.score(&total(&first)) - Ratio.score(&total(&second))) / variance.sqrt()
    }

    #[test]
    fn a_swapped_unit_counts_with_the_rows_that_the_systems_have_then() {
        let rows = Array3::from_shape_fn((6, 3, 2), |(unit, system, column)| {
            ((unit * 7 + system * 5 + column * 3) % 11) as f64 + if column == 1 { 9.0 } else { 0.0 }
        });
        let flat = rows.view().into_shape_with_order((6, 6)).expect("rows are contiguous");
        let taken = swapped_sums(&flat, Swaps::Enumerated, 5..64, 0);
        let taken = taken.into_shape_with_order((59, 3, 2)).expect("sums are contiguous");
        let sums = rows.sum_axis(Axis(0));
        let pairs = [(0, 1), (2, 0)];
        let values = studentized_differences(
            &rows.view(),
            &taken.view(),
            &sums.view(),
            &pairs,
            &Ratio,
            Swaps::Enumerated,
            5..64,
            1e-12,
        );
        for ((row, place), value) in values.indexed_iter() {
            let expected = plainly(&rows, pairs[place], 5 + row as u64);
            assert!(
                (value - expected).abs() < 1e-9 * expected.abs().max(1.0),
                "{value} {expected}"
            );
        }
    }
}
