//! Scans of texts for what changes scores unseen.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use truebleu_core::corpus;

use crate::segments::Segments;

/// What a text contains: for each kind how many and the index of the first segment that has it.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub fn survey<'py>(text: &Bound<'py, Segments>) -> PyResult<Bound<'py, PyDict>> {
    let py = text.py();
    let segments = text.get();
    let found = py.detach(|| corpus::survey(&segments.inner));
    let kinds = [
        ("tabs", found.tabs),
        ("carriage_returns", found.carriage_returns),
        ("line_breaks", found.line_breaks),
        ("zero_width", found.zero_width),
        ("blank", found.blank),
        ("decomposed", found.decomposed),
    ];
    let result = PyDict::new(py);
    for (kind, sighting) in kinds {
        result.set_item(kind, (sighting.count, sighting.first))?;
    }
    Ok(result)
}

/// How many segments are in Unicode's form C but would be written differently in form D.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub fn count_composed(text: &Bound<'_, Segments>) -> usize {
    let segments = text.get();
    text.py().detach(|| corpus::count_composed(&segments.inner))
}

/// For each text the range that fits the reference better when moved, as (start, end, by), or None.
#[pyfunction]
#[pyo3(signature = (texts, reference, /))]
pub fn shifts(
    texts: Vec<Bound<'_, Segments>>,
    reference: &Bound<'_, Segments>,
) -> Vec<Option<(usize, usize, isize)>> {
    let py = reference.py();
    let reference = &reference.get().inner;
    let texts: Vec<&corpus::Segments> = texts.iter().map(|text| &text.get().inner).collect();
    let found = py.detach(|| corpus::shifts(&texts, reference));
    found.into_iter().map(|shift| shift.map(|s| (s.start, s.end, s.by))).collect()
}
