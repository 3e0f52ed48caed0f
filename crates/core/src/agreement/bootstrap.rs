//! Agreement on bootstrap replicates of items, of systems, or of both.
//!
//! Items are drawn in units, such as the segments of a document. All metrics are evaluated on the
//! same replicates, so that their differences are paired. A cell that was drawn twice is two cells
//! of the replicate, but not a pair, as no rater compared an output with itself.

use std::ops::Range;

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, ArrayView3, Axis};
use rayon::prelude::ParallelSliceMut;

use super::coefficients::{Averaging, Coefficient, Formula};
use super::groups::{Group, Grouping, Prepared, Scratch};
use super::permuted_ties::{LARGEST, Sum, common_multiple};
use crate::interruption;
use crate::resampling::{Purpose, Stream};

/// The evaluation to repeat on every replicate.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// Coefficient of each group.
    pub coefficient: Coefficient,
    /// Average over the groups' values.
    pub averaging: Averaging,
    /// Partition of the cells into groups.
    pub grouping: Grouping,
}

/// The items and systems that a replicate draws with replacement, as many as there are.
#[derive(Debug, Clone, Copy)]
pub struct Resampling<'a> {
    /// Unit of each item, all numbers from 0 up to the largest; None if items are not resampled.
    pub units: Option<&'a [u32]>,
    /// True if systems are resampled.
    pub systems: bool,
}

/// Evaluates each metric on each replicate, shaped (replicate, metric); NaN if undefined.
///
/// `human` is (system, item), NaN for cells without a judgment, and `metrics` (metric, system,
/// item).
#[must_use]
pub fn replicate_values(
    human: &ArrayView2<'_, f64>,
    metrics: &ArrayView3<'_, f64>,
    question: Question,
    resampling: Resampling<'_>,
    replicates: Range<u64>,
    seed: u64,
) -> Array2<f64> {
    let matrix: Vec<f64> = human.iter().copied().collect();
    let metrics: Vec<Vec<f64>> =
        metrics.outer_iter().map(|metric| metric.iter().copied().collect()).collect();
    let (systems, items) = human.dim();
    // Whole groups that were drawn several times need only be counted as often.
    let whole_groups = match question.grouping {
        Grouping::Item => !resampling.systems,
        Grouping::System => resampling.units.is_none(),
        Grouping::None => false,
    };
    let prepared = whole_groups.then(|| Prepared::new(&matrix, systems, question.grouping));
    let gathered: Vec<Vec<f64>> = prepared
        .iter()
        .flat_map(|prepared| metrics.iter().map(|metric| prepared.gather(metric)))
        .collect();
    if let (Some(prepared), Coefficient::Calibrated { formula }) = (&prepared, question.coefficient)
        && let Some(ties) = gathered
            .iter()
            .map(|metric| DrawnTies::new(prepared, question.averaging, metric))
            .collect::<Option<Vec<_>>>()
    {
        let weights = |index| {
            let mut stream = Stream::new(seed, Purpose::Agreement, index);
            let draw = Draw::new(resampling, systems, items, &mut stream);
            draw.weights(question.grouping).to_vec()
        };
        let of_drawn = drawn_accuracies(&ties, prepared.groups(), weights, replicates.clone());
        if let Some(mut values) = of_drawn {
            if formula == Formula::TauEq {
                values.mapv_inplace(|accuracy| 2.0 * accuracy - 1.0);
            }
            return values;
        }
    }
    let by_group: Vec<Option<Vec<_>>> = prepared
        .iter()
        .flat_map(|prepared| {
            let scratch = &mut Scratch::default();
            let of = |metric| prepared.values(question.coefficient, metric, scratch);
            gathered.iter().map(|metric| &metric[..]).map(of).collect::<Vec<_>>()
        })
        .collect();
    each_replicate(replicates, metrics.len(), |index, scratch, values| {
        let mut stream = Stream::new(seed, Purpose::Agreement, index);
        let draw = Draw::new(resampling, systems, items, &mut stream);
        if let Some(prepared) = &prepared {
            let weights = draw.weights(question.grouping);
            for ((value, metric), by_group) in values.iter_mut().zip(&gathered).zip(&by_group) {
                *value = match by_group {
                    Some(by_group) => prepared
                        .mean_of_drawn(question.averaging, by_group, weights)
                        .unwrap_or(f64::NAN),
                    None => evaluate(prepared, question, metric, Some(weights), scratch),
                };
            }
        } else {
            let prepared = Prepared::of_groups(&matrix, draw.groups(question.grouping));
            let weights = match question.grouping {
                Grouping::None => None,
                grouping => Some(draw.weights(grouping)),
            };
            for (value, metric) in values.iter_mut().zip(&metrics) {
                *value = evaluate(&prepared, question, &prepared.gather(metric), weights, scratch);
            }
        }
    })
}

