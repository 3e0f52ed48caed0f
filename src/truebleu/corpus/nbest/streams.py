"""N-best lists larger than memory: a file is read segment by segment, and parts are handed out.

What is refused, and at which line, is what `read_nbest` refuses.
"""

from __future__ import annotations

from contextlib import closing
from itertools import chain, islice
from typing import TYPE_CHECKING

from truebleu.corpus._files import (
    BYTE_ORDER_MARK,
    STANDARD_INPUT,
    OpenedFile,
    decode,
    note_input,
    refuse_large,
)
from truebleu.corpus.nbest.lists import Lists, make_lists
from truebleu.corpus.nbest.reading import ListFormat
from truebleu.errors import EncodingError, MalformedFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

    from truebleu.corpus.nbest.lists import Candidate, Listed, NBest

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
        how: what is known about the file.
        stdin: read where the path is -; by default standard input.
    """

    def __init__(
        self, path: str, how: ListFormat | None = None, *, stdin: BinaryIO | None = None
    ) -> None:
        self.name = path
        self.read = 0
        self._file = _opened(path, stdin)
        lines = numbered_lines(self._file)
        head = list(islice(lines, LOOKED_AT))
        while head and not head[-1][1].strip() and len(head) % LOOKED_AT == 0:
            head += islice(lines, LOOKED_AT)
        self._how = (how or ListFormat()).seen(path, head)
        self._first: Candidate | None = None
        self._known: Mapping[str, bool] | None = None
        self._lists = self._how.listed(path, chain(head, lines), file_lines, scattered=False)

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
        lists = make_lists(
            self.name, str(self._how.format), Lists.of(part), self._how.scale, self._first
        )
        if self._first is None:
            self._first = part[0].candidates[0]
        self._refuse_other_columns(lists, part[0].candidates[0].line)
        return lists

    @property
    def share_read(self) -> float | None:
        """From 0 to 1; None where the size is unknown."""
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
    except (EncodingError, MalformedFileError) as error:
        # Lines are counted from the beginning of the file.
        name, wrong, *others = error.args
        raise type(error)(name, wrong and wrong + line - 1, *others) from None
    if line == 1:
        text = text.removeprefix(BYTE_ORDER_MARK)
    for place, written in enumerate(text.split("\n"), line):
        yield place, written.removesuffix("\r")
