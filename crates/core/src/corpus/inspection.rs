//! Inspection of texts that pair segment by segment, block by block: whether their lines belong
//! together, what a text has that its partners have not, and what texts have copied.

use std::ops::Range;
use std::sync::OnceLock;

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::Segments;
use super::alignment::{Alignment, Disorder};
use super::characters::Characters;
use super::pieces::{self, Block, Features, Pieces, Place, digest};
use super::sketches::{Language, Sketch};
use crate::interruption;

/// Number of segments in a block.
const BLOCK: usize = 8192;

/// Blocks of at least `SAMPLED` segments are sampled: `RUN` segments in a row out of each `STRIDE`,
/// and for debris the first `DETAILED` of them. A text whose sample is suspicious is inspected in
/// full. No number divides the stride, as every tenth segment may be at fault.
const SAMPLED: usize = 600;
const RUN: usize = 4;
const DETAILED: usize = 2;
const STRIDE: usize = 19;

/// Factor by which limits of debris are lower in a sample.
const LOOSENESS: f64 = 1.7;

/// Fewest words of segments that are compared for copies, and fewest such segments: shorter
/// translations are often equal by chance.
const WORDS: usize = 12;
const LONG: usize = 50;

/// Share of long segments that are equal to a reference by copying, and similarity of nearly equal
/// ones. At least `TIMES` the median of other systems is added to the share.
const COPIED: (f64, f32) = (0.07, 0.95);
const TIMES: f64 = 3.0;

/// What the share of copies increases by with one long segment; with more it falls with the root of
/// their number.
const COPIED_MARGIN: f64 = 1.0;

/// Share of long segments that are equal to the source, while the reference is not; ordinary
/// systems have up to .01.
const UNTRANSLATED: f64 = 0.03;

/// Share of long segments that two systems have in common by copying, and similarity of nearly
/// equal ones.
const COMMON: (f64, f32) = (0.2, 0.9);

/// Largest share of nearly equal segments among the unequal ones, for each share of equal ones and
/// of unequal ones: who translates like the reference has more (1.3 or more, 1.5 in simulated systems
/// with few errors), who copies 10 % has at most 0.9. The others are of two systems, for each share
/// of equal ones and in all.
const NEARLY: (f64, f64, f64) = (0.95, 0.75, 0.3);

/// Number of segments from which on only some are examined for being nearly equal.
const EXAMINED: usize = 250;

/// Largest number of systems that are compared in pairs.
const MOST_PAIRED: usize = 64;

/// Smallest share of segments in another language than their partners; ordinary systems have up to
/// .02. Such segments have fewer familiar n-grams, by `UNFAMILIAR`, and are unlike their partners.
const FOREIGN: f64 = 0.025;
const UNFAMILIAR: f64 = 0.6;
const UNLIKE: f32 = 0.3;

/// Fewest segments of a text that is judged as a whole.
const FEWEST: usize = 20;

/// Something about a text that should not be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finding {
    /// Kind of finding.
    pub kind: &'static str,
    /// Index of the text among references, systems and source.
    pub text: usize,
    /// Index of the text that it was compared with.
    pub other: usize,
    /// Number of segments.
    pub count: usize,
    /// Number that partners let expect, or the length of a cut or a move.
    pub number: isize,
    /// Index of the first segment.
    pub first: usize,
    /// Text that the segments have in common, or the first of them.
    pub example: String,
}

/// Evidence about one text, added up over its blocks.
#[derive(Debug, Clone, Default)]
struct Evidence {
    alignment: Alignment,
    characters: Characters,
    pieces: Pieces,
    /// Number of segments in another language, the first one and its text.
    foreign: (usize, usize, String),
    /// Number of long segments that are equal to those of each earlier text, and of those that are
    /// only nearly equal.
    equal: Vec<(usize, usize)>,
    /// Index of the first long segment that is equal to an earlier text's, for each.
    first_equal: Vec<Option<usize>>,
}

/// Evidence about texts that pair segment by segment, added part by part.
#[derive(Debug, Clone, Default)]
pub struct Inspection {
    texts: Vec<Evidence>,
    references: usize,
    systems: usize,
    segments: usize,
    long: usize,
}

