"""Accuracy: of the conclusions that a test is so and so sure of, how many are right.

Koehn (2004, §7.2, Table 4) sorted the conclusions of all pairs, samples and sizes by their
confidence, down to 50 %, and found each band to be right a little more often than it claimed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from truebleu._settings import checked
from truebleu.errors import SettingError
from truebleu.significance.tests import smallest_p
from truebleu.studies._conclusions import (
    DECIMALS,
    TrialOptions,
    TrialSettings,
    run_trials,
    true_differences,
)
from truebleu.studies._estimates import Rate, ratio_rate
from truebleu.studies._study import StudyResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics
    from truebleu.studies._conclusions import Tie, Trials

#: Where bands begin, as Koehn's do: the four of 95 % and more in his Table 4 hold as many
#: conclusions as his Table 3, and §7.2 quotes the next one, "90%-94.9%".
USUAL_BANDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
# So seldom may a band that keeps its word be called overconfident.
CHANCE = 0.025


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracySettings(TrialSettings):
    """The settings of the study; `bands` are the confidences at which bands begin."""

    STUDY: ClassVar[str] = "accuracy"

    bands: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyBand:
    """The conclusions of one band of confidence.

    Attributes:
        least: the confidence at which the band begins.
        most: where it ends; 1 for the surest band, which includes its end.
        conclusions: how many there are, of all pairs and samples.
        confidence: their mean confidence.
        claimed: the same, where no confidence is above what so many replicates can show.
        right: the rate of right ones; samples are taken as a whole.
        overconfident: whether fewer are right than claimed, by more than chance.
    """

    least: float
    most: float
    conclusions: int
    confidence: float
    claimed: float
    right: Rate
    overconfident: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """One test by one metric.

    Attributes:
        metric: its label.
        test: its name.
        bands: those that have conclusions, the surest first.
        undecided: samples of pairs whose scores tie, so that there is no conclusion.
    """

    metric: str
    test: str
    bands: tuple[AccuracyBand, ...]
    undecided: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyResult(StudyResult):
    """How many conclusions are right, by metric, test and confidence.

    Attributes:
        settings: how to repeat it.
        rows: one for each metric and test.
        ties: the pairs that tie in the pool, which are left out.
    """

    REPORT: ClassVar[str] = "truebleu.reports.studies.conclusions:accuracy_document"

    settings: AccuracySettings
    rows: tuple[Accuracy, ...]
    ties: tuple[Tie, ...]


@checked
def study_accuracy(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    bands: Sequence[float] = USUAL_BANDS,
    **options: Unpack[TrialOptions],
) -> AccuracyResult:
    """How many conclusions are right, by how sure the test was of them.

    The confidence of a conclusion is 1 - p; of Koehn's "wins" that is the share of replicates
    which the winner wins. The truth is the sign of the difference in the pool. How often a test is
    right at some confidence depends on how large the differences are that it is asked about: of
    pairs that are all alike half of the conclusions are wrong at any confidence.

    Args:
        test_set: the pool.
        metrics: by which to compare; the first one ranks the systems, where pairs are near ones.
        bands: the confidences at which bands begin; what lies below the first has its own.
        options: how samples are taken, and which pairs and tests; see `TrialOptions`.
    """
    edges = _edges(bands)
    settings_of = partial(AccuracySettings, bands=tuple(edges[1:-1]))
    trials = run_trials(test_set, metrics, settings_of, **options)
    return AccuracyResult(
        settings=trials.settings,
        rows=tuple(
            _row(trials, statistics, test, edges)
            for statistics, test in product(trials.pool.statistics, trials.settings.tests)
        ),
        ties=trials.ties(),
    )


def _edges(bands: Sequence[float]) -> list[float]:
    for band in bands:
        if isinstance(band, bool) or not isinstance(band, int | float) or not 0 < band < 1:
            raise SettingError("bands", band, "confidences between 0 and 1, such as 0.95")
    if not bands:
        raise SettingError("bands", "none", "at least one confidence at which a band begins")
    return [0.0, *sorted({round(float(band), DECIMALS) for band in bands}), math.inf]


def _row(
    trials: Trials[AccuracySettings],
    statistics: MetricStatistics,
    test: str,
    edges: Sequence[float],
) -> Accuracy:
    confidence, concluded, right = _conclusions(trials, statistics, test)
    # No test of so many replicates can be surer than this.
    surest = 1 - smallest_p(trials.settings.replicates)
    bands = []
    for low, high in reversed(list(pairwise(edges))):
        inside = concluded & (confidence >= low) & (confidence < high)
        if not inside.any():
            continue
        rate = ratio_rate((inside & right).sum(axis=1), inside.sum(axis=1))
        claimed = float(np.minimum(confidence[inside], surest).mean())
        bands.append(
            AccuracyBand(
                least=low,
                most=min(high, 1.0),
                conclusions=int(inside.sum()),
                confidence=float(confidence[inside].mean()),
                claimed=claimed,
                right=rate,
                overconfident=_is_overconfident(rate, claimed, int(inside.sum())),
            )
        )
    return Accuracy(
        metric=statistics.label,
        test=test,
        bands=tuple(bands),
        undecided=int((~concluded).sum()),
    )


def _conclusions(
    trials: Trials[AccuracySettings], statistics: MetricStatistics, test: str
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Confidence, whether there is a conclusion, and whether it is right; shaped (sample, pair).

    Samples of all sizes stand one below the other; pairs that tie in the pool are left out.
    """
    untied = true_differences(statistics, trials.pairs) != 0
    by_size = [trials.conclusions(statistics, test, size) for size in trials.settings.sizes]
    p, right, wrong = (
        np.concatenate([getattr(outcomes, name) for outcomes in by_size])[:, untied]
        for name in ("p", "right", "wrong")
    )
    return (1 - p).round(DECIMALS), right | wrong, right


def _is_overconfident(right: Rate, claimed: float, conclusions: int) -> bool:
    """Whether a band is right less often than it claims, by more than chance.

    Both by the interval, which knows that conclusions on one sample are correlated, and by the
    binomial distribution, which holds where hardly any conclusion is wrong.
    """
    wrong = conclusions - round(right.value * conclusions)
    return claimed > right.high and chance_of(wrong, conclusions, 1 - claimed) < CHANCE


def chance_of(least: int, trials: int, probability: float) -> float:
    """How likely so many hits are, or more, in independent trials of this probability."""
    if least <= 0:
        return 1.0
    if not 0 < probability < 1:
        return float(probability >= 1)
    fewer = sum(
        math.exp(
            math.lgamma(trials + 1)
            - math.lgamma(hits + 1)
            - math.lgamma(trials - hits + 1)
            + hits * math.log(probability)
            + (trials - hits) * math.log1p(-probability)
        )
        for hits in range(least)
    )
    return max(0.0, 1 - fewer)
