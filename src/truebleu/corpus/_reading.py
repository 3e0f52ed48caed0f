"""Reading a test set from files: texts of any format, paired, named, labelled and examined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._core import Segments
from truebleu.corpus._files import (
    STANDARD_INPUT,
    Files,
    Layout,
    Location,
    NamedText,
    distinct_names,
    expand_paths,
    extension,
    parse_location,
    read_lines,
    refuse_duplicates,
    require_files,
)
from truebleu.corpus.test_set import TestSet
from truebleu.corpus.text_warnings import TextWarning, examine
from truebleu.errors import (
    AbsentSegmentError,
    EncodingError,
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
    """Reads texts that pair segment by segment.

    Each text is written `PATH`, `NAME=PATH`, `PATH#COLUMN` or `-` for standard input, or is a path
    object. The ending says which format it is: plain lines, `.tsv`, `.csv`, `.jsonl`, `.parquet`,
    `.sgm` or `.xml`; any of them may be compressed. Files of the last two hold several texts, and
    without `#NAME` all count.

    Args:
        systems: Outputs, one system each; a folder or a pattern such as `outputs/*.txt` stands for
            its files.
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
    require_files(systems, references)
    files = _TextFiles(stdin)
    reference_texts, reference_names = _read(files, references, "reference")
    system_texts, system_names = _read(files, expand_paths(systems), "system")
    refuse_duplicates(system_names)
    source_texts, _ = _read(files, [] if source is None else [source], "source")

    m = len(reference_texts)
    texts, by_line = align([*reference_texts, *system_texts, *source_texts], references=m)
    reference_texts, system_texts = texts[:m], texts[m : m + len(system_texts)]
    refuse_absent(reference_texts)
    # A missing output is scored as an empty one, and reported.
    missing = [warning for text in system_texts for warning in _missing(text)]
    system_texts = [_without_gaps(text) for text in system_texts]
    source_text = _without_gaps(texts[-1]) if source_texts else None

    suspicious = examine(reference_texts, system_texts, source_text)
    warnings = (*by_line, *missing, *suspicious)
    if strict and warnings:
        raise SuspiciousTextError([warning.message for warning in warnings])
    layout = merged(text.layout for text in texts)
    if documents is not None:
        layout = read_labels(files, documents, texts[0].label, len(texts[0].segments), layout)
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
    )


class _TextFiles(Files):
    """The files of one test set. A file that holds several texts is read and parsed once."""

    def __init__(self, stdin: BinaryIO | None = None) -> None:
        super().__init__(stdin)
        self._parsed: dict[str, Contents] = {}

    def texts(self, location: Location, role: Role) -> Sequence[NamedText]:
        """The texts at a location."""
        path = location.path
        # Two ways to write one file's path would read it twice, which is slower but not wrong.
        contents = self._parsed.get(path) or _parse(path, self.contents(path))
        if path != STANDARD_INPUT:
            self._parsed[path] = contents
        return contents.select(role, location.column)


def _parse(path: str, data: bytes) -> Contents:
    """What is in a file, by its ending; any ending of no other format is plain lines."""
    # A format's module is imported only when a file needs it: a run on plain lines starts faster.
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
    files: _TextFiles, written: Sequence[str | PathLike[str]], role: Role
) -> tuple[list[NamedText], list[str]]:
    """The texts of one role and what they are called."""
    texts: list[NamedText] = []
    chosen: list[str | None] = []
    for path in written:
        location = parse_location(path)
        texts_here = files.texts(location, role)
        if location.name is not None and len(texts_here) > 1:
            names = ", ".join(text.name for text in texts_here)
            expected = f"NAME=FILE#{role.upper()} to choose one of {names}"
            raise SettingError(role, path, expected)
        texts += texts_here
        chosen += [location.name] * len(texts_here)
    return texts, distinct_names(texts, chosen)


# Pairing texts: by document and segment id where they are known, else in order.


