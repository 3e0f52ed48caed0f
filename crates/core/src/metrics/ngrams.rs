//! The n-grams of a segment's references, and their matches in an output.
//!
//! The n-grams form a tree: the children of an n-gram are the (n+1)-grams that begin with it. Below
//! an n-gram that occurs once there are no branches, so the tree ends there: the references
//! themselves have the continuation. An output is walked down this tree from each of its positions
//! until the first mismatch, so n-grams that cannot match are never built, hashed or counted.

use super::symbols::UNKNOWN;

/// One n-gram of the references.
#[derive(Debug, Clone, Copy, Default)]
struct Ngram {
    /// Position of its first occurrence in the references.
    position: u32,
    /// Largest number of occurrences in one reference.
    limit: u32,
    /// True if it occurs more than once, so that it may have children.
    repeats: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// Parent n-gram and symbol.
    key: u64,
    child: u32,
    /// Generation of the tree that uses the slot; the slot is free in all later generations.
    generation: u32,
}

/// The n-grams of one segment's references up to some order.
#[derive(Debug, Default)]
pub struct Ngrams {
    /// The symbols of all references, with `END` after each reference.
    references: Vec<u32>,
    nodes: Vec<Ngram>,
    slots: Vec<Slot>,
    mask: usize,
    generation: u32,
    max_order: usize,
    /// Occurrences of each n-gram in the last reference.
    seen: Vec<u32>,
}

const ROOT: u32 = 0;

/// End of a reference; it differs from every symbol.
const END: u32 = UNKNOWN - 1;

impl Ngrams {
    /// Removes all n-grams and reserves memory for references of `symbols` symbols in total.
    pub fn reset(&mut self, max_order: usize, symbols: usize) {
        self.max_order = max_order;
        self.references.clear();
        self.nodes.clear();
        self.nodes.push(Ngram::default());
        self.clear_slots((4 * symbols).next_power_of_two().max(16));
    }

    fn clear_slots(&mut self, slots: usize) {
        self.mask = slots - 1;
        self.generation = self.generation.wrapping_add(1);
        if self.slots.len() < slots || self.generation == 0 {
            self.generation = 1;
            self.slots.clear();
            self.slots.resize(slots, Slot::default());
        }
    }

    /// Adds a reference. An n-gram's limit is its largest count in any one reference.
    pub fn add(&mut self, reference: &[u32]) {
        let first = self.references.len();
        self.references.extend(reference);
        self.references.push(END);
        self.seen.clear();
        self.seen.resize(self.nodes.len(), 0);
        for start in first..first + reference.len() {
            let mut parent = ROOT;
            for order in 1..=self.max_order {
                let symbol = self.references[start + order - 1];
                if symbol == END {
                    break;
                }
                let ngram = match self.find(key(parent, symbol)) {
                    Ok(ngram) => ngram,
                    Err(slot) => {
                        self.insert(slot, key(parent, symbol), start, 1);
                        break;
                    }
                };
                let node = &mut self.nodes[ngram as usize];
                self.seen[ngram as usize] += 1;
                node.limit = node.limit.max(self.seen[ngram as usize]);
                if !node.repeats {
                    node.repeats = true;
                    self.continue_first(ngram, order, first);
                }
                parent = ngram;
            }
        }
    }

    /// Adds the child of an n-gram that continues its first occurrence.
    fn continue_first(&mut self, ngram: u32, order: usize, reference: usize) {
        let position = self.nodes[ngram as usize].position as usize;
        let symbol = self.references[position + order];
        if order < self.max_order && symbol != END {
            let key = key(ngram, symbol);
            if let Err(slot) = self.find(key) {
                self.insert(slot, key, position, u32::from(position >= reference));
            }
        }
    }

    fn insert(&mut self, slot: usize, key: u64, position: usize, seen: u32) {
        let child = self.nodes.len() as u32;
        self.nodes.push(Ngram { position: position as u32, limit: 1, repeats: false });
        self.seen.push(seen);
        self.slots[slot] = Slot { key, child, generation: self.generation };
        if 2 * self.nodes.len() > self.mask {
            let slots = self.slots[..=self.mask].iter();
            let used: Vec<Slot> =
                slots.filter(|slot| slot.generation == self.generation).copied().collect();
            self.clear_slots(2 * (self.mask + 1));
            for Slot { key, child, .. } in used {
                if let Err(slot) = self.find(key) {
                    self.slots[slot] = Slot { key, child, generation: self.generation };
                }
            }
        }
    }

    /// Excludes a symbol's n-gram of order 1 from matches; longer n-grams that begin with it may
    /// match.
    pub fn exclude_unigram(&mut self, symbol: u32) {
        if let Ok(ngram) = self.find(key(ROOT, symbol)) {
            self.nodes[ngram as usize].limit = 0;
        }
    }

