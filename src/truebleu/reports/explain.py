"""Explanations as documents: sentences, then tables of contributions.

The sentences answer four questions: is the difference an artefact or real, is it big enough for
people, where does it come from, and how robust is it?
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from truebleu.reports import document as doc
from truebleu.reports.compare import evidence, pair_sentence
from truebleu.reports.percent import in_percent, unit
from truebleu.reports.words import words_of
from truebleu.schema import row_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.explanation.explain import (
        DegenerateGroup,
        Explanation,
        NgramContribution,
        PairExplanation,
        SliceContribution,
        TypographyEffect,
        VariableContributions,
    )
    from truebleu.explanation.training import SeenSegment, TrainingCheck
    from truebleu.reports.document import Block, Row
    from truebleu.reports.words import Words
    from truebleu.significance.compare import MetricResult, PairResult

# Maximum number of rows in tables of the largest contributions.
LISTED = 10
# Nouns for flagged outputs by kind; other kinds are adjectives.
NOUNS = {
    "any": "degenerate output{s}",
    "loop": "loop{s}",
    "refusal": "refusal{s}",
    "note": "output{s} with notes",
    "cut short": "shortened output{s}",
    "wrong language": "output{s} in another language",
}
# Maximum number of variables in sentences.
MOST_VARIABLES = 3
NOTES = (
    "Contributions add up to the difference. p (even spread) tests whether a slice contributes in "
    "proportion to its share of the {whole} (labels permuted over {rows}), adjusted for all "
    "slices; the slices' intervals are simultaneous. An n-gram's p tests whether the n-gram "
    "contributes nothing, adjusted for all tested n-grams.",
    "Scores on a slice alone do not add up; differences without flagged outputs are exploratory.",
)


def document(explanation: Explanation, *, details: bool = False) -> doc.Document:
    """Lay out each pair's verdict and significant contributions; with details, all tables.

    By each metric the largest significant difference comes first.
    """
    metrics = explanation.comparison.metrics
    labels = {label for label, metric in metrics.items() if metric.percent}
    data, explanation = data_table(explanation), in_percent(explanation, labels)
    blocks: list[Block] = []
    ordered = [
        pair
        for metric in metrics
        for pair in sorted(
            explanation.of(metric),
            key=lambda pair: (not pair.comparison.significant, -abs(pair.comparison.difference)),
        )
    ]
    for pair in ordered:
        compared = pair.comparison
        if len(ordered) > 1:
            blocks.append(doc.Heading(f"{compared.a} − {compared.b} by {compared.metric}"))
        blocks.append(doc.Sentences(tuple(verdict(explanation, pair))))
        tables = [slice_table(explanation, pair, details), ngram_table(explanation, pair, details)]
        if details:
            tables.insert(0, part_table(explanation, pair))
            tables += [group_table(explanation, pair), degenerate_table(explanation, pair)]
        blocks += [table for table in tables if table.rows]
    notes = evidence(explanation.comparison)
    if details:
        words = _words(explanation)
        notes += [note.format(whole=words.whole, rows=words.rows) for note in NOTES]
    blocks.append(doc.Notes(tuple(notes)))
    flagged = [[_outputs(group) for group in p.degenerate[1:] if group.segments] for p in ordered]
    flags = dict.fromkeys(f"Flagged: {doc.join_names(kinds)}." for kinds in flagged if kinds)
    return doc.Document(tuple(blocks), data, flags=tuple(flags))


# Sentences, most important first.


def verdict(explanation: Explanation, pair: PairExplanation) -> list[str]:
    """Make the sentences about one pair; its significance comes first."""
    people, compared, metric = pair.comparison.people, pair.comparison, _metric(explanation, pair)
    lines = [pair_sentence(explanation.comparison, compared)]
    if people is not None:
        difference = compared.difference
        lines.append(doc.people_sentence(difference, people, compared.metric, metric.digits))
    return [
        *lines,
        *doc.about_answers([metric.signature]),
        *artefacts(explanation, pair),
        *_where_from(explanation, pair),
        *_how_safe(pair, _words(explanation)),
    ]


def _unit(explanation: Explanation, pair: PairExplanation) -> str:
    return unit(pair.comparison.metric, percent=_metric(explanation, pair).percent)


def artefacts(explanation: Explanation, pair: PairExplanation) -> Iterator[str]:
    """Yield artefacts that change the verdict, or the difference considerably."""
    digits, compared = _metric(explanation, pair).digits, pair.comparison
    alpha = explanation.comparison.settings.alpha
    # The largest group of one kind; all flagged outputs where only they together matter.
    groups = [*pair.degenerate[1:], *pair.degenerate[:1]]
    effects: list[tuple[DegenerateGroup | TypographyEffect, str, str]] = [
        *[
            (g, f"Without {_outputs(g)}", " (exploratory)")
            for g in groups
            if matters(g, compared, alpha)
        ][:1],
        *[
            (e, f"With the same {e.kind} in all texts", "")
            for e in pair.typography
            if matters(e, compared, alpha)
        ],
    ]
    for effect, condition, caution in effects:
        interval = doc.bracketed(effect.interval or (None, None), digits, sign="+")
        yield (
            f"{condition} the difference is {_signed(effect.difference or 0.0, digits)} "
            f"{_unit(explanation, pair)} {interval}, {doc.p_equals('p', effect.p or 0.0)}, "
            f"instead of {_signed(compared.difference, digits)}{caution}."
        )


def matters(effect: DegenerateGroup | TypographyEffect, compared: PairResult, alpha: float) -> bool:
    """Return whether the verdict changes, or the difference by half the width of its interval."""
    if effect.difference is None or effect.p is None:
        return False
    verdicts = {
        0 if p > alpha else 1 if difference > 0 else -1
        for difference, p in ((effect.difference, effect.p), (compared.difference, compared.p))
    }
    low, high = compared.interval
    if len(verdicts) > 1 or low is None or high is None:
        return len(verdicts) > 1
    return abs(effect.difference - compared.difference) > (high - low) / 2


def _outputs(group: DegenerateGroup) -> str:
    noun = NOUNS.get(group.kind, f"{group.kind} output{{s}}")
    plural = "" if len(group.segments) == 1 else "s"
    owner = "" if group.system is None else f" of {group.system}"
    return f"{len(group.segments):,} {noun.format(s=plural)}{owner}"


def _where_from(explanation: Explanation, pair: PairExplanation) -> Iterator[str]:
    digits, compared = _metric(explanation, pair).digits, pair.comparison
    alpha, words = explanation.comparison.settings.alpha, _words(explanation)
    tested = [variable for variable in pair.variables if variable.p_adjusted is not None]
    clear = [variable for variable in tested if _at_most(variable.p_adjusted, alpha)]
    for variable in clear[:MOST_VARIABLES]:
        part = _standing_out(variable, compared.difference, alpha)
        name, subject = variable.name, part.name
        if {part.name for part in variable.slices} <= {"yes", "no"}:
            name, subject = f"whether the {variable.origin} {name}", f"‹{part.name}›"
        yield (
            f"The difference varies by {name} "
            f"({doc.p_equals('adjusted p', variable.p_adjusted or 0.0)}): "
            f"{subject} is {100 * part.share:.0f} % of the {words.whole} but contributes "
            f"{_signed(part.contribution, digits)} of {_signed(compared.difference, digits)} "
            f"{_unit(explanation, pair)}."
        )
    if tested and not clear:
        smallest = min(variable.p_adjusted or 0.0 for variable in tested)
        ways = "way" if len(tested) == 1 else "ways"
        yield (
            f"No slice differs significantly from its share of the {words.whole} "
            f"({len(tested)} {ways} of slicing, {doc.p_equals('smallest adjusted p', smallest)})."
        )
    if len(pair.parts) > 1:
        parts = (f"{name} {_signed(part, digits)}" for name, part in _grouped_parts(pair).items())
        yield f"Parts of the score: {', '.join(parts)}."
    if pair.unattributed:
        yield (
            f"{_signed(pair.unattributed, digits)} cannot be attributed to {words.rows}, because "
            f"the score is discontinuous between the two {words.systems}' counts."
        )


def _grouped_parts(pair: PairExplanation) -> dict[str, float]:
    """Add up the parts of all n-gram orders: "2-gram matches" count as "matches"."""
    groups: dict[str, float] = {}
    for part in pair.parts:
        order, _, rest = part.name.partition("-gram ")
        name = rest if order.isdigit() else part.name
        groups[name] = groups.get(name, 0.0) + part.contribution
    return groups


def _standing_out(
    variable: VariableContributions, difference: float, alpha: float
) -> SliceContribution:
    """Return the slice that exceeds its share of the text most, in the difference's direction."""
    sign = 1 if difference >= 0 else -1
    clear = [part for part in variable.unlike_text if _at_most(part.p_adjusted, alpha)]
    return max(clear, key=lambda part: sign * variable.excess(part))


