"""`NBest`: several candidates for each segment, with what is known about each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, log
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from truebleu._results import ComparedByValue
from truebleu._settings import require_whole_number
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    SegmentTypeError,
    SettingError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SparseFeatures(ComparedByValue):
    """Features that most candidates lack, as rows of a sparse matrix (CSR).

    Attributes:
        names: the features, by the number of their column.
        indptr: where each candidate's values start, and where the last one's end.
        indices: the columns of the values, ascending for each candidate.
        values: the values.
    """

    names: tuple[str, ...]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, float]]) -> SparseFeatures:
        """Of one mapping from names to values for each candidate.

        >>> SparseFeatures.of([{"a~b": 1.0}, {}, {"b~c": 2.0, "a~b": 1.0}]).names
        ('a~b', 'b~c')
        """
        columns: dict[str, int] = {}
        indptr, indices, values = [0], [], []
        for row in rows:
            pairs = sorted((columns.setdefault(name, len(columns)), row[name]) for name in row)
            indices += [column for column, _ in pairs]
            values += [value for _, value in pairs]
            indptr.append(len(indices))
        return cls(
            names=tuple(columns),
            indptr=np.array(indptr, dtype=np.int64),
            indices=np.array(indices, dtype=np.int64),
            values=np.array(values, dtype=np.float64),
        )

    def __post_init__(self) -> None:
        for name in ("indptr", "indices", "values"):
            _freeze(self, name, getattr(self, name), np.float64 if name == "values" else np.int64)
        if not np.isfinite(self.values).all():
            raise SettingError("sparse features", "NaN or infinity", "finite numbers")
        for name in ("indptr", "indices", "values"):
            if getattr(self, name).ndim != 1:
                raise SettingError(name, getattr(self, name).shape, "one axis")
        ascending = np.diff(self.indices) > 0
        starts = self.indptr[1:-1]
        ascending[starts[(starts > 0) & (starts <= len(ascending))] - 1] = True
        if (
            len(self.indices) != len(self.values)
            or (len(self.indptr) and self.indptr[-1] != len(self.values))
            or (len(self.indices) and not 0 <= self.indices.min() <= self.indices.max() < self.size)
            or not ascending.all()
        ):
            raise SettingError("sparse features", "rows that do not fit", "a valid CSR matrix")

    @property
    def size(self) -> int:
        """How many different features there are."""
        return len(self.names)

    def row(self, candidate: int) -> dict[str, float]:
        """The values of one candidate by name."""
        require_whole_number("candidate", candidate, 0, len(self.indptr) - 2)
        start, end = self.indptr[candidate : candidate + 2]
        pairs = zip(self.indices[start:end], self.values[start:end], strict=True)
        return {self.names[column]: float(value) for column, value in pairs}

    def matrix(self) -> Any:
        """The same as a `scipy.sparse.csr_array`."""
        from scipy.sparse import csr_array

        shape = (len(self.indptr) - 1, self.size)
        return csr_array((self.values, self.indices, self.indptr), shape=shape)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NBest(ComparedByValue, Sequence[tuple[str, ...]]):
    """Lists of candidates, one for each segment; as a sequence, each list is a tuple of texts.

    Lists may differ in length, but each has a candidate at least. The order within a list is that
    of its file, and breaks ties. Duplicates stay: samplers repeat what is likely.

    >>> lists = NBest.of([["a cat", "the cat", "a cat"], ["yes"]])
    >>> len(lists), lists.candidates, lists[1]
    (2, 4, ('yes',))

    Attributes:
        texts: all candidates, list after list.
        offsets: where each list starts in `texts`, and where the last one ends.
        feature_names: the features that every candidate has.
        features: their values, shaped (candidate, feature).
        sparse: features that only some candidates have; the others have 0.
        scores: the model's score of each candidate, as the file has it.
        log_probabilities: natural logarithms of what the model gives each candidate, up to a
            constant and not normalised by length; None where the file does not tell.
        counts: how often each candidate was sampled, where the file says so.
        labels: what the file calls the segments.
        sources: the source of each segment, where the file has it.
        name: where the lists are from.
        format: the format of the file.
    """

    texts: tuple[str, ...]
    offsets: NDArray[np.int64]
    feature_names: tuple[str, ...] = ()
    features: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    sparse: SparseFeatures | None = None
    scores: NDArray[np.float64] | None = None
    log_probabilities: NDArray[np.float64] | None = None
    counts: NDArray[np.int64] | None = None
    labels: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    name: str = "n-best lists"
    format: str = "lists"

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", tuple(self.texts))
        _freeze(self, "offsets", self.offsets, np.int64)
        for number, text in enumerate(self.texts, 1):
            if not isinstance(text, str):
                raise SegmentTypeError(f"{self.name}: candidate", number, type(text).__name__)
        self._check_offsets()
        count = len(self.texts)
        features = np.asarray(self.features, dtype=np.float64)
        if not self.feature_names and not features.size:
            features = np.empty((count, 0))
        _freeze(self, "features", features, np.float64)
        if self.features.shape != (count, len(self.feature_names)):
            expected = f"one row for each of {count} candidates, a column for each feature"
            raise SettingError(f"{self.name}: features", self.features.shape, expected)
        if len(set(self.feature_names)) < len(self.feature_names):
            raise SettingError(f"{self.name}: features", self.feature_names, "different names")
        for name in ("scores", "log_probabilities", "counts"):
            if getattr(self, name) is not None:
                kind = np.int64 if name == "counts" else np.float64
                _freeze(self, name, getattr(self, name), kind)
                if getattr(self, name).shape != (count,):
                    shape = getattr(self, name).shape
                    raise SettingError(f"{self.name}: {name}", shape, f"one of {count} each")
        self._check_numbers()
        if self.sparse is not None and len(self.sparse.indptr) != count + 1:
            rows = len(self.sparse.indptr) - 1
            raise SettingError(f"{self.name}: sparse features", f"{rows} rows", f"{count}")
        for name in ("labels", "sources"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self):
                raise SettingError(f"{self.name}: {name}", len(values), f"{len(self)}")

    @classmethod
    def of(
        cls,
        lists: Iterable[Iterable[str]],
        *,
        features: Mapping[str, Iterable[Iterable[float]]] | None = None,
        scores: Iterable[Iterable[float]] | None = None,
        log_probabilities: Iterable[Iterable[float]] | None = None,
        counts: Iterable[Iterable[int]] | None = None,
        sources: Iterable[str] | None = None,
        name: str = "n-best lists",
    ) -> NBest:
        """Lists that are in memory, with numbers in lists of the same lengths.

        >>> lists = NBest.of([["a", "b"], ["c"]], features={"comet": [[0.5, 0.25], [0.75]]})
        >>> lists.feature("comet").tolist()
        [0.5, 0.25, 0.75]
        """
        if isinstance(lists, str | Mapping):
            raise SettingError(name, type(lists).__name__, "a list of lists of str")
        texts: list[tuple[str, ...]] = []
        for number, list_ in enumerate(lists, 1):
            if isinstance(list_, str):  # it would become a list of its letters
                raise SegmentTypeError(f"{name}: a list of candidates", number, "a single str")
            texts.append(tuple(list_))
        sizes = [len(list_) for list_ in texts]

        def flat(what: str, values: Iterable[Iterable[float]] | None) -> NDArray[Any] | None:
            return None if values is None else _flattened(f"{name}: {what}", values, sizes)

        columns = {key: flat(key, values) for key, values in (features or {}).items()}
        return cls(
            texts=tuple(text for list_ in texts for text in list_),
            offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            feature_names=tuple(columns),
            features=np.stack([c for c in columns.values() if c is not None], axis=1)
            if columns
            else np.empty((sum(sizes), 0)),
            scores=flat("scores", scores),
            log_probabilities=flat("log_probabilities", log_probabilities),
            counts=flat("counts", counts),
            sources=None if sources is None else tuple(sources),
            name=name,
        )

    @classmethod
    def of_systems(cls, systems: Mapping[str, Sequence[str | None]]) -> NBest:
        """The outputs of several systems as lists: one candidate from each system.

        >>> NBest.of_systems({"a": ["one", "two"], "b": ["eins", "zwei"]})[0]
        ('one', 'eins')
        """
        lengths = {name: len(text) for name, text in systems.items()}
        if len(set(lengths.values())) != 1:
            raise SettingError("systems", lengths, "texts of one length")
        rows = zip(*systems.values(), strict=True)
        return cls.of(([text or "" for text in row] for row in rows), name="systems")

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int, /) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[tuple[str, ...]]: ...
    def __getitem__(self, index: int | slice, /) -> tuple[str, ...] | list[tuple[str, ...]]:
        """The candidates of a segment."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"no segment {index} in {len(self)}")
        return self.texts[self.span(index % len(self))]

    def __repr__(self) -> str:
        return f"<NBest: {self.candidates} candidates for {len(self)} segments from {self.name}>"

    @property
    def candidates(self) -> int:
        """The number of candidates of all segments."""
        return len(self.texts)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many candidates each segment has."""
        return np.diff(self.offsets)

    def span(self, segment: int) -> slice:
        """Where a segment's candidates are in `texts` and in the rows of `features`."""
        require_whole_number("segment", segment, 0, len(self) - 1)
        return slice(int(self.offsets[segment]), int(self.offsets[segment + 1]))

    def spans(self) -> Iterator[slice]:
        """The span of every segment."""
        return (self.span(segment) for segment in range(len(self)))

    def feature(self, name: str) -> NDArray[np.float64]:
        """A feature's value for every candidate; a sparse one is 0 where a candidate lacks it."""
        if name in self.feature_names:
            return self.features[:, self.feature_names.index(name)]
        if self.sparse is not None and name in self.sparse.names:
            column = self.sparse.names.index(name)
            values = np.zeros(self.candidates)
            rows = np.repeat(np.arange(self.candidates), np.diff(self.sparse.indptr))
            chosen = self.sparse.indices == column
            values[rows[chosen]] = self.sparse.values[chosen]
            return values
        raise MissingColumnError(self.name, "feature", name, self.feature_names)

    def choose(self, indices: ArrayLike) -> list[str]:
        """The candidate of each segment that has this index in its list, from 0."""
        chosen = as_indices(indices, self.sizes)
        return [self.texts[i] for i in self.offsets[:-1] + chosen]

    def _check_offsets(self) -> None:
        offsets = self.offsets
        if offsets.ndim != 1 or len(offsets) < 2:
            raise SettingError(self.name, "no lists", "candidates for one segment at least")
        if offsets[0] != 0 or offsets[-1] != len(self.texts):
            raise SettingError(f"{self.name}: offsets", offsets, f"0 … {len(self.texts)}")
        empty = np.flatnonzero(np.diff(offsets) <= 0)
        if len(empty):
            where = f"{self.name}: segment {empty[0] + 1}"
            raise SettingError(where, "no candidates", "one at least, even if it is empty text")

    def _check_numbers(self) -> None:
        columns = [*self.features.T, self.scores, self.log_probabilities]
        names = [*self.feature_names, "scores", "log_probabilities"]
        for name, column in zip(names, columns, strict=True):
            if column is not None and not np.isfinite(column).all():
                candidate = int(np.flatnonzero(~np.isfinite(column))[0])
                segment = int(np.searchsorted(self.offsets, candidate, side="right"))
                where = f"{self.name}: segment {segment}: {name}"
                raise SettingError(where, float(column[candidate]), "a finite number")
        if self.counts is not None and (self.counts < 1).any():
            raise SettingError(f"{self.name}: counts", int(self.counts.min()), "1 or more")


