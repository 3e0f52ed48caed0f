"""Files that hold judgments of several language pairs: only one belongs to a test set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.corpus.human.columns import (
    LANGUAGE_PAIRS,
    SOURCE_LANGUAGES,
    TARGET_LANGUAGES,
    HumanTable,
)
from truebleu.corpus.tables import Table
from truebleu.errors import MalformedFileError, MissingColumnError, SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.human.request import Request


class _SomeRows(Table):
    """Some rows of a table, on the lines where they were."""

    def __init__(self, table: Table, rows: Sequence[int]) -> None:
        super().__init__(table.path, table.columns)
        self._table, self._rows = table, rows

    def values(self, column: str) -> Sequence[object]:
        """The values of a column in these rows."""
        every = self._table.values(column)
        return [every[row] for row in self._rows]

    def line(self, row: int) -> int | None:
        """The line of a row in the whole table."""
        return self._table.line(self._rows[row])


def of_one_pair(table: HumanTable, request: Request) -> HumanTable:
    """The rows of the language pair that was chosen, where a table has columns for languages.

    Raises:
        CorpusError: When there are several and none was chosen, or the chosen one is not there.
        SettingError: When one was chosen, and nothing tells the language pairs apart.
    """
    pairs = _pairs(table)
    if pairs is None:
        refuse_language_pair(table.path, request)
        return table
    rows = rows_of_pair(table.path, pairs, request)
    if len(rows) == table.rows:
        return table
    return HumanTable(_SomeRows(table.table, rows), table.digest, len(rows))


def _pairs(table: HumanTable) -> Sequence[str] | None:
    pairs = table.labels(LANGUAGE_PAIRS)
    if pairs is not None:
        return pairs
    sources, targets = table.labels(SOURCE_LANGUAGES), table.labels(TARGET_LANGUAGES)
    if sources is None or targets is None:
        return None
    return [f"{source}-{target}" for source, target in zip(sources, targets, strict=True)]


def refuse_language_pair(label: str, request: Request) -> None:
    """Refuses the choice of a language pair from a file that does not tell them apart."""
    if request.language_pair is not None:
        expected = f"none: {label} does not say of which language pair a judgment is"
        raise SettingError("language_pair", request.language_pair, expected)


def rows_of_pair(label: str, pairs: Sequence[str], request: Request) -> list[int]:
    """The rows of the language pair that was chosen, or all where there is only one.

    Raises:
        CorpusError: When there are several and none was chosen, or the chosen one is not there.
    """
    known = sorted(set(pairs))
    wanted = request.language_pair
    if wanted is None:
        if len(known) > 1:
            found = f"judgments of {len(known)} language pairs, {', '.join(known)}"
            expected = f"one to be chosen, as in language_pair={known[0]!r} (--language-pair)"
            raise MalformedFileError(label, None, found, expected)
        return list(range(len(pairs)))
    rows = [row for row, pair in enumerate(pairs) if pair.lower() == wanted.lower()]
    if not rows:
        raise MissingColumnError(label, "language pair", wanted, known)
    return rows
