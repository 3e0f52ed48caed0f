"""Systems compared over many test sets, such as one per language: the verb `panel`.

A mean over test sets answers one of two questions. Are these systems different *on these test sets*
("fixed")? Then only the units within each set vary, and the standard error of the mean comes from
the standard errors within the sets. Or would the systems differ *in further languages like these*
("drawn")? Then the differences of the sets themselves are the sample, and the standard error comes
from their spread between languages. The second question needs more evidence, and its answer does
not extend to languages unlike the given ones.

Each set has its own test, by approximate randomization. The tests of many sets are corrected by
control of the false discovery rate (Benjamini and Hochberg 1995), which also controls wrong signs;
their intervals invert the tests at the levels that this correction leaves (Benjamini and Yekutieli
2005), so that an interval excludes 0 exactly if the set's verdict is not "undecided". The variance
of the true differences between sets is Paule and Mandel's (1982) estimate, which has less bias with
few sets than DerSimonian and Laird's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypedDict

import numpy as np

from truebleu import schema
from truebleu._results import Result
from truebleu.corpus.sequences import is_frame
from truebleu.corpus.test_set import TestSet
from truebleu.counts.counts import Counts
from truebleu.counts.inputs import counts_of, paths_in
from truebleu.errors import SettingError
from truebleu.metrics.base import MeanScorer
from truebleu.significance.corrections import adjust, adjusted_alphas
from truebleu.significance.pairs import (
    pairs_to_compare,
    rank_ranges,
    significantly_better,
    swap_tests,
)
from truebleu.significance.panel_files import read_panel
from truebleu.significance.settings import (
    CompareSettings,
    ResamplingSettings,
    chosen_unit,
    units_of,
)
from truebleu.significance.student import student_p, student_quantiles
from truebleu.significance.unit_counts import are_rates, count_units

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from truebleu.corpus.outline import RowKind
    from truebleu.corpus.text_warnings import TextWarning
    from truebleu.counts.counts import MetricCounts
    from truebleu.metrics.base import Signature
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Values
    from truebleu.significance.pairs import DifferenceBounds, PairTests
    from truebleu.significance.replicates import Progress
    from truebleu.significance.unit_counts import Pair

__all__ = ["Heterogeneity", "Panel", "PanelComparison", "PanelSettings", "PanelSystem", "SetResult"]

Languages = Literal["fixed", "drawn"]
Verdict = Literal["better", "worse", "undecided"]
Interval = tuple[float, float]
# Fewest sets that allow a prediction about a further set.
FEWEST_FOR_PREDICTION = 3


class PanelOptions(TypedDict, total=False):
    """Options of `panel`.

    Attributes:
        languages: scope of means: "fixed" for these test sets only, or "drawn" for further test
            sets like these, as if they were a random sample.
        unit: unit to swap. Default: document in test sets that have documents, else segment.
    """

    baseline: schema.Baseline
    languages: Languages
    level: schema.Level
    replicates: schema.Replicates
    seed: schema.Seed
    unit: schema.TextUnitChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSettings(schema.Settings):
    """Settings of a panel; `panel` describes its options.

    Attributes:
        replicates: number of replicates of the test on each test set.
        level: confidence level of intervals, and 1 minus the level of tests and of the false
            discovery rate.
        unit: unit that is swapped; None for documents in test sets that have them, else segments.
    """

    OPTIONS = PanelOptions

    languages: Languages = "fixed"
    replicates: int = schema.DEFAULT_REPLICATES
    seed: int = schema.DEFAULT_SEED
    level: float = schema.DEFAULT_LEVEL
    unit: schema.TextUnit | None = None
    baseline: str | None = None

    @staticmethod
    def refuse_conflicts(options: Mapping[str, Any]) -> None:
        """Raise SettingError for too few replicates for any p to be significant."""
        ResamplingSettings.refuse_conflicts(options)

    @property
    def alpha(self) -> float:
        """Significance level of tests."""
        return 1 - self.level


@dataclass(frozen=True, slots=True, kw_only=True)
class SetResult:
    """A difference on one test set: `a` minus `b`, with its standard error, test and interval.

    `p_adjusted` is corrected for the number of test sets, by Benjamini and Hochberg, and the
    interval is adjusted likewise: it excludes 0 exactly if `p_adjusted` is at most 1 minus the
    level. Of the intervals of sets that are called better or worse, the expected share that misses
    is at most 1 minus the level.
    """

    test_set: str
    difference: float
    error: float
    interval: DifferenceBounds
    p: float
    p_adjusted: float
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Heterogeneity:
    """Variation of the true differences between sets.

    Attributes:
        tau: standard deviation of the true differences.
        i_squared: share of the variance between sets that is not due to errors within sets.
        p: p-value of the hypothesis that the true differences are all equal, by Welch's F.
        prediction: prediction interval of the true difference in a further set; None with fewer
            than three sets.
    """

    tau: float
    i_squared: float
    p: float
    prediction: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelComparison:
    """One pair by one metric over all sets that have both systems.

    Attributes:
        metric: label of the metric.
        a: name of the first system.
        b: name of the second system.
        difference: mean over sets of the score of `a` minus the score of `b`.
        fixed: interval of the mean on these sets.
        drawn: interval of the mean over further sets like these; None with one set. The interval
            that p is about, fixed or drawn, is adjusted for the number of pairs as p_adjusted is:
            it excludes 0 exactly if the difference is significant.
        p: p-value about the languages of the settings, fixed or drawn; None for "drawn" with one
            set.
        p_adjusted: p after Holm's correction for the number of pairs by this metric.
        significant: True if p_adjusted is at most 1 minus the level.
        heterogeneity: variation between the sets; None with one set.
        sets: difference on each set.
        missing: names of the sets that lack one of the two systems.
    """

    metric: str
    a: str
    b: str
    difference: float
    fixed: Interval
    drawn: Interval | None
    p: float | None
    p_adjusted: float | None
    significant: bool
    heterogeneity: Heterogeneity | None
    sets: tuple[SetResult, ...]
    missing: tuple[str, ...]

    def count(self, verdict: Verdict) -> int:
        """Count the sets in which `a` is better, worse or undecided."""
        return sum(row.verdict == verdict for row in self.sets)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSystem:
    """A system by one metric.

    Attributes:
        metric: label of the metric.
        name: name of the system.
        score: mean score over the sets that have all systems. If no set has all systems, the mean
            over all sets, or None if some sets lack this system.
        ranks: best and worst rank that the tests leave; None with a baseline.
        scores: score on each set that has the system, by name of the set.
    """

    metric: str
    name: str
    score: float | None
    ranks: tuple[int, int] | None
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSet:
    """A test set's name, its sizes, and its unit of swaps.

    Attributes:
        name: name of the test set.
        segments: number of segments or items.
        unit: unit that was swapped as a whole.
        units: number of units.
        rows: kind of rows, "segments" of systems or "items" of models.
    """

    name: str
    segments: int
    unit: schema.Unit
    units: int
    rows: RowKind = "segments"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Panel(Result):
    """Systems compared over many test sets.

    Attributes:
        settings: settings of the panel.
        test_sets: test sets in the given order.
        signatures: signatures of each metric, by label; several if the sets' tokenizers differ.
        higher_is_better: direction of each metric, by label.
        digits: decimals to display, by metric label.
        percent: labels of the metrics whose scores of items are 0 or 1 on every set.
        common: names of the sets that have all systems.
        systems: every system by every metric.
        comparisons: every pair by every metric.
        warnings: warnings about the texts, each with its test set.
    """

    REPORT: ClassVar[str] = "truebleu.reports.panel"

    settings: PanelSettings
    test_sets: tuple[PanelSet, ...]
    signatures: Mapping[str, tuple[Signature, ...]]
    higher_is_better: Mapping[str, bool | None]
    digits: Mapping[str, int]
    percent: tuple[str, ...]
    common: tuple[str, ...]
    systems: tuple[PanelSystem, ...]
    comparisons: tuple[PanelComparison, ...]
    warnings: tuple[TextWarning, ...] = ()

    @property
    def rows(self) -> RowKind:
        """Kind of rows: "items" if all test sets have items, else "segments"."""
        return (
            "items" if {test_set.rows for test_set in self.test_sets} == {"items"} else "segments"
        )

    def of(self, metric: str) -> tuple[PanelComparison, ...]:
        """Return the comparisons by one metric."""
        return tuple(pair for pair in self.comparisons if pair.metric == metric)

    def facts(self) -> dict[str, Any]:
        """Return plain values, without sentences."""
        metrics = [
            {
                "name": label,
                "signatures": list(map(str, signatures)),
                "higher_is_better": self.higher_is_better[label],
            }
            for label, signatures in self.signatures.items()
        ]
        values = Result.facts(self) | {"metrics": metrics}
        del values["signatures"], values["higher_is_better"]
        return values


@schema.takes(PanelSettings)
def panel(
    test_sets: Mapping[str, Any] | str | PathLike[str] | Sequence[str | PathLike[str]],
    metrics: MetricsLike | None = None,
    *,
    progress: Progress | None = None,
    executor: Executor | None = None,
    **options: Unpack[PanelOptions],
) -> Panel:
    """Which systems differ over many test sets, and in how many of them?

    >>> from truebleu.corpus import as_test_set
    >>> texts = {"a": ["the cat sat on the mat"] * 9, "b": ["a cat is on a mat"] * 9}
    >>> sets = {name: as_test_set(texts, ["the cat sat on the mat"] * 9) for name in ("de", "fr")}
    >>> panel(sets, ["chrf"]).comparisons[0].count("better")
    2

    Args:
        test_sets: test sets, scores of items, or counts, by a name such as a language pair; or
            paths, as the command takes them. Some sets may lack some systems.
        metrics: names or objects. Default: BLEU, the scores of items, or all metrics of counts.
        progress: function called with the number of replicates made since the last call.
        executor: executor that counts and tests the test sets, such as
            `truebleu.execution.Processes(4)`.
    """
    settings = PanelSettings.from_options(options)
    counts = _count_sets(test_sets, metrics)
    names = list(dict.fromkeys(name for part in counts.values() for name in part.outline.systems))
    pairs = pairs_to_compare(names, settings.baseline)
    sets = _compare_sets(counts, names, pairs, settings, progress, executor)
    scorers = {metric.label: metric.scorer for metric in next(iter(counts.values())).metrics}
    comparisons: list[PanelComparison] = []
    systems: list[PanelSystem] = []
    for index, (label, scorer) in enumerate(scorers.items()):
        by_metric = _MetricPanel(label, index, scorer.sign, names, sets, settings)
        by_pair = by_metric.compare(pairs)
        comparisons += by_pair.values()
        systems += by_metric.average(by_pair)
    return Panel(
        settings=settings,
        test_sets=tuple(test_set.sizes for test_set in sets),
        signatures={
            label: tuple(
                dict.fromkeys(part.signature(part.metrics[index]) for part in counts.values())
            )
            for index, label in enumerate(scorers)
        },
        higher_is_better={label: scorer.higher_is_better for label, scorer in scorers.items()},
        digits={label: scorer.digits for label, scorer in scorers.items()},
        percent=tuple(
            label
            for index, label in enumerate(scorers)
            if all(_are_rates(part.metrics[index]) for part in counts.values())
        ),
        common=tuple(row.sizes.name for row in sets if len(row.index) == len(names)),
        systems=tuple(systems),
        comparisons=tuple(comparisons),
        warnings=panel_warnings(counts),
    )


def _are_rates(metric: MetricCounts) -> bool:
    is_mean = isinstance(metric.scorer, MeanScorer)
    return is_mean and are_rates(metric.scorer, metric.rows.stored())


def panel_warnings(counts: Mapping[str, Counts]) -> tuple[TextWarning, ...]:
    """Return the warnings about all texts of a panel; they begin with their test set."""
    return tuple(
        replace(warning, text=f"{name}: {warning.text}", message=f"{name}: {warning.message}")
        for name, part in counts.items()
        for warning in part.outline.warnings
    )


def _count_sets(test_sets: Any, metrics: MetricsLike | None) -> dict[str, Counts]:
    """Count all test sets; raises SettingError unless they have the same metrics."""
    paths = paths_in(test_sets) if not isinstance(test_sets, Mapping) else None
    if paths is not None:
        return read_panel(paths, metrics)
    schema.require_type("test_sets", test_sets, Mapping, "test sets by name, or paths")
    if not test_sets:
        raise SettingError("test_sets", "none", "at least one test set")
    counts = {name: _count(name, source, metrics) for name, source in test_sets.items()}
    _require_same_scores(counts)
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class _MetricPanel:
    """The results of all sets by one metric.

    Attributes:
        label: label of the metric.
        index: index of the metric.
        sign: -1 if lower is better, else 1.
        names: names of all systems.
        sets: results on each set.
        settings: settings of the panel.
    """

    label: str
    index: int
    sign: int
    names: Sequence[str]
    sets: Sequence[_ComparedSet]
    settings: PanelSettings

    def compare(self, pairs: Sequence[Pair]) -> dict[Pair, PanelComparison]:
        """Compare the pairs that any set has; verdicts are corrected by Holm's method."""
        by_pair = {
            pair: {row.sizes.name: row.differences[self.index].get(pair) for row in self.sets}
            for pair in pairs
        }
        present = {
            pair: rows
            for pair, by_set in by_pair.items()
            if (rows := [row for row in by_set.values() if row is not None])
        }
        p = {pair: _test_mean(rows, self.settings.languages) for pair, rows in present.items()}
        known = [pair for pair in present if p[pair] is not None]
        p_values = np.array([p[pair] for pair in known], dtype=np.float64)
        adjusted = adjust(p_values, "holm")
        alphas = adjusted_alphas(p_values, adjusted, "holm", self.settings.alpha)
        decisions = zip(adjusted.tolist(), alphas.tolist(), strict=True)
        corrected = dict(zip(known, decisions, strict=True))
        return {
            (a, b): average_differences(
                self.label,
                (self.names[a], self.names[b]),
                self.sign,
                rows,
                tuple(name for name, row in by_pair[a, b].items() if row is None),
                self.settings,
                corrected.get((a, b)),
            )
            for (a, b), rows in present.items()
        }

    def average(self, compared: Mapping[Pair, PanelComparison]) -> list[PanelSystem]:
        """Average each system's scores over the sets, and rank the systems."""
        ranks: Sequence[tuple[int, int] | None] = [None] * len(self.names)
        if self.settings.baseline is None:
            better = significantly_better(
                len(self.names),
                list(compared),
                [pair.difference for pair in compared.values()],
                [pair.significant for pair in compared.values()],
                higher_is_better=self.sign > 0,
            )
            ranks = rank_ranges(better)
        everywhere = [row.sizes.name for row in self.sets if len(row.index) == len(self.names)]
        systems = []
        for number, (name, of_system) in enumerate(zip(self.names, ranks, strict=True)):
            scores = {
                row.sizes.name: float(row.scores[self.index][row.index[number]])
                for row in self.sets
                if number in row.index
            }
            averaged = [scores[test_set] for test_set in everywhere] or [*scores.values()]
            has_mean = everywhere or len(scores) == len(self.sets)
            systems.append(
                PanelSystem(
                    metric=self.label,
                    name=name,
                    score=float(np.mean(averaged)) if has_mean else None,
                    ranks=of_system,
                    scores=scores,
                )
            )
        return systems


