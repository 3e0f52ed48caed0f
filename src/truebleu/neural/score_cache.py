"""Cache of segment scores, so that no program scores the same texts twice.

The cache is one SQLite file for all models and processes; keys are hashes, so it holds no text.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from truebleu.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from sqlite3 import Connection

    #: Source, output and reference; None for a text that the metric does not read.
    Triple: TypeAlias = tuple[str | None, str, str | None]

#: Variable that names the folder of the cache; "off" for none.
CACHE_VARIABLE = "TRUEBLEU_CACHE"
#: Largest number of scores, about 300 MB; the oldest are deleted first.
MOST_SCORES = 4_000_000
#: Largest number of scores in the memory of a process.
MOST_IN_MEMORY = 1_000_000
#: Keys in one query.
QUERY_KEYS = 500
#: Seconds to wait for another process that writes.
PATIENCE = 60.0
TABLE = "CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, score REAL NOT NULL)"

# Scores of this process, also without a file.
_memory: dict[bytes, float] = {}


def cache_file() -> Path | None:
    """Return the path of the cache, or None if it is off."""
    folder = os.environ.get(CACHE_VARIABLE, "")
    if folder.lower() == "off":
        return None
    if folder:
        return Path(folder) / "scores.sqlite"
    home = Path.home()
    folders = {"darwin": home / "Library" / "Caches", "win32": home / "AppData" / "Local"}
    xdg = os.environ.get("XDG_CACHE_HOME")
    base = Path(xdg) if xdg else folders.get(sys.platform, home / ".cache")
    return base / "truebleu" / "scores.sqlite"


def score_key(identity: str, triple: Triple) -> bytes:
    """Return the key of a score: a hash of the model's identity and the texts."""
    digest = blake2b(identity.encode(), digest_size=16)
    for text in triple:
        data = b"" if text is None else text.encode()
        # The length separates texts; a missing text differs from an empty one.
        digest.update(b"%d:" % (-1 if text is None else len(data)))
        digest.update(data)
    return digest.digest()


class ScoreCache:
    """An open cache; without SQLite or a file it lasts as long as the process.

    Attributes:
        failure: reason why scores are not written to the file, or None.
    """

    def __init__(self, connection: Connection | None, path: Path | None) -> None:
        self._connection, self._path = connection, path
        self.failure: str | None = None

    def find(self, keys: Iterable[bytes]) -> dict[bytes, float]:
        """Return the scores of the keys that are known."""
        scores = {key: _memory[key] for key in keys if key in _memory}
        unknown = [key for key in keys if key not in scores]
        if self._connection is not None:
            for start in range(0, len(unknown), QUERY_KEYS):
                some = unknown[start : start + QUERY_KEYS]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, score FROM scores WHERE key IN ({marks})"  # noqa: S608
                scores.update(self._run(query, some))
        return scores

    def add(self, scores: Mapping[bytes, float]) -> None:
        """Add scores; the file has all of them or none if the process is killed."""
        if len(_memory) + len(scores) > MOST_IN_MEMORY:
            _memory.clear()
        _memory.update(scores)
        if self._connection is None:
            return
        import sqlite3

        try:
            with self._connection as connection:
                rows = "INSERT OR REPLACE INTO scores (key, score) VALUES (?, ?)"
                connection.executemany(rows, scores.items())
                # Row numbers grow, so the lowest belong to the oldest scores.
                oldest = "DELETE FROM scores WHERE rowid <= (SELECT MAX(rowid) FROM scores) - ?"
                connection.execute(oldest, (MOST_SCORES,))
        except sqlite3.OperationalError as error:  # a full disk, or no right to write
            self.failure = f"{self._path}: {error}"

    def _run(self, query: str, values: list[Any]) -> list[tuple[Any, ...]]:
        if self._connection is None:
            return []
        return list(self._connection.execute(query, values))


@contextmanager
def open_cache() -> Iterator[ScoreCache]:
    """Open the cache, and close it at the end; raises RefusedError if its file is damaged."""
    path = cache_file()
    try:
        import sqlite3
    except ImportError:  # Python can be built without SQLite
        yield ScoreCache(None, None)
        return
    if path is None:
        yield ScoreCache(None, None)
        return
    connection = None
    try:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=PATIENCE)
            with connection:
                connection.execute(TABLE)
            cache = ScoreCache(connection, path)
        except (OSError, sqlite3.OperationalError) as error:
            cache = ScoreCache(None, None)
            cache.failure = f"{path}: {error}"
        yield cache
    except sqlite3.DatabaseError as error:
        raise RefusedError(
            f"{path}: the cache of scores is damaged ({error}); truebleu cache --clear deletes it"
        ) from None
    finally:
        if connection is not None:
            connection.close()


def clear_cache() -> None:
    """Delete the cache of scores."""
    _memory.clear()
    path = cache_file()
    if path is not None:
        path.unlink(missing_ok=True)


def count_scores() -> tuple[int, int]:
    """Return the number of scores in the cache, and the size of its file in bytes."""
    path = cache_file()
    if path is None or not path.exists():
        return 0, 0
    with open_cache() as cache:
        ((number,),) = cache._run("SELECT COUNT(*) FROM scores", []) or [(0,)]
    return int(number), path.stat().st_size
