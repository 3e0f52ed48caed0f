//! The settings of every metric, read from JSON: the one list of the metrics of the core.

use std::error::Error;
use std::fmt;

use serde::Deserialize;

use super::Metric;
use super::bleu::{Bleu, BleuCounts};
use super::chrf::Chrf;
use super::dependency::DependencyF;
use super::gtm::Gtm;
use super::length::Length;
use super::mbleu::Mbleu;
use super::mean::Mean;
use super::nist::Nist;
use super::per::Per;
use super::sentence_bleu::{SentenceBleu, Smoothing, Weight};
use super::ter::Ter;
use super::wer::Wer;
use super::words::{Comparison, WordMetric, Words};
use crate::tokenizers::{Tercom, Tokenizer};

/// Highest order of n-grams; a row has columns for each order.
const HIGHEST_ORDER: usize = 100;
/// Highest exponent of GTM; a higher power of run lengths would overflow.
const HIGHEST_EXPONENT: f64 = 50.0;

/// A metric of the core with its settings, as `core_settings` of Python's metrics returns them.
///
/// ```
/// use truebleu_core::metrics::settings::MetricSettings;
///
/// let json = r#"{"kind": "gtm", "tokenizer": "13a", "lowercase": false, "exponent": 2}"#;
/// let metric = MetricSettings::from_json(json)?.metric()?;
/// assert_eq!(metric.width(), 3);
/// let result = MetricSettings::from_json(&json.replace('2', "0.5"))?.metric();
/// assert!(result.is_err_and(|error| error.setting == "exponent" && error.found == "0.5"));
/// # Ok::<(), truebleu_core::metrics::settings::SettingsError>(())
/// ```
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the metrics have the documentation of their settings")]
pub enum MetricSettings {
    Bleu(Bleu),
    Mbleu { counts: BleuCounts },
    SentenceBleu { counts: BleuCounts, smoothing: Smoothing, weight: Weight },
    Chrf(Chrf),
    Ter(Tercom),
    Nist(Nist),
    Wer(Words),
    Per(Words),
    Gtm { tokenizer: Tokenizer, lowercase: bool, exponent: f64 },
    Length(Words),
    // Empty braces, because serde would let a variant without them have any settings.
    DependencyF {},
    Mean {},
}

impl MetricSettings {
    /// Reads settings; an unknown metric, setting or name is an error.
    pub fn from_json(json: &str) -> Result<Self, SettingsError> {
        serde_json::from_str(json).map_err(|error| SettingsError::unreadable(json, &error))
    }

    /// Returns the metric with these settings; an order or exponent out of its range is an error.
    pub fn metric(self) -> Result<Box<dyn Metric>, SettingsError> {
        Ok(match self {
            Self::Bleu(bleu) => {
                check_order("max_order", bleu.counts.max_order, 1)?;
                Box::new(bleu)
            }
            Self::Mbleu { counts } => {
                check_order("max_order", counts.max_order, 1)?;
                Box::new(Mbleu { counts })
            }
            Self::SentenceBleu { counts, smoothing, weight } => {
                check_order("max_order", counts.max_order, 1)?;
                Box::new(SentenceBleu::new(counts, smoothing, weight))
            }
            Self::Chrf(chrf) => {
                check_order("char_order", chrf.char_order, 0)?;
                check_order("word_order", chrf.word_order, usize::from(chrf.char_order == 0))?;
                Box::new(chrf)
            }
            Self::Ter(tokenizer) => Box::new(Ter { tokenizer }),
            Self::Nist(nist) => {
                check_order("max_order", nist.max_order, 1)?;
                Box::new(nist)
            }
            Self::Wer(words) => word_metric(words, Wer),
            Self::Per(words) => word_metric(words, Per),
            Self::Gtm { tokenizer, lowercase, exponent } => {
                if !(1.0..=HIGHEST_EXPONENT).contains(&exponent) {
                    let expected = format!("a number from 1 to {HIGHEST_EXPONENT}");
                    return Err(SettingsError::new("exponent", exponent.to_string(), expected));
                }
                word_metric(Words { tokenizer, lowercase }, Gtm { exponent })
            }
            Self::Length(words) => word_metric(words, Length),
            Self::DependencyF {} => Box::new(DependencyF::metric()),
            Self::Mean {} => Box::new(Mean),
        })
    }
}

fn word_metric(words: Words, comparison: impl Comparison + 'static) -> Box<dyn Metric> {
    Box::new(WordMetric { words, comparison })
}

fn check_order(setting: &'static str, order: usize, lowest: usize) -> Result<(), SettingsError> {
    if (lowest..=HIGHEST_ORDER).contains(&order) {
        return Ok(());
    }
    let expected = format!("a whole number from {lowest} to {HIGHEST_ORDER}");
    Err(SettingsError::new(setting, order.to_string(), expected))
}

/// Settings by which a page scores systems and segments with one metric.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureSettings {
    /// Metric that scores systems.
    pub metric: MetricSettings,
    /// Metric that scores single segments.
    pub segment_metric: MetricSettings,
    /// -1 if lower scores are better, otherwise 1.
    pub sign: f64,
    /// Columns that add up to the amount of text.
    pub weights: Vec<usize>,
    /// Lowest and highest possible score, or `None` if unbounded.
    pub limits: (Option<f64>, Option<f64>),
}

