"""Records of Every Eval Ever: what the schema asks of them, and that they are read as written."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

import truebleu
from truebleu.corpus import as_test_set
from truebleu.errors import CorpusError, SettingError
from truebleu.metrics import GivenScores, ScoredTestSet
from truebleu.reports import save_evaluations

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from truebleu import TestSet

# Of schema 0.3.0: what a record and a sample need, and what else they may have.
RECORD = {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata"}
RECORD |= {"model_info", "eval_library", "evaluation_results"}
SAMPLE = {"schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id"}
SAMPLE |= {"interaction_type", "input", "answer_attribution", "evaluation", "output"}
BESIDE = re.compile(
    r"data/[^/]+/[^/]+/[^/]+/"
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}_samples\.jsonl"
)


def texts() -> TestSet:
    return as_test_set(
        {"lab/new": ["a cat sat", "the dog"], "old": ["the cat sat", "a dog"]},
        ["the cat sat", "the dog"],
        source=["die Katze saß", "der Hund"],
        documents=["x", "y"],
    )


def save(
    folder: Path, test_set: TestSet, metrics: Sequence[Any], **options: Any
) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The records, each with its samples."""
    scores = truebleu.score(
        test_set, metrics=metrics, per_segment=True, confidence=True, replicates=50
    )
    records = []
    for path in save_evaluations(scores, test_set, folder, benchmark="a quiz", **options):
        record = json.loads(path.read_text(encoding="utf-8"))
        beside = folder / record["detailed_evaluation_results"]["file_path"]
        assert beside.parent == path.parent
        lines = beside.read_text(encoding="utf-8").splitlines()
        records.append((record, [json.loads(line) for line in lines]))
    return records


def test_a_record_has_what_the_schema_asks_for(tmp_path: Path) -> None:
    (record, samples), _ = save(tmp_path, texts(), ["bleu", "ter"], organization="Lab")
    assert record.keys() - {"detailed_evaluation_results"} == RECORD
    assert record["schema_version"] == "0.3.0"
    assert record["source_metadata"] == {
        "source_type": "evaluation_run",
        "source_organization_name": "Lab",
        "evaluator_relationship": "other",
    }
    details = record["model_info"].pop("additional_details")
    assert details == {"deployment_type": "unknown", "model_availability": "unknown"}
    assert record["model_info"] == {"name": "lab/new", "id": "lab/new", "developer": "lab"}
    assert set(record["eval_library"]) == {"name", "version"}
    bleu, ter = record["evaluation_results"]
    assert (bleu["metric_config"]["lower_is_better"], ter["metric_config"]["lower_is_better"]) == (
        False,
        True,
    )
    assert all(type(value) is str for value in bleu["metric_config"]["metric_parameters"].values())
    interval = bleu["score_details"]["uncertainty"]["confidence_interval"]
    assert interval["lower"] <= bleu["score_details"]["score"] <= interval["upper"]
    beside = record["detailed_evaluation_results"]
    assert BESIDE.fullmatch(beside["file_path"])
    assert beside["total_rows"] == len(samples) == 4
    for sample in samples:
        assert sample.keys() - {"sample_hash", "evaluation_result_id", "metadata"} == SAMPLE
        assert sample["evaluation_id"] == record["evaluation_id"]
        assert set(sample["evaluation"]) == {"score", "is_correct"}
    assert samples[0]["input"] == {"raw": "die Katze saß", "reference": ["the cat sat"]}
    assert samples[0]["output"] == {"raw": ["a cat sat"]}
    assert samples[0]["metadata"] == {"document": "x"}
    # As other programs hash a sample: canonical JSON of what went in.
    assert samples[0]["sample_hash"] == samples[1]["sample_hash"] != samples[2]["sample_hash"]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    save(tmp_path, texts(), ["chrf", "ter"])
    files = sorted(tmp_path.rglob("*.json"))
    scored = ScoredTestSet.read(files, documents="document")
    assert list(scored.systems) == ["lab/new", "old"]
    assert scored.documents == ("x", "y")
    (metric,) = scored.metrics([GivenScores(column="a quiz.TER")])
    assert metric.higher_is_better is False
    by_segment = truebleu.score(texts(), metrics=["ter"], per_segment=True).systems[0].segments
    assert by_segment is not None
    means = [sum(by_segment["TER"]) / 2]  # type: ignore[arg-type]
    assert metric.score(metric.count(scored).sums())[:1] == pytest.approx(means)


def test_the_same_records_have_the_same_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1750000000")
    first = save(tmp_path / "a", texts(), ["chrf"])
    assert save(tmp_path / "b", texts(), ["chrf"]) == first
    assert first[0][0]["evaluation_id"] == "a quiz/lab/new/1750000000"
    with pytest.raises(SettingError, match="no such file yet"):
        save(tmp_path / "a", texts(), ["chrf"])
    save(tmp_path / "a", texts(), ["chrf"], overwrite=True)


def test_scores_without_texts_keep_the_names_of_items(tmp_path: Path) -> None:
    rows = [{"id": "q1", "score": 1}, {"id": "q2", "score": 0}, {"id": "q3", "score": None}]
    scored = ScoredTestSet.of({"a": rows, "b": rows})
    (record, samples), _ = save(tmp_path, scored, ["scores:missing=omit"])
    assert [sample["sample_id"] for sample in samples] == ["q1", "q2"]
    assert [sample["evaluation"]["is_correct"] for sample in samples] == [True, False]
    (result,) = record["evaluation_results"]
    assert result["metric_config"]["score_type"] == "binary"


@pytest.mark.parametrize("name", ["../../up", "a/../../b", "..", "x\0y", "a b/c:d"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    test_set = as_test_set({name: ["a b"]}, ["a b"])
    scores = truebleu.score(test_set, metrics=["chrf"], per_segment=True)
    (path,) = save_evaluations(scores, test_set, tmp_path / "records", benchmark="../x")
    assert path.resolve().parents[3] == (tmp_path / "records" / "data").resolve()


@pytest.mark.parametrize(
    ("options", "message"),
    [({"benchmark": " "}, "benchmark"), ({"relationship": "friend"}, "first_party")],
)
def test_wrong_settings_are_refused(tmp_path: Path, options: Any, message: str) -> None:
    scores = truebleu.score(texts(), metrics=["chrf"], per_segment=True)
    with pytest.raises((SettingError, CorpusError), match=message):
        save_evaluations(scores, texts(), tmp_path, **{"benchmark": "x", **options})
    with pytest.raises(SettingError, match="per_segment=True"):
        save_evaluations(truebleu.score(texts()), texts(), tmp_path, benchmark="x")
