"""A test set as files, one segment per line."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from truebleu.errors import SettingError, UnreadableFileError

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
    texts = _texts(test_set)
    if not overwrite:
        for name in texts:
            if (folder / name).exists():
                expected = "no such file yet, or leave to overwrite it (--force)"
                raise SettingError("folder", str(folder / name), expected)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write_all(texts, folder)
    except OSError as error:
        reason = f"cannot be written: {error.strerror}"
        raise UnreadableFileError(str(error.filename or folder), reason) from error
    return [folder / name for name in texts]


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


def _write_all(texts: Mapping[str, Iterable[str]], folder: Path) -> None:
    # Files take their names when all are complete, so that a full disk leaves none half written.
    with TemporaryDirectory(dir=folder, prefix=".partial-") as partial:
        for name, lines in texts.items():
            with (Path(partial) / name).open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{line}\n" for line in lines)
        for name in texts:
            (Path(partial) / name).replace(folder / name)
