"""Exports of Appraise: quality control, repeated judgments and the numbers of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.human.asking import scores
from truebleu.errors import CorpusError, MalformedFileError, MissingColumnError

if TYPE_CHECKING:
    from tests.writing import Folder


def row(
    system: str,
    item: int,
    score: object,
    *,
    user: str = "u1",
    kind: str = "TGT",
    document: str | None = "d",
    whole: bool = False,
    end: float = 20.5,
    spans: bool = False,
    target: str = "ces",
) -> str:
    fields: list[Any] = [user, system, item, kind, "eng", target, score]
    if document is not None:
        fields += [document, whole]
    if spans:
        fields.append('"[{""start_i"": ""missing"", ""end_i"": 2, ""severity"": ""minor""}]"')
    return ",".join(map(str, [*fields, 10.0, end])) + "\n"


def test_quality_control_and_scores_of_documents_are_left_out(folder: Folder) -> None:
    text = "".join(
        (
            row("a", 1, 80),
            row("b", 1, 60),
            row("a", 2, 3, kind="BAD"),
            row("a", 2, 4, document="d#bad"),
            row("a", 2, 5, document="d#dup"),
            row("a", 2, 6, document="d#incomplete"),
            row("a", 2, 7, document="en_tutorial_1"),
            row("a", 1, 8, whole=True),
        )
    )
    human = scores(folder.write("da.csv", text))
    assert human.scores == {"a": (80.0, None), "b": (60.0, None)}
    assert "format:da" in human.signature


def test_the_latest_judgment_of_a_user_counts_and_users_are_averaged(folder: Folder) -> None:
    text = "".join(
        (
            row("a", 1, 50, end=30),
            row("a", 1, 10, end=20),
            row("a", 1, 70, user="u2"),
            row("b", 1, 60),
        )
    )
    human = scores(folder.write("da.csv", text))
    assert human.scores["a"] == (60.0, None)
    assert human.raters == 2


@pytest.mark.parametrize(
    ("form", "name"),
    [({"document": None}, "da"), ({}, "da"), ({"spans": True}, "esa")],
)
def test_all_three_forms_are_read(folder: Folder, form: dict[str, Any], name: str) -> None:
    text = row("a", 1, 80, **form) + row("b", 2, "70.5", **form)
    path = folder.write("export.csv", text)
    human = scores(path, format=name)
    assert human.scores == {"a": (80.0, None), "b": (None, 70.5)}
    assert f"format:{name}" in human.signature
    assert scores(path).scores == human.scores


def test_items_that_start_again_in_each_document_need_the_documents(folder: Folder) -> None:
    text = row("a", 0, 1, document="x") + row("b", 0, 2, document="y") + row("a", 1, 3)
    path = folder.write("da.csv", text.replace(",d,", ",y,"))
    human = scores(path, segments=3, documents=["x", "y", "y"])
    assert human.scores == {"a": (1.0, None, 3.0), "b": (None, 2.0, None)}
    with pytest.raises(MalformedFileError, match=r"line 2: .*give the documents"):
        scores(path, segments=3)


def test_documents_tell_whether_items_count_the_canary_line(folder: Folder) -> None:
    # With a canary as the first line, item 1 is the second segment.
    text = "".join(row(s, i, 10 * i, document=d) for s in "ab" for i, d in ((1, "x"), (2, "y")))
    path = folder.write("esa.csv", text)
    with_canary = scores(path, segments=3, documents=["canary", "x", "y"])
    assert with_canary.scores["a"] == (None, 10.0, 20.0)
    assert scores(path, segments=2, documents=["x", "y"]).scores["a"] == (10.0, 20.0)
    other = scores(path, segments=3, documents=["first", "x", "y"])
    assert other.scores["a"] == (None, 10.0, 20.0)


def test_one_language_pair_must_be_chosen(folder: Folder) -> None:
    path = folder.write("da.csv", row("a", 1, 1) + row("b", 1, 2) + row("a", 1, 3, target="deu"))
    with pytest.raises(MalformedFileError, match=r"eng-ces, eng-deu.*language_pair"):
        scores(path)
    assert scores(path, language_pair="eng-ces").scores == {"a": (1.0, None), "b": (2.0, None)}
    with pytest.raises(MissingColumnError, match="eng-fra"):
        scores(path, language_pair="eng-fra")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (row("a", 1, 1) + row("b", 1, 101), "line 2: found '101' as score, .*0 to 100"),
        (row("a", 1, 1) + row("b", 1, "good"), "line 2: found 'good' as score"),
        (row("a", 1, "good") + row("b", 1, 1), "line 1: found 'good' as score"),
        (row("a", 1, 1) + "b,1,2\n", "line 2: found 3 fields"),
        (row("a", 1, 1) + row("b", 1, 2).replace("20.5", "late"), "line 2: found 'late'"),
        (row("a", 1, 1, kind="BAD"), "no judgment of a segment"),
        (row("a", 1, 1) + row("b", 3, 2), "line 2: found item 3, .*1 to 2"),
        (row("a", 1, 1) + row("c", 1, 2), "line 2: found a judgment of 'c'"),
    ],
)
def test_broken_exports_are_refused(folder: Folder, text: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        scores(folder.write("da.csv", text))


def test_a_format_that_a_file_is_not_of_is_refused_with_its_looks(folder: Folder) -> None:
    path = folder.write("h.tsv", "system\tsegment\tscore\na\t1\t2\nb\t1\t3\n")
    with pytest.raises(MalformedFileError, match=r"a table of scores.*12 fields"):
        scores(path, format="esa")
    with pytest.raises(MalformedFileError, match=r"RAW\.SCR"):
        scores(path, format="da")
    with pytest.raises(MalformedFileError, match="MQM annotations with a column 'category'"):
        scores(path, format="mqm")
    with pytest.raises(MalformedFileError, match="system1, system2 and judgment"):
        scores(path, format="rankings")
