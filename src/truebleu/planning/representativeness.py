"""What a report on a drawn test set holds, as plain frozen values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.metrics.registry import as_metrics
from truebleu.metrics.score import metric_labels
from truebleu.resampling import Units
from truebleu.significance.statistics import MetricStatistics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.metrics.base import Metric, Signature
    from truebleu.planning.sample import Sample

SAMPLE_VERSION = 1
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainShare:
    """A domain in the test set and in the pool, in segments and as shares."""

    domain: str
    segments: int
    share: float
    pool_segments: int
    pool_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Words per segment: the mean, and the quantiles of QUANTILES."""

    mean: float
    quantiles: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """How much of the pool's words the test set has.

    Attributes:
        types: different words of the test set.
        pool_types: of the pool.
        types_covered: the share of the pool's different words that the test set has.
        tokens_covered: the share of the pool's running words that the test set has.
        out_of_vocabulary: the share of the running words outside of the test set that it has not;
            None where nothing is outside.
    """

    types: int
    pool_types: int
    types_covered: float | None
    tokens_covered: float | None
    out_of_vocabulary: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOnSample:
    """One system by one metric.

    Attributes:
        system: its name.
        metric: the metric's label.
        score: on the test set.
        pool_score: on the pool.
        difference: of the two.
        standard_error: of the score on random test sets of this size from this pool; None where
            there is none, since the test set is the pool or its units all count the same.
        standard_errors: the difference in standard errors; None likewise.
    """

    system: str
    metric: str
    score: float
    pool_score: float
    difference: float
    standard_error: float | None
    standard_errors: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleReport:
    """A test set, how it was drawn, and how like its pool it is.

    Attributes:
        settings: how it was drawn.
        pool: the pool's outline.
        test_set: the test set's outline.
        segments: the numbers of its segments in the pool, from 1.
        documents: how many documents it takes from; None where they are not known.
        pool_documents: how many there are.
        domains: shares; none where domains are not known.
        lengths: of the test set.
        pool_lengths: of the pool.
        length_distance: Kolmogorov and Smirnov's: the largest difference between the shares of
            segments up to some length.
        usual_distance: what 95 of 100 random samples of this size stay below; 0 for the whole pool.
        vocabulary: words in common.
        systems: scores, for each metric and system.
        signatures: of the metrics by label.
        reasons: why a value is None, by its name.
        digits: decimals of scores by metric's label.
    """

    settings: Mapping[str, Any]
    pool: Mapping[str, Any]
    test_set: Mapping[str, Any]
    segments: tuple[int, ...]
    documents: int | None
    pool_documents: int | None
    domains: tuple[DomainShare, ...]
    lengths: Lengths
    pool_lengths: Lengths
    length_distance: float
    usual_distance: float
    vocabulary: Vocabulary
    systems: tuple[SystemOnSample, ...]
    signatures: Mapping[str, Signature]
    reasons: Mapping[str, str]
    digits: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``sample --format json`` prints them."""
        return {
            "version": SAMPLE_VERSION,
            "settings": dict(self.settings),
            "pool": dict(self.pool),
            "test_set": dict(self.test_set),
            "documents": self.documents,
            "pool_documents": self.pool_documents,
            "domains": [asdict(domain) for domain in self.domains],
            "quantiles": list(QUANTILES),
            "lengths": _plain(self.lengths),
            "pool_lengths": _plain(self.pool_lengths),
            "length_distance": self.length_distance,
            "usual_distance": self.usual_distance,
            "vocabulary": asdict(self.vocabulary),
            "metrics": [
                {"name": label, "signature": str(signature)}
                for label, signature in self.signatures.items()
            ],
            "systems": [asdict(system) for system in self.systems],
            "reasons": dict(self.reasons),
            "segments": list(self.segments),
        }


def _plain(lengths: Lengths) -> dict[str, Any]:
    return {"mean": lengths.mean, "quantiles": list(lengths.quantiles)}


# How like its pool a test set is: domains, lengths, words, documents and scores.


# Kolmogorov's distribution lies below this in 95 of 100 cases.
KOLMOGOROV_95 = 1.3581


def describe_sample(sample: Sample, metrics: Sequence[str | Metric] = ("bleu",)) -> SampleReport:
    """How like its pool a test set is; metrics score the systems, where there are any.

    Scores of the test set are made of what was counted in the pool, so that a metric which weighs
    words by the whole text (NIST) weighs them alike in both.
    """
    pool, test_set = sample.pool, sample.test_set
    lengths = np.array([len(tokens) for tokens in sample.tokens])
    drawn = lengths[sample.positions]
    given = as_metrics(metrics) if pool.systems else []
    parsed = dict(zip(metric_labels(given), given, strict=True))
    vocabulary = _vocabulary(sample)
    systems = [one for label, metric in parsed.items() for one in _scores(sample, label, metric)]
    return SampleReport(
        settings=sample.settings.to_dict(),
        pool=pool.to_dict(),
        test_set=test_set.to_dict(),
        segments=tuple((sample.positions + 1).tolist()),
        documents=None if test_set.documents is None else len(set(test_set.documents)),
        pool_documents=None if pool.documents is None else len(set(pool.documents)),
        domains=_domains(sample),
        lengths=_lengths(drawn),
        pool_lengths=_lengths(lengths),
        length_distance=largest_distance(drawn, lengths),
        usual_distance=usual_distance(len(drawn), len(lengths)),
        vocabulary=vocabulary,
        systems=tuple(systems),
        signatures={
            label: metric.signature.with_references(pool.references_per_segment)
            for label, metric in parsed.items()
        },
        reasons=_reasons(sample, vocabulary, systems),
        digits={label: metric.digits for label, metric in parsed.items()},
    )


def largest_distance(values: NDArray[np.int64], pool: NDArray[np.int64]) -> float:
    """Kolmogorov and Smirnov's distance between two sets of whole numbers from 0 up."""
    most = int(max(values.max(), pool.max())) + 1
    below = [np.cumsum(np.bincount(one, minlength=most)) / len(one) for one in (values, pool)]
    return float(np.abs(below[0] - below[1]).max())


