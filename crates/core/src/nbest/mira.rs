//! Batch k-best MIRA (Cherry and Foster, 2012), as Moses' kbmira does it.
//!
//! Segment after segment, the candidate that both the model and the metric like (hope) is moved above the
//! one that the model likes and the metric does not (fear), by the smallest step that separates them by
//! the difference of their gains. A gain is the metric's score together with the background, what was
//! chosen for the segments before, in words of the reference.

use std::ops::Range;

/// Candidates with sparse features (CSR) and rows of counts, list after list.
#[derive(Clone, Copy, Debug)]
pub struct SparseLists<'a> {
    /// Where each list starts, and where the last one ends.
    pub offsets: &'a [usize],
    /// Where each candidate's values start, and where the last one's end.
    pub starts: &'a [usize],
    /// The features of the values.
    pub columns: &'a [usize],
    /// The values.
    pub values: &'a [f64],
    /// One row of counts per candidate.
    pub rows: &'a [f64],
    /// How many columns a row has.
    pub width: usize,
    /// The length of each candidate's reference.
    pub lengths: &'a [f64],
}

/// The settings of a run.
#[derive(Clone, Copy, Debug)]
pub struct Mira {
    /// The largest step.
    pub largest_step: f64,
    /// What is left of the background after each segment.
    pub decay: f64,
    /// Whether the background is of the model's choices instead of the hopes.
    pub model_background: bool,
    /// Whether hope is searched again where the model's score would drown the gain.
    pub safe_hope: bool,
}

/// What a weight may be; where both bounds are equal, it stays.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The lowest weight of each feature.
    pub lower: Vec<f64>,
    /// The highest weight of each feature.
    pub upper: Vec<f64>,
}

/// What a run has learnt so far.
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

/// What happened in a pass over the segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Epoch {
    /// How often the weights changed.
    pub updates: usize,
    /// By how much gains exceeded margins, in sum.
    pub loss: f64,
}

impl State {
    /// A run that starts from these weights, with a background of 1 in every column.
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

    /// The sum of the weights after each update and of the start, over the number of updates.
    #[must_use]
    pub fn average(&self) -> Vec<f64> {
        if self.updates == 0.0 {
            return self.weights.clone();
        }
        let weights = self.weights.iter().zip(&self.lag).zip(&self.start);
        weights.map(|((w, lag), start)| w + (start - lag) / self.updates).collect()
    }
}

impl Mira {
    /// One pass over the segments in this order.
    ///
    /// `score` gets rows, one after the other, and writes the score of each, where higher is better and
    /// 1 is perfect.
    ///
    /// # Errors
    ///
    /// Whatever `score` fails with.
    pub fn pass<E>(
        &self,
        lists: &SparseLists<'_>,
        state: &mut State,
        order: &[usize],
        score: &mut impl FnMut(&[f64], &mut [f64]) -> Result<(), E>,
    ) -> Result<Epoch, E> {
        let mut epoch = Epoch::default();
        let (mut rows, mut gains, mut models) = (Vec::new(), Vec::new(), Vec::new());
        for &segment in order {
            let span = lists.offsets[segment]..lists.offsets[segment + 1];
            models.clear();
            models.extend(span.clone().map(|candidate| lists.dot(candidate, &state.weights)));
            rows.clear();
            rows.extend_from_slice(&lists.rows[span.start * lists.width..span.end * lists.width]);
            for row in rows.chunks_mut(lists.width) {
                row.iter_mut().zip(&state.background).for_each(|(cell, more)| *cell += more);
            }
            gains.resize(span.len(), 0.0);
            score(&rows, &mut gains)?;
            for (gain, length) in gains.iter_mut().zip(&lists.lengths[span.clone()]) {
                *gain *= length + state.background_length;
            }
            let pairs = || models.iter().zip(&gains);
            let mut hope = first_best(pairs().map(|(model, gain)| model + gain));
            let fear = first_best(pairs().map(|(model, gain)| model - gain));
            if self.safe_hope {
                let ratio = 5.0 * gains[hope] / models[hope].abs();
                if ratio < 1.0 {
                    hope = first_best(pairs().map(|(model, gain)| ratio * model + gain));
                }
            }
            if hope == fear || gains[hope] <= gains[fear] {
                continue;
            }
            let loss = (gains[hope] - gains[fear]) - (models[hope] - models[fear]);
            if loss > 0.0 {
                epoch.loss += loss;
                let mut difference = lists.difference(span.start + hope, span.start + fear);
                let Bounds { lower, upper } = &state.bounds;
                difference.retain(|&(column, _)| lower[column] < upper[column]);
                let norm: f64 = difference.iter().map(|(_, value)| value * value).sum();
                // Of equal features no step is long enough.
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
                epoch.updates += 1;
            }
            let chosen =
                if self.model_background { first_best(models.iter().copied()) } else { hope };
            let chosen = span.start + chosen;
            let row = &lists.rows[chosen * lists.width..][..lists.width];
            for (cell, value) in state.background.iter_mut().zip(row) {
                *cell = self.decay * *cell + value;
            }
            state.background_length = self.decay * state.background_length + lists.lengths[chosen];
        }
        Ok(epoch)
    }
}

