"""Where sacreBLEU counts, truebleu's kernels count instead.

sacreBLEU's own loops still run, on a stand-in for the metric that hands lines through as they are:
so which references count, where texts of different lengths are cut, the number of references and
the warning about tokenized lines are those of the sacreBLEU that is installed. The lines of all
segments then go to a kernel at once. What no kernel counts (subclasses, tokenizers of others,
segments without a reference, characters that UTF-8 lacks) goes sacreBLEU's own way.

Its paired tests and intervals get the sums of all replicates at once. Random stream, precision and
tests are sacreBLEU's, so p-values, means and intervals are the same, digit by digit. What differs
is that sums are matrix products and that the usual scores are made in one go, instead of one
replicate after the other.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache, partial
from importlib import import_module
from itertools import zip_longest
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._core import VERSION, NativeMetric, ReadyReferences, Segments
from truebleu.errors import MissingExtraError
from truebleu.metrics import BLEU, CHRF, TER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    References = Sequence[Sequence[str | None]]
    # A hypothesis and its references.
    Pair = tuple[str, "Lines"]
    Table = NDArray[Any]
    # Its name, and by the metric's name: score, p, mean and interval.
    SystemResults = tuple[str, dict[str, Any]]

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
    """The references of all segments, and what a kernel keeps of them."""

    _ready: tuple[NativeMetric, ReadyReferences] | None = None

    def __reduce__(self) -> tuple[type, tuple[list[Lines]]]:
        return CachedReferences, (list(self),)

    def ready(self, metric: Any, kernel: NativeMetric) -> ReadyReferences:
        if self._ready is None or self._ready[0] is not kernel:
            self._ready = kernel, ReadyReferences(kernel, _by_translator(metric, self))
        return self._ready[1]


def _by_translator(metric: Any, references: Sequence[Lines]) -> list[Any]:
    if not all(type(lines) is Lines and lines.raw for lines in references):
        raise ValueError("a segment without references, or with others than were cached")
    return [_text(metric, text) for text in zip_longest(*(lines.raw for lines in references))]


def _text(metric: Any, text: Sequence[str | None]) -> Any:
    """A text as kernels take it."""
    if not _tokenizes_natively(metric):
        tokenize = metric._preprocess_segment
        text = [None if line is None else tokenize(line) for line in text]
    return text if len(text) < FEW else Segments(text)


class _StandIn:
    """Goes through sacreBLEU's loops in place of a metric."""

    def __init__(self, metric: Any, cache_references: Any = None) -> None:
        self._metric = metric
        self._force = metric._force
        self._ref_cache = metric._ref_cache
        self._cache_references = cache_references

    @staticmethod
    def _preprocess_segment(line: str) -> str:
        return line

    def _extract_reference_info(self, lines: list[str]) -> Lines:
        return Lines(self._metric, lines)

    @staticmethod
    def _compute_segment_statistics(hypothesis: str, references: Lines) -> Pair:
        return hypothesis, references


@lru_cache(maxsize=64)
def _kernel(make: Callable[..., BLEU | CHRF | TER], **settings: float | str) -> NativeMetric:
    return make(**settings).native()


def _kernel_of(metric: Any) -> NativeMetric | None:
    """What counts like a metric of sacreBLEU's own, with the settings of now; None if nothing."""
    kind = type(metric).__name__
    tokenizer: Any = getattr(metric, "tokenizer", None)
    if kind != "CHRF" and "sacrebleu.tokenizers." not in type(tokenizer).__module__:
        return None  # another's
    try:
        if kind == "BLEU":
            native = _tokenizes_natively(metric)
            return _kernel(  # of BLEU's counts; sacreBLEU makes the scores
                BLEU,
                tokenize=tokenizer.signature() if native else "none",
                lowercase=native and bool(metric.lowercase),
                max_order=metric.max_ngram_order,
            )
        if kind == "CHRF":
            return _kernel(
                CHRF,
                char_order=metric.char_order,
                word_order=metric.word_order,
                lowercase=bool(metric.lowercase),
                whitespace=bool(metric.whitespace),
                beta=metric.beta,
                eps_smoothing=bool(metric.eps_smoothing),
            )
        return _kernel(
            TER,
            normalized=bool(tokenizer._normalized),
            no_punct=bool(tokenizer._no_punct),
            asian_support=bool(tokenizer._asian_support),
            case_sensitive=bool(tokenizer._case_sensitive),
        )
    except (TypeError, ValueError, OverflowError):
        return None  # settings that kernels refuse, such as an order of 0


