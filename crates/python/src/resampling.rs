//! Resampling: sums of rows in many replicates.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::ndarray::{Array2, ArrayView2, ArrayView3};
use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArray4, PyArrayMethods, PyReadonlyArray1,
    PyReadonlyArray2, PyReadonlyArray3,
};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use truebleu_core::metrics::Metric;
use truebleu_core::resampling::{self, Count, Side, Swaps, Tally};
use truebleu_core::statistics::units;

use crate::metrics::NativeMetric;
use crate::runtime::{detached, replicates as replicates_from, require_memory};

/// Rows of counts, one for each unit, in the numbers in which they are kept.
#[derive(FromPyObject)]
enum Counts {
    Bits16(Py<PyArray2<i16>>),
    Bits32(Py<PyArray2<i32>>),
    Floats(Py<PyArray2<f64>>),
}

/// Rows of counts, one for each unit, and their sums in replicates.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Rows {
    counts: Counts,
}

#[pymethods]
impl Rows {
    #[new]
    #[pyo3(signature = (rows, /))]
    fn new(rows: Counts) -> Self {
        Self { counts: rows }
    }

    /// Sums rows in replicates `first` to `first + replicates - 1`, shaped (replicate, column).
    ///
    /// Strata are (start, end) ranges of rows that are resampled separately.
    #[pyo3(signature = (*, strata, first, replicates, seed))]
    fn bootstrap_sums<'py>(
        &self,
        py: Python<'py>,
        strata: Vec<(u32, u32)>,
        first: u64,
        replicates: u64,
        seed: u64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let drawn = Drawn { strata, first, replicates, seed };
        match &self.counts {
            Counts::Bits16(rows) => drawn.sums(rows.bind(py)),
            Counts::Bits32(rows) => drawn.sums(rows.bind(py)),
            Counts::Floats(rows) => drawn.sums(rows.bind(py)),
        }
    }

    /// Sums the rows that replicates `first` to `first + replicates - 1` swap, shaped (replicate,
    /// column).
    ///
    /// With a seed each row is swapped by a fair coin; without one, replicate i swaps the rows
    /// whose bits are set in i. The rows may be a part of all, from `first_row` on, a multiple of
    /// 64.
    #[pyo3(signature = (*, first, replicates, seed, first_row=0))]
    fn swapped_sums<'py>(
        &self,
        py: Python<'py>,
        first: u64,
        replicates: u64,
        seed: Option<u64>,
        first_row: u64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        require_part(first_row)?;
        let swaps = seed.map_or(Swaps::Enumerated, |seed| Swaps::Random { seed });
        let rows = self.floats(py)?;
        let rows = rows.as_array();
        let replicates = replicates_from(first, replicates, rows.ncols())?;
        let sums = detached(py, || resampling::swapped_sums(&rows, swaps, replicates, first_row))?;
        Ok(sums.into_pyarray(py))
    }

    /// Counts the replicates whose sum of swapped rows is at most the bound, for each column.
    ///
    /// Replicates are numbered as in `swapped_sums`.
    #[pyo3(signature = (bounds, *, first, replicates, seed))]
    fn count_at_most<'py>(
        &self,
        py: Python<'py>,
        bounds: Vec<f64>,
        first: u64,
        replicates: u64,
        seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let swaps = seed.map_or(Swaps::Enumerated, |seed| Swaps::Random { seed });
        let rows = self.floats(py)?;
        let rows = rows.as_array();
        if bounds.len() != rows.ncols() {
            let message = format!("{} bounds for {} columns", bounds.len(), rows.ncols());
            return Err(PyIndexError::new_err(message));
        }
        let replicates = replicates_from(first, replicates, 1)?;
        let counts = detached(py, || resampling::count_at_most(&rows, &bounds, swaps, replicates))?;
        Ok(counts.into_pyarray(py))
    }

    /// Sums the rows of each unit, shaped (unit, column); `unit_of` has the unit of each row.
    fn add_up<'py>(
        &self,
        py: Python<'py>,
        unit_of: PyReadonlyArray1<'py, i64>,
        units: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let unit_of: Vec<u32> = unit_of
            .as_array()
            .iter()
            .map(|&unit| u32::try_from(unit).unwrap_or(u32::MAX))
            .collect();
        match &self.counts {
            Counts::Bits16(rows) => add_up(rows.bind(py), &unit_of, units),
            Counts::Bits32(rows) => add_up(rows.bind(py), &unit_of, units),
            Counts::Floats(rows) => add_up(rows.bind(py), &unit_of, units),
        }
    }

    /// Returns whether all scores are 0 or 1, and of the same segments for all systems.
    ///
    /// Columns alternate between a system's score and its count.
    fn are_rates(&self, py: Python<'_>) -> bool {
        match &self.counts {
            Counts::Bits16(rows) => units::are_rates(&rows.bind(py).readonly().as_array()),
            Counts::Bits32(rows) => units::are_rates(&rows.bind(py).readonly().as_array()),
            Counts::Floats(rows) => units::are_rates(&rows.bind(py).readonly().as_array()),
        }
    }
}

