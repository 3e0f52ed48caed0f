//! Agreement: coefficients, pair counts, calibrated ties, permutations and bootstrap replicates.

use std::borrow::Cow;

use numpy::ndarray::{Array2, ArrayView2, ArrayView3, Axis};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3,
};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use truebleu_core::agreement::bootstrap::{self, Drawn, Question};
use truebleu_core::agreement::by_item::average_by_item;
use truebleu_core::agreement::coefficients::{Averaging, Coefficient};
use truebleu_core::agreement::groups::{Grouping, Prepared, Scratch};
use truebleu_core::agreement::pairs::{PairCounts, Verdict, count_judgment};
use truebleu_core::agreement::permutation::{self, Permutation, Unit};
use truebleu_core::agreement::soft_pairwise;

use crate::runtime::{detached, replicates as replicates_from};

/// The grouping of a name.
fn grouping(name: &str) -> PyResult<Grouping> {
    match name {
        "none" => Ok(Grouping::None),
        "item" => Ok(Grouping::Item),
        "system" => Ok(Grouping::System),
        _ => Err(PyValueError::new_err(format!("no grouping is called {name:?}"))),
    }
}

/// The coefficient of a name, with its epsilon or threshold.
fn coefficient(name: &str, parameter: f64) -> PyResult<Coefficient> {
    Coefficient::named(name, parameter)
        .ok_or_else(|| PyValueError::new_err(format!("no coefficient is called {name:?}")))
}

/// The human scores in their groups, and the metric's beside them.
fn prepare(
    human: &ArrayView2<'_, f64>,
    metric: &ArrayView2<'_, f64>,
    grouping: Grouping,
) -> PyResult<(Prepared, Vec<f64>)> {
    if human.dim() != metric.dim() {
        let shapes = format!("{:?} and {:?}", human.dim(), metric.dim());
        return Err(PyValueError::new_err(format!("matrices of different shapes: {shapes}")));
    }
    let prepared = Prepared::new(&rows(human), human.nrows(), grouping);
    let metric = prepared.gather(&rows(metric));
    Ok((prepared, metric))
}

/// A matrix row by row, copied only where it is not stored so.
fn rows<'a>(matrix: &'a ArrayView2<'_, f64>) -> Cow<'a, [f64]> {
    matrix.as_slice().map_or_else(|| matrix.iter().copied().collect(), Cow::Borrowed)
}

/// The value of a coefficient over all groups, how many groups have one and how many have none.
#[pyfunction]
#[pyo3(signature = (human, metric, *, grouping, coefficient, parameter, micro, undefined_as_zero))]
#[expect(clippy::too_many_arguments, reason = "settings are keyword arguments in Python")]
pub fn agreement(
    py: Python<'_>,
    human: PyReadonlyArray2<'_, f64>,
    metric: PyReadonlyArray2<'_, f64>,
    grouping: &str,
    coefficient: &str,
    parameter: f64,
    micro: bool,
    undefined_as_zero: bool,
) -> PyResult<(Option<f64>, u64, u64)> {
    let coefficient = self::coefficient(coefficient, parameter)?;
    let grouping = self::grouping(grouping)?;
    let averaging = Averaging { micro, undefined_as_zero };
    let (human, metric) = (human.as_array(), metric.as_array());
    let found = detached(py, || {
        if grouping == Grouping::Item && human.dim() == metric.dim() {
            let systems = human.nrows();
            let (human, metric) = (rows(&human), rows(&metric));
            let found = average_by_item(&human, &metric, systems, coefficient, averaging);
            if let Some(found) = found {
                return Ok(found);
            }
        }
        let (prepared, metric) = prepare(&human, &metric, grouping)?;
        let mut scratch = Scratch::default();
        PyResult::Ok(prepared.evaluate(coefficient, averaging, &metric, None, &mut scratch))
    })??;
    Ok((found.value, found.groups, found.undefined))
}

