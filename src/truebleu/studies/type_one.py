"""Type I error rates of the significance tests, per comparison and per family.

Riezler & Maxwell (2005, §4.3, Table 2) compared systems that they took for equal and saw smaller
p-values from the bootstrap than from approximate randomization. Here systems are equal by
construction in many repetitions, so the rate of rejections can be compared with the level: a test
may be trusted on these data if its Type I error rate is the level.

Outputs of systems are swapped at random, segment by segment or document by document: labels of
systems are then exchangeable, which is the null hypothesis itself.

Every repetition has its own null data and replicates, so repetitions are independent and the error
of a rate is binomial. (Sharing replicates between repetitions would save a third of the time, but
make them dependent.)

Two more studies belong here: the p-values of systems that you take for equal, such as runs of one
optimizer, where you judge whether a rejection is an error; and the rate of any false alarm among
many comparisons of equal systems, with and without a correction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import numpy as np

import truebleu.studies._study as base
from truebleu.errors import SettingError
from truebleu.execution.journal import Record, Task
from truebleu.reports.document import Column, Plot, Table, join_names, percent
from truebleu.resampling import TIE_TOLERANCE
from truebleu.schema import Setting, Streams
from truebleu.significance.corrections import CORRECTIONS, experimentwise_error
from truebleu.significance.pairs import pair_tests
from truebleu.significance.rates import clopper_pearson_interval
from truebleu.significance.settings import CompareSettings, require_enough_replicates
from truebleu.significance.tests import REPLICATE_TESTS, fewest_units
from truebleu.significance.unit_counts import UnitCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from typing_extensions import Unpack

    from truebleu.corpus.test_set import TestSet
    from truebleu.counts.counts import Counts
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Units


__all__ = ["study_equivalents", "study_multiplicity", "study_type_one"]

NULL_TITLES = {"segment": "outputs swapped by segment", "document": "outputs swapped by document"}
Null = Annotated[
    Literal["segment", "document"],
    Setting(help="null data: outputs swapped at random by segment or document.", default="segment"),
]
# Fewer repetitions could not distinguish 5 % from 15 %.
Repetitions = Annotated[
    int, Setting(help="sets of equal systems to test.", minimum=50, maximum=10**7, default=1000)
]
Alpha = Annotated[float, Setting(help="significance level.", above=0, maximum=0.5, default=0.05)]

#: Function from metrics' counts in some repetitions to a record.
Work: TypeAlias = "Callable[[Iterable[tuple[int, UnitCounts]]], Record]"
# Number of repetitions in a task.
BATCH = 20


@dataclass(frozen=True, slots=True, eq=False)
class NullData:
    """Sets of equal systems, drawn at random from a pool, with outputs swapped at random.

    Counts are swapped instead of texts, which is equivalent, since every metric's counts of a
    segment depend on that segment alone.

    Attributes:
        pool: counts of all systems, by segment.
        tested: units that the tests resample.
        swapped: units whose outputs are swapped.
        systems: number of systems in a set.
        seed: seed of all random numbers.
    """

    pool: base.Pool
    tested: Units
    swapped: Units
    systems: int
    seed: int

    @classmethod
    def of(
        cls, test_set: TestSet | Counts, metrics: MetricsLike, options: Mapping[str, Any], size: int
    ) -> NullData:
        """Count a test set whose systems are made equal, `size` of them in a set.

        Raises SettingError if systems or units are too few to swap.
        """
        null, names = options["null"], test_set.outline.systems
        tested = base.units_of(test_set.outline, options["unit"])
        swapped = base.units_of(test_set.outline, null, "null")
        if len(swapped) < 2:
            raise SettingError("null", f"one {null}", f"at least two {null}s to swap")
        if len(names) < size:
            expected = f"at least {size} systems, to swap their outputs"
            raise SettingError("systems", len(names), expected)
        return cls(base.Pool.of(test_set, metrics), tested, swapped, size, options["seed"])

    @property
    def settings(self) -> base.Settings:
        """Description of the texts and of the units that are tested."""
        return self.pool.settings | {"unit": self.tested.kind}

    def sets(self, first: int, count: int) -> Iterator[list[UnitCounts]]:
        """Yield every metric's counts in `count` sets; set i depends only on the seed and on i."""
        streams = Streams(self.seed, "null data")
        for index in range(first, first + count):
            draw = streams.at(index)
            keys = base.numbers(draw, len(self.pool.names))
            chosen = np.argsort(keys, kind="stable")[: self.systems]
            # A random permutation of the systems for each unit.
            keys = base.numbers(draw, len(self.swapped) * self.systems).reshape(-1, self.systems)
            deal = chosen[np.argsort(keys, axis=1, kind="stable")[self.swapped.of_segment]]
            segments = np.arange(len(deal))[:, None]
            yield [
                UnitCounts.of(counts.label, counts.metric, counts.rows[segments, deal], self.tested)
                for counts in self.pool.statistics
            ]

    def tasks(self, work: Work, repetitions: int) -> list[Task]:
        """Split repetitions into tasks; `work` gets repetitions with one metric's counts each."""
        return [
            Task((first,), partial(self._batch, work, first, min(BATCH, repetitions - first)))
            for first in range(0, repetitions, BATCH)
        ]

    def _batch(self, work: Work, first: int, count: int) -> Record:
        sets = enumerate(self.sets(first, count), first)
        return work((index, statistics) for index, counted in sets for statistics in counted)


