"""A test set as files that can be read again: one segment per line, or JSON lines where need be."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING

from truebleu.corpus.writing import write_files
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from truebleu.corpus import TextLike
    from truebleu.planning.samples import Sample

NUMBERS = "segments.txt"
# The endings of all files that a draw may have left.
ENDINGS = (".txt", ".jsonl", ".tsv")
# What a file's name cannot hold everywhere, or would lead out of the folder.
NOT_IN_NAMES = '/\\:*?"<>|'


def save_sample(sample: Sample, folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write a test set into a folder, which is made if need be: all files or none.

    Args:
        sample: what ``draw_sample`` returned.
        folder: where to put the references, the source, a file per system, ``documents.tsv`` and
            ``segments.txt``, the numbers of the segments in the pool, from 1.
        overwrite: whether files that exist may be replaced. What an earlier draw left besides is
            refused: other segments' texts or documents beside these would pass for theirs.

    Returns:
        The files, in the order above.
    """
    test_set = sample.test_set
    texts: dict[str, TextLike] = {}
    for name, text in zip(test_set.reference_names, test_set.references, strict=True):
        _add(texts, name, text)
    if test_set.source is not None:
        _add(texts, "source", test_set.source)
    for name, text in test_set.systems.items():
        _add(texts, name, text)
    contents: dict[str, Iterable[bytes]] = {}
    for name, text in texts.items():
        ending, parts = _text(text)
        contents[name + ending] = parts
    contents |= _labels(sample)
    numbers = (sample.positions + 1).tolist()
    contents[NUMBERS] = (f"{number}\n".encode() for number in numbers)
    if overwrite:
        _refuse_remains(folder, contents)
    return write_files(folder, contents, overwrite=overwrite)


def _refuse_remains(folder: Path, contents: Iterable[str]) -> None:
    if not (folder / NUMBERS).exists():
        return
    known = set(contents)
    for path in sorted(folder.iterdir()):
        if path.suffix in ENDINGS and path.name not in known:
            expected = "no texts of another draw beside these; remove it, or take another folder"
            raise SettingError("file", str(path), expected)


def _add(texts: dict[str, TextLike], name: str, text: TextLike) -> None:
    """Adds a text under a name that can be a file's, unlike those of the others."""
    safe = "".join("-" if sign in NOT_IN_NAMES or sign < " " else sign for sign in name)
    taken = {"segments", "documents", *(other.casefold() for other in texts)}
    if safe.strip(". ") == "" or safe.casefold() in taken:
        expected = "a name that can be a file's, unlike those of the others; write NAME=FILE"
        raise SettingError("name", name, expected)
    texts[safe] = text


def _text(text: TextLike) -> tuple[str, Iterator[bytes]]:
    """The ending and the lines of a text.

    Plain lines cannot hold an absent segment, nor a line feed or a carriage return at its end, nor
    a byte-order mark at the start: JSON lines can.
    """
    segments = list(text)
    if any(_needs_json(segment) for segment in segments) or _starts_with_mark(segments):
        lines = (dumps({"text": segment}, ensure_ascii=False) for segment in segments)
        return ".jsonl", (f"{line}\n".encode() for line in lines)
    return ".txt", (f"{segment}\n".encode() for segment in segments)


def _needs_json(segment: str | None) -> bool:
    return segment is None or "\n" in segment or segment.endswith("\r")


def _starts_with_mark(segments: Sequence[str | None]) -> bool:
    return bool(segments) and (segments[0] or "").startswith("\ufeff")


def _labels(sample: Sample) -> dict[str, Iterable[bytes]]:
    """Documents and domains as a table, where they are known."""
    test_set = sample.test_set
    columns = {"doc": test_set.documents, "domain": test_set.domains}
    known = {name: labels for name, labels in columns.items() if labels is not None}
    if not known:
        return {}
    rows = list(zip(*known.values(), strict=True))
    if any(sign in label for row in rows for label in row for sign in "\t\n\r"):
        objects = (dumps(dict(zip(known, row, strict=True)), ensure_ascii=False) for row in rows)
        return {"documents.jsonl": (f"{line}\n".encode() for line in objects)}
    lines = ["\t".join(known), *("\t".join(row) for row in rows)]
    return {"documents.tsv": (f"{line}\n".encode() for line in lines)}
