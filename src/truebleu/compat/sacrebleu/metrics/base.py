"""What the three metrics share: checked arguments, cached references, scores and signatures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from truebleu import _core
from truebleu._core import Segments
from truebleu.compat.sacrebleu.version import signature_version
from truebleu.errors import (
    AbsentSegmentError,
    CorpusError,
    EmptyTextError,
    TransposedReferencesError,
    UnpairedSegmentsError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from truebleu._core import NativeMetric, Statistics
    from truebleu.corpus.test_set import TextLike

# A str is a sequence of str too: without this, each of its letters would be a segment.
NOT_A_LIST = (str, bytes)


class Score:
    """A metric's name and its value, with an interval once one has been estimated."""

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score
        # Not positive means no interval: sacreBLEU shows one only where its mean is above 0.
        self._mean = -1.0
        self._ci = -1.0

    @property
    def _verbose(self) -> str:
        """What follows the score on its line."""
        return ""

    def format(
        self,
        width: int = 2,
        score_only: bool = False,
        signature: str = "",
        is_json: bool = False,
    ) -> str:
        """The score as text, or as a JSON object with the signature's fields.

        Args:
            width: digits after the decimal point.
            score_only: leave out all but the score and its interval, in JSON too.
            signature: what to show as the signature.
            is_json: whether to write JSON.
        """
        number = f"{self.score:.{width}f}"
        mean, half, interval = "", "", ""
        if self._mean > 0:
            mean, half = f"{self._mean:.{width}f}", f"{self._ci:.{width}f}"
            interval = f"μ = {mean} ± {half}"
        text = f"{number} ({interval})" if interval else number
        if score_only:
            return text
        if not is_json:
            title = f"{self.name}|{signature}" if signature else self.name
            return " ".join(filter(None, (title, "=", text, self._verbose)))
        fields: dict[str, Any] = {
            "name": self.name,
            "score": float(number),
            "signature": signature,
        }
        if interval:
            fields |= {"confidence_mean": float(mean), "confidence_var": float(half)}
            fields["confidence"] = interval
        if self._verbose:
            fields["verbose_score"] = self._verbose
        for field in filter(None, signature.split("|")):
            key, _, value = field.partition(":")
            fields[key] = value
        return _json(fields)

    def estimate_ci(self, scores: Sequence[Score]) -> None:
        """Keep the mean of resampled scores, and half the width of their middle 95 percent."""
        from truebleu.compat.sacrebleu._resampling import interval

        self._mean, self._ci = interval([score.score for score in scores])

    def __repr__(self) -> str:
        return self.format()


class Signature:
    """All that a reader needs to know to repeat a score; ``info`` may be read and updated."""

    def __init__(
        self, info: Mapping[str, str | int | bool | None], short_names: Mapping[str, str]
    ) -> None:
        self.info = dict(info)
        self._short_names = short_names

    def format(self, short: bool = False) -> str:
        """``key:value|…`` with the version last; None is left out, a bool is yes or no."""
        keys = [*(key for key in self.info if key != "version"), "version"]
        known = ((key, self.info[key]) for key in keys if self.info[key] is not None)
        return "|".join(f"{self._name(key, short)}:{_text(value)}" for key, value in known)

    def update(self, key: str, value: str | int | bool | None) -> None:
        """Add a field, or change it."""
        self.info[key] = value

    def _name(self, key: str, short: bool) -> str:
        return self._short_names.get(key, key) if short else key

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__


AnyScore = TypeVar("AnyScore", bound=Score)


