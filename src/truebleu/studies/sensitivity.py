"""Sensitivity: by which metric most pairs of systems differ, and how wide its intervals are.

Zhang & Vogel (2004, §3, Table 1, Fig. 3) compare seven systems pair by pair: two differ when the
bootstrap's interval of their difference leaves out 0, and NIST's relative intervals are the
narrowest. Riezler & Maxwell (2005, §3, Table 1) find a small difference significant by NIST and not
by BLEU or F-score.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from truebleu.errors import SettingError
from truebleu.execution.journal import Record, Runner, Task
from truebleu.reports.document import Plot
from truebleu.reports.sentences import percent
from truebleu.resampling import TIE_TOLERANCE
from truebleu.schema import DEFAULT_SEED, Level, Seed, Setting
from truebleu.significance.corrections import P_VALUE_CORRECTIONS, adjust, smallest_factor
from truebleu.significance.settings import CompareSettings, require_enough_replicates
from truebleu.significance.tests import fewest_units
from truebleu.studies import _study as base

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.registry import MetricsLike
    from truebleu.significance.statistics import Pair

__all__ = ["study_sensitivity"]

#: Those of both papers, and the two that are most used beside BLEU.
USUAL_METRICS = ("bleu", "nist", "mbleu", "chrf", "ter")


#: The bootstrap's interval of the difference, and approximate randomization.
TESTS = ("interval", "ar")
# Where by every metric at least this share of the pairs differ, smaller samples would show more.
SATURATED = 0.95

COLUMNS = base.columns(
    "metric | size: Units | samples | test | correction | pairs | significant [.1f] | "
    f"{base.bounded('share', 'Share')} | width: Relative width [.2%]"
)


@base.study
def study_sensitivity(
    test_set: TestSet,
    metrics: MetricsLike = USUAL_METRICS,
    *,
    sizes: base.Sizes = None,
    samples: Annotated[int | None, Setting(least=2, most=base.MOST_TASKS)] = None,
    sampling: base.Sampling | None = None,
    unit: base.PoolUnit = "segment",
    replicates: base.Replicates = 10_000,
    level: Level = 0.95,
    correction: Annotated[str, Setting(choices=P_VALUE_CORRECTIONS)] = "holm",
    seed: Seed = DEFAULT_SEED,
    runner: Runner | None = None,
) -> base.StudyResult:
    """By which metric do most pairs of systems differ significantly?

    Zhang & Vogel (2004, Table 1, Fig. 3) and Riezler & Maxwell (2005, Table 1) found NIST more
    sensitive than BLEU. A pair differs by the bootstrap's interval of the difference (Zhang & Vogel
    2004, §3.2) or by approximate randomization, each with and without a correction for all pairs.
    The winner need not be the right one: a metric may be sure of what people would not say.

    Args:
        test_set: with two systems at least.
        metrics: to compare.
        sizes: units in samples, on which not everything is significant as on large test sets; by
            default the whole test set, once.
        samples: of each size, by default 20; only with sizes.
        sampling: how samples are taken: every k-th unit, consecutive ones, or at random without
            (the default) or with replacement; only with sizes.
        correction: for all pairs of one metric.
        runner: keeps the results and shows progress.
    """
    asked = {**locals()}
    comparison = CompareSettings(replicates=replicates, level=level, seed=seed)
    alpha = comparison.alpha
    pairs = list(combinations(range(len(test_set.systems)), 2))
    if not pairs:
        raise SettingError("systems", 1, "at least 2 to compare")
    require_enough_replicates(replicates, correction, len(pairs), alpha, kind="pairs")
    pool = base.Pool.of(test_set, metrics, unit)
    chosen = base.sizes_that_fit(sizes, len(pool), ()) if sizes else [len(pool)]
    # Even the clearest difference has no smaller p than the swaps of so few units can give.
    least = fewest_units(alpha / smallest_factor(correction, len(pairs), alone=False))
    if chosen[0] < least:
        expected = f"at least {least} units to find any of {len(pairs)} pairs to differ"
        raise SettingError("sizes", chosen[0], expected)
    for name in ("samples", "sampling"):
        if not sizes and asked[name] is not None:
            expected = "sizes (--sizes) beside it: without them the whole test set is taken, once"
            raise SettingError(name, asked[name], expected)
    asked |= {"samples": samples or 20, "sampling": sampling or "random", "sizes": chosen}
    # One for each metric: what is interrupted on a whole test set keeps the rest.
    tasks = [
        Task(
            (size, index, statistics.label),
            partial(_p_values, pool, number, pairs, sample, index, comparison),
        )
        for size in chosen
        for index, sample in enumerate(_samples(asked, len(pool), size))
        for number, statistics in enumerate(pool.statistics)
    ]
    settings, records = base.run_study(
        "sensitivity", asked, pool.settings, tasks, idle=["correction"]
    )
    result = base.StudyResult(
        settings=settings,
        title=f"Pairs of {len(pool.names)} systems that differ significantly at the level "
        f"{100 * level:g} %, by metric",
        columns=COLUMNS,
        plot=Plot(
            "bar",
            "metric",
            "share",
            series="by",
            panel="on" if len(chosen) > 1 else None,
            zero_y=True,
        ),
        # As Zhang & Vogel's Table 1.
        details={"systems": []},
    )
    for size in chosen:
        by_metric: dict[str, list[Record]] = {}
        for (of_size, _, label), record in records.items():
            if of_size == size:
                by_metric.setdefault(str(label), []).append(record)
        concluded = [
            _Conclusions(label, size, of_metric, alpha, correction)
            for label, of_metric in by_metric.items()
        ]
        for conclusions in concluded:
            result.rows.extend(_test_rows(conclusions, unit))
            result.details["systems"].extend(_system_rows(pool, pairs, conclusions))
        result.sentences.extend(_sentences(f"On {size:,} {unit}s", concluded, correction))
    return result


class _Conclusions(NamedTuple):
    """What one metric concluded on the samples of one size.

    Attributes:
        label: of the metric.
        size: units in a sample.
        records: of the samples.
        alpha: the significance level.
        correction: for all pairs.
    """

    label: str
    size: int
    records: Sequence[Record]
    alpha: float
    correction: str

    @property
    def intervals(self) -> base.Floats:
        """Medians and relative bounds, shaped (sample, value, system)."""
        return np.stack([base.from_record(record["relative"]) for record in self.records])

    def significant(self, test: str = "ar", correction: str | None = None) -> NDArray[np.bool_]:
        """Which pairs differ significantly, shaped (sample, pair)."""
        # A share of wins that means 0.05 is not quite that in floats, nor a multiple of it.
        limit = self.alpha * (1 + TIE_TOLERANCE)
        name = self.correction if correction is None else correction
        return np.stack([adjust(record[test], name) <= limit for record in self.records])

    @property
    def widths(self) -> base.Floats:
        """The systems' mean relative widths over samples."""
        return base.mean_of_known(self.intervals[:, base.HIGH] - self.intervals[:, base.LOW])

    @property
    def width(self) -> base.Row:
        """The mean relative width of all systems; None where none has one."""
        return base.or_none(width=float(base.mean_of_known(self.widths)))


