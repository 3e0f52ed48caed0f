"""A comparison as a document: systems with ranks, who beats whom, and sentences to quote."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING

from truebleu.errors import SettingError, UnknownNameError
from truebleu.reports.document import (
    Chart,
    Column,
    Document,
    Heading,
    Plot,
    Sentences,
    Table,
    plain_columns,
    signature_lines,
)
from truebleu.reports.groups import comparison_blocks
from truebleu.reports.sentences import (
    LARGEST_SHARE,
    SWAP_RATIO,
    bootstrap_replicates,
    bracketed,
    listed,
    p_cell,
    p_equals,
    people_sentences,
    rank_range,
    relation,
    resampled,
    unit_sentences,
    widened_sentence,
)
from truebleu.significance.corrections import CORRECTIONS
from truebleu.significance.intervals import INTERVAL_METHODS
from truebleu.significance.tests import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.reports.document import Block, Row, Value
    from truebleu.significance.comparison import (
        Comparison,
        MetricResult,
        PairResult,
        SystemResult,
    )

# A matrix wider than this does not fit a page.
LARGEST_MATRIX = 40
# The numbers of a comparison, one column each.
PAIR_NUMBERS = (
    "difference",
    "low",
    "high",
    "simultaneous_low",
    "simultaneous_high",
    "wins",
    "p",
    "p_se",
    "p_adjusted",
    "significant",
    "equivalence_p",
    "equivalence_p_adjusted",
    "equivalent",
    "pooled_difference",
    "differing_units",
    "design_effect",
    "largest_share",
    "people_accuracy",
    "people_with_sampling",
)


def document(comparison: Comparison, columns: Sequence[str] | None = None) -> Document:
    """For each metric the systems, the matrix of who beats whom, and what that says.

    Args:
        comparison: the result.
        columns: what tables of systems show, of COLUMNS; None for what fits: all of them, or in
            papers the score alone.
    """
    blocks: list[Block] = []
    paper: list[Block] = [paper_table(comparison, columns or ("score",))]
    for label in comparison.metrics:
        blocks.append(system_table(comparison, label, columns))
        if 2 < len(comparison.systems) <= LARGEST_MATRIX and _shows_order(comparison, label):
            blocks.append(matrix_table(comparison, label))
        sentences = Sentences(tuple(verdict(comparison, label)))
        blocks.append(sentences)
        paper += [Heading(label), sentences] if len(comparison.metrics) > 1 else [sentences]
    effects = {
        label: [pair.design_effect for pair in comparison.of(label)] for label in comparison.metrics
    }
    unit = unit_sentences(comparison.test_set, comparison.settings, comparison.units, effects)
    if unit:
        blocks.append(Sentences(tuple(unit)))
        paper.append(Sentences(tuple(unit)))
    if comparison.groups:
        correction = CORRECTIONS[comparison.settings.p_value_correction].title
        of_groups = comparison_blocks(comparison, correction)
        blocks, paper = blocks + of_groups, paper + of_groups
    blocks.append(forest_chart(comparison))
    return Document(tuple(blocks), pair_table(comparison), tuple(paper))


# What a comparison says, in sentences that can be quoted.


def verdict(comparison: Comparison, label: str) -> list[str]:
    """The sentences about one metric."""
    metric, pairs = comparison.metrics[label], comparison.of(label)
    if not _decidable(comparison, metric):
        return list(_undecidable_sentences(comparison, metric, pairs))
    if _names_pairs(comparison, metric):
        sentences = [_pair_sentence(comparison, pair, metric) for pair in pairs]
    else:
        sentences = list(_cluster_sentences(comparison, metric, pairs))
    sentences += _equivalence_sentences(comparison, pairs)
    judged = [(pair.difference, pair.people) for pair in pairs]
    sentences += people_sentences(judged, label, metric.digits)
    sentences += [
        f"{pair.a} and {pair.b}: {_note(comparison, pair)}." for pair in pairs if pair.note
    ]
    return [*sentences, *_caveats(comparison, metric, pairs)]


def method(comparison: Comparison, label: str) -> str:
    """How the tests and intervals were made, in one line: every choice that changes a number."""
    settings, metric = comparison.settings, comparison.metrics[label]
    side = "" if settings.alternative == "two-sided" else "one-sided "
    over_runs = ""
    if comparison.runs is not None and settings.about is not None:
        runs = len(next(iter(comparison.runs.values())))
        over_runs = f" and {runs} runs of each system, about {settings.about.replace('-', ' ')}"
    kind = "swaps" if metric.exact else "replicates"
    count = f"{'all ' if metric.exact else ''}{metric.replicates:,} {kind}"
    if metric.replicates == 0:
        count = f"{settings.replicates:,} replicates for the shares of best"
    comparisons = len(comparison.of(label))
    correction = CORRECTIONS[settings.correction]
    units = resampled(settings, comparison.units)
    if correction.basis == "segment scores":
        tested = f"{correction.title} over {units}, {comparisons} comparisons"
    else:
        over = f", {correction.title} for {comparisons:,} comparisons" if comparisons > 1 else ""
        tested = f"{side}{TESTS[settings.test].title} over {units}{over_runs}, {count}{over}"
    interval = INTERVAL_METHODS[settings.interval].title
    made = f"{interval} intervals, {bootstrap_replicates(settings)}"
    return f"{tested}; {made}; level {settings.level:g}, seed {settings.seed}"


def _names_pairs(comparison: Comparison, metric: MetricResult) -> bool:
    """Whether each comparison has a sentence of its own, instead of groups of systems."""
    few = comparison.settings.baseline is not None or len(comparison.systems) == 2
    return few or metric.higher_is_better is None


def _decidable(comparison: Comparison, metric: MetricResult) -> bool:
    """Whether any difference, however clear, could have been significant."""
    return metric.smallest_p <= comparison.settings.alpha


def _undecidable_sentences(
    comparison: Comparison, metric: MetricResult, pairs: Sequence[PairResult]
) -> Iterator[str]:
    """No verdict: the settings or the size of the test set leave none."""
    settings = comparison.settings
    few = f"{comparison.units} {settings.unit}s"
    few = few if metric.exact else f"{metric.replicates:,} replicates"
    yield (
        f"No verdict: with {few} nothing could be significant, the smallest possible "
        f"{p_equals(_p_name(comparison, pairs[0].metric), metric.smallest_p)}."
    )
    if len(pairs) == 1:
        (pair,) = pairs
        bounds = _bounds(pair, *pair.interval, metric)
        yield f"{pair.a} − {pair.b}: {pair.difference:+.{metric.digits}f} {bounds}."


def _shows_order(comparison: Comparison, label: str) -> bool:
    """Whether ranks and the matrix mean anything: all pairs were compared and could be decided."""
    metric = comparison.metrics[label]
    return comparison.settings.baseline is None and _decidable(comparison, metric)


def _note(comparison: Comparison, pair: PairResult) -> str:
    if pair.note == "identical":
        return f"{pair.metric} counts the same in every unit of both"
    return (
        f"they differ in {pair.differing_units:,} of {comparison.units:,} "
        f"{comparison.settings.unit}s, too few for any difference to be significant"
    )


def _pair_sentence(comparison: Comparison, pair: PairResult, metric: MetricResult) -> str:
    alternative = comparison.settings.alternative
    p = p_equals(_p_name(comparison, pair.metric), pair.p_adjusted)
    # The size of the difference and the interval around that size, whoever is ahead.
    low, high = pair.simultaneous_interval or pair.interval
    low, high = (low, high) if pair.difference >= 0 else (-high, -low)
    amount = f"by {abs(pair.difference):.{metric.digits}f} {_bounds(pair, low, high, metric)}"
    if pair.significant:
        stands = relation(pair.difference, metric.higher_is_better)
        return f"{pair.a} {stands} {pair.b} {amount}, {p}."
    if alternative == "two-sided":
        return f"{pair.a} and {pair.b} can't be told apart: they differ {amount}, {p}."
    # What the test asked: "greater" is ahead by a higher-is-better metric.
    asked = 1 if (alternative == "greater") == (metric.higher_is_better is not False) else -1
    stands = relation(asked, metric.higher_is_better)
    return (
        f"It is not shown that {pair.a} {stands} {pair.b}: the difference is "
        f"{pair.difference:+.{metric.digits}f} "
        f"{_bounds(pair, *(pair.simultaneous_interval or pair.interval), metric)}, {p}."
    )


def _bounds(pair: PairResult, low: float, high: float, metric: MetricResult) -> str:
    return f"{pair.metric} {bracketed((low, high), metric.digits)}"


def _p_name(comparison: Comparison, label: str) -> str:
    many = len(comparison.of(label)) > 1 and comparison.settings.correction != "none"
    return "adjusted p" if many else "p"


def _cluster_sentences(
    comparison: Comparison, metric: MetricResult, pairs: Sequence[PairResult]
) -> Iterator[str]:
    two_sided = comparison.settings.alternative == "two-sided"
    for place, cluster in enumerate(metric.clusters):
        below = sum(len(other) for other in metric.clusters[place + 1 :])
        if len(cluster) == 1:
            if below:
                yield f"{cluster[0]} is better than {_all_of(below, place)}."
            continue
        yield _group_sentence(cluster, pairs, two_sided=two_sided)
        if below:
            yield f"Each of these {len(cluster)} is better than {_all_of(below, 1)}."


def _all_of(below: int, place: int) -> str:
    rest = "other system" if place == 0 else "system below"
    return f"every {rest}" if below > 1 else f"the {rest}"


def _group_sentence(cluster: Sequence[str], pairs: Sequence[PairResult], *, two_sided: bool) -> str:
    names = listed(cluster)
    inside = [pair for pair in pairs if pair.a in cluster and pair.b in cluster]
    differing = sum(pair.significant for pair in inside)
    if not two_sided:
        return (
            f"{names} have no clear order: each pair was tested in one direction only, and "
            f"{differing} of {len(inside)} differ that way."
        )
    if not differing:
        return f"{names} can't be told apart."
    return f"{names} have no clear order ({differing} of {len(inside)} pairs differ significantly)."


def _equivalence_sentences(comparison: Comparison, pairs: Sequence[PairResult]) -> list[str]:
    settings = comparison.settings
    if settings.margin is None:
        return []
    within = f"within {settings.margin:g} {pairs[0].metric}"
    many = len(pairs) > 1 and settings.correction != "none"
    name = "adjusted p" if many else "p"
    sentences = [
        f"{pair.a} and {pair.b} are equivalent {within}, "
        f"{p_equals(name, pair.equivalence_p_adjusted)}."
        for pair in pairs
        if pair.equivalent and pair.equivalence_p_adjusted is not None
    ]
    if not sentences:
        whom = f"{pairs[0].a} and {pairs[0].b} are" if len(pairs) == 1 else "any two systems are"
        sentences = [f"It is not shown that {whom} equivalent {within}."]
    if many:
        correction = CORRECTIONS[settings.p_value_correction].title
        sentences.append(
            f"Equivalence is tested in {len(pairs)} pairs, by two one-sided tests and {correction}."
        )
    return sentences


def _caveats(
    comparison: Comparison, metric: MetricResult, pairs: Sequence[PairResult]
) -> Iterator[str]:
    settings, correction = comparison.settings, CORRECTIONS[comparison.settings.correction]
    if len(pairs) > 1:
        yield (
            f"Uncorrected, the chance of a false alarm somewhere in {len(pairs):,} comparisons "
            f"would be up to {100 * metric.experimentwise_error:.0f} %."
        )
        if _names_pairs(comparison, metric) and pairs[0].simultaneous_interval is not None:
            yield (
                f"The intervals of differences are simultaneous: all {len(pairs):,} hold at once "
                f"with {100 * settings.level:g} % confidence."
            )
        if not correction.assumes_nothing:
            title = f"{correction.title[0].upper()}{correction.title[1:]}"
            yield f"{title} assumes {correction.assumption}."
    if not metric.decided:
        more = "these are all that are made" if settings.adaptive else "try --adaptive"
        yield f"Some p-values are too close to the level for so few replicates; {more}."
    label = pairs[0].metric
    bent = [name for name, by in comparison.systems.items() if by[label].is_widened]
    bent += [f"{pair.a} − {pair.b}" for pair in pairs if pair.is_widened]
    yield from widened_sentence(bent, settings)
    yield from _share_sentences(comparison, pairs)
    yield from _swap_sentences(comparison, pairs)
    yield from _about(comparison)
    if caution := TESTS[settings.test].caution:
        yield f"Beware of this test: {caution}."


def _about(comparison: Comparison) -> Iterator[str]:
    """What a verdict on systems with several runs is about."""
    about = comparison.settings.about
    if comparison.runs is None or about is None:
        return
    runs = len(next(iter(comparison.runs.values())))
    if about == "further-runs":
        yield (
            "This is about further runs of these systems: segments and runs both count as samples. "
            f"With {runs} runs of each, only differences well above the spread of the runs can be "
            "significant; --about these-runs asks about these outputs alone."
        )
        return
    yield (
        "This is about these runs only: further runs of the same systems may turn out otherwise, "
        "and --about further-runs takes that into account."
    )


def _share_sentences(comparison: Comparison, pairs: Sequence[PairResult]) -> Iterator[str]:
    """Whether single units carry so much of the variance that no interval holds."""
    shares = [
        (pair.largest_share, pair)
        for pair in pairs
        if pair.largest_share is not None and pair.largest_share > LARGEST_SHARE
    ]
    if not shares or comparison.units < 1 / LARGEST_SHARE:
        return
    share, pair = max(shares, key=itemgetter(0))
    unit = comparison.settings.unit
    more = f"{len(shares) - 1:,} other comparison" + ("s" if len(shares) > 2 else "")
    others = f" (and over {100 * LARGEST_SHARE:.0f} % in {more})" if len(shares) > 1 else ""
    yield (
        f"One {unit} carries {100 * share:.0f} % of the variance of the difference between "
        f"{pair.a} and {pair.b}{others}: their intervals can be too narrow; look at that {unit}."
    )


def _swap_sentences(comparison: Comparison, pairs: Sequence[PairResult]) -> Iterator[str]:
    """Where swaps make two systems more alike than samples would, and p is near the level."""
    test, alpha = TESTS[comparison.settings.test], comparison.settings.alpha
    ratios = [
        (pair.swap_ratio, pair)
        for pair in pairs
        if pair.swap_ratio is not None and pair.swap_ratio < SWAP_RATIO
        if pair.significant and _without_swaps(pair.p_adjusted, pair.swap_ratio) > alpha / 2
    ]
    if not ratios or test.source != "swaps" or test.studentized:
        return
    ratio, pair = min(ratios, key=itemgetter(0))
    more = len(ratios) - 1
    others = f" (and {more:,} other {'pair' if more == 1 else 'pairs'})" if more else ""
    rate = 100 * _without_swaps(alpha, ratio)
    yield (
        f"Outputs of {pair.a} and {pair.b}{others} differ in what a match is worth to them, as "
        f"where one is short and the other long: randomization is too quick there (about "
        f"{rate:.0f} % false alarms at {100 * alpha:g} %) and p is close to the level; --test "
        "studentized keeps closer to it."
    )


def _without_swaps(p: float, ratio: float) -> float:
    """What a p-value by swaps would be, if swaps varied as much as samples do."""
    from statistics import NormalDist  # it loads fractions and decimals

    normal = NormalDist()
    return 2 * normal.cdf(normal.inv_cdf(max(p, 1e-300) / 2) * ratio**0.5)


# Tables: systems with intervals and ranks, who beats whom, and every pair with all its numbers.


#: What a table can show of a system, beside its name.
COLUMNS = ("score", "interval", "difference", "p", "adjusted-p", "ranks", "best", "runs")


def require_columns(names: Sequence[str]) -> tuple[str, ...]:
    """The names of columns, refused where one is none of COLUMNS."""
    for name in names:
        if name not in COLUMNS:
            raise UnknownNameError("column", name, COLUMNS)
    return tuple(names)


def system_table(comparison: Comparison, label: str, columns: Sequence[str] | None = None) -> Table:
    """A row per system: score, interval, difference to the best or the baseline, p and ranks."""
    shown = (Column("system", "System"), *_columns(comparison, label, columns))
    pairs = _pairs_with(comparison, label, _against(comparison, label))
    rows = tuple(
        _system_row(name, result, pairs.get(name), comparison.metrics[label].digits)
        for name, result in _by_score(comparison, label)
    )
    notes = (*signature_lines([comparison.metrics[label].signature]), method(comparison, label))
    return Table(shown, rows, notes)


def _columns(comparison: Comparison, label: str, chosen: Sequence[str] | None) -> list[Column]:
    """The columns that a comparison has by one metric, in the order of choice."""
    digits = comparison.metrics[label].digits
    correction = CORRECTIONS[comparison.settings.correction]
    there: dict[str, list[Column]] = {
        "score": [Column("score", label, digits)],
        "interval": [
            Column("interval", f"{100 * comparison.settings.level:g} % interval", numeric=True)
        ],
        "difference": [
            Column(
                "difference", f"− {_against(comparison, label)}", digits, sign=True, numeric=True
            )
        ],
    }
    if correction.basis == "segment scores":
        # A test of its own: another test's p beside it would be no smaller step of the same thing.
        title = f"{correction.short_title}'s p"
        there["adjusted-p"] = [Column("p_adjusted", title, numeric=True)]
    else:
        there["p"] = [Column("p", "p", numeric=True)]
        there["adjusted-p"] = [Column("p_adjusted", "adjusted p", numeric=True)]
    if _shows_order(comparison, label):
        there["ranks"] = [Column("ranks", "ranks", numeric=True)]
        there["best"] = [Column("p_best", "best in", 0, percent=True, numeric=True)]
    if comparison.runs is not None:
        # How much luck is in a run and how much in the choice of segments (Clark et al. 2011).
        there["runs"] = [
            Column("sd_of_runs", "s.d. of runs", digits, numeric=True),
            Column("sd_of_segments", "of segments", digits, numeric=True),
        ]
    names = list(there) if chosen is None else list(dict.fromkeys(require_columns(chosen)))
    lacking = [name for name in names if name not in there]
    if lacking:
        expected = f"columns that this comparison has: {', '.join(there)}"
        raise SettingError("columns", ",".join(lacking), expected)
    return [column for name in names for column in there[name]]


# Better and worse than the baseline.
BETTER, WORSE = "†", "‡"


def paper_table(comparison: Comparison, columns: Sequence[str] = ("score",)) -> Table:
    """Systems × metrics for a paper: the best in bold, and marks of significance or rules.

    With a baseline, that stands first, and a mark says which scores differ from its own. Without
    one, rules separate the clusters of systems by the first metric.
    """
    labels, baseline = list(comparison.metrics), comparison.settings.baseline
    first = labels[0]
    names = [name for name, _ in _by_score(comparison, first)]
    shown = [Column("system", "System")]
    for label in labels:
        for column in _columns(comparison, label, columns):
            of_metric = replace(column, name=f"{label} {column.name}")
            if column.name == "score":
                of_metric = replace(of_metric, bold=f"{label} best", mark=f"{label} mark")
            shown.append(of_metric)
    begins = {cluster[0] for cluster in comparison.metrics[first].clusters}
    if baseline is not None:
        names = [baseline, *(name for name in names if name != baseline)]
        begins = {names[1]}
    best = {label: _best(comparison, label) for label in labels}
    pairs = {label: _pairs_with(comparison, label, _against(comparison, label)) for label in labels}
    rows = []
    for name in names:
        row: dict[str, Value] = {"system": name, "rule": name in begins}
        for label in labels:
            pair, metric = pairs[label].get(name), comparison.metrics[label]
            values = _system_row(name, comparison.systems[name][label], pair, metric.digits)
            row |= {f"{label} {key}": value for key, value in values.items()}
            row[f"{label} best"] = name in best[label]
            row[f"{label} mark"] = _paper_mark(comparison, label, pair)
        rows.append(row)
    notes = [
        _legend(comparison, first),
        *signature_lines(metric.signature for metric in comparison.metrics.values()),
    ]
    notes += [f"{label}: {method(comparison, label)}" for label in labels]
    return Table(tuple(shown), tuple(rows), tuple(notes), rule="rule")


def _best(comparison: Comparison, label: str) -> frozenset[str]:
    """The systems with the best score as it is printed; none by a metric without direction."""
    metric = comparison.metrics[label]
    if metric.higher_is_better is None:
        return frozenset()
    _, best = _by_score(comparison, label)[0]
    shown = round(best.score, metric.digits)
    return frozenset(
        name
        for name, scores in comparison.systems.items()
        if round(scores[label].score, metric.digits) == shown
    )


def _paper_mark(
    comparison: Comparison, label: str, compared: tuple[PairResult, int] | None
) -> str | None:
    higher_is_better = comparison.metrics[label].higher_is_better
    if comparison.settings.baseline is None or higher_is_better is None or compared is None:
        return None
    pair, sign = compared
    if not pair.significant:
        return None
    return BETTER if (sign * pair.difference > 0) == higher_is_better else WORSE


def _legend(comparison: Comparison, first: str) -> str:
    """What bold print, marks and rules mean."""
    settings, legend = comparison.settings, "Bold: best."
    if settings.baseline is not None:
        p = _p_name(comparison, first)
        return (
            f"{legend} {BETTER} better and {WORSE} worse than {settings.baseline}, "
            f"{p} ≤ {settings.alpha:g}."
        )
    if len(comparison.metrics[first].clusters) > 1:
        rules = f"Rules separate clusters by {first}: each system is better than all below the rule"
        return f"{legend} {rules}, {_p_name(comparison, first)} ≤ {settings.alpha:g}."
    return legend


def _system_row(
    name: str, result: SystemResult, pair: tuple[PairResult, int] | None, digits: int
) -> dict[str, Value]:
    row: dict[str, Value] = {
        "system": name,
        "score": result.score,
        "interval": bracketed(result.interval, digits),
        "ranks": "",
        "p_best": "" if result.p_best is None else result.p_best,
    }
    if pair is None:
        row |= {"difference": "", "p": "", "p_adjusted": ""}
    else:
        compared, sign = pair
        mark = "*" if compared.significant else ""
        row |= {
            "difference": sign * compared.difference,
            "p": p_cell(compared.p),
            "p_adjusted": f"{p_cell(compared.p_adjusted)}{mark}",
        }
    if result.rank_range is not None:
        row["ranks"] = rank_range(result.rank_range)
    if result.runs is not None:
        over_runs = result.runs.sd_of_runs
        row |= {
            "sd_of_runs": "" if over_runs is None else over_runs,
            "sd_of_segments": result.runs.sd_of_segments,
        }
    return row


def matrix_table(comparison: Comparison, label: str) -> Table:
    """> where the row's system beats the column's, < where it loses (Zhang & Vogel, Fig. 3)."""
    names = [name for name, _ in _by_score(comparison, label)]
    marks = {}
    for pair in comparison.of(label):
        mark = _mark(pair, comparison.metrics[label].higher_is_better)
        marks[pair.a, pair.b] = mark
        marks[pair.b, pair.a] = {">": "<", "<": ">"}.get(mark, mark)
    numbers = [str(number) for number in range(1, len(names) + 1)]
    columns = (
        Column("number", ""),
        Column("system", "System"),
        *(Column(number, number, numeric=False, tight=True) for number in numbers),
    )
    rows = tuple(
        {
            "number": number,
            "system": name,
            **{
                other: marks.get((name, named), "")
                for other, named in zip(numbers, names, strict=True)
            },
        }
        for number, name in zip(numbers, names, strict=True)
    )
    return Table(columns, rows)


def pair_table(comparison: Comparison) -> Table:
    """A row per comparison, with all its numbers."""
    rows = [_pair_row(pair) for pair in comparison.comparisons]
    for group in comparison.groups:
        of_group: dict[str, Value] = {"by": group.column, "group": group.label}
        rows += [{**of_group, **_pair_row(pair)} for pair in group.comparisons]
    # Columns without any value are those of what was not asked for.
    hidden: tuple[str, ...] = ()
    if CORRECTIONS[comparison.settings.correction].basis == "segment scores":
        hidden = ("p", "p_se")  # of another test than the adjusted p
    numbers = [
        name
        for name in PAIR_NUMBERS
        if name not in hidden and any(row[name] is not None for row in rows)
    ]
    grouped = ("by", "group") if comparison.groups else ()
    columns = plain_columns(*grouped, "metric", "a", "b", *numbers)
    signatures = signature_lines(metric.signature for metric in comparison.metrics.values())
    return Table(columns, tuple(rows), tuple(signatures))


def _pair_row(pair: PairResult) -> dict[str, Value]:
    return {
        "metric": pair.metric,
        "a": pair.a,
        "b": pair.b,
        **{name: getattr(pair, name, None) for name in PAIR_NUMBERS},
        "low": pair.interval[0],
        "high": pair.interval[1],
        "simultaneous_low": (pair.simultaneous_interval or (None, None))[0],
        "simultaneous_high": (pair.simultaneous_interval or (None, None))[1],
        "people_accuracy": None if pair.people is None else pair.people.accuracy,
        "people_with_sampling": None if pair.people is None else pair.people.with_sampling,
    }


def _by_score(comparison: Comparison, label: str) -> list[tuple[str, SystemResult]]:
    """The systems, best first; those of a metric without direction from high to low."""
    lower = comparison.metrics[label].higher_is_better is False
    systems = [(name, scores[label]) for name, scores in comparison.systems.items()]
    return sorted(systems, key=lambda system: system[1].score * (1 if lower else -1))


def _against(comparison: Comparison, label: str) -> str:
    """The system that the others are measured against: the baseline, or the best."""
    baseline = comparison.settings.baseline
    return baseline if baseline is not None else _by_score(comparison, label)[0][0]


def _pairs_with(
    comparison: Comparison, label: str, other: str
) -> dict[str, tuple[PairResult, int]]:
    """Each system's comparison with another, and -1 where it was made the other way round."""
    return {
        pair.a if pair.b == other else pair.b: (pair, 1 if pair.b == other else -1)
        for pair in comparison.of(label)
        if other in (pair.a, pair.b)
    }


