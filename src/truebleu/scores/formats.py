"""The files of scores that are known: one short declaration for each tool, and tables of items."""

from __future__ import annotations

import json
import os
import re
from ast import literal_eval
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias
from zipfile import ZipFile, ZipInfo

import truebleu.corpus.tables as tables
from truebleu.corpus._files import decompress, expanded, extension, refuse_large
from truebleu.corpus.sequences import column_values, frame_columns, is_frame
from truebleu.corpus.tables import value_inside
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    MissingExtraError,
    SettingError,
    TruebleuError,
)
from truebleu.scores.evaluations import (
    ZIP,
    Answer,
    Evaluation,
    Format,
    Numbered,
    Record,
    ScoreFile,
    evaluations_of,
    has_keys,
    is_name,
    is_object,
    name_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


# COMET: higher is better. The model's name is in no file of comet-score: give it by ``name=``.

_COMET_LINE = re.compile(
    r"(?P<file>[^\t]+)\t(Segment (?P<segment>\d{1,9})\t)?score: (?P<score>[^\s]+)$"
)
_COMPARISON = ("statistical_results", "translations")
# Scores have four decimals, and so has their mean.
_COMET_ROUNDED = 1e-4


def _is_comet(file: ScoreFile) -> bool:
    if not isinstance(file.json, dict):
        return any(map(_COMET_LINE.match, file.lines))
    is_scores = bool(file.json) and all(
        isinstance(rows, list) and is_object(value_inside(rows, ["0"]), "COMET")
        for rows in file.json.values()
    )
    return is_scores or is_object(file.json, *_COMPARISON)


def _comet_records(file: ScoreFile) -> Iterator[Numbered]:
    """What ``comet-score`` prints, and the JSON of comet-score and comet-compare."""
    if not isinstance(file.json, dict):
        yield from _printed_comet(file)
        return
    systems, name = list(file.json.items()), "COMET"
    if is_object(file.json, *_COMPARISON):
        model = file.json.get("model")
        name = model.rsplit("/", 1)[-1] if isinstance(model, str) else name
        systems = []
        for translation in file.json["translations"]:
            scores, texts = (value_inside(translation, [key]) for key in ("scores", "mt"))
            if not isinstance(scores, list):
                file.refuse(None, "a translation without scores", "name and scores of each")
            outputs = (value_inside(texts, [str(place)]) for place in range(len(scores)))
            rows = [{"COMET": s, "mt": text} for s, text in zip(scores, outputs, strict=True)]
            systems.append((str(translation.get("name", "")), rows))
    for path, rows in systems:
        for number, row in enumerate(rows):
            if not is_object(row, "COMET"):
                file.refuse(None, f"segment {number + 1} of {path} without COMET", "one for each")
            scored = {"scores": {name: row["COMET"]}, "output": row.get("mt")}
            yield None, {"system": name_of(path), "item": number, **scored}


def _printed_comet(file: ScoreFile) -> Iterator[Numbered]:
    """Lines of segments; logs and whatever else was caught with them are passed over.

    A system's own line must be the mean of its segments, or some of them are missing.
    """
    scores: dict[str, list[float]] = {}
    for number, line in enumerate(file.lines, 1):
        match = _COMET_LINE.match(line)
        if match is None:
            continue
        path, segment, written = match["file"], match["segment"], match["score"]
        if not tables.is_score(written):
            file.refuse(number, f"COMET {written!r}", "a number")
        score = tables.parse_score(written)
        known = scores.setdefault(path, [])
        if segment is not None:
            known += [] if score is None else [score]
            about = {"system": name_of(path), "item": int(segment)}
            yield number, {**about, "scores": {"COMET": score}}
        elif not known:
            expected = "the scores of its segments: comet-score without --only_system"
            file.refuse(number, f"a score of the whole of {path} alone", expected)
        elif score is None or abs(sum(known) / len(known) - score) > _COMET_ROUNDED:
            expected = f"{sum(known) / len(known):.4f}, the mean of its {len(known)} segments above"
            file.refuse(number, f"{path} with {written}", expected)


# lm-evaluation-harness: its samples, one file for each model. A metric such as BLEU is stored as
# texts, [reference, output], not as a score: those texts are scored instead.


def _lm_eval_scores(record: Record) -> Any:
    names = record["metrics"]
    if not isinstance(names, list):
        return names
    return {n: record[n] for n in names if isinstance(n, str) and n in record}


def _lm_eval_output(record: Record) -> object:
    outputs = record["filtered_resps"]
    return outputs[0] if isinstance(outputs, list) and outputs else outputs


def _lm_eval_references(record: Record) -> Any:
    """The target; where a metric keeps several of them beside the output, all of them.

    The harness writes every target as text, a list as Python prints it.
    """
    scores = _lm_eval_scores(record)
    for kept in scores.values() if isinstance(scores, dict) else ():
        if isinstance(kept, list) and kept and isinstance(kept[0], list):
            return kept[0]
    target = record.get("target")
    if target is None:
        return ()
    values = _literal(str(target)) if str(target).startswith(("['", '["')) else None
    are_texts = isinstance(values, list) and all(isinstance(value, str) for value in values)
    return values if are_texts else [target]


def _literal(text: str) -> Any:
    """A value as Python prints it; None where it is none."""
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


_LM_EVAL_FILE = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[^_]*?)\.jsonl")


