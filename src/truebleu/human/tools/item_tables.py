"""Tables of items: JSON lines, CSV, TSV or Parquet with a row for each answer of one system.

The fallback where no tool is known: a column names the item, others have its scores, and anything
else is known about it. A column that names systems makes it a table of several.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu.corpus.test_set import column_values, frame_columns
from truebleu.human._tables import (
    SEGMENTS,
    SYSTEMS,
    NotAScoreError,
    Scale,
    human_table,
    parse_score,
    parse_score_table,
)
from truebleu.human.tools import inspect
from truebleu.human.tools._items import Evaluation, Item
from truebleu.human.tools._scores import ToolFile, given_scores, system_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from truebleu.corpus.test_set import Frame

# Names of columns, in lower case; the first that exists counts.
ITEMS = (
    *("id", "item", "item_id", "sample_id", "question_id", "example_id", "task_id"),
    *("doc_id", "custom_id", *SEGMENTS),
)
MODELS = (*SYSTEMS, "model", "model_id", "model_name")
BENCHMARKS = ("benchmark", "test_set", "evaluation_name", "task", "dataset")
SCORES = (
    *("score", "rating", "correct", "is_correct", "accuracy", "acc", "exact_match"),
    *("pass", "passed", "reward"),
)
ANSWERS = (
    *("epoch", "answer_id", "run", "replicate", "repeat", "trial", "attempt"),
    *("rater", "rater_id", "annotator", "annotator_id"),
)


def read(file: ToolFile, *, by_benchmark: bool = False) -> list[Evaluation]:
    """One evaluation for each system of the table, or for each system and benchmark."""
    parsed = human_table(parse_score_table(file.path, file.data), file.data)
    columns = {name: parsed.table.values(name) for name in parsed.table.columns}
    system = system_of(file.path)
    return _evaluations(file, system, columns, parsed.lines(), by_benchmark=by_benchmark)


def evaluations_of_frame(name: str, frame: Frame) -> list[Evaluation]:
    """The systems in a data frame; a single one, which no column names, has the given name."""
    columns = {
        column: [_plain(value) for value in column_values(values)]
        for column, values in frame_columns("systems", frame).items()
    }
    rows = len(next(iter(columns.values()), ()))
    return _evaluations(ToolFile(name, b"", ""), name, columns, [None] * rows)


def evaluation_of_rows(system: str, rows: Sequence[Any]) -> Evaluation:
    """Scores in memory: numbers in order, or mappings with the name of each item."""
    file = ToolFile(system, b"", "")
    if not all(isinstance(row, Mapping) for row in rows):
        numbers = given_scores({system: rows}).of(system, len(rows), Scale())
        rows = [{"score": number} for number in numbers]
    keys = dict.fromkeys(key for row in rows for key in row)
    columns = {str(key): [_plain(row.get(key)) for row in rows] for key in keys}
    lines: list[int | None] = [None] * len(rows)
    (evaluation,) = _evaluations(file, system, columns, lines, models=()) or [
        Evaluation(file, system, ())
    ]
    return evaluation


def _evaluations(
    file: ToolFile,
    system: str,
    columns: Mapping[str, Sequence[object]],
    lines: Sequence[int | None],
    *,
    models: Sequence[str] = MODELS,
    by_benchmark: bool = False,
) -> list[Evaluation]:
    """The systems of a table: those that a column names, or else the given one."""
    scored = _score_columns(columns)
    if inspect.is_frame(columns):
        columns, scored = _of_inspect(file, columns, known=bool(models))
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    model = _column(columns, models)
    benchmark = _column(columns, BENCHMARKS) if by_benchmark else None
    places: dict[tuple[str, str], list[int]] = {}
    for place, (row, line) in enumerate(zip(rows, lines, strict=True)):
        name = system if model is None else _label(file, row[model], line, model)
        about = "" if benchmark is None else _label(file, row[benchmark], line, benchmark)
        places.setdefault((name, about), []).append(place)
    evaluations = []
    for (name, about), chosen in places.items():
        evaluation = _evaluation(
            file, name, [rows[i] for i in chosen], [lines[i] for i in chosen], scored
        )
        evaluations.append(replace(evaluation, benchmark=about))
    return evaluations


def _of_inspect(
    file: ToolFile, columns: Mapping[str, Sequence[object]], *, known: bool
) -> tuple[dict[str, Sequence[object]], list[str]]:
    """The columns of Inspect's data frame, with its scores as numbers under the scorers' names."""
    if known and "model" not in columns and len(set(columns["eval_id"])) > 1:
        expected = "a column model: samples_df(logs, columns=EvalModel + SampleSummary)"
        file.refuse(None, "samples of several evaluations", expected)
    # The id of a sample in its dataset counts, not that of the sample in a log.
    kept = {name: values for name, values in columns.items() if name != "sample_id"}
    named = {name: name.removeprefix(inspect.PREFIX) for name in kept}
    scores = [name for name in kept if name.startswith(inspect.PREFIX)]
    numbers = {named[name]: [inspect.counted(value) for value in kept[name]] for name in scores}
    return {**kept, **numbers}, list(numbers)


def _plain(value: Any) -> object:
    """A value of a data frame: NaN and NA are nothing, and numbers of arrays are numbers."""
    value = value.item() if getattr(value, "ndim", None) == 0 else value
    if value is None or isinstance(value, str | bool | int | list | dict):
        return value
    try:
        return None if value != value else value
    except (TypeError, ValueError):  # pandas' NA is neither equal nor different
        return None


def _evaluation(
    file: ToolFile,
    system: str,
    rows: Sequence[Mapping[str, object]],
    lines: Sequence[int | None],
    scored: Sequence[str],
) -> Evaluation:
    item, answer = (_column(rows[0], names) for names in (ITEMS, ANSWERS))
    items: dict[str, dict[str, Item]] = {}
    for row, line in zip(rows, lines, strict=True):
        name = str(len(items) + 1) if item is None else _label(file, row[item], line, item)
        of_item = items.setdefault(name, {})
        run = str(len(of_item) + 1) if answer is None else str(row[answer])
        if run in of_item:
            file.refuse(line, f"{answer} {run} of item {name} again", "each once")
        scores = {column: row[column] for column in scored}
        label = "" if answer is None else run
        of_item[run] = Item(name, scores, line, answer=label, fields=row)
    # Runs are in the same order for every item, whatever that of the rows is.
    runs = list(dict.fromkeys(run for of_item in items.values() for run in of_item))
    ordered = (of_item[run] for of_item in items.values() for run in runs if run in of_item)
    named = [column for column in scored if column.lower() in SCORES]
    usual = next((column for column in named if column.lower() == SCORES[0]), "")
    if len(named) == 1:
        usual = named[0]
    return Evaluation(file, system, tuple(ordered), usual=usual, has_names=item is not None)


def _column(columns: Iterable[str], names: Sequence[str]) -> str | None:
    lower = {column.lower(): column for column in columns}
    return next((lower[name] for name in names if name in lower), None)


def _label(file: ToolFile, value: object, line: int | None, column: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        file.refuse(line, f"{column} {value!r}", "a name")
    return str(value)


def _score_columns(columns: Mapping[str, Sequence[object]]) -> list[str]:
    """The columns of scores: they have nothing else, or are called so and have hardly else.

    A slip in a column that is plainly one of scores is then refused with its line.
    """
    others = (*ITEMS, *MODELS, *ANSWERS, *BENCHMARKS)
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
