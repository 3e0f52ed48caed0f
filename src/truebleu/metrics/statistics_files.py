"""Segment statistics as files, so that systems can be compared again without their texts.

A file holds systems' counts by one or more metrics, and what must match before other counts may be
set against them: the metrics' signatures and the fingerprint of the references. JSON, with a line
per column, holds one system, gzipped where its name ends in .gz; Parquet holds any number of them.
`SavedTestSet` makes a test set of them, without texts, which verbs take.
docs/reference/statistics-files.md has the layouts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, cast

from truebleu._results import ComparedByValue
from truebleu.corpus._files import PARQUET_MAGIC, STATISTICS, Files, may_hold_statistics
from truebleu.corpus._writing import refuse_existing, write_files
from truebleu.corpus.test_set import TestSet, fingerprint
from truebleu.errors import (
    AbsentTextError,
    DuplicateSystemError,
    EmptyTextError,
    MalformedFileError,
    OtherStatisticsError,
    SettingError,
)
from truebleu.metrics._statistics_parquet import (
    FORMAT_VERSION,
    KIND,
    finite,
    require_version,
)
from truebleu.metrics.base import CountedMetric
from truebleu.metrics.registry import metrics_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from truebleu._core import Statistics
    from truebleu.metrics._statistics_parquet import Part
    from truebleu.metrics.base import Metric

    Column = NDArray[np.float64]

# Larger whole numbers stay floats: written out they have up to 309 digits, which not every reader
# of JSON keeps.
LARGEST_EXACT = 2**53
PARQUET = ".parquet"
# White space may differ: a formatter may have been at a file that was committed.
BEGINNING = re.compile(rb'\s*\{\s*"format"\s*:\s*"' + STATISTICS.encode() + rb'"')


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SavedStatistics(ComparedByValue):
    """One system's counts, and what they were counted from.

    Attributes:
        system: the system's name.
        segments: how many there are.
        references: how many references they were counted against.
        fingerprint: of these references.
        output: the fingerprint of the system's own text.
        lengths: characters of the first reference that each segment has.
        documents: the document of each segment, where that was known.
        domains: the domain of each segment, where that was known.
        rows: counts shaped (segment, column), by the metric's whole signature.
        label: what messages call it: the file that it was read from.
    """

    system: str
    segments: int
    references: int
    fingerprint: str
    output: str
    lengths: tuple[int, ...]
    documents: tuple[str, ...] | None
    domains: tuple[str, ...] | None
    rows: Mapping[str, NDArray[np.float64]]
    label: str = "statistics"

    @classmethod
    def of(cls, test_set: TestSet, metrics: Sequence[str | Metric] = ("bleu",)) -> SavedStatistics:
        """Count the only system of a test set."""
        require_one_system(test_set)
        return cls.of_systems(test_set, metrics)[0]

    @classmethod
    def of_systems(
        cls, test_set: TestSet, metrics: Sequence[str | Metric] = ("bleu",)
    ) -> tuple[SavedStatistics, ...]:
        """Count all systems of a test set."""
        import numpy as np

        per_segment = test_set.references_per_segment
        rows = {
            str(metric.signature.with_references(per_segment)): metric.count(test_set).array()
            for metric in metrics_for(metrics, test_set)[0]
        }
        references, lengths = test_set.fingerprint, test_set.reference_lengths
        return tuple(
            cls(
                system=system,
                segments=len(test_set),
                references=len(test_set.references),
                fingerprint=references,
                output=fingerprint([text]),
                lengths=lengths,
                documents=test_set.documents,
                domains=test_set.domains,
                rows={key: np.ascontiguousarray(counts[:, place]) for key, counts in rows.items()},
            )
            for place, (system, text) in enumerate(test_set.systems.items())
        )

    def named(self, system: str) -> SavedStatistics:
        """The same statistics under another name."""
        return replace(self, system=system)

    def require_same_references(self, test_set: TestSet) -> None:
        """Raise OtherStatisticsError unless they were counted against this test set."""
        self._require(len(test_set), len(test_set.references), test_set.fingerprint)

    def require_same_as(self, other: SavedStatistics) -> None:
        """Raise OtherStatisticsError unless both were counted against the same references."""
        self._require(other.segments, other.references, other.fingerprint)
        for what in ("documents", "domains"):
            mine, others = getattr(self, what), getattr(other, what)
            if mine is not None and others is not None and mine != others:
                raise OtherStatisticsError(self.label, what, "others", f"those of {other.label}")

    def _require(self, segments: int, references: int, of_references: str) -> None:
        for what, found, expected in (
            ("segments", self.segments, segments),
            ("references", self.references, references),
            ("text of the references", self.fingerprint, of_references),
        ):
            if found != expected:
                raise OtherStatisticsError(self.label, what, str(found), str(expected))

    @property
    def references_per_segment(self) -> int | None:
        """How many references each segment has, or None when that varies."""
        counts = {_fields(signature).get("nrefs", "var") for signature in self.rows}
        count = counts.pop() if len(counts) == 1 else "var"
        return int(count) if count.isdecimal() else None

    def fixed(self, metric: Metric) -> Metric:
        """The metric, with what it leaves to the references as it was when it was saved."""
        of_references = self.references_per_segment
        of_name = (signature for signature in self.rows if signature.split("|")[0] == metric.name)
        for signature in of_name:
            fixed = metric.for_signature(_fields(signature))
            if str(fixed.signature.with_references(of_references)) == signature:
                return fixed
        expected = str(metric.signature.with_references(of_references))
        raise OtherStatisticsError(self.label, "signature", " and ".join(self.rows), expected)

    def by(self, metric: Metric) -> NDArray[np.float64]:
        """The counts of a metric; one with other settings, or of another version, is refused."""
        signature = str(metric.signature.with_references(self.references_per_segment))
        if signature not in self.rows:
            found = " and ".join(self.rows)
            raise OtherStatisticsError(self.label, "signature", found, signature)
        return self.rows[signature]


def _fields(signature: str) -> dict[str, str]:
    """The settings in a signature that was written out."""
    _, *fields = signature.split("|")
    return {key: value for key, _, value in (field.partition(":") for field in fields)}


def require_one_system(test_set: TestSet) -> list[str]:
    """The names of the systems, refused unless there is exactly one."""
    names = list(test_set.systems)
    if len(names) != 1:
        raise SettingError("systems", ", ".join(names), "one system for a file of statistics")
    return names


# Test sets without texts: verbs take them, and reading a text is an error.


class AbsentText(Sequence[str]):
    """A text of which only the length is known; reading it is an error."""

    def __init__(self, label: str, length: int) -> None:
        self._label = label
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AbsentText):
            return NotImplemented
        return (self._label, self._length) == (other._label, other._length)

    def __hash__(self) -> int:
        return hash((self._label, self._length))

    def _refuse(self, *_: object) -> NoReturn:
        raise AbsentTextError(self._label)

    __getitem__ = __iter__ = __contains__ = __reversed__ = _refuse


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedTestSet(TestSet):
    """A test set without texts, which says what metrics count in it.

    Attributes:
        counted_references: how many each segment was counted with; None where that varies.
    """

    is_counted: ClassVar[bool] = True

    counted_references: int | None = 0

    def __post_init__(self) -> None:
        """Nothing to check: what it is made of was checked when it was read."""

    def examined(self) -> TestSet:
        """This test set: there is nothing to look at."""
        return self

    @property
    def references_per_segment(self) -> int | None:
        """As the signatures of the metrics say it."""
        return self.counted_references

    def part(self, segments: Sequence[int]) -> TestSet:
        """Some of its segments, for metrics that have counted them already."""

        def of(labels: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return None if labels is None else tuple(labels[place] for place in segments)

        text = AbsentText("a part of the test set", len(segments))
        return CountedTestSet(
            systems=dict.fromkeys(self.systems, text),
            references=(text,) * len(self.references),
            reference_names=self.reference_names,
            documents=of(self.documents),
            domains=of(self.domains),
            is_examined=True,
            counted_references=self.references_per_segment,
        )

    def metrics(self, metrics: Sequence[Metric]) -> list[Metric]:
        """The metrics with what is known instead of texts; here, what they counted already."""
        return list(metrics)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTestSet(CountedTestSet):
    """A test set without texts; `saved` has the statistics of each system by its name."""

    saved: tuple[SavedStatistics, ...] = ()

    @classmethod
    def of(cls, saved: Sequence[SavedStatistics]) -> SavedTestSet:
        """The systems of one or more statistics files, for `compare`, `plan`, `panel`, ….

        All must have been counted against the same references; documents and domains are those of
        the first that has them.

        >>> from truebleu.metrics import SavedStatistics
        >>> from truebleu.corpus import as_test_set
        >>> texts = as_test_set({"a": ["A cat sat."], "b": ["The cat sat."]}, ["The cat sat."])
        >>> list(SavedTestSet.of(SavedStatistics.of_systems(texts, ["chrf"])).systems)
        ['a', 'b']
        """
        if not saved:
            raise EmptyTextError("statistics")
        first = saved[0]
        names = [statistics.system for statistics in saved]
        for place, statistics in enumerate(saved):
            if statistics.system in names[:place]:
                raise DuplicateSystemError(statistics.system)
            statistics.require_same_as(first)
        text = AbsentText(first.label, first.segments)
        return cls(
            systems={system.system: AbsentText(system.label, system.segments) for system in saved},
            references=(text,) * first.references,
            reference_names=tuple(f"reference {i}" for i in range(1, first.references + 1)),
            documents=_first_known(system.documents for system in saved),
            domains=_first_known(system.domains for system in saved),
            is_examined=True,
            saved=tuple(saved),
        )

    @property
    def references_per_segment(self) -> int | None:
        """As the signatures of the metrics say it."""
        return self.saved[0].references_per_segment

    @property
    def reference_lengths(self) -> tuple[int, ...]:
        """Characters of the first reference that each segment has."""
        return self.saved[0].lengths

    @property
    def fingerprint(self) -> str:
        """Of the references that the statistics were counted against."""
        return self.saved[0].fingerprint

    def metrics(self, metrics: Sequence[Metric]) -> list[Metric]:
        """The metrics with the counts that were saved; others are refused."""
        by_name = {statistics.system: statistics for statistics in self.saved}
        return [SavedMetric(self.saved[0].fixed(metric), by_name) for metric in metrics]


def _first_known(
    labels: Iterable[tuple[str, ...] | None],
) -> tuple[str, ...] | None:
    return next((known for known in labels if known is not None), None)


class SavedMetric(CountedMetric):
    """A metric whose counts were saved, for any systems of the test set."""

    def __init__(self, metric: Metric, saved: dict[str, SavedStatistics]) -> None:
        self._saved = saved
        super().__init__(metric, _stacked(metric, list(saved.values())))

    def count(self, test_set: TestSet) -> Statistics:
        """What was saved of its systems."""
        return _stacked(self.metric, [self._saved[name] for name in test_set.systems])

    def sentence_level(self) -> Metric:
        """That of the metric."""
        return self.metric.sentence_level()

    def segment_scores(self, rows: NDArray[Any]) -> list[tuple[float | None, ...]]:
        """As the metric does."""
        return self.metric.segment_scores(rows)

    def column_parts(self, width: int) -> tuple[str, ...]:
        """As the metric says."""
        return self.metric.column_parts(width)


def _stacked(metric: Metric, saved: Sequence[SavedStatistics]) -> Statistics:
    import numpy as np

    from truebleu._core import Statistics

    return Statistics(np.stack([statistics.by(metric) for statistics in saved], axis=1))


def save_statistics(
    statistics: SavedStatistics | Sequence[SavedStatistics],
    path: str | Path,
    *,
    overwrite: bool = False,
) -> None:
    """Write statistics to a file, whole or not at all; one that exists only to overwrite it.

    The ending says how: Parquet for `.parquet`, else JSON, which holds one system.
    """
    path = Path(path)
    systems = [statistics] if isinstance(statistics, SavedStatistics) else list(statistics)
    if path.suffix == PARQUET:
        data = _parquet_bytes(systems)
    elif len(systems) != 1:
        names = ", ".join(system.system for system in systems)
        raise SettingError("systems", names, f"one system for JSON; FILE{PARQUET} holds several")
    else:
        data = _text(systems[0]).encode()
    if path.suffix == ".gz":
        from gzip import compress

        # No time in it: the same statistics are the same bytes.
        data = compress(data, mtime=0)
    write_files(path.parent, {path.name: [data]}, overwrite=overwrite)


def require_new_file(path: str | Path, *, overwrite: bool) -> None:
    """Raise an error now where `save_statistics` would find a file in its way."""
    refuse_existing([Path(path)], overwrite=overwrite)


def read_statistics(path: str | Path) -> SavedStatistics:
    """Read one system's statistics; a file that is damaged or of another kind is refused."""
    systems = read_all_statistics(path)
    if len(systems) != 1:
        raise SettingError("statistics", f"{len(systems)} systems in {path}", "a file of one")
    return systems[0]


