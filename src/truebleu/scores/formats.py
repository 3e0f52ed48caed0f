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
    Numbered,
    ScoreFile,
    evaluations_of,
    is_name,
    is_object,
    records_of,
)
from truebleu.scores.formats_llm import INSPECT_FRAME, LLM_FORMATS, inspect_table
from truebleu.scores.formats_mt import MT_FORMATS

#: All formats by tool.
FORMATS = {**MT_FORMATS, **LLM_FORMATS}


# Results of whole evaluations, which tools write beside those of items.


def _is_summary(file: ScoreFile) -> bool:
    """Results of lm-evaluation-harness and lighteval, and HELM's stats.json."""
    of_harness = is_object(file.json, "results", "versions") or is_object(file.json, "config_tasks")
    first = value_inside(file.json, ["0"])
    return of_harness or is_object(first, "name", "count", "sum_squared")


def _refuse_summary(file: ScoreFile) -> Iterator[Numbered]:
    expected = "scores of its items: samples_*.jsonl, details_*.parquet, per_instance_stats.json"
    file.refuse(None, "results of a whole evaluation", expected)


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
        yield from files_inside(written) if os.path.isdir(written) else expand_paths([written])


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
    if set(table.columns) >= INSPECT_FRAME:
        table, scored = inspect_table(file, table, systems)
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
