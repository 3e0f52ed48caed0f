"""The ledger of a gate: looks at one test set, which share the error rate.

Each look at one test set gets a part of the error rate 1 - level. The k-th look gets

    alpha_k = (1 - level) * 6 / (pi² k²),

whose sum over any number of looks is at most 1 - level (alpha spending by the union bound, which
assumes nothing about how looks depend on one another). If the number of looks is planned, each
look gets an equal part, (1 - level) / looks, and a further look raises an error.

The ledger guarantees that over all looks at this test set together, the probability of any wrong
decision of the kind that the gate guards against (failing a system that is as good, or with a
margin passing a system that is not good enough) is at most 1 - level. The guarantee does not cover
systems that were tuned on the results of earlier looks at this test set. Its cost is that a later
look is stricter, and so detects only larger differences.

The ledger is an SQLite database with a row for each look. It needs no clock: looks are numbered.
A look with the same outputs, metrics and settings as an earlier look repeats that look: it is
decided at the same level, and no error rate is spent. Only one writer at a time holds the ledger,
from reading to writing.

Each row has a digest of itself and the row before it, and the file has the number of rows, so that
changed, removed or reordered looks are noticed.
"""

from __future__ import annotations

import json
import math
import os
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from truebleu.errors import MalformedFileError, SettingError, UnreadableFileError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

# Table with a row per look, its columns in the order of `Ledger.record`; `decision` is JSON for
# human readers, and `chain` the digest of the row and those before it.
LAYOUT = (
    "looks (test_set TEXT, look INTEGER, looks INTEGER, level REAL, key TEXT, decision TEXT, "
    "chain TEXT, PRIMARY KEY (test_set, look))"
)
COLUMNS = "test_set, look, looks, level, key, decision"
EXPECTED = "a ledger written by gate --ledger; restore it, or begin another"
# Words of SQLite if it cannot write, and the reason in messages.
OBSTACLES = {
    "unable to open": "no such folder, or not permitted",
    "readonly": "not permitted",
    "locked": "another look holds it",
    "is full": "the disk is full",
    "disk I/O": "the disk failed",
}
# Seconds that a look waits for the one before it.
PATIENCE = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at a test set.

    Attributes:
        number: number of the look among the looks at this test set, from 1.
        looks: planned number of looks; None for any number.
        alpha: significance level of this look.
        spent: sum of the significance levels of this look and all looks before it.
        repeated: True if the ledger already had this look, so that no error rate was spent.
        ledger: path of the ledger.
    """

    number: int
    looks: int | None
    alpha: float
    spent: float
    repeated: bool
    ledger: str


def alpha_of_look(number: int, alpha: float, looks: int | None = None) -> float:
    """Return the significance level of one of the looks that share alpha.

    >>> round(alpha_of_look(1, 0.05), 4), round(alpha_of_look(10, 0.05), 6)
    (0.0304, 0.000304)
    >>> alpha_of_look(7, 0.05, looks=100)
    0.0005
    """
    return alpha / looks if looks is not None else alpha * 6 / (math.pi * number) ** 2


@dataclass(frozen=True, slots=True)
class Ledger:
    """An open ledger of looks; see `open_ledger`."""

    path: str
    database: sqlite3.Connection

    def look(self, test_set: str, key: str, level: float, looks: int | None) -> Look:
        """Return the earlier look with this key at this test set, or else the next look.

        Args:
            test_set: fingerprint of the references.
            key: digest of all that the decision depends on.
            level: level of the gate, for all looks together.
            looks: planned number of looks; None for any number.

        Raises:
            SettingError: if `level` or `looks` differs from earlier looks, or all planned looks
                are spent.
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
                        f"{before}, as in the earlier looks at this test set in {self.path}; for "
                        "another value, begin another ledger"
                    )
                    raise SettingError(setting, value, expected)
        keys = [recorded for recorded, *_ in earlier]
        number = keys.index(key) + 1 if key in keys else len(keys) + 1
        if looks is not None and number > looks:
            expected = f"at most {looks}, as planned in {self.path}; use a fresh test set"
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
        """Add a look that is not repeated."""
        row = (test_set, look.number, look.looks, level, key, json.dumps(decision))
        insert = f"INSERT INTO looks ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608
        self.database.execute(insert, row)
        links = self._links()
        number, _, digest = links[-1]
        self.database.execute("UPDATE looks SET chain = ? WHERE rowid = ?", (digest, number))
        self.database.execute(f"PRAGMA user_version = {len(links)}")

    def check(self) -> None:
        """Check the digests and the number of rows; raises MalformedFileError."""
        links = self._links()
        (count,) = self.database.execute("PRAGMA user_version").fetchone()
        if count != len(links) or any(stored != digest for _, stored, digest in links):
            found = "looks that were changed, removed or reordered"
            raise MalformedFileError(self.path, None, found, EXPECTED)

    def _links(self) -> list[tuple[int, str | None, str]]:
        """Return the number of each row, its stored digest and the digest that it should have."""
        links, digest = [], ""
        rows = self.database.execute(f"SELECT rowid, chain, {COLUMNS} FROM looks ORDER BY rowid")  # noqa: S608
        for number, stored, *row in rows:
            digest = sha256(f"{digest} {row!r}".encode()).hexdigest()
            links.append((number, stored, digest))
        return links


def require_ledger(path: str | os.PathLike[str]) -> None:
    """Check that a path names a file; raises SettingError for a temporary database."""
    # SQLite forgets a database of these names when the gate ends.
    if os.fspath(path) in ("", ":memory:"):
        raise SettingError("ledger", path, "the name of a file to keep, such as looks.db")


@contextmanager
def open_ledger(path: str | os.PathLike[str]) -> Iterator[Ledger]:
    """Open the ledger in a file, or create it, locked until the look is recorded."""
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
        # SQLite keeps an absolute path in a file, but may take file:x?mode=memory for a URI.
        path = os.path.abspath(name)
        with closing(sqlite3.connect(path, timeout=PATIENCE)) as database, database:
            database.execute("BEGIN IMMEDIATE")
            database.execute(f"CREATE TABLE IF NOT EXISTS {LAYOUT}")
            ledger = Ledger(name, database)
            ledger.check()
            yield ledger
    except sqlite3.Error as error:
        reasons = (reason for words, reason in OBSTACLES.items() if words in str(error))
        if (reason := next(reasons, None)) is not None:
            raise UnreadableFileError(name, f"cannot be written: {reason}") from error
        raise MalformedFileError(name, None, "another layout, or damaged data", EXPECTED) from error
