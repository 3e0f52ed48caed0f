"""Statistics saved in a file, which verbs take as test sets without texts.

A statistics file holds systems' counts by one or more metrics, and what must match before other
counts may be set against them: the metrics' signatures and the fingerprint of the references. It is
NumPy's npz, a zip archive of arrays; docs/reference/statistics-files.md has the layout.
"""

from __future__ import annotations

import io
import json
import zlib
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

from truebleu.corpus._files import (
    STATISTICS,
    Files,
    begins_as_statistics,
    may_hold_statistics,
    refuse_existing,
    refuse_large,
    write_files,
)
from truebleu.errors import (
    DuplicateSystemError,
    EmptyTextError,
    MalformedFileError,
    OtherStatisticsError,
    SettingError,
    TruebleuError,
)
from truebleu.metrics.registry import (
    AbsentText,
    CountedTestSet,
    Rows,
    SystemsMetric,
    metrics_for,
    narrowed,
)
from truebleu.schema import ComparedByValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric

    Column = NDArray[np.float64]

__all__ = ["SavedStatistics", "SavedTestSet", "read_statistics", "save_statistics"]

FORMAT_VERSION = 2
KIND = "statistics saved by 'truebleu score --save'"
MOST_REFERENCES = 10_000
# What segments may be grouped by.
LABELS = ("documents", "domains")


# Statistics files.


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
    def of(
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
                output=test_set.output_fingerprint(system),
                lengths=lengths,
                documents=test_set.documents,
                domains=test_set.domains,
                rows={
                    key: np.ascontiguousarray(counts[:, place], dtype=np.float64)
                    for key, counts in rows.items()
                },
            )
            for place, system in enumerate(test_set.systems)
        )

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
        rows = self.rows[signature]
        width = getattr(metric, "width", rows.shape[1])
        if rows.shape[1] != width:
            found = f"{rows.shape[1]} columns of {metric.name}"
            raise MalformedFileError(self.label, None, found, f"{width}")
        return rows


def _fields(signature: str) -> dict[str, str]:
    """The settings in a signature that was written out."""
    _, *fields = signature.split("|")
    return {key: value for key, _, value in (field.partition(":") for field in fields)}


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
        >>> list(SavedTestSet.of(SavedStatistics.of(texts, ["chrf"])).systems)
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
            documents=next((s.documents for s in saved if s.documents is not None), None),
            domains=next((s.domains for s in saved if s.domains is not None), None),
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

    def output_fingerprint(self, system: str) -> str:
        """Of the system's text, when it was counted."""
        return next(saved.output for saved in self.saved if saved.system == system)

    def metrics(self, metrics: Sequence[Metric]) -> list[Metric]:
        """The metrics with the counts that were saved; others are refused."""
        import numpy as np

        fixed = [self.saved[0].fixed(metric) for metric in metrics]
        names = tuple(statistics.system for statistics in self.saved)
        return [
            SystemsMetric(metric, names, Rows(np.stack([s.by(metric) for s in self.saved], 1)))
            for metric in fixed
        ]


def save_statistics(
    statistics: SavedStatistics | Sequence[SavedStatistics],
    path: str | Path,
    *,
    overwrite: bool = False,
) -> None:
    """Write the statistics of one or more systems to a file FILE.npz, whole or not at all.

    All must have been counted by the same metrics against the same references. A file that exists
    is replaced only to overwrite it.
    """
    path = Path(path)
    systems = [statistics] if isinstance(statistics, SavedStatistics) else list(statistics)
    if path.suffix != ".npz":
        raise SettingError("save", str(path), "a name that ends in .npz")
    refuse_existing([path], overwrite=overwrite)
    write_files(path.parent, {path.name: [_archive(systems)]}, overwrite=overwrite)


def read_statistics(path: str | Path) -> tuple[SavedStatistics, ...]:
    """Read the statistics of all systems in a file; `SavedTestSet.of` makes a test set of them."""
    name = str(path)
    data = Files().contents(name)
    if not begins_as_statistics(data):
        raise MalformedFileError(name, None, "a file of another kind", KIND)
    return _Archive(name, data).systems()


def find_statistics(path: str) -> tuple[SavedStatistics, ...] | None:
    """The statistics in a file, known by how it begins; None where it holds something else.

    Only regular files are looked into: what comes through a pipe can be read only once.
    """
    return read_statistics(path) if may_hold_statistics(path) else None


# NumPy's npz: a header as the bytes of its JSON, and an array for each metric.


