//! A metric of the core by its name and settings, as `Metric.core_settings` in Python says them.

use std::collections::HashMap;
use std::str::FromStr;

use truebleu_core::corpus::Window;
use truebleu_core::metrics::bleu::{self, Bleu, BleuCounts, ReferenceLength};
use truebleu_core::metrics::chrf::{self, Chrf};
use truebleu_core::metrics::dependency::DependencyF;
use truebleu_core::metrics::gtm::Gtm;
use truebleu_core::metrics::length::Length;
use truebleu_core::metrics::mbleu::Mbleu;
use truebleu_core::metrics::nist::Nist;
use truebleu_core::metrics::per::Per;
use truebleu_core::metrics::sentence_bleu::{SentenceBleu, Smoothing, Weight};
use truebleu_core::metrics::ter::Ter;
use truebleu_core::metrics::wer::Wer;
use truebleu_core::metrics::words::Comparison;
use truebleu_core::metrics::{Counter, Details, Metric};
use truebleu_core::tokenizers::{Tercom, Tokenizer};

/// Settings by name, from lines of `name=value`.
struct Settings<'a>(HashMap<&'a str, &'a str>);

impl<'a> Settings<'a> {
    fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied()
    }

    fn value<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    fn tokenizer(&self) -> Option<Tokenizer> {
        Tokenizer::by_name(self.text("tokenizer")?)
    }

    fn bleu_counts(&self) -> Option<BleuCounts> {
        let reference_length = match self.text("reference_length") {
            Some("shortest") => ReferenceLength::Shortest,
            Some("average") => ReferenceLength::Average,
            _ => ReferenceLength::Closest,
        };
        Some(BleuCounts {
            tokenizer: self.tokenizer()?,
            lowercase: self.value("lowercase")?,
            max_order: self.value("max_order")?,
            reference_length,
        })
    }

    fn bleu_scoring(&self) -> Option<bleu::Scoring> {
        let value = self.value("smooth_value")?;
        let smoothing = match self.text("smooth")? {
            "none" => bleu::Smoothing::None,
            "floor" => bleu::Smoothing::Floor(value),
            "add-k" => bleu::Smoothing::AddK(value),
            "exp" => bleu::Smoothing::Exp,
            "mteval" => bleu::Smoothing::Mteval,
            _ => return None,
        };
        Some(bleu::Scoring { smoothing, effective_order: self.value("effective_order")? })
    }

    fn sentence_bleu(&self) -> Option<SentenceBleu> {
        let value: f64 = self.value("value")?;
        let smoothing = match self.text("smoothing")? {
            "none" => Smoothing::None,
            "epsilon" => Smoothing::Epsilon(value),
            "add-one" => Smoothing::AddOne,
            "halving" => Smoothing::Halving,
            "length-scaled" => Smoothing::LengthScaled { k: value },
            "average" => Smoothing::Average,
            "interpolate" => Smoothing::Interpolate { alpha: value },
            "scaled-average" => {
                Smoothing::ScaledAverage { k: value, next_order: self.value("smooth_next_order")? }
            }
            _ => return None,
        };
        let equal = self.text("weight")? == "equal";
        let weight = if equal { Weight::Equal } else { Weight::Length };
        Some(SentenceBleu::new(self.bleu_counts()?, smoothing, weight))
    }

    fn chrf(&self) -> Option<Chrf> {
        let scoring = chrf::Scoring {
            beta: self.value("beta")?,
            eps_smoothing: self.value("eps_smoothing")?,
        };
        Some(Chrf {
            char_order: self.value("char_order")?,
            word_order: self.value("word_order")?,
            lowercase: self.value("lowercase")?,
            whitespace: self.value("whitespace")?,
            scoring,
        })
    }

    fn ter(&self) -> Option<Ter> {
        let tokenizer = Tercom {
            normalized: self.value("normalized")?,
            no_punct: self.value("no_punct")?,
            asian_support: self.value("asian_support")?,
            case_sensitive: self.value("case_sensitive")?,
        };
        Some(Ter { tokenizer })
    }

    fn nist(&self) -> Option<Nist> {
        Some(Nist {
            tokenizer: self.tokenizer()?,
            lowercase: self.value("lowercase")?,
            max_order: self.value("max_order")?,
            zero_history: self.value("zero_history")?,
        })
    }
}

/// The metric that lines of `name=value` describe; None where there is no such metric.
pub fn described(lines: &str) -> Option<Box<dyn Metric>> {
    let settings = Settings(lines.lines().filter_map(|line| line.split_once('=')).collect());
    match settings.text("kind")? {
        "bleu" => {
            let (counts, scoring) = (settings.bleu_counts()?, settings.bleu_scoring()?);
            Some(Box::new(Bleu { counts, scoring }))
        }
        "mbleu" => Some(Box::new(Mbleu { counts: settings.bleu_counts()? })),
        "sentence_bleu" => Some(Box::new(settings.sentence_bleu()?)),
        "chrf" => Some(Box::new(settings.chrf()?)),
        "ter" => Some(Box::new(settings.ter()?)),
        "nist" => Some(Box::new(settings.nist()?)),
        "wer" => Some(Box::new(Scored(Wer))),
        "per" => Some(Box::new(Scored(Per))),
        "gtm" => Some(Box::new(Scored(Gtm { exponent: settings.value("exponent")? }))),
        "length" => Some(Box::new(Scored(Length))),
        "dependency_f" => Some(Box::new(Scored(DependencyF))),
        "mean" => Some(Box::new(Mean)),
        _ => None,
    }
}

/// A metric of words that a page scores only, of rows that were counted elsewhere.
#[derive(Debug)]
struct Scored<C>(C);

impl<C: Comparison> Metric for Scored<C> {
    fn width(&self) -> usize {
        C::WIDTH
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(Nothing)
    }

    fn score_row(&self, sums: &[f64]) -> f64 {
        self.0.score(sums)
    }

    fn gradient_row(&self, sums: &[f64], gradient: &mut [f64]) {
        self.0.gradient(sums, gradient);
    }

    fn details_row(&self, _sums: &[f64]) -> Details {
        Details::new()
    }
}

/// The mean of scores that were made elsewhere. Its columns: their sum and their number.
#[derive(Debug)]
struct Mean;

impl Metric for Mean {
    fn width(&self) -> usize {
        2
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(Nothing)
    }

    fn score_row(&self, sums: &[f64]) -> f64 {
        sums[0] / sums[1]
    }

    fn gradient_row(&self, sums: &[f64], gradient: &mut [f64]) {
        gradient[0] = 1.0 / sums[1];
        gradient[1] = -sums[0] / (sums[1] * sums[1]);
    }

    fn details_row(&self, _sums: &[f64]) -> Details {
        Details::new()
    }
}

/// Counts nothing in texts.
struct Nothing;

impl Counter for Nothing {
    fn count(&self, _: &[Window<'_>], _: &[Window<'_>], _: usize, rows: &mut [f64]) {
        rows.fill(0.0);
    }
}