def _lm_eval_run(file: ScoreFile) -> tuple[str, Any]:
    """The task in the file's name, and the results of the same run beside it."""
    match = _LM_EVAL_FILE.match(os.path.basename(file.path))
    if match is None:
        return "", None
    return match["task"], _json_of(os.path.dirname(file.path), f"results_{match['date']}.json")


def _json_of(*parts: str) -> Any:
    """The JSON of another file of the same run; None where there is none."""
    path = os.path.join(*parts)
    return ScoreFile.read(path).json if os.path.isfile(path) else None


def _lm_eval_about(file: ScoreFile) -> tuple[str, str]:
    """The model, after which the harness also names the folder, and the task."""
    task, results = _lm_eval_run(file)
    model = value_inside(results, ["model_name"])
    if not model or not isinstance(model, str):
        is_named = os.path.basename(file.path).startswith("samples_")
        model = os.path.basename(os.path.dirname(os.path.abspath(file.path)))
        model = model if is_named else file.name
    return model, task


def _lm_eval_directions(file: ScoreFile) -> dict[str, bool]:
    task, results = _lm_eval_run(file)
    return _directions(value_inside(results, ["higher_is_better", task]))


def _directions(told: Any) -> dict[str, bool]:
    """What an object says of each score; null and whatever else says nothing."""
    directions = told if isinstance(told, dict) else {}
    return {name: higher for name, higher in directions.items() if isinstance(higher, bool)}


def _lm_eval_checksum(record: Record) -> str:
    """The harness's own; of older files, that of the document."""
    own = record.get("doc_hash") or record.get("doc")
    return own if isinstance(own, str) else _canonical(own) if own else ""


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


# Inspect: logs as JSON or as .eval archives. Epochs of a sample are answers to one item. Letters
# count as Inspect counts them. A sample that failed has no score.

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def _inspect_records(file: ScoreFile) -> Iterator[Numbered]:
    log = _archived_log(file.path, file.data) if file.data[:4] == ZIP else file.json
    if not isinstance(log["samples"], list):
        file.refuse(None, "no list of samples", "a log with its samples")
    places = {"system": "model", "benchmark": "task", "data": "dataset.name"}
    about = {key: value_inside(log["eval"], place.split(".")) for key, place in places.items()}
    for number, sample in enumerate(log["samples"], 1):
        if not is_object(sample, "id"):
            file.refuse(None, f"sample {number} without an id", "one for each sample")
        yield None, {**sample, **about}


def _inspect_scores(sample: Record) -> dict[str, object] | None:
    """The scores by scorer; a sample that failed has none."""
    scores = sample.get("scores")
    if not scores or not isinstance(scores, dict):
        return None
    return {
        scorer: _counted(score.get("value") if isinstance(score, dict) else score)
        for scorer, score in scores.items()
    }


def _counted(value: object) -> object:
    """A score as it counts: letters are numbers."""
    return _LETTERS.get(value, value) if isinstance(value, str) else value


# An archive is a zip whose members may be compressed by zstd, which Python reads from 3.14 on.

_HEADER, _SUMMARIES, _SAMPLES, _BEGUN = "header.json", "summaries.json", "samples/", "_journal/"
_ZSTD = 93
_LOG = "a log of Inspect"


def _archived_log(path: str, data: bytes) -> dict[str, Any]:
    """The log of an archive: its header, and its samples or their summaries."""
    try:
        archive = ZipFile(BytesIO(data))
        members = {member.filename: member for member in archive.infolist()}
    # Damaged offsets and sizes end in errors of many kinds.
    except Exception as error:
        found = f"a zip archive that is damaged or cut off ({error})"
        raise MalformedFileError(path, None, found, _LOG) from None
    if _HEADER not in members:
        begun = any(name.startswith(_BEGUN) for name in members)
        found = "a log that was not finished" if begun else f"a zip archive without {_HEADER}"
        raise MalformedFileError(path, None, found, f"a finished {_LOG[2:]}")

    def read_member(name: str) -> Any:
        text = _member(path, data, archive, members[name])
        try:
            return tables.parse_json(text)
        except ValueError:
            raise MalformedFileError(path, None, f"no JSON as {name}", _LOG) from None

    about = value_inside(read_member(_HEADER), ["eval"])
    # Summaries are small, whatever agents wrote; they have all that counts here.
    if _SUMMARIES in members:
        samples = read_member(_SUMMARIES)
    else:
        names = [name for name in members if name.startswith(_SAMPLES)]
        # Each may be small, and may be the same part of the file as all others.
        refuse_large(path, sum(members[name].file_size for name in names))
        samples = [read_member(name) for name in names]
    return {"eval": about, "samples": samples}


