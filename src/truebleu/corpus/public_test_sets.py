"""Test sets of the package `sacrebleu` by name, read from its cache folder.

That package keeps its downloads in ``~/.sacrebleu``, or in the folder named by the variable
SACREBLEU. Test sets are read from there without network access; truebleu downloads nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truebleu.corpus._files import Files, read_lines
from truebleu.errors import MissingExtraError, SettingError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

# Names of a test set's fields for documents and domains.
DOCUMENT = "docid"
DOMAINS = ("domain", "genre")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTestSet:
    """The files of a test set for one language pair.

    Attributes:
        fields: file of each field: src, ref or ref:TRANSLATOR, docid, domain and the like.
        references: files of the references that the package scores against.
    """

    fields: Mapping[str, str]
    references: tuple[str, ...]

    @property
    def source(self) -> str:
        """File of the source text."""
        return self.fields["src"]

    @property
    def documents(self) -> tuple[str, ...] | None:
        """Document of each segment, or None if the test set has no documents."""
        return self._labels(DOCUMENT)

    @property
    def domains(self) -> tuple[str, ...] | None:
        """Domain of each segment, or None if the test set has no domains."""
        return next((labels for name in DOMAINS if (labels := self._labels(name))), None)

    def _labels(self, field: str) -> tuple[str, ...] | None:
        if field not in self.fields:
            return None
        path = self.fields[field]
        labels = tuple(label or "" for label in read_lines(path, Files().contents(path)).segments)
        return labels if all(labels) else None


def find_test_set(name: str, pair: str) -> PublicTestSet:
    """Find a test set for a language pair in the cache folder.

    Raises:
        UnknownNameError: There is no such test set, or it has no such pair.
        SettingError: The test set has not been downloaded yet.
    """
    purpose, extra = "reading test sets by name", "testsets"
    try:
        from sacrebleu import __version__ as version
        from sacrebleu.dataset import DATASETS
    except ImportError:
        raise MissingExtraError(purpose, extra) from None
    if any(isinstance(dataset, dict) for dataset in DATASETS.values()):
        raise MissingExtraError(purpose, extra, f"sacreBLEU 2.2 or later, not {version}")
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
    """Raise SettingError for a test set that the package would download."""
    folder = dataset._rawdir
    archives = (os.path.join(folder, dataset._get_tarball_filename(url)) for url in dataset.data)
    # Extracted texts suffice if the package knows the fields without the archive.
    texts = [dataset._get_txt_file_path(pair, field) for field in ("src", "ref")]
    whole = all(map(_has_content, archives))
    # The package derives the fields of these test sets from the archive.
    needs_archive = hasattr(dataset, "_unwrap_wmt21_or_later")
    if not whole and (needs_archive or not all(map(_has_content, texts))):
        raise SettingError(
            "test set",
            f"{dataset.name} for {pair}, not in {dataset._outdir}",
            f"a downloaded one; run: truebleu sacrebleu --download {dataset.name} -l {pair}",
        )


def _has_content(path: str) -> bool:
    return os.path.exists(path) and os.path.getsize(path) > 0
