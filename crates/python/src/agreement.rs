//! Agreement: coefficients, pair counts, calibrated ties, permutations and bootstrap replicates.

use numpy::ndarray::{Array2, Array3, Axis};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use truebleu_core::agreement::bootstrap::{self, Question, Resampling};
use truebleu_core::agreement::by_item::average_by_item;
use truebleu_core::agreement::coefficients::{Averaging, Coefficient};
use truebleu_core::agreement::groups::{Grouping, Prepared, Scratch};
use truebleu_core::agreement::pairs::PairCounts;
use truebleu_core::agreement::permutation::{self, Permutation, Unit};
use truebleu_core::agreement::soft_pairwise;

use crate::runtime::{detached, replicates as replicates_from};

/// Returns the grouping of a name.
fn grouping(name: &str) -> PyResult<Grouping> {
    match name {
        "none" => Ok(Grouping::None),
        "item" => Ok(Grouping::Item),
        "system" => Ok(Grouping::System),
        _ => Err(PyValueError::new_err(format!("no grouping is called {name:?}"))),
    }
}

/// Returns the coefficient of a name, with its epsilon or threshold.
fn coefficient(name: &str, parameter: f64) -> PyResult<Coefficient> {
    Coefficient::named(name, parameter)
        .ok_or_else(|| PyValueError::new_err(format!("no coefficient is called {name:?}")))
}

/// A coefficient and its groups, as a mapping.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Settings {
    grouping: String,
    coefficient: String,
    parameter: f64,
    micro: bool,
    undefined_as_zero: bool,
}

impl Settings {
    fn question(&self) -> PyResult<Question> {
        Ok(Question {
            coefficient: coefficient(&self.coefficient, self.parameter)?,
            averaging: Averaging { micro: self.micro, undefined_as_zero: self.undefined_as_zero },
            grouping: grouping(&self.grouping)?,
        })
    }
}

/// Returns the permuted unit, systems or cells, and the kind of permutation: random with a seed,
/// enumerated without.
fn swaps(systems: bool, items: usize, seed: Option<u64>) -> (Permutation, Unit) {
    let permutation = seed.map_or(Permutation::Enumerated, |seed| Permutation::Random { seed });
    (permutation, if systems { Unit::System { items } } else { Unit::Cell })
}

/// Human scores, shaped (system, item), NaN if unrated, and scores of metrics, shaped alike.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Cells {
    human: Array2<f64>,
    metrics: Array3<f64>,
}

