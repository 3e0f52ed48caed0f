"""The warnings that the page of defaults names are those that the commands print."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from evidence.agreement import NOISE, ON_THESE
from evidence.rates import ONE_UNIT, few
from tests.agreement.judged_texts import human_scores, texts
from truebleu import agree, compare, count, gate
from truebleu.reports.document import ENOUGH_DOCUMENTS_FOR_A_MARGIN

if TYPE_CHECKING:
    from collections.abc import Callable

METRIC = "scores:higher_is_better=yes"


def sentences(result: object) -> str:
    """What a command prints, on one line."""
    return " ".join(str(result).split())


@pytest.mark.parametrize("verb", [compare, partial(gate, baseline="old", margin=5)])
def test_a_unit_that_carries_the_difference_is_named(verb: Callable[..., Any]) -> None:
    # 20 documents, one of which has a runaway output.
    scores = {"new": [0.5] * 19 + [90.0], "old": [0.4, 0.6] * 10}
    assert re.search(
        r"(Document 19|One document) accounts for \d+ % of the variance",
        sentences(verb(scores, metrics=METRIC, documents=range(20))),
    )
    assert ONE_UNIT == "one unit accounts for over 20 % of the variance"


def test_a_gate_with_a_margin_warns_of_few_documents() -> None:
    numbers = range(150)
    scores = {"new": [n % 3 for n in numbers], "old": [n % 4 for n in numbers]}
    counts = count(scores, metrics=METRIC, documents=numbers)
    warning = few("documents", 150, ENOUGH_DOCUMENTS_FOR_A_MARGIN).capitalize()
    assert warning in sentences(gate(counts, baseline="old", margin=1.0))
    assert warning not in sentences(gate(counts, baseline="old"))


def test_tests_of_metrics_say_that_systems_are_given_and_noise_is_noted() -> None:
    printed = sentences(agree(texts(), human_scores(), metrics=["bleu", "length"]))
    assert ON_THESE.removeprefix("the test holds ") in printed
    assert NOISE.removeprefix("noise: ") in printed