impl MeasureSettings {
    /// Reads settings; an unknown metric, setting or name is an error.
    pub fn from_json(json: &str) -> Result<Self, SettingsError> {
        serde_json::from_str(json).map_err(|error| SettingsError::unreadable(json, &error))
    }
}

/// A setting that is invalid for a metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    /// Name of the setting; `settings` if JSON cannot be read.
    pub setting: &'static str,
    /// Value of the setting.
    pub found: String,
    /// Valid values of the setting.
    pub expected: String,
}

impl SettingsError {
    fn new(setting: &'static str, found: String, expected: String) -> Self {
        Self { setting, found, expected }
    }

    fn unreadable(json: &str, error: &serde_json::Error) -> Self {
        Self::new("settings", json.to_owned(), format!("settings of a metric of the core: {error}"))
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}; expected {}", self.setting, self.found, self.expected)
    }
}

impl Error for SettingsError {}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: &str = r#""counts": {"tokenizer": "13a", "lowercase": true, "max_order": 3}"#;
    const WORDS: &str = r#""tokenizer": "none", "lowercase": false"#;

    fn settings_error(json: &str) -> SettingsError {
        let metric = MetricSettings::from_json(json).and_then(MetricSettings::metric);
        metric.err().unwrap_or_else(|| panic!("{json} was read"))
    }

    #[test]
    fn settings_reach_the_metric() {
        let read = |json: &str| match MetricSettings::from_json(json).map(MetricSettings::metric) {
            Ok(Ok(metric)) => format!("{metric:?}"),
            refused => panic!("{json}: {refused:?}"),
        };
        let bleu = format!(
            r#"{{"kind": "bleu", {COUNTS}, "scoring": {{"smoothing": {{"add-k": 1}}, "effective_order": true}}}}"#
        );
        let bleu = read(&bleu);
        for part in ["ThirteenA", "lowercase: true", "max_order: 3", "Closest", "AddK(1.0)"] {
            assert!(bleu.contains(part), "{part} is not in {bleu}");
        }
        let smoothing = r#""smoothing": {"scaled-average": {"k": 4.7, "next_order": true}}"#;
        let sentence =
            format!(r#"{{"kind": "sentence_bleu", {COUNTS}, {smoothing}, "weight": "equal"}}"#);
        assert!(
            read(&sentence).contains("ScaledAverage { k: 4.7, next_order: true }, weight: Equal")
        );
        assert_eq!(read(r#"{"kind": "mean"}"#), "Mean");
    }

    #[test]
    fn unknown_names_are_errors() {
        for (json, expected) in [
            (r#"{"kind": "men"}"#.to_owned(), "unknown variant `men`, expected one of `bleu`"),
            (format!(r#"{{"kind": "per", {WORDS}, "k": 1}}"#), "unknown field `k`"),
            (r#"{"kind": "mean", "k": 1}"#.to_owned(), "unknown field `k`"),
            (format!(r#"{{"kind": "gtm", {WORDS}}}"#), "missing field `exponent`"),
            (
                format!(r#"{{"kind": "mbleu", {COUNTS}}}"#).replace("13a", "13b"),
                "unknown tokenizer `13b` (known: 13a, char,",
            ),
        ] {
            let error = settings_error(&json);
            assert_eq!((error.setting, &error.found), ("settings", &json));
            assert!(error.expected.contains(expected), "{expected} is not in {error}");
        }
    }

    #[test]
    fn orders_and_exponents_have_limits() {
        let gtm = |exponent: &str| format!(r#"{{"kind": "gtm", {WORDS}, "exponent": {exponent}}}"#);
        let chrf = |characters: usize, words: usize| {
            let scoring = r#""scoring": {"beta": 2, "eps_smoothing": false}"#;
            let orders = format!(r#""char_order": {characters}, "word_order": {words}"#);
            format!(
                r#"{{"kind": "chrf", {orders}, "lowercase": false, "whitespace": false, {scoring}}}"#
            )
        };
        let mbleu = |order: usize| {
            format!(r#"{{"kind": "mbleu", {COUNTS}}}"#).replace(": 3", &format!(": {order}"))
        };
        for (json, message) in [
            (mbleu(0), "max_order: 0; expected a whole number from 1 to 100"),
            (mbleu(101), "max_order: 101; expected a whole number from 1 to 100"),
            (chrf(101, 0), "char_order: 101; expected a whole number from 0 to 100"),
            (chrf(0, 0), "word_order: 0; expected a whole number from 1 to 100"),
            (gtm("0.99"), "exponent: 0.99; expected a number from 1 to 50"),
            (gtm("50.5"), "exponent: 50.5; expected a number from 1 to 50"),
        ] {
            assert_eq!(settings_error(&json).to_string(), message);
        }
        for json in [mbleu(1), mbleu(100), chrf(0, 1), chrf(100, 0), gtm("1"), gtm("50")] {
            assert!(
                MetricSettings::from_json(&json).and_then(MetricSettings::metric).is_ok(),
                "{json}"
            );
        }
    }

    #[test]
    fn numbers_are_read_exactly() {
        for number in (1..5000).map(|step| f64::from(step).sqrt() / 1.7) {
            let json = format!(r#"{{"kind": "gtm", {WORDS}, "exponent": {number}}}"#);
            let Ok(MetricSettings::Gtm { exponent, .. }) = MetricSettings::from_json(&json) else {
                panic!("{json} was not read");
            };
            assert_eq!(exponent.to_bits(), number.to_bits(), "{number}");
        }
    }
}
