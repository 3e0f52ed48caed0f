"""A ledger of looks at test sets, so that a gate that is asked every night keeps its error rate.

Each look at one test set gets a part of the error 1 - level, the k-th

    alpha_k = (1 - level) * 6 / (pi² k²),

whose sum over any number of looks is at most 1 - level (alpha-spending by the union bound; it
assumes nothing about how looks depend on one another). Where the number of looks is planned, each
of them gets the same part, (1 - level) / looks, and further ones are refused.

What it promises: the chance of any wrong decision of the kind that the gate guards against (failing
a system that is as good, or with a margin passing one that is not good enough), over all looks at
this test set together, is at most 1 - level. It does not cover systems that were tuned on what
earlier looks at this test set showed. What it costs: each look must show more than the last, so
that a difference must be the larger to be found, the later it is looked for.

The ledger is a text file, one line of JSON per look, only ever appended to. It needs no clock:
looks are numbered. A look with the same outputs, metrics and settings as an earlier one is that
look: it is decided at the same level and nothing is spent. One writer at a time holds a lock on the
file from reading to writing. A line that was damaged, or removed before others, is refused.
"""

from __future__ import annotations

import json
import math
import os
import stat
import sys
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truebleu.errors import MalformedFileError, SettingError, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

VERSION = 1
FIELDS = (
    "ledger",
    "test_set",
    "look",
    "looks",
    "level",
    "alpha",
    "key",
    "new",
    "old",
    "metrics",
    "rule",
    "margin",
    "p",
    "passed",
)


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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def alpha_of_look(number: int, alpha: float, looks: int | None = None) -> float:
    """The significance level of one look, of all that share alpha.

    >>> round(alpha_of_look(1, 0.05), 4), round(alpha_of_look(10, 0.05), 6)
    (0.0304, 0.000304)
    >>> alpha_of_look(7, 0.05, looks=100)
    0.0005
    """
    return alpha / looks if looks is not None else alpha * 6 / (math.pi * number) ** 2


