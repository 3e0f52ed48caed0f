"""Parts of a test set are the whole of it, whatever their size, and each input is read once."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from truebleu.corpus import _files as module, read_test_set
from truebleu.corpus._files import OpenedFile
from truebleu.corpus._reading import TestSetParts
from truebleu.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

LINES = [f"This is segment {number} , or rather {number * number} ." for number in range(400)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("\n".join(LINES) + "\n")
    # No line end at the end, a blank segment and carriage returns.
    Path("a.txt").write_text("\n".join([*LINES[:-1], ""]) + "\nlast")
    Path("a.txt").write_bytes(Path("a.txt").read_bytes().replace(b"\n\nlast", b"\r\nlast"))
    Path("b.gz").write_bytes(gzip.compress("\n".join(LINES[::-1]).encode()))
    Path("docs.txt").write_text("".join(f"d{number // 7}\n" for number in range(400)))
    return tmp_path


def joined(parts: TestSetParts) -> tuple[list[list[str]], int]:
    """The texts of all parts one after the other, and how many parts there were."""
    texts: list[list[str]] = []
    count = 0
    for part in parts:
        here = [*part.references, *part.systems.values()]
        texts = texts or [[] for _ in here]
        for text, more in zip(texts, here, strict=True):
            text += [segment or "" for segment in more]
        count += 1
    return texts, count


@pytest.mark.parametrize("size", [10, 5_000, 1 << 25])
def test_parts_are_the_whole(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PART_BYTES", size)
    monkeypatch.setattr(OpenedFile, "PIECE", 512)
    whole = read_test_set(["a.txt", "b.gz"], ["ref.txt"], documents="docs.txt")
    parts = TestSetParts(["a.txt", "b.gz"], ["ref.txt"], documents="docs.txt")
    texts, count = joined(parts)
    assert texts == [list(text) for text in (*whole.references, *whole.systems.values())]
    assert (count > 5) == (size < 10_000)
    assert (parts.layout.documents, parts.segments) == (whole.documents, 400)
    codes = [(warning.code, warning.text, warning.count) for warning in parts.warnings]
    of_order = {"shifted", "misaligned"}  # smaller parts have less evidence
    expected = [(w.code, w.text, w.count) for w in whole.warnings if w.code not in of_order]
    assert [code for code in codes if code[0] not in of_order] == expected


def test_tables_are_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PART_BYTES", 10)
    Path("t.tsv").write_text("doc\tref\tout\n" + "".join(f"d\tr{n}\to{n}\n" for n in range(50)))
    parts = TestSetParts(["t.tsv#out"], ["t.tsv#ref"])
    assert [len(part) for part in parts] == [50]
    assert parts.layout.documents == ("d",) * 50


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["ref.txt", "short.txt"], "short.txt: 399 segments, but ref.txt has 400"),
        (["short.txt", "ref.txt"], "ref.txt: 400 segments, but short.txt has 399"),
        (["ref.txt", "empty.txt"], "empty.txt: no segments"),
        (["ref.txt", "bad.txt"], "bad.txt: line 390, byte 3"),
        (["ref.txt", "nul.txt"], "nul.txt: line 390: a NUL byte"),
        (["ref.txt", "nowhere.txt"], "nowhere.txt: no such file"),
        ([".", "ref.txt"], "a directory"),
        (["-", "-"], "only once"),
    ],
)
def test_malformed_parts_are_rejected_with_their_line(
    texts: Sequence[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PART_BYTES", 2_000)
    monkeypatch.setattr(OpenedFile, "PIECE", 512)
    lines = [line.encode() for line in LINES]
    Path("short.txt").write_bytes(b"\n".join(lines[:-1]))
    Path("empty.txt").write_bytes(b"")
    Path("bad.txt").write_bytes(b"\n".join([*lines[:389], b"ab\xff", *lines[390:]]))
    Path("nul.txt").write_bytes(b"\n".join([*lines[:389], b"ab\0", *lines[390:]]))
    reference, system = texts
    with pytest.raises(CorpusError) as error:
        list(TestSetParts([system], [reference], stdin=io.BytesIO(b"x\n")))
    assert message in str(error.value)


def test_a_pipe_is_read_once() -> None:
    os.mkfifo("pipe")
    writer = Thread(target=Path("pipe").write_bytes, args=[Path("b.gz").read_bytes()])
    writer.start()
    texts, _ = joined(TestSetParts(["pipe"], ["ref.txt"]))
    writer.join()
    assert texts[1] == LINES[::-1]


def test_highly_compressed_data_is_read_in_small_pieces() -> None:
    Path("long.gz").write_bytes(gzip.compress(b"the same line again\n" * 1_000_000))
    file = OpenedFile("long.gz")
    pieces = list(iter(file.read, b""))
    file.close()
    assert sum(map(len, pieces)) == 20_000_000
    assert max(map(len, pieces)) <= 2 * OpenedFile.PIECE
