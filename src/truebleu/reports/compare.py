"""A comparison as a document: the verdict, one table of systems, and how it was tested."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

from truebleu import _core
from truebleu.reports import document as doc
from truebleu.reports.groups import comparison_blocks
from truebleu.reports.paper_table import BETTER, BOLD, WORSE, PaperColumn, paper_table
from truebleu.reports.percent import comparison_in_percent, fixed_and_broken, unit
from truebleu.reports.words import words_of
from truebleu.schema import row_of
from truebleu.significance.corrections import CORRECTIONS
from truebleu.significance.intervals import INTERVAL_METHODS
from truebleu.significance.pairs import ENOUGH_DIFFERING
from truebleu.significance.tests import TESTS, BootstrapTest, SwapTest
from truebleu.significance.unit_counts import ENOUGH_ZEROS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.reports.document import Block, Row, Value
    from truebleu.reports.words import Words
    from truebleu.significance.compare import Comparison, MetricResult, PairResult, SystemResult
    from truebleu.significance.pairs import DifferenceBounds

# Maximum number of comparisons with a baseline that get a sentence each.
MOST_SENTENCES = 4
# Maximum number of systems in a headline.
MOST_NAMES = 5
# Maximum number of metrics whose intervals of scores are shown without details.
METRICS_WITH_INTERVALS = 2
# Maximum number of characters of a baseline that papers tag as such in the table, too.
LONGEST_TAGGED = 9


def document(comparison: Comparison, *, details: bool = False) -> doc.Document:
    """Lay out the verdict by each metric, the systems, and the methods.

    Args:
        comparison: result of `compare`.
        details: True to show all tables and cautions.
    """
    data, comparison = pair_table(comparison), comparison_in_percent(comparison)
    paper = system_table(comparison) if details else table_for_papers(comparison)
    blocks: list[Block] = [
        doc.Sentences(tuple(verdicts(comparison))),
        replace(system_table(comparison, details=details), paper=paper),
        doc.Notes(tuple(evidence(comparison))),
        *(_details(comparison) if details else ()),
    ]
    if comparison.groups:
        correction = CORRECTIONS[comparison.settings.p_value_correction].title
        blocks += comparison_blocks(comparison, correction)
    return doc.Document((*blocks, forest_chart(comparison)), data)


def _words(comparison: Comparison) -> Words:
    return words_of(comparison.test_set.rows)


# The verdict, in sentences that can be quoted.


def verdicts(comparison: Comparison) -> list[str]:
    """State the verdict by the primary metric, and differences by other metrics for information.

    Without a primary metric, or corrected over metrics, state the verdict by each metric. If three
    metrics had a verdict each, equal systems would be called different twice as often as the level
    says.
    """
    primary, labels = comparison.settings.primary, list(comparison.metrics)
    if primary is None or comparison.settings.correct_over == "metrics":
        lines = (line for label in labels for line in verdict(comparison, label))
        return [*dict.fromkeys(lines)]
    others = [label for label in labels if label != primary]
    return [*verdict(comparison, primary), _other_metrics(comparison, primary, others)]


def _unit(comparison: Comparison, label: str) -> str:
    return unit(label, percent=comparison.metrics[label].percent)


def _other_metrics(comparison: Comparison, primary: str, others: Sequence[str]) -> str:
    """State the differences by other metrics, which do not decide the verdict."""
    shown = f"{doc.join_names(others)} {'is' if len(others) == 1 else 'are'} shown for information"
    if len(comparison.of(primary)) == 1:
        parts = []
        for label in others:
            (pair,), digits = comparison.of(label), comparison.metrics[label].digits
            bounds = doc.bracketed(pair.interval, digits, sign="+")
            parts.append(f"{pair.difference:+.{digits}f} {_unit(comparison, label)} {bounds}")
        shown = f"for information, {pair.a} − {pair.b} is {doc.join_names(parts)}"
    return f"The verdict uses {primary} only; {shown} (--correct-over metrics tests all of them)."


def verdict(comparison: Comparison, label: str) -> list[str]:
    """State the verdict by one metric and its cautions."""
    metric, pairs = comparison.metrics[label], comparison.of(label)
    settings, words = comparison.settings, _words(comparison)
    if metric.smallest_p > settings.alpha:
        units = f"{comparison.units} {words.units(settings.unit)}"
        few = units if metric.exact else f"{metric.replicates:,} replicates"
        p = doc.p_equals("smallest possible p", metric.smallest_p)
        return [f"No verdict: with {few} no difference can be significant ({p})."]
    named = pairs
    if settings.baseline is None and len(comparison.systems) > 2:
        leader = by_score(comparison, label)[0][0]
        named = tuple(pair for pair in pairs if leader in (pair.a, pair.b))
        sentences = [_headline(comparison, label)]
    elif len(pairs) <= MOST_SENTENCES:
        # The largest significant difference first.
        ordered = sorted(pairs, key=lambda pair: (not pair.significant, -abs(pair.difference)))
        sentences = [pair_sentence(comparison, pair) for pair in ordered]
    else:
        lost = [pair.a for pair in pairs if pair.p <= settings.alpha and not pair.significant]
        sentences = [_against_baseline(comparison, label)]
        sentences += doc.lost_to_correction(lost, len(pairs))
    sentences += _equivalence(comparison, pairs)
    if len(pairs) == 1:
        (pair,) = pairs
        if pair.fixed is not None:
            is_better = pair.significant > is_second_better(comparison, pair)
            is_first_new = settings.baseline is not None or is_better
            items = comparison.test_set.segments
            sentences.append(fixed_and_broken(pair, items, is_first_new=is_first_new))
        if pair.people is not None:
            people = doc.people_sentence(pair.difference, pair.people, label, metric.digits)
            sentences.append(people)
    return [*sentences, *_cautions(comparison, metric, named)]


def pair_sentence(comparison: Comparison, pair: PairResult) -> str:
    """State which system is better and by how much, with the interval and p of the test."""
    metric, settings = comparison.metrics[pair.metric], comparison.settings
    many, of_unit = len(comparison.of(pair.metric)), _unit(comparison, pair.metric)
    # The size of the difference and the interval around that size, whoever is ahead.
    bounds = doc.bracketed(pair_bounds(pair, 1 if pair.difference >= 0 else -1), metric.digits)
    amount = f"by {abs(pair.difference):.{metric.digits}f} {of_unit} {bounds}"
    first, second, difference = pair.a, pair.b, pair.difference
    test = TESTS[settings.test]
    if isinstance(test, BootstrapTest) and test.counts_wins:
        share = f"in {100 * max(pair.wins, 1 - pair.wins):.1f} % of the replicates"
        if pair.significant:
            relation = doc.relation(difference, metric.higher_is_better)
            return f"{first} {relation} {second} {amount}: so {share}."
        return f"{first} and {second} can't be told apart: one is better {amount} {share}."
    over_metrics = settings.correct_over == "metrics"
    if pair.significant:
        if is_second_better(comparison, pair):
            first, second, difference = second, first, -difference
        relation = doc.relation(difference, metric.higher_is_better)
        corrected = (many > 1 or over_metrics) and settings.correction != "none"
        p = doc.p_equals("adjusted p" if corrected else "p", pair.p_adjusted)
        return f"{first} {relation} {second} {amount}, {p}."
    p = doc.p_equals("p", pair.p)
    if pair.uncorrected_interval is not None:
        p = doc.p_equals("adjusted p", pair.p_adjusted)
        if pair.p <= settings.alpha:
            many *= len(comparison.metrics) if over_metrics else 1
            p += f" ({doc.p_equals('alone p', pair.p)}, not significant among {many} comparisons)"
    if settings.alternative == "two-sided":
        return f"{first} and {second} can't be told apart: they differ {amount}, {p}."
    # Sign of the tested difference: "greater" is ahead by a higher-is-better metric.
    is_greater = settings.alternative == "greater"
    sign = 1 if is_greater == (metric.higher_is_better is not False) else -1
    relation = doc.relation(sign, metric.higher_is_better)
    bounds = doc.bracketed(pair.interval, metric.digits)
    size = f"{difference:+.{metric.digits}f} {of_unit} {bounds}"
    return f"It is not shown that {first} {relation} {second}: {size}, {p}."


def is_second_better(comparison: Comparison, pair: PairResult) -> bool:
    """Return whether the new one of two models, which people type second, is better."""
    if comparison.test_set.rows != "items" or comparison.settings.baseline is not None:
        return False
    higher = comparison.metrics[pair.metric].higher_is_better is not False
    return pair.significant and (pair.difference < 0) == higher


def is_plain_test(comparison: Comparison) -> bool:
    """Return whether a two-sided test with p-values decides."""
    test = TESTS[comparison.settings.test]
    counts_wins = isinstance(test, BootstrapTest) and test.counts_wins
    return comparison.settings.alternative == "two-sided" and not counts_wins


def pair_bounds(pair: PairResult, sign: int) -> DifferenceBounds:
    """Return the interval of a difference, negated if `sign` is negative."""
    return pair.interval if sign > 0 else _negate(pair.interval)


def _negate(bounds: DifferenceBounds) -> DifferenceBounds:
    low, high = bounds
    return None if high is None else -high, None if low is None else -low


def _headline(comparison: Comparison, label: str) -> str:
    """Name the system with the best score, and those that are not significantly worse."""
    tested, words = comparison.of(label), _words(comparison)
    differing = sum(pair.significant for pair in tested)
    (leader, _), *others = by_score(comparison, label)
    if comparison.metrics[label].higher_is_better is None:
        return f"{label} has no direction: the table shows which scores differ."
    if comparison.settings.alternative != "two-sided":
        pairs = f"{differing} of {len(tested)} pairs"
        return f"By {label} {pairs} differ in the one direction that was tested."
    if not differing:
        systems = f"the {len(others) + 1} {words.systems}"
        return f"By {label} none of {systems} is significantly better than another."
    compared = pairs_with(comparison, label, leader)
    level = [name for name, _ in others if not compared[name][0].significant]
    if not level:
        return f"By {label}, {leader} is better than the {len(others)} other {words.systems}."
    tied = f"any other {words.system}"
    if len(level) < len(others):
        tied = doc.join_names(level, MOST_NAMES, word="or")
    return f"{leader} has the best {label}, but is not significantly better than {tied}."


def _against_baseline(comparison: Comparison, label: str) -> str:
    """Count the systems that are better and worse than the baseline, and name the best."""
    higher = comparison.metrics[label].higher_is_better is not False
    baseline = str(comparison.settings.baseline)
    significant = {
        name: (sign * pair.difference > 0) == higher
        for name, (pair, sign) in pairs_with(comparison, label, baseline).items()
        if pair.significant
    }
    count, better = len(comparison.systems) - 1, sum(significant.values())
    systems = f"of {count} {_words(comparison).systems} against {baseline}"
    counts = doc.verdict_counts(better, len(significant) - better, count)
    ahead = (name for name, _ in by_score(comparison, label) if significant.get(name))
    best = next((f"; the best is {name}" for name in ahead), "")
    return f"By {label}, {systems}: {counts}{best}."


def _equivalence(comparison: Comparison, pairs: Sequence[PairResult]) -> list[str]:
    margin = comparison.settings.margin
    if margin is None:
        return []
    margin *= 100 if comparison.metrics[pairs[0].metric].percent else 1
    within = f"equivalent within {margin:g} {_unit(comparison, pairs[0].metric)}"
    names = [f"{pair.a} and {pair.b}" for pair in pairs]
    shown = [name for name, pair in zip(names, pairs, strict=True) if pair.equivalent]
    if len(pairs) == 1:
        p = pairs[0].equivalence_p_adjusted
        if shown and p is not None:
            return [f"{names[0]} are {within}, {doc.p_equals('p', p)}."]
        return [f"It is not shown that {names[0]} are {within}."]
    if not shown:
        return [f"No two {_words(comparison).systems} are shown to be {within}."]
    rest = len(shown) - MOST_NAMES
    more = f"; {rest} more pairs" if rest > 0 else ""
    return [f"Shown to be {within}: {'; '.join(shown[:MOST_NAMES])}{more}."]


def _cautions(
    comparison: Comparison, metric: MetricResult, pairs: Sequence[PairResult]
) -> Iterator[str]:
    """Yield cautions about the verdict on these pairs by one metric."""
    settings, words = comparison.settings, _words(comparison)
    if len(pairs) == 1:
        (pair,) = pairs
        if pair.note == "identical":
            yield f"{pair.metric} counts the same in every {words.unit(settings.unit)} of both."
        elif pair.note == "few units differ" or (
            not metric.pass_fail
            and TESTS[metric.test].source == "swaps"
            and pair.differing_units < min(ENOUGH_DIFFERING, comparison.units)
        ):
            units = f"{comparison.units:,} {words.units(settings.unit)}"
            effect = "the interval can be too narrow if a few of these differences are large"
            if pair.note is not None:
                effect = "no interval, as no difference can be significant"
            yield f"Only {pair.differing_units:,} of {units} differ: {effect}."
        if not metric.decided:
            yield UNDECIDED_BY_CHANCE
    yield from doc.smoothed(pairs[0].metric, metric.unmatched)
    if metric.pass_fail:
        yield from doc.few_documents(settings, comparison.units)
    else:
        yield from doc.few_units(settings, comparison.units, words)
    yield from _zero_sentences(comparison, metric, pairs)
    if not metric.pass_fail:
        yield from _share_sentences(comparison, pairs)
    if not metric.exact:
        yield from _swap_sentences(comparison, pairs)
    if settings.about == "these-runs":
        yield (
            "The verdict is about these runs only; --about further-runs takes into account how "
            "runs vary."
        )
    yield from doc.about_answers([metric.signature])
    if settings.about == "further-runs":
        yield (
            f"The verdict is about further runs of these {words.systems}, not only the runs given."
        )
    if caution := TESTS[settings.test].caution:
        yield f"Beware of this test: {caution}."


UNDECIDED_BY_CHANCE = "p is too close to the level for this number of replicates; try --adaptive."


def _zero_sentences(
    comparison: Comparison, metric: MetricResult, pairs: Sequence[PairResult]
) -> Iterator[str]:
    """Warn of failures that are too rare for a test of means: by chance they hardly occur."""
    named = {name for pair in pairs for name in (pair.a, pair.b)}
    counts = {name: count for name, count in metric.rare_zeros.items() if name in named}
    if not counts:
        return
    words, units = _words(comparison), comparison.units
    name, zeros = min(counts.items(), key=itemgetter(1))
    needed = -(-ENOUGH_ZEROS * units // zeros)
    yield (
        f"{zeros:,} of {units:,} {words.rows} of {name} {'has' if zeros == 1 else 'have'} "
        f"{pairs[0].metric} 0, far from the others: p is too small in favour of a {words.system} "
        f"that seldom fails; {needed:,} {words.rows} would show {ENOUGH_ZEROS} such failures."
    )


def _share_sentences(comparison: Comparison, pairs: Sequence[PairResult]) -> Iterator[str]:
    """Warn if one unit has more of the variance than any interval can cope with."""
    shares = [(pair.largest_share or 0.0, pair) for pair in pairs]
    shares = [(share, pair) for share, pair in shares if share > doc.LARGEST_SHARE]
    if not shares or comparison.units < 1 / doc.LARGEST_SHARE:
        return
    share, pair = max(shares, key=itemgetter(0))
    unit = _words(comparison).unit(comparison.settings.unit)
    name = f"{unit.capitalize()} {pair.largest_unit}" if pair.largest_unit else f"One {unit}"
    whose = "" if len(pairs) == 1 else f" of {pair.a} − {pair.b}"
    limit = f"{100 * doc.LARGEST_SHARE:.0f} %"
    more = f" (in {len(shares)} pairs one {unit} exceeds {limit})" if len(shares) > 1 else ""
    part = f"{name} accounts for {100 * share:.0f} % of the variance{whose}{more}"
    yield f"{part}: intervals may be too narrow."


def _swap_sentences(comparison: Comparison, pairs: Sequence[PairResult]) -> Iterator[str]:
    """Warn if unscaled swaps make two systems more alike than samples would."""
    from statistics import NormalDist  # slow to import: loads fractions and decimals

    test, alpha = TESTS[comparison.settings.test], comparison.settings.alpha
    ratios = [
        (pair.swap_ratio, pair)
        for pair in pairs
        if pair.significant
        and pair.swap_ratio is not None
        and pair.swap_ratio < _core.MIN_SWAP_RATIO
    ]
    if not ratios or (isinstance(test, SwapTest) and test.scaled):
        return
    ratio, pair = min(ratios, key=itemgetter(0))
    more = len(ratios) - 1
    others = f" (and {more:,} other {'pair' if more == 1 else 'pairs'})" if more else ""
    normal = NormalDist()
    rate = 200 * normal.cdf(normal.inv_cdf(alpha / 2) * ratio**0.5)
    yield (
        f"{pair.a} and {pair.b}{others} differ in length, so this test gives about {rate:.0f} % "
        f"false alarms at {100 * alpha:g} %; without --test {test.name} its swaps are scaled."
    )


# The evidence: signatures and methods.


def evidence(comparison: Comparison) -> list[str]:
    """List signatures and methods: every choice that changes a number."""
    lines = doc.signature_lines(metric.signature for metric in comparison.metrics.values())
    lines += doc.by_label({label: method(comparison, label) for label in comparison.metrics})
    if any(metric.higher_is_better is False for metric in comparison.metrics.values()):
        lines[-1] += "; ↓ lower is better"
    sources = [
        doc.people_source(pair.people)
        for pair in comparison.comparisons
        if pair.people is not None and len(comparison.of(pair.metric)) == 1
    ]
    return [*lines, *dict.fromkeys(sources)]


def is_adjusted(comparison: Comparison, label: str) -> bool:
    """Return whether the intervals of differences are adjusted for several comparisons."""
    family = len(comparison.of(label))
    if comparison.settings.correct_over == "metrics":
        family *= len(comparison.metrics)
    return family > 1 and comparison.settings.correction != "none"


def method(comparison: Comparison, label: str) -> str:
    """Describe the tests and intervals in one line."""
    settings, metric = comparison.settings, comparison.metrics[label]
    interval = INTERVAL_METHODS[metric.interval_method].title
    if CORRECTIONS[settings.correction].half_width is not None:
        of_differences = "its simultaneous intervals of differences"
    else:
        of_differences = "intervals of differences by inverting the test"
        if metric.pass_fail and TESTS[settings.test].source == "swaps":
            of_differences = "Tango's intervals of differences (scores are 0 or 1)"
        if is_adjusted(comparison, label):
            of_differences = f"adjusted (not simultaneous) {of_differences}"
    return (
        f"{tested(comparison, label)}; {of_differences}, {interval} intervals of scores; level "
        f"{settings.level:g}, seed {settings.seed}"
    )


def tested(comparison: Comparison, label: str) -> str:
    """Describe the tests by one metric: the test, its units, its replicates and the correction."""
    settings, metric = comparison.settings, comparison.metrics[label]
    side = "" if settings.alternative == "two-sided" else "one-sided "
    over_runs = ""
    if comparison.runs is not None and settings.about is not None:
        numbers = sorted({len(outputs) for outputs in comparison.runs.values()})
        runs = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        system, about = _words(comparison).system, settings.about.replace("-", " ")
        over_runs = f" and {runs} runs of each {system}, about {about}"
    units = doc.resampled(settings, comparison.units, comparison.test_set)
    comparisons = len(comparison.of(label))
    correction = CORRECTIONS[settings.correction]
    if correction.basis == "segment scores":
        return f"{correction.title} over {units}, {comparisons} comparisons"
    title = MCNEMAR if metric.test == "mcnemar" else TESTS[settings.test].title
    text = f"{side}{title} over {units}{over_runs}"
    if metric.replicates:
        every, kind = ("all ", "swaps") if metric.exact else ("", "replicates")
        text += f", {every}{metric.replicates:,} {kind}"
    over = ""
    if settings.correct_over == "metrics":
        comparisons *= len(comparison.metrics)
        over = f" by {len(comparison.metrics)} metrics"
    if comparisons > 1:
        text += f", {correction.title} for {comparisons:,} comparisons{over}"
    return text


#: Title of the test of pass/fail scores with items as units.
MCNEMAR = "McNemar's exact test"

# Tables.


def _ordered_names(comparison: Comparison) -> tuple[list[str], set[str]]:
    """Sort the systems for tables: the baseline, then from the best down by the first metric.

    Returns:
        The names, and those with a rule above: the first below the baseline, or in each cluster.
    """
    first, baseline = next(iter(comparison.metrics)), comparison.settings.baseline
    names = [name for name, _ in by_score(comparison, first)]
    if baseline is None:
        return names, {cluster[0] for cluster in comparison.metrics[first].clusters}
    names = [baseline, *(name for name in names if name != baseline)]
    return names, {names[1]}


def system_table(comparison: Comparison, *, details: bool = False) -> doc.Table:
    """Make a row per system, best first: scores and ranks, or differences to the baseline.

    Each score has a picture of its difference to the first row.
    """
    labels, baseline = list(comparison.metrics), comparison.settings.baseline
    names, begins = _ordered_names(comparison)
    by_label = {label: _columns(comparison, label, details=details) for label in labels}
    system = doc.Column("system", _words(comparison).system.capitalize())
    columns = (system, *(column for of_metric in by_label.values() for column in of_metric))
    pairs = {label: pairs_with(comparison, label, names[0]) for label in labels}
    rows = []
    for name in names:
        row: dict[str, Value] = {"system": name, "rule": name in begins}
        for label in labels:
            result, pair = comparison.systems[name][label], pairs[label].get(name)
            cells = _system_cells(result, pair) | _picture(comparison, label, pair)
            # A baseline asks for the interval of the difference, not of the score.
            if baseline is not None:
                cells["interval"] = "" if pair is None else pair_bounds(*pair)
            row |= {f"{label} {key}": value for key, value in cells.items()}
        rows.append(row)
    bars = [
        doc.Bar(
            by_label[label][-1].name if baseline is None else f"{label} difference",
            f"{label} low",
            f"{label} high",
            zero=True,
            value=f"{label} value",
            verdict=f"{label} verdict",
            heading="← worse · better →" if baseline else f"← worse than {names[0]}",
        )
        for label in labels
    ]
    return doc.Table(columns, tuple(rows), rule="rule", bars=tuple(bars))


def _picture(
    comparison: Comparison, label: str, compared: tuple[PairResult, int] | None
) -> dict[str, Value]:
    """Return a difference as pictures show it, so that right is better, and its verdict.

    Args:
        comparison: result of `compare`.
        label: label of the metric.
        compared: a pair and its sign, or None for the system that others are compared with.
    """
    if compared is None:
        return {"value": 0.0, "verdict": "baseline" if comparison.settings.baseline else "best"}
    pair, sign = compared
    higher = comparison.metrics[label].higher_is_better
    sign *= -1 if higher is False else 1
    low, high = pair_bounds(pair, sign)
    verdict = "undecided"
    if pair.significant:
        verdict = "better" if sign * pair.difference > 0 else "worse"
        verdict = "different" if higher is None else verdict
    return {"value": sign * pair.difference, "low": low, "high": high, "verdict": verdict}


def _columns(comparison: Comparison, label: str, *, details: bool) -> list[doc.Column]:
    """Make the columns of one metric."""
    settings, metric, several = comparison.settings, comparison.metrics[label], comparison.systems
    digits, correction = metric.digits, CORRECTIONS[settings.correction]
    has_direction, baseline = metric.higher_is_better is not None, settings.baseline is not None
    lower = " ↓" if metric.higher_is_better is False else ""
    adjusted = baseline and is_adjusted(comparison, label)
    heading = doc.interval_heading(settings.level, adjusted=adjusted)
    few = len(comparison.metrics) <= (1 if baseline else METRICS_WITH_INTERVALS)
    p = "adjusted p" if len(comparison.of(label)) > 1 else "p"
    raw_p, runs = "alone p" if adjusted else "p", comparison.runs is not None
    column = partial(doc.Column, numeric=True)
    columns = (
        (True, doc.Column("score", f"{label}{' %' if metric.percent else ''}{lower}", digits)),
        (baseline, column("difference", "difference", digits, sign=True)),
        (details or few, column("interval", heading, digits)),
        (baseline, column("p_adjusted", p)),
        (not baseline and len(several) > 2 and has_direction, column("ranks", "rank")),
        (details and correction.basis != "segment scores", column("p", raw_p)),
        (details and adjusted, column("uncorrected", "alone, interval", digits)),
        (details and has_direction, column("p_best", "best in", 0, percent=True)),
        # Variation by runs and by the choice of segments (Clark et al. 2011).
        (runs, column("sd_of_runs", "s.d. of runs", digits)),
        (runs, column("sd_of_segments", f"of {_words(comparison).rows}", digits)),
    )
    return [
        replace(column, name=f"{label} {column.name}", continues=column.name != "score")
        for is_shown, column in columns
        if is_shown
    ]


def _system_cells(
    result: SystemResult, compared: tuple[PairResult, int] | None
) -> dict[str, Value]:
    """Return a system's cells; `compared` is its pair with the first row, and the pair's sign."""
    cells: dict[str, Value] = {
        "score": result.score,
        "interval": result.interval,
        "ranks": "" if result.rank_range is None else doc.rank_range(result.rank_range),
        "p_best": result.p_best,
        **dict.fromkeys(("difference", "p", "p_adjusted"), ""),
    }
    if compared is not None:
        pair, sign = compared
        uncorrected = pair.uncorrected_interval
        cells |= {
            "difference": sign * pair.difference,
            "p": doc.p_cell(pair.p),
            "p_adjusted": doc.p_cell(pair.p_adjusted) + "*" * pair.significant,
            "uncorrected": uncorrected if uncorrected is None or sign > 0 else _negate(uncorrected),
        }
    return cells if result.runs is None else cells | row_of(result.runs)


def table_for_papers(comparison: Comparison) -> doc.Table:
    """Make a column per metric, with marks against the baseline or the best cluster in bold."""
    baseline, words = comparison.settings.baseline, _words(comparison)
    names, begins = _ordered_names(comparison)
    columns = []
    for label, metric in comparison.metrics.items():
        bold = metric.clusters[0] if len(metric.clusters) > 1 else None
        pairs = pairs_with(comparison, label, str(baseline)).items()
        columns.append(
            PaperColumn(
                label=label,
                scores={name: comparison.systems[name][label].score for name in names},
                digits=metric.digits,
                higher_is_better=metric.higher_is_better,
                signature=metric.signature,
                bold=() if baseline is None and bold is None else bold,
                marks={
                    name: BETTER
                    if (sign * pair.difference > 0) == metric.higher_is_better
                    else WORSE
                    for name, (pair, sign) in pairs
                    if pair.significant and metric.higher_is_better is not None
                },
            )
        )
    texts = dict(zip(names, names, strict=True))
    if baseline is not None and len(baseline) <= LONGEST_TAGGED:
        texts[baseline] = f"{baseline} (baseline)"
    note = _note_for_papers(comparison)
    return paper_table(words.system.capitalize(), texts, columns, note, begins)


def _note_for_papers(comparison: Comparison) -> str:
    """Describe the test set, and explain bold print, marks and rules."""
    settings, words = comparison.settings, _words(comparison)
    sizes, first = comparison.test_set, next(iter(comparison.metrics))
    documents = "" if sizes.documents is None else f" in {sizes.documents:,} documents"
    p = "adjusted p" if len(comparison.of(first)) > 1 else "p"
    each = " by each metric" if len(comparison.metrics) > 1 else ""
    test = f"({tested(comparison, first)}{each}, {p} ≤ {settings.alpha:g})"
    note = f"{sizes.segments:,} {words.rows}{documents}."
    if settings.baseline is not None:
        others = f"; other {words.systems} can't be told from it"
        others = others if settings.alternative == "two-sided" else ""
        return (
            f"{note} {BOLD} {BETTER} better and {WORSE} worse than {settings.baseline} "
            f"{test}{others}."
        )
    if all(len(metric.clusters) < 2 for metric in comparison.metrics.values()):
        return f"{note} No {words.system} or group of {words.systems} beats all others {test}."
    bold = f"Bold: best cluster, whose {words.systems} are better than all others {test}."
    rules = f" Rules separate the clusters by {first}."
    return f"{note} {bold}{rules if len(comparison.metrics[first].clusters) > 1 else ''}"


def _details(comparison: Comparison) -> Iterator[Block]:
    """Yield remarks that do not change the verdict, by metric."""
    correction = CORRECTIONS[comparison.settings.correction]
    for label, metric in comparison.metrics.items():
        pairs, lines = comparison.of(label), []
        if len(pairs) > 1:
            if not metric.decided:
                lines.append(f"By {label}, some {UNDECIDED_BY_CHANCE}")
            lines.append(
                f"Uncorrected, the chance of a false alarm somewhere in {len(pairs):,} comparisons "
                f"by {label} would be up to {100 * metric.experimentwise_error:.0f} %."
            )
            if not correction.assumes_nothing:
                title = f"{correction.title[0].upper()}{correction.title[1:]}"
                lines.append(f"{title} assumes {correction.assumption}.")
        effects = sorted(pair.design_effect for pair in pairs if pair.design_effect is not None)
        if effects:
            lines.append(
                f"The variance of differences by documents is {effects[len(effects) // 2]:.2f} "
                f"times that by {_words(comparison).rows} (the design effect; median over pairs)."
            )
        if lines:
            yield doc.Sentences(tuple(lines))


def pair_table(comparison: Comparison) -> doc.Table:
    """Make a row per comparison with all its numbers; empty columns are left out."""
    whole = {"by": None, "group": None}
    rows = [whole | row_of(pair) for pair in comparison.comparisons]
    for group in comparison.groups:
        labels = {"by": group.column, "group": group.label}
        rows += [labels | row_of(pair) for pair in group.comparisons]
    hidden = ["note", "open_end"]
    if CORRECTIONS[comparison.settings.correction].basis == "segment scores":
        hidden += ("p", "p_se")  # p-values of another test than the adjusted p
    signatures = doc.signature_lines(metric.signature for metric in comparison.metrics.values())
    return doc.data_table(rows, signatures, hidden)


def by_score(comparison: Comparison, label: str) -> list[tuple[str, SystemResult]]:
    """Sort the systems, best first; from high to low if the metric has no direction."""
    lower = comparison.metrics[label].higher_is_better is False
    systems = [(name, scores[label]) for name, scores in comparison.systems.items()]
    return sorted(systems, key=lambda system: system[1].score * (1 if lower else -1))


def pairs_with(comparison: Comparison, label: str, other: str) -> dict[str, tuple[PairResult, int]]:
    """Map each system to its comparison with `other`, and to -1 if `other` comes first in it."""
    return {
        pair.a if pair.b == other else pair.b: (pair, 1 if pair.b == other else -1)
        for pair in comparison.of(label)
        if other in (pair.a, pair.b)
    }


# The chart.


def forest_chart(comparison: Comparison) -> doc.Chart:
    """Draw the differences to the baseline or to the best system, so that right is better."""
    rows: list[Row] = []
    words, first = _words(comparison), next(iter(comparison.metrics))
    order = [name for name, _ in by_score(comparison, first)]
    against = comparison.settings.baseline or order[0]
    for label, metric in comparison.metrics.items():
        pairs = pairs_with(comparison, label, against)
        panel: dict[str, Value] = {
            "panel": f"{label}: difference to {against}",
            "axis": doc.difference_axis(label, metric.higher_is_better),
            "zero": 0.0,
        }
        for name in order:
            score = f"{comparison.systems[name][label].score:.{metric.digits}f}"
            point = _picture(comparison, label, pairs.get(name))
            rows.append({"system": name, "score": score, **panel, **point})
    headings = {"system": words.system.capitalize(), "value": "Difference", "verdict": ""}
    systems = " and ".join(order) if len(order) == 2 else f"{len(order)} {words.systems}"
    return doc.forest(
        f"{systems} by {', '.join(comparison.metrics)}",
        rows,
        headings | {"zero": "no difference", "score": "score"},
        verdicts(comparison),
        interval=f"{'adjusted ' if is_adjusted(comparison, first) else ''}"
        f"{100 * comparison.settings.level:g} % intervals",
        panel="panel",
        y_heading="axis",
        label="score",
    )
