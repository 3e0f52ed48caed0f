"""Files of scores: the formats of all tools, folders of them, and tables of items."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import truebleu.corpus.tables as tables
from truebleu.corpus._files import expand_paths, extension
from truebleu.corpus.sequences import column_values, frame_columns, is_frame
from truebleu.corpus.tables import value_inside
from truebleu.errors import SettingError, TruebleuError
from truebleu.scores.evaluations import (
    Answer,
    Evaluation,
    Format,
    ScoreFile,
    evaluations_of,
    is_name,
    is_object,
    is_plain,
    records_of,
)
from truebleu.scores.formats_llm import INSPECT_FRAME, LLM_FORMATS, inspect_table
from truebleu.scores.formats_mt import MT_FORMATS

#: All formats by tool.
FORMATS = {**MT_FORMATS, **LLM_FORMATS}


def _is_summary(file: ScoreFile) -> bool:
    """Return whether a file is results of lm-evaluation-harness or lighteval, or HELM's stats."""
    of_harness = is_object(file.json, "results", "versions") or is_object(file.json, "config_tasks")
    return of_harness or is_object(value_inside(file.json, ["0"]), "name", "count", "sum_squared")


#: Summaries of whole evaluations, which have no scores of items.
_SUMMARY = Format(
    knows=_is_summary,
    records=lambda file: file.refuse(
        None,
        "results of a whole evaluation",
        "scores of its items: samples_*.jsonl, details_*.parquet, per_instance_stats.json",
    ),
)


def format_of(file: ScoreFile) -> Format | None:
    """Detect the format of a file; None if it is a table instead of a tool's file."""
    form = next((form for form in (*FORMATS.values(), _SUMMARY) if form.knows(file)), None)
    is_json = file.text.lstrip()[:1] in ("{", "[")
    if form is None and is_json and file.json is None and not file.first_record:
        tables.json_in(file.path, None, file.text, "a JSON value, or one per line")
    return form


#: Name of HELM's file with the scores of instances.
_HELM = "per_instance_stats.json"


def score_files(systems: Iterable[str | os.PathLike[str]]) -> Iterator[str | os.PathLike[str]]:
    """Expand patterns, and folders to the files of scores inside."""
    for path in systems:
        yield from files_inside(path) if os.path.isdir(path) else expand_paths([path])


