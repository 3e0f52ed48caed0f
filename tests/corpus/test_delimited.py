from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.corpus.tables import Delimited, read_csv, read_tsv
from truebleu.errors import EmptyTextError, EncodingError, MalformedFileError

Reader: TypeAlias = Callable[[str, bytes], Delimited]

FIELD = st.text(st.characters(exclude_characters="\t\r\n\0", exclude_categories=["Cs"]))
QUOTED_FIELD = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]))


@given(st.lists(st.tuples(FIELD, FIELD), min_size=1))
def test_tsv_is_read_back(rows: list[tuple[str, str]]) -> None:
    data = "x\ty\n" + "".join(f"{x}\t{y}\n" for x, y in rows)
    table = read_tsv("f", data.encode())
    assert list(zip(table.values("x"), table.values("y"), strict=True)) == rows


@given(st.lists(st.tuples(QUOTED_FIELD, QUOTED_FIELD), min_size=1))
def test_csv_is_read_back(rows: list[tuple[str, str]]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([("x", "y"), *rows])
    table = read_csv("f", file.getvalue().encode())
    assert list(zip(table.values("x"), table.values("y"), strict=True)) == rows


def test_a_quote_in_tsv_is_a_character() -> None:
    table = read_tsv("f", b'x\ty\n"a\tb"c\n')
    assert table.values("x") == ['"a']
    assert table.values("y") == ['b"c']


def test_tsv_rows_end_at_line_feeds_only() -> None:
    table = read_tsv("f", "\ufeffx\ty\r\na\u2028b\tc\x85d\r\n".encode())
    assert table.columns == ("x", "y")
    assert table.values("x") == ["a\u2028b"]
    assert table.values("y") == ["c\x85d"]
    assert table.byte_order_mark
    assert table.carriage_returns == 2


def test_csv_fields_may_hold_line_ends_commas_and_quotes() -> None:
    table = read_csv("f", b'\xef\xbb\xbfx,y\r\n"a\nb","c, ""d"""\r\n')
    assert table.values("x") == ["a\nb"]
    assert table.values("y") == ['c, "d"']
    assert table.byte_order_mark


def test_a_ragged_tsv_row_is_located() -> None:
    with pytest.raises(MalformedFileError, match="f: line 3: found 1 field, expected 2"):
        read_tsv("f", b"x\ty\na\tb\nc\n")
    with pytest.raises(MalformedFileError, match="line 2: found 3 fields"):
        read_tsv("f", b"x\ty\na\tb\tc\n")


def test_a_ragged_csv_row_is_located_by_the_line_where_it_starts() -> None:
    with pytest.raises(MalformedFileError, match="f: line 4: found 3 fields, expected 2"):
        read_csv("f", b'x,y\n"a\nb",c\n1,2,"3\n4"\n')


def test_broken_quotes_in_csv_are_located() -> None:
    with pytest.raises(MalformedFileError, match="f: line 3: found a broken row"):
        read_csv("f", b'x,y\na,b\nc,"d\ne,f\n')


def test_columns_must_differ() -> None:
    with pytest.raises(MalformedFileError, match="line 1: found 2 columns called 'x'"):
        read_tsv("f", b"x\tx\na\tb\n")


@pytest.mark.parametrize("read", [read_tsv, read_csv])
@pytest.mark.parametrize("data", [b"", b"x\n", b"\xef\xbb\xbf"])
def test_a_table_without_rows_is_refused(read: Reader, data: bytes) -> None:
    with pytest.raises(EmptyTextError, match="f: found no segments"):
        read("f", data)


@pytest.mark.parametrize("read", [read_tsv, read_csv])
def test_bad_utf8_is_located(read: Reader) -> None:
    with pytest.raises(EncodingError, match="f: line 2, byte 2: found ff"):
        read("f", b"x\na\xff\n")


def test_a_long_field_is_read_and_the_limit_left_as_it_was() -> None:
    before = csv.field_size_limit()
    table = read_csv("f", b"text\n" + b"w " * 100_000 + b"\n")
    assert table.values("text") == ["w " * 100_000]
    assert csv.field_size_limit() == before