def usual_distance(drawn: int, pool: int) -> float:
    """What 95 of 100 random samples stay below; Kolmogorov's limit, which for a few exceeds 1."""
    return min(KOLMOGOROV_95 * sqrt((1 - drawn / pool) / drawn), 1.0)


def _lengths(values: NDArray[np.int64]) -> Lengths:
    quantiles = np.quantile(values, QUANTILES)
    return Lengths(mean=float(values.mean()), quantiles=tuple(quantiles.tolist()))


def _domains(sample: Sample) -> tuple[DomainShare, ...]:
    """The domains in the order of the pool."""
    whole, drawn = sample.pool.domains, sample.test_set.domains
    if whole is None or drawn is None:
        return ()
    return tuple(
        DomainShare(
            domain=domain,
            segments=drawn.count(domain),
            share=drawn.count(domain) / len(drawn),
            pool_segments=whole.count(domain),
            pool_share=whole.count(domain) / len(whole),
        )
        for domain in dict.fromkeys(whole)
    )


def _vocabulary(sample: Sample) -> Vocabulary:
    drawn = set(sample.positions.tolist())
    known = {token for position in drawn for token in sample.tokens[position]}
    inside = outside = missing = 0
    types = set(known)
    for position, tokens in enumerate(sample.tokens):
        if position in drawn:
            inside += len(tokens)
            continue
        outside += len(tokens)
        missing += sum(token not in known for token in tokens)
        types.update(tokens)
    running = inside + outside
    return Vocabulary(
        types=len(known),
        pool_types=len(types),
        types_covered=len(known) / len(types) if types else None,
        tokens_covered=1 - missing / running if running else None,
        out_of_vocabulary=missing / outside if outside else None,
    )


def _scores(sample: Sample, label: str, metric: Metric) -> list[SystemOnSample]:
    pool, positions = sample.pool, sample.positions
    rows = metric.count(pool).array()
    units, drawn = Units.segments(len(pool)), len(positions)
    if sample.settings.draw == "document" and pool.documents is not None:
        units = Units.documents(pool.documents)
        drawn = len(np.unique(units.of_segment[positions]))
    counted = MetricStatistics.of(label, metric, rows, units)
    scores = metric.score(rows[positions].sum(axis=0))
    errors = standard_errors(counted, drawn)
    return [
        SystemOnSample(
            system=name,
            metric=label,
            score=float(score),
            pool_score=float(whole),
            difference=float(score - whole),
            standard_error=error or None,
            standard_errors=float(score - whole) / error if error else None,
        )
        for name, score, whole, error in zip(
            pool.systems, scores, counted.scores, errors, strict=True
        )
    ]


def standard_errors(counted: MetricStatistics, drawn: int) -> list[float]:
    """Of each system's score on so many units drawn at random from the pool, without replacement.

    The jackknife's spread of units, less what the pool leaves no room for: Cochran (1977, §2.6).
    """
    units = len(counted.rows)
    if drawn >= units or units < 2:
        return [0.0] * counted.systems
    influence = (units - 1) * (counted.scores - counted.jackknife_scores())
    room = (1 - drawn / units) / drawn
    errors: list[float] = (influence.std(axis=0, ddof=1) * sqrt(room)).tolist()
    return errors


def _reasons(
    sample: Sample, vocabulary: Vocabulary, systems: Sequence[SystemOnSample]
) -> dict[str, str]:
    reasons = {}
    if sample.pool.documents is None:
        reasons["documents"] = reasons["pool_documents"] = "documents are not known"
    if vocabulary.types_covered is None:
        reasons["types_covered"] = reasons["tokens_covered"] = "the pool has no words"
    if vocabulary.out_of_vocabulary is None:
        reasons["out_of_vocabulary"] = "no words are outside of the test set"
    if any(one.standard_error is None for one in systems):
        reasons["standard_error"] = reasons["standard_errors"] = (
            "the test set is the whole pool, or the score does not depend on the draw"
        )
    return reasons
