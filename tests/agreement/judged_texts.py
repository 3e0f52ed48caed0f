"""A simulated test set with human scores of it, made so that worse systems have lower ones."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from truebleu.human import HumanScores, Judgment, PairwiseJudgments
from truebleu.schema import Streams
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus import TestSet
    from truebleu.human.judgments import Level

RATES = {"good": 0.05, "fair": 0.15, "poor": 0.3, "bad": 0.45, "twin": 0.15}
SEGMENTS = 40


@cache
def texts() -> TestSet:
    """Five systems, 40 segments in 4 documents."""
    channels = {name: Channel.at_rate(rate) for name, rate in RATES.items()}
    return simulate(segments=SEGMENTS, systems=channels, seed=11)


@cache
def noise(count: int, key: int) -> tuple[float, ...]:
    """Numbers from 0 to 1 that are the same in every run."""
    draw = Streams(17, "tests").at(key)
    return tuple(draw() for _ in range(count))


def human_scores(*, whole: bool = True, decimals: int = 0) -> HumanScores:
    """Scores of segments from about 0 to 100; about half of them missing unless `whole`."""
    scores = {}
    for number, (name, rate) in enumerate(RATES.items()):
        drawn, kept = noise(SEGMENTS, number), noise(SEGMENTS, 100 + number)
        row = [round(100 * (1 - rate) - 40 * u, decimals) for u in drawn]
        scores[name] = tuple(
            score if whole or keep < 0.5 else None for score, keep in zip(row, kept, strict=True)
        )
    return people(scores)


def people(
    scores: Mapping[str, Sequence[float | None]],
    level: Level = "segment",
    items: tuple[str, ...] | None = None,
) -> HumanScores:
    """Human scores without a file."""
    rows = {name: tuple(row) for name, row in scores.items()}
    return HumanScores(
        label="people", level=level, scores=rows, items=items, signature="human|format:scores"
    )


def comparisons(count: int = 120) -> PairwiseJudgments:
    """Which of two outputs people prefer, ties among them."""
    names = list(RATES)
    judgments = []
    for number in range(count):
        where, one, other, luck = noise(4, 1000 + number)
        left = names[int(one * len(names))]
        right = names[(names.index(left) + 1 + int(other * (len(names) - 1))) % len(names)]
        lead = RATES[right] - RATES[left] + 0.3 * (luck - 0.5)
        verdict = 0 if abs(lead) < 0.05 else 1 if lead > 0 else -1
        judgments.append(Judgment(int(where * SEGMENTS), left, right, verdict))  # type: ignore[arg-type]
    return PairwiseJudgments(
        label="people",
        systems=tuple(names),
        judgments=tuple(judgments),
        signature="human|format:rankings",
    )


def reordered(test_set: TestSet, names: Sequence[str]) -> TestSet:
    """The same systems in another order."""
    return replace(test_set, systems={name: test_set.systems[name] for name in names})
