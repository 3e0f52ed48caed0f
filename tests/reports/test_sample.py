"""What is said of a drawn test set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from truebleu.planning.sample import sample
from truebleu.reports.document import render
from truebleu.reports.sample import sentences
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from truebleu.planning.sample import Sample


@pytest.fixture(scope="module")
def report() -> Sample:
    pool = simulate(segments=300, systems={"a_b": Channel.at_rate(0.2)}, seed=2)
    return sample(pool, size=70, draw="document")


def test_the_size_reached_is_told_where_it_is_not_the_one_asked_for(report: Sample) -> None:
    asked = replace(report, settings=replace(report.settings, size=71))
    assert "71 were asked for; whole documents come no nearer" in " ".join(sentences(asked))
    reached = replace(report, settings=replace(report.settings, size=len(report.segments)))
    assert "asked for" not in " ".join(sentences(reached))


def test_odd_scores_are_named(report: Sample) -> None:
    (system,) = report.systems
    odd = replace(report, systems=(replace(system, standard_errors=-3.0),))
    assert "More than 2 standard errors from the score on the pool: a_b (BLEU)." in " ".join(
        sentences(odd)
    )
    even = replace(report, systems=(replace(system, standard_errors=1.9),))
    assert "standard errors" not in " ".join(sentences(even))


def test_the_whole_pool_has_no_distance_to_compare_with() -> None:
    pool = simulate(segments=30, systems={"a": Channel.at_rate(0.2)}, seed=2)
    told = sentences(sample(pool, size=30))
    assert told[0] == "Drew 30 of 30 segments, evenly spread, one in 1 (seed 12345)."
    assert not any("Kolmogorov" in line for line in told)
    assert any(line.endswith("differ from the pool's by 0.0 points at most.") for line in told)


def test_latex_escapes_names_and_has_a_table_for_each_part(report: Sample) -> None:
    written = render(report, "latex")
    assert written.count("\\begin{tabular}") == 3
    assert "a\\_b" in written


def test_tsv_has_every_digit(report: Sample) -> None:
    rows = [line.split("\t") for line in render(report, "tsv").splitlines()]
    scores = next(row for row in rows if row[:2] == ["BLEU", "a_b"])
    assert float(scores[2]) == report.systems[0].score
    assert float(scores[3]) == report.systems[0].pool_score
