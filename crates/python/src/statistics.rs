//! Statistics of pairs and scores: arrays of numbers, one column for each score or difference.

use std::ops::Range;

use numpy::ndarray::{Array2, ArrayView1, ArrayView2};
use numpy::{
    AllowTypeChange, IntoPyArray, PyArray1, PyArray2, PyArrayLike1, PyArrayLike2, PyArrayMethods,
    PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3,
};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;
use truebleu_core::metrics::{Metric, ROWS_PER_PIECE};
use truebleu_core::statistics::intervals::{Estimate, IntervalName, Kind};
use truebleu_core::statistics::inversion::{self, Decision};
use truebleu_core::statistics::path::{self, MeanGradients, Smooth};
use truebleu_core::statistics::rates::{self, PairedRates};
use truebleu_core::statistics::{
    Interval, distributions, intervals as interval_methods, jackknife as of_units, percentiles,
    swaps, units,
};

use crate::metrics::{NativeMetric, width_error};
use crate::resampling::side_of;
use crate::runtime::{detached, detached_if, require_memory};

/// Numbers that one thread looks at alone.
const SMALL: usize = 1 << 14;

/// Computes a value of every column, on all threads if there are many numbers.
fn by_column<R: Send>(
    py: Python<'_>,
    columns: usize,
    numbers: usize,
    work: impl Fn(usize) -> R + Sync + Send,
) -> PyResult<Vec<R>> {
    if numbers > SMALL {
        return detached(py, || (0..columns).into_par_iter().map(work).collect());
    }
    Ok((0..columns).map(work).collect())
}

/// Lows and highs, shaped (2, column).
fn as_bounds(py: Python<'_>, intervals: Vec<Interval>) -> Bound<'_, PyArray2<f64>> {
    let rows: Vec<[f64; 2]> = intervals.into_iter().map(<[f64; 2]>::from).collect();
    Array2::from(rows).reversed_axes().into_pyarray(py)
}

fn require_columns(expected: usize, found: &[usize]) -> PyResult<()> {
    if found.iter().all(|&length| length == expected) {
        return Ok(());
    }
    Err(PyIndexError::new_err(format!("found {found:?} columns, expected {expected} of each")))
}

fn ranges(strata: Vec<(usize, usize)>, units: usize) -> PyResult<Vec<Range<usize>>> {
    if strata.iter().any(|&(start, end)| start > end || end > units) {
        return Err(PyIndexError::new_err(format!("strata beyond {units} units: {strata:?}")));
    }
    Ok(strata.into_iter().map(|(start, end)| start..end).collect())
}

/// Rounds fractional columns to a grid on which no sum of as many rows needs rounding.
///
/// Returns the rows themselves if all values are whole numbers.
#[pyfunction]
#[pyo3(signature = (rows, /))]
pub fn on_exact_grid(rows: Bound<'_, PyArray2<f64>>) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let mut rounded = {
        let values = rows.readonly();
        let values = values.as_array();
        if !units::has_fractions(&values) {
            return Ok(rows.clone());
        }
        require_memory(Some(values.len()))?;
        values.as_standard_layout().into_owned()
    };
    units::on_exact_grid(&mut rounded.view_mut());
    Ok(rounded.into_pyarray(rows.py()))
}

/// Returns the value below which this share of the normal distribution lies.
#[pyfunction]
#[pyo3(signature = (share, /))]
pub fn normal_quantile(share: f64) -> f64 {
    distributions::normal_quantile(share)
}

/// Returns the t between minus and plus which this share of Student's distribution lies, by degrees
/// of freedom.
#[pyfunction]
pub fn student_quantiles<'py>(
    py: Python<'py>,
    level: f64,
    degrees: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let degrees = degrees.as_array();
    let quantile = |place: usize| distributions::student_quantile(level, degrees[place]);
    Ok(by_column(py, degrees.len(), degrees.len(), quantile)?.into_pyarray(py))
}

