"""Formats of harnesses for language models: one short declaration each."""

from __future__ import annotations

import json
import os
import re
from ast import literal_eval
from collections import Counter
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias
from zipfile import ZipFile, ZipInfo

import truebleu.corpus.tables as tables
from truebleu.corpus._files import decompress, extension, refuse_large
from truebleu.corpus.tables import value_inside
from truebleu.errors import MalformedFileError, shortened
from truebleu.scores.evaluations import (
    ZIP,
    About,
    Format,
    Numbered,
    Record,
    ScoreFile,
    has_keys,
    is_name,
    is_object,
    records_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# lm-evaluation-harness: samples, one file per model. Metrics such as BLEU are stored as texts,
# [reference, output], without a score: truebleu scores these texts.


def _lm_eval_scores(record: Record) -> Any:
    names = record["metrics"]
    if not isinstance(names, list):
        return names
    return {n: record[n] for n in names if isinstance(n, str) and n in record}


def _lm_eval_references(record: Record) -> Any:
    """Return the target, or all targets if a metric stores several with the output.

    The harness writes every target as text, a list as its Python representation.
    """
    scores = _lm_eval_scores(record)
    for texts in scores.values() if isinstance(scores, dict) else ():
        if isinstance(texts, list) and texts and isinstance(texts[0], list):
            return texts[0]
    target = record.get("target")
    try:
        values = literal_eval(str(target)) if str(target).startswith(("['", '["')) else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        values = None
    are_texts = isinstance(values, list) and all(isinstance(value, str) for value in values)
    return () if target is None else values if are_texts else [target]


_LM_EVAL_FILE = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[^_]*?)\.jsonl")


def _read_json(*parts: str) -> Any:
    """Read JSON from another file of the same run; None if there is no such file."""
    path = os.path.join(*parts)
    return ScoreFile.read(path).json if os.path.isfile(path) else None


def _lm_eval_about(file: ScoreFile) -> About:
    """Return the model, which is also the name of the folder, the task and the directions."""
    name, folder = os.path.basename(file.path), os.path.dirname(os.path.abspath(file.path))
    match = _LM_EVAL_FILE.match(name)
    task, results = "", None
    if match is not None:
        task, results = match["task"], _read_json(folder, f"results_{match['date']}.json")
    model = value_inside(results, ["model_name"])
    if not model or not isinstance(model, str):
        model = os.path.basename(folder) if name.startswith("samples_") else file.name
    return model, task, _directions(value_inside(results, ["higher_is_better", task]))


def _directions(value: Any) -> dict[str, bool]:
    """Return the scores of an object that are true or false; empty if it is not an object."""
    directions = value if isinstance(value, dict) else {}
    return {name: higher for name, higher in directions.items() if isinstance(higher, bool)}


def _canonical(value: object) -> str:
    """Return a text as it is, and any other value as JSON with sorted keys."""
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


# Inspect: logs as JSON or as .eval archives. Epochs of a sample are answers to one item. Letters
# have the values of Inspect. A failed sample has no score.

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def _inspect_records(file: ScoreFile) -> Iterator[Numbered]:
    log = _archived_log(file.path, file.data) if file.data[:4] == ZIP else dict(file.json)
    status = log.get("status")
    if status in ("error", "cancelled", "started"):
        reason = value_inside(log, ["error", "message"])
        end = {"error": "with an error", "started": "before it was done"}.get(status, "early")
        found = f"this run ended {end}" + (f" ({shortened(str(reason), 80)})" if reason else "")
        file.refuse(None, found, "a finished run; repeat it with `inspect eval-retry`")
    if not isinstance(log.get("samples"), list):
        file.refuse(None, "no list of samples", "a log with its samples")
    paths = {"system": "model", "benchmark": "task", "data": "dataset.name"}
    about = {key: value_inside(log["eval"], path.split(".")) for key, path in paths.items()}
    for number, sample in enumerate(log["samples"], 1):
        if not is_object(sample, "id"):
            file.refuse(None, f"sample {number} without an id", "an id for each sample")
        yield None, {**sample, **about}


