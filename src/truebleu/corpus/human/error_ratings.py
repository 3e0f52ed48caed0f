"""Error spans as mt-metrics-eval keeps them: lines of .seg.rating files, or JSON lines."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from truebleu.corpus.human.mqm import penalty, weightless
from truebleu.corpus.human.mqm_weights import HARMLESS, LARGEST, Weights, mqm_weights
from truebleu.corpus.human.places import Addresses
from truebleu.corpus.human.sheet import Sheet, segment_scores
from truebleu.corpus.human.unnumbered import counted_scores
from truebleu.corpus.lines import BYTE_ORDER_MARK, decode
from truebleu.corpus.score_values import digest
from truebleu.errors import EmptyTextError, MalformedFileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.human.columns import HumanTable
    from truebleu.corpus.human.request import Request
    from truebleu.corpus.human.scores import HumanScores


class _Scorer:
    """Scores lists of errors, and remembers severities that weigh nothing."""

    def __init__(self, request: Request) -> None:
        self.weights: Weights = mqm_weights(request.weights)
        self.own = request.weights is None
        self.unknown: Counter[str] = Counter()
        self.used_own = False

    def score(self, path: str, line: int | None, errors: object) -> float:
        """Minus the sum of the errors' weights."""
        if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
            found = f"errors of type {type(errors).__name__}"
            raise MalformedFileError(path, line, found, 'a list of objects, {"severity": "major"}')
        return penalty([self._weight(path, line, error) for error in errors])

    def _weight(self, path: str, line: int | None, error: dict[str, object]) -> float:
        given = error.get("score")
        if self.own and given is not None:
            # The weight that whoever published the ratings gave; its sign varies.
            number = given if isinstance(given, int | float) else None
            if number is None or not abs(number) <= LARGEST:
                found = f"{given!r} as score of an error"
                raise MalformedFileError(path, line, found, f"a number up to {LARGEST:g}")
            self.used_own = True
            return abs(float(number))
        severity = str(error.get("severity") or "")
        weight = self.weights.of(severity, str(error.get("category") or ""))
        if weight is None and severity.strip().lower() not in HARMLESS:
            self.unknown[severity.strip()] += 1
        return weight or 0.0

    def made(self) -> tuple[str, ...]:
        """Parts of the signature."""
        name = "published" if self.used_own else self.weights.name
        return ("format:ratings", f"weights:{name}")

    def notes(self) -> tuple[str, ...]:
        """Notes on what weighed nothing."""
        return weightless(self.unknown, self.weights)


def is_rating_line(line: str) -> bool:
    """Whether a line is SYSTEM, a JSON object of errors, and perhaps the rater."""
    fields = line.split("\t")
    return len(fields) in (2, 3) and fields[1].lstrip().startswith('{"errors"')


def read_rating_lines(
    path: str, data: bytes, request: Request, *, canary: bool | None = None
) -> HumanScores:
    """Scores from lines of SYSTEM, errors as JSON or None, and perhaps RATER."""
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK).removesuffix("\n")
    if not text:
        raise EmptyTextError(path)
    scorer = _Scorer(request)
    systems: list[str] = []
    scores: list[float | None] = []
    raters: list[str] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        fields = line.removesuffix("\r").split("\t")
        if len(fields) not in (2, 3):
            expected = "2 or 3: system, errors, rater"
            raise MalformedFileError(path, number, f"{len(fields)} fields", expected)
        systems.append(fields[0])
        scores.append(_line_score(path, number, fields[1].strip(), scorer))
        raters.append(fields[2].strip() if len(fields) == 3 else "")
    sheet = Sheet(
        label=path,
        digest=digest(data),
        lines=range(1, len(lines) + 1),
        systems=systems,
        scores=scores,
        raters=raters if any(raters) else None,
        made=scorer.made(),
        notes=scorer.notes(),
    )
    return counted_scores(sheet, request, "segment", canary=canary, shared=True)


def _line_score(path: str, line: int, written: str, scorer: _Scorer) -> float | None:
    if written.lower() in ("none", "null", ""):
        return None
    try:
        rating = json.loads(written)
    except (ValueError, RecursionError) as error:
        found = f"no valid JSON ({error})"
        raise MalformedFileError(path, line, found, 'None or {"errors": […]}') from None
    if not isinstance(rating, dict):
        found = f"JSON of type {type(rating).__name__}"
        raise MalformedFileError(path, line, found, 'None or {"errors": […]}')
    return scorer.score(path, line, rating.get("errors", []))


def is_rating_table(columns: Sequence[str]) -> bool:
    """Whether JSON lines with these keys are stand-alone ratings."""
    return {"errors", "system_id", "segment_id"} <= set(columns)


def read_rating_table(table: HumanTable, request: Request) -> HumanScores:
    """Scores from JSON lines with system_id, segment_id from 0, errors and perhaps rater_id."""
    every = table.table
    scorer = _Scorer(request)
    errors = every.values("errors")
    lines = table.lines()
    scores = [
        None if marked is None else scorer.score(table.path, line, marked)
        for line, marked in zip(lines, errors, strict=True)
    ]
    raters = every.values("rater_id") if "rater_id" in every.columns else None
    told = raters is not None and any(rater is not None for rater in raters)
    sheet = Sheet(
        label=table.path,
        digest=table.digest,
        lines=lines,
        systems=every.labels("system_id"),
        scores=scores,
        raters=every.labels("rater_id") if told else None,
        made=scorer.made(),
        notes=scorer.notes(),
    )
    addresses = Addresses(
        label=table.path,
        lines=lines,
        numbers=every.values("segment_id"),
        documents=every.labels("document_id") if "document_id" in every.columns else None,
        first=0,
        name="segment_id",
    )
    return segment_scores(sheet, addresses, request)
