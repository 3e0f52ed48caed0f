//! What the report's page computes, by the core that the command line has.
//!
//! The page writes arguments into the room that [`room`] gives, and reads results where a function
//! points to. Nothing here is shared between threads: a page has one.

mod contributions;
mod intervals;
mod metrics;
mod selection;

use std::cell::RefCell;

use truebleu_core::metrics::Metric;

use crate::selection::{Selection, Settings};

/// The statistics of all systems by one metric: for each segment, in order, a row per system.
pub struct Table {
    metric: Box<dyn Metric>,
    /// How single segments are scored.
    of_segments: Box<dyn Metric>,
    /// The columns that say how much text there is.
    weights: Vec<usize>,
    /// -1 where lower is better.
    sign: f64,
    /// Whether scores are means over segments.
    is_mean: bool,
    systems: usize,
    rows: Vec<f64>,
}

impl Table {
    fn row(&self, segment: usize, system: usize) -> &[f64] {
        let width = self.metric.width();
        let start = (segment * self.systems + system) * width;
        &self.rows[start..start + width]
    }

    fn segments(&self) -> usize {
        self.rows.len() / (self.systems * self.metric.width()).max(1)
    }
}

#[derive(Default)]
struct State {
    room: Vec<u64>,
    tables: Vec<Table>,
    selection: Option<Selection>,
    results: Vec<f64>,
}

impl State {
    fn bytes(&self, length: usize) -> Vec<u8> {
        self.room.iter().flat_map(|word| word.to_le_bytes()).take(length).collect()
    }

    fn numbers(&self, count: usize) -> Vec<u32> {
        let halves = self.room.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]);
        halves.take(count).collect()
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

/// Room for so many bytes of arguments, which the next call reads.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u64 {
    with(|state| {
        state.room.clear();
        state.room.resize(bytes.div_ceil(8), 0);
        state.room.as_mut_ptr()
    })
}

/// A new table of a metric, which two texts in the room describe, with a line feed more between them: its
/// number, or -1 where there is no such metric. `weights` has a bit for each column.
#[unsafe(no_mangle)]
pub extern "C" fn new_table(bytes: usize, systems: usize, sign: f64, weights: u32) -> i32 {
    with(|state| {
        let text = state.bytes(bytes);
        let text = String::from_utf8_lossy(&text);
        let (of_texts, of_segments) = text.split_once("\n\n").unwrap_or((&text, &text));
        let metrics = (metrics::described(of_texts), metrics::described(of_segments));
        let (Some(metric), Some(of_segments)) = metrics else { return -1 };
        let weights = (0..32).filter(|column| weights >> column & 1 == 1).collect();
        let is_mean = of_texts.lines().any(|line| line == "kind=mean");
        let rows = Vec::new();
        state.tables.push(Table { metric, of_segments, weights, sign, is_mean, systems, rows });
        i32::try_from(state.tables.len()).map_or(-1, |count| count - 1)
    })
}

/// The number of columns of a table's rows.
#[unsafe(no_mangle)]
pub extern "C" fn width(table: usize) -> usize {
    with(|state| state.tables[table].metric.width())
}

/// Where the rows of a table go: for each segment a row per system.
#[unsafe(no_mangle)]
pub extern "C" fn rows(table: usize, segments: usize) -> *mut f64 {
    with(|state| {
        let table = &mut state.tables[table];
        table.rows.resize(segments * table.systems * table.metric.width(), 0.0);
        table.rows.as_mut_ptr()
    })
}

/// The score of each system on so many segments, whose numbers are in the room.
#[unsafe(no_mangle)]
pub extern "C" fn scores(table: usize, count: usize) -> *const f64 {
    with(|state| {
        let places = state.numbers(count);
        let table = &state.tables[table];
        let score = |system| {
            let mut sums = vec![0.0; table.metric.width()];
            for &place in &places {
                let row = table.row(place as usize, system);
                sums.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
            }
            table.metric.score_row(&sums)
        };
        let scores = (0..table.systems).map(score).collect();
        state.give(scores)
    })
}

/// The score of each segment of one system.
#[unsafe(no_mangle)]
pub extern "C" fn segment_scores(table: usize, system: usize) -> *const f64 {
    with(|state| {
        let table = &state.tables[table];
        let score = |segment| table.of_segments.score_row(table.row(segment, system));
        let scores = (0..table.segments()).map(score).collect();
        state.give(scores)
    })
}

/// What each segment contributes to the difference of two systems.
#[unsafe(no_mangle)]
pub extern "C" fn contributions(table: usize, first: usize, second: usize) -> *const f64 {
    with(|state| {
        let each = contributions::of_segments(&state.tables[table], first, second);
        state.give(each)
    })
}

/// Begins the test of two systems on so many segments: the room has their numbers, and then the unit of
/// each; whether there is anything to test.
#[unsafe(no_mangle)]
pub extern "C" fn begin(
    table: usize,
    first: usize,
    second: usize,
    count: usize,
    seed: u64,
    replicates: u32,
    level: f64,
    by_bootstrap: bool,
) -> bool {
    with(|state| {
        let numbers = state.numbers(2 * count);
        let (places, units) = numbers.split_at(count);
        let settings = Settings { seed, replicates: replicates.into(), level, by_bootstrap };
        let table = &state.tables[table];
        state.selection = Selection::new(table, [first, second], places, units, settings);
        state.selection.is_some()
    })
}

/// Makes so many replicates more; returns how many are left.
#[unsafe(no_mangle)]
pub extern "C" fn advance(table: usize, count: u32) -> u32 {
    with(|state| {
        let table = &state.tables[table];
        state.selection.as_mut().map_or(0, |begun| begun.advance(table, count.into()) as u32)
    })
}

/// What the test found so far: see [`Selection::results`].
#[unsafe(no_mangle)]
pub extern "C" fn results(table: usize) -> *const f64 {
    with(|state| {
        let table = &state.tables[table];
        let results = state.selection.as_mut().map(|begun| begun.results(table));
        state.give(results.unwrap_or_default())
    })
}
