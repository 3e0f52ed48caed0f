"""Claims about tests of all pairs, adaptive comparisons, and ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from scipy import stats

from truebleu import BLEU, _core
from truebleu.corpus import as_test_set
from truebleu.counts.counting import count_texts
from truebleu.counts.counts import Counts
from truebleu.counts.inputs import counts_of
from truebleu.counts.rows import Rows
from truebleu.errors import SettingError
from truebleu.metrics.registry import as_metrics
from truebleu.resampling import Swaps, Units
from truebleu.schema import DEFAULT_SEED
from truebleu.significance import pairs as adaptive, replicates as replicates_module
from truebleu.significance.compare import compare
from truebleu.significance.optimizer_runs import RunAverage
from truebleu.significance.pairs import (
    clusters,
    probability_of_best,
    rank_ranges,
    significantly_better,
)
from truebleu.significance.replicates import swap_blocks
from truebleu.significance.settings import CompareSettings
from truebleu.significance.tests import REPLICATE_TESTS
from truebleu.significance.unit_counts import UnitCounts, count_units
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from truebleu.corpus import TestSet
    from truebleu.schema import Alternative
    from truebleu.significance.compare import Comparison


def texts_of(segments: int, *rates: float, seed: int = 4) -> TestSet:
    channels = {f"at {rate}": Channel.at_rate(rate) for rate in rates}
    return simulate(segments=segments, systems=channels, seed=seed)


def compared(test_set: TestSet, test: str, replicates: int, *, adaptive: bool) -> Comparison:
    settings: dict[str, Any] = {
        "test": test,
        "replicates": replicates,
        "adaptive": adaptive,
        "correction": "none",
        "unit": "segment",
    }
    return compare(test_set, metrics=["bleu"], **settings)


@pytest.fixture(scope="module")
def close() -> TestSet:
    """Two systems whose p is near 0.07: too close to 0.05 for 100 replicates."""
    test_set = texts_of(200, 0.2, 0.23, seed=6)
    assert 0.06 < compared(test_set, "ar", 20_000, adaptive=False).comparisons[0].p < 0.15
    return test_set


@pytest.mark.parametrize("test", ["ar", "bootstrap", "bootstrap-absolute"])
def test_replicates_are_added_until_the_decision_is_clear(close: TestSet, test: str) -> None:
    few = compared(close, test, 100, adaptive=False)
    more = compared(close, test, 100, adaptive=True)
    assert not few.metrics["BLEU"].decided
    assert more.metrics["BLEU"].decided
    assert more.metrics["BLEU"].replicates > few.metrics["BLEU"].replicates == 100


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_replicates_added_in_steps_equal_replicates_made_at_once(close: TestSet, test: str) -> None:
    found = compared(close, test, 100, adaptive=True)
    at_once = compared(close, test, found.metrics["BLEU"].replicates, adaptive=False)
    assert found.comparisons[0].p == at_once.comparisons[0].p
    assert found.comparisons[0].p_se == at_once.comparisons[0].p_se


def test_a_clear_decision_takes_fewer_swaps_than_requested() -> None:
    found = compared(texts_of(100, 0.1, 0.4), "ar", 10_000, adaptive=True)
    assert found.metrics["BLEU"].replicates == 1000


def test_few_units_are_swapped_exhaustively() -> None:
    for seed in range(100):
        texts = texts_of(10, 0.2, 0.3, seed=seed)
        found = compared(texts, "ar", 400, adaptive=True)
        exact = compared(texts, "ar", 1024, adaptive=False)
        assert exact.metrics["BLEU"].exact
        if found.metrics["BLEU"].replicates > 800:
            assert found.metrics["BLEU"] == exact.metrics["BLEU"]
            assert found.comparisons[0].p == exact.comparisons[0].p
            return
    pytest.fail("no p-value was close to the level")


def test_a_metric_that_is_clear_does_not_wait_for_the_others(close: TestSet) -> None:
    settings: dict[str, Any] = {
        "replicates": 100,
        "adaptive": True,
        "correction": "none",
        "unit": "segment",
    }
    both = compare(close, metrics=["bleu", "length"], **settings).metrics
    alone = compare(close, metrics=["length"], **settings).metrics["Length"]
    assert both["Length"].replicates == alone.replicates != both["BLEU"].replicates


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_an_unclear_decision_stops_at_the_limit(
    close: TestSet, test: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adaptive, "ADAPTIVE_LIMIT", 110)
    metric = compared(close, test, 100, adaptive=True).metrics["BLEU"]
    assert (metric.replicates, metric.decided) == (110, False)


def test_wins_count_a_tie_as_half() -> None:
    scores = np.asfortranarray([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    assert adaptive.pair_wins(scores, [(0, 1), (1, 0)], sign=1, scale=1.0).tolist() == [
        2.5 / 4,
        1.5 / 4,
    ]


@pytest.mark.parametrize(("replicates", "decided"), [(205, False), (206, True)])
def test_a_decision_is_clear_if_wilsons_interval_of_the_share_excludes_alpha(
    replicates: int, decided: bool
) -> None:
    scores = {"a": np.arange(20.0) + 1, "b": np.arange(20.0)}
    (statistics,) = count_units(counts_of(scores), Units.segments(20))
    null = np.zeros((replicates, 1))  # no replicate is extreme
    tests = adaptive.pair_tests(statistics, [(0, 1)], null, CompareSettings(), exact=False)
    # Wilson's upper bound of 0 in n at the confidence .999 is z² / (n + z²).
    z = stats.norm.ppf(1 - 0.001 / 2)
    assert (z**2 / (replicates + z**2) <= 0.05) == decided
    assert tests.decided == decided


@pytest.mark.parametrize("name", REPLICATE_TESTS)
def test_replicates_of_a_test_equal_replicates_of_a_comparison(close: TestSet, name: str) -> None:
    test = REPLICATE_TESTS[name]
    units = Units.segments(len(close))
    statistics = count_units(count_texts(close, [BLEU()]), units)
    differences, exact = test.differences(statistics[0], [(0, 1)], replicates=200, seed=12345)
    observed = statistics[0].differences([(0, 1)])
    p = test.p_values(observed, differences, exact=exact, scale=statistics[0].scale)
    assert p.tolist() == [compared(close, name, 200, adaptive=False).comparisons[0].p]


def test_swaps_that_vary_less_than_samples_are_scaled_to_their_variance() -> None:
    """By the definition: a short system and a long one, whose swaps have one length."""
    references = [f"word{n} likes word{n + 1} and word{n + 2} very much {n}" for n in range(60)]
    short = [" ".join(text.split()[: 4 + n % 5]) for n, text in enumerate(references)]
    long = [f"{text} {'more ' * (n % 4)}indeed" for n, text in enumerate(references)]
    result = compare({"short": short, "long": long}, references, replicates=999)
    (pair,) = result.comparisons
    statistics = count_units(
        count_texts(as_test_set({"a": short, "b": long}, references), [BLEU()]), Units.segments(60)
    )
    swapped = swap_blocks(statistics, [(0, 1)], Swaps(replicates=999, seed=DEFAULT_SEED))
    null = np.concatenate([block[:, 0] for _, block, _ in swapped])
    assert pair.swap_ratio is not None
    assert pair.swap_ratio < _core.MIN_SWAP_RATIO
    assert pair.swap_ratio == pytest.approx(
        (null**2).mean() / statistics[0].errors_of_pairs([(0, 1)])[0] ** 2, rel=0.01
    )
    extreme = np.abs(null) / np.sqrt(pair.swap_ratio) >= abs(pair.difference)
    assert pair.p == (1 + np.count_nonzero(extreme)) / 1000
    assert result.settings.test == "scaled"
    as_riezler = compare({"a": short, "b": long}, references, replicates=999, test="ar")
    (low, high), (least, most) = as_riezler.comparisons[0].interval, pair.interval
    assert None not in (low, high, least, most)
    assert (least or 0) < (low or 0) < (high or 0) < (most or 0)


def test_means_and_few_units_are_not_scaled() -> None:
    assert compare({"a": [1.0, 2.5] * 20, "b": [2.0, 1.0] * 20}).settings.test == "ar"
    texts = {"a": ["one two"] * 8, "b": ["one two three four five six"] * 8}
    few = compare(texts, ["one two three four"] * 8)
    assert few.settings.test == "ar"
    assert few.metrics["BLEU"].exact


@pytest.mark.slow
def test_scaled_swaps_keep_their_level_if_one_output_is_truncated() -> None:
    """Two systems of equal score, one short and one long: a null that is no exchange of outputs."""
    pool = texts_of(1500, 0.15, 0.25, seed=3)
    good, bad = (list(map(str, text)) for text in pool.systems.values())
    shortened = [" ".join(text.split()[:-3]) for text in good]
    texts = {"good": good, "shortened": shortened, "bad": bad}
    systems = as_test_set(texts, list(pool.references))
    rows = count_units(count_texts(systems, [BLEU()]), Units.segments(1500))[0].rows
    # The score with ever more segments cut short, from which the one that is equal is taken.
    scores = BLEU().score(rows[:, 0].sum(axis=0) + (rows[:, 1] - rows[:, 0]).cumsum(axis=0))
    cut = int(np.argmax(scores <= BLEU().score(rows[:, 2].sum(axis=0)))) + 1
    short = np.concatenate([rows[:cut, 1], rows[cut:, 0]])
    both = np.stack([short, rows[:, 2]], axis=1)
    assert abs(float(np.diff(BLEU().score(both.sum(axis=0)))[0])) < 0.1
    hits, test = 0, REPLICATE_TESTS["scaled"]
    for trial in range(300):
        chosen = np.random.default_rng(trial).integers(0, 1500, 200)
        sample = UnitCounts("BLEU", BLEU(), np.ascontiguousarray(both[chosen]))
        values, _ = test.differences(sample, [(0, 1)], replicates=199, seed=trial)
        p = test.p_values(sample.differences([(0, 1)]), values, scale=sample.scale)
        hits += bool(p[0] <= 0.05)
    # Three binomial standard deviations around 5 % of 300.
    assert abs(hits - 15) <= 11


# Ranks.


Decisions = NDArray[np.bool_]

# Five systems by score, 0 the best: 0 beats 2, 3, 4; 1 beats 3, 4; 2 beats 3, 4; 3 ~ 4.
BETTER = np.array(
    [
        [0, 0, 1, 1, 1],
        [0, 0, 0, 1, 1],
        [0, 0, 0, 1, 1],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ],
    dtype=np.bool_,
)
SCORES = [35.0, 34.0, 33.0, 20.0, 19.0]


@st.composite
def ranked_systems(draw: st.DrawFn) -> tuple[list[int], Decisions]:
    """Scores, and decisions in which only a higher score is ever better."""
    scores = draw(st.lists(st.integers(0, 9), min_size=1, max_size=7))
    drawn = draw(arrays(np.bool_, (len(scores), len(scores))))
    return scores, drawn & (np.array(scores)[:, None] > np.array(scores))


def test_a_rank_lies_between_the_losses_and_the_wins() -> None:
    assert rank_ranges(BETTER) == [(1, 2), (1, 3), (2, 3), (4, 5), (4, 5)]


def test_a_line_is_drawn_where_all_above_beat_all_below() -> None:
    # 0 beats 2, but 1 joins them.
    assert clusters(SCORES, BETTER) == [[0, 1, 2], [3, 4]]


def test_error_rates_rank_in_reverse() -> None:
    # Numbered from the last to the first, with errors in place of scores.
    errors = [100 - score for score in reversed(SCORES)]
    found = clusters(errors, BETTER[::-1, ::-1], higher_is_better=False)
    assert found == [[4, 3, 2], [1, 0]]


@given(ranked_systems())
def test_clusters_are_separated_and_no_finer_line_separates(
    systems: tuple[list[int], Decisions],
) -> None:
    scores, better = systems
    groups = clusters(scores, better)
    order = [system for group in groups for system in group]
    assert sorted(order) == list(range(len(scores)))
    assert [scores[system] for system in order] == sorted(scores, reverse=True)
    lines = {sum(map(len, groups[:count])) for count in range(1, len(groups))}
    for place in range(1, len(order)):
        separated = all(better[i, j] for i in order[:place] for j in order[place:])
        assert (place in lines) == separated


@given(ranked_systems())
def test_rank_ranges_stay_within_their_cluster(systems: tuple[list[int], Decisions]) -> None:
    scores, better = systems
    ranges = rank_ranges(better)
    first = 1
    for group in clusters(scores, better):
        last = first + len(group) - 1
        for system in group:
            low, high = ranges[system]
            assert first <= low <= high <= last
        first = last + 1


def test_decisions_on_pairs_become_a_matrix() -> None:
    pairs = [(0, 1), (0, 2), (1, 2)]
    expected = np.zeros((4, 4), dtype=np.bool_)
    expected[0, 2] = expected[2, 1] = True
    better = significantly_better(4, pairs, [0.1, 2.0, -1.0], [False, True, True])
    assert_array_equal(better, expected)
    errors = significantly_better(
        4, pairs, [0.1, 2.0, -1.0], [False, True, True], higher_is_better=False
    )
    assert_array_equal(errors, expected.T)


def test_a_significant_difference_of_zero_makes_no_system_better() -> None:
    assert not significantly_better(2, [(0, 1)], [0.0], [True]).any()


def test_the_probability_of_being_best_is_shared_by_those_who_tie() -> None:
    scores = [[3.0, 2.0, 1.0], [2.0, 2.0, 1.0], [1.0, 1.0, 1.0], [0.1 + 0.2, 0.3, 0.0]]
    third = 1 / 3
    expected = [(1 + 0.5 + third + 0.5) / 4, (0.5 + third + 0.5) / 4, third / 4]
    assert probability_of_best(scores) == pytest.approx(expected)


@given(arrays(np.float64, (20, 4), elements=st.floats(-100, 100)))
def test_the_probabilities_add_up_to_1_and_turn_round_with_the_sign(
    scores: NDArray[np.float64],
) -> None:
    shares = probability_of_best(scores)
    assert sum(shares) == pytest.approx(1)
    assert probability_of_best(-scores, higher_is_better=False) == shares


def test_contradictory_decisions_are_rejected() -> None:
    with pytest.raises(SettingError, match="at most one better system"):
        rank_ranges([[False, True], [True, False]])
    with pytest.raises(SettingError, match="square"):
        rank_ranges([[False, True]])
    with pytest.raises(SettingError, match="one score for each of 5 systems"):
        clusters([1.0, 2.0], BETTER)


def scales_of_all(ratios: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale the swaps of all pairs, and not only of those that vary much less than samples."""
    return np.asarray(np.where(ratios < 2, ratios, 1.0) ** -0.5)


