"""Samples of Every Eval Ever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.human.tools.files import json_lines, read, written
from truebleu.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path


def sample(model: str, item: str, **evaluation: Any) -> dict[str, Any]:
    return {
        "evaluation_id": "e/m/1",
        "model_id": model,
        "evaluation_name": "quiz",
        "sample_id": item,
        "sample_hash": f"#{item}",
        "evaluation": evaluation or {"score": 0.5},
    }


def test_every_model_has_a_score_for_each_sample(tmp_path: Path) -> None:
    records = [
        sample("a", "1", score=1.0),
        sample("b", "2", score=0.25),
        sample("a", "2", is_correct=False),
        sample("b", "1", score=0.75),
    ]
    scores = read(written(tmp_path, "samples.jsonl", json_lines(records)))
    assert scores.by_system == {"a": [1.0, 0.0], "b": [0.75, 0.25]}
    assert (scores.name, scores.items) == ("quiz", (("1", "#1"), ("2", "#2")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json_lines([sample("a", "1"), sample("a", "1")]), "line 2: found sample 1 again"),
        (json_lines([sample("a", "1"), {"sample_id": "2"}]), "line 2: found no sample"),
        (
            json_lines([sample("a", "1"), sample("b", "2")]),
            "found item 2 of b, expected only items that a has too",
        ),
        (json_lines([sample("a", "1", score="x")]), "line 1: found quiz 'x'"),
        ('{"schema_version": "0.3.0", "evaluation_results": []}', "results of a whole evaluation"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CorpusError) as refusal:
        read(written(tmp_path, "samples.jsonl", text))
    assert message in str(refusal.value)
