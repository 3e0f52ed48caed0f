"""References: how many translations of each segment are worth how much test data.

Zhang & Vogel (2004, §4.2, Fig. 8, Tables 3 and 4) score one system with 1, 2, 3 and 4 references on
50 % to 100 % of the test set: relative intervals narrow with every reference, by as much as 10 to
15 % more data would narrow them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice, pairwise
from math import comb
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from truebleu._settings import DEFAULT_SEED, Streams, require_whole_number
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.significance.settings import CompareSettings
from truebleu.studies._pool import (
    Pool,
    PoolUnit,
    orders_of_growth,
    require_count,
    resampled_scores,
    sizes_of_shares,
)
from truebleu.studies._study import (
    FEWEST_SIZES,
    HIGH,
    LOW,
    Law,
    Mean,
    StudyResult,
    StudySettings,
    as_record,
    fit_law,
    from_record,
    mean_of_known,
    or_none,
    relative_intervals,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric

USUAL_SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FEWEST_SAMPLES = 2
# What choosing among too many sets of references takes its random numbers for.
PURPOSE = "sets of references"
# Beyond this many, sets are drawn one by one instead of being listed.
MOST_LISTED = 100_000
# Relative differences of widths below this are rounding.
SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencesSettings(StudySettings):
    """What `study_references` was asked for, and `sizes`, the units of each share."""

    STUDY: ClassVar[str] = "references"

    shares: tuple[float, ...]
    sizes: tuple[int, ...]
    samples: int
    subsets: int
    replicates: int
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WidthWithReferences:
    """Relative intervals with so many references: means over sets, systems and growths.

    Attributes:
        metric: its label.
        references: how many.
        sets: how many sets of so many references there were.
        share: of the test set.
        size: units.
        median: of the replicates' scores.
        low: where the relative interval begins, as a share of the median; None of scores of 0.
        high: where it ends.
        width: from one to the other.
        alone: the share of the data on which one reference gives an interval of this width, by the
            law of one reference; None without a law.
    """

    metric: str
    references: int
    sets: int
    share: float
    size: int
    median: float
    low: float | None
    high: float | None
    width: float | None
    alone: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherReference:
    """What one reference more is worth.

    Attributes:
        references: how many there are with it.
        share: the share of the data with it that gives as narrow an interval as all of the data
            without it, with its error over growths; None where more data do not help.
        lowest: the least share of any system; None likewise.
        highest: the largest.
    """

    references: int
    share: Mean | None
    lowest: float | None
    highest: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricReferences:
    """How a metric's intervals depend on the number of references.

    Attributes:
        metric: its label.
        depends: whether they do at all; None where scores are 0 or do not vary.
        widths: the relative width on all data, with one reference, two and so on.
        further: what each further reference is worth; none unless intervals depend on them.
    """

    metric: str
    depends: bool | None
    widths: tuple[float | None, ...]
    further: tuple[FurtherReference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencesResult(StudyResult):
    """Relative intervals by metric, references and share; by `truebleu study references`.

    Attributes:
        settings: how to repeat it.
        sets: how many sets of references there were.
        rows: one for each metric, number of references and share.
        metrics: one for each metric.
    """

    REPORT: ClassVar[str] = "truebleu.reports.studies.intervals:references_document"

    settings: ReferencesSettings
    sets: int
    rows: tuple[WidthWithReferences, ...]
    metrics: tuple[MetricReferences, ...]


def study_references(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    shares: Sequence[float] | None = None,
    samples: int = 20,
    subsets: int = 20,
    unit: PoolUnit = "segment",
    replicates: int = 1000,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> ReferencesResult:
    """What a further reference does to relative intervals, beside what more data do.

    All sets of references are judged on the same parts of the test set and the same replicates, so
    that their intervals differ by the references alone. The paper takes its references in order;
    here the mean over all sets of each size is taken, so that no translator's style decides.

    Args:
        test_set: with two references at least, all of them complete.
        metrics: by which to score.
        shares: of the test set; 50 % to 100 % if not given, as in the paper's Table 4.
        samples: random growths to average over.
        subsets: the most sets of references of each size; more are chosen among at random.
        unit: what is added and resampled: segments or documents.
        replicates: of each interval.
        level: of the intervals.
        seed: of growth, choice and replicates.
        runner: keeps the results and shows progress.
    """
    resampling = CompareSettings(replicates=replicates, level=level, seed=seed)
    require_count("samples", samples, FEWEST_SAMPLES, "one does not show how parts differ")
    require_whole_number("subsets", subsets, 1, MOST_LISTED)
    _require_references(test_set)
    chosen = sorted(USUAL_SHARES if shares is None else shares)
    whole = Pool.of(test_set, metrics, unit)
    sizes = sizes_of_shares(chosen, len(whole), unit, FEWEST_SIZES)
    settings = ReferencesSettings(
        pool=whole.summary,
        seed=seed,
        shares=tuple(chosen),
        sizes=tuple(sizes),
        samples=samples,
        subsets=subsets,
        replicates=replicates,
        level=level,
    )
    growth = _Growth(sizes, orders_of_growth(len(whole), samples, seed))
    tasks = [
        Task(
            ("references", *references),
            partial(_intervals, test_set, references, whole, growth, resampling),
        )
        for references in sets_of_references(len(test_set.references), subsets, seed)
    ]
    records = (runner or Runner()).run(settings.to_dict(), tasks)
    groups = {
        statistics.label: _groups(statistics.label, records, settings)
        for statistics in whole.statistics
    }
    return ReferencesResult(
        settings=settings,
        sets=len(records),
        rows=tuple(row for label in groups for row in _rows(label, groups[label], settings)),
        metrics=tuple(_summary(label, groups[label]) for label in groups),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Growth:
    """The sizes of parts, and for each growth the order in which units are added."""

    sizes: Sequence[int]
    orders: Sequence[NDArray[np.int64]]


def sets_of_references(references: int, most: int, seed: int) -> list[tuple[int, ...]]:
    """Sets of 1, 2, … of the references: all of a size, or so many of them chosen at random.

    >>> sets_of_references(3, 20, seed=1)
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    """
    sets: list[tuple[int, ...]] = []
    for size in range(1, references + 1):
        if comb(references, size) <= most:
            sets += combinations(range(references), size)
        else:
            sets += _choice(references, size, most, seed)
    return sets


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
    """Each metric's values with these references, shaped (size, growth, value, system)."""
    limited = replace(
        test_set,
        references=tuple(test_set.references[index] for index in chosen),
        reference_names=tuple(test_set.reference_names[index] for index in chosen),
    )
    pool = Pool.of(limited, [statistics.metric for statistics in whole.statistics], whole.unit)
    record: dict[str, list[list[object]]] = {metric.label: [] for metric in pool.statistics}
    for place, size in enumerate(growth.sizes):
        by_metric: dict[str, list[object]] = {label: [] for label in record}
        for number, order in enumerate(growth.orders):
            counted = pool.take(np.sort(order[:size]))
            # The same for all sets of references, so that these alone make the difference.
            index = number * len(growth.sizes) + place
            for statistics, replicates in resampled_scores(
                counted, settings.replicates, settings.seed, index
            ):
                values = as_record(relative_intervals(replicates, settings.level))
                by_metric[statistics.label].append(values)
        for label, values in by_metric.items():
            record[label].append(values)
    return dict(record)


