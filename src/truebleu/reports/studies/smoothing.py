"""Smoothing as a document: the tables of Chen & Cherry (2014), and who agrees best with people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.agree import about_inputs
from truebleu.reports.document import Column, Document, Plot, Table
from truebleu.reports.studies._shared import listed, study_document
from truebleu.studies.smoothing import COEFFICIENTS, CORPUS, NONE, SAME, best, next_best

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.reports.document import Row, Value
    from truebleu.studies.smoothing import SmoothingAgreement, SmoothingResult, SmoothingRow

SYMBOLS = {"tau": "τ", "gamma": "γ", "rho": "ρ"}


def document(result: SmoothingResult) -> Document:
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
    return study_document(
        "Agreement of sentence BLEU with people by smoothing (Chen & Cherry 2014)",
        Table(tuple(columns), tuple(map(_row, result.rows))),
        _sentences(result),
        Plot(
            "point",
            "smoothing",
            "value",
            errors=("low", "high"),
            interval=f"{level} interval over {unit}s",
            panel="coefficient",
            shared_y=False,
        ),
        chart=_points(result),
    )


def _heading(result: SmoothingResult, name: str) -> str:
    return f"{result.item if name == 'tau' else 'system'} {SYMBOLS[name]}"


def _row(row: SmoothingRow) -> Row:
    cells: dict[str, Value] = {"smoothing": row.smoothing, "name": row.name or "corpus BLEU"}
    for name in COEFFICIENTS:
        agreement: SmoothingAgreement = getattr(row, name)
        cells |= {
            name: agreement.value,
            f"{name}_low": agreement.low,
            f"{name}_high": agreement.high,
        }
    return {**cells, "p": row.p}


def _points(result: SmoothingResult) -> Table:
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


def _sentences(result: SmoothingResult) -> Iterator[str]:
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
