"""Tables of scores by any tool, and scores in memory."""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from truebleu.errors import (
    CorpusError,
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    SettingError,
    UnpairedSegmentsError,
    UnreadableFileError,
)
from truebleu.scores.given import read_segment_scores, scores_in_memory

if TYPE_CHECKING:
    from tests.writing import Folder

TOOL_SCORES = "system\tsegment\tscore\na\t1\t0.5\nb\t2\t4\na\t2\t-1e-1\nb\t1\t3\n"
WIDE = "a\tb\n0.5\t3\n-0.1\t4\n"
EXPECTED = {"a": [0.5, -0.1], "b": [3.0, 4.0]}


def of(path: str, system: str = "a", segments: int = 2, **settings: Any) -> list[float | None]:
    return read_segment_scores(path, **settings).of(system, segments)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.tsv", TOOL_SCORES),
        ("s.tsv", TOOL_SCORES.replace("\n", "\r\n")),
        ("s.txt", TOOL_SCORES),
        ("s.tsv", "# a comment\n# another\n" + TOOL_SCORES),
        ("s.csv", TOOL_SCORES.replace("\t", ",")),
        ("s.tsv", TOOL_SCORES.replace("system\tsegment", "SYS\tseg_id")),
        ("s.tsv", TOOL_SCORES.partition("\n")[2]),
        ("s.tsv", "\ufeff" + TOOL_SCORES.partition("\n")[2].replace("\n", "\r\n")),
        ("s.seg.score", "a 0.5\na  -0.1\nb\t3\nb 4\n".replace("\t", " ")),
        ("s.seg.score", "a\t0.5\nb\t3\na\t-0.1\nb\t4\n"),
        ("s.tsv", WIDE),
        ("s.csv", WIDE.replace("\t", ",")),
        ("s.tsv", "segment\tb\ta\n2\t4\t-0.1\n1\t3\t0.5\n"),
        ("s.tsv", "doc\ta\tsource\tb\nd\t0.5\tein Text\t3\nd\t-0.1\tmehr Text\t4\n"),
        ("s.jsonl", '{"a": 0.5, "b": 3}\n{"b": "4", "a": -0.1}\n'),
        (
            "s.jsonl",
            '{"system": "a", "segment": 1, "score": 0.5}\n'
            '{"system": "b", "segment": 1, "score": 3}\n'
            '{"system": "b", "segment": 2, "score": 4}\n'
            '{"system": "a", "segment": 2.0, "score": -0.1}\n',
        ),
    ],
)
def test_every_layout_gives_the_same_scores(folder: Folder, name: str, content: str) -> None:
    for file in (content.encode(), gzip.compress(content.encode())):
        scores = read_segment_scores(folder.write(name, file))
        assert {system: scores.of(system, 2) for system in "ab"} == EXPECTED


def test_scores_are_read_from_parquet(folder: Folder) -> None:
    buffer = io.BytesIO()
    table = pyarrow.table({"a": [0.5, None], "b": [3, 4]})
    pyarrow.parquet.write_table(table, buffer)
    path = folder.write("s.parquet", buffer.getvalue())
    assert of(path) == [0.5, None]
    assert of(path, "b") == [3.0, 4.0]


def test_the_digest_hashes_the_contents(folder: Folder) -> None:
    plain = read_segment_scores(folder.write("s.tsv", TOOL_SCORES))
    packed = read_segment_scores(folder.write("s.tsv.gz", gzip.compress(TOOL_SCORES.encode())))
    other = read_segment_scores(folder.write("t.tsv", TOOL_SCORES.replace("0.5", "0.6")))
    assert plain.digest == packed.digest != other.digest
    assert len(plain.digest) == 12


@pytest.mark.parametrize("nothing", ["None", "", "NA", "n/a", "null"])
def test_missing_scores_are_none(folder: Folder, nothing: str) -> None:
    assert of(folder.write("s.tsv", f"system\tsegment\tscore\na\t1\t{nothing}\na\t2\t1\n")) == [
        None,
        1.0,
    ]
    assert of(folder.write("s.tsv", "system\tsegment\tscore\na\t2\t1\n")) == [None, 1.0]


def test_a_file_without_header_may_start_with_a_missing_score(folder: Folder) -> None:
    assert of(folder.write("s.score", "a None\na 1\n")) == [None, 1.0]
    assert of(folder.write("s.tsv", "a\t1\tNone\na\t2\t1\n")) == [None, 1.0]


