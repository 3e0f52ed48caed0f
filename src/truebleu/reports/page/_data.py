"""Data of the segment browser: a description, statistics as bytes, texts by segment."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from gzip import compress
from importlib.resources import files
from json import dumps
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.reports.document import ENOUGH_DOCUMENTS, FEW_UNITS, LARGEST_SHARE
from truebleu.reports.page.forest import Scale
from truebleu.reports.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from truebleu.counts.counts import Counts, MetricCounts
    from truebleu.explanation.report import Report, Segments
    from truebleu.metrics.base import Scorer
    from truebleu.reports.document import Value
    from truebleu.significance.compare import PairResult
    from truebleu.significance.settings import CompareSettings

# Version of the layout that the script expects.
DATA_VERSION = 1
# Compression level: a compromise between size and speed.
LEVEL = 6
# Path of the core as a WebAssembly module.
CORE = files(__package__) / "core.wasm"
# Kinds of columns, the smallest first, by the names that the script knows.
KINDS = {"u1": np.uint8, "u2": np.uint16, "u4": np.uint32}
# Maximum distance of the column to which another is stored as differences.
FARTHEST = 8


def pack(data: bytes) -> bytes:
    """Compress with gzip, without a time stamp: equal data give equal bytes."""
    return compress(data, compresslevel=LEVEL, mtime=0)


def data_block(name: str, data: bytes) -> str:
    """Put data into an element that is not executed; base64 needs no escapes."""
    text = b64encode(pack(data)).decode()
    return f'<script type="application/octet-stream" id="data-{name}">{text}</script>'


def core_block() -> str:
    """Return the core, which computes what the page shows of selections, as an element."""
    return data_block("core", CORE.read_bytes())


def core_description(metric: Scorer) -> dict[str, Any]:
    """Describe a scorer for the core, and for people who read its numbers."""
    settings = metric.core_settings()
    core = settings and {
        "metric": settings,
        "segment_metric": metric.sentence_level().core_settings(),
        "sign": metric.sign,
        "weights": metric.weight_columns,
        "limits": [limit if abs(limit) < float("inf") else None for limit in metric.limits],
    }
    return {"digits": metric.digits, "higher": metric.higher_is_better, "core": core}


def core_comparison_settings(settings: CompareSettings) -> str:
    """Write the settings of a comparison as the core reads them; only the core parses the text."""
    names = ("seed", "replicates", "level", "interval")
    return dumps({name: getattr(settings, name) for name in names})


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column of statistics, coded so that it compresses well.

    Counts of n-grams hardly vary from order to order and from system to system. So whole numbers
    are stored as differences to an earlier column, and these as differences to the first system's;
    the lowest bit holds the sign.

    Attributes:
        layout: kind of the values, kind of the stored values, and distance to the earlier column,
            or 0 without one; for the script.
        data: stored values, one system after the other.
    """

    layout: tuple[str, str, int]
    data: bytes

    @classmethod
    def of(cls, rows: NDArray[np.float64], number: int) -> Column:
        """Encode column `number` of `rows`, which are shaped (column, system, segment)."""
        values = rows[number]
        kind = _kind(values)
        if kind is not None and _is_whole(values):
            earlier = range(1, min(number, FARTHEST) + 1)
            backs = [0, *(back for back in earlier if _is_whole(rows[number - back]))]
            coded = [_encode(values - rows[number - back] if back else values) for back in backs]
            # Approximate number of bits of the differences.
            sizes = [float(np.log2(1 + codes).sum()) for codes in coded]
            best = int(np.argmin(sizes))
            stored = _kind(coded[best])
            if stored is not None:
                data = np.ascontiguousarray(coded[best]).astype(f"<{stored}").tobytes()
                return cls((kind, stored, backs[best]), data)
        return cls(("f8", "f8", 0), np.ascontiguousarray(values).astype("<f8").tobytes())


def _is_whole(values: NDArray[np.float64]) -> bool:
    """Return whether all values are whole numbers from 0 up."""
    return bool((values == np.floor(values)).all() and values.min(initial=0) >= 0)


def _kind(values: NDArray[np.float64]) -> str | None:
    """Return the smallest kind of whole numbers from 0 up that holds all values, or None."""
    largest = values.max(initial=0)
    return next((name for name, kind in KINDS.items() if largest <= np.iinfo(kind).max), None)


