"""Every Eval Ever: its JSON lines of samples, with a score for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.human.tools._items import Evaluation, Item

if TYPE_CHECKING:
    from truebleu.human.tools._scores import ToolFile

NEEDED = frozenset({"evaluation_id", "model_id", "sample_id", "evaluation"})


def knows(file: ToolFile) -> bool:
    """Whether it is of that schema: samples, or the results of a whole evaluation."""
    if isinstance(file.json, dict) and {"schema_version", "evaluation_results"} <= file.json.keys():
        return True
    record = file.first_record
    return record is not None and record.keys() >= NEEDED


def read(file: ToolFile) -> list[Evaluation]:
    """The samples of each model, in the order of the file."""
    file.refuse_column("the schema")
    if isinstance(file.json, dict) and "evaluation_results" in file.json:
        expected = "the samples: the JSON lines beside this file have a score for each"
        file.refuse(None, "results of a whole evaluation", expected)
    items: dict[str, dict[str, Item]] = {}
    for line, record in file.records():
        if not record.keys() >= NEEDED or not isinstance(record["evaluation"], dict):
            file.refuse(line, "no sample", ", ".join(sorted(NEEDED)))
        name = str(record["sample_id"])
        of_model = items.setdefault(str(record["model_id"]), {})
        if name in of_model:
            file.refuse(line, f"sample {name} again", "each once for a model")
        evaluation = record["evaluation"]
        score = evaluation.get("score", evaluation.get("is_correct"))
        metric = str(record.get("evaluation_name", "")) or "score"
        checksum = str(record.get("sample_hash", ""))
        of_model[name] = Item(name, {metric: score}, line, checksum=checksum, fields=record)
    return [Evaluation(file, model, tuple(found.values())) for model, found in items.items()]
