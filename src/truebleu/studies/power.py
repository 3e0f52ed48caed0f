"""Power: how often tests on samples conclude which system is better, rightly and wrongly.

Koehn (2004, §7.1, Table 3) compared nine pairs of systems on samples of 100 to 3,000 sentences, at
the level 95 %, and took the sign of the difference on all 30,000 for the truth: "12%/1%" are 12 %
right and 1 % wrong conclusions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._seeds import DEFAULT_SEED
from truebleu.exhibits import Exhibit, Field, Plot, Row, Value
from truebleu.significance.settings import CompareSettings
from truebleu.studies._pairs import TEST_NAMES, true_differences
from truebleu.studies._rates import share_of, share_of_clusters
from truebleu.studies._trials import USUAL_TESTS, Design, caveats, run_trials

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Runner
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics
    from truebleu.studies._pairs import Pairs
    from truebleu.studies._pool import Draw, PoolUnit
    from truebleu.studies._rates import Share
    from truebleu.studies._trials import Judged, Trials

# The power that plans usually ask for.
USUAL_POWER = 0.8
ALL_PAIRS = "mean of all pairs"

PLOT_FIELDS = (
    Field("size", "Size"),
    Field("samples", "Samples"),
    Field("right", "Right conclusions", 1, percent=True),
    Field("right_low", "from", 1, percent=True),
    Field("right_high", "to", 1, percent=True),
    Field("wrong", "Wrong conclusions", 1, percent=True),
    Field("wrong_low", "from", 1, percent=True),
    Field("wrong_high", "to", 1, percent=True),
    Field("of", "Metric and test"),
    Field("sample", "Samples of"),
)


def study_power(
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
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """How often tests on samples of each size conclude rightly, and how often wrongly.

    The truth is the sign of the difference in the pool, by the same metric. The share of right
    conclusions is the test's power for this pair and size. A pair that ties in the pool has no
    right conclusion, and all that are drawn are wrong. Assumes no more than the tests do where
    samples are independent, since then the pool is the population.

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
        level: at which tests conclude.
        seed: of samples and replicates.
        runner: keeps the results and shows progress.
    """
    alpha = CompareSettings(replicates=samples, level=level, seed=seed).alpha
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
    trials = run_trials("power", test_set, metrics, design, runner, level=level)
    return _exhibit(trials, alpha, level)


def _exhibit(trials: Trials, alpha: float, level: float) -> Exhibit:
    rows: list[Row] = []
    points: list[Row] = []
    findings: list[str] = []
    for one in trials.pool.counted:
        for test in trials.testing.tests:
            judged = {size: trials.judged(one, test, size) for size in trials.sizes}
            of_pairs = _points(trials, one, test, judged, alpha)
            means = _means(trials, one, test, judged, alpha)
            points += of_pairs
            rows += _rows(trials, [*of_pairs, *means])
            findings += _findings(trials, one, test, of_pairs, means)
    return Exhibit(
        name="power",
        title=f"Right/wrong conclusions at the level {100 * level:g} % on samples of each size",
        fields=_fields(trials),
        rows=tuple(rows),
        findings=(*findings, *caveats(trials, alpha)),
        plot=Plot(
            mark="line",
            x="difference",
            y="right",
            low="right_low",
            high="right_high",
            interval="binomial, 95 %",
            series="sample",
            panel="of",
            zero_y=True,
        ),
        plot_rows=tuple(points),
        plot_fields=PLOT_FIELDS,
        settings=trials.settings,
    )


def _fields(trials: Trials) -> tuple[Field, ...]:
    digits = max(one.metric.digits for one in trials.pool.counted)
    return (
        Field("metric", "Metric"),
        Field("test", "Test"),
        Field("better", "Better"),
        Field("worse", "Worse"),
        Field("difference", "Difference", digits, sign=True),
        *(
            Field(
                f"size_{size}",
                f"{size:,} (×{trials.count(size)})",
                parts=(f"right_{size}", f"wrong_{size}"),
            )
            for size in trials.sizes
        ),
    )


def _points(
    trials: Trials, one: MetricStatistics, test: str, judged: Mapping[int, Judged], alpha: float
) -> list[Row]:
    """One row for each pair and size: the shares of right and of wrong conclusions."""
    differences = true_differences(one, trials.pairs)
    points: list[Row] = []
    for pair, difference in enumerate(differences.tolist()):
        names = trials.names(pair)
        for size, found in judged.items():
            concluded = found.p[:, pair] <= alpha
            count = len(concluded)
            right = share_of(int((concluded & found.right[:, pair]).sum()), count)
            wrong = share_of(int((concluded & found.wrong[:, pair]).sum()), count)
            points.append(
                {
                    **_of(one, test, size, count, trials.pool.unit),
                    # By another metric than the first, the second system may be the better one.
                    "better": names[difference < 0],
                    "worse": names[difference >= 0],
                    "difference": abs(difference),
                    **_numbers(right if difference else None, wrong),
                }
            )
    return points


def _means(
    trials: Trials, one: MetricStatistics, test: str, judged: Mapping[int, Judged], alpha: float
) -> list[Row]:
    """One row for each size: the shares of all pairs that do not tie, with the samples' error."""
    untied = true_differences(one, trials.pairs) != 0
    if untied.sum() < 2:
        return []
    means: list[Row] = []
    for size, found in judged.items():
        concluded = found.p[:, untied] <= alpha
        means.append(
            {
                **_of(one, test, size, len(concluded), trials.pool.unit),
                "better": ALL_PAIRS,
                "worse": "",
                "difference": None,
                **_numbers(
                    share_of_clusters(concluded & found.right[:, untied]),
                    share_of_clusters(concluded & found.wrong[:, untied]),
                ),
            }
        )
    return means