fn add_up<'py, C: Count + Element>(
    rows: &Bound<'py, PyArray2<C>>,
    unit_of: &[u32],
    units: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (py, rows) = (rows.py(), rows.readonly());
    let rows = rows.as_array();
    if unit_of.len() != rows.nrows() || unit_of.iter().any(|&unit| unit as usize >= units) {
        let message = format!("units that do not fit {} rows", rows.nrows());
        return Err(PyIndexError::new_err(message));
    }
    require_memory(units.checked_mul(rows.ncols()))?;
    Ok(detached(py, || units::add_up(&rows, unit_of, units))?.into_pyarray(py))
}

impl Rows {
    /// Returns the rows as floats, which swaps need.
    fn floats<'py>(&self, py: Python<'py>) -> PyResult<PyReadonlyArray2<'py, f64>> {
        match &self.counts {
            Counts::Floats(rows) => Ok(rows.bind(py).readonly()),
            _ => Err(PyTypeError::new_err("rows of whole numbers, expected float64")),
        }
    }
}

/// Draws of rows with replacement.
struct Drawn {
    strata: Vec<(u32, u32)>,
    first: u64,
    replicates: u64,
    seed: u64,
}

impl Drawn {
    fn sums<'py, C: Count + Element>(
        &self,
        rows: &Bound<'py, PyArray2<C>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (py, rows) = (rows.py(), rows.readonly());
        let rows = rows.as_array();
        let (count, columns) = rows.dim();
        let strata = &self.strata;
        if strata.iter().any(|&(start, end)| start > end || end as usize > count) {
            return Err(PyIndexError::new_err(format!("strata beyond {count} rows: {strata:?}")));
        }
        let strata: Vec<_> = strata.iter().map(|&(start, end)| start..end).collect();
        let replicates = replicates_from(self.first, self.replicates, columns)?;
        let sums =
            detached(py, || resampling::bootstrap_sums(&rows, &strata, replicates, self.seed))?;
        Ok(sums.into_pyarray(py))
    }
}

fn require_part(first_row: u64) -> PyResult<()> {
    if first_row.is_multiple_of(resampling::COINS) {
        return Ok(());
    }
    let expected = resampling::COINS;
    Err(PyIndexError::new_err(format!("found row {first_row}, expected a multiple of {expected}")))
}

/// Pairs of systems, by index, and their summaries over replicates.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Pairs {
    pairs: Vec<(usize, usize)>,
}

#[pymethods]
impl Pairs {
    #[new]
    #[pyo3(signature = (pairs, /))]
    fn new(pairs: Vec<(usize, usize)>) -> Self {
        Self { pairs }
    }

    /// Returns the sums of both systems of each pair after swaps, shaped (2, replicate, pair,
    /// column).
    ///
    /// `swapped_sums` are the sums over the swapped units, shaped (replicate, system, column),
    /// `sums` the sums over all units.
    fn sums<'py>(
        &self,
        py: Python<'py>,
        swapped_sums: PyReadonlyArray3<'py, f64>,
        sums: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray4<f64>>> {
        let (swapped_sums, sums) = (swapped_sums.as_array(), sums.as_array());
        self.check(&swapped_sums, &sums)?;
        let (replicates, _, width) = swapped_sums.dim();
        require_memory(
            [2, self.pairs.len(), width].iter().try_fold(replicates, |n, &m| n.checked_mul(m)),
        )?;
        Ok(detached(py, || resampling::pair_sums(&swapped_sums, &sums, &self.pairs))?
            .into_pyarray(py))
    }