def _encode(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Encode values as differences to the first system's, with the sign in the lowest bit."""
    differences = np.concatenate([values[:1], values[1:] - values[:1]])
    return np.where(differences >= 0, 2 * differences, -2 * differences - 1)


@dataclass(frozen=True, slots=True, eq=False)
class PageData:
    """The segments of a report, or some of them.

    Attributes:
        report: report with the segments.
        segments: all segments of the report.
        indices: indices of the segments in the page, from 0, in order.
    """

    report: Report
    segments: Segments
    indices: NDArray[np.int64]

    @classmethod
    def of(cls, report: Report, most_outputs: int) -> PageData:
        """Select the segments of a report, or a sample with at most `most_outputs` outputs.

        Half of a sample has the largest contributions to the differences that are explained, or to
        the difference of the first two systems; the other half is drawn at random.
        """
        segments = report.segments
        if segments is None:
            raise ValueError("a report without segments")
        counts = segments.counts
        data = cls(report, segments, np.arange(len(counts)))
        count = max(1, most_outputs // len(counts.outline.systems))
        if data.size <= count:
            return data
        order = np.argsort(-data._sizes(), kind="stable")
        largest, others = np.split(order, [(count + 1) // 2])
        seed = report.comparison.settings.seed
        random = np.random.default_rng(seed).permutation(others)[: count - len(largest)]
        return cls(report, segments, np.sort(np.concatenate([largest, random])))

    @property
    def counts(self) -> Counts:
        """Counts of all segments."""
        return self.segments.counts

    @property
    def size(self) -> int:
        """Number of segments in the page."""
        return len(self.indices)

    @property
    def left_out(self) -> int:
        """Number of segments that are not in the page."""
        return len(self.counts) - self.size

    def _sizes(self) -> NDArray[np.float64]:
        """Compute each segment's largest contribution, relative to the maximum of its metric."""
        sizes = np.zeros(len(self.counts))
        for metric in self.counts.metrics:
            for first, second in self._pairs() or [(0, 1)]:
                values = np.abs(self.segments.contributions(metric, first, second))
                sizes = np.maximum(sizes, values / max(float(values.max()), 1e-300))
        return sizes

    def _pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of systems that are explained, as indices."""
        names = self.counts.outline.systems
        explanation = self.report.explanation
        explained = [] if explanation is None else explanation.pairs
        pairs = ((pair.comparison.a, pair.comparison.b) for pair in explained)
        return [(names.index(a), names.index(b)) for a, b in dict.fromkeys(pairs)]

    # Content of the page.

    def blocks(self) -> Iterator[str]:
        """Yield the data as elements of a page."""
        yield core_block()
        for name, data in (
            ("description", self.description()),
            ("statistics", self.statistics()),
            ("texts", self.texts()),
        ):
            yield data_block(name, data)

    def description(self) -> bytes:
        """Describe names, slices, flags and metrics: all but the statistics and the texts."""
        segments, comparison = self.segments, self.report.comparison
        outline, texts = self.counts.outline, self.counts.texts
        words = words_of(outline.rows)
        names = list(outline.systems)
        positions = {index: position for position, index in enumerate(self.indices.tolist())}
        values: dict[str, Any] = {
            "version": DATA_VERSION,
            "row": words.row,
            "system": words.system,
            "segments": outline.segments,
            "numbers": None if not self.left_out else (self.indices + 1).tolist(),
            "names": self._select(outline.names),
            "systems": names,
            "baseline": comparison.settings.baseline,
            "pairs": self._pairs(),
            "references": list(outline.reference_names),
            "is_items": outline.rows == "items",
            "has_source": texts is not None and texts.source is not None,
            "has_texts": texts is not None or self.counts.item_texts is not None,
            "fields": [{"title": title, "kind": kind} for title, kind in self._fields()],
            "primary": comparison.settings.primary or self.counts.labels[0],
            "level": comparison.settings.level,
            "few_units": FEW_UNITS,
            "enough_documents": ENOUGH_DOCUMENTS,
            "largest_share": LARGEST_SHARE,
            "results": self._results() if len(names) > 2 else None,
            "groups": self._groups() if len(names) > 2 else [],
            "documents": None if outline.documents is None else self._labels(outline.documents),
            "variables": [
                {
                    "name": variable.name,
                    "origin": variable.origin,
                    "labels": list(variable.labels),
                    "of": variable.of_segment[self.indices].tolist(),
                }
                for variable in segments.variables
            ],
            "flags": {
                system: {
                    flag: [positions[index] for index in indices if index in positions]
                    for flag, indices in flags.items()
                    if indices
                }
                for system, flags in segments.flagged.items()
            },
            "unit": segments.units.kind,
            "units": self._units(segments),
            "settings": core_comparison_settings(comparison.settings),
            "metrics": [self._metric(metric) for metric in self.counts.metrics],
            "human": {
                label: [self._select(scores.get(name)) for name in names]
                for label, scores in segments.human.items()
            },
            "spans": {
                system: {
                    str(position): [
                        [span.start, span.end, span.severity, span.category]
                        for span in spans[index]
                    ]
                    for index, position in positions.items()
                    if spans[index]
                }
                for system, spans in segments.spans.items()
            },
        }
        return _json(values)

    def _units(self, segments: Segments) -> list[int] | None:
        """Return the unit of each segment; None if units are segments in order."""
        of_segment = segments.units.of_segment
        in_order = np.array_equal(of_segment, np.arange(len(of_segment)))
        return None if in_order else of_segment[self.indices].tolist()

    def _fields(self) -> list[tuple[str, str]]:
        """Return the title and kind of each text of a segment or item, in order."""
        texts, outputs = (
            self.counts.texts,
            [(name, "output") for name in self.counts.outline.systems],
        )
        if self.counts.item_texts is not None:
            return [("Question", "question"), ("Target", "target"), *outputs]
        if texts is None:
            return []
        source = [] if texts.source is None else [("Source", "source")]
        references = [(f"Reference {name}", "reference") for name in texts.reference_names]
        return [*source, *references, *outputs]

    def _results(self) -> dict[str, list[list[Value]]]:
        """Return the comparisons of all pairs by metric."""
        comparison = self.report.comparison
        return {label: self._pair_rows(comparison.of(label)) for label in comparison.metrics}

    def _groups(self) -> list[dict[str, Any]]:
        """Return the scores and comparisons of each group."""
        labels, names = self.report.comparison.metrics, self.counts.outline.systems
        return [
            {
                "column": group.column,
                "label": group.label,
                "segments": group.segments,
                "scores": {label: [group.systems[n][label] for n in names] for label in labels},
                "pairs": {label: self._pair_rows(group.of(label)) for label in labels},
            }
            for group in self.report.comparison.groups
        ]

    def _pair_rows(self, pairs: Sequence[PairResult]) -> list[list[Value]]:
        """Return systems, difference, interval, p alone and adjusted, and the decision of pairs."""
        index = {name: number for number, name in enumerate(self.counts.outline.systems)}
        return [
            [
                index[pair.a],
                index[pair.b],
                pair.difference,
                *(pair.uncorrected_interval or pair.interval),
                pair.p,
                pair.p_adjusted,
                pair.significant,
            ]
            for pair in pairs
        ]

    def _labels(self, labels: Sequence[str]) -> dict[str, Any]:
        numbers: dict[str, int] = {}
        of = [numbers.setdefault(labels[index], len(numbers)) for index in self.indices.tolist()]
        return {"labels": list(numbers), "of": of}

    def _select(self, values: Sequence[Value] | None) -> list[Value] | None:
        return None if values is None else [values[index] for index in self.indices.tolist()]

    def _metric(self, metric: MetricCounts) -> dict[str, Any]:
        return {
            "label": metric.label,
            "factor": Scale.of(self.report.comparison.metrics[metric.label]).factor,
            **core_description(metric.scorer),
            "digits": Scale.of(self.report.comparison.metrics[metric.label]).digits,
            "columns": [column.layout for column in self._columns(metric)],
            **self._without_core(metric),
        }

    def _without_core(self, metric: MetricCounts) -> dict[str, Any]:
        """Compute scores of segments and contributions, if the page has no core for the metric."""
        if metric.scorer.core_settings() is not None:
            return {}

        def contributions(first: int, second: int) -> list[float]:
            values = self.segments.contributions(metric, first, second)
            return list(values[self.indices].tolist())

        return {
            "segment_scores": [
                self._select(system)
                for system in metric.scorer.segment_scores(metric.rows.floats())
            ],
            "contributions": {
                f"{first} {second}": contributions(first, second)
                for a, b in self._pairs()
                for first, second in ((a, b), (b, a))
            },
        }

    def _columns(self, metric: MetricCounts) -> list[Column]:
        rows = metric.rows.floats()[self.indices].transpose(2, 1, 0)
        return [Column.of(rows, number) for number in range(len(rows))]

    def statistics(self) -> bytes:
        """Join all columns of all metrics, each with the values of one system after the other.

        Values are little-endian, and each column begins at a multiple of 8 bytes.
        """
        parts = []
        for metric in self.counts.metrics:
            for column in self._columns(metric):
                parts += [column.data, bytes(-len(column.data) % 8)]
        return b"".join(parts)

    def texts(self) -> bytes:
        """List the texts of each segment in the page: source, references, outputs.

        Items have a question, a target, outputs and extracted answers. Texts of a segment resemble
        each other, and compress best side by side.
        """
        texts, of_items = self.counts.texts, self.counts.item_texts
        if of_items is not None:
            answers = [of_items.answers[name] for name in self.counts.outline.systems]
            return _json(
                [
                    [
                        of_items.items[index].question,
                        of_items.items[index].target,
                        *(texts_of[index].output for texts_of in answers),
                        *(texts_of[index].answer for texts_of in answers),
                    ]
                    for index in self.indices.tolist()
                ]
            )
        if texts is None:
            return _json([])
        sources = [] if texts.source is None else [texts.source]
        columns = [*sources, *texts.references, *texts.systems.values()]
        return _json([[column[index] for column in columns] for index in self.indices.tolist()])


def _json(values: object) -> bytes:
    text = dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "surrogatepass")