def _freeze(owner: object, name: str, values: ArrayLike, kind: type) -> None:
    array: NDArray[Any] = np.array(values, dtype=kind)
    array.flags.writeable = False
    object.__setattr__(owner, name, array)


def _flattened(what: str, values: Iterable[Iterable[float]], sizes: list[int]) -> NDArray[Any]:
    rows = [list(row) for row in values]
    for number, (row, size) in enumerate(zip(rows, sizes, strict=False), 1):
        if len(row) != size:
            raise SettingError(f"{what} of segment {number}", f"{len(row)} values", f"{size}")
    if len(rows) != len(sizes):
        raise SettingError(what, f"{len(rows)} lists", f"{len(sizes)}")
    try:
        return np.array([float(value) for row in rows for value in row])
    except (TypeError, ValueError):
        raise SettingError(what, "something else than a number", "numbers") from None


# Candidates as parsers hand them over, and the lists made of them.


class Candidate(NamedTuple):
    """One candidate as a file has it.

    Attributes:
        line: the line it is on, from 1.
        text: the candidate itself.
        features: values by name that every candidate of a file must have.
        sparse: values by name that a candidate may lack.
        score: the model's score, as it is written.
        log_probability: its natural logarithm of a probability, where the format tells.
        times: how often it was sampled.
    """

    line: int
    text: str
    features: Mapping[str, float] = {}
    sparse: Mapping[str, float] = {}
    score: float | None = None
    log_probability: float | None = None
    times: int | None = None


