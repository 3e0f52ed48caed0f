"""lm-evaluation-harness: the samples that ``--log_samples`` writes, one file for each model.

Items are paired by doc_id, and their doc_hash must be the same in all files. A metric such as BLEU
is stored as texts, [reference, output], not as a score: those texts are scored instead.
"""

from __future__ import annotations

import os
import re
from ast import literal_eval
from typing import TYPE_CHECKING, Any

from truebleu.human.tools._items import Evaluation, Item
from truebleu.human.tools._scores import system_of

if TYPE_CHECKING:
    from truebleu.human.tools._scores import ToolFile

NEEDED = frozenset({"doc_id", "filtered_resps", "metrics"})


def knows(file: ToolFile) -> bool:
    """Whether the harness wrote the samples."""
    record = file.first_record
    return record is not None and record.keys() >= NEEDED


def read(file: ToolFile) -> list[Evaluation]:
    """The documents in the order of their numbers, as each filter read them."""
    items: dict[tuple[int, str], Item] = {}
    for line, record in file.records():
        if not record.keys() >= NEEDED or not isinstance(record["metrics"], list):
            file.refuse(line, "no sample", f"{', '.join(sorted(NEEDED))}")
        number = record["doc_id"]
        if isinstance(number, bool) or not isinstance(number, int):
            file.refuse(line, f"doc_id {number!r}", "a whole number")
        key = number, str(record.get("filter", "none"))
        if key in items:
            file.refuse(line, f"doc_id {number} again", f"each once with the filter {key[1]!r}")
        items[key] = _item(record, line)
    ordered = tuple(items[key] for key in sorted(items, key=lambda key: key[0]))
    return [Evaluation(file, _model(file.path), ordered, benchmark=_task(file.path))]


def _item(record: dict[str, Any], line: int) -> Item:
    names = [str(name) for name in record["metrics"]]
    outputs = record["filtered_resps"]
    output = outputs[0] if isinstance(outputs, list) and outputs else outputs
    return Item(
        str(record["doc_id"]),
        {name: record[name] for name in names if name in record},
        line,
        checksum=str(record.get("doc_hash", "")),
        filter=str(record.get("filter", "none")),
        fields=record["doc"] if isinstance(record.get("doc"), dict) else {},
        output=output if isinstance(output, str) else None,
        references=_references(record, names),
    )


def _references(record: dict[str, Any], names: list[str]) -> tuple[str, ...]:
    """The target; where a metric keeps several of them beside the output, all of them.

    The harness writes every target as text, a list as Python prints it.
    """
    for name in names:
        kept = record.get(name)
        if isinstance(kept, list) and kept and isinstance(kept[0], list):
            return tuple(map(str, kept[0]))
    target = record.get("target")
    if target is None:
        return ()
    return _listed(str(target)) or (str(target),)


def _listed(target: str) -> tuple[str, ...] | None:
    """The texts of a list of them; None where the target is no such list."""
    if not target.startswith(("['", '["')):
        return None
    try:
        values = literal_eval(target)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        return None
    return tuple(values)


def _task(path: str) -> str:
    """The task: what stands between the harness's word and the date; else nothing."""
    match = re.match(r"samples_(?P<task>.+)_\d{4}-\d\d-\d\dT[^_]*$", system_of(path))
    return match["task"] if match else ""


def _model(path: str) -> str:
    """The model: the folder that the harness names after it, or else the file's name."""
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    return folder if os.path.basename(path).startswith("samples_") else system_of(path)
