"""Scores of predicted error spans against the spans that people marked: `-m spans`.

A predictor is a system here, and a row is one output of a translation system that people annotated.
See docs/reference/metrics/spans.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from truebleu import _core
from truebleu.corpus import tables
from truebleu.corpus._files import Files, expand_paths, parse_location, read_lines, stem
from truebleu.corpus._reading import read_labels
from truebleu.corpus.outline import Outline
from truebleu.corpus.text_warnings import TextWarning
from truebleu.errors import MalformedFileError, SettingError
from truebleu.human import span_matching as matching
from truebleu.human.judgments import join_names
from truebleu.human.mqm import HARMLESS, rating_lines
from truebleu.human.span_matching import Pair, Ratio, Span, Spans, overlap
from truebleu.metrics.base import FileMeasure, GivenMean, Score, Scorer, Signature
from truebleu.schema import Setting, check_fields

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import CountSystems

__all__ = ["SpanAnnotations", "SpanMeasure", "SpanScore", "read_span_annotations"]

Measure = Literal["mpp", "mp", "em", "chars", "wmt23", "wmt25"]
Matching = Literal["best", "pairs", "greedy", "many"]
Part = Literal["f1", "precision", "recall"]
Average = Literal["micro", "macro"]
TITLES = {"chars": "characters", "wmt23": "WMT23 characters", "wmt25": "WMT25 characters"}
#: Severities by the names in files.
MAJOR = {"major": True, "critical": True, "minor": False}
#: Limit on offsets, against files that would fill the memory.
MOST = 1_000_000
#: Severities that are not scored.
UNSCORED = HARMLESS | {"undecided"}


# Files.


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanAnnotations:
    """Error spans in the outputs of translation systems, by people or by a predictor.

    Attributes:
        label: name in messages: the file.
        digest: first digits of the SHA-256 of the file.
        spans: spans of each output by translation system; None if an output is not annotated.
    """

    label: str
    digest: str = ""
    spans: Mapping[str, Sequence[Spans | None]] = field(repr=False)


def read_span_annotations(path: str, *, weightless: bool = True) -> SpanAnnotations:
    """Read error spans from lines of SYSTEM, JSON or None, and optionally RATER.

    Args:
        path: file as of mt-metrics-eval, such as en-de.mqm.seg.rating.
        weightless: True to keep errors with weight 0, such as reinterpretations.
    """
    data = Files().contents(path)
    spans: dict[str, list[Spans | None]] = {}
    for number, system, errors, _ in rating_lines(path, data):
        marked = [_span(path, number, error, weightless=weightless) for error in errors or ()]
        annotated = None if errors is None else [span for span in marked if span is not None]
        spans.setdefault(system, []).append(annotated)
    return SpanAnnotations(label=path, digest=tables.digest(data), spans=spans)


def _span(path: str, line: int, error: Any, *, weightless: bool) -> Span | None:
    """Parse one error; None if it has no place or no severity that is scored."""
    expected = '{"start": 0, "end": 5, "severity": "minor"}'
    if not isinstance(error, dict):
        raise MalformedFileError(path, line, repr(error)[:60], expected)
    start, end = error.get("start"), error.get("end")
    severity = str(error.get("severity") or "").strip().lower()
    if start == "missing" or end == "missing" or severity in UNSCORED:
        return None
    if error.get("score") == 0 and not weightless:
        return None
    offsets = [value for value in (start, end) if type(value) is int and 0 <= value < MOST]
    if len(offsets) < 2 or offsets[0] > offsets[1] or severity not in MAJOR:
        expected += ", with offsets in characters and severity minor, major or critical"
        raise MalformedFileError(path, line, repr(error)[:80], expected)
    return Span(offsets[0], offsets[1], MAJOR[severity], bool(error.get("is_source_error")))


# Measures.


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanRatio(Score):
    """Precision, recall and F1 of predicted spans.

    Attributes:
        precision: credit of the predicted spans over their number, or characters.
        recall: credit of the gold spans over their number, or characters.
        f1: harmonic mean of both.
    """

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanScore(Scorer):
    """F1, precision or recall of summed counts.

    Attributes:
        name: name of the measure in results.
        signature: settings, and digest of the gold spans.
        part: part that is the score.
    """

    digits: ClassVar[int] = 4
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)

    name: str = field()
    signature: Signature = field()
    part: Part = "f1"

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """Return the scores of summed rows; without a denominator, precision or recall is 1."""
        return span_scores(np.asarray(sums, dtype=np.float64))[self.part]

    def column_parts(self, width: int) -> tuple[str, ...]:
        """Name the columns of precision and recall."""
        return ("precision", "precision", "recall", "recall")[:width]

    def describe(self, sums: Sequence[float], references: int | None) -> SpanRatio:
        """Return the score of one row of sums, with precision, recall and F1."""
        parts = {name: float(value) for name, value in span_scores(np.array(sums)).items()}
        signature = self.signature.with_references(references)
        return SpanRatio(score=parts[self.part], signature=signature, **parts)


def span_scores(rows: NDArray[np.float64]) -> dict[Part, NDArray[np.float64]]:
    """Compute precision, recall and F1 of rows with four columns."""

    def ratio(total: NDArray[np.float64], count: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(count > 0, total / np.where(count > 0, count, 1.0), 1.0)

    precision, recall = ratio(rows[..., 0], rows[..., 1]), ratio(rows[..., 2], rows[..., 3])
    total = precision + recall
    f1 = np.where(total > 0, 2 * precision * recall / np.where(total > 0, total, 1.0), 0.0)
    return {"precision": precision, "recall": recall, "f1": f1}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanMeasure(FileMeasure):
    """A measure of predicted error spans; the reference is a file of gold spans.

    Attributes:
        measure: "mpp" (matched spans, partial overlap with partial credit), "mp" (partial overlap),
            "em" (exact match), "chars" (characters of matched spans), "wmt23" or "wmt25" (the
            characters of the shared tasks, on the output only).
        part: part that is the score.
        average: "micro" sums counts over outputs; "macro" averages the scores of outputs, which
            rewards predicting nothing.
        matching: one-to-one matching that is "best" by the measure (by the F1 of the output for
            mpp), has the best sum of F1 over "pairs", or is "greedy" by the F1 of pairs; or "many",
            which matches all spans that overlap.
        penalty: share of the credit that spans of different severities lose.
        minor: weight of minor errors, for mpp.
        major: weight of major errors, for mpp.
        weightless: False to leave out gold errors with weight 0.
        texts: folder of the outputs, at whose ends spans are cut off; by default the outputs of
            the evaluation set that has the gold file.
    """

    measure: Measure = "mpp"
    part: Part = "f1"
    average: Average = "micro"
    matching: Matching = "best"
    penalty: Annotated[float | None, Setting(minimum=0, maximum=1)] = None
    minor: Annotated[float, Setting(above=0)] = 1.0
    major: Annotated[float, Setting(above=0)] = 1.0
    weightless: bool = True
    texts: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.minor != self.major and (self.measure != "mpp" or self.lost):
            expected = "equal weights, unless for mpp without a penalty"
            raise SettingError("minor and major", f"{self.minor:g} and {self.major:g}", expected)
        if self.matching != "best" and self.measure in ("wmt23", "wmt25"):
            raise SettingError("matching", self.matching, "'best': characters are not matched")
        if self.matching == "pairs" and self.measure != "mpp":
            raise SettingError("matching", self.matching, "'best', 'greedy' or 'many' without mpp")

    @property
    def lost(self) -> float:
        """Share of the credit lost by other severities: half by WMT's characters, else none."""
        default = 0.5 if self.measure in ("wmt23", "wmt25") else 0.0
        return default if self.penalty is None else self.penalty

    def attach(self, outline: Outline, texts: TestSet | None) -> tuple[Scorer, CountSystems]:
        """Raise SettingError: spans are no scores of texts."""
        known = outline.systems if texts is None else tuple(texts.systems)
        expected = "files of error spans: score -r gold.seg.rating predicted.seg.rating -m spans"
        raise SettingError("spans", f"texts of {join_names(known)}", expected)

    def read(
        self, systems: Sequence[str], references: Sequence[str], documents: str | None = None
    ) -> tuple[Outline, SpanCells]:
        """Read gold and predicted spans; return their outline and the common outputs."""
        return read_cells(systems, references, documents, self.texts, weightless=self.weightless)

    def counted(self, annotations: SpanCells) -> tuple[Scorer, CountSystems]:
        """Return the scorer and a function that counts the rows of predictors."""
        settings = {
            "matching": self.matching if self.measure not in ("wmt23", "wmt25") else "",
            "penalty": f"{self.lost:g}",
            "weights": "" if self.minor == self.major else f"{self.minor:g}-{self.major:g}",
            "average": self.average,
            "weightless": "" if self.weightless else "no",
        }
        part = "F1" if self.part == "f1" else self.part
        name = f"{TITLES.get(self.measure, self.measure.upper())} {part}"
        fields = {key: value for key, value in settings.items() if value}
        signature = Signature.of(name, **fields, gold=annotations.digest)
        count = partial(self._rows_of, annotations)
        if self.average == "macro":
            return GivenMean(name=name, signature=signature), count
        return SpanScore(name=name, signature=signature, part=self.part), count

    def _rows_of(self, cells: SpanCells, systems: Sequence[str]) -> _core.Statistics:
        rows = [self.rows(cells.gold, cells.predicted[name], cells.lengths) for name in systems]
        counts = np.stack(rows, axis=1)
        if self.average == "macro":
            values = span_scores(counts)[self.part]
            counts = np.stack([values, np.ones_like(values)], axis=-1)
        return _core.Statistics(np.ascontiguousarray(counts))

    def rows(
        self,
        gold: Sequence[Spans],
        predicted: Sequence[Spans],
        lengths: Sequence[int | None] | None = None,
    ) -> NDArray[np.float64]:
        """Count outputs: numerator and denominator of precision, then of recall.

        Args:
            gold: spans of each output by people.
            predicted: spans of each output by a predictor.
            lengths: characters of each output, None if unknown.
        """
        sizes = lengths or [None] * len(gold)
        counted = [self.count(*cell) for cell in zip(gold, predicted, sizes, strict=True)]
        return np.array(counted, dtype=np.float64).reshape(-1, 4)

    def count(self, gold: Spans, predicted: Spans, length: int | None = None) -> Ratio:
        """Return numerator and denominator of precision, then of recall, for one output."""
        if self.measure == "wmt23":
            return matching.credit_characters(gold, predicted, length, 1 - self.lost)
        if self.measure == "wmt25":
            return matching.count_characters(gold, predicted, length, 1 - self.lost)
        gold, predicted = ([span for span in spans if span.length] for spans in (gold, predicted))
        if self.matching == "many":
            return self._many_to_many(gold, predicted)
        denominators = [
            float(sum(span.length for span in spans))
            if self.measure == "chars"
            else float(sum(map(self._weight, spans)))
            for spans in (predicted, gold)
        ]
        pairs = [
            Pair(i, j, *credit)
            for i, one in enumerate(predicted)
            for j, other in enumerate(gold)
            if any(credit := self._credits(one, other))
            or (self.matching == "greedy" and overlap(one, other))
        ]
        if self.measure == "mpp" and self.matching == "best":
            sums = matching.best_f1(pairs, *denominators) if pairs else (0.0, 0.0)
        else:
            choose = matching.greedy if self.matching == "greedy" else matching.best_sum
            weights = [self._weight_of_pair(pair, predicted, gold) for pair in pairs]
            matched = choose(pairs, weights)
            sums = sum(pair.precision for pair in matched), sum(pair.recall for pair in matched)
        return sums[0], denominators[0], sums[1], denominators[1]

    def _weight(self, span: Span) -> float:
        return self.major if span.is_major else self.minor

    def _credits(self, one: Span, other: Span) -> tuple[float, float]:
        """Return the credits of a predicted and a gold span for precision and recall."""
        shared = overlap(one, other)
        severity = min(self._weight(one), self._weight(other))
        if one.is_major != other.is_major:
            severity *= 1 - self.lost
        if self.measure == "mpp":
            return severity * shared / one.length, severity * shared / other.length
        is_exact = one.in_source == other.in_source and one[:2] == other[:2]
        credit = {"em": is_exact, "mp": shared > 0, "chars": shared}[self.measure]
        return severity * credit, severity * credit

    def _weight_of_pair(self, pair: Pair, predicted: Spans, gold: Spans) -> float:
        """Return what a matching maximizes: the credit, or the F1 of the pair."""
        if self.measure != "mpp" and self.matching != "greedy":
            return pair.precision
        one, other = predicted[pair.predicted], gold[pair.gold]
        severity = 1.0 if one.is_major == other.is_major else 1 - self.lost
        return severity * 2 * overlap(one, other) / (one.length + other.length)

    def _best_credit(self, span: Span, others: Spans) -> float:
        """Return the credit of a span that may match any span that it overlaps."""
        same = {other.is_major == span.is_major for other in others if overlap(span, other)}
        return 1.0 if True in same else (1 - self.lost) * len(same)

    def _many_to_many(self, gold: Spans, predicted: Spans) -> Ratio:
        if self.measure == "mp":
            of_predicted = [self._best_credit(span, gold) for span in predicted]
            of_gold = [self._best_credit(span, predicted) for span in gold]
        else:
            of_predicted, of_gold = matching.shared_credits(gold, predicted, 1.0, 1 - self.lost)
        return sum(of_predicted), len(predicted), sum(of_gold), len(gold)


