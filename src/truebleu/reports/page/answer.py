"""The first screen of a report: verdict, what to look at first, and differences on one axis.

Two systems have a forest of differences, more a table with the differences to the leader.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from truebleu.explanation.report import MOST_GROUPS
from truebleu.explanation.slices import OTHER
from truebleu.reports import compare, document as doc, drawing
from truebleu.reports.drawing import Mark, name_of, sentence_of, text_of
from truebleu.reports.explain import NOUNS, link, matters
from truebleu.reports.percent import unit
from truebleu.reports.words import words_of
from truebleu.significance.corrections import CORRECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.explanation.explain import DegenerateGroup, PairExplanation, TypographyEffect
    from truebleu.explanation.report import Report
    from truebleu.reports.drawing import Column
    from truebleu.significance.compare import Comparison, GroupComparison, MetricResult, PairResult

    Effect = DegenerateGroup | TypographyEffect

# Scores that a sentence need not name, and the one that says what scores of 1 are.
UNNAMED, CORRECT = "score", "correct"
# Words of the caution about one unit, which stands in the box.
OF_VARIANCE = "of the variance"
# Beginning of the p-value at the end of a verdict.
P_OF_VERDICT = re.compile(r", (?=(?:adjusted )?p [=<] )")
# Share of flagged outputs from which a system is named first.
MANY_FLAGGED = 0.01
# Maximum number of systems or flags named in a sentence, and number of shades of cells.
MOST_NAMES, SHADES = 3, 4
# Size of a cell in the picture of all pairs, in pixels, room for names, and most systems in it.
CELL, NAMES, MOST_IN_PICTURE = 16, 190, 60


def answer(report: Report) -> str:
    """Render the verdict by the main metric, and the table of differences below it."""
    comparison = report.comparison
    label = comparison.settings.primary or next(iter(comparison.metrics))
    pairs, names = comparison.of(label), comparison.systems
    first, *cautions = compare.verdict(comparison, label)
    if len(names) > 2:
        headline, sentences = first, [*_about_all(comparison, label), *cautions]
        remarks = _remarks(report)
        box, table = _box_of_systems(report, remarks), _league(report, label, remarks)
        picture = _picture(comparison, label)
    else:
        headline, *p = P_OF_VERDICT.split(first, maxsplit=1)
        headline = _with_rates(headline, comparison, pairs[0]) if p else headline
        of_one_unit = [caution for caution in cautions if OF_VARIANCE in caution]
        cautions = [caution for caution in cautions if caution not in of_one_unit]
        sentences = [*p, *_other_metrics(comparison, pairs[0]), *cautions]
        sentences += _varies(comparison, label)
        metric, level = comparison.metrics[label], comparison.settings.level
        box = _box_of_pair(report, pairs[0], of_one_unit)
        table = drawing.forest([*_rows(report, pairs[0])], _names(pairs[0]), level, metric)
        picture = ""
    return (
        f'<h1>{drawing.with_names(headline, names)}</h1><p class="then">'
        f"{drawing.with_names(' '.join(sentences), names)}</p>{box}{table}"
        f'<p class="legend">{sentence_of(" ".join(_legend(report, label)))}</p>{picture}'
    )


# Two systems: the verdict.


def _names(pair: PairResult) -> tuple[str, str]:
    return pair.a, pair.b


def _with_rates(headline: str, comparison: Comparison, pair: PairResult) -> str:
    """Return a verdict in points with both rates of right items, the better model's first."""
    metric, label = comparison.metrics[pair.metric], pair.metric
    if not metric.percent:
        return f"{headline}."
    names = (pair.b, pair.a) if compare.is_second_better(comparison, pair) else _names(pair)
    first, second = (
        drawing.score_text(comparison.systems[name][label].score, metric) for name in names
    )
    named = {UNNAMED: "", CORRECT: f" {CORRECT}"}.get(label, f" by {label}")
    return (
        f"{headline.replace(unit(label, percent=True), 'points')}: {first} against {second}{named}."
    )


