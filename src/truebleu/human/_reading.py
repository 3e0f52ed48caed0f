"""Reading a file of human judgments: which kind it is, and the reader of that kind."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode, extension
from truebleu.errors import EmptyTextError, MalformedFileError, SettingError, UnknownNameError
from truebleu.human._matching import Sheet, item_scores, known_rows
from truebleu.human._score_table import level_of
from truebleu.human._tables import (
    APPRAISE,
    digest,
    is_mqm_header,
    is_number,
    is_pairwise,
    json_records,
    of_one_pair,
    parse_human_table,
    refuse_language_pair,
)
from truebleu.human.scores import FORMATS, Request, as_documents, as_segments, as_systems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.human.scores import (
        Format,
        HumanScores,
        Match,
        Others,
        PairwiseJudgments,
        Raters,
    )
    from truebleu.human.tools._items import Evaluation, Item


class Reader(NamedTuple):
    """How files of a kind are read.

    Attributes:
        function: The function that reads them, as "module:name"; imported when it is needed.
        words: What messages call such a file.
        of_table: Whether it takes a table, parsed, of one language pair; else path and bytes.
        weights: Whether there are marked errors to weigh.
        column: Whether the column of scores can be chosen.
        languages: Whether rows may be of several language pairs.
        canary: Whether a line before the first segment may belong to no segment.
    """

    function: str
    words: str
    of_table: bool = False
    weights: bool = False
    column: bool = False
    languages: bool = True
    canary: bool = False


#: The kinds of files. Only its columns say whether a table holds scores or rankings.
READERS = {
    "table": Reader(
        "_score_table:read_score_table", "a table of scores", of_table=True, column=True
    ),
    "rankings": Reader("_rankings:read_rankings", "rankings", of_table=True, column=True),
    "score lines": Reader(
        "_score_table:read_score_lines", "score lines", languages=False, canary=True
    ),
    "mqm": Reader("_mqm:read_mqm", "MQM annotations", weights=True, languages=False),
    "rating lines": Reader(
        "_mqm:read_rating_lines", "rating lines", weights=True, languages=False, canary=True
    ),
    "rating table": Reader("_mqm:read_rating_table", "rating table", of_table=True, weights=True),
    "appraise": Reader("_direct_assessment:read_appraise", "Appraise"),
    "wmt24": Reader("_direct_assessment:read_wmt24", "wmt24", of_table=True),
    "wmt25": Reader("_direct_assessment:read_wmt25", "wmt25"),
    "direct assessment": Reader(
        "_direct_assessment:read_direct_assessment", "direct assessment", column=True
    ),
}
#: The kinds that each format may come in.
KINDS: dict[Format, tuple[str, ...]] = {
    "scores": ("table", "score lines"),
    "mqm": ("mqm", "rating lines", "rating table"),
    "ratings": ("rating lines", "rating table"),
    "esa": ("appraise", "wmt24", "wmt25"),
    "da": ("appraise", "direct assessment"),
    "rankings": ("table",),
}
_LOOKS = {
    "esa": "ESA as Appraise exports it (12 fields, no header) or as WMT24 and WMT25 publish it "
    "(JSON with esa_score, or with doc_id and scores)",
    "da": "direct assessment as Appraise exports it (9 or 11 fields, no header) or with columns "
    "SYS and RAW.SCR",
    "ratings": "error spans: SYSTEM, JSON and perhaps RATER between tabs, or JSON lines with "
    "system_id, segment_id and errors",
}


def read_human(
    path: str | os.PathLike[str],
    test_set: TestSet | None = None,
    *,
    systems: Iterable[str] | None = None,
    segments: int | None = None,
    documents: Sequence[str] | None = None,
    format: Format | None = None,  # noqa: A002  # the word that everybody knows
    column: str | None = None,
    raters: Raters = "mean",
    weights: str | Mapping[str, float] | None = None,
    others: Others = "refuse",
    match: Match | None = None,
    first_segment: int | None = None,
    language_pair: str | None = None,
) -> HumanScores | PairwiseJudgments:
    """Reads what people said about the systems of a test set; see docs/reference/human-scores.md.

    Args:
        path: The file, compressed or not.
        test_set: The test set that people judged; or what is needed of it:
        systems: The names of the test set's systems, at least two.
        segments: How many segments the test set has.
        documents: The document of each segment, where that is known. Files that name documents
            are then matched by them.
        format: "scores", "mqm", "ratings", "esa", "da" or "rankings"; by default it is guessed.
        column: The column of scores, where there are several.
        raters: How several raters' scores of a segment become one: their "mean", or the mean of
            their "z"-scores, (x - mean) / standard deviation over all that a rater judged.
        weights: What errors weigh in MQM: "standard", "wmt24", a list such as "Major=5,Minor=1", a
            mapping, or a file.
        others: Whether to "refuse" or "ignore" judgments of systems that are not in the test set.
        match: How segments find those of the test set, by "names" where systems are files of
            scores whose items have some, by "documents", by "numbers" or in "order"; by default
            the first that fits what the file has.
        first_segment: The number of the first segment, 0 or 1; by default it is detected.
        language_pair: Which language pair to take from a file with several, as the file writes it.

    Returns:
        Scores, or judgments of which of two outputs is better.

    Raises:
        CorpusError: When the file is not of its format, or does not fit the test set.
        SettingError: When a choice is not possible.
    """
    if format is not None and format not in FORMATS:
        raise UnknownNameError("format", str(format), FORMATS)
    names = None
    if test_set is not None:
        if (systems, segments, documents) != (None, None, None):
            expected = "a TestSet alone, or its systems, segments and documents"
            raise SettingError("test_set", "a TestSet and more", expected)
        systems, segments, documents = test_set.systems, len(test_set), test_set.documents
        names = test_set.segment_names
    size = as_segments(segments)
    request = Request(
        systems=as_systems(systems),
        segments=size,
        documents=as_documents(documents, size),
        names=names,
        column=column,
        raters=raters,
        weights=weights,
        others=others,
        match=match,
        first_segment=first_segment,
        language_pair=language_pair,
    )
    name = os.fspath(path)
    if names is not None and match in (None, "names") and format in (None, "scores"):
        return read_named_items(name, request)
    return parse_human(name, Files().contents(name), request, format)


def read_named_items(path: str, request: Request) -> HumanScores:
    """Scores of items that have names: a table of items, as the systems' own files may be."""
    from truebleu.human.tools import read_evaluations

    for setting in ("weights", "first_segment", "language_pair"):
        if getattr(request, setting) is not None:
            expected = "none: items are found by their names"
            raise SettingError(setting, getattr(request, setting), expected)
    evaluations = read_evaluations(path)
    lines, systems, scores, places, raters = [], [], [], [], []
    known = {name: place for place, name in enumerate(request.names or ())}
    for evaluation in evaluations:
        items, column = _scored_items(evaluation, request)
        for item, score in items:
            if item.name not in known:
                expected = f"an item of the systems' files, such as {next(iter(known))}"
                raise MalformedFileError(path, item.line, f"item {item.name}", expected)
            lines.append(item.line)
            systems.append(evaluation.system)
            scores.append(score)
            places.append(known[item.name])
            raters.append(item.answer)
    sheet = Sheet(
        label=path,
        digest=digest(Files().contents(path)),
        lines=lines,
        systems=systems,
        scores=scores,
        raters=raters if all(raters) else None,
        made=("format:scores", f"column:{column}", "match:names"),
    )
    rows = known_rows(path, lines, systems, request)
    chosen = [places[row] for row in rows]
    return item_scores(sheet, rows, chosen, request, "segment", request.segments, None, sheet.made)


