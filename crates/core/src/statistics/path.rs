//! The mean gradient of a score on straight paths between sums, which splits their difference by column.

use ndarray::{Array2, ArrayView2, Axis};

use crate::metrics::{Metric, WidthError};

/// Nodes and weights of the Gauss-Legendre rule with four points on [0, 1]: exact for polynomials up to degree 7.
const RULE: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];
/// Depth at which a part of the path is so short that it holds a kink or a jump, and is left as it is.
const MAX_DEPTH: u32 = 48;
/// Parts of a path that are cut at one depth: kinks are few, the noise of a gradient is everywhere.
const MAX_CUTS: usize = 8;
/// Error of a gradient, relative to its largest terms, up to which parts are not cut.
const NOISE: f64 = 1e-11;
/// Remainder after integrating that is rounding, relative to the scores.
const REMAINDER: f64 = 1e-7;
/// Error of a piece of a path, relative to the scores, up to which contributions are exact.
const EXACT: f64 = 1e-13;

/// A score of sums with a gradient.
pub trait Smooth {
    /// Error of a score that cannot be computed.
    type Error;

    /// Returns the score of each row of sums.
    fn scores(&self, sums: &ArrayView2<'_, f64>) -> Result<Vec<f64>, Self::Error>;

    /// Returns the derivative of the score by each column, for each row of sums.
    fn gradients(&self, sums: &ArrayView2<'_, f64>) -> Result<Array2<f64>, Self::Error>;
}

impl Smooth for dyn Metric + '_ {
    type Error = WidthError;

    fn scores(&self, sums: &ArrayView2<'_, f64>) -> Result<Vec<f64>, WidthError> {
        Metric::scores(self, sums)
    }

    fn gradients(&self, sums: &ArrayView2<'_, f64>) -> Result<Array2<f64>, WidthError> {
        self.gradient(sums)
    }
}

/// Mean gradients on paths.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanGradients {
    /// The mean gradient of each path, shaped (path, column).
    pub gradients: Array2<f64>,
    /// Remainder of the difference of each path after the gradient; 0 unless the score jumps along
    /// it.
    pub unattributed: Vec<f64>,
}

/// A part of a path, by its beginning on [0, 1].
#[derive(Debug, Clone, Copy)]
struct Part {
    path: usize,
    low: f64,
}

/// Integrand: the score on the paths from `starts`, shaped (path, column), along `steps`.
struct Paths<'a, S: ?Sized> {
    score: &'a S,
    starts: &'a ArrayView2<'a, f64>,
    steps: Array2<f64>,
}

