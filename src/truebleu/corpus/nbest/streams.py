"""N-best lists larger than memory: a file is read segment by segment, and parts are handed out.

What is refused, and at which line, is what `read_nbest` refuses. A log of fairseq is in no order,
so that all of it is kept.
"""

from __future__ import annotations

from contextlib import closing
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from truebleu.corpus._files import (
    BYTE_ORDER_MARK,
    STANDARD_INPUT,
    OpenedFile,
    decode,
    note_input,
    refuse_large,
)
from truebleu.corpus._tables import parse_record
from truebleu.corpus.nbest.lists import (
    Candidate,
    Listed,
    Lists,
    ScoreScale,
    in_order_of_ids,
    make_lists,
    number,
)
from truebleu.corpus.nbest.reading import (
    JsonKeys,
    by_segment,
    chosen_format,
    consecutive,
    list_key,
    parse_bars,
    parse_fairseq,
    require_size,
)
from truebleu.errors import (
    EmptyTextError,
    EncodingError,
    MalformedFileError,
    UnpairedSegmentsError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import BinaryIO

    from truebleu.corpus.nbest.lists import NBest

#: Characters of a part, at least where there are more.
PART_CHARACTERS = 1 << 23
#: Lines that are looked at to tell the format.
LOOKED_AT = 100
#: Values that all candidates of a file have, or none.
COLUMNS = {"scores": "score", "log_probabilities": "log-probability", "counts": "count"}


class ListStream:
    """The lists of a file, in parts that are made when they are asked for.

    Args:
        path: the file, or - for standard input.
        format: see `read_nbest`, as for what follows.
        size: for plain text, how many lines each segment has.
        scores: for plain text, a file with the score of each line.
        first_id: the number of the first segment.
        scale: what the user says about scores.
        keys: for JSON Lines, which keys hold what.
        stdin: read where the path is -; by default standard input.
    """

    def __init__(
        self,
        path: str,
        *,
        format: str | None = None,  # noqa: A002  # as of `read_nbest`
        size: int | None = None,
        scores: str | None = None,
        first_id: int = 0,
        scale: ScoreScale | None = None,
        keys: JsonKeys | None = None,
        stdin: BinaryIO | None = None,
    ) -> None:
        self.name = path
        self.read = 0
        self._file = _opened(path, stdin)
        lines = numbered_lines(self._file)
        head = list(islice(lines, LOOKED_AT))
        while head and not head[-1][1].strip() and len(head) % LOOKED_AT == 0:
            head += islice(lines, LOOKED_AT)
        if not any(text.strip("\r\n") for _, text in head):
            raise EmptyTextError(path)
        keys = keys or JsonKeys()
        self.format = chosen_format(path, head, format, size, scores, first_id, keys)
        self._scale = scale or ScoreScale()
        self._first: Candidate | None = None
        self._known: Mapping[str, bool] | None = None
        self._lists = self._opened(chain(head, lines), size, scores, first_id, keys)

    def _opened(
        self,
        lines: Iterator[tuple[int, str]],
        size: int | None,
        scores: str | None,
        first_id: int,
        keys: JsonKeys,
    ) -> Iterator[Listed]:
        if self.format in ("jsonl", "sockeye"):
            return _json(self.name, lines, keys)
        if self.format == "flat":
            return _flat(self.name, lines, require_size(size), scores)
        if self.format == "fairseq":
            found = parse_fairseq(self.name, lines)
            sources: Iterable[Any] = found.sources or [None] * len(found.labels)
            return map(Listed, found.candidates, found.labels, sources)
        return in_order_of_ids(self.name, parse_bars(self.name, lines, self.format), first_id)

    def take(self, segments: int | None = None) -> NBest | None:
        """The next so many lists, or as many as a part should have; None at the end."""
        part: list[Listed] = []
        characters = 0
        for listed in self._lists:
            part.append(listed)
            characters += sum(len(candidate.text) for candidate in listed.candidates)
            if len(part) == segments or (segments is None and characters >= PART_CHARACTERS):
                break
        if not part:
            return None
        self.read += len(part)
        lists = make_lists(self.name, self.format, Lists.of(part), self._scale, self._first)
        if self._first is None:
            self._first = part[0].candidates[0]
        self._refuse_other_columns(lists, part[0].candidates[0].line)
        return lists

    @property
    def share_read(self) -> float | None:
        """From 0 to 1; None where nobody knows how much there is."""
        return self._file.share_read

    def count_rest(self) -> int:
        """How many lists there are that nobody took."""
        return sum(1 for _ in self._lists)

    def _refuse_other_columns(self, lists: NBest, line: int) -> None:
        known = {name: getattr(lists, name) is not None for name in COLUMNS}
        for name, there in (self._known or known).items():
            if known[name] != there:
                what = COLUMNS[name]
                found, expected = (f"no {what}", "one") if there else (f"a {what}", "none")
                raise MalformedFileError(self.name, line, found, f"{expected}, as before")
        self._known = known


def _opened(path: str, stdin: BinaryIO | None = None) -> OpenedFile:
    if path != STANDARD_INPUT:
        note_input(path)
    return OpenedFile(path, stdin)


def file_lines(path: str) -> Iterator[tuple[int, str]]:
    """The lines of a file of this name."""
    return numbered_lines(_opened(path))


def numbered_lines(opened: OpenedFile) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, without what ends them."""
    path, line, rest = opened.path, 1, b""
    with closing(opened) as file:
        while piece := file.read():
            whole, end, begun = (rest + piece).rpartition(b"\n")
            rest = begun
            refuse_large(path, len(rest))
            if end:
                yield from _decoded(path, whole, line)
                line += whole.count(b"\n") + 1
    if rest:
        yield from _decoded(path, rest, line)


def _decoded(path: str, data: bytes, line: int) -> Iterator[tuple[int, str]]:
    try:
        text = decode(path, data)
    except EncodingError as error:
        name, found, *others = error.args
        raise EncodingError(name, found and found + line - 1, *others) from None
    if line == 1:
        text = text.removeprefix(BYTE_ORDER_MARK)
    for place, written in enumerate(text.split("\n"), line):
        yield place, written.removesuffix("\r")


def _json(path: str, lines: Iterable[tuple[int, str]], keys: JsonKeys) -> Iterator[Listed]:
    records = _records(path, lines)
    first = next(records)
    key = list_key(first[1], keys)
    records = chain([first], records)
    if key is None:
        return consecutive(path, records, first[1], keys)
    return by_segment(path, records, key, keys)


def _records(
    path: str, lines: Iterable[tuple[int, str]]
) -> Iterator[tuple[int, dict[str, object]]]:
    """The objects on the lines; blank lines may only follow the last one."""
    blank: int | None = None
    for line, text in lines:
        if not text.strip():
            blank = blank or line
        elif blank is not None:
            parse_record(path, blank, "")
        else:
            yield line, parse_record(path, line, text)


def _flat(
    path: str, lines: Iterator[tuple[int, str]], size: int, scores: str | None
) -> Iterator[Listed]:
    values = None if scores is None else file_lines(scores)
    done = 0
    while part := list(islice(lines, size)):
        known: list[float | None] = [None] * len(part)
        if values is not None:
            known = [
                number(str(scores), line, "score", text.strip())
                for line, text in islice(values, len(part))
            ]
        done += len(part)
        if values is not None and len(known) < len(part):
            found = done - len(part) + len(known)
            raise UnpairedSegmentsError(str(scores), found, path, done + sum(1 for _ in lines))
        if len(part) < size:
            expected = f"{size} for each segment; {len(part)} are left over"
            raise MalformedFileError(path, done, f"{done} lines", expected)
        pairs = zip(part, known, strict=True)
        yield Listed(
            [Candidate(line, text, score=score) for (line, text), score in pairs],
            str(done // size - 1),
        )
    if values is not None:
        # Blank lines at the end are no scores.
        more = sum(1 for _, text in values if text.strip())
        if more:
            raise UnpairedSegmentsError(str(scores), done + more, path, done)
