"""Scores of distinct texts: from a cache, or block by block from an engine, with progress.

The cache is one SQLite file for all models and processes; keys are hashes, so it holds no text.
Without SQLite or a file, scores last as long as the process.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from contextlib import closing, contextmanager
from hashlib import blake2b
from math import isfinite
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias

from truebleu.errors import RefusedError, shortened
from truebleu.schema.progress import notify, progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from sqlite3 import Connection

#: Source, output and reference; None for a text that the metric does not read.
Triple: TypeAlias = "tuple[str | None, str, str | None]"

#: Variable that names the folder of the cache; "off" for none.
CACHE_VARIABLE = "TRUEBLEU_CACHE"
#: Largest number of scores, about 300 MB; the oldest are deleted first.
MOST_SCORES = 4_000_000
#: Largest number of scores in the memory of a process.
MOST_IN_MEMORY = 1_000_000
#: Seconds to wait for another process that writes.
PATIENCE = 60.0
TABLE = "CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, score REAL NOT NULL)"

# Scores of this process, also without a file.
_memory: dict[bytes, float] = {}


def cache_file() -> Path | None:
    """Return the path of the cache, or None if it is off."""
    folder = os.environ.get(CACHE_VARIABLE, "")
    if folder:
        return None if folder.lower() == "off" else Path(folder) / "scores.sqlite"
    home = Path.home()
    folders = {"darwin": home / "Library" / "Caches", "win32": home / "AppData" / "Local"}
    base = os.environ.get("XDG_CACHE_HOME") or folders.get(sys.platform, home / ".cache")
    return Path(base) / "truebleu" / "scores.sqlite"


def score_key(identity: str, triple: Triple) -> bytes:
    """Return the key of a score: a hash of the model's identity and the texts."""
    digest = blake2b(identity.encode(), digest_size=16)
    for text in triple:
        data = b"" if text is None else text.encode()
        # The length separates texts; a missing text differs from an empty one.
        digest.update(b"%d:" % (-1 if text is None else len(data)) + data)
    return digest.digest()


class ScoreCache:
    """The cache.

    Attributes:
        failure: reason why scores are not written to the file, or None.
    """

    failure: str | None = None

    @contextmanager
    def _file(self) -> Iterator[Connection | None]:
        """Open the file for a transaction; yield None if there is no file or SQLite.

        Raises RefusedError if the file is damaged.
        """
        path, is_open = cache_file(), False
        try:
            import sqlite3
        except ImportError:  # Python can be built without SQLite
            path = None
        if path is None:
            yield None
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(path, timeout=PATIENCE)) as connection, connection:
                connection.execute(TABLE)
                is_open = True
                yield connection
        except (OSError, sqlite3.OperationalError) as error:  # a full disk, no right to write
            self.failure = f"{path}: {error}"
        except sqlite3.DatabaseError as error:
            cure = "truebleu cache --clear deletes it"
            raise RefusedError(
                f"{path}: the cache of scores is damaged ({error}); {cure}"
            ) from None
        if not is_open:
            yield None

    def find(self, keys: Iterable[bytes]) -> dict[bytes, float]:
        """Return the scores of the keys that are known."""
        scores = {key: _memory[key] for key in keys if key in _memory}
        unknown = [key for key in keys if key not in scores]
        with self._file() as file:
            query = "SELECT score FROM scores WHERE key = ?"
            for key in unknown:
                row = None if file is None else file.execute(query, (key,)).fetchone()
                if row is not None:
                    scores[key] = row[0]
        return scores

    def add(self, scores: Mapping[bytes, float]) -> None:
        """Add scores; the file has all of them or none if the process is killed."""
        if len(_memory) + len(scores) > MOST_IN_MEMORY:
            _memory.clear()
        _memory.update(scores)
        with self._file() as file:
            if file is not None:
                rows = "INSERT OR REPLACE INTO scores (key, score) VALUES (?, ?)"
                file.executemany(rows, scores.items())
                # Row numbers grow, so the lowest belong to the oldest scores.
                oldest = "DELETE FROM scores WHERE rowid <= (SELECT MAX(rowid) FROM scores) - ?"
                file.execute(oldest, (MOST_SCORES,))

    def clear(self) -> None:
        """Delete all scores."""
        _memory.clear()
        path = cache_file()
        if path is not None:
            path.unlink(missing_ok=True)

    def size(self) -> tuple[int, int]:
        """Return the number of scores in the file, and its size in bytes."""
        path = cache_file()
        if path is None or not path.exists():
            return 0, 0
        with self._file() as file:
            count = file.execute("SELECT COUNT(*) FROM scores").fetchone() if file else (0,)
        return int(count[0]), path.stat().st_size


# Scoring.


class Engine(ABC):
    """A program or package that scores texts.

    Attributes:
        name: name of the metric in messages.
        identity: names and values of all that a score depends on, except the texts.
        first_block: number of texts in the first block.
        block_seconds: seconds that a block should take; after each block its scores are stored.
    """

    name: str
    identity: Mapping[str, str]
    first_block = 64
    block_seconds = 10.0

    @property
    def cache_identity(self) -> str:
        """All that keys of the cache depend on, except the texts."""
        return "|".join(f"{key}:{value}" for key, value in self.identity.items())

    def order(self, triples: Sequence[Triple]) -> list[Triple]:
        """Sort texts for scoring: similar lengths and equal sources side by side."""
        return sorted(triples, key=lambda t: (len(t[1] if t[0] is None else t[0]), t[0] or ""))

    @abstractmethod
    def score(self, block: Sequence[Triple]) -> list[float]:
        """Return a score for each triple, in their order."""


def score_triples(engine: Engine, triples: Mapping[Triple, str]) -> dict[Triple, float]:
    """Score distinct texts, by the engine only if the cache does not have their scores.

    Raises RefusedError unless the engine returns a finite score for each text.

    Args:
        engine: engine that scores the texts.
        triples: location of each triple, for messages.
    """
    identity, cache = engine.cache_identity, ScoreCache()
    keys = {triple: score_key(identity, triple) for triple in triples}
    known = cache.find(keys.values())
    missing = engine.order([triple for triple, key in keys.items() if key not in known])
    start, size = 0, engine.first_block
    try:
        with progress_bar(len(missing), engine.name, noun="texts") as advance:
            while start < len(missing):
                block, began = missing[start : start + size], monotonic()
                scores = engine.score(block)
                if len(scores) != len(block):
                    found = f"{len(scores):,} scores for {len(block):,} texts"
                    raise RefusedError(f"{engine.name}: {found}")
                by_triple = dict(zip(block, scores, strict=True))
                wrong = next((t for t, score in by_triple.items() if not isfinite(score)), None)
                if wrong is not None:
                    raise RefusedError(
                        f"{engine.name}: {triples[wrong]}: the score is {by_triple[wrong]}, of the "
                        f"output {shortened(wrong[1])!r}; are the model's weights damaged?"
                    )
                by_key = {keys[triple]: score for triple, score in by_triple.items()}
                cache.add(by_key)
                known.update(by_key)
                start += len(block)
                advance(len(block))
                growth = engine.block_seconds / max(monotonic() - began, 1e-3)
                size = max(engine.first_block, int(size * min(4.0, growth)) // 64 * 64)
    except BaseException as error:
        if start and not isinstance(error, RefusedError):
            notify(
                f"{engine.name}: {start:,} of {len(missing):,} scores are cached; run the same "
                "command again to continue"
            )
        raise
    if cache.failure is not None and missing:
        notify(f"{engine.name}: scores are not cached for the next run ({cache.failure})")
    return {triple: known[key] for triple, key in keys.items()}
