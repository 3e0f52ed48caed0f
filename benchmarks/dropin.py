"""Drop-in and plain sacreBLEU: the same calls, in one process."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from benchmarks.contests import compare
from benchmarks.peers import Comparison, Contest

if TYPE_CHECKING:
    from benchmarks.data import Corpus
    from benchmarks.results import Speed

PLAIN, OURS = "sacrebleu", "truebleu.compat.sacrebleu"
NAMES = ("dropin",)
# Shortest text to which the targets apply.
SYSTEMS, SEGMENTS = 3, 1000

# Scores by a copy of sacreBLEU. Each call makes new metrics,
# because metrics cache tokenized lines.
Calls: TypeAlias = Callable[[str, "Corpus"], list[float]]


def measure_dropin(corpus: Corpus) -> list[Speed]:
    """Measure all kinds of calls of sacreBLEU."""
    os.environ.setdefault("SACREBLEU_SEED", "12345")
    return [compare(comparison, corpus.first(SYSTEMS, SEGMENTS)) for comparison in COMPARISONS]


def _metric(copy: str, name: str, **settings: Any) -> Any:
    return getattr(import_module(f"{copy}.metrics"), name)(**settings)


def corpus_scores(name: str) -> Calls:
    """Score each system with the references in every call."""

    def call(copy: str, corpus: Corpus) -> list[float]:
        metric = _metric(copy, name)
        texts = corpus.systems.values()
        return [metric.corpus_score(text, [corpus.reference]).score for text in texts]

    return call


def cached_scores(name: str) -> Calls:
    """Score each system with references given once."""

    def call(copy: str, corpus: Corpus) -> list[float]:
        metric = _metric(copy, name, references=[corpus.reference])
        return [metric.corpus_score(text, None).score for text in corpus.systems.values()]

    return call


def sentence_scores(name: str, **settings: Any) -> Calls:
    """Score each segment of the first system in its own call."""

    def call(copy: str, corpus: Corpus) -> list[float]:
        metric = _metric(copy, name, **settings)
        pairs = zip(next(iter(corpus.systems.values())), corpus.reference, strict=True)
        return [metric.sentence_score(text, [reference]).score for text, reference in pairs]

    return call


def p_values(name: str, kind: str) -> Calls:
    """Compute p-values of the paired test of all systems against the first, from texts."""

    def call(copy: str, corpus: Corpus) -> list[float]:
        metrics = {name: _metric(copy, name, references=[corpus.reference])}
        paired_test = import_module(f"{copy}.significance").PairedTest
        systems = list(corpus.systems.items())
        _, table = paired_test(systems, metrics, None, test_type=kind)()
        *_, results = table.values()
        return [float(result.p_value) for result in results[1:]]

    return call


def _comparison(work: str, calls: Calls, bar: float) -> Comparison:
    def prepare(corpus: Corpus) -> Contest:
        return Contest(lambda: calls(OURS, corpus), lambda: calls(PLAIN, corpus))

    return Comparison(
        name="dropin", work=f"drop-in, {work}", package=PLAIN, prepare=prepare, bar=bar
    )


COMPARISONS = (
    _comparison("BLEU", corpus_scores("BLEU"), 30),
    _comparison("BLEU, references cached", cached_scores("BLEU"), 30),
    _comparison("chrF", corpus_scores("CHRF"), 30),
    _comparison("chrF, references cached", cached_scores("CHRF"), 30),
    _comparison("sentence BLEU", sentence_scores("BLEU", effective_order=True), 5),
    _comparison("sentence chrF", sentence_scores("CHRF"), 5),
    _comparison("approximate randomization of BLEU", p_values("BLEU", "ar"), 20),
    _comparison("approximate randomization of chrF", p_values("CHRF", "ar"), 20),
    _comparison("paired bootstrap of BLEU", p_values("BLEU", "bs"), 20),
    _comparison("paired bootstrap of chrF", p_values("CHRF", "bs"), 20),
)
