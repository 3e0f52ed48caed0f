//! Pieces of debris: beginnings and ends that a text has and its partners have not, and texts that
//! segments share although their partners differ.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::Segments;
use super::characters::{RATIO, Shape};
use super::sketches::Sketch;

/// Number of characters of a segment's beginning and end that are compared.
const EDGE: usize = 12;

/// Number of these characters that partners have in common in sentences of one pattern.
const COMMON: usize = 8;

/// Lengths of the beginnings and ends that are counted, in characters, with the smallest share of
/// segments. In 140 outputs of nine sets, the largest share is .20 for up to 8 characters, and .05
/// for 12.
const EDGES: [(usize, f64); 6] = [(1, 0.3), (2, 0.3), (3, 0.3), (5, 0.25), (8, 0.25), (EDGE, 0.08)];

/// Smallest share of segments with a beginning or end of `UNLIKE_LENGTH` characters or more, if
/// they are unlike their partners.
const EXAMINED: f64 = 0.02;
const UNLIKE_LENGTH: usize = 5;

/// Fewest segments with a beginning or end that are unlike their partners.
const FEWEST_UNLIKE: usize = 8;

/// Fewest segments with one piece, and smallest share of segments with one text. Ordinary outputs
/// have up to 5 in 1,000 segments.
pub(super) const FEWEST: usize = 4;
const SHARED: f64 = 0.0075;

/// Largest number of segments with one text that are compared with their partners.
const MOST_COMPARED: usize = 64;

/// Largest mean similarity of messages and placeholders to the partners of their segments.
const UNLIKE: f32 = 0.15;

/// A part of segments that may be debris.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// The beginning of the segment.
    Beginning,
    /// The end of the segment.
    End,
    /// The whole segment.
    Whole,
}

/// Numbers of segments with one piece of debris.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Piece {
    /// Number of segments of the text.
    pub count: usize,
    /// Index of the first segment.
    pub first: usize,
    /// Sum of the similarities of some of its segments to their partners, and their number.
    similarity: f32,
    compared: usize,
}

/// Pieces of debris in a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Pieces {
    /// Pieces by their place and text.
    found: BTreeMap<(Place, String), Piece>,
    /// Number of segments that were compared as a whole.
    pub segments: usize,
}

/// Script, size and edges of a segment.
#[derive(Debug, Clone)]
pub(super) struct Features {
    /// Index of the segment in its block.
    pub index: usize,
    pub shape: Shape,
    beginning: Edge,
    end: Edge,
}

/// First or last characters of a segment, and the hash of each number of them that is counted; 0
/// if there are fewer.
#[derive(Debug, Clone)]
struct Edge {
    characters: [char; EDGE],
    hashes: [u32; EDGES.len()],
}

impl Features {
    pub(super) fn new(index: usize, segment: &str, shape: Shape) -> Self {
        Self {
            index,
            shape,
            beginning: Edge::new(segment.trim_start().chars()),
            end: Edge::new(segment.trim_end().chars().rev()),
        }
    }
}

/// Some segments of a part of one text.
pub(super) struct Block<'a> {
    pub segments: &'a Segments,
    /// Indices of the segments in the part.
    pub indices: &'a [usize],
    /// Index of the part's first segment in the whole text.
    pub base: usize,
    pub sketches: Vec<Sketch>,
    /// Features of some of the segments.
    pub features: Vec<Features>,
}

impl Block<'_> {
    /// Returns a segment of the block by its index in it.
    pub(super) fn segment(&self, index: usize) -> &str {
        self.segments.get(self.indices[index]).unwrap_or_default()
    }

    /// Returns the index in the whole text of a segment of the block.
    pub(super) fn position(&self, index: usize) -> usize {
        self.base + self.indices[index]
    }

    /// Compares a segment with the same segment of another text.
    pub(super) fn similarity(&self, other: &Self, index: usize) -> f32 {
        self.sketches[index].similarity(&other.sketches[index])
    }
}

impl Pieces {
    /// Adds beginnings and ends of a block; `partners` are translations of the same segments that
    /// should have them as well, or the source. `fewest` is the smallest number of segments.
    pub(super) fn add_edges(&mut self, text: &Block, partners: &[&Block], fewest: usize) {
        self.add_edge(Place::Beginning, |features| &features.beginning, text, partners, fewest);
        self.add_edge(Place::End, |features| &features.end, text, partners, fewest);
    }

