//! Texts: `Segments`, kept outside Python's heap, any sequence of str, and scans over them.

use pyo3::exceptions::{PyIndexError, PyUnicodeDecodeError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyList, PySequence, PyString};
use truebleu_core::corpus::{self, Window};

use crate::runtime::{detached, own_error};

/// An immutable sequence of segments, with `None` for an absent segment.
#[pyclass(frozen, eq, hash, sequence, module = "truebleu._core")]
#[derive(PartialEq, Hash)]
pub struct Segments {
    pub inner: corpus::Segments,
}

#[pymethods]
impl Segments {
    /// Reads segments from a sequence of str, with None for an absent segment.
    #[new]
    fn new(segments: &Bound<'_, PyAny>) -> PyResult<Self> {
        let segments = as_list(segments)?;
        Ok(Self { inner: collect(&segments, 0, segments.len())? })
    }

    /// Reads segments from the lines of UTF-8 text; raises UnicodeDecodeError for anything else.
    ///
    /// In a further part of a file a byte-order mark is a character like any other.
    #[staticmethod]
    #[pyo3(signature = (data, *, is_beginning=true))]
    fn from_lines(data: &Bound<'_, PyAny>, is_beginning: bool) -> PyResult<Self> {
        let Ok(data) = data.cast::<PyBytes>() else {
            return Err(own_error(data.py(), "ArgumentTypeError", ("data", data, "bytes")));
        };
        let (py, bytes) = (data.py(), data.as_bytes().to_vec());
        let split = if is_beginning {
            corpus::Segments::from_lines
        } else {
            corpus::Segments::from_further_lines
        };
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

    /// Returns the number of line ends that were written as carriage return and line feed.
    #[getter]
    fn carriage_returns(&self) -> usize {
        self.inner.carriage_returns()
    }

    /// Returns whether a byte-order mark was removed from the front.
    #[getter]
    fn byte_order_mark(&self) -> bool {
        self.inner.byte_order_mark()
    }

    /// Returns the indices of absent segments.
    fn absent(&self, py: Python<'_>) -> Vec<usize> {
        py.detach(|| (0..self.inner.len()).filter(|&i| self.inner.get(i).is_none()).collect())
    }

    /// Counts oddities of the text by kind, such as tabs or blank segments, with the index of the
    /// first segment that has each.
    fn survey<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = py.detach(|| corpus::survey(&self.inner));
        let kinds = [
            ("tabs", found.tabs),
            ("carriage_returns", found.carriage_returns),
            ("line_breaks", found.line_breaks),
            ("zero_width", found.zero_width),
            ("blank", found.blank),
            ("decomposed", found.decomposed),
            ("tokenized", found.tokenized),
        ];
        let kinds = kinds.map(|(kind, sighting)| (kind, (sighting.count, sighting.first)));
        kinds.into_py_dict(py)
    }

    /// Counts the letters by script; letters of scripts that put spaces between words are "spaced".
    fn letters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = py.detach(|| corpus::letters(&self.inner));
        let scripts = [
            ("han", found.han),
            ("kana", found.kana),
            ("thai", found.thai),
            ("lao", found.lao),
            ("khmer", found.khmer),
            ("myanmar", found.myanmar),
            ("tibetan", found.tibetan),
            ("spaced", found.spaced),
        ];
        scripts.into_py_dict(py)
    }

    /// Counts the segments in Unicode's form C that would be written differently in form D.
    fn count_composed(&self, py: Python<'_>) -> usize {
        py.detach(|| corpus::count_composed(&self.inner))
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

    /// Returns the segments from `start` to `end`, copied out of Python's strings if there are any.
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

/// Converts any sequence to a list; a string is a sequence of characters, which are no segments.
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
        let bytes = encoded(list, index)?;
        segments.push(bytes.as_ref().and_then(|bytes| std::str::from_utf8(bytes.as_bytes()).ok()));
    }
    Ok(segments)
}

/// Copies the texts of a list; absent ones are left out.
pub fn strings(list: &Bound<'_, PyList>) -> PyResult<Vec<String>> {
    let texts = (0..list.len()).filter_map(|index| encoded(list, index).transpose());
    texts.map(|bytes| Ok(String::from_utf8(bytes?.as_bytes().to_vec())?)).collect()
}

