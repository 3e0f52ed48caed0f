"""Which of two outputs is better: words, signs and WMT's rankings."""

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


WMT_HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,"
    "system2Id,system3Number,system3Id,system1rank,system2rank,system3rank\n"
)


def test_a_ranking_is_all_its_pairs_and_the_lower_rank_wins(folder: Folder) -> None:
    text = WMT_HEADER + "cze,eng,2,-1,2,j1,-1,a,-1,b,-1,c,1,3,3\n"
    human = judgments(folder.write("ranks.csv", text))
    assert human.judgments == (
        Judgment(1, "a", "b", 1, "j1"),
        Judgment(1, "a", "c", 1, "j1"),
        Judgment(1, "b", "c", 0, "j1"),
    )
    assert "form:ranks" in human.signature


def test_outputs_without_rank_are_left_out_and_joined_outputs_are_split(folder: Folder) -> None:
    text = WMT_HEADER + "cze,eng,1,-1,1,j1,-1,a+c,-1,b,-1,x,2,1,-1\n"
    human = judgments(folder.write("ranks.csv", text))
    assert human.judgments == (
        Judgment(0, "a", "c", 0, "j1"),
        Judgment(0, "a", "b", -1, "j1"),
        Judgment(0, "c", "b", -1, "j1"),
    )


def test_an_annotator_may_rank_twice_in_rankings_of_wmt(folder: Folder) -> None:
    text = WMT_HEADER + "cze,eng,1,-1,1,j1,-1,a,-1,b,-1,c,1,2,3\n" * 2
    assert len(judgments(folder.write("ranks.csv", text)).judgments) == 6


def test_segments_of_rankings_are_matched_by_document(folder: Folder) -> None:
    text = WMT_HEADER + "cze,eng,77,doc2,1,j1,-1,a,-1,b,-1,c,1,2,-1\n"
    human = judgments(folder.write("ranks.csv", text), documents=["doc1", "doc2"])
    assert human.judgments == (Judgment(1, "a", "b", 1, "j1"),)


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


def test_ranks_that_are_text_are_refused(folder: Folder) -> None:
    text = WMT_HEADER + "cze,eng,1,-1,1,j1,-1,a,-1,b,-1,c,1,first,3\n"
    with pytest.raises(MalformedFileError, match="line 2: 'first' in column 'system2rank'"):
        judgments(folder.write("ranks.csv", text))


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


def test_rankings_have_no_column_to_choose(folder: Folder) -> None:
    path = folder.write("r.csv", WMT_HEADER + "cze,eng,1,-1,1,j1,-1,a,-1,b,-1,c,1,2,3\n")
    with pytest.raises(SettingError, match="system1rank, system2rank, system3rank"):
        judgments(path, column="srcIndex")