def _inspect_scores(sample: Record) -> dict[str, object] | None:
    """Return the scores by scorer, or None for a failed sample."""
    scores = sample.get("scores")
    if not scores or not isinstance(scores, dict):
        return None
    return {
        scorer: _letter_value(score.get("value") if isinstance(score, dict) else score)
        for scorer, score in scores.items()
    }


def _letter_value(value: object) -> object:
    """Convert the letters of Inspect to numbers; other values stay."""
    return _LETTERS.get(value, value) if isinstance(value, str) else value


# Columns of the data frames of `inspect_ai.analysis.samples_df`.
INSPECT_FRAME = frozenset({"sample_id", "eval_id", "epoch"})
_INSPECT_SCORE = "score_"


def inspect_table(
    file: ScoreFile, table: tables.Table, systems: Sequence[str]
) -> tuple[tables.Table, list[str]]:
    """Return the table of Inspect's samples, and its score columns, called after their scorers."""
    columns = {
        name: list(map(_letter_value, table.values(name)))
        if name.startswith(_INSPECT_SCORE)
        else table.values(name)
        for name in table.columns
        # The column id is unique in the dataset, sample_id only in a log.
        if name != "sample_id"
    }
    if systems and "model" not in columns and len(set(columns["eval_id"])) > 1:
        expected = "a column model: samples_df(logs, columns=EvalModel + SampleSummary)"
        file.refuse(None, "samples of several evaluations", expected)
    columns = {name.removeprefix(_INSPECT_SCORE): values for name, values in columns.items()}
    scores = [n.removeprefix(_INSPECT_SCORE) for n in table.columns if n.startswith(_INSPECT_SCORE)]
    return replace(table, columns=tuple(columns), values=columns.__getitem__), scores


# An archive is a zip whose members may be compressed by zstd, which zipfile reads from 3.14 on.

_HEADER, _SUMMARIES, _SAMPLES, _JOURNAL = "header.json", "summaries.json", "samples/", "_journal/"
_ZSTD = 93
_LOG = "a log of Inspect"


def _archived_log(path: str, data: bytes) -> dict[str, Any]:
    """Read a log from an archive: its header, and its samples or their summaries."""
    try:
        archive = ZipFile(BytesIO(data))
        members = {member.filename: member for member in archive.infolist()}
    # Damaged offsets and sizes raise many types of exceptions.
    except Exception as error:
        found = f"a damaged or truncated zip archive ({error})"
        raise MalformedFileError(path, None, found, _LOG) from None
    if _HEADER not in members:
        is_unfinished = any(name.startswith(_JOURNAL) for name in members)
        found = "an unfinished log" if is_unfinished else f"a zip archive without {_HEADER}"
        raise MalformedFileError(path, None, found, f"a finished {_LOG[2:]}")

    def read_member(name: str) -> Any:
        text = _member(path, data, archive, members[name])
        try:
            return tables.parse_json(text)
        except ValueError:
            raise MalformedFileError(path, None, f"invalid JSON in {name}", _LOG) from None

    header = read_member(_HEADER)
    # Summaries have all that is needed, without the long texts of the samples.
    if _SUMMARIES in members:
        samples = read_member(_SUMMARIES)
    else:
        names = [name for name in members if name.startswith(_SAMPLES)]
        # The sizes are added up, because members may share one part of the file.
        refuse_large(path, sum(members[name].file_size for name in names))
        samples = [read_member(name) for name in names]
    return {**header, "samples": samples}


def _member(path: str, data: bytes, archive: ZipFile, member: ZipInfo) -> bytes:
    """Read one member of an archive and verify its checksum."""
    from zlib import crc32

    refuse_large(path, member.file_size)
    try:
        if member.compress_type != _ZSTD:
            return archive.read(member)
        # A header of 30 bytes has the lengths of the name and the extra field before the data.
        start = member.header_offset
        lengths = data[start + 26 : start + 30]
        start += 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
        contents = decompress(path, data[start : start + member.compress_size])
        if crc32(contents) != member.CRC:
            raise ValueError("its checksum differs")
    # Every compression library raises its own exceptions.
    except Exception as error:
        found = f"{member.filename}, which cannot be read ({error})"
        raise MalformedFileError(path, None, found, _LOG) from None
    return contents


