"""Reading a file of human judgments: which kind it is, and the reader of that kind."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode, extension
from truebleu.corpus.tables import csv_rows, is_number
from truebleu.errors import EmptyTextError, MalformedFileError, SettingError, UnknownNameError
from truebleu.human import formats, mqm
from truebleu.human.judgments import FORMATS, Request
from truebleu.human.matching import Sheet, item_scores, known_rows
from truebleu.schema import picked, verb
from truebleu.scores.reading import read_evaluations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.human.judgments import (
        Format,
        HumanScores,
        Match,
        Others,
        PairwiseJudgments,
        Raters,
    )

__all__ = ["read_human"]


class Kind(NamedTuple):
    """How files of a kind are read.

    Attributes:
        read: Takes a file's path and bytes, and what is asked of it.
        words: What messages call such a file.
        weights: Whether there are marked errors to weigh.
        column: Whether the column of scores can be chosen.
    """

    read: Callable[[str, bytes, Request], HumanScores | PairwiseJudgments]
    words: str
    weights: bool = False
    column: bool = False


#: The kinds of files. Only its columns say whether a table holds scores or rankings.
KINDS = {
    "table": Kind(formats.read_table, "a table of scores", column=True),
    "scores": Kind(formats.read_scores, "a table of scores", column=True),
    "rankings": Kind(formats.read_rankings, "rankings", column=True),
    "score lines": Kind(formats.read_score_lines, "score lines"),
    "mqm": Kind(mqm.read_mqm, "MQM annotations", weights=True),
    "rating lines": Kind(mqm.read_rating_lines, "rating lines", weights=True),
    "rating table": Kind(mqm.read_rating_table, "rating table", weights=True),
    "appraise": Kind(formats.read_appraise, "Appraise"),
    "wmt24": Kind(formats.read_wmt24, "wmt24"),
    "wmt25": Kind(formats.read_wmt25, "wmt25"),
    "direct assessment": Kind(formats.read_direct_assessment, "direct assessment", column=True),
}
#: The kinds that each format may come in, and how the first of them looks.
FORMAT_KINDS: dict[Format, tuple[tuple[str, ...], str]] = {
    "scores": (("scores", "score lines"), ""),
    "mqm": (("mqm", "rating lines", "rating table"), ""),
    "ratings": (
        ("rating lines", "rating table"),
        "error spans: SYSTEM, JSON and perhaps RATER between tabs, or JSON lines with "
        "system_id, segment_id and errors",
    ),
    "esa": (
        ("appraise", "wmt24", "wmt25"),
        "ESA as Appraise exports it (12 fields, no header) or as WMT24 and WMT25 publish it "
        "(JSON with esa_score, or with doc_id and scores)",
    ),
    "da": (
        ("appraise", "direct assessment"),
        "direct assessment as Appraise exports it (9 or 11 fields, no header) or with columns "
        "SYS and RAW.SCR",
    ),
    "rankings": (("rankings",), ""),
}


@verb
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
    arguments = locals()
    if test_set is not None:
        if (systems, segments, documents) != (None, None, None):
            expected = "a TestSet alone, or its systems, segments and documents"
            raise SettingError("test_set", "a TestSet and more", expected)
        arguments |= {
            "systems": test_set.systems,
            "segments": len(test_set),
            "documents": test_set.documents,
            "names": test_set.segment_names,
            "outputs": None if test_set.is_counted else test_set.systems,
        }
    request = picked(Request, arguments)
    name = os.fspath(path)
    if request.names is not None and match in (None, "names") and format in (None, "scores"):
        return read_named_items(name, request)
    return parse_human(name, Files().contents(name), request, format)


def read_named_items(path: str, request: Request) -> HumanScores:
    """Scores of items that have names: a table of items, as the systems' own files may be."""
    for setting in ("weights", "first_segment", "language_pair"):
        if getattr(request, setting) is not None:
            expected = "none: items are found by their names"
            raise SettingError(setting, getattr(request, setting), expected)
    place_of = {name: place for place, name in enumerate(request.names or ())}
    rows: list[tuple[int | None, str, float | None, str]] = []
    places, column, checksum = [], "", ""
    for evaluation in read_evaluations(path):
        if not evaluation.has_names:
            expected = "a column that names the items, such as id; or --match numbers"
            raise MalformedFileError(evaluation.label, None, "items without names", expected)
        items, checksum = evaluation.chosen_items(), evaluation.digest
        column = evaluation.score_name(items, request.column or "")
        for item in items:
            if item.name not in place_of:
                expected = f"an item of the systems' files, such as {next(iter(place_of))}"
                raise MalformedFileError(path, item.line, f"item {item.name}", expected)
            score = evaluation.score(item, column)
            rows.append((item.line, evaluation.system, score, item.answer))
            places.append(place_of[item.name])
    lines, systems, scores, raters = zip(*rows, strict=True) if rows else ((), (), (), ())
    sheet = Sheet(
        label=path,
        digest=checksum,
        lines=lines,
        systems=systems,
        scores=scores,
        raters=raters if all(raters) else None,
        made=("format:scores", f"column:{column}"),
    )
    kept = known_rows(sheet, request)
    return item_scores(sheet, kept, [places[row] for row in kept], request, "match:names")


