//! `LineSearch` and `Mira`: what tunes the weights of features on rows of counts.

use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use truebleu_core::nbest::lines::TuningLists;
use truebleu_core::nbest::mira::{self, Bounds, SparseLists, State};

use crate::metrics::NativeMetric;
use crate::runtime::detached;

type Vector<'py> = Bound<'py, PyArray1<f64>>;
type Matrix<'py> = Bound<'py, PyArray2<f64>>;

/// Exact line search over lists of candidates.
#[pyclass(frozen, module = "truebleu._core")]
pub struct LineSearch {
    lists: TuningLists,
}

#[pymethods]
impl LineSearch {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands arrays over")]
    fn new(
        py: Python<'_>,
        features: PyReadonlyArray2<'_, f64>,
        offsets: Vec<usize>,
        rows: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Self> {
        let (features, rows) = (features.as_slice()?, rows.as_slice()?.to_vec());
        let lists = detached(py, || TuningLists::new(offsets, features, rows))?;
        let lists = lists.ok_or_else(|| do_not_fit("features, rows and offsets"))?;
        Ok(Self { lists })
    }

    /// For each direction from the origin: the boundaries, and the sums of every interval.
    fn profiles<'py>(
        &self,
        py: Python<'py>,
        origin: Vec<f64>,
        directions: Vec<Vec<f64>>,
    ) -> PyResult<Vec<(Vector<'py>, Matrix<'py>)>> {
        let profiles = self.search(py, &origin, &directions)?;
        profiles
            .into_iter()
            .map(|profile| {
                let sums = self.matrix(py, profile.sums)?;
                Ok((profile.boundaries.into_pyarray(py), sums))
            })
            .collect()
    }

    /// The winners left of all boundaries, and (boundary, segment, new winner) of every change.
    fn winners(
        &self,
        py: Python<'_>,
        origin: Vec<f64>,
        direction: Vec<f64>,
    ) -> PyResult<(Vec<usize>, Vec<[usize; 3]>)> {
        let mut profiles = self.search(py, &origin, &[direction])?;
        Ok(profiles.pop().map(|profile| (profile.first, profile.changes)).unwrap_or_default())
    }
}

impl LineSearch {
    fn search(
        &self,
        py: Python<'_>,
        origin: &[f64],
        directions: &[Vec<f64>],
    ) -> PyResult<Vec<truebleu_core::nbest::lines::Profile>> {
        let features = self.lists.features();
        let fits = |weights: &[f64]| weights.len() == features;
        if !fits(origin) || !directions.iter().all(|direction| fits(direction)) {
            return Err(do_not_fit("origin, directions and features"));
        }
        detached(py, || self.lists.profiles(origin, directions))
    }

    fn matrix<'py>(&self, py: Python<'py>, sums: Vec<f64>) -> PyResult<Matrix<'py>> {
        let width = self.lists.width();
        let intervals = sums.len() / width.max(1);
        sums.into_pyarray(py).reshape([intervals, width])
    }
}

/// A run of batch k-best MIRA.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Mira {
    offsets: Vec<usize>,
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    rows: Vec<f64>,
    lengths: Vec<f64>,
    width: usize,
    settings: mira::Mira,
    state: Mutex<State>,
}

#[pymethods]
impl Mira {
    #[new]
    #[pyo3(signature = (
        weights, *, lower, upper, offsets, starts, columns, values, rows, lengths, largest_step, decay,
        model_background, safe_hope
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the lists and the settings, by name")]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands arrays over")]
    fn new(
        weights: Vec<f64>,
        lower: Vec<f64>,
        upper: Vec<f64>,
        offsets: Vec<usize>,
        starts: Vec<usize>,
        columns: Vec<usize>,
        values: PyReadonlyArray1<'_, f64>,
        rows: PyReadonlyArray2<'_, f64>,
        lengths: PyReadonlyArray1<'_, f64>,
        largest_step: f64,
        decay: f64,
        model_background: bool,
        safe_hope: bool,
    ) -> PyResult<Self> {
        let lengths = lengths.as_slice()?.to_vec();
        let width = rows.as_array().ncols();
        let settings = mira::Mira { largest_step, decay, model_background, safe_hope };
        let features = weights.len();
        if lower.len() != features || upper.len() != features {
            return Err(do_not_fit("weights and bounds"));
        }
        let run = Self {
            offsets,
            starts,
            columns,
            values: values.as_slice()?.to_vec(),
            rows: rows.as_slice()?.to_vec(),
            lengths,
            width,
            settings,
            state: Mutex::new(State::new(weights, Bounds { lower, upper }, width)),
        };
        if run.lists().fit(features) {
            Ok(run)
        } else {
            Err(do_not_fit("features, rows and offsets"))
        }
    }

    /// Passes over the segments in this order; the number of updates, the sum of losses, and the
    /// averaged weights.
    ///
    /// Scores are made by the native metric, times `unit`, or by a function of a matrix of sums.
    #[pyo3(signature = (order, *, metric=None, unit=1.0, score=None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        order: Vec<usize>,
        metric: Option<Py<NativeMetric>>,
        unit: f64,
        score: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(usize, f64, Vector<'py>)> {
        if order.iter().any(|&segment| segment + 1 >= self.offsets.len()) {
            return Err(do_not_fit("order and segments"));
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let lists = self.lists();
        let epoch = match (metric, score) {
            (Some(metric), None) => {
                let metric = metric.get().metric();
                if metric.width() != self.width {
                    return Err(do_not_fit("metric and rows"));
                }
                let mut scored = |rows: &[f64], scores: &mut [f64]| -> PyResult<()> {
                    let rows = rows.chunks(self.width);
                    scores.iter_mut().zip(rows).for_each(|(score, row)| {
                        *score = unit * metric.score_row(row);
                    });
                    Ok(())
                };
                self.settings.pass(&lists, &mut state, &order, &mut scored)?
            }
            (None, Some(function)) => {
                let mut scored = |rows: &[f64], scores: &mut [f64]| -> PyResult<()> {
                    let matrix =
                        rows.to_vec().into_pyarray(py).reshape([scores.len(), self.width])?;
                    let found: PyReadonlyArray1<'_, f64> = function.call1((matrix,))?.extract()?;
                    let found = found.as_slice()?;
                    if found.len() != scores.len() {
                        return Err(do_not_fit("scores and rows"));
                    }
                    scores.copy_from_slice(found);
                    Ok(())
                };
                self.settings.pass(&lists, &mut state, &order, &mut scored)?
            }
            _ => return Err(PyValueError::new_err("either a metric or a function")),
        };
        Ok((epoch.updates, epoch.loss, state.average().into_pyarray(py)))
    }
}

impl Mira {
    fn lists(&self) -> SparseLists<'_> {
        SparseLists {
            offsets: &self.offsets,
            starts: &self.starts,
            columns: &self.columns,
            values: &self.values,
            rows: &self.rows,
            width: self.width,
            lengths: &self.lengths,
        }
    }
}

fn do_not_fit(what: &str) -> PyErr {
    PyValueError::new_err(format!("{what} do not fit each other"))
}
