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
from truebleu.reports.percent import PERCENT_DIGITS
from truebleu.reports.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from truebleu.counts.counts import Counts, MetricCounts
    from truebleu.explanation.report import Report, Segments
    from truebleu.metrics.base import Scorer
    from truebleu.reports.document import Value
    from truebleu.significance.settings import CompareSettings

# Compression level: a compromise between size and speed.
LEVEL = 6
# Path of the core as a WebAssembly module.
CORE = files(__package__) / "core.wasm"
# Kinds of whole numbers, the smallest first, by the names that the script knows.
KINDS = ("u1", "u2", "u4")
# Maximum distance of the column to which another is stored as differences.
FARTHEST = 8


def data_block(name: str, data: bytes) -> str:
    """Compress data into an element that is not executed; equal data give equal elements."""
    # Base64 needs no escapes, and gzip no time stamp.
    text = b64encode(compress(data, compresslevel=LEVEL, mtime=0)).decode()
    return f'<script type="application/octet-stream" id="data-{name}">{text}</script>'


def core_description(metric: Scorer) -> dict[str, Any]:
    """Return the settings of a scorer that the core reads, its decimals and its direction."""
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
    """Return the settings of a comparison as JSON, which only the core parses."""
    names = ("seed", "replicates", "level", "interval")
    return dumps({name: getattr(settings, name) for name in names})


