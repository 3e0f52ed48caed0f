"""Test sets in parts that need not stay in memory.

Files of plain lines are read in lock step, so that a part has the same segments of every text.
Other formats may pair segments by their ids, which requires all segments: they are one part.
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
from truebleu.corpus.outline import document_warnings
from truebleu.corpus.repetitions import Repetitions
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
        systems: outputs, one file per system, as for `read_test_set`.
        references: reference translations, one file per translator.
        source: file with the source text.
        documents: file with the document of each segment.
        whole: True to read all segments as one part.
        stdin: binary file to read for `-`; by default standard input.

    Attributes:
        warnings: warnings about the texts; complete after the last part.
        layout: documents and domains of all segments; complete after the last part.
        repeats: first equal segment of each segment, if many are repeated; see `Outline`.
        segments: number of segments read so far.
        copies: names of the systems whose outputs are a reference so far.
    """

    # The name begins like a test class, so pytest would collect it wherever it is imported.
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
        self._paths = systems, references
        self._source, self._documents, self._stdin = source, documents, stdin
        self._references = [parse_location(path) for path in references]
        self._systems = [parse_location(path) for path in expand_paths(systems)]
        sources = [] if source is None else [parse_location(source)]
        self._locations = [*self._references, *self._systems, *sources]
        self._is_whole = whole or not all(map(_is_plain, self._locations))
        self._files: list[LineFile] = []
        self.warnings: tuple[TextWarning, ...] = ()
        self.layout = Layout()
        self.repeats: tuple[int, ...] | None = None
        self.segments = 0
        self.copies: tuple[str, ...] = ()

    @property
    def share_read(self) -> float | None:
        """Share of the input read so far, from 0 to 1; None if unknown."""
        shares = [file.share_read for file in self._files]
        sizes = [share for share in shares if share is not None]
        return sum(sizes) / len(sizes) if sizes and len(sizes) == len(shares) else None

    def __iter__(self) -> Iterator[TestSet]:
        return self._read_whole() if self._is_whole else self._read_parts()

    def _read_whole(self) -> Iterator[TestSet]:
        test_set = read_test_set(
            *self._paths, source=self._source, documents=self._documents, stdin=self._stdin
        )
        self.warnings, self.repeats = test_set.warnings, test_set.repeats
        self.copies = test_set.copies
        self.layout = Layout(test_set.documents, test_set.domains)
        self.segments = len(test_set)
        yield test_set

    def _read_parts(self) -> Iterator[TestSet]:
        systems, references = _names(self._systems), _names(self._references)
        refuse_duplicates(systems)
        m, examination, files = len(references), Examination(), Files(self._stdin)
        repetitions = Repetitions()
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
                repetitions.add(texts[:m], outputs, source)
                part = TestSet(
                    systems={
                        name: text.segments for name, text in zip(systems, outputs, strict=True)
                    },
                    references=tuple(text.segments for text in texts[:m]),
                    reference_names=tuple(references),
                    source=None if source is None else source.segments,
                    is_examined=True,
                )
                known = self.copies if self.segments else part.copies
                self.copies = tuple(name for name in part.copies if name in known)
                self.segments += count
                yield part
        self.repeats, repeated = repetitions.results()
        self.warnings = (*examination.warnings(), *repeated)
        if self._documents is not None:
            first = self._references[0].path
            self.layout = read_labels(files, self._documents, first, self.segments)
            jumps = document_warnings(str(self._documents), self.layout.documents)
            self.warnings = (*self.warnings, *jumps)


def _is_plain(location: Location) -> bool:
    """Return whether a location is a file of plain lines."""
    ending = extension(location.path)
    return location.column is None and (ending == ".txt" or ending not in FORMATS)


def _names(locations: Sequence[Location]) -> list[str]:
    """Return the names of the texts at these locations."""
    texts = [NamedText(at.path, at.path, stem(at.path), Segments([])) for at in locations]
    return distinct_names(texts, [at.name for at in locations])
