"""Power, accuracy and sensitivity: rates of right and wrong conclusions of tests on samples.

Koehn (2004, §7) took the scores of 30,000 sentences for the truth, and counted how often samples
of 100 to 3,000 lead to it. Power counts right and wrong conclusions of nine pairs of systems by
size, at the level 95 % (§7.1, Table 3): "12%/1%" are 12 % right and 1 % wrong conclusions. Accuracy
sorts the conclusions of all pairs, samples and sizes by their confidence, down to 50 % (§7.2,
Table 4): each band was right a little more often than it claimed.

Zhang & Vogel (2004, §3, Table 1, Fig. 3) compare seven systems pair by pair: two differ when the
bootstrap's interval of their difference leaves out 0, and NIST's relative intervals are the
narrowest. Riezler & Maxwell (2005, §3, Table 1) find a small difference significant by NIST and not
by BLEU or F-score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import combinations, groupby, pairwise, product
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np

import truebleu.studies._study as base
from truebleu.agreement.data import as_lists
from truebleu.errors import SettingError
from truebleu.execution.journal import Record, Task
from truebleu.reports.document import NO_VALUE, Column, Plot, Table, percent
from truebleu.resampling import TIE_TOLERANCE
from truebleu.schema import Level, Setting
from truebleu.significance.corrections import P_VALUE_CORRECTIONS, adjust, smallest_factor
from truebleu.significance.settings import CompareSettings, require_enough_replicates
from truebleu.significance.tests import fewest_units, smallest_p

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from truebleu.corpus.test_set import TestSet
    from truebleu.counts.counts import Counts
    from truebleu.metrics.registry import MetricsLike
    from truebleu.significance.unit_counts import Pair, UnitCounts

__all__ = ["study_accuracy", "study_power", "study_sensitivity"]


#: Sizes of Koehn's Table 3.
USUAL_SIZES = (100, 300, 600, 3000)
PAPERS_SIZE = 300
#: Default test of `compare`, and the paper's own.
USUAL_TESTS = ("ar", "wins")


class Outcomes(NamedTuple):
    """Conclusions of one test by one metric on all samples, shaped (sample, pair).

    Attributes:
        p: p-values.
        right: True if the system that would be concluded to be better is better in the pool.
        wrong: True if that system is not better in the pool. If scores tie on the sample, both are
            False.
    """

    p: base.Floats
    right: NDArray[np.bool_]
    wrong: NDArray[np.bool_]

    def only(self, pairs: NDArray[np.bool_]) -> Outcomes:
        """Return the outcomes of the pairs in a mask."""
        return Outcomes(self.p[:, pairs], self.right[:, pairs], self.wrong[:, pairs])


class Trials(NamedTuple):
    """Conclusions of all tests on all samples.

    Attributes:
        pool: pool with all systems.
        pairs: systems that were compared, the better one by the first metric first.
        settings: settings of the study, with the chosen sizes and pairs.
        records: conclusions on each sample.
    """

    pool: base.Pool
    pairs: list[Pair]
    settings: base.Settings
    records: Mapping[Any, Record]

    @property
    def cases(self) -> list[tuple[UnitCounts, str]]:
        """All combinations of metrics and tests."""
        return list(product(self.pool.statistics, self.settings["tests"]))

    def outcomes(self, statistics: UnitCounts, test: str, size: int | None = None) -> Outcomes:
        """Collect a test's conclusions by one metric on samples of a size, or of all sizes."""
        truth = np.sign(base.true_differences(statistics, self.pairs))
        keys = [key for key in self.records if size in (None, key[0])]
        values = np.array([self.records[key][statistics.label][test] for key in keys])
        p, better = values[:, 0], values[:, 1]
        concludes = better != 0
        return Outcomes(p, concludes & (better == truth), concludes & (better != truth))

    def notes(self, alpha: float) -> Iterator[str]:
        """Yield caveats: ties in the pool, metrics without direction, samples too small to test."""
        for statistics in self.pool.statistics:
            differences = base.true_differences(statistics, self.pairs)
            pairs = zip(self.settings["pairs"], differences, strict=True)
            tied = [" and ".join(names) for names, difference in pairs if difference == 0]
            if tied:
                yield (
                    f"{statistics.label}: {'; '.join(tied)} tie in the pool, so no conclusion "
                    "about these systems can be right."
                )
            if statistics.metric.higher_is_better is None:
                yield (
                    f"{statistics.label} has no better or worse: a conclusion is right if it names "
                    "the system with the higher score in the pool."
                )
        yield from base.overlap_notes(self.settings, len(self.pool), self.settings["sizes"])
        minimum = fewest_units(alpha)
        small = [size for size in self.settings["sizes"] if size < minimum]
        if small and "ar" in self.settings["tests"]:
            yield (
                f"Approximate randomization of {small[-1]} {self.pool.unit}s cannot conclude "
                f"anything at the level {100 * (1 - alpha):g} %: it needs at least {minimum}."
            )


