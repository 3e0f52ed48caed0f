"""Systems taken for equal: the p-values of compare, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from truebleu.corpus import read_test_set
from truebleu.errors import SettingError, UnknownNameError
from truebleu.significance.compare import compare
from truebleu.simulation import simulate
from truebleu.studies.equivalents import study_equivalents

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.corpus import TestSet


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=80, systems=[0.2, 0.2, 0.3])


def test_p_values_are_those_of_compare(pool: TestSet) -> None:
    result = study_equivalents(pool, ["bleu", "ter"], replicates=499, seed=3)
    for test in ("ar", "bootstrap-absolute"):
        expected = compare(
            pool, metrics=["bleu", "ter"], test=test, replicates=499, seed=3
        ).comparisons
        assert [p for metric in ("BLEU", "TER") for p in result.p_values(metric, test)] == [
            pair.p for pair in expected
        ]
        assert [row.difference for row in result.rows] == pytest.approx(
            [pair.difference for pair in expected]
        )
    assert (result.rows[1].a, result.rows[1].b) == ("system-1", "system-3")
    assert "system-1 : system-3" in str(result)
    (chart,) = result.to_document().charts
    assert len(chart.table.rows) == 2 * len(result.rows)


def test_the_papers_table_comes_out_on_runs_of_one_optimizer(shared: Path) -> None:
    """Riezler & Maxwell (2005, Table 2): the bootstrap's p is smaller in every comparison."""
    folder = shared / "data" / "iwslt-optimizer-runs"
    runs = [str(folder / f"baseline.opt{run}.txt") for run in range(3)]
    result = study_equivalents(read_test_set(runs, [str(folder / "ref.txt")]), replicates=2000)
    for row in result.rows:
        randomization, absolute = row.p
        assert absolute < randomization
    assert (
        result.to_document()
        .sentences[1]
        .endswith("p is smaller than by approximate randomization in 3, larger in 0.")
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"replicates": 10}, "at least 19"),
        ({"alpha": 0.0}, "between 0 and 1"),
        ({"tests": []}, "at least one"),
        ({"unit": "document"}, "at least 6"),
    ],
)
def test_what_says_nothing_is_refused(options: dict[str, Any], said: str) -> None:
    small = simulate(segments=20, systems=[0.2, 0.2])
    with pytest.raises(SettingError, match=said):
        study_equivalents(small, ["bleu"], **options)


def test_one_system_is_refused_and_so_is_an_unknown_test(pool: TestSet) -> None:
    with pytest.raises(SettingError, match="systems: found 1"):
        study_equivalents(simulate(segments=20, systems=[0.2]))
    with pytest.raises(UnknownNameError, match="known: ar"):
        study_equivalents(pool, tests=["student"])
