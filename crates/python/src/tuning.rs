//! `LineSearch` and `Mira`: tuning of feature weights on rows of counts.

use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use truebleu_core::nbest::lines::{Choice, Objective, Profile, TuningLists};
use truebleu_core::nbest::mira::{self, Bounds, Compressed, MiraLists, State};

use crate::metrics::NativeMetric;
use crate::runtime::detached;

type Vector<'py> = Bound<'py, PyArray1<f64>>;
type Matrix<'py> = Bound<'py, PyArray2<f64>>;

/// Scorer of sums of rows: native metrics, each with the factor of its score, or a Python function.
#[derive(FromPyObject)]
enum Scorer<'py> {
    Native(Vec<(Py<NativeMetric>, f64)>),
    Function(Bound<'py, PyAny>),
}

fn objective(metrics: &[(Py<NativeMetric>, f64)], width: usize) -> PyResult<Objective<'_>> {
    let metrics = metrics.iter().map(|(metric, factor)| (metric.get().metric(), *factor));
    let objective = Objective { metrics: metrics.collect() };
    if objective.width() == width { Ok(objective) } else { Err(do_not_fit("metrics and rows")) }
}

/// Calls a Python function to score the rows of a matrix.
fn call<'py>(function: &Bound<'py, PyAny>, matrix: Matrix<'py>, rows: usize) -> PyResult<Vec<f64>> {
    let scores: PyReadonlyArray1<'_, f64> = function.call1((matrix,))?.extract()?;
    let scores = scores.as_slice()?.to_vec();
    if scores.len() == rows { Ok(scores) } else { Err(do_not_fit("scores and rows")) }
}

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

    /// Returns the boundaries of a line, the sums of every interval, the winners left of all
    /// boundaries, and (boundary, segment, new winner) of every change.
    #[expect(clippy::type_complexity, reason = "a profile, as a tuple")]
    fn profile<'py>(
        &self,
        py: Python<'py>,
        origin: Vec<f64>,
        direction: Vec<f64>,
    ) -> PyResult<(Vector<'py>, Matrix<'py>, Vec<usize>, Vec<[usize; 3]>)> {
        let mut profiles = self.profiles(py, &origin, &[direction])?;
        let profile = profiles.pop().unwrap_or_default();
        let sums = self.matrix(py, profile.sums)?;
        Ok((profile.boundaries.into_pyarray(py), sums, profile.first, profile.changes))
    }

    /// Returns the score of the best interval and a step into it, for each direction from the
    /// origin; None if there is no room on either side.
    #[pyo3(signature = (origin, directions, rooms, by, *, window, minimum, ends, nearest))]
    #[expect(clippy::too_many_arguments, reason = "they are the lines and the settings, by name")]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over")]
    fn best_points<'py>(
        &self,
        py: Python<'py>,
        origin: Vec<f64>,
        directions: Vec<Vec<f64>>,
        rooms: Vec<[f64; 2]>,
        by: Scorer<'py>,
        window: usize,
        minimum: bool,
        ends: [f64; 2],
        nearest: f64,
    ) -> PyResult<Vec<Option<[f64; 2]>>> {
        if rooms.len() != directions.len() {
            return Err(do_not_fit("directions and rooms"));
        }
        let choice = Choice { window, minimum, ends, nearest };
        let scored = match by {
            Scorer::Native(metrics) => {
                self.check(&origin, &directions)?;
                let objective = objective(&metrics, self.lists.width())?;
                detached(py, || self.lists.scored(&origin, &directions, &objective))?
            }
            Scorer::Function(function) => self
                .profiles(py, &origin, &directions)?
                .into_iter()
                .map(|profile| {
                    let intervals = profile.boundaries.len() + 1;
                    let scores = call(&function, self.matrix(py, profile.sums)?, intervals)?;
                    Ok((profile.boundaries, scores))
                })
                .collect::<PyResult<_>>()?,
        };
        let lines = scored.iter().zip(rooms);
        Ok(lines
            .map(|((boundaries, scores), room)| choice.best(boundaries, scores, room))
            .collect())
    }
}

impl LineSearch {
    fn check(&self, origin: &[f64], directions: &[Vec<f64>]) -> PyResult<()> {
        let fits = |weights: &[f64]| weights.len() == self.lists.features();
        if fits(origin) && directions.iter().all(|direction| fits(direction)) {
            Ok(())
        } else {
            Err(do_not_fit("origin, directions and features"))
        }
    }

    fn profiles(
        &self,
        py: Python<'_>,
        origin: &[f64],
        directions: &[Vec<f64>],
    ) -> PyResult<Vec<Profile>> {
        self.check(origin, directions)?;
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
    lists: MiraLists,
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
        starts: PyReadonlyArray1<'_, i64>,
        columns: Option<PyReadonlyArray1<'_, i64>>,
        values: PyReadonlyArray1<'_, f64>,
        rows: PyReadonlyArray2<'_, f64>,
        lengths: PyReadonlyArray1<'_, f64>,
        largest_step: f64,
        decay: f64,
        model_background: bool,
        safe_hope: bool,
    ) -> PyResult<Self> {
        let width = rows.as_array().ncols();
        let settings = mira::Mira { largest_step, decay, model_background, safe_hope };
        let features = weights.len();
        if lower.len() != features || upper.len() != features {
            return Err(do_not_fit("weights and bounds"));
        }
        let columns = columns.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let values = values.as_slice()?;
        let compressed = Compressed { starts: starts.as_slice()?, columns, values };
        let (rows, lengths) = (rows.as_slice()?, lengths.as_slice()?);
        let lists = MiraLists::new(offsets, compressed, features, rows, width, lengths)
            .ok_or_else(|| do_not_fit("features, rows and offsets"))?;
        let state = Mutex::new(State::new(weights, Bounds { lower, upper }, width));
        Ok(Self { lists, width, settings, state })
    }

    /// Passes over the segments in this order; the number of updates, the sum of losses, the averaged
    /// weights, and the sums of the rows that these choose.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over")]
    fn run<'py>(
        &self,
        py: Python<'py>,
        order: Vec<usize>,
        by: Scorer<'py>,
    ) -> PyResult<(usize, f64, Vector<'py>, Vector<'py>)> {
        if order.iter().any(|&segment| segment >= self.lists.segments()) {
            return Err(do_not_fit("order and segments"));
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let epoch = match by {
            Scorer::Native(metrics) => {
                let objective = objective(&metrics, self.width)?;
                let mut scored = |rows: &[f64], scores: &mut [f64]| -> PyResult<()> {
                    let rows = rows.chunks(self.width);
                    scores.iter_mut().zip(rows).for_each(|(score, row)| {
                        *score = objective.score(row);
                    });
                    Ok(())
                };
                self.settings.pass(&self.lists, &mut state, &order, &mut scored)?
            }
            Scorer::Function(function) => {
                let mut scored = |rows: &[f64], scores: &mut [f64]| -> PyResult<()> {
                    let matrix =
                        rows.to_vec().into_pyarray(py).reshape([scores.len(), self.width])?;
                    scores.copy_from_slice(&call(&function, matrix, scores.len())?);
                    Ok(())
                };
                self.settings.pass(&self.lists, &mut state, &order, &mut scored)?
            }
        };
        let average = state.average();
        let sums = self.lists.chosen_sums(&average).into_pyarray(py);
        Ok((epoch.updates, epoch.loss, average.into_pyarray(py), sums))
    }
}

fn do_not_fit(what: &str) -> PyErr {
    PyValueError::new_err(format!("{what} do not fit each other"))
}
