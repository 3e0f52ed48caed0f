"""Files that hold judgments of several language pairs: only one belongs to a test set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.errors import MalformedFileError, MissingColumnError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.human.request import Request


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
            expected = f"one to be chosen, as in language_pair={known[0]!r}"
            raise MalformedFileError(label, None, found, expected)
        return list(range(len(pairs)))
    rows = [row for row, pair in enumerate(pairs) if pair.lower() == wanted.lower()]
    if not rows:
        raise MissingColumnError(label, "language pair", wanted, known)
    return rows