/// The tie threshold with the largest accuracy, or None where there are no pairs.
///
/// Threshold, accuracy, number of groups, share of pairs that people tie, where the accuracy next
/// changes, whether no larger threshold is as good, whether calling every pair a tie is as good.
#[pyfunction]
#[pyo3(signature = (human, metric, *, grouping, micro))]
#[expect(clippy::type_complexity, reason = "Python gets a tuple")]
pub fn calibrated_ties(
    py: Python<'_>,
    human: PyReadonlyArray2<'_, f64>,
    metric: PyReadonlyArray2<'_, f64>,
    grouping: &str,
    micro: bool,
) -> PyResult<Option<(f64, f64, u64, f64, Option<f64>, bool, bool)>> {
    let grouping = self::grouping(grouping)?;
    let averaging = Averaging { micro, undefined_as_zero: false };
    let (human, metric) = (human.as_array(), metric.as_array());
    let found = detached(py, || {
        let (prepared, metric) = prepare(&human, &metric, grouping)?;
        PyResult::Ok(prepared.calibrate(averaging, &metric, None, &mut Scratch::default()))
    })??;
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

/// Concordant, discordant, tied by people only, by the metric only, by both: added over groups.
#[pyfunction]
#[pyo3(signature = (human, metric, *, grouping, epsilon))]
pub fn pair_counts(
    py: Python<'_>,
    human: PyReadonlyArray2<'_, f64>,
    metric: PyReadonlyArray2<'_, f64>,
    grouping: &str,
    epsilon: f64,
) -> PyResult<[u64; 5]> {
    let grouping = self::grouping(grouping)?;
    let (human, metric) = (human.as_array(), metric.as_array());
    detached(py, || {
        let (prepared, metric) = prepare(&human, &metric, grouping)?;
        Ok(classes(&prepared.counts(epsilon, &metric, None, &mut Scratch::default())))
    })?
}

/// The value of a coefficient that is made of the counts of pairs; None where it is undefined.
#[pyfunction]
pub fn value_of_counts(coefficient: &str, counts: [u64; 5]) -> PyResult<Option<f64>> {
    let formula = self::coefficient(coefficient, 0.0)?.formula();
    let formula = formula.ok_or_else(|| {
        PyValueError::new_err(format!("{coefficient:?} is not made of the counts of pairs"))
    })?;
    let [concordant, discordant, human_ties, metric_ties, both_ties] = counts;
    Ok(formula.of(&PairCounts { concordant, discordant, human_ties, metric_ties, both_ties }))
}

/// Pairs whose human scores differ by the threshold or more, and those of them ordered alike.
#[pyfunction]
#[pyo3(signature = (human, metric, *, grouping, threshold))]
pub fn kept_pairs(
    py: Python<'_>,
    human: PyReadonlyArray2<'_, f64>,
    metric: PyReadonlyArray2<'_, f64>,
    grouping: &str,
    threshold: f64,
) -> PyResult<(u64, u64)> {
    let grouping = self::grouping(grouping)?;
    let (human, metric) = (human.as_array(), metric.as_array());
    detached(py, || {
        let (prepared, metric) = prepare(&human, &metric, grouping)?;
        let pairs = prepared.kept_pairs(threshold, &metric, &mut Scratch::default());
        Ok((pairs.kept, pairs.concordant))
    })?
}

/// The five counts of the judgments of each item, shaped (item, class).
///
/// A verdict is 1 where the left system is better, -1 where the right one is, 0 where they are tied.
#[pyfunction]
#[pyo3(signature = (metric, *, left, right, item, verdict, epsilon))]
pub fn judgment_counts<'py>(
    py: Python<'py>,
    metric: PyReadonlyArray2<'py, f64>,
    left: PyReadonlyArray1<'py, i64>,
    right: PyReadonlyArray1<'py, i64>,
    item: PyReadonlyArray1<'py, i64>,
    verdict: PyReadonlyArray1<'py, i64>,
    epsilon: f64,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let metric = metric.as_array();
    let judgments = item.len()?;
    if [left.len()?, right.len()?, verdict.len()?] != [judgments; 3] {
        return Err(PyValueError::new_err("judgments of different number"));
    }
    let mut counts = vec![PairCounts::default(); metric.ncols()];
    let of = |system: i64, item: i64| {
        let place = (usize::try_from(system).ok()?, usize::try_from(item).ok()?);
        Some((*metric.get(place)?, place.1))
    };
    let judged = |(((&left, &right), &item), &verdict): (((&i64, &i64), &i64), &i64)| {
        let ((left, item), (right, _)) = (of(left, item)?, of(right, item)?);
        let verdict = match verdict {
            1.. => Verdict::LeftBetter,
            0 => Verdict::Tied,
            _ => Verdict::RightBetter,
        };
        count_judgment(&mut counts[item], verdict, left - right, epsilon);
        Some(())
    };
    let (left, right) = (left.as_array(), right.as_array());
    let (item, verdict) = (item.as_array(), verdict.as_array());
    let all = left.iter().zip(right).zip(item).zip(verdict);
    let inside = all.map(judged).all(|done| done.is_some());
    if !inside {
        return Err(PyIndexError::new_err("a judgment of a system or item outside the matrix"));
    }
    let counts: Vec<_> = counts.iter().map(classes).collect();
    Ok(Array2::from(counts).into_pyarray(py))
}

