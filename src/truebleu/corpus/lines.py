"""Plain text, one segment per line, and the checks that all text formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._core import Segments
from truebleu.corpus import locations
from truebleu.corpus.texts import NamedText
from truebleu.errors import EmptyTextError, EncodingError, MalformedFileError, MissingColumnError

if TYPE_CHECKING:
    from truebleu.corpus.texts import Role

BYTE_ORDER_MARK = "\ufeff"


class Lines:
    """A file of plain lines: a single text."""

    def __init__(self, path: str, segments: Segments) -> None:
        self.path = path
        self.segments = segments

    def select(self, role: Role, name: str | None) -> list[NamedText]:  # noqa: ARG002
        """The text; there is no other to choose."""
        if name is not None:
            raise MissingColumnError(self.path, "column", name, ())
        segments = self.segments
        return [
            NamedText(
                label=self.path,
                path=self.path,
                name=locations.stem(self.path),
                segments=segments,
                carriage_returns=segments.carriage_returns,
                byte_order_mark=segments.byte_order_mark,
            )
        ]


def read_lines(path: str, data: bytes) -> Lines:
    """Segments of a plain file; a segment ends at a line feed and nowhere else."""
    refuse_nul(path, data)
    try:
        segments = Segments.from_lines(data)
    except UnicodeDecodeError as error:
        raise _encoding_error(path, data, error) from None
    if not len(segments):
        raise EmptyTextError(path)
    return Lines(path, segments)


def decode(path: str, data: bytes) -> str:
    """A whole file as text, a byte-order mark included; an error says where it is not UTF-8."""
    refuse_nul(path, data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _encoding_error(path, data, error) from None


def refuse_nul(path: str, data: bytes) -> None:
    """Raises MalformedFileError where a byte is 0: no text has one, but every UTF-16 file does."""
    offset = data.find(b"\0")
    if offset >= 0:
        line = data.count(b"\n", 0, offset) + 1
        expected = "text in UTF-8; is this UTF-16 or a binary file?"
        raise MalformedFileError(path, line, "a NUL byte", expected)


def _encoding_error(path: str, data: bytes, error: UnicodeDecodeError) -> EncodingError:
    line = data.count(b"\n", 0, error.start) + 1
    byte = error.start - data.rfind(b"\n", 0, error.start)
    return EncodingError(path, line, byte, data[error.start : error.end])
