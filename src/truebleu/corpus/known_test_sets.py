"""Test sets that the package `sacrebleu` knows by name, read from its cache folder.

That package keeps what it has downloaded in ``~/.sacrebleu``, or the folder that SACREBLEU names.
From there a test set is read without network; only `download` fetches one, and only when asked.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from truebleu.errors import (
    MissingExtraError,
    SettingError,
    UnknownNameError,
    UnreadableFileError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

# What a document is called in the fields of a test set, and what its kind of text is.
DOCUMENT = "docid"
DOMAINS = ("domain", "genre")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTestSet:
    """The files of a test set for one language pair.

    Attributes:
        name: such as wmt24.
        pair: such as en-de.
        fields: the file of each field: src, ref or ref:TRANSLATOR, docid, domain and the like.
        references: the files of the references that the package scores against.
    """

    name: str
    pair: str
    fields: Mapping[str, str]
    references: tuple[str, ...]

    @property
    def source(self) -> str:
        """The file of the source text."""
        return self.fields["src"]

    @property
    def documents(self) -> tuple[str, ...] | None:
        """The document of each segment; None where the test set does not say."""
        return self._labels(DOCUMENT)

    @property
    def domains(self) -> tuple[str, ...] | None:
        """The domain of each segment; None where the test set does not say."""
        return next((labels for name in DOMAINS if (labels := self._labels(name))), None)

    def _labels(self, field: str) -> tuple[str, ...] | None:
        if field not in self.fields:
            return None
        with open(self.fields[field], encoding="utf-8", newline="\n") as file:
            labels = tuple(line.rstrip("\n") for line in file)
        return labels if all(labels) else None


def sacrebleu_module(name: str) -> ModuleType:
    """A module of sacreBLEU, which must be installed."""
    try:
        return import_module(f"sacrebleu.{name}")
    except ImportError:
        raise MissingExtraError("reading test sets by name", "testsets") from None


def _datasets() -> dict[str, Any]:
    datasets: dict[str, Any] = sacrebleu_module("dataset").DATASETS
    return datasets


def known_test_sets() -> dict[str, str]:
    """Every test set's description, by name."""
    return {name: dataset.description.strip() for name, dataset in sorted(_datasets().items())}


def language_pairs(name: str) -> tuple[str, ...]:
    """The language pairs of a test set."""
    return tuple(sorted(_dataset(name).langpairs))


def find_test_set(name: str, pair: str) -> KnownTestSet:
    """A test set for a language pair, from the cache folder.

    Raises:
        UnknownNameError: There is no such test set, or it has no such pair.
        SettingError: It was not downloaded yet.
    """
    dataset = _dataset(name)
    if pair not in dataset.langpairs:
        raise UnknownNameError(f"language pair of {name}", pair, language_pairs(name))
    _require_downloaded(dataset, pair)
    fields = dataset.fieldnames(pair)
    files = dataset.get_files(pair)
    return KnownTestSet(
        name=name,
        pair=pair,
        fields=dict(zip(fields, files, strict=True)),
        references=tuple(dataset.get_reference_files(pair)),
    )


def download(name: str, pair: str | None = None) -> None:
    """Fetch a test set into the cache folder, as the package does it."""
    dataset = _dataset(name)
    try:
        sacrebleu_module("utils").download_test_set(name, pair)
    except OSError as error:
        reason = f"{name} cannot be downloaded: {error}"
        raise UnreadableFileError(dataset._outdir, reason) from None


def _dataset(name: str) -> Any:
    datasets = _datasets()
    if name not in datasets:
        raise UnknownNameError("test set", name, sorted(datasets))
    return datasets[name]


def _require_downloaded(dataset: Any, pair: str) -> None:
    """Refuse what the package would fetch: nobody asked for that."""
    folder = dataset._rawdir
    archives = (os.path.join(folder, dataset._get_tarball_filename(url)) for url in dataset.data)
    # Texts that were extracted once do as well, where the package knows the fields without them.
    texts = [dataset._get_txt_file_path(pair, field) for field in ("src", "ref")]
    whole = all(map(_has_content, archives))
    # Whether the package looks for the fields in what was downloaded.
    needs_archive = hasattr(dataset, "_unwrap_wmt21_or_later")
    if not whole and (needs_archive or not all(map(_has_content, texts))):
        raise SettingError(
            "test set",
            f"{dataset.name} for {pair}, not in {dataset._outdir}",
            f"it there: truebleu sacrebleu --download {dataset.name} -l {pair}",
        )


def _has_content(path: str) -> bool:
    return os.path.exists(path) and os.path.getsize(path) > 0