/// Returns p-values of differences over their standard errors, by Student's t.
#[pyfunction]
pub fn student_p<'py>(
    py: Python<'py>,
    differences: PyReadonlyArray1<'py, f64>,
    errors: PyReadonlyArray1<'py, f64>,
    degrees: PyReadonlyArray1<'py, f64>,
    scales: PyReadonlyArray1<'py, f64>,
    side: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let side = side_of(side)?;
    let [differences, errors, degrees, scales] =
        [&differences, &errors, &degrees, &scales].map(|values| values.as_array());
    let count = differences.len();
    require_columns(count, &[errors.len(), degrees.len(), scales.len()])?;
    let p = |place: usize| {
        of_units::student_p(differences[place], errors[place], degrees[place], side, scales[place])
    };
    Ok(by_column(py, count, count, p)?.into_pyarray(py))
}

/// Returns the standard errors of estimates from the estimates without one unit each, shaped (unit,
/// estimate).
#[pyfunction]
pub fn jackknife_errors<'py>(
    py: Python<'py>,
    jackknife: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let without = jackknife.as_array();
    let error = |column: usize| of_units::standard_error(&without.column(column).to_vec());
    Ok(by_column(py, without.ncols(), without.len(), error)?.into_pyarray(py))
}

/// Returns Student's intervals of the means of values, shaped (segment, system).
#[pyfunction]
pub fn mean_intervals<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    level: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let values = values.as_array();
    let interval = |column: usize| of_units::mean_interval(&values.column(column).to_vec(), level);
    Ok(as_bounds(py, by_column(py, values.ncols(), values.len(), interval)?))
}

/// Returns p-values of the hypotheses that true values are `distances` below the estimates, by Hall's method.
///
/// The jackknife is shaped (unit, estimate); strata are ranges of units.
#[pyfunction]
pub fn hall_p<'py>(
    py: Python<'py>,
    distances: PyReadonlyArray1<'py, f64>,
    jackknife: PyReadonlyArray2<'py, f64>,
    side: &str,
    scales: PyReadonlyArray1<'py, f64>,
    strata: Vec<(usize, usize)>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let side = side_of(side)?;
    let (distances, scales, without) =
        (distances.as_array(), scales.as_array(), jackknife.as_array());
    require_columns(without.ncols(), &[distances.len(), scales.len()])?;
    let strata = ranges(strata, without.nrows())?;
    let p = |column: usize| {
        let without = without.column(column).to_vec();
        of_units::hall_p(distances[column], &without, side, scales[column], &strata)
    };
    Ok(by_column(py, without.ncols(), without.len(), p)?.into_pyarray(py))
}

/// Returns the t that Hall's transformation takes to `shifted`.
#[pyfunction]
pub fn without_skewness(shifted: f64, bend: f64) -> f64 {
    of_units::without_skewness(shifted, bend)
}

/// Returns the smallest number of replicates from which the interval at this level leaves any out.
#[pyfunction]
pub fn min_replicates(level: f64) -> usize {
    percentiles::min_replicates(level)
}

/// Returns the number of replicates that the percentile interval leaves out on either side.
#[pyfunction]
pub fn percentile_rank(replicates: usize, level: f64) -> usize {
    percentiles::percentile_rank(replicates, level)
}

fn interval_named(name: &str) -> PyResult<IntervalName> {
    IntervalName::named(name)
        .ok_or_else(|| PyValueError::new_err(format!("no interval is called {name:?}")))
}

