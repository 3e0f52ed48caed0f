"""Test sets that the package `sacrebleu` has by name, read from its cache folder.

That package keeps what it has downloaded in ``~/.sacrebleu``, or the folder that SACREBLEU names.
From there a test set is read without network; what is not there is never fetched.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truebleu.corpus._files import Files, read_lines
from truebleu.errors import MissingExtraError, SettingError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

# What a document is called in the fields of a test set, and what its kind of text is.
DOCUMENT = "docid"
DOMAINS = ("domain", "genre")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTestSet:
    """The files of a test set for one language pair.

    Attributes:
        fields: the file of each field: src, ref or ref:TRANSLATOR, docid, domain and the like.
        references: the files of the references that the package scores against.
    """

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
        path = self.fields[field]
        labels = tuple(label or "" for label in read_lines(path, Files().contents(path)).segments)
        return labels if all(labels) else None


def find_test_set(name: str, pair: str) -> PublicTestSet:
    """A test set for a language pair, from the cache folder.

    Raises:
        UnknownNameError: There is no such test set, or it has no such pair.
        SettingError: It was not downloaded yet.
    """
    try:
        from sacrebleu.dataset import DATASETS
    except ImportError:
        raise MissingExtraError("reading test sets by name", "testsets") from None
    if name not in DATASETS:
        raise UnknownNameError("test set", name, sorted(DATASETS))
    dataset: Any = DATASETS[name]
    if pair not in dataset.langpairs:
        raise UnknownNameError(f"language pair of {name}", pair, sorted(dataset.langpairs))
    _require_downloaded(dataset, pair)
    return PublicTestSet(
        fields=dict(zip(dataset.fieldnames(pair), dataset.get_files(pair), strict=True)),
        references=tuple(dataset.get_reference_files(pair)),
    )


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
