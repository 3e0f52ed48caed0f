"""Which pairs each metric tells apart: the tables, the charts and the sentences of sensitivity."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._seeds import DEFAULT_SEED
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner, Task
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.resampling import Bootstrap, Units
from truebleu.significance._checks import TIE_TOLERANCE
from truebleu.significance.corrections import P_VALUE_CORRECTIONS, adjust
from truebleu.significance.p_values import bootstrap_wins, smallest_p
from truebleu.significance.settings import CompareSettings
from truebleu.significance.statistics import bootstrap_scores
from truebleu.studies._pairs import STUDY_TESTS, Testing
from truebleu.studies._pool import (
    Pool,
    PoolUnit,
    Sampling,
    draw_samples,
    require_count,
    require_size,
)
from truebleu.studies._rates import Mean
from truebleu.studies._widths import (
    HIGH,
    LOW,
    MEDIAN,
    as_record,
    from_record,
    mean_of_known,
    or_none,
    relative_intervals,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics, Pair

TESTS = ("interval", "ar")
# Where every metric tells apart at least this share, more data cannot show which is better at it.
SATURATED = 0.95

FIELDS = (
    Field("metric", "Metric"),
    Field("size", "Units"),
    Field("samples", "Samples"),
    Field("test", "Test"),
    Field("correction", "Correction"),
    Field("pairs", "Pairs"),
    Field("told", "Told apart", 1),
    Field("share", "Share", 1, percent=True),
    Field("low", "from", 1, percent=True),
    Field("high", "to", 1, percent=True),
    Field("width", "Relative width", 2, percent=True),
)
PLOT_FIELDS = (Field("by", "Test and correction"), Field("on", "Sample"))
SYSTEM_FIELDS = (
    Field("metric", "Metric"),
    Field("size", "Units"),
    Field("system", "System"),
    Field("median", "Median", 3),
    Field("low", "Interval from", 2, percent=True, sign=True),
    Field("high", "to", 2, percent=True, sign=True),
    Field("width", "Relative width", 2, percent=True),
    Field("told", "Others told apart", 1),
)


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """What one metric concluded on the samples of one size.

    Attributes:
        one: the metric, with its counts of the whole.
        size: units in a sample.
        p: p-values by test, shaped (sample, pair).
        scores: shaped (sample, system).
        intervals: medians and relative bounds, shaped (sample, value, system).
    """

    one: MetricStatistics
    size: int
    p: Mapping[str, NDArray[np.float64]]
    scores: NDArray[np.float64]
    intervals: NDArray[np.float64]

    @classmethod
    def of(cls, one: MetricStatistics, size: int, records: Mapping[Key, Record]) -> _Told:
        """What the records of this size say of the metric."""
        found = [record[one.label] for key, record in records.items() if key[0] == size]
        return cls(
            one,
            size,
            {test: np.array([record[test] for record in found]) for test in TESTS},
            np.array([record["scores"] for record in found]),
            np.stack([from_record(record["intervals"]) for record in found]),
        )

    def apart(self, test: str, correction: str, alpha: float) -> NDArray[np.bool_]:
        """Which pairs are told apart, shaped (sample, pair)."""
        # A share of wins that means 0.05 is not quite that in floats, nor a multiple of it.
        limit = alpha * (1 + TIE_TOLERANCE)
        return np.stack([adjust(p, correction) <= limit for p in self.p[test]])

    @property
    def widths(self) -> NDArray[np.float64]:
        """The systems' mean relative widths over samples."""
        return mean_of_known(self.intervals[:, HIGH] - self.intervals[:, LOW])

    @property
    def width(self) -> float:
        """The mean relative width of all systems; NaN where none has one."""
        return float(mean_of_known(self.widths))


def sensitivity_exhibit(
    pool: Pool, pairs: Sequence[Pair], records: Mapping[Key, Record], settings: dict[str, Any]
) -> Exhibit:
    """The result of the study, from the p-values and intervals of every sample."""
    told = [_Told.of(one, size, records) for size in settings["sizes"] for one in pool.counted]
    by_system = settings["by_system"]
    rows = (
        [row for one in told for row in _system_rows(pool, pairs, one, settings)]
        if by_system
        else [row for one in told for row in _test_rows(one, settings)]
    )
    several = len(settings["sizes"]) > 1
    return Exhibit(
        name="sensitivity",
        title=f"Relative intervals of the level {100 * settings['level']:g} % by metric and system"
        if by_system
        else f"Pairs of {len(pool.names)} systems told apart at the level "
        f"{100 * settings['level']:g} %, by metric",
        fields=SYSTEM_FIELDS if by_system else FIELDS,
        rows=tuple(rows),
        findings=tuple(_findings(pool, pairs, told, settings)),
        plot=Plot(
            mark="point",
            x="system",
            y="width",
            series="metric",
            panel="size" if several else None,
            zero_y=True,
        )
        if by_system
        else Plot(
            mark="bar",
            x="metric",
            y="share",
            low="low",
            high="high",
            interval="95 % over samples",
            series="by",
            panel="on" if several else None,
            zero_y=True,
        ),
        plot_rows=None if by_system else tuple(_named(row, pool) for row in rows),
        plot_fields=() if by_system else PLOT_FIELDS,
        settings=settings,
    )


