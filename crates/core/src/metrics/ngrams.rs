//! The n-grams of a segment's references, and how many of them an output matches.
//!
//! The n-grams form a tree: the children of an n-gram are the (n+1)-grams that begin with it. Below an
//! n-gram that occurs once there are no branches, so the tree ends there: the references themselves tell
//! what follows. An output is walked down this tree from each of its positions and leaves it at the first
//! mismatch, so n-grams that cannot match are never built, hashed or counted.

use super::symbols::UNKNOWN;

/// One n-gram of the references.
#[derive(Debug, Clone, Copy, Default)]
struct Ngram {
    /// Where it starts in the references for the first time.
    place: u32,
    /// The most often it occurs in one reference.
    limit: u32,
    /// Whether it occurs more than once, so that it may have children.
    again: bool,
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
    /// The symbols of all references, `END` after each.
    references: Vec<u32>,
    nodes: Vec<Ngram>,
    slots: Vec<Slot>,
    mask: usize,
    generation: u32,
    max_order: usize,
    /// How often each n-gram occurred in the last reference.
    seen: Vec<u32>,
}

const ROOT: u32 = 0;

/// No symbol of a reference or an output.
const END: u32 = UNKNOWN - 1;

impl Ngrams {
    /// Forgets all n-grams and makes room for those of sequences of `symbols` symbols in all.
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

