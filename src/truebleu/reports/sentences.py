"""Sentences that reports share: what was resampled, p-values, what a difference means to people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from truebleu.agreement.data import HumanSummary
    from truebleu.corpus.test_set import TestSetOutline
    from truebleu.metrics.base import Signature
    from truebleu.significance.people import PeopleAgreement
    from truebleu.significance.settings import ResamplingSettings

# Fewer documents than this leave intervals too narrow: docs/evidence/defaults.md.
ENOUGH_DOCUMENTS = 100
# Fewer than this, and a gate passes systems that are worse by its margin too often.
ENOUGH_DOCUMENTS_FOR_A_MARGIN = 200
# And where the variance is known as from fewer units than this, though there are more.
ENOUGH_EFFECTIVE_UNITS = 80
# Swaps that vary less, as a share of the variance of samples, reject equal scores too often.
SWAP_RATIO = 0.95
# A unit that carries more of the variance decides it: no interval holds there.
LARGEST_SHARE = 0.2


def p_equals(name: str, p: float) -> str:
    """A p-value in a sentence; it is never 0.

    >>> p_equals("p", 0.01234), p_equals("p", 0.0000012)
    ('p = 0.0123', 'p < 0.0001')
    """
    return f"{name} {p_cell(p)}" if p < SMALLEST_SHOWN else f"{name} = {p_cell(p)}"


def p_cell(p: float) -> str:
    """A p-value in a table.

    >>> p_cell(0.00005)
    '< 0.0001'
    """
    return f"< {SMALLEST_SHOWN:.4f}" if p < SMALLEST_SHOWN else f"{p:.4f}"


SMALLEST_SHOWN = 0.0001


def bracketed(
    interval: tuple[float | None, float | None], digits: int, *, sign: Literal["", "+"] = ""
) -> str:
    """An interval in brackets; what is rounded to 0 has no minus sign, and None has no bound.

    Examples:
        >>> bracketed((-0.00001, 0.5), 2)
        '[0.00, 0.50]'
        >>> bracketed((-1.25, 0.5), 1, sign="+")
        '[-1.2, +0.5]'
        >>> bracketed((0.004, 0.5), 2), bracketed((None, 0.5), 2)
        ('[0.004, 0.500]', '(−∞, 0.50]')
    """
    # A bound beside 0 decides: it must not look like 0.
    near = [bound for bound in interval if bound and not round(bound, digits)]
    if near and all(round(bound, digits + 2) for bound in near):
        digits += 1 if all(round(bound, digits + 1) for bound in near) else 2
    low, high = (
        None if bound is None else f"{round(bound, digits) + 0.0:{sign}.{digits}f}"
        for bound in interval
    )
    return f"{'(−∞' if low is None else f'[{low}'}, {'∞)' if high is None else f'{high}]'}"


def relation(difference: float, higher_is_better: bool | None) -> str:
    """How a system with so much more than another stands to it."""
    if higher_is_better is None:
        return "is above" if difference > 0 else "is below"
    return "is better than" if (difference > 0) == higher_is_better else "is worse than"


def rank_range(ranks: tuple[int, int]) -> str:
    """The ranks that a system may have.

    >>> rank_range((1, 1)), rank_range((2, 4))
    ('1', '2–4')
    """
    low, high = ranks
    return str(low) if low == high else f"{low}–{high}"


def percent(share: float, digits: int = 1) -> str:
    """A share in percent.

    >>> percent(0.123)
    '12.3 %'
    """
    return f"{100 * share:.{digits}f} %"


def listed(parts: Sequence[str], most: int | None = None) -> str:
    """Some words with commas and "and", the first ones where there are more than `most`.

    >>> listed(["1 %", "5 %", "10 %"]), listed(["a", "b", "c"], 2)
    ('1 %, 5 % and 10 %', 'a, b and 1 more')
    """
    if most is not None and len(parts) > most:
        return f"{', '.join(parts[:most])} and {len(parts) - most} more"
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def resampled(
    settings: ResamplingSettings, units: int, test_set: TestSetOutline | None = None
) -> str:
    """What was resampled, for a line that names every choice: "170 documents within domains".

    Args:
        settings: the unit.
        units: how many there are.
        test_set: says whether segments are the unit because no documents are known.
    """
    # Without texts, segments are items.
    has_items = test_set is not None and test_set.reference_names == ("none",)
    word = "item" if has_items and settings.unit == "segment" else settings.unit
    block = "" if settings.block_length is None else f" of {settings.block_length} segments"
    domains = " within domains" if settings.by_domain else ""
    unknown = ""
    if test_set is not None and settings.unit == "segment" and units > 1:
        unknown = " (no documents given)" if test_set.documents is None else ""
        if test_set.documents is not None and test_set.documents > 1:
            unknown = f" (taken as independent, though of {test_set.documents} documents)"
    return f"{units:,} {word}s{block}{domains}{unknown}"


def about_answers(signatures: Iterable[Signature]) -> list[str]:
    """What a verdict is about, where several answers to an item were averaged."""
    counts = [int(count) for s in signatures for key, count in s.fields if key == "answers"]
    about = f"This is about these answers, up to {max(counts, default=0)} to an item"
    return [f"{about}, not about further ones."] if counts else []


def few_documents(settings: ResamplingSettings, units: int) -> list[str]:
    """A caution where documents are too few for intervals of scores to hold."""
    if settings.unit != "document" or units >= ENOUGH_DOCUMENTS:
        return []
    return [f"Fewer than {ENOUGH_DOCUMENTS} documents: intervals can be too narrow."]


# How often people agree, with the limits of what is known.


def people_sentence(difference: float, people: PeopleAgreement, metric: str, digits: int) -> str:
    """How often people agree with a difference of this size."""
    size = f"{abs(difference):.{digits}f} {metric}"
    if not people.better_than_coin:
        return (
            f"A gap of {size} is too small for human raters to agree on: below "
            f"{people.coin:.{digits}f}, they prefer either system equally often."
        )
    return (
        f"For gaps of {size}, human raters prefer the same system about {people.accuracy:.0f} % of "
        "the time."
    )


def people_source(people: PeopleAgreement) -> str:
    """Where that is known from."""
    from truebleu.significance.people import KOCMI

    if people.source == KOCMI:
        return f"human raters: Kocmi et al. (2024), {people.pairs:,} pairs of systems"
    beyond = ", all of which differ by less" if people.beyond else ""
    return f"human raters: {people.source}, {people.pairs:,} pairs of systems{beyond}"


# What people judged.


# Names that a sentence lists at most.
MOST_NAMES = 5


def about_inputs(human: HumanSummary, directions: Mapping[str, bool | None]) -> Iterator[str]:
    """What a reader should know about the human scores and the metrics."""
    for note in human.notes:
        yield note if note.endswith(".") else f"{note}."
    if human.unjudged:
        yield f"Nobody judged {listed(human.unjudged, MOST_NAMES)}: left out."
    only_ties = [name for name, score in human.scores.items() if score is None]
    if only_ties:
        yield f"Only ties in the judgments of {listed(only_ties, MOST_NAMES)}: no share of wins."
    for metric, higher_is_better in directions.items():
        if higher_is_better is False:
            yield f"{metric}: lower is better, so its scores are negated."
        elif higher_is_better is None:
            yield f"{metric} has no direction: it is judged as if higher were better."
