"""The first screen about two systems: verdict, what disturbs it, and a forest of differences."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from truebleu.reports.compare import is_plain_test, is_second_better, pair_bounds, verdict
from truebleu.reports.document import bracketed, join_names, p_cell, p_equals, relation
from truebleu.reports.explain import NOUNS, link, matters
from truebleu.reports.formats.html import sentence_of, text_of
from truebleu.reports.page.forest import ForestRow, Scale, forest, name_of, with_names
from truebleu.reports.percent import comparison_in_percent
from truebleu.reports.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.explanation.explain import DegenerateGroup, PairExplanation, TypographyEffect
    from truebleu.explanation.report import Report
    from truebleu.significance.compare import Comparison, GroupComparison, PairResult

# Name of scores that a sentence can leave out, and one that says what scores of 1 are.
UNNAMED, CORRECT = "score", "correct"
# Words of the caution about one unit, which stands in the box.
OF_VARIANCE = "of the variance"


def headline(comparison: Comparison, pair: PairResult) -> str:
    """State the verdict on a pair, with the scores if they are percentages."""
    metric = comparison.metrics[pair.metric]
    if not is_plain_test(comparison) or metric.smallest_p > comparison.settings.alpha:
        return next(iter(verdict(comparison_in_percent(comparison), pair.metric)), "")
    scale = Scale.of(metric)
    bounds = pair_bounds(pair, 1 if pair.difference >= 0 else -1)
    low, high = (None if bound is None else scale.factor * bound for bound in bounds)
    unit, scores, names, better = pair.metric, "", pair_of(pair), pair.difference
    if is_second_better(comparison, pair):
        names, better = (pair.b, pair.a), -pair.difference
    if scale.factor > 1:
        unit = "points"
        first, second = (scale.score(comparison.systems[n][pair.metric].score) for n in names)
        named = {UNNAMED: "", CORRECT: f" {CORRECT}"}.get(pair.metric, f" by {pair.metric}")
        scores = f": {first} against {second}{named}"
    amount = f"{scale.size(pair.difference)} {unit} {bracketed((low, high), scale.digits)}"
    if pair.significant:
        word = relation(better, metric.higher_is_better)
        return f"{names[0]} {word} {names[1]} by {amount}{scores}."
    return f"{pair.a} and {pair.b} can't be told apart: they differ by {amount}{scores}."


def pair_of(pair: PairResult) -> tuple[str, str]:
    """Return the names of both systems."""
    return pair.a, pair.b


def pair_answer(report: Report) -> str:
    """Show the verdict on the only pair of systems."""
    comparison = report.comparison
    label = comparison.settings.primary or next(iter(comparison.metrics))
    (pair,) = comparison.of(label)
    _, *cautions = verdict(comparison_in_percent(comparison), label)
    of_one_unit = [caution for caution in cautions if OF_VARIANCE in caution]
    cautions = [caution for caution in cautions if caution not in of_one_unit]
    sentences = [p_equals("p", pair.p).replace("p ", "p\u00a0", 1) + "."]
    sentences += [*_other_metrics(comparison, pair), *cautions, *_varies(report, pair)]
    return "".join(
        (
            f"<h1>{with_names(headline(comparison, pair), comparison.systems)}</h1>",
            f'<p class="then">{with_names(" ".join(sentences), comparison.systems)}</p>',
            _box(report, pair, of_one_unit),
            forest([*_rows(report, pair)], pair_of(pair), ["p"], comparison.settings.level),
            f'<p class="legend">{sentence_of(" ".join(_legend(comparison, pair)))}</p>',
        )
    )


def _other_metrics(comparison: Comparison, pair: PairResult) -> Iterator[str]:
    """Say what the metrics that do not decide the verdict show."""
    if comparison.settings.primary is None or not is_plain_test(comparison):
        return
    relations: dict[str, list[str]] = {}
    main = _relation(comparison, pair) if pair.significant else ""
    for other in comparison.comparisons:
        if other.metric != pair.metric:
            better = _relation(comparison, other) if other.significant else ""
            relations.setdefault(better, []).append(other.metric)
    clauses = [
        f"by {join_names(labels)} "
        + (
            f"it {better}{' too' if better == main else ''}"
            if better
            else "they can't be told apart"
        )
        for better, labels in relations.items()
    ]
    if clauses:
        text = "; ".join(clauses)
        subject = "" if main else f" ({pair.a})"
        yield f"For information: {text.replace(' it ', f' {pair.a} ') if subject else text}."


def _relation(comparison: Comparison, pair: PairResult) -> str:
    better = relation(pair.difference, comparison.metrics[pair.metric].higher_is_better)
    return better.removesuffix(" than").removesuffix(" the")


def _varies(report: Report, pair: PairResult) -> Iterator[str]:
    """Name the variable on which the difference depends most clearly."""
    explained = _explained(report, pair)
    alpha = report.comparison.settings.alpha
    groups = [found for found in report.comparison.heterogeneity if found.metric == pair.metric]
    for found in groups:
        if found.p_adjusted <= alpha:
            p = p_equals("p" if len(groups) == 1 else "adjusted p", found.p_adjusted)
            yield f"The difference varies by {found.column} ({p})."
    if groups:
        return
    for variable in () if explained is None else explained.variables[:1]:
        if variable.p_adjusted is not None and variable.p_adjusted <= alpha:
            yield (
                f"The difference varies by {variable.name} "
                f"({p_equals('adjusted p', variable.p_adjusted)})."
            )


def _explained(report: Report, pair: PairResult) -> PairExplanation | None:
    pairs = () if report.explanation is None else report.explanation.of(pair.metric)
    return next((found for found in pairs if pair_of(found.comparison) == pair_of(pair)), None)


# The box beside the verdict.


def _about_one_unit(explained: PairExplanation, caution: str) -> str:
    """Link the document that a caution names to its segments."""
    unit = explained.comparison.largest_unit
    if unit is None or not caution.startswith("Document "):
        return sentence_of(caution)
    name = f'<a href="#{escape(link(explained, document=unit))}">{name_of(unit)}</a>'
    return sentence_of(caution).replace(text_of(unit), name, 1)


def _box(report: Report, pair: PairResult, cautions: Sequence[str]) -> str:
    """Show what moves the difference considerably: flagged outputs, typography, one document."""
    explained, comparison = _explained(report, pair), report.comparison
    if explained is None:
        return ""
    alpha, scale = comparison.settings.alpha, Scale.of(comparison.metrics[pair.metric])
    parts = []
    flagged = explained.degenerate[:1]
    effects: tuple[DegenerateGroup | TypographyEffect, ...] = (*flagged, *explained.typography)
    for effect in effects:
        if effect.difference is None or effect.p is None or not matters(effect, pair, alpha):
            continue
        turns = effect.p > alpha or effect.difference * pair.difference < 0
        verb = "turn" if turns or not pair.significant else "move"
        noun = "the verdict" if verb == "turn" else "the difference"
        subject, condition = (
            f"{effect.kind.capitalize()} differ and",
            f"With the same {effect.kind}",
        )
        if effect in flagged:
            count = len(flagged[0].segments)
            subject, condition = f"{count:,} flagged outputs", "Without them"
        bounds = scale.turned_interval(effect.interval or (None, None))
        difference = f"{scale.turned(effect.difference):+.{scale.digits}f}"
        parts.append(
            f"<b>{text_of(subject)} {verb} {noun}.</b> {text_of(condition)} the difference is "
            f"{sentence_of(difference)} {text_of(pair.metric)} "
            f"{sentence_of(bracketed(bounds, scale.digits, sign='+'))}, "
            f"{p_equals('p', effect.p)} (exploratory)."
        )
    links = [
        f'<a href="#{escape(link(explained, flag=group.kind))}">'
        f"{len(group.segments):,} {text_of(_flagged(group.kind, len(group.segments)))}</a>"
        f"{f' of {name_of(group.system)}' if group.system else ''}"
        for group in explained.degenerate[1:]
    ]
    if parts and links and "flagged" in parts[0]:
        parts[0] += f" They are {', '.join(links)}; an output can have several flags."
    parts += [_about_one_unit(explained, caution) for caution in cautions]
    return "".join(f'<p class="flag">{part}</p>' for part in [" ".join(parts)] if part)


def _flagged(kind: str, count: int) -> str:
    return NOUNS.get(kind, f"{kind} output{{s}}").format(s="" if count == 1 else "s")


# The forest.


def _rows(report: Report, pair: PairResult) -> Iterator[ForestRow]:
    """Yield the metrics, the metrics without what disturbs them, and the groups."""
    comparison = report.comparison
    words, count = words_of(comparison.test_set.rows), comparison.test_set.segments
    alpha = comparison.settings.alpha
    is_only_row = len(comparison.metrics) == 1 and words.row == "item"
    for tested in comparison.comparisons:
        scale = Scale.of(comparison.metrics[tested.metric])
        lower = "lower is better, turned" if scale.sign < 0 else ""
        label = f"{tested.metric} ↓" if lower else tested.metric
        yield ForestRow(
            label=f"all {words.rows}" if is_only_row else label,
            note=f"{count:,}" if is_only_row else lower,
            scale=scale,
            scores=_scores(comparison, tested),
            difference=tested.difference,
            interval=tested.interval,
            p=(p_cell(tested.p),),
            significant=tested.significant,
            band=None if tested.people is None else tested.people.coin,
        )
    yield from _without(report, pair, alpha)
    for column in dict.fromkeys(group.column for group in comparison.groups):
        groups = [group for group in comparison.groups if group.column == column]
        if not is_only_row or len(comparison.groups) > len(groups):
            yield ForestRow(label=f"{pair.metric} by {column}")
        for group in sorted(groups, key=natural_order):
            yield _group_row(comparison, group, pair)


def _scores(comparison: Comparison, pair: PairResult) -> tuple[float, float]:
    first, second = (comparison.systems[name][pair.metric].score for name in pair_of(pair))
    return first, second


def natural_order(group: GroupComparison) -> tuple[float, int, str]:
    """Sort labels that begin with numbers by these, and others by their size."""
    number = re.match(r"\d+(\.\d+)?", group.label)
    return (float(number[0]), 0, "") if number else (float("inf"), -group.segments, group.label)


def _group_row(comparison: Comparison, group: GroupComparison, pair: PairResult) -> ForestRow:
    scores = tuple(group.systems[name][pair.metric] for name in pair_of(pair))
    found = next((p for p in group.of(pair.metric) if pair_of(p) == pair_of(pair)), None)
    fields = {"slice": f"{group.column}:{group.label}"}
    return ForestRow(
        label=group.label,
        note=f"{group.segments:,}",
        link=urlencode(fields, errors="surrogatepass", quote_via=quote),
        scale=Scale.of(comparison.metrics[pair.metric]),
        scores=(scores[0], scores[1]),
        difference=scores[0] - scores[1],
        interval=None if found is None else found.interval,
        p=("not tested",) if found is None else (p_cell(found.p_adjusted),),
        significant=found is not None and found.significant,
    )


def _without(report: Report, pair: PairResult, alpha: float) -> Iterator[ForestRow]:
    """Yield the differences without flagged outputs, or with one typography, if these matter."""
    explanation, main = report.explanation, _explained(report, pair)
    if explanation is None or main is None:
        return
    pairs = [found for found in explanation.pairs if pair_of(found.comparison) == pair_of(pair)]
    if main.degenerate and any(matters(p.degenerate[0], p.comparison, alpha) for p in pairs):
        flagged = f"Without {len(main.degenerate[0].segments):,} flagged outputs"
        yield ForestRow(label=flagged, link=link(main, flag="any"), note="exploratory")
        effects = [(found.comparison.metric, found.degenerate[0]) for found in pairs]
        yield from _effect_rows(report.comparison, effects, alpha)
    for kind in [e.kind for e in main.typography if matters(e, pair, alpha)]:
        yield ForestRow(label=f"With the same {kind}")
        effects_of_kind = [
            (found.comparison.metric, effect)
            for found in pairs
            for effect in found.typography
            if effect.kind == kind
        ]
        yield from _effect_rows(report.comparison, effects_of_kind, alpha)


def _effect_rows(
    comparison: Comparison,
    effects: Sequence[tuple[str, DegenerateGroup | TypographyEffect]],
    alpha: float,
) -> Iterator[ForestRow]:
    for metric, effect in effects:
        if effect.difference is not None and effect.p is not None:
            yield ForestRow(
                label=metric,
                scale=Scale.of(comparison.metrics[metric]),
                difference=effect.difference,
                interval=effect.interval,
                p=(p_cell(effect.p),),
                significant=effect.p <= alpha,
            )


def _legend(comparison: Comparison, pair: PairResult) -> Iterator[str]:
    points = Scale.of(comparison.metrics[pair.metric]).factor > 1
    yield "Points: percentage points." if points else "Points of each metric."
    yield "Filled: significant; hollow: can't be told apart."
    if any(tested.people is not None for tested in comparison.comparisons):
        yield "Grey: gaps so small that human raters agree no more often than a coin."
    tested = [group for group in comparison.groups if group.comparisons]
    if len(tested) > 1:
        yield f"p and intervals of the {len(tested)} groups are adjusted for each other."
    untested = [group.label for group in comparison.groups if not group.comparisons]
    if untested:
        units = words_of(comparison.test_set.rows).units(comparison.groups[0].unit)
        yield f"Too few {units} to test: {join_names(untested, 5)}."
