"""A comparison as a document: the verdict, one table of systems, and how it was tested."""

from __future__ import annotations

from dataclasses import replace
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
    answer = doc.Sentences(tuple(verdicts(comparison)))
    paper = system_table(comparison) if details else table_for_papers(comparison)
    table = replace(system_table(comparison, details=details), paper=paper)
    blocks: list[Block] = [answer, table, doc.Notes(tuple(evidence(comparison)))]
    if details:
        blocks += _details(comparison)
    if comparison.groups:
        correction = CORRECTIONS[comparison.settings.p_value_correction].title
        blocks += comparison_blocks(comparison, correction)
    blocks.append(forest_chart(comparison))
    return doc.Document(tuple(blocks), data)


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
    if metric.smallest_p > comparison.settings.alpha:
        return [_no_verdict(comparison, metric)]
    few = comparison.settings.baseline is not None or len(comparison.systems) == 2
    if metric.higher_is_better is None and not few:
        sentences = [f"{label} has no direction: the table shows which scores differ."]
    elif not few:
        sentences = [_headline(comparison, label)]
    elif len(pairs) <= MOST_SENTENCES:
        # The largest significant difference first.
        ordered = sorted(pairs, key=lambda pair: (not pair.significant, -abs(pair.difference)))
        sentences = [pair_sentence(comparison, pair) for pair in ordered]
    else:
        lost = [
            pair.a for pair in pairs if pair.p <= comparison.settings.alpha and not pair.significant
        ]
        sentences = [
            _against_baseline(comparison, label),
            *doc.lost_to_correction(lost, len(pairs)),
        ]
    sentences += _equivalence(comparison, pairs)
    if len(pairs) == 1 and pairs[0].fixed is not None:
        has_baseline, pair = comparison.settings.baseline is not None, pairs[0]
        is_first_new = has_baseline or pair.significant > is_second_better(comparison, pair)
        items = comparison.test_set.segments
        sentences.append(fixed_and_broken(pairs[0], items, is_first_new=is_first_new))
    if len(pairs) == 1 and (people := pairs[0].people) is not None:
        sentences.append(doc.people_sentence(pairs[0].difference, people, label, metric.digits))
    named = pairs
    if not few:
        leader = by_score(comparison, label)[0][0]
        named = tuple(pair for pair in pairs if leader in (pair.a, pair.b))
    return [*sentences, *_cautions(comparison, named)]


def _no_verdict(comparison: Comparison, metric: MetricResult) -> str:
    """Explain that the settings or the size of the test set allow no verdict."""
    settings = comparison.settings
    few = f"{comparison.units} {_words(comparison).units(settings.unit)}"
    few = few if metric.exact else f"{metric.replicates:,} replicates"
    return (
        f"No verdict: with {few} no difference can be significant "
        f"({doc.p_equals('smallest possible p', metric.smallest_p)})."
    )


