"""A metric for torchmetrics and Lightning, exact also in distributed validation.

>>> metric = CorpusScore("bleu")
>>> metric.update(["the cat sat on the mat"], [["the cat sat on a mat"]])
>>> f"{metric.compute():.2f}"
'53.73'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torchmetrics import Metric as TorchMetric

from truebleu.integrations.batches import BatchMetric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from truebleu.integrations.batches import Target
    from truebleu.metrics.base import Metric

__all__ = ["CorpusScore"]


class CorpusScore(TorchMetric):  # type: ignore[misc]  # checked without the library
    """Corpus score of all batches by any truebleu metric whose counts add up.

    The state is the metric's sums, added up over processes, so the score is of all texts together
    and no mean of scores. With `interval`, the rows of all segments are also kept and gathered, and
    `compute` returns the score with a confidence interval. If the segments do not vary, they say
    nothing about others: the interval is then the whole range of the metric.

    Args:
        metric: name with settings, or a truebleu metric.
        language: target language, which decides the tokenizer.
        interval: True to keep rows and return an interval.
        level: confidence level of the interval.
        replicates: number of bootstrap replicates.
        seed: seed of the bootstrap.
        settings: settings of every torchmetrics metric.
    """

    is_differentiable = False
    full_state_update = False

    sums: Tensor
    rows: list[Tensor] | Tensor

    def __init__(
        self,
        metric: str | Metric = "bleu",
        language: str | None = None,
        *,
        interval: bool = False,
        level: float = 0.95,
        replicates: int = 1_000,
        seed: int = 12345,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.batches = BatchMetric(metric, language)
        self.interval, self.level = interval, level
        self.replicates, self.seed = replicates, seed
        zeros = torch.zeros(self.batches.width, dtype=torch.float64)
        self.add_state("sums", default=zeros, dist_reduce_fx="sum")
        if interval:
            self.add_state("rows", default=[], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool | None:
        """Direction of the metric; None without direction."""
        return self.batches.metric.higher_is_better

    def update(self, preds: Sequence[str], target: Target) -> None:
        """Count a batch of outputs and the references of each."""
        rows = torch.tensor(self.batches.rows(preds, target))
        self.sums += rows.sum(dim=0).to(self.sums.device)
        if self.interval and isinstance(self.rows, list):
            self.rows.append(rows.to(self.sums.device))

    def compute(self) -> Any:
        """Return the score of all batches; with `interval`, also `low` and `high`."""
        score = torch.tensor(float(self.batches.metric.score(self.sums.cpu().numpy())))
        if not self.interval:
            return score
        rows = torch.cat(list(self.rows)) if isinstance(self.rows, list) else self.rows
        low, high = _interval(self, rows)
        return {"score": score, "low": torch.tensor(low), "high": torch.tensor(high)}


def _interval(metric: CorpusScore, rows: Tensor) -> tuple[float, float]:
    from truebleu.resampling import Bootstrap, Units
    from truebleu.significance.intervals import interval_bounds, score_bounds
    from truebleu.significance.replicates import bootstrap_scores
    from truebleu.significance.unit_counts import UnitCounts

    units = Units.segments(len(rows))
    counts = rows.cpu().numpy()[:, None, :]
    statistics = UnitCounts.of("score", metric.batches.metric, counts, units)
    bootstrap = Bootstrap(replicates=metric.replicates, seed=metric.seed)
    (scores,) = bootstrap_scores([statistics], units, bootstrap, None)
    (low,), (high,) = interval_bounds(statistics, scores, None, "percentile", metric.level)
    ends = zip(score_bounds(low, high), metric.batches.metric.limits, strict=True)
    lowest, highest = (limit if end is None else end for end, limit in ends)
    return lowest, highest
