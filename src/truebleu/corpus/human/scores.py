"""What people said about translations: scores of systems, or which of two outputs is better."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What one score is about.
Level: TypeAlias = Literal["segment", "document", "domain", "system"]
#: -1, 0 or +1: the left output is worse than the right one, as good, or better.
Verdict: TypeAlias = Literal[-1, 0, 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanScores:
    """Human scores of some systems of a test set; higher is better.

    Attributes:
        label: What messages call them: the file.
        level: What one score is about.
        scores: For each judged system, in the order of the test set, one score per item: per
            segment of the test set, per document or domain, or a single one at system level. None
            where nobody judged. A system that nobody judged at all is left out.
        items: What the documents or domains are called; None at the other levels.
        raters: How many people judged; 1 where nothing tells them apart.
        signature: How the numbers were made: format, weights, averaging, matching of segments, and
            the start of the SHA-256 of the file.
        ignored: Systems of the file that are not in the test set, where they are allowed.
        notes: What a reader of the numbers should know, in sentences.
    """

    higher_is_better: ClassVar[bool] = True

    label: str
    level: Level
    scores: Mapping[str, tuple[float | None, ...]]
    items: tuple[str, ...] | None = None
    raters: int = 1
    signature: str
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that were judged."""
        return tuple(self.scores)

    def means(self) -> dict[str, float]:
        """Each system's mean over what was judged of it: the human score of the system."""
        given = {
            system: [score for score in scores if score is not None]
            for system, scores in self.scores.items()
        }
        return {system: fsum(scores) / len(scores) for system, scores in given.items()}


class Judgment(NamedTuple):
    """One comparison of two outputs of a segment.

    Attributes:
        segment: The segment of the test set, from 0.
        left: A system.
        right: Another system.
        verdict: -1, 0 or +1: left is worse, as good, or better.
        rater: Who judged; None where nobody says.
    """

    segment: int
    left: str
    right: str
    verdict: Verdict
    rater: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseJudgments:
    """Which of two outputs people preferred, segment by segment.

    Attributes:
        label: What messages call them: the file.
        systems: The systems that were judged, in the order of the test set.
        judgments: All judgments, in the order of the file.
        raters: How many people judged; 1 where nothing tells them apart.
        signature: How the judgments were read, and the start of the SHA-256 of the file.
        ignored: Systems of the file that are not in the test set, where they are allowed.
        notes: What a reader of the numbers should know, in sentences.
    """

    label: str
    systems: tuple[str, ...]
    judgments: tuple[Judgment, ...]
    raters: int = 1
    signature: str
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
