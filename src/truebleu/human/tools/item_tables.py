"""Tables of items: JSON lines, CSV, TSV or Parquet with a row for each answer of one system.

The fallback where no tool is known: a column names the item, others have its scores, and anything
else is known about it. A column that names systems makes it a table of several.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from truebleu.human._tables import (
    SEGMENTS,
    SYSTEMS,
    NotAScoreError,
    Scale,
    human_table,
    parse_score,
    parse_score_table,
)
from truebleu.human.tools._items import Evaluation, Item
from truebleu.human.tools._scores import ToolFile, given_scores, system_of

if TYPE_CHECKING:
    from collections.abc import Sequence

# Names of columns, in lower case; the first that exists counts.
ITEMS = (
    *("id", "item", "item_id", "sample_id", "question_id", "example_id", "task_id"),
    *("doc_id", "custom_id", *SEGMENTS),
)
MODELS = (*SYSTEMS, "model", "model_id", "model_name")
SCORES = (
    *("score", "rating", "correct", "is_correct", "accuracy", "acc", "exact_match"),
    *("pass", "passed", "reward"),
)
ANSWERS = (
    *("epoch", "answer_id", "run", "replicate", "repeat", "trial", "attempt"),
    *("rater", "rater_id", "annotator", "annotator_id"),
)


def read(file: ToolFile) -> list[Evaluation]:
    """One evaluation for each system of the table."""
    parsed = human_table(parse_score_table(file.path, file.data), file.data)
    table = parsed.table
    columns = {name: table.values(name) for name in table.columns}
    rows = [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    lines = [table.line(row) for row in range(len(rows))]
    model = parsed.column(MODELS)
    places: dict[str, list[int]] = {}
    names = [system_of(file.path)] * len(rows) if model is None else table.labels(model)
    for row, name in enumerate(names):
        places.setdefault(name, []).append(row)
    scored = _score_columns(columns)
    return [
        _evaluation(file, name, [rows[i] for i in chosen], [lines[i] for i in chosen], scored)
        for name, chosen in places.items()
    ]


def evaluation_of_rows(system: str, rows: Sequence[Any]) -> Evaluation:
    """Scores in memory: numbers in order, or mappings with the name of each item."""
    file = ToolFile(system, b"", "")
    if not all(isinstance(row, Mapping) for row in rows):
        numbers = given_scores({system: rows}).of(system, len(rows), Scale())
        rows = [{"score": number} for number in numbers]
    keys = dict.fromkeys(key for row in rows for key in row)
    table = [{str(key): _plain(row.get(key)) for key in keys} for row in rows]
    columns = {str(key): [row[str(key)] for row in table] for key in keys}
    return _evaluation(file, system, table, [None] * len(table), _score_columns(columns))


def _plain(value: Any) -> object:
    """A value of a data frame: NaN is nothing, and numbers of arrays are numbers."""
    value = value.item() if hasattr(value, "item") else value
    return None if value != value else value


def _evaluation(
    file: ToolFile,
    system: str,
    rows: Sequence[Mapping[str, object]],
    lines: Sequence[int | None],
    scored: Sequence[str],
) -> Evaluation:
    item, answer = (_column(rows, names) for names in (ITEMS, ANSWERS))
    items: dict[str, dict[str, Item]] = {}
    for row, line in zip(rows, lines, strict=True):
        name = str(len(items) + 1) if item is None else _label(file, row[item], line, item)
        of_item = items.setdefault(name, {})
        told = str(len(of_item) + 1) if answer is None else str(row[answer])
        if told in of_item:
            file.refuse(line, f"{answer} {told} of item {name} again", "each once")
        scores = {column: row[column] for column in scored}
        said = "" if answer is None else told
        of_item[told] = Item(name, scores, line, answer=said, fields=row)
    # Runs are in the same order for every item, whatever that of the rows is.
    runs = list(dict.fromkeys(told for of_item in items.values() for told in of_item))
    ordered = (of_item[run] for of_item in items.values() for run in runs if run in of_item)
    return Evaluation(file, system, tuple(ordered), usual="score", has_names=item is not None)


def _column(rows: Sequence[Mapping[str, object]], names: Sequence[str]) -> str | None:
    lower = {column.lower(): column for column in rows[0]} if rows else {}
    return next((lower[name] for name in names if name in lower), None)


def _label(file: ToolFile, value: object, line: int | None, column: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        file.refuse(line, f"{column} {value!r}", "the name of an item")
    return str(value)


def _score_columns(columns: Mapping[str, Sequence[object]]) -> list[str]:
    """The columns of scores: they have nothing else, or are called so and have hardly else.

    A slip in a column that is plainly one of scores is then refused with its line.
    """
    others = (*ITEMS, *MODELS, *ANSWERS)
    return [
        name
        for name, values in columns.items()
        if name.lower() not in others and _are_scores(values, named=name.lower() in SCORES)
    ]


def _are_scores(values: Sequence[object], *, named: bool) -> bool:
    good = bad = 0
    for value in values:
        try:
            good += not isinstance(value, list | dict) and parse_score(value) is not None
        except NotAScoreError:
            bad += 1
        bad += isinstance(value, list | dict)
    return good > bad if named else good > 0 and bad == 0