# The outputs that people and all predictors annotated.


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanCells:
    """Spans of the outputs that people and all predictors annotated.

    Attributes:
        digest: first digits of the SHA-256 of the gold file.
        gold: spans of each output by people.
        predicted: spans of each output by predictor.
        lengths: characters of each output, or None if the outputs are not known.
    """

    digest: str
    gold: Sequence[Spans]
    predicted: Mapping[str, Sequence[Spans]]
    lengths: Sequence[int | None] | None = None


def read_cells(
    systems: Sequence[str],
    references: Sequence[str],
    documents: str | None,
    texts: str,
    *,
    weightless: bool,
) -> tuple[Outline, SpanCells]:
    """Read gold and predicted spans; return the outline of the outputs and their spans.

    Outputs of one segment are a document, as they resemble each other, unless a file has the
    documents of the segments.
    """
    if len(references) != 1:
        found = f"{len(references)} references"
        raise SettingError("references", found, "one file of gold spans: -r en-de.mqm.seg.rating")
    gold = read_span_annotations(references[0], weightless=weightless)
    locations = [parse_location(path) for path in expand_paths(systems)]
    predicted = {at.name or _name(at.path): read_span_annotations(at.path) for at in locations}
    if len(predicted) < len(locations):
        raise SettingError("systems", "two predictors with one name", "NAME=FILE for one of them")
    for other in predicted.values():
        for name, row in other.spans.items():
            if name in gold.spans and len(row) != len(gold.spans[name]):
                expected = f"{len(gold.spans[name])}, as in {gold.label}"
                found = f"{len(row)} lines of {name}"
                raise MalformedFileError(other.label, None, found, expected)
    cells = [
        (system, index)
        for system, row in gold.spans.items()
        for index, spans in enumerate(row)
        if spans is not None
    ]
    others = [other.spans for other in predicted.values()]
    common = [
        (system, index)
        for system, index in cells
        if all(system in other and other[system][index] is not None for other in others)
    ]
    if not common:
        found = f"no output that {gold.label} and all predictions annotate"
        raise MalformedFileError(locations[0].path, None, found, "the same systems and segments")
    warnings: tuple[TextWarning, ...] = ()
    if len(common) < len(cells):
        message = (
            f"{gold.label}: {len(cells) - len(common):,} of {len(cells):,} annotated outputs are "
            "left out, because not all predictors annotate them"
        )
        warnings = (TextWarning("spans", gold.label, len(cells) - len(common), None, message),)
    outline = Outline(
        systems=tuple(predicted),
        segments=len(common),
        documents=tuple(str(index + 1) for _, index in common),
        names=tuple(f"{system}, segment {index + 1}" for system, index in common),
        fields=partial(_field, tuple(system for system, _ in common)),
        warnings=warnings,
    )
    if documents is not None:
        length = max(map(len, gold.spans.values()))
        labels = read_labels(Files(), documents, gold.label, length)
        known = {"documents": labels.documents, "domains": labels.domains}
        chosen: dict[str, Any] = {
            name: tuple(column[index] for _, index in common)
            for name, column in known.items()
            if column is not None
        }
        outline = replace(outline, **chosen)

    def spans_of(source: SpanAnnotations) -> list[Spans]:
        return [source.spans[system][index] or () for system, index in common]

    return outline, SpanCells(
        digest=gold.digest,
        gold=spans_of(gold),
        predicted={name: spans_of(other) for name, other in predicted.items()},
        lengths=_lengths(texts, references[0], common),
    )


