"""Marot: scores of automatic metrics in the metadata of its MQM annotations, ``segment.metrics``.

Tab-separated, ten columns, with or without a header: system doc docSegId globalSegId rater source
target category severity metadata. A segment has a row for each annotation, and its scores may be in
any of them. Files without such scores are annotations, which `--human` reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.corpus._tables import parse_json
from truebleu.human.tools._items import Evaluation, Item
from truebleu.human.tools._scores import shortened

if TYPE_CHECKING:
    from truebleu.human.tools._scores import ToolFile

FIELDS = 10
HEADER = "system\tdoc\t"


def knows(file: ToolFile) -> bool:
    """Whether a row of ten fields has scores of metrics in its last."""
    first = file.lines[0] if file.lines else ""
    if first.count("\t") != FIELDS - 1:
        return False
    return any('"metrics"' in line.rpartition("\t")[2] for line in file.lines)


def read(file: ToolFile) -> list[Evaluation]:
    """The scores of every system's segments, in the order of their numbers where they have some."""
    items: dict[str, dict[str, Item]] = {}
    for number, line in enumerate(file.lines, 1):
        if number == 1 and line.lower().startswith(HEADER):
            continue
        fields = line.split("\t")
        if len(fields) != FIELDS:
            file.refuse(number, f"{len(fields)} fields", str(FIELDS))
        system, document, in_document, segment = fields[:4]
        name = segment or f"{document}:{in_document}"
        of_system = items.setdefault(system, {})
        known = of_system.get(name)
        scores = dict((known.scores if known is not None else None) or {})
        for metric, score in _metrics(file, fields[-1], number).items():
            if scores.setdefault(metric, score) != score:
                found = f"{metric} {score} of segment {name} of {system}"
                file.refuse(number, found, f"{scores[metric]}, as above")
        of_system[name] = Item(name, scores or None, number, fields={"doc": document})
    return [
        Evaluation(file, system, tuple(sorted(of_system.values(), key=_place)))
        for system, of_system in items.items()
    ]


def _metrics(file: ToolFile, metadata: str, line: int) -> dict[str, Any]:
    """The scores of a row's segment by metric; most rows have none."""
    if not metadata.strip():
        return {}
    try:
        values = parse_json(metadata)
    except ValueError:
        file.refuse(line, f"metadata {shortened(metadata)}", "a JSON object")
    segment = values.get("segment") if isinstance(values, dict) else None
    metrics = segment.get("metrics") if isinstance(segment, dict) else None
    return metrics if isinstance(metrics, dict) else {}


def _place(item: Item) -> int:
    return int(item.name) if item.name.isascii() and item.name.isdigit() else 0
