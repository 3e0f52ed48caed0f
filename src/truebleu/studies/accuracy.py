"""Accuracy: of the conclusions that a test is so and so sure of, how many are right.

Koehn (2004, §7.2, Table 4) sorted the conclusions of all pairs, samples and sizes by their
confidence, down to 50 %, and found each band to be right a little more often than it claimed.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from truebleu._seeds import DEFAULT_SEED
from truebleu.errors import SettingError
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.significance.p_values import smallest_p
from truebleu.studies._pairs import DECIMALS, TEST_NAMES, true_differences
from truebleu.studies._rates import share_of_uneven_clusters
from truebleu.studies._trials import USUAL_TESTS, Design, caveats, run_trials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Runner
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics
    from truebleu.studies._pairs import Pairs
    from truebleu.studies._pool import Draw, PoolUnit
    from truebleu.studies._trials import Trials

#: Where bands begin, as Koehn's do: the four of 95 % and more in his Table 4 hold as many
#: conclusions as his Table 3, and §7.2 quotes the next one, "90%-94.9%".
USUAL_BANDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
# A test's p-value says how often equal systems would differ as much, in either direction.
ONE_SIDED = ("wins",)
# So seldom may a band that keeps its word be called rash.
CHANCE = 0.025

FIELDS = (
    Field("metric", "Metric"),
    Field("test", "Test"),
    Field("band", "Confidence"),
    Field("conclusions", "Conclusions"),
    Field("confidence", "Mean confidence", 1, percent=True),
    Field("right", "Right", 1, percent=True),
    Field("low", "from", 1, percent=True),
    Field("high", "to", 1, percent=True),
)


def study_accuracy(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    tests: Sequence[str] = USUAL_TESTS,
    sizes: Sequence[int] | None = None,
    repetitions: int = 100,
    draw: Draw = "independent",
    unit: PoolUnit = "segment",
    pairs: Pairs | None = None,
    baseline: str | None = None,
    samples: int = 1000,
    bands: Sequence[float] = USUAL_BANDS,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """How many conclusions are right, by how sure the test was of them.

    The confidence of a conclusion is 1 - p; of Koehn's "wins" that is the share of replicates
    which the winner wins. The truth is the sign of the difference in the pool. How often a test is
    right at some confidence depends on how large the differences are that it is asked about: of
    pairs that are all alike half of the conclusions are wrong at any confidence.

    Args:
        test_set: the pool.
        metrics: by which to compare; the first one ranks the systems, where pairs are near ones.
        tests: any of `truebleu.studies._pairs.TESTS`.
        sizes: units in a sample; those of the paper that fit, if not given.
        repetitions: how many samples of each size; broad samples and blocks may be fewer.
        draw: how samples are taken; see `draw_samples`.
        unit: what is sampled, resampled and swapped: segments or documents.
        pairs: "near" for systems up to two ranks apart, as in the paper and if not given;
            "neighbours", "all", or the names of both systems of each pair.
        baseline: compare all others with this system instead.
        samples: the replicates of each test.
        bands: the confidences at which bands begin; what lies below the first has its own.
        seed: of samples and replicates.
        runner: keeps the results and shows progress.
    """
    edges = _edges(bands)
    design = Design(
        tests=tuple(tests),
        sizes=sizes,
        repetitions=repetitions,
        draw=draw,
        unit=unit,
        pairs=pairs,
        baseline=baseline,
        samples=samples,
        seed=seed,
    )
    trials = run_trials("accuracy", test_set, metrics, design, runner, bands=edges[1:-1])
    return _exhibit(trials, edges)


def _edges(bands: Sequence[float]) -> list[float]:
    for band in bands:
        if isinstance(band, bool) or not isinstance(band, int | float) or not 0 < band < 1:
            raise SettingError("bands", band, "confidences between 0 and 1, such as 0.95")
    if not bands:
        raise SettingError("bands", "none", "at least one confidence at which a band begins")
    return [0.0, *sorted({round(float(band), DECIMALS) for band in bands}), math.inf]


def _exhibit(trials: Trials, edges: Sequence[float]) -> Exhibit:
    rows: list[Row] = []
    findings: list[str] = []
    for one in trials.pool.counted:
        for test in trials.testing.tests:
            of_bands = _rows(trials, one, test, edges)
            rows += of_bands
            findings += _findings(one, test, of_bands)
            findings += _undecided(trials, one, test)
    return Exhibit(
        name="accuracy",
        title="Conclusions of all pairs and samples by their confidence, and how many were right",
        fields=FIELDS,
        rows=tuple(rows),
        findings=(*findings, *caveats(trials, 0.05)),
        plot=Plot(
            mark="line",
            x="confidence",
            y="right",
            low="low",
            high="high",
            interval="95 %, samples taken as a whole",
            series="test",
            panel="metric",
        ),
        settings=trials.settings,
    )


def _rows(trials: Trials, one: MetricStatistics, test: str, edges: Sequence[float]) -> list[Row]:
    """A row for each band that has conclusions, the surest first."""
    confidence, concluded, right = _conclusions(trials, one, test)
    # No test of so many replicates can be surer than this.
    surest = 1 - smallest_p(trials.testing.samples)
    rows: list[Row] = []
    for low, high in reversed(list(pairwise(edges))):
        inside = concluded & (confidence >= low) & (confidence < high)
        if not inside.any():
            continue
        share = share_of_uneven_clusters((inside & right).sum(axis=1), inside.sum(axis=1))
        rows.append(
            {
                "metric": one.label,
                "test": TEST_NAMES[test],
                "band": _band(low, high),
                "conclusions": int(inside.sum()),
                "confidence": float(confidence[inside].mean()),
                "right": share.value,
                "low": share.low,
                "high": share.high,
                "least": low,
                "claimed": float(np.minimum(confidence[inside], surest).mean()),
            }
        )
    return rows


def _conclusions(
    trials: Trials, one: MetricStatistics, test: str
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Confidence, whether there is a conclusion, and whether it is right; shaped (sample, pair).

    Samples of all sizes stand one below the other; pairs that tie in the pool are left out.
    """
    untied = true_differences(one, trials.pairs) != 0
    by_size = [trials.judged(one, test, size) for size in trials.sizes]
    p, right, wrong = (
        np.concatenate([getattr(judged, name) for judged in by_size])[:, untied]
        for name in ("p", "right", "wrong")
    )
    return (1 - p).round(DECIMALS), right | wrong, right