def _count(name: str, source: Any, metrics: MetricsLike | None) -> Counts:
    """Count one test set of a panel; raises SettingError if `source` is not a test set."""
    from truebleu.scores.items import ItemScores

    known = isinstance(source, TestSet | Counts | ItemScores | Mapping | list) or is_frame(source)
    if not known:
        raise SettingError(f"test set {name}", source, "a TestSet, scores by model, or Counts")
    return counts_of(source, None, metrics)


def _require_same_scores(counts: Mapping[str, Counts]) -> None:
    """Check that all sets have the same metrics; raises SettingError."""
    (first, names), *others = (
        (name, [metric.scorer.name for metric in part.metrics]) for name, part in counts.items()
    )
    for name, others_names in others:
        if others_names != names:
            expected = (
                f"{', '.join(names)} as in {first}; scores:column=A/B takes the column that a set "
                "has, and name=NAME gives it one name in all sets"
            )
            raise SettingError(f"test set {name}", ", ".join(others_names), expected)


@dataclass(frozen=True, slots=True, eq=False)
class SetDifference:
    """A pair on one set: difference, standard error, degrees of freedom and p-value.

    `intervals` are adjusted for 1, 2, … rejections among the sets.
    """

    test_set: str
    difference: float
    error: float
    degrees: int
    p: float
    intervals: Sequence[DifferenceBounds]


