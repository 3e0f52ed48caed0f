"""Statistics files of test sets larger than memory: written while parts are counted, read again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from truebleu.corpus._files import note_input, output_written
from truebleu.corpus._reading import refuse_duplicates
from truebleu.corpus._writing import written_whole
from truebleu.corpus.streams import Parts, TestSetStream
from truebleu.corpus.test_set import Fingerprint
from truebleu.errors import (
    MalformedFileError,
    OtherStatisticsError,
    SettingError,
    SuspiciousTextError,
    UnreadableFileError,
)
from truebleu.metrics._statistics_parquet import KIND, Part, Reader, Writer, column_names, header_of
from truebleu.metrics.registry import as_metrics, metrics_for, warnings_of_parts
from truebleu.metrics.statistics_files import PARQUET, SavedTestSet, statistics_of_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from truebleu.corpus.test_set import TestSet, TextWarning
    from truebleu.metrics.base import Metric


def save_stream(
    stream: TestSetStream,
    metrics: Sequence[str | Metric],
    path: str | Path,
    *,
    overwrite: bool = False,
    progress: Callable[[int], object] | None = None,
) -> tuple[TextWarning, ...]:
    """Count a test set part by part, and write the statistics of all systems to a Parquet file.

    Args:
        stream: the parts.
        metrics: names or objects.
        path: of the file, which is written whole or not at all.
        overwrite: whether one that exists may be replaced.
        progress: called with the number of segments that were counted since the last call.

    Returns:
        What is suspicious about the texts.
    """
    if Path(path).suffix != PARQUET:
        raise SettingError("file", str(path), f"FILE{PARQUET} where texts are read part by part")
    read = stream.read()
    asked = as_metrics(metrics)
    references = Fingerprint(len(stream.reference_names))
    outputs = {name: Fingerprint(1) for name in stream.systems}
    fixed: list[Metric] = []
    names: dict[str, list[str]] = {}
    with written_whole(Path(path), overwrite=overwrite) as sink:
        writer = Writer(sink, stream.systems)
        for part in read.parts:
            fixed = fixed or _fixed(asked, part)
            counts = [metric.count(part).array() for metric in fixed]
            # The signatures are known at the end: segments may lack a reference.
            names = column_names(
                {
                    str(metric.signature): rows.shape[2]
                    for metric, rows in zip(fixed, counts, strict=True)
                }
            )
            labels = {
                "characters": part.reference_lengths,
                "document": part.documents,
                "domain": part.domains,
            }
            columns = {
                name: rows[:, :, column].T
                for of_metric, rows in zip(names.values(), counts, strict=True)
                for column, name in enumerate(of_metric)
            }
            known = {name: values for name, values in labels.items() if values is not None}
            writer.add(Part(known, columns))
            references.add(part.references)
            for name, text in part.systems.items():
                outputs[name].add([text])
            if progress is not None:
                progress(len(part))
        warnings = warnings_of_parts(read, asked, fixed)
        if stream.strict and warnings:
            raise SuspiciousTextError([warning.message for warning in warnings])
        count = None if read.references_vary else len(stream.reference_names)
        signatures = [str(metric.signature.with_references(count)) for metric in fixed]
        header = header_of(
            {name: str(output) for name, output in outputs.items()},
            writer.segments,
            len(stream.reference_names),
            str(references),
            dict(zip(signatures, names.values(), strict=True)),
        )
        writer.close(header)
    output_written(path)
    return warnings


def _fixed(metrics: Sequence[Metric], part: TestSet) -> list[Metric]:
    """The metrics with what they leave to the references, as the first part has them."""
    if part.is_counted:
        raise SettingError("stream", "statistics", "texts to count")
    fixed = metrics_for(metrics, part)[0]
    for metric in fixed:
        if metric.counts_whole_text:
            expected = f"one that counts segments alone: {metric.name} weighs them by all others"
            raise SettingError("metric", metric.name, expected)
    return fixed


def stream_statistics_files(paths: Sequence[str | Path]) -> TestSetStream:
    """The systems of Parquet files of statistics, read part by part.

    All must have been counted against the same references. `score` and `compare` take them.
    """
    if isinstance(paths, str) or not paths:
        raise SettingError("paths", paths, "a list of files")
    source = _Saved(tuple(str(path) for path in paths))
    readers = source.readers()
    first = readers[0].header or {}
    names = [system["name"] for reader in readers for system in (reader.header or {})["systems"]]
    refuse_duplicates(names)
    for path, reader in zip(source.paths, readers, strict=True):
        for what in ("segments", "references", "fingerprint"):
            found, expected = (header[what] for header in (reader.header or {}, first))
            if found != expected:
                raise OtherStatisticsError(path, what, str(found), str(expected))
    references = tuple(f"reference {i}" for i in range(1, first["references"] + 1))
    return TestSetStream(systems=tuple(names), reference_names=references, source=source)


@dataclass(frozen=True, slots=True)
class _Saved:
    """Files of statistics, read in lock step."""

    paths: tuple[str, ...]

    def readers(self) -> list[Reader]:
        """The files, none of which may be of another kind."""
        readers = []
        for path in self.paths:
            note_input(path)
            if not Path(path).is_file():
                raise UnreadableFileError(path, "no such file")
            readers.append(Reader(path, path))
            if readers[-1].header is None:
                raise MalformedFileError(path, None, "a file of another kind", KIND)
        return readers

    def read(self) -> Parts:
        """See `corpus.streams.Source`."""
        read = Parts(iter(()))
        read.parts = self._parts(read)
        return read

    def _parts(self, read: Parts) -> Iterator[TestSet]:
        readers = self.readers()
        parts = [reader.parts() for reader in readers]
        waiting: list[list[Part]] = [[] for _ in readers]
        total = (readers[0].header or {})["segments"]
        while True:
            for rows, coming in zip(waiting, parts, strict=True):
                if not rows and (part := next(coming, None)) is not None:
                    rows.append(part)
            if not all(waiting):
                return
            count = min(len(rows[0].labels["characters"]) for rows in waiting)
            taken = [_taken(rows, count) for rows in waiting]
            saved = [
                system
                for path, reader, part in zip(self.paths, readers, taken, strict=True)
                for system in statistics_of_part(path, reader.header or {}, part)
            ]
            test_set = SavedTestSet.of(saved)
            read.segments += count
            read.share_read = read.segments / max(total, 1)
            read.references_vary |= test_set.references_per_segment is None
            yield test_set


def _taken(rows: list[Part], count: int) -> Part:
    """The first segments of the part that waits; what is left of it waits on."""
    part = rows.pop()
    if len(part.labels["characters"]) > count:
        rows.append(
            Part(
                {name: labels[count:] for name, labels in part.labels.items()},
                {name: counts[:, count:] for name, counts in part.counts.items()},
            )
        )
    return Part(
        {name: labels[:count] for name, labels in part.labels.items()},
        {name: counts[:, :count] for name, counts in part.counts.items()},
    )