class Listed(NamedTuple):
    """The list of a segment, what the file calls the segment, and its source where it has one."""

    candidates: list[Candidate]
    label: str
    source: str | None = None


class Lists(NamedTuple):
    """The lists of a file in their order, before they are checked."""

    candidates: list[list[Candidate]]
    labels: list[str]
    sources: list[str] | None = None

    @classmethod
    def of(cls, listed: Iterable[Listed]) -> Lists:
        """Of lists one by one; sources where all have one."""
        columns = [list(column) for column in zip(*listed, strict=True)]
        candidates, labels, sources = columns or ([], [], [])
        return cls(candidates, labels, None if None in sources else sources)


class ScoreScale(NamedTuple):
    """What the user says about the scores of a file; None where only the format can tell."""

    log_base: float | None = None
    length_normalized: bool | None = None


def number(path: str, line: int, name: str, text: str) -> float:
    """A finite number; Python's own reader would also take nan, inf and 1_000."""
    try:
        value = float(text)
    except ValueError:
        value = None
    if value is None or "_" in text:
        hint = "; write decimals with a point" if "," in text else ""
        raise MalformedFileError(path, line, f"{name}: {text!r}", f"a number{hint}")
    return finite(path, line, name, value)


def finite(path: str, line: int, name: str, value: float) -> float:
    """The value, unless it is NaN or infinite."""
    if not isfinite(value):
        expected = "a finite number; leave such candidates out or give them a number"
        raise MalformedFileError(path, line, f"{name}: {value}", expected)
    return value