    /// Counts the n-grams of `output` that match, each at most as often as in one reference:
    /// `matches[n - 1]` is for order n. `seen` is scratch memory.
    pub fn matches(&self, output: &[u32], matches: &mut [f64], seen: &mut Vec<u32>) {
        self.weighted_matches(output, matches, seen, |_, _| 1.0);
    }

    /// Sums the weights of matching n-grams. `weight` receives a position where the n-gram starts,
    /// counted through all references with one more after each, and its order.
    pub fn weighted_matches(
        &self,
        output: &[u32],
        matches: &mut [f64],
        seen: &mut Vec<u32>,
        weight: impl Fn(usize, usize) -> f64,
    ) {
        matches.fill(0.0);
        seen.clear();
        seen.resize(self.nodes.len(), 0);
        for start in 0..output.len() {
            let rest = &output[start..output.len().min(start + matches.len())];
            let mut parent = ROOT;
            for (shorter, &symbol) in rest.iter().enumerate() {
                // A symbol that the references do not have cannot match.
                if symbol == UNKNOWN {
                    break;
                }
                let Ok(ngram) = self.find(key(parent, symbol)) else { break };
                let Ngram { position, limit, repeats } = self.nodes[ngram as usize];
                let (position, seen) = (position as usize, &mut seen[ngram as usize]);
                if repeats {
                    *seen += 1;
                    if *seen <= limit {
                        matches[shorter] += weight(position, shorter + 1);
                    }
                    parent = ngram;
                    continue;
                }
                // The n-gram occurs once, and so do all n-grams that begin with it, so the highest
                // order seen tells which of them have matched.
                let mut order = shorter + 1;
                while rest
                    .get(order)
                    .is_some_and(|&symbol| symbol == self.references[position + order])
                {
                    order += 1;
                }
                let known = (shorter + 1 - limit as usize).max(*seen as usize);
                for (more, matched) in matches.iter_mut().enumerate().take(order).skip(known) {
                    *matched += weight(position, more + 1);
                }
                *seen = known.max(order) as u32;
                break;
            }
        }
    }

    /// Returns the number of bytes in use.
    pub fn bytes(&self) -> usize {
        let lists = size_of_val(self.references.as_slice()) + size_of_val(self.seen.as_slice());
        size_of_val(self.nodes.as_slice()) + size_of_val(self.slots.as_slice()) + lists
    }

    /// Returns the n-gram with a key, or the slot to insert it.
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

/// The n-grams of a sequence of characters, up to order 6: the n-grams that start at each position,
/// sorted, so that equal n-grams of every order are neighbours.
///
/// An entry is a number of six digits: the character at the position and the next five. The last
/// entry is a sentinel, larger than all others.
#[derive(Debug, Default)]
pub struct SortedNgrams {
    entries: Vec<u128>,
}

/// Masks of the orders whose n-gram differs from the previous entry's, by the number of equal
/// leading characters: all bits are set for these orders.
const BEGINS: [[i32; 8]; 7] = [
    [-1; 8],
    [0, -1, -1, -1, -1, -1, -1, -1],
    [0, 0, -1, -1, -1, -1, -1, -1],
    [0, 0, 0, -1, -1, -1, -1, -1],
    [0, 0, 0, 0, -1, -1, -1, -1],
    [0, 0, 0, 0, 0, -1, -1, -1],
    [0, 0, 0, 0, 0, 0, -1, -1],
];

impl SortedNgrams {
    /// Highest order of n-grams.
    pub const HIGHEST: usize = 6;
    /// Bits of a digit, which is a character plus 1.
    const BITS: u32 = 21;
    /// Digits after the end of a reference and of an output; neither equals a character or the
    /// other.
    const ENDS: [u128; 2] = [0, (1 << (Self::BITS * Self::HIGHEST as u32)) - 1];

    /// Replaces the n-grams by a reference's.
    pub fn set_reference(&mut self, characters: &[u32]) {
        self.set(characters, Self::ENDS[0]);
    }

    /// Replaces the n-grams by an output's.
    pub fn set_output(&mut self, characters: &[u32]) {
        self.set(characters, Self::ENDS[1]);
    }

    fn set(&mut self, characters: &[u32], end: u128) {
        let mut entry = end;
        self.entries.clear();
        self.entries.reserve(characters.len() + 1);
        self.entries.extend(characters.iter().rev().map(|&character| {
            let digit = u128::from(character + 1) << (Self::BITS * (Self::HIGHEST as u32 - 1));
            entry = digit | entry >> Self::BITS;
            entry
        }));
        self.entries.sort_unstable();
        self.entries.push(u128::MAX);
    }