def _other_metrics(comparison: Comparison, pair: PairResult) -> Iterator[str]:
    """Yield a sentence on the metrics that do not decide the verdict."""
    if comparison.settings.primary is None or not compare.is_plain_test(comparison):
        return
    labels: dict[str, list[str]] = {}
    for other in comparison.comparisons:
        higher = comparison.metrics[other.metric].higher_is_better
        better = doc.relation(other.difference, higher).removesuffix(" than")
        clause = f"{pair.a} {better}" if other.significant else "they can't be told apart"
        if other.metric != pair.metric:
            labels.setdefault(clause, []).append(other.metric)
    clauses = [f"by {doc.join_names(names)} {clause}" for clause, names in labels.items()]
    if clauses:
        yield f"For information: {'; '.join(clauses)}."


def _varies(comparison: Comparison, label: str) -> Iterator[str]:
    """Yield a sentence for each column between whose groups the difference varies."""
    tests = [test for test in comparison.heterogeneity if test.metric == label]
    name = "p" if len(tests) == 1 else "adjusted p"
    for test in tests:
        if test.p_adjusted <= comparison.settings.alpha:
            p = doc.p_equals(name, test.p_adjusted)
            yield f"The difference varies by {test.column} ({p})."


# Two systems: what moves the difference.


def _explained(report: Report, pair: PairResult) -> dict[str, PairExplanation]:
    """Return the explanations of a pair by metric."""
    pairs = () if report.explanation is None else report.explanation.pairs
    return {p.comparison.metric: p for p in pairs if _names(p.comparison) == _names(pair)}


def _effects(report: Report, pair: PairResult) -> Iterator[tuple[str, dict[str, Effect]]]:
    """Yield what turns the verdict or moves the difference: a condition, and its effect by metric.

    The conditions are that flagged outputs are left out, or that typography is the same.
    """
    effects: dict[str, dict[str, Effect]] = {}
    for label, explained in _explained(report, pair).items():
        found: list[Effect] = [*explained.degenerate[:1], *explained.typography]
        for effect in found:
            flagged = len(getattr(effect, "segments", ()))
            condition = f"With the same {effect.kind}"
            condition = f"Without {flagged:,} flagged outputs" if flagged else condition
            if effect.difference is not None:
                effects.setdefault(condition, {})[label] = effect
    for condition, by_metric in effects.items():
        main = by_metric.get(pair.metric)
        if main is not None and matters(main, pair, report.comparison.settings.alpha):
            yield condition, by_metric


def _effect_mark(comparison: Comparison, label: str, effect: Effect) -> Mark:
    significant = (effect.p or 0.0) <= comparison.settings.alpha
    tested = (effect.difference or 0.0, effect.interval, significant)
    return Mark.of(label, tested, comparison.metrics[label])


def _box_of_pair(report: Report, pair: PairResult, cautions: Sequence[str]) -> str:
    """Render a box of what turns the verdict or moves the difference; "" if nothing does."""
    explained = _explained(report, pair).get(pair.metric)
    if explained is None:
        return "".join(f'<p class="flag">{sentence_of(caution)}</p>' for caution in cautions)
    parts, before = [], _pair_mark(report.comparison, pair).look
    for condition, by_metric in _effects(report, pair):
        effect = by_metric[pair.metric]
        mark = _effect_mark(report.comparison, pair.metric, effect)
        effect_on = "difference moves" if mark.look == before != "none" else "verdict turns"
        parts.append(
            f"<b>{condition} the {effect_on}:</b> the difference is {mark.text} "
            f"{text_of(pair.metric)} {mark.interval}, "
            f"{text_of(doc.p_equals('p', effect.p or 0.0))} (exploratory)."
        )
        if effect in explained.degenerate:
            flags = doc.join_names([*_flags(explained)], MOST_NAMES)
            parts.append(f"The flags are {flags}; an output can have several.")
    name = str(explained.comparison.largest_unit)
    document = f"Document {drawing.linked(name_of(name), link(explained, document=name))} "
    parts += [sentence_of(c).replace(f"Document {text_of(name)} ", document, 1) for c in cautions]
    return f'<p class="flag">{" ".join(parts)}</p>' if parts else ""