def joint_confidence(rows: int, level: float = 0.95) -> float:
    """Return the confidence of each interval for a joint coverage at the level (Bonferroni)."""
    return 1 - (1 - level) / rows


def require_decisive(units: int, unit: str, replicates: int, alpha: float) -> None:
    """Raise SettingError if units or replicates are too few for any p-value as small as alpha."""
    base.require_replicates(replicates, alpha)
    if units < (minimum := fewest_units(alpha)):
        expected = f"at least {minimum} {unit}s: swaps of fewer never give p of {alpha:g} or less"
        raise SettingError("test set", f"{units} {unit}s", expected)


ALPHAS = (0.01, 0.05, 0.10)
# Bounds on the rate, as multiples of the level, within which the level holds (Bradley 1978).
BRADLEY = (0.5, 1.5)
# Joint confidence of the verdict that a level fails. Of tests that hold their levels, one table in
# 20 has a rate whose interval at 95 % leaves out its level, so verdicts would turn with the seed.
SURE = 0.999
# Wording of each verdict.
VERDICTS = {
    "too often": "too often",
    "too seldom": "too seldom",
    "undecided": "too few repetitions to decide",
    "holds": "holds",
}
REJECTION_COLUMNS = base.columns(
    "metric | test | origin: As in | alpha: Level [.1%] | "
    f"{base.bounded('rejected', 'Rejected', 'jointly from')} | verdict"
)


class TypeOneOptions(base.PoolOptions, total=False):
    """Options of `study_type_one`.

    Attributes:
        alphas: significance levels.
    """

    alphas: Annotated[Sequence[float], Setting(above=0, below=1, metavar="P,P,...", default=ALPHAS)]
    null: Null
    tests: Annotated[base.Tests, Setting(default=base.TESTS)]
    repetitions: Repetitions
    replicates: base.Replicates


