"""Tables: texts side by side, each chosen by its column, and columns of labels."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar, NoReturn

from truebleu._core import Segments
from truebleu.corpus import locations
from truebleu.corpus.texts import (
    DOCUMENT_COLUMNS,
    DOMAIN_COLUMNS,
    LABEL_COLUMNS,
    Layout,
    NamedText,
)
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    UnencodableSegmentError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.texts import Role


class Table:
    """Columns of a file. Each format says how to get their values and on which lines they are."""

    #: How a message calls an item of the file, in the format's own words.
    column_word: ClassVar[str] = "column"

    def __init__(self, path: str, columns: Sequence[str]) -> None:
        self.path = path
        self.columns = tuple(columns)
        self.carriage_returns = 0
        self.byte_order_mark = False

    def values(self, column: str) -> Sequence[object]:
        """All values of a column that exists."""
        raise NotImplementedError

    def line(self, row: int) -> int | None:
        """The line of the file where a row starts, from 1; None where the format has no lines."""
        raise NotImplementedError

    def refuse_twins(self, line: int | None) -> None:
        """Raises MalformedFileError where two columns have one name; the line is the header's."""
        name, count = Counter(self.columns).most_common(1)[0] if self.columns else ("", 0)
        if count > 1:
            found = f"{count} {self.column_word}s called {name!r}"
            raise MalformedFileError(self.path, line, found, "a different name for each")

    def select(self, role: Role, name: str | None) -> list[NamedText]:
        """The text in a column, with the documents and domains that stand beside it."""
        column = self._only_column() if name is None else name
        if column not in self.columns:
            raise MissingColumnError(self.path, self.column_word, column, self.columns)
        label = self.path if name is None else f"{self.path}#{name}"
        return [
            NamedText(
                label=label,
                path=self.path,
                name=locations.stem(self.path) if name is None else name,
                segments=self._segments(column, label, role),
                # Nobody asked for the labels: one that is null must not keep a text from scoring.
                layout=self.layout(lenient=True),
                carriage_returns=self.carriage_returns,
                byte_order_mark=self.byte_order_mark,
            )
        ]

    def layout(self, *, lenient: bool = False) -> Layout:
        """Documents and domains, where the table has columns for them.

        Leniently, a column without a label for some segment counts as absent.
        """
        return Layout(
            self._labels(DOCUMENT_COLUMNS, lenient=lenient),
            self._labels(DOMAIN_COLUMNS, lenient=lenient),
        )

    def labels(self, column: str) -> tuple[str, ...]:
        """A column of labels: text, or whole numbers as text."""
        if column not in self.columns:
            raise MissingColumnError(self.path, self.column_word, column, self.columns)
        values = self.values(column)
        for row, value in enumerate(values):
            if not isinstance(value, str | int):
                found = f"{_kind(value)} in {self.column_word} {column!r}"
                raise MalformedFileError(self.path, self.line(row), found, "a label")
        return tuple(map(str, values))

    def _labels(self, names: Sequence[str], *, lenient: bool) -> tuple[str, ...] | None:
        column = next((name for name in names if name in self.columns), None)
        if column is None or (lenient and None in self.values(column)):
            return None
        return self.labels(column)

    def _only_column(self) -> str:
        texts = [c for c in self.columns if c not in LABEL_COLUMNS]
        candidates = texts or self.columns
        if len(candidates) == 1:
            return candidates[0]
        found = f"the {self.column_word}s {', '.join(self.columns)}"
        expected = f"one of them to be chosen, as in {self.path}#{candidates[0]}"
        raise MalformedFileError(self.path, None, found, expected)

    def _segments(self, column: str, label: str, role: Role) -> Segments:
        values = self.values(column)
        if not values:
            raise EmptyTextError(label)
        for row, value in enumerate(values):
            if not isinstance(value, str) and not (value is None and role == "reference"):
                self._refuse(row, column, _kind(value))
            if isinstance(value, str) and "\0" in value:
                self._refuse(row, column, "a NUL character")
        try:
            return Segments([v if isinstance(v, str) else None for v in values])
        except UnencodableSegmentError as error:
            self._refuse(error.args[0] - 1, column, "half of a surrogate pair")

    def _refuse(self, row: int, column: str, found: str) -> NoReturn:
        line = self.line(row)
        where = "" if line is not None else f" in row {row + 1}"
        found = f"{found}{where} in {self.column_word} {column!r}"
        raise MalformedFileError(self.path, line, found, "text")


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    return f"a value of type {type(value).__name__}"
