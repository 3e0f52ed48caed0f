"""Texts of items that reports show: question, target, and each model's output and answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

Record: TypeAlias = Mapping[str, Any]

# Keys of records by what they hold, the most specific first.
QUESTION = (
    "question", "query", "problem", "instruction", "prompt", "input", "inputs", "source", "src",
    "text",
)  # fmt: skip
TARGET = (
    "target", "expected", "expectedOutput", "gold", "reference", "references", "ref", "answer",
)  # fmt: skip
OUTPUT = (
    "resps", "output", "response", "completion", "actualOutput", "generation", "generated_text",
    "prediction", "predictions", "hypothesis",
)  # fmt: skip
ANSWER = (
    "filtered_resps", "extracted_answer", "extracted", "parsed_answer", "parsed", "answer",
)  # fmt: skip
# Objects inside a record that may hold the question and the target.
INSIDE = ("doc", "vars", "sample")
# Keys of the text inside an object.
TEXT = ("completion", "content", "text", "output", "raw")


class AnswerTexts(NamedTuple):
    """Texts of one answer; a text that is unknown is empty.

    Attributes:
        question: question or prompt.
        target: correct answer.
        output: output of the model.
        answer: answer that was extracted from the output.
    """

    question: str = ""
    target: str = ""
    output: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTexts:
    """Texts of all items, in their order.

    Attributes:
        items: question and target of each item; its output and answer are those of any model.
        answers: texts of each model's first answer to each item.
    """

    items: tuple[AnswerTexts, ...]
    answers: Mapping[str, tuple[AnswerTexts, ...]]

    def subset(self, indices: Sequence[int]) -> ItemTexts:
        """Return the texts of some items."""
        answers = {
            name: tuple(texts[index] for index in indices) for name, texts in self.answers.items()
        }
        return ItemTexts(items=tuple(self.items[index] for index in indices), answers=answers)


def answer_texts(record: Record) -> AnswerTexts:
    """Find the texts in a record of a tool.

    >>> record = {"doc": {"question": "1 + 1?", "answer": "two: 2"}, "resps": [["It is 2."]]}
    >>> answer_texts({**record, "filtered_resps": ["2"]})
    AnswerTexts(question='1 + 1?', target='two: 2', output='It is 2.', answer='2')
    """
    inside = [value for key in INSIDE if isinstance(value := record.get(key), Mapping)]
    question = _first(QUESTION, (*inside, record))
    # If a record also has a target, its answer belongs to the model.
    target_of = {key: value for key, value in record.items() if key != "answer" or not inside}
    target = _first(TARGET, (target_of, *inside))
    has_target = any(_plain_text(record.get(key)) for key in TARGET if key != "answer")
    answers = ANSWER if has_target else ANSWER[:-1]
    return AnswerTexts(question, target, _first(OUTPUT, [record]), _first(answers, [record]))


def _first(keys: Sequence[str], records: Sequence[Record]) -> str:
    """Return the first text that records have under one of the keys, or ""."""
    texts = (_plain_text(record.get(key)) for record in records for key in keys)
    return next(filter(None, texts), "")


def _plain_text(value: object) -> str:
    """Return a text, a number, the messages of a chat, or nested texts as one text."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list):
        are_messages = any(isinstance(part, Mapping) for part in value)
        return ("\n\n" if are_messages else ", ").join(map(_plain_text, value))
    if isinstance(value, Mapping):
        key = next((key for key in TEXT if key in value), None)
        return json.dumps(value, ensure_ascii=False) if key is None else _plain_text(value[key])
    return str(value)