def _how_safe(pair: PairExplanation, words: Words) -> Iterator[str]:
    turning, ending = [], []
    for removal in pair.fragility:
        sign, significance = removal.until_sign_turns, removal.until_not_significant
        units = words.units(removal.removed)
        if sign is None:
            yield f"Removing up to nine in ten {units} does not reverse the sign."
            continue
        turning.append(f"{sign:,} of {removal.total:,} {units}")
        if significance is not None:
            ending.append(f"{significance:,}")
    if turning:
        ends = f"; removing {_alternatives(ending)} makes it non-significant" if ending else ""
        yield (
            f"Removing the {_alternatives(turning)} that contribute most to the difference "
            f"reverses its sign{ends}."
        )


def _alternatives(counts: Sequence[str]) -> str:
    """Return the first count, and the second in brackets if there is one."""
    return " ".join([counts[0], *(f"(or {count})" for count in counts[1:])])


# Tables.


def _contribution(pair: PairExplanation, digits: int) -> doc.Column:
    heading = f"Contribution to {pair.comparison.a} − {pair.comparison.b}"
    return doc.Column("contribution", heading, digits, sign=True)


def part_table(explanation: Explanation, pair: PairExplanation) -> doc.Table:
    """Make a row for the contribution of each part of the score."""
    columns = (
        doc.Column("name", "Part of the score"),
        _contribution(pair, _metric(explanation, pair).digits),
    )
    rows: list[Row] = [row_of(part) for part in pair.parts]
    if pair.unattributed:
        rows.append({"name": "not attributed", "contribution": pair.unattributed})
    rows.append({"name": "all", "contribution": pair.comparison.difference})
    return doc.Table(columns, tuple(rows))


