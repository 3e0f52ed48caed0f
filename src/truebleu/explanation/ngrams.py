"""N-grams and typography: which words a difference comes from.

A column of matches is a sum over n-grams, so the contribution of the column is the sum of the
contributions of n-grams. Typography is measured otherwise, and for every native metric: quotes,
dashes, case or spacing of all texts are made alike, and the difference is computed again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet, TextLike
    from truebleu.explanation.contributions import Contributions
    from truebleu.metrics.base import Metric
    from truebleu.resampling import Units, Values

# N-grams that are tested: those that vary most, whichever system they favour.
TESTED = 200
# An n-gram of fewer units can hardly be significant.
FEWEST_UNITS = 6

QUOTES = "\"'`´‘’‚‛“”„‟«»‹›「」『』＂＇"
DASHES = "-‐‑‒–—―−"


@dataclass(frozen=True, slots=True, eq=False)
class NgramEffects:
    """Contributions of n-grams to a difference.

    Attributes:
        ngrams: the tokens of each, with single spaces between them.
        contributions: of each, in the metric's points.
        segments: in how many segments the systems match it differently often.
        documents: in how many documents; None where these are unknown.
        examples: for each the numbers of the segments with the largest effect, counted from 0.
        tested: the numbers of the n-grams that are tested.
        by_unit: their contributions, shaped (unit, tested n-gram).
    """

    ngrams: Sequence[str]
    contributions: Values
    segments: NDArray[np.int64]
    documents: NDArray[np.int64] | None
    examples: Callable[[int], tuple[int, ...]]
    tested: NDArray[np.int64]
    by_unit: Values


def ngram_effects(
    metric: Metric,
    test_set: TestSet,
    pair: tuple[str, str],
    found: Contributions,
    units: Units,
    documents: Units | None,
) -> NgramEffects | None:
    """What each n-gram contributes; None where the metric does not match n-grams.

    Args:
        metric: whose scores differ.
        test_set: the texts.
        pair: the names of the two systems.
        found: the contributions to the difference.
        units: what the test swaps as a whole.
        documents: the documents, where they are known.
    """
    matches = metric.ngram_matches(test_set, *pair)
    if matches is None or not len(matches.ngram):
        return None
    count = len(matches.ngrams)
    effects = found.gradient[matches.columns][matches.ngram] * matches.difference

    def places(of_segment: NDArray[np.int64], number: int) -> tuple[Values, NDArray[np.int64]]:
        """The effects by n-gram and unit, and the n-gram of each."""
        keys, which = np.unique(
            matches.ngram * number + of_segment[matches.segment], return_inverse=True
        )
        return _added_up(which, effects, len(keys)), keys

    by_place, keys = places(units.of_segment, len(units))
    ngram, unit = keys // len(units), keys % len(units)
    # Chosen by what swaps leave as it is, so that the choice favours neither system.
    spread = _added_up(ngram, by_place**2, count)
    spread[np.bincount(ngram, minlength=count) < FEWEST_UNITS] = 0.0
    tested = np.sort(np.argsort(-spread, kind="stable")[:TESTED])
    tested = tested[spread[tested] > 0]
    column = np.full(count, -1)
    column[tested] = np.arange(len(tested))
    chosen = column[ngram] >= 0
    by_unit = np.zeros((len(units), len(tested)))
    by_unit[unit[chosen], column[ngram[chosen]]] = by_place[chosen]

    def examples(number: int) -> tuple[int, ...]:
        here = np.flatnonzero(matches.ngram == number)
        first = here[np.argsort(-np.abs(effects[here]), kind="stable")]
        return tuple(matches.segment[first][:5].tolist())

    in_documents = None
    if documents is not None:
        _, keys = places(documents.of_segment, len(documents))
        in_documents = np.bincount(keys // len(documents), minlength=count)
    return NgramEffects(
        ngrams=matches.ngrams,
        contributions=_added_up(matches.ngram, effects, count),
        segments=np.bincount(matches.ngram, minlength=count),
        documents=in_documents,
        examples=examples,
        tested=tested,
        by_unit=by_unit,
    )


def _added_up(places: NDArray[np.int64], values: Values, count: int) -> Values:
    return np.asarray(np.bincount(places, weights=values, minlength=count), dtype=np.float64)


def typography_of(ngram: str) -> str | None:
    """The kind of typography that an n-gram has: quotes or dashes."""
    if any(character in QUOTES for character in ngram.replace("'s", "")):
        return "quotes"
    return "dashes" if any(token in DASHES for token in ngram.split()) else None


# What makes texts alike in one respect; each is applied to outputs and references.
_QUOTE = re.compile(f"[{re.escape(QUOTES)}]+")
_DASH = re.compile(f"[{re.escape(DASHES)}]+")
_SPACE = re.compile(r"[\s\u200b\u2060\ufeff]+")
TYPOGRAPHY: Mapping[str, Callable[[str], str]] = {
    "quotes": lambda text: _QUOTE.sub('"', text),
    "dashes": lambda text: _DASH.sub("-", text),
    "case": str.casefold,
    "spacing": lambda text: _SPACE.sub(" ", text).strip(),
}


def alike(test_set: TestSet, pair: Sequence[str], kind: str) -> TestSet | None:
    """Two systems and the references, made alike in one respect; None where that changes none."""
    change = TYPOGRAPHY[kind]
    changed = False

    def text(segments: TextLike) -> list[str | None]:
        nonlocal changed
        before = list(segments)
        after = [None if segment is None else change(segment) for segment in before]
        changed = changed or after != before
        return after

    systems = {name: text(test_set.systems[name]) for name in pair}
    references = tuple(text(reference) for reference in test_set.references)
    if not changed:
        return None
    return replace(test_set, systems=systems, references=references, warnings=())