def _run_trials(
    study: str,
    test_set: TestSet | Counts,
    metrics: MetricsLike,
    options: Mapping[str, Any],
    **chosen: Any,
) -> Trials:
    """Test all pairs on all samples.

    All tests and pairs share the replicates of a sample; every sample has its own replicates.
    """
    base.require_replicates(options["replicates"], round(1 - options.get("level", 0.95), 12))
    tests = tuple(options["tests"] or USUAL_TESTS)
    testing = base.Testing(tests, options["replicates"], options["seed"])
    pool = base.Pool.of(test_set, metrics, options["unit"])
    pairs = base.choose_pairs(pool, options["pairs"])
    samples = base.draw_by_size(options, len(pool), USUAL_SIZES)
    tasks = [
        Task((size, index), partial(_conclude, pool, pairs, testing, sample, index))
        for size, of_size in samples.items()
        for index, sample in enumerate(of_size)
    ]
    chosen |= {"tests": testing.tests, "sizes": list(samples)}
    chosen["pairs"] = [(pool.names[a], pool.names[b]) for a, b in pairs]
    unused = ["figure"] if "figure" in options else []
    run = base.run_study(study, options, pool.settings, tasks, unused=unused, **chosen)
    return Trials(pool, pairs, *run)


def _conclude(
    pool: base.Pool, pairs: Sequence[Pair], testing: base.Testing, sample: base.Sample, index: int
) -> Record:
    """Test all pairs on one sample; return p-values and better systems by metric and test."""
    return {
        statistics.label: {
            test: [conclusion.p.tolist(), conclusion.better.tolist()]
            for test, conclusion in testing.conclusions(statistics, pairs, index).items()
        }
        for statistics in pool.take(sample)
    }


# Power: rates of right and wrong conclusions by size of the sample.


# The usual target power of plans.
USUAL_POWER = 0.8
MEAN = "mean of all pairs"
UNKNOWN = dict.fromkeys(("right", "right_low", "right_high"))
RATES = base.columns(
    f"size | samples | {base.bounded('right', 'Correct conclusions')} | "
    f"{base.bounded('wrong', 'Wrong conclusions')}"
)


class TrialOptions(base.SampleOptions, total=False):
    """Options of studies that test pairs of systems on samples."""

    tests: Annotated[base.Tests, Setting(default=USUAL_TESTS)]
    pairs: base.Pairs
    replicates: base.Replicates


class PowerOptions(TrialOptions, total=False):
    """Options of `study_power`.

    Attributes:
        figure: chart to draw: power by difference, or the last test's confidence on each sample of
            about 300 for the largest and the smallest difference (Figs. 7 and 8).
    """

    figure: Annotated[Literal["power", "confidence"], Setting(default="power")]
    level: Level