def _tokenizes_natively(metric: Any) -> bool:
    return type(metric).__name__ != "BLEU" or metric.tokenizer.signature() in NATIVE_TOKENIZERS


def _statistics(metric: Any, pairs: list[Pair]) -> list[list[float]] | None:
    """The rows of segments, of Python's own numbers; None for what the kernels can't count."""
    kernel = _kernel_of(metric)
    if kernel is None:
        return None
    hypotheses, references = zip(*pairs, strict=True)
    cached = metric._ref_cache
    try:
        if _are_all(references, cached) and kernel.keeps_references:
            counts = cached.ready(metric, kernel).count(_text(metric, hypotheses))
        else:
            texts = _by_translator(metric, references)
            counts = kernel.count([_text(metric, hypotheses)], texts)
    except (TypeError, ValueError):
        return None
    if type(metric).__name__ == "TER":
        return [[int(edits), length] for edits, length in counts.array()[:, 0].tolist()]
    if len(pairs) == 1:  # needs no NumPy
        return [list(map(int, row)) for row in counts.sums()]
    rows: list[list[float]] = counts.array()[:, 0].astype("int64").tolist()
    return rows


def _are_all(references: Sequence[Lines], cached: Any) -> bool:
    kept = type(cached) is CachedReferences and len(references) == len(cached)
    return kept and references[0] is cached[0]


# Paired tests and intervals.

# Whole numbers up to this are exact in single precision, so the order of adding does not matter.
EXACT = 2**24
# Draws or swaps at once.
BLOCK = 2**15
# Draws that are kept, 8 bytes each.
MOST_KEPT = 2**22
# Before version 2, NumPy made double precision of a float32 and a Python number.
SINGLE_STAYS_SINGLE = int(np.__version__.partition(".")[0]) >= 2


