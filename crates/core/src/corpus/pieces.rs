//! Pieces of debris: beginnings and ends that a text has and its partners have not, and texts that
//! segments share although their partners differ.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Segments;
use super::characters::{RATIO, Shape};
use super::sketches::Sketch;

/// Number of characters of a segment's beginning and end that are compared.
const EDGE: usize = 12;

/// Lengths of the beginnings and ends that are counted, in characters, with the smallest share of
/// segments. In 140 outputs of nine sets, the largest share is .20 for up to 8 characters, and .05
/// for 12.
const EDGES: [(usize, f64); 6] = [(1, 0.3), (2, 0.3), (3, 0.3), (5, 0.25), (8, 0.25), (EDGE, 0.08)];

/// Smallest percentage of segments with a beginning or end that is examined.
const EXAMINED: usize = 2;

/// Fewest segments with one piece, and smallest share of segments with one text. Ordinary outputs
/// have up to 5 in 1,000 segments.
pub(super) const FEWEST: usize = 4;
const SHARED: f64 = 0.0075;

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
    /// Sum of the similarities of its segments to their partners.
    similarity: f32,
}

/// Pieces by their place and text.
#[derive(Debug, Clone, Default)]
pub(super) struct Pieces(BTreeMap<(Place, String), Piece>);

/// Digests of a segment.
#[derive(Debug, Clone)]
pub(super) struct Features {
    /// Digest of the whole segment.
    pub digest: u64,
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
    pub(super) fn new(segment: &str, shape: Shape) -> Self {
        Self {
            digest: digest(segment.as_bytes()),
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
    pub features: Vec<Features>,
    pub sketches: Vec<Sketch>,
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
    /// Adds the pieces of a block; `partners` are translations of the same segments that should
    /// have them as well, or the source. `fewest` is the smallest number of segments.
    pub(super) fn add(&mut self, text: &Block, partners: &[&Block], fewest: usize) {
        self.add_edges(Place::Beginning, |features| &features.beginning, text, partners, fewest);
        self.add_edges(Place::End, |features| &features.end, text, partners, fewest);
        let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
        for index in crowded(&text.features, fewest) {
            groups.entry(text.features[index].digest).or_default().push(index);
        }
        for members in groups.into_values().filter(|members| members.len() >= fewest) {
            let differ = |text: &&Block| {
                let different: HashSet<u64> =
                    members.iter().map(|&i| text.features[i].digest).collect();
                different.len() >= fewest
            };
            let name = text.segment(members[0]);
            if !name.trim().is_empty() && partners.iter().all(differ) {
                self.add_piece(Place::Whole, name, text, partners, &members);
            }
        }
    }

    fn add_edges(
        &mut self,
        place: Place,
        edge: fn(&Features) -> &Edge,
        text: &Block,
        partners: &[&Block],
        fewest: usize,
    ) {
        let n = text.features.len();
        let minimum = fewest.max(n * EXAMINED / 100);
        let counts = table(text, edge);
        let tables: Vec<Vec<u16>> = partners.iter().map(|text| table(text, edge)).collect();
        let mut seen = HashSet::new();
        for features in &text.features {
            for (hash, (length, _)) in edge(features).hashes.into_iter().zip(EDGES) {
                let bucket = hash as usize & (counts.len() - 1);
                let count = usize::from(counts[bucket]);
                if hash == 0
                    || count < minimum
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
                if members.len() >= minimum {
                    let name: String = match place {
                        Place::End => characters.iter().rev().collect(),
                        _ => characters.iter().collect(),
                    };
                    self.add_piece(place, &name, text, partners, &members);
                }
            }
        }
    }

    fn add_piece(
        &mut self,
        place: Place,
        name: &str,
        text: &Block,
        partners: &[&Block],
        members: &[usize],
    ) {
        let similarity = members.iter().map(|&index| text.similarity(partners[0], index)).sum();
        let first = text.position(members[0]);
        self.merge_piece(place, name, &Piece { count: members.len(), first, similarity });
    }

    fn merge_piece(&mut self, place: Place, name: &str, next: &Piece) {
        let piece = self
            .0
            .entry((place, name.to_owned()))
            .or_insert_with(|| Piece { first: next.first, ..Piece::default() });
        piece.count += next.count;
        piece.similarity += next.similarity;
    }

    /// Adds the pieces of the next block.
    pub(super) fn merge(&mut self, next: &Self) {
        for ((place, name), piece) in &next.0 {
            self.merge_piece(*place, name, piece);
        }
    }

    /// Returns the most frequent piece at a place that is debris in a text of `segments` segments,
    /// the longest one if several are nearly as frequent; `looseness` divides the limits.
    pub(super) fn most_frequent(
        &self,
        place: Place,
        segments: usize,
        looseness: f64,
    ) -> Option<(&str, &Piece)> {
        let is_debris = |name: &str, piece: &Piece| {
            let is_unlike = piece.similarity < UNLIKE * piece.count as f32;
            let length = name.chars().count();
            let minimum = match EDGES.iter().find(|(edge, _)| *edge == length) {
                _ if place == Place::Whole => SHARED,
                Some((5.., _)) if is_unlike => EXAMINED as f64 / 100.0,
                Some((_, share)) => *share,
                None => 1.0,
            };
            let minimum = (minimum * segments as f64).max(FEWEST as f64) / looseness;
            piece.count as f64 >= minimum && (place != Place::Whole || is_unlike)
        };
        let pieces =
            self.0.iter().filter(|((at, name), piece)| *at == place && is_debris(name, piece));
        let pieces: Vec<(&str, &Piece)> =
            pieces.map(|((_, name), piece)| (name.as_str(), piece)).collect();
        let most = pieces.iter().map(|(_, piece)| piece.count).max()?;
        pieces
            .into_iter()
            .filter(|(_, piece)| piece.count * 10 >= most * 9)
            .max_by_key(|(name, piece)| (name.chars().count(), piece.count))
    }
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

/// Returns the indices of segments whose digests share a bucket with others.
fn crowded(features: &[Features], fewest: usize) -> Vec<usize> {
    let mut counts = vec![0_u16; (4 * features.len()).next_power_of_two()];
    let mask = counts.len() - 1;
    for features in features {
        counts[features.digest as usize & mask] += 1;
    }
    let count = |index: &usize| usize::from(counts[features[*index].digest as usize & mask]);
    (0..features.len()).filter(|index| count(index) >= fewest).collect()
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

/// Hashes a whole segment.
fn digest(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let mut add = |word: u64| {
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    };
    let chunks = bytes.chunks_exact(8);
    let rest = chunks.remainder();
    for chunk in chunks {
        add(u64::from_le_bytes(chunk.try_into().unwrap_or_default()));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    add(u64::from_le_bytes(last));
    hash
}