@base.study(PowerOptions)
def study_power(
    test_set: TestSet | Counts, metrics: MetricsLike = "bleu", **options: Unpack[PowerOptions]
) -> base.StudyResult:
    """How often do tests on small samples conclude which system is better, and how often wrongly?

    On 300 sentences, a difference of 2 BLEU was detected in 65 of 100 samples, a difference of 0.5
    in 12, and the opposite in 1 (Koehn 2004, Table 3). "12 %/1 %" means that the test drew the
    right conclusion on 12 of 100 samples, the wrong one on 1, and none on 87. The scores of the
    whole pool by the same metric decide which conclusion is right.

    Args:
        test_set: pool to draw samples from.
        metrics: metrics to compare by; the first one ranks the systems to choose pairs.
    """
    level, unit, figure = options["level"], options["unit"], options["figure"]
    trials = _run_trials("power", test_set, metrics, options)
    alpha = round(1 - level, 12)
    rows: list[base.Row] = []
    sentences: list[str] = []
    for statistics, test in trials.cases:
        of_test = list(_power_rows(trials, statistics, test, alpha))
        rows += of_test
        sentences += _power_sentences(of_test, unit, statistics.metric.digits)
    columns = base.columns(
        f"metric | test | better | worse | difference: Difference [+.{trials.pool.digits}f]"
    )
    title = f"Correct/wrong conclusions at the level {100 * level:g} % on samples of each size"
    if figure == "confidence":
        lines: Any = {"reference": level, "opposite": alpha}
        plot = Plot("point", "sample", "confidence", panel="case", zero_y=True, **lines)
        chart_rows = list(_confidences(trials))
        sentences += _confidence_sentences(chart_rows, level, alpha)
    else:
        plot = Plot("line", "difference", "right", series="sample", panel="case", zero_y=True)
        chart_rows = [
            row | {"case": _case(row), "sample": f"{row['size']:,} {unit}s"}
            for row in rows
            if row["better"] != MEAN
        ]
    sentences += trials.notes(alpha)
    shown, of_all = _side_by_side(rows, columns), (*columns, *RATES)
    return base.StudyResult(
        trials.settings, title, of_all, plot, rows, sentences, chart_rows, shown
    )


def _confidences(trials: Trials) -> Iterator[base.Row]:
    """Yield the last test's confidence in the better system on each sample.

    It is the share of wins of Koehn's test; for two-sided tests, 1 less half the p-value.
    """
    statistics, test = trials.cases[-1]
    sizes = trials.settings["sizes"]
    size = max((size for size in sizes if size <= PAPERS_SIZE), default=sizes[0])
    p, right, wrong = trials.outcomes(statistics, test, size)
    against = p if test in ONE_SIDED else p / 2
    confidences = np.where(right, 1 - against, np.where(wrong, against, 0.5))
    differences = np.abs(base.true_differences(statistics, trials.pairs))
    for index in dict.fromkeys((int(differences.argmax()), int(differences.argmin()))):
        a, b = trials.settings["pairs"][index]
        case = f"{statistics.label}, {a} against {b} by {differences[index]:.2f}"
        for sample, confidence in enumerate(confidences[:, index].tolist(), 1):
            yield {
                "case": f"{case}, {size:,} {trials.pool.unit}s",
                "sample": sample,
                "confidence": confidence,
            }


def _confidence_sentences(rows: Sequence[base.Row], level: float, alpha: float) -> Iterator[str]:
    """Count the samples that conclude for the better system, and for the worse one."""
    for case, group in groupby(rows, lambda row: str(row["case"])):
        of_case = [row["confidence"] for row in group]
        right = sum(confidence >= level for confidence in of_case)
        wrong = sum(confidence <= alpha for confidence in of_case)
        yield (
            f"{case}: of {len(of_case)} samples, {right} have a confidence of at least "
            f"{100 * level:g} % in the better system, and {wrong} of at most {100 * alpha:g} %."
        )


def _case(row: base.Row) -> str:
    return f"{row['metric']}, {base.STUDY_TESTS[row['test']].title}"


