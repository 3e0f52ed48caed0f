"""Which kind of human judgments a file holds, told by its name, its columns and its first line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from truebleu.corpus._files import BYTE_ORDER_MARK, decode, extension
from truebleu.errors import EmptyTextError, MalformedFileError, SettingError
from truebleu.human._columns import of_one_pair, parse_human_table, refuse_language_pair
from truebleu.human.appraise import is_appraise_row
from truebleu.human.direct_assessment import is_direct_assessment
from truebleu.human.esa import is_wmt24, is_wmt25
from truebleu.human.mqm import is_mqm_header, is_rating_line, is_rating_table
from truebleu.human.score_table import level_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.human._columns import HumanTable
    from truebleu.human.scores import Format, HumanScores, PairwiseJudgments, Request

#: Each reader's kind of file; "table" is a table of scores or of pairwise judgments.
Kind: TypeAlias = Literal[
    "table",
    "score lines",
    "mqm",
    "rating lines",
    "rating table",
    "appraise",
    "wmt24",
    "wmt25",
    "direct assessment",
]

#: The kinds that each format may come in.
KINDS: dict[Format, tuple[Kind, ...]] = {
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


def kind_of(path: str, data: bytes, chosen: Format | None) -> Kind:
    """The kind of a file, which must be one of those of the format if one was chosen."""
    guessed = _guess(path, data)
    if chosen is None or guessed in KINDS[chosen]:
        return guessed
    if chosen in _LOOKS:
        found = f"what looks like {_words(guessed)}"
        raise MalformedFileError(path, None, found, _LOOKS[chosen])
    # Tables are read as they are asked to be, and say what they lack.
    return KINDS[chosen][0]


def _words(kind: Kind) -> str:
    names = {"table": "a table of scores", "mqm": "MQM annotations", "appraise": "Appraise"}
    return names.get(kind, kind)


def _guess(path: str, data: bytes) -> Kind:
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
    if is_direct_assessment(first):
        return "direct assessment"
    if ending == ".csv":
        return _guess_row(_first_fields(path, text))
    if any(is_rating_line(line) for line in _some_lines(text)):
        return "rating lines"
    return _guess_row(first.split("\t"))


def _guess_row(fields: Sequence[str]) -> Kind:
    if is_mqm_header(fields):
        return "mqm"
    return "appraise" if is_appraise_row(fields) else "table"


def _guess_json(path: str, data: bytes, text: str) -> Kind:
    from truebleu.human.esa import json_records

    is_array = text.lstrip().startswith("[")
    # A blank line at the start is for the reader to refuse, which knows its number.
    head = data if is_array else data.lstrip().partition(b"\n")[0]
    _, record = next(iter(json_records(path, head)), (None, {}))
    keys = list(record)
    if is_wmt25(keys):
        return "wmt25"
    if is_array:
        found = f"a JSON array of objects with {', '.join(keys) or 'nothing'}"
        raise MalformedFileError(path, None, found, "doc_id and scores, or JSON lines")
    if is_wmt24(keys):
        return "wmt24"
    if is_rating_table(keys):
        return "rating table"
    return "mqm" if is_mqm_header(keys) else "table"


def _first_fields(path: str, text: str) -> list[str]:
    from truebleu.corpus._tables import csv_rows

    return next(csv_rows(path, text), (1, [""]))[1]


def _some_lines(text: str, most: int = 100_000) -> list[str]:
    """Lines at the start of a text: ratings may be None for many segments."""
    return text[: 100 * most].split("\n", most)[:most]


# Hands a file of human judgments to the reader of its kind.


#: The kinds of files that a choice is about; one that would change nothing is refused.
WITH_WEIGHTS: tuple[Kind, ...] = ("mqm", "rating lines", "rating table")
WITH_COLUMNS: tuple[Kind, ...] = ("table", "direct assessment")
WITHOUT_LANGUAGES: tuple[Kind, ...] = ("mqm", "score lines", "rating lines")

# Each reader is imported where it is needed: a run reads one file.


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
    _refuse_idle_choices(path, kind, request)
    match kind:
        case "mqm":
            from truebleu.human.mqm import read_mqm

            return read_mqm(path, data, request)
        case "score lines":
            from truebleu.human.score_table import level_of, read_score_lines

            level = level_of(path) or "segment"
            return read_score_lines(path, data, request, level, canary=canary)
        case "rating lines":
            from truebleu.human.mqm import read_rating_lines

            return read_rating_lines(path, data, request, canary=canary)
        case "rating table":
            from truebleu.human.mqm import read_rating_table

            return read_rating_table(_table(path, data, request), request)
        case "appraise":
            from truebleu.human.appraise import read_appraise

            return read_appraise(path, data, request)
        case "wmt24":
            from truebleu.human.esa import read_wmt24

            return read_wmt24(_table(path, data, request), request)
        case "wmt25":
            from truebleu.human.esa import read_wmt25

            return read_wmt25(path, data, request)
        case "direct assessment":
            from truebleu.human.direct_assessment import read_direct_assessment

            return read_direct_assessment(path, data, request)
        case "table":
            return _read_table(path, data, request, chosen)


def _refuse_idle_choices(path: str, kind: Kind, request: Request) -> None:
    if request.weights is not None and kind not in WITH_WEIGHTS:
        expected = f"none: {path} has no marked errors to weigh"
        raise SettingError("weights", request.weights, expected)
    if request.column is not None and kind not in WITH_COLUMNS:
        expected = f"none: in files such as {path} the format says where scores are"
        raise SettingError("column", request.column, expected)
    if kind in WITHOUT_LANGUAGES:
        refuse_language_pair(path, request)


def _table(path: str, data: bytes, request: Request) -> HumanTable:
    return of_one_pair(parse_human_table(path, data), request)


def _read_table(
    path: str, data: bytes, request: Request, chosen: Format | None
) -> HumanScores | PairwiseJudgments:
    from truebleu.human.rankings import is_pairwise, read_rankings
    from truebleu.human.score_table import read_score_table

    table = _table(path, data, request)
    if chosen == "rankings" or (chosen is None and is_pairwise(table)):
        return read_rankings(table, request)
    return read_score_table(table, request)