def pair_sentence(comparison: Comparison, pair: PairResult) -> str:
    """State which system is better and by how much, with the interval and p of the test."""
    metric = comparison.metrics[pair.metric]
    alternative, alpha = comparison.settings.alternative, comparison.settings.alpha
    many = len(comparison.of(pair.metric))
    # The size of the difference and the interval around that size, whoever is ahead.
    bounds = pair_bounds(pair, 1 if pair.difference >= 0 else -1)
    size = f"{abs(pair.difference):.{metric.digits}f} {_unit(comparison, pair.metric)}"
    amount = f"by {size} {doc.bracketed(bounds, metric.digits)}"
    test = TESTS[comparison.settings.test]
    if isinstance(test, BootstrapTest) and test.counts_wins:
        share = f"{100 * max(pair.wins, 1 - pair.wins):.1f} % of the replicates"
        if pair.significant:
            relation = doc.relation(pair.difference, metric.higher_is_better)
            return f"{pair.a} {relation} {pair.b} {amount}: so in {share}."
        return f"{pair.a} and {pair.b} can't be told apart: one is better {amount} in {share}."
    if pair.significant:
        relation = doc.relation(pair.difference, metric.higher_is_better)
        over_metrics = comparison.settings.correct_over == "metrics"
        corrected = (many > 1 or over_metrics) and comparison.settings.correction != "none"
        name = "adjusted p" if corrected else "p"
        first, second = pair.a, pair.b
        if is_second_better(comparison, pair):
            first, second = second, first
            relation = doc.relation(-pair.difference, metric.higher_is_better)
        return f"{first} {relation} {second} {amount}, {doc.p_equals(name, pair.p_adjusted)}."
    p = doc.p_equals("p", pair.p)
    if pair.uncorrected_interval is not None:
        p = doc.p_equals("adjusted p", pair.p_adjusted)
        if pair.p <= alpha:
            if comparison.settings.correct_over == "metrics":
                many *= len(comparison.metrics)
            p += f" ({doc.p_equals('alone p', pair.p)}, not significant among {many} comparisons)"
    if alternative == "two-sided":
        return f"{pair.a} and {pair.b} can't be told apart: they differ {amount}, {p}."
    # Sign of the tested difference: "greater" is ahead by a higher-is-better metric.
    sign = 1 if (alternative == "greater") == (metric.higher_is_better is not False) else -1
    relation = doc.relation(sign, metric.higher_is_better)
    difference = f"{pair.difference:+.{metric.digits}f} {_unit(comparison, pair.metric)}"
    bounds_text = doc.bracketed(pair.interval, metric.digits)
    return f"It is not shown that {pair.a} {relation} {pair.b}: {difference} {bounds_text}, {p}."


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
    if comparison.settings.alternative != "two-sided":
        tested = comparison.of(label)
        differing = sum(pair.significant for pair in tested)
        return (
            f"By {label} {differing} of {len(tested)} pairs differ in the one direction that was "
            "tested."
        )
    (leader, _), *others = by_score(comparison, label)
    pairs = pairs_with(comparison, label, leader)
    level = [name for name, _ in others if not pairs[name][0].significant]
    if not any(pair.significant for pair in comparison.of(label)):
        systems = f"the {len(others) + 1} {_words(comparison).systems}"
        return f"By {label} none of {systems} is significantly better than another."
    if not level:
        others_of_kind = f"{len(others)} other {_words(comparison).systems}"
        return f"By {label}, {leader} is better than the {others_of_kind}."
    if len(level) == len(others):
        system = _words(comparison).system
        return (
            f"{leader} has the best {label}, but is not significantly better than any other "
            f"{system}."
        )
    tied = doc.join_names(level, MOST_NAMES, word="or")
    return f"{leader} has the best {label}, but is not significantly better than {tied}."


def _against_baseline(comparison: Comparison, label: str) -> str:
    """Count the systems that are better and worse than the baseline, and name the best."""
    higher = comparison.metrics[label].higher_is_better is not False
    baseline = str(comparison.settings.baseline)
    ahead: list[str] = []
    behind: list[str] = []
    for name, (pair, sign) in pairs_with(comparison, label, baseline).items():
        if pair.significant:
            (ahead if (sign * pair.difference > 0) == higher else behind).append(name)
    undecided = len(comparison.systems) - 1 - len(ahead) - len(behind)
    counts = f"{len(ahead)} better, {len(behind)} worse, {undecided} can't be told apart"
    systems = f"{len(comparison.systems) - 1} {_words(comparison).systems}"
    sentence = f"By {label}, of {systems} against {baseline}: {counts}"
    best = next((name for name, _ in by_score(comparison, label) if name in ahead), None)
    return f"{sentence}; the best is {best}." if best is not None else f"{sentence}."


