//! `NativeMetric`: a metric of the core with its settings, and `Statistics`, its counts.

use std::ops::Range;

use numpy::ndarray::{Array3, s};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2, PyReadonlyArray3,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use truebleu_core::corpus::Window;
use truebleu_core::metrics::settings::{MetricSettings, SettingsError};
use truebleu_core::metrics::{
    CountError, Metric, Part, ROWS_PER_PIECE, SEGMENTS_PER_PIECE, WidthError, without_reference,
};

use crate::runtime::{detached, detached_if, require_memory, setting_error};
use crate::texts::{Block, Text};

/// A metric of the core with its settings: it counts texts, and scores any sum of the rows.
#[pyclass(frozen, module = "truebleu._core")]
pub struct NativeMetric {
    settings: MetricSettings,
    metric: Box<dyn Metric>,
}

impl NativeMetric {
    /// Returns the settings, from which other kernels of the metric are made.
    pub fn settings(&self) -> MetricSettings {
        self.settings
    }

    /// Returns the metric, for kernels that score by the million.
    pub fn metric(&self) -> &dyn Metric {
        &*self.metric
    }
}

#[pymethods]
impl NativeMetric {
    /// Returns the metric of settings in JSON; see `MetricSettings` of the core.
    #[staticmethod]
    fn from_settings(py: Python<'_>, json: &str) -> PyResult<Self> {
        let refused = |SettingsError { setting, found, expected }| {
            setting_error(py, setting, &found, &expected)
        };
        let settings = MetricSettings::from_json(json).map_err(refused)?;
        Ok(Self { settings, metric: settings.metric().map_err(refused)? })
    }

    /// Returns the number of columns in a row.
    #[getter]
    fn width(&self) -> usize {
        self.metric.width()
    }

    /// Returns whether the metric can keep references ready.
    #[getter]
    fn keeps_references(&self) -> bool {
        self.metric.prepare(&[""]).is_some()
    }

    /// Counts all systems in one pass over the texts.
    fn count(
        &self,
        py: Python<'_>,
        systems: Vec<Text<'_>>,
        references: Vec<Text<'_>>,
    ) -> PyResult<Statistics> {
        let segments = common_length(&systems, &references)?;
        let width = self.metric.width();
        let stride = systems.len() * width;
        require_memory(segments.checked_mul(stride))?;
        let mut counter = self.metric.counter();
        if counter.needs_all_references() {
            for block in blocks(segments) {
                py.check_signals()?;
                let references = cut_out(&references, &block)?;
                let references = windows(&references);
                check_references(&references, &block)?;
                detached(py, || counter.add_references(&references, block.len()))?;
            }
            detached(py, || counter.finish_references())?;
        }
        let mut rows = vec![0.0; segments * stride];
        for block in blocks(segments) {
            py.check_signals()?;
            let systems = cut_out(&systems, &block)?;
            let references = cut_out(&references, &block)?;
            let (systems, references) = (windows(&systems), windows(&references));
            check_references(&references, &block)?;
            let rows = &mut rows[block.start * stride..block.end * stride];
            let large =
                block.len() > SEGMENTS_PER_PIECE || are_long(&systems, &references, block.len());
            detached_if(py, large, || counter.count(&systems, &references, block.start, rows))?;
        }
        Statistics::from_rows(rows, (segments, systems.len(), width))
    }

    /// Returns system and segment of the first row that no segment can have, from rows shaped
    /// (system, segment, column), if any.
    fn impossible(
        &self,
        py: Python<'_>,
        rows: PyReadonlyArray3<'_, f64>,
    ) -> PyResult<Option<(usize, usize)>> {
        let rows = rows.as_array();
        let (systems, segments, width) = rows.dim();
        let expected = self.metric.width();
        if width != expected {
            return Err(width_error(py, WidthError { expected, found: width }));
        }
        let place = || (0..systems).flat_map(|system| (0..segments).map(move |row| (system, row)));
        detached(py, || {
            place().find(|&(system, segment)| {
                !self.metric.is_possible(&rows.slice(s![system, segment, ..]).to_vec())
            })
        })
    }

