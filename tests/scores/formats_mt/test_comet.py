"""COMET's files: printed lines, JSON with and without error spans, and comparisons."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import truebleu
from tests.scores.formats.files import read, written
from truebleu.corpus import as_test_set
from truebleu.errors import CorpusError
from truebleu.scores import GivenScores

if TYPE_CHECKING:
    from pathlib import Path

PRINTED = """\
GPU available: False, used: False
out/a.txt\tSegment 0\tscore: 0.8275
out/b.txt\tSegment 0\tscore: 0.5000
out/a.txt\tSegment 1\tscore: 0.7000
out/b.txt\tSegment 1\tscore: -0.1250
out/a.txt\tscore: 0.7638
out/b.txt\tscore: 0.1875
"""
JSON = json.dumps({"a.txt": [{"mt": "x", "COMET": 0.5}, {"mt": "y", "COMET": 1}]}, indent=4)


def test_printed_lines_are_sorted_by_system_and_logs_are_passed_over(tmp_path: Path) -> None:
    scores = read(written(tmp_path, "comet.out", PRINTED))
    assert scores.by_system == {"a": [0.8275, 0.7], "b": [0.5, -0.125]}
    assert (scores.name, scores.higher_is_better) == ("COMET", True)


def test_json_has_a_list_for_each_file(tmp_path: Path) -> None:
    span = {"text": "x", "confidence": 0.9, "severity": "minor", "start": 0, "end": 1}
    rows = [{"src": "s", "mt": "x y", "COMET": 0.5, "errors": [span]}, {"mt": "z", "COMET": 1}]
    text = json.dumps({"sys/a.txt": rows, "sys/b.txt": rows[::-1]}, indent=4, ensure_ascii=False)
    scores = read(written(tmp_path, "comet.json", text))
    assert scores.by_system == {"a": [0.5, 1.0], "b": [1.0, 0.5]}


def test_a_comparison_names_its_model(tmp_path: Path) -> None:
    values = {
        "model": "Unbabel/wmt22-comet-da",
        "statistical_results": [],
        "source": ["s"],
        "translations": [{"name": "a.txt", "mt": ["x"], "scores": [0.8]}],
    }
    scores = read(written(tmp_path, "compared.json", json.dumps(values)))
    assert (scores.name, scores.by_system) == ("wmt22-comet-da", {"a": [0.8]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PRINTED.replace("0.7000", "good"), "line 4: COMET 'good'"),
        (PRINTED + "out/a.txt\tSegment 1\tscore: 0.1\n", "line 8: item 1 of a again"),
        (PRINTED.replace("Segment 1", "Segment 7"), "line 4: segment 7; expected numbers"),
        (PRINTED + "new/a.txt\tSegment 0\tscore: 0.1\n", "line 8: item 0 of a again"),
        (
            PRINTED.replace("0.7638", "0.8000"),
            "line 6: out/a.txt with 0.8000",
        ),
        (JSON[:-30], "line 9: invalid JSON"),
        (JSON.replace("1\n", "NaN\n"), "item 2: COMET 'nan'; expected a finite number"),
        ('{"a": [{"COMET": 0.5}, {"mt": "x"}]}', "segment 2 of a without COMET"),
        ('{"a": [{"COMET": "high"}]}', "item 1: COMET 'high'"),
        ('{"a": [{"COMET": [1]}]}', "expected a number"),
        ('{"statistical_results": [], "translations": [{}]}', "a translation without scores"),
        ('{"statistical_results": [], "translations": []}', "no scores"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, "comet", text)
    with pytest.raises(CorpusError) as refusal:
        read(path)
    assert message in str(refusal.value)
    assert str(refusal.value).startswith(path)


def test_there_is_nothing_to_choose(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no score 'score'; it has COMET"):
        read(written(tmp_path, "comet.out", PRINTED), "score")


def test_scores_belong_to_the_outputs(tmp_path: Path) -> None:
    path = written(tmp_path, "comet.json", JSON)
    metric = GivenScores(path=path)

    def score(*outputs: str) -> tuple[float | None, ...]:
        texts = as_test_set({"a": list(outputs)}, ["r"] * len(outputs))
        by_label = truebleu.score(texts, metrics=[metric], per_segment=True).systems[0].segments
        return tuple((by_label or {})["COMET"])

    assert score("x", " y ") == (0.5, 1.0)
    with pytest.raises(CorpusError, match=r"a score of 'y' for segment 2 .*its output, 'z'"):
        score("x", "z")
    with pytest.raises(CorpusError, match="2 segments, but the test set has 3"):
        score("y", "x", "y")
