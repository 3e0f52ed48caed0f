"""Files that other evaluation tools write: known by what is in them, one reader for each.

A reader is a module with two functions: `knows` says whether a file is of its kind, `read` gives
the scores, or evaluations where the tool names its items. The first that knows a file reads it;
what none knows is a table, of all systems or, in a file for each system, of its items.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from truebleu.corpus._files import BYTE_ORDER_MARK, PARQUET_MAGIC, Files, decode
from truebleu.errors import EmptyTextError, MalformedFileError, SettingError
from truebleu.human.tools._items import positional, tool_scores
from truebleu.human.tools._scores import ToolFile, ToolScores

if TYPE_CHECKING:
    from types import ModuleType

    from truebleu.human.tools._items import Evaluation

#: How archives begin, of which only Inspect's are known.
ZIP = b"PK\x03\x04"
#: The readers, the surest signs first: the tool, and what it writes.
READERS = {
    "comet": ("COMET", "what comet-score prints; the JSON of comet-score and comet-compare"),
    "metricx": ("MetricX", "JSON lines with a prediction; lower is better"),
    "lm_eval": ("lm-evaluation-harness", "the samples that --log_samples writes"),
    "inspect": ("Inspect", "logs as .eval or JSON, and saved data frames of its samples"),
    "every_eval_ever": ("Every Eval Ever", "JSON of results, JSON lines of samples"),
    "marot": ("Marot", "MQM annotations with segment.metrics in their metadata"),
    "wmt_metrics": ("WMT metrics task", "submissions of 9 fields for each segment"),
    "numbers": ("BLEURT, GEMBA", "a number, a list of errors or None on each line, of one system"),
}

#: Those that keep outputs and references as well.
WITH_TEXTS = ("lm_eval", "every_eval_ever")


def read_tool_scores(path: str, column: str = "", filter_: str = "") -> ToolScores | None:
    """The scores in a file of a tool, or in a folder with such a file for each system.

    Args:
        path: the file or folder.
        column: which score to take, where a file has several; else empty.
        filter_: which way to read answers, where a file has several; else empty.

    Returns:
        The scores; None for a file that is of none of these tools.
    """
    if os.path.isdir(path):
        return _folder(path, column, filter_)
    file = _file(path, column, filter_)
    scores = None if file is None else _read(file)
    if file is None or scores is None:
        return None
    return scores if isinstance(scores, ToolScores) else tool_scores(file, scores)


def keeps_texts(path: str) -> bool:
    """Whether a tool wrote the file that keeps outputs and references beside its scores."""
    file = _file(path)
    if file is None:
        return False
    modules = (import_module(f"truebleu.human.tools.{name}") for name in WITH_TEXTS)
    return any(module.knows(file) for module in modules)


def read_evaluations(path: str, *, by_benchmark: bool = False) -> list[Evaluation]:
    """The evaluations in a file of a tool, or in a table of items; one for each system.

    Args:
        path: the file.
        by_benchmark: whether a column of a table may tell benchmarks apart.
    """
    file = _file(path)
    if file is None:
        data = Files().contents(path)
        return _read_items(ToolFile(path, data, ""), by_benchmark)
    scores = _read(file)
    if scores is None:
        return _read_items(file, by_benchmark)
    return positional(file, scores) if isinstance(scores, ToolScores) else scores


def _read_items(file: ToolFile, by_benchmark: bool) -> list[Evaluation]:
    from truebleu.human.tools import item_tables

    return item_tables.read(file, by_benchmark=by_benchmark)


def _file(path: str, column: str = "", filter_: str = "") -> ToolFile | None:
    """A file as text; None for Parquet, which is always a table."""
    data = Files().contents(path)
    if data[:4] == PARQUET_MAGIC:
        return None
    if data[:4] == ZIP:
        from truebleu.human.tools.inspect import archive_text

        text = archive_text(path, data)
    else:
        text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    return ToolFile(path, data, text, column, filter_)


def _read(file: ToolFile) -> ToolScores | list[Evaluation] | None:
    modules = (import_module(f"truebleu.human.tools.{name}") for name in READERS)
    reader: ModuleType | None = next((module for module in modules if module.knows(file)), None)
    if reader is None:
        file.refuse_damaged_json()
        return None
    if not file.text.strip():
        raise EmptyTextError(file.path)
    scores: ToolScores | list[Evaluation] = reader.read(file)
    return scores


def _folder(path: str, column: str, filter_: str) -> ToolScores:
    """The files of a folder, one for each system, with the same items in all of them."""
    names = sorted(entry.name for entry in os.scandir(path) if entry.is_file())
    parts = []
    for name in names:
        part = read_tool_scores(os.path.join(path, name), column, filter_)
        if part is None:
            expected = "scores that a tool wrote, such as a number on each line"
            raise MalformedFileError(os.path.join(path, name), None, "something else", expected)
        parts.append(part)
    if not parts:
        raise SettingError("path", path, "a folder with a file of scores for each system")
    return ToolScores.together(path, parts)
