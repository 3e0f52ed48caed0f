"""Scoring in process: each comparison checked for agreement, then timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.agreement import DisagreementError, require_agreement
from benchmarks.results import Speed
from benchmarks.timing import race

if TYPE_CHECKING:
    from benchmarks.data import Corpus
    from benchmarks.peers import Comparison, Contest


def compare(comparison: Comparison, corpus: Corpus) -> Speed:
    """Compare one peer's time with truebleu's."""
    peer = comparison.peer
    corpus = corpus.every(comparison.step).with_words(comparison.least_words)
    what = f"{comparison.work}, {corpus.size}"
    if peer is None:
        return Speed(
            name=comparison.name, what=what, peer=comparison.package, problem="not installed"
        )
    contest = comparison.prepare(corpus)
    try:
        _warm_up(contest, peer)
    except DisagreementError as error:
        return Speed(name=comparison.name, what=what, peer=peer, problem=f"scores differ ({error})")
    times = race({"ours": contest.ours, "peer": contest.peer, **contest.other_ways})
    notes = [comparison.note] if comparison.note else []
    notes += [
        f"{way}: {times[way]:.3g} s, ratio {times[way] / times['ours']:.3g}"
        for way in contest.other_ways
    ]
    return Speed.raced(
        times,
        name=comparison.name,
        what=what,
        peer=peer,
        bar=comparison.bar,
        note="; ".join(notes),
    )


def _warm_up(contest: Contest, peer: str) -> None:
    """Run every contestant once, to load lazy imports, and compare the scores."""
    ours = contest.ours()
    for run in (contest.peer, *contest.other_ways.values()):
        require_agreement(ours, run(), peer)
