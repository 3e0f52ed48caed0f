"""Reading and writing of test sets: texts of any format, paired, named, labelled and examined.

`read_test_set` reads whole texts, `TestSetParts` reads files of lines part by part.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from truebleu._core import Segments
from truebleu.corpus._files import (
    FORMATS,
    STANDARD_INPUT,
    Files,
    Layout,
    LineFile,
    Location,
    NamedText,
    distinct_names,
    expand_paths,
    extension,
    find_other_spelling,
    next_size,
    parse_location,
    read_lines,
    refuse_duplicates,
    require_files,
    stem,
)
from truebleu.corpus.outline import document_warnings
from truebleu.corpus.repetitions import Repetitions
from truebleu.corpus.test_set import TestSet
from truebleu.corpus.text_warnings import Examination, TextWarning, examine
from truebleu.errors import (
    AbsentSegmentError,
    MalformedFileError,
    MisalignedSegmentsError,
    SettingError,
    SuspiciousTextError,
    UnpairedSegmentsError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike
    from typing import BinaryIO

    from truebleu.corpus._files import Contents, Key, Role
    from truebleu.corpus.sequences import TextLike

__all__ = ["read_test_set"]


def read_test_set(
    systems: Sequence[str | PathLike[str]],
    references: Sequence[str | PathLike[str]],
    *,
    source: str | PathLike[str] | None = None,
    documents: str | PathLike[str] | None = None,
    strict: bool = False,
    stdin: BinaryIO | None = None,
) -> TestSet:
    """Read texts that pair segment by segment.

    The location of a text is `PATH`, `NAME=PATH`, `PATH#COLUMN`, `-` for standard input, or a path
    object. The extension decides the format: `.tsv`, `.csv`, `.jsonl`, `.parquet`, `.sgm`, `.xml`,
    or else plain lines; every format may be compressed. A file of the formats `.sgm` and `.xml` has
    several texts; all are read unless the location has `#NAME`.

    Args:
        systems: outputs, one file per system; a folder or a pattern such as `outputs/*.txt` stands
            for its files.
        references: reference translations, one file per translator; may be empty with a source.
        source: file with the source text.
        documents: file with the document of each segment, or a table of documents and domains.
        strict: True to raise an error if there is any warning about the texts.
        stdin: binary file to read for `-`; by default standard input.

    Returns:
        The test set, with `warnings` about its texts.

    Raises:
        CorpusError: A file is malformed, or the texts do not pair.
    """
    require_files(systems, references or ([] if source is None else [source]))
    files = _TextFiles(stdin)
    reference_texts, reference_names = _read(files, references, "reference")
    system_texts, system_names = _read(files, expand_paths(systems), "system")
    refuse_duplicates(system_names)
    source_texts, _ = _read(files, [] if source is None else [source], "source")

    # Systems are paired with the source if there are no references.
    guides = reference_texts or source_texts
    m = len(guides)
    texts, by_line = align([*guides, *system_texts, *source_texts], references=m)
    system_texts = texts[m : m + len(system_texts)]
    absent = set.intersection(*(set(text.segments.absent()) for text in texts[:m]))
    if absent:
        labels = ", ".join(text.label for text in texts[:m])
        raise AbsentSegmentError(labels, min(absent) + 1, "no reference", "at least one reference")
    reference_texts = texts[: len(reference_texts)]
    # Missing outputs are scored as empty ones, with a warning.
    missing = [warning for text in system_texts for warning in _missing_outputs(text)]
    system_texts = [_fill_gaps(text) for text in system_texts]
    source_text = _fill_gaps(texts[-1]) if source_texts else None

    examined = reference_texts, system_texts, source_text
    repetitions = Repetitions()
    repetitions.add(*examined)
    repeats, repeated = repetitions.results()
    # Labels of the first texts that have any.
    known = [text.layout for text in texts]
    named = next((layout.documents for layout in known if layout.documents), None)
    layout = Layout(named, next((layout.domains for layout in known if layout.domains), None))
    if documents is not None:
        layout = read_labels(files, documents, texts[0].label, len(texts[0].segments), layout)
    about = texts[0].label if documents is None else str(documents)
    jumps = document_warnings(about, layout.documents)
    warnings = (*by_line, *missing, *examine(*examined), *repeated, *jumps)
    if strict and warnings:
        raise SuspiciousTextError([warning.message for warning in warnings])
    return TestSet(
        systems={
            name: text.segments for name, text in zip(system_names, system_texts, strict=True)
        },
        references=tuple(text.segments for text in reference_texts),
        reference_names=tuple(reference_names),
        source=None if source_text is None else source_text.segments,
        documents=layout.documents,
        domains=layout.domains,
        warnings=warnings,
        is_examined=True,
        repeats=repeats,
    )


class _TextFiles(Files):
    """A reader of one test set's files that parses a file with several texts only once."""

    def __init__(self, stdin: BinaryIO | None = None) -> None:
        super().__init__(stdin)
        self._parsed: dict[str, Contents] = {}

    def texts(self, location: Location, role: Role) -> Sequence[NamedText]:
        """Return the texts at a location."""
        path = location.path
        # Two spellings of one path would be read twice, which is slower but not wrong.
        contents = self._parsed.get(path) or _parse(path, self.contents(path))
        if path != STANDARD_INPUT:
            self._parsed[path] = contents
        return contents.select(role, location.column)


