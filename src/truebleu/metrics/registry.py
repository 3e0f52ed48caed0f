"""Metrics by name and with settings, and what they count of test sets, part by part.

People write settings behind the name: ``bleu:tokenize=zh,smooth=exp``. Other packages announce
metrics of theirs by entry points of the group truebleu.metrics.

Texts in files are counted as they are read, and forgotten: verbs take test sets of which only the
counts are in memory, and reading a text of them is an error. Counts of whole numbers stay in 16
bits, or in 32 where one does not fit: ten million segments of two systems take 400 MB by BLEU.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, fields, is_dataclass, replace
from importlib import import_module
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeAlias, TypeVar, cast

from truebleu._core import Segments, Statistics
from truebleu.corpus._files import (
    FORMATS,
    Files,
    Layout,
    LineFile,
    NamedText,
    distinct_names,
    expanded,
    extension,
    locate,
    next_size,
    refuse_duplicates,
    require_files,
    stem,
)
from truebleu.corpus._reading import read_labels, read_test_set
from truebleu.corpus.fingerprints import Fingerprint
from truebleu.corpus.sequences import absent_segments
from truebleu.corpus.test_set import TestSet
from truebleu.corpus.text_warnings import Examination, TextWarning
from truebleu.errors import (
    AbsentTextError,
    EmptyTextError,
    SettingError,
    SuspiciousTextError,
    UnknownNameError,
)
from truebleu.metrics.base import CountedMetric, Metric
from truebleu.metrics.plugins import load_plugin, plugin_names
from truebleu.schema import parameters_of, verb
from truebleu.tokenizers import count_letters, script_of_letters, unspaced_script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from os import PathLike
    from typing import BinaryIO

    from numpy.typing import NDArray

    from truebleu.corpus._files import Location
    from truebleu.metrics.base import Counts

__all__ = ["metric_labels", "parse_metric"]

# A new metric is one file and one line here.
METRICS = {
    "bleu": ("truebleu.metrics.bleu", "BLEU"),
    "chrf": ("truebleu.metrics.chrf", "CHRF"),
    "depf": ("truebleu.metrics.dependency", "DependencyF"),
    "gtm": ("truebleu.metrics.gtm", "GTM"),
    "length": ("truebleu.metrics.length", "LengthRatio"),
    "mbleu": ("truebleu.metrics.bleu", "MBLEU"),
    "nist": ("truebleu.metrics.nist", "NIST"),
    "per": ("truebleu.metrics.word_errors", "PER"),
    "scores": ("truebleu.scores.scored", "OutsideScores"),
    "sentbleu": ("truebleu.metrics.bleu", "SentenceBLEU"),
    "ter": ("truebleu.metrics.ter", "TER"),
    "wer": ("truebleu.metrics.word_errors", "WER"),
}


def metric_class(name: str) -> Callable[..., Metric]:
    """What makes a metric of its settings, imported when it is asked for.

    It is a class, or else a function of another package. Names that are not built in are looked up
    among the entry points of installed packages.
    """
    if name.lower() in METRICS:
        module, attribute = METRICS[name.lower()]
        return cast("Callable[..., Metric]", getattr(import_module(module), attribute))

    plugin = load_plugin(name)
    if plugin is None:
        raise UnknownNameError("metric", name, [*METRICS, *plugin_names()])
    return plugin


# Names that people use for a metric, with the settings that they imply.
ALIASES = {
    "chrfpp": ("chrf", {"word_order": 2}),
    "m-bleu": ("mbleu", {}),
    "sentence-bleu": ("sentbleu", {}),
    "sentencebleu": ("sentbleu", {}),
}
# chrF's own names: chrF, chrF2, chrF++, chrF2++, chrF3.
_CHRF = re.compile(r"chrf(?P<beta>\d*)(?P<pluses>\+*)")


def _unaliased(name: str) -> tuple[str, dict[str, Any]]:
    """The metric that a name stands for, and the settings that the name implies."""
    lower = name.strip().lower()
    if lower in METRICS:
        return lower, {}
    if lower in ALIASES:
        metric, settings = ALIASES[lower]
        return metric, dict(settings)
    if (chrf := _CHRF.fullmatch(lower)) is not None:
        implied = {"beta": int(chrf["beta"])} if chrf["beta"] else {}
        return "chrf", implied | ({"word_order": len(chrf["pluses"])} if chrf["pluses"] else {})
    if lower == "spbleu":
        expected = (
            "bleu:tokenize=spm:PATH with the SentencePiece model, or bleu:tokenize=flores200 where "
            "sacreBLEU has downloaded it; scores by different models do not compare"
        )
        raise SettingError("metric", name, expected)
    return name.strip(), {}


@verb
def parse_metric(text: str) -> Metric:
    """The metric that a text describes: a name, then a colon and settings if there are any.

    >>> parse_metric("chrf:word_order=2").name, parse_metric("chrF3").name
    ('chrF2++', 'chrF3')
    """
    metrics = parse_metrics(text)
    if len(metrics) != 1:
        raise SettingError("metric", text, "one metric")
    return metrics[0]


def parse_metrics(text: str) -> list[Metric]:
    """The metrics in a text, separated by commas, each with its settings after a colon.

    Commas separate settings as well: after a colon, KEY=VALUE and the name of a setting belong to
    the metric before, and anything else begins the next one.

    >>> [metric.name for metric in parse_metrics("bleu:tokenize=zh,lowercase,chrf++,ter")]
    ['BLEU', 'chrF2++', 'TER']
    """
    first, *rest = text.split(",")
    metrics = [_Written(first)]
    for piece in rest:
        if metrics[-1].takes(piece):
            metrics[-1].settings.append(piece)
        else:
            metrics.append(_Written(piece))
    return [written.metric() for written in metrics]


class _Written:
    """A metric as it is written, piece by piece."""

    def __init__(self, piece: str) -> None:
        self.name, colon, setting = piece.partition(":")
        self.has_settings = bool(colon)
        self.settings = [setting]
        metric, self.implied = _unaliased(self.name)
        self.make = metric_class(metric)
        self.parameters = _parameters(self.make)

    def takes(self, piece: str) -> bool:
        """Whether a piece after a comma is a setting of this metric."""
        word = piece.partition(":")[0]
        if not self.has_settings:
            return False
        return "=" in word or word in self.parameters or not _is_metric(word)

    def metric(self) -> Metric:
        """The metric itself."""
        return self.make(**read_settings(self.name, self.settings, self.make, self.implied))


def read_settings(
    name: str,
    written: Iterable[str],
    make: Callable[..., Any],
    implied: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The arguments of what `make` makes, as people write them: KEY=VALUE each.

    Args:
        name: what messages call it.
        written: the settings; empty ones are left out.
        make: a class or function whose arguments they are.
        implied: settings that the name stands for.
    """
    parameters, declared = _parameters(make), parameters_of(make)
    values = dict(implied or {})
    for setting in filter(None, written):
        key, _, value = setting.partition("=")
        if key not in parameters:
            raise UnknownNameError(f"setting of {name}", key, list(parameters))
        if key in values:
            raise SettingError(f"{name}: {key}", value, "each setting once")
        values[key] = _parse(f"{name}: {key}", value, declared[key].kind)
    for key, parameter in parameters.items():
        if parameter.default is Parameter.empty and key not in values:
            raise SettingError(f"{name}: {key}", "nothing", f"a value, as in {name}:{key}=…")
    return values


