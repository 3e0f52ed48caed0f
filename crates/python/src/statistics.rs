//! Statistics of pairs and scores: arrays of numbers, one column for each score or difference.

use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use truebleu_core::statistics::units;

use crate::runtime::require_memory;

/// Round fractional columns to a grid on which no sum of as many rows needs rounding.
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
