"""A declaration is all that a format needs: places in records, and what may repeat."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scores.formats.files import json_lines
from truebleu.errors import MalformedFileError
from truebleu.scores.evaluations import Format, ScoreFile, evaluations_of, has_keys

QUIZ = Format(
    knows=has_keys("question"),
    needs=frozenset({"question"}),
    system="run.model",
    item="question",
    scores="marks",
    benchmark=lambda record: record.get("quiz", "general"),
    answer="try",
    fields="about",
)


def file(*records: dict[str, Any]) -> ScoreFile:
    return ScoreFile("quiz.jsonl", b"", json_lines(records))


def record(question: object, mark: object, **more: Any) -> dict[str, Any]:
    about = {"run": {"model": "m"}, "about": {"topic": "x"}}
    return {"question": question, "marks": {"mark": mark}, **about, **more}


def test_places_are_keys_inside_keys_or_functions() -> None:
    records = file(record("q2", 1), record("q1", 0.5, quiz="law"), record("q1", 0))
    assert QUIZ.knows(records)
    general, law = evaluations_of(records, QUIZ)
    assert (general.system, general.benchmark, law.benchmark) == ("m", "general", "law")
    assert general.answers() == ("mark", {"q2": [1.0], "q1": [0.0]})
    assert general.labels("topic") == {"q2": "x", "q1": "x"}


def test_answers_are_in_the_order_of_their_numbers() -> None:
    records = file(*(record("q", n, **{"try": n}) for n in (10, 9)))
    assert evaluations_of(records, QUIZ)[0].answers()[1] == {"q": [9.0, 10.0]}


def test_further_scores_of_an_answer_are_added_and_others_refused() -> None:
    first = record("q", 1)
    (both,) = evaluations_of(file(first, {**first, "marks": {"speed": 3}}), QUIZ)
    assert both.items[0].scores == {"mark": 1, "speed": 3}
    with pytest.raises(MalformedFileError, match=r"line 2: item q of m again; .*on line 1"):
        evaluations_of(file(first, first), QUIZ)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"x": 1}, "line 1: no question"),
        (record(None, 1), "line 1: question None"),
        (record("q", 1, marks=3), "line 1: no scores"),
    ],
)
def test_a_record_that_lacks_something_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(MalformedFileError, match=message):
        evaluations_of(file(wrong), QUIZ)