def _power_rows(
    trials: Trials, statistics: UnitCounts, test: str, alpha: float
) -> Iterator[base.Row]:
    """Yield rates of right and wrong conclusions by pair and size, then means of untied pairs."""
    differences = base.true_differences(statistics, trials.pairs)
    outcomes = {size: trials.outcomes(statistics, test, size) for size in trials.settings["sizes"]}
    overlaps = {size: base.do_overlap(trials.settings, len(trials.pool), size) for size in outcomes}
    case = {"metric": statistics.label, "test": test}
    for index, difference in enumerate(differences.tolist()):
        # Only by the first metric is the first system of every pair the better one.
        better, worse = trials.settings["pairs"][index][:: -1 if difference < 0 else 1]
        case_cells = {**case, "better": better, "worse": worse, "difference": abs(difference)}
        for size, (p, *sides) in outcomes.items():
            concluded = p[:, index] <= alpha
            right, wrong = (
                base.binomial_rate(int((concluded & side[:, index]).sum()), len(concluded))
                for side in sides
            )
            # No conclusion is right about a pair that ties in the pool.
            overlap = overlaps[size]
            rates = right.cells("right", overlap) if difference else UNKNOWN
            rates = rates | wrong.cells("wrong", overlap)
            yield {**case_cells, "size": size, "samples": len(concluded), **rates}
    untied = differences != 0
    case_cells = {**case, "better": MEAN, "worse": "", "difference": None}
    for size, of_size in outcomes.items() if untied.sum() > 1 else ():
        of_size = of_size.only(untied)
        concluded = of_size.p <= alpha
        # Pairs share samples, so only samples are independent.
        rates = base.clustered_rate(concluded & of_size.right).cells("right", overlaps[size])
        rates |= base.clustered_rate(concluded & of_size.wrong).cells("wrong", overlaps[size])
        yield {**case_cells, "size": size, "samples": len(concluded), **rates}


def _side_by_side(rows: Sequence[base.Row], columns: Sequence[Column]) -> Table:
    """Tabulate all sizes side by side, as in the paper."""
    sizes = {row["size"]: f"{row['size']:,} (×{row['samples']})" for row in rows}
    pairs: dict[tuple[object, ...], base.Row] = {}
    for row in rows:
        pair = {column.name: row[column.name] for column in columns}
        cells = pairs.setdefault(tuple(pair.values()), pair)
        # Cells are "12 %/1 %", as in the paper; tied pairs have a dash for right conclusions.
        right, wrong = map(_whole_percents, (row["right"], row["wrong"]))
        has_both = row["wrong"] or row["right"] is None
        cells[f"size_{row['size']}"] = f"{right}/{wrong}" if has_both else right
    headed = (Column(f"size_{size}", heading) for size, heading in sizes.items())
    return Table((*columns, *headed), tuple(pairs.values()))


def _whole_percents(share: float | None) -> str:
    """Format a share in whole percents, with one decimal below 1 %."""
    if share is None:
        return NO_VALUE
    return f"{100 * share:.1f} %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


def _power_sentences(rows: Sequence[base.Row], unit: str, digits: int) -> Iterator[str]:
    """Describe the mean power at each size, and the differences that are usually detected."""
    for size, group in groupby(sorted(rows, key=lambda row: row["size"]), lambda row: row["size"]):
        of_size = list(group)
        last = of_size[-1]
        case = f"{_case(last)} on {size:,} {unit}s: "
        if last["better"] == MEAN:
            case += (
                "averaged over pairs, the conclusion was right in "
                f"{base.Estimate.from_cells(last, 'right')} of the samples and wrong in "
                f"{base.Estimate.from_cells(last, 'wrong')}; "
            )
        yield case + _detected(of_size, digits)


def _detected(rows: Sequence[base.Row], digits: int) -> str:
    """Describe the smallest difference from which on all pairs reach the usual target power."""
    powers = sorted(
        (row["difference"], row["right"])
        for row in rows
        if row["right"] is not None and row["better"] != MEAN
    )
    often = f"{100 * USUAL_POWER:.0f} %"
    rare = [index for index, (_, power) in enumerate(powers) if power < USUAL_POWER]
    enough = powers[rare[-1] + 1 if rare else 0 :]
    if not powers:
        return "no pair differs in the pool."
    if not enough:
        return f"even the largest difference was detected in fewer than {often} of the samples."
    minimum = f"{enough[0][0]:.{digits}f}"
    return f"all differences from {minimum} up were detected in at least {often} of the samples."


# Accuracy: share of right conclusions by confidence.


#: Lower bounds of Koehn's bands: the four of 95 % and more in his Table 4 hold as many conclusions
#: as his Table 3, and §7.2 quotes the next one, "90%-94.9%".
BANDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
# Level at which a band is tested for overconfidence.
CHANCE = 0.025
# Tests with one-sided p-values.
ONE_SIDED = ("wins",)
BAND_COLUMNS = base.columns(
    "metric | test | band: Significance level | conclusions | confidence: Mean level [.1%] | "
    + base.bounded("right", "Correct")
)


