"""The first screen about two systems."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.simulated_causes import simulate_causes
from truebleu.explanation.report import Report, report
from truebleu.metrics import LengthRatio
from truebleu.reports.page import html_page
from truebleu.reports.page.answer import natural_order
from truebleu.significance.compare import GroupComparison

CAUSES = simulate_causes(segments=240)
SPORT = replace(CAUSES, systems={n: CAUSES.systems[n] for n in ("weak-in-sport", "baseline")})


def rates(first: float, second: float, count: int = 400) -> dict[str, list[float]]:
    """Scores of 0 and 1 of two models."""
    generator = np.random.default_rng(1)
    return {
        name: (generator.random(count) < rate).astype(float).tolist()
        for name, rate in (("one", first), ("two", second))
    }


def first_screen(made: Report) -> str:
    page = html_page(made)
    (screen,) = re.findall(r'<section id="answer">(.*?)</section>', page, re.DOTALL)
    return str(screen)


def test_scores_of_0_and_1_have_points_and_percentages_in_the_headline() -> None:
    made = report(rates(0.6, 0.4), replicates=500)
    (pair,) = made.comparison.comparisons
    low, high = pair.interval
    assert low is not None
    assert high is not None
    first, second = (made.comparison.systems[n]["score"].score for n in ("one", "two"))
    (headline,) = re.findall("<h1>(.*?)</h1>", first_screen(made))
    assert re.sub("<[^>]*>", "", headline) == (
        f"one is better than two by {100 * pair.difference:.1f} points [{100 * low:.1f}, "
        f"{100 * high:.1f}]: {100 * first:.1f} % against {100 * second:.1f} %."
    )


def test_a_difference_that_is_not_significant_is_no_verdict() -> None:
    made = report(rates(0.5, 0.5), replicates=500)
    (pair,) = made.comparison.comparisons
    assert not pair.significant
    (headline,) = re.findall("<h1>(.*?)</h1>", first_screen(made))
    assert "can&#x27;t be told apart: they differ by" in headline


def test_the_screen_shows_one_difference_interval_and_p() -> None:
    made = report(SPORT, metrics=["bleu", "ter"], by=["domain"], replicates=500)
    (pair,) = made.comparison.of("BLEU")
    screen = first_screen(made)
    size = f"{abs(pair.difference):.2f}"
    assert f"{size} BLEU" in screen
    assert f"−{size}<" in screen
    assert screen.count(f"{pair.p:.4f}") >= 2 or pair.p < 0.0001
    assert "lower is better, turned" in screen


def test_intervals_of_groups_exclude_0_exactly_where_the_adjusted_p_is_significant() -> None:
    for seed in range(3):
        made = report(SPORT, by=["domain"], replicates=500, seed=seed)
        pairs = [pair for group in made.comparison.groups for pair in group.comparisons]
        assert len(pairs) > 1
        for pair in pairs:
            assert pair.uncorrected_interval is not None
            low, high = pair.interval
            assert low is not None
            assert high is not None
            assert (low > 0 or high < 0) == pair.significant


def test_flagged_outputs_that_turn_the_verdict_have_a_box_with_links() -> None:
    runaway = replace(CAUSES, systems={n: CAUSES.systems[n] for n in ("runaway", "baseline")})
    made = report(runaway, replicates=500)
    screen = first_screen(made)
    assert "flagged outputs the verdict turns:" in screen
    (box,) = re.findall(r'<p class="flag">(.*?)</p>', screen)
    assert "(exploratory)" in box
    assert re.search(r'<a href="#[^"]*flag=runaway', box)
    # Without flagged outputs there is no box.
    assert 'class="flag"' not in first_screen(report(SPORT, replicates=500))


def test_examples_are_two_for_the_winner_and_one_for_the_other() -> None:
    made = report(SPORT, replicates=200)
    assert made.explanation is not None
    explained = made.explanation.pairs[0]
    page = html_page(made)
    numbers = [int(n) for n in re.findall(r'<h3><a href="#segment=(\d+)">', page)]
    signs = [explained.segments[number - 1] > 0 for number in numbers]
    winner = explained.comparison.difference > 0
    assert signs == [winner, winner, not winner]


@pytest.mark.parametrize(
    ("labels", "ordered"),
    [(["3-4", "10+", "1-2"], ["1-2", "3-4", "10+"]), (["few", "many"], ["many", "few"])],
)
def test_groups_are_in_the_order_of_their_numbers_or_sizes(
    labels: list[str], ordered: list[str]
) -> None:
    groups = [
        GroupComparison(
            column="c",
            label=label,
            segments=9 if label == "many" else 2,
            unit="segment",
            units=2,
            systems={},
            comparisons=(),
        )
        for label in labels
    ]
    assert [group.label for group in sorted(groups, key=natural_order)] == ordered


def test_columns_with_many_labels_are_named_below_the_forest() -> None:
    labels = [f"topic {n % 15}" for n in range(240)]
    made = report(SPORT, by={"topic": labels, "half": [str(n % 2) for n in range(240)]}, seed=1)
    assert {group.column for group in made.comparison.groups} == {"half"}
    legend = re.findall('<p class="legend">(.*?)</p>', first_screen(made))[0]
    assert "groups by domain and topic (more than 12); choose them as slices" in legend
    assert "half" not in legend


def test_a_document_that_carries_the_difference_is_named_without_an_explanation_too() -> None:
    ending = ["the cat sits on it"] * 9 + ["a dog ran off home then there"]
    texts = {"a": ["the cat sat on it"] * 40, "b": ["the cat sat on it"] * 30 + ending}
    documents = [f"d{n // 2}" for n in range(40)]
    made = report(texts, ["the cat sat on it"] * 40, documents=documents, replicates=200)
    share = made.comparison.comparisons[0].largest_share
    for shown in (made, Report(comparison=made.comparison)):
        (box,) = re.findall(r'<p class="flag">(.*?)</p>', first_screen(shown))
        words = re.sub("<[^>]*>", "", box)
        assert f"Document d19 accounts for {100 * (share or 0):.0f} % of the variance" in words


def test_a_metric_without_a_direction_has_higher_scores_and_no_better_ones() -> None:
    for texts in (SPORT, CAUSES):
        screen = first_screen(report(texts, metrics=[LengthRatio()], replicates=400))
        axis = re.findall(r'<th scope="col" class="plot.*?</th>', screen)[0]
        assert "better" not in axis
        assert "worse" not in axis
        assert "higher" in axis or "lower than" in axis


def test_a_difference_that_varies_between_groups_is_said_to_vary() -> None:
    generator = np.random.default_rng(3)
    kinds = ["hard" if n % 2 else "easy" for n in range(400)]
    rates = {"one": {"hard": 0.2, "easy": 0.9}, "two": {"hard": 0.2, "easy": 0.4}}
    scores = {
        name: [float(generator.random() < of_kind[kind]) for kind in kinds]
        for name, of_kind in rates.items()
    }
    made = report(scores, by={"kind": kinds}, replicates=500)
    (test,) = made.comparison.heterogeneity
    assert test.p_adjusted < 0.05
    assert "The difference varies by kind (p" in first_screen(made)
    other = scores["one"][200:] + scores["one"][:200]
    even = report({"one": scores["one"], "two": other}, by={"kind": kinds}, replicates=500)
    assert even.comparison.heterogeneity[0].p_adjusted > 0.05
    assert "varies by" not in first_screen(even)
