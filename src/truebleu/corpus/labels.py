"""Documents and domains: which segments belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.corpus import formats, locations
from truebleu.corpus.lines import read_lines
from truebleu.corpus.texts import LABEL_COLUMNS, Layout
from truebleu.errors import MalformedFileError, UnpairedSegmentsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from truebleu._core import Segments
    from truebleu.corpus.files import Files
    from truebleu.corpus.texts import NamedText


def merged(layouts: Iterable[Layout]) -> Layout:
    """The first documents and the first domains that any text brings along."""
    documents = domains = None
    for layout in layouts:
        documents = documents or layout.documents
        domains = domains or layout.domains
    return Layout(documents, domains)


def read_labels(
    files: Files, written: str | PathLike[str], text: NamedText, default: Layout
) -> Layout:
    """Labels from a file of their own, one for each segment of the text.

    The file is a table with columns such as `doc` and `domain`, or has one document per line, or
    with the ending .docs, as in mt-metrics-eval, domain and document.
    """
    location = locations.locate(written)
    data = files.contents(location.path)
    layout = _parse(location, data, len(text.segments))
    for labels in (layout.documents, layout.domains):
        if labels is not None and len(labels) != len(text.segments):
            raise UnpairedSegmentsError(location.path, len(labels), text.label, len(text.segments))
    return Layout(layout.documents or default.documents, layout.domains or default.domains)


def _parse(location: locations.Location, data: bytes, length: int) -> Layout:
    path, column = location.path, location.column
    if column is None and locations.extension(path) == ".docs":
        return Layout(*parse_docs(path, [line or "" for line in read_lines(path, data).segments]))
    table = formats.parse_table(path, data) if locations.extension(path) != ".tsv" else None
    if table is None:
        lines = read_lines(path, data).segments
        if column is None and not _has_header(lines, length):
            return Layout(documents=tuple(label or "" for label in lines))
        from truebleu.corpus.delimited import read_tsv

        table = read_tsv(path, data)
    if column is not None:
        return Layout(documents=table.labels(column))
    layout = table.layout()
    if layout == Layout():
        found = f"the columns {', '.join(table.columns)}"
        expected = f"a column {' or '.join(LABEL_COLUMNS)}"
        raise MalformedFileError(path, None, found, expected)
    return layout


def parse_docs(path: str, lines: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The documents and the domains in lines of DOMAIN DOCUMENT."""
    domains, documents = [], []
    for number, line in enumerate(lines, 1):
        fields = line.split(maxsplit=1)
        if len(fields) != 2:
            raise MalformedFileError(path, number, f"{line!r}", "DOMAIN DOCUMENT")
        domains.append(fields[0])
        documents.append(fields[1].strip())
    return tuple(documents), tuple(domains)


def _has_header(lines: Segments, length: int) -> bool:
    """Whether the first line names columns; a lone name may be a label: then the count decides."""
    fields = (lines[0] or "").split("\t")
    is_named = any(name in fields for name in LABEL_COLUMNS)
    return is_named and (len(fields) > 1 or len(lines) != length)
