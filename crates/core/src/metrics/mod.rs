//! Step 3, count and score: segments become rows of counts, and summed rows become a score.
//!
//! Every metric is one struct that holds its settings and implements [`Metric`]. Its rows add up:
//! the score of a text, a part of it or a resampled test set is the score of the sum of their rows.
//!
//! ```
//! use truebleu_core::corpus::Segments;
//! use truebleu_core::metrics::{Metric, bleu::Bleu, count, sum_rows};
//!
//! let output: Segments = [Some("the cat sat on the mat")].into_iter().collect();
//! let reference: Segments = [Some("the cat sat on a mat")].into_iter().collect();
//! let bleu = Bleu::default();
//! let rows = count(&bleu, &[&output], &[&reference])?;
//! let score = bleu.score(&sum_rows(&rows, bleu.width()))?;
//! assert!((score - 53.728497).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bleu;
pub mod chrf;
pub mod dependency;
pub mod gtm;
pub mod length;
pub mod mbleu;
pub mod mean;
pub(crate) mod ngrams;
pub mod nist;
pub mod per;
pub mod prepared;
pub mod sentence_bleu;
pub mod settings;
pub(crate) mod symbols;
pub mod ter;
pub mod wer;
pub mod words;

use std::error::Error;
use std::fmt;

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis};
use rayon::slice::ParallelSliceMut;

use crate::corpus::{Segments, Window};
use crate::interruption;

/// Segments per piece of parallel work: large enough to share scratch space, small enough to
/// balance.
///
/// Test sets of at most this size are counted on the calling thread, because waking other threads
/// takes longer.
pub const SEGMENTS_PER_PIECE: usize = 32;

/// Rows of sums per piece of parallel work; at most this many are scored on the calling thread.
pub const ROWS_PER_PIECE: usize = 4096;

/// A metric with its settings: it counts segments, and scores every sum of their rows.
///
/// A new metric implements `width`, `counter`, `score_row`, `gradient_row` and `details_row`.
/// Callers use the methods that check the width first. The parallel ones run in the current thread
/// pool of [rayon](https://docs.rs/rayon): install a pool around the call to choose the number of
/// threads, which changes the time and never a digit.
pub trait Metric: fmt::Debug + Send + Sync {
    /// Returns the number of columns in a row.
    fn width(&self) -> usize;

    /// Creates a counter for the segments of one test set.
    fn counter(&self) -> Box<dyn Counter + '_>;

    /// Prepares the references of one segment, to count outputs against them later; `None` if the
    /// metric prepares nothing.
    fn prepare(&self, _references: &[&str]) -> Option<Box<dyn prepared::Prepared>> {
        None
    }

    /// Returns true if some segment can have this row; by default, if no count is negative.
    ///
    /// # Panics
    ///
    /// May panic unless the row has [`width`](Self::width) columns.
    fn is_possible(&self, row: &[f64]) -> bool {
        row.iter().all(|&count| count >= 0.0)
    }

    /// Computes the score of one row of sums.
    ///
    /// # Panics
    ///
    /// May panic unless the row has [`width`](Self::width) columns; [`score`](Self::score) checks.
    fn score_row(&self, sums: &[f64]) -> f64;

    /// Computes the score of one row of sums faster; may differ from `score_row` in its last
    /// digits.
    ///
    /// # Panics
    ///
    /// Panics if [`score_row`](Self::score_row) does.
    fn quick_score_row(&self, sums: &[f64]) -> f64 {
        self.score_row(sums)
    }

    /// Writes the quick scores of rows of sums stored by column: the first column of all rows, then
    /// the second.
    ///
    /// # Panics
    ///
    /// May panic unless there are [`width`](Self::width) columns with one number per score.
    fn quick_scores(&self, columns: &[f64], scores: &mut [f64]) {
        let count = scores.len();
        let mut row = vec![0.0; self.width()];
        for (index, score) in scores.iter_mut().enumerate() {
            row.iter_mut()
                .zip(columns[index..].iter().step_by(count))
                .for_each(|(to, from)| *to = *from);
            *score = self.quick_score_row(&row);
        }
    }

    /// Writes the derivative of the score by each column of one row of sums.
    ///
    /// At a kink, such as equal lengths under a brevity penalty, it is the derivative of the side
    /// on which the score is computed; if a rule sets the score (to 0 without a match, say), it is
    /// 0.
    ///
    /// # Panics
    ///
    /// May panic unless both slices have [`width`](Self::width) columns; [`gradient`](Self::gradient)
    /// checks.
    fn gradient_row(&self, sums: &[f64], gradient: &mut [f64]);

