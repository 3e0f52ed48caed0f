//! Batch k-best MIRA (Cherry and Foster, 2012), as Moses' kbmira does it.
//!
//! Segment after segment, the candidate that both the model and the metric like (hope) is moved
//! above the one that the model likes and the metric does not (fear), by the smallest step that
//! separates them by the difference of their gains. A gain is the metric's score together with the
//! background (the choices for the segments before), in words of the reference.

use std::collections::HashMap;
use std::ops::Range;

/// Candidates with features and rows of counts, list after list.
#[derive(Debug)]
pub struct MiraLists {
    offsets: Vec<usize>,
    features: Features,
    /// The distinct rows of counts of each list: equal ones have equal gains.
    rows: Vec<f64>,
    width: usize,
    /// The length of the reference that belongs to each distinct row.
    lengths: Vec<f64>,
    /// Start of the distinct rows of each list, and the end of the last list's.
    row_offsets: Vec<usize>,
    /// Index of each candidate's row among its list's rows.
    row_of: Vec<u32>,
}

/// The values of features.
#[derive(Debug)]
enum Features {
    /// All values: list after list, in a list feature after feature.
    Dense { columns: usize, values: Vec<f64> },
    /// Values of each candidate that are not left out.
    Sparse { starts: Vec<usize>, columns: Vec<usize>, values: Vec<f64> },
}

/// Values of features, candidate after candidate.
#[derive(Clone, Copy, Debug)]
pub struct Compressed<'a> {
    /// Start of each candidate's values, and the end of the last one's.
    pub starts: &'a [i64],
    /// Features of the values; None if every candidate has a value of every feature.
    pub columns: Option<&'a [i64]>,
    /// The values.
    pub values: &'a [f64],
}

/// The settings of a run.
#[derive(Clone, Copy, Debug)]
pub struct Mira {
    /// The largest step.
    pub largest_step: f64,
    /// Share of the background that remains after each segment.
    pub decay: f64,
    /// True if the background is of the model's choices instead of the hopes.
    pub model_background: bool,
    /// True to search for hope again if the model's score would outweigh the gain by far.
    pub safe_hope: bool,
}

/// Bounds of each weight; equal bounds fix it.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The lowest weight of each feature.
    pub lower: Vec<f64>,
    /// The highest weight of each feature.
    pub upper: Vec<f64>,
}

/// State of a run after some segments.
#[derive(Clone, Debug)]
pub struct State {
    start: Vec<f64>,
    weights: Vec<f64>,
    bounds: Bounds,
    /// Each step times the number of updates before it: the average needs no sum over all weights.
    lag: Vec<f64>,
    updates: f64,
    background: Vec<f64>,
    background_length: f64,
}

/// Summary of a pass over the segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Epoch {
    /// Number of updates of the weights.
    pub updates: usize,
    /// Sum of the amounts by which gains exceeded margins.
    pub loss: f64,
}

impl State {
    /// Starts a run from these weights, with a background of 1 in every column.
    #[must_use]
    pub fn new(weights: Vec<f64>, bounds: Bounds, width: usize) -> Self {
        Self {
            start: weights.clone(),
            lag: vec![0.0; weights.len()],
            weights,
            bounds,
            updates: 0.0,
            background: vec![1.0; width],
            background_length: 1.0,
        }
    }

    /// Divides the sum of the start and of the weights after each update by the number of updates.
    ///
    /// The start counts, but not as an update: the result is therefore clipped to the bounds.
    #[must_use]
    pub fn average(&self) -> Vec<f64> {
        if self.updates == 0.0 {
            return self.weights.clone();
        }
        let weights = self.weights.iter().zip(&self.lag).zip(&self.start);
        let bounds = self.bounds.lower.iter().zip(&self.bounds.upper);
        let average = weights.map(|((w, lag), start)| w + (start - lag) / self.updates);
        average.zip(bounds).map(|(weight, (low, high))| weight.max(*low).min(*high)).collect()
    }
}