def test_systems_may_have_numbers_for_names(folder: Folder) -> None:
    path = folder.write("s.tsv", "1\t2\t3\n0.1\t0.2\t0.3\n0.4\t0.5\t0.6\n")
    assert of(path, "2") == [0.2, 0.5]


def test_a_negative_zero_is_zero(folder: Folder) -> None:
    zero = of(folder.write("s.tsv", "a\n-0.000000\n"), segments=1)[0]
    (given,) = scores_in_memory({"a": [-0.0]}).of("a", 1)
    assert (str(zero), str(given)) == ("0.0", "0.0")


def test_raters_are_averaged_segment_by_segment(folder: Folder) -> None:
    content = (
        "system\tsegment\trater\tscore\n"
        "a\t1\tx\t1\na\t1\ty\t2\na\t1\tz\tNone\n"
        "a\t2\tx\t4\nb\t1\tx\t5\nb\t2\tq\t3\nb\t2\ty\t5\n"
    )
    path = folder.write("s.tsv", content)
    scores = read_segment_scores(path)
    assert scores.raters == 4
    assert scores.of("a", 2) == [1.5, 4.0]
    assert scores.of("b", 2) == [5.0, 4.0]


def test_columns_can_be_chosen_and_added(folder: Folder) -> None:
    content = "system\tsegment\tfluency\tadequacy\na\t1\t3\t4\na\t2\t1\tNone\n"
    path = folder.write("s.tsv", content)
    assert of(path, column="fluency") == [3.0, 1.0]
    # Zhang & Vogel (2004), section 2.4: the sum of fluency and adequacy.
    assert of(path, column="fluency+adequacy") == [7.0, None]
    with pytest.raises(MalformedFileError, match="choose it with column=fluency"):
        of(path)
    with pytest.raises(MissingColumnError, match="no column 'x'; it has system"):
        of(path, column="fluency+x")


def test_segments_may_be_counted_from_zero(folder: Folder) -> None:
    path = folder.write("s.tsv", "system\tsegment\tscore\na\t0\t5\na\t1\t6\n")
    assert of(path) == [5.0, 6.0]
    with pytest.raises(
        MalformedFileError, match="line 3: segment 1; expected a segment from 0 to 0"
    ):
        of(path, segments=1)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a\t1\tgood", "line 3: score 'good'; expected a number, or None"),
        ("a\t1\tnan", "line 3: score 'nan'; expected a finite number"),
        ("a\t1\t-inf", "line 3: score '-inf'; expected a finite number"),
        ("a\t1\t1_0", "line 3: score '1_0'; expected a number"),
        ("a\t3\t1", "line 3: segment 3; expected a segment from 1 to 2"),
        ("a\tx\t1", "line 3: segment x; expected a segment from 1 to 2"),
        ("a\t1.5\t1", "line 3: segment 1.5"),
        ("a\t2\t1", "line 3: item 2 of a again; expected each item once; it is also on line 2"),
        ("a\t1", "line 3: 2 fields; expected 3 fields, as in the header"),
    ],
)
def test_malformed_tables_are_rejected_with_their_line(
    folder: Folder, row: str, message: str
) -> None:
    path = folder.write("s.tsv", f"system\tsegment\tscore\na\t2\t1\n{row}\n")
    with pytest.raises(MalformedFileError) as refusal:
        read_segment_scores(path).of("a", 2)
    assert str(refusal.value).startswith(f"{path}: {message}")


def test_two_scores_of_one_rater_name_both_lines(folder: Folder) -> None:
    content = "system\tsegment\trater\tscore\na\t1\tx\t1\na\t1\ty\t1\na\t1\tx\t1\n"
    with pytest.raises(MalformedFileError) as refusal:
        of(folder.write("s.tsv", content))
    assert "line 4: item 1 (x) of a again" in str(refusal.value)
    assert "on line 2" in str(refusal.value)


def test_lines_are_right_without_a_header_too(folder: Folder) -> None:
    with pytest.raises(MalformedFileError, match="line 2: score 'bad'"):
        of(folder.write("s.tsv", "a\t1\t1\na\t2\tbad\n"))
    with pytest.raises(
        MalformedFileError, match="line 2: 0 fields; expected 2 fields, as on line 1"
    ):
        of(folder.write("s.score", "a 1\n\n"))


