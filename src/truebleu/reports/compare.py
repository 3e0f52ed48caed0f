"""What a comparison says, in sentences that can be quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.json import json_text
from truebleu.reports.table import RENDERERS, Column, Table
from truebleu.significance.corrections import CORRECTIONS
from truebleu.significance.optimizer_runs import RunComparison, SystemRunsResult
from truebleu.significance.tests import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.significance.compare import Comparison, MetricResult, PairResult, SystemResult


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
    kind = "swaps" if metric.exact else "replicates"
    count = f"{'all ' if metric.exact else ''}{metric.replicates:,} {kind}"
    comparisons = len(comparison.of(label))
    correction = CORRECTIONS[settings["correction"]].title
    over = f", {correction} for {comparisons} comparisons" if comparisons > 1 else ""
    return (
        f"{_side(settings['alternative'])}{TESTS[settings['test']].title} over {units}, {count}, "
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
        few = few if metric.exact else f"{metric.replicates:,} replicates"
        yield (
            f"With {few} nothing could be significant: the smallest possible "
            f"{_p_name(comparison, pairs[0].metric)} is {_p(metric.smallest_p)}."
        )
    elif not metric.decided:
        more = (
            "these are all that are made" if comparison.settings["adaptive"] else "try --adaptive"
        )
        yield f"Some p-values are too close to the level for so few replicates; {more}."
    if caution := TESTS[comparison.settings["test"]].caution:
        yield f"Beware of this test: {caution}."


def _alpha(comparison: Comparison) -> float:
    """The significance level; 1 - 0.9 is 0.09999999999999998 in floats, and means 0.1."""
    return round(1 - float(comparison.settings["level"]), 12)


def _p(p: float | None) -> str:
    if p is None:
        return "unknown"
    return f"{p:.4f}" if p >= 0.00005 else f"{p:.1e}"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


# A comparison as tables: systems with intervals and ranks, and the matrix of who beats whom.


# A matrix wider than this does not fit a page.
LARGEST_MATRIX = 40


def render_comparison(comparison: Comparison, format_: str = "text") -> str:
    """A comparison in one of FORMATS, ending with a line feed."""
    if format_ == "json":
        return json_text(comparison.to_dict())
    if format_ == "tsv":
        return RENDERERS["tsv"](pair_table(comparison))
    render = RENDERERS[format_]
    parts = []
    for label in comparison.metrics:
        parts.append(render(system_table(comparison, label)))
        if 2 < len(comparison.systems) <= LARGEST_MATRIX:
            parts.append(render(matrix_table(comparison, label)))
        if format_ != "latex":
            parts.append("\n".join(verdict(comparison, label)) + "\n")
    return "\n".join(parts)


def system_table(comparison: Comparison, label: str) -> Table:
    """A row per system: score, interval, difference to the best or the baseline, p and ranks."""
    level = f"{100 * comparison.settings['level']:g} %"
    against, digits = _against(comparison, label), comparison.metrics[label].digits
    columns = (
        Column("System"),
        Column(label, numeric=True),
        Column(f"{level} interval", numeric=True),
        Column(f"− {against}", numeric=True),
        Column("p", numeric=True),
        Column("adjusted p", numeric=True),
        Column("ranks", numeric=True),
        Column("best in", numeric=True),
        *_run_columns(comparison),
    )
    rows = tuple(
        _system_row(name, scores[label], _pair_with(comparison, label, name, against), digits)
        for name, scores in _by_score(comparison, label)
    )
    notes = (str(comparison.metrics[label].signature), method(comparison, label))
    return Table(columns, rows, notes)


def _run_columns(comparison: Comparison) -> tuple[Column, ...]:
    if not isinstance(comparison, RunComparison):
        return ()
    return (Column("s.d. of runs", numeric=True), Column("of segments", numeric=True))


def _run_cells(result: SystemResult, digits: int) -> tuple[str, ...]:
    """How much luck is in a run and how much in the choice of segments (Clark et al., 2011)."""
    if not isinstance(result, SystemRunsResult):
        return ()
    over_runs = result.spread_over_runs
    return (
        "" if over_runs is None else f"{over_runs:.{digits}f}",
        f"{result.spread_over_segments:.{digits}f}",
    )


def matrix_table(comparison: Comparison, label: str) -> Table:
    """> where the row's system beats the column's, < where it loses (Zhang & Vogel, Fig. 3)."""
    names = [name for name, _ in _by_score(comparison, label)]
    marks = {}
    for pair in comparison.of(label):
        mark = _mark(pair, comparison.metrics[label].higher_is_better)
        marks[pair.a, pair.b] = mark
        marks[pair.b, pair.a] = {">": "<", "<": ">"}.get(mark, mark)
    columns = (Column(""), Column("System"), *(Column(str(i + 1)) for i in range(len(names))))
    rows = tuple(
        (str(i + 1), name, *(marks.get((name, other), "") for other in names))
        for i, name in enumerate(names)
    )
    return Table(columns, rows)


def pair_table(comparison: Comparison) -> Table:
    """A row per comparison, with all its numbers."""
    headings = ("metric", "a", "b", "difference", "low", "high", "wins", "p", "p_se", "p_adjusted")
    rows = tuple(
        (
            pair.metric,
            pair.a,
            pair.b,
            *(
                repr(number)
                for number in (
                    pair.difference,
                    *pair.interval,
                    pair.wins,
                    pair.p,
                    pair.p_se,
                    pair.p_adjusted,
                )
            ),
            "yes" if pair.significant else "no",
        )
        for pair in comparison.comparisons
    )
    notes = tuple(str(metric.signature) for metric in comparison.metrics.values())
    columns = (*(Column(heading) for heading in headings), Column("significant"))
    return Table(columns, rows, notes)


def _by_score(comparison: Comparison, label: str) -> list[tuple[str, dict[str, SystemResult]]]:
    """The systems, best first; those of a metric without direction from high to low."""
    lower = comparison.metrics[label].higher_is_better is False
    systems = [(name, dict(scores)) for name, scores in comparison.systems.items()]
    return sorted(systems, key=lambda system: system[1][label].score * (1 if lower else -1))


def _against(comparison: Comparison, label: str) -> str:
    """The system that the others are measured against: the baseline, or the best."""
    baseline = comparison.settings["baseline"]
    return baseline if baseline is not None else _by_score(comparison, label)[0][0]


def _pair_with(
    comparison: Comparison, label: str, name: str, other: str
) -> tuple[PairResult, int] | None:
    """The comparison of two systems, and -1 where it was made the other way round."""
    for pair in comparison.of(label):
        if (pair.a, pair.b) == (name, other):
            return pair, 1
        if (pair.a, pair.b) == (other, name):
            return pair, -1
    return None


def _system_row(
    name: str, result: SystemResult, pair: tuple[PairResult, int] | None, digits: int
) -> tuple[str, ...]:
    difference = p = adjusted = ""
    if pair is not None:
        found, sign = pair
        # Adding 0 makes the 0 of equal systems positive whichever came first.
        difference = f"{sign * found.difference + 0.0:+.{digits}f}"
        p, adjusted = f"{found.p:.4f}", f"{found.p_adjusted:.4f}{'*' if found.significant else ''}"
    ranks, best = "", ""
    if result.rank_range is not None and result.p_best is not None:
        first, last = result.rank_range
        ranks = str(first) if first == last else f"{first}–{last}"
        best = f"{100 * result.p_best:.0f} %"
    low, high = result.interval
    return (
        name,
        f"{result.score:.{digits}f}",
        f"[{low:.{digits}f}, {high:.{digits}f}]",
        difference,
        p,
        adjusted,
        ranks,
        best,
        *_run_cells(result, digits),
    )


def _mark(pair: PairResult, higher_is_better: bool | None) -> str:
    if not pair.significant:
        return "~"
    ahead = (pair.difference > 0) == (higher_is_better is not False)
    return ">" if ahead else "<"