# promptfoo: rows of any number of systems as JSON, JSON lines or CSV. A system is a provider, with
# the prompt if it has several. Rows with equal variables are repeats. Errors (failureReason 2) have
# no score.

_PROMPTFOO_SYSTEM = re.compile(r"\[(?P<provider>.*)\] (?P<prompt>.*)", re.DOTALL)
_PROMPTFOO_ERROR = 2


def _is_promptfoo(file: ScoreFile) -> bool:
    if {"Status", "Score", "Named Scores"} <= set(file.lines[0].split(",")[1:]):
        return True
    results = value_inside(file.json, ["results", "results"])
    return isinstance(results, list) or has_keys("testIdx", "promptIdx", "namedScores")(file)


def _promptfoo_records(file: ScoreFile) -> Iterator[Numbered]:
    is_json = file.text.lstrip().startswith("{")
    rows = list(_promptfoo_json(file) if is_json else _promptfoo_csv(file))
    prompts = Counter(provider for provider, _ in {row[1] for row in rows})
    for line, (provider, prompt), inputs, named, score in rows:
        system = provider if prompts[provider] == 1 else f"{provider} {prompt}"
        checksum, item_id = _canonical(inputs), inputs.get("id")
        item = item_id if is_name(item_id) else checksum
        about = {"system": system, "item": item, "checksum": checksum, "fields": inputs}
        scores = {**(named if isinstance(named, dict) else {}), "score": score}
        yield line, {**about, "scores": None if score is None else scores}


#: Line, provider and prompt, variables, named scores, and the score, which is None for errors.
_Row: TypeAlias = tuple[int | None, tuple[str, str], dict[str, Any], Any, Any]


def _promptfoo_json(file: ScoreFile) -> Iterator[_Row]:
    results = value_inside(file.json, ["results", "results"])
    rows = list(file.records()) if results is None else _require_objects(file, results)
    # Rows are in order of completion.
    rows.sort(key=lambda row: tables.whole_number(row[1].get("testIdx")) or 0)
    for line, row in rows:
        provider, inputs = row.get("provider"), row.get("vars")
        names = (value_inside(provider, [key]) for key in ("label", "id"))
        prompt = value_inside(row.get("prompt"), ["label"]) or ""
        system = str(next(filter(None, names), provider)), str(prompt)
        inputs = inputs if inputs and isinstance(inputs, dict) else {"id": row.get("testIdx")}
        failed = row.get("failureReason") == _PROMPTFOO_ERROR
        yield line, system, inputs, row.get("namedScores"), None if failed else row.get("score")


def _promptfoo_csv(file: ScoreFile) -> Iterator[_Row]:
    """Parse groups of columns that repeat for each system and begin before its status."""
    rows = tables.csv_rows(file.path, file.text)
    _, header = next(rows)
    status_columns = [index for index, name in enumerate(header) if name == "Status"]
    for line, row in rows:
        if len(row) != len(header):
            file.refuse(line, f"{len(row)} fields", f"{len(header)} fields, as in the header")
        inputs = dict(zip(header[: status_columns[0] - 1], row, strict=False))
        for index in status_columns:
            name = _PROMPTFOO_SYSTEM.match(header[index - 1])
            system = (name["provider"], name["prompt"]) if name else (header[index - 1], "")
            status, score, named = (*row[index : index + 3], "", "")[:3]
            scores = tables.json_in(file.path, line, named or "{}", "scores by name")
            yield line, system, inputs, scores, None if status == "ERROR" else score