def _member(path: str, data: bytes, archive: ZipFile, member: ZipInfo) -> bytes:
    """One member of an archive, checked by its checksum."""
    from zlib import crc32

    refuse_large(path, member.file_size)
    try:
        if member.compress_type != _ZSTD:
            return archive.read(member)
        # A header of 30 bytes, with the lengths of the name and of what else comes before the data.
        start = member.header_offset
        lengths = data[start + 26 : start + 30]
        start += 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
        contents = decompress(path, data[start : start + member.compress_size])
        if crc32(contents) != member.CRC:
            raise ValueError("its checksum is another")
    except MissingExtraError:
        raise
    # Each way of compression has errors of its own.
    except Exception as error:
        found = f"{member.filename}, which cannot be read ({error})"
        raise MalformedFileError(path, None, found, _LOG) from None
    return contents


# Every Eval Ever: a JSON line for each sample and metric, and the results that they belong to. The
# file of results names that of its samples, which stands beside it; only it says the direction.

_SAMPLE = frozenset({"evaluation_id", "model_id", "sample_id", "evaluation"})


def _are_results(file: ScoreFile) -> bool:
    return is_object(file.json, "schema_version", "evaluation_results")


def _every_eval_ever_records(file: ScoreFile) -> Iterator[Numbered]:
    """Samples with the name of their metric: a single one is called score, as nothing tells it."""
    records = list((_samples_beside(file) if _are_results(file) else file).records())
    keys = ("model_id", "evaluation_name", "evaluation_result_id")
    ids = [tuple(str(record.get(key, "")) for key in keys) for _, record in records]
    several = Counter(own[:2] for own in set(ids))
    for (line, record), own in zip(records, ids, strict=True):
        metric = own[2] if several[own[:2]] > 1 else "score"
        evaluation, metadata = record.get("evaluation"), record.get("metadata")
        scores = None
        if isinstance(evaluation, dict):
            scores = {metric: evaluation.get("score", evaluation.get("is_correct"))}
        elif "evaluation" in record:
            file.refuse(line, f"evaluation {evaluation!r}", "an object with a score")
        fields = {**record, **(metadata if isinstance(metadata, dict) else {})}
        yield line, {**record, "scores": scores, "fields": fields}


def _only_output(record: Record) -> object:
    """What the model wrote, where it answered once."""
    texts = value_inside(record, ["output", "raw"])
    return texts[0] if isinstance(texts, list) and len(texts) == 1 else None


def _every_eval_ever_directions(file: ScoreFile) -> dict[str, bool]:
    """For each result whether higher is better, by its id; a single one is called score."""
    results = file.json["evaluation_results"] if _are_results(file) else []
    higher = {}
    for result in results if isinstance(results, list) else []:
        lower = value_inside(result, ["metric_config", "lower_is_better"])
        if isinstance(lower, bool):
            higher[str(result.get("evaluation_result_id", ""))] = not lower
    return higher | ({"score": next(iter(higher.values()))} if len(higher) == 1 else {})


def _samples_beside(file: ScoreFile) -> ScoreFile:
    """The samples that results name, checked by their checksum."""
    beside = file.json.get("detailed_evaluation_results")
    written = value_inside(beside, ["file_path"])
    name = os.path.basename(written) if isinstance(written, str) else ""
    path = os.path.join(os.path.dirname(file.path), name)
    if not name or not os.path.isfile(path):
        expected = "the samples beside it, in JSON lines: they have a score for each"
        file.refuse(None, "results of a whole evaluation", expected)
    samples = ScoreFile.read(path)
    checksum = beside.get("checksum")
    if isinstance(checksum, str) and beside.get("hash_algorithm", "sha256") == "sha256":
        from hashlib import sha256

        actual = sha256(samples.data).hexdigest()
        if actual != checksum.lower():
            file.refuse(None, f"another checksum of {name}, {actual}", checksum)
    return samples


# Submissions to WMT's metrics task: METRIC LP TESTSET DOMAIN DOC REF SYSTEM SEGNO SCORE, between
# tabs. Files of system scores have 7 fields, and no segments to compare.

_LANGUAGE_PAIR = re.compile(r"[a-z]{2,3}(_[A-Za-z]+)?-[a-z]{2,3}(_[A-Za-z]+)?$")
_OF_SEGMENTS, _OF_SYSTEMS = 9, 7


def _is_submission(file: ScoreFile) -> bool:
    fields = file.lines[0].split("\t")
    if len(fields) not in (_OF_SEGMENTS, _OF_SYSTEMS):
        return False
    return _LANGUAGE_PAIR.match(fields[1]) is not None and tables.is_score(fields[-1])


