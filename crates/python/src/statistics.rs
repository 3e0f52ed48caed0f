//! `Statistics`: the counts of all systems, and the pass that makes them.

use std::ops::Range;

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

impl Statistics {
    /// Statistics of rows that the core has counted, shaped (segment, system, column).
    pub fn from_rows(rows: Vec<f64>, shape: (usize, usize, usize)) -> PyResult<Self> {
        let rows = Array3::from_shape_vec(shape, rows)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { rows })
    }
}

/// Counts the segments of all systems, block by block.
pub fn statistics<C: Counter>(
    py: Python<'_>,
    counter: &C,
    systems: &[Text<'_>],
    references: &[Text<'_>],
) -> PyResult<Statistics> {
    let segments = common_length(systems, references)?;
    let stride = systems.len() * counter.width();
    let mut rows = vec![0.0; segments * stride];
    for block in blocks(segments) {
        py.check_signals()?;
        let systems = cut_out(systems, &block)?;
        let references = cut_out(references, &block)?;
        let (systems, references) = (windows(&systems), windows(&references));
        check_references(&references, &block)?;
        let rows = &mut rows[block.start * stride..block.end * stride];
        py.detach(|| count(counter, &systems, &references, rows));
    }
    Statistics::from_rows(rows, (segments, systems.len(), counter.width()))
}

/// The number of segments that all texts have.
pub fn common_length(systems: &[Text<'_>], references: &[Text<'_>]) -> PyResult<usize> {
    let segments = systems.first().map_or(0, Text::len);
    if systems.iter().chain(references).any(|text| text.len() != segments) {
        return Err(PyValueError::new_err("texts differ in their number of segments"));
    }
    Ok(segments)
}

/// The blocks that this many segments are counted in.
pub fn blocks(segments: usize) -> impl Iterator<Item = Range<usize>> {
    (0..segments).step_by(BLOCK).map(move |start| start..segments.min(start + BLOCK))
}

/// A block of each text.
pub fn cut_out<'a>(texts: &'a [Text<'_>], block: &Range<usize>) -> PyResult<Vec<Block<'a>>> {
    texts.iter().map(|text| text.block(block.start, block.end)).collect()
}

/// Blocks as the core takes them.
pub fn windows<'a>(blocks: &'a [Block<'_>]) -> Vec<Window<'a>> {
    blocks.iter().map(Block::window).collect()
}

/// Every segment needs a reference at least.
pub fn check_references(references: &[Window<'_>], block: &Range<usize>) -> PyResult<()> {
    let lacks_all = |index: &usize| references.iter().all(|text| text.get(*index).is_none());
    match (0..block.len()).find(lacks_all) {
        None => Ok(()),
        Some(index) => {
            let message =
                format!("segment {}: no reference, expected at least one", block.start + index + 1);
            Err(PyValueError::new_err(message))
        }
    }
}
