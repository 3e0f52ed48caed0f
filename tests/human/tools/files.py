"""Files as other tools write them, by their published formats, and what tests ask of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from truebleu.human.tools import read_tool_scores

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from truebleu.human.tools._scores import ToolScores


def written(folder: Path, name: str, text: str) -> str:
    """The path of a file with this text."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return str(file)


def json_lines(records: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def read(path: str, column: str = "", filter_: str = "") -> ToolScores:
    """The scores of a file that some tool is known to have written."""
    scores = read_tool_scores(path, column, filter_)
    assert scores is not None, path
    return scores
