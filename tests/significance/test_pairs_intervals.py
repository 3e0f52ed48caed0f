"""Claims about the intervals of differences: they are what the test of the pair does not reject."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy import stats

from truebleu import _core
from truebleu.counts.counting import count_texts
from truebleu.metrics import SentenceBLEU
from truebleu.metrics.base import GivenMean, Signature
from truebleu.metrics.registry import as_metrics
from truebleu.resampling import Swaps, Units
from truebleu.scores import GivenScores
from truebleu.significance import pairs as pair_tests
from truebleu.significance.compare import compare
from truebleu.significance.pairs import all_pair_tests
from truebleu.significance.replicates import swap_blocks
from truebleu.significance.settings import CompareSettings
from truebleu.significance.tests import TESTS
from truebleu.significance.unit_counts import UnitCounts, count_units
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus import TestSet
    from truebleu.schema import Alternative
    from truebleu.significance.compare import PairResult

Values = NDArray[np.float64]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
METRICS = ("bleu", "chrf", "ter", "sentbleu:weight=equal")


def texts(segments: int, seed: int, rates: Sequence[float] = (0.12, 0.15)) -> TestSet:
    systems = {f"s{place}": Channel.at_rate(rate) for place, rate in enumerate(rates)}
    return simulate(segments=segments, systems=systems, seed=seed)


def plain_p(
    observed: float,
    differences: Values,
    balances: Values,
    delta: float,
    alternative: Alternative,
    *,
    exact: bool,
) -> float:
    """The p-value of the hypothesis that the difference is delta, by counting."""
    rest, own = differences - delta * balances, observed - delta
    turned = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[alternative]
    count = int(np.count_nonzero(turned(rest) >= turned(own) - 1e-12))
    return count / len(rest) if exact else (count + 1) / (len(rest) + 1)


def plain_swaps(statistics: UnitCounts, swaps: Swaps) -> tuple[Values, Values]:
    """The differences of two systems after swaps, and the balances, row by row."""
    coins = swaps.sums(
        np.eye(statistics.units),
        0,
        2**statistics.units if swaps.enumerates(statistics.units) else swaps.replicates,
        enumerated=swaps.enumerates(statistics.units),
    ).astype(bool)
    columns = list(statistics.metric.weight_columns)
    weights = statistics.rows[:, :, columns].sum(axis=(1, 2))
    differences, balances = [], []
    for taken in coins:
        rows = np.where(taken[:, None, None], statistics.rows[:, ::-1], statistics.rows)
        first, second = statistics.metric.score(rows.sum(axis=0))
        differences.append(first - second)
        balances.append((np.where(taken, -1, 1) * weights).sum() / weights.sum())
    return np.array(differences), np.array(balances)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("segments", [9, 60])
def test_the_interval_ends_where_p_by_its_definition_passes_the_level(
    segments: int, metric: str, alternative: Alternative, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_tests, "ENOUGH_DIFFERING", 0)
    test_set = texts(segments, seed=segments)
    (statistics,) = count_units(count_texts(test_set, [metric]), Units.segments(segments))
    settings = CompareSettings(replicates=700, alternative=alternative, level=0.9)
    (tests,) = all_pair_tests([statistics], [], [(0, 1)], settings, lambda _first, _count: [])
    swaps = Swaps(replicates=700, seed=settings.seed)
    differences, balances = plain_swaps(statistics, swaps)
    sign, exact = statistics.sign, swaps.enumerates(segments)
    assert tests.exact == exact
    first, second = statistics.scores
    observed = float(first - second)

    def p(delta: float) -> float:
        drawn = sign * differences
        return plain_p(sign * observed, drawn, balances, sign * delta, alternative, exact=exact)

    assert p(0.0) == pytest.approx(float(tests.p[0]))
    low, high = tests.intervals()[0]
    ends = {"two-sided": (low, high), "greater": (low, None), "less": (None, high)}[alternative]
    if sign < 0 and alternative != "two-sided":
        ends = {"greater": (None, high), "less": (low, None)}[alternative]
    width = 1e-7 * max(abs(observed), 1.0)
    for end, outwards in zip(ends, (-1, 1), strict=True):
        if end is not None:
            assert p(end - outwards * width) > settings.alpha
            assert p(end + outwards * width) <= settings.alpha


def scales_of_all(ratios: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale the swaps of all pairs, and not only of those that vary much less than samples."""
    return np.asarray(np.where(ratios < 2, ratios, 1.0) ** -0.5)