def make_lists(
    path: str, format_: str, lists: Lists, scale: ScoreScale, first: Candidate | None = None
) -> NBest:
    """The lists, if every candidate has the features of the file's first one.

    Where these are a later part of a file, its first candidate is handed over.
    """
    flat = [candidate for list_ in lists.candidates for candidate in list_]
    if not flat:
        raise EmptyTextError(path)
    first = first or flat[0]
    dense = tuple(first.features)
    _refuse_other_features(path, flat, dense, first.line)
    promoted = _in_every(flat)
    sparse = None
    if any(len(candidate.sparse) > len(promoted) for candidate in flat):
        kept = set(promoted)
        sparse = SparseFeatures.of(
            {name: value for name, value in candidate.sparse.items() if name not in kept}
            for candidate in flat
        )
    features = np.array(
        [
            [candidate.features[name] for name in dense]
            + [candidate.sparse[name] for name in promoted]
            for candidate in flat
        ]
    ).reshape(len(flat), -1)
    scores = _column(path, flat, "score", [candidate.score for candidate in flat])
    log_probabilities = _column(
        path, flat, "log-probability", [candidate.log_probability for candidate in flat]
    )
    if scores is not None and scale != ScoreScale():
        log_probabilities = _rescaled(scores, log_probabilities, scale)
    elif scores is None and scale != ScoreScale():
        found = f"a {format_} file without scores"
        raise SettingError("log_base or length_normalized", found, "scores that they are about")
    counts = [candidate.times for candidate in flat]
    counted = any(count is not None for count in counts)
    return NBest(
        texts=tuple(candidate.text for candidate in flat),
        offsets=np.concatenate([[0], np.cumsum([len(list_) for list_ in lists.candidates])]),
        feature_names=(*dense, *promoted),
        features=features,
        sparse=sparse,
        scores=scores,
        log_probabilities=log_probabilities,
        counts=np.array([count or 1 for count in counts]) if counted else None,
        labels=tuple(lists.labels),
        sources=None if lists.sources is None else tuple(lists.sources),
        name=path,
        format=format_,
    )


