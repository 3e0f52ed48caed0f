"""What a comparison finds, as plain frozen values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.metrics.signature import Signature

RESULT_VERSION = 1

Bounds = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemResult:
    """One system by one metric.

    Attributes:
        score: on the whole test set.
        interval: where the score would lie on other test sets like this one.
        median: of the replicates' scores (Zhang & Vogel 2004, §3.1).
        relative_interval: the interval around the median in percent of it; None at a median of 0.
        rank_range: best and worst rank that the tests leave; None for a metric without direction.
        p_best: the share of replicates in which the system is best; None likewise.
    """

    score: float
    interval: Bounds
    median: float
    relative_interval: Bounds | None
    rank_range: tuple[int, int] | None
    p_best: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """Two systems by one metric.

    Attributes:
        metric: the metric's label.
        a: the first system.
        b: the second system.
        difference: score of a minus score of b.
        interval: of the difference.
        wins: the share of replicates in which a is better, ties half (Koehn 2004, §6).
        p: how often equal systems would differ by this much.
        p_se: Monte-Carlo standard error of p.
        p_adjusted: p after the correction for all comparisons by this metric.
        significant: whether p_adjusted is at most the significance level.
        equivalence_p: of the test that they differ by the margin or more; None without a margin.
        note: what a reader must know, such as that the outputs are identical.
    """

    metric: str
    a: str
    b: str
    difference: float
    interval: Bounds
    wins: float
    p: float
    p_se: float
    p_adjusted: float
    significant: bool
    equivalence_p: float | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """What holds for a metric as a whole.

    Attributes:
        signature: all that must match before its scores may be compared.
        higher_is_better: None for a metric without direction.
        digits: decimals of a score that people should see.
        clusters: groups of systems that the tests do not separate, best first; none for a metric
            without direction.
        experimentwise_error: the chance of at least one false alarm among all comparisons, if
            none of the systems differed and nothing were corrected (Riezler & Maxwell 2005, §4.4).
        samples: replicates of the test; all 2**units of them where that was no more.
        exact: whether those were all.
        decided: whether every decision is clear of Monte-Carlo error.
        smallest_p: the smallest adjusted p that so many samples and comparisons can give; above
            the significance level, nothing could have been significant.
    """

    signature: Signature
    higher_is_better: bool | None
    clusters: tuple[tuple[str, ...], ...]
    experimentwise_error: float
    samples: int
    exact: bool
    decided: bool
    smallest_p: float
    digits: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Every system and every compared pair by every metric."""

    test_set: Mapping[str, Any]
    settings: Mapping[str, Any]
    metrics: Mapping[str, MetricResult]
    systems: Mapping[str, Mapping[str, SystemResult]]
    comparisons: tuple[PairResult, ...]
    warnings: tuple[Mapping[str, Any], ...] = field(default=())

    def of(self, metric: str) -> tuple[PairResult, ...]:
        """The comparisons by one metric."""
        return tuple(pair for pair in self.comparisons if pair.metric == metric)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``compare --format json`` prints them."""
        return {
            "version": RESULT_VERSION,
            "test_set": dict(self.test_set),
            "settings": dict(self.settings),
            "metrics": [_metric_dict(label, metric) for label, metric in self.metrics.items()],
            "systems": [
                {
                    "name": name,
                    "scores": {label: _plain(asdict(found)) for label, found in scores.items()},
                }
                for name, scores in self.systems.items()
            ],
            "comparisons": [_plain(asdict(pair)) for pair in self.comparisons],
            "warnings": [dict(warning) for warning in self.warnings],
        }


def _metric_dict(label: str, metric: MetricResult) -> dict[str, Any]:
    return {
        "name": label,
        "signature": str(metric.signature),
        "higher_is_better": metric.higher_is_better,
        "clusters": [list(cluster) for cluster in metric.clusters],
        "experimentwise_error": metric.experimentwise_error,
        "samples": metric.samples,
        "exact": metric.exact,
        "decided": metric.decided,
        "smallest_p": metric.smallest_p,
    }


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {
        key: list(value) if isinstance(value, tuple) else value for key, value in values.items()
    }
