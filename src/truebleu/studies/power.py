"""Power and accuracy: what tests on samples conclude, how often, and how often rightly.

Koehn (2004, §7) took what 30,000 sentences say for the truth, and asked how often samples of 100
to 3,000 lead to it. Power counts right and wrong conclusions of nine pairs of systems by size, at
the level 95 % (§7.1, Table 3): "12%/1%" are 12 % right and 1 % wrong conclusions. Accuracy sorts
the conclusions of all pairs, samples and sizes by their confidence, down to 50 % (§7.2, Table 4):
each band was right a little more often than it claimed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product
from typing import (
    TYPE_CHECKING,
    ClassVar,
    Generic,
    TypedDict,
    TypeVar,
)

import numpy as np

from truebleu._settings import DEFAULT_SEED, require_level
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.significance.settings import CompareSettings
from truebleu.significance.tests import smallest_p
from truebleu.studies._pool import Pool, Sampling, draw_by_size, require_count
from truebleu.studies._study import (
    Rate,
    StudyResult,
    StudySettings,
    binomial_rate,
    clustered_rate,
    ratio_rate,
)
from truebleu.studies._tests import (
    DECIMALS,
    Testing,
    choose_pairs,
    needed,
    require_tests,
    true_differences,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from truebleu.corpus.test_set import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics, Pair
    from truebleu.studies._pool import PoolUnit
    from truebleu.studies._tests import Pairs


#: The sizes of Koehn's Table 3.
USUAL_SIZES = (100, 300, 600, 3000)
#: The test that `compare` makes by default, and the paper's own.
USUAL_TESTS = ("ar", "wins")
# Fewer samples could not tell a seldom conclusion from a frequent one.
FEWEST_SAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSettings(StudySettings):
    """What `TrialOptions` asked for, with the sizes and pairs that were chosen.

    Attributes:
        pairs: both systems of each pair, the better by the first metric first.
        sizes: units in a sample, ascending.
    """

    tests: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    sizes: tuple[int, ...]
    samples: int
    sampling: Sampling
    replicates: int


class TrialOptions(TypedDict, total=False):
    """What studies of conclusions may be asked for; the defaults are those of `run_trials`.

    Attributes:
        tests: any of `truebleu.studies._tests.TESTS`.
        sizes: units in a sample; those of the paper that fit, if not given.
        samples: how many samples of each size; systematic samples and blocks may be fewer.
        sampling: how samples are taken; see `draw_samples`.
        unit: what is sampled, resampled and swapped: segments or documents.
        pairs: "near" for systems up to two ranks apart, as in the paper and if not given;
            "neighbours", "all", or the names of both systems of each pair.
        baseline: compare all others with this system instead.
        replicates: of each test.
        seed: of samples and replicates.
        runner: keeps the results and shows progress.
    """

    tests: Sequence[str]
    sizes: Sequence[int] | None
    samples: int
    sampling: Sampling
    unit: PoolUnit
    pairs: Pairs | None
    baseline: str | None
    replicates: int
    seed: int
    runner: Runner | None


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What one test by one metric concluded on all samples of one size, shaped (sample, pair).

    Attributes:
        p: the p-values.
        right: whether the system that would be concluded to be better is so in the pool.
        wrong: whether it is not; neither where the sample's scores tie.
    """

    p: NDArray[np.float64]
    right: NDArray[np.bool_]
    wrong: NDArray[np.bool_]


Settings = TypeVar("Settings", bound=TrialSettings)


@dataclass(frozen=True, slots=True, eq=False)
class Trials(Generic[Settings]):
    """The conclusions of all tests on all samples.

    Attributes:
        pool: of the systems that were compared.
        pairs: the systems of each pair in that pool, the better by its first metric first.
        records: what each sample gave.
        settings: what `run_trials` was asked for, with the sizes and pairs that were chosen.
    """

    pool: Pool
    pairs: list[Pair]
    records: Mapping[Key, Record]
    settings: Settings

    def conclusions(self, statistics: MetricStatistics, test: str, size: int) -> Outcomes:
        """What a test by a metric concluded on samples of a size."""
        truth = np.sign(true_differences(statistics, self.pairs))
        keys = [key for key in self.records if key[0] == size]
        values = np.array([self.records[key][statistics.label][test] for key in keys])
        p, better = values[:, 0], values[:, 1]
        concludes = better != 0
        return Outcomes(p, concludes & (better == truth), concludes & (better != truth))

    def names(self, pair: int) -> tuple[str, str]:
        """The names of both systems of a pair."""
        a, b = self.pairs[pair]
        return self.pool.names[a], self.pool.names[b]

    def ties(self) -> tuple[Tie, ...]:
        """The pairs that tie in the pool."""
        return tuple(
            Tie(statistics.label, *self.names(pair))
            for statistics in self.pool.statistics
            for pair, difference in enumerate(true_differences(statistics, self.pairs))
            if difference == 0
        )


