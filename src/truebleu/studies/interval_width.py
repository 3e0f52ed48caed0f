"""Widths of intervals, as functions of test set size, number of references and replicates.

Zhang & Vogel (2004, §4.1, Figs. 4-7, Table 2) add random documents to a test set until it is
complete, do so 100 times, and average: the relative intervals narrow by about 30 % whenever the
data double.

They also (§4.2, Fig. 8, Tables 3 and 4) score one system with 1, 2, 3 and 4 references on 50 % to
100 % of the test set: relative intervals narrow with every reference, by as much as 10 to 15 % more
data would narrow them.

Finally (§4.3, Tables 5 and 6) they compute intervals from B = 100 to 100,000 replicates, 5,000
intervals for each B up to 10,000: the standard deviation of a bound is 7 % of the interval's width
at B = 100, and below 1 % at 10,000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise
from math import log2, sqrt
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np

import truebleu.studies._study as base
from truebleu.agreement.data import as_lists
from truebleu.counts.counts import Counts
from truebleu.errors import SettingError
from truebleu.execution.journal import Key, Record, Task
from truebleu.metrics.base import Metric
from truebleu.metrics.registry import as_requested
from truebleu.reports.document import Column, Plot, Table, percent
from truebleu.schema import Level, Setting
from truebleu.significance.intervals import min_replicates, percentile_interval
from truebleu.significance.settings import CompareSettings
from truebleu.significance.unit_counts import UnitCounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from typing_extensions import Unpack

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Requested
    from truebleu.metrics.registry import MetricsLike


__all__ = ["study_references", "study_replicates", "study_test_size"]

USUAL_SHARES = tuple(tenth / 10 for tenth in range(1, 11))
INTERVAL = "low: Interval from [+.2%] | high: to [+.2%] | width: Relative width [.2%]"
COLUMNS = base.columns(
    "metric | system | share: Data [%] | size: Units | score: Mean score [.3f] | "
    f"score_sd: SD of scores [.3f] | {INTERVAL} | fitted: By the law [.2%]"
)


class WidthOptions(base.PoolOptions, total=False):
    """Options of studies of growing parts of a test set."""

    shares: base.Shares
    replicates: base.Replicates
    level: Level


class TestSizeOptions(WidthOptions, total=False):
    """Options of `study_test_size`.

    Attributes:
        recount: True to count every part as a test set of its own. Otherwise all sizes share the
            weights that come from the whole text, such as NIST's information, so that their
            scores are comparable.
    """

    samples: Annotated[base.Growths, Setting(default=100)]
    recount: bool


@base.study(TestSizeOptions)
def study_test_size(
    test_set: TestSet | Counts, metrics: MetricsLike = "bleu", **options: Unpack[TestSizeOptions]
) -> base.StudyResult:
    """How do scores and intervals depend on how much of the test set is used?

    Random units are added to a test set until it is complete (Zhang & Vogel 2004, Figs. 4 to 7,
    Table 2): doubling the data narrows the relative interval by about 30 %. Like all bootstrap
    intervals, this assumes that units are independent draws from one population; the parts of one
    repetition are nested.

    Args:
        test_set: whole test set.
        metrics: metrics; scores of other tools or of human raters work too.
    """
    unit, level, recount = options["unit"], options["level"], options["recount"]
    samples, seed = options["samples"], options["seed"]
    resampling = CompareSettings.from_options(options)
    pool = base.Pool.of(test_set, metrics, unit)
    shares = sorted(options["shares"] or USUAL_SHARES)
    sizes = base.sizes_of_shares(shares, len(pool), unit, base.FEWEST_SIZES)
    recounted = None
    if recount:
        recounted = test_set.require_texts() if isinstance(test_set, Counts) else test_set
    tasks = [
        Task(
            (size, growth),
            partial(_of_part, pool, recounted, np.sort(order[:size]), resampling, index),
        )
        for growth, order in enumerate(base.orders_of_growth(len(pool), samples, seed))
        for index, size in enumerate(sizes, growth * len(sizes))
    ]
    settings, records = base.run_study(
        "test-size", options, pool.settings, tasks, shares=shares, sizes=sizes
    )
    title = (
        f"Scores and relative {100 * level:g} % intervals by the share of "
        f"{len(pool):,} {unit}s used, means over {samples} random orders"
    )
    plot = Plot("line", "share", "score", series="system", panel="metric")
    result = base.StudyResult(settings, title, COLUMNS, plot)
    result.details["laws"] = []
    for statistics in pool.statistics:
        label = statistics.label
        # Shaped (size, growth, value, system); the last value is the score.
        values = np.stack(
            [
                [base.from_record(records[key][label]) for key in records if key[0] == size]
                for size in sizes
            ]
        )
        widths = values[:, :, base.HIGH] - values[:, :, base.LOW]
        laws = {
            name: base.fit_law(sizes, column)
            for name, column in zip(pool.names, base.mean_of_known(widths, axis=1).T, strict=True)
        }
        # Averaging logarithms gives all systems the same weight.
        with np.errstate(divide="ignore", invalid="ignore"):
            logarithms = np.where(widths > 0, np.log(widths), np.nan)
        doubled = base.doubling(sizes, np.exp(base.mean_of_known(logarithms, axis=2)).T)
        parts = list(zip(shares, sizes, strict=True))
        of_metric = [{"metric": label, **row} for row in _size_rows(values, laws, parts)]
        result.rows.extend(of_metric)
        order = np.argsort(-statistics.sign * statistics.scores, kind="stable")
        # The paper's Figs. 4 to 7 show the best and the worst system with their intervals.
        for system in dict.fromkeys((pool.names[order[0]], pool.names[order[-1]])):
            result.chart_rows.extend(row for row in of_metric if row["system"] == system)
        result.details["laws"].append({"metric": label, "doubling": doubled, "systems": laws})
        result.sentences.append(f"{label}: {_law_sentence(doubled, laws, unit)}")
        metric = statistics.metric
        if isinstance(metric, Metric) and metric.counts_whole_text and not recount:
            result.sentences.append(
                f"{label} takes its weights from the whole test set, so that sizes compare; "
                "--recount gives the scores that smaller test sets would have by themselves."
            )
    return result


def _of_part(
    pool: base.Pool,
    recounted: TestSet | None,
    units: base.Sample,
    settings: CompareSettings,
    index: int,
) -> Record:
    """Compute each metric's medians, relative intervals and scores of all systems on `units`.

    If `recounted` is a test set, metrics that count the whole text, such as NIST, count only the
    part.
    """
    counted = pool.take(units)
    if recounted is not None:
        of_segment = base.units_of(recounted.outline, pool.unit).of_segment
        part = recounted.part(np.flatnonzero(np.isin(of_segment, units)).tolist())
        parts = base.units_of(part.outline, pool.unit)
        for position, counts in enumerate(counted):
            if isinstance(counts.metric, Metric) and counts.metric.counts_whole_text:
                rows = counts.metric.count(part).array()
                counted[position] = UnitCounts.of(counts.label, counts.metric, rows, parts)
    return {
        statistics.label: as_lists(np.vstack([intervals, statistics.scores]))
        for statistics, intervals in _relative(counted, settings, index)
    }


def _relative(
    counted: Sequence[UnitCounts], settings: CompareSettings, index: int
) -> Iterator[tuple[UnitCounts, base.Floats]]:
    """Yield each metric's counts, and the medians and relative intervals of all systems."""
    resampled = base.resampled_scores(counted, settings.replicates, settings.seed, index)
    for statistics, replicates in resampled:
        yield statistics, base.relative_intervals(replicates, settings.level)


