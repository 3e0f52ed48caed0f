"""Slices: how the test set is cut, and that what is cut adds up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from truebleu.counts.inputs import counts_of
from truebleu.errors import SettingError, UnpairedSegmentsError
from truebleu.explanation import slices, split_difference
from truebleu.metrics import BLEU
from truebleu.resampling import Units
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from truebleu.corpus import TestSet

SOURCE = [
    "Where is Anna?",
    "See https://example.org for 3 more.",
    "it rains",
    "it rains",
    "A rather long sentence about nothing in particular, without end.",
]


def by_name(**settings: object) -> dict[str, slices.Variable]:
    counts = counts_of(["x"] * 5, ["x y"] * 5, source=SOURCE)
    return {variable.name: variable for variable in slices.variables(counts, **settings)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "yes"),
    [
        ("has a digit", [1]),
        ("has a URL, markup, @ or #", [1]),
        ("ends with a question mark", [0]),
        ("has a capital inside", [0]),
        ("is repeated", [2, 3]),
    ],
)
def test_traits_of_a_segment_are_recognised(name: str, yes: list[int]) -> None:
    variable = by_name()[name]
    assert variable.labels == ("yes", "no")
    assert variable.origin == "source"
    assert np.flatnonzero(variable.of_segment == 0).tolist() == yes


def test_slices_use_the_reference_if_there_is_no_source() -> None:
    counts = counts_of(["x"] * 5, SOURCE)
    assert {variable.origin for variable in slices.variables(counts)} == {"reference"}


def test_quarters_have_about_as_many_segments_each() -> None:
    variable = slices.Variable.quarters("length", "source", list(range(100)))
    assert variable is not None
    assert np.bincount(variable.of_segment).tolist() == [25, 25, 25, 25]
    assert slices.Variable.quarters("length", "source", [7] * 100) is None


def test_many_labels_are_pooled() -> None:
    labels = ["big"] * 50 + [f"small {number}" for number in range(40)]
    variable = slices.Variable.of("genre", "metadata", labels)
    assert len(variable.labels) == 12
    assert variable.labels[0] == "big"
    assert variable.labels[-1] == "other"
    assert np.bincount(variable.of_segment).tolist() == [50, *[1] * 10, 30]


def test_counts_tell_which_words_are_rare() -> None:
    common = dict.fromkeys(["it", "rains"], 1_000_000)
    variable = by_name(word_counts=common)["mean log frequency of words"]
    assert variable.of_segment[2] == variable.of_segment.max()


def test_a_column_must_have_a_label_for_each_segment() -> None:
    with pytest.raises(UnpairedSegmentsError):
        by_name(columns={"genre": ["a", "b"]})
    with pytest.raises(SettingError, match="has a digit"):
        by_name(columns={"has a digit": ["a", "b", "a", "b", "a"]})


@pytest.fixture(scope="module")
def test_set() -> TestSet:
    return simulate(segments=200, systems=[0.1, 0.2])


def halves(count: int) -> slices.Variable:
    variable = slices.Variable.yes_or_no("odd", "source", [i % 2 == 1 for i in range(count)])
    assert variable is not None
    return variable


def even_spread(contributions: np.ndarray, units: Units, cut: slices.Variable) -> list[float]:
    shares = np.full(len(contributions), 1 / len(contributions))
    (ps,) = slices.even_spread_ps([cut], contributions, shares, units, replicates=400, seed=1)
    return [float(p) for p in ps]


def test_an_even_difference_stands_out_nowhere() -> None:
    assert even_spread(np.full(100, 0.03), Units.segments(100), halves(100)) == [1, 1]


def test_a_difference_in_one_slice_only_stands_out_there() -> None:
    contributions = np.where(np.arange(100) % 4 == 1, -0.1, 0.0)
    yes, no = even_spread(contributions, Units.segments(100), halves(100))
    assert yes == no == 1 / 401


def test_a_slice_of_few_units_is_not_tested() -> None:
    cut = slices.Variable("few", "source", ("a", "b"), (np.arange(100) < 5).astype(np.int64))
    many, few = even_spread(np.arange(100.0), Units.segments(100), cut)
    assert many < 1
    assert np.isnan(few)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["segment", "document"])
@pytest.mark.parametrize("damaged", [12, 150])
def test_uniform_damage_varies_with_no_slice(unit: str, damaged: int) -> None:
    # Rare or frequent, large and of one sign; a small slice often holds none of it. Sign flips
    # of what slices contribute call that a dependence in one set of three.
    count, alarms, trials = 300, 0, 200
    units = Units.segments(count)
    if unit == "document":
        units = Units.documents([str(place // 3) for place in range(count)])
    cuts = [
        slices.Variable("rare", "source", ("a", "b"), (np.arange(count) // 3 % 9 == 0) * 1),
        slices.Variable.quarters("length", "source", np.sqrt(np.arange(count)).tolist()),
    ]
    lengths = 1 + np.sqrt(np.arange(count))
    for trial in range(trials):
        generator = np.random.default_rng([trial, damaged])
        where = generator.choice(len(units), damaged * len(units) // count, replace=False)
        hit = np.isin(units.of_segment, where)
        contributions = np.where(hit, -lengths * generator.uniform(0.2, 1, count), 0.0)
        ps = slices.even_spread_ps(
            [cut for cut in cuts if cut is not None],
            contributions,
            lengths / lengths.sum(),
            units,
            replicates=99,
            seed=trial,
        )
        alarms += float(np.nanmin(np.concatenate(ps))) <= 0.05
    # Two standard errors of a true 5 % are 3 points.
    assert alarms / trials <= 0.085


def test_intervals_hold_the_contributions_and_grow_with_the_level(test_set: TestSet) -> None:
    rows = BLEU().count(test_set).array()
    split = split_difference(BLEU(), rows[:, 0], rows[:, 1])
    cut, units = slices.variables(counts_of(test_set)), Units.segments(200)
    widths = []
    for level in (0.5, 0.95):
        bounds = slices.simultaneous_intervals(
            BLEU(), rows, cut, split, units, replicates=300, seed=1, level=level
        )
        for variable, (low, high) in zip(cut, bounds, strict=True):
            values = np.bincount(variable.of_segment, weights=split.by_segment)
            assert (low < values).all()
            assert (values < high).all()
        widths.append(np.concatenate([high - low for low, high in bounds]))
    assert (widths[0] < widths[1]).all()


@pytest.mark.slow
def test_simultaneous_intervals_cover_all_slices_as_often_as_they_say() -> None:
    # The truth is the mean over many test sets; contributions of slices vary around it.
    draws, segments = 200, 150
    channels = [0.1, 0.15]
    samples = []
    for seed in range(draws):
        made = simulate(segments=segments, systems=channels, seed=seed, document_length=1)
        rows = BLEU().count(made).array()
        split = split_difference(BLEU(), rows[:, 0], rows[:, 1])
        cut = [slices.Variable("half", "source", ("a", "b"), np.arange(segments) % 2)]
        bounds = slices.simultaneous_intervals(
            BLEU(), rows, cut, split, Units.segments(segments), replicates=300, seed=1, level=0.9
        )
        values = np.bincount(cut[0].of_segment, weights=split.by_segment)
        samples.append((values, *bounds[0]))
    truth = np.mean([values for values, _, _ in samples], axis=0)
    covered = np.mean([((low < truth) & (truth < high)).all() for _, low, high in samples])
    assert 0.83 < covered < 0.97


def test_damage_in_most_of_a_small_slice_is_found() -> None:
    # 60 of the 90 segments of a slice among 1,900, beside quarters that have nothing to do with it.
    generator = np.random.default_rng(5)
    asks = slices.Variable.yes_or_no("asks", "source", [place < 90 for place in range(1900)])
    quarters = [
        slices.Variable.quarters(str(number), "source", generator.random(1900).tolist())
        for number in range(3)
    ]
    contributions = np.zeros(1900)
    contributions[generator.permutation(90)[:60]] = -generator.gamma(2.0, 0.005, 60)
    shares = np.full(1900, 1 / 1900)
    found, *others = slices.even_spread_ps(
        [cut for cut in (asks, *quarters) if cut is not None],
        contributions,
        shares,
        Units.segments(1900),
        replicates=400,
        seed=1,
    )
    assert found.max() <= 0.01
    assert all(ps.min() > 0.05 for ps in others)


@pytest.mark.parametrize(("units", "tested"), [(9, False), (10, True)])
def test_a_slice_is_tested_from_ten_units_on(units: int, tested: bool) -> None:
    labels = (np.arange(100) < units).astype(np.int64)
    cut = slices.Variable("few", "source", ("a", "b"), labels)
    _, few = even_spread(np.arange(100.0), Units.segments(100), cut)
    assert np.isnan(few) == (not tested)


def test_statistics_within_a_tenth_count_as_equal() -> None:
    # Of ten, itself and those of at least nine tenths of it.
    drawn = np.array([[1.0], [0.905], [0.895], *[[0.1]] * 7])
    assert slices._step_down_maximum(drawn).tolist() == [0.2]