impl Inspection {
    /// Adds a part of all texts.
    pub fn add(
        &mut self,
        references: &[&Segments],
        systems: &[&Segments],
        source: Option<&Segments>,
    ) {
        let texts: Vec<&Segments> =
            references.iter().chain(systems).copied().chain(source).collect();
        let length = texts.iter().map(|text| text.len()).min().unwrap_or(0);
        if self.texts.is_empty() {
            (self.references, self.systems) = (references.len(), systems.len());
            self.texts = vec![Evidence::default(); texts.len()];
            for (index, text) in self.texts.iter_mut().enumerate() {
                text.equal = vec![(0, 0); index];
                text.first_equal = vec![None; index];
            }
        }
        let starts: Vec<usize> = (0..length).step_by(BLOCK).collect();
        for starts in starts.chunks(rayon::current_num_threads().div_ceil(texts.len())) {
            let block = |&start: &usize| self.block(&texts, start..length.min(start + BLOCK));
            let blocks: Vec<_> = starts.par_iter().map(block).collect();
            for (evidence, long) in blocks {
                self.texts.iter_mut().zip(evidence).for_each(|(text, next)| text.merge(next));
                self.long += long;
            }
        }
        self.segments += length;
    }

    /// Returns the evidence of a range of segments, and the number of long ones.
    fn block(&self, texts: &[&Segments], range: Range<usize>) -> (Vec<Evidence>, usize) {
        let is_sampled = range.len() >= SAMPLED;
        let all: Vec<usize> = range.clone().collect();
        let sample = |index: &usize| !is_sampled || index % STRIDE < RUN;
        let sample: Vec<usize> = all.iter().copied().filter(sample).collect();
        let details = if is_sampled { DETAILED } else { STRIDE };
        let mut evidence = self.inspect(texts, &sample, &|_| true, details);
        let (mut with_debris, mut disordered) = (Vec::new(), Vec::new());
        for text in (0..texts.len()).filter(|_| is_sampled) {
            let partners = self.characters_of_partners(text, &evidence);
            if !evidence[text].debris(&partners, LOOSENESS).is_empty() {
                with_debris.push(text);
            } else if evidence[text].alignment.is_suspicious() {
                disordered.push(text);
            }
        }
        for (suspicious, details) in [(with_debris, STRIDE), (disordered, 0)] {
            if suspicious.is_empty() {
                continue;
            }
            let full = self.inspect(texts, &all, &|text| suspicious.contains(&text), details);
            for (text, full) in full.into_iter().enumerate() {
                if suspicious.contains(&text) && details > 0 {
                    evidence[text] = full;
                } else if suspicious.contains(&text) {
                    evidence[text].alignment = full.alignment;
                } else if full.characters.segments > 0 {
                    // A partner: numbers of what it has are exact as well.
                    evidence[text].characters = full.characters;
                }
            }
        }
        let long = self.compare_whole(texts, &range, &mut evidence);
        (evidence, long)
    }

    /// Adds texts that segments of a range share, and copies, to the evidence; returns the number
    /// of long segments.
    fn compare_whole(
        &self,
        texts: &[&Segments],
        range: &Range<usize>,
        evidence: &mut [Evidence],
    ) -> usize {
        let digests: Vec<Vec<u64>> = texts
            .par_iter()
            .map(|text| range.clone().map(|i| digest(text.get(i).unwrap_or_default())).collect())
            .collect();
        let is_long = |index: &usize| words(texts[0].get(*index).unwrap_or_default()) >= WORDS;
        let long: Vec<usize> = range.clone().filter(is_long).collect();
        let of_long = |digests: &Vec<u64>| long.iter().map(|i| digests[i - range.start]).collect();
        let long_digests: Vec<Vec<u64>> = digests.iter().map(of_long).collect();
        evidence.par_iter_mut().enumerate().for_each(|(text, evidence)| {
            let partners: Vec<(&Segments, &[u64])> = self
                .partners(text)
                .into_iter()
                .map(|partner| (texts[partner], digests[partner].as_slice()))
                .collect();
            if text < self.references + self.systems && self.systems > 0 {
                let own = (texts[text], range.clone(), digests[text].as_slice());
                evidence.pieces.add_shared(self.segments + range.start, own, &partners);
            }
            for other in 0..text {
                let (counts, first) = self.equal(text, other, texts, &long_digests, &long);
                evidence.equal.push(counts);
                evidence.first_equal.push(first.map(|index| self.segments + index));
            }
        });
        long.len()
    }

