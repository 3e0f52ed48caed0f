"""Files that other evaluation tools write: one short declaration for each.

A declaration says how a file is known and where in its records things are; reading, grouping,
checking and error messages are the same for all. The first that knows a file reads it; what none
knows is a table, of all systems or, in a file for each system, of its items.
"""

from __future__ import annotations

import json
import os
import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from truebleu.corpus._files import (
    BYTE_ORDER_MARK,
    Files,
    decode,
    decompress,
    extension,
    refuse_large,
    stem,
)
from truebleu.corpus.tables import (
    ANSWER,
    ANY_NUMBER,
    BENCHMARK,
    ITEM,
    RATER,
    SCORE,
    SEGMENT,
    SYSTEM,
    NotAScoreError,
    RepeatedKeyError,
    Scale,
    Table,
    added,
    digest,
    is_score,
    parse_json,
    parse_score,
    read_score_table,
    score_columns,
    table_of_columns,
    value_inside,
    whole_number,
)
from truebleu.corpus.test_set import column_values, frame_columns
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    MissingExtraError,
    SettingError,
)
from truebleu.scores.evaluations import Evaluation, Item, SegmentScores, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from zipfile import ZipFile, ZipInfo

    from truebleu.corpus.test_set import Frame
    from truebleu.scores.evaluations import Answer

Record: TypeAlias = Mapping[str, Any]
#: How archives begin, of which only Inspect's are known.
ZIP = b"PK\x03\x04"


# Without slots, so that a file is parsed once however many declarations look at it.
@dataclass(frozen=True)
class ScoreFile:
    """A file that some tool wrote: its path, and its contents as bytes and as text."""

    path: str
    data: bytes = field(repr=False)
    text: str = field(repr=False)

    @classmethod
    def read(cls, path: str) -> ScoreFile:
        """A file, uncompressed; the log in an archive is its text, and Parquet has none."""
        data = Files().contents(path)
        if data[:4] == ZIP:
            return cls(path, data, _archived_log(path, data))
        if extension(path) == ".parquet":
            return cls(path, data, "")
        return cls(path, data, decode(path, data).removeprefix(BYTE_ORDER_MARK))

    @cached_property
    def digest(self) -> str:
        """The start of its SHA-256."""
        return digest(self.data)

    @property
    def name(self) -> str:
        """The file's name without folder and ending: that of the system, if nothing else is."""
        return name_of(self.path)

    @cached_property
    def json(self) -> Any:
        """The file as one JSON value; None where it is none."""
        if self.text.lstrip()[:1] not in ("{", "["):
            return None
        try:
            return parse_json(self.text, parse_constant=_refuse_constant)
        except RepeatedKeyError as error:
            self.refuse(None, str(error), "each key once")
        except ValueError:
            return None

    @cached_property
    def first_record(self) -> Record | None:
        """The first of the file's JSON lines; None where it has none."""
        line = next((line for line in self.lines if line.strip()), "")
        if not line.lstrip().startswith("{"):
            return None
        try:
            record = parse_json(line, parse_constant=_refuse_constant)
        except ValueError:
            return None
        return record if isinstance(record, dict) else None

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return [line.removesuffix("\r") for line in self.text.removesuffix("\n").split("\n")]

    def records(self) -> Iterator[tuple[int | None, Record]]:
        """Every JSON line with its number, blank ones left out."""
        for number, line in enumerate(self.lines, 1):
            if not line.strip():
                continue
            try:
                record = parse_json(line, parse_constant=_refuse_constant)
            except RepeatedKeyError as error:
                self.refuse(number, str(error), "each key once")
            except ValueError:
                record = None
            if not isinstance(record, dict):
                self.refuse(number, shortened(line), "a JSON object on each line")
            yield number, record

    def refuse(self, line: int | None, found: str, expected: str) -> NoReturn:
        """Refuse the file."""
        raise MalformedFileError(self.path, line, found, expected) from None

    def refuse_damaged_json(self) -> None:
        """Refuse a file that begins as JSON and is neither one value nor a value on each line."""
        starts = self.text.lstrip()[:1] in ("{", "[")
        if not starts or self.json is not None or self.first_record is not None:
            return
        reason, line = "damaged or cut off", None
        try:
            parse_json(self.text, parse_constant=_refuse_constant)
        except json.JSONDecodeError as error:
            reason, line = error.msg, error.lineno
        except ValueError as error:
            reason = str(error)
            place = re.search(rf"[\s:,\[]{re.escape(reason)}", self.text)
            line = None if place is None else self.text.count("\n", 0, place.end()) + 1
        self.refuse(line, f"no valid JSON ({reason})", "a JSON value, or one on each line")


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def name_of(path: str) -> str:
    """The system that a path names: the file's name without folder and ending."""
    return stem(path.replace("\\", "/"))