@base.study(TrialOptions)
def study_accuracy(
    test_set: TestSet | Counts, metrics: MetricsLike = "bleu", **options: Unpack[TrialOptions]
) -> base.StudyResult:
    """How many conclusions are right, by the confidence of the test?

    Koehn (2004, Table 4): of 363 conclusions with a confidence of 90 to 95 %, 95 % were right. The
    confidence of a conclusion is 1 - p, which for Koehn's "wins" is the winner's share of the
    replicates. How often a test is right at a given confidence depends on the size of the
    differences. If all systems are equal, half of the conclusions are wrong at any confidence.
    Two-sided p-values are conservative here.

    Args:
        test_set: pool to draw samples from.
        metrics: metrics to compare by; the first one ranks the systems to choose pairs.
    """
    trials = _run_trials("accuracy", test_set, metrics, options)
    title = "Conclusions of all pairs and samples by their confidence, and how many were right"
    plot = Plot("line", "confidence", "right", series="test", panel="metric")
    result = base.StudyResult(trials.settings, title, BAND_COLUMNS, plot)
    result.details["undecided"] = []
    for statistics, test in trials.cases:
        # No conclusion is right about a pair that ties in the pool.
        untied = base.true_differences(statistics, trials.pairs) != 0
        outcomes = trials.outcomes(statistics, test).only(untied)
        case = {"metric": statistics.label, "test": test}
        of_test = [case | band for band in _bands(outcomes, options["replicates"])]
        result.rows.extend(of_test)
        result.sentences.append(_accuracy_sentence(_case(case), of_test, test in ONE_SIDED))
        undecided = int((~(outcomes.right | outcomes.wrong)).sum())
        result.details["undecided"].append(undecided)
        if undecided:
            result.sentences.append(
                f"{_case(case)}: {undecided:,} samples have tied scores, hence no conclusion."
            )
    result.sentences.extend(trials.notes(0.05))
    return result


def _bands(outcomes: Outcomes, replicates: int) -> Iterator[base.Row]:
    """Yield the bands that contain conclusions, the highest confidence first."""
    # Highest confidence that these replicates allow.
    surest = 1 - smallest_p(replicates)
    confidence = (1 - outcomes.p).round(base.DECIMALS)
    for low, high in reversed(list(pairwise([0.0, *BANDS, math.inf]))):
        concluded = outcomes.right | outcomes.wrong
        inside = concluded & (confidence >= low) & (confidence < high)
        if not inside.any():
            continue
        count, end = int(inside.sum()), min(high, 1.0)
        rate = base.ratio_rate((inside & outcomes.right).sum(axis=1), inside.sum(axis=1))
        claimed = float(np.minimum(confidence[inside], surest).mean())
        yield {
            "band": f"{100 * low:g} to {100 * end:g} %" if low else f"below {100 * end:g} %",
            "least": low,
            "most": end,
            "conclusions": count,
            "confidence": float(confidence[inside].mean()),
            "claimed": claimed,
            **rate.cells("right"),
            "overconfident": _is_overconfident(rate, claimed, count),
        }


def _is_overconfident(right: base.Estimate, claimed: float, conclusions: int) -> bool:
    """Return whether a band is right significantly less often than it claims.

    Both the interval, which allows for correlated conclusions on one sample, and a binomial test,
    which is valid if hardly any conclusion is wrong, must agree.
    """
    from scipy.stats import binom

    wrong = conclusions - round(right.value * conclusions)
    chance = binom.sf(wrong - 1, conclusions, 1 - claimed)
    return bool(claimed > (right.high or 0) and chance < CHANCE)


def _accuracy_sentence(case: str, bands: Sequence[base.Row], one_sided: bool) -> str:
    if not bands:
        return f"{case}: there is no conclusion."
    overconfident = "; ".join(
        f"{band['band']}: {percent(band['right'])} of {band['conclusions']:,}"
        for band in bands
        if band["overconfident"]
    )
    verdict = (
        f"significantly fewer than claimed are right in the bands {overconfident}"
        if overconfident
        else "no band has significantly fewer right conclusions than it claims"
    )
    # Half of a two-sided p belongs to the wrong side.
    sided = "" if one_sided else " Its p-values are two-sided, hence conservative here."
    total = sum(band["conclusions"] for band in bands)
    return f"{case}: of {total:,} conclusions, {verdict}.{sided}"


