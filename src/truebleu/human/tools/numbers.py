"""One answer on each line, as BLEURT and GEMBA write them: one system's scores, in order.

``None`` is an answer that could not be read: a missing score, never 0. With ``--list_mqm_errors``,
GEMBA-MQM writes the errors themselves as Python writes a dict: they count as it counts them, minus
25 for a critical one, 5 for a major and 1 for a minor, of the five gravest, and at most 25.
"""

from __future__ import annotations

from ast import literal_eval
from typing import TYPE_CHECKING

from truebleu.human._tables import NotAScoreError, parse_score
from truebleu.human.tools._scores import ToolScores, shortened, system_of

if TYPE_CHECKING:
    from truebleu.human.tools._scores import ToolFile

#: How lists of errors begin; GEMBA's own class of dicts is written with its name.
LISTS = ("{", "defaultdict(<class 'list'>, {")
WEIGHTS = {"critical": 25, "major": 5, "minor": 1}
MOST_ERRORS, MOST = 5, 25


def knows(file: ToolFile) -> bool:
    """Whether the first line is a number, a list of errors, or says that there is none."""
    first = file.lines[0].strip() if file.lines else ""
    if first.startswith(LISTS):
        return _errors(first) is not None
    try:
        return first == "None" or (bool(first) and isinstance(parse_score(first), float))
    except NotAScoreError:
        return False


def read(file: ToolFile) -> ToolScores:
    """The scores of the system that the file is named after."""
    file.refuse_column("such a file")
    is_list = any(line.lstrip().startswith(LISTS) for line in file.lines)
    scores: list[float | None] = []
    for number, line in enumerate(map(str.strip, file.lines), 1):
        if not line:
            file.refuse(number, "a blank line", "a number, or None where there is none")
        if is_list and line != "None":
            scores.append(_gemba_score(file, line, number))
        else:
            scores.append(file.score(line, number))
    name, higher_is_better = ("GEMBA-MQM", True) if is_list else ("", None)
    return ToolScores.from_file(file, name, higher_is_better, {system_of(file.path): scores})


def _gemba_score(file: ToolFile, line: str, number: int) -> float:
    errors = _errors(line)
    if errors is None:
        expected = "None, or lists of errors such as {'major': ['style - awkward']}"
        file.refuse(number, shortened(line), expected)
    gravest = [weight for level, weight in WEIGHTS.items() for _ in errors.get(level, ())]
    return 0.0 - min(MOST, sum(gravest[:MOST_ERRORS]))


def _errors(line: str) -> dict[str, list[object]] | None:
    """Errors by their severity; None where a line has something else."""
    start = line.find("{")
    written = line[start:].removesuffix(")") if start > 0 else line
    try:
        errors = literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    known = isinstance(errors, dict) and errors.keys() <= WEIGHTS.keys()
    return errors if known and all(isinstance(given, list) for given in errors.values()) else None