def _scored_items(
    evaluation: Evaluation, request: Request
) -> tuple[list[tuple[Item, float | None]], str]:
    """The answers of one system with their scores, and the name of the score."""
    if not evaluation.has_names:
        expected = "a column that names the items, such as id; or --match numbers"
        raise MalformedFileError(evaluation.label, None, "items without names", expected)
    items = evaluation.chosen_items()
    name = evaluation.score_name(items, request.column or "")
    return [(item, evaluation.score(item, name)) for item in items], name


def parse_human(
    path: str,
    data: bytes,
    request: Request,
    chosen: Format | None = None,
    *,
    canary: bool | None = None,
) -> HumanScores | PairwiseJudgments:
    """The judgments in a file's uncompressed bytes.

    Args:
        path: The file.
        data: What is in it.
        request: The test set and the choices.
        chosen: The format, None to guess it.
        canary: Whether each system has a line before the first segment; None to find out.
    """
    kind = kind_of(path, data, chosen)
    reader = READERS[kind]
    _refuse_idle_choices(path, reader, request)
    file: tuple[object, ...] = (path, data)
    if reader.of_table:
        table = of_one_pair(parse_human_table(path, data), request)
        file = (table,)
        if chosen == "rankings" or (chosen is None and kind == "table" and is_pairwise(table)):
            reader = READERS["rankings"]
    module, _, name = reader.function.partition(":")
    read = getattr(import_module(f"truebleu.human.{module}"), name)
    options = {"canary": canary} if reader.canary else {}
    judgments: HumanScores | PairwiseJudgments = read(*file, request, **options)
    return judgments