/// Returns intervals of estimates by the name of a method: lows and highs, shaped (2, estimate).
///
/// Percentiles are made of replicates, shaped (replicate, estimate); bca of these, the estimates and the
/// jackknife, shaped (unit, estimate); hall, jackknife and student of the last two; gaffke of successes, which
/// are the scores, wilson and korn-graubard of successes and trials, shaped (unit, estimate). Strata are ranges
/// of units.
#[pyfunction]
#[pyo3(signature = (name, level, *, estimates=None, replicates=None, jackknife=None, successes=None, trials=None, strata=Vec::new(), limits=(f64::NEG_INFINITY, f64::INFINITY)))]
#[expect(clippy::too_many_arguments, reason = "each method looks at its part")]
pub fn intervals<'py>(
    py: Python<'py>,
    name: &str,
    level: f64,
    estimates: Option<PyReadonlyArray1<'py, f64>>,
    replicates: Option<PyReadonlyArray2<'py, f64>>,
    jackknife: Option<PyReadonlyArray2<'py, f64>>,
    successes: Option<PyReadonlyArray2<'py, f64>>,
    trials: Option<PyReadonlyArray2<'py, f64>>,
    strata: Vec<(usize, usize)>,
    limits: Interval,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let name = interval_named(name)?;
    let estimates = estimates.as_ref().map(PyReadonlyArray1::as_array);
    let matrices = [&replicates, &jackknife, &successes, &trials]
        .map(|matrix| matrix.as_ref().map(PyReadonlyArray2::as_array));
    let columns = matrices.iter().flatten().map(ArrayView2::ncols).next().unwrap_or(0);
    let lengths = matrices.iter().flatten().map(ArrayView2::ncols);
    let lengths: Vec<_> = lengths.chain(estimates.map(|values| values.len())).collect();
    require_columns(columns, &lengths)?;
    let strata = ranges(strata, matrices[1].map_or(0, |jackknife| jackknife.nrows()))?;
    let interval = |column: usize| {
        let [mut replicates, without, successes, trials] = matrices
            .map(|matrix| matrix.map_or_else(Vec::new, |matrix| matrix.column(column).to_vec()));
        let mut estimate = Estimate {
            score: estimates.map_or(f64::NAN, |estimates| estimates[column]),
            replicates: &mut replicates,
            without: &without,
            strata: &strata,
            successes: &successes,
            trials: &trials,
        };
        interval_methods::bounds(name, &mut estimate, level, limits)
    };
    let numbers = matrices.iter().flatten().map(ArrayView2::len).sum();
    let found: Option<Vec<Interval>> =
        by_column(py, columns, numbers, interval)?.into_iter().collect();
    let missing = || PyValueError::new_err(format!("missing numbers for {}", name.name()));
    Ok(as_bounds(py, found.ok_or_else(missing)?))
}

/// Returns the name of the interval that goes with a verdict.
#[pyfunction]
#[pyo3(signature = (*, about_further_runs, by_segment, by_domain))]
pub fn default_interval(
    about_further_runs: bool,
    by_segment: bool,
    by_domain: bool,
) -> &'static str {
    interval_methods::default_interval(about_further_runs, by_segment, by_domain).name()
}

/// Returns the name of the interval that scores get: the requested one, the interval of rates, or
/// the default.
///
/// `kind` is "rates" or "clustered rates" of pass/fail scores, "means" if the score is the mean of single scores,
/// or "any".
#[pyfunction]
pub fn choose_interval(
    requested: Option<&str>,
    default: &str,
    kind: &str,
    units: usize,
) -> PyResult<&'static str> {
    let requested = requested.map(interval_named).transpose()?;
    let kind = match kind {
        "any" => Kind::Any,
        "means" => Kind::Means,
        "rates" => Kind::Rates,
        "clustered rates" => Kind::ClusteredRates,
        _ => return Err(PyValueError::new_err(format!("no kind is called {kind:?}"))),
    };
    let chosen =
        interval_methods::choose_interval(requested, interval_named(default)?, kind, units);
    Ok(chosen.name())
}

/// Returns intervals of rates by the name of a method, wilson or clopper-pearson: shaped (2, rate).
#[pyfunction]
pub fn rate_intervals<'py>(
    py: Python<'py>,
    name: &str,
    rates: PyReadonlyArray1<'py, f64>,
    trials: PyReadonlyArray1<'py, f64>,
    level: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let interval = match name {
        "wilson" => rates::wilson_interval,
        "clopper-pearson" => rates::clopper_pearson_interval,
        _ => return Err(PyValueError::new_err(format!("no interval is called {name:?}"))),
    };
    let (rates, trials) = (rates.as_array(), trials.as_array());
    require_columns(rates.len(), &[trials.len()])?;
    let bounds = |place: usize| interval(rates[place], trials[place], level);
    Ok(as_bounds(py, by_column(py, rates.len(), rates.len(), bounds)?))
}