class Metric(ABC, Generic[AnyScore]):
    """A metric with its settings, and the references that it was given to keep."""

    SHORT_NAMES: ClassVar[Mapping[str, str]] = {
        "version": "v",
        "nrefs": "#",
        "bs": "bs",
        "ar": "ar",
        "seed": "rs",
        "test": "t",
        "lang": "l",
        "origlang": "o",
        "subset": "S",
    }

    def __init__(self) -> None:
        #: References per segment of the last score, -1 where that varies; None before there is one.
        self.num_refs: int | None = None
        self.n_bootstrap: int | None = None
        self.seed: str | None = None
        self._kept_references: list[TextLike] | None = None
        self._kept_num_refs = 0

    def __getstate__(self) -> dict[str, Any]:
        # Native segments stay in their process; lists of str score the same.
        kept = self._kept_references
        return self.__dict__ | {"_kept_references": kept and [list(text) for text in kept]}

    @abstractmethod
    def _native(self) -> NativeMetric:
        """What counts and scores, with the settings of now."""

    @abstractmethod
    def _score(self, sums: Sequence[float]) -> AnyScore:
        """The score of summed statistics."""

    @abstractmethod
    def _resampled_scores(self, sums: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
        """The scores of resampled sums, in the precision that sacreBLEU has there with NumPy 2."""

    def _swapped_scores(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """The scores of sums after segments were swapped, in double precision."""
        return self._native().scores(sums)

    @abstractmethod
    def _signature_fields(self) -> dict[str, str | int | bool]:
        """The metric's own fields of the signature."""

    def _prepare(self, text: TextLike) -> TextLike:
        """The text as the native code should get it."""
        return text

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> AnyScore:
        """The score of one segment against one or more references for it."""
        self._check_sentence(hypothesis, references)
        self.num_refs = len(references) - references.count(None)
        if not self.num_refs:
            raise AbsentSegmentError("references", 1, "only None", "at least one reference")
        texts = [self._prepare([reference]) for reference in references]
        (sums,) = self._native().count([self._prepare([hypothesis])], texts).sums()
        return self._score(sums)

    def corpus_score(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str | None]] | None,
        n_bootstrap: int = 1,
    ) -> AnyScore:
        """The score of a text.

        Args:
            hypotheses: one str per segment.
            references: one list of segments per translator, each as long as the hypotheses, with
                None where a translator skipped a segment; None for those of the constructor.
            n_bootstrap: with more than 1, estimate an interval from so many resampled texts. The
                environment variable SACREBLEU_SEED has the seed, 12345 where it is not set; with
                ``none`` every run differs.
        """
        statistics = self._statistics([hypotheses], references)
        (sums,) = statistics.sums()
        score = self._score(sums)
        if n_bootstrap > 1:
            from truebleu.compat.sacrebleu._resampling import bootstrap, interval

            rows = statistics.array()[:, 0]
            self.seed, replicates = bootstrap(rows, n_bootstrap, self._resampled_scores)
            self.n_bootstrap = n_bootstrap
            score._mean, score._ci = interval(replicates)
        return score

    def corpus_scores(self, systems: Sequence[Sequence[str]]) -> list[AnyScore]:
        """The scores of several systems against the references of the constructor, in one pass."""
        return [self._score(sums) for sums in self._statistics(systems, None).sums()]

    def get_signature(self) -> Signature:
        """The signature of the last score."""
        if self.num_refs is None:
            raise CorpusError("signature: unknown number of references; compute a score first")
        shared: dict[str, str | int | bool | None] = {
            "version": signature_version(),
            "nrefs": "var" if self.num_refs == -1 else self.num_refs,
            "bs": self.n_bootstrap,
            "ar": None,
            "seed": self.seed,
            "test": None,
            "lang": None,
            "origlang": None,
            "subset": None,
        }
        return Signature(shared | self._signature_fields(), self.SHORT_NAMES)

    def _statistics(
        self,
        systems: Sequence[Sequence[str]],
        references: Sequence[Sequence[str | None]] | None,
    ) -> Statistics:
        """The statistics of several systems, which must be of one length, in one pass."""
        for hypotheses in systems:
            self._check_hypotheses(hypotheses)
        size = len(systems[0])
        for i, hypotheses in enumerate(systems):
            if len(hypotheses) != size:
                raise UnpairedSegmentsError(f"systems[{i}]", len(hypotheses), "systems[0]", size)
        texts = self._references(references, size)
        return self._native().count(list(map(self._prepare, systems)), texts)

    def _keep(self, references: Sequence[Sequence[str | None]] | None) -> None:
        """Prepare references once, for all the texts that will be scored against them."""
        if references is None:
            return
        self._check_references(references)
        size = len(references[0])
        texts = self._paired(references, "references[0]", size)
        self._kept_num_refs = self.num_refs = _number_of_references(texts)
        self._kept_references = [Segments(self._prepare(text)) for text in texts]

    def _references(
        self, references: Sequence[Sequence[str | None]] | None, size: int
    ) -> Sequence[TextLike]:
        if references is not None:
            self._check_references(references)
            texts = self._paired(references, "hypotheses", size)
            self.num_refs = _number_of_references(texts)
            return [self._prepare(text) for text in texts]
        kept = self._kept_references
        if kept is None:
            name = type(self).__name__
            raise RuntimeError(f"{name}: no references, neither here nor in the constructor")
        if len(kept[0]) != size:
            raise UnpairedSegmentsError("hypotheses", size, "references", len(kept[0]))
        self.num_refs = self._kept_num_refs
        return kept

    def _check_sentence(self, hypothesis: object, references: object) -> None:
        if not isinstance(hypothesis, str):
            raise self._wrong("hypothesis", hypothesis, "str")
        if isinstance(references, NOT_A_LIST) or not isinstance(references, Sequence):
            raise self._wrong("references", references, "a list of str, one per translator")
        if not references:
            raise EmptyTextError("references")
        for reference in references:
            if reference is not None and not isinstance(reference, str):
                raise self._wrong("references", reference, "str or None in the list")

    def _check_hypotheses(self, hypotheses: object) -> None:
        self._check_text("hypotheses", hypotheses)
        absent = _core.first_absent([hypotheses])  # type: ignore[list-item]  # a text by now
        if absent is not None:
            raise self._wrong(f"hypotheses[{absent}]", None, "str; an empty output is ''")

    def _check_references(self, references: object) -> None:
        if isinstance(references, NOT_A_LIST) or not isinstance(references, Sequence):
            raise self._wrong("references", references, "one list of str per translator")
        if not references:
            raise EmptyTextError("references")
        for i, text in enumerate(references):
            self._check_text(f"references[{i}]", text)

    def _check_text(self, name: str, text: object) -> None:
        if isinstance(text, NOT_A_LIST) or not isinstance(text, Sequence | Segments):
            raise self._wrong(name, text, "a list of str")
        if not len(text):
            raise EmptyTextError(name)
        stranger = _core.first_stranger(text)
        if stranger is not None:
            index, _ = stranger
            raise self._wrong(f"{name}[{index}]", text[index], "str")

    def _wrong(self, argument: str, found: object, expected: str) -> TypeError:
        kind = "None" if found is None else type(found).__name__
        shown = f"{kind} {found[:40]!r}" if isinstance(found, NOT_A_LIST) else kind
        return TypeError(f"{type(self).__name__}: {argument}: found {shown}, expected {expected}")

    def _paired(self, references: Sequence[TextLike], other: str, size: int) -> Sequence[TextLike]:
        """The references, all of this size and with one at least for every segment."""
        sizes = {len(text) for text in references}
        if len(references) == size and len(sizes) == 1 and size not in sizes:
            raise TransposedReferencesError(size, len(references), len(references[0]))
        for i, text in enumerate(references):
            if len(text) != size:
                raise UnpairedSegmentsError(f"references[{i}]", len(text), other, size)
        absent = _core.first_absent(references)
        if absent is not None:
            found, expected = "only None", "at least one reference"
            raise AbsentSegmentError("references", absent + 1, found, expected)
        return references


def _number_of_references(texts: Sequence[TextLike]) -> int:
    """How many references each segment has, not counting None; -1 where that varies."""
    if not any(None in text for text in texts):
        return len(texts)
    counts = {sum(line is not None for line in lines) for lines in zip(*texts, strict=True)}
    return counts.pop() if len(counts) == 1 else -1


def _text(value: str | int | bool | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _json(fields: dict[str, Any]) -> str:
    import json

    return json.dumps(fields, indent=1, ensure_ascii=False)