def _archive(systems: Sequence[SavedStatistics]) -> bytes:
    """The file that holds these systems; the same statistics are the same bytes."""
    import numpy as np

    first = systems[0]
    for system in systems:
        system.require_same_as(first)
        if system.rows.keys() != first.rows.keys():
            raise SettingError("systems", system.system, "the same metrics for all systems")
    header = {
        "version": FORMAT_VERSION,
        "systems": [{"name": system.system, "output": system.output} for system in systems],
        "segments": first.segments,
        "references": first.references,
        "fingerprint": first.fingerprint,
        "metrics": list(first.rows),
    }
    arrays = {"lengths": np.array(first.lengths, dtype=np.uint32)}
    for name in LABELS:
        labels: tuple[str, ...] | None = getattr(first, name)
        if labels is not None:
            codes = {label: code for code, label in enumerate(dict.fromkeys(labels))}
            header[name] = list(codes)
            arrays[name] = np.array([codes[label] for label in labels], dtype=np.uint32)
    for place, signature in enumerate(first.rows):
        counts = np.stack([system.rows[signature] for system in systems])
        if not np.isfinite(counts).all():
            unusable = float(counts[~np.isfinite(counts)][0])
            raise SettingError("statistics", unusable, "finite numbers")
        arrays[f"metric-{place}"] = narrowed(counts, ("uint8", "uint16", "uint32"))
    sink = io.BytesIO()
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    parts: dict[str, Any] = {STATISTICS: text, **arrays}
    np.savez(sink, **parts)
    return sink.getvalue()


class _Archive:
    """A file of statistics; one that is damaged or has another layout is refused."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self.data = path, data

    def systems(self) -> tuple[SavedStatistics, ...]:
        """What it holds."""
        try:
            with ZipFile(io.BytesIO(self.data)) as archive:
                header = json.loads(self._array(archive, STATISTICS, None).tobytes())
                if header["version"] != FORMAT_VERSION:
                    found = f"format version {header['version']!r}"
                    expected = f"{FORMAT_VERSION}, the one that this truebleu knows"
                    raise MalformedFileError(self.path, None, found, expected)
                return self._systems(archive, header)
        except TruebleuError:
            raise
        except (BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
            raise MalformedFileError(self.path, None, f"damaged data ({error})", KIND) from None
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError):
            raise MalformedFileError(self.path, None, "another layout", KIND) from None

    def _systems(self, archive: ZipFile, header: dict[str, Any]) -> tuple[SavedStatistics, ...]:
        import numpy as np

        segments, names = header["segments"], [system["name"] for system in header["systems"]]
        if header["references"] not in range(MOST_REFERENCES):
            raise ValueError("references")
        lengths = tuple(self._array(archive, "lengths", (segments,)).tolist())
        labels: dict[str, tuple[str, ...]] = {}
        for name in LABELS:
            if name in header:
                codes = self._array(archive, name, (segments,)).tolist()
                labels[name] = tuple(str(header[name][code]) for code in codes)
        rows: dict[str, Column] = {}
        for place, signature in enumerate(header["metrics"]):
            counts = self._array(archive, f"metric-{place}", (len(names), segments, None), "uf")
            if len(_fields(signature).get("nrefs", "")) > len(str(MOST_REFERENCES)):
                raise ValueError("nrefs")
            rows[signature] = np.asarray(counts, dtype=np.float64)
            if not np.isfinite(rows[signature]).all():
                raise ValueError("counts that are not finite")
        return tuple(
            SavedStatistics(
                system=str(system["name"]),
                segments=segments,
                references=int(header["references"]),
                fingerprint=str(header["fingerprint"]),
                output=str(system["output"]),
                lengths=lengths,
                documents=labels.get("documents"),
                domains=labels.get("domains"),
                rows={signature: counts[place] for signature, counts in rows.items()},
                label=self.path,
            )
            for place, system in enumerate(header["systems"])
        )

    def _array(
        self,
        archive: ZipFile,
        name: str,
        shape: tuple[int | None, ...] | None,
        kinds: str = "u",
    ) -> NDArray[Any]:
        """An array of numbers, whose shape is looked at before room is made for it."""
        import numpy as np

        entry = archive.getinfo(f"{name}.npy")
        refuse_large(self.path, entry.file_size)
        with archive.open(entry) as member:
            version = np.lib.format.read_magic(member)
            known = np.lib.format.read_array_header_1_0(member) if version == (1, 0) else None
            found, _, kind = known or ((), False, np.dtype(object))
            expected = found if shape is None else shape
            fits = len(found) == len(expected) and all(
                wanted is None or size == wanted
                for size, wanted in zip(found, expected, strict=True)
            )
            if not fits or kind.kind not in kinds or prod(found) * kind.itemsize > entry.file_size:
                raise ValueError(name)
        with archive.open(entry) as member:
            return np.asarray(np.lib.format.read_array(member, allow_pickle=False))