    /// Adds texts that several segments share although their partners differ, in a range whose
    /// first segment is `position` in the whole text.
    pub(super) fn add_shared(
        &mut self,
        position: usize,
        text: (&Segments, Range<usize>, &[u64]),
        partners: &[(&Segments, &[u64])],
    ) {
        let (segments, range, digests) = text;
        self.segments += range.len();
        let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
        for index in crowded(digests) {
            groups.entry(digests[index]).or_default().push(index);
        }
        for mut members in groups.into_values() {
            let name = segments.get(range.start + members[0]).unwrap_or_default();
            members.retain(|&index| segments.get(range.start + index) == Some(name));
            if members.len() < FEWEST || name.trim().is_empty() {
                continue;
            }
            let differ = |(_, digests): &(&Segments, &[u64])| {
                members.iter().map(|&index| digests[index]).collect::<HashSet<_>>().len() >= FEWEST
            };
            let others: Vec<&str> = members
                .iter()
                .take(MOST_COMPARED)
                .map(|&index| partners[0].0.get(range.start + index).unwrap_or_default())
                .collect();
            let beginnings = others.iter().map(|other| Edge::new(other.chars()).characters);
            if partners.iter().all(differ) && !are_alike(beginnings) {
                let own = Sketch::new(name);
                let similarity =
                    others.iter().map(|other| own.similarity(&Sketch::new(other))).sum();
                let (first, compared) = (position + members[0], others.len());
                let piece = Piece { count: members.len(), first, similarity, compared };
                self.merge_piece(Place::Whole, name, &piece);
            }
        }
    }

    fn add_edge(
        &mut self,
        place: Place,
        edge: fn(&Features) -> &Edge,
        text: &Block,
        partners: &[&Block],
        fewest: usize,
    ) {
        let n = text.features.len();
        let minima = EDGES.map(|(length, share)| {
            // Short edges are never debris below half of their share, whatever partners have.
            let share = if length < UNLIKE_LENGTH { share / 2.0 } else { EXAMINED };
            (share * n as f64).max(fewest as f64)
        });
        let counts = table(text, edge);
        let tables: Vec<Vec<u16>> = partners.iter().map(|text| table(text, edge)).collect();
        let mut seen = HashSet::new();
        for features in &text.features {
            let edges = edge(features).hashes.into_iter().zip(minima);
            for ((hash, minimum), (length, _)) in edges.zip(EDGES) {
                let bucket = hash as usize & (counts.len() - 1);
                let count = usize::from(counts[bucket]);
                if hash == 0
                    || (count as f64) < minimum
                    || tables.iter().any(|table| count < RATIO * usize::from(table[bucket]))
                    || !seen.insert(hash)
                {
                    continue;
                }
                let characters = &edge(features).characters[..length];
                let has = |index: &usize| {
                    edge(&text.features[*index]).characters[..length] == *characters
                };
                let members: Vec<usize> = (0..n).filter(has).collect();
                let others = members.iter().map(|&i| edge(&partners[0].features[i]).characters);
                if members.len() as f64 >= minimum && !are_alike(others) {
                    let name: String = match place {
                        Place::End => characters.iter().rev().collect(),
                        _ => characters.iter().collect(),
                    };
                    let members = members.into_iter().map(|i| text.features[i].index);
                    let (count, mut indices) = (members.len(), members.clone());
                    let first = indices.next().map_or(0, |index| text.position(index));
                    let similarity = members.map(|index| text.similarity(partners[0], index)).sum();
                    let piece = Piece { count, first, similarity, compared: count };
                    self.merge_piece(place, &name, &piece);
                }
            }
        }
    }

    fn merge_piece(&mut self, place: Place, name: &str, next: &Piece) {
        let piece = self
            .found
            .entry((place, name.to_owned()))
            .or_insert_with(|| Piece { first: next.first, ..Piece::default() });
        piece.count += next.count;
        piece.similarity += next.similarity;
        piece.compared += next.compared;
    }

    /// Adds the pieces of the next block.
    pub(super) fn merge(&mut self, next: &Self) {
        self.segments += next.segments;
        for ((place, name), piece) in &next.found {
            self.merge_piece(*place, name, piece);
        }
    }

    /// Returns the most frequent piece at a place that is debris in a text of `segments` segments,
    /// the longest one if several are nearly as frequent; `margin` is added to limits of shares,
    /// which `looseness` divides.
    pub(super) fn most_frequent(
        &self,
        place: Place,
        segments: usize,
        margin: f64,
        looseness: f64,
    ) -> Option<(&str, &Piece)> {
        let is_debris = |name: &str, piece: &Piece| {
            let is_unlike = piece.similarity < UNLIKE * piece.compared as f32;
            let length = name.chars().count();
            let (share, fewest) = match EDGES.iter().find(|(edge, _)| *edge == length) {
                _ if place == Place::Whole => (SHARED, FEWEST),
                Some((UNLIKE_LENGTH.., _)) if is_unlike => (EXAMINED, FEWEST_UNLIKE),
                Some((_, share)) => (share + margin, FEWEST),
                None => (1.0, FEWEST),
            };
            let minimum = (share * segments as f64).max(fewest as f64) / looseness;
            piece.count as f64 >= minimum
                && if place == Place::Whole { is_unlike } else { !is_style(name) }
        };
        let pieces =
            self.found.iter().filter(|((at, name), piece)| *at == place && is_debris(name, piece));
        let pieces: Vec<(&str, &Piece)> =
            pieces.map(|((_, name), piece)| (name.as_str(), piece)).collect();
        let most = pieces.iter().map(|(_, piece)| piece.count).max()?;
        pieces
            .into_iter()
            .filter(|(_, piece)| piece.count * 10 >= most * 9)
            .max_by_key(|(name, piece)| (name.chars().count(), piece.count))
    }
}