    fn characters_of_partners<'a>(
        &self,
        text: usize,
        evidence: &'a [Evidence],
    ) -> Vec<&'a Characters> {
        self.partners(text).into_iter().map(|partner| &evidence[partner].characters).collect()
    }

    /// Returns the evidence of some segments about the texts of interest; about their debris, of the
    /// first `details` segments of each stride.
    fn inspect(
        &self,
        texts: &[&Segments],
        indices: &[usize],
        is_of_interest: &(dyn Fn(usize) -> bool + Sync),
        details: usize,
    ) -> Vec<Evidence> {
        let arch = Arch::new();
        let base = self.segments;
        let is_needed = |text| {
            text == 0
                || is_of_interest(text)
                || details > 0
                    && (0..texts.len())
                        .any(|other| is_of_interest(other) && self.partners(other).contains(&text))
        };
        let (blocks, characters): (Vec<Block>, Vec<Characters>) = texts
            .par_iter()
            .enumerate()
            .map(|(text, segments)| {
                interruption::check();
                let indices = if is_needed(text) { indices } else { &[] };
                arch.dispatch(Read { segments, indices, base, details })
            })
            .unzip();
        let fewest = if details < STRIDE { pieces::FEWEST / 2 } else { pieces::FEWEST };
        let languages = [OnceLock::new(), OnceLock::new()];
        let evidence = characters.into_par_iter().enumerate().map(|(text, characters)| {
            let mut evidence = Evidence { characters, ..Evidence::default() };
            if !is_of_interest(text) {
                return evidence;
            }
            let (block, reference) = (&blocks[text], &blocks[0]);
            let partners: Vec<&Block> =
                self.partners(text).into_iter().map(|i| &blocks[i]).collect();
            let is_source = text >= self.references + self.systems;
            let mut similarities = Vec::new();
            if is_source && text > 0 {
                (evidence.alignment, _) = align_source(block, reference);
            } else if text > 0 {
                (evidence.alignment, similarities) = arch.dispatch(Align { block, reference });
            }
            if !is_source && self.systems > 0 && details > 0 {
                evidence.pieces.add_edges(block, &partners, fewest);
                let language = &languages[usize::from(text < self.references)];
                if text < self.references {
                    let similarity = |index| block.similarity(partners[0], index);
                    similarities = (0..block.sketches.len()).map(similarity).collect();
                }
                evidence.foreign =
                    self.foreign(text, &blocks, partners[0], &similarities, language);
            }
            evidence
        });
        evidence.collect()
    }

    /// Returns the texts that a text is compared with: references and the source, or for a
    /// reference the first two systems and the source.
    fn partners(&self, text: usize) -> Vec<usize> {
        let (m, last) = (self.references, self.references + self.systems);
        let mut partners: Vec<usize> =
            if text < m { (m..last).take(2).collect() } else { (0..m).collect() };
        partners.extend(last..self.texts.len());
        partners
    }

    /// Counts the segments of a block in another language or script than a partner.
    fn foreign(
        &self,
        text: usize,
        blocks: &[Block],
        partner: &Block,
        similarities: &[f32],
        language: &OnceLock<Language>,
    ) -> (usize, usize, String) {
        let (m, block) = (self.references, &blocks[text]);
        let mut found = (0, 0, String::new());
        let script = script_of_most(&partner.features);
        for (features, other) in block.features.iter().zip(&partner.features) {
            let (index, shape, expected) = (features.index, features.shape, other.shape);
            if shape.letters.min(expected.letters) < 10 || shape.script.min(expected.script) == 0 {
                continue;
            }
            let is_foreign = || {
                if shape.script != expected.script {
                    return expected.script == script;
                }
                if shape.is_unspaced() || similarities[index] >= UNLIKE {
                    return false;
                }
                let language = language.get_or_init(|| {
                    let texts = if text < m { &blocks[m..=m] } else { &blocks[..m] };
                    Language::of(
                        texts
                            .iter()
                            .flat_map(|text| text.features.iter().map(|f| text.segment(f.index))),
                    )
                });
                let familiarity = language.familiarity(block.segment(index), 0);
                let expected = language.familiarity(partner.segment(index), 1);
                familiarity.zip(expected).is_some_and(|(familiarity, expected)| {
                    expected.min(language.familiarity) - familiarity > UNFAMILIAR
                })
            };
            if is_foreign() {
                if found.0 == 0 {
                    found = (0, block.position(index), block.segment(index).to_owned());
                }
                found.0 += 1;
            }
        }
        found
    }

    /// Counts the long segments that two texts have in common, and nearly; and finds the first.
    fn equal(
        &self,
        text: usize,
        other: usize,
        texts: &[&Segments],
        digests: &[Vec<u64>],
        long: &[usize],
    ) -> ((usize, usize), Option<usize>) {
        let (m, last) = (self.references, self.references + self.systems);
        let are_systems = (m..last).contains(&text) && (m..last).contains(&other);
        if are_systems && self.systems > MOST_PAIRED {
            return ((0, 0), None);
        }
        let (a, b) = (texts[text], texts[other]);
        let are_alike = || digests[text].iter().zip(&digests[other]).map(|(a, b)| a == b);
        let alike = are_alike().map(usize::from).sum();
        let (fewest, similarity) = if are_systems { COMMON } else { COPIED };
        if (alike as f64) < fewest * long.len() as f64 {
            return ((alike, 0), are_alike().position(|alike| alike).map(|index| long[index]));
        }
        let (equal, unequal): (Vec<usize>, Vec<usize>) =
            long.iter().partition(|&&index| a.get(index) == b.get(index));
        let sketch = |text: &Segments, index| Sketch::new(text.get(index).unwrap_or_default());
        let is_nearly =
            |&&index: &&usize| sketch(a, index).similarity(&sketch(b, index)) >= similarity;
        let stride = unequal.len() / EXAMINED + 1;
        let nearly = stride * unequal.iter().step_by(stride).filter(is_nearly).count();
        ((equal.len(), nearly), equal.first().copied())
    }

    /// Returns the findings, text by text.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = self.disorder();
        let disordered: Vec<usize> = findings
            .iter()
            .filter(|finding| matches!(finding.kind, "random" | "shifted"))
            .map(|finding| finding.text)
            .collect();
        let mut debris = Vec::new();
        for text in (0..self.references + self.systems).take(self.texts.len()).rev() {
            // Nothing can be said about texts without the right partners.
            let is_known = |text| self.systems > 0 && !disordered.contains(&text);
            if self.segments < FEWEST || !is_known(text) || !is_known(self.partners(text)[0]) {
                continue;
            }
            let mut of_text = self.debris(text);
            if text < self.references {
                // Of two partners that differ, the one with more such segments is at fault, and
                // the reference last.
                let is_partner = |other: &Finding| other.text == self.partners(text)[0];
                debris.retain(|other: &Finding| {
                    let is_less = |finding: &Finding| {
                        // Ends that only partners have were cut off.
                        (finding.kind, other.kind) == ("cut", "end")
                            || finding.kind == other.kind && finding.count > other.count
                    };
                    !is_partner(other) || !of_text.iter().any(is_less)
                });
                of_text.retain(|finding| {
                    let is_enough =
                        |other: &&Finding| is_partner(other) && 2 * other.count >= finding.count;
                    finding.kind == "shared"
                        || !debris
                            .iter()
                            .filter(is_enough)
                            .any(|other| other.kind != finding.kind || other.count >= finding.count)
                });
            }
            debris.extend(of_text);
        }
        debris.sort_by_key(|finding| finding.text);
        findings.extend(debris);
        if self.long >= LONG {
            findings.extend(
                (self.references..self.references + self.systems)
                    .flat_map(|text| self.copies(text)),
            );
        }
        findings
    }

    fn disorder(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        for (text, evidence) in self.texts.iter().enumerate().skip(1) {
            let finding = |kind, count, first, number| Finding {
                kind,
                text,
                count,
                number,
                first,
                ..Finding::default()
            };
            let is_source = text >= self.references + self.systems;
            findings.extend(evidence.alignment.disorder().and_then(|disorder| match disorder {
                Disorder::Random => Some(finding("random", self.segments, 0, 0)),
                Disorder::Shifted(shift) => {
                    Some(finding("shifted", shift.end - shift.start, shift.start, shift.by))
                }
                Disorder::Stretch(start, end) => Some(finding("stretch", end - start, start, 0)),
                // Lengths are too weak a hint.
                Disorder::Exchanged(count, first) => {
                    (!is_source).then(|| finding("exchanged", count, first, 0))
                }
            }));
        }
        // If nothing fits the first reference, it is the reference that is wrong.
        let random = findings.iter().filter(|finding| finding.kind == "random").count();
        if self.texts.len() > 2 && random + 1 == self.texts.len() {
            findings = vec![Finding { text: 0, other: 1, ..findings[0].clone() }];
        }
        findings
    }

    fn debris(&self, text: usize) -> Vec<Finding> {
        self.texts[text]
            .debris(&self.characters_of_partners(text, &self.texts), 1.0)
            .into_iter()
            .map(|finding| Finding { text, other: self.partners(text)[0], ..finding })
            .collect()
    }

    fn copies(&self, text: usize) -> Vec<Finding> {
        let (m, last) = (self.references, self.references + self.systems);
        let evidence = &self.texts[text];
        let share = |count: usize| count as f64 / self.long as f64;
        let finding = |kind, other: usize, count| Finding {
            kind,
            text,
            other,
            count,
            number: self.long.cast_signed(),
            first: evidence.first_equal.get(other).copied().flatten().unwrap_or(0),
            example: String::new(),
        };
        let mut findings = Vec::new();
        for reference in 0..m {
            let (count, nearly) = evidence.equal[reference];
            let mut others: Vec<usize> = (m..last)
                .filter(|&other| other != text)
                .map(|other| self.texts[other].equal[reference].0)
                .collect();
            others.sort_unstable();
            let usual = if others.len() < 3 { 0 } else { others[(others.len() - 1) / 2] };
            // Who copies has few nearly equal segments, however few there are in all.
            let near = nearly as f64 / self.long.saturating_sub(count).max(1) as f64;
            let likeness = (2.0 * near / share(count)).clamp(0.25, 1.0);
            let limit = COPIED.0 + COPIED_MARGIN * likeness / (self.long as f64).sqrt();
            let is_copied = share(count) >= limit + TIMES * share(usual);
            if count < self.long
                && is_copied
                && near <= NEARLY.0 * share(count) * (1.0 - share(count))
            {
                findings.push(finding("copied", reference, count));
            }
        }
        if let Some(source) = self.texts.get(last) {
            let count = source.equal[text].0.saturating_sub(source.equal[0].0);
            if share(count) >= UNTRANSLATED {
                let first = source.first_equal[text].unwrap_or(0);
                findings.push(Finding { first, ..finding("untranslated", last, count) });
            }
        }
        for other in m..text {
            let (count, nearly) = evidence.equal[other];
            let unequal = self.long - count;
            let most = (NEARLY.1 * share(count)).min(NEARLY.2) * unequal as f64;
            if share(count) >= COMMON.0 && unequal > 0 && (nearly as f64) < most {
                findings.push(finding("common", other, count));
            }
        }
        findings
    }
}

