"""Direct assessment as WMT published it before 2023."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.human.asking import scores
from truebleu.errors import CorpusError, MalformedFileError, MissingColumnError

if TYPE_CHECKING:
    from tests.writing import Folder


SEGMENTS = "SYS SID RAW.SCR Z.SCR N\na.4 1 80 0.5 2\na.4 2 60 -0.5 1\nb 1 70 0.1 1\n"


@pytest.mark.parametrize("name", ["ad-seg-scores-cs-en.csv", "seg.txt", "seg.tsv"])
def test_raw_scores_of_segments_are_read(folder: Folder, name: str) -> None:
    human = scores(folder.write(name, SEGMENTS))
    assert human.scores == {"a": (80.0, 60.0), "b": (70.0, None)}
    assert "format:da|column:RAW.SCR" in human.signature


def test_z_is_the_files_own_column(folder: Folder) -> None:
    human = scores(folder.write("seg.csv", SEGMENTS), raters="z")
    assert human.scores == {"a": (0.5, -0.5), "b": (0.1, None)}
    assert "raters:z" in human.signature


def test_scores_of_systems_are_read(folder: Folder) -> None:
    text = "RAW.SCR Z.SCR N SYS N.ALL\n71.5 0.2 10 a.1 12\n70 0.1 9 b.2 11\n"
    human = scores(folder.write("sys.csv", text))
    assert (human.level, human.scores) == ("system", {"a": (71.5,), "b": (70.0,)})


def test_segments_may_be_called_by_document(folder: Folder) -> None:
    text = "SYS SID RAW.SCR Z.SCR N\na x-0.1_1 80 0 1\na y_1 81 0 1\nb y_2 82 0 1\n"
    human = scores(folder.write("seg.csv", text), segments=3, documents=["x-0.1", "y", "y"])
    assert human.scores == {"a": (80.0, 81.0, None), "b": (None, None, 82.0)}


def test_headers_in_the_middle_and_mixed_white_space_do_not_matter(folder: Folder) -> None:
    header = "SRC TRG HIT N.raw N.z SID SYS RAW.SCR Z.SCR\n"
    text = f"{header}cs en 1 1 1 1 a\t80 0\n{header}cs en  1 1 1 1 b 70 0\n"
    assert scores(folder.write("seg.csv", text)).means() == {"a": 80.0, "b": 70.0}


def test_two_submissions_of_one_name_stay_apart(folder: Folder) -> None:
    text = SEGMENTS + "a.5 1 10 0 1\n"
    with pytest.raises(MalformedFileError, match=r"'a\.4'.*'a\.5'"):
        scores(folder.write("seg.csv", text))


def test_a_short_row_is_refused(folder: Folder) -> None:
    with pytest.raises(MalformedFileError, match="line 5: 3 fields; expected 5"):
        scores(folder.write("seg.csv", SEGMENTS + "b 2 70\n"))


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
        (row("a", 1, 1) + row("b", 1, 101), "line 2: '101' in column 'score'; .*0..100"),
        (row("a", 1, 1) + row("b", 1, "good"), "line 2: 'good' in column 'score'"),
        (row("a", 1, "good") + row("b", 1, 1), "line 1: 'good' in column 'score'"),
        (row("a", 1, 1) + "b,1,2\n", "line 2: 3 fields"),
        (row("a", 1, 1) + row("b", 1, 2).replace("20.5", "late"), "line 2: 'late'"),
        (row("a", 1, 1, kind="BAD"), "only quality control"),
        (row("a", 1, 1) + row("b", 3, 2), "line 2: item 3; .*1 to 2"),
        (row("a", 1, 1) + row("c", 1, 2), "line 2: a judgment of 'c'"),
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
def test_equally_many_wmt25_objects_pair_in_order(folder: Folder, form: str) -> None:
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
        ("[1]", "the keys text"),
        ("[{]", "invalid JSON"),
        ('[{"x": 1}]', "the keys x; expected system, segment and score"),
        (json.dumps([{"doc_id": "d", "scores": {}}]), "'d' in row 1 in key 'doc_id'"),
        (json.dumps([segment(1, a=3)]), "not objects"),
        (json.dumps([segment(1, a={"human1": "good"}, b=B)]), "'good' in row 1 in key 'a.human1'"),
        (json.dumps([segment(1, a=A, b=B)]), "1 different segments; expected 2"),
        (json.dumps([segment(1, x=A), segment(2, y=B)]), "not of systems of the test set"),
    ],
)
def test_broken_objects_are_refused(folder: Folder, text: str, message: str) -> None:
    with pytest.raises(MalformedFileError, match=message):
        scores(folder.write("esa.json", text))