def _of(one: MetricStatistics, test: str, size: int, count: int, unit: str) -> dict[str, Value]:
    return {
        "metric": one.label,
        "test": TEST_NAMES[test],
        "of": f"{one.label}, {TEST_NAMES[test]}",
        "size": size,
        "sample": f"{size:,} {unit}s",
        "samples": count,
    }


def _numbers(right: Share | None, wrong: Share) -> dict[str, Value]:
    return {
        "right": None if right is None else right.value,
        "right_low": None if right is None else right.low,
        "right_high": None if right is None else right.high,
        "wrong": wrong.value,
        "wrong_low": wrong.low,
        "wrong_high": wrong.high,
    }


def _rows(trials: Trials, points: Sequence[Row]) -> list[Row]:
    """Points of all sizes side by side, as in the paper: cells for people, numbers for programs."""
    rows: list[Row] = []
    for start in range(0, len(points), len(trials.sizes)):
        of_pair = points[start : start + len(trials.sizes)]
        names = ("metric", "test", "better", "worse", "difference")
        row: dict[str, Value] = {name: of_pair[0][name] for name in names}
        for point in of_pair:
            size = point["size"]
            row[f"size_{size}"] = _cell(point)
            row[f"right_{size}"] = point["right"]
            row[f"wrong_{size}"] = point["wrong"]
        rows.append(row)
    return rows


def _cell(point: Row) -> str:
    """12 %/1 %, as the paper has it; a dash for right conclusions about a tie."""
    right, wrong = point["right"], point["wrong"]
    shown = "–" if right is None else _percent(right)
    return f"{shown}/{_percent(wrong)}" if wrong or right is None else shown


def _percent(share: Value) -> str:
    """Whole percents, and a decimal where there would be none left of something."""
    percent = 100 * float(share or 0)
    return f"{percent:.1f} %" if 0 < percent < 1 else f"{percent:.0f} %"


def _findings(
    trials: Trials, one: MetricStatistics, test: str, points: Sequence[Row], means: Sequence[Row]
) -> list[str]:
    found = []
    of = f"{one.label}, {TEST_NAMES[test]}"
    for number, size in enumerate(trials.sizes):
        sentence = f"{of} on {size:,} {trials.pool.unit}s: "
        if means:
            right, wrong = (_shown(means[number], name) for name in ("right", "wrong"))
            sentence += f"on average over the pairs {right} right and {wrong} wrong conclusions; "
        found.append(sentence + _detected(points, size, one))
    return found


def _shown(point: Row, name: str) -> str:
    bounds = (point[name], point[f"{name}_low"], point[f"{name}_high"])
    value, low, high = (100 * float(bound or 0) for bound in bounds)
    return f"{value:.1f} % ({low:.1f} to {high:.1f})"


def _detected(points: Sequence[Row], size: int, one: MetricStatistics) -> str:
    """From which difference on every pair was told apart in most samples."""
    powers = sorted(
        (float(point["difference"] or 0), float(point["right"] or 0))
        for point in points
        if point["size"] == size and point["right"] is not None
    )
    if not powers:
        return "no pair differs in the pool."
    enough = None
    for difference, power in reversed(powers):
        if power < USUAL_POWER:
            break
        enough = difference
    often = f"{100 * USUAL_POWER:.0f} %"
    if enough is None:
        return f"not even the largest difference was found in {often} of the samples."
    return (
        f"all differences from {enough:.{one.metric.digits}f} up were found in at least {often} of "
        "the samples."
    )
