"""Warnings about scores of other tools: scales, signs, constants, copies and orders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from truebleu.corpus.text_warnings import TextWarning
from truebleu.errors import first_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    #: Scores by system, NaN if they are missing.
    Columns: TypeAlias = Mapping[str, NDArray[np.float64]]
    #: Code, number of scores or systems, and a description.
    Finding: TypeAlias = tuple[str, int, str]

#: Names of human translations in the WMT metrics task, which reference-free metrics score too.
HUMAN_TRANSLATION = re.compile(r"(ref|reference|human)[-_.]?[A-Z0-9]?", re.IGNORECASE)
#: Fewest scores of a column for most warnings, and for those about correlations.
FEWEST, FEWEST_CORRELATED = 10, 100
#: Distance of a value from all others, in ranges of the others, from which it is far outside.
FAR = 5
#: Correlations below the first number of standard errors are not above 0, nor are those below the
#: second if they are small. Systems of WMT23 have at least 0.22 by nine metrics.
STANDARD_ERRORS, MORE_ERRORS, SMALL = 1.645, 3.0, 0.1


def examine_scores(
    label: str, scores: Mapping[str, Sequence[float | None]], *, are_named: bool
) -> tuple[TextWarning, ...]:
    """Examine the scores of systems, item by item; return warnings about them.

    Args:
        label: name of the scores in messages.
        scores: score of each item by system; None if it is missing.
        are_named: True if items were paired by names or numbers, and not by their order.
    """
    columns = {
        name: np.array([np.nan if score is None else score for score in column])
        for name, column in scores.items()
    }
    columns = {
        name: column for name, column in columns.items() if np.isfinite(column).sum() >= FEWEST
    }
    constant = [name for name, column in columns.items() if np.nanmax(column) == np.nanmin(column)]
    varied = {name: column for name, column in columns.items() if name not in constant}
    findings: list[Finding] = []
    if constant:
        first = columns[constant[0]]
        count = int(np.isfinite(first).sum())
        finding = f"all {count:,} scores of {first_names(constant)} are {np.nanmax(first):g}"
        findings.append(("constant-scores", count, f"{finding}; were they computed?"))
    findings += [*_copies(varied), *_far_values(columns), *_scales(varied)]
    findings += list(_signs(varied)) or _order(varied, are_named=are_named)
    return tuple(
        TextWarning(code, label, count, None, f"{label}: {finding}")
        for code, count, finding in findings
    )


def _copies(columns: Columns) -> Iterator[Finding]:
    first_of: dict[bytes, str] = {}
    for name, column in columns.items():
        other = first_of.setdefault(column.tobytes(), name)
        if other != name:
            finding = f"the {len(column):,} scores of {name} equal the scores of {other}"
            yield "same-scores", len(column), f"{finding}; was one file given twice?"


def _far_values(columns: Columns) -> Iterator[Finding]:
    if not columns:
        return
    scores = np.concatenate(list(columns.values()))
    values, counts = np.unique(scores[np.isfinite(scores)], return_counts=True)
    for end, others in ((0, values[1:]), (-1, values[:-1])):
        value, count = float(values[end]), int(counts[end])
        if count < 2 or len(others) < 2:
            continue
        distance = min(abs(value - others[0]), abs(value - others[-1]))
        is_missing = value == -1 and others[0] >= 0
        if is_missing or distance > FAR * (others[-1] - others[0]):
            finding = (
                f"{count:,} scores are {value:g}, all others from {others[0]:g} to "
                f"{others[-1]:g}; if {value:g} marks a missing score, write None instead"
            )
            yield "missing-value", count, finding


def _scales(columns: Columns) -> Iterator[Finding]:
    sizes = {name: float(np.nanmedian(np.abs(column))) for name, column in columns.items()}
    fractions = [
        name
        for name, column in columns.items()
        if np.nanpercentile(np.abs(column), 95) <= 1 and (column % 1 > 0).any() and sizes[name]
    ]
    smallest = min((sizes[name] for name in fractions), default=np.inf)
    large = [name for name, size in sizes.items() if size > 4 and 20 < size / smallest < 500]
    if large:
        finding = (
            f"scores of {first_names(fractions)} are at most 1 (median {smallest:.3g}), of "
            f"{first_names(large)} about {sizes[large[0]]:.3g}: are their scales the same?"
        )
        yield "score-scales", len(large), finding


def _signs(columns: Columns) -> Iterator[Finding]:
    negative = [name for name, column in columns.items() if np.nanmax(column) <= 0]
    positive = [name for name, column in columns.items() if np.nanmin(column) >= 0]
    if negative and positive:
        finding = (
            f"no score of {first_names(negative)} is above 0 and none of {first_names(positive)} "
            "below: has one a turned sign?"
        )
        yield "score-signs", min(len(negative), len(positive)), finding


def _order(columns: Columns, *, are_named: bool) -> list[Finding]:
    """Return a finding about systems whose scores do not correlate with the scores of the others.

    Items that are easy for one system are easy for others, so a correlation that is not above 0
    means another order, or, if items have names, a turned sign. Human translations are left out,
    because the reference of a metric may be one of them.
    """
    systems = {k: column for k, column in columns.items() if not HUMAN_TRANSLATION.fullmatch(k)}
    if len(systems) < 2:
        return []
    matrix = np.array(list(systems.values()))
    known = np.isfinite(matrix).all(axis=0)
    items = int(known.sum())
    matrix = matrix[:, known]
    deviations = matrix - matrix.mean(axis=1, keepdims=True) if items else matrix
    sizes = np.sqrt((deviations**2).sum(axis=1, keepdims=True))
    if items < FEWEST_CORRELATED or not sizes.all():
        return []
    deviations /= sizes
    others = deviations.sum(axis=0) - deviations
    norms = np.sqrt((others**2).sum(axis=1))
    correlations = (deviations * others).sum(axis=1) / np.where(norms > 0, norms, 1.0)
    limit = max(STANDARD_ERRORS / np.sqrt(items), min(MORE_ERRORS / np.sqrt(items), SMALL))
    strange = correlations < (-limit if are_named else limit)
    if not strange.any():
        return []
    names = [name for name, is_strange in zip(systems, strange, strict=True) if is_strange]
    code, reason = "score-signs", "has one a turned sign?"
    if not are_named:
        code, reason = (
            "score-order",
            "without ids they are paired by line: do they have another order?",
        )
    finding = (
        f"scores of {first_names(names)} do not rise with the scores of others "
        f"(correlation {float(correlations[strange].min()):.2f} over {items:,} items); {reason}"
    )
    return [(code, len(names), finding)]
