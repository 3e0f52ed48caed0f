"""Test sets of which only the counts are in memory: verbs take them, reading a text is an error.

Texts from files are counted part by part and forgotten. Counts of whole numbers stay in 16 bits, or
in 32 where one does not fit: ten million segments of two systems take 400 MB by BLEU.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from truebleu._core import Statistics
from truebleu.corpus._reading import TestSetParts
from truebleu.corpus.test_set import Fingerprint, TestSet, absent_segments
from truebleu.errors import AbsentTextError, EmptyTextError, SettingError, SuspiciousTextError
from truebleu.metrics.base import CountedMetric
from truebleu.metrics.registry import as_metrics, metric_labels, require_distinct, script_warnings
from truebleu.tokenizers import count_letters, script_of_letters

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import BinaryIO

    from numpy.typing import NDArray

    from truebleu.metrics.base import Counts, Metric


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


# Counts, as narrow as they fit.

# Rows that are added up at a time.
BLOCK = 1 << 16


class Rows:
    """Counts shaped (segment, system, column) that may come in parts."""

    def __init__(self, rows: NDArray[Any] | None = None) -> None:
        self._space = rows
        self._filled = 0 if rows is None else len(rows)
        # As it was counted, which scores of texts in one part need no NumPy for.
        self._last: Counts | None = None

    def add(self, part: Counts) -> None:
        """Those of further segments."""
        self._settle()
        self._last = part

    def _settle(self) -> None:
        """Put the last part behind the others."""
        if self._last is None:
            return
        import numpy as np

        part, self._last = narrowed(self._last.array()), None
        if self._space is None:
            self._space = part
        else:
            kind, end = np.result_type(self._space, part), self._filled + len(part)
            if end > len(self._space) or kind != self._space.dtype:
                # Twice what is needed: space that is not used takes no memory.
                space = np.empty((2 * end, *part.shape[1:]), kind)
                space[: self._filled] = self._space[: self._filled]
                self._space = space
            self._space[self._filled : end] = part
        self._filled += len(part)

    def array(self) -> NDArray[Any]:
        """All of them, of one kind of numbers."""
        self._settle()
        if self._space is None:
            raise EmptyTextError("counts")
        return self._space[: self._filled]

    def sums(self) -> list[list[float]]:
        """The rows of each system added up, from the first segment to the last."""
        if self._last is not None and self._filled == 0:
            return self._last.sums()
        import numpy as np

        rows = self.array()
        sums = np.zeros((1, *rows.shape[1:]))
        for start in range(0, len(rows), BLOCK):
            block = np.concatenate([sums, rows[start : start + BLOCK]])
            sums = np.array([Statistics(block).sums()])
        values: list[list[float]] = sums[0].tolist()
        return values


def narrowed(rows: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in 16 bits, or in 32 where one does not fit; others as they are."""
    import numpy as np

    if rows.dtype.kind == "i" or not rows.size or np.signbit(rows).any():
        return rows
    largest = rows.max()
    for kind in (np.int16, np.int32):
        if largest <= np.iinfo(kind).max:
            narrow = rows.astype(kind)
            return narrow if (narrow == rows).all() else rows
    return rows


class SystemsMetric(CountedMetric):
    """A metric that has counted these systems, and tells what it counted of any of them."""

    def __init__(self, metric: Metric, systems: tuple[str, ...], counts: Counts) -> None:
        super().__init__(metric, counts)
        self._systems = systems

    def count(self, test_set: TestSet) -> Counts:
        """What was counted of the systems of the test set."""
        if tuple(test_set.systems) == self._systems:
            return self.counts
        places = [self._systems.index(name) for name in test_set.systems]
        return Rows(self.counts.array()[:, places])


# Texts that are counted as they are read.


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprints:
    """What tells whether texts are the same, once they are forgotten.

    Attributes:
        references: of all of them.
        outputs: of each system's text.
        lengths: characters of the first reference of each segment.
    """

    references: Fingerprint
    outputs: dict[str, Fingerprint]
    lengths: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, part: TestSet) -> Fingerprints:
        """Those of test sets like this part, which is not added."""
        outputs = {name: Fingerprint(1) for name in part.systems}
        return cls(references=Fingerprint(len(part.references)), outputs=outputs)

    def add(self, part: TestSet) -> None:
        """A further part."""
        self.references.add(part.references)
        for name, text in part.systems.items():
            self.outputs[name].add([text])
        self.lengths.extend(part.reference_lengths)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedTexts(CountedTestSet):
    """A test set whose texts were counted as they were read, and forgotten.

    Attributes:
        counted: each metric as it was asked for, and with what it counted.
        prints: fingerprints of the texts; None where nobody asked for them.
    """

    counted: tuple[tuple[Metric, SystemsMetric], ...] = ()
    prints: Fingerprints | None = None

    def metrics(self, metrics: Sequence[Metric]) -> list[Metric]:
        """The metrics with what they counted; others would need the texts."""
        return [self._counted(metric) for metric in metrics]

    def _counted(self, metric: Metric) -> Metric:
        for asked, counted in self.counted:
            if metric in (asked, counted, counted.metric):
                return counted
        raise AbsentTextError(f"texts that {metric.name} did not count")

    @property
    def fingerprint(self) -> str:
        """Of the references."""
        return str(self._prints.references)

    @property
    def reference_lengths(self) -> tuple[int, ...]:
        """Characters of the first reference of each segment."""
        return tuple(self._prints.lengths)

    def output_fingerprint(self, system: str) -> str:
        """Of a system's text."""
        return str(self._prints.outputs[system])

    @property
    def _prints(self) -> Fingerprints:
        if self.prints is None:
            raise AbsentTextError("texts without fingerprints")
        return self.prints


