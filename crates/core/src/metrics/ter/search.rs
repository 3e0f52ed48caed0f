//! The number of edits: shifts as long as they help, then the edit distance that is left.

use super::alignment::Alignment;
use super::band::Band;
use super::matrix::Matrix;
use super::plain::PlainMatrix;
use super::reference::Reference;
use super::shifts::Candidates;
use super::window::WindowMatrix;

/// sacreBLEU tries fewer shifts than this for one output and reference.
const MAX_CANDIDATES: usize = 1000;

/// Memory of the search, reused from output to output.
#[derive(Debug, Default)]
pub struct Search {
    round: Round,
    window: WindowMatrix,
    plain: PlainMatrix,
    unpaired: Vec<u32>,
}

#[derive(Debug, Default)]
struct Round {
    output: Vec<u32>,
    alignment: Alignment,
    candidates: Candidates,
}

impl Search {
    /// The edits from `output` to `reference`, or any number from `enough` on if there are so many.
    pub fn edits(&mut self, reference: &Reference, output: &[u32], enough: usize) -> usize {
        let longer = output.len().max(reference.len());
        let floor = longer - self.common_words(reference, output);
        if floor >= enough || floor == longer {
            return floor;
        }
        self.round.output.clear();
        self.round.output.extend_from_slice(output);
        if Band::new(output.len(), reference.len()).is_steep() {
            self.round.edits(&mut self.plain, reference, floor, enough)
        } else {
            self.round.edits(&mut self.window, reference, floor, enough)
        }
    }

    /// How many words could be paired with equal ones in any order.
    fn common_words(&mut self, reference: &Reference, output: &[u32]) -> usize {
        self.unpaired.clear();
        self.unpaired.extend_from_slice(reference.counts());
        let mut common = 0;
        for &word in output {
            let left = &mut self.unpaired[word as usize];
            common += usize::from(*left > 0);
            *left = left.saturating_sub(1);
        }
        common
    }
}

impl Round {
    /// Shifts `output` until nothing is gained; no order of its words is closer than `floor`.
    fn edits(
        &mut self,
        matrix: &mut impl Matrix,
        reference: &Reference,
        floor: usize,
        enough: usize,
    ) -> usize {
        let Self { output, alignment, candidates } = self;
        matrix.fill(reference, output);
        let (mut shifts, mut tried) = (0, 0);
        loop {
            let distance = matrix.distance();
            if distance == floor || shifts + floor >= enough {
                return shifts + distance;
            }
            alignment.trace(matrix, reference, output);
            let limit = MAX_CANDIDATES - tried;
            // At the limit sacreBLEU gives up, even on the best shift of the round.
            let Some(found) = candidates.find(reference, output, alignment, limit) else {
                return shifts + distance;
            };
            tried += found;
            let Some(swap) = candidates.best(matrix, reference, output, (distance, floor)) else {
                return shifts + distance;
            };
            swap.apply(output);
            matrix.refill(reference, output, swap.start);
            shifts += 1;
        }
    }
}
