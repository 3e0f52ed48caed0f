"""Every Eval Ever: its samples, a JSON line for each, and the results that they belong to.

A sample has a line for each metric. The file of results names the file of its samples, which stands
beside it, with a checksum; only it says in which direction scores count.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode
from truebleu.human.tools._items import Evaluation, Item
from truebleu.human.tools._scores import ToolFile

if TYPE_CHECKING:
    from collections.abc import Mapping

NEEDED = frozenset({"evaluation_id", "model_id", "sample_id", "evaluation"})
RESULTS = frozenset({"schema_version", "evaluation_results"})
BESIDE = "detailed_evaluation_results"


def knows(file: ToolFile) -> bool:
    """Whether it is of that schema: samples, or the results of a whole evaluation."""
    if isinstance(file.json, dict) and file.json.keys() >= RESULTS:
        return True
    record = file.first_record
    return record is not None and record.keys() >= NEEDED


def read(file: ToolFile) -> list[Evaluation]:
    """The samples of each model and benchmark, in the order of the file."""
    if isinstance(file.json, dict) and file.json.keys() >= RESULTS:
        return _samples(_file_of_samples(file), _directions(file.json))
    return _samples(file, {})


def _samples(file: ToolFile, lower_is_better: Mapping[str, bool]) -> list[Evaluation]:
    records: dict[tuple[str, str], list[tuple[int, dict[str, Any]]]] = {}
    for line, record in file.records():
        if not record.keys() >= NEEDED or not isinstance(record["evaluation"], dict):
            file.refuse(line, "no sample", ", ".join(sorted(NEEDED)))
        benchmark = str(record.get("evaluation_name", ""))
        records.setdefault((str(record["model_id"]), benchmark), []).append((line, record))
    evaluations = []
    for (model, benchmark), of_model in records.items():
        results = {str(record.get("evaluation_result_id", "")) for _, record in of_model}
        # A single result is called score, as nothing else would tell its name.
        lower = {
            name if len(results) > 1 else "score": lower_is_better[name]
            for name in results
            if name in lower_is_better
        }
        evaluations.append(
            Evaluation(
                file,
                model,
                tuple(_items(file, of_model, several=len(results) > 1)),
                benchmark=benchmark,
                lower=lower,
            )
        )
    return evaluations


def _items(
    file: ToolFile, records: list[tuple[int, dict[str, Any]]], *, several: bool
) -> list[Item]:
    """A sample each, with its scores; results tell metrics apart where there are several."""
    items: dict[str, Item] = {}
    scores: dict[str, dict[str, object]] = {}
    for line, record in records:
        name = str(record["sample_id"])
        metric = str(record.get("evaluation_result_id", "")) if several else "score"
        of_item = scores.setdefault(name, {})
        if metric in of_item:
            file.refuse(line, f"sample {name} again", "each once for a model and result")
        evaluation = record["evaluation"]
        of_item[metric] = evaluation.get("score", evaluation.get("is_correct"))
        metadata = record.get("metadata")
        item = Item(
            name,
            of_item,
            line,
            checksum=str(record.get("sample_hash") or ""),
            fields={**record, **(metadata if isinstance(metadata, dict) else {})},
            output=_only_text(record.get("output")),
            references=_references(record.get("input")),
        )
        items.setdefault(name, item)
    return list(items.values())


def _only_text(output: Any) -> str | None:
    """What the model wrote, where it answered once."""
    texts = output.get("raw") if isinstance(output, dict) else None
    if isinstance(texts, list) and len(texts) == 1 and isinstance(texts[0], str):
        return texts[0]
    return None


def _references(given: Any) -> tuple[str, ...]:
    references = given.get("reference") if isinstance(given, dict) else None
    return tuple(map(str, references)) if isinstance(references, list) else ()


# Results, and the file that stands beside them.


def _directions(results: Mapping[str, Any]) -> dict[str, bool]:
    """For each result whether lower is better, by its id."""
    listed = results["evaluation_results"]
    directions = {}
    for result in listed if isinstance(listed, list) else []:
        about = result.get("metric_config") if isinstance(result, dict) else None
        lower = about.get("lower_is_better") if isinstance(about, dict) else None
        if isinstance(lower, bool):
            directions[str(result.get("evaluation_result_id", ""))] = lower
    return directions


def _file_of_samples(file: ToolFile) -> ToolFile:
    """The samples that results name, checked by their checksum."""
    beside = file.json.get(BESIDE)
    written = beside.get("file_path") if isinstance(beside, dict) else None
    name = os.path.basename(written) if isinstance(written, str) else ""
    path = os.path.join(os.path.dirname(file.path), name)
    if not name or not os.path.isfile(path):
        expected = "the samples beside it, in JSON lines: they have a score for each"
        file.refuse(None, "results of a whole evaluation", expected)
    data = Files().contents(path)
    checksum = beside.get("checksum")
    algorithm = beside.get("hash_algorithm", "sha256")
    if isinstance(checksum, str) and algorithm == "sha256":
        actual = hashlib.sha256(data).hexdigest()
        if actual != checksum.lower():
            file.refuse(None, f"another checksum of {name}, {actual}", checksum)
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    return ToolFile(path, data, text, file.column, file.filter)