@dataclass(frozen=True, slots=True, eq=False)
class _ComparedSet:
    """Results on one test set; systems are numbered as in the panel.

    Attributes:
        sizes: name, sizes and unit of the set.
        index: index in the set of each system that the set has, by number in the panel.
        scores: scores of the set's systems, for each metric.
        differences: differences of the pairs that the set has, for each metric.
    """

    sizes: PanelSet
    index: Mapping[int, int]
    scores: Sequence[Values]
    differences: Sequence[Mapping[Pair, SetDifference]]


def _compare_set(
    name: str,
    counts: Counts,
    systems: Sequence[str],
    families: Mapping[Pair, int],
    settings: PanelSettings,
    progress: Progress | None = None,
) -> _ComparedSet:
    """Test the pairs that a set has by all metrics on the same swaps.

    Args:
        name: name of the test set.
        counts: counts of the test set; texts that were not counted yet are counted here.
        systems: all systems of the panel.
        families: number of sets that have each pair, by the numbers of its systems.
        settings: settings of the panel.
        progress: function called with the number of replicates made since the last call.
    """
    outline, order = counts.outline, list(counts.outline.systems)
    index = {number: order.index(name) for number, name in enumerate(systems) if name in order}
    unit = chosen_unit(settings.unit, outline)
    try:
        units = units_of(outline, CompareSettings(unit=unit))
    except SettingError as refusal:  # add the name of the set
        _, found, expected = refusal.args
        raise SettingError(f"test set {name}", found, expected) from None
    unit_counts = count_units(counts, units)
    present = [pair for pair in families if all(number in index for number in pair)]
    local = [(index[a], index[b]) for a, b in present]
    single = CompareSettings.from_options(asdict(settings), unit="segment", correction="none")
    tests = swap_tests(unit_counts, local, single, progress) if present else []
    family = np.array([families[pair] for pair in present])
    differences: list[dict[Pair, SetDifference]] = [{} for _ in unit_counts]
    for metric, tested, of_metric in zip(unit_counts, tests, differences, strict=bool(present)):
        numbers = metric.differences(local), metric.errors_of_pairs(local), tested.p
        intervals = _intervals_by_rejections(tested, family, settings.alpha)
        for at, (pair, *of_pair) in enumerate(
            zip(present, *map(np.ndarray.tolist, numbers), strict=True)
        ):
            difference, error, p = of_pair
            of_metric[pair] = SetDifference(
                test_set=name,
                difference=difference,
                error=error,
                degrees=len(units) - 1,
                p=p,
                intervals=[bounds[at] for bounds in intervals[: families[pair]]],
            )
    return _ComparedSet(
        sizes=PanelSet(
            name=name, segments=len(counts), unit=unit, units=len(units), rows=outline.rows
        ),
        index=index,
        scores=[metric.scores for metric in unit_counts],
        differences=differences,
    )


