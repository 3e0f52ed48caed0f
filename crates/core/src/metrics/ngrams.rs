//! The n-grams of a segment's references, and how many of them an output matches.
//!
//! The n-grams form a tree: the children of an n-gram are the (n+1)-grams that begin with it. An output
//! is walked down this tree from each of its positions and leaves it at the first mismatch, so n-grams
//! that cannot match are never built, hashed or counted.

use super::symbols::UNKNOWN;

/// One n-gram of the references.
#[derive(Debug, Clone, Copy, Default)]
struct Ngram {
    /// The most often it occurs in one reference.
    limit: u32,
    /// How often it occurred in the sequence walked last …
    seen: u32,
    /// … which is this one.
    sequence: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// Parent n-gram and symbol.
    key: u64,
    child: u32,
    /// The slot is taken if this is the tree's generation.
    generation: u32,
}

/// The n-grams of one segment's references up to some order.
#[derive(Debug, Default)]
pub struct Ngrams {
    nodes: Vec<Ngram>,
    slots: Vec<Slot>,
    mask: usize,
    generation: u32,
    sequence: u32,
    max_order: usize,
}

const ROOT: u32 = 0;

impl Ngrams {
    /// Forgets all n-grams and makes room for those of sequences of `symbols` symbols in all.
    pub fn reset(&mut self, max_order: usize, symbols: usize) {
        self.max_order = max_order;
        self.nodes.clear();
        self.nodes.push(Ngram::default());
        self.sequence = 0;
        let slots = (2 * max_order * symbols).next_power_of_two().max(16);
        self.mask = slots - 1;
        self.generation = self.generation.wrapping_add(1);
        if self.slots.len() < slots || self.generation == 0 {
            self.generation = 1;
            self.slots.clear();
            self.slots.resize(slots, Slot::default());
        }
    }

    /// Adds a reference. An n-gram's limit is its largest count in any one of them.
    pub fn add(&mut self, reference: &[u32]) {
        self.add_and_visit(reference, |_, _| ());
    }

    /// Adds a reference and calls `visit` with each new n-gram: where it starts, and its order. New
    /// n-grams are numbered in the order of these calls, the first of all is 0.
    pub fn add_and_visit(&mut self, reference: &[u32], mut visit: impl FnMut(usize, usize)) {
        self.sequence += 1;
        for start in 0..reference.len() {
            let mut parent = ROOT;
            for (order, &symbol) in (1..=self.max_order).zip(&reference[start..]) {
                let known = self.nodes.len();
                parent = self.child_or_new(parent, symbol);
                if self.nodes.len() > known {
                    visit(start, order);
                }
                let ngram = &mut self.nodes[parent as usize];
                if ngram.sequence != self.sequence {
                    (ngram.sequence, ngram.seen) = (self.sequence, 0);
                }
                ngram.seen += 1;
                ngram.limit = ngram.limit.max(ngram.seen);
            }
        }
    }

    /// Lets a symbol's n-gram of order 1 match never; longer ones that begin with it still may.
    pub fn forbid_alone(&mut self, symbol: u32) {
        if let Some(ngram) = self.child(ROOT, symbol) {
            self.nodes[ngram as usize].limit = 0;
        }
    }

    /// Counts the n-grams of `output` that match, each at most as often as a reference has it:
    /// `matches[n - 1]` is for order n.
    pub fn matches(&mut self, output: &[u32], matches: &mut [f64]) {
        self.weighted_matches(output, matches, |_| 1.0);
    }

    /// As `matches`, but an n-gram counts as much as `weight` says of its number.
    pub fn weighted_matches(
        &mut self,
        output: &[u32],
        matches: &mut [f64],
        weight: impl Fn(usize) -> f64,
    ) {
        self.sequence += 1;
        matches.fill(0.0);
        for start in 0..output.len() {
            let mut parent = ROOT;
            for (&symbol, matched) in output[start..].iter().zip(matches.iter_mut()) {
                let Some(child) = self.child(parent, symbol) else { break };
                parent = child;
                let ngram = &mut self.nodes[parent as usize];
                if ngram.sequence != self.sequence {
                    (ngram.sequence, ngram.seen) = (self.sequence, 0);
                }
                ngram.seen += 1;
                if ngram.seen <= ngram.limit {
                    // The root is no n-gram, so that the first n-gram is node 1.
                    *matched += weight(parent as usize - 1);
                }
            }
        }
    }

