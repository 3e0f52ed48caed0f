"""The first screen about many systems: who leads, what to look at first, and one table of all."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from truebleu.reports.compare import by_score, is_plain_test, pairs_with, verdict
from truebleu.reports.document import bracketed, join_names, rank_range
from truebleu.reports.formats.html import sentence_of, text_of
from truebleu.reports.page.answer import natural_order
from truebleu.reports.page.forest import Axis, Scale, name_of, with_names
from truebleu.reports.percent import comparison_in_percent
from truebleu.reports.words import words_of
from truebleu.significance.corrections import CORRECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.explanation.report import Report
    from truebleu.significance.compare import Comparison, GroupComparison, PairResult
    from truebleu.significance.pairs import DifferenceBounds

# Share of flagged outputs from which a system is named first.
MANY_FLAGGED = 0.01
# Maximum number of systems named in a sentence, and number of shades of cells.
MOST_NAMES, SHADES = 3, 4
# Size of a cell in the picture of all pairs, in pixels, and maximum number of systems in it.
CELL, MOST_IN_PICTURE = 16, 60


def league_answer(report: Report) -> str:
    """Show who leads, and the table of all systems."""
    comparison = report.comparison
    label = comparison.settings.primary or next(iter(comparison.metrics))
    first, *cautions = verdict(comparison_in_percent(comparison), label)
    sentences = [*_undecided(comparison, label), *_by_others(comparison, label), *cautions]
    flags = _remarks(report)
    return "".join(
        (
            f"<h1>{with_names(first, comparison.systems)}</h1>",
            f'<p class="then">{with_names(" ".join(sentences), comparison.systems)}</p>',
            _box(report, flags),
            _Table(report, label, flags).render(),
            f'<p class="legend">{sentence_of(" ".join(_legend(comparison, label)))}</p>',
            _picture(comparison, label),
        )
    )


def _undecided(comparison: Comparison, label: str) -> Iterator[str]:
    pairs = comparison.of(label)
    count = sum(not pair.significant for pair in pairs)
    if is_plain_test(comparison):
        yield f"Of the {len(pairs):,} pairs, {count:,} can't be told apart by {label}."


def _by_others(comparison: Comparison, label: str) -> Iterator[str]:
    """Say who leads by the metrics that do not decide the verdict."""
    others = [other for other in comparison.metrics if other != label]
    if comparison.settings.primary is None or comparison.settings.baseline is not None:
        return
    leader = by_score(comparison, label)[0][0]
    same_leader = [other for other in others if by_score(comparison, other)[0][0] == leader]
    if same_leader:
        yield f"{leader} also has the best {join_names(same_leader)}."
    for other in others:
        if other not in same_leader:
            yield f"By {other}, {by_score(comparison, other)[0][0]} has the best score."


# What to look at first.


def _remarks(report: Report) -> dict[str, str]:
    """Return what stands out in systems: flagged outputs, or outputs of another system."""
    remarks: dict[str, str] = {}
    segments = report.segments
    if segments is None:
        return remarks
    count = len(segments.counts)
    for system, flags in segments.flagged.items():
        flagged = len(_flagged_indices(flags))
        if flagged >= max(1, MANY_FLAGGED * count):
            remarks[system] = f"{flagged:,} flagged outputs"
    texts = segments.counts.texts
    outputs = {} if texts is None else {name: list(text) for name, text in texts.systems.items()}
    for first, second in combinations(outputs, 2):
        if outputs[first][0] == outputs[second][0] and outputs[first] == outputs[second]:
            remarks[first], remarks[second] = f"same as {second}", f"same as {first}"
    return remarks


def _flagged_indices(flags: Mapping[str, Sequence[int]]) -> set[int]:
    return {index for indices in flags.values() for index in indices}


def _kinds(report: Report, system: str) -> dict[str, int]:
    """Count the flagged outputs of a system by kind, the most frequent first."""
    flags = {} if report.segments is None else report.segments.flagged.get(system, {})
    counts = {kind: len(indices) for kind, indices in flags.items() if indices}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _box(report: Report, remarks: dict[str, str]) -> str:
    if not remarks or report.segments is None:
        return ""
    words = words_of(report.comparison.test_set.rows)
    flagged = report.segments.flagged
    ordered = sorted(remarks, key=lambda name: -len(_flagged_indices(flagged.get(name, {}))))
    parts = []
    for system in ordered[:MOST_NAMES]:
        kind_counts = [f"{kind} {count}" for kind, count in _kinds(report, system).items()]
        about = f" ({text_of(join_names(kind_counts, MOST_NAMES))})" if kind_counts else ""
        parts.append(f"{name_of(system)}: {text_of(remarks[system])}{about}")
    more = len(remarks) - MOST_NAMES
    rest = f"; {more} more" if more > 0 else ""
    systems = words.system if len(remarks) == 1 else words.systems
    return (
        f'<p class="flag"><b>Look at {len(remarks)} {systems} first.</b> '
        f"{'; '.join(parts)}{rest}.</p>"
    )


# The table.


class _Table:
    """A row for each system: its difference to the leader or the baseline, and other scores."""

    def __init__(self, report: Report, label: str, remarks: dict[str, str]) -> None:
        self.comparison, self.label, self.remarks = report.comparison, label, remarks
        self.people = {} if report.agreement is None else dict(report.agreement.human.scores)  # type: ignore[attr-defined]
        ordered = [name for name, _ in by_score(self.comparison, label)]
        self.reference = self.comparison.settings.baseline or ordered[0]
        self.order = [self.reference, *(name for name in ordered if name != self.reference)]
        if self.comparison.settings.baseline is None:
            self.order = ordered
        self.pairs = pairs_with(self.comparison, label, self.reference)
        self.scale = Scale.of(self.comparison.metrics[label])
        self.clusters = {c[0] for c in self.comparison.metrics[label].clusters[1:]}
        self.others = [other for other in self.comparison.metrics if other != label]
        self.groups = sorted(self.comparison.groups, key=natural_order)
        self.axis = Axis((self._numbers(name) for name in self.pairs), cut=True)

    def _bounds(self, name: str) -> DifferenceBounds:
        """Return the interval of a system's difference, adjusted as its p."""
        pair, sign = self.pairs[name]
        low, high = pair.interval
        if sign < 0:
            low, high = (None if high is None else -high), (None if low is None else -low)
        return self.scale.turned_interval((low, high))

    def _difference(self, name: str) -> float:
        pair, sign = self.pairs[name]
        return self.scale.turned(sign * pair.difference)

    def _numbers(self, name: str) -> list[float]:
        bounds = [bound for bound in self._bounds(name) if bound is not None]
        return [self._difference(name), *bounds]

    def render(self) -> str:
        """Render the table."""
        level, words = self.comparison.settings.level, words_of(self.comparison.test_set.rows)
        ranked = self.comparison.settings.baseline is None
        worse = text_of(f"← worse than {self.reference}")
        drawing = self.axis.heading(worse, "better →" if not ranked else "")
        people = ["people", "rank"] if self.people else []
        headings = [
            *([("rank", "number wide")] if ranked else []),
            (words.system, ""),
            (self._metric(self.label), "number"),
            *((name, "number wide") for name in people),
            ("drawing", "plot of-difference"),
            ("diff.", "number of-difference"),
            (f"{100 * level:g} % interval", "number wide"),
        ]
        for other in self.others:
            headings.append((self._metric(other), "number wide of-metrics"))
            headings += [("rank", "number wide of-metrics")] if ranked else []
        headings += [(group.label, "number wide of-groups") for group in self.groups]
        cells = "".join(
            f'<th scope="col" class="{look}">'
            + (
                f'<span class="hidden">drawing</span>{drawing}'
                if name == "drawing"
                else text_of(name)
            )
            + "</th>"
            for name, look in headings
        )
        rows = "".join(map(self._row, self.order))
        return (
            f'{self._views()}<div class="scroll" tabindex="0" role="group" aria-label="Systems">'
            f'<table class="league"><thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table>'
            "</div>"
        )

    def _views(self) -> str:
        """Choose between columns where not all of them fit."""
        views = {"difference": "difference", "metrics": ", ".join(self.others), "groups": "groups"}
        known = {"difference": True, "metrics": bool(self.others), "groups": bool(self.groups)}
        radios = [
            f'<label><input type="radio" name="view" value="{view}"'
            f"{' checked' if view == 'difference' else ''}> {text_of(title)}</label>"
            for view, title in views.items()
            if known[view]
        ]
        return f'<div class="views narrow">{"".join(radios)}</div>' if len(radios) > 1 else ""

    def _metric(self, label: str) -> str:
        lower = self.comparison.metrics[label].higher_is_better is False
        return f"{label} ↓" if lower else label

    def _row(self, name: str) -> str:
        ranked = self.comparison.settings.baseline is None
        of_system = self.comparison.systems[name]
        number = list(self.comparison.systems).index(name)
        badge = (
            f' <span class="badge">{text_of(self.remarks[name])}</span>'
            if name in self.remarks
            else ""
        )
        cells = (
            [f'<td class="number wide soft">{self._rank(name, self.label)}</td>'] if ranked else []
        )
        cells.append(
            f'<th scope="row"><button type="button" class="pick" data-system="{number}">'
            f"{name_of(name)}</button>{badge}</th>"
        )
        cells.append(f'<td class="number">{self.scale.score(of_system[self.label].score)}</td>')
        if self.people:
            cells += [f'<td class="number wide">{cell}</td>' for cell in self._people(name)]
        cells += self._differs(name)
        for other in self.others:
            score = Scale.of(self.comparison.metrics[other]).score(of_system[other].score)
            cells.append(f'<td class="number wide of-metrics">{score}</td>')
            if ranked:
                rank = self._rank(name, other)
                cells.append(f'<td class="number wide soft of-metrics">{rank}</td>')
        for group in self.groups:
            value = self.scale.factor * group.systems[name][self.label]
            score = f"{value:.{min(1, self.scale.digits)}f}"
            look = f"number wide of-groups shade-{self._shade(group, name)}"
            cells.append(f'<td class="{look}">{score}</td>')
        rule = ' class="rule"' if name in self.clusters else ""
        return f"<tr{rule}>{''.join(cells)}</tr>"

    def _rank(self, name: str, label: str) -> str:
        ranks = self.comparison.systems[name][label].rank_range
        return "" if ranks is None else rank_range(ranks)

    def _people(self, name: str) -> tuple[str, str]:
        score = self.people.get(name)
        if score is None:
            return "–", "–"
        rank = 1 + sum(other is not None and other > score for other in self.people.values())
        return sentence_of(f"{score:.2f}"), str(rank)

    def _differs(self, name: str) -> list[str]:
        """Draw the difference to the leader or baseline, and write it with its interval."""
        if name not in self.pairs:
            drawing = self.axis.row(0.0, None, significant=True, label=f"{name}: 0")
            drawing = drawing.replace('class="behind"', 'class="ahead"')
            return [
                f'<td class="plot of-difference">{drawing}</td>',
                '<td class="number of-difference"></td>',
                '<td class="wide"></td>',
            ]
        pair, _ = self.pairs[name]
        difference, digits = self._difference(name), self.scale.digits
        bounds = self._bounds(name)
        interval = bracketed(bounds, digits, sign="+")
        text = f"{difference:+.{digits}f}"
        drawing = self.axis.row(
            difference, bounds, significant=pair.significant, label=f"{name}: {text} {interval}"
        )
        return [
            f'<td class="plot of-difference">{drawing}</td>',
            f'<td class="number of-difference">{sentence_of(text)}</td>',
            f'<td class="number wide">{sentence_of(interval)}</td>',
        ]

    def _shade(self, group: GroupComparison, name: str) -> int:
        """Return how near a score is to the best of its column, from 0 to SHADES."""
        scores = {n: self.scale.sign * by[self.label] for n, by in group.systems.items()}
        ranked = sorted(scores.values(), reverse=True)
        index = ranked.index(scores[name])
        return max(0, SHADES - index * 2 * SHADES // max(1, len(ranked)))


def _legend(comparison: Comparison, label: str) -> Iterator[str]:
    settings, pairs = comparison.settings, comparison.of(label)
    words, correction = (
        words_of(comparison.test_set.rows),
        CORRECTIONS[comparison.settings.correction],
    )
    if any(pair.uncorrected_interval is not None for pair in pairs):
        yield f"Intervals are adjusted for {len(pairs):,} pairs, as p is by {correction.title}."
    reference = settings.baseline or by_score(comparison, label)[0][0]
    yield f"Filled: differs from {reference}; hollow: can't be told from it; ◂ beyond the axis."
    if len(comparison.metrics[label].clusters) > 1:
        yield f"A rule: every {words.system} above is better than every {words.system} below."
    if settings.baseline is None:
        yield "Ranks: the range that the tests leave open."
    lower = [
        name for name, metric in comparison.metrics.items() if metric.higher_is_better is False
    ]
    if lower:
        yield f"{join_names(lower)}: lower is better."
    if comparison.groups:
        columns = join_names(list(dict.fromkeys(group.column for group in comparison.groups)))
        yield f"By {columns}: {label}; the darker, the nearer to the best of the column."


# All pairs.


def _picture(comparison: Comparison, label: str) -> str:
    """Draw all pairs as a triangle: who is better, and who can't be told apart."""
    order = [name for name, _ in by_score(comparison, label)]
    pairs = comparison.of(label)
    if comparison.settings.baseline is not None or len(order) > MOST_IN_PICTURE:
        return ""
    index_of, scale = (
        {name: index for index, name in enumerate(order)},
        Scale.of(comparison.metrics[label]),
    )
    left, size = 190, len(order) * CELL
    cells = "".join(_cell(pair, index_of, scale, left) for pair in pairs)
    names = "".join(
        f'<text x="{left + index * CELL - 6}" y="{index * CELL + 12}" text-anchor="end">'
        f"{text_of(name if len(name) < 26 else f'{name[:12]}…{name[-12:]}')}</text>"
        for index, name in enumerate(order)
    )
    return (
        f'<details class="triangle"><summary>All {len(pairs):,} pairs as a picture</summary>'
        f'<div class="scroll" tabindex="0" role="group" aria-label="All pairs">'
        f'<svg width="{left + size}" height="{size}" role="img" '
        f'aria-label="All pairs">{names}{cells}</svg></div>'
        f'<p class="legend">Dark: the row is better than the column, in the '
        f"order of the table; light: can't be told apart, by {text_of(label)}.</p></details>"
    )


def _cell(pair: PairResult, index_of: dict[str, int], scale: Scale, left: int) -> str:
    row, column = sorted((index_of[pair.a], index_of[pair.b]))
    sign = 1 if index_of[pair.a] == row else -1
    first, second = (pair.a, pair.b) if sign > 0 else (pair.b, pair.a)
    difference = f"{sign * scale.turned(pair.difference):+.{scale.digits}f}"
    title = f"{first} − {second}: {difference}, adjusted p {pair.p_adjusted:.4f}"
    look = "decided" if pair.significant else "undecided"
    return (
        f'<rect class="{look}" x="{left + column * CELL}" y="{row * CELL}" width="{CELL - 1}" '
        f'height="{CELL - 1}"><title>{sentence_of(title)}</title></rect>'
    )
