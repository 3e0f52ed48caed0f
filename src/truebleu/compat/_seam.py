"""Where sacreBLEU counts, truebleu's kernels count instead.

sacreBLEU's own loops still run, on a stand-in for the metric that hands lines through as they are:
so which references count, where texts of different lengths are cut, the number of references and
the warning about tokenized lines are those of the sacreBLEU that is installed. The lines of all
segments then go to a kernel at once. What no kernel counts (subclasses, tokenizers of others,
segments without a reference, characters that UTF-8 lacks) goes sacreBLEU's own way.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from truebleu._core import VERSION, NativeMetric, Segments
from truebleu.compat._resampling import Resampling
from truebleu.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    References = Sequence[Sequence[str | None]]
    # A hypothesis and its references.
    Pair = tuple[str, "Lines"]

# Tokenizers of sacreBLEU that are in the kernels, by the names that signatures give them.
NATIVE_TOKENIZERS = ("13a", "char", "intl", "none", "zh")
# Fewer segments than this are counted as they are, more as native segments by all threads.
FEW = 64


class Lines(dict[str, Any]):
    """The references of a segment as they are; sacreBLEU's n-grams or words of them on demand."""

    __slots__ = ("_metric", "raw")

    def __init__(self, metric: Any, raw: list[str]) -> None:
        self._metric = metric
        self.raw = raw

    def __missing__(self, key: str) -> Any:
        metric = self._metric
        lines = [metric._preprocess_segment(line) for line in self.raw]
        self.update(metric._extract_reference_info(lines))
        return dict.__getitem__(self, key)


class CachedReferences(list[Lines]):
    """The references of all segments, and the texts that kernels take, made when first asked."""

    _texts: list[Any] | None = None

    def __reduce__(self) -> tuple[type, tuple[list[Lines]]]:
        return CachedReferences, (list(self),)

    def texts(self, prepare: Callable[[Any], Any]) -> list[Any]:
        if self._texts is None:
            self._texts = [prepare(text) for text in _by_translator(self)]
        return self._texts


def _by_translator(references: Sequence[Lines]) -> list[tuple[str | None, ...]]:
    return list(zip_longest(*(lines.raw for lines in references)))


class _StandIn:
    """Goes through sacreBLEU's loops in place of a metric."""

    def __init__(self, metric: Any) -> None:
        self._metric = metric
        self._force = metric._force
        self._ref_cache = metric._ref_cache
        self._cache_references = metric._cache_references

    @staticmethod
    def _preprocess_segment(line: str) -> str:
        return line

    def _extract_reference_info(self, lines: list[str]) -> Lines:
        return Lines(self._metric, lines)

    @staticmethod
    def _compute_segment_statistics(hypothesis: str, references: Lines) -> Pair:
        return hypothesis, references


@lru_cache(maxsize=64)
def _bleu_kernel(tokenizer: str, lowercase: bool, max_order: int) -> NativeMetric:
    return NativeMetric.bleu(
        tokenizer=tokenizer,
        lowercase=lowercase,
        max_order=max_order,
        reference_length="closest",
        # sacreBLEU makes the scores.
        smooth="none",
        smooth_value=0.0,
        effective_order=False,
    )


@lru_cache(maxsize=64)
def _kernel(make: Callable[..., NativeMetric], **settings: float) -> NativeMetric:
    return make(**settings)


def _kernel_of(metric: Any) -> NativeMetric | None:
    """What counts like a metric of sacreBLEU's own, with the settings of now; None if nothing."""
    kind = type(metric).__name__
    tokenizer: Any = getattr(metric, "tokenizer", None)
    if kind != "CHRF" and not _is_sacrebleus(tokenizer):
        return None
    try:
        if kind == "BLEU":
            if _tokenizes_natively(metric):
                name, lowercase = tokenizer.signature(), bool(metric.lowercase)
            else:
                name, lowercase = "none", False
            return _bleu_kernel(name, lowercase, metric.max_ngram_order)
        if kind == "CHRF":
            return _kernel(
                NativeMetric.chrf,
                char_order=metric.char_order,
                word_order=metric.word_order,
                lowercase=bool(metric.lowercase),
                whitespace=bool(metric.whitespace),
                beta=metric.beta,
                eps_smoothing=bool(metric.eps_smoothing),
            )
        return _kernel(
            NativeMetric.ter,
            normalized=bool(tokenizer._normalized),
            no_punct=bool(tokenizer._no_punct),
            asian_support=bool(tokenizer._asian_support),
            case_sensitive=bool(tokenizer._case_sensitive),
        )
    except (TypeError, ValueError, OverflowError):
        return None  # settings that kernels refuse, such as an order of 0


def _is_sacrebleus(tokenizer: Any) -> bool:
    return "sacrebleu.tokenizers." in type(tokenizer).__module__