def read_all_statistics(path: str | Path) -> tuple[SavedStatistics, ...]:
    """Read the statistics of all systems in a file; `SavedTestSet.of` makes a test set of them."""
    name = str(path)
    systems = _among(name, Files().contents(name))
    if systems is None:
        raise MalformedFileError(name, None, "a file of another kind", KIND)
    return systems


def find_statistics(path: str) -> tuple[SavedStatistics, ...] | None:
    """The statistics in a file, known by how it begins; None where it holds something else.

    Only regular files are looked into: what comes through a pipe can be read only once.
    """
    if not may_hold_statistics(path):
        return None
    return _among(path, Files().contents(path))


def _among(path: str, data: bytes) -> tuple[SavedStatistics, ...] | None:
    if data[:4] == PARQUET_MAGIC:
        return _parsed_parquet(path, data)
    return (_parsed(path, data),) if BEGINNING.match(data) else None


# JSON: one system, a line for each column.


def _text(statistics: SavedStatistics) -> str:
    from json import dumps

    document = _document(statistics)
    checksum = _checksum(document)
    metrics = [
        f'{{"signature": {dumps(metric["signature"])}, "columns": [\n'
        + ",\n".join(dumps(column, separators=(",", ":")) for column in metric["columns"])
        + "\n]}"
        for metric in document.pop("metrics")
    ]
    lines = [f"{dumps(key)}: {dumps(value)}" for key, value in document.items()]
    lines.append('"metrics": [\n' + ",\n".join(metrics) + "\n]")
    lines.append(f'"checksum": {dumps(checksum)}')
    return "{" + ",\n".join(lines) + "}\n"


