"""Tables of items, by any tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.scores.formats.files import json_lines, written
from truebleu.errors import CorpusError, SettingError
from truebleu.scores.formats import evaluations_in_memory, read_evaluations

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "id,correct,topic\nq2,true,x\nq1,false,y\nq3,,y\n"),
        ("a.tsv", "id\tcorrect\ttopic\nq2\tyes\tx\nq1\tno\ty\nq3\tNone\ty\n"),
        (
            "a.jsonl",
            '{"id": "q2", "correct": true}\n{"id": "q1", "correct": 0}\n{"id": "q3"}\n',
        ),
        (
            "a.json",
            '[{"id": "q2", "correct": 1}, {"id": "q1", "correct": false}, {"id": "q3"}]',
        ),
    ],
)
def test_a_row_is_an_item(tmp_path: Path, name: str, text: str) -> None:
    (evaluation,) = read_evaluations(written(tmp_path, name, text))
    assert evaluation.system == "a"
    answers = {"q2": [1.0], "q1": [0.0], "q3": [None]}
    assert evaluation.answers() == ("correct", answers)


def test_a_column_of_models_makes_several_systems(tmp_path: Path) -> None:
    text = "model,id,score\nx,1,0.5\ny,1,0.25\nx,2,1\ny,2,0\n"
    x, y = read_evaluations(written(tmp_path, "a.csv", text))
    assert (x.system, x.answers()[1]) == ("x", {"1": [0.5], "2": [1.0]})
    assert (y.system, y.answers()[1]) == ("y", {"1": [0.25], "2": [0.0]})


def test_score_is_the_usual_one_of_several(tmp_path: Path) -> None:
    (evaluation,) = read_evaluations(written(tmp_path, "a.csv", "id,seconds,score\n1,3,1\n"))
    assert evaluation.answers() == ("score", {"1": [1.0]})
    assert evaluation.answers("seconds") == ("seconds", {"1": [3.0]})
    (other,) = read_evaluations(written(tmp_path, "b.csv", "id,seconds,Correct\n1,3,1\n"))
    assert other.answers()[0] == "Correct"
    for heading in ("seconds,words", "correct,rating"):
        (unsure,) = read_evaluations(written(tmp_path, "c.csv", f"id,{heading}\n1,3,1\n"))
        with pytest.raises(CorpusError, match=f"the scores {heading.replace(',', ', ')}"):
            unsure.answers()


def test_runs_are_in_one_order_for_all_items(tmp_path: Path) -> None:
    text = "id,epoch,score\nq1,1,1\nq1,2,0\nq2,2,0.25\nq2,1,0.5\n"
    (evaluation,) = read_evaluations(written(tmp_path, "a.csv", text))
    assert evaluation.answers()[1] == {"q1": [1.0, 0.0], "q2": [0.5, 0.25]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,epoch,score\nq1,1,1\nq1,1,0\n", "line 3: item q1 (1) of a again"),
        ("id,score\n,1\n", "line 2: id ''"),
        ("id,topic\nq1,x\n", "no score"),
        ("id,correct\nq1,1\nq2,0\nq3,maybe\n", "line 4: correct 'maybe'"),
    ],
)
def test_a_damaged_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CorpusError) as refusal:
        read_evaluations(written(tmp_path, "a.csv", text))[0].answers()
    assert message in str(refusal.value)


def test_an_invalid_score_in_a_chosen_column_is_rejected_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "id,speed\nq1,1\nq2,fast\n")
    with pytest.raises(CorpusError, match="line 3: speed 'fast'"):
        read_evaluations(path)[0].answers("speed")


def test_an_item_without_a_name_is_refused(tmp_path: Path) -> None:
    rows = [{"id": 1, "score": 1}, {"score": 0}]
    with pytest.raises(CorpusError, match="line 2: id None"):
        read_evaluations(written(tmp_path, "a.jsonl", json_lines(rows)))


def test_rows_in_memory_are_numbers_or_mappings() -> None:
    (numbers,) = evaluations_in_memory("a", [1, None, float("nan"), True])
    assert not numbers.has_names
    assert numbers.answers()[1] == {"1": [1.0], "2": [None], "3": [None], "4": [1.0]}
    answers = [{"id": "q", "score": float("nan")}, {"id": "r", "score": 2}]
    (rows,) = evaluations_in_memory("a", answers)
    assert rows.answers()[1] == {"q": [None], "r": [2.0]}
    with pytest.raises(SettingError, match="segment 1"):
        evaluations_in_memory("a", ["good"])