/// Encodes the text at an index as UTF-8; None if it is absent.
fn encoded<'py>(list: &Bound<'py, PyList>, index: usize) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let item = list.get_item(index)?;
    if item.is_none() {
        return Ok(None);
    }
    let Ok(text) = item.cast::<PyString>() else {
        let arguments = ("segments", index + 1, item.get_type().name()?);
        return Err(own_error(list.py(), "SegmentTypeError", arguments));
    };
    let unencodable = |_| own_error(list.py(), "UnencodableSegmentError", (index + 1,));
    text.encode_utf8().map(Some).map_err(unencodable)
}

/// Counts the lines of a text, up to `lines`, and returns where the last of them ends.
#[pyfunction]
#[pyo3(signature = (data, lines, /))]
pub fn line_ends(data: &Bound<'_, PyBytes>, lines: usize) -> (usize, usize) {
    let bytes = data.as_bytes();
    data.py().detach(|| corpus::line_ends(bytes, lines))
}

/// The words of a test set, looked for in training text.
#[pyclass(module = "truebleu._core")]
pub struct TrainingIndex {
    inner: corpus::TrainingIndex,
}

#[pymethods]
impl TrainingIndex {
    /// Indexes these texts, to look for n-grams of `order` words and for segments as whole lines.
    #[new]
    #[pyo3(signature = (texts, order, /))]
    fn new(py: Python<'_>, texts: Vec<Py<Segments>>, order: usize) -> PyResult<Self> {
        let texts: Vec<_> = texts.iter().map(|text| &text.get().inner).collect();
        Ok(Self { inner: detached(py, || corpus::TrainingIndex::new(&texts, order.max(1)))? })
    }

    /// Looks through more text; without any, the last line ends.
    #[pyo3(signature = (data, /))]
    fn add(&mut self, py: Python<'_>, data: &[u8]) -> PyResult<()> {
        let index = &mut self.inner;
        detached(py, || if data.is_empty() { index.end_line() } else { index.add(data) })
    }

    /// Returns the number of lines that were read.
    #[getter]
    fn lines(&self) -> usize {
        self.inner.lines()
    }

    /// Lists each segment that was found, whether as a whole line, and in which line first; all
    /// from 0.
    fn sightings(&self) -> Vec<(usize, bool, usize)> {
        self.inner.sightings().map(|((segment, whole), line)| (segment, whole, line)).collect()
    }
}

/// Equal rows of texts that are added part by part.
#[pyclass(module = "truebleu._core")]
#[derive(Default)]
pub struct Repetitions {
    inner: corpus::Repetitions,
}

#[pymethods]
impl Repetitions {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds a part of all texts; a row is the segments of all texts at one index.
    #[pyo3(signature = (texts, /))]
    fn add(&mut self, py: Python<'_>, texts: Vec<Bound<'_, Segments>>) -> PyResult<()> {
        let texts: Vec<&corpus::Segments> = texts.iter().map(|text| &text.get().inner).collect();
        let rows = &mut self.inner;
        detached(py, || rows.add(&texts))
    }

    /// Returns the number of rows that repeat an earlier one.
    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || self.inner.count())
    }

    /// Returns the index of the first equal row of each row.
    fn first_equal(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        detached(py, || self.inner.first_equal())
    }
}

/// Evidence about texts that pair segment by segment, added part by part.
#[pyclass(module = "truebleu._core")]
#[derive(Default)]
pub struct Inspection {
    inner: corpus::Inspection,
}

#[pymethods]
impl Inspection {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds a part of all texts.
    #[pyo3(signature = (references, systems, source, /))]
    fn add(
        &mut self,
        py: Python<'_>,
        references: Vec<Bound<'_, Segments>>,
        systems: Vec<Bound<'_, Segments>>,
        source: Option<Bound<'_, Segments>>,
    ) -> PyResult<()> {
        let references: Vec<&corpus::Segments> =
            references.iter().map(|text| &text.get().inner).collect();
        let systems: Vec<&corpus::Segments> =
            systems.iter().map(|text| &text.get().inner).collect();
        let source = source.as_ref().map(|text| &text.get().inner);
        let inner = &mut self.inner;
        detached(py, || inner.add(&references, &systems, source))
    }

    /// Returns what is wrong: kind, text, other text, count, number, first segment and example.
    fn findings(
        &self,
        py: Python<'_>,
    ) -> Vec<(&'static str, usize, usize, usize, isize, usize, String)> {
        let findings = py.detach(|| self.inner.findings());
        let row =
            |f: corpus::Finding| (f.kind, f.text, f.other, f.count, f.number, f.first, f.example);
        findings.into_iter().map(row).collect()
    }
}