/// Evaluates each metric by scores of systems that differ between replicates.
///
/// `human` is (replicate, system), NaN for missing systems, and `metrics` (metric, replicate,
/// system). With a seed, each replicate also resamples its systems; replicates are numbered from 0.
#[must_use]
pub fn system_values(
    human: &ArrayView2<'_, f64>,
    metrics: &ArrayView3<'_, f64>,
    coefficient: Coefficient,
    seed: Option<u64>,
) -> Array2<f64> {
    let (replicates, systems) = human.dim();
    let question =
        Question { coefficient, averaging: Averaging::default(), grouping: Grouping::None };
    each_replicate(0..replicates as u64, metrics.len_of(Axis(0)), |index, scratch, values| {
        let row: Vec<f64> = human.row(index as usize).to_vec();
        let cells: Vec<u32> = match seed {
            Some(seed) => {
                let mut stream = Stream::new(seed, Purpose::Agreement, index);
                (0..systems).map(|_| stream.below(systems as u32)).collect()
            }
            None => (0..systems as u32).collect(),
        };
        let prepared = Prepared::of_groups(&row, [cells]);
        for (value, metric) in values.iter_mut().zip(metrics.outer_iter()) {
            let scores = metric.row(index as usize).to_vec();
            *value = evaluate(&prepared, question, &prepared.gather(&scores), None, scratch);
        }
    })
}

fn evaluate(
    prepared: &Prepared,
    question: Question,
    metric: &[f64],
    weights: Option<&[u32]>,
    scratch: &mut Scratch,
) -> f64 {
    let Question { coefficient, averaging, .. } = question;
    let found = prepared.evaluate(coefficient, averaging, metric, weights, scratch);
    found.value.unwrap_or(f64::NAN)
}

/// The most pairs whose differences are kept, 5 bytes each.
const MOST_PAIRS: u64 = 1 << 24;
/// Replicates whose accuracies are made at once.
const LANES: usize = 16;

/// One metric's differences of pairs of cells, for accuracies with calibrated ties of drawn groups.
///
/// The differences are sorted once. Replicates draw whole groups, so that they change only the
/// weight of a difference.
struct DrawnTies {
    /// Twice the index of the group, plus 1 if the pair is won: people order it as the metric does.
    differences: Vec<u32>,
    /// True if the next difference is smaller, so that a threshold lies between.
    cuts: Vec<bool>,
    /// Weights by group: of a pair, of the correct pairs if all are tied, and of all pairs.
    groups: Vec<[i64; 3]>,
}

impl DrawnTies {
    /// Sorts a metric's differences; returns None if there are too many pairs or sums would
    /// overflow.
    fn new(prepared: &Prepared, averaging: Averaging, metric: &[f64]) -> Option<Self> {
        if prepared.pairs() > MOST_PAIRS {
            return None;
        }
        let unit = common_multiple(prepared.sizes().iter().map(|size| size.pairs))?;
        let mut found: Vec<(f64, u32)> = Vec::with_capacity(prepared.pairs() as usize);
        let mut groups = Vec::new();
        for (number, group) in (0_u32..).zip(prepared.groups()) {
            let (numerator, denominator) = group.size().weight(averaging.micro);
            let weight = (unit / denominator * numerator) as i64;
            groups.push([weight, weight * group.ties as i64, weight * group.pairs() as i64]);
            for later in group.start..group.end {
                // The cells come in ascending order of the human score.
                let first_equal = group.start + prepared.below[later] as usize;
                for earlier in group.start..later {
                    let difference = metric[later] - metric[earlier];
                    if earlier >= first_equal && difference != 0.0 {
                        found.push((difference.abs(), 2 * number));
                    } else if difference > 0.0 {
                        found.push((difference, 2 * number + 1));
                    }
                }
            }
        }
        found.par_sort_unstable_by(|left, right| right.0.total_cmp(&left.0));
        let smaller =
            |place: usize| found.get(place + 1).is_none_or(|next| next.0 < found[place].0);
        let cuts = (0..found.len()).map(smaller).collect();
        Some(Self { differences: found.into_iter().map(|(_, kind)| kind).collect(), cuts, groups })
    }