def _intervals_by_rejections(
    tested: PairTests, sets: NDArray[np.int64], alpha: float
) -> list[list[DifferenceBounds]]:
    """Return the intervals of all pairs for each number of rejections among their sets, from 1.

    Benjamini and Hochberg reject k of m sets at alpha k / m. The intervals of these sets have this
    alpha; the other intervals have alpha (k + 1) / m, as if their sets were rejected, too.
    """
    intervals = []
    for rejections in range(1, sets.max(initial=0) + 1):
        count = np.minimum(rejections, sets)
        alphas, is_rejected = alpha * count / sets, tested.p * sets / count <= alpha
        # Rounding must not part an interval from its test.
        above, below = np.maximum(alphas, tested.p), np.nextafter(tested.p, 0)
        intervals.append(tested.intervals(np.where(is_rejected, above, np.minimum(alphas, below))))
    return intervals


def _compare_sets(
    counts: Mapping[str, Counts],
    systems: Sequence[str],
    pairs: Sequence[Pair],
    settings: PanelSettings,
    progress: Progress | None,
    executor: Executor | None,
) -> list[_ComparedSet]:
    """Compare the systems on every test set, in one task per set if there is an executor."""
    from truebleu.execution.executors import completed

    order = {name: index for index, name in enumerate(systems)}
    held = [{order[name] for name in part.outline.systems} for part in counts.values()]
    families = {pair: sum(set(pair) <= numbers for numbers in held) for pair in pairs}
    about = systems, families, settings
    if executor is None:
        return [_compare_set(name, part, *about, progress) for name, part in counts.items()]
    calls = [partial(_compare_set, name, part, *about) for name, part in counts.items()]
    results: dict[int, _ComparedSet] = {}
    for index, result in completed(executor, calls):
        results[index] = result
        if progress is not None:
            progress(settings.replicates)
    return [results[index] for index in range(len(calls))]


