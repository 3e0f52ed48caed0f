"""Claims about comparisons of systems with several optimizer runs."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import product
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import t as student

from truebleu import BLEU, TER
from truebleu.corpus import as_test_set
from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics import FunctionMetric, LengthRatio, MeanScorer, Scorer, Signature
from truebleu.resampling import Units
from truebleu.significance.compare import compare
from truebleu.significance.optimizer_runs import (
    RunAverage,
    RunScores,
    SystemRuns,
    as_runs,
    group_runs,
)
from truebleu.significance.unit_counts import UnitCounts
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu import TestSet
    from truebleu.metrics.base import Metric
    from truebleu.schema import About, RunSwaps
    from truebleu.significance.compare import Comparison, PairResult

RATES = {"base": (0.20, 0.22, 0.24), "new": (0.15, 0.19, 0.17)}
RUNS = {system: tuple(f"{system}.opt{run}" for run in range(3)) for system in RATES}
# Outputs that are numbers, as their own scores: what is expected can be told without any text.
VALUE = FunctionMetric(function=lambda output, _: float(output), name="value")


def simulated(segments: int, seed: int = 1) -> TestSet:
    channels = {
        name: Channel.at_rate(rate)
        for system, names in RUNS.items()
        for name, rate in zip(names, RATES[system], strict=True)
    }
    return simulate(segments=segments, systems=channels, seed=seed)


@pytest.fixture(scope="module")
def test_set() -> TestSet:
    return simulated(120)


class OddScorer(MeanScorer):
    """A scorer with no property that others have by default."""

    name = "odd"
    signature = Signature.of("odd", of="others")
    higher_is_better = False
    digits = 9
    limits = (-7.0, 11.0)
    weight_columns = (5, 6)


PROPERTIES = [name for name, value in vars(Scorer).items() if isinstance(value, property)]


@pytest.mark.parametrize("name", PROPERTIES)
def test_an_average_has_every_property_of_its_metric(name: str) -> None:
    """Without its limits, intervals would leave the range of the metric."""
    metric = OddScorer()
    by_default = getattr(Scorer, name)
    if not getattr(by_default, "__isabstractmethod__", False):
        assert getattr(metric, name) != by_default.fget(Scorer)
    assert getattr(RunAverage(metric=metric, runs=2), name) == getattr(metric, name)


def test_intervals_of_averages_stay_within_the_limits_of_the_metric() -> None:
    reference = [f"the cat {number} sat on the mat" for number in range(12)]
    wrong = ["a dog ran off", *reference[1:]]
    outputs = {"a.1": reference, "a.2": wrong, "b.1": wrong, "b.2": reference}
    result = compare(outputs, reference, "ter", runs="{system}.{run}", replicates=200)
    intervals = [by["TER"].interval for by in result.systems.values()]
    assert [interval[0] for interval in intervals] == [0, 0]


def numbers(values: Mapping[str, NDArray[np.float64]]) -> TestSet:
    """A test set whose outputs are these numbers, by name."""
    texts = {name: [repr(float(value)) for value in column] for name, column in values.items()}
    return as_test_set(texts, [""] * len(next(iter(values.values()))))


def of_system(comparison: Comparison, system: str, metric: str) -> RunScores:
    runs = comparison.systems[system][metric].runs
    assert runs is not None
    return runs


def of_pair(comparison: Comparison) -> PairResult:
    (pair,) = comparison.comparisons
    assert pair.pooled_difference is not None
    return pair


@pytest.mark.parametrize("metric", [BLEU(), TER(), LengthRatio()], ids=lambda metric: metric.name)
def test_averages_and_spreads_agree_with_the_runs_scores(test_set: TestSet, metric: Metric) -> None:
    comparison = compare(test_set, metrics=[metric], runs=RUNS)
    for system, names in RUNS.items():
        scores = [
            metric.corpus(test_set.systems[name], list(test_set.references)).score for name in names
        ]
        result = of_system(comparison, system, metric.name)
        average = comparison.systems[system][metric.name].score
        assert result.scores == pytest.approx(scores, rel=1e-12)
        assert average == pytest.approx(fmean(scores), rel=1e-12)
        assert result.sd_of_runs == pytest.approx(stdev(scores), rel=1e-9)
    pair = of_pair(comparison)
    first, second = (comparison.systems[name][metric.name].score for name in RUNS)
    assert pair.difference == pytest.approx(first - second, rel=1e-12)


def test_the_spread_over_segments_is_the_standard_error_of_a_mean() -> None:
    rng = np.random.default_rng(3)
    values = {name: rng.gamma(2, size=200) for names in RUNS.values() for name in names}
    settings: dict[str, Any] = {"replicates": 10_000}
    comparison = compare(numbers(values), metrics=[VALUE], runs=RUNS, **settings)
    for system, names in RUNS.items():
        expected = fmean(float(values[name].std()) / sqrt(200) for name in names)
        # The relative standard error of a standard deviation of B values is about 1 / sqrt(2 B).
        spread = of_system(comparison, system, "value").sd_of_segments
        assert spread == pytest.approx(expected, rel=4 / sqrt(2 * 10_000))


@pytest.mark.parametrize("test", ["ar", "bootstrap", "bootstrap-absolute"])
def test_one_run_each_is_a_plain_comparison(test_set: TestSet, test: str) -> None:
    names = ["base.opt0", "new.opt0"]
    one = as_test_set({name: test_set.systems[name] for name in names}, [*test_set.references])
    settings: dict[str, Any] = {"test": test, "replicates": 500, "interval": "bca", "margin": 1.0}
    plain = compare(one, metrics=["bleu", "ter"], **settings).to_dict()
    both: tuple[RunSwaps, ...] = ("separately", "together") if test == "ar" else ("together",)
    for swap_runs in both:
        runs = {name: [name] for name in names}
        comparison = compare(
            one, metrics=["bleu", "ter"], runs=runs, swap_runs=swap_runs, **settings
        )
        assert of_system(comparison, "base.opt0", "BLEU").sd_of_runs is None
        as_runs = comparison.to_dict()
        assert as_runs["metrics"] == plain["metrics"]
        for key in ("systems", "comparisons"):
            for ours, expected in zip(as_runs[key], plain[key], strict=True):
                if key == "comparisons":  # native kernels round otherwise
                    assert ours["interval"] == pytest.approx(expected["interval"], rel=1e-9)
                    ours["interval"] = expected["interval"]
                    if test == "ar":  # others have no swaps
                        ratio = expected["swap_ratio"]
                        assert ours["swap_ratio"] == pytest.approx(ratio, rel=1e-9)
                        ours["swap_ratio"] = ratio
                    # What only runs have.
                    assert ours.pop("pooled_difference") == pytest.approx(ours["difference"])
                    assert expected["pooled_difference"] is None
                    ours["pooled_difference"] = None
                for score in ours.get("scores", {}).values():
                    score["runs"] = None
                assert ours == expected


def test_exact_swaps_of_separate_runs_are_the_enumeration_of_pooled_corpora() -> None:
    small = simulated(4, seed=5)
    metric = BLEU(smooth="add-k")
    first, second = (
        [small.systems[name] for name in names[:2]] for names in (RUNS["base"], RUNS["new"])
    )
    reference = [*small.references[0]] * 2

    def difference(coins: Sequence[bool]) -> float:
        slots = list(zip([*first[0], *first[1]], [*second[0], *second[1]], coins, strict=True))
        x = [b if coin else a for a, b, coin in slots]
        y = [a if coin else b for a, b, coin in slots]
        return metric.corpus(x, reference).score - metric.corpus(y, reference).score

    observed = difference([False] * 8)
    null = [difference(coins) for coins in product([False, True], repeat=8)]
    expected = fmean(abs(value) >= abs(observed) - 1e-9 for value in null)
    runs = {system: names[:2] for system, names in RUNS.items()}
    comparison = compare(
        small, metrics=[metric], runs=runs, about="these-runs", swap_runs="separately"
    )
    assert comparison.metrics["BLEU"].exact
    assert comparison.metrics["BLEU"].replicates == 256
    assert of_pair(comparison).p == pytest.approx(expected, rel=1e-12)
    assert of_pair(comparison).pooled_difference == pytest.approx(observed, rel=1e-9)


@pytest.mark.parametrize("test", ["ar", "bootstrap", "bootstrap-absolute"])
def test_runs_swapped_together_compare_the_averages_of_mean_scores(test: str) -> None:
    rng = np.random.default_rng(4)
    # Quarters, so that the means of two of them are exact.
    values = {name: rng.integers(0, 40, size=60) / 4 for names in RUNS.values() for name in names}
    runs = {system: names[:2] for system, names in RUNS.items()}
    means = {system: (values[a] + values[b]) / 2 for system, (a, b) in runs.items()}
    settings: dict[str, Any] = {"test": test, "replicates": 2000}
    found = of_pair(
        compare(numbers(values), metrics=[VALUE], runs=runs, about="these-runs", **settings)
    )
    (expected,) = compare(numbers(means), metrics=[VALUE], **settings).comparisons
    assert (found.p, found.wins) == (expected.p, expected.wins)
    assert found.interval == pytest.approx(expected.interval, abs=1e-12)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"about": "these-runs"},
        {"about": "these-runs", "swap_runs": "separately"},
    ],
    ids=str,
)
def test_the_order_of_runs_changes_nothing(test_set: TestSet, settings: dict[str, Any]) -> None:
    texts = [test_set.systems[name] for name in RUNS["base"]]
    copied = {name: texts[index] for index, name in enumerate(RUNS["base"])}
    copied |= {f"copy.{index}": texts[index] for index in (2, 0, 1)}
    runs = {"base": RUNS["base"], "copy": tuple(copied)[3:]}
    found = of_pair(compare(as_test_set(copied, [*test_set.references]), runs=runs, **settings))
    assert found.p == pytest.approx(1.0, abs=1e-9)
    assert found.difference == pytest.approx(0, abs=1e-12)
    assert found.pooled_difference == 0
    assert not found.significant


@pytest.mark.parametrize("about", ["further-runs", "these-runs"])
def test_swapping_systems_flips_signs_and_nothing_else(test_set: TestSet, about: About) -> None:
    forth = compare(test_set, metrics=["bleu"], runs=RUNS, about=about)
    back = compare(test_set, metrics=["bleu"], runs=dict(reversed(RUNS.items())), about=about)
    left, right = of_pair(forth), of_pair(back)
    assert (left.a, left.b) == (right.b, right.a)
    assert (left.p, left.p_se, left.p_adjusted) == (right.p, right.p_se, right.p_adjusted)
    assert left.difference == -right.difference
    assert left.pooled_difference == -(right.pooled_difference or 0)
    low, high = right.interval
    assert low is not None
    assert high is not None
    assert left.interval == (-high, -low)
    # Each system draws runs of its own, so that shares of replicates differ by chance.
    assert left.wins == pytest.approx(1 - right.wins, abs=0.02)
    one, other = forth.systems["new"]["BLEU"], back.systems["new"]["BLEU"]
    assert (one.score, one.interval, one.rank_range) == (
        other.score,
        other.interval,
        other.rank_range,
    )


def test_best_and_median_run_follow_the_metric() -> None:
    shorter = {"a.1": "the cat", "a.2": "the cat sat on", "a.3": "the cat sat", "a.4": "the"}
    texts = {**shorter, **{f"b.{run}": "the cat sat on a mat" for run in range(1, 5)}}
    test_set = as_test_set(
        {name: [text] * 3 for name, text in texts.items()}, ["the cat sat on the mat"] * 3
    )
    comparison = compare(
        test_set, metrics=["ter", "chrf", "length"], runs=group_runs(texts, "{system}.{run}")
    )
    # TER 67, 33, 50 and 83: the lowest is best, and of the middle two the higher is the median.
    assert of_system(comparison, "a", "TER").best == "a.2"
    assert of_system(comparison, "a", "TER").median == "a.1"
    assert of_system(comparison, "a", "chrF2").best == "a.2"
    assert of_system(comparison, "a", "chrF2").median == "a.3"
    assert of_system(comparison, "a", "Length").best is None
    assert of_system(comparison, "a", "Length").median == "a.3"


def test_documents_of_one_segment_are_segments() -> None:
    simulated_set = simulate(
        segments=50,
        systems={name: Channel.at_rate(0.2) for names in RUNS.values() for name in names},
        document_length=1,
    )
    found = [
        compare(simulated_set, metrics=["bleu"], runs=RUNS, unit=unit)
        for unit in ("segment", "document")
    ]
    pairs = [replace(result.comparisons[0], largest_unit=None) for result in found]
    assert pairs[0] == pairs[1]
    assert found[0].systems == found[1].systems


@pytest.mark.parametrize("about", ["further-runs", "these-runs"])
def test_identical_runs_have_the_design_effect_of_one_run(about: About) -> None:
    rng = np.random.default_rng(3)
    documents = [str(segment // 6) for segment in range(120)]
    shared = np.repeat(rng.normal(size=20), 6)
    new, old = rng.normal(size=(2, 120)) + np.array([shared, -shared])
    texts = numbers({"new.1": new, "new.2": new, "old.1": old, "old.2": old})
    options: dict[str, Any] = {"metrics": [VALUE], "replicates": 100}
    texts = replace(texts, documents=tuple(documents))
    runs = compare(texts, runs="{system}.{run}", about=about, **options).comparisons[0]
    single = replace(texts, systems={name: texts.systems[f"{name}.1"] for name in ("new", "old")})
    alone = compare(single, **options).comparisons[0]
    assert runs.design_effect == pytest.approx(alone.design_effect, rel=1e-9)
    assert (alone.design_effect or 0) > 2


UNEQUAL = {"base": RUNS["base"][:2], "new": RUNS["new"]}


@pytest.mark.parametrize("about", ["further-runs", "these-runs"])
def test_unequal_numbers_of_runs_compare_their_averages(about: About) -> None:
    rng = np.random.default_rng(6)
    values = {name: rng.gamma(2, size=40) for names in RUNS.values() for name in names}
    (pair,) = compare(numbers(values), metrics=[VALUE], runs=UNEQUAL, about=about).comparisons
    base, new = (np.mean([values[name] for name in names]) for names in UNEQUAL.values())
    assert pair.difference == pytest.approx(base - new, rel=1e-9)
    result = compare(numbers(values), metrics=[VALUE], runs=UNEQUAL, about=about)
    assert [len(of_system(result, name, "value").scores) for name in UNEQUAL] == [2, 3]
    assert "2 to 3 runs of each system" in " ".join(str(result).split())


def test_the_two_way_test_counts_each_of_unequal_runs_once() -> None:
    """The variance of the module's docstring, for means, from its parts one by one."""
    rng = np.random.default_rng(6)
    values = {name: rng.gamma(2, size=40) for names in RUNS.values() for name in names}
    (pair,) = compare(numbers(values), metrics=[VALUE], runs=UNEQUAL).comparisons
    a, b = (np.array([values[name] for name in names]) for names in UNEQUAL.values())
    units = a.shape[1]
    of_segments = np.var(a.mean(axis=0) - b.mean(axis=0), ddof=1) / units
    of_runs = [np.var(part.mean(axis=1), ddof=1) / len(part) for part in (a, b)]
    interaction = 0.0
    for part in (a, b):
        rest = part - part.mean(axis=0) - part.mean(axis=1, keepdims=True) + part.mean()
        mean_square = (rest**2).sum() / ((units - 1) * (len(part) - 1))
        interaction += mean_square / (units * len(part))
    variance = max(of_segments + sum(of_runs) - interaction, of_segments, sum(of_runs))
    divisor = of_segments**2 / (units - 1) + sum(
        part**2 / (len(runs) - 1) for part, runs in zip(of_runs, (a, b), strict=True)
    )
    t = abs(a.mean() - b.mean()) / sqrt(variance)
    assert pair.p == pytest.approx(2 * student.sf(t, variance**2 / divisor), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("about", ["further-runs", "these-runs"])
def test_unequal_runs_of_equal_systems_keep_the_level(about: About) -> None:
    rng = np.random.default_rng(8)
    spread = 0.3 if about == "further-runs" else 0.0
    runs = {"base": ["base.0", "base.1"], "new": [f"new.{run}" for run in range(5)]}
    rejected = 0
    for seed in range(400):
        segments = rng.normal(size=100)
        values = {
            name: segments + rng.normal(0, spread) + rng.normal(size=100)
            for names in runs.values()
            for name in names
        }
        result = compare(
            numbers(values), metrics=[VALUE], runs=runs, about=about, replicates=199, seed=seed
        )
        rejected += result.comparisons[0].p <= 0.05
    # Three standard errors of .05 in 400; two runs leave few degrees of freedom.
    assert rejected <= 0.083 * 400
    assert about == "further-runs" or rejected >= 0.017 * 400


def test_a_single_run_says_nothing_about_further_runs(test_set: TestSet) -> None:
    runs = {"base": ["base.opt0"], "new": RUNS["new"]}
    assert compare(test_set, runs=runs).settings.about == "these-runs"
    with pytest.raises(SettingError, match="'these-runs', or two runs or more of each"):
        compare(test_set, runs=runs, about="further-runs")
    with pytest.raises(SettingError, match="swap_runs: 'separately'; expected 'together' unless"):
        compare(test_set, runs=runs, swap_runs="separately", about="these-runs")


@pytest.mark.parametrize(("counts", "refused"), [((8, 15), False), ((11, 12), True)])
def test_numbers_of_runs_with_a_large_common_multiple_are_refused(
    counts: tuple[int, int], refused: bool
) -> None:
    runs = {
        name: [f"{name}.{run}" for run in range(count)]
        for name, count in zip("ab", counts, strict=True)
    }
    outputs = [output for names in runs.values() for output in names]
    message = ""
    try:
        as_runs(runs, outputs)
    except SettingError as error:
        message = str(error)
    assert ("least common multiple of at most 120" in message) == refused


def test_outputs_that_are_no_systems_run_are_left_alone(test_set: TestSet) -> None:
    more = simulate(
        segments=120,
        systems={"other": Channel(), **dict.fromkeys(test_set.systems, Channel.at_rate(0.2))},
    )
    without = as_test_set(
        {name: more.systems[name] for name in test_set.systems},
        [*more.references],
        documents=more.documents,
    )
    found = [
        compare(texts, metrics=["bleu"], runs=RUNS, unit="segment").comparisons
        for texts in (more, without)
    ]
    assert found[0] == found[1]


def test_a_result_is_plain_json(test_set: TestSet) -> None:
    settings: dict[str, Any] = {"replicates": 200}
    comparison = compare(
        test_set, metrics=["bleu", "length"], runs=RUNS, **settings, about="these-runs"
    )
    plain = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert plain["runs"] == {system: list(names) for system, names in RUNS.items()}
    assert plain["settings"]["swap_runs"] == "together"
    assert plain["settings"]["about"] == "these-runs"
    scores = plain["systems"][0]["scores"]["BLEU"]
    assert len(scores["runs"]["scores"]) == 3
    assert {"sd_of_runs", "sd_of_segments", "best", "median"} <= set(scores["runs"])


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({"base": ["base.opt0"]}, "at least two to compare"),
        ({}, "at least two to compare"),
        ({"base": ["base.opt0"], "new": []}, "runs of new: 'none'"),
        ({"base": ["base.opt0"], "new": ["base.opt0"]}, "runs of new: .* base has base.opt0"),
        ({"base": ["base.opt0"], "new": ["new.opt9"]}, "unknown output of new 'new.opt9'"),
    ],
)
def test_impossible_runs_are_refused(
    test_set: TestSet, runs: dict[str, list[str]], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        compare(test_set, runs=runs)


def test_impossible_settings_are_refused(test_set: TestSet) -> None:
    with pytest.raises(SettingError, match="student"):
        compare(test_set, runs=RUNS, interval="student")
    with pytest.raises(UnknownNameError, match="swap_runs"):
        compare(test_set, runs=RUNS, about="these-runs", swap_runs="segment")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="baseline"):
        compare(test_set, runs=RUNS, baseline="base.opt0")


