"""Agreement with people as a document: the best metric, its values and their uncertainty."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from truebleu.agreement.agree import LeaderboardRow
from truebleu.agreement.coefficients import SOFT, MetricAgreement
from truebleu.agreement.grid import SAME
from truebleu.reports import document as doc
from truebleu.reports.words import words_of
from truebleu.schema import columns_of, row_of
from truebleu.significance.corrections import CORRECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.agreement.agree import Agreement, AgreeSettings, Answer
    from truebleu.agreement.data import HumanSummary
    from truebleu.agreement.grid import GridChoice
    from truebleu.reports.document import Block, Row
    from truebleu.reports.words import Words

DIGITS = 4
UNDEFINED = "undefined"
# Maximum number of metrics in a sentence.
MOST_NAMES = 5

METHODS = {
    "scores": "permutation test of scores, for these {systems} only",
    "systems": "permutation test of {systems}",
    "pairs": "permutation test of outcomes of pairs, which rejects too often: pairs are dependent",
    "segments": "permutation test of {rows}",
    "williams": "Williams' test",
}
SIDES = {
    "two-sided": "two-sided",
    "greater": "one-sided",
    "observed": "one-sided (in the direction of the data, so false alarms double)",
}
# Headings of coefficients by level.
SHORT = {
    ("soft-pairwise-accuracy", "system"): "SPA",
    ("pairwise-accuracy", "system"): "accuracy",
    ("pearson", "system"): "Pearson (sys)",
    ("pearson", "segment"): "Pearson (seg)",
}
NEGATIVE = (
    "No agreement is above chance: if lower human scores are better, use --human-lower-is-better."
)


def document(agreement: Agreement, *, details: bool = False) -> doc.Document:
    """Lay out the answer, the values of each coefficient, and the methods.

    Args:
        agreement: result of `agree`.
        details: True to show undefined groups and tie thresholds.
    """
    answer = [*(_grid_sentences(agreement) if agreement.grid else verdicts(agreement.answers))]
    first, *others = agreement.answers
    if others and first.pairs:
        answer.append(
            f"The verdict uses {first.coefficient}, the first coefficient; the others are tested "
            "separately and shown for information."
        )
    answer += [caution for part in agreement.answers for caution in cautions(agreement, part)]
    if agreement.all_negative and not agreement.settings.human_lower_is_better:
        answer.append(NEGATIVE)
    short = agreement.evaluation_set is not None and len(agreement.metrics) > 1 and not details
    notes = dict.fromkeys(n for a in agreement.answers for m in a.metrics for n in m.notes)
    marks = {note: f"[{number}]" for number, note in enumerate(notes, 1)}
    signatures = (
        agreement.human.signature,
        *doc.signature_lines(metric.signature for metric in agreement.metrics.values()),
    )
    directions = {name: metric.higher_is_better for name, metric in agreement.metrics.items()}
    evidence = [
        *(() if short else (f"{mark} {note}" for note, mark in marks.items())),
        *signatures,
        *_methods(agreement),
        _human(agreement.human, words_of(agreement.test_set.rows)),
        *doc.about_inputs(agreement.human, directions),
    ]
    blocks: list[Block] = [doc.Sentences(tuple(answer))]
    if agreement.evaluation_set is not None and len(agreement.metrics) > 1:
        blocks.append(_leaderboard(agreement))
    blocks += [] if short else [_values(agreement, marks, details=details)]
    blocks += [_candidates(agreement.grid)] if agreement.grid else []
    chart = _grid_chart(agreement.grid) if agreement.grid else _scatter(agreement)
    return doc.Document((*blocks, doc.Notes(tuple(evidence)), chart), _data(agreement, signatures))


# The answer.


def verdicts(answers: tuple[Answer, ...]) -> Iterator[str]:
    """Name the metric that agrees best and those worse; merge coefficients with equal results."""
    groups: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[Answer]] = {}
    for answer in answers:
        defined = [metric for metric in answer.metrics if metric.value is not None]
        if not defined:
            yield f"{answer.title}: undefined."
            continue
        best = defined[0].metric
        beaten = tuple(p.worse for p in answer.pairs if p.better == best and p.significant)
        level = tuple(m.metric for m in defined[1:] if m.metric not in beaten)
        groups.setdefault((best, beaten, level), []).append(answer)
    if len(groups) > 1 and not any(beaten for _, beaten, _ in groups):
        yield "No metric agrees significantly better with human raters than any other."
        groups = {}
    for (best, beaten, level), merged in groups.items():
        if not beaten and not level:
            values = doc.join_names([f"{_value(a[best])} ({a.coefficient})" for a in merged])
            yield f"{best} agrees with human raters by {values}; 1 is full agreement."
            continue
        by = f"By {_names(merged, answers)}, {best} agrees"
        if not beaten:
            rest = "but not significantly better than any other metric"
            yield f"{by} best with human raters, {rest}."
        else:
            names = doc.join_names(level, MOST_NAMES, word="or") if level else ""
            tied = f", but not significantly better than {names}" if level else ""
            worse = doc.join_names(beaten, MOST_NAMES)
            yield f"{by} better with human raters than {worse}{tied}."


def _names(answers: Sequence[Answer], all_answers: Sequence[Answer]) -> str:
    """Join the names of coefficients, with their level if two of the result have one name."""
    names = Counter(answer.coefficient for answer in all_answers)
    return doc.join_names(
        [
            f"{a.coefficient}{'' if names[a.coefficient] == 1 else f' of {a.level}s'}"
            for a in answers
        ]
    )


def cautions(agreement: Agreement, answer: Answer) -> Iterator[str]:
    """Yield cautions about the answer by one coefficient."""
    yield from answer.notes
    if answer.smallest_p is not None and answer.smallest_p > agreement.settings.alpha:
        words, few = words_of(agreement.test_set.rows), "permutations"
        if all(pair.exact for pair in answer.pairs):
            few = f"judged {words.systems} or {words.rows}"
        yield (
            f"By {answer.coefficient} no difference can be significant with this number of {few} "
            f"({doc.p_equals('smallest possible p', answer.smallest_p)})."
        )
    for reason in dict.fromkeys(pair.reason for pair in answer.pairs):
        if reason is not None:
            pairs = (f"{p.better} and {p.worse}" for p in answer.pairs if p.reason == reason)
            yield f"{'; '.join(pairs)}: {reason}."


def _grid_sentences(agreement: Agreement) -> Iterator[str]:
    """State the chosen settings, and their agreement on held-out data."""
    grid, answer = agreement.grid, agreement.answers[0]
    assert grid is not None  # noqa: S101  # called with a grid only
    chosen, default = answer[grid.chosen], answer[grid.default]
    tied = "" if grid.tied == 1 else f"; {grid.tied} settings share this value"
    yield (
        f"Of {len(grid.candidates)} settings, {grid.chosen} agrees best with human raters on the "
        f"development part ({answer.coefficient} {grid.value:.{DIGITS}f}{tied})."
    )
    if chosen.value is None:
        yield (
            f"On the held-out part, {answer.coefficient} is undefined for {grid.chosen}: "
            f"{chosen.reason}."
        )
        return
    held_out = f"On the held-out part it has {_value(chosen)}"
    if grid.chosen == grid.default:
        yield f"{held_out}; these are the default settings."
    elif default.value is None:
        yield f"{held_out}; the default, {grid.default}, has no value: {default.reason}."
    elif abs(difference := chosen.value - default.value) <= SAME:
        yield f"{held_out}, as has {grid.default}, the default."
    else:
        (pair,) = answer.pairs
        sure = "significant" if pair.significant else "not significant"
        p = doc.p_equals("p", 1.0 if pair.p is None else pair.p)
        yield (
            f"{held_out}; the default, {grid.default}, has {_value(default)}: a difference of "
            f"{difference:+.{DIGITS}f}, {sure} ({p})."
        )


def _value(agreement: MetricAgreement) -> str:
    """Format a value with its interval, if known."""
    value = UNDEFINED if agreement.value is None else f"{agreement.value:.{DIGITS}f}"
    if agreement.low is None or agreement.high is None:
        return value
    return f"{value} {doc.bracketed((agreement.low, agreement.high), DIGITS)}"


# The evidence.


def _methods(agreement: Agreement) -> Iterator[str]:
    """Describe intervals and tests in a line per method, with its coefficients."""
    settings, words = agreement.settings, words_of(agreement.test_set.rows)
    methods: dict[str, list[str]] = {}
    for answer in agreement.answers:
        methods.setdefault(_method(settings, answer, words), []).append(answer.coefficient)
    yield from doc.by_label({doc.join_names(names): line for line, names in methods.items()})
    yield f"seed {settings.seed}, level {settings.level:g}"


def _method(settings: AgreeSettings, answer: Answer, words: Words) -> str:
    parts = []
    if any(agreement.low is not None for agreement in answer.metrics):
        levels = {"systems": words.systems, "segments": words.rows}
        resampled = " and ".join(levels.get(part, part) for part in answer.resampled.split("+"))
        parts.append(f"intervals over {resampled}, {settings.replicates:,} replicates")
        if answer.coefficient == SOFT:
            parts[-1] += " (at the level 95 %, such intervals cover in 82 to 99 % of samples)"
    if answer.pairs:
        method = METHODS[answer.method].format(systems=words.systems, rows=words.rows)
        test = f"{SIDES[settings.alternative]} {method}"
        counts = sorted({pair.permutations for pair in answer.pairs})
        if counts[-1]:
            every = "all " if all(pair.exact for pair in answer.pairs) else ""
            more = f" ({counts[-1]:,} where p is close to the level)" if counts[1:] else ""
            test += f", {every}{counts[0]:,} permutations{more}"
        if len(answer.pairs) > 1:
            title = CORRECTIONS[settings.correction].title
            test += f", {title} for {len(answer.pairs)} pairs of metrics"
        parts.append(test)
    return "; ".join(parts) or "no intervals and no tests"


def _human(human: HumanSummary, words: Words) -> str:
    """Count the human scores or comparisons."""
    sentence = f"Human scores: {human.file}, {len(human.systems)} {words.systems}"
    if human.judged is not None:
        level = words.unit(human.level)
        sentence += f", {human.judged:,} of {human.cells:,} {level} scores"
    if human.comparisons is not None:
        sentence += f", {human.comparisons:,} comparisons, {human.ties:,} of them ties"
    return f"{sentence}."


# Tables.


def _values(agreement: Agreement, marks: dict[str, str], *, details: bool) -> doc.Table:
    """Make a row per coefficient and metric, best first: its rank, value and interval."""
    words = words_of(agreement.test_set.rows)
    levels = {"system": words.systems, "segment": words.units(agreement.human.level)}
    titles = {a.question: f"{a.coefficient} of {levels[a.level]}" for a in agreement.answers}
    if len(set(titles.values())) < len(titles):
        titles = {a.question: a.title for a in agreement.answers}
    rows: list[Row] = [
        {
            **row_of(metric),
            "title": "" if index else titles[answer.question],
            "metric": metric.metric + "".join(f" {marks[note]}" for note in metric.notes),
            "rank": "" if metric.rank is None else metric.rank,
            "value": UNDEFINED if metric.value is None else metric.value,
            "interval": "" if None in (metric.low, metric.high) else (metric.low, metric.high),
        }
        for answer in agreement.answers
        for index, metric in enumerate(answer.metrics)
    ]
    known, level = columns_of(MetricAgreement), agreement.settings.level
    columns = [doc.Column("title", "Agreement"), known["rank"], known["metric"], known["value"]]
    columns.append(doc.Column("interval", doc.interval_heading(level), DIGITS, numeric=True))
    columns += [known["undefined_groups"], known["epsilon"]] if details else []
    return doc.Table(tuple(columns), tuple(rows))


def _leaderboard(agreement: Agreement) -> doc.Table:
    """Make a row per metric: its average, and its value and rank by each coefficient."""
    known = columns_of(LeaderboardRow)
    columns, rows = [known["metric"], known["average"]], list(map(row_of, agreement.leaderboard))
    for index, answer in enumerate(agreement.answers):
        heading = SHORT.get((answer.coefficient, answer.level), answer.coefficient)
        columns.append(doc.Column(f"value{index}", heading, DIGITS))
        columns.append(doc.Column(f"rank{index}", "rank", numeric=True))
        for row in rows:
            metric = answer[row["metric"]]
            row |= {f"value{index}": metric.value, f"rank{index}": metric.rank}
    return doc.Table(tuple(columns), tuple(rows))


def _data(agreement: Agreement, signatures: tuple[str, ...]) -> doc.Table:
    """Make a row for every value, with all digits."""
    rows = tuple(
        {
            "question": answer.question,
            **row_of(metric),
            "better_than": ", ".join(
                p.worse for p in answer.pairs if p.significant and p.better == metric.metric
            ),
            "notes": "; ".join(metric.notes),
        }
        for answer in agreement.answers
        for metric in answer.metrics
    )
    return doc.Table(doc.plain_columns(*rows[0]), rows, signatures)


def _candidates(grid: GridChoice) -> doc.Table:
    """Make a row for each setting of the grid."""
    roles = {"chosen": grid.chosen, "default": grid.default}
    values = {tried.metric: tried.value for tried in grid.candidates}
    values.setdefault(grid.default, grid.default_value)
    columns = (
        doc.Column("settings", "Settings"),
        doc.Column("development", "On development", digits=DIGITS),
        doc.Column("role", "Role"),
    )
    rows = (
        {
            "settings": text,
            "development": value,
            "role": ", ".join(role for role, settings in roles.items() if settings == text),
        }
        for text, value in values.items()
    )
    return doc.Table(columns, tuple(rows))


# Charts.


def _grid_chart(grid: GridChoice) -> doc.Chart:
    """Draw the agreement of each setting of a grid."""
    plot = doc.Plot("point", "settings", "development", label="role", horizontal=True)
    title = "Agreement of settings with human raters, on the development part"
    return doc.Chart(title=title, table=_candidates(grid), plot=plot)


def _scatter(agreement: Agreement) -> doc.Chart:
    """Draw human against metric scores of systems, in a panel for each metric.

    Right and up are better.
    """
    human, words = agreement.human, words_of(agreement.test_set.rows)
    rows: list[Row] = []
    for label, metric in agreement.metrics.items():
        turn = -1 if metric.higher_is_better is False else 1
        values = ", ".join(
            f"{answer.coefficient} {value:.3f}"
            for answer in agreement.answers
            if answer.level == "system" and (value := answer[label].value) is not None
        )
        panel = f"{label}{', negated' * (turn < 0)}{f' ({values})' if values else ''}"
        rows += [
            {"of": panel, "score": turn * score, "human": human.scores[name], "name": name}
            for name, score in metric.scores.items()
            if score is not None and human.scores[name] is not None
        ]
    columns = (
        doc.Column("score", "Metric score · better →", digits=3),
        doc.Column("human", "Human score · better →", digits=3),
        doc.Column("of", "Metric"),
        doc.Column("name", words.system.capitalize()),
    )
    return doc.Chart(
        title=f"Human scores of {words.systems} against metric scores",
        table=doc.Table(columns, tuple(rows)),
        plot=doc.Plot("point", "score", "human", panel="of", label="name"),
        sentences=tuple(verdicts(agreement.answers)),
    )