impl Evidence {
    /// Returns the debris of a text; `looseness` divides the limits.
    fn debris(&self, partners: &[&Characters], looseness: f64) -> Vec<Finding> {
        let (segments, all) = (self.characters.segments, self.pieces.segments);
        let is_sample = looseness > 1.0;
        let margin =
            self.characters.margin(if is_sample { STRIDE as f64 / DETAILED as f64 } else { 1.0 });
        if !partners.first().is_some_and(|partner| partner.is_filled()) {
            return Vec::new(); // too few segments to compare with
        }
        let finding = |kind, count, first, number: usize, example: &str| Finding {
            kind,
            count,
            first,
            number: number.cast_signed(),
            example: example.to_owned(),
            ..Finding::default()
        };
        let mut findings = Vec::new();
        for (place, kind, segments) in [
            (Place::Whole, "shared", all),
            (Place::Beginning, "beginning", segments),
            (Place::End, "end", segments),
        ] {
            if let Some((name, piece)) =
                self.pieces.most_frequent(place, segments, margin, looseness)
            {
                findings.push(finding(kind, piece.count, piece.first, 0, name));
            }
        }
        if let Some(character) = self.characters.strange(partners, margin, looseness) {
            findings.push(finding(
                "character",
                character.count,
                character.first,
                character.expected,
                &character.name,
            ));
        }
        if let Some((longest, count, unit)) = self.characters.cut(partners[0], looseness) {
            findings.push(finding("cut", count, 0, longest, unit));
        }
        let (count, first, example) = &self.foreign;
        if *count as f64 >= (FOREIGN * segments as f64).max(5.0) / looseness {
            findings.push(finding("foreign", *count, *first, 0, example));
        }
        findings
    }

