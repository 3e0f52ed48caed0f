"""Human scores as data: systems, means, and what is asked of a file."""

from __future__ import annotations

from typing import Any

import pytest

from truebleu.errors import TruebleuError
from truebleu.human.judgments import HumanReadOptions, HumanScores, join_names


def test_means_ignore_missing_judgments() -> None:
    scores = HumanScores(
        label="people",
        level="segment",
        scores={"a": (1.0, None, 2.0), "b": (0.1, 0.2, 0.3)},
        signature="human|format:scores",
    )
    assert scores.systems == ("a", "b")
    assert scores.means() == {"a": 1.5, "b": pytest.approx(0.2)}


def test_long_lists_of_names_are_cut_short() -> None:
    assert join_names(["a", "b"]) == "'a', 'b'"
    assert (
        join_names([str(n) for n in range(10)])
        == "'0', '1', '2', '3', '4', '5', '6', '7' and 2 more"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"systems": "ab"}, "systems"),
        ({"systems": []}, "systems"),
        ({"systems": ["a", "a"]}, "systems"),
        ({"systems": [1]}, "systems"),
        ({"segments": 0}, "segments"),
        ({"segments": 1.5}, "segments"),
        ({"segments": "2"}, "segments"),
        ({"documents": ["x"]}, "documents"),
        ({"raters": "best"}, "unknown raters 'best'"),
        ({"match": "luck"}, "match"),
    ],
)
def test_invalid_options_are_rejected(changes: dict[str, Any], message: str) -> None:
    asked = {"systems": ["a", "b"], "segments": 2, "documents": ["x", "y"]}
    assert HumanReadOptions(**asked).documents == ("x", "y")  # type: ignore[arg-type]
    with pytest.raises(TruebleuError, match=message):
        HumanReadOptions(**{**asked, **changes})
