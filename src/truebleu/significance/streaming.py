"""Scores and comparisons of test sets larger than memory, in one pass over their parts.

Every part is counted, added up in every replicate, and forgotten. What is kept is the sums of each
replicate, so memory does not depend on how many segments there are. Coins and weights belong to a
segment's place in the whole, and sums are exact: neither the size of parts nor threads change a
digit, and scores and p-values of approximate randomization are those of the same test set in
memory. Counts with fractions take a second pass, since the grid on which their sums are exact
depends on the largest of them. By documents, the counts of one wait until another begins.
"""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from truebleu._core import Statistics
from truebleu.corpus.test_set import TestSetOutline
from truebleu.errors import EmptyTextError, SettingError, SuspiciousTextError, shortened
from truebleu.execution.executors import completed
from truebleu.metrics.base import CountedMetric
from truebleu.metrics.registry import as_metrics, metric_labels, metrics_for, warnings_of_parts
from truebleu.resampling import ColumnSizes, PoissonBootstrap, Swaps, on_exact_grid, rounded
from truebleu.significance.intervals import INTERVAL_METHODS
from truebleu.significance.statistics import StreamedStatistics, crossed_products, products_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from numpy.typing import NDArray

    from truebleu._settings import Unit
    from truebleu.corpus.streams import Parts, TestSetStream
    from truebleu.corpus.test_set import TestSet, TextWarning
    from truebleu.metrics.base import Metric
    from truebleu.resampling import Values
    from truebleu.significance.settings import IntervalSettings
    from truebleu.significance.statistics import Pair, Progress

