"""Agreement with people as a document: metrics by value with ranks, tests between them, choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.agreement.choose import SAME, Choice
from truebleu.reports.document import (
    NO_VALUE,
    Chart,
    Column,
    Document,
    Heading,
    Notes,
    Plot,
    Sentences,
    Table,
    charted_document,
    plain_columns,
    signature_lines,
    table_of,
)
from truebleu.reports.sentences import about_inputs, bracketed, listed
from truebleu.significance.corrections import CORRECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.agreement.agree import Agreement, HumanSummary, ScorePairs
    from truebleu.agreement.answers import AgreeSettings, Answer, MetricAgreement
    from truebleu.agreement.curve import CurveFit, CurveThreshold
    from truebleu.agreement.ranking import MetricPair
    from truebleu.reports.document import Block, Row

DIGITS = 4
UNDEFINED = "undefined"
# A matrix wider than this does not fit a page.
LARGEST_MATRIX = 40
# Values of a setting that differ by such a factor are drawn along a logarithmic axis.
WIDE = 15

METHODS = {
    "scores": "permutation test of scores",
    "systems": "permutation test of systems",
    "pairs": "permutation test of outcomes of pairs",
    "segments": "permutation test of segments",
    "williams": "Williams' test",
}
SIDES = {"two-sided": "two-sided", "greater": "one-sided", "observed": "one-sided"}
THESE_SYSTEMS = (
    "The tests take these systems as given; whether it holds for other systems like them, "
    "--permute systems asks."
)
OBSERVED = (
    "Tests are one-sided in the direction that the data show, as in WMT: of equally good metrics "
    "they tell twice as many apart as the level says."
)
NEGATIVE = (
    "No agreement is above chance: if lower human scores are better, say so by "
    "--human-lower-is-better."
)
# What is known of intervals that cover less often than they say.
INTERVAL_CAUTIONS = {
    "soft-pairwise-accuracy": "too low and too narrow: replicates add noise to both sides, and "
    "about 91 % instead of 95 % cover",
}
TOO_OFTEN = "The test assumes that pairs are independent, which they are not: it rejects too often."
SAME_DATA = (
    "Development and test are the same outputs and judgments: the value on test flatters the "
    "choice as much. Leave out the test set to split what there is."
)
VALUES = ("value", "low", "high", "rank", "groups", "undefined_groups", "epsilon")


def document(result: Agreement | Choice) -> Document:
    """An agreement, or a choice of settings, as blocks."""
    return _choice(result) if isinstance(result, Choice) else _agreement(result)


# --------------------------------------------------------------------------------------------------
# Agreement.


def _agreement(agreement: Agreement) -> Document:
    blocks: list[Block] = []
    for answer in agreement.answers:
        blocks += [Heading(answer.title), _values(agreement.settings, answer)]
        if answer.pairs and len(answer.metrics) <= LARGEST_MATRIX:
            blocks.append(_matrix(answer))
        blocks.append(Sentences(tuple(_sentences(agreement.settings, answer))))
    directions = {name: metric.higher_is_better for name, metric in agreement.metrics.items()}
    signatures = (
        agreement.human.signature,
        *signature_lines(metric.signature for metric in agreement.metrics.values()),
    )
    about = [_human(agreement.human), *about_inputs(agreement.human, directions)]
    if agreement.all_negative and not agreement.settings.human_lower_is_better:
        about.append(NEGATIVE)
    if agreement.settings.alternative == "observed" and any(a.pairs for a in agreement.answers):
        about.append(OBSERVED)
    blocks += [
        Sentences(tuple(about)),
        Notes(signatures),
        _scatter(agreement),
    ]
    return Document(tuple(blocks), _data(agreement, signatures))


def _values(settings: AgreeSettings, answer: Answer) -> Table:
    """A row per metric, best first: its rank, value and interval."""
    thresholds = any(agreement.epsilon is not None for agreement in answer.metrics)
    columns = (
        Column("rank", "Rank", numeric=True),
        Column("metric", "Metric"),
        Column("value", answer.question.coefficient, digits=DIGITS, numeric=True),
        Column("interval", f"{100 * settings.level:g} % interval", numeric=True),
        *([Column("epsilon", "tie threshold", numeric=True)] if thresholds else []),
    )
    notes = dict.fromkeys(note for agreement in answer.metrics for note in agreement.notes)
    marks = {note: number for number, note in enumerate(notes, 1)}
    rows = tuple(
        {
            "rank": "" if agreement.rank is None else agreement.rank,
            "metric": agreement.metric + "".join(f" [{marks[note]}]" for note in agreement.notes),
            "value": UNDEFINED if agreement.value is None else agreement.value,
            "interval": _interval(agreement),
            "epsilon": "" if agreement.epsilon is None else f"{agreement.epsilon:.{DIGITS}g}",
        }
        for agreement in answer.metrics
    )
    footnotes = (f"[{mark}] {note}" for note, mark in marks.items())
    return Table(columns, rows, (*footnotes, _method(settings, answer)))


def _matrix(answer: Answer) -> Table:
    """Adjusted p-values of each row's metric against the column's; * where they differ."""
    names = [agreement.metric for agreement in answer.metrics if agreement.value is not None]
    cells = {
        (pair.better, pair.worse): _p(pair.p_adjusted) + "*" * pair.significant
        for pair in answer.pairs
    }
    columns = (
        Column("better", f"{_p_name(answer)} against"),
        *(Column(f"than {name}", name, numeric=True) for name in names[1:]),
    )
    rows: list[Row] = [
        {
            "better": name,
            **{f"than {other}": cells.get((name, other), "") for other in names[1:]},
        }
        for name in names[:-1]
    ]
    return Table(columns, tuple(rows))


def _data(agreement: Agreement, signatures: tuple[str, ...]) -> Table:
    """Every value in a row of its own, with all digits."""
    names = ("question", "metric", *VALUES, "better_than", "notes")
    rows = tuple(
        {
            "question": answer.question.label,
            "metric": metric.metric,
            **{name: getattr(metric, name) for name in VALUES},
            "better_than": ", ".join(
                pair.worse
                for pair in answer.pairs
                if pair.significant and pair.better == metric.metric
            ),
            "notes": "; ".join(metric.notes),
        }
        for answer in agreement.answers
        for metric in answer.metrics
    )
    return Table(plain_columns(*names), rows, signatures)


def _scatter(agreement: Agreement) -> Chart:
    """Metric against human scores, a panel for each metric and level with its coefficients."""
    rows: list[Row] = [
        {
            "of": f"{points.metric}, {points.what}{_coefficients(agreement, points)}",
            "human": human,
            "score": score,
            "name": points.names[place] if points.names else None,
            "measured": points.metric + (" (lower is better)" if points.lower_is_better else ""),
        }
        for points in agreement.points
        for place, (human, score) in enumerate(zip(points.human, points.scores, strict=True))
    ]
    columns = (
        Column("human", "Human score (higher is better)", digits=3),
        Column("score", "Metric score", digits=3),
        Column("of", "Metric and level"),
        Column("name", "System"),
    )
    return Chart(
        title="Metric scores against human scores",
        table=Table(columns, tuple(rows)),
        plot=Plot(
            "point",
            "human",
            "score",
            panel="of",
            label="name",
            y_heading="measured",
            shared_y=False,
        ),
        sentences=tuple(
            f"{answer.title}: "
            + ", ".join(
                f"{metric.metric} {metric.value:.3f}"
                for metric in answer.metrics
                if metric.value is not None
            )
            + "."
            for answer in agreement.answers
        ),
    )


def _coefficients(agreement: Agreement, points: ScorePairs) -> str:
    """The values of the questions that are about these points."""
    level = "system" if points.what == "systems" else "segment"
    values = [
        f"{answer.question.coefficient} {value:.3f}"
        for answer in agreement.answers
        if answer.question.level == level and (value := answer[points.metric].value) is not None
    ]
    return f" ({', '.join(values)})" if values else ""


def _sentences(settings: AgreeSettings, answer: Answer) -> Iterator[str]:
    """What an answer says, in sentences that can be quoted."""
    yield from answer.notes
    if answer.method == "pairs" and answer.pairs:
        yield TOO_OFTEN
    significant = [pair for pair in answer.pairs if pair.significant]
    given = "" if answer.about_systems else "On these systems, "
    for better in dict.fromkeys(pair.better for pair in significant):
        worse = [pair.worse for pair in significant if pair.better == better]
        yield f"{given}{better} agrees better with people than {listed(worse)}."
    if significant and not answer.about_systems and not answer.question.compared:
        yield THESE_SYSTEMS
    if answer.pairs and not significant:
        names = [agreement.metric for agreement in answer.metrics if agreement.value is not None]
        yield f"{listed(names)} can't be told apart."
    if answer.smallest_p is not None and answer.smallest_p > settings.alpha:
        yield (
            f"With so few {_few(answer)} nothing could be significant: the smallest possible "
            f"{_p_name(answer)} is {_p(answer.smallest_p)}."
        )
    for reason in dict.fromkeys(pair.test.reason for pair in answer.pairs):
        if reason is not None:
            pairs = (
                f"{pair.better} and {pair.worse}"
                for pair in answer.pairs
                if pair.test.reason == reason
            )
            yield f"{'; '.join(pairs)}: {reason}."


def _interval(agreement: MetricAgreement) -> str:
    if agreement.low is None or agreement.high is None:
        return ""
    return bracketed((agreement.low, agreement.high), DIGITS)


def _method(settings: AgreeSettings, answer: Answer) -> str:
    """How intervals and tests were made, in one line."""
    parts = []
    if any(agreement.low is not None for agreement in answer.metrics):
        resampled = answer.resampled.replace("+", " and ")
        made = f"intervals over {resampled}, {settings.replicates:,} replicates"
        if caution := INTERVAL_CAUTIONS.get(answer.question.coefficient):
            made += f" ({caution})"
        parts.append(made)
    if answer.pairs:
        side = SIDES[settings.alternative]
        parts.append(f"{side} {METHODS[answer.method]}{_permutations(answer.pairs)}")
    parts.append(f"seed {settings.seed}, level {settings.level:g}")
    if answer.family > 1 and answer.pairs:
        family = (
            "pairs of this question"
            if settings.correct_over == "pairs"
            else ("pairs of all questions")
        )
        parts[-1] += f", {CORRECTIONS[settings.correction].title} for {answer.family} {family}"
    return "; ".join(parts)


def _permutations(pairs: Sequence[MetricPair]) -> str:
    most = max(pair.test.permutations for pair in pairs)
    if not most:
        return ""
    every = "all " if all(pair.test.exact for pair in pairs) else ""
    return f", {every}{most:,} permutations"


def _few(answer: Answer) -> str:
    if not all(pair.test.exact for pair in answer.pairs):
        return "permutations"
    if answer.question.compared:
        return "segments on which metrics differ"
    return "systems" if answer.about_systems else "judged outputs"


def _p_name(answer: Answer) -> str:
    return "adjusted p" if answer.family > 1 else "p"


def _p(p: float) -> str:
    return f"{p:.4f}" if p >= 0.00005 else f"{p:.1e}"


def _human(human: HumanSummary) -> str:
    """How much people judged."""
    words = f"Human scores: {human.file}, {len(human.systems)} systems"
    if human.judged is not None:
        words += f", {human.judged:,} of {human.cells:,} {human.level} scores"
    if human.comparisons is not None:
        words += f", {human.comparisons:,} comparisons, {human.ties:,} of them ties"
    return f"{words}."


# --------------------------------------------------------------------------------------------------
# Chosen settings.


def _choice(choice: Choice) -> Document:
    columns = (
        Column("settings", "Settings"),
        Column("development", "On development", digits=DIGITS),
        Column("test", "On test", digits=DIGITS),
        Column("low", f"{100 * choice.settings.level:g} % from", digits=DIGITS),
        Column("high", "to", digits=DIGITS),
        Column("role", ""),
    )
    rows = tuple(_candidates(choice))
    table = Table(columns, rows)
    title = f"Settings chosen by agreement with people: {choice.answer.title}"
    sentences = tuple(_about(choice))
    signatures = (choice.test.human.signature, *choice.signatures.values())
    blocks = (
        Heading(title),
        table,
        Sentences(sentences),
        Notes(signatures),
        _development_chart(choice, title, table),
    )
    return Document(blocks, Table(columns, rows, signatures))


def _candidates(choice: Choice) -> Iterator[Row]:
    """Every candidate, then the default settings where they are none of them."""
    tried = {
        candidate.text: (candidate.value, candidate.setting) for candidate in choice.candidates
    }
    tried.setdefault(choice.default, (choice.default_on_development, None))
    roles = {"chosen": choice.chosen, "default": choice.default}
    for text, (value, setting) in tried.items():
        on_test = choice.answer[text] if text in choice.signatures else None
        yield {
            "settings": text,
            "setting": setting,
            "development": value,
            "test": None if on_test is None else on_test.value,
            "low": None if on_test is None else on_test.low,
            "high": None if on_test is None else on_test.high,
            "role": ", ".join(role for role, which in roles.items() if which == text),
        }


def _development_chart(choice: Choice, title: str, table: Table) -> Chart:
    """The candidates' values on development, along the one setting that was varied if it is one.

    The chosen settings and the default are named; where the default was no candidate, its value is
    a line across.
    """
    names = {candidate.varied for candidate in choice.candidates}
    varied = names.pop() if len(names) == 1 else None
    settings = [
        candidate.setting for candidate in choice.candidates if candidate.setting is not None
    ]
    measured = Column("development", f"{choice.answer.title}, on development", digits=DIGITS)
    if not varied:
        return Chart(
            title=title,
            table=Table(
                (Column("settings", "Settings"), measured, Column("role", "Role")), table.rows
            ),
            plot=Plot("point", "settings", "development", label="role", horizontal=True),
        )
    default = next(row for row in table.rows if row["settings"] == choice.default)
    across = default["development"] if default["setting"] is None else None
    rows = tuple({**row, "default": across} for row in table.rows if row["setting"] is not None)
    columns = (
        Column("setting", f"{varied} of {choice.answer.metrics[0].metric.partition(':')[0]}"),
        measured,
        Column("role", "Role"),
        Column("default", "the default settings"),
    )
    return Chart(
        title=title,
        table=Table(columns, rows),
        plot=Plot(
            "line",
            "setting",
            "development",
            label="role",
            reference_field=None if across is None else "default",
            log_x=0 < WIDE * min(settings) < max(settings),
        ),
    )


def _about(choice: Choice) -> Iterator[str]:
    """What was chosen, what it is worth, and what a reader should know."""
    yield _about_development(choice)
    yield _about_test(choice)
    yield _about_default(choice)
    notes: dict[str, list[str]] = {}
    for agreement in choice.answer.metrics:
        if agreement.value is not None and agreement.low is not None:
            for note in agreement.notes:
                notes.setdefault(note, []).append(agreement.metric)
    for note, metrics in notes.items():
        yield f"{' and '.join(metrics)}: {note}."
    yield from choice.answer.notes
    if choice.same_data:
        yield SAME_DATA
    yield from about_inputs(choice.test.human, choice.directions)
    if not choice.split:
        yield from (f"Of development: {note}" for note in choice.development.human.notes)


def _about_development(choice: Choice) -> str:
    words = (
        f"{choice.answer.title}, on development ({_judged(choice.development.human)}): "
        f"{choice.chosen} has the largest value of {len(choice.candidates)} settings, "
        f"{choice.on_development:.4f}."
    )
    if choice.tied > 1:
        words += f" {choice.tied} settings share it; the default is kept, or else the first."
    undefined = [candidate for candidate in choice.candidates if candidate.value is None]
    if undefined:
        words += f" {len(undefined)} have no value, such as {undefined[0].text}: "
        words += f"{undefined[0].reason}."
    return f"{words} The best of many flatters itself: the test part says what it is worth."


def _about_test(choice: Choice) -> str:
    agreement, kind = choice.on_test, "the test part" if choice.split else "the test set"
    where = f"On {kind} ({_judged(choice.test.human)})"
    if agreement.value is None:
        return f"{where} it has no value: {'; '.join(agreement.notes)}."
    words = f"{where} it has {agreement.value:.4f}"
    if agreement.low is None or agreement.high is None:
        return f"{words} without an interval{''.join(f'; {note}' for note in agreement.notes)}."
    interval = f"{100 * choice.settings.level:g} % interval over {choice.answer.resampled}"
    return f"{words}, {agreement.low:.4f} to {agreement.high:.4f} ({interval})."


def _about_default(choice: Choice) -> str:
    if choice.is_default:
        return "The default settings are the chosen ones: there is nothing to compare."
    default, difference = choice.default_on_test.value, choice.difference
    if default is None or difference is None:
        reasons = "; ".join(choice.default_on_test.notes)
        return f"The default settings, {choice.default}, have no value to compare: {reasons}."
    beside = f"the default settings, {choice.default}, which have {default:.4f}"
    pair = choice.pair
    if pair is None or abs(difference) <= SAME:
        return f"It agrees as well as {beside}."
    sure = "significantly" if pair.significant else "not significantly"
    words = f"That is {difference:.4f} above {beside}: {sure} better (p = {pair.p:.3g})."
    if difference < 0:
        words = (
            f"That is {-difference:.4f} below {beside}: what was chosen does not carry over. "
            f"The default is {sure} better (p = {pair.p:.3g})."
        )
    if pair.test.smallest_p > choice.settings.alpha:
        words += f" No p below {pair.test.smallest_p:.3g} was possible."
    return words


def _judged(human: HumanSummary) -> str:
    """How much was judged of a part."""
    systems = f"{len(human.systems)} systems"
    if human.items is None:
        return systems
    return f"{systems}, {human.items:,} judged {human.level}s"


# --------------------------------------------------------------------------------------------------
# Agreement curves.

# Fewer pairs of systems say little about high agreement.
ENOUGH_PAIRS = 200


def curve_document(fit: CurveFit) -> Document:
    """How often people agree with each metric, by the size of its difference."""
    level = f"{100 * fit.level:g} %"
    columns = (
        Column("metric", "Metric"),
        Column("pairs", "Pairs"),
        Column("agreement", "People agree, %", digits=1),
        *(
            Column(f"at {accuracy}", f"for {accuracy} % of pairs [{level}]", numeric=True)
            for accuracy in [threshold.accuracy for threshold in fit.curves[0].thresholds]
        ),
    )
    rows: tuple[Row, ...] = tuple(
        {
            "metric": curve.metric,
            "pairs": curve.pairs,
            "agreement": curve.agreement,
            **{f"at {threshold.accuracy}": _needed(threshold) for threshold in curve.thresholds},
        }
        for curve in fit.curves
    )
    points = plain_columns("difference", "accuracy", "low", "high")
    data = Table(
        (Column("metric", "metric"), *points),
        tuple(
            {"metric": curve.metric, **row}
            for curve in fit.curves
            for row in table_of(points, curve.points).rows
        ),
    )
    return charted_document(
        "How often people agree with a metric, by the size of its difference",
        Table(columns, rows),
        _about_curves(fit),
        Plot(
            "line",
            "difference",
            "accuracy",
            errors=("low", "high"),
            interval=f"{100 * fit.level:g} % intervals over systems",
            series="kind",
            series_order=("fitted", "observed"),
            panel="metric" if len(fit.curves) > 1 else None,
            reference_field="coin",
        ),
        chart=_curve_points(fit),
        data=data,
    )


def _needed(threshold: CurveThreshold) -> str:
    low = NO_VALUE if threshold.low is None else f"{threshold.low:.2f}"
    high = "∞" if threshold.high is None else f"{threshold.high:.2f}"
    needed = NO_VALUE if threshold.difference is None else f"{threshold.difference:.2f}"
    return f"{needed} [{low}, {high}]" if threshold.low is not None else needed


def _about_curves(fit: CurveFit) -> Iterator[str]:
    level = f"{100 * fit.level:g} %"
    for curve in fit.curves:
        reached = [threshold for threshold in curve.thresholds if threshold.difference is not None]
        never = [
            threshold.accuracy for threshold in curve.thresholds if threshold.difference is None
        ]
        parts = [
            f"in {threshold.accuracy} % of those that differ by {_needed(threshold)}"
            for threshold in reached
        ]
        listed = f"; {', '.join(parts)}" if parts else ""
        ends = f"; no difference is enough for {never[0]} %" if never else ""
        yield (
            f"{curve.metric}: people agree in {curve.agreement:.0f} % of {curve.pairs:,} pairs of "
            f"systems{listed}{ends}."
        )
    systems = sum(len(test_set.systems) for test_set in fit.sets)
    sets = "one test set" if len(fit.sets) == 1 else f"{len(fit.sets)} test sets"
    yield (
        f"Fitted to {systems} systems of {sets}; intervals of the level {level} resample systems. "
        "It is a share of pairs of systems like these, not the chance for a pair, and takes "
        "differences as known."
    )
    if min(curve.pairs for curve in fit.curves) < ENOUGH_PAIRS:
        yield (
            f"Fewer than {ENOUGH_PAIRS} pairs say little about agreement of 80 % and more: pool "
            "several test sets (--pool)."
        )


def _curve_points(fit: CurveFit) -> Table:
    """The fitted curves, and the shares that were observed."""
    rows: list[Row] = []
    for curve in fit.curves:
        for kind, points in (("fitted", curve.points), ("observed", curve.observed)):
            rows += [
                {
                    "metric": curve.metric,
                    "kind": kind,
                    "difference": point.difference,
                    "accuracy": point.accuracy / 100,
                    "low": None if point.low is None else point.low / 100,
                    "high": None if point.high is None else point.high / 100,
                    "coin": 0.5,
                }
                for point in points
            ]
    columns = (
        Column("difference", "Difference of the metric's system scores"),
        Column("accuracy", "Pairs in which people agree", percent=True),
        Column("low", "low"),
        Column("high", "high"),
        Column("kind", "Share"),
        Column("metric", "Metric"),
        Column("coin", "a coin"),
    )
    return Table(columns, tuple(rows))