def _flags(explained: PairExplanation) -> Iterator[str]:
    """Yield a link to the flagged outputs of each kind and system."""
    for group in explained.degenerate[1:]:
        plural = "" if len(group.segments) == 1 else "s"
        noun = NOUNS.get(group.kind, f"{group.kind} output{{s}}").format(s=plural)
        text = drawing.linked(f"{len(group.segments):,} {noun}", link(explained, flag=group.kind))
        yield f"{text} of {name_of(group.system)}" if group.system else text


# Two systems: the forest.


def _pair_mark(comparison: Comparison, pair: PairResult, label: str = "") -> Mark:
    """Return the mark of a tested pair."""
    tested, metric = (pair.difference, pair.interval, pair.significant), comparison.metrics
    band = None if pair.people is None else pair.people.coin
    return Mark.of(label or pair.metric, tested, metric[pair.metric], band)


def _rows(report: Report, pair: PairResult) -> Iterator[drawing.ForestRow]:
    """Yield rows of all metrics, of metrics without flagged outputs, and of groups."""
    comparison = report.comparison
    words, count = words_of(comparison.test_set.rows), comparison.test_set.segments
    is_only_row = len(comparison.metrics) == 1 and words.row == "item"
    for tested in comparison.comparisons:
        label, metric = text_of(tested.metric), comparison.metrics[tested.metric]
        if is_only_row:
            label = drawing.linked(f"all {words.rows}", None, f"{count:,}")
        elif metric.higher_is_better is False:
            label += ' ↓ <small class="wide">lower is better, turned</small>'
        scores = (comparison.systems[name][tested.metric].score for name in _names(pair))
        first, second = (drawing.score_text(score, metric) for score in scores)
        p = doc.p_cell(tested.p)
        yield drawing.ForestRow(label, _pair_mark(comparison, tested), p, (first, second))
    for condition, by_metric in _effects(report, pair):
        flags = link(_explained(report, pair)[pair.metric], flag="any")
        address = flags if condition.startswith("Without") else None
        yield drawing.ForestRow(drawing.linked(condition, address, "exploratory"))
        for label, effect in by_metric.items():
            mark = _effect_mark(comparison, label, effect)
            yield drawing.ForestRow(text_of(label), mark, doc.p_cell(effect.p or 0.0))
    for column in dict.fromkeys(group.column for group in comparison.groups):
        groups = [group for group in comparison.groups if group.column == column]
        if not is_only_row or len(comparison.groups) > len(groups):
            yield drawing.ForestRow(text_of(f"{pair.metric} by {column}"))
        for group in sorted(groups, key=natural_order):
            yield _group_row(comparison, group, pair)


def natural_order(group: GroupComparison) -> tuple[float, int, str]:
    """Return the sort key of a group: the number its label begins with, else its size."""
    number = re.match(r"\d+(\.\d+)?", group.label)
    return (float(number[0]), 0, "") if number else (float("inf"), -group.segments, group.label)


def _group_row(
    comparison: Comparison, group: GroupComparison, pair: PairResult
) -> drawing.ForestRow:
    metric, fields = comparison.metrics[pair.metric], {"slice": f"{group.column}:{group.label}"}
    address = urlencode(fields, errors="surrogatepass", quote_via=quote)
    first, second = (group.systems[name][pair.metric] for name in _names(pair))
    mark, p = Mark.of(group.label, (first - second, None, False), metric), "not tested"
    for tested in group.of(pair.metric):
        mark, p = _pair_mark(comparison, tested, group.label), doc.p_cell(tested.p_adjusted)
    label = drawing.linked(text_of(group.label), address, f"{group.segments:,}")
    return drawing.ForestRow(
        label, mark, p, (drawing.score_text(first, metric), drawing.score_text(second, metric))
    )


