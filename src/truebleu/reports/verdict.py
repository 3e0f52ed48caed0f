"""What a comparison says, in sentences that can be quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.inference.results import Comparison, MetricResult, PairResult

CORRECTION_NAMES = {
    "none": "no correction",
    "bonferroni": "Bonferroni's correction",
    "sidak": "Šidák's correction",
    "holm": "Holm's correction",
    "hochberg": "Hochberg's correction",
    "bh": "Benjamini and Hochberg's correction",
    "by": "Benjamini and Yekutieli's correction",
    "westfall-young": "Westfall and Young's correction",
    "tukey": "Tukey's honest significance test",
    "scheffe": "Scheffé's test",
}
TEST_NAMES = {
    "ar": "approximate randomization",
    "bootstrap": "the shifted bootstrap",
    "bootstrap-absolute": "the bootstrap of absolute differences",
}


def verdict(comparison: Comparison, label: str) -> list[str]:
    """The sentences about one metric."""
    metric, pairs = comparison.metrics[label], comparison.of(label)
    baseline = comparison.settings["baseline"]
    if metric.higher_is_better is None or baseline is not None or len(pairs) == 1:
        sentences = [_pair_sentence(comparison, pair, metric) for pair in pairs]
    else:
        sentences = list(_cluster_sentences(comparison, metric, pairs))
    sentences += _equivalence_sentences(comparison, pairs)
    sentences += [f"{pair.a} and {pair.b}: {pair.note}." for pair in pairs if pair.note]
    return [*sentences, *_caveats(comparison, metric, pairs)]


def method(comparison: Comparison, label: str) -> str:
    """How the tests were made, in one line."""
    settings, metric = comparison.settings, comparison.metrics[label]
    units = f"{settings['units']} {settings['unit']}s"
    samples = f"all {metric.samples:,} swaps" if metric.exact else f"{metric.samples:,} samples"
    comparisons = len(comparison.of(label))
    correction = CORRECTION_NAMES[settings["correction"]]
    over = f", {correction} for {comparisons} comparisons" if comparisons > 1 else ""
    return (
        f"{_side(settings['alternative'])}{TEST_NAMES[settings['test']]} over {units}, {samples}, "
        f"seed {settings['seed']}, level {settings['level']:g}{over}"
    )


def _side(alternative: str) -> str:
    return "" if alternative == "two-sided" else "one-sided "


def _pair_sentence(comparison: Comparison, pair: PairResult, metric: MetricResult) -> str:
    alternative = comparison.settings["alternative"]
    p = f"{_p_name(comparison, pair.metric)} = {_p(pair.p_adjusted)}"
    # The size of the difference and the interval around that size, whoever is ahead.
    low, high = pair.interval if pair.difference >= 0 else (-pair.interval[1], -pair.interval[0])
    amount = f"by {abs(pair.difference):.{metric.digits}f} {_bounds(pair, low, high, metric)}"
    if pair.significant:
        return f"{pair.a} {_relation(pair.difference, metric)} {pair.b} {amount}, {p}."
    if alternative == "two-sided":
        return f"{pair.a} and {pair.b} can't be told apart: they differ {amount}, {p}."
    # What the test asked: "greater" is ahead by a metric of which more is better.
    asked = 1 if (alternative == "greater") == (metric.higher_is_better is not False) else -1
    return (
        f"It is not shown that {pair.a} {_relation(asked, metric)} {pair.b}: the difference is "
        f"{pair.difference:+.{metric.digits}f} {_bounds(pair, *pair.interval, metric)}, {p}."
    )


def _bounds(pair: PairResult, low: float, high: float, metric: MetricResult) -> str:
    return f"{pair.metric} [{low:.{metric.digits}f}, {high:.{metric.digits}f}]"


def _relation(difference: float, metric: MetricResult) -> str:
    """How a system with so much more than another stands to it."""
    if metric.higher_is_better is None:
        return "is above" if difference > 0 else "is below"
    return "is better than" if (difference > 0) == metric.higher_is_better else "is worse than"


def _p_name(comparison: Comparison, label: str) -> str:
    many = len(comparison.of(label)) > 1 and comparison.settings["correction"] != "none"
    return "adjusted p" if many else "p"


def _cluster_sentences(
    comparison: Comparison, metric: MetricResult, pairs: Sequence[PairResult]
) -> Iterator[str]:
    two_sided = comparison.settings["alternative"] == "two-sided"
    for place, cluster in enumerate(metric.clusters):
        below = sum(len(other) for other in metric.clusters[place + 1 :])
        if len(cluster) == 1:
            if below:
                yield f"{cluster[0]} is better than {_all_of(below, place)}."
            continue
        yield _group_sentence(cluster, pairs, two_sided=two_sided)
        if below:
            yield f"Each of them is better than {_all_of(below, place)}."


def _all_of(below: int, place: int) -> str:
    rest = "other system" if place == 0 else "system below"
    return f"every {rest}" if below > 1 else f"the {rest}"


def _group_sentence(cluster: Sequence[str], pairs: Sequence[PairResult], *, two_sided: bool) -> str:
    names = _listed(cluster)
    inside = [pair for pair in pairs if pair.a in cluster and pair.b in cluster]
    apart = [pair for pair in inside if pair.significant]
    if not two_sided:
        return (
            f"{names} can't be put in order: each pair was tested in one direction only, and "
            f"{len(apart)} of {len(inside)} differ that way."
        )
    if not apart:
        return f"{names} can't be told apart."
    return (
        f"{names} can't be put in order: of {len(inside)} pairs of them {len(apart)} differ, "
        "the others can't be told apart."
    )


def _equivalence_sentences(comparison: Comparison, pairs: Sequence[PairResult]) -> list[str]:
    margin = comparison.settings["margin"]
    alpha = _alpha(comparison)
    return [
        f"{pair.a} and {pair.b} are equivalent within {margin:g} {pair.metric}, "
        f"p = {_p(pair.equivalence_p)}."
        for pair in pairs
        if pair.equivalence_p is not None and pair.equivalence_p <= alpha
    ]


def _caveats(
    comparison: Comparison, metric: MetricResult, pairs: Sequence[PairResult]
) -> Iterator[str]:
    if len(pairs) > 1:
        yield (
            f"Uncorrected, the chance of a false alarm somewhere in {len(pairs)} comparisons would "
            f"be up to {100 * metric.experimentwise_error:.0f} %."
        )
    if metric.smallest_p > _alpha(comparison):
        few = f"{comparison.settings['units']} {comparison.settings['unit']}s"
        few = few if metric.exact else f"{metric.samples:,} samples"
        yield (
            f"With {few} nothing could be significant: the smallest possible "
            f"{_p_name(comparison, pairs[0].metric)} is {_p(metric.smallest_p)}."
        )
    elif not metric.decided:
        more = (
            "these are all that are made" if comparison.settings["adaptive"] else "try --adaptive"
        )
        yield f"Some p-values are too close to the level for so few samples; {more}."
    if comparison.settings["test"] == "bootstrap-absolute":
        yield "This test rejects too often: it centres absolute differences."


def _alpha(comparison: Comparison) -> float:
    """The significance level; 1 - 0.9 is 0.09999999999999998 in floats, and means 0.1."""
    return round(1 - float(comparison.settings["level"]), 12)


def _p(p: float | None) -> str:
    if p is None:
        return "unknown"
    return f"{p:.4f}" if p >= 0.00005 else f"{p:.1e}"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
