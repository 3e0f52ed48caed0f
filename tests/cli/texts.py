"""Texts for commands, with documents, and with human judgments of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.simulation import Channel, save_test_set, simulate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# What studies of these texts are given.
TWO_SYSTEMS = ("system-1.txt", "system-2.txt", "-r", "reference-1.txt")


def save_texts(folder: Path) -> None:
    """Two systems of 80 segments with three references and their documents."""
    texts = simulate(segments=80, systems=[0.15, 0.3], references=3, document_length=4, seed=8)
    save_test_set(texts, folder)


def save_channels(folder: Path, segments: int, rates: Mapping[str, float]) -> Path:
    """So many segments, and systems with these rates of errors."""
    channels = {name: Channel.at_rate(rate) for name, rate in rates.items()}
    save_test_set(simulate(segments=segments, systems=channels, seed=3), folder)
    return folder


def save_three_systems(folder: Path) -> None:
    """Three systems of 40 segments in documents of 3."""
    save_test_set(simulate(segments=40, systems=[0.1, 0.2, 0.3], document_length=3), folder)


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