/// Integrates the gradient on the straight paths between sums, shaped (path, column).
///
/// A path is halved wherever the integral misses the difference of the scores at both ends, until the pieces
/// around a kink (equal lengths under a brevity penalty, say) are too short to matter. `tolerance` is the error
/// of a piece up to which it is not halved, relative to the scores.
///
/// # Panics
///
/// Panics unless starts and ends have the same shape.
pub fn mean_gradients<S: Smooth + ?Sized>(
    score: &S,
    starts: &ArrayView2<'_, f64>,
    ends: &ArrayView2<'_, f64>,
    tolerance: f64,
) -> Result<MeanGradients, S::Error> {
    let paths = Paths { score, starts, steps: ends - starts };
    let scores = (score.scores(starts)?, score.scores(ends)?);
    let scales = scores.0.iter().zip(&scores.1);
    let scales: Vec<f64> = scales.map(|(a, b)| a.abs().max(b.abs()).max(1e-300)).collect();
    let mut gradients = Array2::zeros(starts.raw_dim());
    let mut noise = vec![NOISE; starts.nrows()];
    let mut parts: Vec<Part> = (0..starts.nrows()).map(|path| Part { path, low: 0.0 }).collect();
    let mut width = 1.0;
    for depth in 0..=MAX_DEPTH {
        let pieces = paths.pieces(&parts, width)?;
        let changes = paths.changes(&parts, width)?;
        let mut halves = Vec::new();
        let mut first = 0;
        for group in parts.chunk_by(|one, other| one.path == other.path) {
            let path = group[0].path;
            let misses: Vec<Miss> = (first..first + group.len())
                .map(|part| Miss::new(changes[part], paths.terms(&pieces, part, path)))
                .collect();
            let limit = |miss: &Miss, noise: f64| tolerance * scales[path] + noise * miss.size;
            let is_cut = |miss: &Miss, noise: f64| miss.missed > limit(miss, noise);
            // A gradient is good to some digits only, and its terms may cancel. One by differences has fewer
            // good digits, which shows where every part misses.
            while misses.iter().filter(|miss| is_cut(miss, noise[path])).count() > MAX_CUTS {
                noise[path] *= 10.0;
            }
            for (part, miss) in group.iter().zip(&misses) {
                if depth < MAX_DEPTH && is_cut(miss, noise[path]) {
                    halves.push(*part);
                    halves.push(Part { path, low: part.low + width / 2.0 });
                } else {
                    let mut sum = gradients.row_mut(path);
                    sum += &pieces.row(first);
                }
                first += 1;
            }
        }
        if halves.is_empty() {
            break;
        }
        parts = halves;
        width /= 2.0;
    }
    let mut unattributed = Vec::with_capacity(scales.len());
    for (path, scale) in scales.into_iter().enumerate() {
        let difference = scores.1[path] - scores.0[path];
        let smallest = REMAINDER.max(100.0 * tolerance) * scale;
        let (mut gradient, step) = (gradients.row_mut(path), paths.steps.row(path));
        let terms: Vec<f64> = gradient.iter().zip(step).map(|(slope, step)| slope * step).collect();
        let Miss { remainder, size, .. } = Miss::new(difference, terms.iter().copied());
        if remainder.abs() > smallest || remainder.is_nan() {
            unattributed.push(remainder);
            continue;
        }
        unattributed.push(0.0);
        if size > 0.0 {
            // Terms on the side of the remainder grow and the others shrink, all by the same share.
            for (slope, term) in gradient.iter_mut().zip(terms) {
                let direction = if term == 0.0 { 0.0 } else { term.signum() };
                *slope *= 1.0 + remainder / size * direction;
            }
        }
    }
    Ok(MeanGradients { gradients, unattributed })
}

/// Splits the difference of two systems into contributions of segments: the difference of a segment's counts
/// times the mean gradient on the path between the systems' sums.
///
/// The counts are shaped (segment, column).
pub fn contributions<S: Smooth + ?Sized>(
    score: &S,
    first: &ArrayView2<'_, f64>,
    second: &ArrayView2<'_, f64>,
) -> Result<Vec<f64>, S::Error> {
    let sums = |rows: &ArrayView2<'_, f64>| rows.sum_axis(Axis(0)).insert_axis(Axis(0));
    let found = mean_gradients(score, &sums(second).view(), &sums(first).view(), EXACT)?;
    Ok((first - second).dot(&found.gradients.row(0)).to_vec())
}

/// Error of terms that should add up to a difference.
#[derive(Debug, Clone, Copy)]
struct Miss {
    remainder: f64,
    missed: f64,
    /// The sum of the sizes of the terms.
    size: f64,
}

impl Miss {
    fn new(difference: f64, terms: impl Iterator<Item = f64>) -> Self {
        let (sum, size) =
            terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
        let remainder = difference - sum;
        Self { remainder, missed: remainder.abs(), size }
    }
}