def _size_rows(
    values: base.Floats, laws: Mapping[str, base.Law | None], parts: Sequence[tuple[float, int]]
) -> Iterator[base.Row]:
    """Yield a row for each system and size, averaged over random orders."""
    means = base.mean_of_known(values, axis=1)
    widths = base.mean_of_known(values[:, :, base.HIGH] - values[:, :, base.LOW], axis=1)
    deviations = values[:, :, -1].std(axis=1, ddof=1)
    for position, (system, width_law) in enumerate(laws.items()):
        for row, (share, size) in enumerate(parts):
            median, low, high, score = means[row, :, position]
            # Intervals are relative to the mean of the replicates' medians.
            around = {"score_low": median + abs(median) * low}
            around["score_high"] = median + abs(median) * high
            yield {
                "system": system,
                "share": share,
                "size": size,
                "score": float(score),
                "score_sd": float(deviations[row, position]),
                **base.or_none(**around, low=low, high=high, width=widths[row, position]),
                "fitted": None if width_law is None else width_law.width(size),
            }


def _law_sentence(
    doubled: base.Estimate | None, by_system: Mapping[str, base.Law | None], unit: str
) -> str:
    """Describe how doubling the data narrows a metric's intervals."""
    if doubled is None:
        return (
            f"no power law can be fitted: fewer than {base.FEWEST_SIZES} sizes have intervals, "
            "because scores are 0 or do not vary."
        )
    without = [system for system, width_law in by_system.items() if width_law is None]
    note = f" without {', '.join(without)}, whose scores are 0 or do not vary" if without else ""
    return (
        f"doubling the data narrows the interval by {doubled}{note}. Independent {unit}s would "
        f"give {percent(base.SQUARE_ROOT_NARROWING)}. The fitted law is width = c · "
        f"n^{log2(1 - doubled.value):.2f}."
    )


