"""ESA scores as WMT24 and WMT25 publish them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.human.asking import scores
from truebleu.errors import MalformedFileError

if TYPE_CHECKING:
    from tests.writing import Folder


def wmt24(system: str, line: int, score: float | None, **fields: object) -> str:
    known = {"langs": "en-cs", "line_id": line, "doc_id": "d", "domain": "news", "system": system}
    return json.dumps({**known, "esa_score": score, "annotator": "u1", **fields}) + "\n"


@pytest.mark.parametrize("name", ["esa.jsonl", "esa.json"])
def test_lines_of_wmt24_are_averaged_over_annotators(folder: Folder, name: str) -> None:
    text = wmt24("a", 1, 80) + wmt24("a", 1, 70, annotator="u2") + wmt24("b", 2, None)
    text += wmt24("b", 1, 50) + wmt24("b", 1, 55)
    human = scores(folder.write(name, text))
    assert human.scores == {"a": (75.0, None), "b": (55.0, None)}
    assert human.raters == 2
    assert "format:esa" in human.signature


def test_lines_of_wmt24_hold_several_language_pairs(folder: Folder) -> None:
    text = wmt24("a", 1, 80) + wmt24("b", 1, 70) + wmt24("a", 1, 60, langs="en-de")
    path = folder.write("esa.jsonl", text)
    with pytest.raises(MalformedFileError, match="en-cs, en-de"):
        scores(path)
    assert scores(path, language_pair="en-cs").means() == {"a": 80.0, "b": 70.0}


def segment(number: int, document: str = "d", **systems: object) -> dict[str, object]:
    identifier = f"en-cs_#_news_#_{document}_#_{number}"
    return {"doc_id": identifier, "src_text": "x", "tgt_text": {}, "scores": systems}


A = {"human1": 80, "errors1": [], "annotator1": "u1", "human2": 60, "annotator2": "u2"}
B = {"human1": 40, "annotator1": "u1", "human2": None, "annotator2": "u2"}


@pytest.mark.parametrize("form", ["array.json", "lines.json", "lines.jsonl"])
def test_objects_of_wmt25_pair_in_order_where_they_are_as_many(folder: Folder, form: str) -> None:
    records = [segment(5, a=A, b=None), segment(7, b=B)]
    is_array = form == "array.json"
    text = json.dumps(records) if is_array else "\n".join(map(json.dumps, records))
    human = scores(folder.write(form, text))
    assert human.scores == {"a": (70.0, None), "b": (None, 40.0)}
    assert human.raters == 2


@pytest.mark.parametrize("name", ["y", "news_#_y", "en-cs_#_news_#_y"])
def test_objects_of_wmt25_are_matched_by_document(folder: Folder, name: str) -> None:
    path = folder.write("esa.json", json.dumps([segment(1, "y", a=A, b=B)]))
    human = scores(path, segments=3, documents=["x", name, name])
    assert human.scores == {"a": (None, 70.0, None), "b": (None, 40.0, None)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "item 1"),
        ("[{]", "no valid JSON"),
        ('[{"x": 1}]', "objects with x"),
        (json.dumps([{"doc_id": "d", "scores": {}}]), "'d' as doc_id"),
        (json.dumps([segment(1, a=3)]), "not objects"),
        (json.dumps([segment(1, a={"human1": "good"}, b=B)]), "'good' as human1 of 'a'"),
        (json.dumps([segment(1, a=A, b=B)]), "1 different segments, expected 2"),
        (json.dumps([segment(1, x=A), segment(2, y=B)]), "none of which"),
        ("[]", "a JSON array of objects with nothing"),
    ],
)
def test_broken_objects_are_refused(folder: Folder, text: str, message: str) -> None:
    with pytest.raises(MalformedFileError, match=message):
        scores(folder.write("esa.json", text))
