"""A test set: outputs and references that pair segment by segment, from memory or from files.

`TestSet` checks what it is made of, so whatever holds one need not check again. Everything that
scores or compares takes a test set or what makes one, by `as_test_set`.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, cast

from truebleu._core import Segments
from truebleu.errors import (
    AbsentSegmentError,
    ArgumentTypeError,
    DuplicateSystemError,
    EmptyTextError,
    SegmentTypeError,
    SettingError,
    TransposedReferencesError,
    UnpairedSegmentsError,
)
from truebleu.schema import require_whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.corpus._files import NamedText

__all__ = [
    "Frame",
    "ReferencesLike",
    "Segments",
    "SystemsLike",
    "TestSet",
    "TestSetOutline",
    "TextLike",
    "TextWarning",
    "as_test_set",
]

copyreg.pickle(Segments, lambda segments: (Segments, (list(segments),)))

#: One text: native segments, or any sequence of str (None where a reference is absent).
TextLike: TypeAlias = Segments | Sequence[str] | Sequence[str | None]


class Frame(Protocol):
    """A data frame, of pandas, polars or anything else with named columns."""

    @property
    def columns(self) -> Iterable[Any]:
        """The names of the columns."""

    def __getitem__(self, name: Any, /) -> Any:
        """One column."""


#: References: one text, a text per translator, texts by name, or a data frame of them.
ReferencesLike: TypeAlias = TextLike | Sequence[TextLike] | Mapping[str, TextLike] | Frame

_TEXT = "a list of segments, such as ['A segment.']"
_TEXTS = "lists of segments by system name, such as {'system': ['A segment.']}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetOutline:
    """A test set's sizes and names without its texts: what results keep of it.

    Attributes:
        segments: How many there are.
        references: How many there are.
        reference_names: What they are called.
        documents: How many there are; None where they are unknown.
        domains: How many there are; None where they are unknown.
    """

    # The name starts like a test class: pytest would collect it wherever it is imported.
    __test__ = False

    segments: int
    references: int
    reference_names: tuple[str, ...]
    documents: int | None
    domains: int | None

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        return {**asdict(self), "reference_names": list(self.reference_names)}


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSet:
    """Texts that pair segment by segment; checked when it is made.

    A text is a list of str, or any other sequence: native segments, a column of a data frame.

    Attributes:
        systems: The outputs of each system by its name, in the order they were given.
        references: One text per translator; a segment is None where a translator has none.
        reference_names: What the references are called, in the same order.
        source: What was translated, where it was given.
        documents: The document of each segment, where that is known.
        domains: The domain of each segment, where that is known.
        warnings: What is suspicious about the texts; of files it is found out as they are read, of
            texts from memory by `examined`, as every verb does.
        is_examined: Whether it was looked for.

    >>> len(TestSet(systems={"a": ["A cat sat."]}, references=(["The cat sat."],)))
    1
    """

    # The name starts like a test class: pytest would collect it wherever it is imported.
    __test__ = False
    # Whether its texts were counted elsewhere, and are not here.
    is_counted: ClassVar[bool] = False

    systems: Mapping[str, TextLike]
    references: tuple[TextLike, ...]
    reference_names: tuple[str, ...] = ()
    source: TextLike | None = None
    documents: tuple[str, ...] | None = None
    domains: tuple[str, ...] | None = None
    warnings: tuple[TextWarning, ...] = ()
    is_examined: bool = False

    def __post_init__(self) -> None:
        systems = _outputs(self.systems)
        against = next(((name, len(text)) for name, text in systems.items()), None)
        if not isinstance(self.reference_names, tuple | list):
            raise ArgumentTypeError("reference_names", self.reference_names, "a tuple of strings")
        names, references = _references(self.references, tuple(self.reference_names), against)
        name, length = against or (names[0], len(references[0]))

        source = None if self.source is None else as_text("source", self.source)
        if source is not None and len(source) != length:
            raise UnpairedSegmentsError("source", len(source), name, length)
        documents = labels_of("documents", self.documents, name, length)
        domains = labels_of("domains", self.domains, name, length)

        checked = (systems, references, names, source, documents, domains)
        for name_of_field, value in zip(_CHECKED, checked, strict=True):
            object.__setattr__(self, name_of_field, value)

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.references[0])

    @property
    def references_per_segment(self) -> int | None:
        """How many references each segment has, or None when that varies."""
        varies = any(None in reference for reference in self.references)
        return None if varies else len(self.references)

    @property
    def reference_lengths(self) -> tuple[int, ...]:
        """Characters of the first reference that each segment has."""
        return tuple(
            len(next(text for text in segment if text is not None))
            for segment in zip(*self.references, strict=True)
        )

    @property
    def segment_names(self) -> tuple[str, ...] | None:
        """What people know the segments by; None where that is their number."""
        return None

    @property
    def fingerprint(self) -> str:
        """Of the references; see `fingerprint`."""
        return fingerprint(self.references)

    def output_fingerprint(self, system: str) -> str:
        """Of a system's text."""
        return fingerprint([self.systems[system]])

    def examined(self) -> TestSet:
        """This test set with warnings about its texts, as `read_test_set` gives them.

        >>> test_set = as_test_set(["", "c"], ["a b", "c"]).examined()
        >>> [warning.code for warning in test_set.warnings]
        ['mostly-empty']
        """
        if self.is_examined:
            return self
        references, systems, source = self.named_texts()
        # With the native texts, which are counted faster than lists.
        return replace(
            self,
            systems={text.name: text.segments for text in systems},
            references=tuple(text.segments for text in references),
            source=None if source is None else source.segments,
            warnings=(*self.warnings, *examine(references, systems, source)),
            is_examined=True,
        )

    def named_texts(self) -> tuple[list[NamedText], list[NamedText], NamedText | None]:
        """References, systems and the source as native texts with their names."""
        from truebleu.corpus._files import NamedText

        def named(name: str, text: TextLike) -> NamedText:
            return NamedText(
                name, name, name, text if isinstance(text, Segments) else Segments(text)
            )

        return (
            list(map(named, self.reference_names, self.references)),
            list(map(named, self.systems, self.systems.values())),
            None if self.source is None else named("source", self.source),
        )

    def part(self, segments: Sequence[int]) -> TestSet:
        """Some of its segments, by their places; warnings stay with the whole."""
        for place in segments:
            require_whole_number("segments", int(place), 0, len(self) - 1)

        def of(items: Sequence[Any]) -> list[Any]:
            return [items[place] for place in segments]

        return TestSet(
            systems={name: of(text) for name, text in self.systems.items()},
            references=tuple(of(text) for text in self.references),
            reference_names=self.reference_names,
            source=None if self.source is None else of(self.source),
            documents=None if self.documents is None else tuple(of(self.documents)),
            domains=None if self.domains is None else tuple(of(self.domains)),
            is_examined=True,
        )

    def labels(self, name: str) -> tuple[str, ...] | None:
        """What is known under a name about each segment; None where nothing is."""
        return {"domain": self.domains, "document": self.documents}.get(name)

    def columns(self, by: ColumnsLike | None) -> dict[str, tuple[str, ...]]:
        """Labels of the segments by the names of their columns.

        Args:
            by: labels by name, one for each segment; or names of what is known: "domain" or
                "document".

        >>> TestSet(systems={}, references=(["A", "B"],), domains=("x", "y")).columns(["domain"])
        {'domain': ('x', 'y')}
        """
        if isinstance(by, str):
            by = [by]
        if by is None or not isinstance(by, Mapping):
            if not isinstance(by, list | tuple | None):
                raise ArgumentTypeError("by", by, "names, or a mapping from names to labels")
            names = list(by or ())
            for name in names:
                if not isinstance(name, str) or self.labels(name) is None:
                    there = [f"{key!r}" for key in ("domain", "document") if self.labels(key)]
                    expected = " or ".join(there) or "labels: the test set knows no documents"
                    raise SettingError("by", name, f"{expected}, or a mapping from names to labels")
            by = {name: self.labels(name) or () for name in names}
        expected = "a list of labels, one for each segment"
        columns = {
            str(name): tuple(map(str, _as_sequence(str(name), labels, expected)))
            for name, labels in by.items()
        }
        for name, labels in columns.items():
            if len(labels) != len(self):
                raise UnpairedSegmentsError(name, len(labels), "segments", len(self))
        return columns

    @property
    def outline(self) -> TestSetOutline:
        """The set's sizes and names, no text."""
        return TestSetOutline(
            segments=len(self),
            references=len(self.references),
            reference_names=self.reference_names,
            documents=_different(self.documents),
            domains=_different(self.domains),
        )

    def to_dict(self) -> dict[str, object]:
        """The set's outline for JSON."""
        return self.outline.to_dict()


