"""What the table of smoothings says, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.metrics.sentence_bleu import SMOOTHINGS
from truebleu.studies.apparatus.smoothing_columns import COLUMNS, CORPUS, NONE, SAME, smoothings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.agreement.measures.pairs import PairCounts
    from truebleu.studies.apparatus.journal import Key, Record
    from truebleu.studies.apparatus.smoothing_columns import Cell, Column


def name_of(label: str) -> str:
    """What a row is called: the smoothing's own name."""
    return "corpus BLEU" if label == CORPUS else list(SMOOTHINGS)[int(label)]


def _called(labels: Sequence[str]) -> str:
    if labels == (CORPUS,):
        return "corpus BLEU"
    if len(labels) > 2:
        return f"smoothings {_listed(labels)}"
    kind = "smoothing" if len(labels) == 1 else "smoothings"
    return f"{kind} {_listed([f'{label} ({name_of(label)})' for label in labels])}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def about_pairs(
    item: str, pairs: PairCounts | None, settings: Mapping[str, Any]
) -> tuple[str, ...]:
    """How many systems and pairs there are, and the values of the smoothings."""
    values = ", ".join(
        f"{symbol} = {settings[name]:g}"
        for symbol, name in (("ε", "epsilon"), ("K", "k"), ("α", "alpha"))
    )
    systems = f"{len(settings['systems'])} systems; {values}."
    if pairs is None:
        return (systems,)
    tied = pairs.human_ties + pairs.both_ties
    return (
        f"{systems} People told {pairs.total - tied:,} pairs of outputs of one {item} apart, of "
        f"which τ is made; {tied:,} that they tied are removed.",
    )


def about_column(
    column: Column,
    item: str,
    values: Mapping[str, Cell],
    records: Mapping[Key, Record],
    adjusted: Mapping[str, float],
    alpha: float,
) -> list[str]:
    """Who agrees best, and whether that is more than chance."""
    heading = column.heading(item)
    defined = smoothings(values)
    best, following = column.best(values), column.next_best(values)
    if not best:
        return []
    if following:
        agree = "agrees" if len(best) == 1 else "agree"
        words = f"{_called(best)} {agree} best, with {defined[best[0]]:.4f}"
        words += f", then {_called(following)}, with {defined[following[0]]:.4f}"
    else:
        words = f"all smoothings agree alike, with {defined[best[0]]:.4f}"
    sentences = [f"By {heading} {words}."]
    tested = _tested(column, values, records, adjusted, alpha)
    if tested:
        sentences.append(f"That of smoothing {best[0]} is {_listed(tested)}.")
    if not column.of_systems and NONE in defined:
        above = sum(value > defined[NONE] + SAME for value in defined.values())
        sentences.append(f"{above} of {len(defined) - 1} smoothings are above none.")
    return [" ".join(sentences)]


def _tested(
    column: Column,
    values: Mapping[str, Cell],
    records: Mapping[Key, Record],
    adjusted: Mapping[str, float],
    alpha: float,
) -> list[str]:
    """What tests say of the best beside the next, none and corpus BLEU."""
    best = column.best(values)[0]
    told = []
    for other in dict.fromkeys((*column.next_best(values)[:1], NONE, CORPUS)):
        record, beside = records.get(("test", column.name, best, other)), values[other].value
        if record is None or record["p"] is None or beside is None:
            continue
        excess = (values[best].value or 0.0) - beside
        if excess < -SAME:
            told.append(f"below {_called((other,))}, which has {beside:.4f}")
            continue
        if abs(excess) <= SAME:
            told.append(f"the same as {_called((other,))}'s")
            continue
        corrected = not column.of_systems and other == NONE
        p = adjusted[best] if corrected else record["p"]
        detail = f"p = {p:.3g}{', corrected' if corrected else ''}"
        low, high = records["interval", column.name][best][3:5]
        if other == NONE and low is not None:
            detail += f"; by {excess:.4f}, {low:.4f} to {high:.4f} over replicates"
        sure = "significantly" if p <= alpha else "not significantly"
        told.append(f"{sure} above {_called((other,))} ({detail})")
    return told


def about_lacking(
    values: Mapping[str, Mapping[str, Cell]], records: Mapping[Key, Record]
) -> list[str]:
    """Why there is no value, or no interval."""
    told = ["The best is picked on these data, which flatters it: its p does not allow for that."]
    lacking: dict[str, list[str]] = {}
    for column in COLUMNS:
        for label, cell in values[column.name].items():
            reason = cell.reason or records["interval", column.name][label][2]
            if reason is not None:
                what = column.symbol if cell.value is None else f"interval of {column.symbol}"
                lacking.setdefault(reason, []).append(f"{what} of {label}")
    for reason, cells in lacking.items():
        shown = f"{cells[0]} to {cells[-1]}" if len(cells) > 3 else _listed(cells)
        told.append(f"No {shown}: {reason}.")
    return told