def _equivalence(comparison: Comparison, pairs: Sequence[PairResult]) -> list[str]:
    margin = comparison.settings.margin
    if margin is None:
        return []
    margin *= 100 if comparison.metrics[pairs[0].metric].percent else 1
    within = f"equivalent within {margin:g} {_unit(comparison, pairs[0].metric)}"
    if len(pairs) == 1:
        (pair,) = pairs
        if pair.equivalent and pair.equivalence_p_adjusted is not None:
            p = doc.p_equals("p", pair.equivalence_p_adjusted)
            return [f"{pair.a} and {pair.b} are {within}, {p}."]
        return [f"It is not shown that {pair.a} and {pair.b} are {within}."]
    shown = [f"{pair.a} and {pair.b}" for pair in pairs if pair.equivalent]
    if not shown:
        return [f"No two {_words(comparison).systems} are shown to be {within}."]
    return [
        f"Shown to be {within}: {'; '.join(shown[:MOST_NAMES])}"
        + (f"; {len(shown) - MOST_NAMES} more pairs." if len(shown) > MOST_NAMES else ".")
    ]


def _cautions(comparison: Comparison, pairs: Sequence[PairResult]) -> Iterator[str]:
    """Yield cautions about the verdict on these pairs."""
    settings, words = comparison.settings, _words(comparison)
    for pair in pairs:
        if pair.note == "identical" and len(pairs) == 1:
            yield f"{pair.metric} counts the same in every {words.unit(settings.unit)} of both."
        elif pair.note == "few units differ" and len(pairs) == 1:
            units = f"{comparison.units:,} {words.units(settings.unit)}"
            differing = f"{pair.differing_units:,} of {units}"
            yield f"Only {differing} differ: no interval, as no difference can be significant."
    if len(pairs) == 1 and not comparison.metrics[pairs[0].metric].decided:
        yield UNDECIDED_BY_CHANCE
    for label in dict.fromkeys(pair.metric for pair in pairs):
        yield from doc.smoothed(label, comparison.metrics[label].unmatched)
    if pairs and comparison.metrics[pairs[0].metric].pass_fail:
        yield from doc.few_documents(settings, comparison.units)
    elif pairs:
        yield from doc.few_units(settings, comparison.units, words)
    yield from _zero_sentences(comparison, pairs)
    yield from _share_sentences(comparison, pairs)
    yield from _swap_sentences(comparison, pairs)
    if settings.about == "these-runs":
        yield (
            "The verdict is about these runs only; --about further-runs takes into account how "
            "runs vary."
        )
    yield from doc.about_answers([comparison.metrics[pairs[0].metric].signature])
    if settings.about == "further-runs":
        yield (
            f"The verdict is about further runs of these {words.systems}, not only the runs given."
        )
    if caution := TESTS[settings.test].caution:
        yield f"Beware of this test: {caution}."


UNDECIDED_BY_CHANCE = "p is too close to the level for this number of replicates; try --adaptive."