    /// Returns the accuracies under the best thresholds; `draws` counts the draws of each group.
    ///
    /// None if sums would overflow.
    fn accuracies(&self, draws: &[[u32; LANES]]) -> Option<[f64; LANES]> {
        let (mut tied, mut total) = ([0_i64; LANES], [0_i64; LANES]);
        for (times, &[_, ties, all]) in draws.iter().zip(&self.groups) {
            for lane in 0..LANES {
                let times = i64::from(times[lane]);
                tied[lane] += times * ties;
                total[lane] = times.checked_mul(all)?.checked_add(total[lane])?;
            }
        }
        let largest = total.iter().copied().max().unwrap_or(0);
        if largest > LARGEST as i64 {
            return None;
        }
        let least = if i32::try_from(largest).is_ok() {
            self.least_losses::<i32>(draws)
        } else {
            self.least_losses::<i64>(draws)
        };
        Some(std::array::from_fn(|lane| {
            let right = tied[lane] - least[lane];
            if total[lane] > 0 { right as f64 / total[lane] as f64 } else { f64::NAN }
        }))
    }

    /// Returns the smallest sum of losses over all thresholds, in each replicate.
    fn least_losses<S: Sum>(&self, draws: &[[u32; LANES]]) -> [i64; LANES] {
        let mut worth = Vec::with_capacity(2 * draws.len());
        for (times, &[weight, ..]) in draws.iter().zip(&self.groups) {
            let loss = times.map(|times| i64::from(times) * weight);
            worth.extend([loss.map(S::of), loss.map(|loss| S::of(-loss))]);
        }
        let (mut sums, mut least) = ([S::default(); LANES], [S::default(); LANES]);
        for (&kind, &cut) in self.differences.iter().zip(&self.cuts) {
            let worth = &worth[kind as usize];
            for lane in 0..LANES {
                sums[lane] = sums[lane] + worth[lane];
            }
            if cut {
                for lane in 0..LANES {
                    least[lane] = least[lane].min(sums[lane]);
                }
            }
        }
        least.map(Into::into)
    }
}

/// Evaluates the accuracy of each metric on each replicate, several replicates at a time.
fn drawn_accuracies(
    ties: &[DrawnTies],
    groups: &[Group],
    weights: impl Fn(u64) -> Vec<u32> + Sync,
    replicates: Range<u64>,
) -> Option<Array2<f64>> {
    let count = (replicates.end - replicates.start) as usize;
    let mut found = Array2::zeros((count, ties.len()));
    let done = found.axis_chunks_iter_mut(Axis(0), LANES).into_par_iter().enumerate().map(
        |(chunk, mut rows)| {
            interruption::check();
            let mut draws = vec![[0; LANES]; groups.len()];
            for lane in 0..rows.nrows() {
                let by_label = weights(replicates.start + (chunk * LANES + lane) as u64);
                for (draws, group) in draws.iter_mut().zip(groups) {
                    draws[lane] = by_label[group.label as usize];
                }
            }
            for (metric, ties) in ties.iter().enumerate() {
                let accuracies = ties.accuracies(&draws)?;
                rows.column_mut(metric)
                    .iter_mut()
                    .zip(accuracies)
                    .for_each(|(to, value)| *to = value);
            }
            Some(())
        },
    );
    done.collect::<Option<Vec<()>>>().map(|_| found)
}

/// Fills a row of values for each replicate from its number alone.
fn each_replicate(
    replicates: Range<u64>,
    width: usize,
    values: impl Fn(u64, &mut Scratch, &mut [f64]) + Sync + Send,
) -> Array2<f64> {
    let count = (replicates.end - replicates.start) as usize;
    let mut found = Array2::zeros((count, width));
    // Fused, since otherwise every part of the work would unwind by itself when it is stopped.
    found.outer_iter_mut().into_par_iter().enumerate().panic_fuse().for_each_init(
        || (Scratch::default(), vec![0.0; width]),
        |(scratch, row), (index, mut into)| {
            interruption::check();
            values(replicates.start + index as u64, scratch, row);
            into.iter_mut().zip(row).for_each(|(to, value)| *to = *value);
        },
    );
    found
}

/// Number of times that one replicate drew each item and each system.
struct Draw {
    items: Vec<u32>,
    systems: Vec<u32>,
}