# References: their number, compared with the amount of test data.


REFERENCES_SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# Nine references have 511 sets, too many to score.
MOST_REFERENCES = 8
# Relative differences of widths below this are rounding.
SAME = 1e-9
REFERENCES_COLUMNS = base.columns(
    "metric | references | sets | share: Data [%] | size: Units | median: Mean of medians [.3f] | "
    + INTERVAL
)


class ReferencesOptions(WidthOptions, total=False):
    """Options of `study_references`."""

    samples: Annotated[base.Growths, Setting(default=20)]


@base.study(ReferencesOptions, needs_texts=True)
def study_references(
    test_set: TestSet, metrics: MetricsLike = "bleu", **options: Unpack[ReferencesOptions]
) -> base.StudyResult:
    """How much test data is an additional reference worth?

    Zhang & Vogel (2004, Fig. 8, Tables 3 and 4): intervals narrow with every reference, but no more
    than with 10 to 15 % more test data. The paper adds its references in order; this study averages
    over all sets of each size, so that no translator's style decides. All sets use the same parts
    of the test set and the same replicates, so that only the references make intervals differ.

    Args:
        test_set: test set with two to eight references, each of them complete.
        metrics: metrics to score by.
    """
    unit, level = options["unit"], options["level"]
    samples, seed = options["samples"], options["seed"]
    resampling = CompareSettings.from_options(options)
    _require_references(test_set)
    shares = sorted(options["shares"] or REFERENCES_SHARES)
    whole = base.Pool.of(test_set, metrics, unit)
    # All sets share the settings that depend on the references.
    fixed = [
        statistics.metric if isinstance(statistics.metric, Metric) else given
        for statistics, given in zip(whole.statistics, as_requested(metrics), strict=True)
    ]
    sizes = base.sizes_of_shares(shares, len(whole), unit, base.FEWEST_SIZES)
    orders = base.orders_of_growth(len(whole), samples, seed)
    parts = [[np.sort(order[:size]) for order in orders] for size in sizes]
    tasks = [
        Task(
            ("references", *references),
            partial(_intervals, test_set, references, fixed, unit, parts, resampling),
        )
        for references in sets_of_references(len(test_set.references))
    ]
    settings, records = base.run_study(
        "references", options, whole.settings, tasks, shares=shares, sizes=sizes
    )
    title = (
        f"Relative width of {100 * level:g} % intervals by the number of references and the "
        "share of the test set"
    )
    plot = Plot("line", "share", "width", series="given", panel="metric")
    result = base.StudyResult(settings, title, REFERENCES_COLUMNS, plot)
    result.details["further"] = []
    for label in (statistics.label for statistics in whole.statistics):
        groups = _group_by_references(label, records, sizes)
        result.rows.extend({"metric": label, **row} for row in _reference_rows(groups, shares))
        further = (
            [_worth_of_reference(*two) for two in pairwise(groups)]
            if _depend_on_references(groups)
            else []
        )
        result.details["further"].extend({"metric": label, **estimate} for estimate in further)
        words = _reference_sentences(groups, further)
        result.sentences.extend(f"{label}: {sentence}." for sentence in words)
    result.details["human"] = list(_human_share(test_set, whole))
    result.sentences.extend(
        f"Against the remaining references, {row['system']} has {row['system_score']:.2f} "
        f"{row['metric']} and the held-out reference {row['human_score']:.2f} "
        f"({percent(row['share'])} of the human score)."
        for row in result.details["human"]
    )
    result.sentences.append(
        f"All figures are means over systems, {samples} random orders and the {len(records)} sets "
        f"of {len(test_set.references)} references, with the same parts and replicates for each."
    )
    return replace(result, display_table=_grid(result.rows))