impl Mira {
    /// Passes over the segments in this order.
    ///
    /// `score` gets rows, one after the other, and writes the score of each, where higher is better
    /// and 1 is perfect.
    ///
    /// # Errors
    ///
    /// Any error of `score`.
    pub fn pass<E>(
        &self,
        lists: &MiraLists,
        state: &mut State,
        order: &[usize],
        score: &mut impl FnMut(&[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<Epoch, E> {
        let mut epoch = Epoch::default();
        let (mut rows, mut row_gains) = (Vec::new(), Vec::new());
        let (mut gains, mut models) = (Vec::new(), Vec::new());
        for &segment in order {
            lists.model_scores(segment, &state.weights, &mut models);
            let places = lists.row_offsets[segment]..lists.row_offsets[segment + 1];
            rows.clear();
            rows.extend_from_slice(
                &lists.rows[places.start * lists.width..places.end * lists.width],
            );
            for row in rows.chunks_mut(lists.width) {
                row.iter_mut().zip(&state.background).for_each(|(cell, more)| *cell += more);
            }
            row_gains.resize(places.len(), 0.0);
            score(&rows, &mut row_gains)?;
            for (gain, length) in row_gains.iter_mut().zip(&lists.lengths[places.clone()]) {
                *gain *= length + state.background_length;
            }
            let span = lists.offsets[segment]..lists.offsets[segment + 1];
            let row_of = &lists.row_of[span.clone()];
            gains.clear();
            gains.extend(row_of.iter().map(|&place| row_gains[place as usize]));
            let pairs = || models.iter().zip(&gains);
            let mut hope = first_argmax(pairs().map(|(model, gain)| model + gain));
            let fear = first_argmax(pairs().map(|(model, gain)| model - gain));
            if self.safe_hope {
                let ratio = 5.0 * gains[hope] / models[hope].abs();
                if ratio < 1.0 {
                    hope = first_argmax(pairs().map(|(model, gain)| ratio * model + gain));
                }
            }
            if hope == fear || gains[hope] <= gains[fear] {
                continue;
            }
            let loss = (gains[hope] - gains[fear]) - (models[hope] - models[fear]);
            if loss > 0.0 {
                epoch.loss += loss;
                self.step(state, loss, lists.difference(segment, hope, fear));
                epoch.updates += 1;
            }
            let chosen =
                if self.model_background { first_argmax(models.iter().copied()) } else { hope };
            let place = places.start + row_of[chosen] as usize;
            let row = &lists.rows[place * lists.width..][..lists.width];
            for (cell, value) in state.background.iter_mut().zip(row) {
                *cell = self.decay * *cell + value;
            }
            state.background_length = self.decay * state.background_length + lists.lengths[place];
        }
        Ok(epoch)
    }

    /// Moves the weights along a difference of features.
    fn step(&self, state: &mut State, loss: f64, mut difference: Vec<(usize, f64)>) {
        let Bounds { lower, upper } = &state.bounds;
        difference.retain(|&(column, _)| lower[column] < upper[column]);
        let norm: f64 = difference.iter().map(|(_, value)| value * value).sum();
        // If features are equal, no step is long enough.
        if norm > 0.0 {
            let step = self.largest_step.min(loss / norm);
            for (column, value) in difference {
                let before = state.weights[column];
                let after = (before + step * value).max(lower[column]).min(upper[column]);
                state.weights[column] = after;
                state.lag[column] += state.updates * (after - before);
            }
        }
        state.updates += 1.0;
    }
}

impl MiraLists {
    /// Stores lists that end at `offsets`, with `features` features.
    ///
    /// `rows` has `width` counts of each candidate, `lengths` the length of its reference. Returns
    /// None if lengths or indices do not fit each other.
    #[must_use]
    pub fn new(
        offsets: Vec<usize>,
        compressed: Compressed<'_>,
        features: usize,
        rows: &[f64],
        width: usize,
        lengths: &[f64],
    ) -> Option<Self> {
        let count = lengths.len();
        let ascending = offsets.windows(2).all(|pair| pair[0] < pair[1]);
        let whole = offsets.first() == Some(&0) && offsets.last() == Some(&count);
        if !ascending || !whole || width == 0 || rows.len() != count * width {
            return None;
        }
        let features = Features::new(&offsets, compressed, features)?;
        let mut lists = Self {
            features,
            rows: Vec::new(),
            width,
            lengths: Vec::new(),
            row_offsets: vec![0],
            row_of: Vec::with_capacity(count),
            offsets,
        };
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        for span in lists.offsets.windows(2) {
            known.clear();
            for candidate in span[0]..span[1] {
                let row = &rows[candidate * width..][..width];
                let key = row.iter().chain([&lengths[candidate]]).map(|cell| cell.to_bits());
                let next = u32::try_from(known.len()).ok()?;
                let place = *known.entry(key.collect()).or_insert(next);
                if place == next {
                    lists.rows.extend_from_slice(row);
                    lists.lengths.push(lengths[candidate]);
                }
                lists.row_of.push(place);
            }
            lists.row_offsets.push(lists.lengths.len());
        }
        Some(lists)
    }

    /// Returns the number of lists.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Sums the rows of the candidates that the weights choose, the first of the best.
    #[must_use]
    pub fn chosen_sums(&self, weights: &[f64]) -> Vec<f64> {
        let (mut sums, mut models) = (vec![0.0; self.width], Vec::new());
        for segment in 0..self.segments() {
            self.model_scores(segment, weights, &mut models);
            let chosen = self.offsets[segment] + first_argmax(models.iter().copied());
            let place = self.row_offsets[segment] + self.row_of[chosen] as usize;
            let row = &self.rows[place * self.width..][..self.width];
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        sums
    }

    /// Computes the model's score of each candidate of a list.
    fn model_scores(&self, segment: usize, weights: &[f64], scores: &mut Vec<f64>) {
        let span = self.offsets[segment]..self.offsets[segment + 1];
        scores.clear();
        match &self.features {
            Features::Dense { columns, values } => {
                scores.resize(span.len(), 0.0);
                let list = &values[span.start * columns..span.end * columns];
                for (column, weight) in list.chunks(span.len()).zip(weights) {
                    let pairs = scores.iter_mut().zip(column);
                    pairs.for_each(|(score, value)| *score += weight * value);
                }
            }
            Features::Sparse { starts, columns, values } => {
                scores.extend(span.map(|candidate| {
                    let own = starts[candidate]..starts[candidate + 1];
                    let pairs = columns[own.clone()].iter().zip(&values[own]);
                    pairs.map(|(&column, value)| weights[column] * value).sum::<f64>()
                }));
            }
        }
    }

    /// Subtracts one candidate's features from another's, by ascending column.
    fn difference(&self, segment: usize, plus: usize, minus: usize) -> Vec<(usize, f64)> {
        let span: Range<usize> = self.offsets[segment]..self.offsets[segment + 1];
        match &self.features {
            Features::Dense { columns, values } => {
                let list = &values[span.start * columns..span.end * columns];
                let columns = list.chunks(span.len()).enumerate();
                columns.map(|(column, values)| (column, values[plus] - values[minus])).collect()
            }
            Features::Sparse { starts, columns, values } => {
                let own = |candidate: usize| {
                    starts[span.start + candidate]..starts[span.start + candidate + 1]
                };
                let mut terms: Vec<(usize, f64)> = own(plus)
                    .map(|i| (columns[i], values[i]))
                    .chain(own(minus).map(|i| (columns[i], -values[i])))
                    .collect();
                terms.sort_by_key(|(column, _)| *column);
                terms.dedup_by(|next, kept| {
                    let same = next.0 == kept.0;
                    if same {
                        kept.1 += next.1;
                    }
                    same
                });
                terms
            }
        }
    }
}

impl Features {
    fn new(offsets: &[usize], compressed: Compressed<'_>, features: usize) -> Option<Self> {
        let Compressed { starts, columns, values } = compressed;
        let count = *offsets.last()?;
        let Some(columns) = columns else {
            if values.len() != count * features {
                return None;
            }
            let mut transposed = Vec::with_capacity(values.len());
            for span in offsets.windows(2) {
                for column in 0..features {
                    let list = values[span[0] * features..span[1] * features].iter();
                    transposed.extend(list.skip(column).step_by(features));
                }
            }
            return Some(Self::Dense { columns: features, values: transposed });
        };
        let natural = |numbers: &[i64]| -> Option<Vec<usize>> {
            numbers.iter().map(|&number| usize::try_from(number).ok()).collect()
        };
        let (starts, columns) = (natural(starts)?, natural(columns)?);
        let fits = starts.len() == count + 1
            && starts.first() == Some(&0)
            && starts.windows(2).all(|pair| pair[0] <= pair[1])
            && starts.last() == Some(&values.len())
            && columns.len() == values.len()
            && columns.iter().all(|&column| column < features);
        fits.then(|| Self::Sparse { starts, columns, values: values.to_vec() })
    }
}

fn first_argmax(values: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (index, value) in values.enumerate() {
        if value > best.1 {
            best = (index, value);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIRA: Mira =
        Mira { largest_step: 0.5, decay: 0.9, model_background: false, safe_hope: false };

    fn lists(columns: Option<&[i64]>, values: &[f64], features: usize) -> Option<MiraLists> {
        let compressed = Compressed { starts: &[0, 1, 2], columns, values };
        MiraLists::new(vec![0, 2], compressed, features, &[0.0, 1.0], 1, &[1.0, 1.0])
    }

    #[expect(clippy::unnecessary_wraps, reason = "what `pass` takes")]
    fn score(rows: &[f64], scores: &mut [f64]) -> Result<(), ()> {
        scores.copy_from_slice(rows);
        Ok(())
    }

    #[test]
    fn a_step_goes_from_fear_to_hope_and_no_further_than_allowed() {
        let dense = lists(None, &[1.0, 0.0, 0.0, 1.0], 2);
        let sparse = lists(Some(&[0, 1]), &[1.0, 1.0], 2);
        for lists in [dense, sparse] {
            let lists = lists.expect("lengths that fit");
            let bounds =
                Bounds { lower: vec![f64::NEG_INFINITY; 2], upper: vec![f64::INFINITY; 2] };
            let mut state = State::new(vec![0.0, 0.0], bounds, 1);
            let epoch = MIRA.pass(&lists, &mut state, &[0], &mut score).unwrap_or_default();
            // Scores 1 and 2 with the background, times a length of 2: the gain differs by 2.
            assert_eq!((epoch.updates, epoch.loss), (1, 2.0));
            assert_eq!(state.weights, [-0.5, 0.5]);
            assert_eq!(state.background, [1.9]);
            assert_eq!(state.average(), [-0.5, 0.5]);
            assert_eq!(lists.chosen_sums(&state.average()), [1.0]);
            MIRA.pass(&lists, &mut state, &[0], &mut score).unwrap_or_default();
            // (start + (−.5) + (−1)) / 2.
            assert_eq!(state.average(), [-0.75, 0.75]);
        }
    }

    #[test]
    fn lists_that_do_not_fit_are_told() {
        assert!(lists(Some(&[0, 1]), &[1.0, 1.0], 1).is_none());
        assert!(lists(Some(&[0, -1]), &[1.0, 1.0], 2).is_none());
        assert!(lists(None, &[1.0, 0.0, 0.0], 2).is_none());
    }
}