/// Returns Tango's intervals of paired differences by a quantile of the normal distribution, shaped (2, pair).
///
/// `rates` are the items that only the first gets right, only the second, and all, shaped (3, pair).
#[pyfunction]
pub fn tango_bounds<'py>(
    py: Python<'py>,
    rates: PyReadonlyArray2<'py, f64>,
    quantile: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let pairs = paired(&rates.as_array())?;
    let bounds = |pair: usize| {
        let PairedRates { first, second, count } = pairs[pair];
        rates::tango_bounds(first, second, count, quantile)
    };
    Ok(as_bounds(py, by_column(py, pairs.len(), pairs.len(), bounds)?))
}

fn paired(rates: &ArrayView2<'_, f64>) -> PyResult<Vec<PairedRates>> {
    require_columns(3, &[rates.nrows()])?;
    let of = |column: ArrayView1<'_, f64>| PairedRates {
        first: column[0],
        second: column[1],
        count: column[2],
    };
    Ok(rates.columns().into_iter().map(of).collect())
}

/// Returns bounds of a paired difference of rates that each lie beyond it in at most `alpha` of all cases.
#[pyfunction]
pub fn exact_bounds(first: f64, second: f64, count: f64, alpha: f64) -> Interval {
    rates::exact_bounds(first, second, count, alpha)
}

/// Returns the p-value of the hypothesis that the first rate is lower by the margin or more.
#[pyfunction]
pub fn exact_p(first: f64, second: f64, count: f64, margin: f64) -> f64 {
    rates::exact_p(first, second, count, margin)
}

/// Items' scores in the numbers in which they are kept, shaped (item, system).
#[derive(FromPyObject)]
pub enum Scores<'py> {
    Bits16(PyReadonlyArray2<'py, i16>),
    Bits32(PyReadonlyArray2<'py, i32>),
    Floats(PyReadonlyArray2<'py, f64>),
}

/// Returns the discordant items of each pair in effective sample sizes, shaped (3, pair).
///
/// The rows are the items of `tango_bounds`. `rows` are successes and trials, shaped (unit, system,
/// 2).
#[pyfunction]
pub fn paired_rates<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray3<'py, f64>,
    scores: Scores<'py>,
    pairs: Vec<(usize, usize)>,
    level: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = rows.as_array();
    let (_, systems, columns) = rows.dim();
    let in_scores = match &scores {
        Scores::Bits16(scores) => scores.as_array().ncols(),
        Scores::Bits32(scores) => scores.as_array().ncols(),
        Scores::Floats(scores) => scores.as_array().ncols(),
    };
    if columns != 2 || pairs.iter().any(|&(a, b)| a.max(b) >= systems.min(in_scores)) {
        return Err(PyIndexError::new_err("pairs of systems that the rows and scores lack"));
    }
    let numbers = rows.len() * pairs.len();
    let found = match &scores {
        Scores::Bits16(scores) => {
            let scores = scores.as_array();
            let of = |pair: usize| PairedRates::of(&rows, &scores, pairs[pair], level);
            by_column(py, pairs.len(), numbers, of)?
        }
        Scores::Bits32(scores) => {
            let scores = scores.as_array();
            let of = |pair: usize| PairedRates::of(&rows, &scores, pairs[pair], level);
            by_column(py, pairs.len(), numbers, of)?
        }
        Scores::Floats(scores) => {
            let scores = scores.as_array();
            let of = |pair: usize| PairedRates::of(&rows, &scores, pairs[pair], level);
            by_column(py, pairs.len(), numbers, of)?
        }
    };
    let rows: Vec<[f64; 3]> =
        found.iter().map(|rates| [rates.first, rates.second, rates.count]).collect();
    Ok(Array2::from(rows).reversed_axes().into_pyarray(py))
}

/// Returns the smallest number of extreme replicates at which a hypothesis is not rejected.
#[pyfunction]
#[pyo3(signature = (replicates, alpha, *, exact))]
pub fn critical_rank(replicates: u64, alpha: f64, exact: bool) -> usize {
    inversion::critical_rank(replicates, alpha, exact)
}

/// Returns the p-value of each number of extreme replicates.
#[pyfunction]
#[pyo3(signature = (extreme, replicates, *, exact))]
pub fn p_values<'py>(
    py: Python<'py>,
    extreme: PyReadonlyArray1<'py, u64>,
    replicates: u64,
    exact: bool,
) -> Bound<'py, PyArray1<f64>> {
    let extreme = extreme.as_array();
    let p = extreme.iter().map(|&extreme| inversion::p_value(extreme, replicates, exact));
    p.collect::<Vec<_>>().into_pyarray(py)
}