def _document(statistics: SavedStatistics) -> dict[str, Any]:
    """All that is in a file but for the checksum, as plain values."""
    return {
        "format": STATISTICS,
        "version": FORMAT_VERSION,
        "system": statistics.system,
        "segments": statistics.segments,
        "references": statistics.references,
        "fingerprint": statistics.fingerprint,
        "output": statistics.output,
        "lengths": list(statistics.lengths),
        "documents": _listed(statistics.documents),
        "domains": _listed(statistics.domains),
        "metrics": [
            {
                "signature": signature,
                "columns": [_numbers(column) for column in rows.T],
            }
            for signature, rows in statistics.rows.items()
        ],
    }


def _listed(labels: tuple[str, ...] | None) -> list[str] | None:
    return None if labels is None else list(labels)


def _numbers(column: NDArray[np.float64]) -> list[int | float]:
    """Whole numbers without a point, but for huge ones and for -0.0, which would lose its sign."""
    import numpy as np

    finite(column)
    whole = (column == np.floor(column)) & (np.abs(column) < LARGEST_EXACT)
    whole &= (column != 0) | ~np.signbit(column)
    counts = zip(column.tolist(), whole.tolist(), strict=True)
    return [int(count) if is_whole else count for count, is_whole in counts]


def _checksum(document: Mapping[str, Any]) -> str:
    """SHA-256 of the values, however they are laid out: a digit that changed would be noticed."""
    from hashlib import sha256
    from json import dumps

    text = dumps(document, sort_keys=True, separators=(",", ":"))
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def _parsed(path: str, data: bytes) -> SavedStatistics:
    document = _json(path, data)
    require_version(path, document)
    checksum = document.pop("checksum", None)
    if checksum != _checksum(document):
        found = "contents that do not fit their checksum"
        raise MalformedFileError(path, None, found, f"{KIND}, unchanged")
    return _statistics(path, document)