def test_lines_are_right_below_comments_too(folder: Folder) -> None:
    with pytest.raises(MalformedFileError, match="line 4: a 'bad'"):
        of(folder.write("s.tsv", "# comment\na\n1\nbad\n"))
    with pytest.raises(EmptyTextError):
        of(folder.write("s.tsv", "# comment\n"))


def test_other_systems_do_not_matter(folder: Folder) -> None:
    path = folder.write("s.tsv", TOOL_SCORES + "c\t999\tbad\n")
    assert of(path) == EXPECTED["a"]
    with pytest.raises(MissingColumnError, match="no system 'd'; it has a, b, c"):
        of(path, "d")


@pytest.mark.parametrize("content", [WIDE, "a 1\na 2\n"])
def test_scores_in_order_must_be_as_many_as_segments(folder: Folder, content: str) -> None:
    path = folder.write("s.tsv", content)
    with pytest.raises(UnpairedSegmentsError) as refusal:
        of(path, segments=3)
    assert refusal.value.args == (f"{path}: scores of 'a'", 2, "the test set", 3)


@pytest.mark.parametrize(
    ("name", "content", "settings", "error"),
    [
        ("s.tsv", "", {}, EmptyTextError),
        ("s.tsv", "a\tb\n", {}, EmptyTextError),
        ("s.jsonl", "[1]\n", {}, MalformedFileError),
        ("s.tsv", "system\tsegment\na\t1\n", {}, MalformedFileError),
        ("s.tsv", "system\trater\tscore\na\tx\t1\n", {}, MalformedFileError),
        ("s.tsv", WIDE, {"column": "a"}, SettingError),
    ],
)
def test_a_table_that_is_none_of_scores_is_refused(
    folder: Folder, name: str, content: str, settings: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        read_segment_scores(folder.write(name, content), **settings)


def test_a_file_must_exist(folder: Folder) -> None:
    with pytest.raises(UnreadableFileError, match="no such file"):
        read_segment_scores(str(folder.path / "none.tsv"))


def test_scores_in_memory_may_be_lists_or_arrays() -> None:
    values: dict[str, Any] = {
        "a": [1, None, float("nan"), True],
        "b": np.array([0.5, np.nan, 2, 3], np.float32),
    }
    scores = scores_in_memory(values)
    assert scores.of("a", 4) == [1.0, None, None, 1.0]
    assert scores.of("b", 4) == [0.5, None, 2.0, 3.0]
    assert scores_in_memory({"a": [1.0]}).digest != scores_in_memory({"a": [2.0]}).digest
    assert scores_in_memory({"a": [1]}) == scores_in_memory({"a": (1.0,)})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, float("inf")], "scores of 'a': segment 2: inf; expected a finite number"),
        ([1.0, "good"], "scores of 'a': segment 2: 'good'; expected a number"),
        ([1.0, [2.0]], "scores of 'a': segment 2: [2.0]; expected a number"),
        (np.ones((2, 2)), "scores of 'a': segment 1: array([1., 1.]); expected a number"),
        ("12", "scores of 'a': '12'; expected a list"),
        (3, "scores of 'a': 3; expected a list"),
        ([1.0], "scores: scores of 'a': 1 segments, but the test set has 2"),
    ],
)
def test_scores_in_memory_are_checked_by_segment(values: Any, message: str) -> None:
    with pytest.raises((SettingError, CorpusError)) as refusal:
        scores_in_memory({"a": values}).of("a", 2)
    assert str(refusal.value).startswith(message)


def test_scores_of_no_system_are_refused() -> None:
    with pytest.raises(SettingError):
        scores_in_memory({})
    with pytest.raises(MissingColumnError, match="no system 'b'; it has a"):
        scores_in_memory({"a": [1]}).of("b", 1)


def test_judgments_in_words_are_numbers(folder: Folder) -> None:
    words = ["true", "Correct", "right", "yes", "FALSE", "wrong", "incorrect", "no"]
    path = folder.write("s.tsv", "\n".join(["a", *words]) + "\n")
    assert of(path, segments=8) == [1.0] * 4 + [0.0] * 4
    assert of(folder.write("s.jsonl", '{"a": true}\n{"a": false}\n')) == [1.0, 0.0]
