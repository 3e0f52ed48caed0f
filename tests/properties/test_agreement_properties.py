"""Coefficients of agreement against plain definitions, and what must hold of any scores."""

from __future__ import annotations

from math import fsum, nan
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from tests.properties import plain_agreement as plain
from truebleu.agreement.coefficients import (
    COEFFICIENTS,
    DEFINITIONS,
    GROUPINGS,
    PAIR_COEFFICIENTS,
    calibrate_ties,
    coefficient,
    count_pairs,
    measure,
    value_of_counts,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from truebleu.agreement.coefficients import Average, Grouping

TAUS = ("kendall-a", "kendall-b", "tau-10", "tau-13", "tau-14", "tau-eq", "acc-eq")
RANKED = tuple(name for name in COEFFICIENTS if "pearson" not in name)
# Tenths are not exact in binary: whether two differences are equal hangs on the last digit.
HUMAN = st.sampled_from([0.0, -0.0, -0.1, -0.3, -1.0, -5.0, -25.0, nan])
METRIC = st.integers(0, 12).map(lambda tenths: tenths / 10) | st.floats(
    -1e3, 1e3, allow_subnormal=False
)
EPSILON = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.30000000000000004, 1.0, 1e4])
GROUPED = st.sampled_from(GROUPINGS)


@st.composite
def matrices(
    draw: st.DrawFn, human: st.SearchStrategy[float] = HUMAN, most_items: int = 9
) -> tuple[plain.Matrix, plain.Matrix]:
    systems, items = draw(st.integers(1, 5)), draw(st.integers(1, most_items))

    def rows(cells: st.SearchStrategy[float]) -> st.SearchStrategy[plain.Matrix]:
        row = st.lists(cells, min_size=items, max_size=items)
        return st.lists(row, min_size=systems, max_size=systems)

    return draw(rows(human)), draw(rows(METRIC))


def by_name(name: str, **settings: Any) -> Any:
    """A coefficient, with the threshold that kendall-like must have."""
    if DEFINITIONS[name].threshold:
        settings.setdefault("threshold", 0.5)
    return coefficient(name, **settings)


def averaged(values: list[float | None], sizes: list[int], average: str) -> float | None:
    defined = [(v, n) for v, n in zip(values, sizes, strict=True) if v is not None]
    if not defined:
        return None
    weights = [n if average == "micro" else 1 for _, n in defined]
    return fsum(v * w for (v, _), w in zip(defined, weights, strict=True)) / sum(weights)


def close(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, rel=1e-9, abs=1e-9)


@given(matrices(), GROUPED, EPSILON)
def test_pairs_are_counted_as_by_looking_at_each(
    scores: tuple[plain.Matrix, plain.Matrix], grouping: Grouping, epsilon: float
) -> None:
    expected = [plain.classes(group, epsilon) for group in plain.groups(*scores, grouping)]
    classes = count_pairs(*scores, grouping=grouping, epsilon=epsilon)
    assert classes == tuple(sum(column) for column in zip(*expected, strict=True)) or not expected
    assert sum(classes) == sum(map(sum, expected))


@given(st.integers(0, 2**32), st.integers(49, 200), EPSILON, st.sampled_from([2, 10, 1000]))
def test_large_groups_are_counted_as_by_looking_at_each(
    seed: int, cells: int, epsilon: float, levels: int
) -> None:
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 6, cells) * 0.1
    metric = rng.integers(0, levels, cells) * 0.1
    group = list(zip(human.tolist(), metric.tolist(), strict=True))
    assert count_pairs(human, metric, epsilon=epsilon) == plain.classes(group, epsilon)
    kept, alike = plain.kendall_like(group, epsilon)
    value = measure(human, metric, coefficient("kendall-like", threshold=epsilon)).value
    assert value == close((2 * alike - kept) / kept if kept else None)


@given(matrices(), GROUPED, EPSILON, st.sampled_from(TAUS), st.sampled_from(["macro", "micro"]))
def test_taus_are_means_of_their_formulas(
    scores: tuple[plain.Matrix, plain.Matrix],
    grouping: Grouping,
    epsilon: float,
    name: str,
    average: Average,
) -> None:
    groups = plain.groups(*scores, grouping)
    values = [plain.of_classes(name, *plain.classes(group, epsilon)) for group in groups]
    expected = averaged(values, [len(group) for group in groups], average)
    by = coefficient(name, epsilon=epsilon)
    result = measure(*scores, by, grouping=grouping, average=average)
    assert result.value == close(expected)
    assert result.undefined_groups == values.count(None)
    assert result.groups == len(values) - values.count(None)
    zeros = measure(*scores, by, grouping=grouping, average=average, undefined="zero")
    filled = [value or 0.0 for value in values]
    assert zeros.value == close(averaged([*filled], [len(group) for group in groups], average))


