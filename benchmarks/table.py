"""Tables of results for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.results import Memory
from truebleu.reports.document import Column, Table, table_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.results import Speed

NONE = "-"


def row_line(row: Speed | Memory) -> str:
    """Format one row, to print once it is measured."""
    if isinstance(row, Memory):
        return f"{row.name}: {megabytes(row.peak)}, bar {megabytes(row.bar)}: {verdict(row.met)}\n"
    if row.problem:
        return f"{row.name}: {row.problem}\n"
    if row.peer_seconds is None:
        return f"{row.name}: {seconds(row.seconds)} by truebleu\n"
    times = f"{seconds(row.peer_seconds)} by {row.peer}, {seconds(row.seconds)} by truebleu"
    bar = "" if row.bar is None else f", bar {row.bar:g}×: {verdict(row.met)}"
    return f"{row.name}: {times}, {ratio(row.ratio)}{bar}\n"


def speed_table(rows: Sequence[Speed]) -> str:
    """Format times and ratios, with numbered notes below."""
    notes: list[str] = []
    cells = []
    for row in rows:
        mark = ""
        remark = row.problem or row.note
        if remark:
            notes.append(f"[{len(notes) + 1}] {remark}")
            mark = f" [{len(notes)}]"
        cells.append(
            (
                row.what + mark,
                row.peer,
                seconds(row.peer_seconds),
                seconds(row.seconds),
                ratio(row.ratio),
                NONE if row.bar is None else f"≥ {row.bar:g}×",
                verdict(row.met) if not row.problem else row.problem.partition(" (")[0],
            )
        )
    headings = (
        Column("what", "What"),
        Column("peer", "Peer"),
        Column("peer's time", "Peer's time", numeric=True),
        Column("truebleu's", "truebleu's", numeric=True),
        Column("ratio", "Ratio", numeric=True),
        Column("bar", "Bar", numeric=True),
        Column("met?", "Met?"),
    )
    return _written(headings, cells, notes)


def memory_table(rows: Sequence[Memory]) -> str:
    """Format peak memory and its limits."""
    headings = (
        Column("peak memory", "Peak memory"),
        Column("text", "Text", numeric=True),
        Column("before scoring", "Before scoring", numeric=True),
        Column("peak", "Peak", numeric=True),
        Column("bar", "Bar", numeric=True),
        Column("met?", "Met?"),
    )
    cells = [
        (
            row.what,
            megabytes(row.text),
            megabytes(row.before),
            megabytes(row.peak),
            f"≤ {megabytes(row.bar)}",
            verdict(row.met),
        )
        for row in rows
    ]
    return _written(headings, cells, ["Bar: 1.5 × text + 300 MB."])


def _written(
    columns: Sequence[Column], cells: Sequence[Sequence[str]], notes: Sequence[str]
) -> str:
    names = [column.name for column in columns]
    rows = tuple(dict(zip(names, row, strict=True)) for row in cells)
    return table_text(Table(tuple(columns), rows, tuple(notes))) + "\n"


def machine_lines(machine: Mapping[str, str]) -> str:
    """Format the description of the machine, a line for each item."""
    return "".join(f"{key}: {value}\n" for key, value in machine.items())


def seconds(value: float | None) -> str:
    """Format a time with three significant digits.

    >>> [seconds(value) for value in (0.00123, 0.0456, 12.34, 187.0, None)]
    ['1.23 ms', '45.6 ms', '12.3 s', '187 s', '-']
    """
    if value is None:
        return NONE
    amount, unit = (value * 1000, "ms") if value < 1 else (value, "s")
    return f"{_three_digits(amount)} {unit}"


def ratio(value: float | None) -> str:
    """Format a ratio of times.

    >>> [ratio(value) for value in (0.987, 12.34, 1234.5, None)]
    ['0.99×', '12.3×', '1,234×', '-']
    """
    return NONE if value is None else f"{_three_digits(value)}×"


def megabytes(value: int) -> str:
    """Format bytes in MB.

    >>> megabytes(1_234_567_890)
    '1,235 MB'
    """
    return f"{value / 1e6:,.0f} MB"


def verdict(met: bool | None) -> str:
    """Format whether a target is met: "yes", "NO", or a dash if unknown."""
    return NONE if met is None else "yes" if met else "NO"


def _three_digits(value: float) -> str:
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits}f}"
