"""Explanations as documents: sentences, then tables of contributions.

The sentences answer four questions: is the difference an artefact or real, is it big enough for
people, where does it come from, and how robust is it?
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from truebleu.reports import document as doc
from truebleu.reports.compare import evidence, pair_sentence
from truebleu.reports.percent import in_percent, unit
from truebleu.reports.words import words_of
from truebleu.schema import row_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.explanation.explain import (
        DegenerateGroup,
        Explanation,
        PairExplanation,
        SliceContribution,
        TypographyEffect,
        VariableContributions,
    )
    from truebleu.explanation.training import SeenSegment, TrainingCheck
    from truebleu.reports.document import Block, Row, Value
    from truebleu.reports.words import Words
    from truebleu.significance.compare import MetricResult, PairResult

# Maximum number of rows in tables of the largest contributions.
LISTED = 10
# Maximum number of characters of a text in a table.
LONGEST_TEXT = 400
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
    data, explanation = data_table(explanation), _in_percent(explanation)
    blocks: list[Block] = []
    ordered = [
        pair
        for metric in explanation.comparison.metrics
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
        tables = [table(explanation, pair, details=details) for table in (slice_table, ngram_table)]
        if details:
            others = (part_table, group_table, degenerate_table)
            first, *last = (table(explanation, pair) for table in others)
            tables = [first, *tables, *last]
        blocks += [table for table in tables if table.rows]
    notes = evidence(explanation.comparison)
    if details:
        words = _words(explanation)
        notes += [note.format(whole=words.whole, rows=words.rows) for note in NOTES]
    blocks.append(doc.Notes(tuple(notes)))
    flags = dict.fromkeys(line for pair in ordered for line in _flags(pair))
    return doc.Document(tuple(blocks), data, flags=tuple(flags))


def _in_percent(explanation: Explanation) -> Explanation:
    comparison = explanation.comparison
    labels = {label for label, metric in comparison.metrics.items() if metric.percent}
    return in_percent(explanation, labels) if labels else explanation


def _flags(pair: PairExplanation) -> Iterator[str]:
    """Count the flagged outputs of a pair by kind and system, if there are any."""
    kinds = [_outputs(group) for group in pair.degenerate[1:] if group.segments]
    if kinds:
        yield f"Flagged: {doc.join_names(kinds)}."


# Sentences, most important first.


def verdict(explanation: Explanation, pair: PairExplanation) -> list[str]:
    """Make the sentences about one pair; its significance comes first."""
    people, compared = pair.comparison.people, pair.comparison
    digits = _metric(explanation, pair).digits
    lines = [pair_sentence(explanation.comparison, compared)]
    if people is not None:
        lines.append(doc.people_sentence(compared.difference, people, compared.metric, digits))
    return [
        *lines,
        *doc.about_answers([_metric(explanation, pair).signature]),
        *artefacts(explanation, pair),
        *_where_from(explanation, pair),
        *_how_safe(pair, _words(explanation)),
    ]


def _difference(pair: PairExplanation) -> str:
    return f"{pair.comparison.a} − {pair.comparison.b}"


def _unit(explanation: Explanation, pair: PairExplanation) -> str:
    return unit(pair.comparison.metric, percent=_metric(explanation, pair).percent)


def artefacts(explanation: Explanation, pair: PairExplanation) -> Iterator[str]:
    """Yield artefacts that change the verdict, or the difference considerably."""
    digits, compared = _metric(explanation, pair).digits, pair.comparison
    alpha = explanation.comparison.settings.alpha
    instead = f", instead of {_signed(compared.difference, digits)}"

    def other(effect: DegenerateGroup | TypographyEffect) -> str:
        return (
            f"{_signed(effect.difference or 0.0, digits)} {_unit(explanation, pair)} "
            f"{doc.bracketed(effect.interval or (None, None), digits, sign='+')}, "
            f"{doc.p_equals('p', effect.p or 0.0)}{instead}"
        )

    # The largest group of one kind; all flagged outputs where only they together matter.
    groups = [*pair.degenerate[1:], *pair.degenerate[:1]]
    for group in [group for group in groups if matters(group, compared, alpha)][:1]:
        yield f"Without {_outputs(group)} the difference is {other(group)} (exploratory)."
    for effect in pair.typography:
        if matters(effect, compared, alpha):
            yield f"With the same {effect.kind} in all texts the difference is {other(effect)}."


def matters(effect: DegenerateGroup | TypographyEffect, compared: PairResult, alpha: float) -> bool:
    """Return whether the verdict changes, or the difference by half the width of its interval."""
    if effect.difference is None or effect.p is None:
        return False

    def verdict(difference: float, p: float) -> int:
        return 0 if p > alpha else 1 if difference > 0 else -1

    if verdict(effect.difference, effect.p) != verdict(compared.difference, compared.p):
        return True
    low, high = compared.interval
    if low is None or high is None:
        return False
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
    parts = ", ".join(
        f"{name} {_signed(value, digits)}" for name, value in _grouped_parts(pair).items()
    )
    if len(pair.parts) > 1:
        yield f"Parts of the score: {parts}."
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


def part_table(explanation: Explanation, pair: PairExplanation) -> doc.Table:
    """Make a row for the contribution of each part of the score."""
    digits = _metric(explanation, pair).digits
    columns = (
        doc.Column("name", "Part of the score"),
        doc.Column("contribution", f"Contribution to {_difference(pair)}", digits, sign=True),
    )
    rows: list[Row] = [row_of(part) for part in pair.parts]
    if pair.unattributed:
        rows.append({"name": "not attributed", "contribution": pair.unattributed})
    rows.append({"name": "all", "contribution": pair.comparison.difference})
    return doc.Table(columns, tuple(rows))


def slice_table(
    explanation: Explanation, pair: PairExplanation, *, details: bool = True
) -> doc.Table:
    """Make rows for slices of significant variables, or of all; they add up by variable."""
    alpha = explanation.comparison.settings.alpha
    digits, compared = _metric(explanation, pair).digits, pair.comparison
    level, words = 100 * explanation.comparison.settings.level, _words(explanation)
    columns = (
        doc.Column("variable", "Slices by"),
        doc.Column("name", "Slice"),
        doc.Column("segments", words.rows.capitalize()),
        doc.Column("share", "Text" if words.whole == "text" else "Share", 0, percent=True),
        doc.Column("contribution", f"Contribution to {_difference(pair)}", digits, sign=True),
        doc.Column("interval", f"{level:g} % interval", numeric=True),
        doc.Column("p_adjusted", "p (even spread)", 4, numeric=True),
        doc.Column("a", f"{compared.a} alone", digits, numeric=True),
        doc.Column("b", f"{compared.b} alone", digits, numeric=True),
    )
    shown = [
        variable for variable in pair.variables if details or _at_most(variable.p_adjusted, alpha)
    ]
    if not details:
        shown = shown[:MOST_VARIABLES]
    turn = -1 if _metric(explanation, pair).higher_is_better is False else 1
    rows: list[Row] = []
    for variable in shown:
        for index, part in enumerate(variable.slices):
            low, high = part.interval
            first, second = part.scores if part.scores is not None else (None, None)
            row = row_of(part) | {"variable": "" if index else variable.name}
            row |= {"a": first, "b": second}
            row["interval"] = doc.bracketed((low, high), digits, sign="+")
            # Right is better for the first system in the picture.
            row["low"], row["high"] = low, high = sorted((turn * low, turn * high))
            row["value"] = turn * part.contribution
            row["verdict"] = "better" if low > 0 else "worse" if high < 0 else "undecided"
            row["name link"] = link(pair, slice=f"{variable.name}:{part.name}")
            rows.append(row)
    look = {"value": "value", "verdict": "verdict", "heading": "← worse · better →"}
    bars = (doc.Bar("contribution", "low", "high", zero=True, **look),)
    return doc.Table(columns if details else columns[:-2], tuple(rows), bars=bars)


def link(pair: PairExplanation, **selection: object) -> str:
    """Return the address of a selection of a pair's segments in the report's page."""
    compared = pair.comparison
    fields = {"metric": compared.metric, "a": compared.a, "b": compared.b, **selection}
    # A file's name, and so a system's, may hold bytes that are no UTF-8.
    return urlencode(fields, errors="surrogatepass", quote_via=quote)


def ngram_table(
    explanation: Explanation, pair: PairExplanation, *, details: bool = True
) -> doc.Table:
    """Make rows for the n-grams that contribute most, the first system's before the second's."""
    alpha = explanation.comparison.settings.alpha
    ngrams = [ngram for ngram in pair.ngrams if details or _at_most(ngram.p_adjusted, alpha)]
    digits = max(3, _metric(explanation, pair).digits)
    columns = (
        doc.Column("ngram", "N-gram"),
        doc.Column("contribution", f"Contribution to {_difference(pair)}", digits, sign=True),
        doc.Column("segments", "Segments"),
        doc.Column("p_adjusted", "adjusted p", 4, numeric=True),
        doc.Column("examples", "e.g. segments"),
    )
    return doc.table_of(
        columns,
        ngrams if details else sorted(ngrams, key=lambda ngram: -abs(ngram.contribution))[:LISTED],
        examples=lambda ngram: ", ".join(map(str, ngram.examples)),
        **{
            "ngram link": lambda ngram: link(pair, text=ngram.ngram, against="ngrams"),
            "examples link": lambda ngram: link(pair, segment=ngram.examples[0]),
        },
    )


def group_table(explanation: Explanation, pair: PairExplanation) -> doc.Table:
    """List the segments or items, and the documents, that contribute most, either way."""
    digits = max(3, _metric(explanation, pair).digits)
    columns = (
        doc.Column("kind", "Contributes most"),
        doc.Column("name", "Name"),
        doc.Column("contribution", f"Contribution to {_difference(pair)}", digits, sign=True),
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


def largest_segments_table(
    explanation: Explanation, pair: PairExplanation, test_set: TestSet
) -> doc.Table:
    """Make rows for the segments that contribute most, either way, with their texts."""
    compared, digits = pair.comparison, max(3, _metric(explanation, pair).digits)
    texts = [
        ("source", "Source", test_set.source),
        ("reference", "Reference", next(iter(test_set.references), None)),
        ("a", compared.a, test_set.systems[compared.a]),
        ("b", compared.b, test_set.systems[compared.b]),
    ]
    known = [(name, heading, text) for name, heading, text in texts if text is not None]
    columns = (
        doc.Column("segment", "Segment"),
        doc.Column("contribution", f"Contribution to {_difference(pair)}", digits, sign=True),
        *(doc.Column(name, heading) for name, heading, _ in known),
    )
    rows: list[Row] = [
        {"segment": number + 1, "contribution": pair.segments[number]}
        | {name: _shortened(text[number] or "") for name, _, text in known}
        for number in _largest_segments(pair)
    ]
    return doc.Table(columns, tuple(rows))


def _segment_name(explanation: Explanation, index: int) -> str:
    names = explanation.segment_names
    return str(index + 1) if names is None else names[index]


def _largest_segments(pair: PairExplanation) -> list[int]:
    """Return the indices of the segments with the largest contributions other than 0."""
    largest = sorted(range(len(pair.segments)), key=lambda i: -abs(pair.segments[i]))[:LISTED]
    return [number for number in largest if pair.segments[number]]


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} …"


def degenerate_table(explanation: Explanation, pair: PairExplanation) -> doc.Table:
    """Degenerate outputs of each kind, and the difference without them."""
    digits = _metric(explanation, pair).digits
    columns = (
        doc.Column("kind", "Flagged outputs"),
        doc.Column("system", "System"),
        doc.Column("segments", "Segments"),
        doc.Column("contribution", f"Contribution to {_difference(pair)}", digits, sign=True),
        doc.Column("difference", "Without them", digits, sign=True, numeric=True),
        doc.Column("interval", "Interval", numeric=True),
        doc.Column("p", "p (exploratory)", 4, numeric=True),
    )
    cells: dict[str, Callable[[DegenerateGroup], Value]] = {
        "interval": lambda group: doc.bracketed(group.interval or (None, None), digits, sign="+"),
        "kind link": lambda group: link(pair, flag=group.kind if group.system else "any"),
    }
    return doc.table_of(columns, pair.degenerate, **FLAGGED, **cells)


# The system and the number of flagged outputs.
FLAGGED: dict[str, Callable[[DegenerateGroup], Value]] = {
    "system": lambda group: group.system or "either",
    "segments": lambda group: len(group.segments),
}


def _findings(
    common: Row, items: Iterable[object], *names: str, **cells: Callable[[Any], Value]
) -> list[Row]:
    """Make a row for each item that contributes to the difference, with cells common to all."""
    return [
        {**common, **row} for row in doc.table_of(doc.plain_columns(*names), items, **cells).rows
    ]


def data_table(explanation: Explanation) -> doc.Table:
    """Make a row per finding: the difference, parts, slices, n-grams, documents and segments."""
    rows: list[Row] = []
    for pair in explanation.pairs:
        compared = pair.comparison
        names: Row = {"metric": compared.metric, "a": compared.a, "b": compared.b}
        rows += _findings(
            {**names, "kind": "difference"},
            [compared],
            "p_adjusted",
            contribution=attrgetter("difference"),
            **doc.bounds_of(),
        )
        rows += _findings({**names, "kind": "part"}, pair.parts, "name", "contribution")
        for variable in pair.variables:
            rows += _findings(
                {**names, "kind": "slice", "variable": variable.name},
                variable.slices,
                *("name", "contribution", "p_adjusted", "segments"),
                **doc.bounds_of(),
            )
        rows += _findings(
            {**names, "kind": "n-gram"},
            pair.ngrams,
            *("contribution", "p_adjusted", "segments"),
            name=attrgetter("ngram"),
        )
        rows += _findings(
            {**names, "kind": "flagged"},
            pair.degenerate,
            "contribution",
            variable=attrgetter("kind"),
            name=FLAGGED["system"],
            segments=FLAGGED["segments"],
        )
        rows += _findings({**names, "kind": "document"}, pair.documents, "name", "contribution")
        rows += [
            {
                **names,
                "kind": "segment",
                "name": _segment_name(explanation, index),
                "contribution": value,
            }
            for index, value in enumerate(pair.segments)
        ]
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
    rows: list[Row] = []
    for score in result.systems:
        digits, row = result.digits[score.metric], row_of(score)
        for name, sign in (("score", ""), ("without", ""), ("difference", "+")):
            row[name] = "" if row[name] is None else f"{row[name]:{sign}.{digits}f}"
        rows.append(row)
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