@given(matrices(), GROUPED, st.sampled_from(["macro", "micro"]))
def test_correlations_are_means_of_their_definitions(
    scores: tuple[plain.Matrix, plain.Matrix], grouping: Grouping, average: Average
) -> None:
    definitions: dict[str, Callable[[plain.Group], float | None]] = {
        "spearman": plain.spearman,
        "kendall-c": plain.kendall_c,
        "pearson": plain.pearson,
    }
    groups = plain.groups(*scores, grouping)
    for name, definition in definitions.items():
        values = [definition(group) for group in groups]
        expected = averaged(values, [len(group) for group in groups], average)
        result = measure(*scores, name, grouping=grouping, average=average)
        assert result.value == close(expected), name
    pooled = measure(*scores, "pairwise-difference-pearson", grouping=grouping)
    assert pooled.value == close(plain.difference_pearson(groups))


@given(matrices(), GROUPED, st.sampled_from([0.0, 0.1, 0.7, 4.9, 100.0]))
def test_kendall_like_follows_its_definition(
    scores: tuple[plain.Matrix, plain.Matrix], grouping: Grouping, threshold: float
) -> None:
    counts = [plain.kendall_like(group, threshold) for group in plain.groups(*scores, grouping)]
    by = coefficient("kendall-like", threshold=threshold)
    taus = [(2 * alike - kept) / kept if kept else None for kept, alike in counts]
    kept, alike = sum(pair[0] for pair in counts), sum(pair[1] for pair in counts)
    pooled = (2 * alike - kept) / kept if kept else None
    assert measure(*scores, by, grouping=grouping).value == close(pooled)
    macro = measure(*scores, by, grouping=grouping, average="macro")
    assert macro.value == close(averaged([*taus], [1] * len(taus), "macro"))


@given(matrices(most_items=4), GROUPED, st.booleans())
def test_the_calibrated_threshold_is_the_smallest_of_the_best(
    scores: tuple[plain.Matrix, plain.Matrix], grouping: Grouping, micro: bool
) -> None:
    ties = calibrate_ties(*scores, grouping=grouping, micro=micro)
    expected = plain.calibrated(plain.groups(*scores, grouping), micro)
    if ties is None:
        assert expected is None
        return
    assert expected == (ties.epsilon, close(ties.accuracy))
    average: Average = "micro" if micro else "macro"
    at = measure(
        *scores, coefficient("acc-eq", epsilon=ties.epsilon), grouping=grouping, average=average
    )
    assert at.value == ties.accuracy
    tau = measure(*scores, "tau-eq:calibrated", grouping=grouping, average=average)
    assert tau.value == pytest.approx(2 * ties.accuracy - 1, abs=1e-12)
    largest = measure(
        *scores, coefficient("acc-eq", epsilon=1e9), grouping=grouping, average=average
    )
    assert largest.value == pytest.approx(ties.human_ties, abs=1e-12)
    assert ties.degenerate == (abs(ties.accuracy - ties.human_ties) < 1e-12)


@given(matrices(), GROUPED, st.sampled_from(sorted(PAIR_COEFFICIENTS)), EPSILON)
def test_formulas_and_kernels_agree_on_pooled_pairs(
    scores: tuple[plain.Matrix, plain.Matrix], grouping: Grouping, name: str, epsilon: float
) -> None:
    counts = count_pairs(*scores, grouping=grouping, epsilon=epsilon)
    if DEFINITIONS[name].pooled or grouping == "none":
        by = coefficient(name, epsilon=epsilon)
        assert measure(*scores, by, grouping=grouping).value == close(value_of_counts(name, counts))


@given(matrices(), GROUPED, st.sampled_from(RANKED))
def test_monotone_transforms_leave_rank_coefficients_alone(
    scores: tuple[plain.Matrix, plain.Matrix], grouping: Grouping, name: str
) -> None:
    human, metric = scores
    # Ranks of the scores: any increasing function of them has the same.
    values = sorted({value for row in metric for value in row})
    ranks = [[values.index(value) ** 3 - 7.0 for value in row] for row in metric]
    by = by_name(name)
    before = measure(human, metric, by, grouping=grouping)
    assert measure(human, ranks, by, grouping=grouping) == before


