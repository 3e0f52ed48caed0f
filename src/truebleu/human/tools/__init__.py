"""Files that other evaluation tools write: told apart by what is in them, one reader for each.

A reader is a module with two functions: `knows` says whether a file is of its kind, `read` gives
the scores. The first that knows a file reads it; what none knows is a table of scores.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode
from truebleu.errors import EmptyTextError, MalformedFileError, SettingError
from truebleu.human.tools._scores import ToolFile, ToolScores

if TYPE_CHECKING:
    from types import ModuleType

#: The readers, the surest signs first.
READERS = ("comet", "metricx", "lm_eval", "inspect", "every_eval_ever", "wmt_metrics", "numbers")


def read_tool_scores(path: str, column: str = "") -> ToolScores | None:
    """The scores in a file of a tool, or in a folder with such a file for each system.

    Args:
        path: the file or folder.
        column: which score to take, where a file has several; else empty.

    Returns:
        The scores; None for a file that is of none of these tools.
    """
    if os.path.isdir(path):
        return _folder(path, column)
    return _file(path, column)


def _file(path: str, column: str) -> ToolScores | None:
    data = Files().contents(path)
    if data[:4] == b"PK\x03\x04":
        expected = "a log in JSON: inspect log convert --to json, or a table of scores"
        raise MalformedFileError(path, None, "a zip archive, such as Inspect's .eval", expected)
    if data[:4] == b"PAR1":
        return None  # a table in Parquet
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    file = ToolFile(path, data, text, column)
    reader = _reader(file)
    if reader is None:
        return None
    if not text.strip():
        raise EmptyTextError(path)
    scores: ToolScores = reader.read(file)
    return scores


def _reader(file: ToolFile) -> ModuleType | None:
    modules = (import_module(f"truebleu.human.tools.{name}") for name in READERS)
    return next((module for module in modules if module.knows(file)), None)


def _folder(path: str, column: str) -> ToolScores:
    """The files of a folder, one for each system, with the same items in all of them."""
    names = sorted(entry.name for entry in os.scandir(path) if entry.is_file())
    parts = []
    for name in names:
        part = _file(os.path.join(path, name), column)
        if part is None:
            expected = "scores that a tool wrote, such as a number on each line"
            raise MalformedFileError(os.path.join(path, name), None, "something else", expected)
        parts.append(part)
    if not parts:
        raise SettingError("path", path, "a folder with a file of scores for each system")
    return ToolScores.together(path, parts)