def _refuse_idle_choices(path: str, reader: Reader, request: Request) -> None:
    if request.weights is not None and not reader.weights:
        expected = f"none: {path} has no marked errors to weigh"
        raise SettingError("weights", request.weights, expected)
    if request.column is not None and not reader.column:
        expected = f"none: in files such as {path} the format says where scores are"
        raise SettingError("column", request.column, expected)
    if not reader.languages:
        refuse_language_pair(path, request)


# Which kind a file is, guessed from its name, its columns and its first line.


def kind_of(path: str, data: bytes, chosen: Format | None) -> str:
    """The kind of a file, which must be one of those of the format if one was chosen."""
    guessed = _guess(path, data)
    if chosen is None or guessed in KINDS[chosen]:
        return guessed
    if chosen in _LOOKS:
        found = f"what looks like {READERS[guessed].words}"
        raise MalformedFileError(path, None, found, _LOOKS[chosen])
    # Tables are read as they are asked to be, and say what they lack.
    return KINDS[chosen][0]


def _guess(path: str, data: bytes) -> str:
    ending = extension(path)
    if ending == ".rating":
        return "rating lines"
    if level_of(path) is not None:
        return "score lines"
    if ending == ".parquet":
        return "table"
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        raise EmptyTextError(path)
    if ending in (".json", ".jsonl", ".ndjson"):
        return _guess_json(path, data, text)
    first = text.partition("\n")[0].removesuffix("\r")
    if {"raw.scr", "sys"} <= set(first.lower().split()):
        return "direct assessment"
    if ending == ".csv":
        return _guess_row(_first_fields(path, text))
    if any(_is_rating_line(line) for line in _some_lines(text)):
        return "rating lines"
    return _guess_row(first.split("\t"))


def _guess_row(fields: Sequence[str]) -> str:
    if is_mqm_header(fields):
        return "mqm"
    # Appraise has no header, and the last fields are times. A score that is no number is a fault of
    # the row, to be reported as such.
    is_appraise = len(fields) in APPRAISE and all(map(is_number, fields[-2:]))
    return "appraise" if is_appraise else "table"


def _is_rating_line(line: str) -> bool:
    """Whether a line is SYSTEM, a JSON object of errors, and perhaps the rater."""
    fields = line.split("\t")
    return len(fields) in (2, 3) and fields[1].lstrip().startswith('{"errors"')


def _guess_json(path: str, data: bytes, text: str) -> str:
    is_array = text.lstrip().startswith("[")
    # A blank line at the start is for the reader to refuse, which knows its number.
    head = data if is_array else data.lstrip().partition(b"\n")[0]
    _, record = next(iter(json_records(path, head)), (None, {}))
    keys = list(record)
    if {"doc_id", "scores"} <= set(keys):
        return "wmt25"
    if is_array:
        found = f"a JSON array of objects with {', '.join(keys) or 'nothing'}"
        raise MalformedFileError(path, None, found, "doc_id and scores, or JSON lines")
    if {"esa_score", "line_id", "system"} <= set(keys):
        return "wmt24"
    if {"errors", "system_id", "segment_id"} <= set(keys):
        return "rating table"
    return "mqm" if is_mqm_header(keys) else "table"


def _first_fields(path: str, text: str) -> list[str]:
    from truebleu.corpus._tables import csv_rows

    return next(csv_rows(path, text), (1, [""]))[1]


def _some_lines(text: str, most: int = 100_000) -> list[str]:
    """Lines at the start of a text: ratings may be None for many segments."""
    return text[: 100 * most].split("\n", most)[:most]
