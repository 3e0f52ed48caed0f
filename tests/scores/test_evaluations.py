"""Evaluations item by item, and what lm-evaluation-harness 0.4.13 and Inspect 0.3.285 wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scores.formats.files import json_lines, written
from truebleu.errors import CorpusError
from truebleu.scores.evaluations import mean
from truebleu.scores.formats import read_evaluations

RECORDED = Path(__file__).parent / "formats_llm" / "recorded"


def test_samples_that_the_harness_wrote(tmp_path: Path) -> None:
    text = (RECORDED / "lm_eval.jsonl").read_text()
    (evaluation,) = read_evaluations(written(tmp_path, "model/samples_tiny_2026.jsonl", text))
    assert evaluation.system == "model"
    assert evaluation.answers("exact_match", "plain")[1] == {"0": [0.0], "1": [0.0], "2": [0.0]}
    assert evaluation.labels("topic") == {"0": "x", "1": "y", "2": "y"}
    items = evaluation.chosen_items("digits")
    assert [item.output for item in items] == ["[invalid]"] * 3
    assert [item.references for item in items] == [("4",), ("5",), ("Lorem ipsum",)]
    assert all(len(item.checksum) == 64 for item in items)


def test_a_log_that_inspect_wrote() -> None:
    (evaluation,) = read_evaluations(str(RECORDED / "inspect.json"))
    assert evaluation.system == "mockllm/model"
    # The second epoch of the last sample failed: that is no wrong answer.
    answers = {"q2": [0.0, 1.0], "q3": [1.0, 1.0], "q5": [0.0, None]}
    assert evaluation.answers() == ("match", answers)
    assert evaluation.labels("passage") == {"q2": "0", "q3": "1", "q5": "1"}


def test_a_mean_is_over_the_scores_that_are_there() -> None:
    assert mean([1.0, None, 0.0]) == 0.5
    assert mean([None]) is None


def test_several_references_that_a_metric_keeps_are_all_taken(tmp_path: Path) -> None:
    record = {"doc_id": 0, "filtered_resps": ["o"], "metrics": ["bleu"], "target": "['a', 'b']"}
    path = written(tmp_path, "m.jsonl", json_lines([{**record, "bleu": [["a", "b"], "o"]}]))
    assert read_evaluations(path)[0].items[0].references == ("a", "b")


def test_fields_inside_fields_are_labels(tmp_path: Path) -> None:
    rows = [{"id": 1, "score": 1, "meta": {"topic": "x"}}, {"id": 2, "score": 0, "meta": {}}]
    (evaluation,) = read_evaluations(written(tmp_path, "m.jsonl", json_lines(rows)))
    assert evaluation.labels("meta.topic") == {"1": "x"}
    with pytest.raises(CorpusError, match="line 1: meta"):
        evaluation.labels("meta")


def test_labels_of_one_item_must_agree(tmp_path: Path) -> None:
    rows = [{"id": 1, "score": 1, "topic": "x"}, {"id": 1, "score": 0, "topic": "y"}]
    (evaluation,) = read_evaluations(written(tmp_path, "m.jsonl", json_lines(rows)))
    with pytest.raises(CorpusError, match="line 2: topic x and y of item 1"):
        evaluation.labels("topic")