@base.study(TypeOneOptions)
def study_type_one(
    test_set: TestSet | Counts, metrics: MetricsLike = "bleu", **options: Unpack[TypeOneOptions]
) -> base.StudyResult:
    """How often does each test reject a true null hypothesis?

    In each repetition two systems, drawn at random if there are more, are made equal and tested. A
    test keeps its level if the rate of rejections equals the level. The bootstrap's
    p-values are smaller than the p-values of approximate randomization (Riezler & Maxwell 2005,
    Table 2).

    Args:
        test_set: systems whose outputs are swapped.
        metrics: metrics to compare by.

    >>> from truebleu.simulation import simulate
    >>> pool = simulate(segments=50, systems=[0.1, 0.3])
    >>> study_type_one(pool, tests=["ar"], repetitions=50, replicates=99).rows[1]["verdict"]
    'undecided'
    """
    null, unit, seed = options["null"], options["unit"], options["seed"]
    replicates, repetitions = options["replicates"], options["repetitions"]
    levels = sorted(set(map(float, options["alphas"] or ALPHAS)))
    tests = options["tests"] or base.TESTS
    ordered = tuple(test for test in base.STUDY_TESTS if test in tests)
    testing = base.Testing(ordered, replicates, seed)
    source = NullData.of(test_set, metrics, options, 2)
    require_decisive(len(source.tested), unit, replicates, levels[0])
    tasks = source.tasks(partial(_p_values, testing), repetitions)
    settings, by_batch = base.run_study(
        "type-one", options, source.settings, tasks, tests=ordered, alphas=levels
    )
    records = list(by_batch.values())
    title = f"How often tests reject a true null hypothesis: {NULL_TITLES[null]}, tested by {unit}"
    plot = Plot("point", "test", "rejected", panel="case", reference_field="alpha", zero_y=True)
    result = base.StudyResult(settings, title, REJECTION_COLUMNS, plot)
    count = len(records[0]) * len(ordered) * len(levels)
    for metric in records[0]:
        by_test = {
            test: np.concatenate([record[metric][test] for record in records]) for test in ordered
        }
        for test, p_values in by_test.items():
            of_test = [_rejections(metric, test, alpha, p_values, count) for alpha in levels]
            result.rows.extend(of_test)
            result.sentences.append(_rejection_sentence(of_test))
        if {"ar", "bootstrap-absolute"} <= by_test.keys():
            smaller = int((by_test["bootstrap-absolute"] < by_test["ar"]).sum())
            share = base.binomial_rate(smaller, repetitions)
            result.details.setdefault("absolute_below_ar", {})[metric] = share
            result.sentences.append(
                f"{metric}: the bootstrap of absolute differences has a smaller p-value than "
                f"approximate randomization in {share} of the comparisons."
            )
        if all(len(np.unique(p)) == 1 for p in by_test.values()):
            result.sentences.append(
                f"{metric}: all comparisons have the same p-value, as the outputs do not differ by "
                "this metric."
            )
    if null == "document" and unit == "segment":
        result.sentences.append(
            "Whole documents were swapped, as if systems differed by document, but the tests "
            "assume independent segments; --unit document tests documents."
        )
    if any(row["verdict"] == "holds" for row in result.rows):
        result.sentences.append(
            "A level holds if the whole interval of the rate is between 0.5 and 1.5 times the "
            "level. All intervals of the table are simultaneous, at 95 %; a level fails if those "
            f"at {100 * SURE:g} % leave it out."
        )
    return result


def _p_values(testing: base.Testing, sets: Iterable[tuple[int, UnitCounts]]) -> Record:
    """Compute the p-values of some repetitions, by metric and test."""
    record: Record = {}
    for index, statistics in sets:
        by_test = record.setdefault(statistics.label, {test: [] for test in testing.tests})
        for test, concluded in testing.conclusions(statistics, [(0, 1)], index).items():
            by_test[test].append(float(concluded.p[0]))
    return record


def _rejections(
    metric: str, test: str, alpha: float, p_values: base.Floats, count: int
) -> base.Row:
    """Make the row of a test at one level, one of `count`: its rate of rejections, its verdict."""
    # Shares such as 1 - 0.95 have rounding errors.
    rejected = int((p_values <= alpha + TIE_TOLERANCE).sum())
    rate = base.binomial_rate(rejected, len(p_values), joint_confidence(count))
    return {
        "metric": metric,
        "test": test,
        "origin": base.STUDY_TESTS[test].origin,
        "alpha": alpha,
        "case": f"{metric}, level {100 * alpha:g} %",
        **rate.cells("rejected"),
        "verdict": level_verdict(rate, alpha, len(p_values), count),
    }


def level_verdict(rate: base.Estimate, alpha: float, repetitions: int, rows: int) -> str:
    """Return the verdict about a level: "too often", "too seldom", "holds" or "undecided".

    A level holds if the whole interval of the rate is between 0.5 and 1.5 times the level, so that
    few repetitions are no evidence that it holds. It fails if the rate's exact interval leaves it
    out, at the joint confidence SURE of all rows of the table.
    """
    low, high = clopper_pearson_interval(rate.value, repetitions, joint_confidence(rows, SURE))
    if not low <= alpha <= high:
        return "too often" if low > alpha else "too seldom"
    lower, upper = (factor * alpha for factor in BRADLEY)
    within = lower <= (rate.low or 0.0) and (rate.high or 0.0) <= upper
    return "holds" if within else "undecided"


