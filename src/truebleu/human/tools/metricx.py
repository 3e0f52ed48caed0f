"""MetricX: JSON lines with a prediction, an error score from 0 to 25; lower is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.human.tools._scores import NumberedScores, ToolScores, system_of

if TYPE_CHECKING:
    from truebleu.human.tools._scores import ToolFile


WORST = 25


def knows(file: ToolFile) -> bool:
    """Whether lines have MetricX's prediction beside a hypothesis."""
    record = file.first_record
    return record is not None and {"prediction", "hypothesis"} <= record.keys()


def read(file: ToolFile) -> ToolScores:
    """The predictions; without system_id, all lines are one system's, in order."""
    file.refuse_column("MetricX")
    scores = NumberedScores(file, first=0)
    outputs: dict[str, dict[int, object]] = {}
    for line, record in file.records():
        if "prediction" not in record:
            file.refuse(line, "no prediction", "one on each line")
        system = str(record.get("system_id", system_of(file.path)))
        segment = record.get("segment_id", scores.count(system))
        if isinstance(segment, bool) or not isinstance(segment, int):
            file.refuse(line, f"segment_id {segment!r}", "a whole number")
        score = file.score(record["prediction"], line, "the prediction")
        if score is not None and not 0 <= score <= WORST:
            file.refuse(line, f"the prediction {score:g}", f"a number from 0 to {WORST}")
        scores.add(system, segment, line, score)
        outputs.setdefault(system, {})[segment] = record.get("hypothesis")
    texts = {
        system: [text for _, text in sorted(of_system.items()) if isinstance(text, str)]
        for system, of_system in outputs.items()
        if all(isinstance(text, str) for text in of_system.values())
    }
    return ToolScores.from_file(file, "MetricX", False, scores.by_system(), texts=texts)
