"""Utilities: how good a candidate is, judged by another that is taken for the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._settings import checked
from truebleu.corpus.test_set import TestSet
from truebleu.errors import SettingError
from truebleu.metrics import FunctionMetric
from truebleu.metrics.registry import as_metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from truebleu._core import PairScorer
    from truebleu.metrics.base import Metric

#: Scores of pairs that are counted at once; their rows of counts are in memory together.
BLOCK = 1 << 18


def as_utility(metric: str | Metric | Callable[..., Any]) -> Metric:
    """A metric of texts; a function takes an output and the list of its references."""
    if callable(metric):
        name = getattr(metric, "__name__", type(metric).__name__)
        return FunctionMetric(function=metric, name=name)
    (parsed,) = as_metrics([metric])
    if not parsed.reads_texts:
        expected = "a metric of texts; scores of pairs are handed over as utilities"
        raise SettingError("metric", parsed.name, expected)
    if parsed.higher_is_better is None:
        raise SettingError("metric", parsed.name, "one that says what is better")
    return parsed


@checked
def utility_matrix(
    metric: str | Metric | Callable[..., Any],
    candidates: Sequence[str],
    references: Sequence[str] | None = None,
    *,
    source: str | None = None,
) -> NDArray[np.float64]:
    """Scores shaped (candidate, reference), each as ``metric.sentence`` gives it.

    >>> utility_matrix("ter", ["a b", "b"]).tolist()
    [[0.0, 100.0], [50.0, 0.0]]

    Args:
        metric: a metric, or a function of an output and the list of its references.
        candidates: the candidates of one segment.
        references: what they are compared with; by default with each other.
        source: what was translated, for metrics that look at it.
    """
    texts = candidates if references is None else references
    for name, strings in (("candidates", candidates), ("references", texts)):
        if not len(strings):
            raise SettingError(name, [], "at least one string")
    utility = as_utility(metric).for_references([texts]).sentence_level()
    return score_pairs(utility, candidates, references, source)


def score_pairs(
    metric: Metric,
    candidates: Sequence[str],
    references: Sequence[str] | None,
    source: str | None,
) -> NDArray[np.float64]:
    """The matrix of a metric as it is."""
    scorer = metric.pair_scorer()
    columns = candidates if references is None else references
    if scorer is not None:
        matrix = scorer.matrix(list(candidates), None if references is None else list(references))
        return matrix.reshape(len(candidates), len(columns))
    return _counted(metric, candidates, columns, source)


def _counted(
    metric: Metric, candidates: Sequence[str], references: Sequence[str], source: str | None
) -> NDArray[np.float64]:
    """Any metric: each reference is a segment, and every candidate a system's output for it."""
    # Where counts depend on all segments of a text, each reference must be a text of its own.
    step = 1 if metric.counts_whole_text else max(1, BLOCK // len(candidates))
    blocks = []
    for start in range(0, len(references), step):
        block = list(references[start : start + step])
        test_set = TestSet(
            systems={str(i): [text] * len(block) for i, text in enumerate(candidates)},
            references=(block,),
            source=None if source is None else [source] * len(block),
        )
        scores: NDArray[np.float64] = metric.score(metric.count(test_set).array())
        blocks.append(scores.T)
    return np.concatenate(blocks, axis=1)


def expected_utilities(
    metric: Metric,
    scorer: PairScorer | None,
    candidates: Sequence[str],
    references: Sequence[str] | None,
    weights: NDArray[np.float64],
    source: str | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """The weighted mean of each candidate's scores, and its score against itself.

    The latter is None where the references are other texts.
    """
    if scorer is not None:
        texts = list(candidates)
        if references is None:
            return scorer.expected(texts, [len(texts)], weights)
        others = list(references)
        expected, _ = scorer.expected(texts, [len(texts)], weights, others, [len(others)])
        return expected, None
    matrix = _counted(metric, candidates, candidates if references is None else references, source)
    return matrix @ weights, None if references is not None else np.diag(matrix).copy()