/// Returns the level of the two-sided interval with the ends of the test's interval.
#[pyfunction]
pub fn inverted_level(alpha: f64, side: &str) -> PyResult<f64> {
    Ok(inversion::inverted_level(alpha, side_of(side)?))
}

/// Returns the tests of pairs, with the settings that all of them share.
fn decisions(
    p: &ArrayView1<'_, f64>,
    side: &str,
    alpha: f64,
    sign: f64,
) -> PyResult<Vec<Decision>> {
    let side = side_of(side)?;
    Ok(p.iter().map(|&p| Decision { p, alpha, side, sign }).collect())
}

/// Returns the differences that a test does not reject, shaped (2, pair); infinite if it rejects none.
///
/// The half-widths are distances below and above, higher being better, shaped (2, pair); `sign` is -1 if lower
/// is better.
#[pyfunction]
#[pyo3(signature = (differences, half_widths, p, *, side, alpha, sign))]
pub fn inverted_intervals<'py>(
    py: Python<'py>,
    differences: PyReadonlyArray1<'py, f64>,
    half_widths: PyReadonlyArray2<'py, f64>,
    p: PyReadonlyArray1<'py, f64>,
    side: &str,
    alpha: f64,
    sign: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (differences, half_widths) = (differences.as_array(), half_widths.as_array());
    let decisions = decisions(&p.as_array(), side, alpha, sign)?;
    let pairs = differences.len();
    require_columns(2, &[half_widths.nrows()])?;
    require_columns(pairs, &[half_widths.ncols(), decisions.len()])?;
    let interval = |pair: usize| {
        let half_widths = (half_widths[[0, pair]], half_widths[[1, pair]]);
        inversion::inverted_interval(differences[pair], half_widths, &decisions[pair])
    };
    Ok(as_bounds(py, (0..pairs).map(interval).collect()))
}

/// Returns the intervals of tests by swaps, those of pairs with few differing units joined with Student's.
///
/// `bounds` and `student` are shaped (2, pair); ends are infinite where too few units differ.
#[pyfunction]
#[pyo3(signature = (bounds, student, differing, p, *, units, side, alpha))]
#[expect(clippy::too_many_arguments, reason = "a test has as many parts")]
pub fn few_differing_intervals<'py>(
    py: Python<'py>,
    bounds: PyReadonlyArray2<'py, f64>,
    student: PyReadonlyArray2<'py, f64>,
    differing: Vec<usize>,
    p: PyReadonlyArray1<'py, f64>,
    units: usize,
    side: &str,
    alpha: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (bounds, student) = (bounds.as_array(), student.as_array());
    let decisions = decisions(&p.as_array(), side, alpha, 1.0)?;
    let pairs = decisions.len();
    require_columns(2, &[bounds.nrows(), student.nrows()])?;
    require_columns(pairs, &[bounds.ncols(), student.ncols(), differing.len()])?;
    let of = |ends: &ArrayView2<'_, f64>, pair: usize| (ends[[0, pair]], ends[[1, pair]]);
    let interval = |pair: usize| {
        let (own, other) = (of(&bounds, pair), of(&student, pair));
        inversion::few_differing_interval(own, other, differing[pair], units, &decisions[pair])
    };
    Ok(as_bounds(py, (0..pairs).map(interval).collect()))
}

