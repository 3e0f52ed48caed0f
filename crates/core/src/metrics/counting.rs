//! Counts the segments of all systems in one parallel pass.

use rayon::prelude::*;

use crate::corpus::Window;
use crate::parallel;

/// Segments per piece of parallel work: large enough to share scratch space, small enough to balance.
const PIECE: usize = 32;

/// What a metric counts in one segment.
pub trait Counter: Sync {
    /// Memory that is reused from segment to segment.
    type Scratch: Send;

    fn scratch(&self) -> Self::Scratch;

    /// The number of columns in a row.
    fn width(&self) -> usize;

    /// Counts the outputs of all systems for one segment: one row of `width` columns each.
    ///
    /// `references` holds at least one reference. Its own counts are made once for all outputs.
    fn count(
        &self,
        references: &[&str],
        outputs: &[&str],
        rows: &mut [f64],
        scratch: &mut Self::Scratch,
    );
}

/// The rows of all segments, in order: for each segment a row per system.
///
/// The number of segments is that of the rows. Each segment must have a reference at least; an absent
/// output counts as empty.
pub fn count<C: Counter>(
    counter: &C,
    systems: &[Window<'_>],
    references: &[Window<'_>],
    rows: &mut [f64],
) {
    let scratch = || (counter.scratch(), Vec::with_capacity(references.len()));
    by_segment(counter.width(), systems, rows, scratch, |index, outputs, rows, scratch| {
        let (scratch, present) = scratch;
        present.clear();
        present.extend(references.iter().filter_map(|reference| reference.get(index)));
        counter.count(present, outputs, rows, scratch);
    });
}

/// Calls `count` for each segment, in parallel, with its index, the outputs of all systems, their rows
/// of `width` columns, and scratch space.
pub(super) fn by_segment<S>(
    width: usize,
    systems: &[Window<'_>],
    rows: &mut [f64],
    scratch: impl Fn() -> S + Sync + Send,
    count: impl Fn(usize, &[&str], &mut [f64], &mut S) + Sync + Send,
) {
    let stride = systems.len() * width;
    let count_piece = |scratch: &mut S, (piece, rows): (usize, &mut [f64])| {
        let mut outputs = Vec::with_capacity(systems.len());
        for (offset, rows) in rows.chunks_mut(stride).enumerate() {
            let index = piece * PIECE + offset;
            outputs.clear();
            outputs.extend(systems.iter().map(|system| system.get(index).unwrap_or_default()));
            count(index, &outputs, rows, scratch);
        }
    };
    if rows.len() <= PIECE * stride {
        // A single sentence is not worth waking the threads.
        return count_piece(&mut scratch(), (0, rows));
    }
    parallel::run(|| {
        rows.par_chunks_mut(PIECE * stride).enumerate().for_each_init(scratch, count_piece);
    });
}
