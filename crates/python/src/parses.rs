//! `Parses`: sentences with the relations between their words.

use pyo3::prelude::*;
use pyo3::types::PyString;
use truebleu_core::corpus::conllu::{self, Malformed, Problem, Word};
use truebleu_core::metrics::dependency::Relations;

use crate::runtime::{detached, own_error, unknown_name};
use crate::texts::{Segments, Text};

/// The parsed sentences of one text.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Parses {
    label: String,
    parses: conllu::Parses,
}

#[pymethods]
impl Parses {
    /// Reads sentences in CoNLL-U; raises MalformedFileError for anything else.
    #[new]
    #[pyo3(signature = (label, text, /))]
    fn new(py: Python<'_>, label: String, text: &str) -> PyResult<Self> {
        let parses = detached(py, || conllu::Parses::read(text))?
            .map_err(|problem| refusal(py, &label, "", &problem))?;
        if parses.is_empty() {
            return Err(own_error(py, "EmptyTextError", (label,)));
        }
        Ok(Self { label, parses })
    }

    /// Takes one sentence for each segment, of words as (form, lemma, head, relation).
    #[staticmethod]
    #[pyo3(signature = (label, segments, /))]
    fn of_words(label: String, segments: Vec<Vec<(String, String, usize, String)>>) -> Self {
        let parses = conllu::Parses::of_words(segments.iter().map(|words| {
            words.iter().map(|(form, lemma, head, label)| Word {
                form,
                lemma,
                label,
                head: *head,
                line: None,
            })
        }));
        Self { label, parses }
    }

    fn __len__(&self) -> usize {
        self.parses.len()
    }

    /// Returns the relations of each segment of a text, one per line; None for an absent segment.
    ///
    /// Raises MalformedFileError or UnpairedSegmentsError for parses of another text.
    #[pyo3(signature = (
        text, name, /, *, check_text, labelled, word, direction, lowercase, root
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the metric's settings, by name")]
    fn relations(
        &self,
        py: Python<'_>,
        text: Text<'_>,
        name: &str,
        check_text: bool,
        labelled: bool,
        word: &str,
        direction: bool,
        lowercase: bool,
        root: bool,
    ) -> PyResult<Segments> {
        let lemmas = match word {
            "form" => false,
            "lemma" => true,
            _ => return Err(unknown_name(py, "word", word, &["form", "lemma"])),
        };
        let kind = Relations { labelled, lemmas, direction, lowercase, root };
        let segments = text.len();
        let block = text.block(0, segments)?;
        let window = block.window();
        let relations = detached(py, || {
            let by_segment = self.parses.by_segment(segments, name)?;
            if check_text {
                self.parses.check_words(&by_segment, window, name)?;
            }
            kind.of_text(&self.parses, &by_segment, window)
        })?;
        match relations {
            Ok(inner) => Ok(Segments { inner }),
            Err(problem) => Err(refusal(py, &self.label, name, &problem)),
        }
    }
}

/// Returns truebleu's error about the parses of a text.
fn refusal(py: Python<'_>, label: &str, name: &str, error: &Malformed) -> PyErr {
    if let Problem::Unpaired { sentences, segments } = error.problem {
        return own_error(py, "UnpairedSegmentsError", (label, sentences, name, segments));
    }
    let quote = |text: &str| excerpt(py, text).unwrap_or_else(|_| format!("{text:?}"));
    let (found, expected) = (error.problem.found(quote), error.problem.expected(quote));
    own_error(py, "MalformedFileError", (label, error.line, found, expected))
}

/// Quotes foreign text as Python does, shortened.
fn excerpt(py: Python<'_>, text: &str) -> PyResult<String> {
    let shortened = py.import("truebleu.errors")?.getattr("shortened")?;
    shortened.call1((PyString::new(py, text),))?.repr()?.extract()
}
