"""Levels and coverage of panels on six public sets: ``python -m evidence.panels [PANELS]``.

Two systems of each WMT set are a pool, whose scores are the truth. A panel draws 300 segments of
each set (languages fixed), or twelve sets of the six with replacement and 300 segments of each
(languages drawn); for the difference in a further set, five sets and one more. Under the null
hypothesis the outputs of each segment are swapped by a coin; where one language is apart, those of
all sets but one.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from evidence.data import read_set
from truebleu.counts.counting import count_texts
from truebleu.resampling import Units, jackknife_error
from truebleu.significance.panel import (
    PanelSettings,
    SetDifference,
    average_differences,
    heterogeneity,
)
from truebleu.significance.unit_counts import UnitCounts, count_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.significance.panel import Heterogeneity, Languages, PanelComparison

SETS = ("wmt21-en-de", "wmt23-en-cs", "wmt23-en-ja", "wmt23-he-en", "wmt23-zh-en", "wmt24-en-es")
APART = "wmt23-he-en"
METRICS = ("bleu", "chrf")
SEGMENTS, DRAWN_SETS, FEW_SETS = 300, 12, 5
PANELS = 400


@cache
def pool(name: str, metric: str) -> UnitCounts:
    """Count two systems of a set: those at a third and two thirds of the alphabet."""
    counts = count_texts(read_set(name), metric)
    systems = sorted(counts.outline.systems)
    chosen = [systems[len(systems) * part // 3] for part in (1, 2)]
    (whole,) = count_units(counts.select(chosen), Units.segments(len(counts)))
    return whole


def truth(name: str, metric: str) -> float:
    """Return the difference on the whole pool."""
    first, second = pool(name, metric).scores
    return float(first - second)


def panel_of(
    names: Sequence[str],
    metric: str,
    languages: Languages,
    rng: np.random.Generator,
    swapped: Sequence[str] = (),
) -> PanelComparison:
    """Compare two systems over samples of sets; swapped sets have equal systems."""
    differences = []
    for name in names:
        whole = pool(name, metric)
        rows = whole.rows[rng.integers(0, len(whole.rows), SEGMENTS)]
        if name in swapped:
            rows = np.where(rng.random(len(rows))[:, None, None] < 0.5, rows[:, ::-1], rows)
        sample = UnitCounts(metric, whole.metric, np.ascontiguousarray(rows))
        left_out = sample.jackknife_scores()
        error = float(jackknife_error(left_out[:, 0] - left_out[:, 1]))
        first, second = sample.scores
        # Tests of single sets are not needed here.
        difference = float(first - second)
        open_ends = ((None, None),) * len(names)
        differences.append(SetDifference(name, difference, error, SEGMENTS - 1, 1.0, open_ends))
    settings = PanelSettings(languages=languages)
    return average_differences(
        metric, ("a", "b"), pool(names[0], metric).sign, differences, (), settings
    )


def rates(metric: str, panels: int) -> dict[str, float]:
    """Measure the level of tests and the coverage of intervals."""
    rng = np.random.default_rng(14)
    mean = float(np.mean([truth(name, metric) for name in SETS]))
    others = [name for name in SETS if name != APART]
    rejected, fixed, drawn, apart, further, simulated = 0, 0, 0, 0, 0, 0
    for _ in range(panels):
        null = panel_of(SETS, metric, "fixed", rng, SETS)
        rejected += null.p is not None and null.p <= 0.05
        low, high = panel_of(SETS, metric, "fixed", rng).fixed
        fixed += low <= mean <= high
        names = rng.choice(SETS, DRAWN_SETS).tolist()
        low, high = panel_of(names, metric, "drawn", rng).drawn or (mean, mean)
        drawn += low <= mean <= high
        alone = truth(APART, metric) / len(SETS)
        low, high = panel_of(names, metric, "drawn", rng, others).drawn or (alone, alone)
        apart += low <= alone <= high
        further += holds_further_set(metric, rng)
        # Differences of sets vary as much as those of segments do within one.
        *differences, another = rng.normal(size=FEW_SETS + 1)
        varies = heterogeneity(differences + rng.normal(size=FEW_SETS), np.ones(FEW_SETS), 0.95)
        simulated += _predicts(varies, float(another))
    return {
        "level of the mean": rejected / panels,
        "coverage, languages fixed": fixed / panels,
        "coverage, languages drawn": drawn / panels,
        f"coverage, languages drawn, only {APART} differs": apart / panels,
        f"coverage of a further set, {FEW_SETS} sets": further / panels,
        f"coverage of a further set, {FEW_SETS} sets, normal differences": simulated / panels,
    }


def holds_further_set(metric: str, rng: np.random.Generator) -> bool:
    """Return whether the interval for a further set, from few sets, covers its difference."""
    *names, another = rng.choice(SETS, FEW_SETS + 1).tolist()
    varies = panel_of(names, metric, "drawn", rng).heterogeneity
    return _predicts(varies, truth(another, metric))


def _predicts(varies: Heterogeneity | None, difference: float) -> bool:
    assert varies is not None
    low, high = varies.prediction or (-np.inf, np.inf)
    return bool(low <= difference <= high)


def main() -> None:
    """Print the rates by every metric."""
    panels = int(sys.argv[1]) if len(sys.argv) > 1 else PANELS
    for metric in METRICS:
        differences = ", ".join(f"{name} {truth(name, metric):+.1f}" for name in SETS)
        sys.stdout.write(f"{metric}: {panels} panels; pools {differences}\n")
        for what, rate in rates(metric, panels).items():
            sys.stdout.write(f"  {what}: {rate:.3f}\n")


if __name__ == "__main__":
    main()