# Numbers that the sums of all replicates may be: half a gigabyte.
MOST_SUMS = 1 << 26
# Parts that are read for each worker of an executor before their sums are waited for.
PARTS_OF_A_WORKER = 4
# Coins and weights of so many segments belong together, so a part begins at a multiple of it.
ALIGNED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is made of every part.

    Attributes:
        swaps: how many replicates of random swaps, and their seed; None for none.
        bootstrap: of the Poisson bootstrap likewise.
        pairs: the systems that are compared.
        moments: whether products of columns are added up, for standard errors.
        unit: what is drawn or swapped as a whole; None for documents where they are known.
        studentized: whether differences after swaps are divided by their standard errors.
    """

    swaps: Swaps | None = None
    bootstrap: PoissonBootstrap | None = None
    pairs: tuple[Pair, ...] = ()
    moments: bool = False
    unit: Unit | None = "segment"
    studentized: bool = False


@dataclass(slots=True, eq=False)
class PartSums:
    """The sums of a part, or of several; all metrics side by side.

    Attributes:
        units: how many there were.
        sums: of all units, shaped (column,).
        taken: in each replicate of the swaps, shaped (replicate, column).
        crossed: in each replicate of the swaps, `crossed_products` of the pairs by each metric.
        drawn: in each replicate of the bootstrap, likewise.
        moments: by metric, the products of its columns.
        different: by metric, the units in which the systems of each pair are counted apart.
        sizes: of the columns.
        few: the rows themselves, while there are so few that all swaps might be made.
    """

    units: int
    sums: Values
    taken: Values | None
    crossed: Values | None
    drawn: Values | None
    moments: list[Values]
    different: list[dict[Pair, int]]
    sizes: ColumnSizes
    few: Values | None

    def __iadd__(self, other: PartSums) -> PartSums:
        self.units += other.units
        self.sums = self.sums + other.sums
        for name in ("taken", "crossed", "drawn"):
            mine, others = getattr(self, name), getattr(other, name)
            if mine is not None and others is not None:
                mine += others
        for products, more in zip(self.moments, other.moments, strict=True):
            products += more
        for counts, further in zip(self.different, other.different, strict=True):
            for pair, count in further.items():
                counts[pair] = counts.get(pair, 0) + count
        self.sizes = self.sizes + other.sizes
        self.few = None
        return self


def part_sums(
    rows: Sequence[Values], first: int, plan: Plan, sizes: ColumnSizes | None = None
) -> PartSums:
    """What a part adds to the sums.

    Args:
        rows: by metric, counts shaped (unit, system, column).
        first: the first unit's place among all.
        plan: what is made of it.
        sizes: of the columns of all parts, once they are known.
    """
    flat = [counts.reshape(len(counts), -1) for counts in rows]
    wide = flat[0] if len(flat) == 1 else np.concatenate(flat, axis=1)
    wide = np.ascontiguousarray(wide)
    own = ColumnSizes.of(wide)
    known = own if sizes is None else sizes
    exact = on_exact_grid(wide, known)
    ends = np.cumsum([part.shape[1] for part in flat])[:-1]
    moments = [np.zeros((part.shape[1],) * 2) for part in flat]
    if plan.moments:
        moments = [
            products_of(part, sizes_of_part)
            for part, sizes_of_part in zip(
                np.split(exact, ends, axis=1), _split_sizes(known, ends), strict=True
            )
        ]
    taken = crossed = drawn = None
    if plan.swaps is not None:
        count = plan.swaps.replicates
        taken = plan.swaps.sums(exact, 0, count, enumerated=False, first_row=first)
        if plan.studentized:
            products = _crossed(exact, rows, plan.pairs, known)
            crossed = plan.swaps.sums(products, 0, count, enumerated=False, first_row=first)
    if plan.bootstrap is not None:
        drawn = plan.bootstrap.sums(exact, None, 0, plan.bootstrap.replicates, first_row=first)
    return PartSums(
        units=len(wide),
        sums=exact.sum(axis=0),
        taken=taken,
        crossed=crossed,
        drawn=drawn,
        moments=moments,
        different=[
            {(a, b): int((c[:, a] != c[:, b]).any(axis=1).sum()) for a, b in plan.pairs}
            for c in rows
        ],
        sizes=own,
        few=exact if len(wide) < ALIGNED else None,
    )


def _crossed(
    wide: Values, shaped: Sequence[Values], pairs: Sequence[Pair], sizes: ColumnSizes
) -> Values:
    """The `crossed_products` of all pairs by all metrics, side by side, on a grid of exact sums."""
    # They are products of sums of two numbers: four times as large.
    steps = replace(sizes, rows=4 * sizes.rows).coarse_steps
    coarse = rounded(wide, steps) if sizes.fractional.any() else wide
    ends = np.cumsum([int(np.prod(counts.shape[1:])) for counts in shaped])[:-1]
    parts = [
        part.reshape(len(part), *counts.shape[1:])
        for part, counts in zip(np.split(coarse, ends, axis=1), shaped, strict=True)
    ]
    return np.concatenate(
        [crossed_products(part, a, b) for part in parts for a, b in pairs], axis=1
    )


def _split_sizes(sizes: ColumnSizes, ends: NDArray[np.int64]) -> list[ColumnSizes]:
    """The sizes of the columns of each metric."""
    return [
        ColumnSizes(sizes.rows, largest, fractional)
        for largest, fractional in zip(
            np.split(sizes.largest, ends), np.split(sizes.fractional, ends), strict=True
        )
    ]


@dataclass(slots=True, eq=False)
class Streamed:
    """What is known after the last part.

    Attributes:
        statistics: by metric, without rows.
        drawn: by metric, the scores in each replicate of the bootstrap, shaped (replicate, system).
        plain_sums: by metric, counts added up from the first segment to the last, as scores are
            made of them.
        outline: the test set's sizes and names.
        unit: what was drawn or swapped as a whole.
        by_segment: by metric, the statistics of segments, where documents were the unit.
        references_per_segment: how many, or None when that varies.
        warnings: what is suspicious about the texts.
    """

    statistics: list[StreamedStatistics]
    drawn: list[Values]
    plain_sums: list[Values]
    outline: TestSetOutline
    unit: Unit
    by_segment: list[StreamedStatistics] | None
    references_per_segment: int | None
    warnings: tuple[TextWarning, ...]

    @property
    def units(self) -> int:
        """How many there were."""
        return self.statistics[0].units


class _Documents:
    """Counts by segment become counts by document, of documents whose segments stand together.

    Of a document only the name's hash is kept, to notice when it comes again.
    """

    def __init__(self) -> None:
        self._labels: list[str] = []
        self._rows: list[Values] = []
        self._names = np.empty(0, dtype=np.int64)
        self._before = 0

    def add(self, labels: Sequence[str], rows: Sequence[Values]) -> list[Values]:
        """The counts of the documents that end here; the last one may go on in the next part."""
        open_one = bool(self._labels)
        together = [*self._labels, *labels]
        counts = [*rows]
        if open_one:
            counts = [np.concatenate(two) for two in zip(self._rows, rows, strict=True)]
        starts = [
            place
            for place, label in enumerate(together)
            if place == 0 or label != together[place - 1]
        ]
        self._note(starts[open_one:], together)
        last = starts[-1]
        self._before += last
        self._labels, self._rows = together[last:], [part[last:] for part in counts]
        return [_added_up(part[:last], starts[:-1]) for part in counts]

    def end(self) -> list[Values]:
        """The counts of the last document."""
        return [_added_up(part, [0]) for part in self._rows]

    def _note(self, starts: Sequence[int], labels: Sequence[str]) -> None:
        """Refuse a document that was there before."""
        names = np.array([hash(labels[start]) for start in starts], dtype=np.int64)
        known = np.isin(names, self._names)
        _, firsts = np.unique(names, return_index=True)
        known[np.setdiff1d(np.arange(len(names)), firsts)] = True
        if known.any():
            start = starts[int(np.flatnonzero(known)[0])]
            found = f"{shortened(labels[start])} again in segment {self._before + start + 1}"
            expected = f"segments of a document side by side {WHERE}, or all texts in memory"
            raise SettingError("documents", found, expected)
        # Two sorted runs are merged in one pass.
        self._names = np.sort(np.concatenate([self._names, np.sort(names)]), kind="stable")


def _added_up(rows: Values, starts: Sequence[int]) -> Values:
    """The rows of each document added up, as units in memory are."""
    return np.add.reduceat(rows, starts, axis=0) if len(starts) else rows[:0]


@dataclass(slots=True, eq=False)
class _Pass:
    """One pass over the parts."""

    stream: TestSetStream
    metrics: list[Metric]
    plan: Plan
    progress: Progress | None
    executor: Executor | None = None
    sizes: ColumnSizes | None = None
    segment_sizes: ColumnSizes | None = None
    totals: PartSums | None = None
    plain: list[Values] = field(default_factory=list)
    shapes: list[tuple[int, ...]] = field(default_factory=list)
    documents: _Documents | None = None
    by_segment: list[Values] = field(default_factory=list)

    def run(self) -> tuple[Parts, PartSums]:
        """Count all parts."""
        read = self.stream.read()
        with closing(_ahead(read.parts)) as parts:
            if self.executor is None:
                self._count_here(parts)
            else:
                self._count_elsewhere(parts, self.executor)
        if self.totals is None:
            raise EmptyTextError("parts of a test set")
        return read, self.totals

    def _count_here(self, parts: Iterator[TestSet]) -> None:
        carried: list[Values] | None = None
        first = 0
        for part in parts:
            if not self.shapes:
                self.metrics = self._fixed(part)
            rows = [_counts(metric, part) for metric in self.metrics]
            self._add_plainly(rows)
            if self.documents is not None:
                rows = self._by_document(part, rows, self.documents)
            if carried is not None:
                rows = [np.concatenate(two) for two in zip(carried, rows, strict=True)]
            # What does not fill a word of coins waits for the next part.
            ready = len(rows[0]) // ALIGNED * ALIGNED
            if ready:
                self._add([counts[:ready] for counts in rows], first)
                first += ready
            carried = [counts[ready:] for counts in rows]
            if self.progress is not None:
                self.progress(len(part))
        if self.documents is not None:
            last = self.documents.end()
            waiting = last if carried is None else carried
            carried = [np.concatenate(two) for two in zip(waiting, last, strict=True)]
        if carried is not None and len(carried[0]):
            self._add(carried, first)

    def _by_document(
        self, part: TestSet, rows: Sequence[Values], documents: _Documents
    ) -> list[Values]:
        """The counts of documents, once the products of segments are added up."""
        if part.documents is None:
            raise SettingError("documents", "a part without", "documents in every part")
        flat = [counts.reshape(len(counts), -1) for counts in rows]
        wide = np.concatenate(flat, axis=1)
        if self.sizes is None:
            own = ColumnSizes.of(wide)
            known = self.segment_sizes
            self.segment_sizes = own if known is None else known + own
        if self.plan.moments and self.segment_sizes is not None:
            ends = np.cumsum([counts.shape[1] for counts in flat])[:-1]
            sizes = _split_sizes(self.segment_sizes, ends)
            products = [products_of(*two) for two in zip(flat, sizes, strict=True)]
            before = self.by_segment or [np.zeros_like(square) for square in products]
            self.by_segment = [a + b for a, b in zip(before, products, strict=True)]
        return documents.add(part.documents, rows)

    def _count_elsewhere(self, parts: Iterator[TestSet], executor: Executor) -> None:
        """Count several parts at once; what they come to is added up in their order."""
        known = getattr(executor, "workers", None) or getattr(executor, "_max_workers", None)
        together = PARTS_OF_A_WORKER * (known if isinstance(known, int) else 2)
        first = 0
        while some := list(islice(parts, together)):
            calls: list[Callable[[], tuple[PartSums, list[Values]]]] = []
            for part in some:
                if first % ALIGNED:
                    expected = f"parts of a multiple of {ALIGNED} segments, to count them elsewhere"
                    raise SettingError("parts", f"one that begins at {first}", expected)
                if not self.shapes and not calls:
                    self.metrics = self._fixed(part)
                    if self.documents is not None:
                        expected = "unit 'segment': documents are added up here"
                        raise SettingError("executor", executor, expected)
                calls.append(
                    partial(_counted_part, self.metrics, self.plan, self.sizes, part, first)
                )
                first += len(part)
            counted = dict(completed(executor, calls))
            for place, part in enumerate(some):
                sums, rows = counted[place]
                self._add_plainly(rows)
                self._add_sums(sums)
                if self.progress is not None:
                    self.progress(len(part))

    def _fixed(self, part: TestSet) -> list[Metric]:
        """The metrics with what they leave to the references, as the first part has them."""
        unit = self.plan.unit
        if unit == "document" or (unit is None and part.documents is not None):
            if part.documents is None:
                raise SettingError("unit", unit, "documents that are known")
            self.documents = _Documents()
        fixed = [
            metric.metric if isinstance(metric, CountedMetric) else metric
            for metric in metrics_for(self.metrics, part)[0]
        ]
        for metric in fixed:
            if metric.counts_whole_text and not part.is_counted:
                expected = (
                    f"another metric, or a test set in memory: {metric.name} weighs a segment by "
                    "all others"
                )
                raise SettingError("metric", metric.name, expected)
        return fixed

    def _add_plainly(self, rows: Sequence[Values]) -> None:
        """As scores in memory are added up, from the first segment to the last."""
        if not self.shapes:
            self.shapes = [counts.shape[1:] for counts in rows]
            self.plain = [np.zeros((1, *shape)) for shape in self.shapes]
        self.plain = [
            np.array([Statistics(np.concatenate([before, counts])).sums()])
            for before, counts in zip(self.plain, rows, strict=True)
        ]

    def _add(self, rows: Sequence[Values], first: int) -> None:
        self._require_memory(rows)
        self._add_sums(part_sums(rows, first, self.plan, self.sizes))

    def _add_sums(self, part: PartSums) -> None:
        if self.totals is None:
            self.totals = part
        else:
            self.totals += part
        if self.sizes is None and self.totals.sizes.fractional.any():
            # These sums are not exact: all that is needed of this pass is the size of columns.
            self.plan = Plan(unit=self.plan.unit)
            self.totals.taken = self.totals.crossed = self.totals.drawn = None
            self.totals.different = [{} for _ in self.metrics]

    def _require_memory(self, rows: Sequence[Values]) -> None:
        if self.totals is not None:
            return
        width = sum(counts.shape[1] * counts.shape[2] for counts in rows)
        made = [kind.replicates for kind in (self.plan.swaps, self.plan.bootstrap) if kind]
        if self.plan.studentized:
            width += len(self.plan.pairs) * sum(counts.shape[2] ** 2 for counts in rows)
        if width * sum(made) > MOST_SUMS:
            expected = (
                f"at most {MOST_SUMS // width:,} in all where the counts of all systems by all "
                f"metrics are {width:,} numbers; compare fewer systems at a time"
            )
            raise SettingError("replicates", sum(made), expected)


def _counted_part(
    metrics: Sequence[Metric], plan: Plan, sizes: ColumnSizes | None, part: TestSet, first: int
) -> tuple[PartSums, list[Values]]:
    """What a part adds to the sums, and the rows that scores are made of.

    Rows of whole numbers are one, their sum: adding them up in another order changes nothing.
    """
    rows = [_counts(metric, part) for metric in metrics]
    sums = part_sums(rows, first, plan, sizes)
    plain = [
        counts
        if ColumnSizes.of(counts.reshape(len(counts), -1)).fractional.any()
        else counts.sum(axis=0, keepdims=True)
        for counts in rows
    ]
    return sums, plain


def _counts(metric: Metric, part: TestSet) -> Values:
    """A metric's counts of a part."""
    if part.is_counted:
        (metric,), part = metrics_for([metric], part)
    return metric.count(part).array()


