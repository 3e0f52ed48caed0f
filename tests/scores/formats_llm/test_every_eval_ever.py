"""Samples of Every Eval Ever."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from tests.scores.formats.files import json_lines, read, written
from truebleu.errors import CorpusError
from truebleu.scores.formats import read_evaluations

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
    assert (scores.name, scores.items) == ("score", (("1", "#1"), ("2", "#2")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json_lines([sample("a", "1"), sample("a", "1")]), "line 2: item 1 of a again"),
        (
            json_lines([sample("a", "1"), {"sample_id": "2"}]),
            "no evaluation, evaluation_id",
        ),
        (json_lines([sample("a", "1", score="x")]), "line 1: score 'x'"),
        ('{"schema_version": "0.3.0", "evaluation_results": []}', "results of a whole evaluation"),
        (
            json_lines([sample("a", "1"), {**sample("a", "2"), "evaluation": 1}]),
            "line 2: evaluation 1",
        ),
        (json_lines([sample("a", "1")]) + "{\n", "line 2: invalid JSON"),
        (json_lines([{**sample("a", "1"), "model_id": [], "sample_id": []}]), "sample_id []"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CorpusError) as refusal:
        read(written(tmp_path, "samples.jsonl", text))
    assert message in str(refusal.value)


def test_a_sample_that_one_model_lacks_is_missing(tmp_path: Path) -> None:
    records = [sample("a", "1"), sample("b", "2"), sample("b", "1")]
    scores = read(written(tmp_path, "samples.jsonl", json_lines(records)))
    assert scores.by_system == {"a": [0.5, None], "b": [0.5, 0.5]}


def results(samples: str, **changes: Any) -> str:
    beside = {
        "format": "jsonl",
        "file_path": "data/quiz/lab/a/x_samples.jsonl",
        "hash_algorithm": "sha256",
        "checksum": sha256(samples.encode()).hexdigest(),
        **changes,
    }
    result = {"evaluation_result_id": "errors", "metric_config": {"lower_is_better": True}}
    about = {"schema_version": "0.3.0", "evaluation_results": [result]}
    return json.dumps({**about, "detailed_evaluation_results": beside})


SAMPLES = json_lines([{**sample("a", "1", score=3), "evaluation_result_id": "errors"}])


def test_results_lead_to_their_samples_and_say_the_direction(tmp_path: Path) -> None:
    written(tmp_path, "x_samples.jsonl", SAMPLES)
    scores = read(written(tmp_path, "x.json", results(SAMPLES)))
    assert (scores.by_system, scores.higher_is_better) == ({"a": [3.0]}, False)


def test_results_with_other_samples_are_refused(tmp_path: Path) -> None:
    written(tmp_path, "x_samples.jsonl", SAMPLES.replace("3", "4"))
    with pytest.raises(CorpusError, match=r"the checksum .* of x_samples\.jsonl"):
        read(written(tmp_path, "x.json", results(SAMPLES)))


def test_several_metrics_have_a_line_each(tmp_path: Path) -> None:
    records = [
        {**sample("a", item, score=value), "evaluation_result_id": result}
        for item in ("1", "2")
        for result, value in (("quiz.f1", 0.25), ("quiz.exact", 1))
    ]
    path = written(tmp_path, "samples.jsonl", json_lines(records))
    assert read(path, "quiz.f1").by_system == {"a": [0.25, 0.25]}
    with pytest.raises(CorpusError, match=r"the scores quiz\.f1, quiz\.exact"):
        read(path)


def test_benchmarks_are_evaluations_of_their_own(tmp_path: Path) -> None:
    records = [{**sample("a", "1"), "evaluation_name": name} for name in ("quiz", "sums")]
    evaluations = read_evaluations(written(tmp_path, "samples.jsonl", json_lines(records)))
    assert [one.benchmark for one in evaluations] == ["quiz", "sums"]


def test_texts_and_metadata_are_kept(tmp_path: Path) -> None:
    more = {
        "metadata": {"topic": "law"},
        "input": {"raw": "?", "reference": ["x", "y"]},
        "output": {"raw": ["z"]},
    }
    path = written(tmp_path, "samples.jsonl", json_lines([{**sample("a", "1"), **more}]))
    (evaluation,) = read_evaluations(path)
    assert evaluation.labels("topic") == {"1": "law"}
    assert (evaluation.items[0].output, evaluation.items[0].references) == ("z", ("x", "y"))
