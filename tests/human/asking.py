"""Short ways to ask for the human scores of a small test set."""

from __future__ import annotations

from typing import Any

from truebleu.human import HumanScores, PairwiseJudgments, read_human

SYSTEMS = ("a", "b")


def scores(path: str, segments: int = 2, **choices: Any) -> HumanScores:
    """Human scores of the systems a and b."""
    choices.setdefault("systems", SYSTEMS)
    found = read_human(path, segments=segments, **choices)
    assert isinstance(found, HumanScores)
    return found


def judgments(path: str, segments: int = 2, **choices: Any) -> PairwiseJudgments:
    """Pairwise judgments of the systems a, b and c."""
    choices.setdefault("systems", ("a", "b", "c"))
    found = read_human(path, segments=segments, **choices)
    assert isinstance(found, PairwiseJudgments)
    return found


def tsv(header: str, *rows: str) -> str:
    """A table with blanks for tabs."""
    return "".join(line.replace(" ", "\t") + "\n" for line in (header, *rows))
