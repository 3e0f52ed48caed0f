"""What every result can do: print itself, show itself, and give its numbers."""

from __future__ import annotations

import json
from importlib import import_module

import pytest

from truebleu import score
from truebleu._results import FRAME_LIBRARIES
from truebleu.errors import MissingExtraError

TEXTS = (["the cat sat on the mat", "a dog barked"], ["the cat sat on a mat", "the dog barked"])


def test_a_result_prints_what_the_command_prints() -> None:
    scores = score(*TEXTS)
    assert str(scores).splitlines()[0].split() == ["System", "BLEU"]
    assert not str(scores).endswith("\n")
    assert "<table" in scores._repr_html_()
    json.dumps(scores.to_dict(), allow_nan=False)


@pytest.mark.parametrize("library", FRAME_LIBRARIES)
def test_a_frame_has_a_row_per_finding_with_every_digit(library: str) -> None:
    scores = score({"a": TEXTS[0], "b": TEXTS[1]}, TEXTS[1], ["bleu", "ter"])
    frame = scores.to_frame(library)  # type: ignore[arg-type]
    assert isinstance(frame, import_module(library).DataFrame)
    assert list(frame["system"]) == ["a", "b"]
    assert list(frame["BLEU"]) == [system.scores["BLEU"].score for system in scores.systems]


def test_a_frame_is_pandas_where_both_are_installed() -> None:
    assert type(score(*TEXTS).to_frame()).__module__.startswith("pandas")


def test_without_a_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truebleu._results.find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match=r"truebleu\[frames\]"):
        score(*TEXTS).to_frame()