def _require_objects(file: ScoreFile, values: Any) -> list[Numbered]:
    """Return the objects of a list without lines; raises MalformedFileError for other values."""
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        file.refuse(None, "other values", "a list of objects, one for each answer")
    return [(None, value) for value in values]


# DeepEval: one run of one system. A failed metric has no score. Versions differ in the direction of
# some metrics, and files have no version: directions are inferred from success and threshold.


def _deepeval_run(file: ScoreFile) -> Any:
    run = value_inside(file.json, ["testRunData"])
    return file.json if run is None else run


def _deepeval_about(file: ScoreFile) -> About:
    run = _deepeval_run(file)
    names = (value_inside(run, path) for path in (["hyperparameters", "model"], ["identifier"]))
    directions: dict[str, set[bool]] = {}
    for _, case in _deepeval_records(file):
        for metric in _deepeval_metrics(case):
            score, limit, passed = (metric.get(key) for key in ("score", "threshold", "success"))
            if isinstance(score, int | float) and isinstance(limit, int | float):
                possible = directions.setdefault(str(metric.get("name")), {True, False})
                agrees = {True: (score >= limit) == passed, False: (score <= limit) == passed}
                possible &= {higher for higher in agrees if agrees[higher]}
    known = {name: min(possible) for name, possible in directions.items() if len(possible) == 1}
    return str(next(filter(None, names), "")) or file.name, "", known


def _deepeval_records(file: ScoreFile) -> Iterator[Numbered]:
    run = _deepeval_run(file)
    for key in ("testCases", "conversationalTestCases"):
        for _, case in _require_objects(file, run.get(key) or []):
            names = map(case.get, ("input", "scenario", "name"))
            yield None, {**case, "item": next(filter(None, names), None)}


def _deepeval_metrics(case: Record) -> list[dict[str, Any]]:
    metrics = case.get("metricsData")
    return [m for m in metrics if isinstance(m, dict)] if isinstance(metrics, list) else []


# openai/evals: events of one run; match and metrics have scores.


def _openai_records(file: ScoreFile) -> Iterator[Numbered]:
    paths = {"system": "spec.completion_fns.0", "benchmark": "spec.eval_name"}
    about = {key: value_inside(file.first_record, path.split(".")) for key, path in paths.items()}
    answers: Counter[tuple[str, str]] = Counter()
    for line, event in file.records():
        kind, data = event.get("type"), event.get("data")
        if kind not in ("match", "metrics") or not isinstance(data, dict):
            continue
        scores = {"correct": data.get("correct")}
        if kind == "metrics":
            scores = {name: value for name, value in data.items() if isinstance(value, int | float)}
        sample = str(event.get("sample_id"))
        answers[sample, kind] += 1
        answer = answers[sample, kind]
        yield line, {**about, "item": event.get("sample_id"), "scores": scores, "answer": answer}


# HELM: one entry per instance, trial and class of metrics. Numbers of tokens and the like are not
# scores.

_HELM_NO_SCORES = re.compile(
    r"num_|batch_size|finish_reason|inference_|training_|prompt_truncated|max_prob|predicted_index"
)


def _helm_about(file: ScoreFile) -> About:
    """Return the model in the run's specification, and the run's name without the model."""
    folder = os.path.dirname(os.path.abspath(file.path))
    spec, name = _read_json(folder, "run_spec.json"), os.path.basename(folder)
    run = str(value_inside(spec, ["name"]) or name)
    model = value_inside(spec, ["adapter_spec", "model"])
    return str(model or name), re.sub(r",?\bmodel(_deployment)?=[^,]*", "", run).strip(":,"), {}


def _helm_scores(entry: Record) -> dict[str, Any] | None:
    stats: Any = entry.get("stats")
    if isinstance(stats, list):
        named = ((value_inside(stat, ["name", "name"]), stat) for stat in stats)
        stats = {str(name): value_inside(stat, ["mean"]) for name, stat in named}
    means = stats.items() if isinstance(stats, dict) else ()
    return {name: mean for name, mean in means if not _HELM_NO_SCORES.match(name)} or None