def files_inside(folder: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the files in a folder and its subfolders, except tools' summaries."""
    for inside, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in [_HELM] if _HELM in names else sorted(names):
            is_summary = name.startswith("results_") and name.endswith(".json")
            is_summary |= name.endswith((".md", ".html", ".log", ".yaml", ".png"))
            if not (name.startswith(".") or is_summary):
                yield os.path.join(inside, name)


def keeps_texts(path: str) -> bool:
    """Return whether a file is of a tool that stores outputs and references with its scores."""
    file = ScoreFile.read(path)
    return any(form.references and form.knows(file) for form in FORMATS.values())


def holds_scores(path: str, column: str | None = None) -> bool:
    """Return whether a file is of one of these tools, or a table of scores, called `column`."""
    file = ScoreFile.read(path)
    try:
        is_of_tool = format_of(file) is not None
        if is_of_tool or extension(path) == ".txt":
            return is_of_tool
        columns = _score_columns(tables.read_score_table(path, file.data))
        return bool(columns) if column is None else column in columns
    except TruebleuError:
        return False


def read_evaluations(path: str, *, by_benchmark: bool = False) -> list[Evaluation]:
    """Read the evaluations in a file of a tool or a table of items, one per system.

    Args:
        path: path of the file.
        by_benchmark: True if a column of a table may name benchmarks.
    """
    file = ScoreFile.read(path)
    form = format_of(file)
    if form is None:
        table = tables.read_score_table(path, file.data)
        form = _table_format(file, table, tables.BENCHMARK if by_benchmark else ())
    return evaluations_of(file, form)


# Tables of items with one row per answer; they may have a column of systems.


def evaluations_in_memory(name: str, rows: Any, *, of_models: bool = False) -> list[Evaluation]:
    """Read systems from a data frame, from rows, or from numbers in order.

    Args:
        name: name of a single system, and of the rows in messages.
        rows: data frame, mappings, or numbers.
        of_models: True if the rows must have a column such as model.
    """
    if is_frame(rows):
        frame = frame_columns("systems", rows)
        columns = {key: column_values(column) for key, column in frame.items()}
    else:
        records = _as_list(name, rows)
        if not all(isinstance(row, Mapping) for row in records):
            records = [{"score": number} for number in parse_numbers(name, records)]
        keys = dict.fromkeys(key for row in records for key in row)
        columns = {str(key): [row.get(key) for row in records] for key in keys}
    values: dict[str, Sequence[object]] = {
        key: [_to_builtin(value) for value in column] for key, column in columns.items()
    }
    count, file = len(next(iter(values.values()), ())), ScoreFile(name)
    table = tables.Table(path=name, columns=tuple(values), rows=count, values=values.__getitem__)
    systems = tables.SYSTEM if of_models or is_frame(rows) else ()
    if of_models and not is_frame(rows) and table.find(systems) is None:
        expected = "a key such as model, or the rows of each model by its name"
        raise SettingError("systems", f"rows with {', '.join(table.columns)}", expected)
    form = _table_format(file, table, (), systems)
    return evaluations_of(file, form) or [Evaluation(label=name, digest="", system=name, items=())]


def _as_list(system: str, values: Any) -> list[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise SettingError(f"scores of {system!r}", values, "a list or array of numbers")
    return list(values)


def parse_numbers(system: str, values: Iterable[object]) -> list[Answer]:
    """Parse scores in memory; None or NaN is a missing score."""
    numbers = []
    for segment, value in enumerate(_as_list(system, values), 1):
        try:
            numbers.append(tables.parse_score(_to_builtin(value)))
        except tables.NotAScoreError as reason:
            where = f"scores of {system!r}: segment {segment}"
            raise SettingError(where, value, str(reason)) from None
    return numbers


def _to_builtin(value: Any) -> object:
    """Convert a value of a data frame: NaN and NA to None, numpy scalars to Python's."""
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
    """Return the format of a table; without a column of systems, it has one system."""
    if set(table.columns) >= INSPECT_FRAME:
        table, columns = inspect_table(file, table, systems)
    else:
        columns = _score_columns(table)
    named = [name for name in columns if name.lower() in tables.SCORE]
    preferred = [name for name in named if name.lower() == tables.SCORE[0]]
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
        scores=lambda record: {name: record[name] for name in columns},
        benchmark=benchmark or "",
        answer=answer or "",
        fields=lambda record: record,
        may_repeat=answer is None,
        are_runs=answer is not None and answer.lower() not in tables.RATER,
        score_names=tuple(named if len(named) == 1 else preferred),
    )


#: Names of columns of ids, counts and times, which are not scores.
_NO_SCORES = re.compile(
    r"^_?$|^unnamed|(^|_)(id|idx|index|trial|epoch|seed|row|line|turn|order|position|t?stamp|"
    r"timestamp|datetime|date|time|at|anony)$"
)
# Boundaries between the words of a name: sample-id, sampleId.
_BETWEEN_WORDS = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])")


def _score_columns(table: tables.Table) -> list[str]:
    """Return the columns with only scores, or with the name of a score and a majority of scores.

    The invalid values of the latter are reported later, with their lines.
    """
    others = {*tables.ITEM, *tables.SYSTEM, *tables.ANSWER, *tables.BENCHMARK}
    columns = []
    for name in table.columns:
        words = _BETWEEN_WORDS.sub("_", name).lower()
        if name.lower() in others or _NO_SCORES.search(words):
            continue
        good = bad = 0
        for value in table.values(name):
            # Text that only looks like a number is reported when it is read.
            is_number = tables.score_or_none(value) is not None or tables.looks_like_number(value)
            good += is_plain(value) and is_number
            bad += not (is_plain(value) and (is_number or tables.is_score(value)))
        if good > bad if name.lower() in tables.SCORE else good > 0 and bad == 0:
            columns.append(name)
    return columns
