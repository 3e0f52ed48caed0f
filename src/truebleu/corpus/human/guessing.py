"""Which kind of human judgments a file holds, told by its name, its columns and its first line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from truebleu.corpus import locations
from truebleu.corpus.human.appraise import is_appraise_row
from truebleu.corpus.human.direct_assessment import is_direct_assessment
from truebleu.corpus.human.error_ratings import is_rating_line, is_rating_table
from truebleu.corpus.human.mqm import is_mqm_header
from truebleu.corpus.human.score_lines import level_of
from truebleu.corpus.human.wmt_json import is_wmt24, is_wmt25
from truebleu.corpus.lines import BYTE_ORDER_MARK, decode
from truebleu.errors import EmptyTextError, MalformedFileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.human.request import Format

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
    ending = locations.extension(path)
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
    from truebleu.corpus.human.wmt_json import json_records

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
    from truebleu.corpus.delimited import csv_rows

    return next(csv_rows(path, text), (1, [""]))[1]


def _some_lines(text: str, most: int = 100_000) -> list[str]:
    """Lines at the start of a text: ratings may be None for many segments."""
    return text[: 100 * most].split("\n", most)[:most]
