"""Groups of segments as tables and sentences: scores and comparisons by domain or document."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from truebleu.reports import document as doc
from truebleu.reports.words import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from truebleu.reports.document import Block, Value
    from truebleu.reports.words import Words
    from truebleu.significance.compare import Comparison, GroupComparison, PairResult
    from truebleu.significance.scores import GroupScores, Scores, SystemScores

# Maximum number of groups in a sentence.
MOST_GROUPS = 8
Group = TypeVar("Group", "GroupScores", "GroupComparison")


def score_tables(
    scores: Scores, columns: Sequence[doc.Column], cells: Callable[[SystemScores], dict[str, Value]]
) -> list[doc.Table]:
    """Make a table for each column, with a row per group and system and the meaning of intervals.

    Args:
        scores: scores with groups.
        columns: columns of a system's scores.
        cells: function that makes the cells of these columns from a system's scores on a group.
    """
    tables, words = [], words_of(scores.test_set.rows)
    for name, groups in _columns(scores.groups):
        notes: tuple[str, ...] = ()
        if scores.settings is not None:
            level, many = scores.settings.level, len(groups)
            notes = (
                f"by {name}: intervals of all {many} groups are simultaneous, with "
                f"{100 * level:g} % confidence (each at {level ** (1 / many):.4f})",
            )
        rows = tuple(
            {**_group_row(group), **cells(system)} for group in groups for system in group.systems
        )
        shown = _group_columns(groups, words)
        system = doc.Column("system", words.system.capitalize())
        tables.append(doc.Table((*shown, system, *columns), rows, notes))
    return tables


def comparison_blocks(comparison: Comparison, correction: str) -> list[Block]:
    """Lay out the groups by column and metric, with sentences about significant differences.

    Args:
        comparison: comparison with groups.
        correction: title of the correction of the groups' p-values.
    """
    blocks: list[Block] = []
    few = comparison.settings.baseline is not None or len(comparison.systems) == 2
    for column, groups in _columns(comparison.groups):
        for label in comparison.metrics:
            sentences = _pair_sentences(comparison, groups, label) if few else ()
            blocks += [
                doc.Heading(f"By {column}, {label}"),
                doc.Sentences((*sentences, *_untested(comparison, groups))),
                (_pair_table if few else _system_table)(comparison, groups, label),
            ]
    blocks.append(doc.Sentences(tuple(_corrected(comparison, correction))))
    return blocks


def _pair_table(comparison: Comparison, groups: Sequence[GroupComparison], label: str) -> doc.Table:
    """Make a row per group and pair: both scores, the difference, its interval and p."""
    digits, pairs = comparison.metrics[label].digits, comparison.of(label)
    words, several = words_of(comparison.test_set.rows), len(pairs) > 1
    adjusted = any(pair.uncorrected_interval for group in groups for pair in group.of(label))
    # All pairs have the same second system: its name heads its scores.
    first, second = pairs[0].a, pairs[0].b
    heading = f"difference to {second}" if several else doc.sign_of_difference(first, second)
    level = comparison.settings.level
    columns = (
        *_group_columns(groups, words),
        *([doc.Column("a", words.system.capitalize())] if several else ()),
        doc.Column("score_a", label if several else first, digits),
        doc.Column("score_b", second, digits),
        doc.Column("difference", heading, digits, sign=True),
        doc.Column("interval", doc.interval_heading(level, adjusted=adjusted), digits),
        doc.Column("p_adjusted", "adjusted p", numeric=True),
    )
    rows = []
    for group in groups:
        tested = {(pair.a, pair.b): pair for pair in group.of(label)}
        for pair in pairs:
            score_a, score_b = group.systems[pair.a][label], group.systems[pair.b][label]
            row: dict[str, Value] = {**_group_row(group), "a": pair.a}
            row |= {"score_a": score_a, "score_b": score_b, "difference": score_a - score_b}
            # A group may be too small to test.
            if (found := tested.get((pair.a, pair.b))) is not None:
                p = doc.p_cell(found.p_adjusted) + "*" * found.significant
                row |= {"interval": found.interval, "p_adjusted": p}
            rows.append(row)
    return doc.Table(columns, tuple(rows))


def _system_table(
    comparison: Comparison, groups: Sequence[GroupComparison], label: str
) -> doc.Table:
    """Make a row per system and a column per group; mark systems worse than the group's best."""
    digits, higher = comparison.metrics[label].digits, comparison.metrics[label].higher_is_better
    words, name = words_of(comparison.test_set.rows), groups[0].column
    columns = [doc.Column("system", words.system.capitalize())]
    columns += [doc.Column(group.label, group.label, numeric=True) for group in groups]
    worse = {group.label: _worse_than_best(group, label, higher) for group in groups}
    rows = [
        {"system": system}
        | {
            group.label: f"{group.systems[system][label]:.{digits}f}"
            + "*" * (system in worse[group.label])
            for group in groups
        }
        for system in comparison.systems
    ]
    sizes = ", ".join(f"{group.label} {group.segments:,}" for group in groups)
    notes = [] if higher is None else [f"* significantly worse than the best of the {name}"]
    notes.append(f"{words.rows} by {name}: {sizes}")
    return doc.Table(tuple(columns), tuple(rows), tuple(notes))