def _ahead(parts: Iterator[TestSet]) -> Generator[TestSet, None, None]:
    """The same, of which the next one is read while this one is counted."""
    with ThreadPoolExecutor(1, thread_name_prefix="truebleu-reader") as reader:
        try:
            coming = reader.submit(next, parts, None)
            while (part := coming.result()) is not None:
                coming = reader.submit(next, parts, None)
                yield part
        finally:
            # A part that is being read is finished first.
            reader.submit(_closed, parts)


def _closed(parts: Iterator[TestSet]) -> None:
    if hasattr(parts, "close"):
        parts.close()


def stream_statistics(
    stream: TestSetStream,
    metrics: Sequence[str | Metric],
    plan: Plan,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Streamed:
    """Count all parts of a test set.

    Args:
        stream: gives the parts.
        metrics: names or objects.
        plan: what is made of every part.
        progress: called with the number of segments that were counted since the last call.
        executor: where parts are counted; None for here.
    """
    asked = as_metrics(metrics)
    run = _Pass(stream, asked, plan, progress, executor)
    read, totals = run.run()
    if totals.sizes.fractional.any() and plan != Plan(unit=plan.unit):
        sizes = (totals.sizes, run.segment_sizes)
        run = _Pass(stream, run.metrics, plan, progress, executor, *sizes)
        read, totals = run.run()
    warnings = warnings_of_parts(read, asked, run.metrics)
    if stream.strict and warnings:
        raise SuspiciousTextError([warning.message for warning in warnings])
    statistics, drawn = _statistics(run, plan, totals)
    references = len(stream.reference_names)
    return Streamed(
        statistics=statistics,
        drawn=drawn,
        plain_sums=[sums[0] for sums in run.plain],
        outline=TestSetOutline(
            segments=read.segments,
            references=references,
            reference_names=stream.reference_names,
            documents=None if run.documents is None else totals.units,
            domains=None,
        ),
        unit="segment" if run.documents is None else "document",
        by_segment=_of_segments(statistics, run.by_segment, read.segments),
        references_per_segment=None if read.references_vary else references,
        warnings=warnings,
    )


def _of_segments(
    statistics: Sequence[StreamedStatistics], products: Sequence[Values], segments: int
) -> list[StreamedStatistics] | None:
    """Statistics with the moments of segments instead of those of documents."""
    if not products:
        return None
    return [
        replace(of_metric, count=segments, moments=moments, taken=None)
        for of_metric, moments in zip(statistics, products, strict=True)
    ]


def _statistics(
    run: _Pass, plan: Plan, totals: PartSums
) -> tuple[list[StreamedStatistics], list[Values]]:
    """The sums by metric."""
    taken, crossed = totals.taken, totals.crossed
    if plan.swaps is not None and plan.swaps.enumerates(totals.units) and totals.few is not None:
        count = 2**totals.units
        taken = plan.swaps.sums(totals.few, 0, count, enumerated=True)
        if plan.studentized:
            shaped = [np.empty((0, *shape)) for shape in run.shapes]
            products = _crossed(totals.few, shaped, plan.pairs, totals.sizes)
            crossed = plan.swaps.sums(products, 0, count, enumerated=True)
    ends = np.cumsum([int(np.prod(shape)) for shape in run.shapes])[:-1]

    def by_metric(sums: Values | None) -> list[Values | None]:
        if sums is None:
            return [None] * len(run.shapes)
        parts = np.split(sums, ends, axis=-1)
        return [
            part.reshape(*part.shape[:-1], *shape)
            for part, shape in zip(parts, run.shapes, strict=True)
        ]

    statistics = []
    squares = [shape[-1] ** 2 for shape in run.shapes for _ in plan.pairs]
    of_pairs = [] if crossed is None else np.split(crossed, np.cumsum(squares)[:-1], axis=1)
    labels = metric_labels(run.metrics)
    sums = [part for part in by_metric(totals.sums) if part is not None]
    for place, (label, metric) in enumerate(zip(labels, run.metrics, strict=True)):
        statistics.append(
            StreamedStatistics(
                label,
                metric,
                np.empty((0, *run.shapes[place])),
                count=totals.units,
                totals=sums[place],
                taken=by_metric(taken)[place],
                moments=totals.moments[place] if plan.moments else None,
                different=totals.different[place],
                crossed=dict(zip(plan.pairs, of_pairs[place * len(plan.pairs) :], strict=False)),
            )
        )
    drawn = [
        metric.score(part)
        for metric, part in zip(run.metrics, by_metric(totals.drawn), strict=True)
        if part is not None
    ]
    return statistics, drawn


# What verbs ask before and after.

# The bootstrap takes most of the time where there are millions of segments, and 1,000 replicates
# are enough for its intervals; tests have as many as in memory.
BOOTSTRAP_REPLICATES = 1_000
WHERE = "where texts are read part by part"


def refuse_in_parts(**given: object) -> None:
    """Refuse settings that need every segment in memory."""
    for name, value in given.items():
        if value is not None:
            raise SettingError(name, value, f"none {WHERE}: it needs all of them in memory")


def require_streamable(settings: IntervalSettings) -> None:
    """Refuse settings of intervals that need every segment in memory."""
    usable = [name for name, method in INTERVAL_METHODS.items() if not method.needs_units]
    if settings.interval not in usable:
        raise SettingError("interval", settings.interval, f"one of {', '.join(usable)} {WHERE}")
    if settings.bootstrap != "poisson":
        expected = f"poisson {WHERE}: nobody knows how many units there are to draw from"
        raise SettingError("bootstrap", settings.bootstrap, expected)
