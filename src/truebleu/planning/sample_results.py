"""What a report on a drawn test set holds, as plain frozen values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.metrics.signature import Signature

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