def _submission_records(file: ScoreFile) -> Iterator[Numbered]:
    if len(file.lines[0].split("\t")) == _OF_SYSTEMS:
        expected = f"scores of segments, with {_OF_SEGMENTS} fields"
        file.refuse(1, f"{_OF_SYSTEMS} fields, scores of systems", expected)
    about: list[str] = []
    for number, line in enumerate(file.lines, 1):
        fields = line.split("\t")
        if len(fields) != _OF_SEGMENTS:
            file.refuse(number, f"{len(fields)} fields", str(_OF_SEGMENTS))
        metric, pair, test_set, _, _, reference, system, segment, score = fields
        here = [metric, pair, test_set, reference]
        about = about or here
        if here != about:
            expected = f"{', '.join(about)} throughout: split the file by them"
            file.refuse(number, ", ".join(here), expected)
        if not segment.isascii() or not segment.isdigit() or len(segment) > 9:
            file.refuse(number, f"segment {segment!r}", "a whole number from 1")
        yield number, {"system": system, "item": int(segment), "scores": {metric: score}}


# Results of whole evaluations, which tools write beside those of items.


def _is_summary(file: ScoreFile) -> bool:
    """Results of lm-evaluation-harness and lighteval, and HELM's stats.json."""
    of_harness = is_object(file.json, "results", "versions") or is_object(file.json, "config_tasks")
    first = value_inside(file.json, ["0"])
    return of_harness or is_object(first, "name", "count", "sum_squared")


def _refuse_summary(file: ScoreFile) -> Iterator[Numbered]:
    expected = "scores of its items: samples_*.jsonl, details_*.parquet, per_instance_stats.json"
    file.refuse(None, "results of a whole evaluation", expected)


# promptfoo: rows of any number of systems as JSON, JSON lines or CSV. A system is a provider, with
# its prompt where it has several. Rows of the same variables are repeats. What ended in an error
# (failureReason 2) has no score.

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
        checksum, own_id = _canonical(inputs), inputs.get("id")
        item = own_id if is_name(own_id) else checksum
        about = {"system": system, "item": item, "checksum": checksum, "fields": inputs}
        scores = {**(named if isinstance(named, dict) else {}), "score": score}
        yield line, {**about, "scores": None if score is None else scores}


#: Line, provider and prompt, variables, named scores, and the score, None after an error.
_Row: TypeAlias = tuple[int | None, tuple[str, str], dict[str, Any], Any, Any]


def _promptfoo_json(file: ScoreFile) -> Iterator[_Row]:
    results = value_inside(file.json, ["results", "results"])
    rows = list(file.records()) if results is None else _objects(file, results)
    # They stand in order of completion.
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
    """Columns that repeat: those of each system begin before its status."""
    rows = tables.csv_rows(file.path, file.text)
    _, header = next(rows)
    places = [place for place, name in enumerate(header) if name == "Status"]
    for line, row in rows:
        if len(row) != len(header):
            file.refuse(line, f"{len(row)} fields", f"{len(header)}, as in the header")
        inputs = dict(zip(header[: places[0] - 1], row, strict=False))
        for place in places:
            name = _PROMPTFOO_SYSTEM.match(header[place - 1])
            system = (name["provider"], name["prompt"]) if name else (header[place - 1], "")
            status, score, named = (*row[place : place + 3], "", "")[:3]
            scores = tables.json_in(file.path, line, named or "{}", "scores by name")
            yield line, system, inputs, scores, None if status == "ERROR" else score


def _objects(file: ScoreFile, values: Any) -> list[Numbered]:
    """Objects of a list, as they must be."""
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        file.refuse(None, "something else", "a list of objects, one for each answer")
    return [(None, value) for value in values]


# DeepEval: one run of one system. A metric that failed has no score. No file says which version
# wrote it, and versions differ in the direction of some metrics: what passed tells it.


def _deepeval_run(file: ScoreFile) -> Any:
    run = value_inside(file.json, ["testRunData"])
    return file.json if run is None else run


def _deepeval_about(file: ScoreFile) -> tuple[str, str]:
    run = _deepeval_run(file)
    names = (value_inside(run, place) for place in (["hyperparameters", "model"], ["identifier"]))
    return str(next(filter(None, names), "")) or file.name, ""


def _deepeval_records(file: ScoreFile) -> Iterator[Numbered]:
    run = _deepeval_run(file)
    for key in ("testCases", "conversationalTestCases"):
        for _, case in _objects(file, run.get(key) or []):
            names = map(case.get, ("input", "scenario", "name"))
            yield None, {**case, "item": next(filter(None, names), None)}


def _deepeval_metrics(case: Record) -> list[dict[str, Any]]:
    metrics = case.get("metricsData")
    return [m for m in metrics if isinstance(m, dict)] if isinstance(metrics, list) else []