#[pymethods]
impl Cells {
    #[new]
    #[pyo3(signature = (human, /, *metrics))]
    fn new(
        human: PyReadonlyArray2<'_, f64>,
        metrics: Vec<PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<Self> {
        let human = human.as_array().as_standard_layout().into_owned();
        let (systems, items) = human.dim();
        let mut matrices = Array3::zeros((metrics.len(), systems, items));
        for (metric, mut matrix) in metrics.iter().zip(matrices.outer_iter_mut()) {
            let metric = metric.as_array();
            if metric.dim() != human.dim() {
                let shapes = format!("{:?} and {:?}", human.dim(), metric.dim());
                let message = format!("matrices of different shapes: {shapes}");
                return Err(PyValueError::new_err(message));
            }
            matrix.assign(&metric);
        }
        Ok(Self { human, metrics: matrices })
    }

    /// Returns the value of a coefficient over all groups, and the numbers of groups with and
    /// without one.
    fn measure(&self, py: Python<'_>, by: Settings) -> PyResult<(Option<f64>, u64, u64)> {
        let Question { coefficient, averaging, grouping } = by.question()?;
        let [metric] = self.metrics()?;
        let found = detached(py, || {
            let systems = self.human.nrows();
            (grouping == Grouping::Item)
                .then(|| average_by_item(self.people(), metric, systems, coefficient, averaging))
                .flatten()
                .unwrap_or_else(|| {
                    let prepared = self.prepared(grouping);
                    let metric = prepared.gather(metric);
                    let mut scratch = Scratch::default();
                    prepared.evaluate(coefficient, averaging, &metric, None, &mut scratch)
                })
        })?;
        Ok((found.value, found.groups, found.undefined))
    }

    /// Returns the tie threshold with the largest accuracy, or None without pairs.
    ///
    /// The tuple has the threshold, accuracy, number of groups, share of pairs that people tie, the
    /// next threshold that changes the accuracy, whether no larger threshold is as good, and
    /// whether calling every pair a tie is as good.
    #[pyo3(signature = (*, grouping, micro))]
    #[expect(clippy::type_complexity, reason = "Python gets a tuple")]
    fn calibrated_ties(
        &self,
        py: Python<'_>,
        grouping: &str,
        micro: bool,
    ) -> PyResult<Option<(f64, f64, u64, f64, Option<f64>, bool, bool)>> {
        let grouping = self::grouping(grouping)?;
        let averaging = Averaging { micro, undefined_as_zero: false };
        let [metric] = self.metrics()?;
        let found = detached(py, || {
            let prepared = self.prepared(grouping);
            let metric = prepared.gather(metric);
            prepared.calibrate(averaging, &metric, None, &mut Scratch::default())
        })?;
        Ok(found.map(|found| {
            (
                found.epsilon,
                found.accuracy,
                found.groups,
                found.human_ties,
                found.end,
                found.unique,
                found.degenerate,
            )
        }))
    }

    /// Counts pairs: concordant, discordant, tied by people only, by the metric only, by both;
    /// added over groups.
    #[pyo3(signature = (*, grouping, epsilon))]
    fn pair_counts(&self, py: Python<'_>, grouping: &str, epsilon: f64) -> PyResult<[u64; 5]> {
        let grouping = self::grouping(grouping)?;
        let [metric] = self.metrics()?;
        detached(py, || {
            let prepared = self.prepared(grouping);
            let metric = prepared.gather(metric);
            classes(&prepared.counts(epsilon, &metric, None, &mut Scratch::default()))
        })
    }

    /// Counts cells, groups, pairs that only the first metric has right, and only the second, by
    /// size of group.
    #[pyo3(signature = (*, grouping, epsilons))]
    fn pair_outcomes(
        &self,
        py: Python<'_>,
        grouping: &str,
        epsilons: [f64; 2],
    ) -> PyResult<Vec<(usize, u64, u64, u64)>> {
        let grouping = self::grouping(grouping)?;
        let metrics = self.metrics()?;
        let found =
            detached(py, || permutation::outcomes(&self.prepared(grouping), metrics, epsilons))?;
        Ok(found
            .iter()
            .map(|size| (size.cells, size.groups, size.only_first, size.only_second))
            .collect())
    }

    /// Returns the values of both hybrids of two metrics after swaps, shaped (1 + replicate, 2);
    /// NaN without a value.
    ///
    /// The first row belongs to the metrics themselves, which are standardised. With a seed each
    /// cell, or system, is swapped by a fair coin; without one, replicate i swaps the rated ones
    /// whose bits are set in i.
    #[pyo3(signature = (by, *, systems, first, replicates, seed))]
    fn hybrid_values<'py>(
        &self,
        py: Python<'py>,
        by: Settings,
        systems: bool,
        first: u64,
        replicates: u64,
        seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let Question { coefficient, averaging, grouping } = by.question()?;
        let metrics = self.metrics()?;
        let replicates = replicates_from(first, replicates, 2)?;
        let swaps = swaps(systems, self.human.ncols(), seed);
        let values = detached(py, || {
            let prepared = self.prepared(grouping);
            permutation::hybrid_values(
                &prepared,
                coefficient,
                averaging,
                metrics,
                swaps,
                replicates,
            )
        })?;
        Ok(values.into_pyarray(py))
    }