_CHECKED = ("systems", "references", "reference_names", "source", "documents", "domains")

#: What cuts a test set into groups: labels of its segments by name, or names of what is known.
ColumnsLike: TypeAlias = Mapping[str, Sequence[object]] | Sequence[str]
#: The scores of one system: numbers in order, or rows with the names of items.
ScoresLike: TypeAlias = Iterable[float | None] | Iterable[Mapping[str, Any]]
#: What a verb takes: a test set, or the systems' outputs that it is made of, or their scores.
SystemsLike: TypeAlias = TestSet | Mapping[str, TextLike | ScoresLike] | TextLike | Frame


def as_test_set(
    systems: SystemsLike,
    references: ReferencesLike | None = None,
    *,
    source: TextLike | None = None,
    documents: Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
) -> TestSet:
    """A test set as it is, or one made of texts that are in memory.

    >>> list(as_test_set(["The cat sat."], ["A cat sat."]).systems)
    ['system']
    >>> list(as_test_set({"a": ["A cat."], "b": ["The cat."]}, ["A cat sat."]).systems)
    ['a', 'b']

    Args:
        systems: A test set; or outputs by system name, a data frame with one column per system, or
            the outputs of one system, which is then called "system".
        references: One text, or a list of texts, one per translator: the first segment of each
            belongs to the first output. Or texts by name, or a data frame with one column per
            reference. None if `systems` is a test set.
        source: What was translated.
        documents: The document of each segment.
        domains: The domain of each segment.

    Raises:
        CorpusError: When the texts do not pair, or are not texts.
    """
    if isinstance(systems, TestSet):
        names = ("references", "source", "documents", "domains")
        for name, value in zip(names, (references, source, documents, domains), strict=True):
            if value is not None:
                expected = "none beside a TestSet, which has its own; dataclasses.replace sets them"
                raise SettingError(name, type(value), expected)
        return systems
    if references is None:
        raise SettingError("references", None, _TEXT)
    if isinstance(systems, Mapping) and not systems:
        raise EmptyTextError("systems")
    if not isinstance(systems, Mapping) and not is_frame(systems):
        systems = {"system": cast("TextLike", systems)}
    # What it is made of is converted and checked in one place, where it is made.
    return TestSet(
        systems=cast("Mapping[str, TextLike]", systems),
        references=cast("tuple[TextLike, ...]", references),
        source=source,
        documents=cast("tuple[str, ...] | None", documents),
        domains=cast("tuple[str, ...] | None", domains),
    )