def _deepeval_directions(file: ScoreFile) -> dict[str, bool]:
    fits: dict[str, set[bool]] = {}
    for _, case in _deepeval_records(file):
        for metric in _deepeval_metrics(case):
            score, least, passed = (metric.get(key) for key in ("score", "threshold", "success"))
            if isinstance(score, int | float) and isinstance(least, int | float):
                possible = fits.setdefault(str(metric.get("name")), {True, False})
                possible -= {True} if (score >= least) != passed else set()
                possible -= {False} if (score <= least) != passed else set()
    return {name: higher for name, left in fits.items() if len(left) == 1 for higher in left}


# openai/evals: events of one run; match and metrics have scores.


def _openai_records(file: ScoreFile) -> Iterator[Numbered]:
    places = {"system": "spec.completion_fns.0", "benchmark": "spec.eval_name"}
    about = {k: value_inside(file.first_record, place.split(".")) for k, place in places.items()}
    seen: Counter[tuple[str, str]] = Counter()
    for line, event in file.records():
        kind, data = event.get("type"), event.get("data")
        if kind not in ("match", "metrics") or not isinstance(data, dict):
            continue
        scores = {"correct": data.get("correct")}
        if kind == "metrics":
            scores = {name: value for name, value in data.items() if _is_number(value)}
        sample = event.get("sample_id")
        seen[str(sample), kind] += 1
        answer = seen[str(sample), kind]
        yield line, {**about, "item": sample, "scores": scores, "answer": answer}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


# HELM: an entry for each instance, trial and class of metrics. Counts of tokens and the like are no
# scores.

_HELM_ACCOUNTS = re.compile(
    r"num_|batch_size|finish_reason|inference_|training_|prompt_truncated|max_prob|predicted_index"
)


def _helm_about(file: ScoreFile) -> tuple[str, str]:
    """The model of the run's specification, and the run without it."""
    spec = _json_of(os.path.dirname(file.path), "run_spec.json")
    folder = os.path.basename(os.path.dirname(os.path.abspath(file.path)))
    run = value_inside(spec, ["name"]) or folder
    model = value_inside(spec, ["adapter_spec", "model"])
    return str(model or folder), re.sub(r",?\bmodel(_deployment)?=[^,]*", "", str(run)).strip(":,")


def _helm_scores(entry: Record) -> dict[str, Any] | None:
    stats: Any = entry.get("stats")
    if isinstance(stats, list):
        named = ((value_inside(stat, ["name", "name"]), stat) for stat in stats)
        stats = {str(name): value_inside(stat, ["mean"]) for name, stat in named}
    if not isinstance(stats, dict):
        return None
    scores = {name: mean for name, mean in stats.items() if not _HELM_ACCOUNTS.match(name)}
    return scores or None


# lighteval: details as Parquet in details/MODEL/DATE, results in results/MODEL.


def _is_lighteval(file: ScoreFile) -> bool:
    if extension(file.path) != ".parquet":
        return False
    return {"doc", "metric"} <= set(tables.read_parquet(file.path, file.data).columns)


def _lighteval_path(file: ScoreFile) -> tuple[str, str, str]:
    """The folder of all that lighteval wrote, the model, and the date."""
    root, _, inside = os.path.abspath(file.path).replace(os.sep, "/").rpartition("/details/")
    model, _, date = inside.rpartition("/")[0].rpartition("/")
    return root, model, date


def _lighteval_directions(file: ScoreFile) -> dict[str, bool]:
    root, model, date = _lighteval_path(file)
    tasks = value_inside(_json_of(root, "results", model, f"results_{date}.json"), ["config_tasks"])
    higher: dict[str, bool] = {}
    for task in tasks.values() if isinstance(tasks, dict) else ():
        for _, metric in _objects(file, value_inside(task, ["metrics"]) or []):
            name, told = metric.get("metric_name"), metric.get("higher_is_better")
            higher |= _directions(told if isinstance(told, dict) else {str(name): told})
    return higher


# WMT25's automatic scores: a line for each document, with a score for each of its paragraphs.


def _wmt25_records(file: ScoreFile) -> Iterator[Numbered]:
    for line, record in file.records():
        pair, domain, document = (record.get(k) for k in ("language_pair", "domain", "document_id"))
        scores = record.get("metric_scores")
        lists: list[Any] = list(scores.values()) if isinstance(scores, dict) else [None]
        if not all(isinstance(own, list) and len(own) == len(lists[0]) for own in lists):
            file.refuse(line, "other metric_scores", "as many numbers by each metric")
        fields = {"document": document, "domain": domain, "language_pair": pair}
        for place, row in enumerate(zip(*lists, strict=True)):
            own = {"scores": dict(zip(scores or (), row, strict=True)), "fields": fields}
            name = f"{pair}_#_{domain}_#_{document}_#_{place}"
            yield line, {"benchmark": pair, "item": name, **own}


