"""A test set as files, one segment per line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from truebleu.corpus.writing import write_files
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from truebleu.corpus import TestSet


def save_test_set(test_set: TestSet, folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write a simulated test set into a folder, which is made if need be: all files or none.

    Args:
        test_set: what ``simulate`` returned.
        folder: where to put ``reference-1.txt`` and so on, ``documents.tsv``, a file per system.
        overwrite: whether files that exist may be replaced.

    Returns:
        The files, in the order above.
    """
    contents = {
        name: (f"{line}\n".encode() for line in lines) for name, lines in _texts(test_set).items()
    }
    return write_files(folder, contents, overwrite=overwrite)


def _texts(test_set: TestSet) -> Mapping[str, Iterable[str]]:
    texts: dict[str, Iterable[str]] = {
        f"{name}.txt": map(str, text)
        for name, text in zip(test_set.reference_names, test_set.references, strict=True)
    }
    rows = zip(test_set.documents or (), test_set.domains or (), strict=True)
    texts["documents.tsv"] = ["doc\tdomain", *map("\t".join, rows)]
    for name, text in test_set.systems.items():
        if f"{name}.txt" in texts or Path(name).name != name:
            raise SettingError(
                "systems", name, "a name that can be a file's and is not a reference's"
            )
        texts[f"{name}.txt"] = map(str, text)
    return texts
