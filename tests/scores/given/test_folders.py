"""What all readers of tools' files share: folders of files, systems, segments and scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.scores.formats.files import json_lines, read, written
from truebleu.errors import CorpusError, SettingError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_has_a_file_for_each_system(tmp_path: Path) -> None:
    written(tmp_path, "bleurt/new.txt", "0.5\n1\n")
    written(tmp_path, "bleurt/old.txt", "0.25\n0\n")
    assert read(str(tmp_path / "bleurt")).by_system == {"new": [0.5, 1.0], "old": [0.25, 0.0]}


def test_a_folder_with_something_else_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "bleurt/new.txt", "0.5\n")
    path = written(tmp_path, "bleurt/notes.txt", "remember\n")
    with pytest.raises(CorpusError, match="an unknown format") as refusal:
        read(str(tmp_path / "bleurt"))
    assert path in str(refusal.value)


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="a file of scores for each system"):
        read(str(tmp_path))


def test_a_system_twice_and_two_metrics_do_not_go_together(tmp_path: Path) -> None:
    record = {"hypothesis": "h", "prediction": 1.0, "system_id": "a"}
    written(tmp_path, "twice/1.jsonl", json_lines([record]))
    written(tmp_path, "twice/2.jsonl", json_lines([record]))
    with pytest.raises(CorpusError, match="two systems are called 'a'"):
        read(str(tmp_path / "twice"))
    written(tmp_path, "mixed/1.jsonl", json_lines([record]))
    written(tmp_path, "mixed/b.txt", "1\n")
    with pytest.raises(CorpusError, match="scores by score; expected MetricX"):
        read(str(tmp_path / "mixed"))


def test_scores_are_asked_for_by_system_and_number_of_segments(tmp_path: Path) -> None:
    scores = read(written(tmp_path, "a.txt", "1\n30\n"))
    assert (scores.segments, scores.raters) == (2, 1)
    assert scores.of("a", 2) == [1.0, 30.0]
    with pytest.raises(CorpusError, match="no system 'b'"):
        scores.of("b", 2)
    with pytest.raises(CorpusError, match="2 segments, but the test set has 3"):
        scores.of("a", 3)