# lighteval: details as Parquet in details/MODEL/DATE, results in results/MODEL.


def _is_lighteval(file: ScoreFile) -> bool:
    if extension(file.path) != ".parquet":
        return False
    return {"doc", "metric"} <= set(tables.read_parquet(file.path, file.data).columns)


def _lighteval_about(file: ScoreFile) -> About:
    """Return the model and its directions; tasks are in the records."""
    root, _, inside = os.path.abspath(file.path).replace(os.sep, "/").rpartition("/details/")
    model, _, date = inside.rpartition("/")[0].rpartition("/")
    tasks = value_inside(
        _read_json(root, "results", model, f"results_{date}.json"), ["config_tasks"]
    )
    higher: dict[str, bool] = {}
    for task in tasks.values() if isinstance(tasks, dict) else ():
        for _, metric in _require_objects(file, value_inside(task, ["metrics"]) or []):
            name, value = str(metric.get("metric_name")), metric.get("higher_is_better")
            higher |= _directions(value if isinstance(value, dict) else {name: value})
    return model or file.name, "", higher


#: Formats by tool.
LLM_FORMATS = {
    "lm-evaluation-harness": Format(
        writes="the samples that --log_samples writes",
        knows=has_keys("doc_id", "filtered_resps", "metrics"),
        needs=frozenset({"doc_id", "filtered_resps", "metrics"}),
        about=_lm_eval_about,
        item="doc_id",
        scores=_lm_eval_scores,
        # Older files have no checksum.
        checksum=lambda record: _canonical(record.get("doc_hash") or record.get("doc") or ""),
        filter="filter",
        fields="doc",
        output="filtered_resps.0",
        references=_lm_eval_references,
        by_number=True,
        takes_first=True,
    ),
    "Inspect": Format(
        writes="logs as .eval or JSON, and saved data frames of its samples",
        knows=lambda file: (
            file.data[:4] == ZIP
            or (is_object(file.json, "eval") and bool({"samples", "status"} & file.json.keys()))
        ),
        records=_inspect_records,
        item="id",
        scores=_inspect_scores,
        checksum="target",
        data="data",
        answer="epoch",
        are_runs=True,
        fields="metadata",
        takes_first=True,
    ),
    "promptfoo": Format(
        writes="the results as JSON, JSON lines or CSV",
        knows=_is_promptfoo,
        records=_promptfoo_records,
        checksum="checksum",
        fields="fields",
        may_repeat=True,
        are_runs=True,
        higher={"score": True},
        score_names=("score",),
    ),
    "DeepEval": Format(
        writes="test runs as JSON",
        knows=lambda file: is_object(_deepeval_run(file), "testCases", "metricsScores"),
        records=_deepeval_records,
        about=_deepeval_about,
        scores=lambda case: {str(m.get("name")): m.get("score") for m in _deepeval_metrics(case)},
        checksum="expectedOutput",
        fields="metadata",
        may_repeat=True,
    ),
    "openai/evals": Format(
        writes="the record of a run",
        knows=lambda file: isinstance(
            value_inside(file.first_record, ["spec", "completion_fns"]), list
        ),
        records=_openai_records,
        answer="answer",
    ),
    "HELM": Format(
        writes="per_instance_stats.json and display_predictions.json, with run_spec.json",
        knows=lambda file: is_object(
            value_inside(file.json, ["0"]), "instance_id", "train_trial_index"
        ),
        records=lambda file: _require_objects(file, file.json),
        about=_helm_about,
        item="instance_id",
        scores=_helm_scores,
        filter="perturbation.name",
        answer="train_trial_index",
        are_runs=True,
    ),
    "lighteval": Format(
        writes="details in Parquet",
        knows=_is_lighteval,
        records=lambda file: records_of(tables.read_parquet(file.path, file.data)),
        about=_lighteval_about,
        item="doc.id",
        scores="metric",
        benchmark="doc.task_name",
        checksum="doc.query",
        fields="doc.specific",
        takes_first=True,
    ),
}