# Sensitivity: number of pairs that differ significantly, and widths of intervals, by metric.


#: Metrics of both papers, with chrF and TER.
USUAL_METRICS = ("bleu", "nist", "mbleu", "chrf", "ter")
#: The bootstrap's interval of the difference, and approximate randomization.
BOTH_TESTS = ("interval", "ar")
# Share of pairs above which metrics can hardly differ, so that smaller samples show more.
SATURATED = 0.95
#: Marks of Zhang & Vogel's Fig. 3 by the sign of a significant difference.
MARKS = {1: ">", 0: "~", -1: "<"}

SENSITIVITY_COLUMNS = base.columns(
    "metric | size: Units | samples | test | correction | pairs | significant [.1f] | "
    f"{base.bounded('share', 'Share')} | width: Relative width [.2%]"
)


class SensitivityOptions(base.PoolOptions, total=False):
    """Options of `study_sensitivity`.

    Attributes:
        sizes: units in samples; small samples avoid that all pairs differ significantly. Default:
            the whole test set, once.
        samples: samples of each size, by default 20; only with sizes.
        sampling: sampling method: every k-th unit, consecutive units, or at random without (the
            default) or with replacement; only with sizes.
        correction: correction for all pairs of one metric.
    """

    sizes: base.Sizes
    samples: Annotated[int | None, Setting(minimum=2, maximum=base.MOST_TASKS)]
    sampling: Annotated[base.Sampling | None, Setting(default=None)]
    correction: Annotated[str, Setting(choices=P_VALUE_CORRECTIONS, default="holm")]
    replicates: Annotated[base.Replicates, Setting(default=10_000)]
    level: Level


@base.study(SensitivityOptions)
def study_sensitivity(
    test_set: TestSet | Counts,
    metrics: MetricsLike = USUAL_METRICS,
    **options: Unpack[SensitivityOptions],
) -> base.StudyResult:
    """By which metric do most pairs of systems differ significantly?

    Zhang & Vogel (2004, Table 1, Fig. 3) and Riezler & Maxwell (2005, Table 1) found NIST more
    sensitive than BLEU. A pair differs by the bootstrap's interval of the difference (Zhang & Vogel
    2004, §3.2) or by approximate randomization, each with and without a correction for all pairs.
    A significant difference need not be right: human raters may prefer the other system.

    Args:
        test_set: test set with at least two systems.
        metrics: metrics to compare.
    """
    level, unit, sizes = options["level"], options["unit"], options["sizes"]
    replicates, correction = options["replicates"], options["correction"]
    comparison = CompareSettings(replicates=replicates, level=level, seed=options["seed"])
    alpha = comparison.alpha
    pairs = list(combinations(range(len(test_set.outline.systems)), 2))
    if not pairs:
        raise SettingError("systems", 1, "at least 2 to compare")
    require_enough_replicates(replicates, correction, len(pairs), alpha, kind="pairs")
    pool = base.Pool.of(test_set, metrics, unit)
    chosen = base.sizes_that_fit(sizes, len(pool), ()) if sizes else [len(pool)]
    # No difference can be significant after the correction with too few units.
    minimum = fewest_units(alpha / smallest_factor(correction, len(pairs), only_one=False))
    if chosen[0] < minimum:
        expected = f"at least {minimum} units, so that any of {len(pairs)} pairs can be significant"
        raise SettingError("sizes", chosen[0], expected)
    for name in ("samples", "sampling"):
        if not sizes and options[name] is not None:
            expected = "no value without sizes (--sizes): the whole test set is taken once"
            raise SettingError(name, options[name], expected)
    drawing = {**options, "samples": options["samples"] or 20, "sizes": chosen}
    drawing["sampling"] = options["sampling"] or "random"
    # An interrupted run keeps the finished metrics, as each has a task.
    tasks = [
        Task(
            (size, index, statistics.label),
            partial(_p_values, pool, number, pairs, sample, index, comparison),
        )
        for size in chosen
        for index, sample in enumerate(_samples(drawing, len(pool), size))
        for number, statistics in enumerate(pool.statistics)
    ]
    settings, records = base.run_study(
        "sensitivity", drawing, pool.settings, tasks, unused=["correction"]
    )
    title = (
        f"Pairs of {len(pool.names)} systems that differ significantly at the level "
        f"{100 * level:g} %, by metric"
    )
    panel = "on" if len(chosen) > 1 else None
    plot = Plot("bar", "metric", "share", series="by", panel=panel, zero_y=True)
    result = base.StudyResult(settings, title, SENSITIVITY_COLUMNS, plot)
    # Zhang & Vogel's Table 1 and Fig. 3.
    result.details.update(systems=[], pairs=[])
    for size in chosen:
        by_metric: dict[str, list[Record]] = {}
        for (of_size, _, label), record in records.items():
            if of_size == size:
                by_metric.setdefault(str(label), []).append(record)
        concluded = [
            _Conclusions(pool, pairs, label, size, of_metric, alpha, correction)
            for label, of_metric in by_metric.items()
        ]
        for conclusions in concluded:
            result.rows.extend(conclusions.tests())
            result.details["systems"].extend(conclusions.systems())
            if size == len(pool):
                result.details["pairs"].extend(conclusions.marks())
        result.sentences.extend(
            _sensitivity_sentences(f"On {size:,} {unit}s", concluded, correction)
        )
    return result


