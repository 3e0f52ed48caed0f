"""A panel in words and tables: systems, means over test sets, and the sets' own verdicts."""

from __future__ import annotations

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
)
from truebleu.reports.sentences import bracketed, p_cell, p_equals
from truebleu.significance.tests import fewest_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.reports.document import Block, Row
    from truebleu.significance.panel import Panel, PanelComparison, PanelSystem

# With more sets than this missing, only their number is told.
NAMED = 5


def document(result: Panel) -> Document:
    """Systems and comparisons of each metric, and a row per comparison and set for programs."""
    blocks: list[Block] = []
    for label in result.signatures:
        if len(result.signatures) > 1:
            blocks.append(Heading(label))
        blocks.append(_systems(result, label))
        blocks.append(_comparisons(result, label))
        blocks.append(Sentences(tuple(map(str, _verdicts(result, label)))))
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
    higher = result.higher_is_better[label] is not False
    systems.sort(key=lambda row: _place(row, higher=higher))
    ranked = any(row.ranks is not None for row in systems)
    columns = [Column("system", "System"), Column("score", f"mean {label}", digits=digits)]
    if ranked:
        columns.append(Column("ranks", "ranks", numeric=True))
    columns.append(Column("sets", "test sets", numeric=True))
    rows = tuple(
        {
            "system": row.name,
            "score": row.score,
            "ranks": None if row.ranks is None else _range(*row.ranks),
            "sets": len(result.test_sets) - len(row.missing),
        }
        for row in systems
    )
    return Table(tuple(columns), rows)


def _place(row: PanelSystem, *, higher: bool) -> tuple[bool, float]:
    """Best first, and those without a score last."""
    if row.score is None:
        return True, 0.0
    return False, -row.score if higher else row.score


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _comparisons(result: Panel, label: str) -> Table:
    digits, level = result.digits[label], f"{100 * result.settings.level:g} % interval"
    rows: list[Row] = []
    for pair in result.of(label):
        interval = pair.fixed if result.settings.languages == "fixed" else pair.drawn
        varies = pair.heterogeneity
        rows.append(
            {
                "pair": f"{pair.a} − {pair.b}",
                "difference": pair.difference,
                "interval": None if interval is None else bracketed(interval, digits),
                "p": None
                if pair.p_adjusted is None
                else p_cell(pair.p_adjusted) + ("*" if pair.significant else ""),
                "better": pair.count("better"),
                "worse": pair.count("worse"),
                "undecided": pair.count("undecided"),
                "tau": None if varies is None else varies.tau,
                "i_squared": None if varies is None else varies.i_squared,
                "prediction": None
                if varies is None or varies.prediction is None
                else bracketed(varies.prediction, digits),
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


def _verdicts(result: Panel, label: str) -> list[str]:
    return [_verdict(result, pair) for pair in result.of(label)]


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
        rows: list[Row] = []
        for pair in result.of(label):
            name = f"{pair.a} − {pair.b}"
            mean = pair.fixed if result.settings.languages == "fixed" else pair.drawn
            for test_set in (*pair.sets, None):
                low, high = (mean or (None, None)) if test_set is None else test_set.interval
                rows.append(
                    {
                        "set": "mean" if test_set is None else test_set.test_set,
                        "difference": pair.difference if test_set is None else test_set.difference,
                        "low": low,
                        "high": high,
                        "verdict": "mean" if test_set is None else test_set.verdict,
                        "pair": name,
                        "zero": 0.0,
                    }
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
        table = Table(columns, tuple(rows))
        charts.append(Chart(title=f"{label}: differences by test set", table=table, plot=plot))
    return charts


def _data(result: Panel) -> Table:
    """A row for each metric, pair and set, and one for each mean."""
    rows: list[Row] = []
    for pair in result.comparisons:
        mean = pair.fixed if result.settings.languages == "fixed" else pair.drawn
        common = {"metric": pair.metric, "a": pair.a, "b": pair.b}
        rows += [
            {
                **common,
                "test_set": test_set.test_set,
                "difference": test_set.difference,
                "low": test_set.interval[0],
                "high": test_set.interval[1],
                "p": test_set.p,
                "p_adjusted": test_set.p_adjusted,
                "verdict": test_set.verdict,
            }
            for test_set in pair.sets
        ]
        rows.append(
            {
                **common,
                "test_set": None,
                "difference": pair.difference,
                "low": None if mean is None else mean[0],
                "high": None if mean is None else mean[1],
                "p": pair.p,
                "p_adjusted": pair.p_adjusted,
                "verdict": "mean",
            }
        )
    return Table(tuple(Column(name, name) for name in _NAMES), tuple(rows))


_NAMES: Sequence[str] = (
    "metric",
    "a",
    "b",
    "test_set",
    "difference",
    "low",
    "high",
    "p",
    "p_adjusted",
    "verdict",
)