def contradicts(pair: PairResult, alpha: float = 0.05) -> bool:
    low, high = pair.interval
    leaves_out = (low is not None and low > 0) or (high is not None and high < 0)
    return leaves_out != (pair.p_adjusted <= alpha)


@pytest.mark.parametrize("test", ["ar", "scaled", "bootstrap", "bootstrap-absolute"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_no_interval_contradicts_its_test(
    test: str, alternative: Alternative, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_tests, "swap_scales", scales_of_all)
    if alternative not in TESTS[test].alternatives:
        pytest.skip("this test has no sides")
    decided = set()
    for seed in range(12):
        test_set = texts(30 + 10 * seed, seed, rates=(0.13, 0.1, 0.16))
        options: dict[str, Any] = {"test": test, "alternative": alternative, "unit": "segment"}
        result = compare(test_set, metrics=METRICS, replicates=300, seed=seed, **options)
        for pair in result.comparisons:
            assert not contradicts(pair), pair
            decided.add(pair.significant)
    assert decided == {True, False}


def test_no_interval_contradicts_scaled_swaps_of_a_document_with_most_of_the_text() -> None:
    documents = tuple("long" if place < 60 else f"d{place}" for place in range(80))
    decided, scaled = set(), 0
    for seed in range(20):
        test_set = replace(texts(80, seed, rates=(0.13, 0.1, 0.16)), documents=documents)
        result = compare(test_set, metrics=METRICS, replicates=300, seed=seed, level=0.6)
        for pair in result.comparisons:
            assert not contradicts(pair, alpha=0.4), pair
            decided.add(pair.significant)
            scaled += (pair.swap_ratio or 1.0) < 0.9
    assert decided == {True, False}
    assert scaled > 40


def test_ties_are_decided_as_the_test_decides_them() -> None:
    generator = np.random.default_rng(3)
    near = []
    for _ in range(300):
        size = int(generator.integers(6, 31))
        scores = generator.integers(0, 3, size=(2, size)).astype(float)
        metric = GivenScores.of({"a": scores[0], "b": scores[1]})
        segments = ["x"] * size
        result = compare({"a": segments, "b": segments}, segments, metric, replicates=400)
        (pair,) = result.comparisons
        assert not contradicts(pair), pair
        near.append(0.02 < pair.p < 0.1)
    assert sum(near) > 10


@pytest.mark.parametrize(
    "how",
    [
        {"adaptive": True, "replicates": 400, "correction": "none"},
        {"unit": "block", "block_length": 4},
        {"unit": "document"},
        {"unit": "document", "by_domain": True},
        {"baseline": "s1"},
        {"correction": "westfall-young"},
        {"level": 0.9},
    ],
    ids=lambda how: " ".join(how),
)
def test_intervals_agree_with_tests_under_all_options(how: dict[str, Any]) -> None:
    decided = set()
    for seed in range(4):
        test_set = texts(90, seed, rates=(0.1, 0.12, 0.14, 0.2))
        settings = {"replicates": 1500, "people": None, "seed": seed, **how}
        result = compare(test_set, metrics=["bleu", "ter"], **settings)
        for pair in result.comparisons:
            assert not contradicts(pair, result.settings.alpha), pair
            decided.add(pair.significant)
    assert decided == {True, False}


def test_a_metric_that_is_decided_early_keeps_its_interval_when_all_swaps_are_made_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pair_tests, "ADAPTIVE_START", 100)
    generator = np.random.default_rng(11)
    segments = ["x"] * 12
    clear, close = generator.normal(size=(2, 2, 12))
    clear[0] += 5.0
    close[0] -= (close[0] - close[1]).mean()
    texts_of, mixed = {"a": segments, "b": segments}, 0
    for shift in np.linspace(0.2, 1.6, 30):  # some of them close to the level
        metrics = [
            GivenScores.of({"a": clear[0], "b": clear[1]}, name="clear"),
            GivenScores.of({"a": close[0] + shift, "b": close[1]}, name="close"),
        ]
        result = compare(texts_of, segments, metrics, replicates=100, adaptive=True)
        mixed += [result.metrics[label].exact for label in ("clear", "close")] == [False, True]
        assert not any(map(contradicts, result.comparisons))
        alone = compare(texts_of, segments, metrics[0], replicates=100, adaptive=True)
        assert result.comparisons[0].interval == alone.comparisons[0].interval
    assert mixed


def test_intervals_agree_with_tests_in_groups() -> None:
    result = compare(texts(120, 5, rates=(0.1, 0.14, 0.2)), by="domain", unit="segment")
    pairs = [pair for group in result.groups for pair in group.comparisons]
    assert len(pairs) >= 6
    assert not any(map(contradicts, pairs))


def test_a_one_sided_test_has_one_end() -> None:
    test_set = texts(60, 1)
    for alternative in ("greater", "less"):
        options: dict[str, Any] = {"alternative": alternative, "replicates": 500}
        result = compare(test_set, metrics=["bleu", "ter"], **options)
        bleu, ter = result.comparisons
        has_low = alternative == "greater"
        assert [end is not None for end in bleu.interval] == [has_low, not has_low]
        # Better is lower: the same question asks about the other end.
        assert [end is not None for end in ter.interval] == [not has_low, has_low]
        assert bleu.open_end == ter.open_end == "one-sided test"
        assert result.to_dict()["comparisons"][0]["open_end"] == "one-sided test"


def test_too_few_units_leave_both_ends_open() -> None:
    result = compare(texts(5, 1), replicates=400)
    (pair,) = result.comparisons
    assert pair.interval == (None, None)
    assert pair.open_end == "too few units"
    assert result.to_dict()["comparisons"][0]["interval"] == [None, None]
    scores = {"a": [0.1 * place for place in range(6)], "b": [0.3, 0.1, 0.9, 0.2, 0.8, 1.4]}
    (enough,) = compare(scores, replicates=400).comparisons
    assert None not in enough.interval
    assert enough.open_end is None


@pytest.mark.parametrize("test", ["scaled", "bootstrap"])
def test_a_system_against_its_copy_has_no_interval(test: str) -> None:
    test_set = texts(40, 2)
    segments = list(test_set.systems["s0"])
    texts_of = {"a": segments, "b": segments}
    (pair,) = compare(texts_of, [*test_set.references], replicates=400, test=test).comparisons
    assert (pair.interval, pair.open_end) == ((None, None), "few units differ")


@pytest.mark.parametrize(("differing", "has_interval"), [(5, False), (6, True)])
def test_fewer_than_6_differing_segments_have_no_interval(
    differing: int, has_interval: bool
) -> None:
    generator = np.random.default_rng(differing)
    first = generator.normal(size=40)
    second = first.copy()
    second[:differing] += generator.normal(size=differing)
    result = compare({"a": first.tolist(), "b": second.tolist()}, replicates=999)
    (pair,) = result.comparisons
    assert (pair.interval != (None, None)) == has_interval
    assert pair.open_end == (None if has_interval else "few units differ")


def test_few_differing_segments_join_the_test_s_interval_with_student_s() -> None:
    generator = np.random.default_rng(4)
    first = generator.normal(size=40)
    second = first.copy()
    second[:8] += generator.normal(0.3, 1.0, size=8)
    (pair,) = compare({"a": first.tolist(), "b": second.tolist()}, replicates=999).comparisons
    differences = first - second
    student = stats.t.interval(0.95, 39, loc=differences.mean(), scale=stats.sem(differences))
    assert not pair.significant
    low, high = pair.interval
    assert low is not None
    assert high is not None
    assert low <= student[0] + 1e-9
    assert high >= student[1] - 1e-9


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "westfall-young"])
@pytest.mark.parametrize("systems", [2, 5, 9])
def test_adjusted_intervals_exclude_0_exactly_if_the_pair_is_significant(
    systems: int, correction: str
) -> None:
    decided = set()
    for seed in range(6):
        generator = np.random.default_rng([seed, systems])
        base = generator.normal(size=60)
        scores = {
            f"s{place}": (base + generator.normal(0.12 * place, 0.6, size=60)).tolist()
            for place in range(systems)
        }
        result = compare(scores, correction=correction, people=None)
        for pair in result.comparisons:
            assert not contradicts(pair), pair
            decided.add(pair.significant)
            alone = pair.uncorrected_interval
            if alone is not None and None not in alone:
                assert ((alone[0] or 0) > 0 or (alone[1] or 0) < 0) == (pair.p <= 0.05)
    assert systems == 2 or decided == {True, False}


