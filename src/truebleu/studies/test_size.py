"""Test size: scores and their intervals against the share of the test set that is used.

Zhang & Vogel (2004, §4.1, Figs. 4-7, Table 2) add random documents to a test set until it is
complete, do so 100 times, and average: the relative intervals narrow by about 30 % whenever the
data double.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._seeds import DEFAULT_SEED
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.resampling import Bootstrap, Units
from truebleu.significance.settings import CompareSettings
from truebleu.significance.statistics import bootstrap_scores
from truebleu.studies._pool import (
    Pool,
    PoolUnit,
    orders_of_growth,
    part_of_order,
    require_count,
    sizes_of_shares,
)
from truebleu.studies._widths import (
    FEWEST_SIZES,
    HIGH,
    LOW,
    SQUARE_ROOT_NARROWING,
    as_record,
    doubling,
    fit_law,
    mean_of_known,
    or_none,
    records_of,
    relative_intervals,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics
    from truebleu.studies._pool import Part

USUAL_SHARES = tuple(tenth / 10 for tenth in range(1, 11))
# One growth says nothing about how growths differ.
FEWEST_REPETITIONS = 2

FIELDS = (
    Field("metric", "Metric"),
    Field("system", "System"),
    Field("share", "Share", percent=True),
    Field("size", "Units"),
    Field("score", "Mean score", 3),
    Field("spread", "SD of scores", 3),
    Field("low", "Interval from", 2, percent=True, sign=True),
    Field("high", "to", 2, percent=True, sign=True),
    Field("width", "Relative width", 2, percent=True),
    Field("fitted", "By the law", 2, percent=True),
)
PLOT_FIELDS = (Field("bottom", "Interval from", 3), Field("top", "to", 3))


def study_test_size(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    shares: Sequence[float] | None = None,
    repetitions: int = 100,
    unit: PoolUnit = "segment",
    recount: bool = False,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """How scores and relative intervals depend on how much of the test set is used.

    Assumes that units are independent draws from one population, as all bootstrap intervals do;
    the parts of one repetition are nested.

    Args:
        test_set: the whole.
        metrics: by which to score; given scores, such as people's, will do.
        shares: of the test set; 10 % to 100 % if not given.
        repetitions: random growths to average over.
        unit: what is added and resampled: segments or documents.
        recount: count every part anew, as a test set that knows nothing of the rest. Without it
            weights that come from the whole text, such as NIST's information, stay those of the
            whole, so that scores of different sizes compare.
        samples: the bootstrap's replicates.
        level: of the intervals.
        seed: of growth and replicates.
        runner: keeps the results and shows progress.
    """
    settings = CompareSettings(replicates=samples, level=level, seed=seed)
    require_count(
        "repetitions", repetitions, FEWEST_REPETITIONS, "one does not show how parts differ"
    )
    pool = Pool.of(test_set, metrics, unit)
    chosen = sorted(USUAL_SHARES if shares is None else shares)
    sizes = sizes_of_shares(chosen, len(pool), unit)
    if len(sizes) < FEWEST_SIZES:
        raise SettingError("shares", len(sizes), f"at least {FEWEST_SIZES}, to fit a law to")
    orders = orders_of_growth(len(pool), repetitions, seed)
    smallest = part_of_order(pool, test_set, orders[0], sizes[0])
    weighed = smallest.weighed_by_the_whole(anew=recount)
    subject = {
        "study": "test-size",
        **pool.outline,
        "shares": chosen,
        "sizes": sizes,
        "repetitions": repetitions,
        "recount": recount,
        "samples": samples,
        "level": level,
        "seed": seed,
    }
    tasks = []
    for repetition, order in enumerate(orders):
        for place, size in enumerate(sizes):
            # Replicates of its own for every part, so that no two make the same mistake.
            first = (repetition * len(sizes) + place) * samples
            # Made into a part when its turn comes: all of them at once would fill the memory.
            part = partial(part_of_order, pool, test_set, order, size)
            work = partial(_intervals, part, settings, first, anew=recount)
            tasks.append(Task((size, repetition), work))
    records = (runner or Runner()).run(subject, tasks)
    return _exhibit(pool, records, subject, weighed)


def _intervals(
    part: Callable[[], Part], settings: CompareSettings, first: int, *, anew: bool
) -> Record:
    """Each metric's medians, relative intervals and scores of all systems on one part."""
    counted = part().counted(anew=anew)
    bootstrap = Bootstrap(replicates=settings.replicates, seed=settings.seed)
    units = Units.segments(len(counted[0].rows))
    scores = bootstrap_scores(counted, units, bootstrap, first=first)
    record: Record = {}
    for one, replicates in zip(counted, scores, strict=True):
        intervals = relative_intervals(replicates, settings.level)
        record[one.label] = as_record(np.vstack([intervals, one.scores]))
    return record