fn classes(counts: &PairCounts) -> [u64; 5] {
    let PairCounts { concordant, discordant, human_ties, metric_ties, both_ties } = *counts;
    [concordant, discordant, human_ties, metric_ties, both_ties]
}

/// The values of both hybrids of two metrics after swaps, shaped (1 + replicate, 2); NaN without a value.
///
/// The first row is that of the metrics themselves. These are standardised, shaped (2, system, item). With a seed each cell is swapped by a fair
/// coin; without one, replicate i swaps the judged cells whose bits are set in i.
#[pyfunction]
#[pyo3(signature = (human, metrics, *, grouping, coefficient, parameter, micro, undefined_as_zero, systems, first, replicates, seed))]
#[expect(clippy::too_many_arguments, reason = "settings are keyword arguments in Python")]
pub fn hybrid_values<'py>(
    py: Python<'py>,
    human: PyReadonlyArray2<'py, f64>,
    metrics: PyReadonlyArray3<'py, f64>,
    grouping: &str,
    coefficient: &str,
    parameter: f64,
    micro: bool,
    undefined_as_zero: bool,
    systems: bool,
    first: u64,
    replicates: u64,
    seed: Option<u64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let coefficient = self::coefficient(coefficient, parameter)?;
    let grouping = self::grouping(grouping)?;
    let averaging = Averaging { micro, undefined_as_zero };
    let (human, metrics) = (human.as_array(), metrics.as_array());
    require_shapes(&human, &metrics)?;
    require_two(&metrics)?;
    let replicates = replicates_from(first, replicates, 2)?;
    let permutation = seed.map_or(Permutation::Enumerated, |seed| Permutation::Random { seed });
    let unit = if systems { Unit::System { items: human.ncols() } } else { Unit::Cell };
    let values = detached(py, || {
        let prepared = Prepared::new(&flat(&human), human.nrows(), grouping);
        let rows: Vec<_> = metrics.outer_iter().map(|metric| flat(&metric)).collect();
        let metrics = [&rows[0][..], &rows[1][..]];
        permutation::hybrid_values(
            &prepared,
            coefficient,
            averaging,
            metrics,
            (permutation, unit),
            replicates,
        )
    })?;
    Ok(values.into_pyarray(py))
}

/// The soft pairwise accuracies of both hybrids of two metrics after swaps, shaped (replicate, 2), by the
/// normal approximation.
///
/// The human scores are NaN where nobody rated, and the metrics standardised, shaped (2, system, segment). With a
/// seed each cell is swapped by a fair coin; without one, replicate i swaps the systems whose bits are set in i.
#[pyfunction]
#[pyo3(signature = (human, metrics, *, systems, first, replicates, seed))]
pub fn hybrid_soft_accuracies<'py>(
    py: Python<'py>,
    human: PyReadonlyArray2<'py, f64>,
    metrics: PyReadonlyArray3<'py, f64>,
    systems: bool,
    first: u64,
    replicates: u64,
    seed: Option<u64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (human, metrics) = (human.as_array(), metrics.as_array());
    require_shapes(&human, &metrics)?;
    require_two(&metrics)?;
    let replicates = replicates_from(first, replicates, 2)?;
    let permutation = seed.map_or(Permutation::Enumerated, |seed| Permutation::Random { seed });
    let unit = if systems { Unit::System { items: human.ncols() } } else { Unit::Cell };
    let accuracies = detached(py, || {
        let both = [metrics.index_axis(Axis(0), 0), metrics.index_axis(Axis(0), 1)];
        let views = [&both[0], &both[1]];
        soft_pairwise::hybrid_accuracies(&human, views, (permutation, unit), replicates)
    })?;
    Ok(accuracies.into_pyarray(py))
}

/// One-sided p-values of sums of differences with random signs, from the sums and those of squares.
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

/// Whether each of so many cells is swapped, shaped (replicate, cell).
#[pyfunction]
#[pyo3(signature = (cells, *, first, replicates, seed))]
pub fn swapped_cells(
    py: Python<'_>,
    cells: usize,
    first: u64,
    replicates: u64,
    seed: u64,
) -> PyResult<Bound<'_, PyArray2<bool>>> {
    let replicates = replicates_from(first, replicates, cells)?;
    let swapped = detached(py, || permutation::swapped_cells(cells, replicates, seed))?;
    Ok(swapped.into_pyarray(py))
}