def _different(labels: tuple[str, ...] | None) -> int | None:
    return None if labels is None else len(set(labels))


# What a test set is made of, converted and checked.


def _outputs(systems: object) -> dict[str, TextLike]:
    """The outputs by name: all of them text, as many for each system."""
    if is_frame(systems):
        systems = frame_columns("systems", systems)
    if not isinstance(systems, Mapping):
        raise SettingError("systems", _shortened(systems), _TEXTS)
    outputs: dict[str, TextLike] = {}
    first: tuple[str, int] | None = None
    for name, text in systems.items():
        if not isinstance(name, str) or not name:
            raise SettingError("systems", name, "a name for each system, as str")
        outputs[name] = as_text(name, text)
        absent = absent_segments(outputs[name])
        if absent:
            expected = "text; write a segment without output as ''"
            raise AbsentSegmentError(name, absent[0] + 1, "None", expected)
        length = len(outputs[name])
        first = first or (name, length)
        if length != first[1]:
            raise UnpairedSegmentsError(name, length, *first)
    return outputs


def _references(
    references: object, names: tuple[str, ...], against: tuple[str, int] | None
) -> tuple[tuple[str, ...], tuple[TextLike, ...]]:
    """The references' names and texts, each as long as the outputs that they stand against.

    One reference may be given as it is, several as a list of texts: the first item of each of them
    belongs to the first output. Where it could be read either way, it is read like that.
    """
    if is_frame(references):
        references = frame_columns("references", references)
    if isinstance(references, Mapping):
        names = names or tuple(map(str, references))
        groups = list(references.values())
    else:
        groups = _by_translator(references, None if against is None else against[1])
    if not groups:
        raise EmptyTextError("references")
    if names and len(names) != len(groups):
        found = f"{len(names)} names of {len(groups)} references"
        raise SettingError("reference_names", found, "one for each reference")
    labels = names or [f"references[{i}]" for i in range(len(groups))]
    texts = tuple(as_text(label, group) for label, group in zip(labels, groups, strict=True))
    name, length = against or (labels[0], len(texts[0]))
    for label, text in zip(labels, texts, strict=True):
        if len(text) != length:
            raise UnpairedSegmentsError(label, len(text), name, length)
    absent = set.intersection(*map(set, map(absent_segments, texts)))
    if absent:
        raise AbsentSegmentError(
            "references", min(absent) + 1, "only None", "at least one reference"
        )
    return names or tuple(f"reference {i}" for i in range(1, len(texts) + 1)), texts


