"""Inspect: logs of inspect_ai in JSON, with a score for each sample and epoch.

A sample's score is the mean over its epochs. Letters count as Inspect counts them: C is 1, P is one
half, I and N are 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.human.tools._scores import ToolScores, system_of

if TYPE_CHECKING:
    from truebleu.human.tools._scores import ToolFile

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def knows(file: ToolFile) -> bool:
    """Whether it is a log with samples."""
    log = file.json
    return isinstance(log, dict) and {"eval", "samples"} <= log.keys()


def read(file: ToolFile) -> ToolScores:
    """The scores of the samples, in the order of the log."""
    log = file.json
    samples = log["samples"]
    if not isinstance(samples, list):
        file.refuse(None, "no list of samples", "a log with its samples")
    by_id: dict[str, list[float | None]] = {}
    texts: dict[str, str] = {}
    name = None
    for number, sample in enumerate(samples, 1):
        where = f"sample {number}"
        scores = sample.get("scores") if isinstance(sample, dict) else None
        if not isinstance(sample, dict) or "id" not in sample:
            file.refuse(None, f"{where} without an id", "one for each sample")
        key = str(sample["id"])
        texts.setdefault(key, str(sample.get("target", "")))
        values = by_id.setdefault(key, [])
        if not scores:  # a sample that failed has none
            values.append(None)
            continue
        name = name or file.chosen(list(scores), None)
        values.append(_value(file, scores.get(name), where))
    means = [_mean(values) for values in by_id.values()]
    return ToolScores.from_file(
        file, name or "", True, {_model(file, log): means}, [(key, texts[key]) for key in by_id]
    )


def _value(file: ToolFile, score: Any, where: str) -> float | None:
    value = score.get("value") if isinstance(score, dict) else score
    if isinstance(value, str) and value in LETTERS:
        return LETTERS[value]
    return file.score(value, None, where)


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _model(file: ToolFile, log: dict[str, Any]) -> str:
    told = log["eval"].get("model") if isinstance(log["eval"], dict) else None
    return told if isinstance(told, str) else system_of(file.path)
