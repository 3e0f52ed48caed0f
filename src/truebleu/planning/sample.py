"""Draw a test set from a pool, say how like the pool it is, and save it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias, TypedDict

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

__all__ = ["DomainShare", "Lengths", "Sample", "SampleSettings", "Vocabulary"]

DrawMethod = Literal["systematic", "random", "stratified", "document"]
#: Which quantiles of the lengths are given.
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)

# The stream that a draw takes its numbers from, where it has another name: renaming it would draw
# other segments.
STREAMS = {"systematic": "broad"}
MOST_LENGTH_GROUPS = 100
# Documents that may go again so that the last one fits.
MOST_DROPPED = 10
# Kolmogorov's distribution lies below this in 95 of 100 cases.
KOLMOGOROV_95 = 1.3581
# The file with the numbers of the segments, and the endings of all files that a draw may have left.
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
        length_groups: number of groups by length that "stratified" also takes from in proportion.
        tokenizer: tokenizer that counts words, for lengths and the vocabulary.
    """

    draw: DrawMethod
    length_groups: Annotated[int, Setting(minimum=1, maximum=MOST_LENGTH_GROUPS, metavar="N")]
    tokenizer: Annotated[str, Setting(choices=_core.tokenizers(), rare=True)]
    seed: Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSettings(Settings):
    """Settings of a sample; `sample` describes them."""

    OPTIONS = SampleOptions

    size: int
    draw: DrawMethod = "systematic"
    length_groups: int = 1
    tokenizer: str = "13a"
    seed: int = DEFAULT_SEED

    @staticmethod
    def refuse_conflicts(options: Mapping[str, Any]) -> None:
        """Raise SettingError for groups by length that the draw ignores."""
        groups = options["length_groups"]
        if groups > 1 and options["draw"] != "stratified":
            raise SettingError("length_groups", groups, "1 unless draw is 'stratified'")


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainShare:
    """A domain in the test set and in the pool, in segments and as shares."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """How much of the pool's words the test set has.

    Attributes:
        types: different words of the test set.
        pool_types: of the pool.
        types_covered: the share of the pool's different words that the test set has.
        tokens_covered: the share of the pool's running words that the test set has.
        out_of_vocabulary: the share of the running words outside of the test set that it has not;
            None where nothing is outside.
    """

    types: int
    pool_types: int
    types_covered: float | None
    tokens_covered: float | None
    out_of_vocabulary: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sample(Result):
    """A test set that was drawn from a pool, and how like the pool it is.

    Attributes:
        settings: how it was drawn.
        pool: what it was drawn from.
        test_set: the texts that were drawn, in the order of the pool.
        segments: the numbers of its segments in the pool, from 1.
        documents: how many documents it takes from; None where they are not known.
        pool_documents: how many there are.
        domains: shares; none where domains are not known.
        lengths: of the test set.
        pool_lengths: of the pool.
        length_distance: Kolmogorov and Smirnov's: the largest difference between the shares of
            segments up to some length.
        usual_distance: what 95 of 100 random samples of this size stay below; 0 for the whole pool.
        vocabulary: words in common.
        reasons: why a value is None, by its name.
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
    vocabulary: Vocabulary
    reasons: Mapping[str, str]

    def save(self, folder: str | PathLike[str], *, overwrite: bool = False) -> list[Path]:
        """Write the test set into a folder, which is made if need be: all files or none.

        Args:
            folder: where to put the references, the source, a file per system, ``documents.tsv``
                and ``segments.txt``, the numbers of the segments in the pool, from 1.
            overwrite: whether files that exist may be replaced. What an earlier draw left besides
                is refused: texts of other segments beside these would be taken for theirs.

        Returns:
            The files, in the order above.
        """
        folder = Path(folder)
        contents = files_of(self.test_set)
        contents[NUMBERS] = (f"{number}\n".encode() for number in self.segments)
        if overwrite:
            _refuse_remains(folder, contents)
        return write_files(folder, contents, overwrite=overwrite)


@takes(SampleSettings)
def sample(
    systems: SystemsLike,
    references: ReferencesLike | None = None,
    **options: Unpack[SampleOptions],
) -> Sample:
    """Draw a test set from a pool, with the outputs of systems where there are any.

    >>> from truebleu.simulation import simulate
    >>> pool = simulate(segments=100, systems=[0.1])
    >>> len(sample(pool, size=30).test_set)
    30

    Args:
        systems: the pool: a test set, or the outputs of systems by name.
        references: one text, or one per translator; None with a test set.
    """
    settings = SampleSettings.from_options(options)
    whole = as_test_set(systems, references)
    if settings.size > len(whole):
        expected = f"at most {len(whole)}, the segments of the pool"
        raise SettingError("size", settings.size, expected)
    words = _words(whole, settings.tokenizer)
    positions = _positions(whole, settings, words)
    drawn = whole.part(positions.tolist())
    lengths = np.array([len(tokens) for tokens in words])
    vocabulary = _vocabulary(words, positions)
    return Sample(
        settings=settings,
        pool=whole,
        test_set=drawn,
        segments=tuple((positions + 1).tolist()),
        documents=None if drawn.documents is None else len(set(drawn.documents)),
        pool_documents=None if whole.documents is None else len(set(whole.documents)),
        domains=_domains(whole.domains, drawn.domains),
        lengths=_lengths(lengths[positions]),
        pool_lengths=_lengths(lengths),
        length_distance=largest_distance(lengths[positions], lengths),
        usual_distance=usual_distance(len(drawn), len(whole)),
        vocabulary=vocabulary,
        reasons=_reasons(whole, vocabulary),
    )