@given(matrices(), GROUPED, st.sampled_from(COEFFICIENTS), st.floats(0.01, 100), st.floats(-9, 9))
def test_linear_transforms_leave_coefficients_alone(
    scores: tuple[plain.Matrix, plain.Matrix],
    grouping: Grouping,
    name: str,
    factor: float,
    shift: float,
) -> None:
    human, metric = scores
    whole = [[float(round(value * 10)) for value in row] for row in metric]
    moved = [[factor * value + shift for value in row] for row in whole]
    by = by_name(name)
    before = measure(human, whole, by, grouping=grouping)
    assert measure(human, moved, by, grouping=grouping).value == close(before.value)


@given(matrices(), GROUPED, st.sampled_from(COEFFICIENTS))
def test_a_metric_equal_to_the_human_score_gets_the_maximum(
    scores: tuple[plain.Matrix, plain.Matrix], grouping: Grouping, name: str
) -> None:
    human = np.array(scores[0])
    metric = np.where(np.isnan(human), 3.0, human)
    measured = measure(human, metric, by_name(name), grouping=grouping)
    assume(measured.value is not None)
    if name == "kendall-a":
        # No one can order what people tie.
        ties = [
            plain.classes(group, 0.0) for group in plain.groups(*tables(human, metric), grouping)
        ]
        most = averaged([1 - thm / sum([c, thm]) for c, *_, thm in ties], [1] * len(ties), "macro")
        assert measured.value == close(most)
    elif name == "kendall-c":
        # Stuart's tau-c reaches 1 only where the groups of ties are equally large.
        other = measure(human, -metric, "kendall-c", grouping=grouping)
        assert measured.value == close(-(other.value or 0.0))
        assert measured.value is not None
        assert 0 < measured.value <= 1 + 1e-12
    else:
        assert measured.value == close(1.0)


def tables(*arrays: NDArray[np.float64]) -> tuple[plain.Matrix, plain.Matrix]:
    first, second = (array.tolist() for array in arrays)
    return first, second


@given(matrices(), GROUPED, st.sampled_from(COEFFICIENTS))
def test_a_constant_metric_is_undefined_in_words(
    scores: tuple[plain.Matrix, plain.Matrix], grouping: Grouping, name: str
) -> None:
    human = np.array(scores[0])
    measured = measure(human, np.full_like(human, 0.1), by_name(name), grouping=grouping)
    if measured.value is None:
        assert measured.reason
        assert measured.groups == 0
    if DEFINITIONS[name].undefined in ("constant", "no common order"):
        assert measured.value is None
        rated = plain.groups(*tables(human, human), grouping)
        assert not rated or "metric" in (measured.reason or "")


@given(matrices(), GROUPED, st.sampled_from(COEFFICIENTS), st.randoms(use_true_random=False))
def test_relabelling_systems_or_segments_changes_nothing(
    scores: tuple[plain.Matrix, plain.Matrix], grouping: Grouping, name: str, random: Any
) -> None:
    human, metric = np.array(scores[0]), np.array(scores[1])
    systems, items = (random.sample(range(n), n) for n in human.shape)
    by = by_name(name, epsilon="calibrated") if DEFINITIONS[name].calibrated else by_name(name)
    before = measure(human, metric, by, grouping=grouping)
    place = np.ix_(systems, items)
    after = measure(human[place], metric[place], by, grouping=grouping)
    assert after.value == close(before.value)
    assert (after.groups, after.undefined_groups) == (before.groups, before.undefined_groups)
    if DEFINITIONS[name].calibrated:
        assert after == before


@given(matrices(), st.sampled_from(COEFFICIENTS))
def test_unrated_cells_do_not_matter(scores: tuple[plain.Matrix, plain.Matrix], name: str) -> None:
    human, metric = np.array(scores[0]), np.array(scores[1])
    other = np.where(np.isnan(human), 1e6, metric)
    for grouping in GROUPINGS:
        before = measure(human, metric, by_name(name), grouping=grouping)
        assert measure(human, other, by_name(name), grouping=grouping) == before


@given(matrices(st.integers(-5, 0).map(float)))
def test_grouping_by_item_is_grouping_by_system_transposed(
    scores: tuple[plain.Matrix, plain.Matrix],
) -> None:
    human, metric = np.array(scores[0]), np.array(scores[1])
    for name in COEFFICIENTS:
        by = by_name(name)
        turned = measure(human.T, metric.T, by, grouping="system")
        assert measure(human, metric, by, grouping="item").value == close(turned.value)