def average_differences(
    metric: str,
    pair: tuple[str, str],
    sign: int,
    rows: Sequence[SetDifference],
    missing: tuple[str, ...],
    settings: PanelSettings,
    corrected: tuple[float, float] | None = None,
) -> PanelComparison:
    """Average a pair's difference over sets.

    Args:
        metric: label of the metric.
        pair: names of the two systems.
        sign: -1 if lower is better, else 1.
        rows: difference on each set that has both systems.
        missing: names of the other sets.
        settings: settings of the panel.
        corrected: p-value corrected for other pairs, and the alpha that the correction leaves; None
            without a correction.
    """
    fixed, drawn = _errors_of_mean(rows)
    p = _test_mean(rows, settings.languages)
    p_adjusted, alpha = corrected or (p, settings.alpha)
    levels = {"fixed": settings.level, "drawn": settings.level, settings.languages: 1 - alpha}
    differences = np.array([row.difference for row in rows])
    mean = float(differences.mean())
    varies = None
    if len(rows) > 1:
        of_sets = np.array([(row.error, row.degrees) for row in rows]).T
        varies = heterogeneity(differences, of_sets[0], settings.level, of_sets[1])
    return PanelComparison(
        metric=metric,
        a=pair[0],
        b=pair[1],
        difference=mean,
        fixed=_interval(mean, *fixed, levels["fixed"]),
        drawn=None if drawn is None else _interval(mean, *drawn, levels["drawn"]),
        p=p,
        p_adjusted=p_adjusted,
        significant=p_adjusted is not None and p_adjusted <= settings.alpha,
        heterogeneity=varies,
        sets=_verdicts(sign, rows, settings.alpha),
        missing=missing,
    )