@dataclass(frozen=True, slots=True, eq=False)
class _WithReferences:
    """One metric with so many references.

    Attributes:
        count: the number of references.
        sets: how many sets of so many there were.
        values: medians and bounds, shaped (size, value), means over all else.
        widths: shaped (growth, size), means over sets and systems.
        by_system: shaped (system, size).
        sizes: the units of each size.
    """

    count: int
    sets: int
    values: NDArray[np.float64]
    widths: NDArray[np.float64]
    by_system: NDArray[np.float64]
    sizes: Sequence[int]

    @property
    def law(self) -> Law | None:
        """By which the mean width narrows."""
        return fit_law(self.sizes, mean_of_known(self.widths))


def _groups(
    label: str, records: Mapping[Key, Record], settings: ReferencesSettings
) -> list[_WithReferences]:
    """A metric's values by the number of references, ascending."""
    groups = []
    for count in sorted({len(key) - 1 for key in records}):
        # Shaped (set, size, growth, value, system).
        values = np.stack(
            [from_record(record[label]) for key, record in records.items() if len(key) - 1 == count]
        )
        widths = values[:, :, :, HIGH] - values[:, :, :, LOW]
        groups.append(
            _WithReferences(
                count,
                len(values),
                mean_of_known(values, axis=(0, 2, 4)),
                mean_of_known(widths, axis=(0, 3)).T,
                mean_of_known(widths, axis=(0, 2)).T,
                settings.sizes,
            )
        )
    return groups


def _rows(
    label: str, groups: Sequence[_WithReferences], settings: ReferencesSettings
) -> Iterator[WidthWithReferences]:
    for group in groups:
        for share, size, values in zip(settings.shares, group.sizes, group.values, strict=True):
            median, low, high = values
            yield WidthWithReferences(
                metric=label,
                references=group.count,
                sets=group.sets,
                share=share,
                size=size,
                median=float(median),
                low=or_none(low),
                high=or_none(high),
                width=or_none(high - low),
                alone=_alone(groups[0].law, high - low, group.sizes[-1]),
            )


def _alone(law: Law | None, width: float, size: int) -> float | None:
    """The share of the data on which one reference gives an interval of this width."""
    if law is None or not width > 0:
        return None
    needed = law.size(width)
    return None if needed is None else needed / size


def _summary(label: str, groups: Sequence[_WithReferences]) -> MetricReferences:
    widths = [float(mean_of_known(group.widths)[-1]) for group in groups]
    depends = None
    if all(group.law is not None for group in groups):
        depends = max(widths) - min(widths) > SAME * max(widths)
    further = [_further(fewer, more) for fewer, more in pairwise(groups)] if depends else []
    return MetricReferences(
        metric=label,
        depends=depends,
        widths=tuple(map(or_none, widths)),
        further=tuple(further),
    )


def _further(fewer: _WithReferences, more: _WithReferences) -> FurtherReference:
    shares = _shares(fewer.widths, more.widths, more.sizes)
    by_system = _shares(fewer.by_system, more.by_system, more.sizes)
    known = bool(shares and by_system)
    return FurtherReference(
        references=more.count,
        share=Mean.of(shares) if known else None,
        lowest=min(by_system) if known else None,
        highest=max(by_system) if known else None,
    )


def _shares(
    fewer: NDArray[np.float64], more: NDArray[np.float64], sizes: Sequence[int]
) -> list[float]:
    """The share of the data that is worth a reference, for each row of widths by size."""
    shares = (
        worth_in_data(fit_law(sizes, a), fit_law(sizes, b), sizes[-1])
        for a, b in zip(fewer, more, strict=True)
    )
    return [share for share in shares if share is not None]


def worth_in_data(fewer: Law | None, more: Law | None, size: int) -> float | None:
    """The share of so many units with which more references give the interval of fewer on all.

    By the laws of both (Zhang & Vogel 2004, Table 4, has 80 to 90 % for 2 references beside 1).
    None where a law is missing, or more data do not narrow the interval.
    """
    if fewer is None or more is None:
        return None
    needed = more.size(fewer.width(size))
    return None if needed is None else needed / size