class _Conclusions(NamedTuple):
    """Conclusions by one metric on the samples of one size.

    Attributes:
        pool: pool of all systems.
        pairs: pairs of systems.
        label: label of the metric.
        size: number of units in a sample.
        records: conclusions on each sample.
        alpha: significance level.
        correction: correction for all pairs.
    """

    pool: base.Pool
    pairs: Sequence[Pair]
    label: str
    size: int
    records: Sequence[Record]
    alpha: float
    correction: str

    @property
    def intervals(self) -> base.Floats:
        """Medians and relative bounds, shaped (sample, value, system)."""
        return np.stack([base.from_record(record["relative"]) for record in self.records])

    def significant(self, test: str = "ar", correction: str | None = None) -> NDArray[np.bool_]:
        """Return a mask of the pairs that differ significantly, shaped (sample, pair)."""
        # Rounding errors must not decide when a p-value equals alpha.
        limit = self.alpha * (1 + TIE_TOLERANCE)
        name = self.correction if correction is None else correction
        return np.stack([adjust(record[test], name) <= limit for record in self.records])

    @property
    def widths(self) -> base.Floats:
        """Relative widths of the systems, averaged over samples."""
        return base.mean_of_known(self.intervals[:, base.HIGH] - self.intervals[:, base.LOW])

    @property
    def width(self) -> base.Row:
        """Mean relative width of all systems, or None if no system has one."""
        return base.or_none(width=float(base.mean_of_known(self.widths)))

    def tests(self) -> Iterator[base.Row]:
        """Count the pairs that differ by each test, without and with the correction."""
        for test, correction in product(BOTH_TESTS, dict.fromkeys(("none", self.correction))):
            significant = self.significant(test, correction)
            share = base.mean_estimate(significant.mean(axis=1))
            low = None if share.low is None else max(0.0, share.low)
            high = None if share.high is None else min(1.0, share.high)
            corrected = "" if correction == "none" else f", {correction}"
            yield {
                "metric": self.label,
                "size": self.size,
                "samples": len(significant),
                "test": test,
                "correction": correction,
                "pairs": len(self.pairs),
                "significant": float(significant.sum(axis=1).mean()),
                **base.Estimate(share.value, low, high).cells("share"),
                **self.width,
                "by": f"{base.STUDY_TESTS[test].title}{corrected}",
                "on": f"{self.size} {self.pool.unit}s",
            }

    def systems(self) -> Iterator[base.Row]:
        """Yield systems with their intervals and the number of other systems that differ from each.

        Differences are tested by approximate randomization.
        """
        shares = list(zip(self.significant().mean(axis=0), self.pairs, strict=True))
        medians, lows, highs = base.mean_of_known(self.intervals)
        for system, name in enumerate(self.pool.names):
            others = sum(share for share, pair in shares if system in pair)
            ends = {"low": lows[system], "high": highs[system], "width": self.widths[system]}
            names = {"metric": self.label, "size": self.size, "system": name}
            row = names | {"median": float(medians[system])} | base.or_none(**ends)
            yield row | {"significant": float(others)}

    def marks(self) -> Iterator[base.Row]:
        """Yield ">", "<" or "~" for each system against each other, by the corrected interval."""
        (statistics,) = (s for s in self.pool.statistics if s.label == self.label)
        sign = np.sign(base.true_differences(statistics, self.pairs))
        sign *= self.significant("interval").mean(axis=0) > 0.5
        signs = dict(zip(self.pairs, sign.tolist(), strict=True))
        for a, b in product(range(len(self.pool.names)), repeat=2):
            mark = "" if a == b else MARKS[int(signs.get((a, b), 0) - signs.get((b, a), 0))]
            names = {"a": self.pool.names[a], "b": self.pool.names[b]}
            yield {"metric": self.label, **names, "mark": mark}


