"""Inspect: logs of inspect_ai in JSON, with a score for each sample and epoch.

The epochs of a sample are answers to one item, and its metadata are known about it. Letters count
as Inspect counts them: C is 1, P is one half, I and N are 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.human.tools._items import Evaluation, Item
from truebleu.human.tools._scores import system_of

if TYPE_CHECKING:
    from truebleu.human.tools._scores import ToolFile

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def knows(file: ToolFile) -> bool:
    """Whether it is a log with samples."""
    log = file.json
    return isinstance(log, dict) and {"eval", "samples"} <= log.keys()


def read(file: ToolFile) -> list[Evaluation]:
    """The samples in the order of the log, the epochs of each in their order."""
    log = file.json
    samples = log["samples"]
    if not isinstance(samples, list):
        file.refuse(None, "no list of samples", "a log with its samples")
    items: dict[str, dict[int, Item]] = {}
    for number, sample in enumerate(samples, 1):
        if not isinstance(sample, dict) or "id" not in sample:
            file.refuse(None, f"sample {number} without an id", "one for each sample")
        key, epoch = str(sample["id"]), sample.get("epoch", 1)
        if isinstance(epoch, bool) or not isinstance(epoch, int):
            file.refuse(None, f"sample {number}: epoch {epoch!r}", "a whole number")
        if epoch in items.setdefault(key, {}):
            file.refuse(None, f"sample {key}, epoch {epoch} again", "each once")
        metadata = sample.get("metadata")
        items[key][epoch] = Item(
            key,
            _scores(sample.get("scores")),
            checksum=str(sample.get("target", "")),
            answer=str(epoch),
            fields=metadata if isinstance(metadata, dict) else {},
        )
    ordered = (items[key][epoch] for key in items for epoch in sorted(items[key]))
    return [Evaluation(file, _model(file, log), tuple(ordered), higher_is_better=True)]


def _scores(scores: Any) -> dict[str, object] | None:
    """The scores by scorer; a sample that failed has none."""
    if not scores or not isinstance(scores, dict):
        return None
    values = {
        name: score.get("value") if isinstance(score, dict) else score
        for name, score in scores.items()
    }
    return {
        name: LETTERS.get(value, value) if isinstance(value, str) else value
        for name, value in values.items()
    }


def _model(file: ToolFile, log: dict[str, Any]) -> str:
    told = log["eval"].get("model") if isinstance(log["eval"], dict) else None
    return told if isinstance(told, str) else system_of(file.path)
