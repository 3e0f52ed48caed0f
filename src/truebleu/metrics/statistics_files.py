"""Segment statistics as files, so that a system can be compared with later ones without its text.

A file holds one system's counts by one or more metrics, and what must match before other counts may
be set against them: the metrics' signatures and the fingerprint of the references. It is JSON with
a line per column, gzipped where its name ends in .gz; docs/reference/gate.md has the layout.
"""

from __future__ import annotations

import os.path
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from truebleu._arguments import checked
from truebleu._results import ComparedByValue
from truebleu.corpus._files import Files
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

FORMAT = "truebleu-statistics"
FORMAT_VERSION = 1
# Larger whole numbers stay floats: written out they have up to 309 digits, which not every reader
# of JSON keeps.
LARGEST_EXACT = 2**53
KIND = "statistics saved by 'truebleu score --save'"
# White space may differ: a formatter may have been at a file that was committed.
BEGINNING = re.compile(rb'\s*\{\s*"format"\s*:\s*"' + FORMAT.encode() + rb'"')


@checked
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SavedStatistics(ComparedByValue):
    """One system's counts, and what they were counted from.

    Attributes:
        system: the system's name.
        segments: how many there are.
        references: how many references they were counted against.
        fingerprint: of these references.
        documents: the document of each segment, where that was known.
        domains: the domain of each segment, where that was known.
        rows: counts shaped (segment, column), by the metric's whole signature.
        label: what messages call it: the file that it was read from.
    """

    system: str
    segments: int
    references: int
    fingerprint: str
    documents: tuple[str, ...] | None
    domains: tuple[str, ...] | None
    rows: Mapping[str, NDArray[np.float64]]
    label: str = "statistics"

    @classmethod
    @checked
    def of(cls, test_set: TestSet, metrics: Sequence[str | Metric] = ("bleu",)) -> SavedStatistics:
        """Count the only system of a test set."""
        (system,) = require_one_system(test_set)
        per_segment = test_set.references_per_segment
        rows = {
            str(metric.signature.with_references(per_segment)): metric.count(test_set).array()[:, 0]
            for metric in metrics_for(metrics, test_set)[0]
        }
        return cls(
            system=system,
            segments=len(test_set),
            references=len(test_set.references),
            fingerprint=fingerprint(test_set.references),
            documents=test_set.documents,
            domains=test_set.domains,
            rows=rows,
        )

    @checked
    def named(self, system: str) -> SavedStatistics:
        """The same statistics under another name."""
        return replace(self, system=system)

    @checked
    def require_same_references(self, test_set: TestSet) -> None:
        """Raise OtherStatisticsError unless they were counted against this test set."""
        for what, found, expected in (
            ("segments", self.segments, len(test_set)),
            ("references", self.references, len(test_set.references)),
            ("text of the references", self.fingerprint, fingerprint(test_set.references)),
        ):
            if found != expected:
                raise OtherStatisticsError(self.label, what, str(found), str(expected))

    @checked
    def by(self, metric: Metric, references_per_segment: int | None) -> NDArray[np.float64]:
        """The counts of a metric; one with other settings, or of another version, is refused."""
        signature = str(metric.signature.with_references(references_per_segment))
        if signature not in self.rows:
            found = " and ".join(self.rows)
            raise OtherStatisticsError(self.label, "signature", found, signature)
        return self.rows[signature]


def require_one_system(test_set: TestSet) -> list[str]:
    """The names of the systems, refused unless there is exactly one."""
    names = list(test_set.systems)
    if len(names) != 1:
        raise SettingError("systems", ", ".join(names), "one system for a file of statistics")
    return names


@checked
def save_statistics(
    statistics: SavedStatistics, path: str | Path, *, overwrite: bool = False
) -> None:
    """Write statistics to a file, whole or not at all; one that exists only to overwrite it."""
    path = Path(path)
    data = _text(statistics).encode()
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
    """Read statistics from a file; one that is damaged or of another kind is refused."""
    name = str(path)
    data = Files().contents(name)
    if not BEGINNING.match(data):
        raise MalformedFileError(name, None, "a file of another kind", KIND)
    return _parsed(name, data)


def find_statistics(path: str) -> SavedStatistics | None:
    """The statistics in a file, known by how it begins; None where it holds something else.

    Only regular files are looked into: what comes through a pipe can be read only once.
    """
    if not os.path.isfile(path):
        return None
    data = Files().contents(path)
    return _parsed(path, data) if BEGINNING.match(data) else None


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
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "system": statistics.system,
        "segments": statistics.segments,
        "references": statistics.references,
        "fingerprint": statistics.fingerprint,
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

    if not np.isfinite(column).all():
        raise SettingError("statistics", float(column[~np.isfinite(column)][0]), "finite numbers")
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
    version = document.get("version")
    if version != FORMAT_VERSION:
        expected = f"{FORMAT_VERSION}, the one that this truebleu knows"
        raise MalformedFileError(path, None, f"format version {version!r}", expected)
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
            documents=_labels(document["documents"]),
            domains=_labels(document["domains"]),
            rows=rows,
            label=path,
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        raise MalformedFileError(path, None, "another layout", KIND) from None
    lists = (*rows.values(), statistics.documents, statistics.domains)
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
