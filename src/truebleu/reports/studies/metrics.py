"""What studies say of metrics, as documents: sensitivity, length, smoothing."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table, charted_document, table_of
from truebleu.reports.sentences import about_inputs, listed, percent
from truebleu.reports.studies import rate_columns, rate_of, title_of_test
from truebleu.studies.smoothing import COEFFICIENTS, CORPUS, NONE, SAME, best, next_best

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.reports.document import Row, Value
    from truebleu.studies.length import LengthResult, ScoreAtLength
    from truebleu.studies.sensitivity import MetricContrast, Sensitivity, SensitivityResult
    from truebleu.studies.smoothing import SmoothingAgreement, SmoothingResult, SmoothingRow


# Sensitivity: how many pairs differ significantly by each metric.


# Where by every metric at least this share of the pairs differ, smaller samples would show more.
SATURATED = 0.95

SENSITIVITY_COLUMNS = (
    Column("metric", "Metric"),
    Column("size", "Units"),
    Column("samples", "Samples"),
    Column("test", "Test"),
    Column("correction", "Correction"),
    Column("pairs", "Pairs"),
    Column("significant", "Significant", 1),
    *rate_columns("share", "Share"),
    Column("width", "Relative width", 2, percent=True),
)
SYSTEM_COLUMNS = (
    Column("metric", "Metric"),
    Column("size", "Units"),
    Column("system", "System"),
    Column("median", "Median", 3),
    Column("low", "Interval from", 2, percent=True, sign=True),
    Column("high", "to", 2, percent=True, sign=True),
    Column("width", "Relative width", 2, percent=True),
    Column("significant", "Others that differ", 1),
)


def sensitivity_document(result: SensitivityResult) -> Document:
    """A table of metrics and tests, or of metrics and systems."""
    level = f"{100 * result.settings.level:g} %"
    several = len(result.settings.sizes) > 1
    sentences = [
        sentence
        for size in result.settings.sizes
        for sentence in _sensitivity_sentences(
            result, size, f"On {size:,} {result.settings.pool.unit}s"
        )
    ]
    if result.by_system:
        return charted_document(
            f"Relative intervals of the level {level} by metric and system",
            table_of(SYSTEM_COLUMNS, result.systems),
            sentences,
            Plot(
                "point",
                "system",
                "width",
                series="metric",
                panel="size" if several else None,
                zero_y=True,
            ),
            axes={"width": "Width of the interval, of the score"},
        )
    table = table_of(
        SENSITIVITY_COLUMNS,
        result.rows,
        test=title_of_test,
        by=_test_and_correction,
        on=lambda row: f"{row.size} {result.settings.pool.unit}s",
        **rate_of("share"),
    )
    return charted_document(
        f"Pairs of {len(result.settings.pool.systems)} systems that differ significantly at the "
        f"level {level}, by metric",
        table,
        sentences,
        Plot(
            "bar",
            "metric",
            "share",
            errors=("share_low", "share_high"),
            interval="95 % over samples",
            series="by",
            panel="on" if several else None,
            zero_y=True,
        ),
        axes={"share": "Pairs that differ significantly, share of all"},
        chart=Table(
            (*SENSITIVITY_COLUMNS, Column("by", "Test and correction"), Column("on", "Sample")),
            table.rows,
        ),
    )


def _test_and_correction(row: Sensitivity) -> str:
    return title_of_test(row) + ("" if row.correction == "none" else f", {row.correction}")


def _sensitivity_sentences(result: SensitivityResult, size: int, start: str) -> Iterator[str]:
    rows = [
        row
        for row in result.rows
        if (row.size, row.test, row.correction) == (size, "ar", result.correction)
    ]
    yield from _most(result, rows, start)
    opposite = [
        f"{pair.a} and {pair.b} the other way round in {pair.pairs:g}"
        for pair in result.opposite
        if pair.size == size
    ]
    if opposite:
        pairs = "; ".join(opposite)
        yield f"{start}, pairs differ significantly by two metrics with opposite winners: {pairs}."
    yield from _widths(rows, start)


def _most(result: SensitivityResult, rows: Sequence[Sensitivity], start: str) -> Iterator[str]:
    """The metric by which most pairs differ, and how sure that is."""
    corrected = (
        "without correction" if result.correction == "none" else f"corrected ({result.correction})"
    )
    order = sorted(rows, key=lambda row: -row.significant)
    amounts = ", ".join(f"{row.metric} {_amount(row)}" for row in order)
    yield (
        f"{start}, of {rows[0].pairs} pairs these differ significantly by approximate "
        f"randomization, {corrected}: {amounts}."
    )
    if len(rows) == 1:
        yield "Another metric (-m) would show by which of them more pairs differ."
    for contrast in result.contrasts:
        if contrast.size == rows[0].size:
            yield f"{start}: {_contrast(contrast)}."
    if len(rows) > 1 and min(row.share.value for row in rows) >= SATURATED:
        yield (
            f"{start} at least {100 * SATURATED:g} % of the pairs differ significantly by every "
            "metric; smaller samples (--sizes) show more of how metrics differ."
        )


def _amount(row: Sensitivity) -> str:
    count = row.significant
    number = f"{count:.0f}" if count == int(count) else f"{count:.1f}"
    return f"{number} ({percent(row.share.value)})"


def _contrast(contrast: MetricContrast) -> str:
    """How two metrics differ: by the pairs that are significant by only one of them."""
    counts = (
        f"{contrast.only_best:g} pairs differ by {contrast.best} alone, {contrast.only_other:g} by "
        f"{contrast.other} alone"
    )
    if contrast.samples == 1:
        return counts
    difference = contrast.difference
    low, high = difference.low or 0.0, difference.high or 0.0
    sure = "clear" if low > 0 else "within the error"
    return (
        f"{counts} on average; the difference of {100 * difference.value:.1f} points "
        f"({100 * low:.1f} to {100 * high:.1f} over {contrast.samples} samples) is {sure}"
    )


def _widths(rows: Sequence[Sensitivity], start: str) -> Iterator[str]:
    known = sorted((row.width, row.metric) for row in rows if row.width is not None)
    without = [row.metric for row in rows if row.width is None]
    if known:
        widths = ", ".join(f"{metric} {100 * width:.2f} %" for width, metric in known)
        yield f"{start} the mean widths of the intervals, of the score, are {widths}."
    if without:
        yield f"{start} there is no relative interval of {', '.join(without)}: medians are 0."


# Length: each metric's scores against the length of the output.


DIRECTIONS = {True: "higher is better", False: "lower is better", None: "neither is better"}


def length_document(result: LengthResult) -> Document:
    """A table of metrics by lengths, and their relative scores as lines."""
    settings = result.settings
    cut, piece = settings.way == "cut", settings.piece
    how = f"{piece}s cut off or repeated" if cut else f"outputs chosen by their {piece}s"
    several = cut and len(settings.pool.systems) > 1
    by_metric = [list(rows) for _, rows in groupby(result.rows, key=lambda row: row.metric)]
    sentences = [_effect(result, rows) for rows in by_metric]
    return charted_document(
        f"Scores against the length of the output: {how}",
        table_of(_cut_columns() if cut else _rank_columns(), result.rows),
        [*sentences, *_most_and_least(result, by_metric)],
        Plot(
            "line",
            "length",
            "relative",
            errors=("low", "high") if several else None,
            interval="the least and the largest of all systems",
            series="metric",
            reference=1.0,
        ),
    )


def _cut_columns() -> tuple[Column, ...]:
    return (
        Column("metric", "Metric"),
        Column("kept", "Length kept", 0, percent=True),
        Column("length", "Length, of the reference", 1, percent=True),
        Column("score", "Score", 2),
        Column("relative", "Score, of the natural one", 1, percent=True),
        Column("low", "systems from", 1, percent=True),
        Column("high", "to", 1, percent=True),
    )


def _rank_columns() -> tuple[Column, ...]:
    return (
        Column("metric", "Metric"),
        Column("rank", "Length rank"),
        Column("length", "Length, of the reference", 1, percent=True),
        Column("score", "Score", 2),
        Column("relative", "Score, of the middle rank's", 1, percent=True),
    )


def _effect(result: LengthResult, rows: Sequence[ScoreAtLength]) -> str:
    """What the shortest and the longest outputs do to a metric."""
    first, last = rows[0], rows[-1]
    direction = DIRECTIONS[result.settings.pool.metric(first.metric).higher_is_better]
    who = f"{first.metric} ({direction})"
    if first.relative is None or last.relative is None:
        return f"{who}: a score of 0 at the natural length leaves nothing to compare with."
    if result.settings.way == "choice":
        return (
            f"{who}: the shortest outputs, {percent(first.length)} of the reference, have "
            f"{percent(first.relative)} of the score of middling ones; the longest, "
            f"{percent(last.length)}, have {percent(last.relative)}."
        )
    parts = [
        f"{percent(row.relative)} at {100 * row.kept:g} %"
        for row in (first, last)
        if row.kept is not None and row.relative is not None and row.kept != 1
    ]
    return f"{who}: of the natural score, {' and '.join(parts)} of the natural length."


def _most_and_least(
    result: LengthResult, by_metric: Sequence[Sequence[ScoreAtLength]]
) -> list[str]:
    """Which higher-is-better metric the shortest outputs cost most."""
    shortest = {
        rows[0].metric: rows[0].relative
        for rows in by_metric
        if rows[0].relative is not None
        and result.settings.pool.metric(rows[0].metric).higher_is_better
    }
    if len(shortest) < 2:
        return []
    most, least = min(shortest, key=shortest.__getitem__), max(shortest, key=shortest.__getitem__)
    return [
        f"Of the higher-is-better metrics, the shortest outputs cost {most} most, "
        f"{percent(1 - shortest[most])} of its score, and {least} least, "
        f"{percent(1 - shortest[least])}."
    ]


# Smoothing: the tables of Chen & Cherry (2014), and which smoothing agrees best with people.


SYMBOLS = {"tau": "τ", "gamma": "γ", "rho": "ρ"}


def smoothing_document(result: SmoothingResult) -> Document:
    """A table of smoothings by coefficients, and their intervals as points."""
    level = f"{100 * result.settings.level:g} %"
    columns = [Column("smoothing", "Smoothing"), Column("name", "Name")]
    for name in COEFFICIENTS:
        columns += [
            Column(name, _heading(result, name), 3),
            Column(f"{name}_low", f"{level} from", 3),
            Column(f"{name}_high", "to", 3),
        ]
    columns.append(Column("p", f"p, {_heading(result, 'tau')} above none's", 4))
    # Documents that people scored are drawn as they are.
    unit = result.settings.pool.unit if result.item == "segment" else result.item
    return charted_document(
        "Agreement of sentence BLEU with people by smoothing (Chen & Cherry 2014)",
        Table(tuple(columns), tuple(map(_smoothing_cells, result.rows))),
        _smoothing_sentences(result),
        Plot(
            "point",
            "smoothing",
            "value",
            errors=("low", "high"),
            interval=f"{level} interval over {unit}s",
            panel="coefficient",
            shared_y=False,
        ),
        chart=_smoothing_points(result),
    )


def _heading(result: SmoothingResult, name: str) -> str:
    return f"{result.item if name == 'tau' else 'system'} {SYMBOLS[name]}"


def _smoothing_cells(row: SmoothingRow) -> Row:
    cells: dict[str, Value] = {"smoothing": row.smoothing, "name": row.name or "corpus BLEU"}
    for name in COEFFICIENTS:
        agreement: SmoothingAgreement = getattr(row, name)
        cells |= {
            name: agreement.value,
            f"{name}_low": agreement.low,
            f"{name}_high": agreement.high,
        }
    return {**cells, "p": row.p}


def _smoothing_points(result: SmoothingResult) -> Table:
    rows: list[Row] = []
    for name in COEFFICIENTS:
        for row in result.rows:
            agreement: SmoothingAgreement = getattr(row, name)
            if agreement.value is not None:
                rows.append(
                    {
                        "smoothing": row.smoothing,
                        "coefficient": _heading(result, name),
                        "value": agreement.value,
                        "low": agreement.low,
                        "high": agreement.high,
                    }
                )
    columns = (
        Column("smoothing", "Smoothing"),
        Column("coefficient", "Coefficient"),
        Column("value", "Agreement with people", 3),
        Column("low", "from", 3),
        Column("high", "to", 3),
    )
    return Table(columns, tuple(rows))


def _smoothing_sentences(result: SmoothingResult) -> Iterator[str]:
    yield _about_pairs(result)
    for name in COEFFICIENTS:
        if result.defined(name):
            yield _about_coefficient(result, name)
    yield "The best is picked on these data, which flatters it: its p does not allow for that."
    yield from _about_lacking(result)
    yield from about_inputs(result.people, {})


def _about_pairs(result: SmoothingResult) -> str:
    """How many systems and pairs there are, and the values of the smoothings."""
    settings = result.settings
    systems = (
        f"{len(settings.judged)} systems; ε = {settings.epsilon:g}, K = {settings.k:g}, "
        f"α = {settings.alpha:g}."
    )
    if result.pairs is None or result.ties is None:
        return systems
    return (
        f"{systems} τ compares {result.pairs:,} pairs of outputs of one {result.item} of which "
        f"people preferred one; {result.ties:,} ties of theirs are left out."
    )


def _about_coefficient(result: SmoothingResult, name: str) -> str:
    """Which smoothing agrees best, and whether that is more than chance."""
    defined = result.defined(name)
    first, following = best(defined), next_best(defined)
    if following:
        agree = "agrees" if len(first) == 1 else "agree"
        words = f"{_called(result, first)} {agree} best, with {defined[first[0]]:.4f}"
        words += f", then {_called(result, following)}, with {defined[following[0]]:.4f}"
    else:
        words = f"all smoothings agree alike, with {defined[first[0]]:.4f}"
    sentences = [f"By {_heading(result, name)} {words}."]
    if tested := _tested(result, name):
        sentences.append(f"That of smoothing {first[0]} is {listed(tested)}.")
    if name == "tau" and NONE in defined:
        above = sum(value > defined[NONE] + SAME for value in defined.values())
        sentences.append(f"{above} of {len(defined) - 1} smoothings are above none.")
    return " ".join(sentences)


def _called(result: SmoothingResult, labels: Sequence[str]) -> str:
    if tuple(labels) == (CORPUS,):
        return "corpus BLEU"
    if len(labels) > 2:
        return f"smoothings {listed(labels)}"
    kind = "smoothing" if len(labels) == 1 else "smoothings"
    return f"{kind} {listed([f'{label} ({result.row(label).name})' for label in labels])}"


def _tested(result: SmoothingResult, name: str) -> list[str]:
    """What tests say of the best beside the next, none and corpus BLEU."""
    defined = result.defined(name)
    first = best(defined)[0]
    agreement: SmoothingAgreement = getattr(result.row(first), name)
    p_values = {
        test.worse: test.p
        for test in result.tests
        if (test.coefficient, test.better) == (name, first)
    }
    comparisons = []
    for other in dict.fromkeys((*next_best(defined)[:1], NONE, CORPUS)):
        beside = getattr(result.row(other), name).value
        if other not in p_values or beside is None:
            continue
        excess = defined[first] - beside
        if excess < -SAME:
            comparisons.append(f"below {_called(result, (other,))}, which has {beside:.4f}")
            continue
        if abs(excess) <= SAME:
            comparisons.append(f"the same as {_called(result, (other,))}'s")
            continue
        corrected = result.row(first).p if name == "tau" and other == NONE else None
        p = p_values[other] if corrected is None else corrected
        detail = f"p = {p:.3g}{'' if corrected is None else ', corrected'}"
        if other == NONE and agreement.excess_low is not None:
            detail += (
                f"; by {excess:.4f}, {agreement.excess_low:.4f} to {agreement.excess_high:.4f} "
                "over replicates"
            )
        alpha = round(1 - result.settings.level, 12)
        sure = "significantly" if p <= alpha else "not significantly"
        comparisons.append(f"{sure} above {_called(result, (other,))} ({detail})")
    return comparisons


def _about_lacking(result: SmoothingResult) -> Iterator[str]:
    """Why there is no value, or no interval."""
    lacking: dict[str, list[str]] = {}
    for name in COEFFICIENTS:
        for row in result.rows:
            agreement: SmoothingAgreement = getattr(row, name)
            if agreement.reason is not None:
                symbol = SYMBOLS[name]
                what = symbol if agreement.value is None else f"interval of {symbol}"
                lacking.setdefault(agreement.reason, []).append(f"{what} of {row.smoothing}")
    for reason, cells in lacking.items():
        shown = f"{cells[0]} to {cells[-1]}" if len(cells) > 3 else listed(cells)
        yield f"No {shown}: {reason}."
