"""Texts with human judgments of them, for commands that read both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.simulation import save_test_set, simulate

if TYPE_CHECKING:
    from pathlib import Path


def save_judged(folder: Path) -> None:
    """Three systems, scores of their segments with ties, and comparisons of pairs."""
    save_test_set(simulate(segments=40, systems=[0.1, 0.3, 0.6], document_length=4, seed=8), folder)
    lines = ["system\tsegment\tscore"]
    pairs = ["segment,system1,system2,judgment"]
    for segment in range(1, 41):
        scores = [-(segment % 3), -(segment % 4), -(segment % 5)]
        lines += [f"system-{n}\t{segment}\t{score}" for n, score in enumerate(scores, 1)]
        verdict = (
            "better" if scores[0] > scores[1] else "tied" if scores[0] == scores[1] else "worse"
        )
        pairs.append(f"{segment},system-1,system-2,{verdict}")
        pairs.append(f"{segment},system-3,system-2,better")
    (folder / "human.tsv").write_text("\n".join(lines) + "\n")
    (folder / "pairs.csv").write_text("\n".join(pairs) + "\n")