def count_test_set(
    systems: Sequence[str | PathLike[str]],
    references: Sequence[str | PathLike[str]],
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    source: str | PathLike[str] | None = None,
    documents: str | PathLike[str] | None = None,
    strict: bool = False,
    fingerprints: bool = False,
    stdin: BinaryIO | None = None,
    watch: Callable[[TestSetParts], object] | None = None,
) -> CountedTexts:
    """Read texts as `read_test_set` does, count them part by part, and forget them.

    NIST weighs n-grams by all references, and other metrics are given scores or parses of all
    segments: then all texts are one part.

    Args:
        systems: outputs, one system each.
        references: what they are compared with, one translator each.
        metrics: what is counted.
        source: what was translated.
        documents: a file with the document of each segment, or a table of documents and domains.
        strict: whether anything suspicious about the texts is an error.
        fingerprints: whether to keep what saved statistics and ledgers need of the texts.
        stdin: read where a text is written `-`; by default standard input.
        watch: called with the parts before and after each of them, to say how far they are.
    """
    asked = as_metrics(metrics)
    whole = any(metric.counts_whole_text or not metric.reads_texts for metric in asked)
    parts = TestSetParts(
        systems, references, source=source, documents=documents, whole=whole, stdin=stdin
    )
    counting = _Counting(asked, fingerprints=fingerprints)
    for part in parts:
        counting.add(part)
        if watch is not None:
            watch(parts)
    if strict and parts.warnings:
        raise SuspiciousTextError([warning.message for warning in parts.warnings])
    return counting.test_set(parts)


class _Counting:
    """What is known of a test set after some parts of it."""

    def __init__(self, asked: Sequence[Metric], *, fingerprints: bool) -> None:
        self._asked, self._with_prints = asked, fingerprints
        self._fixed: list[Metric] = []
        self._rows = [Rows() for _ in asked]
        self._letters: Counter[str] = Counter()
        self._script: str | None = None
        self._names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self._references_vary = False
        self._prints: Fingerprints | None = None

    def add(self, part: TestSet) -> None:
        """Count a part."""
        self._letters.update(count_letters(part.references))
        if not self._fixed:
            self._fixed = [metric.for_references(part.references) for metric in self._asked]
            require_distinct(metric_labels(self._fixed))
            self._script = script_of_letters(self._letters)
            self._names = tuple(part.systems), part.reference_names
            self._prints = Fingerprints.of(part) if self._with_prints else None
        for metric, rows in zip(self._fixed, self._rows, strict=True):
            rows.add(metric.count(part))
        self._references_vary |= any(map(absent_segments, part.references))
        if self._prints is not None:
            self._prints.add(part)

    def test_set(self, parts: TestSetParts) -> CountedTexts:
        """The test set, once all parts were counted."""
        script = script_of_letters(self._letters)
        if script != self._script and self._fixed != self._asked:
            # The first part chose the tokenizers.
            names = [text or "words with spaces" for text in (script, self._script)]
            expected = f"{names[1]}, as at their beginning; or -m bleu:tokenize=13a, say"
            raise SettingError("references", f"{names[0]} in all", expected)
        systems, references = self._names
        text = AbsentText(references[0], parts.segments)
        labelled = dict(zip(metric_labels(self._fixed), self._fixed, strict=True))
        return CountedTexts(
            systems={name: AbsentText(name, parts.segments) for name in systems},
            references=(text,) * len(references),
            reference_names=references,
            documents=parts.layout.documents,
            domains=parts.layout.domains,
            warnings=script_warnings(parts.warnings, labelled, script, parts.segments),
            is_examined=True,
            counted_references=None if self._references_vary else len(references),
            counted=tuple(
                (asked, SystemsMetric(fixed, systems, rows))
                for asked, fixed, rows in zip(self._asked, self._fixed, self._rows, strict=True)
            ),
            prints=self._prints,
        )