    /// Adds the evidence of the next block.
    fn merge(&mut self, next: Self) {
        self.alignment.merge(&next.alignment);
        self.characters.merge(next.characters);
        self.pieces.merge(&next.pieces);
        if self.foreign.0 == 0 {
            (self.foreign.1, self.foreign.2) = (next.foreign.1, next.foreign.2);
        }
        self.foreign.0 += next.foreign.0;
        for (counts, next) in self.equal.iter_mut().zip(&next.equal) {
            *counts = (counts.0 + next.0, counts.1 + next.1);
        }
        for (first, next) in self.first_equal.iter_mut().zip(&next.first_equal) {
            *first = first.or(*next);
        }
    }
}

/// Counts the words of a segment; of two characters each in scripts of wide characters.
fn words(segment: &str) -> usize {
    let (spaces, wide) = segment.bytes().fold((0, 0), |(spaces, wide), byte| {
        (spaces + u32::from(byte == b' '), wide + u32::from((0xe3..0xf0).contains(&byte)))
    });
    (spaces + wide / 2) as usize + usize::from(!segment.is_empty())
}

/// Returns the script of most segments.
fn script_of_most(features: &[Features]) -> u8 {
    let mut counts = [0; 256];
    for features in features {
        counts[usize::from(features.shape.script)] += 1;
    }
    (1..=u8::MAX).max_by_key(|&script| counts[usize::from(script)]).unwrap_or(0)
}