impl Draw {
    fn new(resampling: Resampling<'_>, systems: usize, items: usize, stream: &mut Stream) -> Self {
        let items = match resampling.units {
            Some(units) => {
                let count = units.iter().max().map_or(0, |&last| last + 1);
                let times = draw(count, stream);
                units.iter().map(|&unit| times[unit as usize]).collect()
            }
            None => vec![1; items],
        };
        let systems =
            if resampling.systems { draw(systems as u32, stream) } else { vec![1; systems] };
        Self { items, systems }
    }

    /// Returns the number of draws of each group, if groups are items or systems.
    fn weights(&self, grouping: Grouping) -> &[u32] {
        if grouping == Grouping::Item { &self.items } else { &self.systems }
    }

    /// Returns the cells of each group, repeated as often as drawn; groups not drawn are empty.
    fn groups(&self, grouping: Grouping) -> Vec<Vec<u32>> {
        let row = |system: usize| -> Vec<u32> {
            let first = system * self.items.len();
            repeated(&self.items).map(|item| (first + item) as u32).collect()
        };
        match grouping {
            Grouping::None => vec![repeated(&self.systems).flat_map(row).collect()],
            Grouping::System => (0..self.systems.len())
                .map(|system| if self.systems[system] > 0 { row(system) } else { Vec::new() })
                .collect(),
            Grouping::Item => {
                let systems_drawn: Vec<usize> = repeated(&self.systems).collect();
                let cell = |system: usize, item: usize| (system * self.items.len() + item) as u32;
                let times = self.items.iter().enumerate();
                times
                    .map(|(item, &times)| {
                        let systems = if times > 0 { &systems_drawn[..] } else { &[] };
                        systems.iter().map(|&system| cell(system, item)).collect()
                    })
                    .collect()
            }
        }
    }
}

/// Draws `count` of `count` items with replacement; returns the number of draws of each.
fn draw(count: u32, stream: &mut Stream) -> Vec<u32> {
    let mut times = vec![0; count as usize];
    for _ in 0..count {
        times[stream.below(count) as usize] += 1;
    }
    times
}

