"""Power: how often tests on samples conclude which system is better, rightly and wrongly.

Koehn (2004, §7.1, Table 3) compared nine pairs of systems on samples of 100 to 3,000 sentences, at
the level 95 %, and took the sign of the difference on all 30,000 for the truth: "12%/1%" are 12 %
right and 1 % wrong conclusions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, ClassVar

from truebleu._settings import checked, require_level
from truebleu.studies._conclusions import TrialOptions, TrialSettings, run_trials, true_differences
from truebleu.studies._estimates import Rate, binomial_rate, clustered_rate
from truebleu.studies._study import StudyResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typing_extensions import Unpack

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics
    from truebleu.studies._conclusions import Tie, Trials


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerSettings(TrialSettings):
    """The settings of the study; `level` is that at which tests conclude."""

    STUDY: ClassVar[str] = "power"

    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """What a test concluded about one pair on the samples of one size.

    Attributes:
        metric: its label.
        test: its name.
        better: the system that is better in the pool.
        worse: the other one.
        difference: of their scores in the pool, 0 or more.
        size: units in a sample.
        samples: how many samples there were.
        right: the rate of right conclusions, the test's power; None where the pair ties in the
            pool, since then no conclusion is right.
        wrong: the rate of wrong conclusions.
    """

    metric: str
    test: str
    better: str
    worse: str
    difference: float
    size: int
    samples: int
    right: Rate | None
    wrong: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanPower:
    """The mean over all pairs that do not tie; errors are those of samples taken as a whole."""

    metric: str
    test: str
    size: int
    samples: int
    right: Rate
    wrong: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerResult(StudyResult):
    """How often tests conclude rightly and wrongly, by metric, test, pair and size.

    Attributes:
        settings: how to repeat it.
        rows: one for each metric, test, pair and size.
        means: one for each metric, test and size, where two pairs or more do not tie.
        ties: the pairs that tie in the pool.
    """

    REPORT: ClassVar[str] = "truebleu.reports.studies.conclusions:power_document"

    settings: PowerSettings
    rows: tuple[Power, ...]
    means: tuple[MeanPower, ...]
    ties: tuple[Tie, ...]


@checked
def study_power(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    level: float = 0.95,
    **options: Unpack[TrialOptions],
) -> PowerResult:
    """How often tests on samples of each size conclude rightly, and how often wrongly.

    The truth is the sign of the difference in the pool, by the same metric. The rate of right
    conclusions is the test's power for this pair and size. Where samples are independent, the pool
    is the population, and nothing is assumed beyond what the tests assume.

    Args:
        test_set: the pool.
        metrics: by which to compare; the first one ranks the systems, where pairs are near ones.
        level: at which tests conclude.
        options: how samples are taken, and which pairs and tests; see `TrialOptions`.
    """
    alpha = round(1 - require_level(level), 12)
    settings_of = partial(PowerSettings, level=level)
    trials = run_trials(test_set, metrics, settings_of, level=level, **options)
    cases = list(product(trials.pool.statistics, trials.settings.tests))
    return PowerResult(
        settings=trials.settings,
        rows=tuple(row for case in cases for row in _rows(trials, *case, alpha)),
        means=tuple(row for case in cases for row in _means(trials, *case, alpha)),
        ties=trials.ties(),
    )


def _rows(
    trials: Trials[PowerSettings], statistics: MetricStatistics, test: str, alpha: float
) -> Iterator[Power]:
    conclusions = {
        size: trials.conclusions(statistics, test, size) for size in trials.settings.sizes
    }
    differences = true_differences(statistics, trials.pairs).tolist()
    for pair, difference in enumerate(differences):
        names = trials.names(pair)
        for size, of_size in conclusions.items():
            concluded = of_size.p[:, pair] <= alpha
            samples = len(concluded)
            right = binomial_rate(int((concluded & of_size.right[:, pair]).sum()), samples)
            yield Power(
                metric=statistics.label,
                test=test,
                # By another metric than the first, the second system may be the better one.
                better=names[difference < 0],
                worse=names[difference >= 0],
                difference=abs(difference),
                size=size,
                samples=samples,
                right=right if difference else None,
                wrong=binomial_rate(int((concluded & of_size.wrong[:, pair]).sum()), samples),
            )


def _means(
    trials: Trials[PowerSettings], statistics: MetricStatistics, test: str, alpha: float
) -> Iterator[MeanPower]:
    untied = true_differences(statistics, trials.pairs) != 0
    if untied.sum() < 2:
        return
    for size in trials.settings.sizes:
        conclusions = trials.conclusions(statistics, test, size)
        concluded = conclusions.p[:, untied] <= alpha
        yield MeanPower(
            metric=statistics.label,
            test=test,
            size=size,
            samples=len(concluded),
            right=clustered_rate(concluded & conclusions.right[:, untied]),
            wrong=clustered_rate(concluded & conclusions.wrong[:, untied]),
        )
