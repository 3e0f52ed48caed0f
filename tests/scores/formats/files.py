"""Files as other tools write them, by their published formats, and what tests ask of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from truebleu.scores.evaluations import ScoreFile
from truebleu.scores.formats import format_of
from truebleu.scores.given import read_segment_scores

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from truebleu.scores.pairing import SegmentScores


def written(folder: Path, name: str, text: str) -> str:
    """The path of a file with this text."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return str(file)


def json_lines(records: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def read(path: str, column: str = "", filter_: str = "") -> SegmentScores:
    """Read the scores of a file that some tool is known to have written."""
    return read_segment_scores(path, column=column, filter_=filter_)


def is_table(path: str) -> bool:
    """Whether a file is of no tool."""
    return format_of(ScoreFile.read(path)) is None