# Hugging Face's evaluate.save: lists have a score for each segment; single numbers are of a text.


def _evaluate_records(file: ScoreFile) -> Iterator[Numbered]:
    lists = {
        name: values
        for name, values in file.json.items()
        if isinstance(values, list) and values and all(map(_is_number, values))
    }
    if not lists:
        expected = "a list with a score of each segment, as BERTScore and COMET give"
        file.refuse(None, "scores of a whole text alone", expected)
    if len({len(values) for values in lists.values()}) > 1:
        file.refuse(None, f"lists of other lengths: {', '.join(lists)}", "as many in each")
    for row in zip(*lists.values(), strict=True):
        yield None, {"scores": dict(zip(lists, row, strict=True))}


# bert-score -s: the settings and the means, then precision, recall and F1 of each segment.

_BERT_SCORE = re.compile(r"(?P<settings>\S+) P: \S+ R: \S+ F1: \S+$")


def _bert_score_records(file: ScoreFile) -> Iterator[Numbered]:
    settings = file.lines[0].partition(" ")[0]
    if len(file.lines) == 1:
        file.refuse(1, "scores of a whole text alone", "those of its segments: bert-score -s")
    for number, line in enumerate(file.lines[1:], 2):
        numbers = line.split("\t")
        if len(numbers) != 3:
            file.refuse(number, f"{len(numbers)} fields", "P, R and F1 between tabs")
        scores = dict(zip(("P", "R", "F1"), numbers, strict=True))
        yield number, {"scores": scores, "data": settings}


# One answer on each line, as BLEURT and GEMBA write them: one system's scores, in order. None is
# an answer that could not be read: a missing score, never 0.


def _are_numbers(file: ScoreFile) -> bool:
    first = file.lines[0].strip()
    return first == "None" or (tables.is_score(first) and tables.parse_score(first) is not None)


def _line_records(file: ScoreFile) -> Iterator[Numbered]:
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            file.refuse(number, "a blank line", "a number, or None where there is none")
        yield number, {"scores": {"score": line.strip()}}


#: The formats, the surest signs first.
FORMATS = {
    "COMET": Format(
        writes="what comet-score prints; the JSON of comet-score and comet-compare",
        knows=_is_comet,
        records=_comet_records,
        output="output",
        first=0,
        higher={"": True},
    ),
    "MetricX": Format(
        writes="JSON lines with a prediction; lower is better",
        knows=has_keys("prediction", "hypothesis"),
        needs=frozenset({"prediction"}),
        system="system_id",
        item="segment_id",
        scores=lambda record: {"MetricX": record["prediction"]},
        output="hypothesis",
        first=0,
        higher={"": False},
        scale=tables.Scale(0, 25),
    ),
    "lm-evaluation-harness": Format(
        writes="the samples that --log_samples writes",
        knows=has_keys("doc_id", "filtered_resps", "metrics"),
        needs=frozenset({"doc_id", "filtered_resps", "metrics"}),
        about=_lm_eval_about,
        item="doc_id",
        scores=_lm_eval_scores,
        checksum=_lm_eval_checksum,
        filter="filter",
        fields="doc",
        output=_lm_eval_output,
        references=_lm_eval_references,
        by_number=True,
        higher=_lm_eval_directions,
    ),
    "Inspect": Format(
        writes="logs as .eval or JSON, and saved data frames of its samples",
        knows=lambda file: file.data[:4] == ZIP or is_object(file.json, "eval", "samples"),
        records=_inspect_records,
        item="id",
        scores=_inspect_scores,
        checksum="target",
        data="data",
        answer="epoch",
        are_runs=True,
        fields="metadata",
    ),
    "Every Eval Ever": Format(
        writes="JSON of results, JSON lines of samples",
        knows=lambda file: _are_results(file) or has_keys(*_SAMPLE)(file),
        records=_every_eval_ever_records,
        needs=_SAMPLE,
        system="model_id",
        item="sample_id",
        benchmark="evaluation_name",
        checksum="sample_hash",
        fields="fields",
        output=_only_output,
        references="input.reference",
        higher=_every_eval_ever_directions,
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
        usual=("score",),
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
        higher=_deepeval_directions,
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
        writes="per_instance_stats.json and display_predictions.json, with run_spec.json beside",
        knows=lambda file: is_object(
            value_inside(file.json, ["0"]), "instance_id", "train_trial_index"
        ),
        records=lambda file: _objects(file, file.json),
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
        about=lambda file: (_lighteval_path(file)[1] or file.name, ""),
        item="doc.id",
        scores="metric",
        benchmark="doc.task_name",
        checksum="doc.query",
        fields="doc.specific",
        higher=_lighteval_directions,
    ),
    "WMT25": Format(
        writes="automatic_scores, JSON lines of documents",
        knows=has_keys("language_pair", "document_id", "metric_scores"),
        records=_wmt25_records,
        fields="fields",
        documents="document",
        higher={"": True},
        usual=("CometKiwi-XL",),
    ),
    "Hugging Face evaluate": Format(
        writes="evaluate.save of lists",
        knows=lambda file: is_object(file.json, "_evaluate_version"),
        records=_evaluate_records,
        first=1,
        usual=("f1", "scores", "score"),
    ),
    "bert-score": Format(
        writes="what bert-score -s prints",
        knows=lambda file: _BERT_SCORE.match(file.lines[0]) is not None,
        records=_bert_score_records,
        data="data",
        first=1,
        higher={"": True},
        usual=("F1",),
    ),
    "WMT metrics task": Format(
        writes="submissions of 9 fields for each segment",
        knows=_is_submission,
        records=_submission_records,
        first=1,
    ),
    "BLEURT, GEMBA": Format(
        writes="a number or None on each line, of one system",
        knows=_are_numbers,
        records=_line_records,
        first=1,
    ),
}


