"""Base classes of metrics: signatures, scores, scorers and metrics."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from json import dumps
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol, TypeAlias, TypedDict, cast

from truebleu import _core
from truebleu._core import VERSION
from truebleu.corpus.sequences import as_text
from truebleu.corpus.test_set import as_test_set
from truebleu.errors import SettingError
from truebleu.metrics.threads import use_environment
from truebleu.schema import MOST, Setting, check_fields, require_name, require_whole_number
from truebleu.tokenizers import (
    AUTO,
    DEFAULT,
    NATIVE,
    check_tokenizer,
    cuts_words_of,
    external_tokenizer,
    tokenizer_for_language,
    tokenizer_for_script,
    unspaced_script,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import Statistics
    from truebleu.corpus.outline import Outline
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import TestSet
    from truebleu.corpus.text_warnings import TextWarning

__all__ = [
    "GivenMean",
    "MeanMetric",
    "MeanScore",
    "MeanScorer",
    "Metric",
    "Score",
    "Scorer",
    "Signature",
]


#: Release of sacreBLEU whose scores tests/parity compares with these.
SACREBLEU = "2.6.0"
SACREBLEU_FIELDS = {
    "BLEU": ("nrefs", "case", "eff", "tok", "smooth"),
    "chrF": ("nrefs", "case", "eff", "nc", "nw", "space"),
    "TER": ("nrefs", "case", "tok", "norm", "punct", "asian"),
}
SACREBLEU_TOKENIZERS = re.compile(
    "13a|intl|zh|char|none|tercom|(ja|ko)-mecab.*|flores101|flores200"
)


@dataclass(frozen=True, slots=True)
class Signature:
    """A metric's name and settings: ``BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|…``.

    The keys are sacreBLEU's, so that a reader of its signatures can read these.

    Attributes:
        name: name of the metric.
        fields: names and values of the settings.
        script: script of the references, if it decided the tokenizer; see `for_references`.
    """

    name: str
    fields: tuple[tuple[str, str], ...]
    script: str | None = field(default=None, compare=False)

    @classmethod
    def of(cls, name: str, **fields: str | int | bool) -> Signature:
        """Make a signature of `fields`, in this order; a bool becomes yes or no.

        >>> Signature.of("TER", norm=False).fields
        (('norm', 'no'),)
        """
        return cls(name, tuple((key, _text(value)) for key, value in fields.items()))

    def __getitem__(self, key: str) -> str:
        return dict(self.fields)[key]

    @property
    def assumes_direction(self) -> bool:
        """True if higher is assumed to be better, because nothing tells the direction."""
        return ("better", "higher-assumed") in self.fields

    def with_references(self, references: int | None) -> Signature:
        """Add the number of references of a score; None means a varying number."""
        if ("refs", "none") in self.fields:
            return self
        count = "var" if references is None else str(references)
        return replace(self, fields=(("nrefs", count), *self.fields))

    @property
    def sacrebleu(self) -> str | None:
        """Signature that sacreBLEU gives the same score; None if it has no such score."""
        # sacreBLEU does not name the order, so only its default can be told.
        fields = [field for field in self.fields if field != ("n", "4")]
        kind = "chrF" if self.name.startswith("chrF") else self.name
        names = tuple(name for name, _ in fields)
        tokenizer = dict(fields).get("tok", "none")
        if names != SACREBLEU_FIELDS.get(kind) or not SACREBLEU_TOKENIZERS.fullmatch(tokenizer):
            return None
        texts = [f"{name}:{value}" for name, value in (*fields, ("version", SACREBLEU))]
        return f"sacreBLEU: {self.name}|{'|'.join(texts)}"

    def to_dict(self) -> dict[str, str]:
        """Return the signature as text for JSON, and the script if it decided the tokenizer."""
        chosen = {} if self.script is None else {"tokenizer_chosen_for": self.script}
        return {"signature": str(self), **chosen}

    def __str__(self) -> str:
        fields = (*self.fields, ("version", f"truebleu-{VERSION}"))
        return "|".join((self.name, *(f"{key}:{value}" for key, value in fields)))


def _text(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Score of one text; subclasses add its parts."""

    score: float
    signature: Signature

    @property
    def name(self) -> str:
        """Name of the metric, such as BLEU or chrF2."""
        return self.signature.name

    @property
    def unmatched_order(self) -> int | None:
        """Smallest order of n-grams without any match, whose precision is smoothing; or None."""
        return None

    def __float__(self) -> float:
        return self.score

    def __str__(self) -> str:
        return f"{self.name} = {self.score:.2f}"

    def __format__(self, specification: str) -> str:
        """Format the number as a float, ``f"{score:.2f}"``, or print it without a format."""
        return format(self.score, specification) if specification else str(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the score and its parts as plain values."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        del parts["signature"]
        return {n: list(part) if isinstance(part, tuple) else part for n, part in parts.items()}


@dataclass(frozen=True, slots=True, eq=False)
class NgramMatches:
    """N-grams whose number of matches differs between two systems in some segment.

    `ngram`, `segment` and `difference` have one entry for each n-gram and segment that differ.

    Attributes:
        ngrams: each n-gram once, its tokens joined by single spaces.
        columns: column of the metric's counts to which each n-gram belongs.
        ngram: index of the n-gram in `ngrams`.
        segment: index of the segment.
        difference: matches of the first system minus matches of the second.
    """

    ngrams: Sequence[str]
    columns: NDArray[np.int64]
    ngram: NDArray[np.int64]
    segment: NDArray[np.int64]
    difference: NDArray[np.float64]


class CountedRows(Protocol):
    """Counts shaped (segment, system, column): the result of `Metric.count`."""

    def sums(self) -> list[list[float]]:
        """Return the sums of each system's rows, added from the first segment to the last."""

    def array(self) -> NDArray[Any]:
        """Return the rows; whole numbers may take fewer bits than a float."""


#: Function that counts all segments of some systems, by their names.
CountSystems: TypeAlias = "Callable[[Sequence[str]], CountedRows]"
#: Kind and settings of a metric of the core, as plain values.
CoreSettings: TypeAlias = "Mapping[str, object]"


# Relative step of central differences: about the cube root of a float's precision.
STEP = 6e-6
# Largest number of columns, more than any metric has.
MOST_COLUMNS = 10_000


class Scorer(ABC):
    """A function from summed counts to scores, with its name, signature and direction.

    Everything after counting takes a scorer and rows. Counts are float64, so that one kernel adds
    up the counts of every metric. Whole numbers below 2**53 are exact in float64: their sums do not
    depend on the order of addition.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the metric in results."""

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """Settings that a score depends on; `with_references` adds the number of references."""

    @property
    def higher_is_better(self) -> bool | None:
        """True if higher scores are better; None for a score without direction, such as a length.

        A class attribute or a setting may override it.
        """
        return True

    @property
    def sign(self) -> int:
        """-1 if lower is better, else 1; also 1 for a score without direction."""
        return -1 if self.higher_is_better is False else 1

    @property
    def digits(self) -> int:
        """Decimals of a displayed score; a class attribute may override it."""
        return 2

    @property
    def limits(self) -> tuple[float, float]:
        """Smallest and largest possible score; a class attribute may override them."""
        return -float("inf"), float("inf")

    @property
    def weight_columns(self) -> tuple[int, ...]:
        """Columns whose sum is the amount of text in a segment, by its references.

        A difference is assumed to spread over the segments in proportion to their text. Empty if
        all segments have equal weight. A class attribute may override it.
        """
        return ()

    @abstractmethod
    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """Return the scores of summed rows, over any leading axes."""

    def gradient(self, sums: ArrayLike) -> NDArray[np.float64]:
        """Return the derivative of the score by each column of summed rows, shaped as they are.

        Computed by central differences, unless a subclass overrides it.
        """
        import numpy as np

        rows = np.asarray(sums, dtype=np.float64)
        if not rows.ndim:
            raise SettingError("sums", sums, "an array of rows")
        steps = STEP * np.maximum(np.abs(rows), 1.0)
        gradient = np.empty_like(rows)
        for column in range(rows.shape[-1]):
            above, below = rows.copy(), rows.copy()
            above[..., column] += steps[..., column]
            below[..., column] -= steps[..., column]
            width = above[..., column] - below[..., column]
            gradient[..., column] = (self.score(above) - self.score(below)) / width
        return gradient

    def column_parts(self, width: int) -> tuple[str, ...]:
        """Name the part of the score that each of `width` columns belongs to.

        Columns with the same name, such as "1-gram matches", are one part, and a difference is
        explained part by part.
        """
        return ("score",) * require_whole_number("width", width, 0, MOST_COLUMNS)

    def native(self) -> _core.NativeMetric | None:
        """Return the metric of the native code, which scores many sums at once, or None."""
        return None

    def core_settings(self) -> CoreSettings | None:
        """Return the settings that the core reads to score sums, also in a page, or None."""
        return None

    @abstractmethod
    def describe(self, sums: Sequence[float], references: int | None) -> Score:
        """Return the score of one row of sums against `references` references, with its parts."""

    def sentence_level(self) -> Scorer:
        """Return the scorer of single segments; itself unless they need other settings."""
        return self

    def segment_scores(self, rows: NDArray[np.float64]) -> list[tuple[float | None, ...]]:
        """Return each system's segment scores, from rows shaped (segment, system, column).

        A score is None if the segment cannot have one.
        """
        _require_rows_of_systems(rows)
        scores = self.sentence_level().score(rows)
        return [tuple(column.tolist()) for column in scores.T]


class Metric(Scorer):
    """A scorer that also counts texts."""

    __slots__ = ()

    #: True if the counts of a segment depend on the other segments of the text.
    counts_whole_text: ClassVar[bool] = False

    @property
    def reads_texts(self) -> bool:
        """True if the metric scores any text, False if it holds parses of given texts."""
        return True

    @property
    def needs_references(self) -> bool:
        """True if the metric compares outputs with references."""
        return True

    @property
    def counts_in_parts(self) -> bool:
        """True if a text may be counted part by part."""
        return self.reads_texts and not self.counts_whole_text

    def examine(self, test_set: TestSet) -> Iterable[TextWarning]:  # noqa: ARG002
        """Return warnings about texts that this metric does not score as readers expect."""
        return ()

    def score_ahead(self, pairs: Iterable[tuple[str, str, str | None]]) -> None:  # noqa: ARG002
        """Prepare the scores of output, reference and source, if they are slow one by one."""
        return

    def for_references(self, references: Sequence[TextLike]) -> Metric:  # noqa: ARG002
        """Return this metric with all settings fixed that depend on the references.

        The tokenizer `auto`, for example, becomes a tokenizer for their script. To count parts of a
        test set, call this once, with all references, so that every part is counted alike.
        """
        return self

    def for_language(self, language: str) -> Metric:  # noqa: ARG002
        """Return this metric with settings fixed for a target language: `zh`, or `en-zh`."""
        return self

    def for_signature(self, signature: Mapping[str, str]) -> Metric:  # noqa: ARG002
        """Return this metric with settings fixed by the fields of a saved signature."""
        return self

    def advice_for_script(self, script: str) -> str | None:  # noqa: ARG002
        """Return a better setting if this metric splits at spaces and the script has none."""
        return None

    @abstractmethod
    def count(self, test_set: TestSet) -> CountedRows:
        """Count all systems of the test set in one pass, in their order."""

    def ngram_matches(
        self,
        test_set: TestSet,  # noqa: ARG002
        first: str,  # noqa: ARG002
        second: str,  # noqa: ARG002
    ) -> NgramMatches | None:
        """Return the n-grams that two systems match differently often, or None.

        None if no column is a sum over n-grams.
        """
        return None

    def reference_cache(self, most_bytes: int) -> _core.ReferenceCache | None:  # noqa: ARG002
        """Return a cache of at most `most_bytes` for prepared references, or None."""
        return None

    def pair_scorer(self) -> _core.PairScorer | None:
        """Return a scorer of all pairs of candidates in a list, or None if only `count` scores."""
        return None

    def sentence_level(self) -> Metric:
        """Return the metric with its settings for single segments; itself by default."""
        return self

    def statistics(
        self, outputs: TextLike, references: Sequence[TextLike] | TextLike
    ) -> NDArray[np.float64]:
        """Return one row of counts per segment, shaped (segment, column)."""
        return self.count(as_test_set(outputs, references)).array()[:, 0]

    def corpus(self, outputs: TextLike, references: Sequence[TextLike] | TextLike) -> Score:
        """Score a whole text.

        Args:
            outputs: one str per segment.
            references: one list of segments per translator, or a single translator's list, as long
                as the outputs; None for a segment that a translator skipped.
        """
        test_set = as_test_set(outputs, references)
        metric = self.for_references(test_set.references)
        (sums,) = metric.count(test_set).sums()
        return metric.describe(sums, test_set.references_per_segment)

    def sentence(self, output: str, references: Sequence[str] | str) -> Score:
        """Score one segment against one or more references for it."""
        references = [references] if isinstance(references, str) else references
        translators = [[text] for text in as_text("references", references)]
        return self.sentence_level().corpus([output], translators)


class ScoreProvider(ABC):
    """Settings that find scores made by other programs, which count no texts.

    `attach` returns a scorer and a function that makes the rows, with or without texts.
    """

    __slots__ = ()

    @abstractmethod
    def attach(self, outline: Outline, texts: TestSet | None) -> tuple[Scorer, CountSystems]:
        """Read the scores; return their scorer, and a function that makes the rows of systems.

        Args:
            outline: outline of the test set that the scores belong to.
            texts: outputs that the scores are checked against, or None.
        """


class FileMeasure(ScoreProvider):
    """A measure of annotations in files, which no other metric reads."""

    __slots__ = ()

    @abstractmethod
    def read(
        self, systems: Sequence[str], references: Sequence[str], documents: str | None = None
    ) -> tuple[Outline, Any]:
        """Read the files; return their outline, and the annotations for `counted`.

        Args:
            systems: annotations to score, one file per system.
            references: annotations that they are compared with.
            documents: file with the document of each segment.
        """

    @abstractmethod
    def counted(self, annotations: Any) -> tuple[Scorer, CountSystems]:
        """Return the scorer of annotations, and a function that makes the rows of systems."""


#: Values of `-m` and `metrics=`.
Requested: TypeAlias = "Metric | ScoreProvider"


def rows_of(sums: ArrayLike, width: int) -> tuple[NDArray[np.float64], tuple[int, ...]]:
    """Return sums as a matrix of rows for the native code, and the shape of the scores."""
    import numpy as np

    try:
        array = np.asarray(sums, dtype=np.float64)
    except (TypeError, ValueError):
        raise SettingError("sums", sums, f"an array of numbers, {width} in each row") from None
    if array.ndim == 0 or array.shape[-1] != width:
        raise SettingError("sums", array.shape, f"an array whose last axis is {width} long")
    return array.reshape(-1, width), array.shape[:-1]


def _require_rows_of_systems(rows: NDArray[np.float64]) -> None:
    if rows.ndim != 3:
        raise SettingError("rows", rows.shape, "shape (segment, system, column)")


# Metrics whose score is the mean of a score per segment: the columns are (sum, count).


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScore(Score):
    """Mean of segment scores, with the number of segments."""

    segments: int

    def __str__(self) -> str:
        return f"{self.name} = {self.score:.4f} (segments = {self.segments})"


class MeanScorer(Scorer):
    """The mean of segment scores; the columns are (sum, count)."""

    __slots__ = ()

    #: Number of columns.
    width: ClassVar[int] = 2
    weight_columns: ClassVar[tuple[int, ...]] = (1,)
    # Segment scores are often between 0 and 1.
    digits: ClassVar[int] = 4

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """Return the means of summed rows, over any leading axes."""
        (total, count), shape = self._columns(sums)
        means: NDArray[np.float64] = total / count
        return means.reshape(shape)

    def gradient(self, sums: ArrayLike) -> NDArray[np.float64]:
        """Return the derivatives of the means by sum and count."""
        import numpy as np

        (total, count), shape = self._columns(sums)
        return np.stack([1 / count, -total / count**2], axis=-1).reshape(*shape, 2)

    def core_settings(self) -> CoreSettings | None:
        """Return the settings of the mean, a metric of the core."""
        return {"kind": "mean"}

    def segment_scores(self, rows: NDArray[np.float64]) -> list[tuple[float | None, ...]]:
        """Return each system's segment scores; None if a segment has none."""
        _require_rows_of_systems(rows)
        return [
            tuple(total / count if count else None for total, count in system.tolist())
            for system in rows.swapaxes(0, 1)
        ]

    def describe(self, sums: Sequence[float], references: int | None) -> MeanScore:
        """Return the mean of one row of sums with its number of segments."""
        signature = self.signature.with_references(references)
        return MeanScore(score=float(self.score(sums)), signature=signature, segments=int(sums[1]))

    def _columns(self, sums: ArrayLike) -> tuple[NDArray[np.float64], tuple[int, ...]]:
        """Return totals, counts and the shape of the scores; raises SettingError for count 0."""
        rows, shape = rows_of(sums, self.width)
        if not (rows[:, 1] > 0).all():
            expected = (
                "at least one score in every sum; there are too few scores to resample if a "
                "resampled test set can have none"
            )
            raise SettingError(f"{self.name}: sums", "a count of 0", expected)
        return rows.T, shape


class MeanMetric(MeanScorer, Metric):
    """A metric that scores each segment by any method, and a text by their mean."""

    __slots__ = ()

    def sentence_level(self) -> Metric:
        """Return the metric itself: it scores single segments."""
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenMean(MeanScorer):
    """Mean of scores made by another program.

    Attributes:
        name: name of the score.
        signature: digest of the scores, and settings that are not the default.
        higher_is_better: direction of the score.
        warnings: warnings about the scores.
    """

    # field() prevents the inherited property from becoming the default.
    name: str = field()
    signature: Signature = field()
    higher_is_better: bool | None = True
    warnings: tuple[TextWarning, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMean(GivenMean):
    """Stored score that is no mean of segment scores; the columns are (sum, count, shift).

    The shift of a system is its stored score minus the mean of its segment scores, so resampled
    segments change the stored score by the change of that mean.
    """

    width: ClassVar[int] = 3

    def gradient(self, sums: ArrayLike) -> NDArray[np.float64]:
        """Return the derivatives of the scores by sum, count and shift."""
        import numpy as np

        (total, count), shape = self._columns(sums)
        columns = [1 / count, -total / count**2, 1 / count]
        return np.stack(columns, axis=-1).reshape(*shape, 3)

    def core_settings(self) -> CoreSettings | None:
        """Return None: the core has no such scores."""
        return None

    def segment_scores(self, rows: NDArray[np.float64]) -> list[tuple[float | None, ...]]:
        """Return each system's segment scores as stored, without the shift."""
        return MeanScorer.segment_scores(self, rows[..., :2])

    def _columns(self, sums: ArrayLike) -> tuple[NDArray[np.float64], tuple[int, ...]]:
        (total, count, shift), shape = MeanScorer._columns(self, sums)
        import numpy as np

        return np.stack([total + shift, count]), shape


def mean_statistics(scores: Sequence[Sequence[float | None]]) -> Statistics:
    """Make rows (sum, count) of systems' segment scores; a missing score is a row of zeros."""
    import numpy as np

    use_environment()
    columns = np.array([[np.nan if s is None else s for s in system] for system in scores])
    present = ~np.isnan(columns)
    rows = np.stack([np.where(present, columns, 0.0), present], axis=-1)
    return _core.Statistics(np.ascontiguousarray(rows.transpose(1, 0, 2), dtype=np.float64))


# Metrics counted and scored by the native code, and metrics of tokens among them.

HIGHEST_ORDER = 100
#: Largest order of the n-grams that a metric counts.
Order = Annotated[int, Setting(minimum=1, maximum=HIGHEST_ORDER)]


@lru_cache(maxsize=64)
def _native(settings: str) -> _core.NativeMetric:
    """Return the native metric of settings in JSON, cached because every block needs it."""
    return _core.NativeMetric.from_settings(settings)


class NativeMetric(Metric):
    """A metric that the native code counts and scores."""

    __slots__ = ()

    #: Class of its scores, made from the details that the native metric returns.
    score_type: ClassVar[type[Score]]
    #: Part of the score that each column belongs to, if that depends on no setting.
    part_names: ClassVar[tuple[str, ...]] = ()
    limits: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def weight_columns(self) -> tuple[int, ...]:
        """Column of the reference length, in most metrics the second."""
        return (1,)

    @abstractmethod
    def core_settings(self) -> CoreSettings:
        """Return the settings of the core's metric, which has the same columns."""

    def native(self) -> _core.NativeMetric:
        """Return the native metric with these settings."""
        return _native(dumps(self.core_settings()))

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.native().width

    def prepared(self, texts: Iterable[TextLike]) -> list[TextLike]:
        """Return texts as the native code counts them; an external tokenizer splits them first."""
        return list(texts)

    def count(self, test_set: TestSet) -> Statistics:
        """Count all systems in one pass; `core_settings` describes the columns."""
        metric = cast("NativeMetric", self.for_references(test_set.references))
        use_environment()
        systems = metric.prepared(test_set.systems.values())
        return metric.native().count(systems, metric.prepared(test_set.references))

    def reference_cache(self, most_bytes: int) -> _core.ReferenceCache | None:
        """Return a cache of at most `most_bytes` for prepared references, or None."""
        require_whole_number("most_bytes", most_bytes, 0, MOST)
        native = self.native()
        use_environment()
        return _core.ReferenceCache(native, most_bytes) if native.keeps_references else None

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """Return the scores of summed rows, over any leading axes, in one call."""
        native = self.native()
        rows, shape = rows_of(sums, native.width)
        return native.scores(rows).reshape(shape)

    def gradient(self, sums: ArrayLike) -> NDArray[np.float64]:
        """Return the derivative of the score by each column of summed rows, shaped as they are."""
        native = self.native()
        rows, shape = rows_of(sums, native.width)
        return native.gradient(rows).reshape(*shape, native.width)

    def column_parts(self, width: int) -> tuple[str, ...]:
        """Name the part of the score that each of `width` columns belongs to."""
        return self.part_names or Metric.column_parts(self, width)

    def describe(self, sums: Sequence[float], references: int | None) -> Score:
        """Return the score of one row of sums, with its parts."""
        signature = self.signature.with_references(references)
        return self.score_type(signature=signature, **self.native().details(sums))


def ngram_parts(max_order: int, matches: str, penalty: str) -> tuple[str, ...]:
    """Name the parts of BLEU's columns: lengths, matches and totals of order 1 to N."""
    return (
        *(penalty,) * 2,
        *(f"{order}-gram {matches}" for order in range(1, max_order + 1)),
        *("n-gram totals",) * max_order,
    )


class Tokens(TypedDict):
    """Tokenizer and case folding of the native code."""

    tokenizer: str
    lowercase: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenMetric(NativeMetric):
    """A native metric of tokens; an external tokenizer, if set, splits texts before counting.

    Attributes:
        chosen_for: script for which `for_references` chose the tokenizer.
    """

    chosen_for: str | None = field(
        default=None, repr=False, compare=False, metadata={"text": False}
    )
    if TYPE_CHECKING:  # each metric has a default of its own
        tokenize: str
        lowercase: bool

    def __post_init__(self) -> None:
        check_fields(self)
        check_tokenizer(self.tokenize)

    @property
    def tokens(self) -> Tokens:
        """Tokenizer and case folding that remain for the native code."""
        if self.tokenize == AUTO:  # only for scoring, which is equal for all tokenizers
            return {"tokenizer": DEFAULT, "lowercase": self.lowercase}
        if self.tokenize in NATIVE:
            return {"tokenizer": self.tokenize, "lowercase": self.lowercase}
        return {"tokenizer": "none", "lowercase": False}

    def for_references(self, references: Sequence[TextLike]) -> TokenMetric:
        """Replace the tokenizer `auto` by a tokenizer for the script of the references."""
        if self.tokenize != AUTO:
            return self
        script = unspaced_script(references)
        return replace(self, tokenize=tokenizer_for_script(script), chosen_for=script)

    def for_language(self, language: str) -> TokenMetric:
        """Replace the tokenizer `auto` by sacreBLEU's tokenizer for the language."""
        if self.tokenize != AUTO:
            return self
        return replace(self, tokenize=tokenizer_for_language(language))

    def for_signature(self, signature: Mapping[str, str]) -> TokenMetric:
        """Replace the tokenizer `auto` by the tokenizer in the signature."""
        if self.tokenize != AUTO or "tok" not in signature:
            return self
        return replace(self, tokenize=signature["tok"])

    def advice_for_script(self, script: str) -> str | None:
        """Return a setting with a tokenizer for the script, or None if this tokenizer fits."""
        if cuts_words_of(self.tokenize, script):
            return None
        return f"tokenize={tokenizer_for_script(script)}"

    def reference_cache(self, most_bytes: int) -> _core.ReferenceCache | None:
        """Return a cache for prepared references, or None with an external tokenizer."""
        if self.tokenize not in NATIVE:
            return None
        return NativeMetric.reference_cache(self, most_bytes)

    def prepared(self, texts: Iterable[TextLike]) -> list[TextLike]:
        """Split the texts by the external tokenizer, if any."""
        external = external_tokenizer(self.tokenize)
        if external is None:
            return list(texts)
        return [external.tokenize_text(text, lowercase=self.lowercase) for text in texts]

    def ngrams_up_to(
        self, max_order: int, test_set: TestSet, first: str, second: str
    ) -> NgramMatches:
        """Return the n-grams that two systems match differently often, with BLEU's columns."""
        if self.tokenize == AUTO:
            chosen = self.for_references(test_set.references)
            return chosen.ngrams_up_to(max_order, test_set, first, second)
        use_environment()
        require_whole_number("max_order", max_order, 1, HIGHEST_ORDER)
        for name, system in (("first", first), ("second", second)):
            require_name(name, system, test_set.systems)
        outputs = self.prepared([test_set.systems[first], test_set.systems[second]])
        references = self.prepared(test_set.references)
        orders, ngrams, ngram, segment, difference = _core.match_differences(
            outputs[0], outputs[1], references, **self.tokens, max_order=max_order
        )
        # Columns 0 and 1 are the output and the reference length.
        return NgramMatches(ngrams, orders + 1, ngram, segment, difference)

    def token_signature(self, **fields: str | int | bool) -> Signature:
        """Return the signature of case, tokenizer and `fields`."""
        case = "lc" if self.lowercase else "mixed"
        signature = Signature.of(self.name, case=case, tok=self.tokenizer_signature, **fields)
        return replace(signature, script=self.chosen_for)

    @property
    def tokenizer_signature(self) -> str:
        """Name of the tokenizer, with the version of an external tokenizer."""
        external = external_tokenizer(self.tokenize)
        return self.tokenize if external is None else external.signature


@dataclass(frozen=True, slots=True, kw_only=True)
class WordMetric(TokenMetric):
    """A metric of words, by default separated by white space and case-sensitive.

    With several references, each segment counts against the best reference for its output.
    """

    tokenize: str = "none"
    lowercase: bool = False

    #: Name of the core's metric.
    kind: ClassVar[str] = ""

    def core_settings(self) -> CoreSettings:
        """Return the kind of the core's metric, and its tokenizer."""
        return {"kind": self.kind, **self.tokens}

    @property
    def signature(self) -> Signature:
        """Case and tokenizer."""
        return self.token_signature()
