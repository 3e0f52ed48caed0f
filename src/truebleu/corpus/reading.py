"""Reading a whole test set: references, systems, source and labels, paired and examined."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING

from truebleu.corpus import labels, locations, names
from truebleu.corpus.alignment import align, refuse_absent
from truebleu.corpus.files import Files
from truebleu.corpus.forensics import examine
from truebleu.corpus.test_set import TestSet
from truebleu.errors import SettingError, SuspiciousTextError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from truebleu.corpus.texts import NamedText, Role


def read_test_set(
    systems: Sequence[str | PathLike[str]],
    references: Sequence[str | PathLike[str]],
    *,
    source: str | PathLike[str] | None = None,
    documents: str | PathLike[str] | None = None,
    strict: bool = False,
    stdin: BinaryIO | None = None,
) -> TestSet:
    """Reads texts that pair segment by segment.

    Each text is written `PATH`, `NAME=PATH`, `PATH#COLUMN` or `-` for standard input, or is a path
    object. The format is told by the ending: plain lines, `.tsv`, `.csv`, `.jsonl`, `.parquet`,
    `.sgm` or `.xml`; any of them may be compressed. Files of the last two hold several texts, and
    without `#NAME` all count.

    Args:
        systems: Outputs, one system each.
        references: What they are compared with, one translator each.
        source: What was translated.
        documents: A file with the document of each segment, or a table of documents and domains.
        strict: Whether anything suspicious about the texts is an error.
        stdin: Read where a text is written `-`; by default standard input.

    Returns:
        The test set, with what is suspicious about it as `warnings`.

    Raises:
        CorpusError: When a file cannot be read as what it should be, or texts do not pair.
    """
    for setting, written in (("systems", systems), ("references", references)):
        if isinstance(written, str | PathLike) or not isinstance(written, Iterable):
            raise SettingError(setting, written, "a list of files")
    if not references:
        raise SettingError("references", references, "at least one file")
    files = Files(stdin)
    reference_texts, reference_names = _read(files, references, "reference")
    system_texts, system_names = _read(files, systems, "system")
    names.refuse_duplicates(system_names)
    source_texts, _ = _read(files, [] if source is None else [source], "source")

    texts = align([*reference_texts, *system_texts, *source_texts])
    m = len(reference_texts)
    reference_texts, system_texts = texts[:m], texts[m : m + len(system_texts)]
    source_text = texts[-1] if source_texts else None
    refuse_absent(reference_texts)

    findings = examine(reference_texts, system_texts, source_text)
    if strict and findings:
        raise SuspiciousTextError([finding.message for finding in findings])
    layout = labels.merged(text.layout for text in texts)
    if documents is not None:
        layout = labels.read_labels(files, documents, texts[0], default=layout)
    return TestSet(
        systems={
            name: text.segments for name, text in zip(system_names, system_texts, strict=True)
        },
        references=tuple(text.segments for text in reference_texts),
        reference_names=tuple(reference_names),
        source=None if source_text is None else source_text.segments,
        documents=layout.documents,
        domains=layout.domains,
        warnings=findings,
    )


def _read(
    files: Files, written: Iterable[str | PathLike[str]], role: Role
) -> tuple[list[NamedText], list[str]]:
    """The texts of one role and what they are called."""
    texts: list[NamedText] = []
    given: list[str | None] = []
    for one in written:
        location = locations.locate(one)
        found = files.texts(location, role)
        if location.name is not None and len(found) > 1:
            known = ", ".join(text.name for text in found)
            expected = f"NAME=FILE#{role.upper()} to choose one of {known}"
            raise SettingError(role, one, expected)
        texts += found
        given += [location.name] * len(found)
    return texts, names.distinct_names(texts, given)