def _worse_than_best(group: GroupComparison, label: str, higher: bool | None) -> set[str]:
    if higher is None:
        return set()
    scores = {name: by[label] for name, by in group.systems.items()}
    best = max(scores, key=lambda name: scores[name] if higher else -scores[name])
    return {
        pair.b if pair.a == best else pair.a
        for pair in group.of(label)
        if best in (pair.a, pair.b) and pair.significant
    }


def _pair_sentences(
    comparison: Comparison, groups: Sequence[GroupComparison], label: str
) -> Iterator[str]:
    """Yield whether differences vary by group, and the groups in which each pair differs."""
    settings, variations = comparison.settings, comparison.heterogeneity
    for found in variations:
        if (found.column, found.metric) == (groups[0].column, label):
            is_sure = found.p_adjusted <= settings.alpha
            p = doc.p_equals("adjusted p" if len(variations) > 1 else "p", found.p_adjusted)
            yield (
                f"{found.a} − {found.b} {'varies' if is_sure else 'is not shown to vary'} by "
                f"{found.column} (test of heterogeneity over {found.groups} groups, "
                f"{p}, I² = {100 * found.i_squared:.0f} %)."
            )
    tested = [(group, pair) for group in groups for pair in group.of(label)]
    pairs = list(dict.fromkeys((pair.a, pair.b) for _, pair in tested))
    for a, b in pairs:
        of_pair = [(group, pair) for group, pair in tested if (pair.a, pair.b) == (a, b)]
        yield _pair_sentence(a, b, of_pair, comparison.metrics[label].higher_is_better)
    lost = [
        group.label if len(pairs) == 1 else f"{pair.a} in {group.label}"
        for group, pair in tested
        if pair.p <= settings.alpha and not pair.significant
    ]
    yield from doc.lost_to_correction(lost, _family(comparison, label))


def _untested(comparison: Comparison, groups: Sequence[GroupComparison]) -> Iterator[str]:
    untested = [group for group in groups if not group.comparisons]
    if untested:
        labels = doc.join_names([group.label for group in untested], MOST_GROUPS)
        units = words_of(comparison.test_set.rows).units(untested[0].unit)
        yield f"Too few {units} to test: {labels}."


def _family(comparison: Comparison, label: str) -> int:
    """Return the number of comparisons of groups by one metric, for which p is adjusted."""
    return sum(len(group.of(label)) for group in comparison.groups)


def _pair_sentence(
    a: str,
    b: str,
    of_pair: Sequence[tuple[GroupComparison, PairResult]],
    higher_is_better: bool | None,
) -> str:
    labels: dict[int, list[str]] = {1: [], -1: []}
    for group, pair in of_pair:
        if pair.significant:
            labels[1 if pair.difference > 0 else -1].append(group.label)
    clauses = [
        f"{doc.relation(sign, higher_is_better).removeprefix('is ')} {b} in "
        f"{doc.join_names(labels[sign], MOST_GROUPS)}"
        for sign in ((-1, 1) if higher_is_better is False else (1, -1))
        if labels[sign]
    ]
    rest = len(of_pair) - sum(map(len, labels.values()))
    if not clauses:
        return f"{a} and {b} can't be told apart in any of {rest} groups."
    others = f"; in {rest} other{'s' if rest > 1 else ''} they can't be told apart" if rest else ""
    return f"{a} is {' and '.join(clauses)}{others}."


def _corrected(comparison: Comparison, correction: str) -> Iterator[str]:
    tested = [group for group in comparison.groups if group.comparisons]
    family = _family(comparison, next(iter(comparison.metrics)))
    if not family:
        return
    each = " by each metric" if len(comparison.metrics) > 1 else ""
    yield (
        f"Groups: p and intervals are adjusted for {family} comparisons{each} ({len(tested)} "
        f"groups × {family // len(tested)}) by {correction}; the comparison of the whole test set "
        "is not among them."
    )
    scaled = [group.label for group in tested if group.test == "scaled"]
    if scaled and comparison.settings.test != "scaled":
        names = doc.join_names(scaled, MOST_GROUPS)
        yield f"Swaps are scaled to the variance of samples in {names}."
    few = sum(group.unit == "document" and group.units < doc.ENOUGH_DOCUMENTS for group in tested)
    if few:
        yield (
            f"{few} of these groups have fewer than {doc.ENOUGH_DOCUMENTS} documents: "
            "randomization holds its level there, but intervals can be too narrow."
        )
    if any(group.unit != comparison.settings.unit for group in tested):
        rows = words_of(comparison.test_set.rows).rows
        yield (
            f"Groups within documents: their {rows} are taken as independent, which {rows} of one "
            "document are not."
        )


def _columns(groups: Sequence[Group]) -> list[tuple[str, list[Group]]]:
    names = list(dict.fromkeys(group.column for group in groups))
    return [(name, [group for group in groups if group.column == name]) for name in names]


def _group_columns(
    groups: Sequence[GroupScores] | Sequence[GroupComparison], words: Words
) -> list[doc.Column]:
    columns = [doc.Column("group", groups[0].column), doc.Column("segments", words.rows)]
    units = [group.unit or "segment" for group in groups]
    if set(units) != {"segment"}:
        columns.append(doc.Column("units", words.units(units[0]), numeric=True))
    return columns


def _group_row(group: GroupScores | GroupComparison) -> dict[str, Value]:
    return {"group": group.label, "segments": group.segments, "units": group.units}
