//! `ReferenceCache`: references that a metric keeps ready for the next outputs.

use pyo3::prelude::*;
use truebleu_core::metrics::SEGMENTS_PER_PIECE;
use truebleu_core::metrics::prepared;

use crate::metrics::{NativeMetric, Statistics};
use crate::runtime::{detached_if, require_memory, setting_error};
use crate::texts::{Text, as_list, collect};

/// References by their texts, as a metric keeps them; any number of threads may ask at once.
#[pyclass(frozen, module = "truebleu._core")]
pub struct ReferenceCache {
    metric: Py<NativeMetric>,
    cache: prepared::ReferenceCache,
}

#[pymethods]
impl ReferenceCache {
    /// Keeps about so many bytes at most.
    #[new]
    #[pyo3(signature = (metric, most_bytes, /))]
    fn new(metric: Py<NativeMetric>, most_bytes: usize) -> Self {
        Self { metric, cache: prepared::ReferenceCache::new(most_bytes) }
    }

    /// The counts of outputs, each against references of its own.
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
            .map(|texts| {
                let list = as_list(texts)?;
                let texts = collect(&list, 0, list.len())?;
                Ok(texts.iter().flatten().map(str::to_owned).collect())
            })
            .collect::<PyResult<Vec<Vec<String>>>>()?;
        let metric = self.metric.get().metric();
        let width = metric.width();
        require_memory(segments.checked_mul(width))?;
        let block = outputs.block(0, segments)?;
        let window = block.window();
        let outputs: Vec<&str> =
            (0..segments).map(|index| window.get(index).unwrap_or_default()).collect();
        // Python is held: nobody forks meanwhile, so that the lock is open in every process.
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
            return Err(setting_error(py, "metric", "another", "one that keeps references"));
        }
        Statistics::from_rows(rows, (segments, 1, width))
    }

    /// Of how many segments references are kept.
    fn __len__(&self) -> usize {
        self.cache.len()
    }
}
