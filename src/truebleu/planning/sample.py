"""Which segments of a pool a test set takes: broad, random, stratified, or whole documents.

All take a source of random numbers in [0, 1), and give positions from 0 in the order of the pool.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from json import dumps
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from truebleu import _core
from truebleu._seeds import DEFAULT_SEED, Streams, require_seed
from truebleu.corpus._writing import write_files
from truebleu.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from truebleu._seeds import Draw

    Positions = NDArray[np.int64]
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from truebleu.corpus import TestSet, TextLike

# Documents that may go again so that the last one fits.
MOST_DROPPED = 10


def broad(count: int, size: int, draw: Draw) -> Positions:
    """Every k-th segment from a random start (Koehn 2004, §3.3: a broad sample).

    Where size does not divide the pool, steps differ by at most one: position i is the whole part
    of (i + start) count / size, so every stretch of the pool is taken from alike, and every segment
    is equally likely.

    >>> broad(10, 4, lambda: 0.0).tolist()
    [0, 2, 5, 7]
    """
    start = int(draw() * count)
    return (np.arange(size, dtype=np.int64) * count + start) // size


def random(count: int, size: int, draw: Draw) -> Positions:
    """A simple random sample without replacement."""
    return np.sort(_in_random_order(count, draw)[:size])


def stratified(strata: Sequence[Hashable], size: int, draw: Draw, groups: Positions) -> Positions:
    """A random sample of each stratum, as large as its share of the pool.

    Within a stratum each group, a whole number such as that of a length, has its share too: the
    segments stand by group, in random order, and every k-th is taken. So small groups cannot
    spoil the shares of strata, and every segment of a stratum is equally likely.
    """
    order = _in_random_order(len(strata), draw)
    members: dict[Hashable, list[int]] = {}
    for position in order[np.argsort(groups[order], kind="stable")].tolist():
        members.setdefault(strata[position], []).append(position)
    # In the order of the pool, so that ties of remainders do not depend on the random order.
    ordered = [members[stratum] for stratum in dict.fromkeys(strata)]
    taken = allocate([len(one) for one in ordered], size)
    chosen = [
        np.array(one)[broad(len(one), many, draw)]
        for one, many in zip(ordered, taken, strict=True)
        if many
    ]
    return np.sort(np.concatenate(chosen))


def allocate(counts: Sequence[int], size: int) -> list[int]:
    """Whole numbers in proportion to the counts that add up to size, by largest remainder.

    No stratum gets more than it has, nor a whole one less or more than its share. Of equal
    remainders the earlier stratum's counts.

    >>> allocate([50, 30, 20], 7)
    [4, 2, 1]
    """
    total = sum(counts)
    shares = [divmod(size * count, total) for count in counts]
    taken = [whole for whole, _ in shares]
    by_remainder = sorted(range(len(counts)), key=lambda i: (-shares[i][1], i))
    for stratum in by_remainder[: size - sum(taken)]:
        taken[stratum] += 1
    return taken


def whole_documents(documents: Sequence[str], size: int, draw: Draw) -> Positions:
    """Whole documents in random order, until the number of segments is as near as it gets.

    Only what fills the gap at the end is chosen for its length, among all documents that are left:
    choosing more of them so would favour short ones. Where nothing fits, some that came last may
    go. At least one is taken.
    """
    numbers: dict[str, int] = {}
    of_segment = np.array([numbers.setdefault(name, len(numbers)) for name in documents])
    lengths = np.bincount(of_segment)
    order = _in_random_order(len(numbers), draw)
    fitting = int(np.searchsorted(np.cumsum(lengths[order]), size, side="right"))
    best, taken = len(documents) + size, order
    for kept in range(fitting, max(fitting - MOST_DROPPED, 0) - 1, -1):
        chosen = _filled(order, kept, lengths, size)
        distance = abs(int(lengths[chosen].sum()) - size)
        if distance < best:
            best, taken = distance, chosen
    return np.flatnonzero(np.isin(of_segment, taken))


def _filled(order: Positions, kept: int, lengths: Positions, size: int) -> Positions:
    """The first documents of an order, and the best of the others while one comes nearer."""
    chosen, rest = order[:kept], order[kept:]
    while len(rest):
        missing = size - int(lengths[chosen].sum())
        distances = np.abs(lengths[rest] - missing)
        nearest = int(np.argmin(distances))
        if len(chosen) and distances[nearest] >= abs(missing):
            break
        chosen, rest = np.append(chosen, rest[nearest]), np.delete(rest, nearest)
    return chosen


def _in_random_order(count: int, draw: Draw) -> Positions:
    keys = np.fromiter((draw() for _ in range(count)), dtype=np.float64, count=count)
    return np.argsort(keys, kind="stable")


# Draw a test set of a given size from a pool.


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
        return broad(len(pool), settings.size, draw)
    if settings.draw == "random":
        return random(len(pool), settings.size, draw)
    if settings.draw == "stratified":
        groups = _length_groups(pool, settings.length_groups, tokens)
        return stratified(pool.domains or ("",) * len(pool), settings.size, draw, groups)
    if pool.documents is None:
        raise SettingError("draw", "document", "a pool with documents; see --documents")
    if len(set(pool.documents)) < 2:
        found = "one document"
        raise SettingError("pool", found, "at least two documents: one leaves nothing to draw")
    return whole_documents(pool.documents, settings.size, draw)


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


# A test set as files that can be read again: one segment per line, or JSON lines where need be.


NUMBERS = "segments.txt"
# The endings of all files that a draw may have left.
ENDINGS = (".txt", ".jsonl", ".tsv")
# What a file's name cannot hold everywhere, or would lead out of the folder.
NOT_IN_NAMES = '/\\:*?"<>|'


def save_sample(sample: Sample, folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write a test set into a folder, which is made if need be: all files or none.

    Args:
        sample: what ``draw_sample`` returned.
        folder: where to put the references, the source, a file per system, ``documents.tsv`` and
            ``segments.txt``, the numbers of the segments in the pool, from 1.
        overwrite: whether files that exist may be replaced. What an earlier draw left besides is
            refused: other segments' texts or documents beside these would pass for theirs.

    Returns:
        The files, in the order above.
    """
    test_set = sample.test_set
    texts: dict[str, TextLike] = {}
    for name, text in zip(test_set.reference_names, test_set.references, strict=True):
        _add(texts, name, text)
    if test_set.source is not None:
        _add(texts, "source", test_set.source)
    for name, text in test_set.systems.items():
        _add(texts, name, text)
    contents: dict[str, Iterable[bytes]] = {}
    for name, text in texts.items():
        ending, parts = _text(text)
        contents[name + ending] = parts
    contents |= _labels(sample)
    numbers = (sample.positions + 1).tolist()
    contents[NUMBERS] = (f"{number}\n".encode() for number in numbers)
    if overwrite:
        _refuse_remains(folder, contents)
    return write_files(folder, contents, overwrite=overwrite)


