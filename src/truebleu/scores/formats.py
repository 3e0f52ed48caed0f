"""The files of scores that are known: one short declaration for each tool, and tables of items."""

from __future__ import annotations

import os
import re
from ast import literal_eval
from collections.abc import Iterable, Mapping
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from truebleu.corpus._files import decompress, refuse_large
from truebleu.corpus.tables import (
    ANSWER,
    BENCHMARK,
    ITEM,
    SCORE,
    SYSTEM,
    NotAScoreError,
    Scale,
    is_score,
    json_in,
    parse_json,
    parse_score,
    read_score_table,
    table_of_columns,
    value_inside,
)
from truebleu.corpus.test_set import column_values, frame_columns, is_frame
from truebleu.errors import MalformedFileError, MissingExtraError, SettingError
from truebleu.scores.evaluations import (
    ZIP,
    Evaluation,
    Format,
    Numbered,
    Record,
    ScoreFile,
    evaluations_of,
    has_keys,
    is_name,
    name_of,
    quoted,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from zipfile import ZipInfo

    from truebleu.corpus.tables import Table
    from truebleu.scores.evaluations import Answer


def _all(*, higher: bool) -> Callable[[ScoreFile], Mapping[str, bool]]:
    """The direction of all scores of a tool."""
    return lambda _: {"": higher}


# COMET: higher is better. The model's name is in no file of comet-score: give it by ``name=``.

_COMET_LINE = re.compile(
    r"(?P<file>[^\t]+)\t(Segment (?P<segment>\d{1,9})\t)?score: (?P<score>[^\s]+)$"
)
# Scores have four decimals, and so has their mean.
_COMET_ROUNDED = 1e-4


def _is_comparison(values: Any) -> bool:
    return isinstance(values, dict) and {"statistical_results", "translations"} <= values.keys()


def _is_comet(file: ScoreFile) -> bool:
    if not isinstance(file.json, dict):
        return any(map(_COMET_LINE.match, file.lines))
    is_scores = bool(file.json) and all(
        isinstance(rows, list) and rows and isinstance(rows[0], dict) and "COMET" in rows[0]
        for rows in file.json.values()
    )
    return is_scores or _is_comparison(file.json)


def _comet_records(file: ScoreFile) -> Iterator[Numbered]:
    """What ``comet-score`` prints, and the JSON of comet-score and comet-compare."""
    if not isinstance(file.json, dict):
        yield from _printed_comet(file)
        return
    tables, name = list(file.json.items()), "COMET"
    if _is_comparison(file.json):
        model = file.json.get("model")
        name = model.rsplit("/", 1)[-1] if isinstance(model, str) else name
        tables = []
        for translation in file.json["translations"]:
            scores, texts = (value_inside(translation, [key]) for key in ("scores", "mt"))
            if not isinstance(scores, list):
                file.refuse(None, "a translation without scores", "name and scores of each")
            outputs = (value_inside(texts, [str(place)]) for place in range(len(scores)))
            rows = [{"COMET": s, "mt": text} for s, text in zip(scores, outputs, strict=True)]
            tables.append((str(translation.get("name", "")), rows))
    for path, rows in tables:
        for number, row in enumerate(rows):
            if not isinstance(row, dict) or "COMET" not in row:
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
        if not is_score(written):
            file.refuse(number, f"COMET {written!r}", "a number")
        score = parse_score(written)
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
    return {str(n): record[n] for n in names if n in record} if isinstance(names, list) else names


def _lm_eval_output(record: Record) -> object:
    outputs = record["filtered_resps"]
    return outputs[0] if isinstance(outputs, list) and outputs else outputs


def _lm_eval_references(record: Record) -> Any:
    """The target; where a metric keeps several of them beside the output, all of them.

    The harness writes every target as text, a list as Python prints it.
    """
    for kept in map(record.get, record["metrics"]):
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


def _lm_eval_about(file: ScoreFile) -> tuple[str, str]:
    """The folder that the harness names after the model, and the task in the file's name."""
    folder = os.path.basename(os.path.dirname(os.path.abspath(file.path)))
    model = folder if os.path.basename(file.path).startswith("samples_") else file.name
    match = re.match(r"samples_(?P<task>.+)_\d{4}-\d\d-\d\dT[^_]*$", file.name)
    return model, match["task"] if match else ""


# Inspect: logs as JSON or as .eval archives. Epochs of a sample are answers to one item. Letters
# count as Inspect counts them. A sample that failed has no score.

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def _is_inspect(file: ScoreFile) -> bool:
    is_log = isinstance(file.json, dict) and {"eval", "samples"} <= file.json.keys()
    return is_log or file.data[:4] == ZIP


def _inspect_records(file: ScoreFile) -> Iterator[Numbered]:
    log = _archived_log(file.path, file.data) if file.data[:4] == ZIP else file.json
    if not isinstance(log["samples"], list):
        file.refuse(None, "no list of samples", "a log with its samples")
    model, task = (value_inside(log["eval"], [key]) for key in ("model", "task"))
    for number, sample in enumerate(log["samples"], 1):
        if not isinstance(sample, dict) or "id" not in sample:
            file.refuse(None, f"sample {number} without an id", "one for each sample")
        yield None, {**sample, "system": model, "benchmark": task}


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
            return parse_json(text)
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
_RESULTS = frozenset({"schema_version", "evaluation_results"})


def _are_results(file: ScoreFile) -> bool:
    return isinstance(file.json, dict) and file.json.keys() >= _RESULTS


def _every_eval_ever_records(file: ScoreFile) -> Iterator[Numbered]:
    """Samples with the name of their metric: a single one is called score, as nothing tells it."""
    records = list((_samples_beside(file) if _are_results(file) else file).records())
    names: dict[tuple[object, object], set[str]] = {}
    for _, record in records:
        key = record.get("model_id"), record.get("evaluation_name")
        names.setdefault(key, set()).add(str(record.get("evaluation_result_id", "")))
    for line, record in records:
        of_model = names[record.get("model_id"), record.get("evaluation_name")]
        metric = str(record.get("evaluation_result_id", "")) if len(of_model) > 1 else "score"
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


# Marot: scores of automatic metrics in the metadata of MQM annotations. A segment has a row for
# each annotation, and its scores may be in any of them.

_MAROT_FIELDS = 10


def _is_marot(file: ScoreFile) -> bool:
    if file.lines[0].count("\t") != _MAROT_FIELDS - 1:
        return False
    return any('"metrics"' in line.rpartition("\t")[2] for line in file.lines)


def _rows(file: ScoreFile, width: int) -> Iterator[tuple[int, list[str]]]:
    """Fields between tabs, as many on each line."""
    for number, line in enumerate(file.lines, 1):
        fields = line.split("\t")
        if len(fields) != width:
            file.refuse(number, f"{len(fields)} fields", str(width))
        yield number, fields


def _marot_records(file: ScoreFile) -> Iterator[Numbered]:
    above: dict[tuple[str, str], dict[str, object]] = {}
    for number, fields in _rows(file, _MAROT_FIELDS):
        if number == 1 and [field.lower() for field in fields[:2]] == ["system", "doc"]:
            continue
        system, document, in_document, segment = fields[:4]
        metadata: Any = {}
        if fields[-1].strip():
            try:
                metadata = parse_json(fields[-1])
            except ValueError:
                file.refuse(number, f"metadata {quoted(fields[-1])}", "a JSON object")
        scores = value_inside(metadata, ["segment", "metrics"])
        name = segment or f"{document}:{in_document}"
        known = above.setdefault((system, name), {})
        scores = scores if isinstance(scores, dict) else {}
        for metric in scores.keys() & known.keys():
            if known[metric] != scores[metric]:
                found = f"{metric} {scores[metric]} of item {name} of {system}"
                file.refuse(number, found, f"{known[metric]}, as above")
        further = {metric: scores[metric] for metric in scores if metric not in known}
        known |= further
        about = {"system": system, "item": name, "fields": {"doc": document}}
        yield number, {**about, "scores": further or None}


# Submissions to WMT's metrics task: METRIC LP TESTSET DOMAIN DOC REF SYSTEM SEGNO SCORE, between
# tabs. Files of system scores have 7 fields, and no segments to compare.

_LANGUAGE_PAIR = re.compile(r"[a-z]{2,3}(_[A-Za-z]+)?-[a-z]{2,3}(_[A-Za-z]+)?$")
_OF_SEGMENTS, _OF_SYSTEMS = 9, 7


def _is_submission(file: ScoreFile) -> bool:
    fields = file.lines[0].split("\t")
    if len(fields) not in (_OF_SEGMENTS, _OF_SYSTEMS):
        return False
    return _LANGUAGE_PAIR.match(fields[1]) is not None and is_score(fields[-1])


def _submission_records(file: ScoreFile) -> Iterator[Numbered]:
    if len(file.lines[0].split("\t")) == _OF_SYSTEMS:
        expected = f"scores of segments, with {_OF_SEGMENTS} fields"
        file.refuse(1, f"{_OF_SYSTEMS} fields, scores of systems", expected)
    about: list[str] = []
    for number, fields in _rows(file, _OF_SEGMENTS):
        metric, pair, test_set, _, _, reference, system, segment, score = fields
        here = [metric, pair, test_set, reference]
        about = about or here
        if here != about:
            expected = f"{', '.join(about)} throughout: split the file by them"
            file.refuse(number, ", ".join(here), expected)
        if not segment.isascii() or not segment.isdigit() or len(segment) > 9:
            file.refuse(number, f"segment {segment!r}", "a whole number from 1")
        yield number, {"system": system, "item": int(segment), "scores": {metric: score}}


# One answer on each line, as BLEURT and GEMBA write them: one system's scores, in order. None is
# an answer that could not be read: a missing score, never 0.


def _are_numbers(file: ScoreFile) -> bool:
    first = file.lines[0].strip()
    return first == "None" or (is_score(first) and parse_score(first) is not None)


def _line_records(file: ScoreFile) -> Iterator[Numbered]:
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            file.refuse(number, "a blank line", "a number, or None where there is none")
        yield number, {"scores": {"score": line.strip()}}


#: The formats, the surest signs first.
FORMATS = (
    Format(
        tool="COMET",
        writes="what comet-score prints; the JSON of comet-score and comet-compare",
        knows=_is_comet,
        records=_comet_records,
        output="output",
        first=0,
        one_score=True,
        higher=_all(higher=True),
    ),
    Format(
        tool="MetricX",
        writes="JSON lines with a prediction; lower is better",
        knows=has_keys("prediction", "hypothesis"),
        needs=frozenset({"prediction"}),
        system="system_id",
        item="segment_id",
        scores=lambda record: {"MetricX": record["prediction"]},
        output="hypothesis",
        first=0,
        one_score=True,
        higher=_all(higher=False),
        scale=Scale(0, 25),
    ),
    Format(
        tool="lm-evaluation-harness",
        writes="the samples that --log_samples writes",
        knows=has_keys("doc_id", "filtered_resps", "metrics"),
        needs=frozenset({"doc_id", "filtered_resps", "metrics"}),
        about=_lm_eval_about,
        item="doc_id",
        scores=_lm_eval_scores,
        checksum="doc_hash",
        filter="filter",
        fields="doc",
        output=_lm_eval_output,
        references=_lm_eval_references,
        by_number=True,
    ),
    Format(
        tool="Inspect",
        writes="logs as .eval or JSON, and saved data frames of its samples",
        knows=_is_inspect,
        records=_inspect_records,
        item="id",
        scores=_inspect_scores,
        checksum="target",
        answer="epoch",
        fields="metadata",
        higher=_all(higher=True),
    ),
    Format(
        tool="Every Eval Ever",
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
    Format(
        tool="Marot",
        writes="MQM annotations with segment.metrics in their metadata",
        knows=_is_marot,
        records=_marot_records,
        fields="fields",
        by_number=True,
    ),
    Format(
        tool="WMT metrics task",
        writes="submissions of 9 fields for each segment",
        knows=_is_submission,
        records=_submission_records,
        first=1,
        one_score=True,
    ),
    Format(
        tool="BLEURT, GEMBA",
        writes="a number or None on each line, of one system",
        knows=_are_numbers,
        records=_line_records,
        first=1,
        one_score=True,
    ),
)


def format_of(file: ScoreFile) -> Format | None:
    """The format of a file; None where it is of none of these tools, and so a table."""
    form = next((form for form in FORMATS if form.knows(file)), None)
    is_json = file.text.lstrip()[:1] in ("{", "[")
    if form is None and is_json and file.json is None and not file.first_record:
        json_in(file.path, None, file.text, "a JSON value, or one on each line")
    return form


def keeps_texts(path: str) -> bool:
    """Whether a tool wrote the file that keeps outputs and references beside its scores."""
    file = ScoreFile.read(path)
    return any(form.references and form.knows(file) for form in FORMATS)


def read_evaluations(path: str, *, by_benchmark: bool = False) -> list[Evaluation]:
    """The evaluations in a file of a tool, or in a table of items; one for each system.

    Args:
        path: the file.
        by_benchmark: whether a column of a table may tell benchmarks apart.
    """
    file = ScoreFile.read(path)
    form = format_of(file)
    if form is None:
        table = read_score_table(path, file.data)
        form = _table_format(file, table, BENCHMARK if by_benchmark else ())
    return evaluations_of(file, form)


# Tables of items, with a row for each answer of one system. A column that names systems makes it a
# table of several.

# The columns of Inspect's data frames, as `inspect_ai.analysis.samples_df` makes them.
_INSPECT_FRAME = frozenset({"sample_id", "eval_id", "epoch"})
_INSPECT_SCORE = "score_"


def records_of(table: Table) -> list[Numbered]:
    """The rows of a table, each with its line."""
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
    file, table = ScoreFile(name), table_of_columns(name, plain)
    form = _table_format(file, table, (), SYSTEM if is_frame(rows) else ())
    return evaluations_of(file, form) or [Evaluation(label=name, digest="", system=name, items=())]


def _listed(system: str, values: Any) -> list[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise SettingError(f"scores of {system!r}", values, "a list or array of numbers")
    return list(values)


def numbers_of(system: str, values: Iterable[object]) -> list[Answer]:
    """Scores in memory, None or NaN where one is missing."""
    numbers: list[Answer] = []
    for segment, value in enumerate(_listed(system, values), 1):
        try:
            # Arrays say that a score is missing with the number that equals no number.
            missing = value is None or value != value
            numbers.append(None if missing else parse_score(value))
        except (ValueError, TypeError) as reason:
            expected = f"{reason}" if isinstance(reason, NotAScoreError) else "a number"
            where = f"scores of {system!r}: segment {segment}"
            raise SettingError(where, value, expected) from None
    return numbers


def _plain(value: Any) -> object:
    """A value of a data frame: NaN and NA are nothing, and numbers of arrays are numbers."""
    value = value.item() if getattr(value, "ndim", None) == 0 else value
    if value is None or isinstance(value, str | bool | int | list | dict):
        return value
    try:
        return None if value != value else value
    except (TypeError, ValueError):  # pandas' NA is neither equal nor different
        return None


def _table_format(
    file: ScoreFile,
    table: Table,
    benchmarks: Sequence[str],
    systems: Sequence[str] = SYSTEM,
) -> Format:
    """Where things are in a table: systems are those that a column names, or else the file's."""
    if set(table.columns) >= _INSPECT_FRAME:
        table, scored = _inspect_table(file, table, systems)
    else:
        scored = _scored(table)
    named = [name for name in scored if name.lower() in SCORE]
    usual = next((name for name in named if name.lower() == SCORE[0]), "")
    records = records_of(table)
    model, benchmark = table.find(systems), table.find(benchmarks)
    for line, record in records:
        for column in (model, benchmark):
            if column is not None and not is_name(record[column]):
                file.refuse(line, f"{column} {record[column]!r}", "a name")
    return Format(
        records=lambda _: records,
        system=model or "",
        item=table.find(ITEM) or "",
        scores=lambda record: {name: record[name] for name in scored},
        benchmark=benchmark or "",
        answer=table.find(ANSWER) or "",
        fields=lambda record: record,
        may_repeat=table.find(ANSWER) is None,
        usual=named[0] if len(named) == 1 else usual,
    )


def _inspect_table(
    file: ScoreFile, table: Table, systems: Sequence[str]
) -> tuple[Table, list[str]]:
    """Inspect's samples, and their scores, which are called after their scorers."""
    columns = {name: table.values(name) for name in table.columns}
    if systems and "model" not in columns and len(set(columns["eval_id"])) > 1:
        expected = "a column model: samples_df(logs, columns=EvalModel + SampleSummary)"
        file.refuse(None, "samples of several evaluations", expected)
    # The id of a sample in its dataset counts, not that of the sample in a log.
    del columns["sample_id"]
    scores = {
        name.removeprefix(_INSPECT_SCORE): [_counted(value) for value in values]
        for name, values in columns.items()
        if name.startswith(_INSPECT_SCORE)
    }
    others = {name: own for name, own in columns.items() if not name.startswith(_INSPECT_SCORE)}
    columns = {**others, **scores}
    return replace(table, columns=tuple(columns), values=columns.__getitem__), list(scores)


def _scored(table: Table) -> list[str]:
    """The columns of scores: they have nothing else, or are called so and have hardly else.

    A slip in a column that is plainly one of scores is then refused with its line.
    """
    others = {*ITEM, *SYSTEM, *ANSWER, *BENCHMARK}
    scored = []
    for name in table.columns:
        if name.lower() in others:
            continue
        values = table.values(name)
        bad = sum(isinstance(value, list | dict) or not is_score(value) for value in values)
        good = len(values) - bad - sum(is_score(v) and parse_score(v) is None for v in values)
        if good > bad if name.lower() in SCORE else good > 0 and bad == 0:
            scored.append(name)
    return scored