def _parse(path: str, data: bytes) -> Contents:
    """Parse a file in the format of its extension; unknown extensions are plain lines."""
    # Modules of other formats are imported only if needed: a run on plain lines starts faster.
    match extension(path):
        case ".sgm" | ".sgml":
            from truebleu.corpus._markup import read_sgml

            return read_sgml(path, data)
        case ".xml":
            from truebleu.corpus._markup import read_xml

            return read_xml(path, data)
        case ".tsv" | ".csv" | ".jsonl" | ".ndjson" | ".json" | ".parquet":
            from truebleu.corpus.tables import parse_table

            return parse_table(path, data) or read_lines(path, data)
    return read_lines(path, data)


def _read(
    files: _TextFiles, paths: Sequence[str | PathLike[str]], role: Role
) -> tuple[list[NamedText], list[str]]:
    """Read the texts of one role; return them and their names."""
    texts: list[NamedText] = []
    chosen: list[str | None] = []
    for path in paths:
        location = parse_location(path)
        texts_of_file = files.texts(location, role)
        if location.name is not None and len(texts_of_file) > 1:
            names = ", ".join(text.name for text in texts_of_file)
            expected = f"NAME=FILE#{role.upper()} to choose one of {names}"
            raise SettingError(role, path, expected)
        texts += texts_of_file
        chosen += [location.name] * len(texts_of_file)
    return texts, distinct_names(texts, chosen)


# Parts of a test set that need not stay in memory. Files of plain lines are read in lock step, so
# that a part has the same segments of every text. Other formats may pair segments by their ids,
# which requires all segments: they are one part.


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
        endings = [extension(at.path) for at in self._locations if at.column is None]
        of_lines = [end for end in endings if end == ".txt" or end not in FORMATS]
        self._is_whole = whole or len(of_lines) < len(self._locations)
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
        systems, references = map(_names, (self._systems, self._references))
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


def _names(locations: Sequence[Location]) -> list[str]:
    """Return the names of the texts at these locations."""
    texts = [NamedText(at.path, at.path, stem(at.path), Segments([])) for at in locations]
    return distinct_names(texts, [at.name for at in locations])


# Pairing of texts: by document and segment id if known, else in order.


def align(texts: Sequence[NamedText], references: int) -> tuple[list[NamedText], list[TextWarning]]:
    """Put texts into a common order; return them and a warning for each text paired by line.

    The order is the first one given by keys of segments; segments that only other references have
    follow. Segments that a text does not have are None.

    Args:
        texts: texts, the references first.
        references: number of references.
    """
    guide = next((text for text in texts if text.layout.keys is not None), texts[0])
    order = guide.layout.keys
    if order is not None:
        for text in texts:
            _refuse_other_spelling(text, guide, order)
        others = [text.layout.keys for text in texts[:references]]
        keys = [order, *(keys for keys in others if keys and not set(order).isdisjoint(keys))]
        order = tuple(dict.fromkeys(key for text in keys for key in text))
    aligned: list[NamedText] = []
    warnings: list[TextWarning] = []
    for text in texts:
        text_keys = text.layout.keys
        if order is not None and text_keys is not None and not set(order).isdisjoint(text_keys):
            aligned.append(_reorder(order, guide, text))
            continue
        aligned.append(text)
        has_keys = order is not None or text.should_have_keys or guide.should_have_keys
        if text.path != guide.path and has_keys:
            warnings.append(_line_pairing_warning(text, guide))
    length = len(guide.segments) if order is None else len(order)
    for text in aligned:
        size = len(text.segments)
        if size != length:
            pairs = (text.label, size), (guide.label, length)
            (left, right) = pairs[::-1] if text is aligned[0] else pairs
            raise UnpairedSegmentsError(*left, *right)
    return aligned, warnings


