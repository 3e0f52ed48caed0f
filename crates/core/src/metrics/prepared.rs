//! Prepared references, to count outputs that arrive later against the same references.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::ngrams::{Ngrams, SortedNgrams};
use super::{Metric, SEGMENTS_PER_PIECE};
use crate::interruption;

/// A metric's index of the references of one segment.
pub trait Prepared: fmt::Debug + Send + Sync {
    /// Counts an output against the references, as the metric's counter does.
    ///
    /// # Panics
    /// May panic unless the row has as many columns as the metric.
    fn count(&self, output: &str, row: &mut [f64], memory: &mut Memory);

    /// Returns the approximate number of bytes in use.
    fn bytes(&self) -> usize;
}

/// Memory for counting, reused from output to output.
#[derive(Debug, Default)]
pub struct Memory {
    pub(super) characters: Vec<u32>,
    pub(super) words: Vec<u32>,
    pub(super) seen: Vec<u32>,
    pub(super) sorted: SortedNgrams,
    pub(super) ngrams: Ngrams,
    pub(super) matches: Vec<f64>,
    pub(super) candidate: Vec<f64>,
}

type PreparedMap = HashMap<Vec<String>, Arc<dyn Prepared>>;

/// Cache of prepared references by their texts, limited in memory; the references not used lately
/// are dropped.
#[derive(Debug)]
pub struct ReferenceCache {
    max_bytes: usize,
    generations: Mutex<Generations>,
}

/// Entries by last use: when the young half is full, it becomes the old half, which is dropped.
#[derive(Debug, Default)]
struct Generations {
    young: PreparedMap,
    young_bytes: usize,
    old: PreparedMap,
}

impl Generations {
    fn get(&mut self, references: &Vec<String>, max_bytes: usize) -> Option<Arc<dyn Prepared>> {
        if let Some(known) = self.young.get(references) {
            return Some(known.clone());
        }
        let (texts, known) = self.old.remove_entry(references)?;
        self.insert(texts, known.clone(), max_bytes);
        Some(known)
    }

    fn insert(&mut self, texts: Vec<String>, prepared: Arc<dyn Prepared>, max_bytes: usize) {
        let bytes = prepared.bytes() + texts.iter().map(String::len).sum::<usize>();
        if 2 * (self.young_bytes + bytes) > max_bytes {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        if 2 * bytes <= max_bytes && self.young.insert(texts, prepared).is_none() {
            self.young_bytes += bytes;
        }
    }
}

impl ReferenceCache {
    /// Creates a cache of at most about `max_bytes` bytes.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        Self { max_bytes, generations: Mutex::default() }
    }

    /// Returns the number of segments whose references are cached.
    pub fn len(&self) -> usize {
        self.with(|known| known.young.len() + known.old.len())
    }

