//! `NativeMetric`: a metric of the core with its settings, and `Statistics`, what it counts.

use std::ops::Range;

use numpy::ndarray::Array3;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2, PyReadonlyArray3,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use truebleu_core::corpus::Window;
use truebleu_core::metrics::bleu::{self, Bleu, BleuCounts, ReferenceLength};
use truebleu_core::metrics::chrf::{self, Chrf};
use truebleu_core::metrics::dependency::DependencyF;
use truebleu_core::metrics::gtm::Gtm;
use truebleu_core::metrics::length::Length;
use truebleu_core::metrics::mbleu::Mbleu;
use truebleu_core::metrics::nist::Nist;
use truebleu_core::metrics::per::Per;
use truebleu_core::metrics::sentence_bleu::{SentenceBleu, Smoothing, Weight};
use truebleu_core::metrics::ter::Ter;
use truebleu_core::metrics::wer::Wer;
use truebleu_core::metrics::words::{Comparison, WordMetric, Words};
use truebleu_core::metrics::{
    CountError, Metric, Part, ROWS_PER_PIECE, SEGMENTS_PER_PIECE, WidthError, without_reference,
};
use truebleu_core::tokenizers::Tercom;

use crate::runtime::{detached, detached_if, require_memory, setting_error, unknown_name};
use crate::texts::{Block, Text};
use crate::tokenizers;

/// The highest order of n-grams: a row has columns for each.
const HIGHEST_ORDER: usize = 100;

/// A metric of the core with its settings: it counts texts, and scores any sum of the rows.
#[pyclass(frozen, module = "truebleu._core")]
pub struct NativeMetric {
    metric: Box<dyn Metric>,
}

impl NativeMetric {
    fn new(metric: impl Metric + 'static) -> Self {
        Self { metric: Box::new(metric) }
    }

    fn of_words(
        py: Python<'_>,
        tokenizer: &str,
        lowercase: bool,
        comparison: impl Comparison + 'static,
    ) -> PyResult<Self> {
        let words = Words { tokenizer: tokenizers::by_name(py, tokenizer)?, lowercase };
        Ok(Self::new(WordMetric { words, comparison }))
    }

    /// The metric, for kernels that score by the million.
    pub fn metric(&self) -> &dyn Metric {
        &*self.metric
    }
}

#[pymethods]
impl NativeMetric {
    /// BLEU; columns: output length, reference length, matches and totals of order 1 to max_order.
    #[staticmethod]
    #[pyo3(signature = (
        *, tokenizer, lowercase, max_order, reference_length, smooth, smooth_value, effective_order
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the metric's settings, by name")]
    fn bleu(
        py: Python<'_>,
        tokenizer: &str,
        lowercase: bool,
        max_order: usize,
        reference_length: &str,
        smooth: &str,
        smooth_value: f64,
        effective_order: bool,
    ) -> PyResult<Self> {
        use bleu::Smoothing;
        let reference_length = match reference_length {
            "closest" => ReferenceLength::Closest,
            "shortest" => ReferenceLength::Shortest,
            "average" => ReferenceLength::Average,
            _ => {
                let known = ["closest", "shortest", "average"];
                return Err(unknown_name(py, "reference_length", reference_length, &known));
            }
        };
        let smoothing = match smooth {
            "none" => Smoothing::None,
            "floor" => Smoothing::Floor(smooth_value),
            "add-k" => Smoothing::AddK(smooth_value),
            "exp" => Smoothing::Exp,
            "mteval" => Smoothing::Mteval,
            _ => {
                let known = ["none", "floor", "add-k", "exp", "mteval"];
                return Err(unknown_name(py, "smoothing", smooth, &known));
            }
        };
        let counts =
            BleuCounts { reference_length, ..bleu_counts(py, tokenizer, lowercase, max_order)? };
        Ok(Self::new(Bleu { counts, scoring: bleu::Scoring { smoothing, effective_order } }))
    }