Named = TypeVar("Named")


def by_name(kind: str, written: str, table: Mapping[str, Callable[..., Named]]) -> Named:
    """What a text names, with its settings: ``mira:epochs=10,step=0.1``.

    Args:
        kind: what messages call it.
        written: a name of the table; settings follow a colon.
        table: what makes each of its arguments.
    """
    name, _, settings = written.partition(":")
    if name not in table:
        raise UnknownNameError(kind, name, list(table))
    return table[name](**read_settings(name, settings.split(","), table[name]))


def _is_metric(name: str) -> bool:
    try:
        return _unaliased(name)[0] in METRICS or name.strip().lower() in plugin_names()
    except SettingError:  # a name with advice
        return True


def _parameters(make: Callable[..., Any]) -> dict[str, Parameter]:
    """What can be set in text: the arguments with a name, but for those that hold objects."""
    hidden: set[str] = set()
    if is_dataclass(make):
        hidden = {field.name for field in fields(make) if not field.metadata.get("text", True)}
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return {
        name: parameter
        for name, parameter in signature(make).parameters.items()
        if parameter.kind in named and name not in hidden
    }


def written_settings(make: Callable[..., Any]) -> str:
    """The settings of a metric or a tuner with their defaults, as they are written after the colon.

    >>> written_settings(metric_class("wer"))
    'tokenize=none,lowercase=no'
    """
    return ",".join(
        f"{name}={_written(parameter.default)}" for name, parameter in _parameters(make).items()
    )


def _written(default: object) -> str:
    if isinstance(default, bool):
        return "yes" if default else "no"
    return "" if default is None or default is Parameter.empty else str(default)


