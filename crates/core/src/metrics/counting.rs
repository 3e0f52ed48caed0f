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
    let stride = systems.len() * counter.width();
    let count_piece = |scratch: &mut C::Scratch, (piece, rows): (usize, &mut [f64])| {
        let mut present = Vec::with_capacity(references.len());
        let mut outputs = Vec::with_capacity(systems.len());
        for (offset, rows) in rows.chunks_mut(stride).enumerate() {
            let index = piece * PIECE + offset;
            present.clear();
            present.extend(references.iter().filter_map(|reference| reference.get(index)));
            outputs.clear();
            outputs.extend(systems.iter().map(|system| system.get(index).unwrap_or_default()));
            counter.count(&present, &outputs, rows, scratch);
        }
    };
    if rows.len() <= PIECE * stride {
        // A single sentence is not worth waking the threads.
        return count_piece(&mut counter.scratch(), (0, rows));
    }
    parallel::run(|| {
        rows.par_chunks_mut(PIECE * stride)
            .enumerate()
            .for_each_init(|| counter.scratch(), count_piece);
    });
}