    /// Computes the score of one row of sums and its parts; the score comes first.
    ///
    /// # Panics
    ///
    /// Panics if [`score_row`](Self::score_row) does.
    fn details_row(&self, sums: &[f64]) -> Details;

    /// Computes the score of one row of sums.
    fn score(&self, sums: &[f64]) -> Result<f64, WidthError> {
        check_width(self.width(), sums.len())?;
        Ok(self.score_row(sums))
    }

    /// Computes the score of each row of sums, in order.
    fn scores(&self, sums: &ArrayView2<'_, f64>) -> Result<Vec<f64>, WidthError> {
        check_width(self.width(), sums.ncols())?;
        Ok(scores(sums, |row| self.score_row(row)))
    }

    /// Computes the derivative of the score by each column, for each row of sums.
    fn gradient(&self, sums: &ArrayView2<'_, f64>) -> Result<Array2<f64>, WidthError> {
        check_width(self.width(), sums.ncols())?;
        Ok(gradients(sums, |row, gradient| self.gradient_row(row, gradient)))
    }

    /// Computes the score of one row of sums and its parts; the score comes first.
    fn details(&self, sums: &[f64]) -> Result<Details, WidthError> {
        check_width(self.width(), sums.len())?;
        Ok(self.details_row(sums))
    }
}

/// The parts of a score by name, in a fixed order.
pub type Details = Vec<(&'static str, Part)>;

/// One part of a score.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A whole number.
    Count(f64),
    /// Any number.
    Number(f64),
    /// One number for each order of n-grams.
    Numbers(Vec<f64>),
}

/// Rows of sums whose number of columns is not the metric's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WidthError {
    /// Number of columns of the metric.
    pub expected: usize,
    /// Number of columns of the rows.
    pub found: usize,
}

impl fmt::Display for WidthError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "found {} columns, expected {}", self.found, self.expected)
    }
}

impl Error for WidthError {}

fn check_width(expected: usize, found: usize) -> Result<(), WidthError> {
    if found == expected { Ok(()) } else { Err(WidthError { expected, found }) }
}

/// Counter for the segments of one test set, block by block.
///
/// Most metrics count a segment by itself. If the rows depend on all references, as NIST's do,
/// `needs_all_references` returns true: then all blocks of references are added and finished before
/// any output is counted.
pub trait Counter: Send + Sync {
    /// Returns true if the references of all segments must be added before any output is counted.
    fn needs_all_references(&self) -> bool {
        false
    }

    /// Adds the references of the next block of segments.
    fn add_references(&mut self, _references: &[Window<'_>], _segments: usize) {}

    /// Finishes the references after the last block.
    fn finish_references(&mut self) {}

    /// Counts a block of segments: for each segment, in order, one row per system.
    ///
    /// `first` is the index of the block's first segment in the test set; the length of `rows`
    /// gives the number of segments. Each segment must have at least one reference; an absent
    /// output counts as empty.
    fn count(
        &self,
        systems: &[Window<'_>],
        references: &[Window<'_>],
        first: usize,
        rows: &mut [f64],
    );
}

/// Texts that cannot be counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountError {
    /// A text whose number of segments is not the first system's.
    UnequalLengths {
        /// Number of segments of the first system.
        expected: usize,
        /// Number of segments of the text.
        found: usize,
    },
    /// The index of a segment without a reference.
    NoReference(usize),
}

impl fmt::Display for CountError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnequalLengths { expected, found } => {
                write!(formatter, "a text of {found} segments, expected {expected}")
            }
            Self::NoReference(index) => {
                write!(formatter, "segment {}: no reference, expected at least one", index + 1)
            }
        }
    }
}

impl Error for CountError {}

/// Counts all systems: for each segment, in order, one row per system.
///
/// The outputs of a segment are counted together, so that its references are indexed once.
pub fn count(
    metric: &dyn Metric,
    systems: &[&Segments],
    references: &[&Segments],
) -> Result<Vec<f64>, CountError> {
    let segments = systems.first().map_or(0, |text| text.len());
    if let Some(text) = systems.iter().chain(references).find(|text| text.len() != segments) {
        return Err(CountError::UnequalLengths { expected: segments, found: text.len() });
    }
    let systems: Vec<_> = systems.iter().map(|text| Window::new(text, 0)).collect();
    let references: Vec<_> = references.iter().map(|text| Window::new(text, 0)).collect();
    if let Some(index) = without_reference(&references, segments) {
        return Err(CountError::NoReference(index));
    }
    let mut counter = metric.counter();
    if counter.needs_all_references() {
        counter.add_references(&references, segments);
        counter.finish_references();
    }
    let mut rows = vec![0.0; segments * systems.len() * metric.width()];
    counter.count(&systems, &references, 0, &mut rows);
    Ok(rows)
}

