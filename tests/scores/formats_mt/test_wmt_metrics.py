"""Submissions to the metrics task, told from score files of mt-metrics-eval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.scores.formats.files import is_table, read, written
from truebleu.errors import MalformedFileError
from truebleu.scores.given import read_segment_scores

if TYPE_CHECKING:
    from pathlib import Path


def line(system: str, segment: object, score: object, reference: str = "refA") -> str:
    fields = ("M", "en-de", "wmt23", "news", "doc", reference, system, segment, score)
    return "\t".join(map(str, fields)) + "\n"


SUBMISSION = "".join(
    line(system, segment, segment / 2) for segment in (1, 2, 3) for system in ("a", "b")
)


def test_nine_fields_are_scores_of_segments(tmp_path: Path) -> None:
    scores = read(written(tmp_path, "M.seg.score", SUBMISSION))
    assert scores.by_system == {"a": [0.5, 1.0, 1.5], "b": [0.5, 1.0, 1.5]}
    assert (scores.name, scores.higher_is_better) == ("M", None)


def test_two_fields_are_left_to_the_reader_of_tables(tmp_path: Path) -> None:
    path = written(tmp_path, "B-refA.seg.score", "a\t0.5\na\tNone\nb\t1\nb\t0\n")
    assert is_table(path)
    assert read_segment_scores(path).of("a", 2) == [0.5, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("M\ten-de\twmt23\tall\trefA\ta\t0.5\n", "line 1: 7 fields, scores of systems"),
        (SUBMISSION + line("a", 4, 1, "refB"), "line 7: M, en-de, wmt23, refB"),
        (SUBMISSION + line("a", 2, 1), "line 7: item 2 of a again"),
        (SUBMISSION + line("a", 9, 1), "line 7: segment 9"),
        (SUBMISSION + line("a", "x", 1), "line 7: item 'x'; expected a whole number"),
        (SUBMISSION.replace("1.5", "high"), "line 5: M 'high'"),
        (SUBMISSION + "a\t1\n", "line 7: 2 fields; expected 9"),
    ],
)
def test_a_damaged_line_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(MalformedFileError) as refusal:
        read(written(tmp_path, "M.seg.score", text))
    assert message in str(refusal.value)