def sets_of_references(references: int) -> list[tuple[int, ...]]:
    """Return all sets of 1, 2, … references, as indices.

    >>> sets_of_references(3)
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    """
    sizes = range(1, references + 1)
    return [chosen for size in sizes for chosen in combinations(range(references), size)]


def _require_references(test_set: TestSet) -> None:
    count = len(test_set.references)
    if not 2 <= count <= MOST_REFERENCES:
        expected = f"2 to {MOST_REFERENCES} references, whose sets are compared"
        raise SettingError("references", count, expected)
    named = zip(test_set.reference_names, test_set.references, strict=True)
    if incomplete := [name for name, text in named if None in text]:
        expected = "every segment in each reference, so that every set of references is complete"
        raise SettingError("references", f"absent segments in {', '.join(incomplete)}", expected)


def _intervals(
    test_set: TestSet,
    references: tuple[int, ...],
    metrics: Sequence[Requested],
    unit: base.PoolUnit,
    parts: Sequence[Sequence[base.Sample]],
    settings: CompareSettings,
) -> Record:
    """Compute each metric's values with `references`, shaped (size, growth, value, system)."""
    pool = base.Pool.of(test_set.with_references(references), metrics, unit)
    record: Record = {statistics.label: [[] for _ in parts] for statistics in pool.statistics}
    for position, growths in enumerate(parts):
        for number, part in enumerate(growths):
            # All sets of references share replicates, so that only references differ.
            index = number * len(parts) + position
            for statistics, intervals in _relative(pool.take(part), settings, index):
                record[statistics.label][position].append(as_lists(intervals))
    return record


class _WithReferences(NamedTuple):
    """Results of one metric with a number of references.

    Attributes:
        references: number of references.
        sizes: sizes of the parts, in units.
        bounds: medians and bounds, shaped (set, size, growth, value, system).
    """

    references: int
    sizes: Sequence[int]
    bounds: base.Floats

    def widths(self, *axes: int) -> base.Floats:
        """Compute widths, shaped (set, size, growth, system), averaged over `axes`."""
        widths = self.bounds[:, :, :, base.HIGH] - self.bounds[:, :, :, base.LOW]
        return base.mean_of_known(widths, axis=axes)

    @property
    def means(self) -> base.Floats:
        """Mean width at each size."""
        return base.mean_of_known(self.widths(0, 3), axis=1)

    @property
    def width_law(self) -> base.Law | None:
        """Power law of the mean widths, or None without one."""
        return base.fit_law(self.sizes, self.means)


def _human_share(test_set: TestSet, whole: base.Pool) -> Iterator[base.Row]:
    """Compare systems with a held-out reference on the remaining references (Koehn 2004, §2.3).

    Scores are means over all choices of the held-out reference.
    """
    of_texts, metrics = [], []
    for statistics in whole.statistics:
        if isinstance(statistics.metric, Metric) and statistics.metric.reads_texts:
            of_texts.append(statistics)
            metrics.append(statistics.metric)
    longer = max(test_set.systems, key=len) + "'"  # a name that no system has
    scores = []
    for index, left_out in enumerate(test_set.references):
        others = [other for other in range(len(test_set.references)) if other != index]
        systems = {**test_set.systems, longer: left_out}
        limited = replace(test_set.with_references(others), systems=systems)
        counted = base.Pool.of(limited, metrics).statistics if metrics else ()
        scores.append([statistics.scores for statistics in counted])
    for statistics, means in zip(of_texts, np.mean(scores, axis=0), strict=True):
        for system, score in zip(whole.names, means[:-1].tolist(), strict=True):
            if means[-1]:
                human = {"system_score": score, "human_score": float(means[-1])}
                share = {"share": score / float(means[-1])}
                yield {"metric": statistics.label, "system": system, **human, **share}