    /// Returns true if the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn with<R>(&self, act: impl FnOnce(&mut Generations) -> R) -> R {
        act(&mut self.generations.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks up the references of each segment; `None` for those that are not cached.
    pub fn find(&self, references: &[Vec<String>]) -> Vec<Option<Arc<dyn Prepared>>> {
        self.with(|known| references.iter().map(|texts| known.get(texts, self.max_bytes)).collect())
    }

    /// Prepares the references that `found` lacks, equal ones once. Returns `None` if the metric
    /// prepares nothing.
    pub fn prepare(
        &self,
        metric: &dyn Metric,
        references: &[Vec<String>],
        found: Vec<Option<Arc<dyn Prepared>>>,
    ) -> Option<Vec<Arc<dyn Prepared>>> {
        let mut indices: HashMap<&[String], usize> = HashMap::new();
        let mut missing: Vec<&[String]> = Vec::new();
        for (texts, known) in references.iter().zip(&found) {
            if known.is_none() {
                indices.entry(texts).or_insert_with(|| {
                    missing.push(texts);
                    missing.len() - 1
                });
            }
        }
        let prepare = |texts: &&[String]| -> Option<Arc<dyn Prepared>> {
            interruption::check();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            metric.prepare(&texts).map(Arc::from)
        };
        let new: Option<Vec<_>> = if missing.len() > SEGMENTS_PER_PIECE {
            missing.par_iter().map(prepare).collect()
        } else {
            missing.iter().map(prepare).collect()
        };
        let new = new?;
        let all = references
            .iter()
            .zip(found)
            .map(|(texts, known)| known.unwrap_or_else(|| new[indices[texts.as_slice()]].clone()))
            .collect();
        if !missing.is_empty() {
            self.with(|known| {
                for (texts, prepared) in missing.iter().zip(&new) {
                    known.insert(texts.to_vec(), prepared.clone(), self.max_bytes);
                }
            });
        }
        Some(all)
    }
}

/// Counts outputs against prepared references, with a row of `width` columns for each.
pub fn count_prepared(
    prepared: &[Arc<dyn Prepared>],
    outputs: &[&str],
    width: usize,
    rows: &mut [f64],
) {
    let count = |memory: &mut Memory,
                 ((prepared, output), row): ((&Arc<dyn Prepared>, &&str), _)| {
        interruption::check();
        prepared.count(output, row, memory);
    };
    if outputs.len() <= 2 * SEGMENTS_PER_PIECE {
        let mut memory = Memory::default();
        prepared
            .iter()
            .zip(outputs)
            .zip(rows.chunks_mut(width))
            .for_each(|item| count(&mut memory, item));
    } else {
        prepared
            .par_iter()
            .zip(outputs)
            .zip(rows.par_chunks_mut(width))
            .for_each_init(Memory::default, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::bleu::Bleu;
    use crate::metrics::chrf::Chrf;
    use crate::metrics::per::Per;
    use crate::metrics::tests::row;
    use crate::metrics::words::{WordMetric, Words};
    use crate::tokenizers::Tokenizer;

    const OUTPUTS: [&str; 4] = ["the cat sat on the mat", "a dog", "", "the the the"];

    fn texts(references: &[&str]) -> Vec<String> {
        references.iter().map(|&text| text.to_owned()).collect()
    }

    fn rows(cache: &ReferenceCache, metric: &dyn Metric, references: &[Vec<String>]) -> Vec<f64> {
        let prepared = cache.prepare(metric, references, cache.find(references)).expect("kept");
        let mut rows = vec![0.0; OUTPUTS.len() * metric.width()];
        count_prepared(&prepared, &OUTPUTS, metric.width(), &mut rows);
        rows
    }

    #[test]
    fn counts_equal_the_metrics_counts_on_every_call() {
        let all = [
            texts(&["the cat sat on a mat"]),
            texts(&["a dog", "the dog barked"]),
            texts(&["", "x"]),
            texts(&["the the", "cat"]),
        ];
        let chrf = Chrf { word_order: 2, lowercase: true, ..Chrf::default() };
        let bleu = Bleu::default();
        let expected = |count: &dyn Fn(&[&str], &str) -> Vec<f64>| -> Vec<f64> {
            let of_segment = |(texts, output): (&Vec<String>, &&str)| {
                count(&texts.iter().map(String::as_str).collect::<Vec<_>>(), output)
            };
            all.iter().zip(&OUTPUTS).flat_map(of_segment).collect()
        };
        let by_chrf = expected(&|references, output| row(&chrf, references, output));
        let by_bleu = expected(&|references, output| {
            let mut row = vec![0.0; bleu.width()];
            let segment = crate::metrics::Segment { references, outputs: &[output] };
            let mut scratch = crate::metrics::SegmentCounter::scratch(&bleu.counts);
            crate::metrics::SegmentCounter::count_segment(
                &bleu.counts,
                segment,
                &mut row,
                &mut scratch,
            );
            row
        });
        for (metric, expected) in [(&chrf as &dyn Metric, by_chrf), (&bleu, by_bleu)] {
            for max_bytes in [0, 20_000, 1 << 24] {
                let cache = ReferenceCache::new(max_bytes);
                for _ in 0..3 {
                    assert_eq!(rows(&cache, metric, &all), expected);
                }
            }
        }
    }

    #[test]
    fn the_cache_stays_within_its_limit() {
        let metric = Chrf::default();
        let one = metric.prepare(&["reference 1"]).expect("kept").bytes() + 11;
        let cache = ReferenceCache::new(20 * one);
        for round in 0..100 {
            let references = vec![texts(&[&format!("reference {}", round % 10)])];
            let found = cache.find(&references);
            assert_eq!(found[0].is_some(), round >= 10, "{round}");
            cache.prepare(&metric, &references, found);
        }
        for number in 1000..1100 {
            let references = vec![texts(&[&format!("reference {number}")])];
            cache.prepare(&metric, &references, cache.find(&references));
            assert!(cache.len() <= 20);
        }
        assert!(cache.find(&[texts(&["reference 1"])])[0].is_none());
        let nothing = ReferenceCache::new(0);
        nothing.prepare(&metric, &[texts(&["a"])], vec![None]);
        assert!(nothing.is_empty());
    }

    #[test]
    fn a_metric_may_prepare_nothing() {
        let words = Words { tokenizer: Tokenizer::None, lowercase: false };
        let metric = WordMetric { words, comparison: Per };
        assert!(ReferenceCache::new(1).prepare(&metric, &[texts(&["a"])], vec![None]).is_none());
    }
}