def _refuse_remains(folder: Path, contents: Iterable[str]) -> None:
    if not (folder / NUMBERS).exists():
        return
    known = set(contents)
    for path in sorted(folder.iterdir()):
        if path.suffix in ENDINGS and path.name not in known:
            expected = "no texts of another draw beside these; remove it, or take another folder"
            raise SettingError("file", str(path), expected)


def _add(texts: dict[str, TextLike], name: str, text: TextLike) -> None:
    """Adds a text under a name that can be a file's, unlike those of the others."""
    safe = "".join("-" if sign in NOT_IN_NAMES or sign < " " else sign for sign in name)
    taken = {"segments", "documents", *(other.casefold() for other in texts)}
    if safe.strip(". ") == "" or safe.casefold() in taken:
        expected = "a name that can be a file's, unlike those of the others; write NAME=FILE"
        raise SettingError("name", name, expected)
    texts[safe] = text


def _text(text: TextLike) -> tuple[str, Iterator[bytes]]:
    """The ending and the lines of a text.

    Plain lines cannot hold an absent segment, nor a line feed or a carriage return at its end, nor
    a byte-order mark at the start: JSON lines can.
    """
    segments = list(text)
    if any(_needs_json(segment) for segment in segments) or _starts_with_mark(segments):
        lines = (dumps({"text": segment}, ensure_ascii=False) for segment in segments)
        return ".jsonl", (f"{line}\n".encode() for line in lines)
    return ".txt", (f"{segment}\n".encode() for segment in segments)


def _needs_json(segment: str | None) -> bool:
    return segment is None or "\n" in segment or segment.endswith("\r")


def _starts_with_mark(segments: Sequence[str | None]) -> bool:
    return bool(segments) and (segments[0] or "").startswith("\ufeff")


def _labels(sample: Sample) -> dict[str, Iterable[bytes]]:
    """Documents and domains as a table, where they are known."""
    test_set = sample.test_set
    columns = {"doc": test_set.documents, "domain": test_set.domains}
    known = {name: labels for name, labels in columns.items() if labels is not None}
    if not known:
        return {}
    rows = list(zip(*known.values(), strict=True))
    if any(sign in label for row in rows for label in row for sign in "\t\n\r"):
        objects = (dumps(dict(zip(known, row, strict=True)), ensure_ascii=False) for row in rows)
        return {"documents.jsonl": (f"{line}\n".encode() for line in objects)}
    lines = ["\t".join(known), *("\t".join(row) for row in rows)]
    return {"documents.tsv": (f"{line}\n".encode() for line in lines)}
