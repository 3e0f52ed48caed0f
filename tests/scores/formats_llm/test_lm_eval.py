"""Samples of lm-evaluation-harness."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import truebleu
from tests.scores.formats.files import json_lines, read, written
from truebleu.errors import CorpusError
from truebleu.scores import ItemScores
from truebleu.scores.formats import read_evaluations

if TYPE_CHECKING:
    from pathlib import Path


def sample(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "doc_id": number,
        "doc": {"question": number},
        "target": "t",
        "resps": [["o"]],
        "filtered_resps": ["o"],
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": f"hash {number}",
        "acc": float(number % 2),
        **changes,
    }


def test_the_model_is_the_folder_and_items_are_in_order(tmp_path: Path) -> None:
    text = json_lines([sample(2), sample(0), sample(1, acc=True)])
    scores = read(written(tmp_path, "some-model/samples_task_2026-01-01T00-00-00.jsonl", text))
    assert scores.by_system == {"some-model": [0.0, 1.0, 0.0]}
    assert scores.items == (("0", "hash 0"), ("1", "hash 1"), ("2", "hash 2"))
    assert scores.name == "acc"


def test_the_default_filter_is_the_harnesss_strict_one(tmp_path: Path) -> None:
    names = ("flexible-extract", "strict-match", "other")
    lines = [sample(0, filter=name, acc=float(name == "strict-match")) for name in names]
    scores = read(written(tmp_path, "m.jsonl", json_lines(lines)))
    assert (scores.by_system, scores.name) == ({"m": [1.0]}, "acc (strict-match)")


def test_one_of_several_filters_is_chosen(tmp_path: Path) -> None:
    lines = [
        sample(n, filter=name, acc=value) for n in (0, 1) for name, value in (("x", 1), ("y", 0))
    ]
    path = written(tmp_path, "m.jsonl", json_lines(lines))
    assert read(path, filter_="x").by_system == {"m": [1.0, 1.0]}
    assert read(path, filter_="y").by_system == {"m": [0.0, 0.0]}
    first = read(path)
    assert (first.by_system, first.name) == ({"m": [1.0, 1.0]}, "acc (x)")
    with pytest.raises(CorpusError, match="no filter 'z'"):
        read(path, filter_="z")


def test_the_first_of_several_metrics_is_the_default(tmp_path: Path) -> None:
    records = [sample(n, metrics=["acc", "f1"], f1=0.25) for n in (0, 1)]
    path = written(tmp_path, "m.jsonl", json_lines(records))
    assert read(path, "f1").by_system == {"m": [0.25, 0.25]}
    assert read(path).name == "acc"
    with pytest.raises(CorpusError, match="no score 'other'"):
        read(path, "other")


def test_texts_instead_of_scores_are_refused(tmp_path: Path) -> None:
    record = sample(0, metrics=["bleu"], bleu=["reference", "output"])
    with pytest.raises(CorpusError, match=r"bleu as a list; expected a number; .*-m bleu"):
        read(written(tmp_path, "m.jsonl", json_lines([record])))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (sample(0), "line 2: item 0 (none) of m again"),
        ({**sample(1), "doc_id": None}, "line 2: doc_id None"),
        ({"doc_id": 1}, "line 2: no filtered_resps, metrics"),
        (sample(1, acc="high"), "line 2: acc 'high'"),
    ],
)
def test_a_damaged_sample_is_refused(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    with pytest.raises(CorpusError) as refusal:
        read(written(tmp_path, "m.jsonl", json_lines([sample(0), record])))
    assert message in str(refusal.value)


def test_a_document_without_a_metric_has_no_score_by_it(tmp_path: Path) -> None:
    other = {key: value for key, value in sample(1).items() if key != "acc"}
    for record in (other, sample(1, metrics=None)):
        path = written(tmp_path, "m.jsonl", json_lines([sample(0), record]))
        assert read(path).by_system == {"m": [0.0, None]}


def test_a_task_must_be_the_same(tmp_path: Path) -> None:
    """Also without doc_hash, as older versions wrote."""
    old = {key: value for key, value in sample(0).items() if key != "doc_hash"}
    arc, law = (f"samples_{task}_2026-01-01T00-00-00.000000.jsonl" for task in ("arc", "law"))
    paths = [written(tmp_path, "a/" + arc, json_lines([old]))]
    paths += [written(tmp_path, "b/" + law, json_lines([old]))]
    with pytest.raises(CorpusError, match=r"items of law; expected arc, as in .*truebleu panel"):
        ItemScores.read(paths)
    another = written(tmp_path, "c/" + arc, json_lines([{**old, "doc": {"q": "other"}}]))
    with pytest.raises(CorpusError, match="another text of item 0"):
        ItemScores.read([paths[0], another])


def test_answers_of_other_filters_do_not_pair(tmp_path: Path) -> None:
    lines = [sample(n, filter=name) for name in ("strict", "loose") for n in range(2)]
    both = written(tmp_path, "a.jsonl", json_lines(lines))
    other = written(tmp_path, "b.jsonl", json_lines(lines))
    with pytest.raises(
        CorpusError, match="answers of the filter loose; expected answers of the filter strict"
    ):
        truebleu.compare(ItemScores.read([f"{both}#strict", f"{other}#loose"]))
    assert truebleu.compare(ItemScores.read([f"{both}#loose", f"{other}#loose"]))


@pytest.mark.parametrize("higher", [True, False])
def test_results_of_the_run_give_direction_and_model(tmp_path: Path, higher: bool) -> None:
    """brier_score .238 against .549: which is better is what the harness says."""
    date = "2026-01-01T00-00-00.000000"
    paths = []
    for model, scores in (("a", (0.2, 0.3)), ("b", (0.5, 0.6))):
        lines = [sample(n, metrics=["odd"], odd=score) for n, score in enumerate(scores)]
        paths += [written(tmp_path, f"org__{model}/samples_arc_{date}.jsonl", json_lines(lines))]
        results = {"higher_is_better": {"arc": {"odd": higher}}, "model_name": f"org/{model}"}
        written(tmp_path, f"org__{model}/results_{date}.json", json.dumps(results))
    result = truebleu.compare(ItemScores.read(paths))
    assert list(result.systems) == ["org/a", "org/b"]
    assert result.metrics["odd"].higher_is_better is higher
    assert "assumed" not in str(result)


def test_items_pair_by_name_and_must_have_the_same_text(tmp_path: Path) -> None:
    written(tmp_path, "runs/a.jsonl", json_lines([sample(0), sample(1)]))
    written(tmp_path, "runs/b.jsonl", json_lines([sample(1), sample(2)]))
    assert read(str(tmp_path / "runs")).by_system == {"a": [0.0, 1.0, None], "b": [None, 1.0, 0.0]}
    written(tmp_path, "runs/b.jsonl", json_lines([sample(0), sample(1, doc_hash="z")]))
    with pytest.raises(CorpusError, match="another text of item 1"):
        read(str(tmp_path / "runs"))


@pytest.mark.parametrize(
    ("target", "references"),
    [
        ("['a', 'b']", ("a", "b")),
        ("[\"it's\", 'b']", ("it's", "b")),
        ("['a', 1]", ("['a', 1]",)),
        ("['a'", ("['a'",)),
        ("[a]", ("[a]",)),
    ],
)
def test_a_list_of_targets_is_read_as_python_printed_it(
    tmp_path: Path, target: str, references: tuple[str, ...]
) -> None:
    path = written(tmp_path, "m.jsonl", json_lines([sample(0, target=target)]))
    assert read_evaluations(path)[0].items[0].references == references


def test_the_file_is_named_after_the_task(tmp_path: Path) -> None:
    name = "m/samples_arc_easy_2026-01-01T00-00-00.123456.jsonl"
    (evaluation,) = read_evaluations(written(tmp_path, name, json_lines([sample(0)])))
    assert (evaluation.system, evaluation.benchmark) == ("m", "arc_easy")
