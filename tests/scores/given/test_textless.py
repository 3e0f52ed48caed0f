"""A test set of given scores alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from truebleu.scores.scored import OutsideScores, textless_test_set

from truebleu.errors import MalformedFileError, SettingError
from truebleu.metrics.bleu import BLEU

if TYPE_CHECKING:
    from pathlib import Path


def scores_file(path: Path, text: str) -> OutsideScores:
    path.write_text(text)
    return OutsideScores(path=str(path))


def test_it_has_the_systems_of_all_files_and_the_segments_of_the_longest(tmp_path: Path) -> None:
    long = scores_file(tmp_path / "a.tsv", "system\tsegment\tscore\nx\t1\t1\ny\t4\t2\nz\t2\t3\n")
    wide = scores_file(tmp_path / "b.tsv", "y\tx\tw\n1\t2\t3\n4\t5\t6\n")
    test_set = textless_test_set([long, wide])
    assert list(test_set.systems) == ["x", "y"]
    assert len(test_set) == 4


def test_scores_in_memory_tell_their_systems_and_segments_too() -> None:
    test_set = textless_test_set([OutsideScores.of({"x": [1, 2, 3], "y": [1, 2, 3]})])
    assert (list(test_set.systems), len(test_set)) == (["x", "y"], 3)


def test_documents_come_from_a_file_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "docs.txt").write_text("d1\nd1\nd2\n")
    metric = OutsideScores.of({"x": [1, 2, 3], "y": [1, 2, 3]})
    test_set = textless_test_set([metric], str(tmp_path / "docs.txt"))
    assert test_set.documents == ("d1", "d1", "d2")


def test_a_metric_that_needs_texts_is_refused_by_name() -> None:
    with pytest.raises(SettingError, match="which BLEU needs"):
        textless_test_set([OutsideScores.of({"x": [1]}), BLEU()])


def test_files_without_a_system_in_common_are_refused() -> None:
    with pytest.raises(SettingError, match="none in all of 2 files"):
        textless_test_set([OutsideScores.of({"x": [1]}), OutsideScores.of({"y": [1]})])


def test_a_slip_in_a_segment_number_does_not_take_all_memory(tmp_path: Path) -> None:
    text = "system\tsegment\tscore\nx\t1\t1\ny\t123456789012\t2\n"
    with pytest.raises(MalformedFileError, match="a segment numbered 123,456,789,012"):
        textless_test_set([scores_file(tmp_path / "a.tsv", text)])


def test_a_translation_by_people_among_the_systems_is_reported(tmp_path: Path) -> None:
    text = "system\tsegment\tscore\nrefA\t1\t1\nHuman-B\t1\t1\nreformer\t1\t2\n"
    free = scores_file(tmp_path / "a.tsv", text)
    (warning,) = textless_test_set([free]).warnings
    assert (warning.code, warning.count) == ("human-translation", 2)
    assert "refA, Human-B: by the name, translated by people" in warning.message
    other = OutsideScores.of({"reformer": [1], "b": [1]})
    assert textless_test_set([free, other]).warnings == ()