def _band(low: float, high: float) -> str:
    if low == 0:
        return f"below {100 * high:g} %"
    return f"{100 * low:g} to {100 * min(high, 1.0):g} %"


def _findings(one: MetricStatistics, test: str, rows: Sequence[Row]) -> list[str]:
    of = f"{one.label}, {TEST_NAMES[test]}"
    if not rows:
        return [f"{of}: there is no conclusion to judge."]
    total = sum(int(row["conclusions"] or 0) for row in rows)
    rash = [row for row in rows if _is_rash(row)]
    if rash:
        listed = "; ".join(
            f"{row['band']}: {100 * float(row['right'] or 0):.1f} % of {row['conclusions']:,}"
            for row in rash
        )
        verdict = f"right less often than claimed, beyond the error, in the bands {listed}"
    else:
        verdict = "no band is right less often than it claims, beyond the error"
    # Of a two-sided p, the wrong side has half.
    sided = (
        "" if test in ONE_SIDED else " Its p is two-sided, so that it claims less than it could."
    )
    return [f"{of}: of {total:,} conclusions, {verdict}.{sided}"]


def _is_rash(row: Row) -> bool:
    """Whether a band is right less often than it claims, by more than chance.

    Both by the interval, which knows that conclusions on one sample go together, and by the
    binomial distribution, which holds where hardly any conclusion is wrong.
    """
    right, high, claimed = (float(row[name] or 0) for name in ("right", "high", "claimed"))
    total = int(row["conclusions"] or 0)
    wrong = total - round(right * total)
    return claimed > high and chance_of(wrong, total, 1 - claimed) < CHANCE


def chance_of(least: int, trials: int, probability: float) -> float:
    """How likely so many hits are, or more, in independent trials of this probability."""
    if least <= 0:
        return 1.0
    if not 0 < probability < 1:
        return float(probability >= 1)
    fewer = sum(
        math.exp(
            math.lgamma(trials + 1)
            - math.lgamma(hits + 1)
            - math.lgamma(trials - hits + 1)
            + hits * math.log(probability)
            + (trials - hits) * math.log1p(-probability)
        )
        for hits in range(least)
    )
    return max(0.0, 1 - fewer)


def _undecided(trials: Trials, one: MetricStatistics, test: str) -> list[str]:
    _, concluded, _ = _conclusions(trials, one, test)
    ties = int((~concluded).sum())
    if not ties:
        return []
    return [
        f"{one.label}, {TEST_NAMES[test]}: {ties:,} samples of pairs tie, and give no conclusion."
    ]