def parse_human(
    path: str, data: bytes, request: Request, chosen: Format | None = None
) -> HumanScores | PairwiseJudgments:
    """The judgments in a file's uncompressed bytes; their format is guessed where it is None."""
    kind = KINDS[kind_of(path, data, chosen)]
    if request.weights is not None and not kind.weights:
        expected = f"none: {path} has no marked errors to weigh"
        raise SettingError("weights", request.weights, expected)
    if request.column is not None and not kind.column:
        expected = f"none: in files such as {path} the format says where scores are"
        raise SettingError("column", request.column, expected)
    return kind.read(path, data, request)


# Which kind a file is, guessed from its name, its columns and its first line.


def kind_of(path: str, data: bytes, chosen: Format | None) -> str:
    """The kind of a file, which must be one of those of the format if one was chosen."""
    guessed = _guess(path, data)
    if chosen is None:
        return guessed
    kinds, look = FORMAT_KINDS[chosen]
    if guessed in kinds:
        return guessed
    if look:
        found = f"what looks like {KINDS[guessed].words}"
        raise MalformedFileError(path, None, found, look)
    # Tables are read as they are asked to be, and say what they lack.
    return kinds[0]


def _guess(path: str, data: bytes) -> str:
    ending = extension(path)
    if ending == ".rating":
        return "rating lines"
    if formats.level_of(path) is not None:
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
        return _guess_row(next(csv_rows(path, text), (1, [""]))[1])
    # Ratings may be None for many segments.
    if any(_is_rating_line(line) for line in text[:10_000_000].split("\n", 100_000)):
        return "rating lines"
    return _guess_row(first.split("\t"))


def _guess_row(fields: Sequence[str]) -> str:
    if mqm.is_mqm_header(fields):
        return "mqm"
    # Appraise has no header, and the last fields are times. A score that is no number is a fault of
    # the row, to be reported as such.
    is_appraise = len(fields) in formats.APPRAISE and all(map(is_number, fields[-2:]))
    return "appraise" if is_appraise else "table"


def _is_rating_line(line: str) -> bool:
    """Whether a line is SYSTEM, a JSON object of errors, and perhaps the rater."""
    fields = line.split("\t")
    return len(fields) in (2, 3) and fields[1].lstrip().startswith('{"errors"')


def _guess_json(path: str, data: bytes, text: str) -> str:
    is_array = text.lstrip().startswith("[")
    # A blank line at the start is for the reader to refuse, which knows its number.
    head = data if is_array else data.lstrip().partition(b"\n")[0]
    _, record = next(iter(formats.json_records(path, head)), (None, {}))
    keys = set(record)
    if {"doc_id", "scores"} <= keys:
        return "wmt25"
    if {"esa_score", "line_id", "system"} <= keys:
        return "wmt24"
    if {"errors", "system_id", "segment_id"} <= keys:
        return "rating table"
    return "mqm" if mqm.is_mqm_header(keys) else "table"