def test_the_adjusted_interval_by_holm_is_the_interval_at_a_smaller_alpha() -> None:
    generator = np.random.default_rng(3)
    base = generator.normal(size=80)
    scores = {name: (base + generator.normal(0, 0.5, size=80)).tolist() for name in "abc"}
    result = compare(scores, replicates=2000)
    assert not any(pair.significant for pair in result.comparisons)
    each = compare(scores, replicates=2000, correction="none", level=1 - 0.05 / 3)
    for pair, alone in zip(result.comparisons, each.comparisons, strict=True):
        assert pair.interval == pytest.approx(alone.interval)
        assert alone.uncorrected_interval is None


def test_a_metric_without_weights_spreads_a_difference_evenly() -> None:
    class Unweighted(SentenceBLEU):
        weight_columns = ()

    test_set = texts(50, 3)
    metric = SentenceBLEU(weight="equal")
    (weighted,) = compare(test_set, metrics=[metric], replicates=400).comparisons
    even = compare(test_set, metrics=[Unweighted(weight="equal")], replicates=400).comparisons
    assert even[0].interval == pytest.approx(weighted.interval)


def test_references_that_differ_by_output_weigh_each_pair_by_its_own() -> None:
    test_set = texts(40, 4, rates=(0.1, 0.3, 0.5))
    (metric,) = as_metrics(["bleu"])
    (statistics,) = count_units(count_texts(test_set, [metric]), Units.segments(40))
    rows = statistics.rows.copy()
    rows[:, 1, 1] += np.arange(40) % 3  # the second system is counted against longer references
    unlike = UnitCounts("BLEU", metric, rows)
    pairs = [(0, 1), (0, 2)]
    swaps = Swaps(replicates=64)
    ((_, _, shares),) = swap_blocks([unlike], pairs, swaps)
    assert shares.shape == (64, 2)
    coins = swaps.sums(np.eye(40), 0, 64, enumerated=False)
    for column, (a, b) in enumerate(pairs):
        weights = rows[:, a, 1] + rows[:, b, 1]
        assert_allclose(shares[:, column], coins @ weights / weights.sum(), rtol=1e-12)


