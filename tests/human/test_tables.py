"""Tables of human scores: layouts, columns, words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.human.asking import scores, tsv
from truebleu.errors import (
    MalformedFileError,
    MissingColumnError,
)
from truebleu.human._score_table import read_scores
from truebleu.human._tables import Scale

if TYPE_CHECKING:
    from tests.writing import Folder


LONG = tsv("system segment score", "a 1 3", "a 2 None", "b 2 -0.000000", "b 1 4.5")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("h.csv", LONG.replace("\t", ",")),
        ("h.txt", LONG),
        ("h", "".join(LONG.splitlines(keepends=True)[1:])),
        (
            "h.jsonl",
            "\n".join(
                json.dumps({"system": s, "segment": i, "score": x})
                for s, i, x in (("a", 1, 3), ("a", 2, None), ("b", 2, 0), ("b", 1, 4.5))
            ),
        ),
        ("wide.tsv", tsv("segment a b", "2 None 0", "1 3 4.5")),
        ("wide-in-order.csv", "a,b\n3,4.5\n,0\n"),
        ("rows.score.tsv", tsv("system score", "a 3", "b 4.5", "a None", "b 0")),
        ("h.avg_seg_scores.tsv", "system mqm seg_id\na\t3 1\na\tNone 2\nb\t4.5 1\nb\t0 2\n"),
    ],
)
def test_other_layouts_hold_the_same_scores(folder: Folder, name: str, content: str) -> None:
    human = scores(folder.write(name, content))
    assert human.scores == {"a": (3.0, None), "b": (4.5, 0.0)}
    assert human.level == "segment"


def test_comments_above_the_header_do_not_matter(folder: Folder) -> None:
    human = scores(folder.write("h.tsv", "# made by us\n" + LONG))
    assert human.scores == {"a": (3.0, None), "b": (4.5, 0.0)}


def test_the_column_can_be_chosen(folder: Folder) -> None:
    text = tsv("system segment fluency adequacy", "a 1 3 5", "b 1 2 1")
    path = folder.write("h.tsv", text)
    assert scores(path, column="fluency").scores["a"] == (3.0, None)
    assert scores(path, column="fluency+adequacy").scores["a"] == (8.0, None)
    with pytest.raises(MalformedFileError, match="fluency, adequacy"):
        scores(path)
    with pytest.raises(MissingColumnError, match="'style'"):
        scores(path, column="style")


def test_a_column_called_score_wins(folder: Folder) -> None:
    text = tsv("system segment length score", "a 1 3 5", "b 1 2 1")
    assert scores(folder.write("h.tsv", text)).scores["a"] == (5.0, None)


LANGUAGES = tsv(
    "lp system segment rater score",
    "en-de a 1 x 1",
    "en-de b 1 x 2",
    "en-cs a 1 y 30",
    "en-cs b 1 y 50",
)


def test_judgments_of_several_language_pairs_are_never_averaged(folder: Folder) -> None:
    path = folder.write("h.tsv", LANGUAGES)
    with pytest.raises(MalformedFileError, match=r"2 language pairs, en-cs, en-de.*language-pair"):
        scores(path)
    assert scores(path, language_pair="en-cs").scores == {"a": (30.0, None), "b": (50.0, None)}


def test_rows_of_a_language_pair_keep_their_lines(folder: Folder) -> None:
    path = folder.write("h.tsv", LANGUAGES.replace("50", "good"))
    assert scores(path, language_pair="en-de").scores == {"a": (1.0, None), "b": (2.0, None)}
    with pytest.raises(MalformedFileError, match="line 5: found 'good'"):
        scores(path, language_pair="en-cs")


def test_json_lines_that_start_with_a_blank_line_say_so(folder: Folder) -> None:
    path = folder.write("h.jsonl", '\n{"system": "a", "segment": 1, "score": 3}\n')
    with pytest.raises(MalformedFileError, match="line 1: found a blank line"):
        scores(path)


def of(path: str, system: str = "a", segments: int = 2, **settings: Any) -> list[float | None]:
    return read_scores(path, **settings).of(system, segments, Scale())


def test_judgments_in_words_are_numbers(folder: Folder) -> None:
    words = ["true", "Correct", "right", "yes", "FALSE", "wrong", "incorrect", "no"]
    path = folder.write("s.tsv", "\n".join(["a", *words]) + "\n")
    assert of(path, segments=8) == [1.0] * 4 + [0.0] * 4
    assert of(folder.write("s.jsonl", '{"a": true}\n{"a": false}\n')) == [1.0, 0.0]