    /// Adds a reference. An n-gram's limit is its largest count in any one of them.
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
                if !node.again {
                    node.again = true;
                    self.continue_first(ngram, order, first);
                }
                parent = ngram;
            }
        }
    }

    /// Adds the child of an n-gram that follows at its first place.
    fn continue_first(&mut self, ngram: u32, order: usize, reference: usize) {
        let place = self.nodes[ngram as usize].place as usize;
        let symbol = self.references[place + order];
        if order < self.max_order && symbol != END {
            let key = key(ngram, symbol);
            if let Err(slot) = self.find(key) {
                self.insert(slot, key, place, u32::from(place >= reference));
            }
        }
    }

    fn insert(&mut self, slot: usize, key: u64, place: usize, seen: u32) {
        let child = self.nodes.len() as u32;
        self.nodes.push(Ngram { place: place as u32, limit: 1, again: false });
        self.seen.push(seen);
        self.slots[slot] = Slot { key, child, generation: self.generation };
        if 2 * self.nodes.len() > self.mask {
            let slots = self.slots[..=self.mask].iter();
            let taken: Vec<Slot> =
                slots.filter(|slot| slot.generation == self.generation).copied().collect();
            self.clear_slots(2 * (self.mask + 1));
            for Slot { key, child, .. } in taken {
                if let Err(slot) = self.find(key) {
                    self.slots[slot] = Slot { key, child, generation: self.generation };
                }
            }
        }
    }

    /// Lets a symbol's n-gram of order 1 match never; longer ones that begin with it still may.
    pub fn forbid_alone(&mut self, symbol: u32) {
        if let Ok(ngram) = self.find(key(ROOT, symbol)) {
            self.nodes[ngram as usize].limit = 0;
        }
    }

    /// Counts the n-grams of `output` that match, each at most as often as a reference has it:
    /// `matches[n - 1]` is for order n. `seen` is memory to count in.
    pub fn matches(&self, output: &[u32], matches: &mut [f64], seen: &mut Vec<u32>) {
        self.weighted_matches(output, matches, seen, |_, _| 1.0);
    }

    /// As `matches`, but an n-gram counts as much as `weight` says of a place where it starts and of its
    /// order. Places are counted through all references, with one more after each.
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
                // What the references do not have needs no look-up.
                if symbol == UNKNOWN {
                    break;
                }
                let Ok(ngram) = self.find(key(parent, symbol)) else { break };
                let Ngram { place, limit, again } = self.nodes[ngram as usize];
                let (place, seen) = (place as usize, &mut seen[ngram as usize]);
                if again {
                    *seen += 1;
                    if *seen <= limit {
                        matches[shorter] += weight(place, shorter + 1);
                    }
                    parent = ngram;
                    continue;
                }
                // It occurs once, and so does all that begins with it: the highest order seen tells all.
                let mut order = shorter + 1;
                while rest
                    .get(order)
                    .is_some_and(|&symbol| symbol == self.references[place + order])
                {
                    order += 1;
                }
                let known = (shorter + 1 - limit as usize).max(*seen as usize);
                for (more, matched) in matches.iter_mut().enumerate().take(order).skip(known) {
                    *matched += weight(place, more + 1);
                }
                *seen = known.max(order) as u32;
                break;
            }
        }
    }

    /// How much memory they take.
    pub fn bytes(&self) -> usize {
        let lists = size_of_val(self.references.as_slice()) + size_of_val(self.seen.as_slice());
        size_of_val(self.nodes.as_slice()) + size_of_val(self.slots.as_slice()) + lists
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

/// The n-grams of a sequence of characters, up to order 6: what starts at each place, sorted, so that
/// equal n-grams of every order stand side by side.
///
/// A place is a number of six digits: the character there and the next five. The last one is larger than
/// all, and none.
#[derive(Debug, Default)]
pub struct SortedNgrams {
    places: Vec<u128>,
}

/// The orders whose n-gram is another than at the last place, where so many characters are the same:
/// all bits of a number are set there.
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
    /// The highest order.
    pub const HIGHEST: usize = 6;
    /// The bits of a digit, which is a character plus 1.
    const BITS: u32 = 21;
    /// What a reference and an output have behind their ends: neither is a character, nor the other.
    const ENDS: [u128; 2] = [0, (1 << (Self::BITS * Self::HIGHEST as u32)) - 1];

    /// Takes the n-grams of a reference in place of what was there.
    pub fn set_reference(&mut self, characters: &[u32]) {
        self.set(characters, Self::ENDS[0]);
    }

    /// Takes the n-grams of an output in place of what was there.
    pub fn set_output(&mut self, characters: &[u32]) {
        self.set(characters, Self::ENDS[1]);
    }

    fn set(&mut self, characters: &[u32], end: u128) {
        let mut place = end;
        self.places.clear();
        self.places.reserve(characters.len() + 1);
        self.places.extend(characters.iter().rev().map(|&character| {
            let digit = u128::from(character + 1) << (Self::BITS * (Self::HIGHEST as u32 - 1));
            place = digit | place >> Self::BITS;
            place
        }));
        self.places.sort_unstable();
        self.places.push(u128::MAX);
    }

    /// Counts the n-grams of an output that match this reference: as [`Ngrams::matches`] does.
    pub fn matches(&self, output: &Self, matches: &mut [f64]) {
        // For each order: how often the n-gram at the last place is in either, and all matches before.
        let (mut known, mut given, mut sums) = ([0_i32; 8], [0_i32; 8], [0_i32; 8]);
        let (mut at, mut at_output, mut last) = (0, 0, 0);
        for _ in 1..self.places.len() + output.places.len() {
            let (first, second) = (self.places[at], output.places[at_output]);
            let is_known = first <= second;
            let place = first.min(second);
            at += usize::from(is_known);
            at_output += usize::from(!is_known);
            let same = (place ^ last).leading_zeros().saturating_sub(2) / Self::BITS;
            last = place;
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

    /// How much memory they take.
    pub fn bytes(&self) -> usize {
        size_of_val(self.places.as_slice())
    }
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
        ngrams.matches(output, &mut matches, &mut Vec::new());
        matches
    }

    #[test]
    fn matches_are_clipped_to_the_reference_that_has_most() {
        assert_eq!(matches(&[&[1, 2], &[1, 1]], &[1, 1, 1], 2), [2.0, 1.0]);
        assert_eq!(matches(&[&[1, 2, 3, 4, 5]], &[1, 2, 3, 9, 4, 5], 4), [5.0, 3.0, 1.0, 0.0]);
    }

    /// Every n-gram counted one by one.
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
    fn trees_and_sorted_ngrams_count_what_counting_one_by_one_does() {
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
    fn outputs_do_not_disturb_each_other() {
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
