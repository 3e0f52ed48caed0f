"""What tests conclude, as documents: rates of rejection, power, and how often they are right."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from truebleu.reports.document import (
    NO_VALUE,
    Column,
    Document,
    Plot,
    Table,
    charted_document,
    table_of,
)
from truebleu.reports.sentences import listed, percent
from truebleu.reports.studies import (
    NULL_TITLES,
    TEST_TITLES,
    rate_cells,
    rate_columns,
    rate_of,
    title_of_test,
    trial_notes,
)
from truebleu.significance.corrections import CORRECTIONS
from truebleu.studies._tests import STUDY_TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.reports.document import Row, Value
    from truebleu.studies._study import Rate
    from truebleu.studies.multiplicity import FalseAlarms, MultiplicityResult
    from truebleu.studies.power import (
        Accuracy,
        AccuracyBand,
        AccuracyResult,
        MeanPower,
        Power,
        PowerResult,
    )
    from truebleu.studies.type_one import (
        EquivalentPair,
        EquivalentsResult,
        Rejections,
        TypeOneMetric,
        TypeOneResult,
    )


# Errors of type I: rates of rejection beside the levels that tests promise.


REJECTION_COLUMNS = (
    Column("metric", "Metric"),
    Column("test", "Test"),
    Column("origin", "As in"),
    Column("alpha", "Level", 1, percent=True),
    *rate_columns("rejected", "Rejected", "99 % from"),
    Column("verdict", "Verdict"),
)


def type_one_document(result: TypeOneResult) -> Document:
    """A table of tests and levels."""
    table = table_of(
        REJECTION_COLUMNS,
        result.rows,
        test=title_of_test,
        origin=lambda row: STUDY_TESTS[row.test].origin,
        case=lambda row: f"{row.metric}, level {100 * row.alpha:g} %",
        **rate_of("rejected"),
    )
    null, unit = NULL_TITLES[result.settings.null], result.settings.pool.unit
    return charted_document(
        f"How often tests reject a true null hypothesis: {null}, tested by {unit}",
        table,
        [*_rejection_sentences(result), *_unit_note(result)],
        Plot(
            "point",
            "test",
            "rejected",
            errors=("rejected_low", "rejected_high"),
            interval="binomial, 99 %",
            panel="case",
            reference_field="alpha",
            zero_y=True,
        ),
        axes={"rejected": "Rejected true null hypotheses, share of all"},
        chart=Table((*REJECTION_COLUMNS, Column("case", "Metric and level")), table.rows),
    )


# What to say of each verdict.
VERDICTS = {
    "too often": "too often",
    "too seldom": "too seldom",
    "undecided": "within the error, but too few repetitions to say that it holds",
    "holds": "holds",
}


def _rejection_sentences(result: TypeOneResult) -> Iterator[str]:
    for metric in result.metrics:
        rows = [row for row in result.rows if row.metric == metric.metric]
        for _, of_test in groupby(rows, key=lambda row: row.test):
            yield _rejection_sentence(list(of_test))
        yield from _metric_sentences(metric)


def _rejection_sentence(rows: Sequence[Rejections]) -> str:
    """What a test did at all levels."""
    rates = listed([percent(row.rejected.value) for row in rows])
    nominal = listed([f"{100 * row.alpha:g} %" for row in rows])
    levels = {
        said: [f"{100 * row.alpha:g} %" for row in rows if row.verdict == name]
        for name, said in VERDICTS.items()
    }
    verdict = "; ".join(f"{said} at {listed(at)}" for said, at in levels.items() if at)
    return (
        f"{rows[0].metric}, {STUDY_TESTS[rows[0].test].title}: {rates} of the pairs of equal "
        f"systems differ significantly at the level{'s' * (len(rows) > 1)} {nominal}: {verdict}."
    )


def _metric_sentences(metric: TypeOneMetric) -> Iterator[str]:
    if metric.absolute_below_ar is not None:
        yield (
            f"{metric.metric}: the bootstrap of absolute differences gives a smaller p than "
            f"approximate randomization in {metric.absolute_below_ar} of the comparisons."
        )
    if metric.constant:
        yield (
            f"{metric.metric}: p is the same in all comparisons; by this metric the outputs do not "
            "differ."
        )


def _unit_note(result: TypeOneResult) -> Iterator[str]:
    if result.settings.null == "document" and result.settings.pool.unit == "segment":
        yield (
            "Whole documents were swapped, as if each system had its good and bad documents, but "
            "tested as if segments were independent; --unit document tests documents."
        )
    if any(row.verdict == "holds" for row in result.rows):
        yield (
            "A level holds where the 99 % interval of the rate lies between half of it and one and "
            "a half."
        )


# False alarms among many comparisons.


ALARM_COLUMNS = (
    Column("metric", "Metric"),
    Column("systems", "Systems"),
    Column("comparisons", "Comparisons"),
    Column("correction", "Correction"),
    *rate_columns("alarms", "Any false alarm", "99 % from"),
    Column("expected", "Promised", 1, percent=True),
)


def multiplicity_document(result: MultiplicityResult) -> Document:
    """A table of numbers of systems and corrections; sentences are about the most systems."""
    settings = result.settings
    table = table_of(
        ALARM_COLUMNS,
        result.rows,
        correction=lambda row: CORRECTIONS[row.correction].short_title,
        **rate_of("alarms"),
    )
    most = settings.together[-1]
    return charted_document(
        "Any false alarm among all pairs of equal systems: "
        f"{TEST_TITLES[settings.test]}, {NULL_TITLES[settings.null]}",
        table,
        [_alarm_sentence(row, settings.alpha) for row in result.rows if row.systems == most],
        Plot(
            "line",
            "comparisons",
            "alarms",
            errors=("alarms_low", "alarms_high"),
            interval="binomial, 99 %",
            series="correction",
            panel="metric",
            reference=settings.alpha,
            zero_y=True,
        ),
        axes={
            "comparisons": "Comparisons made at once",
            "alarms": "Experiments with a false alarm, share of all",
        },
    )


def _alarm_sentence(row: FalseAlarms, alpha: float) -> str:
    comparisons = f"{row.comparisons} comparison{'s' * (row.comparisons > 1)}"
    alarms = f"a false alarm in {row.alarms} of the cases with {comparisons}"
    if row.correction == "none":
        return (
            f"{row.metric}, no correction: {alarms}; independent comparisons would have "
            f"{percent(row.expected)}."
        )
    verdict = "is kept" if row.alarms.low <= alpha else "is not kept"
    title = CORRECTIONS[row.correction].short_title
    return f"{row.metric}, {title}: {alarms}; {100 * alpha:g} % {verdict}."


# Systems that are given, and taken for equal.


PAIR_COLUMNS = (Column("metric", "Metric"), Column("compared", "Compared systems"))


def equivalents_document(result: EquivalentsResult) -> Document:
    """A table of pairs, with a column for each test."""
    tests = result.settings.tests
    table = Table(
        (
            *PAIR_COLUMNS,
            Column("difference", "Difference", 3, sign=True),
            *(Column(test, f"p by {TEST_TITLES[test]}", 4) for test in tests),
        ),
        tuple(
            {**_compared(row), "difference": row.difference, **dict(zip(tests, row.p, strict=True))}
            for row in result.rows
        ),
    )
    chart = Table(
        (*PAIR_COLUMNS, Column("test", "Test"), Column("p", "p-value", 3)),
        tuple(
            {**_compared(row), "test": TEST_TITLES[test], "p": p}
            for row in result.rows
            for test, p in zip(tests, row.p, strict=True)
        ),
    )
    return charted_document(
        "Systems taken for equal: the p-values of their differences",
        table,
        [
            _p_sentence(result, metric.label, test)
            for metric in result.settings.pool.metrics
            for test in tests
        ],
        Plot(
            "point",
            "compared",
            "p",
            series="test",
            panel="metric",
            reference=result.settings.alpha,
            zero_y=True,
        ),
        chart=chart,
    )


def _compared(row: EquivalentPair) -> Row:
    return {"metric": row.metric, "compared": f"{row.a} : {row.b}"}


def _p_sentence(result: EquivalentsResult, metric: str, test: str) -> str:
    p_values = result.p_values(metric, test)
    sentence = (
        f"{metric}, {TEST_TITLES[test]}: {result.rejected(metric, test)} of {len(p_values)} pairs "
        f"have p of at most {result.settings.alpha:g}"
    )
    first = result.settings.tests[0]
    if test == first:
        return f"{sentence}."
    pairs = list(zip(p_values, result.p_values(metric, first), strict=True))
    smaller, larger = sum(p < other for p, other in pairs), sum(p > other for p, other in pairs)
    return (
        f"{sentence}; p is smaller than by {TEST_TITLES[first]} in {smaller}, larger in {larger}."
    )


# Power: right and wrong conclusions by pair and size, as in Koehn's Table 3.


# The power that plans usually ask for.
USUAL_POWER = 0.8


def power_document(result: PowerResult) -> Document:
    """A table of pairs by sizes, the mean of all pairs below them."""
    level = result.settings.level
    digits = max(metric.digits for metric in result.settings.pool.metrics)
    difference = Column("difference", "Difference", digits, sign=True)
    data = Table(
        (
            *_pair_columns(difference),
            Column("size", "Size"),
            Column("samples", "Samples"),
            *rate_columns("right", "Right conclusions"),
            *rate_columns("wrong", "Wrong conclusions"),
        ),
        (*map(_data_row, result.rows), *map(_data_row, result.means)),
    )
    chart = Table(
        (*data.columns, Column("case", "Metric and test"), Column("sample", "Samples of")),
        tuple(
            {
                **_data_row(row),
                "case": f"{row.metric}, {TEST_TITLES[row.test]}",
                "sample": f"{row.size:,} {result.settings.pool.unit}s",
            }
            for row in result.rows
        ),
    )
    return charted_document(
        f"Right/wrong conclusions at the level {100 * level:g} % on samples of each size",
        _power_table(result, difference),
        [
            *_power_sentences(result),
            *trial_notes(result.settings, result.ties, round(1 - level, 12)),
        ],
        Plot(
            "line",
            "difference",
            "right",
            errors=("right_low", "right_high"),
            interval="binomial, 95 %",
            series="sample",
            panel="case",
            zero_y=True,
        ),
        axes={
            "difference": "Difference of scores in the whole pool",
            "right": "Right conclusions, share of samples",
        },
        chart=chart,
        data=data,
    )


def _pair_columns(difference: Column) -> tuple[Column, ...]:
    return (
        Column("metric", "Metric"),
        Column("test", "Test"),
        Column("better", "Better"),
        Column("worse", "Worse"),
        difference,
    )


def _data_row(row: Power | MeanPower) -> Row:
    return {
        **_pair_cells(row),
        "size": row.size,
        "samples": row.samples,
        **rate_cells("right", row.right),
        **rate_cells("wrong", row.wrong),
    }


def _pair_cells(row: Power | MeanPower) -> dict[str, Value]:
    return {
        "metric": row.metric,
        "test": TEST_TITLES[row.test],
        "better": getattr(row, "better", "mean of all pairs"),
        "worse": getattr(row, "worse", ""),
        "difference": getattr(row, "difference", None),
    }


def _power_table(result: PowerResult, difference: Column) -> Table:
    """All sizes side by side, as in the paper."""
    samples = {row.size: row.samples for row in result.rows}
    columns = (
        *_pair_columns(difference),
        *(Column(f"size_{size}", f"{size:,} (×{count})") for size, count in samples.items()),
    )
    rows: list[Row] = []
    for metric, test, of_test in _cases(result):
        means = [mean for mean in result.means if (mean.metric, mean.test) == (metric, test)]
        for _, pair in groupby(of_test, key=lambda row: (row.better, row.worse)):
            rows.append(_side_by_side(list(pair)))
        if means:
            rows.append(_side_by_side(means))
    return Table(columns, tuple(rows))


def _side_by_side(rows: Sequence[Power | MeanPower]) -> Row:
    cells = {f"size_{row.size}": _right_and_wrong(row.right, row.wrong) for row in rows}
    return {**_pair_cells(rows[0]), **cells}


def _cases(result: PowerResult) -> Iterator[tuple[str, str, list[Power]]]:
    for (metric, test), rows in groupby(result.rows, key=lambda row: (row.metric, row.test)):
        yield metric, test, list(rows)


def _right_and_wrong(right: Rate | None, wrong: Rate) -> str:
    """12 %/1 %, as the paper has it; a dash for right conclusions about a tie."""
    shown = NO_VALUE if right is None else _whole_percents(right.value)
    return f"{shown}/{_whole_percents(wrong.value)}" if wrong.value or right is None else shown


def _whole_percents(share: float) -> str:
    """Whole percents, and a decimal where otherwise nothing would be left of something."""
    return f"{100 * share:.1f} %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


def _power_sentences(result: PowerResult) -> Iterator[str]:
    means = {(mean.metric, mean.test, mean.size): mean for mean in result.means}
    for metric, test, rows in _cases(result):
        for size in result.settings.sizes:
            case = f"{metric}, {TEST_TITLES[test]} on {size:,} {result.settings.pool.unit}s: "
            if mean := means.get((metric, test, size)):
                case += (
                    f"on average over the pairs {mean.right} right and {mean.wrong} wrong "
                    "conclusions; "
                )
            digits = result.settings.pool.metric(metric).digits
            yield case + _detected([row for row in rows if row.size == size], digits)


def _detected(rows: Sequence[Power], digits: int) -> str:
    """From which difference on every pair was found to differ in most samples."""
    powers = sorted((row.difference, row.right.value) for row in rows if row.right is not None)
    if not powers:
        return "no pair differs in the pool."
    enough = None
    for difference, power in reversed(powers):
        if power < USUAL_POWER:
            break
        enough = difference
    often = f"{100 * USUAL_POWER:.0f} %"
    if enough is None:
        return f"not even the largest difference was found in {often} of the samples."
    return (
        f"all differences from {enough:.{digits}f} up were found in at least {often} of the "
        "samples."
    )


# Accuracy: how many conclusions of each band of confidence are right.


# Only Koehn's test asks about one direction; the p-values of the others are for both.
ONE_SIDED = ("wins",)
BAND_COLUMNS = (
    Column("metric", "Metric"),
    Column("test", "Test"),
    Column("band", "Confidence"),
    Column("conclusions", "Conclusions"),
    Column("confidence", "Mean confidence", 1, percent=True),
    *rate_columns("right", "Right"),
)


def accuracy_document(result: AccuracyResult) -> Document:
    """A table of bands, the surest first."""
    table = Table(
        BAND_COLUMNS,
        tuple(
            {
                "metric": row.metric,
                "test": TEST_TITLES[row.test],
                "band": _band(band),
                "conclusions": band.conclusions,
                "confidence": band.confidence,
                **rate_cells("right", band.right),
            }
            for row in result.rows
            for band in row.bands
        ),
    )
    return charted_document(
        "Conclusions of all pairs and samples by their confidence, and how many were right",
        table,
        [
            *(sentence for row in result.rows for sentence in _accuracy_sentences(row)),
            *trial_notes(result.settings, result.ties, 0.05),
        ],
        Plot(
            "line",
            "confidence",
            "right",
            errors=("right_low", "right_high"),
            interval="95 %, samples taken as a whole",
            series="test",
            panel="metric",
        ),
        axes={
            "confidence": "Mean confidence of the conclusions",
            "right": "Right conclusions, share of all",
        },
    )


def _band(band: AccuracyBand) -> str:
    if band.least == 0:
        return f"below {100 * band.most:g} %"
    return f"{100 * band.least:g} to {100 * band.most:g} %"


def _accuracy_sentences(row: Accuracy) -> Iterator[str]:
    case = f"{row.metric}, {TEST_TITLES[row.test]}"
    if not row.bands:
        yield f"{case}: there is no conclusion to judge."
    else:
        total = sum(band.conclusions for band in row.bands)
        overconfident = "; ".join(
            f"{_band(band)}: {percent(band.right.value)} of {band.conclusions:,}"
            for band in row.bands
            if band.overconfident
        )
        verdict = (
            f"right less often than claimed, beyond the error, in the bands {overconfident}"
            if overconfident
            else "no band is right less often than it claims, beyond the error"
        )
        # Of a two-sided p, the wrong side has half.
        sided = (
            "" if row.test in ONE_SIDED else " Its p is two-sided: it claims less than it could."
        )
        yield f"{case}: of {total:,} conclusions, {verdict}.{sided}"
    if row.undecided:
        yield f"{case}: {row.undecided:,} samples of pairs tie, and give no conclusion."