def slice_table(explanation: Explanation, pair: PairExplanation, details: bool) -> doc.Table:
    """Make rows for slices of significant variables, or of all; they add up by variable."""
    settings, compared = explanation.comparison.settings, pair.comparison
    metric, words = _metric(explanation, pair), _words(explanation)
    columns = (
        doc.Column("variable", "Slices by"),
        doc.Column("name", "Slice"),
        doc.Column("segments", words.rows.capitalize()),
        doc.Column("share", "Text" if words.whole == "text" else "Share", 0, percent=True),
        _contribution(pair, metric.digits),
        doc.Column("interval", doc.interval_heading(settings.level), metric.digits, sign=True),
        doc.Column("p_adjusted", "p (even spread)", 4),
        doc.Column("a", f"{compared.a} alone", metric.digits),
        doc.Column("b", f"{compared.b} alone", metric.digits),
    )
    clear = [part for part in pair.variables if _at_most(part.p_adjusted, settings.alpha)]
    turn = -1 if metric.higher_is_better is False else 1
    rows: list[Row] = []
    for variable in pair.variables if details else clear[:MOST_VARIABLES]:
        for index, part in enumerate(variable.slices):
            # Right is better for the first system in the picture.
            low, high = sorted(turn * bound for bound in part.interval)
            cells = {
                "variable": "" if index else variable.name,
                **dict(zip("ab", part.scores or (None, None), strict=True)),
                "interval": part.interval,
                "name link": link(pair, slice=f"{variable.name}:{part.name}"),
                "value": turn * part.contribution,
                "low": low,
                "high": high,
                "verdict": "better" if low > 0 else "worse" if high < 0 else "undecided",
            }
            rows.append(row_of(part) | cells)
    look = {"value": "value", "verdict": "verdict", "heading": "← worse · better →"}
    bars = (doc.Bar("contribution", "low", "high", zero=True, **look),)
    return doc.Table(columns if details else columns[:-2], tuple(rows), bars=bars)


