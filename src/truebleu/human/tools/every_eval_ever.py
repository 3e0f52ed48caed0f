"""Every Eval Ever: its JSON lines of samples, with a score for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.human.tools._scores import ToolScores

if TYPE_CHECKING:
    from truebleu.human.tools._scores import ToolFile

NEEDED = frozenset({"evaluation_id", "model_id", "sample_id", "evaluation"})


def knows(file: ToolFile) -> bool:
    """Whether it is of that schema: samples, or the results of a whole evaluation."""
    if isinstance(file.json, dict) and {"schema_version", "evaluation_results"} <= file.json.keys():
        return True
    record = file.first_record
    return record is not None and record.keys() >= NEEDED


def read(file: ToolFile) -> ToolScores:
    """The scores of the samples, in the order of the file."""
    file.refuse_column("the schema")
    if isinstance(file.json, dict) and "evaluation_results" in file.json:
        expected = "the samples: the JSON lines beside this file have a score for each"
        file.refuse(None, "results of a whole evaluation", expected)
    scores: dict[str, dict[str, float | None]] = {}
    checksums: dict[str, str] = {}
    name = ""
    for line, record in file.records():
        if not record.keys() >= NEEDED or not isinstance(record["evaluation"], dict):
            file.refuse(line, "no sample", ", ".join(sorted(NEEDED)))
        item = str(record["sample_id"])
        of_model = scores.setdefault(str(record["model_id"]), {})
        if item in of_model:
            file.refuse(line, f"sample {item} again", "each once for a model")
        evaluation = record["evaluation"]
        value = evaluation.get("score", evaluation.get("is_correct"))
        of_model[item] = file.score(value, line)
        checksums.setdefault(item, str(record.get("sample_hash", "")))
        name = name or str(record.get("evaluation_name", ""))
    for model, of_model in scores.items():
        if of_model.keys() != checksums.keys():
            missing = next(item for item in checksums if item not in of_model)
            file.refuse(None, f"no sample {missing} of {model}", "the same samples of all models")
    by_system = {
        model: [of_model[item] for item in checksums] for model, of_model in scores.items()
    }
    return ToolScores.from_file(file, name, None, by_system, checksums.items())
