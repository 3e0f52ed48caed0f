"""A panel in words and tables: systems, means over test sets, and the sets' own verdicts."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from truebleu.reports.document import (
    Chart,
    Column,
    Document,
    Heading,
    Notes,
    Plot,
    Sentences,
    Table,
    bounds_of,
    plain_columns,
    table_of,
)
from truebleu.reports.sentences import bracketed, p_cell, p_equals, rank_range
from truebleu.significance.tests import fewest_units

if TYPE_CHECKING:
    from truebleu.reports.document import Block, Row
    from truebleu.significance.panel import Panel, PanelComparison

# With more sets than this missing, only their number is told.
NAMED = 5
COLUMNS = plain_columns(
    *("metric", "a", "b"),
    *("test_set", "difference", "low", "high", "p", "p_adjusted", "verdict"),
)


def document(result: Panel) -> Document:
    """Systems and comparisons of each metric, and a row per comparison and set for programs."""
    blocks: list[Block] = []
    for label in result.signatures:
        if len(result.signatures) > 1:
            blocks.append(Heading(label))
        blocks.append(_systems(result, label))
        blocks.append(_comparisons(result, label))
        blocks.append(Sentences(tuple(_verdict(result, pair) for pair in result.of(label))))
    blocks.append(Sentences(tuple(_about(result))))
    blocks.append(
        Notes(
            tuple(str(signature) for several in result.signatures.values() for signature in several)
        )
    )
    blocks += _charts(result)
    return Document(tuple(blocks), _data(result))


def _systems(result: Panel, label: str) -> Table:
    digits = result.digits[label]
    systems = [row for row in result.systems if row.metric == label]
    # Best first, and those without a score last.
    turn = -1 if result.higher_is_better[label] is not False else 1
    systems.sort(key=lambda row: (row.score is None, turn * (row.score or 0.0)))
    columns = [Column("system", "System"), Column("score", f"mean {label}", digits=digits)]
    if any(row.ranks is not None for row in systems):
        columns.append(Column("ranks", "ranks", numeric=True))
    columns.append(Column("sets", "test sets", numeric=True))
    return table_of(
        columns,
        systems,
        system=attrgetter("name"),
        ranks=lambda row: None if row.ranks is None else rank_range(row.ranks),
        sets=lambda row: len(result.test_sets) - len(row.missing),
    )


def _mean_interval(result: Panel, pair: PanelComparison) -> tuple[float, float] | None:
    """That of the mean difference, over these test sets or over further ones."""
    return pair.fixed if result.settings.languages == "fixed" else pair.drawn


def _comparisons(result: Panel, label: str) -> Table:
    digits, level = result.digits[label], f"{100 * result.settings.level:g} % interval"

    def in_brackets(interval: tuple[float, float] | None) -> str | None:
        return None if interval is None else bracketed(interval, digits)

    rows: list[Row] = []
    for pair in result.of(label):
        varies, p = pair.heterogeneity, pair.p_adjusted
        rows.append(
            {
                "pair": f"{pair.a} − {pair.b}",
                "difference": pair.difference,
                "interval": in_brackets(_mean_interval(result, pair)),
                "p": None if p is None else p_cell(p) + ("*" if pair.significant else ""),
                **{verdict: pair.count(verdict) for verdict in ("better", "worse", "undecided")},
                "tau": None if varies is None else varies.tau,
                "i_squared": None if varies is None else varies.i_squared,
                "prediction": None if varies is None else in_brackets(varies.prediction),
            }
        )
    columns = (
        Column("pair", "Pair"),
        Column("difference", "mean difference", digits=digits, sign=True),
        Column("interval", level, numeric=True),
        Column("p", "adjusted p", numeric=True),
        Column("better", "better"),
        Column("worse", "worse"),
        Column("undecided", "undecided"),
        Column("tau", "τ", digits=digits),
        Column("i_squared", "I²", digits=0, percent=True),
        Column("prediction", "further set", numeric=True),
    )
    return Table(columns, tuple(rows))


def _verdict(result: Panel, pair: PanelComparison) -> str:
    """Better or worse on average, and in how many sets."""
    count = len(pair.sets)
    lower = result.higher_is_better[pair.metric] is False
    lead = -pair.difference if lower else pair.difference
    where = "on average" if count > 1 else f"in {pair.sets[0].test_set}"
    if result.settings.languages == "drawn":
        where = "on average over further test sets like these"
    if pair.p_adjusted is None:
        verdict = f"{pair.a} and {pair.b}: one test set says nothing about further ones"
    elif pair.significant:
        verdict = (
            f"{pair.a} is {'better' if lead > 0 else 'worse'} than {pair.b} {where} "
            f"({p_equals('adjusted p', pair.p_adjusted)})"
        )
    else:
        verdict = (
            f"{pair.a} and {pair.b} can't be told apart {where} "
            f"({p_equals('adjusted p', pair.p_adjusted)})"
        )
    lacking = ""
    if pair.missing:
        few = ", ".join(pair.missing) if len(pair.missing) <= NAMED else f"{len(pair.missing)} sets"
        lacking = f"; without {few}, where one of the two is missing"
    return (
        f"{verdict}: better in {pair.count('better')}, worse in {pair.count('worse')}, undecided "
        f"in {pair.count('undecided')} of {count}{lacking}."
    )


def _about(result: Panel) -> list[str]:
    """What the numbers mean, and what they are about."""
    level = f"{100 * result.settings.level:g} %"
    rate = f"{100 * result.settings.alpha:.3g} %"
    if result.settings.languages == "fixed":
        question = (
            "Means are about these test sets: their segments or documents vary, the sets do not. "
            "--languages drawn asks about further ones."
        )
    else:
        question = (
            "Means are about further test sets like these, as if they were drawn at random; "
            "--languages fixed asks about these alone."
        )
    lines = [
        question,
        f"Each set is tested by randomization; among those called better or worse by a "
        f"comparison, {rate} may be false (Benjamini and Hochberg). p of means is corrected for "
        "the number of pairs (Holm).",
        "τ is the standard deviation of the true differences between sets (Paule and Mandel), I² "
        f"its share of their variance; the difference in a further set is expected in the {level} "
        "interval on the right.",
    ]
    units = {row.unit for row in result.test_sets}
    lines.append(f"Within sets, {' or '.join(sorted(f'{unit}s' for unit in units))} are swapped.")
    least = fewest_units(result.settings.alpha)
    few = sum(row.units < least for row in result.test_sets)
    if few:
        lines.append(
            f"In {few} of {len(result.test_sets)} test sets there are fewer than {least} units: "
            "none can be called better or worse there."
        )
    if len(result.common) < len(result.test_sets):
        scores = (
            f"Mean scores are over the {len(result.common)} of {len(result.test_sets)} test sets "
            "that have all systems"
            if result.common
            else "No test set has all systems: only systems that are in all sets have a mean score"
        )
        lines.append(f"{scores}; differences are over the sets that have both.")
    return lines


def _charts(result: Panel) -> list[Block]:
    """A forest plot of each metric: a row for each set, and their mean, by pair."""
    level = f"{100 * result.settings.level:g} % intervals"
    charts: list[Block] = []
    for label in result.signatures:
        rows = tuple(
            {
                **row,
                "set": row["test_set"] or "mean",
                "pair": f"{row['a']} − {row['b']}",
                "zero": 0.0,
            }
            for pair in result.of(label)
            for row in _rows(result, pair)
        )
        columns = (
            Column("set", "Test set"),
            Column("difference", f"difference in {label}"),
            Column("low", "low"),
            Column("high", "high"),
            Column("verdict", "Verdict"),
            Column("zero", "no difference"),
            Column("pair", "Pair"),
        )
        plot = Plot(
            "point",
            "set",
            "difference",
            errors=("low", "high"),
            interval=level,
            series="verdict",
            series_order=("better", "worse", "undecided", "mean"),
            panel="pair",
            reference_field="zero",
            horizontal=True,
        )
        table = Table(columns, rows)
        charts.append(Chart(title=f"{label}: differences by test set", table=table, plot=plot))
    return charts


def _data(result: Panel) -> Table:
    """A row for each metric, pair and set, and one for each mean."""
    rows = tuple(row for pair in result.comparisons for row in _rows(result, pair))
    return Table(COLUMNS, rows)


def _rows(result: Panel, pair: PanelComparison) -> list[Row]:
    """The difference in each test set, and their mean."""
    low, high = _mean_interval(result, pair) or (None, None)
    common = {"metric": pair.metric, "a": pair.a, "b": pair.b}
    mean = {"test_set": None, "low": low, "high": high, "verdict": "mean"}
    numbers = {name: getattr(pair, name) for name in ("difference", "p", "p_adjusted")}
    of_sets = table_of(COLUMNS[len(common) :], pair.sets, **bounds_of()).rows
    return [{**common, **row} for row in (*of_sets, mean | numbers)]
