"""Outlines of test sets of given scores alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from truebleu.errors import MalformedFileError, SettingError
from truebleu.metrics.bleu import BLEU
from truebleu.scores import GivenScores
from truebleu.scores.given import textless_outline

if TYPE_CHECKING:
    from pathlib import Path


def scores_file(path: Path, text: str) -> GivenScores:
    path.write_text(text)
    return GivenScores(path=str(path))


def test_the_outline_has_shared_systems_and_the_longest_segments(tmp_path: Path) -> None:
    long = scores_file(tmp_path / "a.tsv", "system\tsegment\tscore\nx\t1\t1\ny\t4\t2\nz\t2\t3\n")
    wide = scores_file(tmp_path / "b.tsv", "y\tx\tw\n1\t2\t3\n4\t5\t6\n")
    outline, loaded = textless_outline([long, wide])
    assert (outline.systems, outline.segments, outline.rows) == (("x", "y"), 4, "segments")
    assert (outline.reference_names, outline.references_each) == ((), 0)
    assert [scores.path for scores in loaded] == ["", ""]


def test_files_are_read_once(tmp_path: Path) -> None:
    given = scores_file(tmp_path / "a.tsv", "x\ty\n1\t2\n3\t5\n")
    outline, (loaded,) = textless_outline([given])
    (tmp_path / "a.tsv").unlink()
    scorer, rows_of = loaded.attach(outline, None)
    assert scorer.name == "a"
    assert rows_of(outline.systems).sums() == [[4, 2], [7, 2]]


def test_scores_in_memory_have_systems_and_segments() -> None:
    outline, _ = textless_outline([GivenScores.of({"x": [1, 2, 3], "y": [1, 2, 3]})])
    assert (outline.systems, outline.segments) == (("x", "y"), 3)


def test_documents_come_from_a_file_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "docs.txt").write_text("d1\nd1\nd2\n")
    given = GivenScores.of({"x": [1, 2, 3], "y": [1, 2, 3]})
    outline, _ = textless_outline([given], str(tmp_path / "docs.txt"))
    assert outline.documents == ("d1", "d1", "d2")


def test_a_metric_that_needs_texts_is_refused_by_name() -> None:
    with pytest.raises(SettingError, match="which BLEU needs"):
        textless_outline([GivenScores.of({"x": [1]}), BLEU()])


def test_files_without_a_system_in_common_are_refused() -> None:
    with pytest.raises(SettingError, match="no system in all of 2 files"):
        textless_outline([GivenScores.of({"x": [1]}), GivenScores.of({"y": [1]})])


def test_a_slip_in_a_segment_number_does_not_take_all_memory(tmp_path: Path) -> None:
    text = "system\tsegment\tscore\nx\t1\t1\ny\t123456789012\t2\n"
    with pytest.raises(MalformedFileError, match="a segment numbered 123,456,789,012"):
        textless_outline([scores_file(tmp_path / "a.tsv", text)])


def test_a_translation_by_people_among_the_systems_is_reported(tmp_path: Path) -> None:
    text = "system\tsegment\tscore\nrefA\t1\t1\nHuman-B\t1\t1\nreformer\t1\t2\n"
    free = scores_file(tmp_path / "a.tsv", text)
    (warning,) = textless_outline([free])[0].warnings
    assert (warning.code, warning.count) == ("human-translation", 2)
    assert "refA, Human-B: by its name a human translation" in warning.message
    other = GivenScores.of({"reformer": [1], "b": [1]})
    assert textless_outline([free, other])[0].warnings == ()
