"""Counting texts in memory, or files that are read in parts and forgotten.

Formats that pair segments by id need all segments at once, so they are one part.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from truebleu.corpus._reading import TestSetParts
from truebleu.corpus.fingerprints import Fingerprint, Fingerprints
from truebleu.corpus.outline import Outline
from truebleu.corpus.sequences import absent_segments
from truebleu.corpus.text_warnings import TextWarning
from truebleu.counts.counts import Counts
from truebleu.counts.rows import Rows
from truebleu.errors import RefusedError, SettingError, SuspiciousTextError
from truebleu.metrics.base import FileMeasure, Metric
from truebleu.metrics.registry import as_requested, metric_labels, require_distinct, require_known
from truebleu.tokenizers import count_letters, script_of_letters, unspaced_script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike
    from typing import BinaryIO

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import CountSystems, Requested, Scorer
    from truebleu.metrics.registry import MetricsLike

__all__ = ["count_files"]

#: Default metric of texts.
DEFAULT_METRIC = "bleu"
NEED_REFERENCES = (
    "no reference given: name one with -r FILE; or use --test-set NAME, or -m scores if the files "
    "hold scores, or a metric such as cometkiwi with -s SOURCE"
)


def count_texts(test_set: TestSet, metrics: MetricsLike | None = None) -> Counts:
    """Count a test set in memory, metric by metric on first use, and keep its texts.

    Settings that depend on the references are fixed by all references, so that any subset is
    counted alike. Warnings are about the texts, and about metrics that do not fit them.
    """
    test_set = test_set.examined()
    outline = test_set.outline
    counted: list[tuple[Scorer, Rows | CountSystems]] = []
    warnings: list[TextWarning] = []
    requested = as_requested(metrics, DEFAULT_METRIC)
    require_known(requested)
    if not test_set.references and not need_only_source(requested):
        raise RefusedError(NEED_REFERENCES)
    for metric in requested:
        if isinstance(metric, Metric):
            fixed = metric.for_references(test_set.references)
            warnings += fixed.examine(test_set)
            counted.append((fixed, Rows(partial(fixed.count, test_set))))
        else:
            counted.append(metric.attach(outline, test_set))
    outline = replace(outline, warnings=(*outline.warnings, *warnings))
    counts = Counts.of(outline, counted, test_set)
    return _with_script_warnings(counts, unspaced_script(test_set.references))


def need_only_source(requested: Sequence[Requested]) -> bool:
    """Return whether there are metrics, and all of them score texts without references."""
    return bool(requested) and all(
        isinstance(metric, Metric) and not metric.needs_references for metric in requested
    )


def _with_script_warnings(counts: Counts, script: str | None) -> Counts:
    """Add a warning for each metric that splits at spaces if the script has none."""
    if script is None:
        return counts
    outline = counts.outline
    known = {(warning.code, warning.text) for warning in outline.warnings}
    warnings = list(outline.warnings)
    for metric in counts.metrics:
        scorer, label = metric.scorer, metric.label
        advice = scorer.advice_for_script(script) if isinstance(scorer, Metric) else None
        if advice is not None and ("unspaced", label) not in known:
            message = (
                f"{label} cuts words at spaces, and {script} references have none between words; "
                f"use {advice}"
            )
            warnings.append(TextWarning("unspaced", label, outline.segments, None, message))
    return replace(counts, outline=replace(outline, warnings=tuple(warnings)))


def count_annotations(
    systems: Sequence[str],
    references: Sequence[str],
    requested: Sequence[Requested],
    documents: str | PathLike[str] | None = None,
) -> Counts:
    """Count annotations in files, such as error spans.

    Args:
        systems: annotations to score, one file per system.
        references: annotations that they are compared with.
        requested: measures of such files only; raises SettingError for others.
        documents: file with the document of each segment.
    """
    first, *others = measures = [m for m in requested if isinstance(m, FileMeasure)]
    if len(measures) < len(requested) or any(type(m) is not type(first) for m in others):
        raise SettingError("metrics", "annotations and texts", "measures of one kind of files")
    labels = None if documents is None else os.fspath(documents)
    outline, annotations = first.read(systems, references, labels)
    return Counts.of(outline, [measure.counted(annotations) for measure in measures])


def count_files(
    systems: Sequence[str | PathLike[str]],
    references: Sequence[str | PathLike[str]],
    metrics: MetricsLike | None = None,
    *,
    source: str | PathLike[str] | None = None,
    documents: str | PathLike[str] | None = None,
    strict: bool = False,
    fingerprints: bool = False,
    stdin: BinaryIO | None = None,
    watch: Callable[[TestSetParts], object] | None = None,
) -> Counts:
    """Read texts as `read_test_set` does, count them part by part, and forget them.

    All texts are one part if a metric needs the whole text (NIST weights n-grams by all
    references, a program starts only once), or if scores or parses of all segments are given.

    Args:
        systems: outputs, one system each.
        references: references, one translator each.
        metrics: names or objects; BLEU by default.
        source: source text.
        documents: file with the document of each segment, or a table of documents and domains.
        strict: True if a warning about the texts is an error.
        fingerprints: True to compute the fingerprints that saved counts and ledgers need.
        stdin: stream to read for a text named `-`; by default standard input.
        watch: function called with the parts before and after each of them, for progress.
    """
    requested = as_requested(metrics, DEFAULT_METRIC)
    require_known(requested)
    if any(isinstance(metric, FileMeasure) for metric in requested):
        paths = [[os.fspath(path) for path in files] for files in (systems, references)]
        return count_annotations(paths[0], paths[1], requested, documents)
    whole = not all(isinstance(metric, Metric) and metric.counts_in_parts for metric in requested)
    parts = TestSetParts(
        systems, references, source=source, documents=documents, whole=whole, stdin=stdin
    )
    counting = _Counting(requested, fingerprints=fingerprints)
    for part in parts:
        counting.add(part)
        if watch is not None:
            watch(parts)
    if strict and parts.warnings:
        raise SuspiciousTextError([warning.message for warning in parts.warnings])
    return counting.counts(parts)


class _Counting:
    """The counts of the parts of a test set that were read so far."""

    def __init__(self, requested: Sequence[Requested], *, fingerprints: bool) -> None:
        self._requested, self._with_prints = requested, fingerprints
        self._scorers: list[Scorer] = []
        self._warnings: list[TextWarning] = []
        self._rows = [Rows() for _ in requested]
        self._letters: Counter[str] = Counter()
        self._script: str | None = None
        self._names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self._references_vary = False
        self._prints: _PartPrints | None = None

    def add(self, part: TestSet) -> None:
        """Count a part."""
        self._letters.update(count_letters(part.references))
        if not self._scorers:
            self._begin(part)
        for scorer, rows in zip(self._scorers, self._rows, strict=True):
            if isinstance(scorer, Metric):
                rows.add(scorer.count(part))
        self._references_vary |= any(map(absent_segments, part.references))
        if self._prints is not None:
            self._prints.add(part)

    def _begin(self, part: TestSet) -> None:
        """Fix all settings by the first part, which is the whole test set with given scores."""
        for metric, rows in zip(self._requested, self._rows, strict=True):
            if isinstance(metric, Metric):
                self._scorers.append(fixed := metric.for_references(part.references))
                self._warnings += fixed.examine(part)
            else:
                scorer, count = metric.attach(part.outline, part)
                self._scorers.append(scorer)
                rows.add(count(tuple(part.systems)))
        require_distinct(metric_labels(self._scorers))
        self._script = script_of_letters(self._letters)
        self._names = tuple(part.systems), part.reference_names
        self._prints = _PartPrints(part) if self._with_prints else None

    def counts(self, parts: TestSetParts) -> Counts:
        """Return the counts once all parts were added; raises SettingError for mixed scripts."""
        script = script_of_letters(self._letters)
        if script != self._script and any(
            isinstance(scorer, Metric) and scorer != metric
            for scorer, metric in zip(self._scorers, self._requested, strict=True)
        ):
            # Tokenizers were chosen by the script of the first part.
            names = [text or "words with spaces" for text in (script, self._script)]
            expected = f"{names[1]}, as at their beginning, or -m bleu:tokenize=13a"
            raise SettingError("references", f"{names[0]} in all", expected)
        systems, references = self._names
        outline = Outline(
            systems=systems,
            segments=parts.segments,
            reference_names=references,
            references_each=None if self._references_vary else len(references),
            documents=parts.layout.documents,
            domains=parts.layout.domains,
            fingerprints=None if self._prints is None else self._prints.fingerprints(),
            warnings=(*parts.warnings, *self._warnings),
            repeats=parts.repeats,
            copies=parts.copies,
        )
        counts = Counts.of(outline, zip(self._scorers, self._rows, strict=True))
        return _with_script_warnings(counts, script)


class _PartPrints:
    """Fingerprints of texts that are read part by part."""

    def __init__(self, part: TestSet) -> None:
        self._references = Fingerprint(len(part.references))
        self._outputs = {name: Fingerprint(1) for name in part.systems}
        self._lengths: list[int] = []

    def add(self, part: TestSet) -> None:
        """Add a part."""
        self._references.add(part.references)
        for name, text in part.systems.items():
            self._outputs[name].add([text])
        self._lengths.extend(part.reference_lengths)

    def fingerprints(self) -> Fingerprints:
        """Return the fingerprints of the parts so far."""
        return Fingerprints(
            references=str(self._references),
            outputs={name: str(output) for name, output in self._outputs.items()},
            lengths=tuple(self._lengths),
        )
