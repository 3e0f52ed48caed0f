"""Human scores as data: systems, means, and what is asked of a file."""

from __future__ import annotations

import pytest

from truebleu.errors import TruebleuError
from truebleu.human.scores import HumanScores, as_documents, as_segments, as_systems, listed


def test_means_are_over_what_was_judged() -> None:
    scores = HumanScores(
        label="people",
        level="segment",
        scores={"a": (1.0, None, 2.0), "b": (0.1, 0.2, 0.3)},
        signature="human|format:scores",
    )
    assert scores.systems == ("a", "b")
    assert scores.means() == {"a": 1.5, "b": pytest.approx(0.2)}


def test_long_lists_of_names_are_cut_short() -> None:
    assert listed(["a", "b"]) == "'a', 'b'"
    assert listed([str(n) for n in range(10)], most=3).startswith("'0', '1', '2'")
    assert "9" not in listed([str(n) for n in range(10)], most=3)


@pytest.mark.parametrize("systems", ["a", [], ["a", "a"], [1]])
def test_systems_are_different_names(systems: object) -> None:
    with pytest.raises(TruebleuError, match="systems"):
        as_systems(systems)


@pytest.mark.parametrize("segments", [0, -1, 1.5, "2"])
def test_segments_are_a_number(segments: object) -> None:
    with pytest.raises(TruebleuError, match="segments"):
        as_segments(segments)


def test_there_is_a_document_for_every_segment() -> None:
    assert as_documents(["x", "y"], 2) == ("x", "y")
    assert as_documents(None, 2) is None
    with pytest.raises(TruebleuError, match="documents"):
        as_documents(["x"], 2)
