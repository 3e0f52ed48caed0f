"""Error spans of mt-metrics-eval as scores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.corpus.human.asking import scores
from truebleu.errors import MalformedFileError

if TYPE_CHECKING:
    from tests.corpus.writing import Folder


def rating(*errors: dict[str, object]) -> str:
    return json.dumps({"errors": list(errors)})


MAJOR = {"start": 0, "end": 3, "category": "Accuracy/Omission", "severity": "Major"}
MINOR = {"start": 0, "end": 3, "category": "Style", "severity": "minor"}


def test_rating_lines_are_in_the_order_of_the_test_set(folder: Folder) -> None:
    lines = [
        f"a\t{rating(MAJOR, MINOR)}\tr1",
        f"b\t{rating()}\tr1",
        "a\tNone\tNone",
        f"b\t{rating(MINOR)}\tr2",
    ]
    found = scores(folder.write("en-de.mqm.seg.rating", "\n".join(lines) + "\n"))
    assert found.scores == {"a": (-6.0, None), "b": (0.0, -1.0)}
    assert found.raters == 2
    assert "weights:standard" in found.signature


def test_published_weights_count_unless_others_are_given(folder: Folder) -> None:
    lines = [f"a\t{rating({**MAJOR, 'score': -4})}", f"b\t{rating({**MINOR, 'score': 0.5})}"]
    path = folder.write("en-de.mqm.seg.rating", "\n".join(lines))
    assert scores(path, segments=1).scores == {"a": (-4.0,), "b": (-0.5,)}
    assert scores(path, segments=1, weights="standard").scores == {"a": (-5.0,), "b": (-1.0,)}


def test_a_first_line_that_nobody_judged_is_the_canary(folder: Folder) -> None:
    lines = ["a\tNone", f"a\t{rating(MAJOR)}", "b\tNone", f"b\t{rating()}"]
    path = folder.write("en-de.mqm.seg.rating", "\n".join(lines))
    assert scores(path, segments=1).scores == {"a": (-5.0,), "b": (0.0,)}


def test_stand_alone_ratings_count_segments_from_0(folder: Folder) -> None:
    rows = [
        {"system_id": "a", "segment_id": 1, "rater_id": "r", "errors": [MAJOR]},
        {"system_id": "b", "segment_id": 1, "rater_id": "r", "errors": [MINOR]},
        {"system_id": "b", "segment_id": 1, "rater_id": "s", "errors": []},
    ]
    path = folder.write("ratings.jsonl", "\n".join(map(json.dumps, rows)))
    assert scores(path).scores == {"a": (None, -5.0), "b": (None, -0.5)}


def test_stand_alone_ratings_may_count_from_0_in_each_document(folder: Folder) -> None:
    rows = [
        {"system_id": s, "document_id": d, "segment_id": 1, "errors": errors}
        for s, errors in (("a", [MAJOR]), ("b", []))
        for d in "xy"
    ]
    path = folder.write("ratings.jsonl", "\n".join(map(json.dumps, rows)))
    found = scores(path, segments=4, documents=["x", "x", "y", "y"])
    assert found.scores == {"a": (None, -5.0, None, -5.0), "b": (None, 0.0, None, 0.0)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\t{\nb\tNone\n", "line 1: found no valid JSON"),
        ("a\t[]\nb\tNone\n", "line 1: found JSON of type list"),
        ('a\t{"errors": 3}\nb\tNone\n', "line 1: found errors of type int"),
        ('a\t{"errors": [{"score": "x"}]}\nb\tNone\n', "line 1: found 'x' as score"),
        ("a None\nb None\n", "line 1: found 1 fields"),
        ("a\tNone\n" * 3 + "b\tNone\n" * 3 + "b\tNone\n", "without a number"),
    ],
)
def test_broken_ratings_are_refused(folder: Folder, content: str, message: str) -> None:
    with pytest.raises(MalformedFileError, match=message):
        scores(folder.write("x.seg.rating", content))
