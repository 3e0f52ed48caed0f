"""The first screen about many systems."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.simulated_causes import simulate_causes
from truebleu.explanation.report import Report, report
from truebleu.reports.compare import by_score
from truebleu.reports.page import html_page

CAUSES = simulate_causes(segments=240)
MADE = report(CAUSES, metrics=["bleu", "ter"], by=["domain"], replicates=1000)


def first_screen(made: Report) -> str:
    (screen,) = re.findall(r'<section id="answer">(.*?)</section>', html_page(made), re.DOTALL)
    return str(screen)


def rows_of(screen: str) -> list[str]:
    """The rows of the table of systems."""
    table = re.findall(r'<table class="league">(.*?)</table>', screen, re.DOTALL)[0]
    return re.findall(r"<tr[^>]*>.*?</tr>", table.split("<tbody>")[1], re.DOTALL)


def test_the_table_has_every_system_best_first() -> None:
    rows = rows_of(first_screen(MADE))
    names = [re.findall(r'class="name"[^>]*>([^<]*)<', row)[0] for row in rows]
    assert names == [name for name, _ in by_score(MADE.comparison, "BLEU")]


def test_dots_are_filled_and_intervals_exclude_0_exactly_where_pairs_are_decided() -> None:
    comparison = MADE.comparison
    leader = by_score(comparison, "BLEU")[0][0]
    decided = 0
    for row in rows_of(first_screen(MADE))[1:]:
        name = re.findall(r'class="name"[^>]*>([^<]*)<', row)[0]
        (pair,) = [p for p in comparison.of("BLEU") if {p.a, p.b} == {name, leader}]
        decided += pair.significant
        look = re.findall(r'<svg width="100%" height="30" class="(\w+)" role', row)[0]
        assert (look != "none") == pair.significant
        bounds = re.findall(r"\[([−+\d.]+), ([−+\d.]+)\]", row)[-1]
        low, high = (float(bound.replace("−", "-")) for bound in bounds)
        assert (low > 0 or high < 0) == pair.significant
    assert decided


def test_rules_separate_clusters() -> None:
    rows = rows_of(first_screen(MADE))
    begins = {cluster[0] for cluster in MADE.comparison.metrics["BLEU"].clusters[1:]}
    ruled = {
        re.findall(r'class="name"[^>]*>([^<]*)<', row)[0] for row in rows if 'class="rule"' in row
    }
    assert ruled == begins


def test_groups_are_columns_and_all_pairs_a_triangle() -> None:
    screen = first_screen(MADE)
    for group in MADE.comparison.groups:
        assert f">{group.label}</th>" in screen
    assert screen.count("<rect class=") == len(MADE.comparison.of("BLEU"))


def test_flagged_and_identical_systems_are_named_first() -> None:
    screen = first_screen(MADE)
    (box,) = re.findall(r'<p class="flag">(.*?)</p>', screen)
    assert "runaway" in box
    systems = {"a": CAUSES.systems["baseline"], "b": CAUSES.systems["baseline"]}
    systems["c"] = CAUSES.systems["weak-in-sport"]
    twins = first_screen(report(replace(CAUSES, systems=systems), replicates=200))
    assert "same as b" in twins
    assert twins.count('class="badge"') == 2


def test_a_baseline_is_what_the_others_differ_from() -> None:
    made = report(CAUSES, baseline="baseline", replicates=200)
    screen = first_screen(made)
    assert "worse than baseline" in screen
    assert "better →" in screen
    assert "<rect class=" not in screen