class Ledger:
    """The looks that a ledger holds, and room for another; see `open_ledger`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        """Read all lines, and refuse any that is not as it was written."""
        self._path = path
        self._descriptor = descriptor
        self._lines = _read(path, descriptor)

    def look(self, test_set: str, key: str, level: float, looks: int | None) -> Look:
        """The look with this key at this test set: an earlier one, or the next.

        Args:
            test_set: the fingerprint of its references.
            key: a digest of all that the decision depends on.
            level: of the gate, for all looks together.
            looks: how many are planned; None for any number.
        """
        earlier = [
            (number, line)
            for number, line in enumerate(self._lines, 1)
            if line["test_set"] == test_set
        ]
        for number, line in earlier:
            for setting, value in (("level", level), ("looks", looks)):
                if line[setting] != value:
                    expected = (
                        f"{line[setting]}, as of the looks at this test set since line {number} of "
                        f"{self._path}; or another ledger"
                    )
                    raise SettingError(setting, value, expected)
        alpha = round(1 - level, 12)
        alphas = [line["alpha"] for _, line in earlier]
        for place, (_, line) in enumerate(earlier):
            if line["key"] == key:
                spent = math.fsum(alphas[: place + 1])
                return self._look(line["look"], looks, line["alpha"], spent, repeated=True)
        number = len(earlier) + 1
        if looks is not None and number > looks:
            expected = (
                f"a new test set, or one that {self._path} has not judged {looks} times: all "
                "planned looks are spent"
            )
            raise SettingError("looks", number, expected)
        part = round(alpha_of_look(number, alpha, looks), 12)
        return self._look(number, looks, part, math.fsum([*alphas, part]), repeated=False)

    def _look(
        self, number: int, looks: int | None, alpha: float, spent: float, *, repeated: bool
    ) -> Look:
        return Look(
            number=number,
            looks=looks,
            alpha=alpha,
            spent=spent,
            repeated=repeated,
            ledger=str(self._path),
        )

    def record(self, look: Look, values: Mapping[str, Any]) -> None:
        """Append a look that is not a repeated one; on the disk when this returns."""
        line = {
            "ledger": VERSION,
            "look": look.number,
            "looks": look.looks,
            "alpha": look.alpha,
            **values,
        }
        ordered = {field: line[field] for field in FIELDS}
        data = (json.dumps({**ordered, "check": _check(ordered)}, allow_nan=False) + "\n").encode()
        try:
            if os.write(self._descriptor, data) != len(data):
                raise UnreadableFileError(str(self._path), "cannot be written: is the disk full?")
            os.fsync(self._descriptor)
        except OSError as error:
            reason = f"cannot be written: {error.strerror}"
            raise UnreadableFileError(str(self._path), reason) from error


@contextmanager
def open_ledger(path: str | os.PathLike[str]) -> Iterator[Ledger]:
    """The ledger in this file, made if there is none, locked until the look is recorded."""
    place = Path(path)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(place, flags, 0o666)
    except (OSError, ValueError) as error:
        reason = f"cannot be written: {getattr(error, 'strerror', error)}"
        raise UnreadableFileError(str(place), reason) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnreadableFileError(str(place), "not a regular file; expected a ledger")
        with _locked(descriptor):
            yield Ledger(place, descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    """Nobody else who asks for the lock gets it meanwhile; a process that ends gives it back."""
    if sys.platform == "win32":
        import msvcrt

        # Far behind the text: the lock of a byte there keeps nobody from reading.
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield


def look_key(values: Mapping[str, Any]) -> str:
    """A digest of all that a decision depends on."""
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]


def _check(line: Mapping[str, Any]) -> str:
    plain = {name: value for name, value in line.items() if name != "check"}
    return sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:16]


def _read(path: Path, descriptor: int) -> list[dict[str, Any]]:
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts = []
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    text = b"".join(parts)
    if text and not text.endswith(b"\n"):
        number = text.count(b"\n") + 1
        expected = "a whole line; delete it if its gate did not end, and ask again"
        raise MalformedFileError(str(path), number, "the beginning of a line only", expected)
    lines: list[dict[str, Any]] = []
    looks: dict[str, int] = {}
    for number, written in enumerate(text.split(b"\n")[:-1], 1):
        line = _parse(path, number, written)
        look = looks.get(line["test_set"], 0) + 1
        if line["look"] != look:
            found = f"look {line['look']} at {line['test_set'][:15]}…"
            missing = f"look {look}: was a line removed, added twice or moved?"
            raise MalformedFileError(str(path), number, found, missing)
        looks[line["test_set"]] = look
        lines.append(line)
    return lines


def _parse(path: Path, number: int, written: bytes) -> dict[str, Any]:
    expected = "a line as gate --ledger wrote it; begin another ledger if it can't be restored"
    try:
        line = json.loads(written)
    except (ValueError, RecursionError):
        found = f"no JSON: {written[:40].decode('utf-8', 'replace')!r}"
        raise MalformedFileError(str(path), number, found, expected) from None
    if not isinstance(line, dict) or set(line) != {*FIELDS, "check"}:
        raise MalformedFileError(str(path), number, "other fields", expected)
    if line["ledger"] != VERSION:
        found = f"a ledger of version {line['ledger']!r}"
        raise MalformedFileError(str(path), number, found, f"version {VERSION}")
    if line["check"] != _check(line):
        raise MalformedFileError(str(path), number, "a line that was changed", expected)
    return line


def system_fingerprint(rows: Sequence[bytes]) -> str:
    """SHA-256 of a system's counts by all metrics, as bytes."""
    digest = sha256()
    for part in rows:
        digest.update(b"%d bytes\n" % len(part))
        digest.update(part)
    return f"sha256:{digest.hexdigest()}"
