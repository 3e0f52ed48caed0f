//! The n-grams of a list of texts: each occurrence in a text gets a number.
//!
//! The n-grams form a tree, as in `metrics::ngrams`; the second occurrence of an n-gram in one text is a
//! further child of it, the third a child of the second. Two texts share as many of an n-gram's
//! occurrences as the one that has fewer of them: clipped counts.

/// An item: the k-th occurrence of some n-gram in a text.
pub type Item = u32;

/// Number of roots, from which a text's n-grams start: one for each of its sequences of symbols.
const ROOTS: u32 = 2;

/// Symbol that follows an n-gram that occurs again; no other symbol has this number.
const AGAIN: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, Default)]
struct Node {
    /// The last text that has this n-gram …
    text: u32,
    /// … and the item of its last occurrence there.
    last: Item,
    /// The n-gram that this is an occurrence of, and how many come before it in a text.
    ngram: u32,
    rank: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// Parent and symbol.
    key: u64,
    /// Child in the slot; 0 in a free slot, as a root is no child.
    child: u32,
}

/// Numbers the occurrences of n-grams, equal ones alike in all texts.
#[derive(Debug, Default)]
pub struct Occurrences {
    nodes: Vec<Node>,
    slots: Vec<Slot>,
    text: u32,
    /// The n-gram that starts at each position of the current sequence.
    starts: Vec<u32>,
}

impl Occurrences {
    /// Forgets everything.
    pub fn reset(&mut self) {
        self.nodes.clear();
        self.nodes.resize(ROOTS as usize, Node::default());
        self.text = 0;
        // A long list must not leave every later one with a large table to clear.
        self.slots.clear();
        self.slots.resize(1 << 12, Slot::default());
    }

    /// Returns the number of items, including the roots, so that an item is an index.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns an item's n-gram, which is the item of its first occurrence, and the number of
    /// earlier occurrences.
    pub fn origin(&self, item: Item) -> (Item, u32) {
        let Node { ngram, rank, .. } = self.nodes[item as usize];
        (ngram, rank)
    }

    /// Starts a new text, whose occurrences are counted from 0.
    pub fn begin_text(&mut self) {
        self.text += 1;
    }

    /// Adds the items of order 1 to `max_order` of one of the text's sequences to `items`, order by
    /// order, and to `ends` where each order ends. `unmatched` has no item of order 1.
    pub fn extend(
        &mut self,
        sequence: usize,
        symbols: &[u32],
        max_order: usize,
        unmatched: u32,
        items: &mut Vec<Item>,
        ends: &mut Vec<usize>,
    ) {
        let mut starts = std::mem::take(&mut self.starts);
        starts.clear();
        starts.resize(symbols.len(), sequence as u32);
        for order in 1..=max_order {
            let first = items.len();
            // All n-grams of an order first: the look-ups of neighbours do not wait for each other.
            for (start, &symbol) in starts.iter_mut().zip(symbols.get(order - 1..).unwrap_or(&[])) {
                *start = self.child_or_new(*start, symbol);
                if order > 1 || symbol != unmatched {
                    items.push(*start);
                }
            }
            for item in &mut items[first..] {
                *item = self.occurrence(*item);
            }
            ends.push(items.len());
        }
        self.starts = starts;
    }

    /// Returns the item of an n-gram's next occurrence in the text.
    fn occurrence(&mut self, ngram: u32) -> Item {
        let Node { text, last, .. } = self.nodes[ngram as usize];
        let item = if text == self.text { self.child_or_new(last, AGAIN) } else { ngram };
        let node = &mut self.nodes[ngram as usize];
        (node.text, node.last) = (self.text, item);
        item
    }

    fn child_or_new(&mut self, parent: u32, symbol: u32) -> u32 {
        let key = u64::from(parent) << 32 | u64::from(symbol);
        let slot = match self.find(key) {
            Ok(child) => return child,
            Err(slot) => slot,
        };
        let child = self.nodes.len() as u32;
        let (ngram, rank) = match self.nodes[parent as usize] {
            Node { ngram, rank, .. } if symbol == AGAIN => (ngram, rank + 1),
            _ => (child, 0),
        };
        self.nodes.push(Node { ngram, rank, ..Node::default() });
        self.slots[slot] = Slot { key, child };
        if self.nodes.len() * 2 > self.slots.len() {
            self.grow();
        }
        child
    }

    /// Finds the child under a key, or the free slot for it.
    fn find(&self, key: u64) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = home(key) & mask;
        loop {
            let slot = self.slots[at];
            if slot.child == 0 {
                return Err(at);
            }
            if slot.key == key {
                return Ok(slot.child);
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let length = 4 * self.slots.len();
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); length]);
        for slot in old.into_iter().filter(|slot| slot.child != 0) {
            let mut at = home(slot.key) & (length - 1);
            while self.slots[at].child != 0 {
                at = (at + 1) & (length - 1);
            }
            self.slots[at] = slot;
        }
    }
}

fn home(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(occurrences: &mut Occurrences, symbols: &[u32]) -> [Vec<Item>; 2] {
        occurrences.begin_text();
        let (mut items, mut ends) = (Vec::new(), Vec::new());
        occurrences.extend(0, symbols, 2, AGAIN, &mut items, &mut ends);
        let bigrams = items.split_off(ends[0]);
        [items, bigrams]
    }

    #[test]
    fn occurrences_are_items_of_their_own_and_alike_in_all_texts() {
        let mut occurrences = Occurrences::default();
        occurrences.reset();
        let first = items(&mut occurrences, &[7, 7, 8]);
        let second = items(&mut occurrences, &[7, 8, 7, 7]);
        assert_ne!(first[0][0], first[0][1]);
        assert_eq!(first[0], [second[0][0], second[0][2], second[0][1]]);
        // 7 7 and 7 8 are in both, 8 7 only in the second.
        assert_eq!(first[1], [second[1][2], second[1][0]]);
        assert_eq!(second[1].len(), 3);
    }

    #[test]
    fn many_items_stay_apart() {
        let mut occurrences = Occurrences::default();
        occurrences.reset();
        let symbols: Vec<u32> = (0..20_000).collect();
        let mut first = items(&mut occurrences, &symbols).concat();
        assert_eq!(first, items(&mut occurrences, &symbols).concat());
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 39_999);
    }
}