# Declarations.

#: Where something is in a record: a key, keys inside keys with dots between them, or a function of
#: the file and the record.
Place: TypeAlias = str | Callable[[ScoreFile, Record], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What a tool writes.

    Attributes:
        tool: its name.
        writes: which files, in words.
        knows: whether a file is one of them.
        records: what has the scores of one answer each, with its line; JSON lines by default.
        needs: keys that every record has.
        system: whose answer it is; the file's name where nothing is there.
        item: what was answered; its place among all where nothing is there.
        scores: the answer's scores by name.
        benchmark: what the item is from.
        checksum: what must be the same wherever the item occurs.
        filter: how the answer was read out of what the model wrote.
        answer: which of several answers it is.
        fields: whatever else is known about the item.
        output: what the system wrote.
        references: what it should have written, as a list.
        first: the first number, where items are numbered without gaps and have no other name.
        by_number: whether the order is that of the items' numbers.
        may_repeat: whether rows of one item are several answers, even if nothing tells them apart.
        agree: whether a score may stand in several records of an answer, if it is the same.
        one_score: whether there is nothing to choose among.
        higher_is_better: the direction of its scores, where it is known.
        lower: gives for each score of a file that says so whether lower is better.
        scale: what scores can be.
        usual: the score that counts where several are there and none is chosen.
    """

    tool: str
    writes: str = ""
    knows: Callable[[ScoreFile], bool] = field(default=lambda _: False)
    records: Callable[[ScoreFile], Iterable[tuple[int | None, Record]]] = ScoreFile.records
    needs: frozenset[str] = frozenset()
    system: Place = "system"
    item: Place = "item"
    scores: Place = "scores"
    benchmark: Place = "benchmark"
    checksum: Place = ""
    filter: Place = ""
    answer: Place = ""
    fields: Place = ""
    output: Place = ""
    references: Place = ""
    first: int | None = None
    by_number: bool = False
    may_repeat: bool = False
    agree: bool = False
    one_score: bool = False
    higher_is_better: bool | None = None
    lower: Callable[[ScoreFile], Mapping[str, bool]] = field(default=lambda _: {})
    scale: Scale = ANY_NUMBER
    usual: str = ""


def has_keys(*keys: str) -> Callable[[ScoreFile], bool]:
    """Whether the first of a file's JSON lines has these keys."""
    needed = frozenset(keys)
    return lambda file: file.first_record is not None and file.first_record.keys() >= needed


def _at(place: Place, file: ScoreFile, record: Record) -> Any:
    if callable(place):
        return place(file, record)
    return record[place] if place in record else value_inside(record, place.split("."))


def _text_at(place: Place, file: ScoreFile, record: Record) -> str:
    value = _at(place, file, record) if place else None
    return "" if value is None else str(value)


class _Group(NamedTuple):
    """The answers of one system on one benchmark, by item, then by filter and answer."""

    items: dict[str, dict[tuple[str, str], Item]]
    answers: dict[str, None]


def evaluations_of(file: ScoreFile, form: Format) -> list[Evaluation]:
    """The evaluations in a file of a known format: one for each system and benchmark."""
    groups: dict[tuple[str, str], _Group] = {}
    for line, record in form.records(file):
        missing = sorted(form.needs - record.keys())
        if missing:
            file.refuse(line, f"no {', '.join(missing)}", "them in every record")
        system = _text_at(form.system, file, record) or file.name
        benchmark = _text_at(form.benchmark, file, record)
        group = groups.setdefault((system, benchmark), _Group({}, {}))
        _add(file, form, group, system, line, record)
    lower = form.lower(file)
    return [
        Evaluation(
            label=file.path,
            digest=file.digest,
            system=system,
            items=_ordered(file, form, system, group),
            higher_is_better=form.higher_is_better,
            lower=lower,
            usual=form.usual,
            has_names=bool(form.item) and form.first is None,
            benchmark=benchmark,
            scale=form.scale,
        )
        for (system, benchmark), group in groups.items()
    ]


def _add(
    file: ScoreFile, form: Format, group: _Group, system: str, line: int | None, record: Record
) -> None:
    """Keep the answer that a record has, or its further scores."""
    value = _at(form.item, file, record) if form.item else None
    if value is None and (form.first is not None or not form.item):
        value = len(group.items) + (1 if form.first is None else form.first)
    word = form.item if isinstance(form.item, str) else "item"
    if not _is_name(value):
        file.refuse(line, f"{word or 'item'} {value!r}", "a name, or a number")
    if form.first is not None and whole_number(value) is None:
        file.refuse(line, f"{word} {value!r}", "a whole number")
    name, filter_ = str(value), _text_at(form.filter, file, record)
    answer = _text_at(form.answer, file, record)
    own = group.items.setdefault(name, {})
    run = answer or (str(len(own) + 1) if form.may_repeat else "")
    group.answers.setdefault(run)
    scores = _at(form.scores, file, record)
    if scores is not None and not isinstance(scores, dict):
        file.refuse(line, "no scores", "an object with scores by name")
    fields, output = (_at(form.fields, file, record) if form.fields else None), None
    if form.output:
        output = _at(form.output, file, record)
    references = _at(form.references, file, record) if form.references else None
    item = Item(
        name,
        scores,
        line,
        _text_at(form.checksum, file, record),
        filter_,
        answer,
        fields if isinstance(fields, dict) else {},
        output if isinstance(output, str) else None,
        tuple(map(str, references)) if isinstance(references, list | tuple) else (),
    )
    earlier = own.setdefault((filter_, run), item)
    if earlier is item:
        return
    merged = dict(earlier.scores or {})
    for metric, score in (scores or {}).items():
        if metric not in merged:
            merged[metric] = score
        elif form.agree and merged[metric] != score:
            found = f"{metric} {score} of item {name} of {system}"
            file.refuse(line, found, f"{merged[metric]}, as above")
        elif not form.agree:
            which = f" ({answer or filter_})" if answer or filter_ else ""
            there = "" if earlier.line is None else f"; it is on line {earlier.line} too"
            file.refuse(line, f"item {name}{which} of {system} again", f"each once{there}")
    own[filter_, run] = earlier._replace(scores=merged or None)


def _is_name(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _ordered(file: ScoreFile, form: Format, system: str, group: _Group) -> tuple[Item, ...]:
    """The items in order; runs are in the same order for every item, whatever that of the rows."""
    names = list(group.items)
    if form.first is not None or form.by_number:
        names.sort(key=lambda name: whole_number(name) or 0)
    if form.first is not None:
        first, last = form.first, form.first + len(names) - 1
        for name in names:
            if not first <= int(name) <= last:
                line = next(iter(group.items[name].values())).line
                expected = (
                    f"numbers from {first} to {last}, as many as there are scores of {system}"
                )
                file.refuse(line, f"segment {name}", expected)
    runs = list(group.answers)
    if all(run.isdecimal() for run in runs):
        runs.sort(key=int)
    turn = {run: place for place, run in enumerate(runs)}
    items = [
        item if form.first is None else item._replace(name=str(number))
        for number, name in enumerate(names, 1)
        for _, item in sorted(group.items[name].items(), key=lambda pair: turn[pair[0][1]])
    ]
    return tuple(items)


# COMET: higher is better. The model's name is in no file of comet-score: give it by ``name=``.

_COMET_TOTAL = re.compile(r"(?P<file>[^\t]+)\tscore: (?P<score>-?\d+\.\d+)$")
_COMET_LINE = re.compile(r"(?P<file>.+)\tSegment (?P<segment>\d{1,9})\tscore: (?P<score>\S+)$")
# Scores have four decimals, and so has their mean.
_COMET_ROUNDED = 1e-4


def _is_comparison(values: Any) -> bool:
    return isinstance(values, dict) and {"statistical_results", "translations"} <= values.keys()


def _is_comet(file: ScoreFile) -> bool:
    if not isinstance(file.json, dict):
        return any(_COMET_LINE.match(line) for line in file.lines)
    is_scores = bool(file.json) and all(
        isinstance(rows, list) and rows and isinstance(rows[0], dict) and "COMET" in rows[0]
        for rows in file.json.values()
    )
    return is_scores or _is_comparison(file.json)


def _comet_records(file: ScoreFile) -> Iterator[tuple[int | None, Record]]:
    """What ``comet-score`` prints, and the JSON of comet-score and comet-compare."""
    if not isinstance(file.json, dict):
        yield from _printed_comet(file)
        return
    tables: Iterable[tuple[str, Any]] = file.json.items()
    name = "COMET"
    if _is_comparison(file.json):
        translations = file.json["translations"]
        model = file.json.get("model")
        name = model.rsplit("/", 1)[-1] if isinstance(model, str) else name
        for translation in translations:
            if not isinstance(value_inside(translation, ["scores"]), list):
                file.refuse(None, "a translation without scores", "name and scores of each")
        tables = (
            (
                str(one.get("name", "")),
                [
                    {"COMET": score, "mt": value_inside(one.get("mt"), [str(place)])}
                    for place, score in enumerate(one["scores"])
                ],
            )
            for one in translations
        )
    for path, rows in tables:
        for number, row in enumerate(rows):
            if not isinstance(row, dict) or "COMET" not in row:
                file.refuse(None, f"segment {number + 1} of {path} without COMET", "one for each")
            scores = {name: row["COMET"]}
            output = row.get("mt")
            yield None, _record(name_of(path), number, scores, output=output)


def _record(
    system: str, item: object, scores: Mapping[str, object] | None, **more: object
) -> Record:
    return {"system": system, "item": item, "scores": scores, **more}


def _printed_comet(file: ScoreFile) -> Iterator[tuple[int | None, Record]]:
    """Lines of segments; logs and whatever else was caught with them are passed over.

    A system's own line must be the mean of its segments, or some of them are missing.
    """
    scores: dict[str, list[float]] = {}
    for number, line in enumerate(file.lines, 1):
        match, total = _COMET_LINE.match(line), _COMET_TOTAL.match(line)
        if match is not None:
            if not is_score(match["score"]):
                file.refuse(number, f"COMET {match['score']!r}", "a number")
            record = {"COMET": parse_score(match["score"])}
            known = scores.setdefault(match["file"], [])
            known += [score for score in record.values() if score is not None]
            yield number, _record(name_of(match["file"]), int(match["segment"]), record)
        elif total is not None and scores.get(total["file"]):
            known = scores[total["file"]]
            average = sum(known) / len(known)
            if abs(average - float(total["score"])) > _COMET_ROUNDED:
                expected = f"{average:.4f}, the mean of its {len(known)} segments above"
                file.refuse(number, f"{total['file']} with {total['score']}", expected)


# lm-evaluation-harness: its samples, one file for each model. A metric such as BLEU is stored as
# texts, [reference, output], not as a score: those texts are scored instead.


def _lm_eval_scores(file: ScoreFile, record: Record) -> Any:
    del file
    names = record["metrics"]
    return {str(n): record[n] for n in names if n in record} if isinstance(names, list) else names


def _lm_eval_output(file: ScoreFile, record: Record) -> object:
    del file
    outputs = record["filtered_resps"]
    return outputs[0] if isinstance(outputs, list) and outputs else outputs


def _lm_eval_references(file: ScoreFile, record: Record) -> Any:
    """The target; where a metric keeps several of them beside the output, all of them.

    The harness writes every target as text, a list as Python prints it.
    """
    del file
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


def _lm_eval_task(file: ScoreFile, record: Record) -> str:
    """The task: what stands between the harness's word and the date; else nothing."""
    del record
    match = re.match(r"samples_(?P<task>.+)_\d{4}-\d\d-\d\dT[^_]*$", file.name)
    return match["task"] if match else ""


def _lm_eval_model(file: ScoreFile, record: Record) -> str:
    """The model: the folder that the harness names after it, or else the file's name."""
    del record
    folder = os.path.basename(os.path.dirname(os.path.abspath(file.path)))
    return folder if os.path.basename(file.path).startswith("samples_") else file.name


# Inspect: logs as JSON or as .eval archives. Epochs of a sample are answers to one item. Letters
# count as Inspect counts them. A sample that failed has no score.

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def _is_inspect(file: ScoreFile) -> bool:
    return isinstance(file.json, dict) and {"eval", "samples"} <= file.json.keys()


def _inspect_records(file: ScoreFile) -> Iterator[tuple[int | None, Record]]:
    samples = file.json["samples"]
    if not isinstance(samples, list):
        file.refuse(None, "no list of samples", "a log with its samples")
    model = value_inside(file.json, ["eval", "model"])
    task = value_inside(file.json, ["eval", "task"])
    for number, sample in enumerate(samples, 1):
        if not isinstance(sample, dict) or not isinstance(sample.get("id"), str | int):
            file.refuse(None, f"sample {number} without an id", "one for each sample")
        epoch = sample.get("epoch", 1)
        if isinstance(epoch, bool) or not isinstance(epoch, int):
            file.refuse(None, f"sample {number}: epoch {epoch!r}", "a whole number")
        scores = sample.get("scores")
        scores = scores if isinstance(scores, dict) else {}
        values = {
            scorer: counted(score.get("value") if isinstance(score, dict) else score)
            for scorer, score in scores.items()
        }
        about = {
            "benchmark": task if isinstance(task, str) else "",
            "checksum": sample.get("target", ""),
            "answer": epoch,
            "fields": sample.get("metadata"),
        }
        system = model if isinstance(model, str) else ""
        yield None, _record(system, sample["id"], values or None, **about)


def counted(value: object) -> object:
    """A score as it counts: letters are numbers."""
    return _LETTERS.get(value, value) if isinstance(value, str) else value


# An archive is a zip whose members may be compressed by zstd, which Python reads from 3.14 on.

_HEADER, _SUMMARIES, _SAMPLES, _BEGUN = "header.json", "summaries.json", "samples/", "_journal/"
_ZSTD = 93
_LOG = "a log of Inspect"


def _archived_log(path: str, data: bytes) -> str:
    """The log of an archive as JSON: its header, and its samples or their summaries."""
    from io import BytesIO
    from zipfile import ZipFile

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
    return json.dumps({"eval": about, "samples": samples})


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


def _every_eval_ever_records(file: ScoreFile) -> Iterator[tuple[int | None, Record]]:
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


def _only_output(file: ScoreFile, record: Record) -> object:
    """What the model wrote, where it answered once."""
    del file
    texts = value_inside(record, ["output", "raw"])
    return texts[0] if isinstance(texts, list) and len(texts) == 1 else None


def _every_eval_ever_directions(file: ScoreFile) -> dict[str, bool]:
    """For each result whether lower is better, by its id; a single one is called score."""
    results = file.json["evaluation_results"] if _are_results(file) else []
    directions = {}
    for result in results if isinstance(results, list) else []:
        lower = value_inside(result, ["metric_config", "lower_is_better"])
        if isinstance(lower, bool):
            directions[str(result.get("evaluation_result_id", ""))] = lower
    if len(directions) == 1:
        directions["score"] = next(iter(directions.values()))
    return directions


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


def _marot_records(file: ScoreFile) -> Iterator[tuple[int | None, Record]]:
    for number, line in enumerate(file.lines, 1):
        if number == 1 and line.lower().startswith("system\tdoc\t"):
            continue
        fields = line.split("\t")
        if len(fields) != _MAROT_FIELDS:
            file.refuse(number, f"{len(fields)} fields", str(_MAROT_FIELDS))
        system, document, in_document, segment = fields[:4]
        metadata: Any = {}
        if fields[-1].strip():
            try:
                metadata = parse_json(fields[-1])
            except ValueError:
                file.refuse(number, f"metadata {shortened(fields[-1])}", "a JSON object")
        scores = value_inside(metadata, ["segment", "metrics"])
        name = segment or f"{document}:{in_document}"
        more = {"fields": {"doc": document}}
        yield number, _record(system, name, scores if isinstance(scores, dict) else None, **more)


# Submissions to WMT's metrics task: METRIC LP TESTSET DOMAIN DOC REF SYSTEM SEGNO SCORE, between
# tabs. Files of system scores have 7 fields, and no segments to compare.

_LANGUAGE_PAIR = re.compile(r"[a-z]{2,3}(_[A-Za-z]+)?-[a-z]{2,3}(_[A-Za-z]+)?$")
_OF_SEGMENTS, _OF_SYSTEMS = 9, 7


def _is_submission(file: ScoreFile) -> bool:
    fields = file.lines[0].split("\t")
    if len(fields) not in (_OF_SEGMENTS, _OF_SYSTEMS):
        return False
    return _LANGUAGE_PAIR.match(fields[1]) is not None and is_score(fields[-1])


def _submission_records(file: ScoreFile) -> Iterator[tuple[int | None, Record]]:
    if len(file.lines[0].split("\t")) == _OF_SYSTEMS:
        expected = f"scores of segments, with {_OF_SEGMENTS} fields"
        file.refuse(1, f"{_OF_SYSTEMS} fields, scores of systems", expected)
    about: tuple[str, ...] | None = None
    for number, line in enumerate(file.lines, 1):
        fields = line.split("\t")
        if len(fields) != _OF_SEGMENTS:
            file.refuse(number, f"{len(fields)} fields", str(_OF_SEGMENTS))
        metric, pair, test_set, _, _, reference, system, segment, score = fields
        here = (metric, pair, test_set, reference)
        about = about or here
        if here != about:
            expected = f"{', '.join(about)} throughout: split the file by them"
            file.refuse(number, ", ".join(here), expected)
        if not segment.isascii() or not segment.isdigit() or len(segment) > 9:
            file.refuse(number, f"segment {segment!r}", "a whole number from 1")
        yield number, _record(system, int(segment), {metric: score})


# One answer on each line, as BLEURT and GEMBA write them: one system's scores, in order. None is
# an answer that could not be read: a missing score, never 0. With --list_mqm_errors, GEMBA-MQM
# writes the errors themselves as Python writes a dict: they count as it counts them, minus 25 for a
# critical one, 5 for a major and 1 for a minor, of the five gravest, and at most 25.

#: How lists of errors begin; GEMBA's own class of dicts is written with its name.
_LISTS = ("{", "defaultdict(<class 'list'>, {")
_GEMBA_WEIGHTS = {"critical": 25, "major": 5, "minor": 1}
_GEMBA_ERRORS, _GEMBA_WORST = 5, 25


def _are_numbers(file: ScoreFile) -> bool:
    first = file.lines[0].strip()
    return first == "None" or (is_score(first) and parse_score(first) is not None)


def _are_gemba_errors(file: ScoreFile) -> bool:
    first = next((line.strip() for line in file.lines if line.strip() != "None"), "")
    return first.startswith(_LISTS) and _gemba_errors(first) is not None


def _line_records(file: ScoreFile) -> Iterator[tuple[int | None, Record]]:
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            file.refuse(number, "a blank line", "a number, or None where there is none")
        yield number, {"scores": {"score": line.strip()}}


def _gemba_records(file: ScoreFile) -> Iterator[tuple[int | None, Record]]:
    for number, record in _line_records(file):
        line = record["scores"]["score"]
        errors = None if line == "None" else _gemba_errors(line)
        if errors is None and line != "None":
            expected = "None, or lists of errors such as {'major': ['style - awkward']}"
            file.refuse(number, shortened(line), expected)
        score = None
        if errors is not None:
            weights = [w for level, w in _GEMBA_WEIGHTS.items() for _ in errors.get(level, ())]
            score = 0.0 - min(_GEMBA_WORST, sum(weights[:_GEMBA_ERRORS]))
        yield number, {"scores": {"GEMBA-MQM": score}}


def _gemba_errors(line: str) -> dict[str, list[object]] | None:
    """Errors by their severity; None where a line has something else."""
    start = line.find("{")
    errors = _literal(line[start:].removesuffix(")") if start > 0 else line)
    if not isinstance(errors, dict) or not errors.keys() <= _GEMBA_WEIGHTS.keys():
        return None
    return errors if all(isinstance(listed, list) for listed in errors.values()) else None


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
        higher_is_better=True,
    ),
    Format(
        tool="MetricX",
        writes="JSON lines with a prediction; lower is better",
        knows=has_keys("prediction", "hypothesis"),
        needs=frozenset({"prediction"}),
        system="system_id",
        item="segment_id",
        scores=lambda _, record: {"MetricX": record["prediction"]},
        output="hypothesis",
        first=0,
        one_score=True,
        higher_is_better=False,
        scale=Scale(0, 25),
    ),
    Format(
        tool="lm-evaluation-harness",
        writes="the samples that --log_samples writes",
        knows=has_keys("doc_id", "filtered_resps", "metrics"),
        needs=frozenset({"doc_id", "filtered_resps", "metrics"}),
        system=_lm_eval_model,
        item="doc_id",
        scores=_lm_eval_scores,
        benchmark=_lm_eval_task,
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
        checksum="checksum",
        answer="answer",
        fields="fields",
        higher_is_better=True,
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
        lower=_every_eval_ever_directions,
    ),
    Format(
        tool="Marot",
        writes="MQM annotations with segment.metrics in their metadata",
        knows=_is_marot,
        records=_marot_records,
        fields="fields",
        by_number=True,
        agree=True,
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
        tool="GEMBA",
        writes="a list of errors or None on each line, of one system",
        knows=_are_gemba_errors,
        records=_gemba_records,
        first=1,
        one_score=True,
        higher_is_better=True,
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
    known = next((form for form in FORMATS if form.knows(file)), None)
    if known is None:
        file.refuse_damaged_json()
    elif not file.text.strip():
        raise EmptyTextError(file.path)
    return known


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
    if form is not None:
        return evaluations_of(file, form)
    table = read_score_table(path, file.data)
    return _of_table(file, table, by_benchmark=by_benchmark)


# Tables of items, with a row for each answer of one system. A column that names systems makes it a
# table of several.

# The columns of Inspect's data frames, as `inspect_ai.analysis.samples_df` makes them.
_INSPECT_FRAME = frozenset({"sample_id", "eval_id", "epoch"})
_INSPECT_SCORE = "score_"


def evaluations_of_frame(name: str, frame: Frame) -> list[Evaluation]:
    """The systems in a data frame; a single one, which no column names, has the given name."""
    columns: dict[str, Sequence[object]] = {
        column: [_plain(value) for value in column_values(values)]
        for column, values in frame_columns("systems", frame).items()
    }
    return _of_table(ScoreFile(name, b"", ""), table_of_columns(name, columns))


def evaluation_of_rows(system: str, rows: Sequence[Any]) -> Evaluation:
    """Scores in memory: numbers in order, or mappings with the name of each item."""
    if not all(isinstance(row, Mapping) for row in rows):
        numbers = scores_in_memory({system: rows}).by_system[system]
        rows = [{"score": number} for number in numbers]
    keys = dict.fromkeys(key for row in rows for key in row)
    columns: dict[str, Sequence[object]] = {
        str(key): [_plain(row.get(key)) for row in rows] for key in keys
    }
    file = ScoreFile(system, b"", "")
    evaluations = _of_table(file, table_of_columns(system, columns), systems=())
    empty = Evaluation(label=system, digest="", system=system, items=())
    return replace(evaluations[0], system=system) if evaluations else empty


def _plain(value: Any) -> object:
    """A value of a data frame: NaN and NA are nothing, and numbers of arrays are numbers."""
    value = value.item() if getattr(value, "ndim", None) == 0 else value
    if value is None or isinstance(value, str | bool | int | list | dict):
        return value
    try:
        return None if value != value else value
    except (TypeError, ValueError):  # pandas' NA is neither equal nor different
        return None


def _of_table(
    file: ScoreFile,
    table: Table,
    *,
    systems: Sequence[str] = SYSTEM,
    by_benchmark: bool = False,
) -> list[Evaluation]:
    """The systems of a table: those that a column names, or else the one of the file."""
    columns = {name: table.values(name) for name in table.columns}
    scored = _scored(columns)
    if columns.keys() >= _INSPECT_FRAME and any(n.startswith(_INSPECT_SCORE) for n in columns):
        if systems and "model" not in columns and len(set(columns["eval_id"])) > 1:
            expected = "a column model: samples_df(logs, columns=EvalModel + SampleSummary)"
            file.refuse(None, "samples of several evaluations", expected)
        # The id of a sample in its dataset counts, not that of the sample in a log.
        del columns["sample_id"]
        names = [name for name in columns if name.startswith(_INSPECT_SCORE)]
        scored = [name.removeprefix(_INSPECT_SCORE) for name in names]
        columns |= {
            score: [counted(value) for value in columns[name]]
            for score, name in zip(scored, names, strict=True)
        }
    named = [name for name in scored if name.lower() in SCORE]
    usual = next((name for name in named if name.lower() == SCORE[0]), "")
    lines, whole = table.all_lines(), table_of_columns(file.path, columns)
    rows = zip(*columns.values(), strict=True)
    dicts = (dict(zip(columns, row, strict=True)) for row in rows)
    records = list(zip(lines, dicts, strict=True))
    model, benchmark = whole.find(systems), whole.find(BENCHMARK) if by_benchmark else None
    for line, record in records:
        for column in (model, benchmark):
            value = None if column is None else record[column]
            if column and (
                isinstance(value, bool) or not isinstance(value, str | int) or value == ""
            ):
                file.refuse(line, f"{column} {value!r}", "a name")
    form = Format(
        tool="",
        records=lambda _: records,
        system=model or "",
        item=whole.find(ITEM) or "",
        scores=lambda _, record: {name: record[name] for name in scored},
        benchmark=benchmark or "",
        answer=whole.find(ANSWER) or "",
        fields=lambda _, record: record,
        may_repeat=whole.find(ANSWER) is None,
        usual=named[0] if len(named) == 1 else usual,
    )
    return evaluations_of(file, form)


def _scored(columns: Mapping[str, Sequence[object]]) -> list[str]:
    """The columns of scores: they have nothing else, or are called so and have hardly else.

    A slip in a column that is plainly one of scores is then refused with its line.
    """
    others = {*ITEM, *SYSTEM, *ANSWER, *BENCHMARK}
    scored = []
    for name, values in columns.items():
        if name.lower() in others:
            continue
        bad = sum(isinstance(value, list | dict) or not is_score(value) for value in values)
        good = len(values) - bad - sum(is_score(v) and parse_score(v) is None for v in values)
        if good > bad if name.lower() in SCORE else good > 0 and bad == 0:
            scored.append(name)
    return scored


# Segment scores of all systems, for a metric.


def read_segment_scores(
    path: str, *, column: str = "", filter_: str = "", rater: str = "", first_segment: int = 1
) -> SegmentScores:
    """Segment scores of another tool, in a folder of a file for each system, or in a table.

    See docs/reference/metrics/scores.md.
    """
    if os.path.isdir(path):
        return _of_folder(path, column, filter_)
    file = ScoreFile.read(path)
    form = format_of(file)
    if form is None:
        if filter_:
            raise SettingError("filter", filter_, "none: only lm-evaluation-harness has filters")
        return _table_scores(read_score_table(path, file.data), column, rater, first_segment)
    for setting, value, usual in (("rater", rater, ""), ("first_segment", first_segment, 1)):
        if value != usual:
            raise SettingError(setting, value, "none: the file of a tool says it by itself")
    return _of_tool(file, form, column, filter_)


def _of_tool(file: ScoreFile, form: Format, column: str, filter_: str) -> SegmentScores:
    for setting, chosen in (("column", column), ("filter", filter_)):
        if chosen and form.one_score:
            raise SettingError(setting, chosen, f"none: {form.tool} writes one score")
    if filter_ and not form.filter:
        raise SettingError("filter", filter_, "none: the file does not tell any apart")
    evaluations = evaluations_of(file, form)
    if not evaluations:
        file.refuse(None, "no scores", "the scores of at least one system")
    parts = [SegmentScores.of_evaluation(one, column, filter_) for one in evaluations]
    return SegmentScores.together(file.path, file.digest, parts)


def _of_folder(path: str, column: str, filter_: str) -> SegmentScores:
    """The files of a folder, one for each system, with the same items in all of them."""
    parts = []
    for name in sorted(entry.name for entry in os.scandir(path) if entry.is_file()):
        file = ScoreFile.read(os.path.join(path, name))
        form = format_of(file)
        if form is None:
            expected = "scores that a tool wrote, such as a number on each line"
            file.refuse(None, "something else", expected)
        parts.append(_of_tool(file, form, column, filter_))
    if not parts:
        raise SettingError("path", path, "a folder with a file of scores for each system")
    joined = digest("".join(part.digest for part in parts).encode())
    return SegmentScores.together(path, joined, parts)


def scores_in_memory(scores: Mapping[str, Iterable[object]]) -> SegmentScores:
    """Segment scores that are in memory: for each system an array or list, None or NaN if missing.

    >>> scores_in_memory({"a": [0.5, None]}).of("a", 2, Scale())
    [0.5, None]
    """
    if not scores:
        raise SettingError("scores", {}, "the scores of at least one system")
    numbers = {system: _numbers(system, values) for system, values in scores.items()}
    # repr tells every float from every other.
    checksum = digest(repr(sorted(numbers.items())).encode())
    return SegmentScores(label="scores", digest=checksum, by_system=numbers)


def _numbers(system: str, values: Iterable[object]) -> list[Answer]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise SettingError(f"scores of {system!r}", values, "a list or array of numbers")
    numbers: list[Answer] = []
    for segment, value in enumerate(values, 1):
        try:
            # Arrays say that a score is missing with the number that equals no number.
            missing = value is None or value != value
            numbers.append(None if missing else parse_score(value))
        except (ValueError, TypeError) as reason:
            expected = f"{reason}" if isinstance(reason, NotAScoreError) else "a number"
            where = f"scores of {system!r}: segment {segment}"
            raise SettingError(where, value, expected) from None
    return numbers


# Tables with a row for each system and segment, or a column for each system. What is written in
# them counts only when a system is asked for: scores of others may be anything.


def _table_scores(table: Table, column: str, rater: str, first_segment: int) -> SegmentScores:
    if rater:
        table.require(rater)
    columns = score_columns(table, column or None, rater=rater or None)
    naming, segment = table.find(SYSTEM), table.find(SEGMENT)
    judging = rater or table.find(RATER)
    if judging is not None and segment is None:
        found = f"a {table.word} {judging!r} but none for the segment"
        raise MalformedFileError(table.path, None, found, f"one called {SEGMENT[0]!r}")
    raters = [""] * table.rows if judging is None else table.labels(judging)
    numbers = [None] * table.rows if segment is None else table.values(segment)
    systems = None if naming is None else table.labels(naming)
    values = zip(*map(table.values, columns), strict=True)
    records: list[tuple[int | None, Record]] = []
    for row, fields in enumerate(values):
        number = whole_number(numbers[row])
        about = {"item": numbers[row] if number is None else number, "answer": raters[row]}
        cells = [(systems[row], _sum(fields))] if systems else zip(columns, fields, strict=True)
        for system, value in cells:
            name = "+".join(columns) if systems else system
            record = {"system": system, "scores": {name: value}, **about}
            records.append((table.line(row), record))
    form = Format(
        tool="",
        records=lambda _: records,
        item="" if segment is None else "item",
        answer="answer",
    )
    evaluations = evaluations_of(ScoreFile(table.path, b"", ""), form)
    return SegmentScores(
        label=table.path,
        digest=table.digest,
        by_system={evaluation.system: evaluation for evaluation in evaluations},
        raters=len(set(raters)),
        first_segment=None if segment is None else first_segment,
    )


def _sum(values: Sequence[object]) -> object:
    """The sum of scores, None where one is missing; what is no score is kept, to be refused.

    Zhang & Vogel (2004), section 2.4, add the scores for fluency and for adequacy.
    """
    wrong = next((value for value in values if not is_score(value)), None)
    if wrong is not None:
        return wrong
    (total,) = added([[parse_score(value)] for value in values])
    return total