def _rejection_sentence(rows: Sequence[base.Row]) -> str:
    """List the levels at which a test rejects too often or too seldom, or keeps its level."""
    levels: dict[str, list[str]] = {}
    for row in rows:
        share = f"{100 * row['alpha']:g} % ({percent(row['rejected'])} rejected)"
        levels.setdefault(row["verdict"], []).append(share)
    verdict = "; ".join(
        f"{words} at {join_names(levels[name])}"
        for name, words in VERDICTS.items()
        if name in levels
    )
    return f"{rows[0]['metric']}, {base.STUDY_TESTS[rows[0]['test']].title}: {verdict}."


# Equivalents: given systems that are taken for equal.


USUAL_TESTS = ("ar", "bootstrap-absolute")
P_COLUMNS = base.columns(
    "metric | compared: Compared systems | difference [+.3f] | test | p: p [.4f]"
)
P_PLOT = Plot("point", "compared", "p", series="test", panel="metric", zero_y=True)


class EquivalentsOptions(base.PoolOptions, total=False):
    """Options of `study_equivalents`.

    Attributes:
        tests: tests to perform; the others are compared with the first.
    """

    tests: Annotated[base.Tests, Setting(default=USUAL_TESTS)]
    alpha: Alpha
    replicates: Annotated[base.Replicates, Setting(default=10_000)]


@base.study(EquivalentsOptions)
def study_equivalents(
    test_set: TestSet | Counts, metrics: MetricsLike = "nist", **options: Unpack[EquivalentsOptions]
) -> base.StudyResult:
    """How do tests judge systems that you take for equal, such as runs of one system?

    The bootstrap's p-values are smaller than the p-values of approximate randomization (Riezler &
    Maxwell 2005, Table 2).

    Args:
        test_set: systems that should not differ.
        metrics: metrics to compare by.
    """
    unit, alpha, replicates = options["unit"], options["alpha"], options["replicates"]
    tests = tuple(options["tests"] or USUAL_TESTS)
    testing = base.Testing(tests, replicates, options["seed"])
    pool = base.Pool.of(test_set, metrics, unit)
    pool.require_systems(2)
    require_decisive(len(pool), unit, replicates, alpha)
    tasks = [
        Task((statistics.label,), partial(_equivalent_p_values, statistics, testing))
        for statistics in pool.statistics
    ]
    settings, records = base.run_study("equivalents", options, pool.settings, tasks)
    title = "Systems taken for equal: the p-values of their differences"
    plot = replace(P_PLOT, reference=alpha)
    result = base.StudyResult(settings, title, P_COLUMNS, plot)
    lines: list[base.Row] = []
    for (metric,), record in records.items():
        pairs = zip(combinations(pool.names, 2), record["differences"], strict=True)
        for index, ((a, b), difference) in enumerate(pairs):
            pair = {"metric": metric, "compared": f"{a} : {b}", "a": a, "b": b}
            pair["difference"] = difference
            p_values = {test: record[test][index] for test in testing.tests}
            lines.append(pair | p_values)
            result.rows.extend(pair | {"test": test, "p": p} for test, p in p_values.items())
        result.sentences.extend(_p_sentences(str(metric), record, testing.tests, alpha))
    by_test = (Column(test, f"p, {test}", 4) for test in testing.tests)
    return replace(result, display_table=Table((*P_COLUMNS[:3], *by_test), tuple(lines)))


def _equivalent_p_values(statistics: UnitCounts, testing: base.Testing) -> Record:
    pairs = list(combinations(range(statistics.systems), 2))
    by_test = testing.conclusions(statistics, pairs, 0)
    differences = base.differences_of(statistics.scores, pairs).tolist()
    p_values = {test: concluded.p.tolist() for test, concluded in by_test.items()}
    return {"differences": differences, **p_values}


