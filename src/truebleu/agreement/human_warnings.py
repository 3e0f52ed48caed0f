"""Warnings about human scores, alone and against the metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truebleu.agreement.data import as_lists
from truebleu.corpus.text_warnings import TextWarning
from truebleu.scores.score_warnings import FEWEST_CORRELATED, examine_scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.agreement.data import AgreementData
    from truebleu.resampling import Values

#: Moves of human scores by segments that files are tried with, to see if they fit better.
MOVES = (-3, -2, -1, 1, 2, 3)
#: Standard errors: correlations below the first are about 0; gains above the second are real. Of
#: 5 sets of human scores by BLEU, chrF and TER, none is below 2.3; out of order none is above 1.6.
ABOUT_ZERO, GAIN = 1.9, 3.0
#: Correlation that good metrics have within systems, and standard errors below it of scores that
#: are out of order: few items do not tell.
USUAL, BELOW = 0.2, 1.645
#: Correlation of systems from which human scores fit the systems.
FITTING = 0.3


def human_warnings(label: str, data: AgreementData) -> tuple[TextWarning, ...]:
    """Examine human scores of systems, and the order of the human scores of segments."""
    if data.human is None:
        return ()
    scores = dict(zip(data.people.systems, as_lists(data.human), strict=True))
    examined = examine_scores(label, scores, are_named=True)
    return (*examined, *(_of_order(label, data) if data.by_segment else ()))


def _of_order(label: str, data: AgreementData) -> Iterator[TextWarning]:
    """Yield a warning if human scores agree with a metric about systems but not about segments.

    The metric is the one that agrees best if the human scores are moved, reversed or left as they
    are.
    """
    human = data.human
    assert human is not None  # noqa: S101  # the caller has checked
    items = int((~np.isnan(human)).any(axis=0).sum())
    if items < FEWEST_CORRELATED:
        return
    orders = {"": human, "reversed": human[:, ::-1]}
    orders |= {f"moved by {by:+d}": np.roll(human, by, axis=1) for by in MOVES}
    best = ("", 0.0, "", 0.0)
    for name, scores in data.items.items():
        metric = np.where(np.isnan(human), np.nan, scores)
        fits = {order: _correlation(reordered, metric) for order, reordered in orders.items()}
        order = max(fits, key=lambda order: fits[order])
        systems = _correlation(data.people.means[np.newaxis], data.systems[name][np.newaxis])
        if systems > FITTING and fits[order] > best[3]:
            best = (name, fits[""], order, fits[order])
    name, fit, order, better = best
    root = np.sqrt(items)
    gain = (better - fit) * root
    is_zero = fit * root < ABOUT_ZERO and (USUAL - fit) * root > BELOW
    if name and (is_zero or gain > GAIN):
        message = (
            f"{label}: human scores fit the systems, but hardly their segments (rank correlation "
            f"{fit:.2f} with {name} over {items:,} segments)"
        )
        message += f"; {order} they fit better ({better:.2f})" if gain > GAIN else ""
        yield TextWarning("human-order", label, items, None, message + ": is their order right?")


def _correlation(human: Values, metric: Values) -> float:
    """Correlate ranks of scores shaped (system, item) within systems; 0 if they do not vary."""
    known = ~np.isnan(human) & ~np.isnan(metric)
    middle = (known.sum(axis=1, keepdims=True) + 1) / 2
    first, second = (
        np.where(known, np.apply_along_axis(_ranks, 1, values) - middle, 0.0)
        # Unknown scores come last, so that they change no rank.
        for values in (np.where(known, human, np.inf), np.where(known, metric, np.inf))
    )
    size = np.sqrt((first**2).sum() * (second**2).sum())
    return float((first * second).sum() / size) if size else 0.0


def _ranks(values: Values) -> Values:
    """Rank values from 1; ties share the mean of their ranks. Importing SciPy's takes longer."""
    _, indices, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[indices])
