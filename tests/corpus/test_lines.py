from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.corpus._lines import read_lines
from truebleu.errors import EmptyTextError, EncodingError, MalformedFileError, MissingColumnError

SEGMENTS = st.lists(
    st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"])), min_size=1
)


def segments(data: bytes) -> list[str | None]:
    return list(read_lines("f", data).segments)


@given(SEGMENTS)
def test_what_is_written_one_per_line_is_read_back(written: list[str]) -> None:
    written = [segment.removesuffix("\r") for segment in written]
    written[0] = written[0].lstrip("\ufeff")
    data = "".join(f"{segment}\n" for segment in written).encode()
    read = [
        segment if segment is None else segment.removesuffix("\r") for segment in segments(data)
    ]
    assert read == [segment.removesuffix("\r") for segment in written]


def test_only_a_line_feed_ends_a_segment() -> None:
    text = "a\u2028b\u2029c\x85d\x0be\x0cf\rg\r\nh"
    assert segments(text.encode()) == ["a\u2028b\u2029c\x85d\x0be\x0cf\rg", "h"]


def test_a_byte_order_mark_and_carriage_returns_are_dropped_and_noted() -> None:
    text = read_lines("f", b"\xef\xbb\xbfa\r\nb\r\n").select("system", None)[0]
    assert list(text.segments) == ["a", "b"]
    assert text.byte_order_mark
    assert text.carriage_returns == 2


def test_bad_utf8_is_located_by_line_and_byte() -> None:
    with pytest.raises(EncodingError) as caught:
        segments("fine\nschön".encode() + b" caf\xe9 \n")
    assert caught.value.args == ("f", 2, 11, b"\xe9")
    assert "f: line 2, byte 11: found e9, expected UTF-8" in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf"])
def test_a_file_without_segments_is_refused(data: bytes) -> None:
    with pytest.raises(EmptyTextError, match="f: found no segments"):
        segments(data)


def test_utf16_is_recognized() -> None:
    with pytest.raises(MalformedFileError, match=r"line 1: found a NUL byte.*UTF-16"):
        segments("plain".encode("utf-16-le"))
    with pytest.raises(MalformedFileError, match="line 3"):
        segments(b"a\nb\nc\0d\n")


def test_plain_lines_have_no_columns() -> None:
    with pytest.raises(MissingColumnError, match="f: no column 'x'; it has none"):
        read_lines("f", b"a\n").select("system", "x")