/// Yields each index as often as it was drawn.
fn repeated(times: &[u32]) -> impl Iterator<Item = usize> + '_ {
    times.iter().enumerate().flat_map(|(index, &times)| (0..times).map(move |_| index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array3, Slice};

    const SYSTEMS: usize = 5;
    const ITEMS: usize = 12;

    fn scores(seed: u64, values: u32) -> Array2<f64> {
        let mut stream = Stream::new(seed, Purpose::Agreement, 7);
        Array2::from_shape_fn((SYSTEMS, ITEMS), |_| f64::from(stream.below(values)))
    }

    fn metrics() -> Array3<f64> {
        let both = [scores(2, 9), scores(3, 20)];
        Array3::from_shape_fn((2, SYSTEMS, ITEMS), |(metric, system, item)| {
            both[metric][[system, item]]
        })
    }

    fn human() -> Array2<f64> {
        let mut human = scores(1, 4);
        human[[1, 3]] = f64::NAN;
        human[[4, 0]] = f64::NAN;
        human
    }

    const COEFFICIENTS: [Coefficient; 6] = [
        Coefficient::Pearson,
        Coefficient::Spearman,
        Coefficient::Pairs { formula: Formula::TauB, epsilon: 0.0 },
        Coefficient::Pairs { formula: Formula::AccEq, epsilon: 1.0 },
        Coefficient::Calibrated { formula: Formula::AccEq },
        Coefficient::Calibrated { formula: Formula::TauEq },
    ];

    fn values(
        question: Question,
        resampling: Resampling<'_>,
        replicates: Range<u64>,
    ) -> Array2<f64> {
        replicate_values(&human().view(), &metrics().view(), question, resampling, replicates, 4)
    }

    fn question(coefficient: Coefficient, grouping: Grouping) -> Question {
        Question { coefficient, averaging: Averaging::default(), grouping }
    }

    #[test]
    fn a_replicate_that_draws_nothing_is_the_matrix_itself() {
        let (human, metrics) = (human(), metrics());
        let matrix: Vec<f64> = human.iter().copied().collect();
        for grouping in [Grouping::None, Grouping::Item, Grouping::System] {
            for coefficient in COEFFICIENTS {
                let resampling = Resampling { units: None, systems: false };
                let found = values(question(coefficient, grouping), resampling, 0..1);
                let prepared = Prepared::new(&matrix, SYSTEMS, grouping);
                for (metric, value) in metrics.outer_iter().zip(found.row(0)) {
                    let gathered = prepared.gather(&metric.iter().copied().collect::<Vec<_>>());
                    let question = question(coefficient, grouping);
                    let plain =
                        evaluate(&prepared, question, &gathered, None, &mut Scratch::default());
                    assert!((value - plain).abs() < 1e-12, "{grouping:?} {coefficient:?}");
                }
            }
        }
    }

    #[test]
    fn groups_drawn_several_times_count_as_often() {
        // Weights of items must act like repeating their groups.
        let (human, metrics) = (human(), metrics());
        let matrix: Vec<f64> = human.iter().copied().collect();
        let units: Vec<u32> = (0..ITEMS as u32).map(|item| item / 2).collect();
        let resampling = Resampling { units: Some(&units), systems: false };
        for coefficient in COEFFICIENTS {
            let found = values(question(coefficient, Grouping::Item), resampling, 3..4);
            let mut stream = Stream::new(4, Purpose::Agreement, 3);
            let draw = Draw::new(resampling, SYSTEMS, ITEMS, &mut stream);
            assert!(draw.items.chunks(2).all(|pair| pair[0] == pair[1]));
            assert_eq!(draw.items.iter().sum::<u32>() as usize, ITEMS);
            let column = |item: usize| (0..SYSTEMS).map(move |s| (s * ITEMS + item) as u32);
            let prepared = Prepared::of_groups(&matrix, repeated(&draw.items).map(column));
            for (metric, value) in metrics.outer_iter().zip(found.row(0)) {
                let gathered = prepared.gather(&metric.iter().copied().collect::<Vec<_>>());
                let question = question(coefficient, Grouping::Item);
                let plain = evaluate(&prepared, question, &gathered, None, &mut Scratch::default());
                assert!((value - plain).abs() < 1e-12, "{coefficient:?}");
            }
        }
    }

    #[test]
    fn a_copy_of_a_cell_is_no_pair() {
        // Two systems drawn from two: either both, or one of them twice, which leaves no pair at all.
        let human = Array2::from_shape_vec((2, 1), vec![1.0, 2.0]).unwrap_or_default();
        let metrics = Array3::from_shape_vec((1, 2, 1), vec![2.0, 1.0]).unwrap_or_default();
        let resampling = Resampling { units: None, systems: true };
        for grouping in [Grouping::None, Grouping::Item] {
            for coefficient in [
                Coefficient::Pairs { formula: Formula::AccEq, epsilon: 0.0 },
                Coefficient::Pooled { formula: Formula::AccEq, epsilon: 0.0 },
                Coefficient::KendallLike { threshold: 0.0 },
            ] {
                let question = question(coefficient, grouping);
                let found = replicate_values(
                    &human.view(),
                    &metrics.view(),
                    question,
                    resampling,
                    0..50,
                    1,
                );
                let wrong =
                    if matches!(coefficient, Coefficient::KendallLike { .. }) { -1.0 } else { 0.0 };
                assert!(found.iter().all(|&value| value.is_nan() || value == wrong));
                assert!(found.iter().any(|value| value.is_nan()));
                assert!(found.iter().any(|&value| value == wrong));
            }
        }
    }

    #[test]
    fn a_replicate_does_not_depend_on_its_neighbours() {
        let units: Vec<u32> = (0..ITEMS as u32).collect();
        let resampling = Resampling { units: Some(&units), systems: true };
        for grouping in [Grouping::None, Grouping::Item, Grouping::System] {
            let question = question(Coefficient::Pearson, grouping);
            let (all, some) =
                (values(question, resampling, 0..40), values(question, resampling, 7..19));
            let part = all.slice_axis(Axis(0), Slice::from(7..19));
            assert!(part.iter().zip(&some).all(|(x, y)| x.to_bits() == y.to_bits()));
        }
    }

    #[test]
    fn system_values_are_those_of_each_row() {
        let human = Array2::from_shape_vec((2, 3), vec![1.0, 2.0, 3.0, 3.0, 2.0, f64::NAN]);
        let human = human.unwrap_or_default();
        let metric = Array3::from_shape_vec((1, 2, 3), vec![1.0, 5.0, 2.0, 4.0, 3.0, 9.0]);
        let metric = metric.unwrap_or_default();
        let coefficient = Coefficient::Pairs { formula: Formula::TauA, epsilon: 0.0 };
        let found = system_values(&human.view(), &metric.view(), coefficient, None);
        assert!((found[[0, 0]] - 1.0 / 3.0).abs() < 1e-12);
        assert!((found[[1, 0]] - 1.0).abs() < 1e-12);
    }
}
