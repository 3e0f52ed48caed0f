"""sacreBLEU's paired tests and intervals, with the sums of all replicates at once.

Random stream, precision and tests are sacreBLEU's, so p-values, means and intervals are the same,
digit by digit. What differs is that sums are matrix products and that the usual scores are made in
one go, instead of one replicate after the other.
"""

from __future__ import annotations

import os
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType

    from numpy.typing import NDArray

    Table = NDArray[Any]
    # Its name, and by the metric's name: score, p, mean and interval.
    SystemResults = tuple[str, dict[str, Any]]

# Whole numbers up to this are exact in single precision, so the order of adding does not matter.
EXACT = 2**24
# Draws at once: enough for a matrix product to be fast, few enough for the memory.
BLOCK = 2**20
# Before version 2, NumPy made double precision of a float32 and a Python number.
SINGLE_STAYS_SINGLE = int(np.__version__.partition(".")[0]) >= 2


class Resampling:
    """What stands in for the functions of one copy of sacreBLEU, with their arguments."""

    def __init__(self, significance: ModuleType, score_type: type, own: tuple[type, ...]) -> None:
        self._module = significance
        self._score_type = score_type
        # The metrics whose scores are made here in one go.
        self._own = own
        self._estimate_ci = significance.estimate_ci

    def estimate_ci(self, scores: NDArray[Any]) -> tuple[float, float]:
        """Mean and half width; sacreBLEU's own may be float32, which its JSON can't hold."""
        mean, half = self._estimate_ci(scores)
        return float(mean), float(half)

    def bootstrap_resample(
        self, stats: Sequence[Sequence[float]], metric: Any, n_samples: int = 1000
    ) -> tuple[str, list[Any]]:
        """The seed as signatures show it, and the scores of resampled texts."""
        seed = os.environ.get("SACREBLEU_SEED", "12345").lower()
        stream = np.random.default_rng(None if seed == "none" else int(seed))
        sums = bootstrap_sums(stats, draw(stream, n_samples, len(stats)))
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
        draws = draw(np.random.default_rng(seed), n_samples, len(hypotheses))
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
        draws = draw(stream, n_ar_confidence, size) if n_ar_confidence > 0 else None
        results = {}
        for name, metric in metrics.items():
            baseline_rows, baseline = baseline_info[name]
            rows, score = self._count(name, metric, sys_name, hypotheses, references)
            self._log(f" > Performing approximate randomization test (# trials: {n_samples})")
            first, second = (
                self._scores(metric, sums, lambda row: metric._aggregate_and_compute([row]))
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
        self, metric: Any, rows: Sequence[Sequence[float]], draws: NDArray[np.int64]
    ) -> NDArray[Any]:
        return self._scores(metric, bootstrap_sums(rows, draws), metric._compute_score_from_stats)

    def _scores(self, metric: Any, sums: Table, score: Callable[[Any], Any]) -> NDArray[Any]:
        scores = self._usual_scores(metric, sums)
        return np.array([score(row).score for row in sums]) if scores is None else scores

    def _usual_scores(self, metric: Any, sums: Table) -> NDArray[Any] | None:
        """Scores in the precision of the sums; None where smoothing or special cases take part."""
        if type(metric) not in self._own or not (SINGLE_STAYS_SINGLE or sums.dtype.itemsize == 8):
            return None
        formula = USUAL_SCORES[type(metric).__name__]
        return formula(metric, sums)


def draw(stream: np.random.Generator, replicates: int, size: int) -> NDArray[np.int64]:
    """The segments of every replicate, one row each."""
    return stream.choice(size, size=(replicates, size), replace=True)


def bootstrap_sums(rows: Sequence[Sequence[float]], draws: NDArray[np.int64]) -> Table:
    """Sums of drawn rows, in single precision as sacreBLEU's."""
    table = np.array(rows, dtype=np.float32)
    replicates, size = draws.shape
    sums = np.empty((replicates, table.shape[1]), dtype=np.float32)
    inexact = np.arange(replicates)
    if _is_whole(table):
        step = max(1, BLOCK // size)
        for start in range(0, replicates, step):
            block = draws[start : start + step]
            offsets = size * np.arange(len(block))[:, np.newaxis]
            times = np.bincount((block + offsets).ravel(), minlength=block.size)
            sums[start : start + step] = times.reshape(block.shape).astype(np.float32) @ table
        inexact = np.flatnonzero(sums.max(axis=1) >= EXACT)
    for replicate in inexact:
        sums[replicate] = table[draws[replicate]].sum(axis=0)
    return sums


def swapped_sums(first: Table, second: Table, swaps: NDArray[np.bool_]) -> tuple[Table, Table]:
    """Sums of two texts of which the second has got the first one's rows where it is not swapped."""
    if not (_is_whole(first) and _is_whole(second)):
        return swaps @ first + ~swaps @ second, ~swaps @ first + swaps @ second
    # While sums stay exact, any way of adding gives them.
    both = np.concatenate([first, -second], axis=1)
    precision = np.float32 if np.abs(both).sum(axis=0).max() < EXACT else np.float64
    difference = (first - second).astype(precision)
    moved = np.empty((len(swaps), first.shape[1]), dtype=first.dtype)
    step = max(1, BLOCK // len(first))
    for start in range(0, len(swaps), step):
        moved[start : start + step] = swaps[start : start + step].astype(precision) @ difference
    return second.sum(axis=0) + moved, first.sum(axis=0) - moved


def _is_whole(table: Table) -> bool:
    return bool((table >= 0).all() and (table == np.floor(table)).all())


def _bleu_scores(metric: Any, sums: Table) -> NDArray[Any] | None:
    """BLEU without smoothing, as every order has matches."""
    if metric.smooth_method == "add-k" or metric.max_ngram_order != 4 or not (sums > 0).all():
        return None
    precisions = 100.0 * sums[:, 2:6] / sums[:, 6:]
    # Python's own functions, whose last digit NumPy's may lack.
    return np.array(
        [
            (1.0 if output >= reference else exp(1 - reference / output))
            * exp(sum(map(log, orders)) / 4)
            for (output, reference), orders in zip(
                sums[:, :2].tolist(), precisions.tolist(), strict=True
            )
        ]
    )


def _chrf_scores(metric: Any, sums: Table) -> NDArray[Any] | None:
    if not (sums > 0).all():
        return None
    outputs, references, matches = (sums[:, column::3] for column in range(3))
    precisions, recalls = matches / outputs, matches / references
    factor = metric.beta**2
    if metric.eps_smoothing:
        scores = (1 + factor) * precisions * recalls / (factor * precisions + recalls)
        return 100 * _add_columns(scores) / metric.order
    precision, recall = (_add_columns(part) / metric.order for part in (precisions, recalls))
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall))


def _add_columns(table: Table) -> NDArray[Any]:
    """Sums of rows, added from left to right."""
    return np.add.accumulate(table, axis=1)[:, -1]


def _ter_scores(_: Any, sums: Table) -> NDArray[Any] | None:
    return 100 * (sums[:, 0] / sums[:, 1]) if (sums[:, 1] > 0).all() else None


USUAL_SCORES = {"BLEU": _bleu_scores, "CHRF": _chrf_scores, "TER": _ter_scores}