def align(texts: Sequence[NamedText], references: int) -> tuple[list[NamedText], list[TextWarning]]:
    """The texts in one common order, and a warning for each that had to be paired by line.

    The order is that of the first text which names its segments, with what only other references
    have after it. A text that lacks some of the segments gets None there.

    Args:
        texts: the references first.
        references: how many they are.
    """
    guide = next((text for text in texts if text.layout.keys is not None), texts[0])
    wanted = guide.layout.keys
    if wanted is not None:
        others = [text.layout.keys for text in texts[:references]]
        keys = [wanted, *(keys for keys in others if keys and not set(wanted).isdisjoint(keys))]
        wanted = tuple(dict.fromkeys(key for text in keys for key in text))
    aligned: list[NamedText] = []
    warnings: list[TextWarning] = []
    for text in texts:
        keys_here = text.layout.keys
        if wanted is not None and keys_here is not None and not set(wanted).isdisjoint(keys_here):
            aligned.append(_in_order_of(wanted, guide, text))
            continue
        aligned.append(text)
        has_keys = wanted is not None or text.should_have_keys or guide.should_have_keys
        if text.path != guide.path and has_keys:
            warnings.append(_paired_by_line(text, guide))
    length = len(guide.segments) if wanted is None else len(wanted)
    for text in aligned:
        size = len(text.segments)
        if size != length:
            pairs = (text.label, size), (guide.label, length)
            (left, right) = pairs[::-1] if text is aligned[0] else pairs
            raise UnpairedSegmentsError(*left, *right)
    return aligned, warnings


def _paired_by_line(text: NamedText, guide: NamedText) -> TextWarning:
    reason = "their ids have nothing in common"
    if text.layout.keys is None or guide.layout.keys is None:
        without = text if text.layout.keys is None else guide
        reason = f"{without.label} has no unique ids"
    message = f"{text.label}: paired with {guide.label} line by line, since {reason}"
    return TextWarning("paired-by-line", text.label, len(text.segments), None, message)


def _missing(text: NamedText) -> list[TextWarning]:
    gaps = [index + 1 for index in text.segments.absent()]
    if not gaps:
        return []
    what = "segment" if len(gaps) == 1 else "segments"
    message = (
        f"{text.label}: no output for {len(gaps):,} {what}, first segment {gaps[0]}; "
        "each counts as an empty output"
    )
    return [TextWarning("missing-output", text.label, len(gaps), gaps[0], message)]


def _without_gaps(text: NamedText) -> NamedText:
    if not text.segments.absent():
        return text
    return text._replace(segments=Segments([segment or "" for segment in text.segments]))


def refuse_absent(references: Sequence[NamedText]) -> None:
    """Raises AbsentSegmentError where a segment has no reference at all."""
    absent = set.intersection(*(set(text.segments.absent()) for text in references))
    if absent:
        labels = ", ".join(text.label for text in references)
        raise AbsentSegmentError(labels, min(absent) + 1, "no reference", "at least one")


def _in_order_of(wanted: tuple[Key, ...], guide: NamedText, text: NamedText) -> NamedText:
    keys = text.layout.keys
    if keys is None or wanted == keys:
        return text
    here = set(wanted)
    unknown = [key for key in keys if key not in here]
    if unknown:
        raise MisalignedSegmentsError(guide.label, unknown, text.label)
    places = {key: index for index, key in enumerate(keys)}
    order = [places.get(key) for key in wanted]
    return text._replace(
        segments=Segments([None if place is None else text.segments[place] for place in order]),
        layout=_reordered(text.layout, order)._replace(keys=wanted),
    )


