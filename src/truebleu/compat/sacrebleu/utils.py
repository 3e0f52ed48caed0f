"""Opening files, logging, and the test-set functions, which say that there are no test sets."""

from __future__ import annotations

import os
from typing import IO, Any, NoReturn, cast

from truebleu.errors import SettingError

__all__ = [
    "SACREBLEU_DIR",
    "download_test_set",
    "get_available_testsets",
    "get_available_testsets_for_langpair",
    "get_files",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "smart_open",
]

#: Where sacreBLEU keeps what it downloads; SentencePiece models are looked for there too.
SACREBLEU_DIR = os.environ.get("SACREBLEU", os.path.join(os.path.expanduser("~"), ".sacrebleu"))


LOGGER = "sacrebleu"
#: sacreBLEU marks p-values up to this.
ALPHA = 0.05


def warn(message: str) -> None:
    """Log a warning through the logger that sacreBLEU's users know how to silence."""
    # Most runs have nothing to say, and importing this takes longer than scoring a segment.
    import logging

    logging.getLogger(LOGGER).warning(message)


def smart_open(file: str, mode: str = "rt", encoding: str = "utf-8") -> IO[Any]:
    """A text file, decompressed where the name ends in .gz; lines end at LF only."""
    if file.endswith(".gz"):
        import gzip

        return cast("IO[Any]", gzip.open(file, mode=mode, encoding=encoding, newline="\n"))
    return open(file, mode=mode, encoding=encoding, newline="\n")


def get_source_file(test_set: str, langpair: str) -> NoReturn:  # noqa: ARG001
    """Raises SettingError: no test set comes with this package."""
    _refuse(test_set)


def get_reference_files(test_set: str, langpair: str) -> NoReturn:  # noqa: ARG001
    """Raises SettingError: no test set comes with this package."""
    _refuse(test_set)


def get_files(test_set: str, langpair: str) -> NoReturn:  # noqa: ARG001
    """Raises SettingError: no test set comes with this package."""
    _refuse(test_set)


def download_test_set(test_set: str, langpair: str | None = None) -> NoReturn:  # noqa: ARG001
    """Raises SettingError: nothing is downloaded."""
    _refuse(test_set)


def get_available_testsets() -> NoReturn:
    """Raises SettingError: no test set comes with this package."""
    _refuse(None)


def get_available_testsets_for_langpair(langpair: str) -> NoReturn:  # noqa: ARG001
    """Raises SettingError: no test set comes with this package."""
    _refuse(None)


def get_langpairs_for_testset(testset: str) -> NoReturn:
    """Raises SettingError: no test set comes with this package."""
    _refuse(testset)


def _refuse(test_set: str | None) -> NoReturn:
    expected = "files of your own: truebleu has no built-in test sets and downloads nothing"
    raise SettingError("test_set", test_set, expected)