def _legend(report: Report, label: str) -> Iterator[str]:
    """Yield sentences on marks, ranks and corrections, and on groups without a test."""
    comparison, settings = report.comparison, report.comparison.settings
    words, metric = words_of(comparison.test_set.rows), comparison.metrics[label]
    pairs, groups = comparison.of(label), comparison.groups
    columns = list(dict.fromkeys(group.column for group in groups))
    if len(comparison.systems) > 2:
        if any(pair.uncorrected_interval is not None for pair in pairs):
            title = CORRECTIONS[settings.correction].title
            yield f"Intervals are adjusted for {len(pairs):,} pairs, as p is by {title}."
        reference = settings.baseline or compare.by_score(comparison, label)[0][0]
        yield f"Filled: differs from {reference}; hollow: can't be told from it; ◂ beyond the axis."
        if len(metric.clusters) > 1:
            yield f"A rule: every {words.system} above is better than every {words.system} below."
        if settings.baseline is None:
            yield "Ranks: the range that the tests leave open."
        if columns:
            names = doc.join_names(columns)
            yield f"By {names}: {label}; the darker, the nearer to the best of a column."
    else:
        yield "Filled: significant; hollow: can't be told apart."
        if any(tested.people is not None for tested in comparison.comparisons):
            yield "Grey: gaps so small that human raters agree no more often than a coin."
        count = sum(bool(group.comparisons) for group in groups)
        if count > 1:
            yield f"p and intervals of the {count} groups are adjusted for each other."
    untested = [group.label for group in groups if not group.comparisons]
    if untested:
        units = words.units(groups[0].unit)
        yield f"Too few {units} to test: {doc.join_names(untested, 5)}."
    variables = () if report.segments is None else report.segments.variables
    others = [
        f"{variable.name} (more than {MOST_GROUPS})" if OTHER in variable.labels else variable.name
        for variable in variables
        if variable.origin == "metadata" and variable.name not in columns
    ]
    if others:
        yield (
            f"Not compared here: groups by {doc.join_names(others)}; choose them as slices of "
            f"{words.rows}."
        )


# Many systems.


def _about_all(comparison: Comparison, label: str) -> Iterator[str]:
    """Yield the number of pairs that can't be told apart, and who leads by other metrics."""
    pairs = comparison.of(label)
    undecided = sum(not pair.significant for pair in pairs)
    if compare.is_plain_test(comparison):
        yield f"Of the {len(pairs):,} pairs, {undecided:,} can't be told apart by {label}."
    if comparison.settings.primary is None or comparison.settings.baseline is not None:
        return
    leaders: dict[str, list[str]] = {compare.by_score(comparison, label)[0][0]: []}
    leader = next(iter(leaders))
    for other in comparison.metrics:
        if other != label:
            leaders.setdefault(compare.by_score(comparison, other)[0][0], []).append(other)
    for name, others in leaders.items():
        if others:
            yield f"{name} {'also ' * (name == leader)}has the best {doc.join_names(others)}."


def _remarks(report: Report) -> dict[str, str]:
    """Return remarks on systems with many flagged outputs or with the outputs of another."""
    if report.segments is None:
        return {}
    counts = report.segments.counts
    flagged = report.segments.flagged
    sizes = {name: len(set().union(*flags.values())) for name, flags in flagged.items()}
    remarks = {
        name: f"{size:,} flagged outputs"
        for name, size in sorted(sizes.items(), key=lambda item: -item[1])
        if size >= max(1, MANY_FLAGGED * len(counts))
    }
    texts = {} if counts.texts is None else counts.texts.systems
    outputs = {name: tuple(text) for name, text in texts.items()}
    for first, second in combinations(outputs, 2):
        if outputs[first] == outputs[second]:
            remarks[first], remarks[second] = f"same as {second}", f"same as {first}"
    return remarks


