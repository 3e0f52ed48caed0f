//! `Statistics`: the counts of all systems, and the pass that makes them.

use numpy::ndarray::Array3;
use numpy::{PyArray3, PyArrayMethods, PyReadonlyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use truebleu_core::corpus::Window;
use truebleu_core::metrics::{Counter, count};

use crate::texts::{Block, Text};

/// Segments counted before Python may look for an interrupt.
const BLOCK: usize = 1 << 16;

/// Counts shaped (segment, system, column): the narrow waist between text and statistics.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Statistics {
    rows: Array3<f64>,
}

#[pymethods]
impl Statistics {
    /// Statistics that were counted elsewhere, copied from an array of that shape.
    #[new]
    fn new(rows: PyReadonlyArray3<'_, f64>) -> Self {
        Self { rows: rows.as_array().as_standard_layout().into_owned() }
    }

    #[getter]
    fn shape(&self) -> (usize, usize, usize) {
        self.rows.dim()
    }

    /// The rows of each system added up, from the first segment to the last.
    fn sums(&self) -> Vec<Vec<f64>> {
        let (_, systems, width) = self.rows.dim();
        let mut sums = vec![vec![0.0; width]; systems];
        for segment in self.rows.outer_iter() {
            for (sum, row) in sums.iter_mut().zip(segment.outer_iter()) {
                sum.iter_mut().zip(row).for_each(|(total, count)| *total += count);
            }
        }
        sums
    }

    /// The counts as a read-only NumPy array that shares this object's memory.
    fn array<'py>(this: &Bound<'py, Self>) -> Bound<'py, PyArray3<f64>> {
        let rows = &this.get().rows;
        // SAFETY: the rows live as long as `this`, which the array keeps alive, and nobody can
        // change them: the class is frozen and the array is made read-only before it is returned.
        let array = unsafe { PyArray3::borrow_from_array(rows, this.clone().into_any()) };
        array.readwrite().make_nonwriteable();
        array
    }
}

/// Counts the segments of all systems, block by block.
pub fn statistics<C: Counter>(
    py: Python<'_>,
    counter: &C,
    systems: &[Text<'_>],
    references: &[Text<'_>],
) -> PyResult<Statistics> {
    let segments = systems.first().map_or(0, Text::len);
    if systems.iter().chain(references).any(|text| text.len() != segments) {
        return Err(PyValueError::new_err("texts differ in their number of segments"));
    }
    let stride = systems.len() * counter.width();
    let mut rows = vec![0.0; segments * stride];
    for start in (0..segments).step_by(BLOCK) {
        py.check_signals()?;
        let end = segments.min(start + BLOCK);
        let systems = blocks(systems, start, end)?;
        let references = blocks(references, start, end)?;
        let (systems, references) = (windows(&systems), windows(&references));
        check_references(&references, start, end)?;
        let rows = &mut rows[start * stride..end * stride];
        py.detach(|| count(counter, &systems, &references, rows));
    }
    let shape = (segments, systems.len(), counter.width());
    let rows = Array3::from_shape_vec(shape, rows)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(Statistics { rows })
}

fn blocks<'a>(texts: &'a [Text<'_>], start: usize, end: usize) -> PyResult<Vec<Block<'a>>> {
    texts.iter().map(|text| text.block(start, end)).collect()
}

fn windows<'a>(blocks: &'a [Block<'_>]) -> Vec<Window<'a>> {
    blocks.iter().map(Block::window).collect()
}

/// Every segment needs a reference at least.
fn check_references(references: &[Window<'_>], start: usize, end: usize) -> PyResult<()> {
    let lacks_all = |index: &usize| references.iter().all(|text| text.get(*index).is_none());
    match (0..end - start).find(lacks_all) {
        None => Ok(()),
        Some(index) => {
            let message =
                format!("segment {}: no reference, expected at least one", start + index + 1);
            Err(PyValueError::new_err(message))
        }
    }
}