    /// M-BLEU; columns as BLEU's.
    #[staticmethod]
    #[pyo3(signature = (*, tokenizer, lowercase, max_order))]
    fn mbleu(py: Python<'_>, tokenizer: &str, lowercase: bool, max_order: usize) -> PyResult<Self> {
        Ok(Self::new(Mbleu { counts: bleu_counts(py, tokenizer, lowercase, max_order)? }))
    }

    /// The mean of sentence BLEU; columns: reference length × score, reference length, score and 1.
    #[staticmethod]
    #[pyo3(signature = (
        *, tokenizer, lowercase, max_order, smoothing, value, smooth_next_order, weight
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the metric's settings, by name")]
    fn sentence_bleu(
        py: Python<'_>,
        tokenizer: &str,
        lowercase: bool,
        max_order: usize,
        smoothing: &str,
        value: f64,
        smooth_next_order: bool,
        weight: &str,
    ) -> PyResult<Self> {
        let smoothing = match smoothing {
            "none" => Smoothing::None,
            "epsilon" => Smoothing::Epsilon(value),
            "add-one" => Smoothing::AddOne,
            "halving" => Smoothing::Halving,
            "length-scaled" => Smoothing::LengthScaled { k: value },
            "average" => Smoothing::Average,
            "interpolate" => Smoothing::Interpolate { alpha: value },
            "scaled-average" => {
                Smoothing::ScaledAverage { k: value, next_order: smooth_next_order }
            }
            _ => return Err(unknown_name(py, "smoothing", smoothing, &[])),
        };
        let weight = match weight {
            "length" => Weight::Length,
            "equal" => Weight::Equal,
            _ => return Err(unknown_name(py, "weight", weight, &["length", "equal"])),
        };
        let counts = bleu_counts(py, tokenizer, lowercase, max_order)?;
        Ok(Self::new(SentenceBleu::new(counts, smoothing, weight)))
    }

    /// chrF; columns for each order, characters first: n-grams of output, reference and both.
    #[staticmethod]
    #[pyo3(signature = (*, char_order, word_order, lowercase, whitespace, beta, eps_smoothing))]
    fn chrf(
        py: Python<'_>,
        char_order: usize,
        word_order: usize,
        lowercase: bool,
        whitespace: bool,
        beta: f64,
        eps_smoothing: bool,
    ) -> PyResult<Self> {
        check_order(py, "char_order", char_order, 0)?;
        check_order(py, "word_order", word_order, usize::from(char_order == 0))?;
        let scoring = chrf::Scoring { beta, eps_smoothing };
        Ok(Self::new(Chrf { char_order, word_order, lowercase, whitespace, scoring }))
    }

    /// TER; columns: edits and mean reference length.
    #[staticmethod]
    #[pyo3(signature = (*, normalized, no_punct, asian_support, case_sensitive))]
    fn ter(normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool) -> Self {
        let tokenizer = Tercom { normalized, no_punct, asian_support, case_sensitive };
        Self::new(Ter { tokenizer })
    }

    /// NIST; columns: output length, mean reference length, information of the matches and totals of
    /// order 1 to max_order.
    #[staticmethod]
    #[pyo3(signature = (*, tokenizer, lowercase, max_order, zero_history))]
    fn nist(
        py: Python<'_>,
        tokenizer: &str,
        lowercase: bool,
        max_order: usize,
        zero_history: bool,
    ) -> PyResult<Self> {
        check_order(py, "max_order", max_order, 1)?;
        let tokenizer = tokenizers::by_name(py, tokenizer)?;
        Ok(Self::new(Nist { tokenizer, lowercase, max_order, zero_history }))
    }

    /// WER; columns: edits, reference length, substitutions, deletions and insertions.
    #[staticmethod]
    #[pyo3(signature = (*, tokenizer, lowercase))]
    fn wer(py: Python<'_>, tokenizer: &str, lowercase: bool) -> PyResult<Self> {
        Self::of_words(py, tokenizer, lowercase, Wer)
    }

    /// PER; columns: errors and reference length.
    #[staticmethod]
    #[pyo3(signature = (*, tokenizer, lowercase))]
    fn per(py: Python<'_>, tokenizer: &str, lowercase: bool) -> PyResult<Self> {
        Self::of_words(py, tokenizer, lowercase, Per)
    }

