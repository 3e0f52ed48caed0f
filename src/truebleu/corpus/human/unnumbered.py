"""Scores without numbers of segments: how many a system has tells what they are about."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from truebleu.corpus.human.sheet import item_scores, known_rows
from truebleu.errors import MalformedFileError, SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.human.request import Request
    from truebleu.corpus.human.scores import HumanScores, Level
    from truebleu.corpus.human.sheet import Sheet


def counted_scores(
    sheet: Sheet,
    request: Request,
    level: Level | None = None,
    *,
    canary: bool | None = None,
    shared: bool = False,
) -> HumanScores:
    """One score per system, or one for each of its segments or documents in their order.

    Args:
        sheet: The scores.
        request: The test set.
        level: What the scores are about, where that is known.
        canary: Whether the first of a system's segments or documents is not in the test set; None
            where that is not known, so that a first score which is missing for every system tells.
        shared: Whether raters shared the segments, so that a system has one score of each;
            otherwise every rater has all.
    """
    _refuse_numbering(sheet.label, request)
    rows = known_rows(sheet.label, sheet.lines, sheet.systems, request)
    keys = _keys(sheet, shared=shared)
    turns = Counter(keys[row] for row in rows)
    items = None if request.documents is None else tuple(dict.fromkeys(request.documents))
    sizes: dict[Level, int] = {"system": 1, "segment": request.segments}
    if items is not None:
        sizes["document"] = len(items)
    if level is not None:
        sizes = {level: sizes[level]} if level in sizes else {}
    shift = 1 if canary else 0
    for name, size in sizes.items():
        lead = 0 if name == "system" else shift
        if set(turns.values()) <= {size + lead}:
            return _placed(sheet, rows, keys, request, name, size, items, lead)
    firsts = _first_rows(sheet, rows)
    if canary is None and all(sheet.scores[row] is None for row in firsts):
        for name, size in sizes.items():
            if name != "system" and set(turns.values()) <= {size + 1}:
                return _placed(sheet, rows, keys, request, name, size, items, 1)
    raise _wrong_number(sheet, turns, sizes, shift)


def named_scores(sheet: Sheet, names: Sequence[str], request: Request, level: Level) -> HumanScores:
    """Scores that name the document or domain they are about."""
    _refuse_numbering(sheet.label, request)
    rows = known_rows(sheet.label, sheet.lines, sheet.systems, request)
    if level == "document" and request.documents is not None:
        items = tuple(dict.fromkeys(request.documents))
        for row in rows:
            if names[row] not in items:
                found = f"document {names[row]!r}"
                expected = f"a document of the test set, such as {items[0]!r}"
                raise MalformedFileError(sheet.label, sheet.lines[row], found, expected)
    else:
        # Domains are in the order of the alphabet, documents in that of the file.
        used = dict.fromkeys(names[row] for row in rows)
        items = tuple(used) if level == "document" else tuple(sorted(used))
    place = {name: i for i, name in enumerate(items)}
    places = [place[names[row]] for row in rows]
    return item_scores(
        sheet, rows, places, request, level, len(items), items, (*sheet.made, f"level:{level}")
    )


def _refuse_numbering(label: str, request: Request) -> None:
    """Refuses choices about numbers of segments where there are none."""
    choices = {"first_segment": request.first_segment, "match": request.match}
    for setting, value in choices.items():
        if value not in (None, "order"):
            expected = f"none: scores of {label} have no numbers of segments"
            raise SettingError(setting, value, expected)


def _keys(sheet: Sheet, *, shared: bool) -> Sequence[tuple[str, str | None]]:
    """Whose scores are counted together: a system's, or those of a system by a rater."""
    if sheet.raters is None or shared:
        return [(system, None) for system in sheet.systems]
    return list(zip(sheet.systems, sheet.raters, strict=True))


def _first_rows(sheet: Sheet, rows: Sequence[int]) -> list[int]:
    first: dict[str, int] = {}
    for row in rows:
        first.setdefault(sheet.systems[row], row)
    return list(first.values())


def _placed(
    sheet: Sheet,
    rows: Sequence[int],
    keys: Sequence[tuple[str, str | None]],
    request: Request,
    level: Level,
    size: int,
    items: tuple[str, ...] | None,
    lead: int,
) -> HumanScores:
    seen: Counter[tuple[str, str | None]] = Counter()
    kept, places = [], []
    for row in rows:
        place = seen[keys[row]] - lead
        seen[keys[row]] += 1
        if place >= 0:
            kept.append(row)
            places.append(place)
    made = (*sheet.made, f"level:{level}" if level != "segment" else "match:rows")
    names = items if level == "document" else None
    return item_scores(sheet, kept, places, request, level, size, names, made)


def _wrong_number(
    sheet: Sheet,
    turns: Counter[tuple[str, str | None]],
    sizes: dict[Level, int],
    shift: int,
) -> MalformedFileError:
    wanted = {size + (shift if level != "system" else 0): level for level, size in sizes.items()}
    (system, rater), number = next(
        ((key, n) for key, n in turns.items() if n not in wanted), next(iter(turns.items()))
    )
    by = "" if rater is None else f" by rater {rater!r}"
    different = sorted(set(turns.values()))
    scores = "1 score" if number == 1 else f"{number} scores"
    found = f"{scores} of {system!r}{by} without a number of the segment"
    if number in wanted and len(different) > 1:
        found += f", and {next(n for n in different if n != number)} of another system"
    choices = " or ".join(f"{size} (one per {level})" for size, level in sorted(wanted.items()))
    expected = (
        f"{choices or 'the documents of the test set'}; or add a column 'segment', "
        "and 'rater' where several people judged"
    )
    line = next(sheet.lines[row] for row, name in enumerate(sheet.systems) if name == system)
    return MalformedFileError(sheet.label, line, found, expected)