def _json(path: str, data: bytes) -> dict[str, Any]:
    import json

    try:
        # It begins with a brace, so it is an object.
        return cast("dict[str, Any]", json.loads(data))
    except json.JSONDecodeError as error:
        found = f"damaged or cut-off JSON ({error.msg})"
        raise MalformedFileError(path, error.lineno, found, KIND) from None
    except (ValueError, RecursionError) as error:
        raise MalformedFileError(path, None, f"damaged JSON ({error})", KIND) from None


def _statistics(path: str, document: Mapping[str, Any]) -> SavedStatistics:
    try:
        rows = {metric["signature"]: _rows(metric["columns"]) for metric in document["metrics"]}
        statistics = SavedStatistics(
            system=document["system"],
            segments=document["segments"],
            references=document["references"],
            fingerprint=document["fingerprint"],
            output=document["output"],
            lengths=tuple(map(int, document["lengths"])),
            documents=_labels(document["documents"]),
            domains=_labels(document["domains"]),
            rows=rows,
            label=path,
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        raise MalformedFileError(path, None, "another layout", KIND) from None
    lists = (*rows.values(), statistics.lengths, statistics.documents, statistics.domains)
    if any(values is not None and len(values) != statistics.segments for values in lists):
        raise MalformedFileError(path, None, "lists of different length", KIND)
    return statistics


def _rows(columns: Any) -> NDArray[np.float64]:
    import numpy as np

    rows = np.ascontiguousarray(np.array(columns, dtype=np.float64).T)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise ValueError("columns of finite numbers, all of one length")
    return rows


def _labels(labels: list[str] | None) -> tuple[str, ...] | None:
    return None if labels is None else tuple(labels)


# Parquet holds any number of systems.


def _parquet_bytes(systems: Sequence[SavedStatistics]) -> bytes:
    """The file that holds these systems, which were counted against the same references."""
    import io

    import numpy as np

    from truebleu.metrics._statistics_parquet import (
        PART,
        Part,
        Writer,
        are_whole,
        column_names,
        header_of,
    )

    first = systems[0]
    for system in systems:
        system.require_same_as(first)
    names = column_names({signature: rows.shape[1] for signature, rows in first.rows.items()})
    counts = {
        name: np.stack([system.rows[signature][:, place] for system in systems])
        for signature, columns in names.items()
        for place, name in enumerate(columns)
    }
    labels = {"characters": first.lengths, "document": first.documents, "domain": first.domains}
    sink = io.BytesIO()
    whole = [name for name, column in counts.items() if are_whole(column)]
    writer = Writer(sink, [system.system for system in systems], whole)
    for start in range(0, first.segments, PART):
        rows = slice(start, start + PART)
        writer.add(
            Part(
                {name: values[rows] for name, values in labels.items() if values is not None},
                {name: column[:, rows] for name, column in counts.items()},
            )
        )
    outputs = {system.system: system.output for system in systems}
    writer.close(header_of(outputs, first.segments, first.references, first.fingerprint, names))
    return sink.getvalue()


def _parsed_parquet(path: str, data: bytes) -> tuple[SavedStatistics, ...] | None:
    """The systems in a file; None where it is a table of another kind."""
    import io

    import numpy as np

    from truebleu.metrics._statistics_parquet import Part, Reader

    reader = Reader(path, io.BytesIO(data))
    if reader.header is None:
        return None
    parts = list(reader.parts())
    together = Part(
        {
            name: [label for part in parts for label in part.labels[name]]
            for name in parts[0].labels
        },
        {name: np.concatenate([p.counts[name] for p in parts], 1) for name in parts[0].counts},
    )
    return statistics_of_part(path, reader.header, together)


def statistics_of_part(
    path: str, header: Mapping[str, Any], part: Part
) -> tuple[SavedStatistics, ...]:
    """The systems of a file, or of a part of one."""
    import numpy as np

    def labels(name: str) -> tuple[str, ...] | None:
        return tuple(part.labels[name]) if name in part.labels else None

    return tuple(
        SavedStatistics(
            system=system["name"],
            segments=len(part.labels["characters"]),
            references=header["references"],
            fingerprint=header["fingerprint"],
            output=system["output"],
            lengths=tuple(part.labels["characters"]),
            documents=labels("document"),
            domains=labels("domain"),
            rows={
                metric["signature"]: np.stack(
                    [part.counts[name][place] for name in metric["columns"]], axis=1
                )
                for metric in header["metrics"]
            },
            label=path,
        )
        for place, system in enumerate(header["systems"])
    )