/// Reading of some segments of a text.
struct Read<'a> {
    segments: &'a Segments,
    indices: &'a [usize],
    base: usize,
    /// Number of segments of each stride that are read for debris.
    details: usize,
}

impl<'a> NullaryFnOnce for Read<'a> {
    type Output = (Block<'a>, Characters);

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self { segments, indices, base, details } = self;
        let mut characters = Characters::default();
        let (mut features, mut sketches) = (Vec::new(), Vec::with_capacity(indices.len()));
        for (number, &index) in indices.iter().enumerate() {
            let segment = segments.get(index).unwrap_or_default();
            if index % STRIDE < details {
                let shape = characters.add(segment, base + index + 1);
                features.push(Features::new(number, segment, shape));
            }
            sketches.push(Sketch::new(segment));
        }
        (Block { segments, indices, base, sketches, features }, characters)
    }
}

/// Comparison of a text with a reference.
struct Align<'a> {
    block: &'a Block<'a>,
    reference: &'a Block<'a>,
}

impl NullaryFnOnce for Align<'_> {
    type Output = (Alignment, Vec<f32>);

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn call(self) -> Self::Output {
        let (sketches, references) = (&self.block.sketches, &self.reference.sketches);
        Alignment::of(
            sketches.len(),
            |index| self.block.position(index),
            |i, j| {
                let (a, b) = (&sketches[i], &references[j]);
                (!a.is_empty() && !b.is_empty()).then(|| a.similarity(b))
            },
        )
    }
}