def _exhibit(
    pool: Pool, records: Mapping[Key, Record], subject: dict[str, Any], weighed: Sequence[str]
) -> Exhibit:
    rows: list[Row] = []
    findings: list[str] = []
    plot_rows: list[Row] = []
    sizes = subject["sizes"]
    for one in pool.counted:
        by_size = [
            records_of([records[key] for key in records if key[0] == size], one.label)
            for size in sizes
        ]
        # Shaped (size, repetition, value, system); the last value is the score.
        found = np.stack(by_size)
        rows += _rows(pool, one, found, subject)
        plot_rows += _plot_rows(pool, one, found, subject)
        findings += [*_law(pool, one, found, subject), _drift(one, found, subject)]
        if one.label in weighed and not subject["recount"]:
            findings.append(
                f"{one.label} is weighed by the whole test set here, so that sizes compare; the "
                "scores that smaller test sets would have by themselves need --recount."
            )
    return Exhibit(
        name="test-size",
        title=f"Scores and relative intervals of the level {100 * subject['level']:g} % "
        f"by the share of {len(pool):,} {pool.unit}s used, mean of "
        f"{subject['repetitions']} random growths",
        fields=FIELDS,
        rows=tuple(rows),
        findings=tuple(findings),
        plot=Plot(
            mark="line",
            x="share",
            y="score",
            low="bottom",
            high="top",
            series="system",
            panel="metric",
        ),
        plot_rows=tuple(plot_rows),
        plot_fields=PLOT_FIELDS,
        settings=subject,
    )


def _widths(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Widths of the intervals, shaped (size, repetition, system)."""
    return np.asarray(found[:, :, HIGH] - found[:, :, LOW])


def _rows(
    pool: Pool, one: MetricStatistics, found: NDArray[np.float64], subject: Mapping[str, Any]
) -> list[Row]:
    rows: list[Row] = []
    widths = mean_of_known(_widths(found), axis=1)
    means = mean_of_known(found, axis=1)
    spreads = found[:, :, -1].std(axis=1, ddof=1)
    for system, name in enumerate(pool.names):
        law = fit_law(subject["sizes"], widths[:, system])
        for place, (share, size) in enumerate(
            zip(subject["shares"], subject["sizes"], strict=True)
        ):
            rows.append(
                {
                    "metric": one.label,
                    "system": name,
                    "share": share,
                    "size": size,
                    "score": float(means[place, -1, system]),
                    "spread": float(spreads[place, system]),
                    "low": or_none(means[place, LOW, system]),
                    "high": or_none(means[place, HIGH, system]),
                    "width": or_none(widths[place, system]),
                    "fitted": None if law is None else law.width(size),
                }
            )
    return rows


def _plot_rows(
    pool: Pool, one: MetricStatistics, found: NDArray[np.float64], subject: Mapping[str, Any]
) -> list[Row]:
    """The best and the worst system with their intervals, as in the paper's Figs. 4 to 7."""
    order = np.argsort(-one.sign * one.scores, kind="stable")
    means = mean_of_known(found, axis=1)
    rows: list[Row] = []
    for system in dict.fromkeys((int(order[0]), int(order[-1]))):
        for place, share in enumerate(subject["shares"]):
            median, low, high, score = means[place, :, system]
            rows.append(
                {
                    "metric": one.label,
                    "system": pool.names[system],
                    "share": share,
                    "score": float(score),
                    "bottom": or_none(median + abs(median) * low),
                    "top": or_none(median + abs(median) * high),
                }
            )
    return rows


def _law(
    pool: Pool, one: MetricStatistics, found: NDArray[np.float64], subject: Mapping[str, Any]
) -> list[str]:
    """What doubling the data does to the intervals of a metric, in a sentence."""
    sizes = subject["sizes"]
    widths = _widths(found)
    laws = [fit_law(sizes, column) for column in mean_of_known(widths, axis=1).T]
    fitted = [law for law in laws if law is not None]
    # The systems' mean of logarithms, so that every system counts alike.
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.where(widths > 0, np.log(widths), np.nan)
    spread = doubling(sizes, np.exp(mean_of_known(logarithms, axis=2)).T)
    if not fitted or spread is None:
        return [
            f"{one.label}: no law can be fitted: fewer than {FEWEST_SIZES} sizes have intervals, "
            "since scores are 0 or do not vary."
        ]
    if len(fitted) < len(laws):
        without = [name for name, law in zip(pool.names, laws, strict=True) if law is None]
        note = f" without {', '.join(without)}, whose scores are 0 or do not vary"
    else:
        note = ""
    narrowings = [law.narrowing for law in fitted]
    by_system = (
        f"; from {100 * min(narrowings):.1f} to {100 * max(narrowings):.1f} % by system"
        if len(fitted) > 1
        else ""
    )
    verb = "narrows" if spread.value >= 0 else "widens"
    shown = spread if spread.value >= 0 else spread.negated()
    exponent = float(np.log2(1 - spread.value))
    return [
        f"{one.label}: doubling the data {verb} the interval by {shown.percent()}{by_system}"
        f"{note}. Independent {pool.unit}s would give {100 * SQUARE_ROOT_NARROWING:.1f} %. The law "
        f"is width = c · n^{exponent:.2f}, and misses no mean width by more than "
        f"{100 * max(law.misfit for law in fitted):.1f} %."
    ]


def _drift(one: MetricStatistics, found: NDArray[np.float64], subject: Mapping[str, Any]) -> str:
    """How the mean score of the smallest part differs from that of the largest."""
    small, large = (float(found[place, :, -1].mean()) for place in (0, -1))
    smallest, largest = (f"{100 * subject['shares'][place]:g} %" for place in (0, -1))
    digits = one.metric.digits + 1
    beside = f"the {large:.{digits}f} with {largest}"
    change = 100 * (small - large) / abs(large) if large else 0.0
    if f"{abs(change):.1f}" == "0.0":
        compared = f"beside {beside}"
    else:
        compared = f"{abs(change):.1f} % {'more' if change > 0 else 'less'} than {beside}"
    start = f"{one.label}: the mean score with {smallest} of the data is {small:.{digits}f}"
    return f"{start}, {compared}."
