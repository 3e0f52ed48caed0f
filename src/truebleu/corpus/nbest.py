"""`NBest`: several candidates for each segment, with features and scores of each candidate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from truebleu.errors import MissingColumnError, SegmentTypeError, SettingError
from truebleu.schema import LARGEST, ComparedByValue, require_whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

__all__ = ["NBest", "SparseFeatures"]

#: Fields with a number for each candidate.
_COLUMNS = ("scores", "log_probabilities", "counts")
FINITE = f"a finite number, up to {LARGEST:g}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SparseFeatures(ComparedByValue):
    """Sparse features: the rows of a CSR matrix, one per candidate.

    Attributes:
        names: names of the features, by column.
        indptr: index of each candidate's first value, then the number of values.
        indices: column of each value, ascending within a candidate.
        values: values of all candidates.
    """

    names: tuple[str, ...]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, float]]) -> SparseFeatures:
        """Create sparse features from one mapping of names to values per candidate.

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
        for name, kind in (("indptr", np.int64), ("indices", np.int64), ("values", np.float64)):
            _freeze(self, name, getattr(self, name), kind)
            if getattr(self, name).ndim != 1:
                raise SettingError(name, getattr(self, name).shape, "one axis")
        if not (np.abs(self.values) <= LARGEST).all():
            raise SettingError("sparse features", f"NaN or a value over {LARGEST:g}", FINITE)
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
        """Number of different features."""
        return len(self.names)

    def row(self, candidate: int) -> dict[str, float]:
        """Return the values of one candidate by name."""
        require_whole_number("candidate", candidate, 0, len(self.indptr) - 2)
        start, end = self.indptr[candidate : candidate + 2]
        pairs = zip(self.indices[start:end], self.values[start:end], strict=True)
        return {self.names[column]: float(value) for column, value in pairs}

    def matrix(self) -> Any:
        """Return the features as a `scipy.sparse.csr_array`, shaped (candidate, feature)."""
        from scipy.sparse import csr_array

        shape = (len(self.indptr) - 1, self.size)
        return csr_array((self.values, self.indices, self.indptr), shape=shape)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NBest(ComparedByValue, Sequence[tuple[str, ...]]):
    """Lists of candidates, one for each segment; as a sequence, each list is a tuple of texts.

    Lists may differ in length, but each has at least one candidate. The order within a list is the
    order of its file, and breaks ties. Duplicates stay: samplers repeat likely candidates.

    >>> lists = NBest.of([["a cat", "the cat", "a cat"], ["yes"]])
    >>> len(lists), lists.candidates, lists[1]
    (2, 4, ('yes',))

    Attributes:
        texts: all candidates, list after list.
        offsets: index of each list's first candidate in `texts`, then the number of candidates.
        feature_names: names of the features that every candidate has.
        features: values of these features, shaped (candidate, feature).
        sparse: features that only some candidates have, 0 for the other candidates; or None.
        scores: the model's score of each candidate, as in the file; or None.
        log_probabilities: natural logarithms of the model's probabilities, up to a constant and not
            normalised by length; None if the file does not have them.
        counts: number of times that each candidate was sampled, or None.
        sources: source of each segment, or None.
        name: file or origin of the lists.
        format: format of the file.
    """

    texts: tuple[str, ...]
    offsets: NDArray[np.int64]
    feature_names: tuple[str, ...] = ()
    features: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    sparse: SparseFeatures | None = None
    scores: NDArray[np.float64] | None = None
    log_probabilities: NDArray[np.float64] | None = None
    counts: NDArray[np.int64] | None = None
    sources: tuple[str, ...] | None = None
    name: str = "n-best lists"
    format: str = "lists"

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", tuple(self.texts))
        for number, text in enumerate(self.texts, 1):
            if not isinstance(text, str):
                raise SegmentTypeError(f"{self.name}: candidate", number, type(text).__name__)
        _freeze(self, "offsets", self.offsets, np.int64)
        features = np.asarray(self.features, dtype=np.float64)
        if not self.feature_names and not features.size:
            features = np.empty((len(self.texts), 0))
        _freeze(self, "features", features, np.float64)
        for name in _COLUMNS:
            if getattr(self, name) is not None:
                kind = np.int64 if name == "counts" else np.float64
                _freeze(self, name, getattr(self, name), kind)
        self._check_shapes()
        self._check_numbers()

    @classmethod
    def of(
        cls,
        lists: Iterable[Iterable[str]],
        *,
        features: Mapping[str, Iterable[Iterable[float]]] | None = None,
        sources: Iterable[str] | None = None,
        name: str = "n-best lists",
        **columns: Iterable[Iterable[float]] | None,
    ) -> NBest:
        """Create lists from memory; features and columns have the shape of `lists`.

        >>> lists = NBest.of([["a", "b"], ["c"]], features={"comet": [[0.5, 0.25], [0.75]]})
        >>> lists.feature("comet").tolist()
        [0.5, 0.25, 0.75]

        Args:
            lists: candidates of each segment.
            features: values for each candidate, by the name of the feature.
            sources: source of each segment.
            name: name of the lists in messages.
            columns: `scores`, `log_probabilities` or `counts` of the candidates.
        """
        if isinstance(lists, str | Mapping) or not isinstance(lists, Iterable):
            raise SettingError(name, type(lists).__name__, "a list of lists of str")
        texts: list[tuple[str, ...]] = []
        for number, list_ in enumerate(lists, 1):
            # Iteration over a str would yield letters.
            if isinstance(list_, str | Mapping) or not isinstance(list_, Iterable):
                single = f"a single {type(list_).__name__}"
                raise SegmentTypeError(f"{name}: a list of candidates", number, single)
            texts.append(tuple(list_))
        sizes = [len(list_) for list_ in texts]
        values = [_flattened(f"{name}: {key}", v, sizes) for key, v in (features or {}).items()]
        numbers: dict[str, Any] = {
            key: _flattened(f"{name}: {key}", column, sizes)
            for key, column in columns.items()
            if column is not None
        }
        return cls(
            texts=tuple(text for list_ in texts for text in list_),
            offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            feature_names=tuple(features or ()),
            features=np.stack(values, axis=1) if values else np.empty((sum(sizes), 0)),
            sources=None if sources is None else tuple(sources),
            name=name,
            **numbers,
        )

    @classmethod
    def of_systems(cls, systems: Mapping[str, Sequence[str | None]]) -> NBest:
        """Create lists from the outputs of systems, with one candidate from each system.

        >>> NBest.of_systems({"a": ["one", "two"], "b": ["eins", "zwei"]})[0]
        ('one', 'eins')
        """
        lengths = {name: len(text) for name, text in systems.items()}
        if len(set(lengths.values())) != 1:
            raise SettingError("systems", lengths, "texts of one length")
        rows = zip(*systems.values(), strict=True)
        return cls.of(([text or "" for text in row] for row in rows), name="systems")

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int, /) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[tuple[str, ...]]: ...
    def __getitem__(self, index: int | slice, /) -> tuple[str, ...] | list[tuple[str, ...]]:
        """Return the candidates of a segment."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"no segment {index} in {len(self)}")
        return self.texts[self.span(index % len(self))]

    def __repr__(self) -> str:
        return f"<NBest: {self.candidates} candidates for {len(self)} segments from {self.name}>"

    @property
    def candidates(self) -> int:
        """Number of candidates of all segments."""
        return len(self.texts)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of candidates of each segment."""
        return np.diff(self.offsets)

    def span(self, segment: int) -> slice:
        """Return the slice of a segment's candidates: in `texts`, and in rows of `features`."""
        require_whole_number("segment", segment, 0, len(self) - 1)
        return slice(int(self.offsets[segment]), int(self.offsets[segment + 1]))

    def spans(self) -> Iterator[slice]:
        """Return an iterator over the spans of all segments."""
        return (self.span(segment) for segment in range(len(self)))

    def feature(self, name: str) -> NDArray[np.float64]:
        """Return a feature's value for every candidate; missing sparse features are 0."""
        if name in self.feature_names:
            return self.features[:, self.feature_names.index(name)]
        if self.sparse is not None and name in self.sparse.names:
            column = self.sparse.matrix()[:, [self.sparse.names.index(name)]]
            return np.asarray(column.toarray()[:, 0])
        raise MissingColumnError(self.name, "feature", name, self.feature_names)

    def choose(self, indices: ArrayLike) -> list[str]:
        """Return the candidate of each segment at `indices`, which count from 0 in its list."""
        return [self.texts[i] for i in self.offsets[:-1] + as_indices(indices, self.sizes)]

    def first(self) -> list[str]:
        """Return the first candidate of each segment."""
        return [self.texts[i] for i in self.offsets[:-1]]

    def _check_shapes(self) -> None:
        offsets, count = self.offsets, len(self.texts)
        if offsets.ndim != 1 or len(offsets) < 2:
            raise SettingError(self.name, "no lists", "candidates for at least one segment")
        if offsets[0] != 0 or offsets[-1] != count:
            raise SettingError(f"{self.name}: offsets", offsets, f"0 … {count}")
        empty = np.flatnonzero(np.diff(offsets) <= 0)
        if len(empty):
            where = f"{self.name}: segment {empty[0] + 1}"
            raise SettingError(where, "no candidates", "at least one candidate, which may be empty")
        if len(set(self.feature_names)) < len(self.feature_names):
            raise SettingError(f"{self.name}: features", self.feature_names, "different names")
        rows = None if self.sparse is None else self.sparse.indptr[1:]
        for name, values, shape in (
            ("features", self.features, (count, len(self.feature_names))),
            ("sparse features", rows, (count,)),
            *((name, getattr(self, name), (count,)) for name in _COLUMNS),
            ("sources", self.sources, (len(self),)),
        ):
            if values is not None and np.shape(values) != shape:
                raise SettingError(f"{self.name}: {name}", np.shape(values), f"shape {shape}")

    def _check_numbers(self) -> None:
        columns = [*self.features.T, self.scores, self.log_probabilities]
        names = [*self.feature_names, "scores", "log_probabilities"]
        for name, column in zip(names, columns, strict=True):
            # Squares of larger values would overflow.
            if column is not None and not (np.abs(column) <= LARGEST).all():
                candidate = int(np.flatnonzero(~(np.abs(column) <= LARGEST))[0])
                segment = int(np.searchsorted(self.offsets, candidate, side="right"))
                where = f"{self.name}: segment {segment}: {name}"
                raise SettingError(where, float(column[candidate]), FINITE)
        if self.counts is not None and (self.counts < 1).any():
            raise SettingError(f"{self.name}: counts", int(self.counts.min()), "1 or more")


