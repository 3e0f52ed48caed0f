"""Short ways to ask for the human scores of a small test set."""

from __future__ import annotations

from typing import Any

from truebleu.human import HumanScores, PairwiseJudgments, read_human

SYSTEMS = ("a", "b")


def scores(path: str, segments: int = 2, **choices: Any) -> HumanScores:
    """Human scores of the systems a and b."""
    choices.setdefault("systems", SYSTEMS)
    human = read_human(path, segments=segments, **choices)
    assert isinstance(human, HumanScores)
    return human


def judgments(path: str, segments: int = 2, **choices: Any) -> PairwiseJudgments:
    """Pairwise judgments of the systems a, b and c."""
    choices.setdefault("systems", ("a", "b", "c"))
    human = read_human(path, segments=segments, **choices)
    assert isinstance(human, PairwiseJudgments)
    return human


def tsv(header: str, *rows: str) -> str:
    """A table with blanks for tabs."""
    return "".join(line.replace(" ", "\t") + "\n" for line in (header, *rows))
