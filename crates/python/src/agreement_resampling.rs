//! Agreement after exchanges between metrics, and on bootstrap replicates.

use numpy::ndarray::{ArrayView2, ArrayView3};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use truebleu_core::agreement::bootstrap::{self, Drawn, Question};
use truebleu_core::agreement::coefficients::Averaging;
use truebleu_core::agreement::groups::Prepared;
use truebleu_core::agreement::permutation::{self, Exchange};

use crate::agreement::{coefficient, grouping};

/// The values of both hybrids of two metrics after exchanges, shaped (draw, 2); NaN without a value.
///
/// The metrics are standardised, shaped (2, system, item). With a seed each cell is exchanged by a fair
/// coin; without one, draw i exchanges the judged cells whose bits are set in i.
#[pyfunction]
#[pyo3(signature = (human, metrics, *, grouping, coefficient, parameter, micro, undefined_as_zero, first, draws, seed))]
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
    first: u64,
    draws: u64,
    seed: Option<u64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let coefficient = self::coefficient(coefficient, parameter)?;
    let grouping = self::grouping(grouping)?;
    let averaging = Averaging { micro, undefined_as_zero };
    let (human, metrics) = (human.as_array(), metrics.as_array());
    require_shapes(&human, &metrics)?;
    require_two(&metrics)?;
    let exchange = seed.map_or(Exchange::Enumerated, |seed| Exchange::Random { seed });
    let values = py.detach(|| {
        let prepared = Prepared::new(&flat(&human), human.nrows(), grouping);
        let rows: Vec<_> = metrics.outer_iter().map(|metric| flat(&metric)).collect();
        let metrics = [&rows[0][..], &rows[1][..]];
        let draws = first..first + draws;
        permutation::hybrid_values(&prepared, coefficient, averaging, metrics, exchange, draws)
    });
    Ok(values.into_pyarray(py))
}

/// Whether each of so many cells is exchanged, shaped (draw, cell).
#[pyfunction]
#[pyo3(signature = (cells, *, first, draws, seed))]
pub fn exchanged_cells(
    py: Python<'_>,
    cells: usize,
    first: u64,
    draws: u64,
    seed: u64,
) -> Bound<'_, PyArray2<bool>> {
    let exchanged = py.detach(|| permutation::exchanged_cells(cells, first..first + draws, seed));
    exchanged.into_pyarray(py)
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
    let found = py.detach(|| {
        let prepared = Prepared::new(&flat(&human), human.nrows(), grouping);
        let rows: Vec<_> = metrics.outer_iter().map(|metric| flat(&metric)).collect();
        permutation::outcomes(&prepared, [&rows[0], &rows[1]], epsilons)
    });
    Ok(found.iter().map(|one| (one.cells, one.groups, one.only_first, one.only_second)).collect())
}

/// How many of so many fair coins show heads, shaped (draw, count).
#[pyfunction]
#[pyo3(signature = (counts, *, first, draws, seed))]
pub fn heads(
    py: Python<'_>,
    counts: Vec<u64>,
    first: u64,
    draws: u64,
    seed: u64,
) -> Bound<'_, PyArray2<u64>> {
    py.detach(|| permutation::heads(&counts, first..first + draws, seed)).into_pyarray(py)
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
    let replicates = first..first + replicates;
    let values = py.detach(|| {
        bootstrap::replicate_values(&human, &metrics, question, drawn, replicates, seed)
    });
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
    let values = py.detach(|| bootstrap::system_values(&human, &metrics, coefficient, seed));
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