    /// Returns the soft pairwise accuracies of both hybrids of two metrics after swaps, shaped
    /// (replicate, 2), by the normal approximation; the metrics are standardised, and swapped as by
    /// `hybrid_values`.
    #[pyo3(signature = (*, systems, first, replicates, seed))]
    fn hybrid_soft_accuracies<'py>(
        &self,
        py: Python<'py>,
        systems: bool,
        first: u64,
        replicates: u64,
        seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.metrics::<2>()?;
        let replicates = replicates_from(first, replicates, 2)?;
        let swaps = swaps(systems, self.human.ncols(), seed);
        let both = [0, 1].map(|place| self.metrics.index_axis(Axis(0), place));
        let accuracies = detached(py, || {
            let views = [&both[0], &both[1]];
            soft_pairwise::hybrid_accuracies(&self.human.view(), views, swaps, replicates)
        })?;
        Ok(accuracies.into_pyarray(py))
    }

    /// Returns the value of each metric on bootstrap replicates, shaped (replicate, metric); NaN
    /// without a value.
    ///
    /// `units` has the unit of each item, from 0 up; None keeps the items.
    #[pyo3(signature = (by, *, units, systems, first, replicates, seed))]
    #[expect(clippy::too_many_arguments, reason = "settings are keyword arguments in Python")]
    fn bootstrap_values<'py>(
        &self,
        py: Python<'py>,
        by: Settings,
        units: Option<Vec<u32>>,
        systems: bool,
        first: u64,
        replicates: u64,
        seed: u64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let question = by.question()?;
        if let Some(units) = &units {
            let items = self.human.ncols();
            if units.len() != items || units.iter().any(|&unit| unit as usize >= items) {
                return Err(PyValueError::new_err(format!("units are not those of {items} items")));
            }
        }
        let resampling = Resampling { units: units.as_deref(), systems };
        let replicates = replicates_from(first, replicates, self.metrics.dim().0)?;
        let (human, metrics) = (self.human.view(), self.metrics.view());
        let values = detached(py, || {
            bootstrap::replicate_values(&human, &metrics, question, resampling, replicates, seed)
        })?;
        Ok(values.into_pyarray(py))
    }

    /// Returns the value of each metric in each row, shaped (replicate, metric); rows are
    /// replicates and columns are systems. With a seed each replicate also resamples its systems.
    #[pyo3(signature = (*, coefficient, parameter, seed))]
    fn values_by_row<'py>(
        &self,
        py: Python<'py>,
        coefficient: &str,
        parameter: f64,
        seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let coefficient = self::coefficient(coefficient, parameter)?;
        let (human, metrics) = (self.human.view(), self.metrics.view());
        let values =
            detached(py, || bootstrap::system_values(&human, &metrics, coefficient, seed))?;
        Ok(values.into_pyarray(py))
    }
}

impl Cells {
    fn people(&self) -> &[f64] {
        self.human.as_slice().unwrap_or_default()
    }

    /// Groups the human scores.
    fn prepared(&self, grouping: Grouping) -> Prepared {
        Prepared::new(self.people(), self.human.nrows(), grouping)
    }

    /// Returns the metrics; raises ValueError unless there are `COUNT`.
    fn metrics<const COUNT: usize>(&self) -> PyResult<[&[f64]; COUNT]> {
        let (count, size) = (self.metrics.dim().0, self.human.len());
        if count != COUNT {
            return Err(PyValueError::new_err(format!("expected {COUNT} metrics, found {count}")));
        }
        let scores = self.metrics.as_slice().unwrap_or_default();
        Ok(std::array::from_fn(|place| &scores[place * size..][..size]))
    }
}

/// Returns the value of a coefficient of counted pairs, or None if it is undefined.
#[pyfunction]
pub fn value_of_counts(coefficient: &str, counts: [u64; 5]) -> PyResult<Option<f64>> {
    let formula = self::coefficient(coefficient, 0.0)?.formula();
    let formula = formula.ok_or_else(|| {
        PyValueError::new_err(format!("{coefficient:?} is not made of the counts of pairs"))
    })?;
    let [concordant, discordant, human_ties, metric_ties, both_ties] = counts;
    Ok(formula.of(&PairCounts { concordant, discordant, human_ties, metric_ties, both_ties }))
}

fn classes(counts: &PairCounts) -> [u64; 5] {
    let PairCounts { concordant, discordant, human_ties, metric_ties, both_ties } = *counts;
    [concordant, discordant, human_ties, metric_ties, both_ties]
}

/// Returns one-sided p-values of sums of differences with random signs, from the sums and the sums
/// of squares.
#[pyfunction]
pub fn one_sided_p<'py>(
    py: Python<'py>,
    totals: PyReadonlyArray1<'py, f64>,
    squares: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (totals, squares) = (totals.as_array(), squares.as_array());
    if totals.len() != squares.len() {
        let message = format!("{} totals and {} squares", totals.len(), squares.len());
        return Err(PyValueError::new_err(message));
    }
    let p_values = detached(py, || soft_pairwise::one_sided_p_values(&totals, &squares))?;
    Ok(p_values.into_pyarray(py))
}

/// Draws the numbers of heads among `counts` fair coins, shaped (replicate, count).
#[pyfunction]
#[pyo3(signature = (counts, *, first, replicates, seed))]
pub fn heads(
    py: Python<'_>,
    counts: Vec<u64>,
    first: u64,
    replicates: u64,
    seed: u64,
) -> PyResult<Bound<'_, PyArray2<u64>>> {
    let replicates = replicates_from(first, replicates, counts.len())?;
    Ok(detached(py, || permutation::heads(&counts, replicates, seed))?.into_pyarray(py))
}