def as_indices(indices: ArrayLike, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Check that `indices` has one index for each list of `sizes`; return it as int64."""
    values = np.asarray(indices)
    fits = values.dtype.kind in "iu" and values.shape == sizes.shape
    if not fits or (values < 0).any() or (values >= sizes).any():
        raise SettingError("indices", indices, "an index into each list")
    return values.astype(np.int64)


def _freeze(owner: object, name: str, values: ArrayLike, kind: type) -> None:
    array: NDArray[Any] = np.array(values, dtype=kind)
    array.flags.writeable = False
    object.__setattr__(owner, name, array)


def _flattened(label: str, values: Iterable[Iterable[float]], sizes: list[int]) -> NDArray[Any]:
    rows = [list(row) for row in values]
    for number, (row, size) in enumerate(zip(rows, sizes, strict=False), 1):
        if len(row) != size:
            raise SettingError(f"{label} of segment {number}", f"{len(row)} values", f"{size}")
    if len(rows) != len(sizes):
        raise SettingError(label, f"{len(rows)} lists", f"{len(sizes)}")
    numbers: list[float] = []
    for value in (value for row in rows for value in row):
        try:
            numbers.append(float(value))
        except (TypeError, ValueError):
            raise SettingError(label, value, "a number") from None
    return np.array(numbers)
