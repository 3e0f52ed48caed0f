"""Logs of Inspect in JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.human.tools.files import read, written
from truebleu.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path


def log(*samples: dict[str, Any], **changes: Any) -> str:
    return json.dumps({"eval": {"model": "lab/model"}, "samples": list(samples), **changes})


def sample(number: object, value: object, epoch: int = 1) -> dict[str, Any]:
    return {"id": number, "epoch": epoch, "target": "t", "scores": {"match": {"value": value}}}


def test_epochs_are_averaged_and_letters_are_numbers(tmp_path: Path) -> None:
    samples = [sample("q1", "C"), sample("q2", "I"), sample("q1", "I", 2), sample("q2", "P", 2)]
    scores = read(written(tmp_path, "log.json", log(*samples)))
    assert scores.by_system == {"lab/model": [0.5, 0.25]}
    assert (scores.name, scores.higher_is_better) == ("match", True)


def test_a_sample_that_failed_is_missing(tmp_path: Path) -> None:
    failed = {"id": 2, "epoch": 1, "error": {"message": "limit"}}
    scores = read(written(tmp_path, "log.json", log(sample(1, 0.5), failed)))
    assert scores.by_system == {"lab/model": [0.5, None]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (log({"scores": {}}), "sample 1 without an id"),
        (log(sample(1, [1, 2])), "found item 1: match '[1, 2]', expected a number"),
        (log(sample(1, "maybe")), "found item 1: match 'maybe'"),
        (log(samples=None), "no list of samples"),
        (log({**sample(1, 1), "scores": {"a": {"value": 1}, "b": {"value": 2}}}), "scores a, b"),
    ],
)
def test_a_log_that_cannot_be_read_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CorpusError) as refusal:
        read(written(tmp_path, "log.json", text))
    assert message in str(refusal.value)


def test_an_archive_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "log.eval").write_bytes(b"PK\x03\x04 and more")
    with pytest.raises(CorpusError, match="inspect log convert"):
        read(str(tmp_path / "log.eval"))