def _mark(pair: PairResult, higher_is_better: bool | None) -> str:
    if not pair.significant:
        return "~"
    ahead = (pair.difference > 0) == (higher_is_better is not False)
    return ">" if ahead else "<"


# The chart: scores, and differences to the best system or the baseline, with their intervals.

KINDS = SCORE, DIFFERS, UNDECIDED, AGAINST = (
    "score",
    "difference, significant",
    "difference, not significant",
    "what others are measured against",
)


def _point(
    system: str, kind: str, value: float, bounds: Sequence[float | None] = (None, None)
) -> dict[str, Value]:
    low, high = bounds
    return {"system": system, "kind": kind, "value": value, "low": low, "high": high}


def forest_chart(comparison: Comparison) -> Chart:
    """Systems from the best down, with scores on the left and differences on the right."""
    rows: list[Row] = []
    first = next(iter(comparison.metrics))
    order = [name for name, _ in _by_score(comparison, first)]
    simultaneous = False
    for label, metric in comparison.metrics.items():
        against = _against(comparison, label)
        pairs = _pairs_with(comparison, label, against)
        lower = " (lower is better)" if metric.higher_is_better is False else ""
        scored: dict[str, Value] = {
            "panel": f"{label} of each system",
            "measured": f"{label}{lower}",
        }
        differs: dict[str, Value] = {
            "panel": f"Difference to {against}",
            "measured": f"Difference of {label}{lower}",
            "zero": 0.0,
        }
        if len(comparison.metrics) > 1:
            differs["panel"] = f"{label}: difference to {against}"
        for name in order:
            result = comparison.systems[name][label]
            rows.append(scored | _point(name, SCORE, result.score, result.interval))
        for name in order:
            if name not in pairs:
                rows.append(differs | _point(name, AGAINST, 0.0))
                continue
            pair, sign = pairs[name]
            simultaneous = simultaneous or pair.simultaneous_interval is not None
            bounds = pair.simultaneous_interval or pair.interval
            kind = DIFFERS if pair.significant else UNDECIDED
            turned = sorted(sign * bound for bound in bounds)
            rows.append(differs | _point(name, kind, sign * pair.difference, turned))
    columns = (
        Column("system", "System"),
        Column("value", "Score"),
        Column("low", "low"),
        Column("high", "high"),
        Column("kind", "Points"),
        Column("zero", "no difference"),
    )
    together = ", those of differences simultaneous" if simultaneous else ""
    plot = Plot(
        "point",
        "system",
        "value",
        errors=("low", "high"),
        interval=f"{100 * comparison.settings.level:g} % intervals{together}",
        series="kind",
        series_order=KINDS,
        panel="panel",
        y_heading="measured",
        reference_field="zero",
        horizontal=True,
        shared_y=False,
    )
    sentences = [line for label in comparison.metrics for line in verdict(comparison, label)]
    title = f"{len(order)} systems by {', '.join(comparison.metrics)}"
    if len(order) == 2:
        title = f"{order[0]} and {order[1]} by {', '.join(comparison.metrics)}"
    return Chart(
        title=title, table=Table(columns, tuple(rows)), plot=plot, sentences=tuple(sentences)
    )