def _box_of_systems(report: Report, remarks: Mapping[str, str]) -> str:
    """Render a box that names systems with remarks, those with most flagged outputs first."""
    if not remarks or report.segments is None:
        return ""
    words, parts = words_of(report.comparison.test_set.rows), []
    for system in list(remarks)[:MOST_NAMES]:
        flags = report.segments.flagged.get(system, {})
        kind = max(flags, key=lambda kind: len(flags[kind]), default="")
        about = f" (most often {kind})" if "flagged" in remarks[system] else ""
        parts.append(f"{name_of(system)}: {text_of(remarks[system] + about)}")
    parts += [f"{len(remarks) - MOST_NAMES} more"] * (len(remarks) > MOST_NAMES)
    systems = words.system if len(remarks) == 1 else words.systems
    return f'<p class="flag"><b>Look at {len(remarks)} {systems} first.</b> {"; ".join(parts)}.</p>'


def _league(report: Report, label: str, remarks: Mapping[str, str]) -> str:
    """Render a row per system: its scores, and its difference to the leader or baseline."""
    comparison, metrics = report.comparison, report.comparison.metrics
    order = [name for name, _ in compare.by_score(comparison, label)]
    reference = comparison.settings.baseline or order[0]
    order.sort(key=lambda name: name != reference)
    results = [comparison.systems[name] for name in order]

    def scores(other: str, look: str) -> Column:
        heading = f"{other} ↓" if metrics[other].higher_is_better is False else other
        cells = [drawing.score_text(result[other].score, metrics[other]) for result in results]
        return f"number {look}", text_of(heading), cells

    def ranks(other: str, look: str) -> list[Column]:
        ranges = [result[other].rank_range for result in results]
        cells = ["" if found is None else doc.rank_range(found) for found in ranges]
        return [] if reference == comparison.settings.baseline else [(look, "rank", cells)]

    marks = _marks(comparison, label, reference)
    axis = drawing.Axis([marks[name].numbers for name in order[1:]], cut=True)
    drawings, differences, intervals = zip(*(axis.cells(marks[n]) for n in order), strict=True)
    worse, better = drawing.sides(metrics[label])
    right = f"{better} →" if comparison.settings.baseline else ""
    heading = axis.heading(f"← {worse} than {text_of(drawing.short(reference))}", right)
    numbers = {name: number for number, name in enumerate(comparison.systems)}
    badges = {
        name: f' <span class="badge">{text_of(text)}</span>' for name, text in remarks.items()
    }
    button = '<button type="button" class="pick" data-system="{}">{}</button>{}'
    systems = [button.format(numbers[n], name_of(n), badges.get(n, "")) for n in order]
    columns = [
        *ranks(label, "number wide soft"),
        ("of-row", words_of(comparison.test_set.rows).system, systems),
        scores(label, ""),
        *_human_columns(report, order),
        ("plot of-difference", heading, drawings),
        ("number of-difference", "diff.", ("", *differences[1:])),
        ("number wide", f"{100 * comparison.settings.level:g} % interval", ("", *intervals[1:])),
    ]
    others = [other for other in metrics if other != label]
    for other in others:
        columns += [scores(other, "wide of-metrics"), *ranks(other, "number wide soft of-metrics")]
    for group in sorted(comparison.groups, key=natural_order):
        cells = _shaded(group, metrics[label], label, order)
        columns.append(("number wide of-groups", text_of(group.label), cells))
    begins = {cluster[0] for cluster in metrics[label].clusters[1:]}
    table = drawing.drawn_table(
        "league", columns, ["rule" if name in begins else "" for name in order]
    )
    # Narrow screens show some of the columns; readers choose them.
    views = {"difference": "difference", "metrics": ", ".join(others)}
    views["groups"] = "groups" if comparison.groups else ""
    radios = [
        f'<label><input type="radio" name="view" value="{view}"'
        f"{' checked' * (view == 'difference')}> {text_of(title)}</label>"
        for view, title in views.items()
        if title
    ]
    return f'<div class="views narrow">{"".join(radios)}</div>{table}' if radios[1:] else table