/// Returns Tango's intervals of differences of pass/fail scores in accord with their tests, shaped (2, pair).
///
/// `rates` are as in `tango_bounds`, `bounds` the intervals of the tests themselves.
#[pyfunction]
#[pyo3(signature = (differences, rates, bounds, p, *, side, alpha, sign))]
#[expect(clippy::too_many_arguments, reason = "a test has as many parts")]
pub fn pass_fail_intervals<'py>(
    py: Python<'py>,
    differences: PyReadonlyArray1<'py, f64>,
    rates: PyReadonlyArray2<'py, f64>,
    bounds: PyReadonlyArray2<'py, f64>,
    p: PyReadonlyArray1<'py, f64>,
    side: &str,
    alpha: f64,
    sign: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (differences, bounds) = (differences.as_array(), bounds.as_array());
    let (rates, decisions) =
        (paired(&rates.as_array())?, decisions(&p.as_array(), side, alpha, sign)?);
    let pairs = differences.len();
    require_columns(2, &[bounds.nrows()])?;
    require_columns(pairs, &[bounds.ncols(), rates.len(), decisions.len()])?;
    let interval = |pair: usize| {
        let of_test = (bounds[[0, pair]], bounds[[1, pair]]);
        inversion::pass_fail_interval(differences[pair], &rates[pair], of_test, &decisions[pair])
    };
    Ok(as_bounds(py, by_column(py, pairs, pairs, interval)?))
}

/// Returns the p-values of McNemar's exact test, and the intervals that agree with it: shaped (3, pair).
#[pyfunction]
#[pyo3(signature = (rates, *, side, alpha, sign))]
pub fn mcnemar_tests<'py>(
    py: Python<'py>,
    rates: PyReadonlyArray2<'py, f64>,
    side: &str,
    alpha: f64,
    sign: f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (pairs, side) = (paired(&rates.as_array())?, side_of(side)?);
    let test = |pair: usize| inversion::mcnemar_test(&pairs[pair], alpha, side, sign);
    let tests = by_column(py, pairs.len(), pairs.len(), test)?;
    let rows = |(p, (low, high)): &(f64, Interval)| [*p, *low, *high];
    let columns: Vec<[f64; 3]> = tests.iter().map(rows).collect();
    Ok(Array2::from_shape_fn((3, columns.len()), |(row, pair)| columns[pair][row]).into_pyarray(py))
}

/// Returns the variance of differences over swaps, over that over samples; NaN if nothing varies.
#[pyfunction]
pub fn swap_ratios<'py>(
    py: Python<'py>,
    squares: PyReadonlyArray1<'py, f64>,
    count: u64,
    errors: PyReadonlyArray1<'py, f64>,
    size: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (squares, errors) = (squares.as_array(), errors.as_array());
    require_columns(squares.len(), &[errors.len()])?;
    let ratio = |(squares, error): (&f64, &f64)| {
        swaps::swap_ratio(*squares, count, *error, size).unwrap_or(f64::NAN)
    };
    Ok(squares.iter().zip(errors).map(ratio).collect::<Vec<_>>().into_pyarray(py))
}

/// Returns the factors by which differences after swaps are multiplied.
#[pyfunction]
pub fn swap_scales<'py>(
    py: Python<'py>,
    ratios: PyReadonlyArray1<'py, f64>,
) -> Bound<'py, PyArray1<f64>> {
    let ratios = ratios.as_array();
    let scale = |&ratio: &f64| swaps::swap_scale((!ratio.is_nan()).then_some(ratio));
    ratios.iter().map(scale).collect::<Vec<_>>().into_pyarray(py)
}

/// Returns the share of the text that each replicate swaps, shaped (replicate, pair) or (replicate, 1).
///
/// `swapped_sums` are shaped (replicate, system, column), `sums` (system, column); `weights` are columns. None if
/// a system has no weight.
#[pyfunction]
pub fn swapped_shares<'py>(
    py: Python<'py>,
    swapped_sums: PyReadonlyArray3<'py, f64>,
    sums: PyReadonlyArray2<'py, f64>,
    weights: Vec<usize>,
    pairs: Vec<(usize, usize)>,
) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
    let (swapped_sums, sums) = (swapped_sums.as_array(), sums.as_array());
    let (replicates, systems, columns) = swapped_sums.dim();
    let fit = sums.dim() == (systems, columns)
        && weights.iter().all(|&column| column < columns)
        && pairs.iter().all(|&(a, b)| a.max(b) < systems);
    if !fit {
        return Err(PyIndexError::new_err("sums, weights and pairs do not fit together"));
    }
    require_memory(replicates.checked_mul(pairs.len().max(systems)))?;
    let shares = detached(py, || swaps::swapped_shares(&swapped_sums, &sums, &weights, &pairs))?;
    Ok(shares.map(|shares| shares.into_pyarray(py)))
}

