"""Reading n-best lists: the format is told by the look of the first line, or by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode
from truebleu.corpus.nbest import _bars, _fairseq, _json
from truebleu.corpus.nbest._candidates import (
    Candidate,
    Lists,
    ScoreScale,
    in_order_of_ids,
    make_lists,
    number,
)
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    SettingError,
    UnknownNameError,
    UnpairedSegmentsError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from typing import BinaryIO

    from truebleu.corpus.nbest.lists import NBest

#: The formats by name.
NBEST_FORMATS = (*_bars.READERS, "fairseq", "sockeye", "jsonl", "flat")


def read_nbest(
    path: str | PathLike[str],
    *,
    format: str | None = None,  # noqa: A002  # the word that everybody knows
    size: int | None = None,
    scores: str | PathLike[str] | None = None,
    first_id: int = 0,
    log_base: float | None = None,
    length_normalized: bool | None = None,
    candidates_key: str | None = None,
    text_key: str | None = None,
    id_key: str | None = None,
    source_key: str | None = None,
    score_key: str | None = None,
    log_probability_key: str | None = None,
    count_key: str | None = None,
    features: Sequence[str] | None = None,
    stdin: BinaryIO | None = None,
) -> NBest:
    """Reads candidates for each segment; the file may be compressed, and - is standard input.

    Args:
        path: the file.
        format: one of NBEST_FORMATS; by default told by the look of the first line.
        size: for plain text, how many lines each segment has.
        scores: for plain text, a file with the score of each line.
        first_id: the number of the first segment in files that number them.
        log_base: the base of the scores' logarithms, where it is another one than the format's.
        length_normalized: whether scores were divided by a power of the length, where the format
            does not tell.
        candidates_key: for JSON Lines, the key of a segment's candidates.
        text_key: the key of a candidate's text.
        id_key: the key of a candidate's segment.
        source_key: the key of a segment's source.
        score_key: the key of the model's score.
        log_probability_key: the key of a natural log-probability that is not normalised by length.
        count_key: the key of how often a candidate was sampled.
        features: the keys that are features; by default every other number.
        stdin: read where the path is -; by default standard input.

    Raises:
        CorpusError: where a number, a name, a segment or a candidate is not what it should be.
    """
    if format is not None and format not in NBEST_FORMATS:
        raise UnknownNameError("format of n-best lists", format, NBEST_FORMATS)
    if first_id not in (0, 1):
        raise SettingError("first_id", first_id, "0 or 1")
    keys = _json.JsonKeys(
        candidates=candidates_key,
        text=text_key,
        id=id_key,
        source=source_key,
        score=score_key,
        log_probability=log_probability_key,
        count=count_key,
        features=None if features is None else tuple(features),
    )
    scale = ScoreScale(log_base, length_normalized)
    files = Files(stdin)
    name = str(path)
    data = files.contents(name)
    text = decode(name, data).removeprefix(BYTE_ORDER_MARK)
    lines = _lines(text)
    if not lines:
        raise EmptyTextError(name)
    format_ = format or _told_by_look(name, lines, size)
    _refuse_idle_options(format_, keys, size, scores)
    if format_ in ("jsonl", "sockeye"):
        lists = _json.parse(name, data, keys)
    elif format_ == "fairseq":
        lists = _fairseq.parse(name, lines)
    elif format_ == "flat":
        scores_name = None if scores is None else str(scores)
        values = None if scores_name is None else _scores(files, scores_name)
        lists = _flat(name, text, size, scores_name, values)
    else:
        candidates = _bars.parse(name, [line for line in lines if line[1].strip()], format_)
        lists = in_order_of_ids(name, candidates, first_id)
    return make_lists(name, format_, lists, scale)


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines with their numbers, without the blank ones at the end."""
    lines = text.rstrip("\n").split("\n") if text.strip("\r\n") else []
    return [(line, written.removesuffix("\r")) for line, written in enumerate(lines, 1)]


def _told_by_look(path: str, lines: list[tuple[int, str]], size: int | None) -> str:
    if size is not None:
        return "flat"
    first = next(line for _, line in lines if line.strip())
    if first.lstrip().startswith("{"):
        return "sockeye" if '"translations"' in first and '"scores"' in first else "jsonl"
    if any(_fairseq.looks_like(line) for _, line in lines[:100]):
        return "fairseq"
    format_ = _bars.looks_like(first)
    if format_ is None:
        expected = (
            "id ||| text ||| …, JSON Lines or a log of fairseq; for plain text say how many lines "
            "each segment has (--size N)"
        )
        raise MalformedFileError(path, 1, f"{first[:40]!r}", expected)
    return format_


def _refuse_idle_options(
    format_: str, keys: _json.JsonKeys, size: int | None, scores: object
) -> None:
    if format_ != "flat" and (size is not None or scores is not None):
        raise SettingError("size or scores", format_, "lists as plain text, format flat")
    if format_ not in ("jsonl", "sockeye") and keys != _json.JsonKeys():
        raise SettingError("keys", f"a file of format {format_}", "JSON Lines")


def _flat(
    path: str, text: str, size: int | None, scores_path: str | None, scores: list[float] | None
) -> Lists:
    """Plain text with the same number of lines for each segment."""
    if size is None:
        raise SettingError("size", size, "how many lines each segment has")
    if size < 1:
        raise SettingError("size", size, "1 or more")
    written = text.split("\n")
    if not written[-1]:
        written.pop()
    lines = [line.removesuffix("\r") for line in written]
    if len(lines) % size:
        found = f"{len(lines)} lines"
        expected = f"{size} for each segment; {len(lines) % size} are left over"
        raise MalformedFileError(path, len(lines), found, expected)
    if scores is not None and len(scores) != len(lines):
        raise UnpairedSegmentsError(str(scores_path), len(scores), path, len(lines))
    candidates = [
        Candidate(line, candidate, score=None if scores is None else scores[line - 1])
        for line, candidate in enumerate(lines, 1)
    ]
    lists = [candidates[start : start + size] for start in range(0, len(lines), size)]
    return Lists(lists, [str(segment) for segment in range(len(lists))])


def _scores(files: Files, path: str) -> list[float]:
    text = decode(path, files.contents(path)).removeprefix(BYTE_ORDER_MARK)
    return [number(path, line, "score", written.strip()) for line, written in _lines(text)]
