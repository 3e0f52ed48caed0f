"""Power and accuracy: what tests on samples conclude is what a plain count says."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.studies.recount import studied
from truebleu.corpus import TestSet
from truebleu.errors import SettingError, TruebleuError, UnknownNameError
from truebleu.metrics.function import FunctionMetric
from truebleu.reports.document import Table
from truebleu.simulation import simulate
from truebleu.studies import power, study_coverage
from truebleu.studies._study import TESTS, Estimate, Row, StudyResult, binomial_rate
from truebleu.studies.power import BANDS, MEAN, _is_overconfident, study_accuracy, study_power

if TYPE_CHECKING:
    from pathlib import Path


TEXTS = simulate(segments=200, systems=[0.3, 0.2, 0.1, 0.25], seed=3)


def rows_of(result: StudyResult, **values: object) -> list[Row]:
    """Those of pairs, and not their mean."""
    return [
        row
        for row in result.rows
        if row["better"] != MEAN and all(row[name] == value for name, value in values.items())
    ]


def means_of(result: StudyResult) -> list[Row]:
    return [row for row in result.rows if row["better"] == MEAN]


def test_shares_equal_a_plain_count(tmp_path: Path) -> None:
    settings = {"sizes": [20, 60], "samples": 15, "replicates": 100}
    result, conclusions = studied(study_power, TEXTS, tmp_path, **settings)
    found: dict[tuple[object, ...], list[float]] = {}
    for conclusion in conclusions:
        counts = found.setdefault(
            (conclusion.metric, conclusion.test, frozenset(conclusion.pair), conclusion.size),
            [0, 0],
        )
        if conclusion.p <= 0.05:
            counts[0] += conclusion.right is True
            counts[1] += conclusion.right is False
    rows = rows_of(result)
    assert len(rows) == len(found) == 2 * len(TESTS) * 5 * 2
    for row in rows:
        pair = frozenset((row["better"], row["worse"]))
        right, wrong = found[row["metric"], row["test"], pair, row["size"]]
        assert Estimate.from_cells(row, "right") == binomial_rate(int(right), 15)
        assert Estimate.from_cells(row, "wrong") == binomial_rate(int(wrong), 15)
        assert (row["right"], row["wrong"]) == (right / 15, wrong / 15)


def test_the_better_system_is_the_pools_by_each_metric() -> None:
    result = study_power(TEXTS, ["bleu", "ter"], sizes=[50], samples=5, replicates=100)
    for metric in ("BLEU", "TER"):
        pairs = [(row["better"], row["worse"]) for row in rows_of(result, metric=metric)]
        # In the order of their rates of error; near ones are up to two ranks apart.
        ranking = ["system-3", "system-2", "system-4", "system-1"]
        assert sorted(set(pairs)) == sorted(
            (a, b) for rank, a in enumerate(ranking) for b in ranking[rank + 1 : rank + 3]
        )
        assert all(row["difference"] > 0 for row in rows_of(result, metric=metric))


def test_the_mean_of_all_pairs_is_their_mean() -> None:
    result = study_power(TEXTS, tests=("ar",), sizes=[20, 60], samples=20, replicates=100)
    assert [mean["size"] for mean in means_of(result)] == [20, 60]
    for mean in means_of(result):
        rows = rows_of(result, size=mean["size"])
        assert mean["right"] == pytest.approx(np.mean([row["right"] for row in rows]))
        assert mean["wrong"] == pytest.approx(np.mean([row["wrong"] for row in rows]))


@pytest.mark.slow
def test_power_agrees_with_normal_theory() -> None:
    """Of a mean over independent segments: the chance that |d| exceeds 1.96 standard errors."""
    random = np.random.default_rng(5)
    values = random.normal(0, 1, size=(3, 2000)) + np.array([[0.0], [0.12], [0.3]])
    systems = {f"s{number}": [f"{value:.6f}" for value in row] for number, row in enumerate(values)}
    texts = replace(
        TEXTS,
        systems=systems,
        references=(["x"] * 2000,),
        reference_names=("r",),
        documents=None,
        domains=None,
    )
    metric = FunctionMetric(function=lambda output, _: float(output), name="value")
    result = study_power(
        texts, [metric], tests=("ar", "bootstrap"), sizes=[100, 400], samples=200, replicates=400
    )
    normal, judged = NormalDist(), 0
    for row in rows_of(result):
        better, worse = (values[int(name[1])] for name in (row["better"], row["worse"]))
        difference = better - worse
        error = difference.std() / row["size"] ** 0.5
        expected = 1 - normal.cdf(normal.inv_cdf(0.975) - difference.mean() / error)
        binomial = (expected * (1 - expected) / 200) ** 0.5
        # Three standard errors; a point more for 400 replicates and Student's distribution.
        assert row["right"] == pytest.approx(expected, abs=3 * binomial + 0.01)
        judged += 0.2 < expected < 0.95
    assert judged >= 6


def test_power_grows_with_size_and_difference() -> None:
    result = study_power(TEXTS, pairs="all", sizes=[10, 40, 160], samples=60, replicates=200)
    for test in ("ar", "wins"):
        rows = rows_of(result, test=test)
        for pair in {(row["better"], row["worse"]) for row in rows}:
            powers = [row["right"] for row in rows if (row["better"], row["worse"]) == pair]
            assert powers == sorted(powers)
        of_size = rows_of(result, test=test, size=40)
        by_difference = [row["right"] for row in sorted(of_size, key=lambda row: row["difference"])]
        assert by_difference[0] < by_difference[2] < by_difference[-1]


def tied(*names: str) -> TestSet:
    one, other = TEXTS.systems["system-1"], TEXTS.systems["system-2"]
    systems = {"a": one, "copy": one, "c": other}
    return replace(TEXTS, systems={name: systems[name] for name in names or systems})


def test_a_tie_in_the_pool_has_no_right_conclusion() -> None:
    result = study_power(tied(), tests=("ar",), sizes=[30], samples=10, replicates=100)
    (row,) = [row for row in result.rows if {row["better"], row["worse"]} == {"a", "copy"}]
    assert (row["right"], row["wrong"]) == (None, 0.0)
    assert "–/0 %" in str(result)
    assert (
        "BLEU: a and copy tie in the pool, so no conclusion about these systems can be right."
        in result.to_document().sentences
    )
    (mean,) = means_of(result)
    others = [row["right"] for row in result.rows if "c" in (row["better"], row["worse"])]
    assert mean["right"] == pytest.approx(np.mean(others))


def test_pairs_may_be_chosen() -> None:
    def pairs_of(**options: Any) -> set[tuple[str, str]]:
        result = study_power(TEXTS, tests=("ar",), sizes=[20], samples=5, replicates=50, **options)
        return {(row["better"], row["worse"]) for row in rows_of(result)}

    assert len(pairs_of(pairs="all")) == 6
    assert pairs_of(pairs="neighbours") == {
        ("system-3", "system-2"),
        ("system-2", "system-4"),
        ("system-4", "system-1"),
    }


def test_other_systems_change_nothing_about_a_pair() -> None:
    few = replace(TEXTS, systems={name: TEXTS.systems[name] for name in ("system-4", "system-1")})
    rows, alone = (
        rows_of(study_power(texts, sizes=[20], samples=5, replicates=50, pairs="all"))
        for texts in (TEXTS, few)
    )
    pair = (alone[0]["better"], alone[0]["worse"])
    assert [row for row in rows if (row["better"], row["worse"]) == pair] == alone


def test_blocks_and_systematic_samples_may_be_fewer_and_say_so() -> None:
    result = study_power(TEXTS, sizes=[20, 40], sampling="systematic", replicates=50)
    assert {row["size"]: row["samples"] for row in result.rows} == {20: 10, 40: 5}
    assert "20 (×10)  40 (×5)" in str(result)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sizes": [201]}, "size: 201; expected at most 200, the size of the pool"),
        ({"sizes": [1]}, "sizes: 1; expected a whole number from 2 up"),
        (
            {"sizes": [60], "sampling": "systematic"},
            "size: 60; expected at most 40 for 5",
        ),
        ({"samples": 4}, "samples: 4; expected a whole number from 5"),
        ({"replicates": 18}, "replicates: 18; expected at least 19"),
        ({"replicates": 0}, "replicates: 0; expected a whole number from 1 up"),
        ({"level": 1.5}, "level: 1.5"),
        ({"seed": -1}, "seed: -1"),
        ({"tests": ["arr"]}, "unknown tests 'arr'"),
        ({"pairs": "som"}, "unknown pairs 'som'"),
        ({"unit": "document", "sizes": [150]}, "at most 21, the size of the pool"),
        ({"sampling": "narrow"}, "unknown sampling 'narrow'"),
    ],
)
def test_invalid_settings_are_rejected_before_any_work(
    options: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truebleu.studies._study.Pool.take", pytest.fail)
    with pytest.raises(TruebleuError, match=said):
        study_power(TEXTS, **options)


def test_one_system_is_too_few() -> None:
    alone = replace(TEXTS, systems={"a": TEXTS.systems["system-1"]})
    with pytest.raises(SettingError, match="systems: 1; expected at least 2"):
        study_power(alone)


def test_documents_are_needed_to_draw_them() -> None:
    with pytest.raises(SettingError, match="a test set with documents"):
        study_power(replace(TEXTS, documents=None), unit="document")
    assert (
        study_power(TEXTS, unit="document", samples=5, replicates=50).settings["unit"] == "document"
    )
    with pytest.raises(UnknownNameError):
        study_power(TEXTS, ["blue"])


# Accuracy.


CLOSE_TEXTS = simulate(segments=200, systems=[0.3, 0.2, 0.1, 0.21], seed=3)
EDGES = (0.0, *BANDS)


def said(result: StudyResult) -> tuple[str, ...]:
    return result.to_document().sentences


def test_bands_equal_a_plain_count(tmp_path: Path) -> None:
    settings = {"sizes": [10, 30], "samples": 20, "replicates": 1000}
    result, conclusions = studied(study_accuracy, CLOSE_TEXTS, tmp_path, **settings)
    found: dict[tuple[str, str, float], list[bool]] = {}
    for conclusion in conclusions:
        if conclusion.right is not None:
            # In thousandths, so that 95 % is 95 % and no float a little below it.
            confidence = round(1_000_000 * (1 - conclusion.p))
            band = sum(confidence >= round(1_000_000 * edge) for edge in BANDS)
            key = (conclusion.metric, conclusion.test, EDGES[band])
            found.setdefault(key, []).append(conclusion.right)
    assert len(result.rows) == len(found)
    for row in result.rows:
        right = found[row["metric"], row["test"], row["least"]]
        assert row["conclusions"] == len(right)
        assert row["right"] == pytest.approx(np.mean(right))
        assert 0 <= row["right_low"] <= row["right"] <= row["right_high"] <= 1


def test_wins_are_at_least_half_sure_and_p_values_may_be_less() -> None:
    result = study_accuracy(
        CLOSE_TEXTS, tests=("ar", "wins"), sizes=[10], samples=30, replicates=200
    )
    bands = {
        test: [row["least"] for row in result.rows if row["test"] == test]
        for test in ("ar", "wins")
    }
    assert 0.0 in bands["ar"]
    assert 0.0 not in bands["wins"]
    assert bands["ar"] == sorted(bands["ar"], reverse=True)
    assert "below 50 %" in str(result)


def _normal_texts(spread: float) -> TestSet:
    """Twelve systems whose means are drawn by this standard deviation, on normal segment scores."""
    random = np.random.default_rng(1)
    values = random.normal(0, 1, size=(12, 1500))
    values += random.normal(0, spread, size=(12, 1)) - values.mean(axis=1, keepdims=True)
    systems = {f"s{number}": [f"{v:.9f}" for v in row] for number, row in enumerate(values)}
    return TestSet(systems=systems, references=(["x"] * 1500,), reference_names=("r",))


VALUE = FunctionMetric(function=lambda output, _: float(output), name="value")


@pytest.mark.slow
def test_wins_are_right_as_often_as_they_claim_if_differences_of_all_sizes_are_as_likely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(power, "BANDS", (0.5, 0.7, 0.9, 0.999))
    result = study_accuracy(
        _normal_texts(spread=2.0),
        [VALUE],
        tests=("wins",),
        pairs="all",
        sizes=[8, 16],
        samples=200,
        replicates=300,
    )
    assert [row["band"] for row in result.to_document().data.rows] == [
        "99.9 to 100 %",
        "90 to 99.9 %",
        "70 to 90 %",
        "50 to 70 %",
    ]
    for band in result.rows[1:]:
        assert band["confidence"] == pytest.approx(band["right"], abs=0.05)


@pytest.mark.slow
def test_half_of_the_conclusions_about_equal_systems_are_right_at_any_confidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(power, "BANDS", (0.5, 0.95))
    result = study_accuracy(
        _normal_texts(spread=1e-4),
        [VALUE],
        pairs="all",
        sizes=[40],
        replicates=300,
    )
    sure = [band for band in result.rows if band["least"] == 0.95]
    assert len(sure) == 2
    for band in sure:
        assert 0.3 < band["right"] < 0.7
        assert band["overconfident"]
    assert (
        sum("significantly fewer than claimed are right" in sentence for sentence in said(result))
        == 2
    )


def test_tied_samples_are_counted_separately() -> None:
    one = list(CLOSE_TEXTS.systems["system-1"])
    texts = replace(CLOSE_TEXTS, systems={"a": one, "b": [*one[:-1], "x"]})
    result = study_accuracy(texts, tests=("wins",), sizes=[5], samples=40, replicates=100)
    judged = sum(band["conclusions"] for band in result.rows)
    assert judged < 40
    assert result.details["undecided"] == [40 - judged]
    assert (
        f"BLEU, bootstrap wins: {40 - judged} samples have tied scores, hence no conclusion."
        in said(result)
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replicates": 10}, "replicates: 10"),
        ({"sizes": [300]}, "at most 200, the size of the pool"),
    ],
)
def test_invalid_settings_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TruebleuError, match=message):
        study_accuracy(CLOSE_TEXTS, **options)


def test_cells_are_written_as_in_the_paper() -> None:
    result = study_power(TEXTS, sizes=[20, 60], samples=40, replicates=100)
    document = result.to_document()
    table = next(block for block in document.blocks if isinstance(block, Table))
    assert table.names[-2:] == ("size_20", "size_60")
    by_case: dict[tuple[object, ...], dict[int, Row]] = {}
    for row in result.rows:
        case = tuple(row[name] for name in ("metric", "test", "better", "worse"))
        by_case.setdefault(case, {})[int(row["size"] or 0)] = row
    assert len(table.rows) == len(by_case) == 2 * (5 + 1)
    cells = set()
    for shown in table.rows:
        case = tuple(shown[name] for name in ("metric", "test", "better", "worse"))
        for size, row in by_case[case].items():
            cell = str(shown[f"size_{size}"])
            numbers = [float(part.removesuffix(" %")) for part in cell.split("/")]
            assert len(numbers) == (2 if row["wrong"] else 1)
            for number, share in zip(numbers, (row["right"], row["wrong"]), strict=False):
                assert isinstance(share, float)
                assert number == pytest.approx(100 * share, abs=0.5)
            cells.add(len(numbers))
    assert cells == {1, 2}


def test_tied_systems_have_no_conclusions() -> None:
    result = study_power(tied("a", "copy"), sizes=[30], samples=5, replicates=50)
    assert [sentence.split(": ")[1] for sentence in said(result)[:2]] == [
        "no pair differs in the pool."
    ] * 2
    assert [row["right"] for row in result.rows] == [None, None]
    assert means_of(result) == []


def test_a_metric_without_direction_says_which_system_has_more() -> None:
    result = study_power(TEXTS, ["length"], tests=("ar",), sizes=[20], samples=5, replicates=50)
    assert any("has no better or worse" in sentence for sentence in said(result))


def test_ties_are_left_out_and_reported() -> None:
    result = study_accuracy(tied(), tests=("ar",), sizes=[30], samples=10, replicates=100)
    assert sum(band["conclusions"] for band in result.rows) == 20
    assert any("a and copy tie in the pool" in sentence for sentence in said(result))
    only = study_accuracy(tied("a", "copy"), tests=("ar",), sizes=[30], samples=10, replicates=100)
    assert not only.rows
    assert "BLEU, approximate randomization: there is no conclusion." in said(only)


def test_samples_too_small_for_a_test_are_mentioned() -> None:
    texts = simulate(segments=40, systems=[0.1, 0.3], seed=2)
    small = study_power(texts, ["bleu"], tests=["ar"], sizes=[5, 20], samples=5, replicates=50)
    told = "of 5 segments cannot conclude anything at the level 95 %: it needs at least 6."
    assert any(told in sentence for sentence in small.to_document().sentences)


def test_each_samples_confidence_is_drawn_for_the_largest_and_the_smallest_difference() -> None:
    """Koehn (2004), Figs. 7 and 8: dots above the line are the conclusions at the level."""
    texts = simulate(segments=300, systems=[0.1, 0.15, 0.3])
    options: Any = {"sizes": [40], "samples": 30, "replicates": 100, "level": 0.9}
    result = study_power(texts, **options, figure="confidence")
    rows = [row for row in result.rows if row["test"] == "wins" and row["better"] != MEAN]
    by_size = sorted(rows, key=lambda row: -row["difference"])
    cases = list(dict.fromkeys(row["case"] for row in result.chart_rows))
    for row, case in zip((by_size[0], by_size[-1]), cases, strict=True):
        assert f"{row['better']} against {row['worse']}" in case
        sure = [dot["confidence"] for dot in result.chart_rows if dot["case"] == case]
        assert len(sure) == 30
        assert np.mean(np.array(sure) >= 0.9 - 1e-9) == pytest.approx(row["right"])
        assert np.mean(np.array(sure) <= 0.1 + 1e-9) == pytest.approx(row["wrong"])
    assert study_power(texts, **options).rows == result.rows


@pytest.mark.parametrize(("conclusions", "overconfident"), [(57, True), (58, False)])
def test_a_band_is_overconfident_below_a_chance_of_a_fortieth(
    conclusions: int, overconfident: bool
) -> None:
    # SciPy 1.17.1, binom.sf(6, n, 0.05): 0.0231 of 57, 0.0252 of 58.
    right = Estimate((conclusions - 7) / conclusions, 0.8, 0.94)
    assert _is_overconfident(right, 0.95, conclusions) == overconfident


@pytest.mark.parametrize(("size", "overlap"), [(30, False), (31, True)])
def test_samples_of_most_of_the_pool_do_not_count_as_independent(size: int, overlap: bool) -> None:
    pool = simulate(segments=60, systems=[0.1, 0.4], seed=1)
    result = study_power(pool, sizes=[size], samples=20, replicates=50, tests=["wins"])
    assert all((row["right_low"] is None) is overlap for row in result.rows)
    assert (f"Samples of {size} are 52 % of the pool" in " ".join(result.sentences)) is overlap
    coverage = study_coverage(pool, sizes=[size], samples=20, replicates=50)
    assert (coverage.rows[0]["coverage_low"] is None) is overlap
    assert (f"Samples of {size} are" in " ".join(coverage.sentences)) is overlap
