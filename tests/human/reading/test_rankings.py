"""Which of two outputs is better: words and signs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.human.asking import judgments, tsv
from truebleu.errors import CorpusError, MalformedFileError, SettingError
from truebleu.human import Judgment

if TYPE_CHECKING:
    from tests.writing import Folder


@pytest.mark.parametrize(
    ("better", "tied", "worse"),
    [
        ("better", "tied", "worse"),
        ("Win", "Tie", "Loss"),
        (">", "=", "<"),
        ("1", "0", "-1"),
        ("left", "same", "right"),
        ("a", "draw", "b"),
    ],
)
def test_judgments_are_words_signs_numbers_or_names(
    folder: Folder, better: str, tied: str, worse: str
) -> None:
    rows = (f"1 a b {better}", f"2 a b {worse}", f"2 a c {tied}", "1 b c None")
    path = folder.write("h.tsv", tsv("segment system1 system2 judgment", *rows))
    human = judgments(path)
    assert human.judgments == (
        Judgment(0, "a", "b", 1),
        Judgment(1, "a", "b", -1),
        Judgment(1, "a", "c", 0),
    )
    assert human.systems == ("a", "b", "c")
    assert human.raters == 1


def test_json_lines_with_raters_are_read(folder: Folder) -> None:
    rows = [
        {"segment": 2, "left": "b", "right": "a", "verdict": 1, "rater": "r1"},
        {"segment": 2, "left": "b", "right": "a", "verdict": -1, "rater": "r2"},
    ]
    human = judgments(folder.write("h.jsonl", "\n".join(map(json.dumps, rows))))
    assert human.judgments == (Judgment(1, "b", "a", 1, "r1"), Judgment(1, "b", "a", -1, "r2"))
    assert (human.raters, human.systems) == (2, ("a", "b"))


def test_other_systems_are_refused_or_ignored(folder: Folder) -> None:
    rows = ("1 a b >", "1 a x >")
    path = folder.write("h.tsv", tsv("segment system1 system2 judgment", *rows))
    with pytest.raises(MalformedFileError, match="line 3: a judgment of 'x'"):
        judgments(path)
    human = judgments(path, others="ignore")
    assert (len(human.judgments), human.ignored) == (1, ("x",))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ("1 a b >", "1 b a <"),
            "line 3: a second comparison of 'a', 'b'.*line 2; .*'rater'",
        ),
        (("1 a a >",), "line 2: 'a' compared with itself"),
        (("1 a b fine",), "line 2: 'fine' in column 'judgment'; expected better, worse"),
        (("3 a b >",), "line 2: segment 3; .*1 to 2"),
        (("1 x y >",), "line 2: .*not of systems of the test set"),
        (("1 a b None",), "no comparison"),
    ],
)
def test_broken_judgments_are_refused(folder: Folder, rows: tuple[str, ...], message: str) -> None:
    path = folder.write("h.tsv", tsv("segment system1 system2 judgment", *rows))
    with pytest.raises(CorpusError, match=message):
        judgments(path)


def test_judgments_without_segments_are_refused(folder: Folder) -> None:
    path = folder.write("h.tsv", tsv("system1 system2 judgment", "a b >"))
    with pytest.raises(MalformedFileError, match="a column 'segment'"):
        judgments(path)


def test_comparisons_have_no_z_scores(folder: Folder) -> None:
    path = folder.write("h.tsv", tsv("segment system1 system2 judgment", "1 a b >"))
    with pytest.raises(SettingError, match="have no scale"):
        judgments(path, raters="z")


def test_comparisons_of_several_language_pairs_are_never_mixed(folder: Folder) -> None:
    header = "src_lang tgt_lang segment system1 system2 judgment"
    path = folder.write("h.tsv", tsv(header, "en de 1 a b better", "en cs 2 a b worse"))
    with pytest.raises(MalformedFileError, match="2 language pairs, en-cs, en-de"):
        judgments(path)
    assert judgments(path, language_pair="en-cs").judgments == (Judgment(1, "a", "b", -1),)
