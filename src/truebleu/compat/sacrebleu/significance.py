"""sacreBLEU's paired tests: each system against a baseline, with the same p-values.

They are here so that published numbers can be repeated. Two of the answers mislead, and a warning
is logged with them. The bootstrap test takes the absolute difference before it centres, as Moses
and Riezler & Maxwell (2005, Figure 2) do, so it rejects a true null hypothesis about twice as often
as it says. And as ties do not count as extreme, a copy of the baseline gets the smallest p there
is. ``truebleu compare`` has tests without these faults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from truebleu.compat.sacrebleu._resampling import (
    bootstrap_sums,
    generator,
    seed_from_environment,
    swap_sums,
)
from truebleu.compat.sacrebleu.utils import ALPHA, warn
from truebleu.errors import CorpusError, SettingError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.compat.sacrebleu.metrics.base import Metric, Score, Signature

__all__ = [
    "PairedTest",
    "Result",
    "estimate_ci",
]


class Result:
    """A system's score; against a baseline its p-value; where it was resampled, mean and interval.

    >>> Result(30.5, p_value=0.01)
    score=30.5,p_value=0.01,mean=None,ci=None
    """

    def __init__(
        self,
        score: float,
        p_value: float | None = None,
        mean: float | None = None,
        ci: float | None = None,
    ) -> None:
        self.score = score
        self.p_value = p_value
        self.mean = mean
        self.ci = ci

    def __repr__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in vars(self).items())


def estimate_ci(scores: Sequence[float] | NDArray[np.floating[Any]]) -> tuple[float, float]:
    """The mean of resampled scores, and half the width of their middle 95 percent.

    >>> estimate_ci([30.0, 31.0, 32.0])
    (31.0, 1.0)
    """
    ordered = np.sort(scores)
    tail = len(ordered) // 40
    half = 0.5 * (ordered[len(ordered) - tail - 1] - ordered[tail])
    return float(ordered.mean()), float(half)


class PairedTest:
    """Tests each system against the first one, by every metric; call it to get the results.

    The environment variable SACREBLEU_SEED has the seed, 12345 where it is not set; with ``none``
    every run differs. 0 is a seed here, where sacreBLEU takes it for none.

    >>> from truebleu.compat.sacrebleu.metrics import BLEU
    >>> outputs = [("base", ["a b c d", "e f g h"]), ("new", ["a b c d e", "e f g h"])]
    >>> references = [["a b c d e", "e f g h"]]
    >>> signatures, scores = PairedTest(outputs, {"BLEU": BLEU()}, references, n_samples=99)()
    >>> scores["System"]
    ['base', 'new']
    >>> scores["BLEU"][1].p_value
    0.01

    Args:
        named_systems: (name, outputs) of the baseline first, then of those to compare with it.
        metrics: the metrics; only their order matters, as results go by the names of the scores.
        references: one list of segments per translator; None for those that the metrics keep.
        test_type: ``ar`` for approximate randomization, ``bs`` for the bootstrap.
        n_samples: trials or replicates; by default 10000 for ``ar`` and 1000 for ``bs``.
        n_ar_confidence: with ``ar``, replicates for means and intervals; 0 means 1000, and with -1
            there are none.
        n_jobs: accepted, but all systems take one pass: results and time do not depend on it.
    """

    _DEFAULT_SAMPLES: ClassVar[Mapping[str, int]] = {"ar": 10_000, "bs": 1000}

    def __init__(
        self,
        named_systems: Sequence[tuple[str, Sequence[str]]],
        metrics: Mapping[str, Metric[Any]],
        references: Sequence[Sequence[str | None]] | None,
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        if test_type not in self._DEFAULT_SAMPLES:
            raise UnknownNameError("paired test", test_type, list(self._DEFAULT_SAMPLES))
        if n_jobs < 0:
            raise SettingError("n_jobs", n_jobs, "a whole number from 0 up")
        if not metrics:
            raise SettingError("metrics", dict(metrics), "one metric or more")
        if not named_systems:
            raise CorpusError("named_systems: found no systems, expected a baseline and others")
        self.named_systems = named_systems
        self.references = references
        self.test_type = test_type
        self.n_samples = n_samples if n_samples > 0 else self._DEFAULT_SAMPLES[test_type]
        self.n_ar_confidence = n_ar_confidence or self._DEFAULT_SAMPLES["bs"]
        self.n_jobs = n_jobs
        self.n_systems = len(named_systems) - 1
        self._seed = seed_from_environment()
        generator(self._seed)  # refuses what is no seed, before the work
        systems = [outputs for _, outputs in named_systems]
        counted = [_MetricStatistics(metric, systems, references) for metric in metrics.values()]
        self._statistics = {statistics.name: statistics for statistics in counted}
        self.metrics = {name: statistics.metric for name, statistics in self._statistics.items()}
        self._signatures = {name: self._signature(metric) for name, metric in self.metrics.items()}

    def __call__(self) -> tuple[dict[str, Signature], dict[str, list[Any]]]:
        """Run the tests.

        Returns:
            The signatures by the name of the score; and the columns of a table: the names of the
            systems under ``System``, then a Result of each system under the name of each score.
        """
        results = {
            name: [Result(score.score) for score in statistics.scores]
            for name, statistics in self._statistics.items()
        }
        if self.test_type == "bs":
            self._bootstrap(results)
        else:
            self._randomize(results)
        self._warn(results)
        names = [name for name, _ in self.named_systems]
        return self._signatures, {"System": names, **results}

    def _signature(self, metric: Metric[Any]) -> Signature:
        signature = metric.get_signature()
        signature.update("seed", self._seed if self._seed == "none" else str(int(self._seed)))
        if self.test_type == "ar" and self.n_ar_confidence > 0:
            signature.update("bs", self.n_ar_confidence)
        signature.update(self.test_type, self.n_samples)
        return signature

    def _bootstrap(self, results: dict[str, list[Result]]) -> None:
        """Set p-values, means and intervals, all from the same replicates."""
        scores = self._resampled(self.n_samples, generator(self._seed))
        for name, column in results.items():
            _set_intervals(column, scores[name])
            baseline = scores[name][0]
            for result, resampled in zip(column[1:], scores[name][1:], strict=True):
                differences = np.abs(resampled - baseline)
                centred = differences - differences.mean()
                result.p_value = _p_value(centred, abs(column[0].score - result.score))

    def _randomize(self, results: dict[str, list[Result]]) -> None:
        """Set p-values and, where wanted, means and intervals."""
        stream = generator(self._seed)
        metrics = self._statistics.values()
        sums = swap_sums([statistics.rows() for statistics in metrics], self.n_samples, stream)
        for statistics, (swapped, others) in zip(metrics, sums, strict=True):
            column = results[statistics.name]
            by_system = statistics.differences(swapped, others)
            for result, differences in zip(column[1:], by_system, strict=True):
                result.p_value = _p_value(differences, abs(column[0].score - result.score))
        if self.n_ar_confidence > 0:
            # sacreBLEU goes on with the stream of the swaps, but for the baseline takes a new one.
            scores = self._resampled(self.n_ar_confidence, stream)
            baseline = self._resampled(self.n_ar_confidence, generator(self._seed), systems=1)
            for name, column in results.items():
                _set_intervals(column, [*baseline[name], *scores[name][1:]])

    def _resampled(
        self, replicates: int, stream: np.random.Generator, systems: int | None = None
    ) -> dict[str, list[NDArray[np.floating[Any]]]]:
        """By the name of the score: the scores of each of the first systems on each replicate."""
        tables = [statistics.rows(systems) for statistics in self._statistics.values()]
        sums = bootstrap_sums(tables, replicates, stream)
        return {
            name: statistics.resampled(metric_sums)
            for (name, statistics), metric_sums in zip(self._statistics.items(), sums, strict=True)
        }

    def _warn(self, results: dict[str, list[Result]]) -> None:
        doubtful = False
        for name, column in results.items():
            copies = self._statistics[name].copies()
            others = zip(self.named_systems[1:], column[1:], copies, strict=True)
            for (system, _), result, is_copy in others:
                if is_copy:
                    warn(
                        f"{system}: {name} counts the same as in the baseline, segment by segment; "
                        f"p = {result.p_value:.4f} is the smallest that this test can give, "
                        "not a sign of a difference"
                    )
                elif result.p_value is not None and result.p_value <= ALPHA:
                    doubtful = True
        if doubtful and self.test_type == "bs":
            warn(
                "this bootstrap test rejects too often: it calls about one in ten equal systems "
                "different at p <= 0.05, where one in twenty would be right; approximate "
                "randomization (--paired-ar, test_type='ar') holds its level"
            )


class _MetricStatistics:
    """The statistics of the baseline and the systems by one metric, and their scores."""

    def __init__(
        self,
        metric: Metric[Any],
        systems: Sequence[Sequence[str]],
        references: Sequence[Sequence[str | None]] | None,
    ) -> None:
        self.metric = metric
        statistics = metric._statistics(systems, references)
        self._rows = statistics.array()
        self.scores: list[Score] = [metric._score(sums) for sums in statistics.sums()]
        self.name = self.scores[0].name

    def rows(self, systems: int | None = None) -> NDArray[np.float64]:
        """The rows of the first systems, by default all, side by side."""
        return self._rows[:, :systems].reshape(len(self._rows), -1)

    def copies(self) -> list[bool]:
        """Of each system, whether all its rows are the baseline's."""
        same: list[bool] = (self._rows[:, 1:] == self._rows[:, :1]).all(axis=(0, 2)).tolist()
        return same

    def resampled(self, sums: NDArray[np.float32]) -> list[NDArray[np.floating[Any]]]:
        """The scores of each system on each replicate."""
        by_system = np.split(sums, sums.shape[1] // self._rows.shape[2], axis=1)
        return [self.metric._resampled_scores(system_sums) for system_sums in by_system]

    def differences(
        self, swapped: NDArray[np.float64], others: NDArray[np.float64]
    ) -> Iterator[NDArray[np.float64]]:
        """Of each system, by how much the two texts of each trial differ in score.

        Args:
            swapped: the sums of all systems over the segments that a trial swaps.
            others: their sums over the segments that it does not swap.
        """
        shape = (len(swapped), *self._rows.shape[1:])
        swapped, others = swapped.reshape(shape), others.reshape(shape)
        for system in range(1, shape[1]):
            first = self.metric._swapped_scores(swapped[:, 0] + others[:, system])
            second = self.metric._swapped_scores(others[:, 0] + swapped[:, system])
            yield np.abs(first - second)


def _set_intervals(results: list[Result], scores: list[NDArray[np.floating[Any]]]) -> None:
    for result, resampled in zip(results, scores, strict=True):
        result.mean, result.ci = estimate_ci(resampled)


def _p_value(differences: NDArray[np.floating[Any]], observed: float) -> float:
    """The share of differences above the observed one, which itself counts as one of them."""
    # A Python float is compared in the precision of the array, and ties are not above.
    above = int(np.count_nonzero(differences > observed))
    return (above + 1) / (len(differences) + 1)
