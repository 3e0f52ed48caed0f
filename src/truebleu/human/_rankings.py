"""Pairwise judgments: two systems and a verdict, or WMT's rankings of up to five outputs."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from truebleu.errors import MalformedFileError, SettingError
from truebleu.human._matching import Rows, known_rows, places_of
from truebleu.human._tables import (
    DOCUMENTS,
    LEFT,
    NOTHING,
    RATERS,
    RIGHT,
    SEGMENTS,
    VERDICTS,
    ranked_columns,
    whole_number,
)
from truebleu.human.scores import Judgment, PairwiseJudgments, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.human._tables import HumanTable, RankedColumns
    from truebleu.human.scores import Request, Verdict

#: What is said of the left output, in lower case.
WORDS: dict[str, Verdict] = {
    **dict.fromkeys(("better", "win", "wins", "won", ">", "1", "+1", "1.0", "left"), 1),
    **dict.fromkeys(("worse", "loss", "loses", "lose", "lost", "<", "-1", "-1.0", "right"), -1),
    **dict.fromkeys(("tied", "tie", "equal", "draw", "same", "=", "==", "0", "0.0", "both"), 0),
}


class _Verdict(NamedTuple):
    """A row of the table, and what it says of two systems."""

    row: int
    left: str
    right: str
    verdict: Verdict


def read_rankings(table: HumanTable, request: Request) -> PairwiseJudgments:
    """All comparisons of two systems that a table has."""
    if request.raters == "z":
        expected = "'mean': judgments of which output is better have no scale"
        raise SettingError("raters", "z", expected)
    ranked = ranked_columns(table)
    if ranked is not None and request.column is not None:
        expected = f"none: ranks are in the {table.table.column_word}s {', '.join(ranked.ranks)}"
        raise SettingError("column", request.column, expected)
    verdicts = _plain(table, request) if ranked is None else _expanded(table, ranked, request)
    if not verdicts:
        found = "no comparison of two systems"
        raise MalformedFileError(table.path, None, found, "at least one judgment")
    lines = [table.table.line(verdict.row) for verdict in verdicts for _ in range(2)]
    names = [name for verdict in verdicts for name in (verdict.left, verdict.right)]
    known_rows(table.path, lines, names, request)
    known = set(request.systems)
    kept = [v for v in verdicts if v.left in known and v.right in known]
    if not kept:
        found = "no comparison of two systems of the test set"
        raise MalformedFileError(table.path, None, found, f"some between {request.known}")
    places, way = _places(table, [verdict.row for verdict in kept], request)
    raters = table.labels(RATERS)
    judgments = tuple(
        Judgment(place, v.left, v.right, v.verdict, None if raters is None else raters[v.row])
        for v, place in zip(kept, places, strict=True)
    )
    # WMT gave annotators some rankings twice, to see whether they agree with themselves.
    if ranked is None or raters is None:
        _refuse_twice(table, kept, judgments)
    judged = {name for j in judgments for name in (j.left, j.right)}
    form = "pairs" if ranked is None else "ranks"
    return PairwiseJudgments(
        label=table.path,
        systems=tuple(name for name in request.systems if name in judged),
        judgments=judgments,
        raters=1 if raters is None else len({judgment.rater for judgment in judgments}),
        signature=f"human|format:rankings|form:{form}|match:{way}|scores:{table.digest}",
        ignored=tuple(name for name in dict.fromkeys(names) if name not in known),
    )


def _plain(table: HumanTable, request: Request) -> list[_Verdict]:
    left, right = table.labels(LEFT), table.labels(RIGHT)
    column = request.column or table.column(VERDICTS)
    if left is None or right is None or column is None:
        found = f"the {table.table.column_word}s {', '.join(table.table.columns)}"
        expected = (
            "segment, system1, system2 and judgment, or system1Id, system1rank and so on "
            "as in WMT's rankings"
        )
        raise MalformedFileError(table.path, None, found, expected)
    # Columns named in the request exist or are refused here.
    values = table.table.labels(column) if request.column else table.table.values(column)
    verdicts = []
    for row, value in enumerate(values):
        if left[row] == right[row]:
            found = f"{left[row]!r} compared with itself"
            raise MalformedFileError(table.path, table.table.line(row), found, "two systems")
        if value is None or str(value).strip().lower() in NOTHING:
            continue
        verdict = _verdict(str(value).strip(), left[row], right[row])
        if verdict is None:
            found = f"{value!r} in {table.table.column_word} {column!r}"
            expected = "better, worse or tied; win, loss or tie; >, < or =; 1, -1 or 0"
            raise MalformedFileError(table.path, table.table.line(row), found, expected)
        verdicts.append(_Verdict(row, left[row], right[row], verdict))
    return verdicts


def _verdict(word: str, left: str, right: str) -> Verdict | None:
    # The name of the better system is a verdict too.
    if word in (left, right):
        return 1 if word == left else -1
    return WORDS.get(word.lower())


def _expanded(table: HumanTable, ranked: RankedColumns, request: Request) -> list[_Verdict]:
    """Every pair of outputs in each ranking; the lower rank is the better one."""
    systems = [table.table.labels(column) for column in ranked.systems]
    ranks = [table.table.values(column) for column in ranked.ranks]
    known = set(request.systems)
    verdicts = []
    for row in range(table.rows):
        entries = []
        for names, column, values in zip(systems, ranked.ranks, ranks, strict=True):
            rank = _rank(table, row, column, values[row])
            if rank is not None and names[row].strip().lower() not in NOTHING:
                # Outputs that are the same were judged once, as A+B.
                entries += [(name, rank) for name in _parts(names[row], known)]
        verdicts += [
            _Verdict(row, left, right, _sign(other - rank))
            for (left, rank), (right, other) in combinations(entries, 2)
            if left != right
        ]
    return verdicts


def _sign(number: int) -> Verdict:
    if number == 0:
        return 0
    return 1 if number > 0 else -1


def _parts(name: str, known: set[str]) -> list[str]:
    parts = name.split("+")
    return [name] if name in known or not set(parts) & known else parts


def _rank(table: HumanTable, row: int, column: str, value: object) -> int | None:
    """A rank from 1; None where an output was not ranked, which is written -1."""
    if value is None or str(value).strip().lower() in NOTHING:
        return None
    rank = whole_number(value)
    if rank is None or rank < -1:
        found = f"{value!r} in {table.table.column_word} {column!r}"
        raise MalformedFileError(table.path, table.table.line(row), found, "a rank, 1 for the best")
    return rank if rank > 0 else None


def _places(table: HumanTable, rows: Sequence[int], request: Request) -> tuple[list[int], str]:
    index = ("srcindex", "src_index")
    numbers = table.values((*index, *SEGMENTS))
    if numbers is None:
        found = f"the {table.table.column_word}s {', '.join(table.table.columns)}"
        raise MalformedFileError(table.path, None, found, "one for the segment, called 'segment'")
    documents = table.labels(DOCUMENTS)
    if documents is not None and not set(documents) - {"-1", ""}:
        documents = None
    both = documents is not None and table.column(index) is not None
    file = Rows(
        label=table.path,
        lines=table.lines(),
        numbers=numbers,
        documents=documents,
        document_numbers=table.values(SEGMENTS) if both else None,
        name=table.column((*index, *SEGMENTS)) or "segment",
    )
    return places_of(file, rows, request)


def _refuse_twice(
    table: HumanTable, kept: Sequence[_Verdict], judgments: Sequence[Judgment]
) -> None:
    seen: dict[tuple[int, frozenset[str], str | None], int] = {}
    for verdict, judgment in zip(kept, judgments, strict=True):
        pair = frozenset((judgment.left, judgment.right))
        earlier = seen.setdefault((judgment.segment, pair, judgment.rater), verdict.row)
        if earlier != verdict.row:
            by = "" if judgment.rater is None else f" by rater {judgment.rater!r}"
            both = listed(sorted(pair))
            found = f"a second comparison of {both} for segment {judgment.segment + 1}{by}"
            line = table.table.line(earlier)
            expected = "one" if line is None else f"one, which is on line {line}"
            if judgment.rater is None:
                expected += "; judgments of several raters need a column 'rater'"
            raise MalformedFileError(table.path, table.table.line(verdict.row), found, expected)
