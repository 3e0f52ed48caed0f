"""Reading scores that other programs made: by the format of a tool, or else as a table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu.corpus.tables import (
    ANSWER,
    BENCHMARK,
    ITEM,
    RATER,
    SCORE,
    SEGMENT,
    SYSTEM,
    NotAScoreError,
    Table,
    digest,
    is_score,
    json_in,
    parse_score,
    read_score_table,
    score_columns,
    table_of_columns,
    whole_number,
)
from truebleu.corpus.test_set import column_values, frame_columns, is_frame
from truebleu.errors import MalformedFileError, SettingError
from truebleu.scores.evaluations import (
    Evaluation,
    Format,
    ScoreFile,
    SegmentScores,
    evaluations_of,
    is_name,
    items_of,
    paired,
)
from truebleu.scores.tools import FORMATS, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.scores.evaluations import Answer, Record


def format_of(file: ScoreFile) -> Format | None:
    """The format of a file; None where it is of none of these tools, and so a table."""
    known = next((form for form in FORMATS if form.knows(file)), None)
    is_json = file.text.lstrip()[:1] in ("{", "[")
    if known is None and is_json and file.json is None and file.first_record is None:
        json_in(file.path, None, file.text, "a JSON value, or one on each line")
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


def evaluations_in_memory(name: str, rows: Any) -> list[Evaluation]:
    """The systems in a data frame; or one of rows, or of numbers in order, which has that name."""
    if is_frame(rows):
        columns = {key: column_values(own) for key, own in frame_columns("systems", rows).items()}
    else:
        rows = list(rows)
        if not all(isinstance(row, Mapping) for row in rows):
            rows = [{"score": number} for number in _numbers(name, rows)]
        keys = dict.fromkeys(key for row in rows for key in row)
        columns = {str(key): [row.get(key) for row in rows] for key in keys}
    plain: dict[str, Sequence[object]] = {
        key: [_plain(value) for value in own] for key, own in columns.items()
    }
    systems = SYSTEM if is_frame(rows) else ()
    evaluations = _of_table(
        ScoreFile(name, b"", ""), table_of_columns(name, plain), systems=systems
    )
    return evaluations or [Evaluation(label=name, digest="", system=name, items=())]


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
    whole, rows = table_of_columns(file.path, columns), zip(*columns.values(), strict=True)
    dicts = [dict(zip(columns, row, strict=True)) for row in rows]
    records = list(zip(table.all_lines(), dicts, strict=True))
    model, benchmark = whole.find(systems), whole.find(BENCHMARK) if by_benchmark else None
    for line, record in records:
        for column in (model, benchmark):
            if column is not None and not is_name(record[column]):
                file.refuse(line, f"{column} {record[column]!r}", "a name")
    form = Format(
        tool="",
        records=lambda _: records,
        system=model or "",
        item=whole.find(ITEM) or "",
        scores=lambda record: {name: record[name] for name in scored},
        benchmark=benchmark or "",
        answer=whole.find(ANSWER) or "",
        fields=lambda record: record,
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
    path: str, column: str = "", filter_: str = "", rater: str = "", first_segment: int = 1
) -> SegmentScores:
    """Segment scores of another tool, in a folder of a file for each system, or in a table.

    See docs/reference/metrics/scores.md.
    """
    files = [ScoreFile.read(file) for file in _files_of(path)]
    forms = [format_of(file) for file in files]
    if forms == [None] and not os.path.isdir(path):
        if filter_:
            raise SettingError("filter", filter_, "none: only lm-evaluation-harness has filters")
        table = read_score_table(path, files[0].data)
        return _table_scores(table, column, rater, first_segment)
    for setting, value, usual in (("rater", rater, ""), ("first_segment", first_segment, 1)):
        if value != usual:
            raise SettingError(setting, value, "none: the file of a tool says it by itself")
    evaluations: list[Evaluation] = []
    for file, form in zip(files, forms, strict=True):
        if form is None:
            expected = "scores that a tool wrote, such as a number on each line"
            file.refuse(None, "something else", expected)
        for setting, value, can_choose in (
            ("column", column, not form.one_score),
            ("filter", filter_, bool(form.filter)),
        ):
            if value and not can_choose:
                raise SettingError(setting, value, f"none: {form.tool} has nothing to choose among")
        evaluations += evaluations_of(file, form)
    if not evaluations:
        files[0].refuse(None, "no scores", "the scores of at least one system")
    scores = paired(evaluations, items_of(evaluations), column, filter_)
    is_unnamed = scores.name == "score" and scores.items is None
    checksum = files[0].digest
    if os.path.isdir(path):
        checksum = digest("".join(file.digest for file in files).encode())
    name = "" if is_unnamed else scores.name
    return replace(scores, label=path, digest=checksum, name=name)


def _files_of(path: str) -> list[str]:
    """The file, or those of a folder: one for each system, with the same items in all of them."""
    if not os.path.isdir(path):
        return [path]
    files = [os.path.join(path, entry.name) for entry in os.scandir(path) if entry.is_file()]
    if not files:
        raise SettingError("path", path, "a folder with a file of scores for each system")
    return sorted(files)


def scores_in_memory(scores: Mapping[str, Iterable[object]]) -> SegmentScores:
    """Segment scores that are in memory: for each system an array or list, None or NaN if missing.

    >>> scores_in_memory({"a": [0.5, None]}).by_system["a"]
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
        scores = dict(zip(columns, fields, strict=True))
        cells = (
            {systems[row]: scores} if systems else {name: {name: scores[name]} for name in scores}
        )
        for system, own in cells.items():
            records.append((table.line(row), {"system": system, "scores": own, **about}))
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
        columns=columns if systems else ("",),
        first_segment=None if segment is None else first_segment,
    )
