"""Samples of a pool: draw a test set, compare it with the pool, and save it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias, TypedDict

import numpy as np

from truebleu import _core
from truebleu._results import Result
from truebleu.corpus._files import write_files
from truebleu.corpus._reading import files_of
from truebleu.corpus.test_set import as_test_set
from truebleu.errors import SettingError
from truebleu.schema import DEFAULT_SEED, Column, Seed, Setting, Settings, Streams, takes

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence
    from os import PathLike

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from truebleu.corpus.test_set import ReferencesLike, SystemsLike, TestSet
    from truebleu.schema import Draw

    Positions: TypeAlias = NDArray[np.int64]
    Labels: TypeAlias = tuple[str, ...] | None

__all__ = ["DomainShare", "Lengths", "Sample", "SampleSettings"]

DrawMethod = Literal["systematic", "random", "stratified", "document"]
#: Reported quantiles of the lengths.
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)

# Names of random streams that differ from the draw's: new names would draw other segments.
STREAMS = {"systematic": "broad"}
# Limit on the documents dropped at the end so that others fit.
MOST_DROPPED = 10
# 95 % quantile of Kolmogorov's distribution.
KOLMOGOROV_95 = 1.3581
# File with the numbers of the segments, and extensions of all files of a draw.
NUMBERS = "segments.txt"
ENDINGS = (".txt", ".jsonl", ".tsv")


class _Size(TypedDict):
    size: Annotated[int, Setting(minimum=1, metavar="N")]


class SampleOptions(_Size, total=False):
    """Options of `sample`.

    Attributes:
        size: number of segments to draw.
        draw: "systematic" takes every k-th segment, "random" any, "stratified" takes from each
            domain in proportion to its share of the pool, "document" takes whole documents.
        tokenizer: tokenizer that counts words, for lengths.
    """

    draw: DrawMethod
    tokenizer: Annotated[str, Setting(choices=_core.tokenizers(), rare=True)]
    seed: Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSettings(Settings):
    """Settings of a sample; `sample` describes its options."""

    OPTIONS = SampleOptions

    size: int
    draw: DrawMethod = "systematic"
    tokenizer: str = "13a"
    seed: int = DEFAULT_SEED


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainShare:
    """Number and share of a domain's segments in the test set and in the pool."""

    domain: str
    segments: int
    share: Annotated[float, Column(digits=1, percent=True)]
    pool_segments: Annotated[int, Column(heading="in the pool")]
    pool_share: Annotated[float, Column(heading="share of the pool", digits=1, percent=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Words per segment: the mean, and the quantiles of QUANTILES by their share."""

    mean: float
    quantiles: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sample(Result):
    """A test set drawn from a pool, and its similarity to the pool.

    Attributes:
        settings: settings of the draw.
        pool: the pool.
        test_set: drawn segments, in the order of the pool.
        segments: numbers of the drawn segments in the pool, from 1.
        documents: number of documents with drawn segments; None if documents are unknown.
        pool_documents: number of documents of the pool; None if documents are unknown.
        domains: shares of the domains; empty if domains are unknown.
        lengths: lengths of the test set.
        pool_lengths: lengths of the pool.
        length_distance: Kolmogorov-Smirnov distance: the largest difference between the cumulative
            distributions of lengths.
        usual_distance: bound below which the distance of 95 % of random samples of this size stays;
            0 for the whole pool.
    """

    REPORT: ClassVar[str] = "truebleu.reports.planning:sample_document"

    settings: SampleSettings
    pool: TestSet
    test_set: TestSet
    segments: tuple[int, ...]
    documents: int | None
    pool_documents: int | None
    domains: tuple[DomainShare, ...]
    lengths: Lengths
    pool_lengths: Lengths
    length_distance: float
    usual_distance: float

    def save(self, folder: str | PathLike[str], *, overwrite: bool = False) -> list[Path]:
        """Write the test set into a folder, which is created if missing: all files or none.

        Args:
            folder: folder for the references, the source, a file per system, ``documents.tsv`` and
                ``segments.txt``, the numbers of the segments in the pool, from 1.
            overwrite: True to replace existing files. Raises SettingError for other files of an
                earlier draw, which would be mistaken for files of this one.

        Returns:
            The files, in the order above.
        """
        folder = Path(folder)
        contents = files_of(self.test_set)
        contents[NUMBERS] = (f"{number}\n".encode() for number in self.segments)
        if overwrite:
            _reject_leftovers(folder, contents)
        return write_files(folder, contents, overwrite=overwrite)


@takes(SampleSettings)
def sample(
    systems: SystemsLike,
    references: ReferencesLike | None = None,
    **options: Unpack[SampleOptions],
) -> Sample:
    """Draw a test set from a pool of references, or of outputs of systems and references.

    >>> from truebleu.simulation import simulate
    >>> pool = simulate(segments=100, systems=[0.1])
    >>> len(sample(pool, size=30).test_set)
    30

    Args:
        systems: the pool: a test set, or the outputs of systems by name.
        references: one text, or one per translator; None with a test set.
    """
    settings = SampleSettings.from_options(options)
    pool = as_test_set(systems, references)
    if settings.size > len(pool):
        expected = f"at most {len(pool)}, the segments of the pool"
        raise SettingError("size", settings.size, expected)
    positions = _positions(pool, settings)
    test_set = pool.part(positions.tolist())
    lengths = np.array([len(tokens) for tokens in _words(pool, settings.tokenizer)])
    return Sample(
        settings=settings,
        pool=pool,
        test_set=test_set,
        segments=tuple((positions + 1).tolist()),
        documents=None if test_set.documents is None else len(set(test_set.documents)),
        pool_documents=None if pool.documents is None else len(set(pool.documents)),
        domains=_domains(pool.domains, test_set.domains),
        lengths=_lengths(lengths[positions]),
        pool_lengths=_lengths(lengths),
        length_distance=largest_distance(lengths[positions], lengths),
        usual_distance=usual_distance(len(test_set), len(pool)),
    )


def _positions(pool: TestSet, settings: SampleSettings) -> Positions:
    draw = Streams(settings.seed, f"sample {STREAMS.get(settings.draw, settings.draw)}").at(0)
    if settings.draw == "systematic":
        return systematic(len(pool), settings.size, draw)
    if settings.draw == "random":
        return random(len(pool), settings.size, draw)
    if settings.draw == "stratified":
        if pool.domains is None:
            raise SettingError("draw", "stratified", "a pool with domains; see --documents")
        return stratified(pool.domains, settings.size, draw)
    if pool.documents is None:
        raise SettingError("draw", "document", "a pool with documents; see --documents")
    if len(set(pool.documents)) < 2:
        found = "one document"
        raise SettingError("pool", found, "at least two documents: one leaves nothing to draw")
    return whole_documents(pool.documents, settings.size, draw)


def _words(pool: TestSet, tokenizer: str) -> list[list[str]]:
    """Tokenize each segment's source, or its first reference without a source."""
    texts = pool.references if pool.source is None else (pool.source, *pool.references)
    segments = (
        next(text for text in segment if text is not None) for segment in zip(*texts, strict=True)
    )
    return [_core.tokenize(text, tokenizer=tokenizer, lowercase=False) for text in segments]


# Draws of positions from 0, in the order of the pool; `draw` returns random numbers in [0, 1).


def systematic(count: int, size: int, draw: Draw) -> Positions:
    """Draw every k-th segment from a random start (Koehn 2004, §3.3: a "broad" sample).

    If `size` does not divide `count`, steps differ by at most one: position i is the integer part
    of (i + start) count / size, so the sample is evenly spread and every segment is equally likely.

    >>> systematic(10, 4, lambda: 0.0).tolist()
    [0, 2, 5, 7]
    """
    start = int(draw() * count)
    return (np.arange(size, dtype=np.int64) * count + start) // size


def random(count: int, size: int, draw: Draw) -> Positions:
    """Draw a simple random sample without replacement."""
    return np.sort(_random_order(count, draw)[:size])


def stratified(strata: Sequence[Hashable], size: int, draw: Draw) -> Positions:
    """Draw a random sample of each stratum, in proportion to its size."""
    members: dict[Hashable, list[int]] = {}
    for position in _random_order(len(strata), draw).tolist():
        members.setdefault(strata[position], []).append(position)
    # Strata in the order of the pool, so that ties of remainders do not depend on the random order.
    ordered = [members[label] for label in dict.fromkeys(strata)]
    sizes = allocate([len(stratum) for stratum in ordered], size)
    chosen = [
        np.array(stratum)[systematic(len(stratum), stratum_size, draw)]
        for stratum, stratum_size in zip(ordered, sizes, strict=True)
        if stratum_size
    ]
    return np.sort(np.concatenate(chosen))


def allocate(counts: Sequence[int], size: int) -> list[int]:
    """Allocate `size` in proportion to the counts, by the largest remainder method.

    No stratum gets more than its count, and each differs from its exact share by less than one. The
    earlier of strata with equal remainders gets more.

    >>> allocate([50, 30, 20], 7)
    [4, 2, 1]
    """
    total = sum(counts)
    shares = [divmod(size * count, total) for count in counts]
    sizes = [whole for whole, _ in shares]
    by_remainder = sorted(range(len(counts)), key=lambda i: (-shares[i][1], i))
    for stratum in by_remainder[: size - sum(sizes)]:
        sizes[stratum] += 1
    return sizes


def whole_documents(documents: Sequence[str], size: int, draw: Draw) -> Positions:
    """Draw whole documents in random order, with about `size` segments.

    Only the last documents, which fill the gap, are chosen by length among the remaining ones: more
    choices by length would favour short documents. If nothing fits, some of the last documents are
    dropped first. At least one document is drawn.
    """
    numbers: dict[str, int] = {}
    of_segment = np.array([numbers.setdefault(name, len(numbers)) for name in documents])
    lengths = np.bincount(of_segment)
    order = _random_order(len(numbers), draw)
    fitting = int(np.searchsorted(np.cumsum(lengths[order]), size, side="right"))
    fills = (
        _fill(order, count, lengths, size)
        for count in range(fitting, max(fitting - MOST_DROPPED, 0) - 1, -1)
    )
    best = min(fills, key=lambda chosen: abs(int(lengths[chosen].sum()) - size))
    return np.flatnonzero(np.isin(of_segment, best))


def _fill(order: Positions, count: int, lengths: Positions, size: int) -> Positions:
    """Choose the first `count` documents, then others while they bring the length near `size`."""
    chosen, rest = order[:count], order[count:]
    while len(rest):
        missing = size - int(lengths[chosen].sum())
        distances = np.abs(lengths[rest] - missing)
        nearest = int(np.argmin(distances))
        if len(chosen) and distances[nearest] >= abs(missing):
            break
        chosen, rest = np.append(chosen, rest[nearest]), np.delete(rest, nearest)
    return chosen


def _random_order(count: int, draw: Draw) -> Positions:
    keys = np.fromiter((draw() for _ in range(count)), dtype=np.float64, count=count)
    return np.argsort(keys, kind="stable")


# Similarity to the pool.


def largest_distance(values: NDArray[np.int64], pool: NDArray[np.int64]) -> float:
    """Compute the Kolmogorov-Smirnov distance between two sets of whole numbers from 0 up."""
    length = int(max(values.max(), pool.max())) + 1
    first, second = (
        np.cumsum(np.bincount(numbers, minlength=length)) / len(numbers)
        for numbers in (values, pool)
    )
    return float(np.abs(first - second).max())


def usual_distance(size: int, pool_size: int) -> float:
    """Compute the 95 % quantile of the distance of random samples, at most 1 (Kolmogorov)."""
    return min(KOLMOGOROV_95 * sqrt((1 - size / pool_size) / size), 1.0)


def _lengths(values: NDArray[np.int64]) -> Lengths:
    quantiles = np.quantile(values, QUANTILES).tolist()
    by_share = {f"{share:g}": value for share, value in zip(QUANTILES, quantiles, strict=True)}
    return Lengths(mean=float(values.mean()), quantiles=by_share)


def _domains(pool: Labels, sample: Labels) -> tuple[DomainShare, ...]:
    """Count the domains, in the order of the pool."""
    if pool is None or sample is None:
        return ()
    return tuple(
        DomainShare(
            domain=domain,
            segments=sample.count(domain),
            share=sample.count(domain) / len(sample),
            pool_segments=pool.count(domain),
            pool_share=pool.count(domain) / len(pool),
        )
        for domain in dict.fromkeys(pool)
    )


def _reject_leftovers(folder: Path, contents: Iterable[str]) -> None:
    if not (folder / NUMBERS).exists():
        return
    known = set(contents)
    for path in sorted(folder.iterdir()):
        if path.suffix in ENDINGS and path.name not in known:
            expected = "no files of another draw; remove it, or choose another folder"
            raise SettingError("file", str(path), expected)