def absent_segments(text: TextLike) -> list[int]:
    """The indices of the segments that are None."""
    if isinstance(text, Segments):
        return text.absent()
    return [index for index, segment in enumerate(text) if segment is None]


def _by_translator(references: object, length: int | None) -> list[object]:
    if isinstance(references, Segments):
        return [references]
    items = _as_sequence("references", references)
    first = next((item for item in items if item is not None), None)
    if first is None or isinstance(first, str) or not isinstance(first, Iterable | Segments):
        return [items] if len(items) else []
    groups = [_as_sequence(f"references[{i}]", item) for i, item in enumerate(items)]
    sizes = [len(group) for group in groups]
    if len(groups) == length and length not in sizes:
        raise TransposedReferencesError(length, len(groups), sizes[0])
    return list(groups)


def labels_of(name: str, labels: object, text: str, length: int) -> tuple[str, ...] | None:
    """Labels, one for each segment of a text; None where there are none."""
    if labels is None:
        return None
    items = _as_sequence(name, labels, "a list of names, one for each segment")
    for i, label in enumerate(items, 1):
        # Numbers are names too, as in columns of data frames.
        if isinstance(label, bool) or not isinstance(label, str | Integral):
            raise SegmentTypeError(name, i, type(label).__name__)
        if isinstance(label, str) and not label.strip():
            raise SettingError(name, label, f"a label for segment {i}")
    if len(items) != length:
        raise UnpairedSegmentsError(name, len(items), text, length)
    return tuple(map(str, items))


def as_text(name: str, text: object) -> TextLike:
    """One text, checked: a sequence of at least one segment, all of them str or None.

    Args:
        name: What messages call the text.
        text: The text.
    """
    items = _as_sequence(name, text)
    if not len(items):
        raise EmptyTextError(name)
    if isinstance(items, Segments):
        return items
    for place, segment in enumerate(items, 1):
        if segment is not None and not isinstance(segment, str):
            raise SegmentTypeError(name, place, type(segment).__name__)
    # The caller's list may change later, this text may not.
    return tuple(items)


def _as_sequence(
    name: str, items: object, expected: str = _TEXT
) -> Segments | Sequence[str | None]:
    if isinstance(items, Segments | list | tuple):
        return items
    # A str is a sequence of str too: without this, each of its letters would be a segment. And the
    # segments of a set are in no order, those of a mapping or a data frame are its keys.
    if (
        not isinstance(items, Iterable)
        or isinstance(items, str | bytes | Set | Mapping)
        or is_frame(items)
    ):
        raise SettingError(name, _shortened(items), expected)
    try:
        return column_values(items)
    except TypeError:  # an array of no dimension, which only seems iterable
        raise SettingError(name, items, expected) from None


def _shortened(value: object) -> object:
    if isinstance(value, str | bytes):
        return value[:40]
    return type(value) if isinstance(value, Set | Mapping) or is_frame(value) else value


# Data frames, known by what they can do: none of their packages is imported here.


def is_frame(value: object) -> bool:
    """Whether this is a table of pandas or polars (`columns`), or of Arrow (`column_names`)."""
    kind = type(value)
    return hasattr(kind, "columns") or hasattr(kind, "column_names")


