"""Files written whole or not at all, and the files of a test set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from truebleu.corpus._files import expect_output, is_input, lost_input
from truebleu.errors import RefusedError, SettingError, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from truebleu.corpus.test_set import TestSet, TextLike

# What a file's name cannot hold everywhere, or would lead out of the folder.
NOT_IN_NAMES = '/\\:*?"<>|'


def write_files(
    folder: Path, contents: Mapping[str, Iterable[bytes]], *, overwrite: bool = False
) -> list[Path]:
    """Write files into a folder, which is made if need be: all of them or none.

    Args:
        folder: where the files go.
        contents: the parts of each file by its name.
        overwrite: whether files that exist may be replaced.

    Returns:
        The files, in their order.
    """
    paths = [folder / name for name in contents]
    refuse_existing(paths, overwrite=overwrite)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write_all(folder, contents)
    except OSError as error:
        reason = f"cannot be written: {error.strerror}"
        raise UnreadableFileError(str(error.filename or folder), reason) from error
    return paths


def refuse_existing(paths: Iterable[Path], *, overwrite: bool) -> None:
    """Raise an error where there is something that may not be replaced.

    Folders and devices never may: a file put in the place of /dev/null would be a surprise.
    """
    for path in paths:
        if "\0" in str(path):
            raise UnreadableFileError(str(path), "cannot be written: no name has a NUL byte")
        if path.exists() and not path.is_file():
            raise UnreadableFileError(str(path), "cannot be written: not a regular file")
        if is_input(path):
            raise lost_input(path)
        expect_output(path)
        if path.exists() and not overwrite:
            raise RefusedError(f"{path} exists; use --force (in Python, overwrite=True)")


def _write_all(folder: Path, contents: Mapping[str, Iterable[bytes]]) -> None:
    # Files take their names when all are complete, so that a full disk leaves none half written.
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(dir=folder, prefix=".partial-") as partial:
        for name, parts in contents.items():
            with (Path(partial) / name).open("wb") as file:
                file.writelines(parts)
        for name in contents:
            (Path(partial) / name).replace(folder / name)


def files_of(test_set: TestSet) -> dict[str, Iterable[bytes]]:
    """A test set as files that can be read again: the parts of each file by its name.

    The references, the source, a file per system, and ``documents.tsv`` where documents or domains
    are known. Texts have one segment per line, or are JSON lines where plain ones cannot hold them.
    """
    names = {"segments", "documents"}
    files: dict[str, Iterable[bytes]] = {}

    def add(kind: str, name: str, text: TextLike) -> None:
        safe = "".join(
            sign if sign.isprintable() and sign not in NOT_IN_NAMES else "-" for sign in name
        )
        if safe.strip(". ") == "" or safe.casefold() in names:
            expected = "a name that can be a file's, unlike those of the others; write NAME=FILE"
            raise SettingError(kind, name, expected)
        names.add(safe.casefold())
        ending, parts = _text(text)
        files[safe + ending] = parts

    for name, text in zip(test_set.reference_names, test_set.references, strict=True):
        add("references", name, text)
    if test_set.source is not None:
        add("source", "source", test_set.source)
    for name, text in test_set.systems.items():
        add("systems", name, text)
    return files | _labels(test_set)


def _text(text: TextLike) -> tuple[str, Iterator[bytes]]:
    """The ending and the lines of a text.

    Plain lines cannot hold an absent segment, nor a line feed or a carriage return at its end, nor
    a byte-order mark at the start: JSON lines can.
    """
    from json import dumps

    segments = list(text)
    starts_with_mark = bool(segments) and (segments[0] or "").startswith("\ufeff")
    if starts_with_mark or any(
        segment is None or "\n" in segment or segment.endswith("\r") for segment in segments
    ):
        lines = (dumps({"text": segment}, ensure_ascii=False) for segment in segments)
        return ".jsonl", (f"{line}\n".encode() for line in lines)
    return ".txt", (f"{segment}\n".encode() for segment in segments)


def _labels(test_set: TestSet) -> dict[str, Iterable[bytes]]:
    """Documents and domains as a table, where they are known."""
    from json import dumps

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
