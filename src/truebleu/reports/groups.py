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
    tables = []
    for name, groups in _columns(scores.groups):
        words = words_of(scores.test_set.rows)
        shown = _group_columns(name, [group.unit or "segment" for group in groups], words)
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
    for column, groups in _columns(comparison.groups):
        for label in comparison.metrics:
            blocks.append(doc.Heading(f"By {column}, {label}"))
            few = comparison.settings.baseline is not None or len(comparison.systems) == 2
            make = _pair_table if few else _system_table
            blocks.append(doc.Sentences(tuple(_sentences(comparison, groups, label, few=few))))
            blocks.append(make(comparison, column, groups, label))
    blocks.append(doc.Sentences(tuple(_corrected(comparison, correction))))
    return blocks


def _pair_table(
    comparison: Comparison, name: str, groups: Sequence[GroupComparison], label: str
) -> doc.Table:
    """Make a row per group and pair: both scores, the difference, its interval and p."""
    digits, level = comparison.metrics[label].digits, comparison.settings.level
    words = words_of(comparison.test_set.rows)
    columns = _group_columns(name, [group.unit for group in groups], words)
    # All pairs have the same second system: its name heads its scores.
    several = len(comparison.of(label)) > 1
    first, second = comparison.of(label)[0].a, comparison.of(label)[0].b
    columns += [doc.Column("a", words.system.capitalize())] if several else []
    adjusted = any(pair.uncorrected_interval for group in groups for pair in group.of(label))
    columns += [
        doc.Column("score_a", label if several else first, digits, numeric=True),
        doc.Column("score_b", second, digits, numeric=True),
        doc.Column(
            "difference",
            f"difference to {second}" if several else doc.sign_of_difference(first, second),
            digits,
            sign=True,
            numeric=True,
        ),
        doc.Column("interval", doc.interval_heading(level, adjusted=adjusted), numeric=True),
        doc.Column("p_adjusted", "adjusted p", numeric=True),
    ]
    rows = []
    for group in groups:
        tested = {(pair.a, pair.b): pair for pair in group.of(label)}
        for pair in comparison.of(label):
            score_a, score_b = group.systems[pair.a][label], group.systems[pair.b][label]
            row: dict[str, Value] = {
                **_group_row(group),
                "a": pair.a,
                "score_a": score_a,
                "score_b": score_b,
                "difference": score_a - score_b,
            }
            # A group may be too small to test.
            if (found := tested.get((pair.a, pair.b))) is not None:
                mark = "*" if found.significant else ""
                row["interval"] = doc.bracketed(found.interval, digits)
                row["p_adjusted"] = f"{doc.p_cell(found.p_adjusted)}{mark}"
            rows.append(row)
    return doc.Table(tuple(columns), tuple(rows))


def _system_table(
    comparison: Comparison, name: str, groups: Sequence[GroupComparison], label: str
) -> doc.Table:
    """Make a row per system and a column per group; mark systems worse than the group's best."""
    digits, higher = comparison.metrics[label].digits, comparison.metrics[label].higher_is_better
    words = words_of(comparison.test_set.rows)
    columns = [
        doc.Column("system", words.system.capitalize()),
        *(doc.Column(group.label, group.label, numeric=True) for group in groups),
    ]
    rows = []
    worse = {group.label: _worse_than_best(group, label, higher) for group in groups}
    for system in comparison.systems:
        row: dict[str, Value] = {"system": system}
        for group in groups:
            mark = "*" if system in worse[group.label] else ""
            row[group.label] = f"{group.systems[system][label]:.{digits}f}{mark}"
        rows.append(row)
    sizes = ", ".join(f"{group.label} {group.segments:,}" for group in groups)
    notes = [f"{words.rows} by {name}: {sizes}"]
    if higher is not None:
        notes.insert(0, f"* significantly worse than the best of the {name}")
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


def _sentences(
    comparison: Comparison, groups: Sequence[GroupComparison], label: str, *, few: bool
) -> Iterator[str]:
    """Yield the groups in which each pair differs significantly, and the untested groups."""
    higher, alpha = comparison.metrics[label].higher_is_better, comparison.settings.alpha
    if few:
        yield from _varies(comparison, groups[0].column, label)
    tested = [(group, pair) for group in groups for pair in group.of(label)]
    if few:
        pairs = list(dict.fromkeys((pair.a, pair.b) for _, pair in tested))
        for a, b in pairs:
            of_pair = [(group, pair) for group, pair in tested if (pair.a, pair.b) == (a, b)]
            yield _pair_sentence(a, b, of_pair, higher)
        lost = [
            group.label if len(pairs) == 1 else f"{pair.a} in {group.label}"
            for group, pair in tested
            if pair.p <= alpha and not pair.significant
        ]
        yield from doc.lost_to_correction(lost, _family(comparison, label))
    untested = [group for group in groups if not group.comparisons]
    if untested:
        labels = doc.join_names([group.label for group in untested], MOST_GROUPS)
        units = words_of(comparison.test_set.rows).units(untested[0].unit)
        yield f"Too few {units} to test: {labels}."


def _varies(comparison: Comparison, column: str, label: str) -> Iterator[str]:
    """Say whether the difference of each pair varies between the groups of a column."""
    for found in comparison.heterogeneity:
        if (found.column, found.metric) != (column, label):
            continue
        varies = (
            "varies" if found.p_adjusted <= comparison.settings.alpha else "is not shown to vary"
        )
        p = doc.p_equals(
            "adjusted p" if len(comparison.heterogeneity) > 1 else "p", found.p_adjusted
        )
        yield (
            f"{found.a} − {found.b} {varies} by {column} (Cochran's test of heterogeneity over "
            f"{found.groups} groups, {p}, I² = {100 * found.i_squared:.0f} %)."
        )


def _family(comparison: Comparison, label: str) -> int:
    """Return the number of comparisons of groups by one metric, for which p is adjusted."""
    return sum(len(group.of(label)) for group in comparison.groups)


def _pair_sentence(
    a: str,
    b: str,
    of_pair: Sequence[tuple[GroupComparison, PairResult]],
    higher_is_better: bool | None,
) -> str:
    above = [group.label for group, pair in of_pair if pair.significant and pair.difference > 0]
    below = [group.label for group, pair in of_pair if pair.significant and pair.difference < 0]
    words = ("above", "below") if higher_is_better is None else ("better than", "worse than")
    ahead, behind = (below, above) if higher_is_better is False else (above, below)
    clauses = [
        f"{word} {b} in {doc.join_names(labels, MOST_GROUPS)}"
        for word, labels in zip(words, (ahead, behind), strict=True)
        if labels
    ]
    rest = len(of_pair) - len(above) - len(below)
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
    few = [
        group for group in tested if group.unit == "document" and group.units < doc.ENOUGH_DOCUMENTS
    ]
    if few:
        yield (
            f"{len(few)} of these groups have fewer than {doc.ENOUGH_DOCUMENTS} documents: "
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


def _group_columns(name: str, units: Sequence[str], words: Words) -> list[doc.Column]:
    columns = [doc.Column("group", name), doc.Column("segments", words.rows, numeric=True)]
    if set(units) != {"segment"}:
        columns.append(doc.Column("units", words.units(units[0]), numeric=True))
    return columns


def _group_row(group: GroupScores | GroupComparison) -> dict[str, Value]:
    return {"group": group.label, "segments": group.segments, "units": group.units}
