"""Small files for the tests of reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from truebleu.corpus import TestSet, read_test_set

if TYPE_CHECKING:
    from pathlib import Path

Content: TypeAlias = str | bytes


class Folder:
    """A folder to write files into and to read test sets from."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, name: str, content: Content) -> str:
        """Writes a file, folders included, and gives back its path."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def read(self, system: Content, reference: Content = "r\n", ending: str = "") -> TestSet:
        """Reads a test set of one system and one reference of plain lines."""
        return read_test_set(
            [self.write(f"system{ending}", system)], [self.write("reference", reference)]
        )


def lines(count: int) -> str:
    """As many plain, different lines."""
    return "".join(f"segment number {i}\n" for i in range(1, count + 1))