def format_of(file: ScoreFile) -> Format | None:
    """The format of a file; None where it is of none of these tools, and so a table."""
    summary = Format(knows=_is_summary, records=_refuse_summary)
    form = next((form for form in (*FORMATS.values(), summary) if form.knows(file)), None)
    is_json = file.text.lstrip()[:1] in ("{", "[")
    if form is None and is_json and file.json is None and not file.first_record:
        tables.json_in(file.path, None, file.text, "a JSON value, or one on each line")
    return form


#: What HELM writes beside the scores of instances.
_HELM = "per_instance_stats.json"


def score_files(systems: Iterable[str | os.PathLike[str]]) -> Iterator[str | os.PathLike[str]]:
    """Files, patterns as what they match, and folders as the files of scores inside."""
    for written in systems:
        yield from files_inside(written) if os.path.isdir(written) else expanded([written])


def files_inside(folder: str | os.PathLike[str]) -> Iterator[str]:
    """Files in a folder and in folders inside, but for summaries that tools put beside them."""
    for inside, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in [_HELM] if _HELM in names else sorted(names):
            of_results = name.replace("_samples.jsonl", ".json")
            is_read_by_results = of_results != name and of_results in names
            is_summary = name.startswith("results_") and name.endswith(".json")
            is_summary |= name.endswith((".md", ".html", ".log", ".yaml", ".png"))
            if not (name.startswith(".") or is_read_by_results or is_summary):
                yield os.path.join(inside, name)


def keeps_texts(path: str) -> bool:
    """Whether a tool wrote the file that keeps outputs and references beside its scores."""
    file = ScoreFile.read(path)
    return any(form.references and form.knows(file) for form in FORMATS.values())


def holds_scores(path: str, *, table: bool = True) -> bool:
    """Whether a file is of one of these tools, or a table that has scores, where it may be one."""
    file = ScoreFile.read(path)
    try:
        return format_of(file) is not None or (
            table
            and extension(path) != ".txt"
            and any(_scored(tables.read_score_table(path, file.data)))
        )
    except TruebleuError:
        return False


def read_evaluations(path: str, *, by_benchmark: bool = False) -> list[Evaluation]:
    """The evaluations in a file of a tool, or in a table of items; one for each system.

    Args:
        path: the file.
        by_benchmark: whether a column of a table may tell benchmarks apart.
    """
    file = ScoreFile.read(path)
    form = format_of(file)
    if form is None:
        table = tables.read_score_table(path, file.data)
        form = _table_format(file, table, tables.BENCHMARK if by_benchmark else ())
    return evaluations_of(file, form)


# Tables of items, with a row for each answer of one system. A column that names systems makes it a
# table of several.

# The columns of Inspect's data frames, as `inspect_ai.analysis.samples_df` makes them.
_INSPECT_FRAME = frozenset({"sample_id", "eval_id", "epoch"})
_INSPECT_SCORE = "score_"


def records_of(table: tables.Table) -> list[Numbered]:
    """The rows of a table, each with its line."""
    if not table.columns:
        raise EmptyTextError(table.path)
    values = zip(*map(table.values, table.columns), strict=True)
    rows = (dict(zip(table.columns, row, strict=True)) for row in values)
    return list(zip(table.all_lines(), rows, strict=True))


def evaluations_in_memory(name: str, rows: Any) -> list[Evaluation]:
    """The systems in a data frame; or one of rows, or of numbers in order, which has that name."""
    if is_frame(rows):
        columns = {key: column_values(own) for key, own in frame_columns("systems", rows).items()}
    else:
        records = _listed(name, rows)
        if not all(isinstance(row, Mapping) for row in records):
            records = [{"score": number} for number in numbers_of(name, records)]
        keys = dict.fromkeys(key for row in records for key in row)
        columns = {str(key): [row.get(key) for row in records] for key in keys}
    plain: dict[str, Sequence[object]] = {
        key: [_plain(value) for value in own] for key, own in columns.items()
    }
    file, table = ScoreFile(name), tables.table_of_columns(name, plain)
    form = _table_format(file, table, (), tables.SYSTEM if is_frame(rows) else ())
    return evaluations_of(file, form) or [Evaluation(label=name, digest="", system=name, items=())]