def _named(row: Row, pool: Pool) -> Row:
    correction = "" if row["correction"] == "none" else f", {row['correction']}"
    return {**row, "by": f"{row['test']}{correction}", "on": f"{row['size']} {pool.unit}s"}


def _alpha(settings: Mapping[str, Any]) -> float:
    return round(1 - float(settings["level"]), 12)


def _corrections(settings: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(("none", settings["correction"])))


def _test_rows(told: _Told, settings: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = []
    for test in TESTS:
        for correction in _corrections(settings):
            apart = told.apart(test, correction, _alpha(settings))
            spread = Mean.of(apart.mean(axis=1).tolist())
            rows.append(
                {
                    "metric": told.one.label,
                    "size": told.size,
                    "samples": len(apart),
                    "test": STUDY_TESTS[test].title,
                    "correction": correction,
                    "pairs": apart.shape[1],
                    "told": float(apart.sum(axis=1).mean()),
                    "share": spread.value,
                    "low": None if spread.low is None else max(0.0, spread.low),
                    "high": None if spread.high is None else min(1.0, spread.high),
                    "width": or_none(told.width),
                }
            )
    return rows


def _system_rows(
    pool: Pool, pairs: Sequence[Pair], told: _Told, settings: Mapping[str, Any]
) -> list[Row]:
    apart = told.apart("ar", settings["correction"], _alpha(settings)).mean(axis=0)
    means = mean_of_known(told.intervals)
    return [
        {
            "metric": told.one.label,
            "size": told.size,
            "system": name,
            "median": float(means[MEDIAN, system]),
            "low": or_none(means[LOW, system]),
            "high": or_none(means[HIGH, system]),
            "width": or_none(told.widths[system]),
            "told": float(
                sum(share for share, pair in zip(apart, pairs, strict=True) if system in pair)
            ),
        }
        for system, name in enumerate(pool.names)
    ]


def _findings(
    pool: Pool, pairs: Sequence[Pair], told: Sequence[_Told], settings: Mapping[str, Any]
) -> list[str]:
    found: list[str] = []
    for size in settings["sizes"]:
        of_size = [one for one in told if one.size == size]
        start = f"On {size:,} {pool.unit}s"
        found += _most(start, of_size, settings)
        found += _opposed(start, of_size, pairs, settings)
        found += _narrowest(start, of_size)
    return found


def _most(start: str, told: Sequence[_Told], settings: Mapping[str, Any]) -> list[str]:
    """The metric that tells most pairs apart by approximate randomization, and how sure that is."""
    alpha, correction = _alpha(settings), settings["correction"]
    apart = {one.one.label: one.apart("ar", correction, alpha) for one in told}
    order = sorted(apart, key=lambda label: -float(apart[label].mean()))
    pairs = apart[order[0]].shape[1]
    corrected = "without correction" if correction == "none" else f"corrected ({correction})"
    amounts = ", ".join(f"{label} {_amount(apart[label])}" for label in order)
    found = [
        f"{start}, pairs of {pairs} told apart by approximate randomization, {corrected}: "
        f"{amounts}."
    ]
    if len(order) == 1:
        found.append("Another metric (-m) would show which of them tells more pairs apart.")
    for other in order[1:]:
        found.append(f"{start}: {_beside(order[0], apart[order[0]], other, apart[other])}.")
    if len(order) > 1 and min(float(one.mean()) for one in apart.values()) >= SATURATED:
        found.append(
            f"{start} every metric tells at least {100 * SATURATED:g} % of the pairs apart; "
            "smaller samples (--sizes) show more of how metrics differ."
        )
    return found


def _amount(apart: NDArray[np.bool_]) -> str:
    told = float(apart.sum(axis=1).mean())
    number = f"{told:.0f}" if told == int(told) else f"{told:.1f}"
    return f"{number} ({100 * apart.mean():.1f} %)"


def _beside(best: str, apart: NDArray[np.bool_], other: str, others: NDArray[np.bool_]) -> str:
    """How two metrics differ: by the pairs that only one of them tells apart."""
    only, only_other = (apart & ~others).sum(axis=1), (others & ~apart).sum(axis=1)
    counts = f"{best} alone tells {only.mean():g} pairs apart, {other} alone {only_other.mean():g}"
    if len(apart) == 1:
        return counts
    difference = Mean.of((apart.mean(axis=1) - others.mean(axis=1)).tolist())
    low, high = difference.low or 0.0, difference.high or 0.0
    sure = "clear" if low > 0 else "within the error"
    return (
        f"{counts} on average; the difference of {100 * difference.value:.1f} points "
        f"({100 * low:.1f} to {100 * high:.1f} over {len(apart)} samples) is {sure}"
    )


def _opposed(
    start: str, told: Sequence[_Told], pairs: Sequence[Pair], settings: Mapping[str, Any]
) -> list[str]:
    """Pairs of which two metrics are sure in opposite directions: sensitive is not right."""
    left, right = np.array(pairs).T
    directed = [one for one in told if one.one.metric.higher_is_better is not None]
    better = [
        one.apart("ar", settings["correction"], _alpha(settings))
        * np.sign(one.one.sign * (one.scores[:, left] - one.scores[:, right]))
        for one in directed
    ]
    found = []
    for first, one in enumerate(directed):
        for second in range(first + 1, len(directed)):
            opposed = float((better[first] * better[second] < 0).sum(axis=1).mean())
            if opposed:
                found.append(
                    f"{one.one.label} and {directed[second].one.label} the other way round "
                    f"in {opposed:g}"
                )
    if not found:
        return []
    return [f"{start}, two metrics tell pairs apart with opposite winners: {'; '.join(found)}."]


def _narrowest(start: str, told: Sequence[_Told]) -> list[str]:
    known = sorted((one.width, one.one.label) for one in told if not np.isnan(one.width))
    without = [one.one.label for one in told if np.isnan(one.width)]
    found = []
    if known:
        widths = ", ".join(f"{label} {100 * width:.2f} %" for width, label in known)
        found.append(f"{start} the mean widths of the intervals, of the score, are {widths}.")
    if without:
        found.append(
            f"{start} there is no relative interval of {', '.join(without)}: medians are 0."
        )
    return found


# Sensitivity: which metric tells most pairs of systems apart, and how wide its intervals are.
#
# Zhang & Vogel (2004, §3, Table 1, Fig. 3) compare seven systems pair by pair: two differ when
# the bootstrap's interval of their difference leaves out 0, and NIST's relative intervals are the
# narrowest. Riezler & Maxwell (2005, §3, Table 1) find a small difference significant by NIST and
# not by BLEU or F-score.


#: Those of both papers, and the two that are most used beside BLEU.
USUAL_METRICS = ("bleu", "nist", "mbleu", "chrf", "ter")


def study_sensitivity(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = USUAL_METRICS,
    *,
    sizes: Sequence[int] | None = None,
    repetitions: int | None = None,
    draw: Sampling | None = None,
    unit: PoolUnit = "segment",
    samples: int = 10_000,
    level: float = 0.95,
    correction: str = "holm",
    by_system: bool = False,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """How many pairs of systems each metric tells apart, and its relative intervals.

    A pair is told apart by the interval of the difference (Zhang & Vogel 2004, §3.2) or by
    approximate randomization, each with and without a correction for all pairs. It need not be
    told apart rightly: a metric may be sure of what people would not say.

    Args:
        test_set: with two systems at least.
        metrics: to compare.
        sizes: units in samples, on which large test sets do not tell everything apart; the whole
            test set if not given.
        repetitions: samples of each size, 20 if not given; only with sizes.
        draw: how samples are taken, at random if not given; see `draw_samples`.
        unit: what is sampled, resampled and swapped.
        samples: replicates of each test.
        level: of intervals, and 1 minus the significance level.
        correction: for all pairs of one metric.
        by_system: list the systems' intervals, as Zhang & Vogel's Table 1 does, instead of tests.
        seed: of samples and replicates.
        runner: keeps the results and shows progress.
    """
    settings = CompareSettings(replicates=samples, level=level, seed=seed)
    pairs = list(combinations(range(len(test_set.systems)), 2))
    _require_decisive(len(pairs), samples, settings.alpha, correction)
    pool = Pool.of(test_set, metrics, unit)
    chosen = _sizes(sizes, len(pool))
    _require_enough_units(chosen[0], len(pairs), settings.alpha, correction)
    if sizes is None and (repetitions is not None or draw is not None):
        found = repetitions if repetitions is not None else draw
        expected = "sizes (--sizes) beside it: without them the whole test set is taken, once"
        raise SettingError("repetitions" if repetitions is not None else "draw", found, expected)
    draw, repetitions = draw or "random", 20 if repetitions is None else repetitions
    if sizes is not None:
        require_count("repetitions", repetitions, 2, "one does not show how samples differ")
    subject = {
        "study": "sensitivity",
        **pool.outline,
        "sizes": chosen,
        "repetitions": repetitions,
        "draw": draw,
        "samples": samples,
        "level": level,
        "seed": seed,
    }
    tasks = []
    for size in chosen:
        for index, sample in enumerate(_samples(draw, len(pool), size, repetitions, seed)):
            work = partial(_tested, pool, pairs, sample, index, settings)
            tasks.append(Task((size, index), work))
    records = (runner or Runner()).run(subject, tasks)
    result = {**subject, "correction": correction, "by_system": by_system}
    return sensitivity_exhibit(pool, pairs, records, result)


def _require_decisive(pairs: int, samples: int, alpha: float, correction: str) -> None:
    """Refuse what can tell nothing apart: one system, or too few replicates for so many pairs."""
    if pairs == 0:
        raise SettingError("systems", 1, "at least 2 to tell apart")
    if correction not in P_VALUE_CORRECTIONS:
        raise UnknownNameError("correction", correction, P_VALUE_CORRECTIONS)
    smallest = float(adjust(np.full(pairs, smallest_p(samples)), correction).min())
    if smallest > alpha:
        expected = (
            f"more of them: with {pairs} pairs the smallest p after the correction {correction!r} "
            f"is {smallest:.3g}, and nothing can be told apart at {alpha:g}"
        )
        raise SettingError("samples", samples, expected)


def _require_enough_units(size: int, pairs: int, alpha: float, correction: str) -> None:
    """Refuse so few units that even the clearest difference has a p-value above alpha.

    Of all swaps of n units two are as extreme as none, so that p is 2 / 2**n at the least.
    """
    least = 1
    while float(adjust(np.full(pairs, 2.0 ** (1 - least)), correction).min()) > alpha:
        least += 1
    if size < least:
        expected = (
            f"at least {least} units: swaps of fewer can tell none of {pairs} pairs apart at "
            f"{alpha:g}, corrected by {correction!r}"
        )
        raise SettingError("size", size, expected)


def _sizes(sizes: Sequence[int] | None, pool: int) -> list[int]:
    if sizes is None:
        return [pool]
    if not sizes:
        raise SettingError("sizes", "none", "at least one size")
    for size in sizes:
        require_size("size", size, pool)
    return sorted(set(sizes))


def _samples(
    draw: Sampling, pool: int, size: int, repetitions: int, seed: int
) -> list[NDArray[np.int64]]:
    """Samples of a size; there is one only of the whole, unless units may be drawn twice."""
    if size == pool and draw != "independent":
        return [np.arange(pool)]
    return draw_samples(draw, pool, size, repetitions, seed)


def _tested(
    pool: Pool,
    pairs: Sequence[Pair],
    sample: NDArray[np.int64],
    index: int,
    settings: CompareSettings,
) -> Record:
    """For each metric p-values of all pairs by both tests, scores, and relative intervals."""
    counted = pool.take(sample)
    bootstrap = Bootstrap(replicates=settings.replicates, seed=settings.seed)
    units = Units.segments(len(sample))
    # Replicates of its own for every sample, so that no two make the same mistake.
    scores = bootstrap_scores(counted, units, bootstrap, first=index * settings.replicates)
    testing = Testing(tests=("ar",), replicates=settings.replicates, seed=settings.seed)
    left, right = np.array(pairs).T
    record: Record = {}
    for one, replicates in zip(counted, scores, strict=True):
        wins = np.atleast_1d(
            bootstrap_wins(replicates[:, left] - replicates[:, right], scale=one.scale)
        )
        record[one.label] = {
            # At most alpha where the interval of the difference leaves out 0.
            "interval": np.minimum(1.0, 2 * np.minimum(wins, 1 - wins)).tolist(),
            "ar": testing.p_values(one, pairs, index)["ar"].tolist(),
            "scores": one.scores.tolist(),
            "intervals": as_record(relative_intervals(replicates, settings.level)),
        }
    return record