def _positions(
    pool: TestSet, settings: SampleSettings, words: Sequence[Sequence[str]]
) -> Positions:
    draw = Streams(settings.seed, f"sample {STREAMS.get(settings.draw, settings.draw)}").at(0)
    if settings.draw == "systematic":
        return systematic(len(pool), settings.size, draw)
    if settings.draw == "random":
        return random(len(pool), settings.size, draw)
    if settings.draw == "stratified":
        groups = _length_groups(pool, settings.length_groups, words)
        return stratified(pool.domains or ("",) * len(pool), settings.size, draw, groups)
    if pool.documents is None:
        raise SettingError("draw", "document", "a pool with documents; see --documents")
    if len(set(pool.documents)) < 2:
        found = "one document"
        raise SettingError("pool", found, "at least two documents: one leaves nothing to draw")
    return whole_documents(pool.documents, settings.size, draw)


def _length_groups(pool: TestSet, count: int, words: Sequence[Sequence[str]]) -> Positions:
    """The number of each segment's group, from 0 for the shortest."""
    if pool.domains is None and count == 1:
        expected = "a pool with domains (see --documents), or groups of length (--length-groups)"
        raise SettingError("draw", "stratified", expected)
    lengths = np.array([len(tokens) for tokens in words])
    edges = np.quantile(lengths, np.arange(1, count) / count)
    return np.searchsorted(edges, lengths, side="left")


def _words(pool: TestSet, tokenizer: str) -> list[list[str]]:
    """The words of each segment's source, or where there is none of its first reference."""
    texts = pool.references if pool.source is None else (pool.source, *pool.references)
    segments = (
        next(text for text in segment if text is not None) for segment in zip(*texts, strict=True)
    )
    return [_core.tokenize(text, tokenizer=tokenizer, lowercase=False) for text in segments]


# Which segments are drawn: positions from 0, in the order of the pool. All take a source of random
# numbers in [0, 1).


def systematic(count: int, size: int, draw: Draw) -> Positions:
    """Every k-th segment from a random start (Koehn 2004, §3.3: a "broad" sample).

    Where size does not divide the pool, steps differ by at most one: position i is the whole part
    of (i + start) count / size, so every stretch of the pool is taken from alike, and every segment
    is equally likely.

    >>> systematic(10, 4, lambda: 0.0).tolist()
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
    ordered = [members[label] for label in dict.fromkeys(strata)]
    taken = allocate([len(stratum) for stratum in ordered], size)
    chosen = [
        np.array(stratum)[systematic(len(stratum), many, draw)]
        for stratum, many in zip(ordered, taken, strict=True)
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


# How like its pool a test set is.


def largest_distance(values: NDArray[np.int64], pool: NDArray[np.int64]) -> float:
    """Kolmogorov and Smirnov's distance between two sets of whole numbers from 0 up."""
    most = int(max(values.max(), pool.max())) + 1
    here, there = (
        np.cumsum(np.bincount(numbers, minlength=most)) / len(numbers) for numbers in (values, pool)
    )
    return float(np.abs(here - there).max())


def usual_distance(drawn: int, pool: int) -> float:
    """What 95 of 100 random samples stay below; Kolmogorov's limit, which for a few exceeds 1."""
    return min(KOLMOGOROV_95 * sqrt((1 - drawn / pool) / drawn), 1.0)


def _lengths(values: NDArray[np.int64]) -> Lengths:
    quantiles = np.quantile(values, QUANTILES).tolist()
    by_share = {f"{share:g}": value for share, value in zip(QUANTILES, quantiles, strict=True)}
    return Lengths(mean=float(values.mean()), quantiles=by_share)


def _domains(whole: Labels, drawn: Labels) -> tuple[DomainShare, ...]:
    """The domains in the order of the pool."""
    if whole is None or drawn is None:
        return ()
    return tuple(
        DomainShare(
            domain=domain,
            segments=drawn.count(domain),
            share=drawn.count(domain) / len(drawn),
            pool_segments=whole.count(domain),
            pool_share=whole.count(domain) / len(whole),
        )
        for domain in dict.fromkeys(whole)
    )


def _vocabulary(words: Sequence[Sequence[str]], positions: Positions) -> Vocabulary:
    pool = Counter(token for tokens in words for token in tokens)
    drawn = Counter(token for position in positions.tolist() for token in words[position])
    missing = sum(count for token, count in pool.items() if token not in drawn)
    running, outside = pool.total(), pool.total() - drawn.total()
    return Vocabulary(
        types=len(drawn),
        pool_types=len(pool),
        types_covered=len(drawn) / len(pool) if pool else None,
        tokens_covered=1 - missing / running if running else None,
        out_of_vocabulary=missing / outside if outside else None,
    )


def _reasons(pool: TestSet, vocabulary: Vocabulary) -> dict[str, str]:
    reasons = {}
    if pool.documents is None:
        reasons["documents"] = reasons["pool_documents"] = "documents are not known"
    if vocabulary.types_covered is None:
        reasons["types_covered"] = reasons["tokens_covered"] = "the pool has no words"
    if vocabulary.out_of_vocabulary is None:
        reasons["out_of_vocabulary"] = "no words are outside of the test set"
    return reasons


def _refuse_remains(folder: Path, contents: Iterable[str]) -> None:
    if not (folder / NUMBERS).exists():
        return
    known = set(contents)
    for path in sorted(folder.iterdir()):
        if path.suffix in ENDINGS and path.name not in known:
            expected = "no texts of another draw beside these; remove it, or take another folder"
            raise SettingError("file", str(path), expected)
