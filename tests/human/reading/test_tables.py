"""Tables of human scores: layouts, columns, words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.human.asking import scores, tsv
from truebleu.errors import CorpusError, MalformedFileError, MissingColumnError, SettingError

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
    with pytest.raises(MalformedFileError, match="line 5: 'good'"):
        scores(path, language_pair="en-cs")


def test_json_lines_that_start_with_a_blank_line_say_so(folder: Folder) -> None:
    path = folder.write("h.jsonl", '\n{"system": "a", "segment": 1, "score": 3}\n')
    with pytest.raises(MalformedFileError, match="line 1: a blank line"):
        scores(path)


def test_a_long_table_has_one_score_per_system_and_segment(folder: Folder) -> None:
    human = scores(folder.write("h.tsv", LONG))
    assert human.scores == {"a": (3.0, None), "b": (4.5, 0.0)}
    assert (human.level, human.raters, human.higher_is_better) == ("segment", 1, True)
    assert human.means() == {"a": 3.0, "b": 2.25}


def test_minus_zero_is_zero(folder: Folder) -> None:
    human = scores(folder.write("h.tsv", LONG))
    assert str(human.scores["b"][1]) == "0.0"


def test_systems_are_in_the_order_of_the_test_set(folder: Folder) -> None:
    human = scores(folder.write("h.tsv", LONG), systems=("c", "b", "a"))
    assert human.systems == ("b", "a")


def test_one_score_per_system_is_the_system_level(folder: Folder) -> None:
    human = scores(folder.write("h.tsv", tsv("system human", "b 71.5", "a 70")))
    assert human.level == "system"
    assert human.scores == {"a": (70.0,), "b": (71.5,)}


def test_raters_of_systems_are_averaged(folder: Folder) -> None:
    rows = ("b r1 3", "a r1 1", "b r2 4", "a r2 2")
    human = scores(folder.write("h.tsv", tsv("system rater score", *rows)))
    assert human.scores == {"a": (1.5,), "b": (3.5,)}
    assert human.raters == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            tsv("system segment score", "x 1 3", "y 1 4"),
            "line 2: .*not of systems of the test set.*'a', 'b'",
        ),
        (tsv("system segment score", "a 1 3", "a 2 4"), "scores of 'a' only.*at least two"),
        (tsv("system segment score", "a 1 3", "b 3 4"), "line 3: segment 3; .*1 to 2"),
        (tsv("system segment score", "a 0 3", "b 2 4"), "line 3: segment 2; .*0 to 1"),
        (tsv("system segment score", "a 1 3", "b x 4"), "line 3: .*'x'.*whole number"),
        (tsv("system segment score", "a 1 3", "b 1.5 4"), "line 3: .*'1.5'.*whole number"),
        (tsv("system segment score", "a 1 3", "b 1 good"), "line 3: .*'good'.*a number"),
        (tsv("system segment score", "a 1 3", "b 1 nan"), "line 3: .*'nan'.*finite"),
        (tsv("system segment score", "a 1 3", "b 1 1e999"), "line 3: .*'1e999'.*finite"),
        (tsv("system segment score", "a 1 3", "b 1 1e300"), "line 3: .*1e300"),
        (
            tsv("system segment score", "a 1 3", "b 1 2", "b 1 4"),
            "line 4: a second score of 'b' for segment 1; .*line 3; .*column 'rater'",
        ),
        (
            tsv("system segment rater score", "a 1 r 3", "b 1 r 2", "b 1 r 4"),
            "line 4: a second score of 'b' for segment 1 by rater 'r'",
        ),
        (tsv("system score", "a 3", "b 1", "b 4"), "1 score of 'a'.*2 of another.*'segment'"),
        (tsv("system score", *["a 3"] * 3, *["b 1"] * 3), "3 scores of 'a'.*1 .one per system"),
        (tsv("system segment score", "a 1 None", "b 1 None"), "no score"),
        (
            tsv("name place value", "a 1 3", "b 1 2"),
            "name, place, value.*system and score",
        ),
        ("", "no segments"),
        ("system\tsegment\tscore\n", "no segments"),
    ],
)
def test_judgments_that_do_not_fit_are_rejected_with_line_and_remedy(
    folder: Folder, content: str, message: str
) -> None:
    path = folder.write("h.tsv", content)
    with pytest.raises(CorpusError, match=message) as caught:
        scores(path)
    assert str(caught.value).startswith(path)


@pytest.mark.parametrize(
    "choices",
    [
        {"systems": ["a"]},
        {"systems": "ab"},
        {"systems": ["a", "a"]},
        {"segments": 0},
        {"documents": ["x"]},
        {"format": "xml"},
        {"raters": "median"},
        {"others": "keep"},
        {"match": "luck"},
        {"match": "documents"},
        {"first_segment": 2},
    ],
)
def test_impossible_choices_are_refused(folder: Folder, choices: dict[str, object]) -> None:
    path = folder.write("h.tsv", LONG)
    with pytest.raises((SettingError, CorpusError)):
        scores(path, **choices)  # type: ignore[arg-type]


def test_a_file_that_is_not_there_is_refused(folder: Folder) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        scores(str(folder.path / "nothing.tsv"))


@pytest.mark.parametrize(
    ("name", "content", "choices", "message"),
    [
        ("h.tsv", LONG, {"weights": "wmt24"}, "weights: .*no marked errors"),
        ("h.tsv", LONG, {"language_pair": "en-de"}, "language_pair: .*has no column for it"),
        ("h.seg.score", "a 1\na 2\nb 3\nb 4\n", {"language_pair": "en-de"}, "has no column for it"),
        ("h.seg.score", "a 1\na 2\nb 3\nb 4\n", {"column": "score"}, "column: .*the format of"),
        ("h.seg.score", "a 1\na 2\nb 3\nb 4\n", {"first_segment": 0}, "no segment numbers"),
        ("h.tsv", "system\tscore\na\t1\nb\t2\n", {"match": "numbers"}, "no segment numbers"),
    ],
)
def test_choices_that_would_change_nothing_are_refused(
    folder: Folder, name: str, content: str, choices: dict[str, Any], message: str
) -> None:
    path = folder.write(name, content)
    assert scores(path).systems == ("a", "b")
    with pytest.raises(SettingError, match=message):
        scores(path, **choices)