def _test_rows(conclusions: _Conclusions, unit: str) -> Iterator[base.Row]:
    """How many pairs differ by each test, without and with the correction."""
    for test in TESTS:
        for correction in dict.fromkeys(("none", conclusions.correction)):
            significant = conclusions.significant(test, correction)
            share = base.mean_estimate(significant.mean(axis=1))
            low = None if share.low is None else max(0.0, share.low)
            high = None if share.high is None else min(1.0, share.high)
            corrected = "" if correction == "none" else f", {correction}"
            yield {
                "metric": conclusions.label,
                "size": conclusions.size,
                "samples": len(significant),
                "test": test,
                "correction": correction,
                "pairs": significant.shape[1],
                "significant": float(significant.sum(axis=1).mean()),
                **base.Estimate(share.value, low, high).cells("share"),
                **conclusions.width,
                "by": f"{base.STUDY_TESTS[test].title}{corrected}",
                "on": f"{conclusions.size} {unit}s",
            }


def _system_rows(
    pool: base.Pool, pairs: Sequence[Pair], conclusions: _Conclusions
) -> Iterator[base.Row]:
    """The systems' intervals, and from how many others each differs by randomization."""
    shares = conclusions.significant().mean(axis=0)
    means, widths = base.mean_of_known(conclusions.intervals), conclusions.widths
    for system, name in enumerate(pool.names):
        yield {
            "metric": conclusions.label,
            "size": conclusions.size,
            "system": name,
            "median": float(means[base.MEDIAN, system]),
            **base.or_none(
                low=means[base.LOW, system], high=means[base.HIGH, system], width=widths[system]
            ),
            "significant": float(
                sum(share for share, pair in zip(shares, pairs, strict=True) if system in pair)
            ),
        }