/// Returns scaled differences after swaps, and the scaled shares of the text that are swapped.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "Python gets a tuple")]
pub fn scale_swaps<'py>(
    py: Python<'py>,
    differences: PyReadonlyArray2<'py, f64>,
    shares: PyReadonlyArray2<'py, f64>,
    scales: Vec<f64>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
    let (differences, shares) = (differences.as_array(), shares.as_array());
    require_columns(scales.len(), &[differences.ncols()])?;
    if shares.nrows() != differences.nrows() || ![1, scales.len()].contains(&shares.ncols()) {
        return Err(PyIndexError::new_err("differences and shares do not fit together"));
    }
    require_memory(differences.len().checked_mul(2))?;
    let mut wider = differences.as_standard_layout().into_owned();
    let shares = swaps::scale_swaps(&mut wider.view_mut(), &shares, &scales);
    Ok((wider.into_pyarray(py), shares.into_pyarray(py)))
}

/// A metric of Python: an object with `score` and `gradient`.
struct PythonMetric<'a, 'py>(&'a Bound<'py, PyAny>);

impl<'py> PythonMetric<'_, 'py> {
    fn call(&self, method: &str, sums: &ArrayView2<'_, f64>) -> PyResult<Bound<'py, PyAny>> {
        self.0.call_method1(method, (sums.to_owned().into_pyarray(self.0.py()),))
    }
}

impl Smooth for PythonMetric<'_, '_> {
    type Error = PyErr;

    fn scores(&self, sums: &ArrayView2<'_, f64>) -> PyResult<Vec<f64>> {
        let scores = self.call("score", sums)?;
        let scores: PyArrayLike1<'_, f64, AllowTypeChange> = scores.extract()?;
        require_columns(sums.nrows(), &[scores.as_array().len()])?;
        Ok(scores.as_array().to_vec())
    }

    fn gradients(&self, sums: &ArrayView2<'_, f64>) -> PyResult<Array2<f64>> {
        let gradients = self.call("gradient", sums)?;
        let gradients: PyArrayLike2<'_, f64, AllowTypeChange> = gradients.extract()?;
        let gradients = gradients.as_array();
        require_columns(sums.nrows(), &[gradients.nrows()])?;
        require_columns(sums.ncols(), &[gradients.ncols()])?;
        Ok(gradients.to_owned())
    }
}

/// Returns the mean gradients of a metric on straight paths between sums, shaped (path, column),
/// and each path's unattributed remainder.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "Python gets a tuple")]
pub fn mean_gradients<'py>(
    py: Python<'py>,
    metric: &Bound<'py, PyAny>,
    starts: PyReadonlyArray2<'py, f64>,
    ends: PyReadonlyArray2<'py, f64>,
    tolerance: f64,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>)> {
    let (starts, ends) = (starts.as_array(), ends.as_array());
    require_columns(starts.ncols(), &[ends.ncols()])?;
    require_columns(starts.nrows(), &[ends.nrows()])?;
    let found = if let Ok(native) = metric.cast::<NativeMetric>() {
        let metric: &dyn Metric = native.get().metric();
        // The integration takes at most 16 parts of a path together, at four nodes each.
        detached_if(py, 64 * starts.nrows() > ROWS_PER_PIECE, || {
            path::mean_gradients(metric, &starts, &ends, tolerance)
        })?
        .map_err(|error| width_error(py, error))?
    } else {
        path::mean_gradients(&PythonMetric(metric), &starts, &ends, tolerance)?
    };
    let MeanGradients { gradients, unattributed } = found;
    Ok((gradients.into_pyarray(py), unattributed.into_pyarray(py)))
}