def _marks(comparison: Comparison, label: str, reference: str) -> dict[str, Mark]:
    """Return the mark of each system's difference to `reference`, adjusted as p is."""
    metric = comparison.metrics[label]
    marks = {reference: Mark(reference, 0.0, None, metric.digits, "ahead")}
    for name, (pair, sign) in compare.pairs_with(comparison, label, reference).items():
        tested = (sign * pair.difference, compare.pair_bounds(pair, sign), pair.significant)
        marks[name] = Mark.of(name, tested, metric)
    return marks


def _human_columns(report: Report, order: Sequence[str]) -> list[Column]:
    """Return the columns of human scores and their ranks, if there are human scores."""
    if report.agreement is None:
        return []
    known = report.agreement.human.scores  # type: ignore[attr-defined]
    ranked = sorted((score for score in known.values() if score is not None), reverse=True)
    cells = [
        ("–", "–") if score is None else (sentence_of(f"{score:.2f}"), str(1 + ranked.index(score)))
        for score in map(known.get, order)
    ]
    scores, ranks = zip(*cells, strict=True)
    return [("number wide", "people", scores), ("number wide soft", "rank", ranks)]


def _shaded(
    group: GroupComparison, metric: MetricResult, label: str, order: Sequence[str]
) -> list[str]:
    """Format the scores on a group of segments; the higher a rank, the darker its cell."""
    scores = {name: by_metric[label] for name, by_metric in group.systems.items()}
    ranked = sorted(scores.values(), reverse=metric.higher_is_better is not False)
    shades = {
        name: max(0, SHADES - ranked.index(score) * 2 * SHADES // len(ranked))
        for name, score in scores.items()
    }
    digits = min(1, metric.digits)
    return [f'<span class="shade-{shades[n]}">{scores[n]:.{digits}f}</span>' for n in order]


def _picture(comparison: Comparison, label: str) -> str:
    """Render all pairs as a triangle: who is better, and who can't be told apart."""
    order = [name for name, _ in compare.by_score(comparison, label)]
    if comparison.settings.baseline is not None or len(order) > MOST_IN_PICTURE:
        return ""
    parts = []
    for row, name in enumerate(order):
        pairs, marks = compare.pairs_with(comparison, label, name), _marks(comparison, label, name)
        top, shown = row * CELL, text_of(drawing.short(name))
        parts.append(f'<text x="{NAMES - 6}" y="{top + 12}" text-anchor="end">{shown}</text>')
        for column, other in enumerate(order[row + 1 :], row + 1):
            p, mark = doc.p_cell(pairs[other][0].p_adjusted), marks[other]
            look = "undecided" if mark.look == "none" else "decided"
            title = f"{other} − {name}: {mark.text}, adjusted p {p}"
            parts.append(
                f'<rect class="{look}" x="{NAMES + column * CELL}" y="{top}" width="{CELL - 1}" '
                f'height="{CELL - 1}"><title>{sentence_of(title)}</title></rect>'
            )
    size = len(order) * CELL
    return (
        f'<details class="triangle"><summary>All {len(comparison.of(label)):,} pairs as a picture'
        '</summary><div class="scroll" tabindex="0" role="group" aria-label="All pairs">'
        f'<svg width="{NAMES + size}" height="{size}" role="img" aria-label="All pairs">'
        f'{"".join(parts)}</svg></div><p class="legend">Dark: the row is better than the column, '
        f"in the order of the table; light: can't be told apart, by {text_of(label)}.</p></details>"
    )
