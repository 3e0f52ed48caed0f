"""The texts of items, as tools write them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import truebleu
from truebleu.counts.inputs import counts_of_files
from truebleu.scores.item_texts import AnswerTexts, answer_texts

if TYPE_CHECKING:
    from pathlib import Path

# Records of tools, shortened, and the texts in them: question, target, output, answer.
RECORDS: dict[str, tuple[dict[str, Any], AnswerTexts]] = {
    "lm-evaluation-harness": (
        {
            "doc": {"question": "1 + 1?", "answer": "1 + 1 = 2\n#### 2"},
            "target": "2",
            "resps": [["It is\n2."]],
            "filtered_resps": ["2."],
        },
        AnswerTexts("1 + 1?", "2", "It is\n2.", "2."),
    ),
    "Inspect": (
        {
            "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "?"}],
            "target": ["A", "B"],
            "output": {"model": "m", "completion": "A"},
        },
        AnswerTexts("Be brief.\n\n?", "A, B", "A", ""),
    ),
    "promptfoo": (
        {"vars": {"question": "Why?"}, "response": {"output": "So."}},
        AnswerTexts("Why?", "", "So.", ""),
    ),
    "a table": (
        {"id": 1, "prompt": "Why?", "target": 3, "answer": "three", "prediction": "It is three"},
        AnswerTexts("Why?", "3", "It is three", "three"),
    ),
    "a table without targets": ({"question": "Why?", "answer": "So."}, AnswerTexts("Why?", "So.")),
    "numbers only": ({"id": 1, "score": 0.5}, AnswerTexts()),
}


@pytest.mark.parametrize("tool", RECORDS)
def test_texts_are_found_where_tools_write_them(tool: str) -> None:
    record, texts = RECORDS[tool]
    assert answer_texts(record) == texts


def test_counts_keep_the_texts_of_items_for_reports_only(tmp_path: Path) -> None:
    paths = []
    for model, scores in {"old": (0, 1), "new": (1, 1)}.items():
        rows = [
            {
                "id": f"q{n}",
                "question": f"Q{n}",
                "target": "t",
                "output": f"{model} {n}",
                "score": s,
            }
            for n, s in enumerate(scores)
        ]
        path = tmp_path / f"{model}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        paths.append(str(path))
    assert counts_of_files(paths, []).item_texts is None
    texts = counts_of_files(paths, [], keep_texts=True).item_texts
    assert texts is not None
    assert [item.question for item in texts.items] == ["Q0", "Q1"]
    assert texts.answers["new"][1].output == "new 1"
    assert texts.subset([1]).answers["old"][0].output == "old 1"


def test_scores_without_texts_have_no_item_texts() -> None:
    assert truebleu.count({"a": [0, 1, 1], "b": [1, 1, 1]}).item_texts is None
