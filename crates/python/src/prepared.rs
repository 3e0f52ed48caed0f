//! References that a metric keeps ready for the next outputs: `ReadyReferences` holds a test set's,
//! `ReferenceCache` any, by their texts.

use std::sync::Arc;

use pyo3::prelude::*;
use rayon::prelude::*;
use truebleu_core::interruption;
use truebleu_core::metrics::SEGMENTS_PER_PIECE;
use truebleu_core::metrics::prepared::{self, Prepared};

use crate::metrics::{NativeMetric, Statistics, check_references, common_length, cut_out, windows};
use crate::runtime::{detached, detached_if, require_memory, setting_error};
use crate::texts::{Text, as_list, strings};

/// References by their texts, as a metric keeps them; any number of threads may ask at once.
#[pyclass(frozen, module = "truebleu._core")]
pub struct ReferenceCache {
    metric: Py<NativeMetric>,
    cache: prepared::ReferenceCache,
}

#[pymethods]
impl ReferenceCache {
    /// Creates a cache that keeps at most about `max_bytes` bytes.
    #[new]
    #[pyo3(signature = (metric, max_bytes, /))]
    fn new(metric: Py<NativeMetric>, max_bytes: usize) -> Self {
        Self { metric, cache: prepared::ReferenceCache::new(max_bytes) }
    }

    /// Counts outputs, each against references of its own.
    #[pyo3(signature = (outputs, references, /))]
    fn count(
        &self,
        py: Python<'_>,
        outputs: Text<'_>,
        references: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Statistics> {
        let segments = outputs.len();
        if references.len() != segments {
            let (found, expected) = (references.len().to_string(), segments.to_string());
            return Err(setting_error(py, "references", &found, &expected));
        }
        let texts = references
            .iter()
            .map(|texts| strings(&as_list(texts)?))
            .collect::<PyResult<Vec<Vec<String>>>>()?;
        let metric = self.metric.get().metric();
        let width = metric.width();
        require_memory(segments.checked_mul(width))?;
        let block = outputs.block(0, segments)?;
        let window = block.window();
        let outputs: Vec<&str> =
            (0..segments).map(|index| window.get(index).unwrap_or_default()).collect();
        // Python is attached, so that no process forks meanwhile and the lock is open in every
        // process.
        let found = self.cache.find(&texts);
        let missing = found.iter().filter(|known| known.is_none()).count();
        let large = missing > SEGMENTS_PER_PIECE || segments > 2 * SEGMENTS_PER_PIECE;
        let mut rows = vec![0.0; segments * width];
        let counted = detached_if(py, large, || {
            let prepared = self.cache.prepare(metric, &texts, found)?;
            prepared::count_prepared(&prepared, &outputs, width, &mut rows);
            Some(())
        })?;
        if counted.is_none() {
            return Err(keeps_nothing(py));
        }
        Statistics::from_rows(rows, (segments, 1, width))
    }

    /// Returns the number of segments whose references are kept.
    fn __len__(&self) -> usize {
        self.cache.len()
    }
}

fn keeps_nothing(py: Python<'_>) -> PyErr {
    setting_error(py, "metric", "another", "one that keeps references")
}

/// The references of all segments of a test set.
#[pyclass(frozen, module = "truebleu._core")]
pub struct ReadyReferences {
    prepared: Vec<Arc<dyn Prepared>>,
    width: usize,
}

#[pymethods]
impl ReadyReferences {
    /// Tokenizes the texts of all translators; a segment without a reference is None.
    #[new]
    #[pyo3(signature = (metric, references, /))]
    fn new(py: Python<'_>, metric: &NativeMetric, references: Vec<Text<'_>>) -> PyResult<Self> {
        let segments = common_length(&references, &[])?;
        let texts = cut_out(&references, &(0..segments))?;
        let texts = windows(&texts);
        check_references(&texts, &(0..segments))?;
        let metric = metric.metric();
        let prepare = |index: usize| {
            interruption::check();
            let present: Vec<&str> = texts.iter().filter_map(|text| text.get(index)).collect();
            metric.prepare(&present).map(Arc::from)
        };
        let prepared: Option<_> =
            detached(py, || (0..segments).into_par_iter().map(prepare).collect())?;
        let prepared = prepared.ok_or_else(|| keeps_nothing(py))?;
        Ok(Self { prepared, width: metric.width() })
    }

    /// Counts an output for each segment.
    #[pyo3(signature = (outputs, /))]
    fn count(&self, py: Python<'_>, outputs: Text<'_>) -> PyResult<Statistics> {
        let segments = self.prepared.len();
        if outputs.len() != segments {
            let (found, expected) = (outputs.len().to_string(), segments.to_string());
            return Err(setting_error(py, "outputs", &found, &expected));
        }
        require_memory(segments.checked_mul(self.width))?;
        let block = outputs.block(0, segments)?;
        let window = block.window();
        let outputs: Vec<&str> =
            (0..segments).map(|index| window.get(index).unwrap_or_default()).collect();
        let mut rows = vec![0.0; segments * self.width];
        detached(py, || prepared::count_prepared(&self.prepared, &outputs, self.width, &mut rows))?;
        Statistics::from_rows(rows, (segments, 1, self.width))
    }
}