def _verdicts(sign: int, rows: Sequence[SetDifference], alpha: float) -> tuple[SetResult, ...]:
    """Decide on each set, corrected for all of them."""
    adjusted = adjust([row.p for row in rows], "bh").tolist()
    rejected = sum(p <= alpha for p in adjusted)
    results = []
    for row, p in zip(rows, adjusted, strict=True):
        is_rejected, gain = p <= alpha, sign * row.difference
        verdict: Verdict = "better" if gain > 0 else "worse"
        results.append(
            SetResult(
                test_set=row.test_set,
                difference=row.difference,
                error=row.error,
                interval=row.intervals[rejected - is_rejected],
                p=row.p,
                p_adjusted=p,
                verdict=verdict if is_rejected and gain else "undecided",
            )
        )
    return tuple(results)


def _errors_of_mean(
    rows: Sequence[SetDifference],
) -> tuple[tuple[float, float], tuple[float, float] | None]:
    """Return standard errors and degrees of freedom of the mean over these sets and further ones.

    Degrees of freedom over these sets are Satterthwaite's.
    """
    variances = np.array([row.error for row in rows]) ** 2
    degrees = np.array([row.degrees for row in rows])
    count, total = len(rows), float(variances.sum())
    fixed = 0.0, float(degrees.sum())
    if total:
        fixed = total**0.5 / count, total**2 / float((variances**2 / degrees).sum())
    drawn = None
    if count > 1:
        spread = float(np.std([row.difference for row in rows], ddof=1))
        drawn = spread / count**0.5, count - 1.0
    return fixed, drawn


