"""Rates of designs: what holds, what is warned of, and that an interrupted run goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from evidence.rates import Design, Question, Rates, Row, measured

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = Question(default="test", design="null", sometimes="one unit")


def row(expected: float, rate: float, *, always: str = "", caught: float = 0.0) -> Row:
    question = replace(QUESTION, expected=expected, always=always)
    return Row(question=question, rate=rate, trials=400, share_warned=caught / 2, caught=caught)


@pytest.mark.parametrize(
    ("expected", "rate", "holds"),
    [
        (0.05, 0.06, True),
        (0.05, 0.10, False),
        (0.05, 0.01, True),  # fewer false alarms than promised
        (0.95, 0.90, False),
        (0.95, 0.99, True),  # more coverage than promised
    ],
)
def test_a_rate_holds_within_its_error_or_on_the_safe_side(
    expected: float, rate: float, holds: bool
) -> None:
    assert row(expected, rate).holds is holds


def test_the_page_counts_rates_that_fail_and_are_not_printed(tmp_path: Path) -> None:
    rows = (
        row(0.05, 0.05),
        row(0.95, 0.8, caught=0.5),
        row(0.95, 0.8, always="few documents"),
        row(0.05, 0.2, caught=0.25),
    )
    Rates(rows).write(tmp_path)
    page = (tmp_path / "defaults.md").read_text(encoding="utf-8").replace("\n", " ")
    assert "1 of 4 rates are within their error" in page
    # Of 80 wrong decisions each: 40, all 80 and 20.
    assert "3 are not, and 58 % of the wrong decisions there had a warning." in page
    assert "| one unit (in 25 % of trials and 50 % of the wrong ones) |" in page
    assert len((tmp_path / "tables" / "defaults.tsv").read_text(encoding="utf-8").split("\n")) == 6


def test_a_trial_answers_several_questions_and_rates_are_shares_of_trials() -> None:
    design = Design(
        questions=(QUESTION, replace(QUESTION, design="other")),
        trials=8,
        trial=lambda number: ([number % 2, number == 0], [number < 2, False]),
    )
    rows = measured([design])
    rates = [(row.question.design, row.rate, row.share_warned, row.caught) for row in rows]
    # Of the four wrong answers of the first, one had the warning.
    assert rates == [("null", 0.5, 0.25, 0.25), ("other", 0.125, 0.0, 0.0)]


def test_an_interval_is_wrong_about_the_values_outside_it() -> None:
    question = replace(QUESTION, expected=0.95)
    design = Design(
        questions=(question,), trials=10, trial=lambda number: ([number > 1], [number % 2])
    )
    (found,) = measured([design])
    assert (found.rate, found.wrong, found.caught, found.warned) == (0.8, 2, 0.5, 1)
    shares = replace(design, trial=lambda _number: ([0.5], [0.5], [0.5]))
    assert measured([shares])[0].caught == 1


def test_an_interrupted_run_keeps_its_measurements(tmp_path: Path) -> None:
    journal, calls = tmp_path / "journal.jsonl", []

    def trial(number: int) -> tuple[list[float], list[float]]:
        calls.append(number)
        return [1.0], [0.0]

    def interrupt(_number: int) -> tuple[list[float], list[float]]:
        raise KeyboardInterrupt

    first = Design(questions=(QUESTION,), trials=3, trial=trial)
    second = Design(questions=(replace(QUESTION, design="2"),), trials=3, trial=interrupt)
    with pytest.raises(KeyboardInterrupt):
        measured([first, second], journal)
    rows = measured([first, replace(second, trial=trial)], journal)
    assert calls == [0, 1, 2, 0, 1, 2]
    Rates(rows, journal).write(tmp_path)
    assert not journal.exists()
