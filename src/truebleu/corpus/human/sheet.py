"""From the judgments in a file to one score per system and segment."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, sqrt
from typing import TYPE_CHECKING

from truebleu.corpus.human.places import places_of
from truebleu.corpus.human.request import listed
from truebleu.corpus.human.scores import HumanScores
from truebleu.errors import EmptyTextError, MalformedFileError, SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.human.places import Addresses
    from truebleu.corpus.human.request import Request
    from truebleu.corpus.human.scores import Level


#: Larger scores are mistakes, and their squares are no numbers.
LARGEST = 1e100


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Judgments as a file has them, one per row.

    Attributes:
        label: The file.
        digest: The start of the SHA-256 of the file.
        lines: The line of each row; None where the file has no lines.
        systems: The system of each row.
        scores: The score of each row, higher is better; None where it is missing.
        raters: Who gave the score; None where nobody says.
        made: How the scores were made, as parts of the signature.
        standardized: Whether the file has z-scores already.
        notes: What a reader of the numbers should know.
    """

    label: str
    digest: str
    lines: Sequence[int | None]
    systems: Sequence[str]
    scores: Sequence[float | None]
    raters: Sequence[str] | None = None
    made: tuple[str, ...] = ()
    standardized: bool = False
    notes: tuple[str, ...] = ()


def segment_scores(sheet: Sheet, addresses: Addresses, request: Request) -> HumanScores:
    """The scores of a sheet whose rows are about segments."""
    rows = known_rows(sheet.label, sheet.lines, sheet.systems, request)
    places, way = places_of(addresses, rows, request)
    made = (*sheet.made, f"match:{way}")
    return item_scores(sheet, rows, places, request, "segment", request.segments, None, made)


def item_scores(
    sheet: Sheet,
    rows: Sequence[int],
    places: Sequence[int],
    request: Request,
    level: Level,
    size: int,
    items: tuple[str, ...] | None,
    made: Sequence[str],
) -> HumanScores:
    """The scores of some rows of a sheet, each at its place among `size` items."""
    _refuse_twice(sheet, rows, places, level, items)
    _refuse_huge(sheet)
    given, notes = _standardized(sheet, request)
    cells: dict[str, list[list[float]]] = {}
    for row, place in zip(rows, places, strict=True):
        score = given[row]
        if score is not None:
            system = sheet.systems[row]
            if system not in cells:
                cells[system] = [[] for _ in range(size)]
            cells[system][place].append(score)
    judged = [system for system in request.systems if system in cells]
    _refuse_few(sheet.label, judged)
    parts = ("human", *made, f"raters:{_averaging(sheet, request)}", f"scores:{sheet.digest}")
    kept = set(request.systems)
    return HumanScores(
        label=sheet.label,
        level=level,
        # Rows of other files come in another order: the exactly rounded sum does not depend on it.
        scores={
            system: tuple(fsum(c) / len(c) + 0.0 if c else None for c in cells[system])
            for system in judged
        },
        items=items,
        raters=_number_of_raters(sheet, rows),
        signature="|".join(parts),
        ignored=tuple(name for name in dict.fromkeys(sheet.systems) if name not in kept),
        notes=(*sheet.notes, *notes),
    )


def known_rows(
    label: str, lines: Sequence[int | None], systems: Sequence[str], request: Request
) -> list[int]:
    """The rows about systems of the test set.

    Raises:
        MalformedFileError: When there are none, or when there are others that are not ignored.
    """
    if not systems:
        raise EmptyTextError(label)
    known = set(request.systems)
    rows = [row for row, system in enumerate(systems) if system in known]
    unknown = [name for name in dict.fromkeys(systems) if name not in known]
    if not rows:
        found = f"judgments of {listed(unknown)}, none of which is a system of the test set"
        expected = f"{request.known}; name outputs as the file does, as in NAME=FILE"
        raise MalformedFileError(label, lines[0], found, expected)
    if unknown and request.others == "refuse":
        first = next(row for row, system in enumerate(systems) if system not in known)
        found = f"a judgment of {unknown[0]!r}, which is no system of the test set"
        if len(unknown) > 1:
            found += f" (nor {'is' if len(unknown) == 2 else 'are'} {listed(unknown[1:])})"
        expected = (
            f"only {request.known}; give the other outputs too, or leave out their judgments with "
            "others='ignore' (--ignore-unknown-systems)"
        )
        raise MalformedFileError(label, lines[first], found, expected)
    return rows


