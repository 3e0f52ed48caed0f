"""lm-evaluation-harness: the samples that ``--log_samples`` writes, one file for each model.

Items are paired by doc_id, and their doc_hash must be the same in all files. A metric such as BLEU
is stored as texts, not as a score, and is refused: score those texts instead.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from truebleu.human.tools._scores import ToolScores, system_of

if TYPE_CHECKING:
    from truebleu.human.tools._scores import ToolFile

NEEDED = frozenset({"doc_id", "filtered_resps", "metrics"})


def knows(file: ToolFile) -> bool:
    """Whether the harness wrote the samples."""
    record = file.first_record
    return record is not None and record.keys() >= NEEDED


def read(file: ToolFile) -> ToolScores:
    """One score for each document, in the order of their numbers."""
    records = file.records()
    chosen = _filter(records)
    scores: dict[int, tuple[str, float | None]] = {}
    name = None
    for line, record in records:
        if not record.keys() >= NEEDED:
            file.refuse(line, "no sample", f"{', '.join(sorted(NEEDED))}")
        if record.get("filter", "none") != chosen:
            continue
        number = record["doc_id"]
        if isinstance(number, bool) or not isinstance(number, int):
            file.refuse(line, f"doc_id {number!r}", "a whole number")
        if number in scores:
            file.refuse(line, f"doc_id {number} again", f"each once with the filter {chosen!r}")
        name = name or file.chosen([str(one) for one in record["metrics"]], line)
        if name not in record:
            file.refuse(line, f"no {name}", "the same metric for every document")
        scores[number] = str(record.get("doc_hash", "")), _score(file, record[name], name, line)
    ordered = sorted(scores.items())
    items = [(str(number), checksum) for number, (checksum, _) in ordered]
    by_system = {_model(file.path): [score for _, (_, score) in ordered]}
    return ToolScores.from_file(file, name or "", None, by_system, items)


def _filter(records: list[tuple[int, dict[str, Any]]]) -> str:
    """The filter whose lines count: none, or else the first."""
    filters = [str(record.get("filter", "none")) for _, record in records]
    return "none" if "none" in filters else filters[0]


def _score(file: ToolFile, value: object, name: str, line: int) -> float | None:
    if isinstance(value, list):
        expected = "a number: this metric keeps texts, which truebleu score can score"
        file.refuse(line, f"{name} as a list", expected)
    return file.score(value, line, name)


def _model(path: str) -> str:
    """The model: the folder that the harness names after it, or else the file's name."""
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    return folder if os.path.basename(path).startswith("samples_") else system_of(path)