@dataclass(frozen=True, slots=True)
class Tie:
    """Two systems whose scores in the pool are the same, so that no conclusion is right."""

    metric: str
    a: str
    b: str


def run_trials(
    test_set: TestSet,
    metrics: Sequence[str | Metric],
    settings_of: Callable[..., Settings],
    *,
    tests: Sequence[str] = USUAL_TESTS,
    sizes: Sequence[int] | None = None,
    samples: int = 100,
    sampling: Sampling = "independent",
    unit: PoolUnit = "segment",
    pairs: Pairs | None = None,
    baseline: str | None = None,
    replicates: int = 1000,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Trials[Settings]:
    """Test all pairs on all samples.

    All tests and pairs share the replicates of a sample, and every sample has its own. All but
    `settings_of`, which makes the study's settings of those that are common to all trials, and
    `level`, at which tests conclude, is described by `TrialOptions`.
    """
    # A comparison's own checks of the seed, and of the number of replicates for the level.
    CompareSettings(replicates=replicates, seed=seed, level=level)
    testing = Testing(tests=require_tests(tests), replicates=replicates, seed=seed)
    require_count("samples", samples, FEWEST_SAMPLES, "fewer could not tell seldom from often")
    whole = Pool.of(test_set, metrics, unit)
    pool, compared = needed(whole, choose_pairs(whole, pairs, baseline))
    drawn = draw_by_size(
        sampling, len(pool), sizes, USUAL_SIZES, samples=samples, fewest=FEWEST_SAMPLES, seed=seed
    )
    settings = settings_of(
        pool=pool.summary,
        tests=testing.tests,
        pairs=tuple((pool.names[a], pool.names[b]) for a, b in compared),
        sizes=tuple(drawn),
        samples=samples,
        sampling=sampling,
        replicates=replicates,
        seed=seed,
    )
    tasks = [
        Task((size, index), partial(_conclude, pool, compared, testing, sample, index))
        for size, of_size in drawn.items()
        for index, sample in enumerate(of_size)
    ]
    return Trials(pool, compared, (runner or Runner()).run(settings, tasks), settings)


def _conclude(
    pool: Pool, pairs: Sequence[Pair], testing: Testing, sample: NDArray[np.int64], index: int
) -> Record:
    """By metric and test the p-values of all pairs on one sample, and which system is better."""
    return {
        statistics.label: {
            test: [conclusion.p.tolist(), conclusion.better.tolist()]
            for test, conclusion in testing.conclusions(statistics, pairs, index).items()
        }
        for statistics in pool.take(sample)
    }


# Power: how often tests conclude which system is better, rightly and wrongly.


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
        rows=tuple(row for case in cases for row in _power_rows(trials, *case, alpha)),
        means=tuple(row for case in cases for row in _mean_powers(trials, *case, alpha)),
        ties=trials.ties(),
    )


def _power_rows(
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


def _mean_powers(
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


# Accuracy: of the conclusions that a test is so and so sure of, how many are right.


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
            _accuracy_row(trials, statistics, test, edges)
            for statistics, test in product(trials.pool.statistics, trials.settings.tests)
        ),
        ties=trials.ties(),
    )


def _edges(bands: Sequence[float]) -> list[float]:
    for band in bands:
        if not 0 < band < 1:
            raise SettingError("bands", band, "confidences between 0 and 1, such as 0.95")
    if not bands:
        raise SettingError("bands", "none", "at least one confidence at which a band begins")
    return [0.0, *sorted({round(float(band), DECIMALS) for band in bands}), math.inf]


def _accuracy_row(
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