impl<S: Smooth + ?Sized> Paths<'_, S> {
    /// Returns the sums at a place of each path, which ranges over [0, 1].
    fn points(&self, places: impl ExactSizeIterator<Item = (usize, f64)>) -> Array2<f64> {
        let mut points = Array2::zeros((places.len(), self.starts.ncols()));
        for ((path, place), mut point) in places.zip(points.outer_iter_mut()) {
            point.assign(&self.starts.row(path));
            point.scaled_add(place, &self.steps.row(path));
        }
        points
    }

    /// Integrates the gradient over each part.
    fn pieces(&self, parts: &[Part], width: f64) -> Result<Array2<f64>, S::Error> {
        let nodes = RULE.len();
        let places = (0..parts.len() * nodes).map(|index| {
            let part = parts[index / nodes];
            (part.path, part.low + width * RULE[index % nodes].0)
        });
        let slopes = self.score.gradients(&self.points(places).view())?;
        let mut pieces = Array2::zeros((parts.len(), self.starts.ncols()));
        for (index, slopes) in slopes.axis_iter(Axis(0)).enumerate() {
            pieces.row_mut(index / nodes).scaled_add(width * RULE[index % nodes].1, &slopes);
        }
        Ok(pieces)
    }

    /// Returns by how much the score changes over each part.
    fn changes(&self, parts: &[Part], width: f64) -> Result<Vec<f64>, S::Error> {
        let places = (0..2 * parts.len()).map(|index| {
            let part = parts[index / 2];
            (part.path, if index % 2 == 0 { part.low } else { part.low + width })
        });
        let scores = self.score.scores(&self.points(places).view())?;
        Ok(scores.chunks_exact(2).map(|ends| ends[1] - ends[0]).collect())
    }

    /// Returns the contribution of each column of a piece to the difference of its path.
    fn terms<'a>(
        &'a self,
        pieces: &'a Array2<f64>,
        part: usize,
        path: usize,
    ) -> impl Iterator<Item = f64> + 'a {
        pieces.row(part).into_iter().zip(self.steps.row(path)).map(|(slope, step)| slope * step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use std::convert::Infallible;

    /// A score and its gradient as functions of one row of sums.
    struct Function<S, G>(S, G);

    impl<S: Fn(&[f64]) -> f64, G: Fn(&[f64]) -> Vec<f64>> Smooth for Function<S, G> {
        type Error = Infallible;

        fn scores(&self, sums: &ArrayView2<'_, f64>) -> Result<Vec<f64>, Infallible> {
            Ok(sums.outer_iter().map(|row| self.0(&row.to_vec())).collect())
        }

        fn gradients(&self, sums: &ArrayView2<'_, f64>) -> Result<Array2<f64>, Infallible> {
            let rows = sums.outer_iter().flat_map(|row| self.1(&row.to_vec())).collect();
            Ok(Array2::from_shape_vec(sums.raw_dim(), rows).unwrap_or_default())
        }
    }

    fn integrate(
        score: &impl Smooth<Error = Infallible>,
        start: [f64; 2],
        end: [f64; 2],
    ) -> (Vec<f64>, f64) {
        let (starts, ends) = (array![start], array![end]);
        let Ok(found) = mean_gradients(score, &starts.view(), &ends.view(), 1e-13);
        (found.gradients.row(0).to_vec(), found.unattributed[0])
    }

    fn assert_close(found: &[f64], expected: [f64; 2]) {
        let far = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far < 1e-12, "found {found:?}, expected {expected:?}");
    }

    #[test]
    fn a_polynomial_has_the_mean_of_its_gradient() {
        // x^3 y on the way from (1, 1) to (3, 2), where y = (x + 1) / 2: the means of 3 x^2 y and x^3.
        let cubic = Function(
            |row: &[f64]| row[0].powi(3) * row[1],
            |row: &[f64]| vec![3.0 * row[0].powi(2) * row[1], row[0].powi(3)],
        );
        let (gradient, rest) = integrate(&cubic, [1.0, 1.0], [3.0, 2.0]);
        assert_close(&gradient, [21.5, 10.0]);
        assert_eq!(rest, 0.0);
    }

    #[test]
    fn a_kink_is_found_wherever_it_is() {
        let kink = Function(
            |row: &[f64]| row[0].min(1.0 / 3.0) + row[1],
            |row: &[f64]| vec![if row[0] < 1.0 / 3.0 { 1.0 } else { 0.0 }, 1.0],
        );
        let (gradient, rest) = integrate(&kink, [0.0, 5.0], [1.0, 5.0]);
        assert_close(&gradient, [1.0 / 3.0, 1.0]);
        assert_eq!(rest, 0.0);
    }

    #[test]
    fn a_jump_is_not_attributed() {
        let jump = Function(
            |row: &[f64]| row[1] + if row[0] > 0.3 { 7.0 } else { 0.0 },
            |_: &[f64]| vec![0.0, 1.0],
        );
        let (gradient, rest) = integrate(&jump, [0.0, 0.0], [1.0, 2.0]);
        assert_close(&gradient, [0.0, 1.0]);
        assert!((rest - 7.0).abs() < 1e-12);
    }

    #[test]
    fn the_noise_of_a_gradient_is_spread_over_the_columns() {
        // A gradient that is wrong in the tenth digit, in another direction at each place.
        let noisy = Function(
            |row: &[f64]| row[0] - row[1],
            |row: &[f64]| {
                let noise = 1e-10 * (1e4 * row[0]).sin();
                vec![1.0 + noise, -1.0 + noise]
            },
        );
        let (gradient, rest) = integrate(&noisy, [0.0, 0.0], [2.0, 1.0]);
        assert!((gradient[0] - 1.0).abs() < 1e-9 && (gradient[1] + 1.0).abs() < 1e-9);
        assert!((2.0 * gradient[0] + gradient[1] - 1.0).abs() < 1e-15);
        assert_eq!(rest, 0.0);
    }

    #[test]
    fn many_jumps_come_to_an_end() {
        let steps = Function(|row: &[f64]| (row[0] * 50.0).floor(), |_: &[f64]| vec![0.0, 0.0]);
        let (gradient, rest) = integrate(&steps, [0.0, 0.0], [1.0, 1.0]);
        assert_eq!(gradient, [0.0, 0.0]);
        assert_eq!(rest, 50.0);
    }

    #[test]
    fn contributions_add_up_to_the_difference() {
        let product = Function(|row: &[f64]| row[0] * row[1], |row: &[f64]| vec![row[1], row[0]]);
        let (first, second) = (array![[2.0, 1.0], [2.0, 0.0]], array![[1.0, 1.0], [1.0, 2.0]]);
        // The mean gradient on the way from (2, 3) to (4, 1) is (2, 3).
        let Ok(found) = contributions(&product, &first.view(), &second.view());
        assert_eq!(found, [2.0, -4.0]);
    }

    #[test]
    fn paths_are_independent_of_each_other() {
        let kink = Function(
            |row: &[f64]| (row[0] - row[1]).max(0.0).powi(2),
            |row: &[f64]| {
                let slope = 2.0 * (row[0] - row[1]).max(0.0);
                vec![slope, -slope]
            },
        );
        let starts = array![[0.0, 0.1], [3.0, 1.0], [0.0, 7.0]];
        let ends = array![[1.0, 0.2], [0.3, 1.0], [9.0, 0.0]];
        let Ok(found) = mean_gradients(&kink, &starts.view(), &ends.view(), 1e-13);
        for path in 0..3 {
            let (start, end) = (starts.row(path), ends.row(path));
            let (alone, _) = integrate(&kink, [start[0], start[1]], [end[0], end[1]]);
            assert_eq!(found.gradients.row(path).to_vec(), alone);
        }
    }

    #[test]
    fn nothing_moves_on_a_path_of_no_length() {
        let root =
            Function(|row: &[f64]| row[0].sqrt(), |row: &[f64]| vec![0.5 / row[0].sqrt(), 0.0]);
        let (gradient, rest) = integrate(&root, [4.0, 1.0], [4.0, 1.0]);
        assert_close(&gradient, [0.25, 0.0]);
        assert_eq!(rest, 0.0);
    }
}