    /// As `matches` of n-grams that several threads look at: how often each was seen is the caller's.
    pub fn shared_matches(&self, output: &[u32], matches: &mut [f64], seen: &mut Vec<u32>) {
        matches.fill(0.0);
        seen.clear();
        seen.resize(self.nodes.len(), 0);
        for start in 0..output.len() {
            let mut parent = ROOT;
            for (&symbol, matched) in output[start..].iter().zip(matches.iter_mut()) {
                let Some(child) = self.child(parent, symbol) else { break };
                parent = child;
                let times = &mut seen[parent as usize];
                *times += 1;
                if *times <= self.nodes[parent as usize].limit {
                    *matched += 1.0;
                }
            }
        }
    }

    /// How much memory they take.
    pub fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice()) + size_of_val(self.slots.as_slice())
    }

    fn child(&self, parent: u32, symbol: u32) -> Option<u32> {
        // What the references do not have needs no look-up.
        if symbol == UNKNOWN { None } else { self.find(key(parent, symbol)).ok() }
    }

    fn child_or_new(&mut self, parent: u32, symbol: u32) -> u32 {
        let key = key(parent, symbol);
        self.find(key).unwrap_or_else(|slot| {
            let child = self.nodes.len() as u32;
            self.nodes.push(Ngram::default());
            self.slots[slot] = Slot { key, child, generation: self.generation };
            child
        })
    }

    /// The n-gram under a key, or the slot where it belongs.
    fn find(&self, key: u64) -> Result<u32, usize> {
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & self.mask;
        loop {
            let slot = self.slots[at];
            if slot.generation != self.generation {
                return Err(at);
            }
            if slot.key == key {
                return Ok(slot.child);
            }
            at = (at + 1) & self.mask;
        }
    }
}

fn key(parent: u32, symbol: u32) -> u64 {
    u64::from(parent) << 32 | u64::from(symbol)
}

/// How many n-grams of order `n` a sequence of `length` symbols has.
#[must_use]
pub fn total(length: usize, order: usize) -> f64 {
    (length + 1).saturating_sub(order) as f64
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "counts are whole numbers")]
mod tests {
    use super::*;

    fn matches(references: &[&[u32]], output: &[u32], max_order: usize) -> Vec<f64> {
        let mut ngrams = Ngrams::default();
        ngrams.reset(max_order, references.iter().map(|reference| reference.len()).sum());
        for reference in references {
            ngrams.add(reference);
        }
        let mut matches = vec![0.0; max_order];
        ngrams.matches(output, &mut matches);
        matches
    }

    #[test]
    fn matches_are_clipped_to_the_reference_that_has_most() {
        assert_eq!(matches(&[&[1, 2], &[1, 1]], &[1, 1, 1], 2), [2.0, 1.0]);
        assert_eq!(matches(&[&[1, 2, 3, 4, 5]], &[1, 2, 3, 9, 4, 5], 4), [5.0, 3.0, 1.0, 0.0]);
    }

    #[test]
    fn outputs_do_not_disturb_each_other() {
        let mut ngrams = Ngrams::default();
        ngrams.reset(2, 3);
        ngrams.add(&[1, 2, 3]);
        let mut found = [0.0; 2];
        for _ in 0..3 {
            ngrams.matches(&[1, 2, 3], &mut found);
            assert_eq!(found, [3.0, 2.0]);
        }
        ngrams.reset(2, 1);
        ngrams.add(&[7]);
        ngrams.matches(&[1, 2, 3], &mut found);
        assert_eq!(found, [0.0, 0.0]);
    }
}