def link(pair: PairExplanation, **selection: object) -> str:
    """Return the address of a selection of a pair's segments in the report's page."""
    compared = pair.comparison
    fields = {"metric": compared.metric, "a": compared.a, "b": compared.b, **selection}
    # A file's name, and so a system's, may hold bytes that are no UTF-8.
    return urlencode(fields, errors="surrogatepass", quote_via=quote)


def ngram_table(explanation: Explanation, pair: PairExplanation, details: bool) -> doc.Table:
    """Make rows for the n-grams that contribute most, the first system's before the second's."""
    alpha = explanation.comparison.settings.alpha
    ngrams: Sequence[NgramContribution] = pair.ngrams
    if not details:
        clear = (ngram for ngram in ngrams if _at_most(ngram.p_adjusted, alpha))
        ngrams = sorted(clear, key=lambda ngram: -abs(ngram.contribution))[:LISTED]
    columns = (
        doc.Column("ngram", "N-gram"),
        _contribution(pair, max(3, _metric(explanation, pair).digits)),
        doc.Column("segments", "Segments"),
        doc.Column("p_adjusted", "adjusted p", 4),
        doc.Column("examples", "e.g. segments"),
    )
    rows = (
        {
            **row_of(ngram),
            "examples": ", ".join(map(str, ngram.examples)),
            "ngram link": link(pair, text=ngram.ngram, against="ngrams"),
            "examples link": link(pair, segment=ngram.examples[0]),
        }
        for ngram in ngrams
    )
    return doc.Table(columns, tuple(rows))


def group_table(explanation: Explanation, pair: PairExplanation) -> doc.Table:
    """List the segments or items, and the documents, that contribute most, either way."""
    columns = (
        doc.Column("kind", "Contributes most"),
        doc.Column("name", "Name"),
        _contribution(pair, max(3, _metric(explanation, pair).digits)),
    )
    rows: list[Row] = [
        {
            "kind": _words(explanation).row,
            "name": _segment_name(explanation, index),
            "contribution": pair.segments[index],
            "name link": link(pair, segment=index + 1),
        }
        for index in _largest_segments(pair)
    ]
    rows += [
        {"kind": "document", **row_of(part), "name link": link(pair, document=part.name)}
        for part in pair.documents[:LISTED]
        if part.contribution
    ]
    return doc.Table(columns, tuple(rows))


def _segment_name(explanation: Explanation, index: int) -> str:
    names = explanation.segment_names
    return str(index + 1) if names is None else names[index]


def _largest_segments(pair: PairExplanation) -> list[int]:
    """Return the indices of the segments with the largest contributions other than 0."""
    largest = sorted(range(len(pair.segments)), key=lambda i: -abs(pair.segments[i]))[:LISTED]
    return [number for number in largest if pair.segments[number]]


def degenerate_table(explanation: Explanation, pair: PairExplanation) -> doc.Table:
    """Make a row for the degenerate outputs of each kind, with the difference without them."""
    digits = _metric(explanation, pair).digits
    columns = (
        doc.Column("kind", "Flagged outputs"),
        doc.Column("system", "System"),
        doc.Column("segments", "Segments"),
        _contribution(pair, digits),
        doc.Column("difference", "Without them", digits, sign=True),
        doc.Column("interval", "Interval", digits, sign=True),
        doc.Column("p", "p (exploratory)", 4),
    )
    rows = (
        {
            **row_of(group),
            "system": group.system or "either",
            "segments": len(group.segments),
            "interval": group.interval or (None, None),
            "kind link": link(pair, flag=group.kind if group.system else "any"),
        }
        for group in pair.degenerate
    )
    return doc.Table(columns, tuple(rows))


