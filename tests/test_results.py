"""What every result can do: print itself, show itself, and give its numbers."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import pytest

import truebleu
from truebleu import score
from truebleu._results import FRAME_LIBRARIES
from truebleu.errors import MissingExtraError
from truebleu.reports.document import render
from truebleu.simulation import simulate

TEXTS = (["the cat sat on the mat", "a dog barked"], ["the cat sat on a mat", "the dog barked"])


def test_a_result_prints_what_the_command_prints() -> None:
    scores = score(*TEXTS)
    assert str(scores).splitlines()[0].split() == ["System", "BLEU"]
    assert not str(scores).endswith("\n")
    assert "<table" in scores._repr_html_()
    json.dumps(scores.to_dict(), allow_nan=False)


def test_to_dict_holds_what_the_command_prints_as_json() -> None:
    texts = simulate(segments=60, systems=[0.1, 0.3], document_length=3, seed=1)
    few: dict[str, Any] = {"replicates": 100}
    first = next(iter(texts.systems))
    for result in (
        score(texts),
        truebleu.compare(texts, **few),
        truebleu.gate(texts, baseline=first, **few),
        truebleu.explain(texts, **few),
        truebleu.plan(texts, difference=1.0, **few),
        truebleu.panel({"a": texts, "b": texts}, **few),
        truebleu.sample(texts, size=20),
    ):
        assert result.to_dict() == json.loads(render(result, "json"))
        name = type(result).__name__
        assert ("sentences" in result.to_dict()) == (name != "Scores")
        if name in ("Comparison", "GateResult", "Explanation", "Plan"):
            # The number of units stands beside the unit, and nowhere else.
            assert result.to_dict()["settings"]["units"] == len(set(texts.documents or ()))
            assert "units" not in result.to_dict()


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
def test_a_frame_has_a_row_per_finding_with_every_digit(library: str) -> None:
    scores = score({"a": TEXTS[0], "b": TEXTS[1]}, TEXTS[1], ["bleu", "ter"])
    frame = scores.to_frame(library)  # type: ignore[arg-type]
    assert isinstance(frame, import_module(library).DataFrame)
    assert list(frame["system"]) == ["a", "b"]
    assert list(frame["BLEU"]) == [system.scores["BLEU"].score for system in scores.systems]


def test_a_frame_is_pandas_where_both_are_installed() -> None:
    assert type(score(*TEXTS).to_frame()).__module__.startswith("pandas")


def test_a_missing_library_raises_an_error_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truebleu._results.find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match=r"pip install pandas"):
        score(*TEXTS).to_frame()
