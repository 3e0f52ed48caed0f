"""One number on each line, as BLEURT and GEMBA write them: one system's scores, in order.

``None`` is an answer that could not be read: a missing score, never 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.human._tables import NotAScoreError, parse_score
from truebleu.human.tools._scores import ToolScores, system_of

if TYPE_CHECKING:
    from truebleu.human.tools._scores import ToolFile


def knows(file: ToolFile) -> bool:
    """Whether the first line is a number, or says that there is none."""
    first = file.lines[0].strip() if file.lines else ""
    try:
        return first == "None" or (bool(first) and isinstance(parse_score(first), float))
    except NotAScoreError:
        return False


def read(file: ToolFile) -> ToolScores:
    """The scores of the system that the file is named after."""
    file.refuse_column("such a file")
    scores = []
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            file.refuse(number, "a blank line", "a number, or None where there is none")
        scores.append(file.score(line.strip(), number))
    return ToolScores.from_file(file, "", None, {system_of(file.path): scores})
