"""Files written whole or not at all."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from truebleu.errors import SettingError, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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
        if path.exists() and not path.is_file():
            raise UnreadableFileError(str(path), "cannot be written: not a regular file")
        if path.exists() and not overwrite:
            expected = "no such file yet, or leave to overwrite it (--force)"
            raise SettingError("file", str(path), expected)


def _write_all(folder: Path, contents: Mapping[str, Iterable[bytes]]) -> None:
    # Files take their names when all are complete, so that a full disk leaves none half written.
    with TemporaryDirectory(dir=folder, prefix=".partial-") as partial:
        for name, parts in contents.items():
            with (Path(partial) / name).open("wb") as file:
                file.writelines(parts)
        for name in contents:
            (Path(partial) / name).replace(folder / name)