def _reordered(layout: Layout, order: Sequence[int | None]) -> Layout:
    """Labels in another order; none where some segments would be without."""

    def labels(here: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if here is None or None in order:
            return None
        return tuple(here[place] for place in order if place is not None)

    return Layout(documents=labels(layout.documents), domains=labels(layout.domains))


# Documents and domains: which segments belong together.


def merged(layouts: Iterable[Layout]) -> Layout:
    """The first documents and the first domains that any text brings along."""
    documents = domains = None
    for layout in layouts:
        documents = documents or layout.documents
        domains = domains or layout.domains
    return Layout(documents, domains)


def read_labels(
    files: Files,
    written: str | PathLike[str],
    text: str,
    length: int,
    default: Layout = Layout(),  # noqa: B008  # it cannot be changed
) -> Layout:
    """Labels from a file of their own, one for each segment of a text of this name and length.

    The file is a table with columns such as `doc` and `domain`, or has one document per line, or
    with the ending .docs, as in mt-metrics-eval, domain and document.
    """
    location = parse_location(written)
    data = files.contents(location.path)
    layout = _parse_labels(location, data, length)
    for labels in (layout.documents, layout.domains):
        if labels is not None and len(labels) != length:
            raise UnpairedSegmentsError(location.path, len(labels), text, length)
    return Layout(layout.documents or default.documents, layout.domains or default.domains)


def _parse_labels(location: Location, data: bytes, length: int) -> Layout:
    from truebleu.corpus.tables import DOCUMENT, DOMAIN, parse_table, read_tsv

    path, column = location.path, location.column
    if column is None and extension(path) == ".docs":
        return Layout(*parse_docs(path, [line or "" for line in read_lines(path, data).segments]))
    table = parse_table(path, data) if extension(path) != ".tsv" else None
    if table is None:
        if column is None and not _has_header(path, data, length, (*DOCUMENT, *DOMAIN)):
            return Layout(documents=_labels_of_lines(path, data))
        table = read_tsv(path, data)
    if column is not None:
        return Layout(documents=table.complete_labels(column))
    layout = table.layout()
    if layout == Layout():
        found = f"the columns {', '.join(table.columns)}"
        expected = f"a column {' or '.join((*DOCUMENT, *DOMAIN))}"
        raise MalformedFileError(path, None, found, expected)
    return layout


#: Bytes of labels that are looked at together.
LABEL_BYTES = 1 << 24


def _labels_of_lines(path: str, data: bytes) -> tuple[str, ...]:
    """A label per line, equal ones as one object: a document has many segments."""
    objects: dict[str, str] = {}
    labels: list[str] = []
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + LABEL_BYTES) + 1 or len(data)
        try:
            lines = read_lines(path, data[start:end], is_beginning=start == 0).segments
        except (EncodingError, MalformedFileError) as error:
            name, line, *others = error.args
            raise type(error)(name, line + len(labels), *others) from None
        for text in lines:
            if not text or not text.strip():
                expected = "a label for every segment"
                raise MalformedFileError(path, len(labels) + 1, "a blank line", expected)
            labels.append(objects.setdefault(text, text))
        start = end
    return tuple(labels)


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


def _has_header(path: str, data: bytes, length: int, names: Sequence[str]) -> bool:
    """Whether the first line names columns; a lone name may be a label: then the count decides."""
    fields = (read_lines(path, data.split(b"\n", 1)[0]).segments[0] or "").split("\t")
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    is_named = any(field.strip().lower() in names for field in fields)
    return is_named and (len(fields) > 1 or lines != length)


# The files of a test set: what `read_test_set` reads.

# What a file's name cannot hold everywhere, or would lead out of the folder.
NOT_IN_NAMES = '/\\:*?"<>|'


def files_of(test_set: TestSet) -> dict[str, Iterable[bytes]]:
    """A test set as files that can be read again: the parts of each file by its name.

    The references, the source, a file per system, and ``documents.tsv`` where documents or domains
    are known. Texts have one segment per line, or are JSON lines where plain ones cannot hold them.
    """
    names = {"segments", "documents"}
    files: dict[str, Iterable[bytes]] = {}

    def add(kind: str, name: str, text: TextLike) -> None:
        safe = "".join(
            sign if sign.isprintable() and sign not in NOT_IN_NAMES else "-" for sign in name
        )
        if safe.strip(". ") == "" or safe.casefold() in names:
            expected = "a name that can be a file's, unlike those of the others; write NAME=FILE"
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
    """The ending and the lines of a text.

    Plain lines cannot hold an absent segment, nor a line feed or a carriage return at its end, nor
    a byte-order mark at the start: JSON lines can.
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
    """Documents and domains as a table, where they are known."""
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