def test_swaps_are_repeated_if_replicates_do_not_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    test_set = texts(70, 6, rates=(0.1, 0.11, 0.12, 0.15, 0.2))
    settings: dict[str, Any] = {"replicates": 999, "correction": "none", "unit": "segment"}
    whole = compare(test_set, metrics=["bleu", "ter"], **settings)
    made: list[int] = []

    class Counted:
        """A tally that tells how many numbers it may keep."""

        def __init__(self, observed: list[float], bounds: list[float], **how: Any) -> None:
            kept = how["kept"]
            made.append(2 * len(observed) * (2 * kept + 16) if kept else 0)
            tally = _core.PairTally(observed, bounds, **how)
            self.add, self.tally = tally.add, tally

        def __getattr__(self, name: str) -> Any:
            return getattr(self.tally, name)

    monkeypatch.setattr(pair_tests, "KEPT", 500)
    monkeypatch.setattr(pair_tests, "PairTally", Counted)
    parts = compare(test_set, metrics=["bleu", "ter"], **settings)
    assert parts.comparisons == whole.comparisons
    assert len(made) > 4
    assert max(made) <= 500


def test_the_critical_rank_is_the_smallest_that_does_not_reject() -> None:
    for alpha, replicates in product((0.05, 0.1, 0.01, 1 / 3, 0.5), range(1, 300)):
        rank = _core.critical_rank(replicates, alpha, exact=False)
        assert (rank + 1) / (replicates + 1) > alpha
        assert rank == 0 or rank / (replicates + 1) <= alpha
        exact = _core.critical_rank(replicates, alpha, exact=True)
        assert exact / replicates > alpha
        assert (exact - 1) / replicates <= alpha


@pytest.mark.parametrize("kind", ["even", "skewed"])
def test_intervals_of_means_cover_as_often_as_they_say(kind: str) -> None:
    generator = np.random.default_rng(8)
    covered, sets, size = 0, 400, 25
    metric = GivenMean(name="m", signature=Signature.of("m"))
    draw = generator.exponential if kind == "skewed" else generator.standard_normal
    for seed in range(sets):
        scores = draw(size=(size, 2))
        rows = np.stack([scores + np.array([0.7, 0.0]), np.ones((size, 2))], axis=2)
        statistics = UnitCounts.of("m", metric, rows, Units.segments(size))
        settings = CompareSettings(replicates=399, correction="none", seed=seed)
        (tests,) = all_pair_tests([statistics], [], [(0, 1)], settings, lambda _first, _count: [])
        low, high = tests.intervals()[0]
        covered += low is not None and high is not None and low <= 0.7 <= high
    assert 0.92 <= covered / sets <= 0.98
