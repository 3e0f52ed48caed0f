"""Judgments find their segments: by number, by document, in order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.human.asking import scores, tsv
from truebleu.corpus import as_test_set
from truebleu.counts.counting import count_texts
from truebleu.errors import MalformedFileError, SettingError
from truebleu.human import HumanScores, read_human

if TYPE_CHECKING:
    from tests.writing import Folder


LONG = tsv("system segment score", "a 1 3", "a 2 None", "b 2 -0.000000", "b 1 4.5")


def test_numbers_start_at_0_where_a_0_occurs(folder: Folder) -> None:
    path = folder.write("h.tsv", tsv("system segment score", "a 0 1", "b 0 2", "b 1 3"))
    human = scores(path)
    assert human.scores == {"a": (1.0, None), "b": (2.0, 3.0)}
    assert human.notes == (f"the segments of {path} are counted from 0",)
    assert scores(path, first_segment=0).notes == ()


def test_the_first_number_can_be_given(folder: Folder) -> None:
    path = folder.write("h.tsv", tsv("system segment score", "a 1 1", "b 1 2"))
    assert scores(path, first_segment=0).scores == {"a": (None, 1.0), "b": (None, 2.0)}


def test_the_first_segment_number_is_detected(folder: Folder) -> None:
    path = folder.write("h.tsv", tsv("system segment score", "a 2 1", "b 2 2"))
    with pytest.raises(MalformedFileError, match=r"line 2: segment 2 .*first_segment=0 or 1"):
        scores(path, segments=3)
    assert scores(path, segments=3, first_segment=0).scores["a"] == (None, None, 1.0)
    # The last of two can only be counted from 1.
    assert scores(path, segments=2).scores["a"] == (None, 1.0)


def test_a_part_that_has_a_1_says_that_it_is_counted_from_1(folder: Folder) -> None:
    path = folder.write("h.tsv", tsv("system segment score", "a 1 1", "b 1 2", "b 2 2"))
    assert scores(path, segments=3).notes == (f"the segments of {path} are counted from 1",)
    # Only one way fits, as they are all there.
    assert scores(path, segments=2).notes == ()


def test_outputs_that_a_file_quotes_tell_where_counting_begins(folder: Folder) -> None:
    rows = ("a 1 <v>y</v> 1", "b 1 v 2", "a 2 z 3", "b 2 w 4")
    path = folder.write("h.tsv", tsv("system segment target score", *rows))
    outputs = {"a": ["x", "y", "z"], "b": ["u", "v", "w"]}
    human = read_human(path, as_test_set(outputs, ["r"] * 3))
    assert isinstance(human, HumanScores)
    assert human.scores == {"a": (None, 1.0, 3.0), "b": (None, 2.0, 4.0)}
    # Without the outputs, a 1 among the numbers decides.
    counts = count_texts(as_test_set(outputs, ["r"] * 3))
    assert read_human(path, counts) == human
    assert read_human(path, replace(counts, texts=None)) == scores(path, segments=3)
    assert scores(path, segments=3).scores["a"] == (1.0, 3.0, None)


def test_numbers_that_the_quoted_outputs_contradict_are_refused(folder: Folder) -> None:
    """A part of a file that numbers a larger test set than that at hand."""
    rows = ("a 1 y 1", "b 1 v 2", "a 2 z 3", "b 2 w 4", "a 3 elsewhere 5", "b 3 elsewhere 6")
    path = folder.write("h.tsv", tsv("system segment target score", *rows))
    outputs = {"a": ["x", "y", "z", "s"], "b": ["u", "v", "w", "t"]}
    test_set = as_test_set(outputs, ["r"] * 4)
    with pytest.raises(MalformedFileError, match=r"line 2: .* another segment, as in 4 of 4 rows"):
        read_human(path, test_set, first_segment=1)
    human = read_human(path, test_set, first_segment=1, match="numbers")
    assert isinstance(human, HumanScores)
    assert human.scores["a"] == (1.0, 3.0, 5.0, None)


def test_the_first_number_in_documents_is_detected(folder: Folder) -> None:
    rows = ("a d 2 y 1", "b d 2 v 2")
    path = folder.write("h.tsv", tsv("system document docsegid target score", *rows))
    sizes: dict[str, Any] = {"segments": 3, "documents": ["d"] * 3}
    with pytest.raises(MalformedFileError, match=r"line 2: .* 2 .*first_segment=0 or 1"):
        scores(path, **sizes)
    assert scores(path, first_segment=0, **sizes).scores["a"] == (None, None, 1.0)
    # The outputs that the file quotes say that it counts from 1.
    outputs = {"a": ["x", "y", "z"], "b": ["u", "v", "w"]}
    human = read_human(path, as_test_set(outputs, ["r"] * 3, documents=["d"] * 3))
    assert isinstance(human, HumanScores)
    assert human.scores["a"] == (None, 1.0, None)
    assert human.notes == (f"the segments of {path} are counted from 1",)


def test_documents_in_order_are_the_document_level(folder: Folder) -> None:
    path = folder.write("h.tsv", tsv("system score", "a 1", "a 2", "b 3", "b 4"))
    human = scores(path, segments=3, documents=["x", "x", "y"])
    assert (human.level, human.items) == ("document", ("x", "y"))
    assert human.scores == {"a": (1.0, 2.0), "b": (3.0, 4.0)}


def test_documents_by_name_are_the_document_level(folder: Folder) -> None:
    path = folder.write("h.tsv", tsv("system doc score", "a y 1", "a x 2", "b x 3"))
    human = scores(path, segments=3, documents=["x", "x", "y"])
    assert (human.level, human.items) == ("document", ("x", "y"))
    assert human.scores == {"a": (2.0, 1.0), "b": (3.0, None)}


def test_numbers_that_start_again_in_each_document_are_matched_by_document(
    folder: Folder,
) -> None:
    rows = ("a y 1 5", "a x 2 6", "a x 1 7", "b y 1 8")
    path = folder.write("h.tsv", tsv("system doc segment score", *rows))
    human = scores(path, segments=3, documents=["x", "y", "x"])
    assert human.scores == {"a": (7.0, 5.0, 6.0), "b": (None, 8.0, None)}
    assert "match:documents" in human.signature


def test_numbers_in_the_document_may_have_a_column_of_their_own(folder: Folder) -> None:
    rows = ("a y 1 5", "a x 2 6", "b y 1 8")
    path = folder.write("h.tsv", tsv("system doc doc_id score", *rows))
    human = scores(path, segments=3, documents=["x", "y", "x"])
    assert human.scores == {"a": (None, 5.0, 6.0), "b": (None, 8.0, None)}


def test_raters_are_averaged_per_segment(folder: Folder) -> None:
    rows = ("a 1 r1 5", "a 1 r2 2", "b 1 r1 4", "b 2 r2 NA", "a 2 r2 3")
    human = scores(folder.write("h.tsv", tsv("system segment rater score", *rows)))
    assert human.scores == {"a": (3.5, 3.0), "b": (4.0, None)}
    assert human.raters == 2


def test_a_mean_does_not_depend_on_the_order_of_raters(folder: Folder) -> None:
    # 0.1 + 0.2 + 0.3 is 0.6 or 0.6000000000000001 in floats, by the order.
    rows = ["a 1 r1 0.1", "a 1 r2 0.2", "a 1 r3 0.3", "b 1 r1 4"]
    for order in (rows, rows[::-1]):
        path = folder.write("h.tsv", tsv("system segment rater score", *order))
        assert scores(path, segments=1).scores["a"] == (0.6 / 3,)


def test_z_scores_do_not_depend_on_the_order_of_rows(folder: Folder) -> None:
    rows = ["a 1 r 0.1", "b 1 r 0.2", "a 2 r 1.1", "b 2 r 1.3"]
    found = []
    for order in (rows, rows[::-1], rows[2:] + rows[:2]):
        path = folder.write("h.tsv", tsv("system segment rater score", *order))
        found.append(scores(path, raters="z").scores)
    assert found[0] == found[1] == found[2]


def test_z_scores_are_within_each_raters_own_judgments(folder: Folder) -> None:
    # r1: 1 and 3, mean 2, deviation sqrt(2); r2: 10, 20, 30, mean 20, deviation 10.
    rows = ("a 1 r1 1", "b 1 r1 3", "a 1 r2 10", "b 1 r2 20", "b 2 r2 30")
    path = folder.write("h.tsv", tsv("system segment rater score", *rows))
    human = scores(path, raters="z")
    assert human.scores["a"] == pytest.approx(((-(2**-0.5) - 1) / 2, None))
    assert human.scores["b"] == pytest.approx((2**-0.5 / 2, 1))
    assert "raters:z" in human.signature


def test_z_scores_use_all_judgments_of_a_rater(folder: Folder) -> None:
    # 1, 2 and 6 have mean 3 and variance 7.
    rows = ("a 1 r 1", "b 1 r 2", "other 1 r 6")
    path = folder.write("h.tsv", tsv("system segment rater score", *rows))
    human = scores(path, segments=1, raters="z", others="ignore")
    assert human.scores["a"] == pytest.approx((-2 / 7**0.5,))
    assert human.scores["b"] == pytest.approx((-1 / 7**0.5,))


def test_a_rater_who_gives_one_score_only_has_no_z_scores(folder: Folder) -> None:
    rows = ("a 1 r1 1", "b 1 r1 3", "a 2 flat 7", "b 2 flat 7")
    path = folder.write("h.tsv", tsv("system segment rater score", *rows))
    human = scores(path, raters="z")
    assert [row[1] for row in human.scores.values()] == [None, None]
    assert human.raters == 2
    assert "'flat'" in human.notes[0]


def test_z_scores_need_raters(folder: Folder) -> None:
    with pytest.raises(SettingError, match="does not name raters"):
        scores(folder.write("h.tsv", LONG), raters="z")


def test_judgments_of_other_systems_are_refused_or_ignored(folder: Folder) -> None:
    path = folder.write("h.tsv", LONG + "refA\t1\t5\nrefB\t1\t5\n")
    with pytest.raises(MalformedFileError, match=r"line 6: .*'refA'.*'refB'.*others='ignore'"):
        scores(path)
    human = scores(path, others="ignore")
    assert human.systems == ("a", "b")
    assert human.ignored == ("refA", "refB")