/// Compares the source with a reference by n-grams and by length.
fn align_source(source: &Block, reference: &Block) -> (Alignment, Vec<f32>) {
    let lengths = |block: &Block| -> Vec<f32> {
        let count = |index| block.segment(index).chars().count() as f32;
        (0..block.sketches.len()).map(|index| count(index).ln_1p()).collect()
    };
    let (source_lengths, reference_lengths) = (lengths(source), lengths(reference));
    let mut ratios: Vec<f32> =
        source_lengths.iter().zip(&reference_lengths).map(|(a, b)| b - a).collect();
    ratios.sort_unstable_by(f32::total_cmp);
    let usual = ratios.get(ratios.len() / 2).copied().unwrap_or(0.0);
    Alignment::of(
        source.sketches.len(),
        |i| source.position(i),
        |i, j| {
            let is_compared = source_lengths[i] > 0.0 && reference_lengths[j] > 0.0;
            is_compared.then(|| {
                let ratio = reference_lengths[j] - source_lengths[i] - usual;
                source.sketches[i].similarity(&reference.sketches[j]) - ratio.abs()
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of a segment without text.
    const BLANK: usize = usize::MAX;

    /// Returns a segment of 12 to 18 words that depend on its number; some words of each `system`
    /// have another end.
    fn sentence(number: usize, system: u64) -> String {
        if number == BLANK {
            return String::new();
        }
        let mut state = number as u64 + 1;
        let mut word = |index: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040);
            let syllables = ["ba", "ke", "di", "mo", "fu", "la", "re", "ni", "so", "tu"];
            let letters = (0..3).map(|i| syllables[((state >> (30 + 5 * i)) % 10) as usize]);
            let end =
                if index % 4 == system % 4 { ["", "s", "n", "t"][system as usize % 4] } else { "" };
            format!("{}{end}", letters.collect::<String>())
        };
        (0..12 + number as u64 % 7).map(&mut word).collect::<Vec<_>>().join(" ") + "."
    }

    fn sentences(numbers: impl IntoIterator<Item = usize>, system: u64) -> Vec<String> {
        numbers.into_iter().map(|number| sentence(number, system)).collect()
    }

    fn text(segments: &[String]) -> Segments {
        segments.iter().map(|segment| Some(segment.as_str())).collect()
    }

    fn inspect(references: &[Vec<String>], systems: &[Vec<String>]) -> Vec<Finding> {
        let of =
            |texts: &[Vec<String>]| -> Vec<Segments> { texts.iter().map(|t| text(t)).collect() };
        let (references, systems) = (of(references), of(systems));
        let mut inspection = Inspection::default();
        inspection.add(
            &references.iter().collect::<Vec<_>>(),
            &systems.iter().collect::<Vec<_>>(),
            None,
        );
        inspection.findings()
    }

    /// Returns the findings about outputs with these numbers of the reference's segments: kind, first segment, number of segments, and move.
    fn order_of(
        numbers: impl IntoIterator<Item = usize>,
    ) -> Vec<(&'static str, usize, usize, isize)> {
        let output = sentences(numbers, 1);
        let reference = sentences(0..output.len(), 0);
        let findings = inspect(&[reference], &[output]);
        findings.into_iter().map(|f| (f.kind, f.first, f.count, f.number)).collect()
    }

    /// Returns the kinds of the findings about changed outputs, and the first example.
    fn kinds_of(n: usize, change: impl Fn(usize, String) -> String) -> (Vec<&'static str>, String) {
        let outputs = sentences(0..n, 1).into_iter().enumerate();
        let outputs: Vec<String> = outputs.map(|(index, output)| change(index, output)).collect();
        let findings = inspect(&[sentences(0..n, 0)], &[outputs]);
        let example = findings.first().map(|f| f.example.clone()).unwrap_or_default();
        (findings.iter().map(|finding| finding.kind).collect(), example)
    }

    #[test]
    fn an_aligned_text_has_no_findings() {
        for length in [0, 1, 19, 200, 1_000, 20_000] {
            assert_eq!(order_of(0..length), []);
        }
    }

    #[test]
    fn lost_and_extra_lines_are_shifts() {
        let lost = |at: usize, count: usize, length: usize| {
            (0..at).chain(at + count..length).chain(std::iter::repeat_n(BLANK, count))
        };
        assert_eq!(order_of(lost(0, 1, 200)), [("shifted", 0, 199, 1)]);
        assert_eq!(order_of(lost(50, 2, 200)), [("shifted", 50, 148, 2)]);
        let (kind, first, count, by) = order_of(lost(50, 7, 300))[0];
        assert_eq!((kind, by), ("shifted", 7));
        assert!(first.abs_diff(50) < 3 && count.abs_diff(243) < 3, "{first} {count}");
        assert_eq!(order_of(lost(5_000, 1, 30_000)), [("shifted", 5_000, 24_999, 1)]);
        let extra = (0..120).chain([BLANK]).chain(120..199);
        assert_eq!(order_of(extra), [("shifted", 121, 79, -1)]);
    }

    #[test]
    fn another_order_is_found_everywhere_or_in_a_stretch() {
        for length in [20, 1_000] {
            let multiples = (0..length).map(|index| index * 7 % length);
            assert_eq!(order_of(multiples), [("random", 0, length, 0)]);
        }
        assert_eq!(order_of(5_000..7_000), [("random", 0, 2_000, 0)]);
        let batches = (0..1_000).map(|index| index / 4 * 4 + 3 - index % 4);
        assert_eq!(order_of(batches)[0].0, "random");
        let reversed = (0..300).chain((300..350).rev()).chain(350..1_000);
        let found = order_of(reversed);
        assert_eq!(found[0].0, "stretch");
        assert!(found[0].1.abs_diff(300) < 5 && found[0].2.abs_diff(50) < 8, "{found:?}");
    }

    #[test]
    fn two_pairs_of_exchanged_neighbours_are_found() {
        let exchanged = |pairs: &[usize]| {
            let mut numbers: Vec<usize> = (0..400).collect();
            for &pair in pairs {
                numbers.swap(pair, pair + 1);
            }
            order_of(numbers)
        };
        assert_eq!(exchanged(&[30]), []);
        assert_eq!(exchanged(&[30, 90]), [("exchanged", 30, 2, 0)]);
    }

    #[test]
    fn references_alone_have_no_findings() {
        assert_eq!(inspect(&[sentences(0..300, 0), sentences(0..300, 1)], &[]), []);
    }

    #[test]
    fn the_reference_is_named_if_nothing_fits_it() {
        let reference = sentences((0..500).map(|index| index * 7 % 500), 0);
        let systems = [1, 2].map(|system| sentences(0..500, system));
        let findings = inspect(&[reference], &systems);
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].kind, findings[0].text, findings[0].other), ("random", 0, 1));
    }

    #[test]
    fn blank_and_absent_segments_are_not_compared() {
        assert_eq!(order_of((0..300).map(|i| if i % 2 == 0 { BLANK } else { i })), []);
        let absent: Segments = (0..50).map(|_| None).collect();
        let mut inspection = Inspection::default();
        inspection.add(&[&absent], &[&text(&sentences(0..50, 1))], Some(&absent));
        assert_eq!(inspection.findings(), []);
    }

    #[test]
    fn placeholders_are_found_from_a_number_and_share_on() {
        let with = |count: usize, n: usize| {
            kinds_of(n, |index, output| {
                if index % 10 == 5 && index / 10 < count { "null".to_owned() } else { output }
            })
        };
        assert_eq!(with(3, 200).0, [] as [&str; 0]);
        assert_eq!(with(4, 200), (vec!["shared"], "null".to_owned()));
        assert_eq!(with(3, 500).0, [] as [&str; 0]);
        assert_eq!(with(4, 500).0, ["shared"]);
        assert_eq!(with(7, 1_000).0, [] as [&str; 0]);
        assert_eq!(with(20, 1_000).0, ["shared"]);
    }

    #[test]
    fn additions_to_most_outputs_are_found() {
        let (kinds, example) = kinds_of(300, |_, output| format!("<think> {output}"));
        assert_eq!((kinds[0], example.as_str()), ("beginning", "<think> "));
        assert_eq!(kinds_of(300, |index, output| format!("{index}. {output}")).1, "0. ");
        assert_eq!(kinds_of(300, |_, output| format!("“{output}”")).0, ["beginning", "end"]);
        assert_eq!(kinds_of(300, |_, output| output + "</s>").0[0], "end");
        let some = |share: usize| {
            kinds_of(1_000, |index, output| {
                if index % 100 < share { format!("Translation: {output}") } else { output }
            })
            .0
        };
        // The limit is 8 % and 2 / √1,000.
        assert_eq!(some(14), [] as [&str; 0]);
        assert_eq!(some(15), ["beginning"]);
    }

    #[test]
    fn sentences_of_one_pattern_are_no_debris() {
        let number = |index: usize| format!("{index} {}", sentence(index, 0));
        let reference = (0..300).map(|i| format!("A cat of {} sat there.", number(i))).collect();
        let outputs = (0..300).map(|i| format!("The cat of {} was sitting.", number(i))).collect();
        assert_eq!(inspect(&[reference], &[outputs]), []);
    }

    #[test]
    fn strange_characters_are_found() {
        let example = |change: fn(String) -> String| {
            let (kinds, example) =
                kinds_of(200, |index, output| if index % 3 == 0 { change(output) } else { output });
            assert!(kinds.contains(&"character"), "{kinds:?}");
            example
        };
        assert_eq!(example(|output| output.replace(' ', " ▁")), "▁");
        assert_eq!(example(|output| output.replace('a', "&#39;")), "an entity, such as &amp;");
        assert_eq!(example(|output| output.replace('a', "\\u00e9")), "an escape, such as \\n");
        assert_eq!(example(|output| output.replace('a', "\u{fffd}")), "U+FFFD");
        assert_eq!(example(|output| output.replace('a', "Ã¤")), "a letter that was encoded twice");
        assert_eq!(example(|output| output.replacen('a', "\u{430}", 1)), "a word in two alphabets");
        assert_eq!(example(|output| output.replacen('e', "?", 1)), "a question mark inside a word");
    }

    #[test]
    fn typography_is_no_debris() {
        let change =
            |_, output: String| output.replace(' ', "\u{a0}").replace('.', "…").replace('a', "‘a’");
        assert_eq!(kinds_of(300, change).0, [] as [&str; 0]);
    }

    #[test]
    fn a_cut_at_one_length_is_found() {
        let (kinds, unit) = kinds_of(300, |_, output| output[..40].to_owned());
        assert_eq!((kinds.contains(&"cut"), unit.as_str()), (true, "characters"));
        let words = |_, output: String| output.split(' ').take(7).collect::<Vec<_>>().join(" ");
        assert!(kinds_of(300, words).0.contains(&"cut"));
    }

    #[test]
    fn another_script_is_found() {
        let change = |index: usize, output| {
            if index.is_multiple_of(20) {
                "קוראים לי ואני גר כאן".to_owned()
            } else {
                output
            }
        };
        assert!(kinds_of(1_000, change).0.contains(&"foreign"));
    }

    #[test]
    fn copies_of_the_reference_are_found_from_a_share_on() {
        let copied = |share: usize| {
            let reference = sentences(0..1_000, 0);
            let outputs = sentences(0..1_000, 1).into_iter().enumerate();
            let outputs = outputs
                .map(|(i, output)| if i % 100 < share { reference[i].clone() } else { output });
            let outputs = outputs.collect();
            inspect(&[reference], &[outputs]).iter().map(|finding| finding.kind).collect::<Vec<_>>()
        };
        assert_eq!(copied(5), [] as [&str; 0]);
        assert_eq!(copied(12), ["copied"]);
    }

    #[test]
    fn parts_give_the_findings_of_the_whole() {
        let (reference, outputs) =
            (sentences(0..3_000, 0), sentences((0..1_000).chain(1_001..3_000).chain([0]), 1));
        let mut inspection = Inspection::default();
        for (reference, outputs) in reference.chunks(1_000).zip(outputs.chunks(1_000)) {
            inspection.add(&[&text(reference)], &[&text(outputs)], None);
        }
        let findings = inspection.findings();
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].kind, findings[0].first), ("shifted", 1_000));
    }
}