def data_table(explanation: Explanation) -> doc.Table:
    """Make a row per finding: the difference, parts, slices, n-grams, documents and segments."""
    rows: list[Row] = []
    for pair in explanation.pairs:
        compared = pair.comparison
        parts = [("difference", {**row_of(compared), "contribution": compared.difference})]
        parts += [("part", row_of(part)) for part in pair.parts]
        for variable in pair.variables:
            name = {"variable": variable.name}
            parts += [("slice", row_of(part) | name) for part in variable.slices]
        parts += [("n-gram", {**row_of(ngram), "name": ngram.ngram}) for ngram in pair.ngrams]
        for group in pair.degenerate:
            flagged = {**row_of(group), "variable": group.kind, "name": group.system or "either"}
            flagged |= {"segments": len(group.segments), "low": None, "high": None}
            parts.append(("flagged", flagged))
        parts += [("document", row_of(part)) for part in pair.documents]
        parts += [
            ("segment", {"name": _segment_name(explanation, index), "contribution": value})
            for index, value in enumerate(pair.segments)
        ]
        names = {"metric": compared.metric, "a": compared.a, "b": compared.b}
        rows += [{**row, **names, "kind": kind} for kind, row in parts]
    columns = doc.plain_columns(
        *("metric", "a", "b", "kind", "variable", "name", "contribution", "low", "high"),
        *("p_adjusted", "segments"),
    )
    signatures = tuple(str(metric.signature) for metric in explanation.comparison.metrics.values())
    return doc.Table(columns, tuple(rows), signatures)


def _words(explanation: Explanation) -> Words:
    return words_of(explanation.comparison.test_set.rows)


def _metric(explanation: Explanation, pair: PairExplanation) -> MetricResult:
    return explanation.comparison.metrics[pair.comparison.metric]


def _signed(value: float, digits: int) -> str:
    # Adding 0 removes the minus sign of values rounded to 0.
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def _at_most(p: float | None, alpha: float) -> bool:
    return p is not None and p <= alpha


# Test segments in training text.


def training_document(result: TrainingCheck) -> doc.Document:
    """State how much of the test set occurs in training text; list it, and scores without it."""
    text, words = f"{result.lines:,} lines of training text", f"{result.ngram} words in a row"
    data = _seen_table(result.seen)
    if not result.seen:
        answer = f"None of {result.segments:,} test segments occurs in {text}, whole or by {words}."
        return doc.Document((doc.Sentences((answer,)),), data)
    count, whole = len(result.seen), sum(segment.seen == "whole" for segment in result.seen)
    answer = (
        f"{count:,} of {result.segments:,} test segments occur in {text}: {whole:,} as whole "
        f"lines, {count - whole:,} by {words}. Do not test on them."
    )
    scores = [_scores_without(result)] if result.systems else []
    notes = (f"{count - LISTED:,} more are in JSON and TSV.",) if count > LISTED else ()
    table = _seen_table(result.seen[:LISTED], notes)
    return doc.Document((doc.Sentences((answer,)), *scores, table), data)


def _scores_without(result: TrainingCheck) -> doc.Table:
    rows = []
    for score in result.systems:
        column = doc.Column("", "", result.digits[score.metric])
        cells = {name: column.cell(getattr(score, name)) for name in ("score", "without")}
        difference = replace(column, sign=True).cell(score.difference)
        rows.append({**row_of(score), **cells, "difference": difference})
    columns = (
        *doc.plain_columns("system", "metric"),
        doc.Column("score", "score", numeric=True),
        doc.Column("without", "without them", numeric=True),
        doc.Column("difference", "difference", numeric=True),
    )
    return doc.Table(columns, tuple(rows), tuple(doc.signature_lines(result.signatures.values())))


def _seen_table(seen: Sequence[SeenSegment], notes: tuple[str, ...] = ()) -> doc.Table:
    columns = doc.plain_columns("segment", "seen", "file", "line")
    return doc.Table(columns, tuple(map(row_of, seen)), notes)