def _sensitivity_sentences(
    start: str, of_size: Sequence[_Conclusions], correction: str
) -> Iterator[str]:
    """Describe the numbers of significant pairs and the widths of intervals, by metric."""
    shares = {conclusions.label: conclusions.significant().mean(axis=1) for conclusions in of_size}
    pairs = len(of_size[0].records[0]["ar"])
    corrected = "without correction" if correction == "none" else f"corrected ({correction})"
    order = sorted(shares, key=lambda metric: -float(shares[metric].mean()))
    amounts = ", ".join(
        f"{metric} {pairs * shares[metric].mean():.3g} ({percent(shares[metric].mean())})"
        for metric in order
    )
    yield (
        f"{start}, the numbers of {pairs} pairs that differ significantly by approximate "
        f"randomization, {corrected}, are: {amounts}."
    )
    for metric in order[1:] if len(shares[order[0]]) > 1 else ():
        more = base.mean_estimate(shares[order[0]] - shares[metric])
        certain = "significantly more" if (more.low or 0) > 0 else "cannot tell which detects more"
        yield f"{start}, {order[0]} detects {more} more of the pairs than {metric}: {certain}."
    if len(shares) > 1 and min(share.mean() for share in shares.values()) >= SATURATED:
        yield (
            f"{start} at least {100 * SATURATED:g} % of the pairs differ significantly by every "
            "metric; smaller samples (--sizes) tell metrics apart better."
        )
    widths = {conclusions.label: conclusions.width["width"] for conclusions in of_size}
    known = sorted((width, metric) for metric, width in widths.items() if width is not None)
    without = [metric for metric, width in widths.items() if width is None]
    if known:
        words = ", ".join(f"{metric} {100 * width:.2f} %" for width, metric in known)
        yield f"{start} the mean relative widths of the intervals are {words}."
    if without:
        yield f"{start} there is no relative interval for {', '.join(without)}: medians are 0."


def _samples(options: Mapping[str, Any], pool: int, size: int) -> list[base.Sample]:
    """Draw the samples of a size; the whole pool is a single sample, unless with replacement."""
    if size == pool and options["sampling"] != "independent":
        return [np.arange(pool)]
    return base.draw_samples(options["sampling"], pool, size, options["samples"], options["seed"])


def _p_values(
    pool: base.Pool,
    metric: int,
    pairs: Sequence[Pair],
    sample: base.Sample,
    index: int,
    settings: CompareSettings,
) -> Record:
    """Compute p-values of all pairs by both tests, and the systems' intervals, on one sample.

    Each sample has its own replicates, so that Monte-Carlo errors of samples are independent.
    """
    statistics = pool.take(sample)[metric]
    replicates, seed = settings.replicates, settings.seed
    ((_, scores),) = base.resampled_scores([statistics], replicates, seed, index)
    by_test = base.Testing(BOTH_TESTS, replicates, seed).conclusions(statistics, pairs, index)
    return {
        **{test: concluded.p.tolist() for test, concluded in by_test.items()},
        "relative": as_lists(base.relative_intervals(scores, settings.level)),
    }
