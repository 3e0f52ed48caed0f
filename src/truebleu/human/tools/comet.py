"""COMET: what ``comet-score`` prints, and the JSON of comet-score and comet-compare.

Higher is better. The model's name is in no file of comet-score: give it by ``name=``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from truebleu.human.tools._scores import NumberedScores, ToolScores, system_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.human.tools._scores import ToolFile

NAME = "COMET"
TOTAL = re.compile(r"(?P<file>[^\t]+)\tscore: (?P<score>-?\d+\.\d+)$")
# Scores have four decimals, and so has their mean.
ROUNDED = 1e-4
LINE = re.compile(r"(?P<file>.+)\tSegment (?P<segment>\d{1,9})\tscore: (?P<score>\S+)$")


def knows(file: ToolFile) -> bool:
    """Whether comet-score or comet-compare wrote the file."""
    if isinstance(file.json, dict):
        return _is_comparison(file.json) or _is_scores(file.json)
    return any(LINE.match(line) for line in file.lines)


def _is_comparison(values: dict[str, object]) -> bool:
    return "statistical_results" in values and "translations" in values


def _is_scores(values: dict[str, object]) -> bool:
    return bool(values) and all(
        isinstance(rows, list) and rows and isinstance(rows[0], dict) and NAME in rows[0]
        for rows in values.values()
    )


def read(file: ToolFile) -> ToolScores:
    """The segment scores of every system."""
    file.refuse_column("COMET")
    if not isinstance(file.json, dict):
        return _printed(file)
    if _is_comparison(file.json):
        return _comparison(file)
    by_system: dict[str, list[float | None]] = {}
    texts: dict[str, Sequence[str]] = {}
    for path, rows in file.json.items():
        scores, outputs = [], []
        for number, row in enumerate(rows, 1):
            if not isinstance(row, dict) or NAME not in row:
                file.refuse(None, f"segment {number} of {path} without {NAME}", "one for each")
            scores.append(file.score(row[NAME], None, f"segment {number} of {path}:"))
            outputs.append(row.get("mt"))
        _add(file, by_system, path, scores)
        _keep(texts, path, outputs)
    return ToolScores.from_file(file, NAME, True, by_system, texts=texts)


def _comparison(file: ToolFile) -> ToolScores:
    by_system: dict[str, list[float | None]] = {}
    texts: dict[str, Sequence[str]] = {}
    for translation in file.json["translations"]:
        if not isinstance(translation, dict) or not isinstance(translation.get("scores"), list):
            file.refuse(None, "a translation without scores", "name and scores of each")
        path = str(translation.get("name", ""))
        scores = [file.score(value, None, f"a score of {path}:") for value in translation["scores"]]
        _add(file, by_system, path, scores)
        outputs = translation.get("mt")
        if isinstance(outputs, list) and len(outputs) == len(scores):
            _keep(texts, path, outputs)
    model = file.json.get("model")
    name = model.rsplit("/", 1)[-1] if isinstance(model, str) else NAME
    return ToolScores.from_file(file, name, True, by_system, texts=texts)


def _printed(file: ToolFile) -> ToolScores:
    """Lines of segments; logs and whatever else was caught with them are passed over.

    A system's own line must be the mean of its segments, or some of them are missing.
    """
    numbered = NumberedScores(file, first=0)
    totals: dict[str, tuple[int, float]] = {}
    for number, line in enumerate(file.lines, 1):
        match = LINE.match(line)
        if match is None:
            total = TOTAL.match(line)
            if total is not None:
                totals[total["file"]] = number, float(total["score"])
            continue
        score = file.score(match["score"], number)
        numbered.add(match["file"], int(match["segment"]), number, score)
    by_system: dict[str, list[float | None]] = {}
    for path, scores in numbered.by_system().items():
        known = [score for score in scores if score is not None]
        number, written = totals.get(path, (0, 0.0))
        if number and known and abs(sum(known) / len(known) - written) > ROUNDED:
            expected = f"{sum(known) / len(known):.4f}, the mean of its {len(known)} segments above"
            file.refuse(number, f"{path} with {written:.4f}", expected)
        _add(file, by_system, path, scores)
    return ToolScores.from_file(file, NAME, True, by_system)


def _keep(texts: dict[str, Sequence[str]], path: str, outputs: Sequence[object]) -> None:
    """Keep the outputs that were scored, where all of them are there."""
    if all(isinstance(text, str) for text in outputs):
        texts[system_of(path)] = cast("Sequence[str]", outputs)


def _add(
    file: ToolFile,
    by_system: dict[str, list[float | None]],
    path: str,
    scores: list[float | None],
) -> None:
    system = system_of(path)
    if system in by_system:
        file.refuse(None, f"two files called {system!r}", "another name for each system")
    by_system[system] = scores
