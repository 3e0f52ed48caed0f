"""Scores of distinct texts: from the cache, or block by block from an engine, with progress."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from math import isfinite
from time import monotonic
from typing import TYPE_CHECKING

from truebleu.errors import RefusedError, shortened
from truebleu.neural.score_cache import open_cache, score_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.neural.score_cache import Triple

#: Function that returns True if nothing may be written to standard error.
is_silent: Callable[[], bool] = lambda: False  # noqa: E731
#: Seconds between two drawings of the progress.
SECONDS_BETWEEN = 0.2


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

        def sort_key(triple: Triple) -> tuple[int, str, str, int]:
            source, output, reference = triple
            first = output if source is None else source
            return len(first), source or "", reference or "", len(output)

        return sorted(triples, key=sort_key)

    @abstractmethod
    def score(self, block: Sequence[Triple]) -> list[float]:
        """Return a score for each triple, in their order."""


def score_triples(engine: Engine, triples: Mapping[Triple, str]) -> dict[Triple, float]:
    """Score distinct texts, by the engine only if the cache does not have their scores.

    Args:
        engine: engine that scores the texts.
        triples: location of each triple, for messages.
    """
    identity = engine.cache_identity
    keys = {triple: score_key(identity, triple) for triple in triples}
    with open_cache() as cache:
        known = cache.find(keys.values())
        missing = engine.order([triple for triple, key in keys.items() if key not in known])
        progress = Progress(engine.name, len(missing))
        start, size = 0, engine.first_block
        try:
            while start < len(missing):
                block = missing[start : start + size]
                began = monotonic()
                scores = engine.score(block)
                _require_scores(engine.name, block, scores, triples)
                by_key = {keys[t]: score for t, score in zip(block, scores, strict=True)}
                cache.add(by_key)
                known.update(by_key)
                start += len(block)
                progress.show(start)
                growth = engine.block_seconds / max(monotonic() - began, 1e-3)
                size = max(engine.first_block, int(size * min(4.0, growth)) // 64 * 64)
        except BaseException as error:
            progress.end()
            if start and not isinstance(error, RefusedError):
                notify(
                    f"{engine.name}: {start:,} of {len(missing):,} scores are cached; run the same "
                    "command again to continue"
                )
            raise
        progress.end()
        if cache.failure is not None and missing:
            notify(f"{engine.name}: scores are not cached for the next run ({cache.failure})")
    return {triple: known[key] for triple, key in keys.items()}


def _require_scores(
    name: str, block: Sequence[Triple], scores: Sequence[float], triples: Mapping[Triple, str]
) -> None:
    """Check that each text has a finite score; raises RefusedError."""
    if len(scores) != len(block):
        raise RefusedError(f"{name}: {len(scores):,} scores for {len(block):,} texts")
    for triple, score in zip(block, scores, strict=True):
        if not isfinite(score):
            text = shortened(triple[1])
            raise RefusedError(
                f"{name}: {triples[triple]}: the score is {score}, of the output {text!r}; are "
                "the model's weights damaged?"
            )


class Progress:
    """Progress on a terminal, with the rate and the time left.

    Args:
        name: name of the metric.
        total: number of texts to score.
    """

    def __init__(self, name: str, total: int) -> None:
        self.name, self.total, self.began, self.drawn = name, total, monotonic(), 0.0
        self.is_shown = total > 0 and sys.stderr is not None and sys.stderr.isatty()
        self.show(0)

    def show(self, done: int) -> None:
        """Draw the progress after `done` texts."""
        now = monotonic()
        if not self.is_shown or is_silent() or now - self.drawn < SECONDS_BETWEEN:
            return
        self.drawn = now
        line = f"{self.name}: {done:,} of {self.total:,} texts"
        if done:
            rate = done / max(now - self.began, 1e-9)
            line += f", {rate:.3g} per second, {_duration((self.total - done) / rate)} left"
        sys.stderr.write(f"\r{line}\033[K")
        sys.stderr.flush()

    def end(self) -> None:
        """Erase the progress."""
        if self.is_shown and not is_silent():
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def _duration(seconds: float) -> str:
    """Write a duration for people.

    >>> _duration(42.4), _duration(200), _duration(7300)
    ('42 s', '3 min', '2 h 2 min')
    """
    minutes = round(seconds / 60)
    if seconds < 100:
        return f"{round(seconds)} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def notify(text: str) -> None:
    """Write a note to standard error, unless that is silent."""
    if sys.stderr is not None and not is_silent():
        sys.stderr.write(f"note: {text}\n")
        sys.stderr.flush()