def test_names_are_grouped_by_a_pattern() -> None:
    names = ["a.b.opt1", "c.opt10", "a.b.optlast", "c.opt1"]
    assert group_runs(names, "{system}.opt{run}") == {
        "a.b": ("a.b.opt1", "a.b.optlast"),
        "c": ("c.opt10", "c.opt1"),
    }
    assert group_runs(["1+(x)", "2+(x)"], "{run}+({system})") == {"x": ("1+(x)", "2+(x)")}


def test_names_that_do_not_fit_the_pattern_are_listed() -> None:
    with pytest.raises(SettingError, match=r"'b' does not fit '.*', the pattern of runs"):
        group_runs(["a.opt1", "b", ".opt1"], "{system}.opt{run}")


@pytest.mark.parametrize(
    "pattern",
    ["", "{system}", "{run}.opt", "{system}{run}", "{system}.{run}.{run}", "{system}.{x}.{run}"],
)
def test_ambiguous_patterns_of_runs_are_rejected(pattern: str) -> None:
    with pytest.raises(SettingError, match="pattern of runs"):
        group_runs(["a.1"], pattern)


def rejections(alike: float, swap_runs: RunSwaps, experiments: int = 400) -> float:
    """How often equal systems differ at .05, of 60 segments and 3 runs.

    Args:
        alike: the share of the variance within a segment that the runs of a system have in common.
        swap_runs: what is swapped.
        experiments: how many comparisons.
    """
    rng = np.random.default_rng(11)
    settings: dict[str, Any] = {"replicates": 199}
    rejected = 0
    for _ in range(experiments):
        values = {}
        for names in RUNS.values():
            common = rng.normal(size=60) * sqrt(alike)
            for name in names:
                values[name] = common + rng.normal(size=60) * sqrt(1 - alike)
        comparison = compare(
            numbers(values),
            metrics=[VALUE],
            runs=RUNS,
            about="these-runs",
            **settings,
            swap_runs=swap_runs,
        )
        rejected += of_pair(comparison).significant
    return rejected / experiments