def _refuse_other_features(
    path: str, flat: list[Candidate], dense: tuple[str, ...], line: int
) -> None:
    wanted = set(dense)
    for candidate in flat:
        if candidate.features.keys() == wanted:
            continue
        lacking = [name for name in dense if name not in candidate.features]
        further = [name for name in candidate.features if name not in wanted]
        found = f"no feature {lacking[0]!r}" if lacking else f"a feature {further[0]!r}"
        expected = f"the features of line {line}: {', '.join(dense) or 'none'}"
        raise MalformedFileError(path, candidate.line, found, expected)


def _in_every(flat: list[Candidate]) -> tuple[str, ...]:
    """The sparse features that no candidate lacks, in the order of the first one."""
    names = dict.fromkeys(flat[0].sparse)
    for candidate in flat:
        if not names:
            break
        if not names.keys() <= candidate.sparse.keys():
            names = {name: None for name in names if name in candidate.sparse}
    return tuple(names)


def _column(
    path: str, flat: list[Candidate], name: str, values: list[float | None]
) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    lines = [c.line for c, value in zip(flat, values, strict=True) if value is not None]
    if not lines:
        return None
    for candidate, value in zip(flat, values, strict=True):
        if value is None:
            expected = f"one, as line {lines[0]} has"
            raise MalformedFileError(path, candidate.line, f"no {name}", expected)
    return np.array(values, dtype=np.float64)


def _rescaled(
    scores: np.ndarray[tuple[int], np.dtype[np.float64]],
    known: np.ndarray[tuple[int], np.dtype[np.float64]] | None,
    scale: ScoreScale,
) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    """Log-probabilities, of scores that the user knows the scale of."""
    base = scale.log_base
    if base is not None and not (isfinite(base) and base > 1):
        raise SettingError("log_base", base, "a number above 1, such as 2 or 10")
    if scale.length_normalized:
        # What was divided by a power of the length can't be undone without knowing both.
        return known
    if scale.length_normalized is None and known is None:
        expected = "also length_normalized: whether the scores were divided by the length"
        raise SettingError("log_base", base, expected)
    return scores * (1.0 if base is None else log(base))


def in_order_of_ids(
    path: str, candidates: Iterable[tuple[int, Candidate]], first_id: int
) -> Iterator[Listed]:
    """Lists whose segments are numbered from `first_id` on, one after the other."""
    list_: list[Candidate] = []
    known = 0
    for id_, candidate in candidates:
        segment = id_ - first_id
        if list_ and segment == known - 1:
            list_.append(candidate)
            continue
        if segment != known:
            _refuse_id(path, candidate.line, id_, first_id, known)
        if list_:
            yield Listed(list_, str(first_id + known - 1))
        list_ = [candidate]
        known += 1
    if list_:
        yield Listed(list_, str(first_id + known - 1))


def _refuse_id(path: str, line: int, id_: int, first_id: int, known: int) -> None:
    last = first_id + known - 1
    if not known:
        hint = f"; with --first-id {id_} ids start at {id_}" if id_ == 1 else ""
        raise MalformedFileError(path, line, f"segment {id_} first", f"{first_id}{hint}")
    if id_ < last:
        expected = (
            "each segment's candidates together, segments in order of their number; "
            "sort the file by it (sort -s -n -k1,1)"
        )
        raise MalformedFileError(path, line, f"segment {id_} after segment {last}", expected)
    found = f"segment {id_} after segment {last}"
    expected = (
        f"candidates for segment {last + 1}; a segment without any would silently be left out: "
        "translate it again or give it an empty candidate"
    )
    raise MalformedFileError(path, line, found, expected)


def as_indices(indices: ArrayLike, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """An index into each of the lists, which have these sizes, checked."""
    given = np.asarray(indices)
    fits = given.dtype.kind in "iu" and given.shape == sizes.shape
    if not fits or (given < 0).any() or (given >= sizes).any():
        raise SettingError("indices", indices, "an index into each list")
    return given.astype(np.int64)
