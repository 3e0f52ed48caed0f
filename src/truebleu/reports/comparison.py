"""A comparison as tables: systems with intervals and ranks, and the matrix of who beats whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.inference.runs import RunComparison, SystemRunsResult
from truebleu.reports.json import json_text
from truebleu.reports.table import RENDERERS, Column, Table
from truebleu.reports.verdict import method, verdict

if TYPE_CHECKING:
    from truebleu.inference.results import Comparison, PairResult, SystemResult

# A matrix wider than this does not fit a page.
LARGEST_MATRIX = 40


def render_comparison(comparison: Comparison, format_: str = "text") -> str:
    """A comparison in one of FORMATS, ending with a line feed."""
    if format_ == "json":
        return json_text(comparison.to_dict())
    if format_ == "tsv":
        return RENDERERS["tsv"](pair_table(comparison))
    render = RENDERERS[format_]
    parts = []
    for label in comparison.metrics:
        parts.append(render(system_table(comparison, label)))
        if 2 < len(comparison.systems) <= LARGEST_MATRIX:
            parts.append(render(matrix_table(comparison, label)))
        if format_ != "latex":
            parts.append("\n".join(verdict(comparison, label)) + "\n")
    return "\n".join(parts)


def system_table(comparison: Comparison, label: str) -> Table:
    """A row per system: score, interval, difference to the best or the baseline, p and ranks."""
    level = f"{100 * comparison.settings['level']:g} %"
    against, digits = _against(comparison, label), comparison.metrics[label].digits
    columns = (
        Column("System"),
        Column(label, numeric=True),
        Column(f"{level} interval", numeric=True),
        Column(f"− {against}", numeric=True),
        Column("p", numeric=True),
        Column("adjusted p", numeric=True),
        Column("ranks", numeric=True),
        Column("best in", numeric=True),
        *_run_columns(comparison),
    )
    rows = tuple(
        _system_row(name, scores[label], _pair_with(comparison, label, name, against), digits)
        for name, scores in _by_score(comparison, label)
    )
    notes = (str(comparison.metrics[label].signature), method(comparison, label))
    return Table(columns, rows, notes)


def _run_columns(comparison: Comparison) -> tuple[Column, ...]:
    if not isinstance(comparison, RunComparison):
        return ()
    return (Column("s.d. of runs", numeric=True), Column("of segments", numeric=True))


def _run_cells(result: SystemResult, digits: int) -> tuple[str, ...]:
    """How much luck is in a run and how much in the choice of segments (Clark et al., 2011)."""
    if not isinstance(result, SystemRunsResult):
        return ()
    over_runs = result.spread_over_runs
    return (
        "" if over_runs is None else f"{over_runs:.{digits}f}",
        f"{result.spread_over_segments:.{digits}f}",
    )


def matrix_table(comparison: Comparison, label: str) -> Table:
    """> where the row's system beats the column's, < where it loses (Zhang & Vogel, Fig. 3)."""
    names = [name for name, _ in _by_score(comparison, label)]
    marks = {}
    for pair in comparison.of(label):
        mark = _mark(pair, comparison.metrics[label].higher_is_better)
        marks[pair.a, pair.b] = mark
        marks[pair.b, pair.a] = {">": "<", "<": ">"}.get(mark, mark)
    columns = (Column(""), Column("System"), *(Column(str(i + 1)) for i in range(len(names))))
    rows = tuple(
        (str(i + 1), name, *(marks.get((name, other), "") for other in names))
        for i, name in enumerate(names)
    )
    return Table(columns, rows)


def pair_table(comparison: Comparison) -> Table:
    """A row per comparison, with all its numbers."""
    headings = ("metric", "a", "b", "difference", "low", "high", "wins", "p", "p_se", "p_adjusted")
    rows = tuple(
        (
            pair.metric,
            pair.a,
            pair.b,
            *(
                repr(number)
                for number in (
                    pair.difference,
                    *pair.interval,
                    pair.wins,
                    pair.p,
                    pair.p_se,
                    pair.p_adjusted,
                )
            ),
            "yes" if pair.significant else "no",
        )
        for pair in comparison.comparisons
    )
    notes = tuple(str(metric.signature) for metric in comparison.metrics.values())
    columns = (*(Column(heading) for heading in headings), Column("significant"))
    return Table(columns, rows, notes)


def _by_score(comparison: Comparison, label: str) -> list[tuple[str, dict[str, SystemResult]]]:
    """The systems, best first; those of a metric without direction from high to low."""
    lower = comparison.metrics[label].higher_is_better is False
    systems = [(name, dict(scores)) for name, scores in comparison.systems.items()]
    return sorted(systems, key=lambda system: system[1][label].score * (1 if lower else -1))


def _against(comparison: Comparison, label: str) -> str:
    """The system that the others are measured against: the baseline, or the best."""
    baseline = comparison.settings["baseline"]
    return baseline if baseline is not None else _by_score(comparison, label)[0][0]


def _pair_with(
    comparison: Comparison, label: str, name: str, other: str
) -> tuple[PairResult, int] | None:
    """The comparison of two systems, and -1 where it was made the other way round."""
    for pair in comparison.of(label):
        if (pair.a, pair.b) == (name, other):
            return pair, 1
        if (pair.a, pair.b) == (other, name):
            return pair, -1
    return None


def _system_row(
    name: str, result: SystemResult, pair: tuple[PairResult, int] | None, digits: int
) -> tuple[str, ...]:
    difference = p = adjusted = ""
    if pair is not None:
        found, sign = pair
        # Adding 0 makes the 0 of equal systems positive whichever came first.
        difference = f"{sign * found.difference + 0.0:+.{digits}f}"
        p, adjusted = f"{found.p:.4f}", f"{found.p_adjusted:.4f}{'*' if found.significant else ''}"
    ranks, best = "", ""
    if result.rank_range is not None and result.p_best is not None:
        first, last = result.rank_range
        ranks = str(first) if first == last else f"{first}–{last}"
        best = f"{100 * result.p_best:.0f} %"
    low, high = result.interval
    return (
        name,
        f"{result.score:.{digits}f}",
        f"[{low:.{digits}f}, {high:.{digits}f}]",
        difference,
        p,
        adjusted,
        ranks,
        best,
        *_run_cells(result, digits),
    )


def _mark(pair: PairResult, higher_is_better: bool | None) -> str:
    if not pair.significant:
        return "~"
    ahead = (pair.difference > 0) == (higher_is_better is not False)
    return ">" if ahead else "<"
