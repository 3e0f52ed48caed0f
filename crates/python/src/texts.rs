//! Texts as callers hand them over: `Segments`, or any sequence of str.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySequence, PyString};
use truebleu_core::corpus::{self, Window};

use crate::segments::Segments;

/// One text.
pub enum Text<'py> {
    Native(Bound<'py, Segments>),
    List(Bound<'py, PyList>),
}

impl<'py> FromPyObject<'_, 'py> for Text<'py> {
    type Error = PyErr;

    fn extract(text: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match text.cast::<Segments>() {
            Ok(segments) => Ok(Self::Native(segments.to_owned())),
            Err(_) => Ok(Self::List(as_list(&text)?)),
        }
    }
}

impl Text<'_> {
    pub fn len(&self) -> usize {
        match self {
            Self::Native(segments) => segments.get().inner.len(),
            Self::List(list) => list.len(),
        }
    }

    /// The segments from `start` to `end`, copied out of Python's strings where they are there.
    pub fn block(&self, start: usize, end: usize) -> PyResult<Block<'_>> {
        match self {
            Self::Native(segments) => {
                Ok(Block::Borrowed(Window::new(&segments.get().inner, start)))
            }
            Self::List(list) => Ok(Block::Copied(collect(list, start, end)?)),
        }
    }
}

/// Some segments of a text, ready for the core.
pub enum Block<'a> {
    Borrowed(Window<'a>),
    Copied(corpus::Segments),
}

impl Block<'_> {
    pub fn window(&self) -> Window<'_> {
        match self {
            Self::Borrowed(window) => *window,
            Self::Copied(segments) => Window::new(segments, 0),
        }
    }
}

/// Any sequence as a list.
pub fn as_list<'py>(segments: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    match segments.cast::<PyList>() {
        Ok(list) => Ok(list.clone()),
        Err(_) => segments.cast::<PySequence>()?.to_list(),
    }
}

/// Copies a part of a list.
///
/// Python would keep a UTF-8 copy inside each string that it lends out; encoding instead leaves the
/// caller's strings as they are, so a million segments need no second million copies.
pub fn collect(list: &Bound<'_, PyList>, start: usize, end: usize) -> PyResult<corpus::Segments> {
    let mut segments = corpus::Segments::default();
    for index in start..end {
        let item = list.get_item(index)?;
        if item.is_none() {
            segments.push(None);
            continue;
        }
        let Ok(text) = item.cast::<PyString>() else {
            let found = item.get_type().name()?;
            let message = format!("segment {}: found {found}, expected str", index + 1);
            return Err(PyTypeError::new_err(message));
        };
        let Ok(bytes) = text.encode_utf8() else {
            let errors = list.py().import("truebleu.errors")?;
            let error = errors.getattr("UnencodableSegmentError")?.call1((index + 1,))?;
            return Err(PyErr::from_value(error));
        };
        segments.push(std::str::from_utf8(bytes.as_bytes()).ok());
    }
    Ok(segments)
}