def _name(path: str) -> str:
    """Return the name of a predictor: the file's name without .LANG-LANG.seg.rating.

    >>> _name("predictions/words.en-de.seg.rating")
    'words'
    """
    return re.sub(r"(\.\w+-\w+)?(\.seg)?\.rating$", "", stem(path))


def _field(systems: tuple[str, ...], name: str) -> tuple[str, ...] | None:
    """Return the translation systems of the outputs as the field `system`."""
    return systems if name == "system" else None


def _lengths(texts: str, gold: str, cells: Sequence[tuple[str, int]]) -> list[int | None] | None:
    """Return the characters of each output, or None if there is no folder of outputs."""
    folder = texts or os.path.join(
        os.path.dirname(gold), "..", "system-outputs", os.path.basename(gold).partition(".")[0]
    )
    if not os.path.isdir(folder):
        if texts:
            raise SettingError("texts", texts, "a folder with the outputs, SYSTEM.txt")
        return None
    lines: dict[str, Sequence[str | None]] = {}
    for name in dict.fromkeys(system for system, _ in cells):
        path = os.path.join(folder, f"{name}.txt")
        lines[name] = read_lines(path, Files().contents(path)).segments
        needed = max(index for system, index in cells if system == name)
        if len(lines[name]) <= needed:
            found = f"{len(lines[name])} segments"
            raise MalformedFileError(path, None, found, f"more than {needed}, as in {gold}")
    return [len((lines[system][index] or "").strip()) for system, index in cells]
