//! Functions of the report's page, on the core that the command line has.
//!
//! The page writes arguments into the buffer that [`room`] returns, and reads results from the
//! place that a function points to. The page has one thread, so nothing is shared.

use std::cell::RefCell;

use ndarray::{ArrayView2, ArrayView3, Axis};
use truebleu_core::metrics::Metric;
use truebleu_core::metrics::settings::{MeasureSettings, MetricSettings, SettingsError};
use truebleu_core::statistics::path;
use truebleu_core::statistics::selection::{Measure, Selection};

/// The counts of all systems by one metric: for each segment, in order, a row per system.
struct Table {
    measure: Measure,
    /// Metric of single segments.
    of_segments: Box<dyn Metric>,
    systems: usize,
    rows: Vec<f64>,
}

impl Table {
    fn width(&self) -> usize {
        self.measure.metric.width()
    }

    /// Returns the rows, shaped (segment, system, column).
    fn counts(&self) -> ArrayView3<'_, f64> {
        let segments = self.rows.len() / (self.systems * self.width()).max(1);
        let shape = (segments, self.systems, self.width());
        ArrayView3::from_shape(shape, &self.rows).expect("a row of each segment and system")
    }

    fn of_system(&self, system: usize) -> ArrayView2<'_, f64> {
        self.counts().index_axis_move(Axis(1), system)
    }
}

#[derive(Default)]
struct State {
    room: Vec<u64>,
    tables: Vec<Table>,
    selection: Option<Selection>,
    results: Vec<f64>,
    text: String,
}

impl State {
    fn bytes(&self, length: usize) -> Vec<u8> {
        self.room.iter().flat_map(|word| word.to_le_bytes()).take(length).collect()
    }

    fn numbers(&self, count: usize) -> Vec<usize> {
        let halves = self.room.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]);
        halves.take(count).map(|number| number as usize).collect()
    }

    fn give(&mut self, results: Vec<f64>) -> *const f64 {
        self.results = results;
        self.results.as_ptr()
    }
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn with<R>(act: impl FnOnce(&mut State) -> R) -> R {
    STATE.with_borrow_mut(act)
}

/// Makes room for `bytes` bytes of arguments, which the next call reads.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u64 {
    with(|state| {
        state.room.clear();
        state.room.resize(bytes.div_ceil(8), 0);
        state.room.as_mut_ptr()
    })
}

/// Adds a table for the metric that JSON in the room describes, see [`MeasureSettings`]. Returns the
/// number of the table, or -1 if the core refuses the settings.
#[unsafe(no_mangle)]
pub extern "C" fn new_table(bytes: usize, systems: usize) -> i32 {
    with(|state| {
        let json = state.bytes(bytes);
        let Ok(table) = table(&String::from_utf8_lossy(&json), systems) else { return -1 };
        state.tables.push(table);
        i32::try_from(state.tables.len()).map_or(-1, |count| count - 1)
    })
}

fn table(json: &str, systems: usize) -> Result<Table, SettingsError> {
    let MeasureSettings { metric, segment_metric, sign, weights, limits } =
        MeasureSettings::from_json(json)?;
    let is_mean = matches!(metric, MetricSettings::Mean {});
    let (metric, of_segments) = (metric.metric()?, segment_metric.metric()?);
    let limits = (limits.0.unwrap_or(f64::NEG_INFINITY), limits.1.unwrap_or(f64::INFINITY));
    let measure = Measure { metric, is_mean, sign, weights, limits };
    Ok(Table { measure, of_segments, systems, rows: Vec::new() })
}

/// Returns the number of columns of a table's rows.
#[unsafe(no_mangle)]
pub extern "C" fn width(table: usize) -> usize {
    with(|state| state.tables[table].width())
}

/// Returns where the rows of a table go: for each segment a row per system.
#[unsafe(no_mangle)]
pub extern "C" fn rows(table: usize, segments: usize) -> *mut f64 {
    with(|state| {
        let table = &mut state.tables[table];
        table.rows.resize(segments * table.systems * table.width(), 0.0);
        table.rows.as_mut_ptr()
    })
}

/// Scores each system on `count` segments, whose numbers are in the room.
#[unsafe(no_mangle)]
pub extern "C" fn scores(table: usize, count: usize) -> *const f64 {
    with(|state| {
        let segments = state.numbers(count);
        let table = &state.tables[table];
        let score = |system| {
            let sums = table.of_system(system).select(Axis(0), &segments).sum_axis(Axis(0));
            table.measure.metric.score_row(&sums.to_vec())
        };
        let scores = (0..table.systems).map(score).collect();
        state.give(scores)
    })
}

/// Scores each segment of one system.
#[unsafe(no_mangle)]
pub extern "C" fn segment_scores(table: usize, system: usize) -> *const f64 {
    with(|state| {
        let table = &state.tables[table];
        let scores = table.of_segments.scores(&table.of_system(system)).unwrap_or_default();
        state.give(scores)
    })
}

/// Splits the difference of two systems into contributions of segments.
#[unsafe(no_mangle)]
pub extern "C" fn contributions(table: usize, first: usize, second: usize) -> *const f64 {
    with(|state| {
        let table = &state.tables[table];
        let [first, second] = [first, second].map(|system| table.of_system(system));
        let each = path::contributions(&*table.measure.metric, &first, &second);
        state.give(each.unwrap_or_default())
    })
}

/// Begins the comparison that JSON in the room requests, and returns whether there is anything to test.
///
/// # Panics
///
/// Panics if the JSON is no request: the page has a mistake.
#[unsafe(no_mangle)]
pub extern "C" fn begin(table: usize, bytes: usize) -> bool {
    with(|state| {
        let request = serde_json::from_slice(&state.bytes(bytes)).expect("a request");
        let table = &state.tables[table];
        state.selection = Selection::new(&table.counts(), &table.measure, &request);
        state.selection.is_some()
    })
}

/// Makes `count` replicates more, and returns the number of those left.
#[unsafe(no_mangle)]
pub extern "C" fn advance(table: usize, count: u32) -> u32 {
    with(|state| {
        let measure = &state.tables[table].measure;
        state.selection.as_mut().map_or(0, |begun| begun.advance(measure, count.into()) as u32)
    })
}

/// Writes the results so far as JSON, null before the test is done, and returns the length of the text.
#[unsafe(no_mangle)]
pub extern "C" fn results(table: usize) -> usize {
    with(|state| {
        let measure = &state.tables[table].measure;
        let results = state.selection.as_mut().and_then(|begun| begun.results(measure));
        state.text = serde_json::to_string(&results).unwrap_or_default();
        state.text.len()
    })
}

/// Returns where the text of the results is.
#[unsafe(no_mangle)]
pub extern "C" fn text() -> *const u8 {
    with(|state| state.text.as_ptr())
}
