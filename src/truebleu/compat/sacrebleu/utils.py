"""Opening files, logging, and the test sets of the real package, where that is installed."""

from __future__ import annotations

import os
from typing import IO, Any, cast

from truebleu.corpus.known_test_sets import (
    download,
    find_test_set,
    known_test_sets,
    language_pairs,
)

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


def get_source_file(test_set: str, langpair: str) -> str:
    """The file of a test set's source text; see `truebleu.corpus.known_test_sets`."""
    return find_test_set(test_set, langpair).source


def get_reference_files(test_set: str, langpair: str) -> list[str]:
    """The files of the references that are scored against."""
    return list(find_test_set(test_set, langpair).references)


def get_files(test_set: str, langpair: str) -> list[str]:
    """The files of all fields."""
    return list(find_test_set(test_set, langpair).fields.values())


def download_test_set(test_set: str, langpair: str | None = None) -> list[str]:
    """Fetch a test set; the files of its language pair."""
    download(test_set, langpair)
    return [] if langpair is None else get_files(test_set, langpair)


def get_available_testsets() -> list[str]:
    """The names of all test sets, the newest first."""
    return sorted(known_test_sets(), reverse=True)


def get_available_testsets_for_langpair(langpair: str) -> list[str]:
    """The names of all test sets that have a language pair, either way round."""
    parts = langpair.split("-")
    pairs = {langpair, "-".join(reversed(parts))}
    return [name for name in get_available_testsets() if pairs & set(language_pairs(name))]


def get_langpairs_for_testset(testset: str) -> list[str]:
    """The language pairs of a test set."""
    return list(language_pairs(testset))
