//! Texts: `Segments`, kept outside Python's heap, any sequence of str, and scans over them.

use pyo3::exceptions::{PyIndexError, PyUnicodeDecodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PySequence, PyString};
use truebleu_core::corpus::{self, Window};

use crate::runtime::{detached, own_error};

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
        let segments = as_list(segments)?;
        Ok(Self { inner: collect(&segments, 0, segments.len())? })
    }

    /// Segments from the lines of UTF-8 text; UnicodeDecodeError says where it is something else.
    #[staticmethod]
    fn from_lines(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::split(data, corpus::Segments::from_lines)
    }

    /// The same of a further part of a file, in which a byte-order mark is a character like any other.
    #[staticmethod]
    fn from_further_lines(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::split(data, corpus::Segments::from_further_lines)
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

impl Segments {
    fn split(
        data: &Bound<'_, PyAny>,
        split: impl FnOnce(Vec<u8>) -> Result<corpus::Segments, corpus::InvalidUtf8> + Send,
    ) -> PyResult<Self> {
        let Ok(data) = data.cast::<PyBytes>() else {
            return Err(own_error(data.py(), "ArgumentTypeError", ("data", data, "bytes")));
        };
        let bytes = data.as_bytes().to_vec();
        let py = data.py();
        match py.detach(|| split(bytes)) {
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
}

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

/// Any sequence as a list; a string is one of characters, which are no segments.
pub fn as_list<'py>(segments: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    if let Ok(list) = segments.cast::<PyList>() {
        return Ok(list.clone());
    }
    match segments.cast::<PySequence>() {
        Ok(sequence) if !segments.is_instance_of::<PyString>() => sequence.to_list(),
        _ => {
            let arguments = ("segments", segments, "a list of strings");
            Err(own_error(segments.py(), "ArgumentTypeError", arguments))
        }
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
            let arguments = ("segments", index + 1, item.get_type().name()?);
            return Err(own_error(list.py(), "SegmentTypeError", arguments));
        };
        let Ok(bytes) = text.encode_utf8() else {
            return Err(own_error(list.py(), "UnencodableSegmentError", (index + 1,)));
        };
        segments.push(std::str::from_utf8(bytes.as_bytes()).ok());
    }
    Ok(segments)
}

/// How many of the first `lines` lines a text has, and where the last of them ends.
#[pyfunction]
#[pyo3(signature = (data, lines, /))]
pub fn line_ends(data: &Bound<'_, PyBytes>, lines: usize) -> (usize, usize) {
    let bytes = data.as_bytes();
    data.py().detach(|| corpus::line_ends(bytes, lines))
}

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
        ("tokenized", found.tokenized),
    ];
    let result = PyDict::new(py);
    for (kind, sighting) in kinds {
        result.set_item(kind, (sighting.count, sighting.first))?;
    }
    Ok(result)
}

/// The letters of texts by script; those of scripts that put spaces between words are "spaced".
#[pyfunction]
#[pyo3(signature = (texts, /))]
pub fn letters<'py>(py: Python<'py>, texts: Vec<Text<'py>>) -> PyResult<Bound<'py, PyDict>> {
    let mut totals = [0; 8];
    for text in &texts {
        let found = match text {
            Text::Native(segments) => {
                let segments = segments.get();
                py.detach(|| corpus::letters(&segments.inner))
            }
            Text::List(list) => corpus::letters(&collect(list, 0, list.len())?),
        };
        let counts = [
            found.han,
            found.kana,
            found.thai,
            found.lao,
            found.khmer,
            found.myanmar,
            found.tibetan,
            found.spaced,
        ];
        totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }
    let names = ["han", "kana", "thai", "lao", "khmer", "myanmar", "tibetan", "spaced"];
    let result = PyDict::new(py);
    for (name, total) in names.into_iter().zip(totals) {
        result.set_item(name, total)?;
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
) -> PyResult<Vec<Option<(usize, usize, isize)>>> {
    let py = reference.py();
    let reference = &reference.get().inner;
    let texts: Vec<&corpus::Segments> = texts.iter().map(|text| &text.get().inner).collect();
    let found = detached(py, || corpus::shifts(&texts, reference))?;
    Ok(found.into_iter().map(|shift| shift.map(|s| (s.start, s.end, s.by))).collect())
}