def _listed(system: str, values: Any) -> list[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise SettingError(f"scores of {system!r}", values, "a list or array of numbers")
    return list(values)


def numbers_of(system: str, values: Iterable[object]) -> list[Answer]:
    """Scores in memory, None or NaN where one is missing."""
    numbers = []
    for segment, value in enumerate(_listed(system, values), 1):
        try:
            numbers.append(tables.parse_score(_plain(value)))
        except tables.NotAScoreError as reason:
            where = f"scores of {system!r}: segment {segment}"
            raise SettingError(where, value, str(reason)) from None
    return numbers


def _plain(value: Any) -> object:
    """A value of a data frame: NaN and NA are nothing, and numbers of arrays are numbers."""
    value = value.item() if getattr(value, "ndim", None) == 0 else value
    if value is None or isinstance(value, str | bool | int | list | dict):
        return value
    try:
        return None if value != value else value
    except TypeError:  # pandas' NA is neither equal nor different
        return None
    except ValueError:  # an array
        return value


def _table_format(
    file: ScoreFile,
    table: tables.Table,
    benchmarks: Sequence[str],
    systems: Sequence[str] = tables.SYSTEM,
) -> Format:
    """Where things are in a table: systems are those that a column names, or else the file's."""
    if set(table.columns) >= _INSPECT_FRAME:
        table, scored = _inspect_table(file, table, systems)
    else:
        scored = _scored(table)
    named = [name for name in scored if name.lower() in tables.SCORE]
    usual = [name for name in named if name.lower() == tables.SCORE[0]]
    records = records_of(table)
    model, benchmark, answer = (table.find(names) for names in (systems, benchmarks, tables.ANSWER))
    for line, record in records:
        for column in (model, benchmark):
            if column is not None and not is_name(record[column]):
                file.refuse(line, f"{column} {record[column]!r}", "a name")
    return Format(
        records=lambda _: records,
        system=model or "",
        item=table.find(tables.ITEM) or "",
        scores=lambda record: {name: record[name] for name in scored},
        benchmark=benchmark or "",
        answer=answer or "",
        fields=lambda record: record,
        may_repeat=answer is None,
        are_runs=answer is not None and answer.lower() not in tables.RATER,
        usual=tuple(named if len(named) == 1 else usual),
    )


def _inspect_table(
    file: ScoreFile, table: tables.Table, systems: Sequence[str]
) -> tuple[tables.Table, list[str]]:
    """Inspect's samples, and their scores, which are called after their scorers."""
    columns = {name: table.values(name) for name in table.columns}
    if systems and "model" not in columns and len(set(columns["eval_id"])) > 1:
        expected = "a column model: samples_df(logs, columns=EvalModel + SampleSummary)"
        file.refuse(None, "samples of several evaluations", expected)
    # The id of a sample in its dataset counts, not that of the sample in a log.
    del columns["sample_id"]
    names = [name for name in columns if name.startswith(_INSPECT_SCORE)]
    scores = {
        name.removeprefix(_INSPECT_SCORE): list(map(_counted, columns.pop(name))) for name in names
    }
    columns |= scores
    return replace(table, columns=tuple(columns), values=columns.__getitem__), list(scores)


#: Names of columns that keep accounts: numbers, times and places, which are no scores.
_ACCOUNTS = re.compile(
    r"^_?$|^unnamed|(^|_)(id|idx|index|trial|epoch|seed|row|line|turn|order|position|t?stamp|"
    r"timestamp|datetime|date|time|at|anony)$"
)
# Where a name has its words apart, or should: sample-id, sampleId.
_BETWEEN_WORDS = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])")


def _scored(table: tables.Table) -> list[str]:
    """The columns of scores: they have nothing else, or are called so and have hardly else.

    A slip in a column that is plainly one of scores is then refused with its line.
    """
    others = {*tables.ITEM, *tables.SYSTEM, *tables.ANSWER, *tables.BENCHMARK}
    scored = []
    for name in table.columns:
        words = _BETWEEN_WORDS.sub("_", name).lower()
        if name.lower() in others or _ACCOUNTS.search(words):
            continue
        values = table.values(name)
        bad = sum(isinstance(value, list | dict) or not tables.is_score(value) for value in values)
        good = (
            len(values)
            - bad
            - sum(tables.is_score(v) and tables.parse_score(v) is None for v in values)
        )
        if good > bad if name.lower() in tables.SCORE else good > 0 and bad == 0:
            scored.append(name)
    return scored