def _group_by_references(
    label: str, records: Mapping[Key, Record], sizes: Sequence[int]
) -> list[_WithReferences]:
    """Group a metric's values by number of references, ascending."""
    by_count: dict[int, list[base.Floats]] = {}
    for key, record in records.items():
        by_count.setdefault(len(key) - 1, []).append(base.from_record(record[label]))
    return [_WithReferences(count, sizes, np.stack(by_count[count])) for count in sorted(by_count)]


def _reference_rows(
    groups: Sequence[_WithReferences], shares: Sequence[float]
) -> Iterator[base.Row]:
    for group in groups:
        means = base.mean_of_known(group.bounds, axis=(0, 2, 4))
        for share, size, values in zip(shares, group.sizes, means, strict=True):
            median, low, high = values
            yield {
                "references": group.references,
                "given": f"{group.references} reference{'s' * (group.references > 1)}",
                "sets": len(group.bounds),
                "share": share,
                "size": size,
                "median": float(median),
                **base.or_none(low=low, high=high, width=high - low),
            }


def _grid(rows: Sequence[base.Row]) -> Table:
    """Tabulate intervals by number of references and share of the data, as the paper's Table 4."""
    lines: dict[tuple[str, float], base.Row] = {}
    for row in rows:
        cells = {"metric": row["metric"], "share": row["share"], "size": row["size"]}
        line = lines.setdefault((row["metric"], row["share"]), cells)
        shown = [f"{100 * row[end]:+.2f} %" for end in ("low", "high") if row[end] is not None]
        line[row["given"]] = f"[{', '.join(shown)}]" if shown else None
    given = dict.fromkeys(row["given"] for row in rows)
    columns = base.columns("metric | share: Data [%] | size: Units")
    return Table((*columns, *(Column(name, name) for name in given)), tuple(lines.values()))


def _depend_on_references(groups: Sequence[_WithReferences]) -> bool | None:
    """Return whether intervals depend on references, or None if scores are 0 or do not vary."""
    if any(group.width_law is None for group in groups):
        return None
    widths = [group.means[-1] for group in groups]
    return bool(max(widths) - min(widths) > SAME * max(widths))


def _worth_of_reference(fewer: _WithReferences, more: _WithReferences) -> base.Row:
    """Estimate the worth of one more reference; its error is about random orders of the test set.

    Growths without a power law, or whose intervals do not narrow with more data, are left out.
    """
    sizes = more.sizes
    laws = [[base.fit_law(sizes, row) for row in group.widths(0, 3).T] for group in (fewer, more)]
    worths = (worth_in_data(a, b, sizes[-1]) for a, b in zip(*laws, strict=True) if a and b)
    shares = [share for share in worths if share is not None]
    share = base.mean_estimate(shares) if shares else None
    return {"references": more.references, "share": share}


def worth_in_data(fewer: base.Law, more: base.Law, size: int) -> float | None:
    """Return the share of `size` units on which more references match fewer ones on all units.

    Matching means intervals of equal width; None if more data do not narrow intervals. Zhang &
    Vogel (2004, Table 4) have 80 to 90 % for 2 references instead of 1.
    """
    needed = more.size(fewer.width(size))
    return None if needed is None else needed / size


def _reference_sentences(
    groups: Sequence[_WithReferences], further: Sequence[base.Row]
) -> Iterator[str]:
    depends = _depend_on_references(groups)
    if not depends:
        nothing = "there are no intervals, because scores are 0 or do not vary"
        same = "its intervals do not depend on the references"
        yield nothing if depends is None else same
        return
    first, last = groups[0].means[-1], groups[-1].means[-1]
    word = "narrower" if last < first else "wider"
    yield (
        f"with {len(groups)} references the interval is {percent(abs(1 - last / first))} {word} "
        f"than with one, {percent(last, 2)} of the score instead of {percent(first, 2)}"
    )
    for estimate in further:
        share, references = estimate["share"], estimate["references"]
        if share is None:
            yield f"the value of reference {references} is unknown"
            continue
        change = 100 * (1 / share.value - 1)
        value = f"{change:.0f} % more" if change > 0 else f"{-change:.0f} % less"
        yield (
            f"the whole test set with {references - 1} reference{'s' if references > 2 else ''} "
            f"gives as narrow an interval as {share} of it with {references}: reference "
            f"{references} is worth {value} data"
        )


# Replicates: the number that the bootstrap needs.