/// Returns the index of the first segment without a reference, if any.
#[must_use]
pub fn without_reference(references: &[Window<'_>], segments: usize) -> Option<usize> {
    (0..segments).find(|&index| references.iter().all(|text| text.get(index).is_none()))
}

/// Sums the rows of one system.
#[must_use]
pub fn sum_rows(rows: &[f64], width: usize) -> Vec<f64> {
    let mut sums = vec![0.0; width];
    for row in rows.chunks(width.max(1)) {
        sums.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
    }
    sums
}

/// Returns true if all numbers are counts: whole and not negative.
#[must_use]
pub fn are_counts(numbers: &[f64]) -> bool {
    numbers.iter().all(|&number| number >= 0.0 && number.fract() == 0.0)
}

/// One segment of all texts.
#[derive(Debug, Clone, Copy)]
pub struct Segment<'a> {
    /// References of the segment, at least one.
    pub references: &'a [&'a str],
    /// Output of each system.
    pub outputs: &'a [&'a str],
}

/// A counter of single segments.
pub trait SegmentCounter: Sync {
    /// Memory reused from segment to segment.
    type Scratch: Default + Send;

    /// Creates the memory of one thread.
    fn scratch(&self) -> Self::Scratch {
        Self::Scratch::default()
    }

    /// Counts the outputs of all systems, one row each; the references are indexed once.
    fn count_segment(&self, segment: Segment<'_>, rows: &mut [f64], scratch: &mut Self::Scratch);
}

/// The counter of a metric that counts each segment by itself.
#[derive(Debug)]
pub struct BySegment<'a, C> {
    counter: &'a C,
    width: usize,
}

impl<'a, C: SegmentCounter> BySegment<'a, C> {
    /// Creates a counter of rows with `width` columns.
    #[must_use]
    pub fn new(counter: &'a C, width: usize) -> Self {
        Self { counter, width }
    }
}