    /// Returns the differences of each pair's scores after swaps, shaped (replicate, pair).
    fn differences<'py>(
        &self,
        py: Python<'py>,
        swapped_sums: PyReadonlyArray3<'py, f64>,
        sums: PyReadonlyArray2<'py, f64>,
        metric: &Bound<'py, NativeMetric>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (swapped_sums, sums) = (swapped_sums.as_array(), sums.as_array());
        let metric = self.metric(&swapped_sums, &sums, metric)?;
        require_memory(swapped_sums.dim().0.checked_mul(self.pairs.len()))?;
        let scores = |columns: &[f64], scores: &mut [f64]| metric.quick_scores(columns, scores);
        let differences = detached(py, || {
            resampling::pair_differences(&swapped_sums, &sums, &self.pairs, scores)
        })?;
        Ok(differences.into_pyarray(py))
    }

    /// Counts the replicates with a difference times its factor as extreme as a bound, in a pair or
    /// in one after it in the order; bounds and counts are in this order.
    #[pyo3(signature = (swapped_sums, sums, metric, *, factors, side, order, bounds))]
    #[expect(clippy::too_many_arguments, reason = "all of them are settings of one pass")]
    fn step_down_counts<'py>(
        &self,
        py: Python<'py>,
        swapped_sums: PyReadonlyArray3<'py, f64>,
        sums: PyReadonlyArray2<'py, f64>,
        metric: &Bound<'py, NativeMetric>,
        factors: Vec<f64>,
        side: &str,
        order: Vec<usize>,
        bounds: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let (swapped_sums, sums) = (swapped_sums.as_array(), sums.as_array());
        let metric = self.metric(&swapped_sums, &sums, metric)?;
        for length in [factors.len(), order.len(), bounds.len()] {
            self.require_one_each(length)?;
        }
        if order.iter().any(|&pair| pair >= self.pairs.len()) {
            return Err(PyIndexError::new_err("the order has pairs that there are not"));
        }
        let side = side_of(side)?;
        let scores = |columns: &[f64], scores: &mut [f64]| metric.quick_scores(columns, scores);
        let counts = detached(py, || {
            resampling::step_down_counts(
                &swapped_sums,
                &sums,
                &self.pairs,
                scores,
                &factors,
                side,
                &order,
                &bounds,
            )
        })?;
        Ok(counts.into_pyarray(py))
    }

    /// Selects each pair's differences of scores, shaped (system, replicate), at the given ranks,
    /// shaped (rank, pair).
    fn ranked<'py>(
        &self,
        py: Python<'py>,
        scores: PyReadonlyArray2<'py, f64>,
        ranks: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let scores = scores.as_array();
        let (systems, replicates) = scores.dim();
        self.require_systems(systems)?;
        if !ranks.is_sorted() || ranks.last().is_some_and(|&rank| rank >= replicates) {
            return Err(PyIndexError::new_err(
                "ranks that do not ascend, or beyond the replicates",
            ));
        }
        let values = detached(py, || resampling::ranked(&scores, &self.pairs, &ranks))?;
        Ok(values.into_pyarray(py))
    }

    /// Counts the replicates of scores, shaped (system, replicate), in which the first system of
    /// each pair scores higher, and lower.
    #[pyo3(signature = (scores, *, tolerance, scale))]
    fn above_and_below<'py>(
        &self,
        py: Python<'py>,
        scores: PyReadonlyArray2<'py, f64>,
        tolerance: f64,
        scale: f64,
    ) -> PyResult<AboveAndBelow<'py>> {
        let scores = scores.as_array();
        self.require_systems(scores.nrows())?;
        let (above, below) =
            detached(py, || resampling::above_and_below(&scores, &self.pairs, tolerance, scale))?;
        Ok((above.into_pyarray(py), below.into_pyarray(py)))
    }

    /// Counts, for each pair, the units in which its systems' rows, shaped (unit, system, column),
    /// differ.
    fn differing_units<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray3<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let rows = rows.as_array();
        self.require_systems(rows.dim().1)?;
        let units = detached(py, || resampling::differing_units(&rows, &self.pairs))?;
        Ok(units.into_pyarray(py))
    }
}

impl Pairs {
    fn require_one_each(&self, length: usize) -> PyResult<()> {
        if length == self.pairs.len() {
            return Ok(());
        }
        Err(PyIndexError::new_err(format!("found {length} numbers, expected one for each pair")))
    }

    fn require_systems(&self, systems: usize) -> PyResult<()> {
        if self.pairs.iter().all(|&(a, b)| a.max(b) < systems) {
            return Ok(());
        }
        Err(PyIndexError::new_err("pairs of systems that there are not"))
    }

    fn check(
        &self,
        swapped_sums: &ArrayView3<'_, f64>,
        sums: &ArrayView2<'_, f64>,
    ) -> PyResult<()> {
        let (_, systems, width) = swapped_sums.dim();
        if (systems, width) != sums.dim() {
            return Err(PyIndexError::new_err("swapped_sums and sums do not fit together"));
        }
        self.require_systems(systems)
    }

