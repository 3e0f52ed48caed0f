"""The ledger of a gate: looks at one test set, which share the error.

Each look at one test set gets a part of the error 1 - level, the k-th

    alpha_k = (1 - level) * 6 / (pi² k²),

whose sum over any number of looks is at most 1 - level (alpha-spending by the union bound; it
assumes nothing about how looks depend on one another). If the number of looks is planned, each
look gets the same part, (1 - level) / looks, and further looks are refused.

What it promises: the chance of any wrong decision of the kind that the gate guards against
(failing a system that is as good, or with a margin passing one that is not good enough), over all
looks at this test set together, is at most 1 - level. It does not cover systems that were tuned
on what earlier looks at this test set showed. What it costs: each look must show more than the
last, so that a later look detects only larger differences.

The ledger is an SQLite database with a row for each look. It needs no clock: looks are numbered.
A look with the same outputs, metrics and settings as an earlier one is that look: it is decided
at the same level and nothing is spent. One writer at a time has the ledger, from reading to
writing.
"""

from __future__ import annotations

import json
import math
import os
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu.errors import MalformedFileError, SettingError, UnreadableFileError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

# A row per look, in the order of `Ledger.record`; what only people read is JSON.
LAYOUT = (
    "looks (test_set TEXT, look INTEGER, looks INTEGER, level REAL, key TEXT, decision TEXT, "
    "PRIMARY KEY (test_set, look))"
)
# Seconds that a look waits for the one before it.
PATIENCE = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at a test set.

    Attributes:
        number: from 1 up, among the looks at this test set.
        looks: how many are planned; None for any number.
        alpha: the significance level of this look.
        spent: of this look and those before it together.
        repeated: whether the ledger had it already, so that nothing was spent.
        ledger: the file.
    """

    number: int
    looks: int | None
    alpha: float
    spent: float
    repeated: bool
    ledger: str


def alpha_of_look(number: int, alpha: float, looks: int | None = None) -> float:
    """The significance level of one look, of all that share alpha.

    >>> round(alpha_of_look(1, 0.05), 4), round(alpha_of_look(10, 0.05), 6)
    (0.0304, 0.000304)
    >>> alpha_of_look(7, 0.05, looks=100)
    0.0005
    """
    return alpha / looks if looks is not None else alpha * 6 / (math.pi * number) ** 2


@dataclass(frozen=True, slots=True)
class Ledger:
    """The looks that a ledger holds, and room for another; see `open_ledger`."""

    path: str
    database: sqlite3.Connection

    def look(self, test_set: str, key: str, level: float, looks: int | None) -> Look:
        """The look with this key at this test set: an earlier one, or the next.

        Args:
            test_set: the fingerprint of its references.
            key: a digest of all that the decision depends on.
            level: of the gate, for all looks together.
            looks: how many are planned; None for any number.
        """
        earlier = self.database.execute(
            "SELECT key, level, looks FROM looks WHERE test_set = ? ORDER BY look", (test_set,)
        ).fetchall()
        for _, *recorded in earlier:
            for setting, value, before in zip(
                ("level", "looks"), (level, looks), recorded, strict=True
            ):
                if value != before:
                    expected = (
                        f"{before}, as of the looks at this test set in {self.path}; or another "
                        "ledger"
                    )
                    raise SettingError(setting, value, expected)
        keys = [recorded for recorded, *_ in earlier]
        number = keys.index(key) + 1 if key in keys else len(keys) + 1
        if looks is not None and number > looks:
            expected = (
                f"a new test set, or one that {self.path} has not judged {looks} times: all "
                "planned looks are spent"
            )
            raise SettingError("looks", number, expected)
        total = round(1 - level, 12)
        alphas = [round(alpha_of_look(k, total, looks), 12) for k in range(1, number + 1)]
        return Look(
            number=number,
            looks=looks,
            alpha=alphas[-1],
            spent=math.fsum(alphas),
            repeated=key in keys,
            ledger=self.path,
        )

    def record(self, look: Look, test_set: str, key: str, level: float, decision: object) -> None:
        """Add a look that is not a repeated one."""
        row = (test_set, look.number, look.looks, level, key, json.dumps(decision))
        self.database.execute("INSERT INTO looks VALUES (?, ?, ?, ?, ?, ?)", row)


def require_ledger(path: str | os.PathLike[str]) -> None:
    """Check that a path names a file; raises SettingError for a database that is not kept."""
    # SQLite forgets a database of these names when the gate ends.
    if os.fspath(path) in ("", ":memory:"):
        raise SettingError("ledger", path, "the name of a file to keep, such as looks.db")


@contextmanager
def open_ledger(path: str | os.PathLike[str]) -> Iterator[Ledger]:
    """Open the ledger in a file, made if there is none, locked until the look is recorded."""
    require_ledger(path)
    name = os.fspath(path)
    try:
        import sqlite3
    except ImportError:
        expected = "None: ledgers need SQLite, and this Python was built without it"
        raise SettingError("ledger", name, expected) from None
    if "\0" in name or (os.path.exists(name) and not os.path.isfile(name)):
        raise UnreadableFileError(name, "cannot be written: not a regular file; expected a ledger")
    try:
        with closing(sqlite3.connect(name, timeout=PATIENCE)) as database, database:
            database.execute("BEGIN IMMEDIATE")
            database.execute(f"CREATE TABLE IF NOT EXISTS {LAYOUT}")
            yield Ledger(name, database)
    except sqlite3.OperationalError as error:
        raise UnreadableFileError(name, f"cannot be written: {error}") from error
    except sqlite3.Error as error:
        expected = "a ledger as gate --ledger wrote it; begin another if it can't be restored"
        raise MalformedFileError(name, None, str(error), expected) from error
