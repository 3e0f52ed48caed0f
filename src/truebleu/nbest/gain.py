"""What a choice gains on segments that it was not tuned on, tested against the choice before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truebleu.nbest.statistics import FeatureMean, as_list_metric
from truebleu.scores.given import GivenScores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric

BASELINE, CHOSEN = "baseline", "chosen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """A choice against the baseline by one metric.

    Attributes:
        metric: the metric's name.
        signature: its settings.
        higher_is_better: its direction.
        digits: decimals that people should see.
        baseline: the score of the baseline.
        score: the score of the choice; the mean over runs, where there are several.
        difference: score minus baseline.
        interval: of the difference, as its test has it; None where an end is open.
        p: how often equal choices would differ by at least this much.
        runs: the score of each run.
        deviation: the standard deviation of the runs' scores; None of one run.
        differing_segments: where the metric counts the two differently.
    """

    metric: str
    signature: str
    higher_is_better: bool | None
    digits: int
    baseline: float
    score: float
    difference: float
    interval: tuple[float | None, float | None]
    p: float
    runs: tuple[float, ...]
    deviation: float | None
    differing_segments: int

    @property
    def is_better(self) -> bool:
        """Whether the difference is in the direction of the metric."""
        return self.difference > 0 if self.higher_is_better else self.difference < 0


def measure_gain(
    nbest: NBest,
    references: ReferencesLike | None,
    metrics: Sequence[str | Metric],
    baseline: ArrayLike,
    runs: Sequence[ArrayLike],
    *,
    seed: int,
    replicates: int,
    level: float = 0.95,
) -> tuple[Gain, ...]:
    """Compare the candidates that one or more runs choose with those of the baseline.

    Args:
        nbest: the lists that both choose from.
        references: as for `truebleu.score`; not needed where all metrics are ``feature:NAME``.
        metrics: what to compare by.
        baseline: the index in its list of each segment's candidate.
        runs: the same for each run.
        seed: of the test and the interval.
        replicates: of both.
        level: of the interval.
    """
    from truebleu.significance.compare import compare

    choices = {BASELINE: np.asarray(baseline)}
    choices |= {f"{CHOSEN}.{number}": np.asarray(run) for number, run in enumerate(runs, 1)}
    if len(runs) > 1:
        # The baseline has no random part: each of its runs is the same.
        first = choices.pop(BASELINE)
        same = {f"{BASELINE}.{number}": first for number in range(1, len(runs) + 1)}
        choices = same | choices
    texts = {name: nbest.choose(indices) for name, indices in choices.items()}
    parsed = [_with_scores(as_list_metric(metric), nbest, choices) for metric in metrics]
    if references is None:
        texts = {name: [""] * len(nbest) for name in texts}
    result = compare(
        texts,
        [""] * len(nbest) if references is None else references,
        metrics=parsed,
        replicates=replicates,
        seed=seed,
        level=level,
        baseline=BASELINE if len(runs) > 1 else next(iter(texts)),
        runs="{system}.{run}" if len(runs) > 1 else None,
    )
    scores = {
        name: {label: system.score for label, system in by.items()}
        for name, by in result.systems.items()
    }
    gains = []
    for pair in result.comparisons:
        metric = result.metrics[pair.metric]
        own = result.systems[pair.a][pair.metric].runs
        gains.append(
            Gain(
                metric=pair.metric,
                signature=str(metric.signature),
                higher_is_better=metric.higher_is_better,
                digits=metric.digits,
                baseline=scores[pair.b][pair.metric],
                score=scores[pair.a][pair.metric],
                difference=pair.difference,
                interval=pair.interval,
                p=pair.p,
                runs=(scores[pair.a][pair.metric],) if own is None else own.scores,
                deviation=None if own is None else own.sd_of_runs,
                differing_segments=pair.differing_units,
            )
        )
    return tuple(gains)


def another_metric(metrics: Sequence[str | Metric], references: ReferencesLike | None) -> list[str]:
    """A metric that was not tuned by, for what was gained elsewhere: chrF, or BLEU after chrF."""
    if references is None:
        return []
    names = {as_list_metric(metric).name.casefold() for metric in metrics}
    others = [
        name for name in ("chrf", "bleu") if not any(known.startswith(name) for known in names)
    ]
    return others[:1]


def _with_scores(metric: Metric, nbest: NBest, choices: dict[str, np.ndarray]) -> Metric:
    """A feature's mean as scores of the choices, which need no texts."""
    if not isinstance(metric, FeatureMean):
        return metric
    values = nbest.feature(metric.name)
    scores = {name: values[nbest.offsets[:-1] + indices] for name, indices in choices.items()}
    return GivenScores.of(scores, name=metric.name, higher_is_better=metric.higher_is_better)
