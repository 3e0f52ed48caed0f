"""The patch of sacreBLEU, by which truebleu's kernels count instead.

sacreBLEU's own loops still run, on a stand-in for the metric that passes lines through unchanged:
the installed sacreBLEU decides which references count, where texts of different lengths are cut,
how many references there are, and whether it warns about tokenized lines. The lines of all segments
then go to a kernel at once. sacreBLEU itself counts all that no kernel can count: subclasses,
tokenizers of other packages, segments without a reference, and characters that UTF-8 lacks.

Paired tests and intervals get the sums of all replicates at once. The random stream, precision and
tests are sacreBLEU's, so p-values, means and intervals are equal, digit by digit. Only the method
differs: sums are matrix products, and standard scores are computed for all replicates together.
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
    # Name of a system, and score, p, mean and interval by the name of the metric.
    SystemResults = tuple[str, dict[str, Any]]

# Tokenizers of sacreBLEU that the kernels have, by their names in signatures.
NATIVE_TOKENIZERS = ("13a", "char", "intl", "none", "zh")
# Fewest segments that are converted to native segments, to be counted by all threads.
FEW = 64


class Lines(dict[str, Any]):
    """Raw references of a segment; sacreBLEU's n-grams or words are made on demand."""

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
    """References of all segments, and a kernel's prepared references."""

    _ready: tuple[NativeMetric, ReadyReferences] | None = None

    def __reduce__(self) -> tuple[type, tuple[list[Lines]]]:
        return CachedReferences, (list(self),)

    def ready(self, metric: Any, kernel: NativeMetric) -> ReadyReferences:
        if self._ready is None or self._ready[0] is not kernel:
            self._ready = kernel, ReadyReferences(kernel, _by_translator(metric, self))
        return self._ready[1]


def _by_translator(metric: Any, references: Sequence[Lines]) -> list[Any]:
    if not all(type(lines) is Lines and lines.raw for lines in references):
        raise ValueError("a segment without references, or not from the cache")
    return [_text(metric, text) for text in zip_longest(*(lines.raw for lines in references))]


def _text(metric: Any, text: Sequence[str | None]) -> Any:
    """Convert a text for the kernels."""
    if not _tokenizes_natively(metric):
        tokenize = metric._preprocess_segment
        text = [None if line is None else tokenize(line) for line in text]
    return text if len(text) < FEW else Segments(text)