def _sentences(start: str, of_size: Sequence[_Conclusions], correction: str) -> Iterator[str]:
    """By which metric most pairs differ, and how wide intervals are."""
    shares = {conclusions.label: conclusions.significant().mean(axis=1) for conclusions in of_size}
    pairs = len(of_size[0].records[0]["ar"])
    corrected = "without correction" if correction == "none" else f"corrected ({correction})"
    order = sorted(shares, key=lambda metric: -float(shares[metric].mean()))
    amounts = ", ".join(
        f"{metric} {pairs * shares[metric].mean():.3g} ({percent(shares[metric].mean())})"
        for metric in order
    )
    yield (
        f"{start}, of {pairs} pairs these differ significantly by approximate randomization, "
        f"{corrected}: {amounts}."
    )
    for metric in order[1:] if len(shares[order[0]]) > 1 else ():
        more = base.mean_estimate(shares[order[0]] - shares[metric])
        sure = "clear" if (more.low or 0) > 0 else "within the error"
        yield f"{start}, {order[0]} finds {more} more of the pairs than {metric}: {sure}."
    if len(shares) > 1 and min(share.mean() for share in shares.values()) >= SATURATED:
        yield (
            f"{start} at least {100 * SATURATED:g} % of the pairs differ significantly by every "
            "metric; smaller samples (--sizes) show more of how metrics differ."
        )
    widths = {conclusions.label: conclusions.width["width"] for conclusions in of_size}
    known = sorted((width, metric) for metric, width in widths.items() if width is not None)
    without = [metric for metric, width in widths.items() if width is None]
    if known:
        words = ", ".join(f"{metric} {100 * width:.2f} %" for width, metric in known)
        yield f"{start} the mean widths of the intervals, of the score, are {words}."
    if without:
        yield f"{start} there is no relative interval of {', '.join(without)}: medians are 0."


def _samples(asked: Mapping[str, Any], pool: int, size: int) -> list[base.Sample]:
    """Samples of a size; there is one only of the whole, unless units may be drawn twice."""
    if size == pool and asked["sampling"] != "independent":
        return [np.arange(pool)]
    return base.draw_samples(asked["sampling"], pool, size, asked["samples"], asked["seed"])


def _p_values(
    pool: base.Pool,
    metric: int,
    pairs: Sequence[Pair],
    sample: base.Sample,
    index: int,
    settings: CompareSettings,
) -> Record:
    """The p-values of all pairs on one sample, by both tests, and the systems' intervals.

    Sample `index` has replicates of its own, so that no two make the same mistake.
    """
    statistics = pool.take(sample)[metric]
    replicates, seed = settings.replicates, settings.seed
    ((_, scores),) = base.resampled_scores([statistics], replicates, seed, index)
    by_test = base.Testing(TESTS, replicates, seed).conclusions(statistics, pairs, index)
    return {
        **{test: concluded.p.tolist() for test, concluded in by_test.items()},
        "relative": base.as_record(base.relative_intervals(scores, settings.level)),
    }
