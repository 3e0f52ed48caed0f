//! Resampling: sums of rows in many replicates.

use numpy::ndarray::{ArrayView2, ArrayView3};
use numpy::{IntoPyArray, PyArray2, PyArray4, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use truebleu_core::resampling::{self, Swaps};

use crate::scorer::Scorer;

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
) -> Bound<'py, PyArray2<f64>> {
    let strata: Vec<_> = strata.into_iter().map(|(start, end)| start..end).collect();
    let rows = rows.as_array();
    let replicates = first..first + replicates;
    py.detach(|| resampling::bootstrap_sums(&rows, &strata, replicates, seed)).into_pyarray(py)
}

/// The sums of the rows that trials `first` to `first + trials - 1` take, shaped (trial, column).
///
/// With a seed each row is taken by a fair coin; without one, trial i takes the rows whose bits are
/// set in i.
#[pyfunction]
#[pyo3(signature = (rows, *, first, trials, seed))]
pub fn swapped_sums<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray2<'py, f64>,
    first: u64,
    trials: u64,
    seed: Option<u64>,
) -> Bound<'py, PyArray2<f64>> {
    let swaps = seed.map_or(Swaps::Enumerated, |seed| Swaps::Random { seed });
    let rows = rows.as_array();
    py.detach(|| resampling::swapped_sums(&rows, swaps, first..first + trials)).into_pyarray(py)
}

/// The sums of both systems of each pair after swaps, shaped (2, trial, pair, column).
///
/// `taken` are the sums over the swapped units, shaped (trial, system, column), `sums` those over all.
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
    Ok(py.detach(|| resampling::pair_sums(&taken, &sums, &pairs)).into_pyarray(py))
}

/// The differences of each pair's scores after swaps, shaped (trial, pair).
#[pyfunction]
#[pyo3(signature = (taken, sums, pairs, scorer))]
pub fn pair_differences<'py>(
    py: Python<'py>,
    taken: PyReadonlyArray3<'py, f64>,
    sums: PyReadonlyArray2<'py, f64>,
    pairs: Vec<(usize, usize)>,
    scorer: &Bound<'py, Scorer>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (taken, sums) = (taken.as_array(), sums.as_array());
    check_pairs(&taken, &sums, &pairs)?;
    let score = scorer.get().for_kernels();
    Ok(py.detach(|| resampling::pair_differences(&taken, &sums, &pairs, score)).into_pyarray(py))
}

fn check_pairs(
    taken: &ArrayView3<'_, f64>,
    sums: &ArrayView2<'_, f64>,
    pairs: &[(usize, usize)],
) -> PyResult<()> {
    let systems = taken.dim().1.min(sums.nrows());
    if pairs.iter().any(|&(a, b)| a.max(b) >= systems) || taken.dim().2 != sums.ncols() {
        return Err(PyIndexError::new_err("pairs, taken and sums do not fit together"));
    }
    Ok(())
}
