from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import zstandard
from hypothesis import given, strategies as st

from truebleu import errors
from truebleu.corpus import read_test_set
from truebleu.corpus._files import (
    Location,
    decompress,
    expand_paths,
    extension,
    parse_location,
    read_lines,
    stem,
    write_files,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.writing import Folder

# Where a text is.


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a.txt", Location("a.txt")),
        ("-", Location("-")),
        ("mine=a.txt", Location("a.txt", None, "mine")),
        ("mine=-", Location("-", None, "mine")),
        ("a.tsv#col", Location("a.tsv", "col")),
        ("mine=a.tsv#col", Location("a.tsv", "col", "mine")),
        ("mine=a=b.txt", Location("a=b.txt", None, "mine")),
        ("a=", Location("a=")),
        ("#x", Location("#x")),
    ],
)
def test_arguments_are_split_into_name_path_and_column(written: str, expected: Location) -> None:
    assert parse_location(written) == expected


def test_a_file_of_the_whole_text_wins(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.path)
    for name in ("lr=0.1", "run#2.tsv", "x=y#z"):
        folder.write(name, "")
    assert parse_location("lr=0.1") == Location("lr=0.1")
    assert parse_location("run#2.tsv") == Location("run#2.tsv")
    assert parse_location("run#2.tsv#col#1") == Location("run#2.tsv", "col#1")
    assert parse_location("best=run#2.tsv#col") == Location("run#2.tsv", "col", "best")
    assert parse_location("x=y#z") == Location("x=y#z")


def test_a_name_must_not_be_empty() -> None:
    with pytest.raises(errors.SettingError, match="a name before the ="):
        parse_location("=a.txt")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("sys/ONLINE-A.txt.gz", "ONLINE-A"),
        ("GPT-4.5.txt", "GPT-4.5"),
        ("out.de", "out.de"),
        ("a/b.TSV", "b"),
        (".txt", ".txt"),
        ("-", "stdin"),
    ],
)
def test_names_leave_out_folders_and_known_endings(path: str, name: str) -> None:
    assert stem(path) == name


def test_the_format_is_told_by_the_ending_inside_the_compression() -> None:
    assert extension("a.JSONL.zst") == ".jsonl"
    assert extension("v1.2/a") == ""


def test_a_path_object_is_a_path_and_nothing_else() -> None:
    assert parse_location(Path("a=b#c")) == Location("a=b#c")


@pytest.mark.parametrize("written", ["", 1, b"a"])
def test_an_argument_without_a_file_name_is_rejected(written: Any) -> None:
    with pytest.raises(errors.SettingError, match="expected the name of a file"):
        parse_location(written)


def test_a_folder_has_its_files_but_reports_and_hidden_ones(folder: Folder) -> None:
    for name in ("b.txt", "a.txt", "report.html", ".hidden", "a.html.txt", "html"):
        folder.write(f"outputs/{name}", "a\n")
    folder.write("outputs/inside/c.txt", "a\n")
    found = expand_paths([str(folder.path / "outputs")])
    assert [Path(file).name for file in found] == ["a.html.txt", "a.txt", "b.txt", "html"]


def test_a_folder_of_reports_alone_is_empty(folder: Folder) -> None:
    folder.write("outputs/report.html", "a\n")
    with pytest.raises(errors.EmptyTextError):
        expand_paths([str(folder.path / "outputs")])


# Plain lines.


SEGMENTS = st.lists(
    st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"])), min_size=1
)


def segments(data: bytes) -> list[str | None]:
    return list(read_lines("f", data).segments)


@given(SEGMENTS)
def test_written_lines_are_read_back(written: list[str]) -> None:
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
    with pytest.raises(errors.EncodingError) as caught:
        segments("fine\nschön".encode() + b" caf\xe9 \n")
    assert caught.value.args == ("f", 2, 11, b"\xe9")
    assert "f: line 2, byte 11: e9 is not UTF-8" in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf"])
def test_a_file_without_segments_is_refused(data: bytes) -> None:
    with pytest.raises(errors.EmptyTextError, match="f: no segments"):
        segments(data)


def test_utf16_is_recognized() -> None:
    with pytest.raises(errors.MalformedFileError, match=r"line 1: a NUL byte.*UTF-16"):
        segments("plain".encode("utf-16-le"))
    with pytest.raises(errors.MalformedFileError, match="line 3"):
        segments(b"a\nb\nc\0d\n")


def test_plain_lines_have_no_columns() -> None:
    with pytest.raises(errors.MissingColumnError, match="f: no column 'x'; it has none"):
        read_lines("f", b"a\n").select("system", "x")


# Compression.


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
    for end in (len(data) - 1, len(data) // 2, 10):
        with pytest.raises(errors.MalformedFileError, match=f"f: damaged or truncated {kind} data"):
            decompress("f", data[:end])


@each_kind
def test_damaged_data_is_refused(kind: str) -> None:
    data = bytearray(COMPRESSORS[kind](TEXT * 50))
    data[len(data) // 2 : len(data) // 2 + 8] = b"\xff" * 8
    if kind == "zstd":  # Its checksum is optional, so harm the frame's header instead.
        data[4] = 0xFF
    with pytest.raises(errors.MalformedFileError, match=f"complete {kind} data"):
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


def test_text_may_begin_like_bzip2() -> None:
    for text in (b"BZhang said hello.\n", b"BZh9 is a header, or a word\n"):
        assert decompress("f", text) == text


def test_an_empty_file_may_be_compressed() -> None:
    assert decompress("f", bz2.compress(b"")) == b""


# Files written whole or not at all.


def broken() -> Iterator[bytes]:
    yield b"the first half"
    raise OSError(28, "No space left on device")


def test_files_are_written_in_their_order(tmp_path: Path) -> None:
    paths = write_files(tmp_path / "new", {"b": [b"1", b"2"], "a": []})
    assert [path.name for path in paths] == ["b", "a"]
    assert [path.read_bytes() for path in paths] == [b"12", b""]


def test_a_failure_in_the_middle_leaves_everything_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"mine")
    with pytest.raises(errors.UnreadableFileError, match="written: No space left on device"):
        write_files(tmp_path, {"a": [b"new"], "b": broken()}, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"mine"


def test_a_file_that_exists_is_replaced_only_on_request(tmp_path: Path) -> None:
    write_files(tmp_path, {"a": [b"old"]})
    with pytest.raises(errors.SettingError, match="a exists; use --force"):
        write_files(tmp_path, {"a": [b"new"]})
    assert (tmp_path / "a").read_bytes() == b"old"
    write_files(tmp_path, {"a": [b"new"]}, overwrite=True)
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_folder_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(errors.UnreadableFileError, match="not a regular file"):
        write_files(tmp_path, {"a": [b"new"]}, overwrite=True)
