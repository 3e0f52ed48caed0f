//! Resampling: sums of rows in many replicates.

use numpy::ndarray::{ArrayView2, ArrayView3};
use numpy::{IntoPyArray, PyArray2, PyArray4, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use truebleu_core::resampling::{self, Swaps};

use crate::metrics::NativeMetric;
use crate::runtime::{detached, replicates as replicates_from, require_memory};

/// The sums of rows in replicates `first` to `first + replicates - 1`, shaped (replicate, column).
///
/// Strata are (start, end) ranges of rows that are drawn from separately.
#[pyfunction]
#[pyo3(signature = (rows, *, strata, first, replicates, seed))]
pub fn bootstrap_sums<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray2<'py, f64>,
    strata: Vec<(u32, u32)>,
    first: u64,
    replicates: u64,
    seed: u64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = rows.as_array();
    if strata.iter().any(|&(start, end)| start > end || end as usize > rows.nrows()) {
        let message = format!("strata beyond {} rows: {strata:?}", rows.nrows());
        return Err(PyIndexError::new_err(message));
    }
    let strata: Vec<_> = strata.into_iter().map(|(start, end)| start..end).collect();
    let replicates = replicates_from(first, replicates, rows.ncols())?;
    let sums = detached(py, || resampling::bootstrap_sums(&rows, &strata, replicates, seed))?;
    Ok(sums.into_pyarray(py))
}

/// The sums of the rows that replicates `first` to `first + replicates - 1` swap, shaped (replicate,
/// column).
///
/// With a seed each row is swapped by a fair coin; without one, replicate i swaps the rows whose bits
/// are set in i.
#[pyfunction]
#[pyo3(signature = (rows, *, first, replicates, seed))]
pub fn swapped_sums<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray2<'py, f64>,
    first: u64,
    replicates: u64,
    seed: Option<u64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let swaps = seed.map_or(Swaps::Enumerated, |seed| Swaps::Random { seed });
    let rows = rows.as_array();
    let replicates = replicates_from(first, replicates, rows.ncols())?;
    let sums = detached(py, || resampling::swapped_sums(&rows, swaps, replicates))?;
    Ok(sums.into_pyarray(py))
}

/// The sums of both systems of each pair after swaps, shaped (2, replicate, pair, column).
///
/// `taken` are the sums over the swapped units, shaped (replicate, system, column), `sums` those over all.
#[pyfunction]
#[pyo3(signature = (taken, sums, pairs))]
pub fn pair_sums<'py>(
    py: Python<'py>,
    taken: PyReadonlyArray3<'py, f64>,
    sums: PyReadonlyArray2<'py, f64>,
    pairs: Vec<(usize, usize)>,
) -> PyResult<Bound<'py, PyArray4<f64>>> {
    let (taken, sums) = (taken.as_array(), sums.as_array());
    check_pairs(&taken, &sums, &pairs)?;
    let (replicates, _, width) = taken.dim();
    require_memory([2, pairs.len(), width].iter().try_fold(replicates, |n, &m| n.checked_mul(m)))?;
    Ok(detached(py, || resampling::pair_sums(&taken, &sums, &pairs))?.into_pyarray(py))
}

/// The differences of each pair's scores after swaps, shaped (replicate, pair).
#[pyfunction]
#[pyo3(signature = (taken, sums, pairs, metric))]
pub fn pair_differences<'py>(
    py: Python<'py>,
    taken: PyReadonlyArray3<'py, f64>,
    sums: PyReadonlyArray2<'py, f64>,
    pairs: Vec<(usize, usize)>,
    metric: &Bound<'py, NativeMetric>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (taken, sums) = (taken.as_array(), sums.as_array());
    check_pairs(&taken, &sums, &pairs)?;
    let metric = metric.get().metric();
    if metric.width() != sums.ncols() {
        let message = format!("found {} columns, expected {}", sums.ncols(), metric.width());
        return Err(PyIndexError::new_err(message));
    }
    require_memory(taken.dim().0.checked_mul(pairs.len()))?;
    let score = |row: &[f64]| metric.quick_score_row(row);
    let differences = detached(py, || resampling::pair_differences(&taken, &sums, &pairs, score))?;
    Ok(differences.into_pyarray(py))
}

fn check_pairs(
    taken: &ArrayView3<'_, f64>,
    sums: &ArrayView2<'_, f64>,
    pairs: &[(usize, usize)],
) -> PyResult<()> {
    let (_, systems, width) = taken.dim();
    let fit = (systems, width) == sums.dim();
    if !fit || pairs.iter().any(|&(a, b)| a.max(b) >= systems) {
        return Err(PyIndexError::new_err("pairs, taken and sums do not fit together"));
    }
    Ok(())
}
