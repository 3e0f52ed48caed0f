"""Test sets in parts: what was read is handed on, and can be forgotten.

Files of plain lines are read in lock step, so that a part has the same segments of every text.
Other formats may pair segments by their ids, which takes all of them: they are one part.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from truebleu._core import Segments
from truebleu.corpus._files import (
    FORMATS,
    Files,
    Layout,
    LineFile,
    NamedText,
    distinct_names,
    expand_paths,
    extension,
    next_size,
    parse_location,
    refuse_duplicates,
    require_files,
    stem,
)
from truebleu.corpus._reading import read_labels, read_test_set
from truebleu.corpus.test_set import TestSet
from truebleu.corpus.text_warnings import Examination

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike
    from typing import BinaryIO

    from truebleu.corpus._files import Location
    from truebleu.corpus.text_warnings import TextWarning


class TestSetParts:
    """A test set from files, read once.

    Args:
        systems: outputs, one system each, written as for `read_test_set`.
        references: what they are compared with, one translator each.
        source: what was translated.
        documents: a file with the document of each segment.
        whole: whether all segments must be one part.
        stdin: read where a text is written `-`; by default standard input.

    Attributes:
        warnings: what is suspicious about the texts, once all parts were read.
        layout: the documents and domains of all segments, likewise.
        segments: how many there were so far.
    """

    # The name starts like a test class: pytest would collect it wherever it is imported.
    __test__ = False

    def __init__(
        self,
        systems: Sequence[str | PathLike[str]],
        references: Sequence[str | PathLike[str]],
        *,
        source: str | PathLike[str] | None = None,
        documents: str | PathLike[str] | None = None,
        whole: bool = False,
        stdin: BinaryIO | None = None,
    ) -> None:
        require_files(systems, references)
        self._written = systems, references
        self._source, self._documents, self._stdin = source, documents, stdin
        self._references = [parse_location(path) for path in references]
        self._systems = [parse_location(path) for path in expand_paths(systems)]
        beside = [] if source is None else [parse_location(source)]
        self._locations = [*self._references, *self._systems, *beside]
        self._is_whole = whole or not all(map(_is_plain, self._locations))
        self._files: list[LineFile] = []
        self.warnings: tuple[TextWarning, ...] = ()
        self.layout = Layout()
        self.segments = 0

    @property
    def share_read(self) -> float | None:
        """How much of all texts was read, from 0 to 1; None where nobody knows."""
        shares = [file.share_read for file in self._files]
        sizes = [share for share in shares if share is not None]
        return sum(sizes) / len(sizes) if sizes and len(sizes) == len(shares) else None

    def __iter__(self) -> Iterator[TestSet]:
        return self._read_whole() if self._is_whole else self._read_parts()

    def _read_whole(self) -> Iterator[TestSet]:
        test_set = read_test_set(
            *self._written, source=self._source, documents=self._documents, stdin=self._stdin
        )
        self.warnings = test_set.warnings
        self.layout = Layout(test_set.documents, test_set.domains)
        self.segments = len(test_set)
        yield test_set

    def _read_parts(self) -> Iterator[TestSet]:
        systems, references = _names(self._systems), _names(self._references)
        refuse_duplicates(systems)
        m, examination, files = len(references), Examination(), Files(self._stdin)
        with ExitStack() as opened:
            self._files = [
                opened.enter_context(closing(LineFile(location.path, files)))
                for location in self._locations
            ]
            while count := next_size(self._files, self.segments):
                texts = [file.take(count) for file in self._files]
                is_whole = self.segments == 0 and all(file.is_empty for file in self._files)
                source = None if self._source is None else texts[-1]
                outputs = texts[m : m + len(systems)]
                examination.add(texts[:m], outputs, source, is_whole=is_whole)
                self.segments += count
                yield TestSet(
                    systems={
                        name: text.segments for name, text in zip(systems, outputs, strict=True)
                    },
                    references=tuple(text.segments for text in texts[:m]),
                    reference_names=tuple(references),
                    source=None if source is None else source.segments,
                    is_examined=True,
                )
        self.warnings = examination.warnings()
        if self._documents is not None:
            first = self._references[0].path
            self.layout = read_labels(files, self._documents, first, self.segments)


def _is_plain(location: Location) -> bool:
    """Whether a text is the lines of a file."""
    ending = extension(location.path)
    return location.column is None and (ending == ".txt" or ending not in FORMATS)


def _names(locations: Sequence[Location]) -> list[str]:
    """What the texts are called."""
    texts = [NamedText(at.path, at.path, stem(at.path), Segments([])) for at in locations]
    return distinct_names(texts, [at.name for at in locations])
