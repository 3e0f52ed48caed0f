//! Checks on texts that callers hand over, without a Python loop over their segments.

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::texts::Text;

/// Index of the first segment that is absent from every one of the texts, or None.
#[pyfunction]
#[pyo3(signature = (texts, /))]
pub fn first_absent(texts: Vec<Text<'_>>) -> Option<usize> {
    let length = texts.iter().map(Text::len).min()?;
    (0..length).find(|&index| {
        texts.iter().all(|text| match text {
            Text::Native(segments) => segments.get().inner.get(index).is_none(),
            Text::List(list) => list.get_item(index).is_ok_and(|item| item.is_none()),
        })
    })
}

/// Index and type of the first item that is neither a str nor None, or None.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub fn first_stranger(text: Text<'_>) -> PyResult<Option<(usize, String)>> {
    let Text::List(list) = text else { return Ok(None) };
    for (index, item) in list.iter().enumerate() {
        if !item.is_none() && item.cast::<PyString>().is_err() {
            return Ok(Some((index, item.get_type().name()?.to_string())));
        }
    }
    Ok(None)
}