def _refuse_other_spelling(text: NamedText, guide: NamedText, order: tuple[Key, ...]) -> None:
    """Raise MalformedFileError if an id differs from one of the guide only by its spelling."""
    both = find_other_spelling(text.layout.keys or (), order)
    if both is not None:
        found, known = ((" ".join(filter(None, key))) for key in both)
        expected = f"{known!r}, as in {guide.label}: ids differ by case, spaces or leading zeros"
        raise MalformedFileError(text.label, None, f"id {found!r}", expected)


def _line_pairing_warning(text: NamedText, guide: NamedText) -> TextWarning:
    reason = "their ids have nothing in common"
    if text.layout.keys is None or guide.layout.keys is None:
        without = text if text.layout.keys is None else guide
        reason = f"{without.label} has no unique ids"
    message = f"{text.label}: paired with {guide.label} line by line, since {reason}"
    return TextWarning("paired-by-line", text.label, len(text.segments), None, message)


def _missing_outputs(text: NamedText) -> list[TextWarning]:
    gaps = [index + 1 for index in text.segments.absent()]
    if not gaps:
        return []
    noun = "segment" if len(gaps) == 1 else "segments"
    message = (
        f"{text.label}: no output for {len(gaps):,} {noun}, first segment {gaps[0]}; "
        "each counts as an empty output"
    )
    return [TextWarning("missing-output", text.label, len(gaps), gaps[0], message)]


def _fill_gaps(text: NamedText) -> NamedText:
    if not text.segments.absent():
        return text
    return text._replace(segments=Segments([segment or "" for segment in text.segments]))


def _reorder(order: tuple[Key, ...], guide: NamedText, text: NamedText) -> NamedText:
    keys = text.layout.keys
    if keys is None or order == keys:
        return text
    known = set(order)
    unknown = [key for key in keys if key not in known]
    if unknown:
        raise MisalignedSegmentsError(guide.label, unknown, text.label)
    index_of = {key: index for index, key in enumerate(keys)}
    indices = [index_of.get(key) for key in order]
    rows = [index for index in indices if index is not None]
    # Labels must cover every segment.
    documents, domains = (
        None if labels is None or len(rows) < len(order) else tuple(labels[row] for row in rows)
        for labels in (text.layout.documents, text.layout.domains)
    )
    segments = [None if index is None else text.segments[index] for index in indices]
    return text._replace(segments=Segments(segments), layout=Layout(documents, domains, order))


# Documents and domains.


def read_labels(
    files: Files,
    path: str | PathLike[str],
    text: str,
    length: int,
    default: Layout = Layout(),  # noqa: B008  # it cannot be changed
) -> Layout:
    """Read labels of the `length` segments of the text called `text` from a separate file.

    The file is a table with columns such as `doc` and `domain`, or has one document per line, or
    has lines of domain and document if its extension is .docs, as in mt-metrics-eval.
    """
    location = parse_location(path)
    data = files.contents(location.path)
    layout = _parse_labels(location, data, length)
    for labels in (layout.documents, layout.domains):
        if labels is not None and len(labels) != length:
            raise UnpairedSegmentsError(location.path, len(labels), text, length)
    return Layout(layout.documents or default.documents, layout.domains or default.domains)


def _parse_labels(location: Location, data: bytes, length: int) -> Layout:
    from truebleu.corpus.tables import DOCUMENT, DOMAIN, parse_table, read_tsv, refuse_second_domain

    path, column = location.path, location.column
    if column is None and extension(path) == ".docs":
        docs = Layout(*parse_docs(path, [line or "" for line in read_lines(path, data).segments]))
        refuse_second_domain(path, docs, range(1, len(docs.documents or ()) + 1))
        return docs
    table = parse_table(path, data) if extension(path) != ".tsv" else None
    if table is None:
        if column is None and not _has_header(path, data, length, (*DOCUMENT, *DOMAIN)):
            return Layout(documents=_read_label_lines(path, data))
        table = read_tsv(path, data)
    if column is not None:
        return Layout(documents=table.complete_labels(column))
    layout = table.layout()
    if layout == Layout():
        found = f"the columns {', '.join(table.columns)}"
        expected = f"a column {' or '.join((*DOCUMENT, *DOMAIN))}"
        raise MalformedFileError(path, None, found, expected)
    return layout