    /// Counts the n-grams of an output that match this reference, as [`Ngrams::matches`] does.
    pub fn matches(&self, output: &Self, matches: &mut [f64]) {
        // Counts by order: occurrences of the current n-gram on either side, and all matches before
        // it.
        let (mut known, mut given, mut sums) = ([0_i32; 8], [0_i32; 8], [0_i32; 8]);
        let (mut at, mut at_output, mut last) = (0, 0, 0);
        for _ in 1..self.entries.len() + output.entries.len() {
            let (first, second) = (self.entries[at], output.entries[at_output]);
            let is_known = first <= second;
            let entry = first.min(second);
            at += usize::from(is_known);
            at_output += usize::from(!is_known);
            let same = (entry ^ last).leading_zeros().saturating_sub(2) / Self::BITS;
            last = entry;
            let counts = known.iter_mut().zip(&mut given).zip(&mut sums);
            for (begins, ((known, given), sum)) in BEGINS[same as usize].iter().zip(counts) {
                *sum += (*known).min(*given) & begins;
                *known = (*known & !begins) + i32::from(is_known);
                *given = (*given & !begins) + i32::from(!is_known);
            }
        }
        for (matched, sum) in matches.iter_mut().zip(sums) {
            *matched = f64::from(sum);
        }
    }

    /// Returns the number of bytes in use.
    pub fn bytes(&self) -> usize {
        size_of_val(self.entries.as_slice())
    }
}

/// Returns the number of n-grams of order `order` in a sequence of `length` symbols.
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
        ngrams.matches(output, &mut matches, &mut Vec::new());
        matches
    }

    #[test]
    fn matches_are_clipped_to_the_largest_reference_count() {
        assert_eq!(matches(&[&[1, 2], &[1, 1]], &[1, 1, 1], 2), [2.0, 1.0]);
        assert_eq!(matches(&[&[1, 2, 3, 4, 5]], &[1, 2, 3, 9, 4, 5], 4), [5.0, 3.0, 1.0, 0.0]);
    }

    /// Counts every n-gram by a plain search.
    fn plain_matches(references: &[&[u32]], output: &[u32], max_order: usize) -> Vec<f64> {
        let times = |text: &[u32], ngram: &[u32]| {
            text.windows(ngram.len()).filter(|&other| other == ngram).count()
        };
        let of_order = |order| {
            let mut ngrams: Vec<&[u32]> = output.windows(order).collect();
            ngrams.sort_unstable();
            ngrams.dedup();
            let matched = |&ngram: &&[u32]| {
                let limit = references.iter().map(|text| times(text, ngram)).max();
                times(output, ngram).min(limit.unwrap_or(0))
            };
            ngrams.iter().map(matched).sum::<usize>() as f64
        };
        (1..=max_order).map(of_order).collect()
    }

    #[test]
    fn trees_and_sorted_ngrams_agree_with_the_plain_definition() {
        let mut state = 1_u32;
        let mut below = |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % limit
        };
        let mut output = SortedNgrams::default();
        let mut reference = SortedNgrams::default();
        for round in 0..600 {
            let alphabet = [1, 2, 5, 40][round % 4];
            let mut texts = [(); 4].map(|()| -> Vec<u32> {
                (0..below(30))
                    .map(|_| [0, 0x0010_FFFF - 40][round / 4 % 2] + below(alphabet))
                    .collect()
            });
            if round % 3 == 0 {
                texts[1] = [texts[0].as_slice(), &texts[0]].concat();
            }
            let [first, second, third, text] = &texts;
            let all = &[first.as_slice(), second, third][..=round % 3];
            for max_order in [1, 4, 6, 9] {
                let expected = plain_matches(all, text, max_order);
                assert_eq!(matches(all, text, max_order), expected, "{all:?} {text:?}");
            }
            reference.set_reference(first);
            output.set_output(text);
            let mut found = [0.0; SortedNgrams::HIGHEST];
            reference.matches(&output, &mut found);
            assert_eq!(found.to_vec(), plain_matches(&all[..1], text, 6), "{first:?} {text:?}");
        }
    }

    #[test]
    fn outputs_do_not_affect_each_other() {
        let mut ngrams = Ngrams::default();
        ngrams.reset(2, 3);
        ngrams.add(&[1, 2, 3]);
        let (mut found, mut seen) = ([0.0; 2], Vec::new());
        for _ in 0..3 {
            ngrams.matches(&[1, 2, 3], &mut found, &mut seen);
            assert_eq!(found, [3.0, 2.0]);
        }
        ngrams.reset(2, 1);
        ngrams.add(&[7]);
        ngrams.matches(&[1, 2, 3], &mut found, &mut seen);
        assert_eq!(found, [0.0, 0.0]);
    }
}
