"""Draw a test set of a given size from a pool."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError
from truebleu.planning import drawing
from truebleu.seeds import DEFAULT_SEED, require_seed
from truebleu.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet, TextLike

DrawMethod = Literal["broad", "random", "stratified", "document"]
DRAWS: tuple[DrawMethod, ...] = get_args(DrawMethod)
MOST_LENGTH_GROUPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSettings:
    """How a test set is drawn.

    Attributes:
        size: segments.
        draw: "broad" takes every k-th segment, "random" any, "stratified" as many of each domain
            as its share of the pool, "document" whole documents.
        length_groups: with "stratified", each of so many groups by length, of about equal size, has
            its share of each domain too; 1 for none.
        tokenizer: what a word is, for lengths and the vocabulary; a native tokenizer's name.
        seed: any whole number from 0 up.
    """

    size: int
    draw: DrawMethod = "broad"
    length_groups: int = 1
    tokenizer: str = "13a"
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        if self.draw not in DRAWS:
            raise UnknownNameError("draw", self.draw, DRAWS)
        require_seed(self.seed)
        _require_whole_number("size", self.size, None)
        _require_whole_number("length_groups", self.length_groups, MOST_LENGTH_GROUPS)
        if self.length_groups > 1 and self.draw != "stratified":
            raise SettingError("length_groups", self.length_groups, "1 unless draw is 'stratified'")
        if self.tokenizer not in _core.tokenizers():
            raise UnknownNameError("tokenizer", self.tokenizer, _core.tokenizers())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, enough to draw the same again."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """A test set that was drawn from a pool.

    Attributes:
        pool: what it was drawn from.
        test_set: the segments that were drawn, in the order of the pool.
        positions: where they stand in the pool, from 0.
        settings: how they were drawn.
        tokens: of each segment of the pool: of its source, or else of its first reference.
    """

    pool: TestSet
    test_set: TestSet
    positions: NDArray[np.int64]
    settings: SampleSettings
    tokens: Sequence[Sequence[str]]


def draw_sample(pool: TestSet, settings: SampleSettings) -> Sample:
    """Draw a test set.

    >>> from truebleu.simulation import simulate
    >>> pool = simulate(segments=100, systems=[0.1])
    >>> len(draw_sample(pool, SampleSettings(size=30)).test_set)
    30
    """
    if settings.size > len(pool):
        expected = f"at most {len(pool)}, the segments of the pool"
        raise SettingError("size", settings.size, expected)
    tokens = _tokens(pool, settings.tokenizer)
    positions = _positions(pool, settings, tokens)
    return Sample(
        pool=pool,
        test_set=subset(pool, positions),
        positions=positions,
        settings=settings,
        tokens=tokens,
    )


def subset(test_set: TestSet, positions: NDArray[np.int64]) -> TestSet:
    """The segments at these positions, of every text; warnings were about the whole."""
    chosen = positions.tolist()

    def text(whole: TextLike) -> TextLike:
        return _core.Segments([whole[position] for position in chosen])

    def labels(whole: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if whole is None else tuple(whole[position] for position in chosen)

    return replace(
        test_set,
        systems={name: text(whole) for name, whole in test_set.systems.items()},
        references=tuple(map(text, test_set.references)),
        source=None if test_set.source is None else text(test_set.source),
        documents=labels(test_set.documents),
        domains=labels(test_set.domains),
        warnings=(),
    )


def _positions(
    pool: TestSet, settings: SampleSettings, tokens: Sequence[Sequence[str]]
) -> NDArray[np.int64]:
    draw = Streams(settings.seed, f"sample {settings.draw}").at(0)
    if settings.draw == "broad":
        return drawing.broad(len(pool), settings.size, draw)
    if settings.draw == "random":
        return drawing.random(len(pool), settings.size, draw)
    if settings.draw == "stratified":
        groups = _length_groups(pool, settings.length_groups, tokens)
        return drawing.stratified(pool.domains or ("",) * len(pool), settings.size, draw, groups)
    if pool.documents is None:
        raise SettingError("draw", "document", "a pool with documents; see --documents")
    if len(set(pool.documents)) < 2:
        found = "one document"
        raise SettingError("pool", found, "at least two documents: one leaves nothing to draw")
    return drawing.whole_documents(pool.documents, settings.size, draw)


def _length_groups(pool: TestSet, count: int, tokens: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """The number of each segment's group, from 0 for the shortest."""
    if pool.domains is None and count == 1:
        expected = "a pool with domains (see --documents), or groups of length (--length-groups)"
        raise SettingError("draw", "stratified", expected)
    lengths = np.array([len(one) for one in tokens])
    edges = np.quantile(lengths, np.arange(1, count) / count)
    return np.searchsorted(edges, lengths, side="left")


def _tokens(pool: TestSet, tokenizer: str) -> list[list[str]]:
    """The words of each segment's source, or where there is none of its first reference."""
    texts = pool.references if pool.source is None else (pool.source, *pool.references)
    segments = (
        next(text for text in segment if text is not None) for segment in zip(*texts, strict=True)
    )
    return [_core.tokenize(text, tokenizer=tokenizer, lowercase=False) for text in segments]


def _require_whole_number(setting: str, found: object, most: int | None) -> None:
    whole = isinstance(found, int) and not isinstance(found, bool)
    if not whole or found < 1 or (most is not None and found > most):  # type: ignore[operator]
        expected = "a whole number from 1 " + ("up" if most is None else f"to {most}")
        raise SettingError(setting, found, expected)