def frame_columns(what: str, frame: object) -> dict[str, Any]:
    """The columns of a data frame by their names."""
    table: Any = frame
    keys = list(table.column_names if hasattr(type(frame), "column_names") else table.columns)
    columns: dict[str, Any] = {}
    for key in keys:
        if str(key) in columns:
            if what == "systems":
                raise DuplicateSystemError(str(key))
            raise SettingError(what, str(key), "a different name for each column")
        try:
            columns[str(key)] = table[key]
        except TypeError:  # a lazy frame, which has no values yet
            raise SettingError(what, type(frame), "a data frame with its values") from None
    if not columns:
        raise EmptyTextError(what)
    return columns


def column_values(column: Iterable[Any]) -> list[Any]:
    """The values of a column, with None where one is missing; of anything else, its items."""
    of_column: Any = column
    if hasattr(column, "to_pylist"):  # Arrow, whose items are not str but scalars
        return cast("list[Any]", of_column.to_pylist())
    values = list(column)
    if hasattr(column, "isna"):  # pandas, where a missing str is a float
        return [
            None if missing else value
            for value, missing in zip(values, of_column.isna(), strict=True)
        ]
    return values


# A fingerprint of references: two test sets with the same one can be compared.


def fingerprint(references: Sequence[TextLike]) -> str:
    """SHA-256 over the references in their order: their number, their lengths, every segment.

    A segment that a translator skipped is not the same as an empty one.

    >>> fingerprint([["A cat sat."]]) == fingerprint([["A cat sat."], [None]])
    False
    """
    whole = Fingerprint(len(references))
    whole.add(references)
    return str(whole)


class Fingerprint:
    """The same of references that come part by part."""

    def __init__(self, references: int) -> None:
        from hashlib import sha256

        self._digests = [sha256() for _ in range(references)]
        self._segments = [0] * references

    def add(self, references: Sequence[TextLike]) -> None:
        """A further part of each."""
        for place, (digest, reference) in enumerate(zip(self._digests, references, strict=True)):
            self._segments[place] += len(reference)
            for segment in reference:
                if segment is None:
                    digest.update(b"none\n")
                    continue
                text = segment.encode("utf-8", "surrogatepass")
                # With its length before it, no text can pass for two.
                digest.update(b"%d bytes\n" % len(text))
                digest.update(text)

    def __str__(self) -> str:
        from hashlib import sha256

        whole = sha256(b"%d references\n" % len(self._digests))
        for segments, digest in zip(self._segments, self._digests, strict=True):
            whole.update(b"%d segments\n" % segments)
            whole.update(digest.digest())
        return f"sha256:{whole.hexdigest()}"


# Warnings: what is suspicious about texts, and changes scores silently.


#: How many of each kind a text contains, and the index of the first segment that has one.
Survey: TypeAlias = "dict[str, tuple[int, int | None]]"


@dataclass(frozen=True, slots=True)
class TextWarning:
    """Something suspicious about a text.

    Attributes:
        code: What it is, such as `byte-order-mark`.
        text: Which text: a file, or a file and its column.
        count: How many there are.
        segment: The first segment that has it, from 1; None where it is about the whole text.
        message: All of that in one line, with what it means.
    """

    code: str
    text: str
    count: int
    segment: int | None
    message: str


# The key of the survey, which is also the code; what it is, what it means.
_KINDS = (
    ("tabs", "tab", "they count as white space"),
    ("carriage_returns", "inner carriage return", "they count as white space, not as line ends"),
    (
        "line_breaks",
        "inner line break",
        "characters like U+2028 end a line for some tools, which then misalign; not here",
    ),
    ("zero_width", "zero-width character", "they are not seen, and keep words from matching"),
    ("blank", "blank segment", "each matches nothing"),
)

_MOSTLY_EMPTY = 0.5
# sacreBLEU's rule: so many segments that end in a space and a full stop.
_TOKENIZED = 100


def examine(
    references: Sequence[NamedText], systems: Sequence[NamedText], source: NamedText | None
) -> tuple[TextWarning, ...]:
    """Everything suspicious about texts that pair segment by segment, text by text."""
    examination = Examination()
    examination.add(references, systems, source, is_whole=True)
    return examination.warnings()