def encode(rows: NDArray[np.float64]) -> tuple[str, list[int], bytes]:
    """Encode statistics so that they compress well.

    Counts of n-grams hardly vary from order to order and from system to system. So whole numbers
    are stored as differences to the first system's, and these as differences to an earlier column,
    modulo the range of their kind. Other numbers are stored as they are.

    Args:
        rows: statistics, shaped (column, system, segment).

    Returns:
        The kind of the numbers, the distance of each column to the earlier one or 0, and the
        numbers, little-endian.
    """
    whole = (rows == np.floor(rows)).all() and rows.min(initial=0) >= 0
    kinds = (kind for kind in KINDS if whole and rows.max(initial=0) <= np.iinfo(kind).max)
    kind = next(kinds, "f8")
    if kind == "f8":
        return kind, [0] * len(rows), np.ascontiguousarray(rows, dtype="<f8").tobytes()
    values = rows.astype(f"<{kind}")
    values[:, 1:] -= values[:, :1]
    backs, parts = [], []
    for number, column in enumerate(values):
        earlier = (values[number - back] for back in range(1, min(number, FARTHEST) + 1))
        coded = [column, *(column - other for other in earlier)]
        back = int(np.argmin([np.count_nonzero(differences) for differences in coded]))
        backs.append(back)
        parts.append(coded[back].tobytes())
    return kind, backs, b"".join(parts)


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
        # Each segment's largest contribution, relative to the maximum of the metric.
        sizes = np.zeros(len(counts))
        for metric in counts.metrics:
            for first, second in data._pairs() or [(0, 1)]:
                values = np.abs(segments.contributions(metric, first, second))
                sizes = np.maximum(sizes, values / max(float(values.max()), 1e-300))
        largest, others = np.split(np.argsort(-sizes, kind="stable"), [(count + 1) // 2])
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

    def _pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of systems that are explained, as indices."""
        names, explanation = self.counts.outline.systems, self.report.explanation
        compared = [] if explanation is None else [pair.comparison for pair in explanation.pairs]
        return list(dict.fromkeys((names.index(p.a), names.index(p.b)) for p in compared))

    # Content of the page.

    def blocks(self) -> Iterator[str]:
        """Yield the core and the data as elements of a page."""
        layouts, statistics = self.statistics()
        yield data_block("core", CORE.read_bytes())
        yield data_block("description", self.description(layouts))
        yield data_block("statistics", statistics)
        yield data_block("texts", self.texts())

    def statistics(self) -> tuple[list[tuple[str, list[int]]], bytes]:
        """Encode the statistics of all metrics; each metric begins at a multiple of 8 bytes.

        Returns:
            The kind and distances of each metric's columns, and the bytes.
        """
        layouts, parts = [], []
        for metric in self.counts.metrics:
            kind, backs, data = encode(metric.rows.floats()[self.indices].transpose(2, 1, 0))
            layouts.append((kind, backs))
            parts += [data, bytes(-len(data) % 8)]
        return layouts, b"".join(parts)

    def description(self, layouts: Sequence[tuple[str, list[int]]]) -> bytes:
        """Return names, slices, flags and metrics as JSON: all but statistics and texts."""
        segments, comparison = self.segments, self.report.comparison
        outline, names = self.counts.outline, list(self.counts.outline.systems)
        positions = {index: position for position, index in enumerate(self.indices.tolist())}
        of_segment, words = segments.units.of_segment, words_of(outline.rows)
        in_order = np.array_equal(of_segment, np.arange(len(of_segment)))
        values: dict[str, Any] = {
            "row": words.row,
            "system": words.system,
            "is_items": outline.rows == "items",
            "numbers": None if not self.left_out else (self.indices + 1).tolist(),
            "names": self._select(outline.names),
            "pairs": self._pairs(),
            "fields": [{"title": title, "kind": kind} for title, kind, _ in self._fields()],
            "few_units": FEW_UNITS,
            "enough_documents": ENOUGH_DOCUMENTS,
            "largest_share": LARGEST_SHARE,
            "documents": self._select(outline.documents),
            "variables": [
                {
                    "name": variable.name,
                    "labels": variable.labels,
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
            "units": None if in_order else of_segment[self.indices].tolist(),
            "settings": core_comparison_settings(comparison.settings),
            "metrics": [
                self._metric(metric, layout)
                for metric, layout in zip(self.counts.metrics, layouts, strict=True)
            ],
            "human": {
                label: [self._select(scores.get(name)) for name in names]
                for label, scores in segments.human.items()
            },
        }
        return _json(values)

    def _fields(self) -> list[tuple[str, str, Sequence[str | None]]]:
        """Return the title, kind and values of each text of a segment or item, in order.

        Items have a question, a target, outputs and extracted answers.
        """
        texts, of_items = self.counts.texts, self.counts.item_texts
        names = self.counts.outline.systems
        if of_items is not None:
            answers = [of_items.answers[name] for name in names]
            named = list(zip(names, answers, strict=True))
            return [
                ("Question", "question", [item.question for item in of_items.items]),
                ("Target", "target", [item.target for item in of_items.items]),
                *((name, "output", [text.output for text in texts_of]) for name, texts_of in named),
                *((name, "answer", [text.answer for text in texts_of]) for name, texts_of in named),
            ]
        if texts is None:
            return []
        references = zip(texts.reference_names, texts.references, strict=True)
        return [
            *([] if texts.source is None else [("Source", "source", texts.source)]),
            *((f"Reference {name}", "reference", text) for name, text in references),
            *((name, "output", text) for name, text in texts.systems.items()),
        ]

    def texts(self) -> bytes:
        """Return the texts of each segment in the page as JSON, which compresses best."""
        columns = [column for *_, column in self._fields()]
        return _json([[column[index] for column in columns] for index in self.indices.tolist()])

    def _select(self, values: Sequence[Value] | None) -> list[Value] | None:
        return None if values is None else [values[index] for index in self.indices.tolist()]

    def _metric(self, metric: MetricCounts, layout: tuple[str, list[int]]) -> dict[str, Any]:
        """Return a metric's description, with its scores if the page's core lacks the metric."""
        result = self.report.comparison.metrics[metric.label]
        described = {
            "label": metric.label,
            "factor": 100 if result.percent else 1,
            **core_description(metric.scorer),
            "digits": PERCENT_DIGITS if result.percent else result.digits,
            "columns": layout,
        }
        if described["core"] is None:
            scores = metric.scorer.segment_scores(metric.rows.floats())
            described["segment_scores"] = [self._select(system) for system in scores]
            described["contributions"] = {
                f"{first} {second}": self.segments.contributions(metric, first, second)[
                    self.indices
                ].tolist()
                for a, b in self._pairs()
                for first, second in ((a, b), (b, a))
            }
        return described


def _json(values: object) -> bytes:
    text = dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "surrogatepass")