def _p_sentences(metric: str, record: Record, tests: Sequence[str], alpha: float) -> Iterator[str]:
    first, *others = tests
    for test in tests:
        rejected = sum(p <= alpha + TIE_TOLERANCE for p in record[test])
        sentence = (
            f"{metric}, {base.STUDY_TESTS[test].title}: {rejected} of {len(record[test])} pairs "
            f"have p of at most {alpha:g}"
        )
        if test in others:
            pairs = list(zip(record[test], record[first], strict=True))
            smaller, larger = sum(p < q for p, q in pairs), sum(p > q for p, q in pairs)
            sentence += (
                f"; compared with {base.STUDY_TESTS[first].title}, p is smaller for {smaller} and "
                f"larger for {larger}"
            )
        yield f"{sentence}."


# Multiplicity: rate of any false alarm among many comparisons.


# Numbers of systems with 1, 3, 6, 10 and 15 comparisons.
USUAL_SYSTEMS = (2, 3, 4, 5, 6)
ALARM_COLUMNS = base.columns(
    "metric | systems | comparisons | correction | "
    f"{base.bounded('alarms', 'Any false alarm', 'jointly from')} | expected: Promised [.1%]"
)
ALARM_PLOT = Plot("line", "comparisons", "alarms", series="correction", panel="metric", zero_y=True)
USUAL_CORRECTIONS = ("none", "bonferroni", "holm", "bh", "westfall-young")


class MultiplicityOptions(base.PoolOptions, total=False):
    """Options of `study_multiplicity`.

    Attributes:
        together: numbers of systems that are compared with each other. Default: 2 to 6, up to the
            number of systems.
        corrections: corrections for many comparisons. Default: none, bonferroni, holm, bh and, if
            the test allows it, westfall-young. Tukey's and Scheffé's are for metrics that are means
            over segments.
        test: significance test, as for `compare`.
    """

    together: Annotated[Sequence[int] | None, Setting(minimum=2, metavar="N,N,...")]
    corrections: Annotated[
        Sequence[str] | None, Setting(choices=tuple(CORRECTIONS), metavar="NAME,...")
    ]
    test: Annotated[str, Setting(choices=tuple(REPLICATE_TESTS), default="ar")]
    null: Null
    alpha: Alpha
    repetitions: Repetitions
    replicates: Annotated[base.Replicates, Setting(default=2000)]


@base.study(MultiplicityOptions)
def study_multiplicity(
    test_set: TestSet | Counts,
    metrics: MetricsLike = "bleu",
    **options: Unpack[MultiplicityOptions],
) -> base.StudyResult:
    """How often is there any false alarm when many equal systems are all compared?

    Riezler & Maxwell (2005, §4.4, after Cohen 1995) expect a false alarm among k comparisons at the
    level alpha with probability about 1 - (1 - alpha)**k. For 15 systems and 105 pairs that is
    .9954. Each repetition makes the largest number of equal systems; smaller numbers use the first
    2, 3, … systems, which are equal as well.

    Args:
        test_set: systems whose outputs are swapped.
        metrics: metrics to compare by.
        alpha: level of the whole family of comparisons.
    """
    null, unit, seed, test = options["null"], options["unit"], options["seed"], options["test"]
    alpha, replicates, corrections = options["alpha"], options["replicates"], options["corrections"]
    sizes = _system_counts(options["together"], len(test_set.outline.systems))
    if not corrections:
        corrections = USUAL_CORRECTIONS
        # Westfall and Young's correction needs replicates that vary around 0.
        if test == "bootstrap-absolute":
            corrections = [name for name in corrections if name != "westfall-young"]
    chosen = CompareSettings(test=test, replicates=replicates, seed=seed, level=1 - alpha)
    by_correction = {
        name: replace(chosen, correction=name) for name in CORRECTIONS if name in corrections
    }
    pairs = comb(sizes[-1], 2)
    for name in by_correction:
        require_enough_replicates(replicates, name, pairs, alpha, kind="comparisons")
    source = NullData.of(test_set, metrics, options, sizes[-1])
    require_decisive(len(source.tested), unit, replicates, alpha)
    if any(CORRECTIONS[name].basis == "segment scores" for name in by_correction):
        for statistics in next(source.sets(0, 1)):
            statistics.unit_means("correction tukey or scheffe")  # raises before any long work
    tasks = source.tasks(partial(alarms_of, sizes, by_correction), options["repetitions"])
    names = list(by_correction)
    settings, by_batch = base.run_study(
        "multiplicity", options, source.settings, tasks, together=sizes, corrections=names
    )
    records = list(by_batch.values())
    cases = list(product(records[0], sizes, by_correction))
    confidence = joint_confidence(len(cases))
    rows: list[base.Row] = []
    sentences = []
    for metric, systems, correction in cases:
        alarms = "".join(record[metric][f"{systems} {correction}"] for record in records)
        rate = base.binomial_rate(alarms.count("1"), len(alarms), confidence)
        pairs = comb(systems, 2)
        # Rate that the correction promises, or independent comparisons without one.
        promised = experimentwise_error(alpha, pairs) if correction == "none" else alpha
        row = {"metric": metric, "systems": systems, "comparisons": pairs, "correction": correction}
        rows.append({**row, **rate.cells("alarms"), "expected": promised})
        if systems == sizes[-1]:
            verdict = level_verdict(rate, alpha, len(alarms), len(cases))
            sentences.append(_alarm_sentence(rows[-1], alpha, verdict))
    title = (
        "Any false alarm among all pairs of equal systems: "
        f"{base.STUDY_TESTS[test].title}, {NULL_TITLES[null]}"
    )
    plot = replace(ALARM_PLOT, reference=alpha)
    return base.StudyResult(settings, title, ALARM_COLUMNS, plot, rows, sentences)


