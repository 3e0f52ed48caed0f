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
    if metric.higher_is_better is None:
        sentences = [_difference_sentence(pair) for pair in pairs]
    elif baseline is not None or len(pairs) == 1:
        sentences = [_pair_sentence(pair, metric) for pair in pairs]
    else:
        sentences = list(_cluster_sentences(metric, pairs))
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
        f"{TEST_NAMES[settings['test']]} over {units}, {samples}, seed {settings['seed']}, "
        f"level {settings['level']:g}{over}"
    )


def _pair_sentence(pair: PairResult, metric: MetricResult) -> str:
    amount = f"by {abs(pair.difference):.2f} {pair.metric}"
    bounds = f"[{pair.interval[0]:.2f}, {pair.interval[1]:.2f}]"
    if not pair.significant:
        return (
            f"{pair.a} and {pair.b} can't be told apart: they differ {amount} {bounds}, "
            f"p = {_p(pair.p_adjusted)}."
        )
    ahead = (pair.difference > 0) == metric.higher_is_better
    word = "better" if ahead else "worse"
    return f"{pair.a} is {word} than {pair.b} {amount} {bounds}, p = {_p(pair.p_adjusted)}."


def _difference_sentence(pair: PairResult) -> str:
    word = "differ" if pair.significant else "can't be told apart, differing"
    return (
        f"{pair.a} and {pair.b} {word} by {abs(pair.difference):.2f} {pair.metric}, "
        f"p = {_p(pair.p_adjusted)}."
    )


def _cluster_sentences(metric: MetricResult, pairs: Sequence[PairResult]) -> Iterator[str]:
    for place, cluster in enumerate(metric.clusters):
        below = sum(len(other) for other in metric.clusters[place + 1 :])
        if len(cluster) == 1:
            if below:
                yield f"{cluster[0]} is better than {_all_of(below, place)}."
            continue
        yield _group_sentence(cluster, pairs)
        if below:
            yield f"Each of them is better than {_all_of(below, place)}."


def _all_of(below: int, place: int) -> str:
    rest = "other system" if place == 0 else "system below"
    return f"every {rest}" if below > 1 else f"the {rest}"


def _group_sentence(cluster: Sequence[str], pairs: Sequence[PairResult]) -> str:
    names = _listed(cluster)
    inside = [pair for pair in pairs if pair.a in cluster and pair.b in cluster]
    apart = [pair for pair in inside if pair.significant]
    if not apart:
        return f"{names} can't be told apart."
    return (
        f"{names} can't be put in order: of {len(inside)} pairs of them {len(apart)} differ, "
        "the others can't be told apart."
    )


def _equivalence_sentences(comparison: Comparison, pairs: Sequence[PairResult]) -> list[str]:
    margin = comparison.settings["margin"]
    alpha = 1 - comparison.settings["level"]
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
    if not metric.decided:
        yield "Some p-values are too close to the level for so few samples; try --adaptive."
    if comparison.settings["test"] == "bootstrap-absolute":
        yield "This test rejects too often: it centres absolute differences."


def _p(p: float | None) -> str:
    if p is None:
        return "unknown"
    return f"{p:.4f}" if p >= 0.00005 else f"{p:.1e}"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
