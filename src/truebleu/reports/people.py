"""What a difference means for people, in sentences, with the limits of what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.significance.people import KOCMI

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from truebleu.significance.people import PeopleAgreement

#: A difference by some metric, with what people say to such ones.
Judged = tuple[float, "PeopleAgreement | None"]

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


def people_sentences(judged: Sequence[Judged], metric: str, digits: int) -> Iterator[str]:
    """The same of several differences, summed up where they are many, and the limits."""
    known = [(difference, people) for difference, people in judged if people is not None]
    if not known:
        return
    if len(known) == 1:
        yield people_sentence(*known[0], metric, digits)
    else:
        coins = sum(not people.better_than_coin for _, people in known)
        often = sum(people.with_sampling >= USUAL for _, people in known)
        coin = known[0][1].coin
        yield (
            f"For people, {coins} of {len(known)} differences are no better than a coin (up to "
            f"{coin:.{digits}f} {metric}); in {often} of them they agree in at least {USUAL} % of "
            "such pairs of systems."
        )
    yield people_limits(people for _, people in known)


def people_limits(known: Iterable[PeopleAgreement]) -> str:
    """What the curves are, and what they do not say."""
    listed = list(known)
    first = listed[0]
    if first.source == KOCMI:
        return (
            f"Agreement with people: curves of Kocmi et al. (2024) over {first.pairs:,} pairs of "
            "systems up to 2023; a share of pairs, not the chance for this pair; lower between "
            "unrelated systems."
        )
    beyond = ", all of which differ by less" if any(one.beyond for one in listed) else ""
    return (
        f"Agreement with people: the curve of {first.source}, fitted to {first.pairs:,} pairs of "
        f"systems{beyond}; a share of pairs like those, not the chance for this pair."
    )