impl<C: SegmentCounter + Send> Counter for BySegment<'_, C> {
    fn count(
        &self,
        systems: &[Window<'_>],
        references: &[Window<'_>],
        _first: usize,
        rows: &mut [f64],
    ) {
        let scratch = || (self.counter.scratch(), Vec::with_capacity(references.len()));
        by_segment(self.width, systems, rows, scratch, |index, outputs, rows, scratch| {
            let (scratch, present) = scratch;
            present.clear();
            present.extend(references.iter().filter_map(|reference| reference.get(index)));
            self.counter.count_segment(Segment { references: present, outputs }, rows, scratch);
        });
    }
}

/// Calls `count` for each segment, in parallel, with its index, the outputs of all systems, their
/// rows of `width` columns, and scratch space.
fn by_segment<S>(
    width: usize,
    systems: &[Window<'_>],
    rows: &mut [f64],
    scratch: impl Fn() -> S + Sync + Send,
    count: impl Fn(usize, &[&str], &mut [f64], &mut S) + Sync + Send,
) {
    let stride = systems.len() * width;
    if stride == 0 {
        return;
    }
    let count_piece = |scratch: &mut S, (piece, rows): (usize, &mut [f64])| {
        let mut outputs = Vec::with_capacity(systems.len());
        for (offset, rows) in rows.chunks_mut(stride).enumerate() {
            interruption::check();
            let index = piece * SEGMENTS_PER_PIECE + offset;
            outputs.clear();
            outputs.extend(systems.iter().map(|system| system.get(index).unwrap_or_default()));
            count(index, &outputs, rows, scratch);
        }
    };
    if rows.len() <= SEGMENTS_PER_PIECE * stride {
        return count_piece(&mut scratch(), (0, rows));
    }
    rows.par_chunks_mut(SEGMENTS_PER_PIECE * stride)
        .enumerate()
        .for_each_init(scratch, count_piece);
}

/// Computes the score of each row of sums, in order.
fn scores(sums: &ArrayView2<'_, f64>, score: impl Fn(&[f64]) -> f64 + Sync) -> Vec<f64> {
    let mut scores = vec![0.0; sums.nrows()];
    let fill = |(scores, sums): (&mut [f64], ArrayView2<'_, f64>)| {
        scores
            .iter_mut()
            .zip(sums.outer_iter())
            .for_each(|(to, row)| *to = with_slice(&row, &score));
    };
    if scores.len() <= ROWS_PER_PIECE {
        fill((&mut scores, sums.view()));
    } else {
        let pieces = sums.axis_chunks_iter(Axis(0), ROWS_PER_PIECE).into_par_iter();
        scores.par_chunks_mut(ROWS_PER_PIECE).zip(pieces).for_each(fill);
    }
    scores
}

/// Computes the gradient of each row of sums, in order.
fn gradients(
    sums: &ArrayView2<'_, f64>,
    gradient: impl Fn(&[f64], &mut [f64]) + Sync,
) -> Array2<f64> {
    let mut gradients = Array2::zeros(sums.dim());
    let fill = |(mut gradients, sums): (ArrayViewMut2<'_, f64>, ArrayView2<'_, f64>)| {
        for (to, row) in gradients.outer_iter_mut().zip(sums.outer_iter()) {
            // The array is new and contiguous, so its rows are slices.
            if let Some(to) = to.into_slice() {
                with_slice(&row, |row| gradient(row, to));
            }
        }
    };
    if sums.nrows() <= ROWS_PER_PIECE {
        fill((gradients.view_mut(), sums.view()));
    } else {
        let pieces = sums.axis_chunks_iter(Axis(0), ROWS_PER_PIECE).into_par_iter();
        gradients
            .axis_chunks_iter_mut(Axis(0), ROWS_PER_PIECE)
            .into_par_iter()
            .zip(pieces)
            .for_each(fill);
    }
    gradients
}

/// Calls `with` with a row as a slice, copied only if it is not contiguous.
fn with_slice<R>(row: &ArrayView1<'_, f64>, with: impl FnOnce(&[f64]) -> R) -> R {
    match row.as_slice() {
        Some(row) => with(row),
        None => with(&row.to_vec()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use ndarray::Array2;

    /// Returns the row of one output.
    pub fn row<M: Metric + SegmentCounter>(
        metric: &M,
        references: &[&str],
        output: &str,
    ) -> Vec<f64> {
        let mut row = vec![0.0; metric.width()];
        let segment = Segment { references, outputs: &[output] };
        metric.count_segment(segment, &mut row, &mut metric.scratch());
        row
    }

    /// Checks the gradient of a metric against central differences, at a row without kinks nearby.
    pub fn check_gradient(metric: &dyn Metric, sums: &[f64]) {
        let mut gradient = vec![f64::NAN; sums.len()];
        metric.gradient_row(sums, &mut gradient);
        for (column, found) in gradient.iter().enumerate() {
            let step = 1e-5 * sums[column].abs().max(1.0);
            let shifted_score = |by: f64| {
                let mut row = sums.to_vec();
                row[column] += by;
                metric.score_row(&row)
            };
            let expected = (shifted_score(step) - shifted_score(-step)) / (2.0 * step);
            let margin = 1e-6 * expected.abs().max(1e-2);
            assert!(
                (found - expected).abs() < margin,
                "{metric:?}, column {column} of {sums:?}: {found} is not {expected}"
            );
        }
    }

    #[test]
    fn every_row_gets_its_score_in_order() {
        let sums = Array2::from_shape_fn((3 * ROWS_PER_PIECE + 5, 2), |(i, j)| (i + j) as f64);
        let found = scores(&sums.view(), |row| row[0] * 2.0 + row[1]);
        let expected: Vec<f64> = (0..3 * ROWS_PER_PIECE + 5).map(|i| (3 * i + 1) as f64).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_row_of_another_width_is_an_error() {
        let metric = bleu::Bleu::default();
        let error = WidthError { expected: 10, found: 3 };
        assert_eq!(metric.score(&[1.0; 3]), Err(error));
        assert_eq!(metric.details(&[1.0; 3]), Err(error));
        assert_eq!(metric.scores(&Array2::zeros((2, 3)).view()), Err(error));
        assert_eq!(metric.gradient(&Array2::zeros((2, 3)).view()), Err(error));
    }

    #[test]
    fn unequal_texts_and_missing_references_are_errors() {
        let text = |lines: &[Option<&'static str>]| lines.iter().copied().collect::<Segments>();
        let metric = bleu::Bleu::default();
        let (two, one) = (text(&[Some("a"), Some("b")]), text(&[Some("a")]));
        let error = CountError::UnequalLengths { expected: 2, found: 1 };
        assert_eq!(count(&metric, &[&two], &[&one]), Err(error));
        let gap = text(&[Some("a"), None]);
        assert_eq!(count(&metric, &[&two], &[&gap]), Err(CountError::NoReference(1)));
        assert_eq!(count(&metric, &[&gap], &[&two]).map(|rows| rows.len()), Ok(20));
        assert_eq!(count(&metric, &[], &[]), Ok(vec![]));
    }
}