def _test_mean(rows: Sequence[SetDifference], languages: Languages) -> float | None:
    """Return the p-value of the mean difference; None about further sets with one set."""
    error = _errors_of_mean(rows)[languages == "drawn"]
    mean = np.mean([row.difference for row in rows])
    return None if error is None else float(student_p(mean, *error))


def _interval(centre: float, error: float, degrees: float, level: float) -> Interval:
    half = float(student_quantiles(level, float(degrees))) * error
    return centre - half, centre + half


def heterogeneity(
    differences: Values, errors: Values, level: float, degrees: ArrayLike = inf
) -> Heterogeneity:
    """Estimate the variation of true differences from two or more estimates and standard errors.

    Estimated standard errors have degrees of freedom; with few, Cochran's Q of the differences is
    too large, and Welch's (1951) F takes its place.

    The variance between sets is the value at which the weighted sum of squares around the mean
    equals its expectation (Paule and Mandel 1982); I² is Higgins and Thompson's (2002).

    >>> varies = heterogeneity(np.array([1.0, 2.0, 6.0]), np.array([0.5, 0.5, 0.5]), 0.95)
    >>> round(varies.tau**2, 6), round(varies.i_squared, 3)
    (6.75, 0.964)
    """
    from scipy.special import chdtrc, fdtrc

    count = len(differences)
    scale = float(np.abs(differences).max(initial=0.0))
    variances = np.maximum(errors, 1e-9 * max(scale, 1e-9)) ** 2

    def squares(between: float) -> float:
        weights = 1 / (variances + between)
        centre = (weights @ differences) / weights.sum()
        return float(weights @ (differences - centre) ** 2)

    cochran = squares(0.0)
    low, high = 0.0, float(differences.var(ddof=1)) + float(variances.max())
    if cochran > count - 1:
        while squares(high) > count - 1:
            high *= 2
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if squares(middle) > count - 1 else (low, middle)
    between = high if cochran > count - 1 else 0.0
    weights = 1 / variances
    excess = float(weights.sum() - (weights**2).sum() / weights.sum())
    typical = (count - 1) / excess if excess > 0 else inf
    prediction = None
    if count >= FEWEST_FOR_PREDICTION:
        # Student's interval of one more difference: few sets give only a rough estimate of tau.
        # By chance, sets may differ less than their own standard errors say.
        spread = max(float(differences.var(ddof=1)), float((errors**2).mean()))
        error = (spread * (1 + 1 / count)) ** 0.5
        prediction = _interval(float(differences.mean()), error, count - 1, level)
    p = chdtrc(count - 1, cochran)
    shares = float((((1 - weights / weights.sum()) ** 2) / degrees).sum()) / (count**2 - 1)
    if shares > 0:
        ratio = cochran / (count - 1) / (1 + 2 * (count - 2) * shares)
        p = fdtrc(count - 1, 1 / (3 * shares), ratio)
    return Heterogeneity(
        tau=between**0.5,
        i_squared=float(between / (between + typical)),
        p=float(p),
        prediction=prediction,
    )