def _zero_sentences(comparison: Comparison, pairs: Sequence[PairResult]) -> Iterator[str]:
    """Warn of failures that are too rare for a test of means: by chance they hardly occur."""
    named = {name for pair in pairs for name in (pair.a, pair.b)}
    words, units = _words(comparison), comparison.units
    for label in dict.fromkeys(pair.metric for pair in pairs):
        zeros = comparison.metrics[label].rare_zeros
        counts = {name: count for name, count in zeros.items() if name in named}
        if not counts:
            continue
        name = min(counts, key=lambda name: counts[name])
        needed = -(-ENOUGH_ZEROS * units // counts[name])
        yield (
            f"{counts[name]:,} of {units:,} {words.rows} of {name} "
            f"{'has' if counts[name] == 1 else 'have'} {label} 0, far from the others: p is too "
            f"small in favour of a {words.system} that seldom fails; {needed:,} {words.rows} would "
            f"show {ENOUGH_ZEROS} such failures."
        )


def _share_sentences(comparison: Comparison, pairs: Sequence[PairResult]) -> Iterator[str]:
    """Warn if one unit has more of the variance than any interval can cope with."""
    shares = [
        (pair.largest_share, pair)
        for pair in pairs
        if pair.largest_share is not None and pair.largest_share > doc.LARGEST_SHARE
        if not comparison.metrics[pair.metric].pass_fail
    ]
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
        if pair.swap_ratio is not None
        and pair.swap_ratio < _core.MIN_SWAP_RATIO
        and pair.significant
    ]
    is_scaled = isinstance(test, SwapTest) and test.scaled
    if not ratios or is_scaled or comparison.metrics[pairs[0].metric].exact:
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
    methods = {label: method(comparison, label) for label in comparison.metrics}
    if len(set(methods.values())) == 1:
        lines.append(next(iter(methods.values())))
    else:
        lines += [f"{label}: {text}" for label, text in methods.items()]
    if any(metric.higher_is_better is False for metric in comparison.metrics.values()):
        lines[-1] += "; ↓ lower is better"
    with_one_pair = {label for label in comparison.metrics if len(comparison.of(label)) == 1}
    sources = [
        doc.people_source(pair.people)
        for pair in comparison.comparisons
        if pair.metric in with_one_pair and pair.people is not None
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
    columns = [doc.Column("system", _words(comparison).system.capitalize())]
    columns += [column for of_metric in by_label.values() for column in of_metric]
    pairs = {label: pairs_with(comparison, label, names[0]) for label in labels}
    rows = []
    for name in names:
        row: dict[str, Value] = {"system": name, "rule": name in begins}
        for label in labels:
            pair, metric = pairs[label].get(name), comparison.metrics[label]
            result = comparison.systems[name][label]
            values = _system_cells(result, pair)
            # A baseline asks for the interval of the difference, not of the score.
            bounds: DifferenceBounds | None = result.interval
            if baseline is not None:
                bounds = None if pair is None else pair_bounds(*pair)
            values["interval"] = "" if bounds is None else doc.bracketed(bounds, metric.digits)
            values |= _picture(comparison, label, pair)
            if baseline is not None and pair is not None and pair[0].uncorrected_interval:
                alone = pair[0].uncorrected_interval
                alone = alone if pair[1] > 0 else _negate(alone)
                values["uncorrected"] = doc.bracketed(alone, metric.digits)
            row |= {f"{label} {key}": value for key, value in values.items()}
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
    return doc.Table(tuple(columns), tuple(rows), rule="rule", bars=tuple(bars))


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
    settings, metric = comparison.settings, comparison.metrics[label]
    digits, correction = metric.digits, CORRECTIONS[settings.correction]
    lower = " ↓" if metric.higher_is_better is False else ""
    percent = " %" if metric.percent else ""
    columns = [doc.Column("score", f"{label}{percent}{lower}", digits)]
    if settings.baseline is not None:
        columns.append(doc.Column("difference", "difference", digits, sign=True, numeric=True))
    maximum = METRICS_WITH_INTERVALS if settings.baseline is None else 1
    adjusted = settings.baseline is not None and is_adjusted(comparison, label)
    if details or len(comparison.metrics) <= maximum:
        heading = doc.interval_heading(settings.level, adjusted=adjusted)
        columns.append(doc.Column("interval", heading, numeric=True))
    if settings.baseline is not None:
        many = len(comparison.of(label)) > 1
        columns.append(doc.Column("p_adjusted", "adjusted p" if many else "p", numeric=True))
    elif len(comparison.systems) > 2 and metric.higher_is_better is not None:
        columns.append(doc.Column("ranks", "rank", numeric=True))
    if details and correction.basis != "segment scores":
        columns.append(doc.Column("p", "alone p" if adjusted else "p", numeric=True))
    if details and adjusted:
        columns.append(doc.Column("uncorrected", "alone, interval", numeric=True))
    if details and metric.higher_is_better is not None:
        columns.append(doc.Column("p_best", "best in", 0, percent=True, numeric=True))
    if comparison.runs is not None:
        # Variation by runs and by the choice of segments (Clark et al. 2011).
        columns.append(doc.Column("sd_of_runs", "s.d. of runs", digits, numeric=True))
        heading = f"of {_words(comparison).rows}"
        columns.append(doc.Column("sd_of_segments", heading, digits, numeric=True))
    return [
        replace(column, name=f"{label} {column.name}", continues=index > 0)
        for index, column in enumerate(columns)
    ]


def _system_cells(
    result: SystemResult, compared: tuple[PairResult, int] | None
) -> dict[str, Value]:
    cells: dict[str, Value] = {
        "score": result.score,
        "ranks": "" if result.rank_range is None else doc.rank_range(result.rank_range),
        "p_best": result.p_best,
        "difference": "",
        "p": "",
        "p_adjusted": "",
    }
    if compared is not None:
        pair, sign = compared
        mark = "*" if pair.significant else ""
        cells |= {
            "difference": sign * pair.difference,
            "p": doc.p_cell(pair.p),
            "p_adjusted": f"{doc.p_cell(pair.p_adjusted)}{mark}",
        }
    if result.runs is not None:
        cells |= {
            "sd_of_runs": result.runs.sd_of_runs,
            "sd_of_segments": result.runs.sd_of_segments,
        }
    return cells


def table_for_papers(comparison: Comparison) -> doc.Table:
    """Make a column per metric, with marks against the baseline or the best cluster in bold."""
    baseline, words = comparison.settings.baseline, _words(comparison)
    names, begins = _ordered_names(comparison)
    columns = []
    for label, metric in comparison.metrics.items():
        marks: dict[str, str] = {}
        for name, (pair, sign) in pairs_with(comparison, label, str(baseline)).items():
            if pair.significant and metric.higher_is_better is not None:
                is_better = (sign * pair.difference > 0) == metric.higher_is_better
                marks[name] = BETTER if is_better else WORSE
        columns.append(
            PaperColumn(
                label=label,
                scores={name: comparison.systems[name][label].score for name in names},
                digits=metric.digits,
                higher_is_better=metric.higher_is_better,
                signature=metric.signature,
                bold=metric.clusters[0]
                if len(metric.clusters) > 1
                else ()
                if baseline is None
                else None,
                marks=marks,
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
    for label, metric in comparison.metrics.items():
        pairs = comparison.of(label)
        lines = []
        if len(pairs) > 1 and not metric.decided:
            lines.append(f"By {label}, some {UNDECIDED_BY_CHANCE}")
        if len(pairs) > 1:
            lines.append(
                f"Uncorrected, the chance of a false alarm somewhere in {len(pairs):,} comparisons "
                f"by {label} would be up to {100 * metric.experimentwise_error:.0f} %."
            )
        correction = CORRECTIONS[comparison.settings.correction]
        if len(pairs) > 1 and not correction.assumes_nothing:
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
    rows = [row_of(pair) for pair in comparison.comparisons]
    for group in comparison.groups:
        of_group: dict[str, Value] = {"by": group.column, "group": group.label}
        rows += [{**of_group, **row_of(pair)} for pair in group.comparisons]
    hidden: tuple[str, ...] = ("note", "open_end")
    if CORRECTIONS[comparison.settings.correction].basis == "segment scores":
        hidden += ("p", "p_se")  # they belong to another test than the adjusted p
    names = dict.fromkeys(name for row in reversed(rows) for name in row)
    shown = [
        name
        for name in names
        if name not in hidden and any(row.get(name) is not None for row in rows)
    ]
    signatures = doc.signature_lines(metric.signature for metric in comparison.metrics.values())
    return doc.Table(doc.plain_columns(*shown), tuple(rows), tuple(signatures))


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