    /// Returns the metric, after checking that the sums have its width.
    fn metric<'a>(
        &self,
        swapped_sums: &ArrayView3<'_, f64>,
        sums: &ArrayView2<'_, f64>,
        metric: &'a Bound<'_, NativeMetric>,
    ) -> PyResult<&'a dyn Metric> {
        self.check(swapped_sums, sums)?;
        let metric = metric.get().metric();
        if metric.width() != sums.ncols() {
            let message = format!("found {} columns, expected {}", sums.ncols(), metric.width());
            return Err(PyIndexError::new_err(message));
        }
        Ok(metric)
    }
}

/// Summaries of pairs' differences after swaps: the numbers that reach the bounds, their spread,
/// and the half-widths of the intervals that the swaps do not rule out.
#[pyclass(frozen, module = "truebleu._core")]
pub struct PairTally {
    pairs: usize,
    tally: Mutex<Tally>,
}

#[pymethods]
impl PairTally {
    /// Creates an empty tally.
    ///
    /// `sign` negates differences if lower is better; `observed` and `bounds` have the sign
    /// already. `side` is the side on which differences are extreme; the `kept` farthest replicates
    /// make the ends of intervals.
    #[new]
    #[pyo3(signature = (observed, bounds, *, sign, side, kept))]
    fn new(
        observed: Vec<f64>,
        bounds: Vec<f64>,
        sign: f64,
        side: &str,
        kept: usize,
    ) -> PyResult<Self> {
        if observed.len() != bounds.len() {
            return Err(PyIndexError::new_err("bounds that are not one for each pair"));
        }
        require_memory(observed.len().checked_mul(kept).and_then(|count| count.checked_mul(3)))?;
        let tally = Tally::new(&observed, &bounds, sign, side_of(side)?, kept);
        Ok(Self { pairs: observed.len(), tally: Mutex::new(tally) })
    }

    /// Adds differences, shaped (replicate, pair), of replicates that swap such shares of the text, shaped
    /// (replicate, pair), or (replicate, 1) where all pairs have the same.
    #[pyo3(signature = (differences, shares, /))]
    fn add<'py>(
        &self,
        py: Python<'py>,
        differences: PyReadonlyArray2<'py, f64>,
        shares: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<()> {
        let (differences, shares) = (differences.as_array(), shares.as_array());
        let pairs = self.pairs;
        let fit = differences.ncols() == pairs && (shares.ncols() == 1 || shares.ncols() == pairs);
        if !fit || differences.nrows() != shares.nrows() {
            return Err(PyIndexError::new_err("differences and shares do not fit together"));
        }
        // Locked without Python: who waits must not keep others from going on.
        detached(py, || self.tally().add(&differences, &shares))
    }

    /// Returns the number of differences that reached the bound, for each pair.
    #[getter]
    fn extreme<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let tally = self.tally();
        tally.pairs().iter().map(|pair| pair.extreme).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Returns the sum of the differences, the sum of their squares and the largest size, shaped
    /// (3, pair).
    #[getter]
    fn spread<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let tally = self.tally();
        let rows = tally.pairs().iter().map(|pair| [pair.total, pair.squares, pair.largest]);
        Array2::from(rows.collect::<Vec<_>>()).reversed_axes().into_pyarray(py)
    }

    /// Returns the distances from the observed differences to the ends of their intervals, below and above.
    ///
    /// Shaped (2, pair); `ranks` are the ranks of the replicates at the ends, counted from the farthest.
    fn half_widths<'py>(
        &self,
        py: Python<'py>,
        ranks: Vec<usize>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let tally = self.tally();
        if ranks.len() != tally.pairs().len() {
            return Err(PyIndexError::new_err("a rank for each pair"));
        }
        let rows = tally.pairs().iter().zip(ranks).map(|(pair, rank)| pair.reach(rank).into());
        Ok(Array2::from(rows.collect::<Vec<[f64; 2]>>()).reversed_axes().into_pyarray(py))
    }
}

impl PairTally {
    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type AboveAndBelow<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

/// Returns the side of an alternative.
pub fn side_of(name: &str) -> PyResult<Side> {
    match name {
        "two-sided" => Ok(Side::Both),
        "greater" => Ok(Side::Greater),
        "less" => Ok(Side::Less),
        _ => Err(PyIndexError::new_err(format!("no side is called {name:?}"))),
    }
}