# The bounds are 3 standard deviations of a share of .05 in 400.
@pytest.mark.slow
@pytest.mark.parametrize("swap_runs", ["separately", "together"])
def test_equal_systems_with_exchangeable_runs_are_rejected_as_often_as_promised(
    swap_runs: RunSwaps,
) -> None:
    assert 0.017 < rejections(alike=0.0, swap_runs=swap_runs) < 0.083


@pytest.mark.slow
def test_runs_that_are_alike_must_be_swapped_together() -> None:
    assert rejections(alike=0.8, swap_runs="separately") > 0.15
    assert 0.017 < rejections(alike=0.8, swap_runs="together") < 0.083


def test_separate_swaps_are_rejected_for_tests_without_swaps(test_set: TestSet) -> None:
    settings: dict[str, Any] = {"test": "bootstrap", "replicates": 100, "about": "these-runs"}
    with pytest.raises(SettingError, match="swap_runs"):
        compare(test_set, metrics=["bleu"], runs=RUNS, **settings, swap_runs="separately")
    with pytest.raises(SettingError, match="swap_runs"):
        compare(test_set, metrics=["bleu"], runs=RUNS, swap_runs="separately")


# Verdicts about further runs.


def plain_two_way(
    values: Mapping[str, NDArray[np.float64]], runs: Mapping[str, Sequence[str]]
) -> tuple[float, float]:
    """Standard error and degrees of freedom of a difference of means, from sums of squares."""
    tables = [np.stack([values[name] for name in names], axis=1) for names in runs.values()]
    segments, count = tables[0].shape
    means = tables[0].mean(axis=1) - tables[1].mean(axis=1)
    of_segments = float(means.var(ddof=1)) / segments
    of_runs = [float(table.mean(axis=0).var(ddof=1)) / count for table in tables]
    residuals = [
        table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
        for table in tables
    ]
    freedom = (segments - 1) * (count - 1)
    interaction = sum(float((rest**2).sum()) / freedom / (segments * count) for rest in residuals)
    variance = max(of_segments + sum(of_runs) - interaction, of_segments, sum(of_runs))
    squares = of_segments**2 / (segments - 1) + sum(part**2 for part in of_runs) / (count - 1)
    return sqrt(variance), variance**2 / squares


