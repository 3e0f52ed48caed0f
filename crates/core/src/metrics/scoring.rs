//! Scores of many rows of sums at once: those of all replicates.

use ndarray::parallel::prelude::*;
use ndarray::{ArrayView1, ArrayView2, Axis};
use rayon::slice::ParallelSliceMut;

use crate::parallel;

/// Rows per piece of parallel work; fewer are not worth waking the threads.
const PIECE: usize = 4096;

/// One score for each row of sums, in order.
pub fn scores(sums: &ArrayView2<'_, f64>, score: impl Fn(&[f64]) -> f64 + Sync) -> Vec<f64> {
    let of_row = |row: ArrayView1<'_, f64>| match row.as_slice() {
        Some(row) => score(row),
        None => score(&row.to_vec()),
    };
    let mut scores = vec![0.0; sums.nrows()];
    let fill = |(scores, sums): (&mut [f64], ArrayView2<'_, f64>)| {
        scores.iter_mut().zip(sums.outer_iter()).for_each(|(to, row)| *to = of_row(row));
    };
    if scores.len() <= PIECE {
        fill((&mut scores, sums.view()));
        return scores;
    }
    parallel::run(|| {
        let pieces = sums.axis_chunks_iter(Axis(0), PIECE).into_par_iter();
        scores.par_chunks_mut(PIECE).zip(pieces).for_each(fill);
    });
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn every_row_gets_its_score_in_order() {
        let sums = Array2::from_shape_fn((3 * PIECE + 5, 2), |(i, j)| (i + j) as f64);
        let found = scores(&sums.view(), |row| row[0] * 2.0 + row[1]);
        let expected: Vec<f64> = (0..3 * PIECE + 5).map(|i| (3 * i + 1) as f64).collect();
        assert_eq!(found, expected);
    }
}