def _refuse_few(label: str, judged: Sequence[str]) -> None:
    if len(judged) < 2:
        found = "no score" if not judged else f"scores of {judged[0]!r} only"
        expected = "those of at least two systems of the test set"
        raise MalformedFileError(label, None, found, expected)


def _refuse_huge(sheet: Sheet) -> None:
    """Refuses what cannot be squared and added up."""
    for row, score in enumerate(sheet.scores):
        if score is not None and abs(score) > LARGEST:
            found = f"the score {score:g}"
            expected = f"a number between -{LARGEST:g} and {LARGEST:g}"
            raise MalformedFileError(sheet.label, sheet.lines[row], found, expected)


def _refuse_twice(
    sheet: Sheet,
    rows: Sequence[int],
    places: Sequence[int],
    level: Level,
    items: tuple[str, ...] | None,
) -> None:
    systems, raters = sheet.systems, sheet.raters
    seen: dict[tuple[str, int, str | None], int] = {}
    for row, place in zip(rows, places, strict=True):
        rater = None if raters is None else raters[row]
        earlier = seen.setdefault((systems[row], place, rater), row)
        if earlier != row:
            what = {"segment": f" for segment {place + 1}", "system": ""}.get(level)
            if what is None:
                what = f" for {level} {items[place]!r}" if items else ""
            by = "" if rater is None else f" by rater {rater!r}"
            found = f"a second score of {systems[row]!r}{what}{by}"
            line = sheet.lines[earlier]
            expected = "one" if line is None else f"one, which is on line {line}"
            if rater is None:
                expected += "; scores of several raters need a column 'rater'"
            raise MalformedFileError(sheet.label, sheet.lines[row], found, expected)


def _number_of_raters(sheet: Sheet, rows: Sequence[int]) -> int:
    if sheet.raters is None:
        return 1
    return len({sheet.raters[row] for row in rows if sheet.scores[row] is not None})


def _averaging(sheet: Sheet, request: Request) -> str:
    return "z" if sheet.standardized else request.raters


def _standardized(sheet: Sheet, request: Request) -> tuple[Sequence[float | None], tuple[str, ...]]:
    """The scores as they count: raw, or z-scores within each rater's own judgments."""
    if request.raters == "mean" or sheet.standardized:
        return sheet.scores, ()
    if sheet.raters is None:
        expected = f"'mean', as {sheet.label} does not say who gave which score"
        raise SettingError("raters", "z", expected)
    # A rater's scale is that of all their judgments, also of systems that were not given.
    by_rater: dict[str, list[float]] = {}
    for rater, score in zip(sheet.raters, sheet.scores, strict=True):
        if score is not None:
            by_rater.setdefault(rater, []).append(score)
    scales = {rater: _scale(scores) for rater, scores in by_rater.items()}
    removed = sorted(rater for rater, scale in scales.items() if scale is None)
    given: list[float | None] = []
    for rater, score in zip(sheet.raters, sheet.scores, strict=True):
        scale = scales.get(rater)
        given.append(None if score is None or scale is None else (score - scale[0]) / scale[1])
    if not removed:
        return given, ()
    verb = "gives" if len(removed) == 1 else "give"
    note = f"{listed(removed)} {verb} every output one score and cannot be standardized: left out"
    return given, (note,)


def _scale(scores: Sequence[float]) -> tuple[float, float] | None:
    """Mean and standard deviation (n - 1, as in WMT's scripts); None where all are the same."""
    if min(scores) == max(scores):
        return None
    mean = fsum(scores) / len(scores)
    deviation = sqrt(fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1))
    # Numbers that differ by less than their squares can show, or by more.
    return (mean, deviation) if 0 < deviation < float("inf") else None