@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_further_runs_are_judged_by_the_two_way_variance(shift: float) -> None:
    rng = np.random.default_rng(8)
    common = rng.normal(size=40)
    values = {
        name: common + rng.normal(size=40) + shift * rng.normal() + 0.2 * place
        for place, names in enumerate(RUNS.values())
        for name in names
    }
    comparison = compare(numbers(values), metrics=[VALUE], runs=RUNS, margin=1.0)
    pair = of_pair(comparison)
    error, degrees = plain_two_way(values, RUNS)
    first, second = (fmean(fmean(values[name]) for name in names) for names in RUNS.values())
    t = (first - second) / error
    assert pair.p == pytest.approx(2 * student.sf(abs(t), degrees), rel=1e-9)
    half = student.ppf(0.975, degrees) * error
    assert pair.interval == pytest.approx((first - second - half, first - second + half))
    assert pair.equivalence_p == pytest.approx(
        student.sf((1.0 - abs(first - second)) / error, degrees), rel=1e-9
    )
    assert (comparison.settings.test, comparison.settings.interval) == ("two-way", "two-way")
    assert comparison.settings.about == "further-runs"


def test_runs_far_apart_leave_nothing_significant() -> None:
    rng = np.random.default_rng(1)
    noise = [rng.normal(size=200) for _ in range(4)]
    values = {
        "a.1": 88.2 + noise[0],
        "a.2": 44.9 + noise[1],
        "b.1": 45.0 + noise[2],
        "b.2": 44.0 + noise[3],
    }
    test_set = numbers(values)
    pair = of_pair(compare(test_set, metrics=[VALUE], runs="{system}.{run}"))
    assert not pair.significant
    assert pair.p > 0.3
    these = of_pair(compare(test_set, metrics=[VALUE], runs="{system}.{run}", about="these-runs"))
    assert these.significant


