"""Segment statistics as files, so that systems can be compared again without their texts.

A file holds systems' counts by one or more metrics, and what must match before other counts may be
set against them: the metrics' signatures and the fingerprint of the references. JSON, with a line
per column, holds one system, gzipped where its name ends in .gz; Parquet holds any number of them.
docs/reference/statistics-files.md has the layouts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from truebleu._results import ComparedByValue
from truebleu._settings import checked
from truebleu.corpus._files import PARQUET_MAGIC, STATISTICS, Files, may_hold_statistics
from truebleu.corpus._writing import refuse_existing, write_files
from truebleu.corpus.test_set import fingerprint
from truebleu.errors import MalformedFileError, OtherStatisticsError, SettingError
from truebleu.metrics.registry import metrics_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric

FORMAT_VERSION = 1
# Larger whole numbers stay floats: written out they have up to 309 digits, which not every reader
# of JSON keeps.
LARGEST_EXACT = 2**53
PARQUET = ".parquet"
KIND = "statistics saved by 'truebleu score --save'"
# White space may differ: a formatter may have been at a file that was committed.
BEGINNING = re.compile(rb'\s*\{\s*"format"\s*:\s*"' + STATISTICS.encode() + rb'"')


@checked
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
    @checked
    def of(cls, test_set: TestSet, metrics: Sequence[str | Metric] = ("bleu",)) -> SavedStatistics:
        """Count the only system of a test set."""
        require_one_system(test_set)
        return cls.of_systems(test_set, metrics)[0]

    @classmethod
    @checked
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

    @checked
    def named(self, system: str) -> SavedStatistics:
        """The same statistics under another name."""
        return replace(self, system=system)

    @checked
    def require_same_references(self, test_set: TestSet) -> None:
        """Raise OtherStatisticsError unless they were counted against this test set."""
        self._require(len(test_set), len(test_set.references), test_set.fingerprint)

    @checked
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

    @checked
    def fixed(self, metric: Metric) -> Metric:
        """The metric, with what it leaves to the references as it was when it was saved."""
        of_references = self.references_per_segment
        of_name = (one for one in self.rows if one.split("|")[0] == metric.name)
        for signature in of_name:
            fixed = metric.for_signature(_fields(signature))
            if str(fixed.signature.with_references(of_references)) == signature:
                return fixed
        expected = str(metric.signature.with_references(of_references))
        raise OtherStatisticsError(self.label, "signature", " and ".join(self.rows), expected)

    @checked
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


@checked
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
        from truebleu.metrics._statistics_parquet import parquet_bytes

        data = parquet_bytes(systems)
    elif len(systems) != 1:
        names = ", ".join(one.system for one in systems)
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


@checked
def read_statistics(path: str | Path) -> SavedStatistics:
    """Read one system's statistics; a file that is damaged or of another kind is refused."""
    systems = read_all_statistics(path)
    if len(systems) != 1:
        raise SettingError("statistics", f"{len(systems)} systems in {path}", "a file of one")
    return systems[0]


@checked
def read_all_statistics(path: str | Path) -> tuple[SavedStatistics, ...]:
    """Read the statistics of all systems in a file; `SavedTestSet.of` makes a test set of them."""
    name = str(path)
    found = _among(name, Files().contents(name))
    if found is None:
        raise MalformedFileError(name, None, "a file of another kind", KIND)
    return found


def find_statistics(path: str) -> tuple[SavedStatistics, ...] | None:
    """The statistics in a file, known by how it begins; None where it holds something else.

    Only regular files are looked into: what comes through a pipe can be read only once.
    """
    if not may_hold_statistics(path):
        return None
    return _among(path, Files().contents(path))


def _among(path: str, data: bytes) -> tuple[SavedStatistics, ...] | None:
    if data[:4] == PARQUET_MAGIC:
        from truebleu.metrics._statistics_parquet import parsed_parquet

        return parsed_parquet(path, data)
    return (_parsed(path, data),) if BEGINNING.match(data) else None


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
    version_of(path, document)
    checksum = document.pop("checksum", None)
    if checksum != _checksum(document):
        found = "contents that do not fit their checksum"
        raise MalformedFileError(path, None, found, f"{KIND}, unchanged")
    return _statistics(path, document)


def version_of(path: str, document: Mapping[str, Any]) -> None:
    """Refuse a layout that this truebleu does not know."""
    version = document.get("version")
    if version != FORMAT_VERSION:
        expected = f"{FORMAT_VERSION}, the one that this truebleu knows"
        raise MalformedFileError(path, None, f"format version {version!r}", expected)


def finite(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The counts, refused where one is no number."""
    import numpy as np

    if not np.isfinite(counts).all():
        raise SettingError("statistics", float(counts[~np.isfinite(counts)][0]), "finite numbers")
    return counts


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
    if any(one is not None and len(one) != statistics.segments for one in lists):
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
