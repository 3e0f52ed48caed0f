"""Power: right and wrong conclusions, counted again plainly and against theory."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.studies.recount import conclusions
from truebleu.errors import SettingError, TruebleuError, UnknownNameError
from truebleu.execution.journal import Runner
from truebleu.metrics.function import FunctionMetric
from truebleu.simulation import simulate
from truebleu.studies._pairs import TEST_NAMES, TESTS
from truebleu.studies._rates import share_of
from truebleu.studies.power import ALL_PAIRS, study_power

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.corpus import TestSet
    from truebleu.exhibits import Exhibit, Row

TEXTS = simulate(segments=200, systems=[0.3, 0.2, 0.1, 0.25], seed=3)


def points(exhibit: Exhibit, **values: object) -> list[Row]:
    assert exhibit.plot_rows is not None
    return [row for row in exhibit.plot_rows if all(row[name] == values[name] for name in values)]


def test_shares_are_those_of_a_plain_count(tmp_path: Path) -> None:
    journal, metrics = tmp_path / "journal", ["bleu", "ter"]
    exhibit = study_power(
        TEXTS,
        metrics,
        tests=TESTS,
        sizes=[20, 60],
        repetitions=15,
        samples=100,
        runner=Runner(journal),
    )
    found: dict[tuple[object, ...], list[float]] = {}
    for one in conclusions(journal, TEXTS, metrics):
        counts = found.setdefault(
            (one.metric, TEST_NAMES[one.test], frozenset(one.pair), one.size), [0, 0]
        )
        if one.p <= 0.05:
            counts[0] += one.right is True
            counts[1] += one.right is False
    rows = points(exhibit)
    assert len(rows) == len(found) == 2 * len(TESTS) * 5 * 2
    for row in rows:
        pair = frozenset((row["better"], row["worse"]))
        right, wrong = found[row["metric"], row["test"], pair, row["size"]]
        assert (row["right"], row["wrong"]) == (right / 15, wrong / 15)
        expected = share_of(int(right), 15)
        assert (row["right_low"], row["right_high"]) == (expected.low, expected.high)


def test_the_better_system_is_the_pools_by_each_metric() -> None:
    exhibit = study_power(TEXTS, ["bleu", "ter"], sizes=[50], repetitions=5, samples=100)
    for metric in ("BLEU", "TER"):
        pairs = [(row["better"], row["worse"]) for row in points(exhibit, metric=metric)]
        # In the order of their rates of error; near ones are up to two ranks apart.
        ranking = ["system-3", "system-2", "system-4", "system-1"]
        assert sorted(set(pairs)) == sorted(
            (a, b) for rank, a in enumerate(ranking) for b in ranking[rank + 1 : rank + 3]
        )
        assert all(float(row["difference"] or 0) > 0 for row in points(exhibit, metric=metric))


def test_cells_are_written_as_in_the_paper() -> None:
    exhibit = study_power(TEXTS, sizes=[20, 60], repetitions=40, samples=100)
    cells = set()
    for row in exhibit.rows:
        for size in (20, 60):
            right, wrong = row[f"right_{size}"], row[f"wrong_{size}"]
            assert isinstance(right, float)
            assert isinstance(wrong, float)
            cell = str(row[f"size_{size}"])
            numbers = [float(part.removesuffix(" %")) for part in cell.split("/")]
            assert len(numbers) == (2 if wrong else 1)
            for shown, share in zip(numbers, (right, wrong), strict=False):
                assert shown == pytest.approx(100 * share, abs=0.5)
            cells.add(len(numbers))
    assert cells == {1, 2}


def test_the_mean_of_all_pairs_is_their_mean() -> None:
    exhibit = study_power(TEXTS, tests=("ar",), sizes=[20, 60], repetitions=20, samples=100)
    (mean,) = [row for row in exhibit.rows if row["better"] == ALL_PAIRS]
    for size in (20, 60):
        for name in ("right", "wrong"):
            shares = [row[name] for row in points(exhibit, size=size)]
            assert mean[f"{name}_{size}"] == pytest.approx(np.mean(np.array(shares, dtype=float)))


def test_power_is_what_normal_theory_says() -> None:
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
    exhibit = study_power(
        texts, [metric], tests=("ar", "bootstrap"), sizes=[100, 400], repetitions=200, samples=400
    )
    normal, judged = NormalDist(), 0
    for row in points(exhibit):
        better, worse = (values[int(str(row[name])[1])] for name in ("better", "worse"))
        difference = better - worse
        error = difference.std() / int(row["size"] or 0) ** 0.5
        expected = 1 - normal.cdf(normal.inv_cdf(0.975) - difference.mean() / error)
        binomial = (expected * (1 - expected) / 200) ** 0.5
        right = float(row["right"] or 0)
        # Three standard errors; a point more for 400 replicates and Student's distribution.
        assert right == pytest.approx(expected, abs=3 * binomial + 0.01)
        judged += 0.2 < expected < 0.95
    assert judged >= 6


def test_power_grows_with_size_and_difference() -> None:
    exhibit = study_power(TEXTS, pairs="all", sizes=[10, 40, 160], repetitions=60, samples=200)
    for test in ("approximate randomization", "bootstrap wins"):
        for row in exhibit.rows:
            if row["test"] == test:
                shares = [float(row[f"right_{size}"] or 0) for size in (10, 40, 160)]
                assert shares == sorted(shares)
        by_difference = sorted(
            (float(row["difference"] or 0), float(row["right"] or 0))
            for row in points(exhibit, test=test, size=40)
        )
        assert by_difference[0][1] < by_difference[2][1] < by_difference[-1][1]


def tied() -> TestSet:
    one, other = TEXTS.systems["system-1"], TEXTS.systems["system-2"]
    return replace(TEXTS, systems={"a": one, "copy": one, "c": other})


def test_a_tie_in_the_pool_has_no_right_conclusion() -> None:
    exhibit = study_power(tied(), tests=("ar",), sizes=[30], repetitions=10, samples=100)
    (row,) = [row for row in exhibit.rows if {row["better"], row["worse"]} == {"a", "copy"}]
    assert (row["right_30"], row["wrong_30"], row["size_30"]) == (None, 0.0, "–/0 %")
    assert (
        "BLEU: a and copy tie in the pool, so that no conclusion about them can be right."
        in exhibit.findings
    )
    (mean,) = [row for row in exhibit.rows if row["better"] == ALL_PAIRS]
    others = [row["right_30"] for row in exhibit.rows if "c" in (row["better"], row["worse"])]
    assert mean["right_30"] == pytest.approx(np.mean(np.array(others, dtype=float)))


def test_where_all_tie_nothing_is_found() -> None:
    exhibit = study_power(tied(), pairs=[("a", "copy")], sizes=[30], repetitions=5, samples=50)
    assert [finding.split(": ")[1] for finding in exhibit.findings[:2]] == [
        "no pair differs in the pool."
    ] * 2
    assert [row["right_30"] for row in exhibit.rows] == [None, None]


def test_pairs_may_be_chosen() -> None:
    def pairs_of(**options: Any) -> set[tuple[object, object]]:
        exhibit = study_power(
            TEXTS, tests=("ar",), sizes=[20], repetitions=5, samples=50, **options
        )
        return {(row["better"], row["worse"]) for row in points(exhibit)}

    assert pairs_of(pairs=[("system-1", "system-3")]) == {("system-3", "system-1")}
    assert len(pairs_of(pairs="all")) == 6
    assert pairs_of(pairs="neighbours") == {
        ("system-3", "system-2"),
        ("system-2", "system-4"),
        ("system-4", "system-1"),
    }
    assert pairs_of(baseline="system-2") == {
        ("system-3", "system-2"),
        ("system-2", "system-4"),
        ("system-2", "system-1"),
    }


def test_only_the_systems_of_pairs_are_resampled_and_the_others_change_nothing() -> None:
    def study(texts: TestSet) -> Exhibit:
        return study_power(
            texts, sizes=[20], repetitions=5, samples=50, pairs=[("system-1", "system-4")]
        )

    few = replace(TEXTS, systems={name: TEXTS.systems[name] for name in ("system-4", "system-1")})
    assert study(TEXTS).rows == study(few).rows


def test_blocks_and_broad_samples_may_be_fewer_and_say_so() -> None:
    exhibit = study_power(TEXTS, sizes=[20, 40], draw="broad", samples=50)
    assert [field.heading for field in exhibit.fields[-2:]] == ["20 (×10)", "40 (×5)"]


def test_a_metric_without_direction_says_which_system_has_more() -> None:
    exhibit = study_power(TEXTS, ["length"], tests=("ar",), sizes=[20], repetitions=5, samples=50)
    assert any("has no better or worse" in finding for finding in exhibit.findings)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sizes": [201]}, "size: found 201, expected no more than the pool has: 200"),
        ({"sizes": [1]}, "size: found 1, expected a whole number from 2 up"),
        ({"sizes": [60], "draw": "broad"}, "size: found 60, expected at most 40 for 5 broad"),
        ({"repetitions": 4}, "repetitions: found 4, expected at least 5"),
        ({"samples": 30}, "replicates: found 30, expected at least 40 at the level 0.95"),
        ({"samples": 0}, "replicates: found 0, expected a whole number from 1 up"),
        ({"level": 1.5}, "level: found 1.5"),
        ({"seed": -1}, "seed: found -1"),
        ({"tests": ["arr"]}, "unknown test 'arr'"),
        ({"tests": []}, "tests: found 'none'"),
        ({"pairs": "som"}, "unknown pairs 'som'"),
        ({"pairs": []}, "pairs: found 'none'"),
        (
            {"pairs": [("system-1", "sistem-2")]},
            "unknown system 'sistem-2'; did you mean 'system-2'",
        ),
        ({"pairs": [("system-1", "system-1")]}, "two different systems"),
        ({"baseline": "x"}, "unknown baseline 'x'"),
        ({"baseline": "system-1", "pairs": "all"}, "no other choice of pairs beside it"),
        ({"unit": "document", "sizes": [150]}, "no more than the pool has"),
        ({"draw": "narrow"}, "unknown draw 'narrow'"),
    ],
)
def test_what_says_nothing_is_refused_before_any_work(
    options: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truebleu.studies._pool.Pool.take", pytest.fail)
    with pytest.raises(TruebleuError, match=said):
        study_power(TEXTS, **options)


def test_one_system_is_too_few() -> None:
    alone = replace(TEXTS, systems={"a": TEXTS.systems["system-1"]})
    with pytest.raises(SettingError, match="systems: found 1, expected at least 2"):
        study_power(alone)


def test_documents_are_needed_to_draw_them() -> None:
    with pytest.raises(SettingError, match="a test set with documents"):
        study_power(replace(TEXTS, documents=None), unit="document")
    assert (
        study_power(TEXTS, unit="document", repetitions=5, samples=50).settings["unit"]
        == "document"
    )
    with pytest.raises(UnknownNameError):
        study_power(TEXTS, ["blue"])