def test_a_verdict_says_which_runs_it_is_about(test_set: TestSet) -> None:
    further = " ".join(str(compare(test_set, runs=RUNS, unit="segment")).split())
    assert "two-way t test over 120 segments" in further
    assert "and 3 runs of each system, about further runs" in further
    settings: dict[str, Any] = {"about": "these-runs", "replicates": 100, "unit": "segment"}
    these = " ".join(str(compare(test_set, runs=RUNS, **settings)).split())
    assert "approximate randomization over 120 segments" in these
    assert "and 3 runs of each system, about these runs" in these
    assert "The verdict is about these runs only" in these


def test_a_verdict_on_further_runs_needs_two_runs(test_set: TestSet) -> None:
    runs = {system: names[:1] for system, names in RUNS.items()}
    assert compare(test_set, runs=runs).settings.about is None
    with pytest.raises(SettingError, match="two runs or more"):
        compare(test_set, runs=runs, about="further-runs")


def test_options_without_meaning_for_further_runs_are_rejected(test_set: TestSet) -> None:
    for settings in ({"test": "ar"}, {"interval": "bca"}, {"adaptive": True}):
        with pytest.raises(SettingError):
            compare(test_set, runs=RUNS, **settings)
    with pytest.raises(SettingError, match="without runs; add runs"):
        compare(test_set, about="further-runs")
    with pytest.raises(SettingError, match="about"):
        compare(test_set, test="two-way")