def _read_label_lines(path: str, data: bytes) -> tuple[str, ...]:
    """Read one label per line; equal labels share one object to save memory."""
    objects: dict[str, str] = {}
    labels: list[str] = []
    for number, text in enumerate(read_lines(path, data).segments, 1):
        if not text or not text.strip():
            raise MalformedFileError(path, number, "a blank line", "a label for every segment")
        labels.append(objects.setdefault(text, text))
    return tuple(labels)


def parse_docs(path: str, lines: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Parse lines of DOMAIN DOCUMENT; return the documents and the domains."""
    rows = []
    for number, line in enumerate(lines, 1):
        fields = line.split(maxsplit=1)
        if len(fields) != 2:
            raise MalformedFileError(path, number, f"{line!r}", "DOMAIN DOCUMENT")
        rows.append((fields[0], fields[1].strip()))
    return tuple(document for _, document in rows), tuple(domain for domain, _ in rows)


def _has_header(path: str, data: bytes, length: int, names: Sequence[str]) -> bool:
    """Return whether the first line is a header; if it has one field, by the number of lines."""
    fields = (read_lines(path, data.split(b"\n", 1)[0]).segments[0] or "").split("\t")
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    is_named = any(field.strip().lower() in names for field in fields)
    return is_named and (len(fields) > 1 or lines != length)


# Files that `read_test_set` can read.

# Characters that some systems forbid in file names, or that would leave the folder.
NOT_IN_NAMES = '/\\:*?"<>|'


def files_of(test_set: TestSet) -> dict[str, Iterable[bytes]]:
    """Format a test set as files that can be read again; return the parts of each file by its name.

    The files are the references, the source, one per system, and ``documents.tsv`` if documents or
    domains are known. A text has one segment per line, or is JSON lines if plain lines cannot
    represent it.
    """
    names = {"segments", "documents"}
    files: dict[str, Iterable[bytes]] = {}

    def add(kind: str, name: str, text: TextLike) -> None:
        safe = "".join(
            sign if sign.isprintable() and sign not in NOT_IN_NAMES else "-" for sign in name
        )
        if safe.strip(". ") == "" or safe.casefold() in names:
            expected = "a unique name that can be a file name; write NAME=FILE"
            raise SettingError(kind, name, expected)
        names.add(safe.casefold())
        ending, parts = _text(text)
        files[safe + ending] = parts

    for name, text in zip(test_set.reference_names, test_set.references, strict=True):
        add("references", name, text)
    if test_set.source is not None:
        add("source", "source", test_set.source)
    for name, text in test_set.systems.items():
        add("systems", name, text)
    return files | _labels(test_set)


def _text(text: TextLike) -> tuple[str, Iterator[bytes]]:
    """Return the extension and the lines of a text.

    JSON lines are used for absent segments, line feeds, carriage returns at the end of a segment
    and a byte-order mark at the start of the text, which plain lines cannot represent.
    """
    from json import dumps

    segments = list(text)
    starts_with_mark = bool(segments) and (segments[0] or "").startswith("\ufeff")
    if starts_with_mark or any(
        segment is None or "\n" in segment or segment.endswith("\r") for segment in segments
    ):
        lines = (dumps({"text": segment}, ensure_ascii=False) for segment in segments)
        return ".jsonl", (f"{line}\n".encode() for line in lines)
    return ".txt", (f"{segment}\n".encode() for segment in segments)


def _labels(test_set: TestSet) -> dict[str, Iterable[bytes]]:
    """Format documents and domains as a table; the result is empty if neither is known."""
    from json import dumps

    labels = {"doc": test_set.documents, "domain": test_set.domains}
    columns = {name: column for name, column in labels.items() if column is not None}
    if not columns:
        return {}
    rows = list(zip(*columns.values(), strict=True))
    if any(sign in label for row in rows for label in row for sign in "\t\n\r"):
        objects = (dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) for row in rows)
        return {"documents.jsonl": (f"{line}\n".encode() for line in objects)}
    lines = ["\t".join(columns), *("\t".join(row) for row in rows)]
    return {"documents.tsv": (f"{line}\n".encode() for line in lines)}
