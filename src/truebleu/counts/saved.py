"""Saved counts: a file of counts by one or more metrics, which verbs take instead of texts.

The file also has the signatures of the metrics and a fingerprint of the references, which must
match before counts may be compared. The format is NumPy's npz, a zip archive of arrays;
docs/reference/saved-counts.md has the layout.
"""

from __future__ import annotations

import io
import json
import zlib
from dataclasses import replace
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
from truebleu.corpus.fingerprints import Fingerprints
from truebleu.corpus.outline import Outline
from truebleu.counts.counts import Counts
from truebleu.counts.rows import ArrayRows, Rows, downcast_integers
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    OtherCountsError,
    RefusedError,
    SettingError,
    TruebleuError,
    shortened,
)
from truebleu.metrics.base import GivenMean, MeanScorer, Metric, NativeMetric, Signature, StoredMean
from truebleu.metrics.registry import as_requested, format_metric, parse_requested, require_known

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from truebleu.counts.counts import MetricCounts
    from truebleu.metrics.base import Requested, Scorer
    from truebleu.metrics.registry import MetricsLike

__all__ = ["read_counts", "save_counts"]

FORMAT_VERSION = 3
KIND = "counts saved by 'truebleu score --save'"
MOST_REFERENCES = 10_000
# Labels by which segments may be grouped.
LABELS = ("documents", "domains")


def save_counts(counts: Counts, path: str | Path, *, overwrite: bool = False) -> None:
    """Write counts to a file FILE.npz, whole or not at all.

    An existing file is replaced only with `overwrite`.
    """
    path = Path(path)
    if path.suffix != ".npz":
        raise SettingError("save", str(path), "a name that ends in .npz")
    refuse_existing([path], overwrite=overwrite)
    write_files(path.parent, {path.name: [_archive(counts)]}, overwrite=overwrite)


def read_counts(path: str | Path, metrics: MetricsLike | None = None) -> Counts:
    """Read saved counts.

    Args:
        path: file written by `save_counts` or ``truebleu score --save``.
        metrics: metrics to read; None for all. Metrics of other packages must be named; raises
            OtherCountsError if settings differ.
    """
    name = str(path)
    data = Files().contents(name)
    if not begins_as_statistics(data):
        raise MalformedFileError(name, None, "another file format", KIND)
    return _Archive(name, data).counts(as_requested(metrics, ""))


def find_counts(path: str, metrics: MetricsLike | None = None) -> Counts | None:
    """Read saved counts, or return None if a file does not begin like saved counts.

    Only regular files are opened, since a pipe can be read only once.
    """
    return read_counts(path, metrics) if may_hold_statistics(path) else None


def rename_system(counts: Counts, name: str, argument: str) -> Counts:
    """Rename the only system of saved counts; raises SettingError if there are several.

    Args:
        counts: counts of one system.
        name: new name.
        argument: argument with the name, for messages.
    """
    if len(counts.outline.systems) != 1:
        expected = f"a file of one system, not {len(counts.outline.systems)}, if you name it"
        raise SettingError("system", argument, expected)
    prints = counts.fingerprints
    outputs = {} if not prints.outputs else {name: prints.output(*counts.outline.systems)}
    fingerprints = replace(prints, outputs=outputs)
    return replace(
        counts, outline=replace(counts.outline, systems=(name,), fingerprints=fingerprints)
    )


# NumPy's npz: a header as the bytes of its JSON, and an array for each metric.


def _archive(counts: Counts) -> bytes:
    """Return the bytes of a file; equal counts give equal bytes."""
    import numpy as np

    outline, prints = counts.outline, counts.fingerprints
    if not outline.systems:
        raise EmptyTextError("systems")
    header: dict[str, Any] = {
        "version": FORMAT_VERSION,
        "rows": outline.rows,
        "systems": [
            {"name": name, "output": prints.outputs.get(name, "")} for name in outline.systems
        ],
        "segments": outline.segments,
        "references": list(outline.reference_names),
        "references_each": outline.references_each,
        "fingerprint": prints.references,
        "metrics": [_metric_header(counts, metric) for metric in counts.metrics],
    }
    if outline.names is not None:
        header["names"] = list(outline.names)
    arrays = {"lengths": np.array(counts.lengths, dtype=np.uint32)}
    for name in LABELS:
        labels: tuple[str, ...] | None = getattr(outline, name)
        if labels is not None:
            codes = {label: code for code, label in enumerate(dict.fromkeys(labels))}
            header[name] = list(codes)
            arrays[name] = np.array([codes[label] for label in labels], dtype=np.uint32)
    if outline.repeats is not None:
        arrays["repeats"] = np.array(outline.repeats, dtype=np.uint32)
    for index, metric in enumerate(counts.metrics):
        rows = np.ascontiguousarray(metric.rows.floats().swapaxes(0, 1))
        if not np.isfinite(rows).all():
            unusable = float(rows[~np.isfinite(rows)][0])
            raise SettingError("counts", unusable, "finite numbers")
        arrays[f"metric-{index}"] = downcast_integers(rows, ("uint8", "uint16", "uint32"))
    sink = io.BytesIO()
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    parts: dict[str, Any] = {STATISTICS: text, **arrays}
    np.savez(sink, **parts)
    return sink.getvalue()