def _parse(setting: str, text: str, kind: type | None) -> str | int | float | bool:
    if kind is bool:
        if text.lower() not in ("yes", "no", "true", "false", "1", "0", ""):
            raise SettingError(setting, text, "yes or no")
        # The bare word switches on: ``bleu:lowercase``.
        return text.lower() in ("yes", "true", "1", "")
    try:
        return kind(text) if kind in (int, float) else text
    except ValueError:
        expected = "a whole number" if kind is int else "a number"
        raise SettingError(setting, text, expected) from None


#: Metrics as people give them: "bleu", "bleu,chrf", BLEU(), or a list of such.
MetricsLike: TypeAlias = "str | Metric | Sequence[str | Metric]"


def as_metrics(metrics: MetricsLike) -> list[Metric]:
    """Metrics given as objects or as text."""
    if isinstance(metrics, str):
        return parse_metrics(metrics)
    if not isinstance(metrics, Iterable):
        metrics = [metrics]
    parsed: list[Metric] = []
    for metric in metrics:
        parsed += parse_metrics(metric) if isinstance(metric, str) else [metric]
    if not parsed:
        raise SettingError("metrics", metrics, "at least one, such as 'bleu'")
    for metric in parsed:
        if isinstance(metric, type):
            raise SettingError("metrics", metric, f"an object, such as {metric.__name__}()")
        if not hasattr(metric, "for_references"):
            raise SettingError("metrics", metric, "names such as 'bleu', or objects such as BLEU()")
    return parsed


def metrics_for(metrics: MetricsLike, test_set: TestSet) -> tuple[list[Metric], TestSet]:
    """Metrics as they count this test set, and the test set with warnings: where a verb begins.

    What a metric leaves to the references is fixed by all of them, so that parts of the test set
    are counted alike. The warnings are about the texts, and about metrics that do not fit them.
    """
    if test_set.is_counted:
        # A CountedTestSet, whose module needs this one.
        counted: list[Metric] = cast("Any", test_set).metrics(as_metrics(metrics))
        require_distinct(metric_labels(counted))
        return counted, test_set
    fixed = [metric.for_references(test_set.references) for metric in as_metrics(metrics)]
    labels = metric_labels(fixed)
    require_distinct(labels)
    return fixed, with_metric_warnings(test_set.examined(), dict(zip(labels, fixed, strict=True)))


def require_distinct(labels: Sequence[str]) -> None:
    """Refuse a metric that is there twice."""
    label, count = Counter(labels).most_common(1)[0]
    if count > 1:
        raise SettingError("metrics", f"{label} twice", "every metric once, with its settings")


def with_metric_warnings(test_set: TestSet, metrics: Mapping[str, Metric]) -> TestSet:
    """The test set with a warning for each metric that needs spaces where the script has none."""
    script = unspaced_script(test_set.references)
    warnings = script_warnings(test_set.warnings, metrics, script, len(test_set))
    return replace(test_set, warnings=warnings)


def script_warnings(
    warnings: Sequence[TextWarning],
    metrics: Mapping[str, Metric],
    script: str | None,
    segments: int,
) -> tuple[TextWarning, ...]:
    """The warnings, and further ones about metrics that need spaces where the script has none."""
    known = {(warning.code, warning.text) for warning in warnings}
    advised = list(warnings)
    for label, metric in metrics.items():
        advice = None if script is None else metric.advice_for_script(script)
        if advice is not None and ("unspaced", label) not in known:
            message = (
                f"{label} cuts words at spaces, and {script} references have none between words; "
                f"use {advice}"
            )
            advised.append(TextWarning("unspaced", label, segments, None, message))
    return tuple(advised)


def metric_labels(metrics: Sequence[Metric]) -> list[str]:
    """A label for each metric: its name, and what tells it from others of that name.

    >>> metric_labels([parse_metric("bleu"), parse_metric("bleu:tokenize=intl")])
    ['BLEU[tok:auto]', 'BLEU[tok:intl]']
    """
    names = Counter(metric.name for metric in metrics)
    return [
        metric.name if names[metric.name] == 1 else _distinct_label(metric, metrics)
        for metric in metrics
    ]


def _distinct_label(metric: Metric, metrics: Sequence[Metric]) -> str:
    namesakes = [other.signature.fields for other in metrics if other.name == metric.name]
    own = metric.signature.fields
    differing = [
        f"{key}:{value}"
        for key, value in own
        if any((key, value) not in fields for fields in namesakes)
    ]
    return f"{metric.name}[{' '.join(differing)}]" if differing else metric.name


# Test sets whose texts are gone: what metrics counted is left.


@dataclass(frozen=True)
class AbsentText(Sequence[str]):
    """A text of which only the length is known; reading it is an error."""

    label: str
    length: int

    def __len__(self) -> int:
        return self.length

    def _refuse(self, *_: object) -> NoReturn:
        raise AbsentTextError(self.label)

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
        return list(sums[0].tolist())


