"""Sentences that reports share: what was resampled, p-values, what a difference means to people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from truebleu.agreement.agree import HumanSummary
    from truebleu.corpus.test_set import TestSetOutline
    from truebleu.significance.people import PeopleAgreement
    from truebleu.significance.settings import IntervalSettings, ResamplingSettings

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


def bracketed(interval: tuple[float, float], digits: int, *, sign: Literal["", "+"] = "") -> str:
    """An interval in brackets; what is rounded to 0 has no minus sign.

    Examples:
        >>> bracketed((-0.00001, 0.5), 2)
        '[0.00, 0.50]'
        >>> bracketed((-1.25, 0.5), 1, sign="+")
        '[-1.2, +0.5]'
    """
    low, high = (f"{round(bound, digits) + 0.0:{sign}.{digits}f}" for bound in interval)
    return f"[{low}, {high}]"


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


def resampled(settings: ResamplingSettings, units: int) -> str:
    """What was resampled, for a line that names every choice: "170 documents within domains"."""
    block = "" if settings.block_length is None else f" of {settings.block_length} segments"
    domains = " within domains" if settings.by_domain else ""
    return f"{units:,} {settings.unit}s{block}{domains}"


def bootstrap_replicates(settings: IntervalSettings) -> str:
    """How many replicates there were: "1,000 bootstrap replicates"."""
    return f"{settings.replicates:,} bootstrap replicates"


def widened_sentence(widened: Sequence[str], settings: IntervalSettings) -> list[str]:
    """Which intervals are wider than the chosen method makes them, since it does not hold."""
    if not widened:
        return []
    return [
        f"Intervals of {', '.join(widened)} hold those of percentiles, too: the score bends within "
        "its error there, as at the brevity penalty's corner, and the "
        f"{settings.interval} method does not hold."
    ]


def unit_sentences(
    test_set: TestSetOutline,
    settings: ResamplingSettings,
    units: int,
    design_effects: Mapping[str, Sequence[float | None]] | None = None,
    *,
    tested: bool = True,
) -> list[str]:
    """What the choice of the unit means; nothing where there is nothing to know.

    Args:
        test_set: what is known of documents.
        settings: the unit.
        units: how many there are.
        design_effects: by metric, of the comparisons or scores.
        tested: whether there are tests, and not intervals alone.
    """
    effects = _effects(design_effects or {})
    if settings.unit == "segment":
        if test_set.documents is None:
            if test_set.segments < 2:
                return []
            return [
                "No documents given: segments are taken as independent; give --documents if they "
                "come from documents."
            ]
        if test_set.documents < 2:
            return ["All segments are of one document, and are taken as independent."]
        larger = f": by documents the variance is {effects} times as large" if effects else ""
        return [
            f"Segments are taken as independent, though {test_set.documents} documents are known"
            f"{larger}. Without --unit segment documents are the unit."
        ]
    effect = f" (design effect {effects})" if effects else ""
    sentences = [f"Resampled by {settings.unit}, {units:,} {settings.unit}s{effect}."]
    if settings.unit == "document" and units < ENOUGH_DOCUMENTS:
        sentences.append(
            f"Fewer than {ENOUGH_DOCUMENTS} documents: "
            + (
                "randomization holds its level, but intervals can be too narrow and tests by the "
                "bootstrap reject too often."
                if tested
                else "intervals can be too narrow."
            )
        )
    return sentences


def _effects(design_effects: Mapping[str, Sequence[float | None]]) -> str:
    """The middle one of each metric: "1.8", or "1.8 by BLEU and 1.5 by TER"."""
    known = {
        label: (effects[(len(effects) - 1) // 2] + effects[len(effects) // 2]) / 2
        for label, all_effects in design_effects.items()
        if (effects := sorted(effect for effect in all_effects if effect is not None))
    }
    if len(known) == 1:
        return f"{next(iter(known.values())):.2f}"
    each = [f"{effect:.2f} by {label}" for label, effect in known.items()]
    return listed(each) if each else ""


# How often people agree, with the limits of what is known.


USUAL = 80


def people_sentence(difference: float, people: PeopleAgreement, metric: str, digits: int) -> str:
    """How often people agree with a difference of this size."""
    size = f"{abs(difference):.{digits}f} {metric}"
    if not people.better_than_coin:
        return (
            f"For people, {size} is no better than a coin: it takes more than "
            f"{people.coin:.{digits}f} for them to agree in over half of such pairs of systems."
        )
    return (
        f"People agree in {people.accuracy:.0f} % of pairs of systems that differ by {size}, or "
        f"in {people.with_sampling:.0f} % with the uncertainty of this difference."
    )


def people_sentences(
    differences: Sequence[tuple[float, PeopleAgreement | None]], metric: str, digits: int
) -> Iterator[str]:
    """The same of several differences, summed up where they are many, and the limits."""
    known = [(difference, people) for difference, people in differences if people is not None]
    if not known:
        return
    if len(known) == 1:
        yield people_sentence(*known[0], metric, digits)
    else:
        coins = sum(not people.better_than_coin for _, people in known)
        often = sum(people.with_sampling >= USUAL for _, people in known)
        coin = known[0][1].coin
        small = (
            f"; {coins} so small (up to {coin:.{digits}f} {metric}) "
            "that people agree no more often than by chance"
        )
        yield (
            f"{often} of {len(known)} differences are so large that people agree in at least "
            f"{USUAL} % of such pairs of systems{small if coins else ''}."
        )
    yield people_limits(people for _, people in known)


def people_limits(known: Iterable[PeopleAgreement]) -> str:
    """What the curves are, and what they do not say."""
    listed = list(known)
    first = listed[0]
    from truebleu.significance.people import KOCMI

    if first.source == KOCMI:
        return (
            f"Agreement with people: curves of Kocmi et al. (2024) over {first.pairs:,} pairs of "
            "systems up to 2023; a share of pairs, not the chance for this pair; lower between "
            "unrelated systems."
        )
    beyond = ", all of which differ by less" if any(limit.beyond for limit in listed) else ""
    return (
        f"Agreement with people: the curve of {first.source}, fitted to {first.pairs:,} pairs of "
        f"systems{beyond}; a share of pairs like those, not the chance for this pair."
    )


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