def _system_counts(systems: Sequence[int] | None, available: int) -> list[int]:
    if not systems:
        fitting = [size for size in USUAL_SYSTEMS if size <= available]
        return fitting or [USUAL_SYSTEMS[0]]  # null_source raises the error for a single system
    if max(systems) > available:
        raise SettingError("together", max(systems), f"at most {available} systems, as given")
    return sorted(set(systems))


def alarms_of(
    sizes: Sequence[int],
    settings: Mapping[str, CompareSettings],
    sets: Iterable[tuple[int, UnitCounts]],
) -> Record:
    """Record false alarms by metric and case, a number of systems with a correction.

    Each repetition is a digit: 1 if any pair of the first 2, 3, … systems is rejected, else 0. Each
    repetition has its own replicates.
    """
    record: Record = {}
    first = next(iter(settings.values()))
    draws: Any = {"replicates": first.replicates, "seed": first.seed}
    for index, statistics in sets:
        by_case = record.setdefault(statistics.label, {})
        pairs = list(combinations(range(statistics.systems), 2))
        differences, exact = REPLICATE_TESTS[first.test].differences(
            statistics, pairs, first=index * first.replicates, **draws
        )
        for size in sizes:
            columns = [column for column, pair in enumerate(pairs) if max(pair) < size]
            chosen = [pairs[column] for column in columns]
            rows = np.ascontiguousarray(statistics.rows[:, :size])
            counts = UnitCounts(statistics.label, statistics.metric, rows)
            for correction, setting in settings.items():
                tests = pair_tests(counts, chosen, differences[:, columns], setting, exact=exact)
                alarm, case = (tests.p_adjusted <= setting.alpha).any(), f"{size} {correction}"
                by_case[case] = by_case.get(case, "") + str(int(alarm))
    return record


def _alarm_sentence(row: base.Row, alpha: float, verdict: str) -> str:
    comparisons = f"{row['comparisons']} comparison{'s' * (row['comparisons'] > 1)}"
    rate = base.Estimate.from_cells(row, "alarms")
    alarms = f"a false alarm in {rate} of the repetitions with {comparisons}"
    if row["correction"] == "none":
        return (
            f"{row['metric']}, no correction: {alarms}; independent comparisons would have "
            f"{percent(row['expected'])}."
        )
    level, title = f"{100 * alpha:g} %", CORRECTIONS[row["correction"]].short_title
    sentence = f"the level {level} is exceeded"
    if verdict != "too often":
        holds = row["alarms_high"] <= BRADLEY[1] * alpha
        sentence = f"{'' if holds else 'cannot tell whether '}the level {level} holds"
    return f"{row['metric']}, {title}: {alarms}; {sentence}."