@dataclass(slots=True, eq=False)
class _Examined:
    """What is known of one text after some parts of it.

    Attributes:
        label: What messages call it.
        path: Its file.
        segments: How many there were so far.
        carriage_returns: Line ends that were written as CR LF.
        byte_order_mark: Whether the file began with one.
        survey: What it contains.
        composed: Segments in Unicode's form C that would differ in form D.
        shift: The first range that fits the reference better when moved: start, end, by.
    """

    label: str
    path: str
    segments: int = 0
    carriage_returns: int = 0
    byte_order_mark: bool = False
    survey: Survey = field(default_factory=dict)
    composed: int = 0
    shift: tuple[int, int, int] | None = None

    def add(self, part: NamedText) -> None:
        """Look at a further part."""
        for kind, (count, first) in part.segments.survey().items():
            before, earlier = self.survey.get(kind, (0, None))
            place = None if first is None else self.segments + first
            self.survey[kind] = before + count, place if earlier is None else earlier
        self.carriage_returns += part.carriage_returns
        self.byte_order_mark |= part.byte_order_mark


class Examination:
    """A look at texts that pair segment by segment, which may come part by part."""

    def __init__(self) -> None:
        self._references: list[_Examined] = []
        self._systems: list[_Examined] = []
        self._sources: list[_Examined] = []
        # Pairs of texts, by their places among all, that were the same so far.
        self._identical: set[tuple[int, int]] | None = None

    @property
    def _texts(self) -> list[_Examined]:
        return [*self._references, *self._systems, *self._sources]

    def add(
        self,
        references: Sequence[NamedText],
        systems: Sequence[NamedText],
        source: NamedText | None,
        *,
        is_whole: bool = False,
    ) -> None:
        """Look at a part of all texts, or at the whole of them, which takes less time."""
        sources = [] if source is None else [source]
        parts = [*references, *systems, *sources]
        if not self._texts:
            self._references = [_Examined(text.label, text.path) for text in references]
            self._systems = [_Examined(text.label, text.path) for text in systems]
            self._sources = [_Examined(text.label, text.path) for text in sources]
        for text, part in zip(self._texts, parts, strict=True):
            text.add(part)
        translations = [*self._references, *self._systems]
        if not is_whole or any(text.survey["decomposed"][0] for text in translations):
            for text, part in zip(translations, parts, strict=False):
                text.composed += part.segments.count_composed()
        first, *others = translations
        shifts = parts[0].segments.shifts([part.segments for part in parts[1 : len(translations)]])
        for text, shift in zip(others, shifts, strict=True):
            if shift is not None and text.shift is None:
                start, end, by = shift
                text.shift = first.segments + start, first.segments + end, by
        compared = self._identical if self._identical is not None else self._comparable(parts)
        self._identical = {(i, j) for i, j in compared if parts[i].segments == parts[j].segments}
        for text, part in zip(self._texts, parts, strict=True):
            text.segments += len(part.segments)

    def _comparable(self, parts: Sequence[NamedText]) -> set[tuple[int, int]]:
        """Pairs of texts that should differ and may not: all but the source and a reference.

        By a few segments first: comparing each with each would take long where texts are many.
        """
        m, n = len(self._references), len(self._systems)
        alike: dict[tuple[str | None, ...], list[int]] = {}
        for place, part in enumerate(parts):
            segments = part.segments
            key = (segments[0], segments[len(segments) // 2], segments[len(segments) - 1])
            alike.setdefault(key, []).append(place)
        return {
            (i, j)
            for places in alike.values()
            for i, j in combinations(places, 2)
            if j < m or m <= i < m + n or m <= j < m + n
        }

    def warnings(self) -> tuple[TextWarning, ...]:
        """Everything suspicious about the texts so far, text by text."""
        warnings = [*_of_files(self._texts)]
        for text in self._texts:
            warnings += _of_characters(text)
        warnings += _of_tokens(self._systems)
        warnings += _of_normalization([*self._references, *self._systems])
        warnings += self._of_identity()
        warnings += _of_order(self._references[0], [*self._references[1:], *self._systems])
        # A text in two roles, or like two others, would be reported twice.
        unique: dict[tuple[str, str], TextWarning] = {}
        for warning in warnings:
            unique.setdefault((warning.code, warning.text), warning)
        return tuple(unique.values())

    def _of_identity(self) -> Iterator[TextWarning]:
        texts, m, n = self._texts, len(self._references), len(self._systems)
        same = self._identical or set()
        for system in range(m, m + n):
            for other in (*range(m), *range(m + n, len(texts))):
                what = "reference" if other < m else "source"
                if (min(system, other), max(system, other)) in same:
                    code = f"same-as-{what}"
                    yield _identical(texts[system], texts[other], code, f"the {what}")
        for places, what in ((range(m, m + n), "system"), (range(m), "reference")):
            for first, second in combinations(places, 2):
                if (first, second) in same:
                    code = f"same-as-{what}"
                    yield _identical(texts[second], texts[first], code, f"the {what}")


def _of_files(texts: Sequence[_Examined]) -> Iterator[TextWarning]:
    """Warnings about whole files, which may hold several texts."""
    for text in {text.path: text for text in texts}.values():
        if text.byte_order_mark:
            message = f"{text.path}: began with a byte-order mark, which was removed"
            yield TextWarning("byte-order-mark", text.path, 1, 1, message)
        if text.carriage_returns:
            ended = _counted(text.carriage_returns, "line ended", "lines ended")
            message = f"{text.path}: {ended} in CR LF; the CR was dropped"
            yield TextWarning("crlf", text.path, text.carriage_returns, None, message)


def _of_characters(text: _Examined) -> Iterator[TextWarning]:
    for kind, name, meaning in _KINDS:
        code, (count, first) = kind.replace("_", "-"), text.survey[kind]
        if first is None:
            continue
        if code == "tabs" and count >= text.segments:
            meaning = "was a table read as plain lines?"
        if code == "blank" and count >= _MOSTLY_EMPTY * text.segments:
            code, meaning = "mostly-empty", f"of {text.segments:,} in all: is it the right file?"
        message = (
            f"{text.label}: {_counted(count, name, f'{name}s')}, "
            f"first in segment {first + 1}; {meaning}"
        )
        yield TextWarning(code, text.label, count, first + 1, message)


def _of_tokens(texts: Sequence[_Examined]) -> Iterator[TextWarning]:
    """Outputs that look tokenized."""
    for text in texts:
        count, first = text.survey["tokenized"]
        if count < _TOKENIZED or first is None:
            continue
        message = (
            f"{text.label}: {count:,} segments end in a space and a full stop, first segment "
            f"{first + 1}: detokenize it"
        )
        yield TextWarning("tokenized", text.label, count, first + 1, message)


def _of_normalization(texts: Sequence[_Examined]) -> Iterator[TextWarning]:
    """Texts with segments not in NFC, where others are or the text itself is in part."""
    any_in_nfc = any(text.composed > text.survey["decomposed"][0] for text in texts)
    for text in texts:
        decomposed, first = text.survey["decomposed"]
        if first is None or not (text.composed or any_in_nfc):
            continue
        count = _counted(decomposed, "segment is", "segments are")
        message = (
            f"{text.label}: {count} not in Unicode form NFC, first segment {first + 1}, but others "
            "are; the same letters in two forms do not match"
        )
        yield TextWarning("normalization", text.label, decomposed, first + 1, message)


def _identical(text: _Examined, other: _Examined, code: str, what: str) -> TextWarning:
    message = f"{text.label}: identical to {what} {other.label}; was one file given twice?"
    return TextWarning(code, text.label, text.segments, None, message)


def _of_order(reference: _Examined, texts: Sequence[_Examined]) -> Iterator[TextWarning]:
    """Texts with a part that fits the reference better one or two segments further on."""
    for text in texts:
        if text.shift is None:
            continue
        start, end, by = text.shift
        what = "lost" if by > 0 else "extra"
        message = (
            f"{text.label}: segments {start + 1} to {end} fit {reference.label} better moved "
            f"{'down' if by > 0 else 'up'} by {abs(by)}; {_counted(abs(by), 'line', 'lines')} "
            f"{what} at segment {start + 1}?"
        )
        yield TextWarning("shifted", text.label, end - start, start + 1, message)


def _counted(count: int, singular: str, plural: str) -> str:
    return f"{count:,} {singular if count == 1 else plural}"
