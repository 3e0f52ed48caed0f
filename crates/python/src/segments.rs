//! `Segments`: one text of a test set, kept outside Python's heap.

use pyo3::exceptions::{PyIndexError, PyUnicodeDecodeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use truebleu_core::corpus;

use crate::texts;

/// An immutable sequence of segments, `None` where one is absent.
#[pyclass(frozen, eq, sequence, module = "truebleu._core")]
#[derive(PartialEq)]
pub struct Segments {
    pub inner: corpus::Segments,
}

#[pymethods]
impl Segments {
    /// Segments from a sequence of str, with None where one is absent.
    #[new]
    fn new(segments: &Bound<'_, PyAny>) -> PyResult<Self> {
        let segments = texts::as_list(segments)?;
        Ok(Self { inner: texts::collect(&segments, 0, segments.len())? })
    }

    /// Segments from the lines of UTF-8 text; UnicodeDecodeError says where it is something else.
    #[staticmethod]
    fn from_lines(data: &Bound<'_, PyBytes>) -> PyResult<Self> {
        let bytes = data.as_bytes().to_vec();
        let py = data.py();
        match py.detach(|| corpus::Segments::from_lines(bytes)) {
            Ok(inner) => Ok(Self { inner }),
            Err(problem) => {
                Err(PyErr::from_value(py.get_type::<PyUnicodeDecodeError>().call1((
                    "utf-8",
                    data,
                    problem.start,
                    problem.end,
                    "invalid bytes",
                ))?))
            }
        }
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Option<&str>> {
        let length = self.inner.len();
        let from_front = if index < 0 { index + length.cast_signed() } else { index };
        match usize::try_from(from_front) {
            Ok(index) if index < length => Ok(self.inner.get(index)),
            _ => Err(PyIndexError::new_err(format!("no segment {index} in {length}"))),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Segments: {}>", self.inner.len())
    }

    /// How many line ends were written as carriage return and line feed.
    #[getter]
    fn carriage_returns(&self) -> usize {
        self.inner.carriage_returns()
    }

    /// Whether a byte-order mark was removed from the front.
    #[getter]
    fn byte_order_mark(&self) -> bool {
        self.inner.byte_order_mark()
    }
}
