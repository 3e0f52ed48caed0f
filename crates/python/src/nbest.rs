//! `PairScorer`: sentence scores of all pairs of a list of candidates.

use std::ops::Range;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use truebleu_core::corpus::Window;
use truebleu_core::metrics::bleu::BleuCounts;
use truebleu_core::metrics::chrf::Chrf;
use truebleu_core::metrics::settings::MetricSettings;
use truebleu_core::nbest::{List, aggregate_utilities, expected_utilities, utility_matrix};

use crate::metrics::NativeMetric;
use crate::runtime::{detached, setting_error};
use crate::texts::Text;

type Array<'py> = Bound<'py, PyArray1<f64>>;

/// Scores candidates against each other or against other texts, list by list.
#[pyclass(frozen, module = "truebleu._core")]
pub struct PairScorer {
    counts: Counts,
    metric: Py<NativeMetric>,
}

enum Counts {
    Bleu(BleuCounts),
    Chrf(Chrf),
}

#[pymethods]
impl PairScorer {
    /// Returns the scorer of a metric of clipped n-gram matches: BLEU, M-BLEU or chrF.
    #[new]
    fn new(py: Python<'_>, metric: Py<NativeMetric>) -> PyResult<Self> {
        let counts = match metric.get().settings() {
            MetricSettings::Bleu(bleu) => Counts::Bleu(bleu.counts),
            MetricSettings::Mbleu { counts } => Counts::Bleu(counts),
            MetricSettings::Chrf(chrf) => Counts::Chrf(chrf),
            _ => {
                let found = format!("{:?}", metric.get().metric());
                return Err(setting_error(py, "metric", &found, "BLEU, M-BLEU or chrF"));
            }
        };
        Ok(Self { counts, metric })
    }

    /// Returns the sum over its list's references of weight times score, and the score against
    /// itself (empty if the references are other texts), for each candidate.
    ///
    /// Lists are given by all their texts and the end of each list.
    #[pyo3(signature = (candidates, ends, weights, references=None, reference_ends=None))]
    fn expected<'py>(
        &self,
        py: Python<'py>,
        candidates: Text<'py>,
        ends: Vec<usize>,
        weights: PyReadonlyArray1<'py, f64>,
        references: Option<Text<'py>>,
        reference_ends: Option<Vec<usize>>,
    ) -> PyResult<(Array<'py>, Array<'py>)> {
        let references = references.zip(reference_ends);
        let weights = weights.as_slice()?;
        let found = with_lists(&candidates, &ends, references.as_ref(), weights, |lists| {
            detached(py, || match &self.counts {
                Counts::Bleu(metric) => expected_utilities(metric, &self.score(), lists),
                Counts::Chrf(metric) => expected_utilities(metric, &self.score(), lists),
            })
        })??;
        let (mut utilities, mut own) = (Vec::new(), Vec::new());
        for list in found {
            utilities.extend(list.utilities);
            own.extend(list.own);
        }
        Ok((utilities.into_pyarray(py), own.into_pyarray(py)))
    }

    /// Returns the score of each candidate against the weighted mean of its list's references.
    #[pyo3(signature = (candidates, ends, weights, references=None, reference_ends=None))]
    fn aggregate<'py>(
        &self,
        py: Python<'py>,
        candidates: Text<'py>,
        ends: Vec<usize>,
        weights: PyReadonlyArray1<'py, f64>,
        references: Option<Text<'py>>,
        reference_ends: Option<Vec<usize>>,
    ) -> PyResult<Array<'py>> {
        let references = references.zip(reference_ends);
        let weights = weights.as_slice()?;
        let found = with_lists(&candidates, &ends, references.as_ref(), weights, |lists| {
            detached(py, || match &self.counts {
                Counts::Bleu(metric) => aggregate_utilities(metric, &self.score(), lists),
                Counts::Chrf(metric) => aggregate_utilities(metric, &self.score(), lists),
            })
        })??;
        Ok(found.concat().into_pyarray(py))
    }

    /// Returns the scores of one list, candidate by candidate: one for each reference.
    #[pyo3(signature = (candidates, references=None))]
    fn matrix<'py>(
        &self,
        py: Python<'py>,
        candidates: Text<'py>,
        references: Option<Text<'py>>,
    ) -> PyResult<Array<'py>> {
        let ends = [candidates.len()];
        let count = references.as_ref().map_or(candidates.len(), Text::len);
        let references = references.map(|text| (text, vec![count]));
        let weights = vec![0.0; count];
        let found = with_lists(&candidates, &ends, references.as_ref(), &weights, |lists| {
            detached(py, || match &self.counts {
                Counts::Bleu(metric) => utility_matrix(metric, &self.score(), lists),
                Counts::Chrf(metric) => utility_matrix(metric, &self.score(), lists),
            })
        })??;
        Ok(found.concat().into_pyarray(py))
    }
}

impl PairScorer {
    fn score(&self) -> impl Fn(&[f64]) -> f64 + Sync + '_ {
        let metric = self.metric.get().metric();
        |row: &[f64]| metric.score_row(row)
    }
}

/// Calls `work` with the lists that the texts are cut into.
fn with_lists<T>(
    candidates: &Text<'_>,
    ends: &[usize],
    references: Option<&(Text<'_>, Vec<usize>)>,
    weights: &[f64],
    work: impl FnOnce(&[List<'_>]) -> T,
) -> PyResult<T> {
    let (reference_count, reference_ends) = match references {
        Some((texts, ends)) => (texts.len(), ends.as_slice()),
        None => (candidates.len(), ends),
    };
    let spans = spans(ends, candidates.len())?;
    let reference_spans = self::spans(reference_ends, reference_count)?;
    if weights.len() != reference_count || spans.len() != reference_spans.len() {
        return Err(PyValueError::new_err("weights and references do not fit the candidates"));
    }
    let block = candidates.block(0, candidates.len())?;
    let reference_block = match references {
        Some((texts, _)) => Some(texts.block(0, texts.len())?),
        None => None,
    };
    let lists: Vec<List<'_>> = spans
        .into_iter()
        .zip(reference_spans)
        .map(|(span, reference_span)| List {
            weights: weights[reference_span.clone()].to_vec(),
            references: reference_block.as_ref().map(|block| cut(block.window(), reference_span)),
            candidates: cut(block.window(), span),
        })
        .collect();
    Ok(work(&lists))
}

fn cut(texts: Window<'_>, span: Range<usize>) -> Vec<&str> {
    span.map(|index| texts.get(index).unwrap_or_default()).collect()
}

fn spans(ends: &[usize], length: usize) -> PyResult<Vec<Range<usize>>> {
    let starts = std::iter::once(&0).chain(ends);
    let spans: Vec<_> = starts.zip(ends).map(|(&start, &end)| start..end).collect();
    let ordered = spans.iter().all(|span| span.start < span.end);
    if !ordered || spans.last().map_or(0, |span| span.end) != length {
        return Err(PyValueError::new_err("lists must be given in order, none of them empty"));
    }
    Ok(spans)
}
