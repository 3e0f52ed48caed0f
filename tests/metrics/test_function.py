"""Python functions as metrics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import truebleu
from truebleu.corpus import as_test_set
from truebleu.errors import SettingError
from truebleu.metrics import FunctionMetric, Signature


def shared_words(output: str, references: list[str]) -> int:
    return max(len({*output.split()} & {*reference.split()}) for reference in references)


def all_shared_words(outputs: list[str], references: list[list[str]]) -> Any:
    return np.array([shared_words(*pair) for pair in zip(outputs, references, strict=True)])


OUTPUTS = ["a b c", "d", ""]
REFERENCES: list[list[str | None]] = [["a b", "e", "f"], ["c", None, "a"]]
EACH = FunctionMetric(function=shared_words, name="shared")
BATCH = FunctionMetric(function=all_shared_words, name="shared", batch=True)


@pytest.mark.parametrize("metric", [EACH, BATCH], ids=["each", "batch"])
def test_the_score_is_the_mean_over_segments(metric: FunctionMetric) -> None:
    assert metric.statistics(OUTPUTS, REFERENCES).tolist() == [[2, 1], [0, 1], [0, 1]]
    score = metric.corpus(OUTPUTS, REFERENCES)
    assert score.score == pytest.approx(2 / 3)
    assert str(score) == "shared = 0.6667 (segments = 3)"
    assert metric.sentence("a b", ["b", "a b"]).score == 2


def test_a_function_may_ask_for_the_source() -> None:
    def longer(output: str, references: list[str], source: str) -> bool:
        return len(output) > len(source) and len(references) == 1

    metric = FunctionMetric(function=longer, name="longer", source=True)
    test_set = replace(as_test_set({"x": ["aa", "b"]}, ["r", "r"]), source=["a", "b"])
    assert metric.count(test_set).sums() == [[1, 2]]
    with pytest.raises(SettingError, match="longer: source: None"):
        metric.corpus(["a"], ["a"])


def test_higher_need_not_be_better() -> None:
    metric = FunctionMetric(function=shared_words, name="errors", higher_is_better=False)
    assert truebleu.score(["a"], ["a"], [metric]).higher_is_better == {"errors": False}


def test_the_signature_names_the_function() -> None:
    expected = Signature.of("shared", function="tests.metrics.test_function.shared_words")
    assert EACH.signature == expected


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, "1", [1.0], object()])
def test_a_value_that_is_not_a_number_is_rejected_with_its_segment(value: Any) -> None:
    each = FunctionMetric(function=lambda o, _: value if o == "b" else 1, name="f")
    batch = FunctionMetric(function=lambda *_: [1.0, value], name="f", batch=True)
    for metric in (each, batch):
        with pytest.raises(SettingError, match=r"f: 'system', segment 2: .* a finite number"):
            metric.corpus(["a", "b"], ["a", "b"])


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([1.0], "f: scores of 'system': '1 scores'; expected 2"),
        ([], "'0 scores'; expected 2"),
        (1.0, "expected a list or array of numbers"),
        ("12", "expected a list or array of numbers"),
        (None, "expected a list or array of numbers"),
    ],
)
def test_a_batch_must_have_a_score_for_each_segment(returned: Any, message: str) -> None:
    metric = FunctionMetric(function=lambda *_: returned, name="f", batch=True)
    with pytest.raises(SettingError) as refusal:
        metric.corpus(["a", "b"], ["a", "b"])
    assert message in str(refusal.value)


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(SettingError, match="name: ''"):
        FunctionMetric(function=shared_words, name="")
    with pytest.raises(SettingError, match="expected a function"):
        FunctionMetric(function="len", name="f")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="last axis is 2 long"):
        EACH.score([1.0])
    with pytest.raises(SettingError, match="'a count of 0'"):
        EACH.score([0.0, 0.0])