def mixed_runs(rng: np.random.Generator, sds: tuple[float, float], runs: int) -> TestSet:
    """Runs that mix the segments of two texts, each with a share of its own around one half."""
    base = simulated_pair()
    texts = {}
    for system, sd in zip("ab", sds, strict=True):
        for run in range(runs):
            coins = rng.random(len(base)) < 0.5 + sd * rng.normal()
            pairs = zip(coins, *base.systems.values(), strict=True)
            texts[f"{system}.{run}"] = [first if coin else second for coin, first, second in pairs]
    return as_test_set(texts, [*base.references])


@cache
def simulated_pair() -> TestSet:
    return simulate(
        segments=200, systems={"x": Channel.at_rate(0.2), "y": Channel.at_rate(0.25)}, seed=6
    )


# 400 comparisons: three standard deviations of a share of .05 are .033. Two-way tests may be too
# cautious where runs do not vary, and never too bold; of these runs alone they are too bold.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("sds", "runs"), [((0.0, 0.0), 3), ((0.12, 0.12), 3), ((0.12, 0.0), 5)], ids=str
)
def test_equal_systems_whose_runs_vary_are_seldom_told_apart(
    sds: tuple[float, float], runs: int
) -> None:
    rng = np.random.default_rng(21)
    settings: dict[str, Any] = {"replicates": 99, "runs": "{system}.{run}"}
    further = these = 0
    for _ in range(400):
        test_set = mixed_runs(rng, sds, runs)
        further += compare(test_set, **settings).comparisons[0].significant
        if sds[0]:
            comparison = compare(test_set, about="these-runs", **settings)
            these += comparison.comparisons[0].significant
    assert further / 400 < 0.083
    if sds[0]:
        assert these / 400 > 0.1


@pytest.mark.parametrize("scores", [[(1.0, 2.0, 3.0), (4.0, 6.0, 8.0)], [(1.0, 3.0), (2.0, 2.5)]])
def test_replicates_about_further_runs_vary_like_averages_of_further_runs(
    scores: Sequence[Sequence[float]],
) -> None:
    outputs = {f"s{number}": tuple(map(str, runs)) for number, runs in enumerate(scores)}
    flat = np.concatenate([np.array(runs) for runs in scores])
    rows = np.stack([np.tile(flat, (5, 1)), np.ones((5, len(flat)))], axis=2)
    counted = [UnitCounts.of("value", VALUE, rows, Units.segments(5))]
    runs = SystemRuns(outputs, counted, "further-runs", seed=1)
    (means,) = runs.mean_scores([np.tile(flat, (20_000, 1))])
    # Segments do not vary here, so all variance is that of an average of runs: s² / r.
    expected = [np.var(of_system, ddof=1) / len(of_system) for of_system in scores]
    assert means.var(axis=0) == pytest.approx(expected, rel=0.05)