def narrowed(rows: NDArray[Any], kinds: Sequence[str] = ("int16", "int32")) -> NDArray[Any]:
    """Whole numbers in the first of these kinds that they fit in; others as they are."""
    import numpy as np

    # -0.0 would lose its sign.
    if rows.dtype.kind == "i" or not rows.size or np.signbit(rows).any():
        return rows
    kind = next((kind for kind in kinds if rows.max() <= np.iinfo(kind).max), rows.dtype)
    narrow = rows.astype(kind)
    return narrow if (narrow == rows).all() else rows


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


# Test sets in parts: what was read is handed on, and can be forgotten. Files of plain lines are
# read in lock step, so that a part has as many segments of every text. Other formats may pair
# segments by their ids, which takes all of them: they are one part.


class TestSetParts:
    """A test set from files, read once.

    Args:
        systems: outputs, one system each, written as for `read_test_set`.
        references: what they are compared with, one translator each.
        source: what was translated.
        documents: a file with the document of each segment.
        whole: whether all segments must be one part.
        stdin: read where a text is written `-`; by default standard input.

    Attributes:
        warnings: what is suspicious about the texts, once all parts were read.
        layout: the documents and domains of all segments, likewise.
        segments: how many there were so far.
    """

    # The name starts like a test class: pytest would collect it wherever it is imported.
    __test__ = False

    def __init__(
        self,
        systems: Sequence[str | PathLike[str]],
        references: Sequence[str | PathLike[str]],
        *,
        source: str | PathLike[str] | None = None,
        documents: str | PathLike[str] | None = None,
        whole: bool = False,
        stdin: BinaryIO | None = None,
    ) -> None:
        require_files(systems, references)
        self._written = systems, references
        self._source, self._documents, self._stdin = source, documents, stdin
        self._references = [locate(path) for path in references]
        self._systems = [locate(path) for path in expanded(systems)]
        beside = [] if source is None else [locate(source)]
        self._locations = [*self._references, *self._systems, *beside]
        self._is_whole = whole or not all(map(_is_plain, self._locations))
        self._files: list[LineFile] = []
        self.warnings: tuple[TextWarning, ...] = ()
        self.layout = Layout()
        self.segments = 0

    @property
    def share_read(self) -> float | None:
        """How much of all texts was read, from 0 to 1; None where nobody knows."""
        shares = [file.share_read for file in self._files]
        sizes = [share for share in shares if share is not None]
        return sum(sizes) / len(sizes) if sizes and len(sizes) == len(shares) else None

    def __iter__(self) -> Iterator[TestSet]:
        return self._read_whole() if self._is_whole else self._read_parts()

    def _read_whole(self) -> Iterator[TestSet]:
        test_set = read_test_set(
            *self._written, source=self._source, documents=self._documents, stdin=self._stdin
        )
        self.warnings = test_set.warnings
        self.layout = Layout(test_set.documents, test_set.domains)
        self.segments = len(test_set)
        yield test_set

    def _read_parts(self) -> Iterator[TestSet]:
        systems, references = _names(self._systems), _names(self._references)
        refuse_duplicates(systems)
        m, examination, files = len(references), Examination(), Files(self._stdin)
        with ExitStack() as opened:
            self._files = [
                opened.enter_context(closing(LineFile(location.path, files)))
                for location in self._locations
            ]
            while count := next_size(self._files, self.segments):
                texts = [file.take(count) for file in self._files]
                is_whole = self.segments == 0 and all(file.is_empty for file in self._files)
                source = None if self._source is None else texts[-1]
                outputs = texts[m : m + len(systems)]
                examination.add(texts[:m], outputs, source, is_whole=is_whole)
                self.segments += count
                yield TestSet(
                    systems={
                        name: text.segments for name, text in zip(systems, outputs, strict=True)
                    },
                    references=tuple(text.segments for text in texts[:m]),
                    reference_names=tuple(references),
                    source=None if source is None else source.segments,
                    is_examined=True,
                )
        self.warnings = examination.warnings()
        if self._documents is not None:
            first = self._references[0].path
            self.layout = read_labels(files, self._documents, first, self.segments)


def _is_plain(location: Location) -> bool:
    """Whether a text is the lines of a file."""
    ending = extension(location.path)
    return location.column is None and (ending == ".txt" or ending not in FORMATS)


def _names(locations: Sequence[Location]) -> list[str]:
    """What the texts are called."""
    texts = [NamedText(at.path, at.path, stem(at.path), Segments([])) for at in locations]
    return distinct_names(texts, [at.name for at in locations])