/// By size of group: cells, groups, pairs that only the first metric has right, and only the second.
#[pyfunction]
#[pyo3(signature = (human, metrics, *, grouping, epsilons))]
pub fn pair_outcomes(
    py: Python<'_>,
    human: PyReadonlyArray2<'_, f64>,
    metrics: PyReadonlyArray3<'_, f64>,
    grouping: &str,
    epsilons: [f64; 2],
) -> PyResult<Vec<(usize, u64, u64, u64)>> {
    let grouping = self::grouping(grouping)?;
    let (human, metrics) = (human.as_array(), metrics.as_array());
    require_shapes(&human, &metrics)?;
    require_two(&metrics)?;
    let found = detached(py, || {
        let prepared = Prepared::new(&flat(&human), human.nrows(), grouping);
        let rows: Vec<_> = metrics.outer_iter().map(|metric| flat(&metric)).collect();
        permutation::outcomes(&prepared, [&rows[0], &rows[1]], epsilons)
    })?;
    Ok(found
        .iter()
        .map(|size| (size.cells, size.groups, size.only_first, size.only_second))
        .collect())
}

/// How many of so many fair coins show heads, shaped (replicate, count).
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

/// The value of each metric on bootstrap replicates, shaped (replicate, metric); NaN without a value.
///
/// Units say to which unit each item belongs, from 0 up; without them items are kept as they are.
#[pyfunction]
#[pyo3(signature = (human, metrics, *, grouping, coefficient, parameter, micro, undefined_as_zero, units, systems, first, replicates, seed))]
#[expect(clippy::too_many_arguments, reason = "settings are keyword arguments in Python")]
pub fn replicate_agreement<'py>(
    py: Python<'py>,
    human: PyReadonlyArray2<'py, f64>,
    metrics: PyReadonlyArray3<'py, f64>,
    grouping: &str,
    coefficient: &str,
    parameter: f64,
    micro: bool,
    undefined_as_zero: bool,
    units: Option<Vec<u32>>,
    systems: bool,
    first: u64,
    replicates: u64,
    seed: u64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let question = Question {
        coefficient: self::coefficient(coefficient, parameter)?,
        averaging: Averaging { micro, undefined_as_zero },
        grouping: self::grouping(grouping)?,
    };
    let (human, metrics) = (human.as_array(), metrics.as_array());
    require_shapes(&human, &metrics)?;
    if let Some(units) = &units {
        let items = human.ncols();
        if units.len() != items || units.iter().any(|&unit| unit as usize >= items) {
            return Err(PyValueError::new_err(format!("units are not those of {items} items")));
        }
    }
    let drawn = Drawn { units: units.as_deref(), systems };
    let replicates = replicates_from(first, replicates, metrics.dim().0)?;
    let values = detached(py, || {
        bootstrap::replicate_values(&human, &metrics, question, drawn, replicates, seed)
    })?;
    Ok(values.into_pyarray(py))
}

/// The value of each metric by the systems' scores on each replicate, shaped (replicate, metric).
///
/// Human scores are shaped (replicate, system), metrics (metric, replicate, system). With a seed each
/// replicate draws from its systems.
#[pyfunction]
#[pyo3(signature = (human, metrics, *, coefficient, parameter, seed))]
pub fn system_agreement<'py>(
    py: Python<'py>,
    human: PyReadonlyArray2<'py, f64>,
    metrics: PyReadonlyArray3<'py, f64>,
    coefficient: &str,
    parameter: f64,
    seed: Option<u64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let coefficient = self::coefficient(coefficient, parameter)?;
    let (human, metrics) = (human.as_array(), metrics.as_array());
    require_shapes(&human, &metrics)?;
    let values = detached(py, || bootstrap::system_values(&human, &metrics, coefficient, seed))?;
    Ok(values.into_pyarray(py))
}

fn flat(matrix: &ArrayView2<'_, f64>) -> Vec<f64> {
    matrix.iter().copied().collect()
}

fn require_shapes(human: &ArrayView2<'_, f64>, metrics: &ArrayView3<'_, f64>) -> PyResult<()> {
    let (_, rows, columns) = metrics.dim();
    if (rows, columns) == human.dim() {
        return Ok(());
    }
    let shapes = format!("{:?} and {:?}", human.dim(), metrics.dim());
    Err(PyValueError::new_err(format!("matrices of different shapes: {shapes}")))
}

fn require_two(metrics: &ArrayView3<'_, f64>) -> PyResult<()> {
    if metrics.dim().0 == 2 {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("expected two metrics, found {}", metrics.dim().0)))
}