impl SparseLists<'_> {
    /// Whether all lengths and indices fit each other and `features` weights.
    #[must_use]
    pub fn fit(&self, features: usize) -> bool {
        let count = self.lengths.len();
        self.offsets.first() == Some(&0)
            && self.offsets.last() == Some(&count)
            && self.offsets.windows(2).all(|pair| pair[0] < pair[1])
            && self.starts.len() == count + 1
            && self.starts.windows(2).all(|pair| pair[0] <= pair[1])
            && self.starts.last() == Some(&self.values.len())
            && self.columns.len() == self.values.len()
            && self.columns.iter().all(|&column| column < features)
            && self.width > 0
            && self.rows.len() == count * self.width
    }

    fn span(&self, candidate: usize) -> Range<usize> {
        self.starts[candidate]..self.starts[candidate + 1]
    }

    fn dot(&self, candidate: usize, weights: &[f64]) -> f64 {
        let span = self.span(candidate);
        let pairs = self.columns[span.clone()].iter().zip(&self.values[span]);
        pairs.map(|(&column, value)| weights[column] * value).sum()
    }

    /// The features of one candidate minus those of another, by ascending column.
    fn difference(&self, plus: usize, minus: usize) -> Vec<(usize, f64)> {
        let (plus, minus) = (self.span(plus), self.span(minus));
        let mut terms: Vec<(usize, f64)> = plus
            .map(|i| (self.columns[i], self.values[i]))
            .chain(minus.map(|i| (self.columns[i], -self.values[i])))
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

fn first_best(values: impl Iterator<Item = f64>) -> usize {
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

    fn lists<'a>() -> SparseLists<'a> {
        SparseLists {
            offsets: &[0, 2],
            starts: &[0, 1, 2],
            columns: &[0, 1],
            values: &[1.0, 1.0],
            rows: &[0.0, 1.0],
            width: 1,
            lengths: &[1.0, 1.0],
        }
    }

    #[test]
    fn a_step_goes_from_fear_to_hope_and_no_further_than_allowed() {
        let bounds = Bounds { lower: vec![f64::NEG_INFINITY; 2], upper: vec![f64::INFINITY; 2] };
        let mut state = State::new(vec![0.0, 0.0], bounds, 1);
        let mut score = |rows: &[f64], scores: &mut [f64]| -> Result<(), ()> {
            scores.copy_from_slice(rows);
            Ok(())
        };
        assert!(lists().fit(2));
        let epoch = MIRA.pass(&lists(), &mut state, &[0], &mut score).unwrap_or_default();
        // Scores 1 and 2 with the background, times a length of 2: the gain differs by 2.
        assert_eq!((epoch.updates, epoch.loss), (1, 2.0));
        assert_eq!(state.weights, [-0.5, 0.5]);
        assert_eq!(state.background, [1.9]);
        assert_eq!(state.average(), [-0.5, 0.5]);
        MIRA.pass(&lists(), &mut state, &[0], &mut score).unwrap_or_default();
        // (start + (−.5) + (−1)) / 2.
        assert_eq!(state.average(), [-0.75, 0.75]);
    }

    #[test]
    fn lists_that_do_not_fit_are_told() {
        assert!(!lists().fit(1));
        assert!(!SparseLists { lengths: &[1.0], ..lists() }.fit(2));
    }
}