    /// GTM; columns: size of the matching, output length and reference length.
    #[staticmethod]
    #[pyo3(signature = (*, tokenizer, lowercase, exponent))]
    fn gtm(py: Python<'_>, tokenizer: &str, lowercase: bool, exponent: f64) -> PyResult<Self> {
        Self::of_words(py, tokenizer, lowercase, Gtm { exponent })
    }

    /// The length ratio; columns: output length and closest reference length.
    #[staticmethod]
    #[pyo3(signature = (*, tokenizer, lowercase))]
    fn length(py: Python<'_>, tokenizer: &str, lowercase: bool) -> PyResult<Self> {
        Self::of_words(py, tokenizer, lowercase, Length)
    }

    /// Dependency F of relations, as `Parses` gives them; columns: those that match, those of the
    /// output, and those of the reference.
    #[staticmethod]
    fn dependency_f() -> Self {
        Self::new(DependencyF::metric())
    }

    /// The number of columns in a row.
    #[getter]
    fn width(&self) -> usize {
        self.metric.width()
    }

    /// Whether references can be kept ready for it.
    #[getter]
    fn keeps_references(&self) -> bool {
        self.metric.prepare(&[""]).is_some()
    }

    /// The counts of all systems, in one pass over the texts.
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

    /// The score of one row of sums.
    fn score(&self, py: Python<'_>, sums: Vec<f64>) -> PyResult<f64> {
        self.metric.score(&sums).map_err(|error| width_error(py, error))
    }

    /// The score of each row of sums.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        sums: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let sums = sums.as_array();
        let scores = detached_if(py, sums.nrows() > ROWS_PER_PIECE, || self.metric.scores(&sums))?;
        Ok(scores.map_err(|error| width_error(py, error))?.into_pyarray(py))
    }

    /// The derivative of the score by each column, for each row of sums.
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

    /// The score of one row of sums with what it is made of, by name.
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

pub fn bleu_counts(
    py: Python<'_>,
    tokenizer: &str,
    lowercase: bool,
    max_order: usize,
) -> PyResult<BleuCounts> {
    check_order(py, "max_order", max_order, 1)?;
    let tokenizer = tokenizers::by_name(py, tokenizer)?;
    Ok(BleuCounts { tokenizer, lowercase, max_order, ..BleuCounts::default() })
}

fn check_order(py: Python<'_>, setting: &str, order: usize, least: usize) -> PyResult<()> {
    if (least..=HIGHEST_ORDER).contains(&order) {
        return Ok(());
    }
    let expected = format!("a whole number from {least} to {HIGHEST_ORDER}");
    Err(setting_error(py, setting, &order.to_string(), &expected))
}

/// The error of sums with another number of columns than the metric has.
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

/// The number of segments that all texts have.
pub fn common_length(systems: &[Text<'_>], references: &[Text<'_>]) -> PyResult<usize> {
    let segments = systems.first().map_or(0, Text::len);
    if systems.iter().chain(references).any(|text| text.len() != segments) {
        return Err(PyValueError::new_err("texts differ in their number of segments"));
    }
    Ok(segments)
}

/// The blocks that this many segments are counted in.
fn blocks(segments: usize) -> impl Iterator<Item = Range<usize>> {
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

/// Bytes of a text from which on its segments may take long.
const LONG: usize = 1 << 14;

/// Whether few segments take so long that a signal may come meanwhile.
fn are_long(systems: &[Window<'_>], references: &[Window<'_>], segments: usize) -> bool {
    let length = |text: &Window<'_>| -> usize {
        (0..segments).filter_map(|index| text.get(index)).map(str::len).sum()
    };
    systems.iter().chain(references).any(|text| length(text) > LONG)
}

/// Every segment needs a reference at least.
pub fn check_references(references: &[Window<'_>], block: &Range<usize>) -> PyResult<()> {
    match without_reference(references, block.len()) {
        None => Ok(()),
        Some(index) => {
            let error = CountError::NoReference(block.start + index);
            Err(PyValueError::new_err(error.to_string()))
        }
    }
}