class Resampling:
    """What stands in for the functions of one copy of sacreBLEU, with their arguments."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._module = import_module(f"{package}.significance")
        self._score_type = import_module(f"{package}.metrics.base").Score
        self._estimate_ci = self._module.estimate_ci
        metrics = import_module(f"{package}.metrics")
        #: The metrics whose scores are made here in one go.
        self.own = (metrics.BLEU, metrics.CHRF, metrics.TER)

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Resampling, (self._package,)  # sacreBLEU hands the tests to other processes

    def estimate_ci(self, scores: NDArray[Any]) -> tuple[float, float]:
        """Mean and half width; sacreBLEU's own may be float32, which its JSON can't hold."""
        mean, half = self._estimate_ci(scores)
        return float(mean), float(half)

    def bootstrap_resample(
        self, stats: Sequence[Sequence[float]], metric: Any, n_samples: int = 1000
    ) -> tuple[str, list[Any]]:
        """The seed as signatures show it, and the scores of resampled texts."""
        seed = os.environ.get("SACREBLEU_SEED", "12345").lower()
        draws = seeded_draws(None if seed == "none" else int(seed), n_samples, len(stats))
        sums = draws.sums(np.array(stats, dtype=np.float32))
        scores = self._usual_scores(metric, sums)
        if scores is None:
            return seed, [metric._compute_score_from_stats(row) for row in sums]
        name = metric._compute_score_from_stats(sums[0]).name
        values = scores.tolist() if scores.dtype == np.float64 else scores
        return seed, [self._score_type(name, value) for value in values]

    def paired_bs_test(
        self,
        baseline_info: Mapping[str, Any],
        sys_name: str,
        hypotheses: Sequence[str],
        references: Any,
        metrics: Mapping[str, Any],
        n_samples: int = 1000,
        n_ar_confidence: int = -1,  # noqa: ARG002
        seed: int | None = None,
    ) -> SystemResults:
        """The paired bootstrap test of a system and the baseline."""
        draws = seeded_draws(seed, n_samples, len(hypotheses))
        results = {}
        for name, metric in metrics.items():
            baseline_rows, baseline = baseline_info[name]
            rows, score = self._count(name, metric, sys_name, hypotheses, references)
            self._log(f" > Performing paired bootstrap resampling test (# resamples: {n_samples})")
            baseline_scores = self._resampled(metric, baseline_rows, draws)
            scores = self._resampled(metric, rows, draws)
            differences = np.abs(scores - baseline_scores)
            p = self._module._compute_p_value(
                differences - differences.mean(), abs(baseline.score - score)
            )
            results[name] = self._module.Result(score, p, *self.estimate_ci(scores))
        return sys_name, results

    def paired_ar_test(
        self,
        baseline_info: Mapping[str, Any],
        sys_name: str,
        hypotheses: Sequence[str],
        references: Any,
        metrics: Mapping[str, Any],
        n_samples: int = 10000,
        n_ar_confidence: int = -1,
        seed: int | None = None,
    ) -> SystemResults:
        """The approximate randomization test of a system and the baseline."""
        stream = np.random.default_rng(seed)
        size = len(hypotheses)
        swaps = stream.integers(2, size=(n_samples, size), dtype=np.bool_)
        draws = Draws(stream, n_ar_confidence, size) if n_ar_confidence > 0 else None
        results = {}
        for name, metric in metrics.items():
            baseline_rows, baseline = baseline_info[name]
            rows, score = self._count(name, metric, sys_name, hypotheses, references)
            self._log(f" > Performing approximate randomization test (# trials: {n_samples})")
            first, second = (
                self._scores(metric, sums, aggregated=False)
                for sums in swapped_sums(np.array(baseline_rows), np.array(rows), swaps)
            )
            p = self._module._compute_p_value(np.abs(first - second), abs(baseline.score - score))
            results[name] = self._module.Result(score, p)
            if draws is not None:
                self._log(
                    " > Performing bootstrap resampling for confidence interval "
                    f"(# resamples: {n_ar_confidence})"
                )
                interval = self.estimate_ci(self._resampled(metric, rows, draws))
                results[name].mean, results[name].ci = interval
        return sys_name, results

    def _log(self, message: str) -> None:
        self._module.sacrelogger.info(message)

    def _count(
        self, name: str, metric: Any, system: str, hypotheses: Sequence[str], references: Any
    ) -> tuple[list[list[float]], float]:
        self._log(f"Computing {name} for {system!r} and extracting sufficient statistics")
        rows = metric._extract_corpus_statistics(hypotheses, references)
        return rows, metric._aggregate_and_compute(rows).score

    def _resampled(
        self, metric: Any, rows: Sequence[Sequence[float]], draws: Draws
    ) -> NDArray[Any]:
        sums = draws.sums(np.array(rows, dtype=np.float32))
        return self._scores(metric, sums, aggregated=True)

    def _scores(self, metric: Any, sums: Table, *, aggregated: bool) -> NDArray[Any]:
        scores = self._usual_scores(metric, sums)
        if scores is not None:
            return scores
        # The functions that sacreBLEU calls at these places.
        if aggregated:
            return np.array([metric._compute_score_from_stats(row).score for row in sums])
        return np.array([metric._aggregate_and_compute(row).score for row in sums[:, None]])

    def _usual_scores(self, metric: Any, sums: Table) -> NDArray[Any] | None:
        """Scores in the precision of the sums; None where smoothing or special cases take part."""
        if type(metric) not in self.own or not (SINGLE_STAYS_SINGLE or sums.dtype.itemsize == 8):
            return None
        return USUAL_SCORES[type(metric).__name__](metric, sums)


def blocks(replicates: int, size: int) -> Iterator[slice]:
    """Some replicates at a time, few enough for the processor's cache."""
    step = max(1, BLOCK // size)
    return (slice(i, min(i + step, replicates)) for i in range(0, replicates, step))


class Draws:
    """How often each replicate of a bootstrap has each segment."""

    def __init__(self, stream: np.random.Generator, replicates: int, size: int) -> None:
        self._segments = np.empty((replicates, size), dtype=np.int32)
        self._times = np.empty((replicates, size), dtype=np.float32)
        for block in blocks(replicates, size):
            # NumPy fills rows one after the other, so blocks take the numbers that one call takes.
            segments = stream.choice(size, size=(block.stop - block.start, size), replace=True)
            self._segments[block] = segments
            segments += size * np.arange(len(segments))[:, np.newaxis]
            times = np.bincount(segments.ravel(), minlength=segments.size)
            self._times[block] = times.reshape(segments.shape)

    def sums(self, table: NDArray[np.float32]) -> NDArray[np.float32]:
        """The rows of every replicate added up in single precision, as sacreBLEU does."""
        sums = np.full((len(self._times), table.shape[1]), EXACT, dtype=np.float32)
        if _is_whole(table):
            for block in blocks(*self._times.shape):
                sums[block] = self._times[block] @ table
        # Fractions and large sums depend on the order of adding.
        for replicate in np.flatnonzero(sums.max(axis=1) >= EXACT):
            sums[replicate] = table[self._segments[replicate]].sum(axis=0)
        return sums


@lru_cache(maxsize=1)
def _kept_draws(seed: int, replicates: int, size: int) -> Draws:
    return Draws(np.random.default_rng(seed), replicates, size)


def seeded_draws(seed: int | None, replicates: int, size: int) -> Draws:
    """Draws at the start of a stream; kept for the next system, unless too many or never again."""
    if seed is None or replicates * size > MOST_KEPT:
        return Draws(np.random.default_rng(seed), replicates, size)
    return _kept_draws(seed, replicates, size)


def swapped_sums(first: Table, second: Table, swaps: NDArray[np.bool_]) -> tuple[Table, Table]:
    """Sums of two texts, the first of which has the first table's rows where they are swapped."""
    if not (_is_whole(first) and _is_whole(second)):
        return swaps @ first + ~swaps @ second, ~swaps @ first + swaps @ second
    # While sums stay exact, any way of adding gives them.
    single = max(first.sum(axis=0).max(), second.sum(axis=0).max()) < EXACT
    precision = np.float32 if single else np.float64
    difference = (first - second).astype(precision)
    moved = np.empty((len(swaps), first.shape[1]), dtype=first.dtype)
    for block in blocks(*swaps.shape):
        moved[block] = swaps[block].astype(precision) @ difference
    return second.sum(axis=0) + moved, first.sum(axis=0) - moved


def _is_whole(table: Table) -> bool:
    return bool((table >= 0).all() and (table == np.floor(table)).all())


def _bleu_scores(metric: Any, sums: Table) -> NDArray[Any] | None:
    """BLEU where every order has matches, so that nothing is smoothed."""
    if metric.smooth_method == "add-k" or metric.max_ngram_order != 4 or not (sums > 0).all():
        return None
    output, reference = sums[:, :2].T.astype(np.float64)
    precisions = 100.0 * sums[:, 2:6] / sums[:, 6:]
    # Python's own functions: their last digits are not NumPy's, nor the same in every version.
    logs = map(log, precisions.ravel().tolist())
    means = np.array(list(map(sum, zip(logs, logs, logs, logs, strict=True)))) / 4
    penalties = map(exp, np.minimum(1 - reference / output, 0.0).tolist())
    scores: NDArray[np.float64] = np.array(list(map(exp, means.tolist())))
    return np.array(list(penalties)) * scores


def _chrf_scores(metric: Any, sums: Table) -> NDArray[Any] | None:
    if not (sums > 0).all():
        return None
    outputs, references, matches = (sums[:, column::3] for column in range(3))
    precisions, recalls = matches / outputs, matches / references
    factor = metric.beta**2
    if metric.eps_smoothing:
        scores = (1 + factor) * precisions * recalls / (factor * precisions + recalls)
        smoothed: NDArray[Any] = 100 * _add_columns(scores) / metric.order
        return smoothed
    precision, recall = (_add_columns(part) / metric.order for part in (precisions, recalls))
    score: NDArray[Any] = (1 + factor) * precision * recall / (factor * precision + recall)
    return 100 * score


def _add_columns(table: Table) -> NDArray[Any]:
    """Sums of rows, added from left to right."""
    sums: NDArray[Any] = np.add.accumulate(table, axis=1)[:, -1]
    return sums


def _ter_scores(_: Any, sums: Table) -> NDArray[Any] | None:
    return 100 * (sums[:, 0] / sums[:, 1]) if (sums[:, 1] > 0).all() else None


USUAL_SCORES = {"BLEU": _bleu_scores, "CHRF": _chrf_scores, "TER": _ter_scores}


class Patch:
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

        def keep_lines(metric: Any, references: References) -> CachedReferences:
            stand_in = _StandIn(metric)
            lines = CachedReferences(cache(stand_in, references))
            metric.num_refs = stand_in.num_refs  # type: ignore[attr-defined]  # set by cache
            return lines

        def cache_references(metric: Any, references: References) -> Any:
            if type(metric) not in self._resampling.own:
                return cache(metric, references)
            lines = keep_lines(metric, references)
            kernel = _kernel_of(metric)
            if kernel is not None and kernel.keeps_references:
                with suppress(TypeError, ValueError):  # those go sacreBLEU's own way
                    lines.ready(metric, kernel)
            return lines

        def extract_corpus_statistics(
            metric: Any, hypotheses: Sequence[str], references: References | None
        ) -> Any:
            if type(metric) not in self._resampling.own:
                return extract(metric, hypotheses, references)
            pairs = extract(_StandIn(metric, partial(keep_lines, metric)), hypotheses, references)
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
