"""What references are worth in test data: the table, the chart and the sentences of that study."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice, pairwise
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._seeds import DEFAULT_SEED, Streams
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.metrics.base import require_whole_number
from truebleu.resampling import Bootstrap, Units
from truebleu.significance.settings import CompareSettings
from truebleu.significance.statistics import bootstrap_scores
from truebleu.studies._pool import (
    Pool,
    PoolUnit,
    orders_of_growth,
    require_count,
    sizes_of_shares,
)
from truebleu.studies._rates import Mean
from truebleu.studies._widths import (
    FEWEST_SIZES,
    HIGH,
    LOW,
    Law,
    as_record,
    fit_law,
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

# Relative differences of widths below this are rounding.
SAME = 1e-9

FIELDS = (
    Field("metric", "Metric"),
    Field("references", "References"),
    Field("sets", "Sets"),
    Field("share", "Share", percent=True),
    Field("size", "Units"),
    Field("median", "Mean of medians", 3),
    Field("low", "Interval from", 2, percent=True, sign=True),
    Field("high", "to", 2, percent=True, sign=True),
    Field("width", "Relative width", 2, percent=True),
    Field("alone", "As one reference on", 0, percent=True),
)
PLOT_FIELDS = (Field("with", "References"),)


@dataclass(frozen=True, slots=True, eq=False)
class _WithReferences:
    """One metric with so many references.

    Attributes:
        count: the number of references.
        sets: how many sets of so many there were.
        values: medians and bounds, shaped (size, value), means over all else.
        widths: shaped (repetition, size), means over sets and systems.
        by_system: shaped (system, size).
        sizes: the units of each size.
    """

    count: int
    sets: int
    values: NDArray[np.float64]
    widths: NDArray[np.float64]
    by_system: NDArray[np.float64]
    sizes: Sequence[int]

    @classmethod
    def of(cls, count: int, found: NDArray[np.float64], sizes: Sequence[int]) -> _WithReferences:
        """Of values shaped (set, size, repetition, value, system)."""
        widths = found[:, :, :, HIGH] - found[:, :, :, LOW]
        return cls(
            count,
            len(found),
            mean_of_known(found, axis=(0, 2, 4)),
            mean_of_known(widths, axis=(0, 3)).T,
            mean_of_known(widths, axis=(0, 2)).T,
            sizes,
        )

    @property
    def law(self) -> Law | None:
        """By which the mean width narrows."""
        return fit_law(self.sizes, mean_of_known(self.widths))


def references_exhibit(
    pool: Pool, records: Mapping[Key, Record], subject: dict[str, Any]
) -> Exhibit:
    """The result of the study, from the values of every set of references."""
    rows: list[Row] = []
    findings: list[str] = []
    for one in pool.counted:
        counts = sorted({len(key) - 1 for key in records})
        groups = [
            _WithReferences.of(
                count,
                np.stack(
                    [
                        from_record(record[one.label])
                        for key, record in records.items()
                        if len(key) - 1 == count
                    ]
                ),
                subject["sizes"],
            )
            for count in counts
        ]
        rows += _rows(one.label, groups, subject)
        findings += _findings(one.label, groups)
    drawn = "s were taken" if len(records) > 1 else " was taken"
    findings.append(
        f"{len(records)} set{drawn} of {subject['test_set']['references']} references, with all "
        f"systems, on the same parts and replicates; figures are means over sets, systems and "
        f"{subject['repetitions']} random growths."
    )
    return Exhibit(
        name="references",
        title=f"Relative intervals of the level {100 * subject['level']:g} % by the number of "
        "references and the share of the test set",
        fields=FIELDS,
        rows=tuple(rows),
        findings=tuple(findings),
        plot=Plot(mark="line", x="share", y="width", series="with", panel="metric"),
        plot_rows=tuple({**row, "with": _references(row["references"])} for row in rows),
        plot_fields=PLOT_FIELDS,
        settings=subject,
    )


def _references(count: object) -> str:
    return "1 reference" if count == 1 else f"{count} references"


def _rows(label: str, groups: Sequence[_WithReferences], subject: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = []
    for group in groups:
        for place, size in enumerate(group.sizes):
            median, low, high = group.values[place]
            rows.append(
                {
                    "metric": label,
                    "references": group.count,
                    "sets": group.sets,
                    "share": subject["shares"][place],
                    "size": size,
                    "median": float(median),
                    "low": or_none(low),
                    "high": or_none(high),
                    "width": or_none(high - low),
                    "alone": _alone(groups[0].law, high - low, group.sizes[-1]),
                }
            )
    return rows


def _alone(law: Law | None, width: float, size: int) -> float | None:
    """The share of the data on which one reference gives an interval of this width."""
    if law is None or not width > 0:
        return None
    needed = law.size(width)
    return None if needed is None else needed / size


def worth_in_data(fewer: Law | None, more: Law | None, size: int) -> float | None:
    """The share of so many units with which more references give the interval of fewer on all.

    By the laws of both (Zhang & Vogel 2004, Table 4, has 80 to 90 % for 2 references beside 1).
    None where a law is missing, or more data do not narrow the interval.
    """
    if fewer is None or more is None:
        return None
    needed = more.size(fewer.width(size))
    return None if needed is None else needed / size


def _findings(label: str, groups: Sequence[_WithReferences]) -> list[str]:
    widths = [float(mean_of_known(group.widths)[-1]) for group in groups]
    if any(group.law is None for group in groups):
        return [f"{label}: nothing can be said: scores are 0 or do not vary."]
    if max(widths) - min(widths) <= SAME * max(widths):
        return [f"{label}: its intervals do not depend on the references."]
    steps = [_step(label, fewer, more) for fewer, more in pairwise(groups)]
    return [_steps(label, groups, widths), *steps]


def _steps(label: str, groups: Sequence[_WithReferences], widths: Sequence[float]) -> str:
    change = 1 - widths[-1] / widths[0]
    verb = "narrower" if change > 0 else "wider"
    return (
        f"{label}: with {groups[-1].count} references the interval is {100 * abs(change):.1f} % "
        f"{verb} than with one, {100 * widths[-1]:.2f} % of the score instead of "
        f"{100 * widths[0]:.2f} %."
    )


def _step(label: str, fewer: _WithReferences, more: _WithReferences) -> str:
    """What one reference more is worth, with its spread over growths and over systems."""
    shares = _shares(fewer.widths, more.widths, more.sizes)
    by_system = _shares(fewer.by_system, more.by_system, more.sizes)
    if not shares or not by_system:
        return (
            f"{label}: what reference {more.count} is worth cannot be told: more data do not help."
        )
    spread = Mean.of(shares)
    mean = spread.value
    error = ""
    if spread.low is not None and spread.high is not None:
        error = f" (error {100 * spread.low:.0f} to {100 * spread.high:.0f})"
    lowest, highest = (f"{100 * share:.0f}" for share in (min(by_system), max(by_system)))
    systems = f", from {lowest} to {highest} by system," if lowest != highest else ""
    worth = (
        f"the further reference is worth {100 * (1 / mean - 1):.0f} % more data"
        if mean < 1
        else f"the further reference widens it as {100 * (1 - 1 / mean):.0f} % less data would"
    )
    return (
        f"{label}: all of the data with {_references(fewer.count)} give as narrow an interval as "
        f"{100 * mean:.0f} %{error}{systems} of them with {more.count}; {worth}."
    )


def _shares(
    fewer: NDArray[np.float64], more: NDArray[np.float64], sizes: Sequence[int]
) -> list[float]:
    """The share of the data that is worth a reference, for each row of widths by size."""
    found = (
        worth_in_data(fit_law(sizes, a), fit_law(sizes, b), sizes[-1])
        for a, b in zip(fewer, more, strict=True)
    )
    return [share for share in found if share is not None]


# References: how many translations of each segment are worth how much test data.
#
# Zhang & Vogel (2004, §4.2, Fig. 8, Tables 3 and 4) score one system with 1, 2, 3 and 4
# references on
# 50 % to 100 % of the test set: relative intervals narrow with every reference, by as much as 10 to
# 15 % more data would narrow them.


USUAL_SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FEWEST_REPETITIONS = 2
# What choosing among too many sets of references takes its random numbers for.
PURPOSE = "sets of references"
# Beyond this many, sets are drawn one by one instead of being listed.
MOST_LISTED = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class _Growth:
    """The sizes of parts, and for each repetition the order in which units are added."""

    sizes: Sequence[int]
    orders: Sequence[NDArray[np.int64]]


def study_references(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    shares: Sequence[float] | None = None,
    repetitions: int = 20,
    subsets: int = 20,
    unit: PoolUnit = "segment",
    samples: int = 1000,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """What a further reference does to relative intervals, beside what more data do.

    All sets of references are judged on the same parts of the test set and the same replicates, so
    that their intervals differ by the references alone. The paper takes its references in order;
    here the mean over all sets of each size is taken, so that no translator's style decides.

    Args:
        test_set: with two references at least, all of them complete.
        metrics: by which to score.
        shares: of the test set; 50 % to 100 % if not given, as in the paper's Table 4.
        repetitions: random growths to average over.
        subsets: the most sets of references of each size; more are chosen among at random.
        unit: what is added and resampled: segments or documents.
        samples: the bootstrap's replicates.
        level: of the intervals.
        seed: of growth, choice and replicates.
        runner: keeps the results and shows progress.
    """
    settings = CompareSettings(replicates=samples, level=level, seed=seed)
    require_count(
        "repetitions", repetitions, FEWEST_REPETITIONS, "one does not show how parts differ"
    )
    require_whole_number("subsets", subsets, 1, MOST_LISTED)
    _require_references(test_set)
    chosen = sorted(USUAL_SHARES if shares is None else shares)
    whole = Pool.of(test_set, metrics, unit)
    sizes = sizes_of_shares(chosen, len(whole), unit)
    if len(sizes) < FEWEST_SIZES:
        raise SettingError("shares", len(sizes), f"at least {FEWEST_SIZES}, to fit a law to")
    orders = orders_of_growth(len(whole), repetitions, seed)
    sets = sets_of_references(len(test_set.references), subsets, seed)
    subject = {
        "study": "references",
        **whole.outline,
        "shares": chosen,
        "sizes": sizes,
        "repetitions": repetitions,
        "subsets": subsets,
        "samples": samples,
        "level": level,
        "seed": seed,
    }
    growth = _Growth(sizes, orders)
    tasks = [
        Task(("references", *one), partial(_intervals, test_set, one, whole, growth, settings))
        for one in sets
    ]
    records = (runner or Runner()).run(subject, tasks)
    return references_exhibit(whole, records, subject)


def sets_of_references(references: int, most: int, seed: int) -> list[tuple[int, ...]]:
    """Sets of 1, 2, … of the references: all of a size, or so many of them chosen at random.

    >>> sets_of_references(3, 20, seed=1)
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    """
    found: list[tuple[int, ...]] = []
    for size in range(1, references + 1):
        if comb(references, size) <= most:
            found += combinations(range(references), size)
        else:
            found += _choice(references, size, most, seed)
    return found


def _choice(references: int, size: int, most: int, seed: int) -> list[tuple[int, ...]]:
    streams = Streams(seed, f"{PURPOSE} {size}")
    drawn: set[tuple[int, ...]] = set()
    index = 0
    while len(drawn) < most:
        random = streams.at(index)
        keys = sorted((random(), reference) for reference in range(references))
        drawn.add(tuple(sorted(reference for _, reference in islice(keys, size))))
        index += 1
    return sorted(drawn)


def _require_references(test_set: TestSet) -> None:
    count = len(test_set.references)
    if count < 2:
        raise SettingError("references", count, "at least 2: a further one is what is studied")
    if test_set.references_per_segment is None:
        lacking = [
            name
            for name, text in zip(test_set.reference_names, test_set.references, strict=True)
            if None in text
        ]
        expected = (
            "references that have every segment; with fewer of them some segments would have none"
        )
        raise SettingError("references", f"absent segments in {', '.join(lacking)}", expected)


def _intervals(
    test_set: TestSet,
    chosen: tuple[int, ...],
    whole: Pool,
    growth: _Growth,
    settings: CompareSettings,
) -> Record:
    """Each metric's values with these references, shaped (size, repetition, value, system)."""
    limited = replace(
        test_set,
        references=tuple(test_set.references[index] for index in chosen),
        reference_names=tuple(test_set.reference_names[index] for index in chosen),
    )
    pool = Pool.of(limited, [one.metric for one in whole.counted], whole.unit)
    bootstrap = Bootstrap(replicates=settings.replicates, seed=settings.seed)
    found: dict[str, list[list[object]]] = {one.label: [] for one in pool.counted}
    for place, size in enumerate(growth.sizes):
        by_metric: dict[str, list[object]] = {label: [] for label in found}
        for repetition, order in enumerate(growth.orders):
            counted = pool.take(np.sort(order[:size]))
            # The same for all sets of references, so that these alone make the difference.
            first = (repetition * len(growth.sizes) + place) * settings.replicates
            scores = bootstrap_scores(counted, Units.segments(size), bootstrap, first=first)
            for one, replicates in zip(counted, scores, strict=True):
                values = as_record(relative_intervals(replicates, settings.level))
                by_metric[one.label].append(values)
        for label, values in by_metric.items():
            found[label].append(values)
    return dict(found)