    /// Returns the score of one row of sums.
    fn score(&self, py: Python<'_>, sums: Vec<f64>) -> PyResult<f64> {
        self.metric.score(&sums).map_err(|error| width_error(py, error))
    }

    /// Returns the score of each row of sums.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        sums: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let sums = sums.as_array();
        let scores = detached_if(py, sums.nrows() > ROWS_PER_PIECE, || self.metric.scores(&sums))?;
        Ok(scores.map_err(|error| width_error(py, error))?.into_pyarray(py))
    }

    /// Returns the derivative of the score by each column, for each row of sums.
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        sums: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let sums = sums.as_array();
        let gradient =
            detached_if(py, sums.nrows() > ROWS_PER_PIECE, || self.metric.gradient(&sums))?;
        Ok(gradient.map_err(|error| width_error(py, error))?.into_pyarray(py))
    }

    /// Returns the score of one row of sums and its parts, by name.
    fn details<'py>(&self, py: Python<'py>, sums: Vec<f64>) -> PyResult<Bound<'py, PyDict>> {
        let parts = self.metric.details(&sums).map_err(|error| width_error(py, error))?;
        let details = PyDict::new(py);
        for (name, part) in parts {
            match part {
                Part::Count(count) => details.set_item(name, count as i64)?,
                Part::Number(number) => details.set_item(name, number)?,
                Part::Numbers(numbers) => details.set_item(name, PyTuple::new(py, numbers)?)?,
            }
        }
        Ok(details)
    }

    fn __repr__(&self) -> String {
        format!("<NativeMetric: {:?}>", self.metric)
    }
}

/// Returns the error of sums that have another number of columns than the metric.
pub fn width_error(py: Python<'_>, error: WidthError) -> PyErr {
    let columns = |count: usize| format!("{count} columns");
    setting_error(py, "sums", &columns(error.found), &columns(error.expected))
}

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

    /// Adds up the rows of each system, from the first segment to the last.
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

    /// Returns the counts as a read-only NumPy array that shares this object's memory.
    fn array<'py>(this: &Bound<'py, Self>) -> Bound<'py, PyArray3<f64>> {
        let rows = &this.get().rows;
        // SAFETY: the rows live as long as `this`, which the array keeps alive, and they never
        // change: the class is frozen and the array is made read-only before it is returned.
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

/// Returns the number of segments that all texts have.
pub fn common_length(systems: &[Text<'_>], references: &[Text<'_>]) -> PyResult<usize> {
    let segments = systems.first().map_or(0, Text::len);
    if systems.iter().chain(references).any(|text| text.len() != segments) {
        return Err(PyValueError::new_err("texts differ in their number of segments"));
    }
    Ok(segments)
}

/// Yields the blocks in which `segments` segments are counted.
fn blocks(segments: usize) -> impl Iterator<Item = Range<usize>> {
    (0..segments).step_by(BLOCK).map(move |start| start..segments.min(start + BLOCK))
}

/// Returns a block of each text.
pub fn cut_out<'a>(texts: &'a [Text<'_>], block: &Range<usize>) -> PyResult<Vec<Block<'a>>> {
    texts.iter().map(|text| text.block(block.start, block.end)).collect()
}

/// Blocks as the core takes them.
pub fn windows<'a>(blocks: &'a [Block<'_>]) -> Vec<Window<'a>> {
    blocks.iter().map(Block::window).collect()
}

/// Bytes of a text from which on its segments may take long.
const LONG: usize = 1 << 14;

/// Returns whether few segments take so long that a signal may come meanwhile.
fn are_long(systems: &[Window<'_>], references: &[Window<'_>], segments: usize) -> bool {
    let length = |text: &Window<'_>| -> usize {
        (0..segments).filter_map(|index| text.get(index)).map(str::len).sum()
    };
    systems.iter().chain(references).any(|text| length(text) > LONG)
}

/// Checks that every segment has a reference.
pub fn check_references(references: &[Window<'_>], block: &Range<usize>) -> PyResult<()> {
    match without_reference(references, block.len()) {
        None => Ok(()),
        Some(index) => {
            let error = CountError::NoReference(block.start + index);
            Err(PyValueError::new_err(error.to_string()))
        }
    }
}
