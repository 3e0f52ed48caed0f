from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from typing import TYPE_CHECKING

import pytest
import zstandard

from truebleu.corpus import read_test_set
from truebleu.corpus._files import decompress
from truebleu.errors import MalformedFileError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .writing import Folder

TEXT = b"first segment\nsecond segment\n"
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.compress,
}
each_kind = pytest.mark.parametrize("kind", COMPRESSORS)


@each_kind
def test_compressed_data_is_known_by_its_first_bytes(kind: str) -> None:
    assert decompress("no-ending", COMPRESSORS[kind](TEXT)) == TEXT


@each_kind
def test_several_compressed_parts_in_a_row_are_one_file(kind: str) -> None:
    compress = COMPRESSORS[kind]
    assert decompress("f", compress(TEXT) + compress(TEXT)) == TEXT + TEXT


@each_kind
def test_data_that_is_cut_off_is_refused(kind: str) -> None:
    data = COMPRESSORS[kind](TEXT * 50)
    for end in (len(data) - 1, len(data) // 2, 6):
        with pytest.raises(MalformedFileError, match=f"f: found {kind} data that is damaged"):
            decompress("f", data[:end])


@each_kind
def test_damaged_data_is_refused(kind: str) -> None:
    data = bytearray(COMPRESSORS[kind](TEXT * 50))
    data[len(data) // 2 : len(data) // 2 + 8] = b"\xff" * 8
    if kind == "zstd":  # Its checksum is optional, so harm the frame's header instead.
        data[4] = 0xFF
    with pytest.raises(MalformedFileError, match=f"complete {kind} data"):
        decompress("f", bytes(data))


def test_plain_data_stays_as_it_is() -> None:
    assert decompress("misnamed.gz", TEXT) == TEXT


@each_kind
def test_every_format_and_standard_input_may_be_compressed(folder: Folder, kind: str) -> None:
    compress = COMPRESSORS[kind]
    table = folder.write("t.tsv.packed.tsv", compress(b"a\tb\n1\t2\n3\t4\n"))
    stdin = io.BytesIO(compress(TEXT))
    test_set = read_test_set([f"{table}#b", "-"], [f"{table}#a"], stdin=stdin)
    assert list(test_set.systems["b"]) == ["2", "4"]
    assert list(test_set.systems["stdin"]) == ["first segment", "second segment"]


def test_zstd_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression", None)
    with pytest.raises(MissingExtraError, match=r"truebleu\[zstd\]"):
        decompress("f", zstandard.compress(TEXT))


def test_text_may_begin_like_bzip2() -> None:
    assert decompress("f", b"BZhang said hello.\n") == b"BZhang said hello.\n"


def test_an_empty_file_may_be_compressed() -> None:
    assert decompress("f", bz2.compress(b"")) == b""