class WithoutKernel(RunAverage):
    """A scorer that native kernels do not know: its replicates are scored by NumPy."""


@pytest.fixture(scope="module")
def five() -> TestSet:
    systems = {f"s{place}": Channel.at_rate(0.1 + place / 40) for place in range(5)}
    return simulate(segments=40, systems=systems, seed=5)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("correction", ["holm", "westfall-young"])
@pytest.mark.parametrize("test", ["ar", "scaled"])
@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_kernels_that_keep_no_differences_count_what_numpy_counts(
    five: TestSet,
    alternative: Alternative,
    correction: str,
    test: str,
    metric: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(adaptive, "swap_scales", scales_of_all)
    (native,) = as_metrics([metric])
    options: dict[str, Any] = {
        "alternative": alternative,
        "correction": correction,
        "test": test,
        "replicates": 700,
        "unit": "segment",
    }
    by_kernel = compare(five, metrics=[native], **options)
    rows = Rows.of(native.count(five))
    counts = Counts.of(five.outline, [(WithoutKernel(native, runs=1), rows)])
    by_numpy = compare(counts, **options)
    for native_pair, numpy_pair in zip(by_kernel.comparisons, by_numpy.comparisons, strict=True):
        for name in ("interval", "uncorrected_interval"):
            ends = getattr(native_pair, name), getattr(numpy_pair, name)
            for end, expected in zip(*(bounds or (None, None) for bounds in ends), strict=True):
                assert end == (None if expected is None else pytest.approx(expected, rel=1e-9))
        # Only of metrics with a known signature it is known what people say.
        rounded: dict[str, Any] = {
            "interval": numpy_pair.interval,
            "uncorrected_interval": numpy_pair.uncorrected_interval,
            "swap_ratio": numpy_pair.swap_ratio,
        }
        assert native_pair.swap_ratio == pytest.approx(numpy_pair.swap_ratio, rel=1e-9)
        assert replace(native_pair, people=None, **rounded) == numpy_pair


def test_no_more_differences_are_made_at_once_than_a_block_holds(
    five: TestSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def counted(*arguments: Any) -> NDArray[np.float64]:
        differences = original(*arguments)
        made.append(differences.size)
        return differences

    original = replicates_module._differences
    whole = compare(five, replicates=500, correction="westfall-young", unit="segment")
    monkeypatch.setattr(replicates_module, "_differences", counted)
    monkeypatch.setattr(replicates_module, "BLOCK_SIZE", 70)
    parts = compare(five, replicates=500, correction="westfall-young", unit="segment")
    assert parts.comparisons == whole.comparisons
    assert len(made) > 50
    assert max(made) <= 70


def test_too_few_replicates_for_the_family_are_refused(five: TestSet) -> None:
    with pytest.raises(SettingError, match="at least 199 for 10 comparisons corrected by Holm"):
        compare(five, replicates=150, unit="segment")
    assert compare(five, replicates=199, unit="segment").settings.replicates == 199
    fewer = compare(five, replicates=150, unit="segment", correction="westfall-young")
    assert len(fewer.comparisons) == 10


@pytest.mark.slow
def test_an_adaptive_comparison_starts_with_what_the_family_needs(five: TestSet) -> None:
    few = compare(five, adaptive=True, baseline="s0", unit="segment")
    assert few.metrics["BLEU"].replicates >= 1000
    many = simulate(
        segments=30, systems={f"s{place}": Channel.at_rate(0.02 * place) for place in range(12)}
    )
    # 66 comparisons by Holm need 1,319 replicates for one of them to be significant.
    metric = compare(many, adaptive=True, unit="segment").metrics["BLEU"]
    assert metric.replicates >= 1319
    assert metric.smallest_p <= 0.05


def test_adjusted_intervals_exclude_0_exactly_where_pairs_are_significant(five: TestSet) -> None:
    for correction in ("holm", "bonferroni", "none"):
        result = compare(five, metrics=["bleu", "ter"], correction=correction, replicates=2000)
        for pair in result.comparisons:
            low, high = pair.interval
            low = -np.inf if low is None else low
            high = np.inf if high is None else high
            assert (low > 0 or high < 0) == pair.significant
            if pair.uncorrected_interval is not None:
                # An adjusted interval is never narrower.
                alone = pair.uncorrected_interval[0]
                assert low <= (-np.inf if alone is None else alone)
    (pair,) = compare(replace(five, systems=dict(list(five.systems.items())[:2]))).comparisons
    assert pair.uncorrected_interval is None
