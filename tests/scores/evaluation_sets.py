"""A small evaluation set in the layout of mt-metrics-eval."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SYSTEMS = ("A", "B", "C", "refB")
SEGMENTS = 4
#: Human scores of the segments; the last segment is not judged.
HUMAN = {"A": (0, -1, -1), "B": (-1, -2, -5), "C": (-5, -5, -6), "refB": (0, 0, -1)}
SCORES = {"A": (9, 8, 7, 9), "B": (8, 5, 6, 1), "C": (2, 3, 1, 5), "refB": (9, 9, 9, 1)}


def lines(scores: Mapping[str, Sequence[object]]) -> str:
    return "".join(f"{name}\t{score}\n" for name, row in scores.items() for score in row)


def write_set(folder: Path, name: str = "wmt24", lp: str = "en-de") -> Path:
    """Write the set: refA and refB, A to C, metrics with either reference and without one."""
    base = folder / name
    text = "".join(f"a text of line {number}\n" for number in range(SEGMENTS))

    def write(path: str, content: str) -> None:
        file = base / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)

    for system in (*SYSTEMS, "refA"):
        write(f"system-outputs/{lp}/{system}.txt", text.replace("text", f"text by {system}"))
    for reference in ("refA", "refB"):
        write(f"references/{lp}.{reference}.txt", text.replace("text", f"text by {reference}"))
    write(f"sources/{lp}.txt", text)
    write(f"documents/{lp}.docs", "news\td1\nnews\td1\nnews d2\nspeech\td3\n")
    human = {name: (*scores, "None") for name, scores in HUMAN.items()}
    means = {name: (sum(scores) / 3,) for name, scores in HUMAN.items()}
    for gold in ("mqm", "esa"):
        write(f"human-scores/{lp}.{gold}.seg.score", lines(human))
        write(f"human-scores/{lp}.{gold}.sys.score", lines(means))
    metrics = f"metric-scores/{lp}"
    of_reference = {name: row for name, row in SCORES.items() if name != "refB"}
    corpus = {"A": (70.0,), "B": (71.0,), "C": (20.0,)}
    write(f"{metrics}/BLEU-refB.seg.score", lines(of_reference))
    write(f"{metrics}/BLEU-refB.sys.score", lines(corpus))
    write(f"{metrics}/BLEU-refA.seg.score", lines(SCORES))
    write(f"{metrics}/Model-2-src.seg.score", lines(SCORES))
    return base
