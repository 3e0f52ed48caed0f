"""The warnings that the page of defaults names are those that the commands print."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from evidence.agreement import NOISE, ON_THESE
from evidence.rates import ONE_UNIT, few
from tests.agreement.judged_texts import human_scores, texts
from truebleu import agree, compare, gate
from truebleu.reports.document import ENOUGH_DOCUMENTS_FOR_A_MARGIN
from truebleu.scores.scored import OutsideScores, textless_test_set

if TYPE_CHECKING:
    from collections.abc import Callable


def sentences(result: object) -> str:
    """What a command prints, on one line."""
    return " ".join(str(result).split())


@pytest.mark.parametrize("verb", [compare, partial(gate, baseline="old", margin=5)])
def test_a_unit_that_carries_the_difference_is_named(verb: Callable[..., Any]) -> None:
    # 20 documents, one of which has a runaway output.
    scores = OutsideScores.of({"new": [0.5] * 19 + [90.0], "old": [0.4, 0.6] * 10}, name="score")
    documents = tuple(str(number) for number in range(20))
    test_set = replace(textless_test_set([scores]), documents=documents)
    assert re.search(
        r"(Document 19|One document) carries \d+ % of the variance",
        sentences(verb(test_set, metrics=[scores])),
    )
    assert ONE_UNIT == "one unit carries over 20 % of the variance"


def test_a_gate_with_a_margin_warns_of_few_documents() -> None:
    numbers = range(150)
    scores = OutsideScores.of({"new": [n % 3 for n in numbers], "old": [n % 4 for n in numbers]})
    test_set = replace(textless_test_set([scores]), documents=tuple(map(str, numbers)))
    warning = few("documents", 150, ENOUGH_DOCUMENTS_FOR_A_MARGIN).capitalize()
    options: dict[str, Any] = {"metrics": [scores], "baseline": "old"}
    assert warning in sentences(gate(test_set, **options, margin=1.0))
    assert warning not in sentences(gate(test_set, **options))


def test_tests_of_metrics_say_that_systems_are_given_and_noise_is_noted() -> None:
    printed = sentences(agree(texts(), human_scores(), metrics=["bleu", "length"]))
    assert ON_THESE.removeprefix("the test ") in printed
    assert NOISE.removeprefix("noise: ") in printed