USUAL_REPLICATES = (100, 200, 500, 1000, 2000, 5000, 10_000)
REPLICATES_COLUMNS = base.columns(
    "metric | system | replicates: B | runs | median [.3f] | low: Interval from [+.2%] | "
    "high: to [+.2%] | sd_low: STDEV of lower [.3%] | sd_high: of upper [.3%] | "
    "relative_sd: STDEV / width [.1%]"
)
REPLICATES_PLOT = Plot(
    "line", "replicates", "relative_sd", series="metric", log_x=True, zero_y=True
)
HISTOGRAM_PLOT = Plot("bar", "score", "count", series="part", panel="case")
# Number of bins between the bounds of the interval.
MIDDLE_BINS = 16


class ReplicatesOptions(base.PoolOptions, total=False):
    """Options of `study_replicates`.

    Attributes:
        replicates: numbers of replicates, B. Default: 100 to 10,000.
        repetitions: runs with the largest B; a smaller B cuts the same replicates into more runs.
        enough: largest standard deviation of the bounds, as a share of the interval's width, at
            which a B is enough.
        figure: chart to draw: deviations of the intervals by B, or the histogram of each system's
            scores for the largest B with the percentiles of its interval (Figs. 1 and 2).
    """

    replicates: Annotated[Sequence[int] | None, Setting(minimum=1, metavar="N,N,...")]
    repetitions: Annotated[int, Setting(minimum=5, maximum=base.MOST_TASKS, default=20)]
    enough: Annotated[float, Setting(above=0, below=1, default=0.02)]
    figure: Annotated[Literal["deviations", "histogram"], Setting(default="deviations")]
    level: Level


@base.study(ReplicatesOptions)
def study_replicates(
    test_set: TestSet | Counts, metrics: MetricsLike = "bleu", **options: Unpack[ReplicatesOptions]
) -> base.StudyResult:
    """How many replicates does the bootstrap need?

    Zhang & Vogel (2004, Tables 5 and 6): the relative interval and the standard deviation of its
    bounds for B = 100 to 100,000; beyond 2,000 replicates there are only small changes. Replicates
    are drawn once, for the largest B. Every smaller B cuts these replicates into more, disjoint
    runs.

    Args:
        test_set: test set to resample.
        metrics: metrics to score by.
    """
    unit, level, seed = options["unit"], options["level"], options["seed"]
    repetitions, enough, figure = options["repetitions"], options["enough"], options["figure"]
    chosen = sorted(set(options["replicates"] or USUAL_REPLICATES))
    if chosen[0] < (minimum := min_replicates(level)):
        raise SettingError("replicates", chosen[0], f"at least {minimum} for the level {level:g}")
    pool = base.Pool.of(test_set, metrics, unit)
    if len(pool) < 2:
        expected = f"at least two {unit}s, to estimate the spread"
        raise SettingError("test set", f"one {unit}", expected)
    tasks = [
        Task((repetition,), partial(_runs, pool, chosen, repetition, level, seed))
        for repetition in range(repetitions)
    ]
    if figure == "histogram":
        tasks.append(Task(("histogram",), partial(_histograms, pool, chosen[-1], level, seed)))
    settings, records = base.run_study(
        "replicates", options, pool.settings, tasks, unused=["enough", "figure"], replicates=chosen
    )
    histograms = records.pop(("histogram",), None)
    title = (
        f"Relative {100 * level:g} % intervals from B replicates, and the standard "
        "deviations of their bounds"
    )
    plot = replace(REPLICATES_PLOT, reference=enough)
    result = base.StudyResult(settings, title, REPLICATES_COLUMNS, plot)
    result.details["needed"] = []
    for label in (statistics.label for statistics in pool.statistics):
        of_metric = [
            {"metric": label, **row} for row in _replicates_rows(pool, label, records, chosen)
        ]
        means = _mean_relative_sds(of_metric)
        needed = smallest_enough(means, enough)
        result.rows.extend(of_metric)
        result.details["needed"].append({"metric": label, "enough": needed})
        result.chart_rows.extend(
            {"metric": label, "replicates": b, "relative_sd": means.get(b)} for b in chosen
        )
        result.sentences.append(f"{label}: {_replicates_sentence(means, needed, enough)}.")
        without = dict.fromkeys(row["system"] for row in of_metric if row["relative_sd"] is None)
        if without and means:
            systems = ", ".join(without)
            result.sentences.append(
                f"{label}: there are no figures for {systems}: scores are 0 or do not vary."
            )
    if histograms is not None:
        return replace(result, plot=HISTOGRAM_PLOT, chart_rows=histograms["bins"])
    return result