def _metric_header(counts: Counts, metric: MetricCounts) -> dict[str, Any]:
    """Return a metric's header: its signature, and the settings of its scorer."""
    values: dict[str, Any] = {"signature": str(counts.signature(metric))}
    scorer = metric.scorer
    if isinstance(scorer, GivenMean):
        values["given"] = {
            "name": scorer.name,
            "fields": dict(scorer.signature.fields),
            "higher_is_better": scorer.higher_is_better,
        }
        if isinstance(scorer, StoredMean):
            values["given"]["width"] = scorer.width
    elif isinstance(scorer, Metric):
        values["metric"] = format_metric(scorer)
    return values


class _Archive:
    """A file of saved counts; raises MalformedFileError if it is damaged."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self.data = path, data

    def counts(self, requested: Sequence[Requested]) -> Counts:
        """Read the counts by the requested metrics, or by all."""
        try:
            with ZipFile(io.BytesIO(self.data)) as archive:
                header = json.loads(self._array(archive, STATISTICS, None).tobytes())
                if header["version"] != FORMAT_VERSION:
                    found = f"format version {header['version']!r}"
                    expected = f"{FORMAT_VERSION}, the version that this truebleu reads"
                    raise MalformedFileError(self.path, None, found, expected)
                return self._counts(archive, header, requested)
        except TruebleuError:
            raise
        except (BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
            raise MalformedFileError(self.path, None, f"damaged data ({error})", KIND) from None
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError):
            raise MalformedFileError(self.path, None, "another layout", KIND) from None

    def _counts(
        self, archive: ZipFile, header: dict[str, Any], requested: Sequence[Requested]
    ) -> Counts:
        import numpy as np

        metrics, outline = header["metrics"], self._outline(archive, header)
        counted: list[tuple[Scorer, Rows]] = []
        for index, scorer in self._scorers(metrics, outline.references_each, requested):
            shape = (len(outline.systems), outline.segments, None)
            rows = np.asarray(self._array(archive, f"metric-{index}", shape, "uf"), np.float64)
            if not np.isfinite(rows).all():
                raise ValueError("counts that are not finite")
            width = scorer.width if isinstance(scorer, NativeMetric | MeanScorer) else None
            if width not in (None, rows.shape[2]):
                found = f"{rows.shape[2]} columns of {scorer.name}"
                raise MalformedFileError(self.path, None, found, f"{width}")
            self._require_possible(scorer, rows, outline.systems)
            by_segment = np.ascontiguousarray(rows.swapaxes(0, 1))
            counted.append((scorer, Rows.of(ArrayRows(by_segment))))
        return Counts.of(outline, counted)

    def _require_possible(
        self, scorer: Scorer, rows: NDArray[np.float64], systems: Sequence[str]
    ) -> None:
        """Check that segments can have these counts; raises MalformedFileError."""
        row: tuple[int, int] | None = None
        if isinstance(scorer, NativeMetric):
            row = scorer.native().impossible(rows)
        elif isinstance(scorer, MeanScorer):
            totals, counts = rows[:, :, 0], rows[:, :, 1]
            wrong = (counts < 0) | (counts % 1 != 0) | ((counts == 0) & (totals != 0))
            row = next(zip(*wrong.nonzero(), strict=True), None)
        if row is not None:
            numbers = shortened(", ".join(f"{number:g}" for number in rows[row]))
            found = f"{scorer.name} of segment {row[1] + 1} of {systems[row[0]]}: {numbers}"
            raise MalformedFileError(self.path, None, found, "counts that a segment can have")

    def _outline(self, archive: ZipFile, header: dict[str, Any]) -> Outline:
        """Read the outline; raises ValueError if the header contradicts itself."""
        segments, systems = header["segments"], header["systems"]
        names = _texts([system["name"] for system in systems])
        references, each = _texts(header["references"]), header["references_each"]
        items = _texts(header["names"]) if "names" in header else None
        if (
            not (type(segments) is int and segments > 0 and names and all(names))
            or header["rows"] not in ("segments", "items")
            or len(set(names)) < len(names)
            or (items is not None and len(items) != segments)
            or (each is not None and (type(each) is not int or each not in range(MOST_REFERENCES)))
        ):
            raise ValueError("sizes or names")
        labels: dict[str, tuple[str, ...]] = {}
        for name in LABELS:
            if name in header:
                codes, known = self._array(archive, name, (segments,)), _texts(header[name])
                labels[name] = tuple(known[code] for code in codes.tolist())
        repeats = None
        if "repeats.npy" in archive.namelist():
            repeats = tuple(self._array(archive, "repeats", (segments,)).tolist())
        return Outline(
            systems=names,
            segments=segments,
            rows=header["rows"],
            reference_names=references,
            references_each=each,
            documents=labels.get("documents"),
            domains=labels.get("domains"),
            names=items,
            repeats=repeats,
            fingerprints=Fingerprints(
                references=_text(header["fingerprint"]),
                outputs={s["name"]: _text(s["output"]) for s in systems if s["output"] != ""},
                lengths=tuple(self._array(archive, "lengths", (segments,)).tolist()),
            ),
        )

    def _scorers(
        self,
        metrics: Sequence[dict[str, Any]],
        references: int | None,
        requested: Sequence[Requested],
    ) -> list[tuple[int, Scorer]]:
        """Return the index and the scorer of each metric to read."""
        signatures = _texts([metric["signature"] for metric in metrics])
        if requested:
            return [self._find_metric(metric, signatures, references) for metric in requested]
        scorers: list[tuple[int, Scorer]] = []
        for index, (metric, signature) in enumerate(zip(metrics, signatures, strict=True)):
            if given := metric.get("given"):
                scorers.append((index, _given_mean(given)))
                continue
            if metric.get("metric") is None:
                name = signature.partition("|")[0]
                raise OtherCountsError(self.path, "metric", name, "a metric named with -m METRIC")
            text = _text(metric["metric"])
            try:
                known = parse_requested(text)
            except SettingError:
                expected = "a metric that this truebleu knows"
                raise MalformedFileError(self.path, None, f"metric {text!r}", expected) from None
            scorers.append((index, self._find_metric(known, [signature], references)[1]))
        return scorers

    def _find_metric(
        self, metric: Requested, signatures: Sequence[str], references: int | None
    ) -> tuple[int, Scorer]:
        """Find a metric among signatures; return its index, and the metric with fixed settings."""
        require_known([metric])
        if not isinstance(metric, Metric):
            raise RefusedError(
                f"{self.path}: saved counts already have the scores of other programs that were "
                "saved with them; leave out -m scores"
            )
        for index, signature in enumerate(signatures):
            if signature.split("|")[0] == metric.name:
                fields = (field.partition(":") for field in signature.split("|")[1:])
                fixed = metric.for_signature({key: value for key, _, value in fields})
                if str(fixed.signature.with_references(references)) == signature:
                    return index, fixed
        expected = str(metric.signature.with_references(references))
        raise OtherCountsError(self.path, "signature", " and ".join(signatures), expected)

    def _array(
        self,
        archive: ZipFile,
        name: str,
        shape: tuple[int | None, ...] | None,
        kinds: str = "u",
    ) -> NDArray[Any]:
        """Read an array of numbers; its shape is checked before memory is allocated."""
        import numpy as np

        entry = archive.getinfo(f"{name}.npy")
        refuse_large(self.path, entry.file_size)
        with archive.open(entry) as member:
            version = np.lib.format.read_magic(member)
            known = np.lib.format.read_array_header_1_0(member) if version == (1, 0) else None
            found, _, kind = known or ((), False, np.dtype(object))
            expected = found if shape is None else shape
            fits = len(found) == len(expected) and all(
                required in (size, None) for size, required in zip(found, expected, strict=True)
            )
            if not fits or kind.kind not in kinds or prod(found) * kind.itemsize > entry.file_size:
                raise ValueError(name)
        with archive.open(entry) as member:
            return np.asarray(np.lib.format.read_array(member, allow_pickle=False))


def _text(value: object) -> str:
    """Return a text of the header; raises ValueError for another type."""
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value


def _texts(values: object) -> tuple[str, ...]:
    """Return a list of texts of the header; raises ValueError for another type."""
    if not isinstance(values, list):
        raise ValueError("not a list")
    return tuple(map(_text, values))


def _given_mean(given: dict[str, Any]) -> GivenMean:
    """Make the scorer of scores of another program from the header of its metric."""
    name, direction = _text(given["name"]), given["higher_is_better"]
    fields = tuple((key, _text(value)) for key, value in given["fields"].items())
    if direction not in (None, False, True) or type(direction) in (int, float):
        raise ValueError("direction")
    kind = StoredMean if given.get("width") == StoredMean.width else GivenMean
    return kind(name=name, signature=Signature(name, fields), higher_is_better=direction)