/// Returns true for punctuation at the end, and for few letters of a script without capitals, such
/// as kana: writers differ in them.
fn is_style(edge: &str) -> bool {
    let is_caseless = |c: char| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase();
    edge.chars().all(|c| matches!(c, '.' | '!' | '?' | ',' | ':' | ';' | ' '))
        || edge.chars().count() < UNLIKE_LENGTH && edge.chars().any(is_caseless)
}

/// Returns true if half of the partners' edges are equal: then the partners have another common text
/// there, as in sentences of one pattern.
fn are_alike(edges: impl ExactSizeIterator<Item = [char; EDGE]>) -> bool {
    let (n, mut counts) = (edges.len(), HashMap::new());
    edges.for_each(|edge| *counts.entry(edge[..COMMON].to_vec()).or_insert(0) += 1);
    counts.into_values().max().is_some_and(|count| 2 * count >= n)
}

/// Counts beginnings or ends by the hash of their characters.
fn table(text: &Block, edge: fn(&Features) -> &Edge) -> Vec<u16> {
    let mut counts = vec![0_u16; (16 * text.features.len()).next_power_of_two()];
    let mask = counts.len() - 1;
    for features in &text.features {
        edge(features).hashes.iter().for_each(|&hash| counts[hash as usize & mask] += 1);
    }
    counts
}

/// Returns the indices of digests that share a bucket with others.
fn crowded(digests: &[u64]) -> Vec<usize> {
    let mut counts = vec![0_u16; (4 * digests.len()).next_power_of_two()];
    let mask = counts.len() - 1;
    for &digest in digests {
        counts[digest as usize & mask] += 1;
    }
    let count = |index: &usize| usize::from(counts[digests[*index] as usize & mask]);
    (0..digests.len()).filter(|index| count(index) >= FEWEST).collect()
}

impl Edge {
    /// Returns the first characters; a number becomes one digit, and punctuation the ASCII
    /// character that translators use as well.
    fn new(text: impl Iterator<Item = char>) -> Self {
        let (mut characters, mut hashes) = (['\0'; EDGE], [0; EDGES.len()]);
        let (mut length, mut counted, mut hash) = (0, 0, 0_u64);
        for character in text {
            let character = match character {
                '0'..='9' if length > 0 && characters[length - 1] == '0' => continue,
                '0'..='9' => '0',
                '\'' | '«' | '»' | '‘'..='‟' | '‹' | '›' | '「'..='』' => '"',
                '‐'..='―' | '−' => '-',
                '。' | '．' | '…' => '.',
                '！' => '!',
                '？' => '?',
                '（' => '(',
                '）' => ')',
                other => other,
            };
            characters[length] = character;
            length += 1;
            hash = (hash ^ u64::from(u32::from(character))).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
            if EDGES[counted].0 == length {
                hashes[counted] = (hash >> 16) as u32 | 1;
                counted += 1;
                if length == EDGE {
                    break;
                }
            }
        }
        Self { characters, hashes }
    }
}

/// Hashes the length of a segment, and up to 16 bytes of its beginning and of its end.
pub(super) fn digest(segment: &str) -> u64 {
    let bytes = segment.as_bytes();
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    let mut padded = [0; 16];
    let ends = bytes.first_chunk().zip(bytes.last_chunk());
    if ends.is_none() {
        padded[..bytes.len()].copy_from_slice(bytes);
    }
    let (first, last) = ends.unwrap_or((&padded, &padded));
    // Products of odd numbers without a pattern.
    let hash = word(&first[..8])
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(word(&first[8..]).wrapping_mul(0xbf58_476d_1ce4_e5b9))
        .wrapping_add(word(&last[..8]).wrapping_mul(0x94d0_49bb_1331_11eb))
        .wrapping_add(word(&last[8..]).wrapping_mul(0xd6e8_feb8_6659_fd93))
        .wrapping_add((bytes.len() as u64).wrapping_mul(0xa076_1d64_78bd_642f));
    (hash ^ hash >> 32).wrapping_mul(0xe703_7ed1_a0b4_28db) >> 16
}