class _StandIn:
    """A replacement for a metric in sacreBLEU's loops."""

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
    """Return the kernel that counts like a metric of sacreBLEU, or None.

    A metric's settings may change, so they are read each time.
    """
    kind = type(metric).__name__
    tokenizer: Any = getattr(metric, "tokenizer", None)
    if kind != "CHRF" and "sacrebleu.tokenizers." not in type(tokenizer).__module__:
        return None  # a tokenizer of another package
    try:
        if kind == "BLEU":
            native = _tokenizes_natively(metric)
            return _kernel(  # only counts; sacreBLEU computes the scores
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
        return None  # settings that kernels reject, such as an order of 0


def _tokenizes_natively(metric: Any) -> bool:
    return type(metric).__name__ != "BLEU" or metric.tokenizer.signature() in NATIVE_TOKENIZERS


def _statistics(metric: Any, pairs: list[Pair]) -> list[list[float]] | None:
    """Return the rows of segments as Python numbers, or None if no kernel can count them."""
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
    if len(pairs) == 1:  # NumPy takes longer for a single row
        return [list(map(int, row)) for row in counts.sums()]
    rows: list[list[float]] = counts.array()[:, 0].astype("int64").tolist()
    return rows


def _are_all(references: Sequence[Lines], cached: Any) -> bool:
    is_cache = type(cached) is CachedReferences and len(references) == len(cached)
    return is_cache and references[0] is cached[0]


# Paired tests and intervals.

# Largest whole number up to which single precision is exact, so that the order of addition does not
# matter.
EXACT = 2**24
# Draws or swaps in a block.
BLOCK = 2**15
# Largest number of cached draws, 8 bytes each.
MOST_CACHED = 2**22
# NumPy before version 2 converts a float32 with a Python number to double precision.
SINGLE_STAYS_SINGLE = int(np.__version__.partition(".")[0]) >= 2


class Resampling:
    """Replacements for the resampling functions of one copy of sacreBLEU."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._module = import_module(f"{package}.significance")
        self._score_type = import_module(f"{package}.metrics.base").Score
        self._estimate_ci = self._module.estimate_ci
        metrics = import_module(f"{package}.metrics")
        #: Classes of metrics that kernels replace, but not their subclasses.
        self.metric_types = (metrics.BLEU, metrics.CHRF, metrics.TER)

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Resampling, (self._package,)  # sacreBLEU runs the tests in other processes

    def estimate_ci(self, scores: NDArray[Any]) -> tuple[float, float]:
        """Return mean and half-width as floats; its JSON cannot hold sacreBLEU's float32."""
        mean, half = self._estimate_ci(scores)
        return float(mean), float(half)

    def bootstrap_resample(
        self, stats: Sequence[Sequence[float]], metric: Any, n_samples: int = 1000
    ) -> tuple[str, list[Any]]:
        """Return the seed as in signatures, and the scores of resampled texts."""
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
        """Test a system against the baseline by the paired bootstrap."""
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
        """Test a system against the baseline by approximate randomization."""
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
        # sacreBLEU calls these functions here.
        if aggregated:
            return np.array([metric._compute_score_from_stats(row).score for row in sums])
        return np.array([metric._aggregate_and_compute(row).score for row in sums[:, None]])

    def _usual_scores(self, metric: Any, sums: Table) -> NDArray[Any] | None:
        """Return scores in the precision of the sums, or None if a sum needs special treatment."""
        is_single = sums.dtype.itemsize != 8
        if type(metric) not in self.metric_types or (is_single and not SINGLE_STAYS_SINGLE):
            return None
        return USUAL_SCORES[type(metric).__name__](metric, sums)


def blocks(replicates: int, size: int) -> Iterator[slice]:
    """Yield slices of replicates that fit into the processor's cache."""
    step = max(1, BLOCK // size)
    return (slice(i, min(i + step, replicates)) for i in range(0, replicates, step))


class Draws:
    """Number of times that each bootstrap replicate has each segment."""

    def __init__(self, stream: np.random.Generator, replicates: int, size: int) -> None:
        self._segments = np.empty((replicates, size), dtype=np.int32)
        self._times = np.empty((replicates, size), dtype=np.float32)
        for block in blocks(replicates, size):
            # NumPy fills row by row, so blocks use the same random numbers as one call.
            segments = stream.choice(size, size=(block.stop - block.start, size), replace=True)
            self._segments[block] = segments
            segments += size * np.arange(len(segments))[:, np.newaxis]
            times = np.bincount(segments.ravel(), minlength=segments.size)
            self._times[block] = times.reshape(segments.shape)

    def sums(self, table: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sum the rows of every replicate in single precision, as sacreBLEU does."""
        sums = np.full((len(self._times), table.shape[1]), EXACT, dtype=np.float32)
        if _is_whole(table):
            for block in blocks(*self._times.shape):
                sums[block] = self._times[block] @ table
        # Fractions and large sums depend on the order of addition.
        for replicate in np.flatnonzero(sums.max(axis=1) >= EXACT):
            sums[replicate] = table[self._segments[replicate]].sum(axis=0)
        return sums


@lru_cache(maxsize=1)
def _cached_draws(seed: int, replicates: int, size: int) -> Draws:
    return Draws(np.random.default_rng(seed), replicates, size)


def seeded_draws(seed: int | None, replicates: int, size: int) -> Draws:
    """Draw at the start of a stream, cached for the next system if seeded and not too large."""
    if seed is None or replicates * size > MOST_CACHED:
        return Draws(np.random.default_rng(seed), replicates, size)
    return _cached_draws(seed, replicates, size)


def swapped_sums(first: Table, second: Table, swaps: NDArray[np.bool_]) -> tuple[Table, Table]:
    """Return the sums of two texts; if swapped, the first text has the first table's row."""
    if not (_is_whole(first) and _is_whole(second)):
        return swaps @ first + ~swaps @ second, ~swaps @ first + swaps @ second
    # Exact sums do not depend on the order of addition.
    single = max(first.sum(axis=0).max(), second.sum(axis=0).max()) < EXACT
    precision = np.float32 if single else np.float64
    difference = (first - second).astype(precision)
    swapped = np.empty((len(swaps), first.shape[1]), dtype=first.dtype)
    for block in blocks(*swaps.shape):
        swapped[block] = swaps[block].astype(precision) @ difference
    return second.sum(axis=0) + swapped, first.sum(axis=0) - swapped


def _is_whole(table: Table) -> bool:
    return bool((table >= 0).all() and (table == np.floor(table)).all())


def _bleu_scores(metric: Any, sums: Table) -> NDArray[Any] | None:
    """Compute BLEU if every order has matches, so that no smoothing applies."""
    if metric.smooth_method == "add-k" or metric.max_ngram_order != 4 or not (sums > 0).all():
        return None
    output, reference = sums[:, :2].T.astype(np.float64)
    precisions = 100.0 * sums[:, 2:6] / sums[:, 6:]
    # Python's functions, since NumPy's differ in the last digits, also between versions.
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
    """Sum each row from left to right."""
    sums: NDArray[Any] = np.add.accumulate(table, axis=1)[:, -1]
    return sums


def _ter_scores(_: Any, sums: Table) -> NDArray[Any] | None:
    return 100 * (sums[:, 0] / sums[:, 1]) if (sums[:, 1] > 0).all() else None


USUAL_SCORES = {"BLEU": _bleu_scores, "CHRF": _chrf_scores, "TER": _ter_scores}


class Patch:
    """Replacements in one copy of sacreBLEU, and the original functions."""

    def __init__(self, package: str) -> None:
        try:
            sacrebleu = import_module(package)
            self._base = import_module(f"{package}.metrics.base")
        except ImportError as error:
            raise MissingExtraError("truebleu.compat", "sacrebleu") from error
        if not hasattr(self._base, "Metric"):
            needed = f"sacreBLEU 2.0 or later, not {sacrebleu.__version__}"
            raise MissingExtraError("truebleu.compat", "sacrebleu", needed)
        self._significance = import_module(f"{package}.significance")
        self._counted = [import_module(f"{package}.metrics.{name}") for name in ("bleu", "chrf")]
        self._resampling = Resampling(package)
        self._replaced: list[tuple[Any, str, Any]] = []

    def open(self, *, signed: bool) -> None:
        """Install the replacements.

        Args:
            signed: True if the version in signatures names truebleu.
        """
        if self._replaced:
            return
        metric_type = self._base.Metric
        cache, extract = metric_type._cache_references, metric_type._extract_corpus_statistics

        def keep_lines(metric: Any, references: References) -> CachedReferences:
            stand_in = _StandIn(metric)
            lines = CachedReferences(cache(stand_in, references))
            metric.num_refs = stand_in.num_refs  # type: ignore[attr-defined]  # `cache` sets it
            return lines

        def cache_references(metric: Any, references: References) -> Any:
            if type(metric) not in self._resampling.metric_types:
                return cache(metric, references)
            lines = keep_lines(metric, references)
            kernel = _kernel_of(metric)
            if kernel is not None and kernel.keeps_references:
                with suppress(TypeError, ValueError):  # sacreBLEU itself counts these
                    lines.ready(metric, kernel)
            return lines

        def extract_corpus_statistics(
            metric: Any, hypotheses: Sequence[str], references: References | None
        ) -> Any:
            if type(metric) not in self._resampling.metric_types:
                return extract(metric, hypotheses, references)
            pairs = extract(_StandIn(metric, partial(keep_lines, metric)), hypotheses, references)
            rows = _statistics(metric, pairs) if pairs else []
            if rows is not None:
                return rows
            prepare, count = metric._preprocess_segment, metric._compute_segment_statistics
            return [count(prepare(hypothesis), lines) for hypothesis, lines in pairs]

        add = self._counted[0].sum_of_lists

        def sum_of_lists(lists: Sequence[Sequence[int]]) -> Any:
            # Rows of BLEU and chrF are whole numbers: the order of addition does not matter.
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
        """Restore sacreBLEU's functions."""
        while self._replaced:
            setattr(*self._replaced.pop())

    def _replace(self, owner: Any, name: str, value: Any) -> None:
        self._replaced.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)
