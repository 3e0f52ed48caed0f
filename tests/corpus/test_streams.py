"""Texts that are read part by part are those that are read at once."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from typing import TYPE_CHECKING

import pytest
import zstandard

from truebleu.corpus import TestSet, TestSetStream, read_test_set, stream_test_set
from truebleu.errors import (
    EmptyTextError,
    EncodingError,
    MalformedFileError,
    SettingError,
    UnpairedSegmentsError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

REFERENCE = [f"The cat number {i} sat on the mat." for i in range(1500)]
OUTPUT = [line.replace("cat", "dog") if i % 3 else line for i, line in enumerate(REFERENCE)]


def text(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.fixture
def reference(tmp_path: Path) -> str:
    (tmp_path / "ref.txt").write_bytes(text(REFERENCE))
    return str(tmp_path / "ref.txt")


def write(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def outputs(stream: TestSetStream, name: str) -> list[str | None]:
    return [segment for part in stream.read().parts for segment in part.systems[name]]


@pytest.mark.parametrize(
    ("ending", "compress"),
    [
        (".txt", bytes),
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", zstandard.compress),
        # Several members or frames, one after the other.
        (".gz", lambda data: gzip.compress(data[:999]) + gzip.compress(data[999:])),
        (".zst", lambda data: zstandard.compress(data[:999]) + zstandard.compress(data[999:])),
    ],
)
@pytest.mark.parametrize("chunk", [64, 576, None])
def test_every_compression_comes_out_as_it_went_in(
    tmp_path: Path,
    reference: str,
    ending: str,
    compress: Callable[[bytes], bytes],
    chunk: int | None,
) -> None:
    path = write(tmp_path / f"a{ending}", compress(text(OUTPUT)))
    stream = stream_test_set([f"a={path}"], [reference], chunk=chunk)
    assert outputs(stream, "a") == OUTPUT
    assert outputs(stream, "a") == OUTPUT  # as often as it is asked for


def test_parts_have_as_many_segments_as_they_should(tmp_path: Path, reference: str) -> None:
    path = write(tmp_path / "a", text(OUTPUT))
    parts = stream_test_set([path], [reference], chunk=640).read().parts
    assert [len(part) for part in parts] == [640, 640, 220]


def test_tables_are_read_line_by_line(tmp_path: Path) -> None:
    rows = list(zip(REFERENCE, OUTPUT, strict=True))
    table = write(tmp_path / "a.tsv", text(["ref\thyp", *map("\t".join, rows)]))
    lines = [json.dumps({"ref": ref, "hyp": hyp}) for ref, hyp in rows]
    objects = write(tmp_path / "a.jsonl.gz", gzip.compress(text(lines)))
    for path in (table, objects):
        stream = stream_test_set([f"{path}#hyp"], [f"{path}#ref"], chunk=64)
        assert outputs(stream, "hyp") == OUTPUT


def test_parquet_is_read_by_row_groups(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    table = pyarrow.table({"ref": REFERENCE, "hyp": OUTPUT, "id": list(range(1500))})
    parquet.write_table(table, path, row_group_size=100)
    for chunk in (64, 704, None):
        stream = stream_test_set([f"{path}#hyp"], [f"{path}#ref"], chunk=chunk)
        assert outputs(stream, "hyp") == OUTPUT


def test_warnings_are_those_of_the_whole(tmp_path: Path, reference: str) -> None:
    odd = [*OUTPUT]
    odd[3], odd[700], odd[1200] = "a\tb", "", "a\u200bb"
    odd[800:] = [f"{line} ." for line in odd[800:]]
    data = b"\xef\xbb\xbf" + text(odd).replace(b"\n", b"\r\n")
    # A mark in the middle of a file is no mark of the file.
    path = write(tmp_path / "a", data)
    whole = read_test_set([path], [reference]).warnings
    assert {w.code for w in whole} >= {"byte-order-mark", "crlf", "tabs", "blank", "tokenized"}
    for chunk in (64, 704, None):
        read = stream_test_set([path], [reference], chunk=chunk).read()
        assert sum(map(len, read.parts)) == 1500
        assert read.warnings == whole


@pytest.mark.parametrize("lengths", [(1500, 1499), (1500, 1501), (1500, 700), (128, 192)])
def test_texts_of_different_length_are_refused_with_their_lengths(
    tmp_path: Path, lengths: tuple[int, int]
) -> None:
    of_reference, of_output = lengths
    reference = write(tmp_path / "r", text([f"line {i}" for i in range(of_reference)]))
    path = write(tmp_path / "a", text([f"line {i}" for i in range(of_output)]))
    for chunk in (64, None):
        stream = stream_test_set([path], [reference], chunk=chunk)
        with pytest.raises(UnpairedSegmentsError) as error:
            list(stream.read().parts)
        assert error.value.args == (path, of_output, reference, of_reference)


def test_errors_say_which_line_of_the_file(tmp_path: Path, reference: str) -> None:
    data = text(OUTPUT).split(b"\n")
    for line, wrong, kind in ((1001, b"caf\xe9", EncodingError), (77, b"a\0b", MalformedFileError)):
        lines = [*data]
        lines[line - 1] = wrong
        path = write(tmp_path / "a", b"\n".join(lines))
        with pytest.raises(kind) as error:
            list(stream_test_set([path], [reference], chunk=64).read().parts)
        assert error.value.args[:2] == (path, line)
    rows = ["ref\thyp", *(f"{ref}\tx" for ref in REFERENCE)]
    rows[900] = "one field"
    path = write(tmp_path / "a.tsv", text(rows))
    with pytest.raises(MalformedFileError) as ragged:
        list(stream_test_set([f"{path}#hyp"], [f"{path}#ref"], chunk=64).read().parts)
    assert ragged.value.args[1] == 901


@pytest.mark.parametrize(
    "compress", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress]
)
def test_compressed_files_that_are_cut_off_are_refused(
    tmp_path: Path, reference: str, compress: Callable[[bytes], bytes]
) -> None:
    path = write(tmp_path / "a", compress(text(OUTPUT))[:-9])
    with pytest.raises(MalformedFileError, match="damaged or cut off"):
        list(stream_test_set([path], [reference]).read().parts)


def test_files_in_another_order_are_refused(tmp_path: Path) -> None:
    paths = []
    for name, order in (("r", range(200)), ("a", reversed(range(200)))):
        lines = [json.dumps({"id": i, "text": f"line {i}"}) for i in order]
        paths.append(write(tmp_path / f"{name}.jsonl", text(lines)))
    stream = stream_test_set([f"{paths[1]}#text"], [f"{paths[0]}#text"])
    with pytest.raises(MalformedFileError, match="in one order"):
        list(stream.read().parts)


def quoted(lines: Sequence[str]) -> bytes:
    """A column of CSV beside another, every field in quotes."""
    rows = ['"id,","text"', *(f'"{i}","{line}"' for i, line in enumerate(lines))]
    return "".join(f"{row}\r\n" for row in rows).encode()


@pytest.mark.parametrize("chunk", [64, 576, None])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_rows_of_csv_may_go_on_in_the_next_line(
    tmp_path: Path, reference: str, chunk: int | None, compress: Callable[[bytes], bytes]
) -> None:
    lines = [f'{line}, ""ä""\r\n{line}' if i % 5 else line for i, line in enumerate(OUTPUT)]
    name = "a.csv" if compress is bytes else "a.csv.gz"
    path = write(tmp_path / name, compress(b"\xef\xbb\xbf" + quoted(lines)))
    stream = stream_test_set([f"a={path}#text"], [reference], chunk=chunk)
    assert outputs(stream, "a") == [line.replace('""', '"') for line in lines]
    whole = read_test_set([f"a={path}#text"], [reference])
    assert outputs(stream, "a") == [*whole.systems["a"]]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda data: data.replace(b'"900",', b""), MalformedFileError, "line 902: found 1 field"),
        (lambda data: data.replace(b'"900"', b'"900"x'), MalformedFileError, "line 902: .*broken"),
        (lambda data: data.replace(b'"900"', b'"\xff"'), EncodingError, "line 902"),
        (lambda data: data.replace(b'"900"', b'"\0"'), MalformedFileError, "line 902: .*NUL"),
        (lambda data: data[: data.index(b'"900"')], UnpairedSegmentsError, "900 segments"),
        (lambda data: data[:0], EmptyTextError, "a.csv"),
    ],
)
@pytest.mark.parametrize("chunk", [64, None])
def test_broken_csv_is_refused_with_its_line(
    tmp_path: Path,
    reference: str,
    change: Callable[[bytes], bytes],
    error: type[Exception],
    message: str,
    chunk: int | None,
) -> None:
    path = write(tmp_path / "a.csv", change(quoted(OUTPUT)))
    stream = stream_test_set([f"{path}#text"], [reference], chunk=chunk)
    with pytest.raises(error, match=message):
        list(stream.read().parts)


def test_what_cannot_be_read_in_parts_is_refused(tmp_path: Path, reference: str) -> None:
    for name in ("a.xml", "a.json", "a.sgm"):
        with pytest.raises(SettingError, match="to read in parts"):
            stream_test_set([str(tmp_path / name)], [reference])
    long = write(tmp_path / "a.tsv", text(["system\ttext", *(f"x\t{line}" for line in OUTPUT)]))
    with pytest.raises(SettingError, match="column for each system"):
        list(stream_test_set([f"{long}#text"], [reference]).read().parts)
    with pytest.raises(SettingError, match="from 1 up"):
        stream_test_set([reference], [reference], chunk=-1)
    with pytest.raises(EmptyTextError):
        list(stream_test_set([reference], [write(tmp_path / "empty", b"")]).read().parts)


def test_parts_have_a_multiple_of_64_segments(tmp_path: Path) -> None:
    path = write(tmp_path / "many", text([f"segment {number}" for number in range(200)]))
    stream = stream_test_set([path], [path], chunk=100)
    assert [len(part) for part in stream.read().parts] == [128, 72]


def test_parts_may_come_from_memory_and_must_fit_each_other() -> None:
    parts = [
        TestSet(systems={"a": OUTPUT[i : i + 100]}, references=(REFERENCE[i : i + 100],))
        for i in range(0, 300, 100)
    ]
    assert outputs(TestSetStream.of(parts), "a") == OUTPUT[:300]
    once = TestSetStream.of(part for part in parts)
    assert outputs(once, "a") == OUTPUT[:300]
    with pytest.raises(SettingError, match="read twice"):
        once.read()
    other = TestSet(systems={"b": ["x"]}, references=(["x"],))
    with pytest.raises(SettingError, match="systems of a part"):
        list(TestSetStream.of([*parts, other]).read().parts)
    with pytest.raises(EmptyTextError):
        TestSetStream.of([])


@pytest.mark.parametrize("chunk", [64, 576])
def test_documents_come_from_a_file_of_their_own(
    tmp_path: Path, reference: str, chunk: int
) -> None:
    names = [f"d{i // 11}" for i in range(len(OUTPUT))]
    path = write(tmp_path / "a", text(OUTPUT))
    table = text(["doc\tdomain", *(f"{name}\tnews" for name in names)])
    records = text([json.dumps({"name": name}) for name in names])
    written = {
        "lines.txt": text(names),
        "lines.gz": gzip.compress(text(names)),
        "me.docs": text([f"news {name}" for name in names]),
        "table.tsv": table,
        "records.jsonl": records,
    }
    for file, data in written.items():
        column = "#name" if file == "records.jsonl" else ""
        documents = write(tmp_path / file, data) + column
        stream = stream_test_set([path], [reference], documents=documents, chunk=chunk)
        found = [label for part in stream.read().parts for label in part.documents or ()]
        assert found == names, file
        whole = read_test_set([path], [reference], documents=documents)
        assert whole.documents == tuple(names)


def test_documents_beside_the_text_are_known(tmp_path: Path, reference: str) -> None:
    import pyarrow
    from pyarrow import parquet

    names = [f"d{i // 11}" for i in range(len(OUTPUT))]
    columns = {"text": OUTPUT, "doc": names}
    parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet", row_group_size=100)
    rows = [json.dumps({"text": line, "doc": name}) for line, name in zip(OUTPUT, names)]  # noqa: B905
    for file in (
        f"{tmp_path / 'a.parquet'}#text",
        write(tmp_path / "a.jsonl", text(rows)) + "#text",
    ):
        parts = stream_test_set([file], [reference], chunk=128).read().parts
        assert [label for part in parts for label in part.documents or ()] == names
    labels = f"{tmp_path / 'a.parquet'}"
    stream = stream_test_set([write(tmp_path / "b", text(OUTPUT))], [reference], documents=labels)
    assert [label for part in stream.read().parts for label in part.documents or ()] == names


@pytest.mark.parametrize(
    ("file", "data", "message"),
    [
        ("d.txt", text(["a"] * 1499), "1499 segments"),
        ("d.docs", text(["news a"] * 700 + ["b"] + ["news a"] * 799), "line 701: found 'b'"),
        ("d.tsv", text(["name"] + ["a"] * 1500), "expected a column doc or document"),
    ],
)
def test_labels_that_do_not_fit_are_refused(
    tmp_path: Path, reference: str, file: str, data: bytes, message: str
) -> None:
    path = write(tmp_path / "a", text(OUTPUT))
    documents = write(tmp_path / file, data)
    stream = stream_test_set([path], [reference], documents=documents, chunk=64)
    with pytest.raises((UnpairedSegmentsError, MalformedFileError), match=message):
        list(stream.read().parts)
