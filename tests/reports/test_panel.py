"""What is said about a panel: verdicts with counts of sets, what is missing, and a tidy table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from truebleu.reports.document import Chart, Table
from truebleu.reports.panel import _varies, document
from truebleu.significance.panel import Heterogeneity, panel
from truebleu.significance.scores import score
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from truebleu.significance.panel import Panel, Verdict

WORDS: tuple[Verdict, ...] = ("better", "worse", "undecided")


@pytest.fixture(scope="module")
def result() -> Panel:
    good, poor = Channel.at_rate(0.1), Channel.at_rate(0.3)
    sets = {
        f"set-{seed}": simulate(segments=60, systems={"good": good, "poor": poor}, seed=seed)
        for seed in range(3)
    }
    return panel(sets, replicates=500)


def test_the_verdict_counts_the_sets(result: Panel) -> None:
    first, *_ = document(result).sentences
    assert first.startswith("good is better than poor on average by ")
    (pair,) = result.comparisons
    better = pair.count("better")
    assert better >= 2
    assert first.endswith(
        f"better in {better}, worse in 0, undecided in {3 - better} of 3 test sets."
    )


def test_every_set_is_shown_and_then_the_mean(result: Panel) -> None:
    table = next(block for block in document(result).blocks if isinstance(block, Table))
    assert [row["test_set"] for row in table.rows] == ["set-0", "set-1", "set-2", "mean"]
    assert table.rows[-1]["verdict"] == "better"


def test_the_chart_is_turned_so_that_right_is_better() -> None:
    channels = {name: Channel.at_rate(rate) for name, rate in (("good", 0.1), ("poor", 0.3))}
    sets = {f"set-{seed}": simulate(segments=60, systems=channels, seed=seed) for seed in range(2)}
    by_ter = panel(sets, ["ter"], replicates=200)
    (chart,) = document(by_ter).charts
    (pair,) = by_ter.comparisons
    assert [row["difference"] for row in chart.table.rows[:2]] == [
        -one.difference for one in pair.sets
    ]
    assert all(one.difference < 0 for one in pair.sets)
    for row in chart.table.rows:
        low, value, high = (row[name] for name in ("low", "difference", "high"))
        assert isinstance(low, float)
        assert isinstance(value, float)
        assert isinstance(high, float)
        assert low < value < high
    assert chart.table.columns[1].heading == "← worse · TER, negated · better →"


def test_only_few_test_sets_have_columns_of_their_own() -> None:
    channels = {name: Channel.at_rate(rate) for name, rate in (("a", 0.1), ("b", 0.2), ("c", 0.3))}
    sets = {f"set-{seed}": simulate(segments=20, systems=channels, seed=seed) for seed in range(9)}
    few = {name: sets[name] for name in ("set-0", "set-1")}
    for part, headings in ((few, ["set-0", "set-1"]), (sets, ["test sets"])):
        shown = document(panel(part, replicates=40)).blocks
        table = next(block for block in shown if isinstance(block, Table))
        assert [column.heading for column in table.columns] == [
            *("System", "mean BLEU", "ranks"),
            *headings,
        ]
        if part is few:
            scores = score(few["set-1"])
            for row in table.rows:
                assert row["set set-1"] == scores[str(row["name"])]["BLEU"].score


@pytest.mark.parametrize("words", [WORDS, ("better", "better", "undecided")])
def test_sets_that_disagree_have_no_mean_in_the_headline(
    result: Panel, words: tuple[Verdict, ...]
) -> None:
    (pair,) = result.comparisons
    between = Heterogeneity(tau=9.0, i_squared=0.99, p=0.0, prediction=None)
    mixed = [replace(row, verdict=word) for row, word in zip(pair.sets, words, strict=True)]
    changed = replace(pair, sets=tuple(mixed), heterogeneity=between)
    shown = document(replace(result, comparisons=(changed,)))
    assert "on average" not in shown.sentences[0]
    assert "they differ too much for their mean to describe them" in shown.sentences[0]
    table = next(block for block in shown.blocks if isinstance(block, Table))
    assert table.rows[-1]["verdict"] == "varies"


def test_the_tidy_table_has_every_set_and_the_mean(result: Panel) -> None:
    rows = document(result).data.rows
    assert [row["test_set"] for row in rows] == ["set-0", "set-1", "set-2", None]
    (pair,) = result.comparisons
    assert rows[-1]["difference"] == pair.difference


def test_the_chart_has_every_set_and_the_mean(result: Panel) -> None:
    (chart,) = (block for block in document(result).blocks if isinstance(block, Chart))
    assert [row["set"] for row in chart.table.rows] == ["set-0", "set-1", "set-2", "mean"]


@pytest.mark.parametrize(("i_squared", "varies"), [(0.75, False), (0.76, True)])
def test_sets_vary_too_much_for_a_mean_above_three_quarters(
    result: Panel, i_squared: float, varies: bool
) -> None:
    (pair,) = result.comparisons
    assert pair.heterogeneity is not None
    first, *others = (replace(row, verdict="better") for row in pair.sets)
    mixed = replace(
        pair,
        sets=(replace(first, verdict="worse"), *others),
        heterogeneity=replace(pair.heterogeneity, i_squared=i_squared),
    )
    assert _varies(mixed) == varies
    assert not _varies(replace(mixed, sets=tuple(others)))