def _tokenizes_natively(metric: Any) -> bool:
    return type(metric).__name__ != "BLEU" or metric.tokenizer.signature() in NATIVE_TOKENIZERS


def _statistics(metric: Any, pairs: list[Pair]) -> list[list[float]] | None:
    """The rows of segments, of Python's own numbers; None for what the kernels can't count."""
    kernel = _kernel_of(metric)
    if kernel is None or not all(type(lines) is Lines and lines.raw for _, lines in pairs):
        return None
    hypotheses, references = zip(*pairs, strict=True)

    def prepare(text: Sequence[str | None]) -> Any:
        if not _tokenizes_natively(metric):
            tokenize = metric._preprocess_segment
            text = [None if line is None else tokenize(line) for line in text]
        return text if len(text) < FEW else Segments(text)

    cached = metric._ref_cache
    try:
        if type(cached) is CachedReferences and _are_all(references, cached):
            texts = cached.texts(prepare)
        else:
            texts = [prepare(text) for text in _by_translator(references)]
        counts = kernel.count([prepare(hypotheses)], texts)
    except (TypeError, ValueError):
        return None
    if type(metric).__name__ == "TER":
        return [[int(edits), length] for edits, length in counts.array()[:, 0].tolist()]
    if len(pairs) == 1:  # needs no NumPy
        return [list(map(int, row)) for row in counts.sums()]
    rows: list[list[float]] = counts.array()[:, 0].astype("int64").tolist()
    return rows


def _are_all(references: Sequence[Lines], cached: CachedReferences) -> bool:
    return len(references) == len(cached) and references[0] is cached[0]


class Seam:
    """The places of one copy of sacreBLEU where truebleu works, and what else would be there."""

    def __init__(self, package: str) -> None:
        try:
            self._base = import_module(f"{package}.metrics.base")
        except ImportError as error:
            raise MissingExtraError("truebleu.compat", "sacrebleu") from error
        self._significance = import_module(f"{package}.significance")
        self._counted = [import_module(f"{package}.metrics.{name}") for name in ("bleu", "chrf")]
        self._resampling = Resampling(package)
        self._replaced: list[tuple[Any, str, Any]] = []

    def open(self, *, signed: bool) -> None:
        """Let truebleu work.

        Args:
            signed: whether the versions in signatures name truebleu too.
        """
        if self._replaced:
            return
        metric_type = self._base.Metric
        cache, extract = metric_type._cache_references, metric_type._extract_corpus_statistics

        def cache_references(metric: Any, references: References) -> Any:
            if type(metric) not in self._resampling.own:
                return cache(metric, references)
            stand_in = _StandIn(metric)
            lines = CachedReferences(cache(stand_in, references))
            metric.num_refs = stand_in.num_refs  # type: ignore[attr-defined]  # set by cache
            return lines

        def extract_corpus_statistics(
            metric: Any, hypotheses: Sequence[str], references: References | None
        ) -> Any:
            if type(metric) not in self._resampling.own:
                return extract(metric, hypotheses, references)
            pairs = extract(_StandIn(metric), hypotheses, references)
            rows = _statistics(metric, pairs) if pairs else []
            if rows is not None:
                return rows
            prepare, count = metric._preprocess_segment, metric._compute_segment_statistics
            return [count(prepare(hypothesis), lines) for hypothesis, lines in pairs]

        add = self._counted[0].sum_of_lists

        def sum_of_lists(lists: Sequence[Sequence[int]]) -> Any:
            # Rows of BLEU and chrF are whole numbers: the order of adding does not matter.
            regular = len(lists) > 1 and len(lists[0]) > 0 and len(set(map(len, lists))) == 1
            return list(map(sum, zip(*lists, strict=True))) if regular else add(lists)

        resampling = self._resampling
        self._replace(metric_type, "_cache_references", cache_references)
        self._replace(metric_type, "_extract_corpus_statistics", extract_corpus_statistics)
        for module in self._counted:
            self._replace(module, "sum_of_lists", sum_of_lists)
        self._replace(self._significance, "_bootstrap_resample", resampling.bootstrap_resample)
        self._replace(self._significance, "_paired_bs_test", resampling.paired_bs_test)
        self._replace(self._significance, "_paired_ar_test", resampling.paired_ar_test)
        self._replace(self._significance, "estimate_ci", resampling.estimate_ci)
        if signed:
            version = f"{self._base.__version__}+truebleu.{VERSION}"
            self._replace(self._base, "__version__", version)

    def close(self) -> None:
        """Give the places back to sacreBLEU."""
        while self._replaced:
            setattr(*self._replaced.pop())

    def _replace(self, place: Any, name: str, value: Any) -> None:
        self._replaced.append((place, name, getattr(place, name)))
        setattr(place, name, value)