def _histograms(pool: base.Pool, replicates: int, level: float, seed: int) -> Record:
    """Count replicates by score, in bins that begin at the interval's lower bound."""
    bins: list[base.Row] = []
    for statistics, scores in base.resampled_scores(pool.statistics, replicates, seed, 0):
        digits = statistics.metric.digits
        bounds = zip(pool.names, scores.T, *percentile_interval(scores, level), strict=True)
        for system, system_scores, low, high in bounds:
            interval = f"{100 * level:g} % interval from {low:.{digits}f} to {high:.{digits}f}"
            case = f"{statistics.label} of {system}: {interval}"
            width = (high - low) / MIDDLE_BINS or 1.0
            steps, counts = np.unique(np.floor((system_scores - low) / width), return_counts=True)
            for step, count in zip(steps.tolist(), counts.tolist(), strict=True):
                part = "middle" if 0 <= step < MIDDLE_BINS else "tails"
                score = f"{low + width * step:.{digits}f}"
                bins.append({"case": case, "score": score, "count": count, "part": part})
    return {"bins": bins}


def _runs(
    pool: base.Pool, chosen: Sequence[int], repetition: int, level: float, seed: int
) -> Record:
    """Compute intervals of one repetition's replicates, cut into runs of every B."""
    largest = chosen[-1]
    return {
        statistics.label: [
            [
                as_lists(base.relative_intervals(replicates[start : start + number], level))
                for start in range(0, largest - number + 1, number)
            ]
            for number in chosen
        ]
        for statistics, replicates in base.resampled_scores(
            pool.statistics, largest, seed, repetition
        )
    }


def _replicates_rows(
    pool: base.Pool, label: str, records: Mapping[Key, Record], chosen: Sequence[int]
) -> Iterator[base.Row]:
    # One array per B, shaped (run, value, system).
    by_number = [
        np.concatenate([base.from_record(record[label][index]) for record in records.values()])
        for index in range(len(chosen))
    ]
    for system, name in enumerate(pool.names):
        for number, runs in zip(chosen, by_number, strict=True):
            median, low, high = runs[:, :, system].mean(axis=0)
            _, sd_low, sd_high = runs[:, :, system].std(axis=0, ddof=1)
            # NaN if scores are 0 or constant: there is no width to divide by.
            width = high - low if high > low else np.nan
            numbers = {"low": low, "high": high, "sd_low": sd_low, "sd_high": sd_high}
            # Both bounds have the same deviation in theory; the larger one would be so by chance.
            numbers["relative_sd"] = sqrt((sd_low**2 + sd_high**2) / 2) / width
            names = {"system": name, "replicates": number, "runs": len(runs)}
            yield {**names, "median": float(median), **base.or_none(**numbers)}


def _mean_relative_sds(rows: Sequence[base.Row]) -> dict[int, float]:
    """Average the bounds' relative deviations over systems, by B; leaves out unknown ones."""
    values: dict[int, list[float]] = {}
    for row in rows:
        if row["relative_sd"] is not None:
            values.setdefault(row["replicates"], []).append(row["relative_sd"])
    return {number: sum(of_number) / len(of_number) for number, of_number in values.items()}


def smallest_enough(means: Mapping[int, float], limit: float) -> int | None:
    """Return the smallest B from which on all deviations are within the limit, or None."""
    minimum = None
    for number in sorted(means, reverse=True):
        if means[number] > limit:
            break
        minimum = number
    return minimum


def _replicates_sentence(means: Mapping[int, float], needed: int | None, enough: float) -> str:
    if not means:
        return "there are no intervals, because scores are 0 or do not vary"
    number = needed or max(means)
    verdict = f"{number:,} replicates are enough"
    if needed is None:
        verdict = f"even {number:,} replicates are not enough"
    return (
        f"{verdict}: the bounds' standard deviation is {percent(means[number])} of the interval's "
        f"width, and the limit is {100 * enough:g} %"
    )
