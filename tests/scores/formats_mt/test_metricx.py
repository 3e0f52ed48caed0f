"""MetricX's JSON lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import truebleu
from tests.scores.formats.files import json_lines, read, written
from truebleu.errors import MalformedFileError
from truebleu.scores import GivenScores

if TYPE_CHECKING:
    from pathlib import Path

LINES = [{"source": "s", "hypothesis": "h", "prediction": value} for value in (0.5, 25, 3.25)]


def test_a_file_without_systems_is_one_system_in_order(tmp_path: Path) -> None:
    scores = read(written(tmp_path, "mt.jsonl", json_lines(LINES)))
    assert scores.by_system == {"mt": [0.5, 25.0, 3.25]}
    assert (scores.name, scores.higher_is_better) == ("MetricX", False)


def test_systems_and_segments_may_come_in_any_order(tmp_path: Path) -> None:
    records = [
        {**LINES[0], "system_id": system, "segment_id": segment, "prediction": 10 * segment}
        for segment in (2, 0, 1)
        for system in ("b", "a")
    ]
    scores = read(written(tmp_path, "out.jsonl", json_lines(records)))
    assert scores.by_system == {"b": [0.0, 10.0, 20.0], "a": [0.0, 10.0, 20.0]}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("{", "line 4: invalid JSON"),
        ("[]", "line 4: JSON of type list"),
        ('{"hypothesis": "h"}', "line 4: no prediction"),
        ('{"hypothesis": "h", "prediction": "low"}', "line 4: MetricX 'low'"),
        ('{"hypothesis": "h", "prediction": NaN}', "line 4"),
        (
            '{"hypothesis": "h", "prediction": 25.5}',
            "line 4: MetricX '25.5'; expected a number in 0..25",
        ),
        (
            '{"hypothesis": "h", "prediction": -1}',
            "line 4: MetricX '-1'; expected a number in 0..25",
        ),
        ('{"prediction": 1, "segment_id": 1}', "line 4: item 1 of m again"),
        ('{"prediction": 1, "segment_id": 9}', "line 4: segment 9; expected numbers from 0"),
        ('{"prediction": 1, "segment_id": "x"}', "line 4: segment_id 'x'"),
    ],
)
def test_a_damaged_line_is_refused(tmp_path: Path, more: str, message: str) -> None:
    path = written(tmp_path, "m.jsonl", json_lines(LINES) + more + "\n")
    with pytest.raises(MalformedFileError) as refusal:
        read(path)
    assert message in str(refusal.value)


def test_predictions_belong_to_their_hypotheses(tmp_path: Path) -> None:
    records = [{"hypothesis": text, "prediction": n} for n, text in enumerate("ab")]
    metric = GivenScores(path=written(tmp_path, "mt.jsonl", json_lines(records)))
    assert truebleu.score({"mt": ["a", "b"]}, ["r", "r"], [metric])["mt"]["MetricX"].score == 0.5
    with pytest.raises(MalformedFileError, match="a score of 'b' for segment 2 of mt"):
        truebleu.score({"mt": ["a", "c"]}, ["r", "r"], [metric])
