"""A test set: outputs and references that pair segment by segment, from memory or from files.

`TestSet` checks its texts, so that functions that receive one need no further checks. The verbs
convert their arguments to a test set with `as_test_set`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from truebleu._core import Segments
from truebleu.corpus.fingerprints import Fingerprints, fingerprint
from truebleu.corpus.outline import Outline, document_warnings
from truebleu.corpus.repetitions import Repetitions
from truebleu.corpus.sequences import (
    A_TEXT,
    Frame,
    TextLike,
    absent_segments,
    as_sequence,
    as_text,
    frame_columns,
    is_frame,
    labels_of,
    shortened_value,
)
from truebleu.corpus.text_warnings import TextWarning, examine
from truebleu.errors import (
    AbsentSegmentError,
    ArgumentTypeError,
    EmptyTextError,
    SettingError,
    TransposedReferencesError,
    UnpairedSegmentsError,
)
from truebleu.schema import require_whole_number

if TYPE_CHECKING:
    from truebleu.corpus._files import NamedText

__all__ = ["ReferencesLike", "SystemsLike", "TestSet", "as_test_set"]


#: References: one text, a text per translator, texts by name, or a data frame of them.
ReferencesLike: TypeAlias = TextLike | Sequence[TextLike] | Mapping[str, TextLike] | Frame

_TEXTS = "lists of segments by system name, such as {'system': ['A segment.']}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSet:
    """Texts that pair segment by segment; the constructor checks them.

    A text is a list of str or another sequence: native segments, a column of a data frame.

    Attributes:
        systems: outputs of each system by its name, in the given order.
        references: one text per translator; segments without a translation are None. Empty if the
            metrics need only the source.
        reference_names: names of the references, in their order.
        source: source text, or None.
        documents: document of each segment, or None.
        domains: domain of each segment, or None.
        warnings: warnings about the texts; texts from files are examined when they are read, texts
            from memory by `examined`, which every verb calls.
        is_examined: True if the texts have been examined for warnings.
        repeats: first equal segment of each segment, if many are repeated; see `Outline`.

    >>> len(TestSet(systems={"a": ["A cat sat."]}, references=(["The cat sat."],)))
    1
    """

    # The name begins like a test class, so pytest would collect it wherever it is imported.
    __test__ = False

    systems: Mapping[str, TextLike]
    references: tuple[TextLike, ...]
    reference_names: tuple[str, ...] = ()
    source: TextLike | None = None
    documents: tuple[str, ...] | None = None
    domains: tuple[str, ...] | None = None
    warnings: tuple[TextWarning, ...] = ()
    is_examined: bool = False
    repeats: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        systems = _outputs(self.systems)
        against = next(((name, len(text)) for name, text in systems.items()), None)
        if not isinstance(self.reference_names, tuple | list):
            raise ArgumentTypeError("reference_names", self.reference_names, "a tuple of strings")
        source = None if self.source is None else as_text("source", self.source)
        names: tuple[str, ...] = ()
        references: tuple[TextLike, ...] = ()
        if source is None or not isinstance(self.references, tuple) or self.references:
            names, references = _references(self.references, tuple(self.reference_names), against)
        name, length = against or next(iter(zip(names, map(len, references), strict=True)))
        if source is not None and len(source) != length:
            raise UnpairedSegmentsError("source", len(source), name, length)
        documents = labels_of("documents", self.documents, name, length)
        domains = labels_of("domains", self.domains, name, length)

        checked = (systems, references, names, source, documents, domains)
        for name_of_field, value in zip(_CHECKED, checked, strict=True):
            object.__setattr__(self, name_of_field, value)

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.references_or_source[0])

    @property
    def references_or_source(self) -> tuple[TextLike, ...]:
        """The references, or the source of a test set without references."""
        return self.references or (cast("TextLike", self.source),)

    @property
    def references_per_segment(self) -> int | None:
        """Number of references of each segment, or None if it varies."""
        varies = any(None in reference for reference in self.references)
        return None if varies else len(self.references)

    @property
    def copies(self) -> tuple[str, ...]:
        """Names of the systems whose outputs are a reference."""
        return tuple(
            name
            for name, text in self.systems.items()
            if any(text[0] == copy[0] and list(text) == list(copy) for copy in self.references)
        )

    @property
    def reference_lengths(self) -> tuple[int, ...]:
        """Number of characters of each segment's first reference."""
        return tuple(
            len(next(text for text in segment if text is not None))
            for segment in zip(*self.references_or_source, strict=True)
        )

    @property
    def fingerprints(self) -> Fingerprints:
        """Fingerprints of the references and outputs, with the lengths of the references."""
        return Fingerprints(
            references=fingerprint(self.references_or_source),
            outputs={name: fingerprint([text]) for name, text in self.systems.items()},
            lengths=self.reference_lengths,
        )

    def with_references(self, indices: Iterable[int]) -> TestSet:
        """Return this test set with only the references at these indices."""
        chosen = list(indices)
        return replace(
            self,
            references=tuple(self.references[index] for index in chosen),
            reference_names=tuple(self.reference_names[index] for index in chosen),
        )

    def examined(self) -> TestSet:
        """Return this test set with warnings about its texts, as `read_test_set` does.

        >>> test_set = as_test_set(["", "c"], ["a b", "c"]).examined()
        >>> [warning.code for warning in test_set.warnings]
        ['mostly-empty']
        """
        if self.is_examined:
            return self
        from truebleu.corpus._files import NamedText

        def named(name: str, text: TextLike) -> NamedText:
            segments = text if isinstance(text, Segments) else Segments(text)
            return NamedText(name, name, name, segments)

        references = list(map(named, self.reference_names, self.references))
        systems = list(map(named, self.systems, self.systems.values()))
        source = None if self.source is None else named("source", self.source)
        repetitions = Repetitions()
        repetitions.add(references, systems, source)
        repeats, repeated = repetitions.results()
        warnings = (*self.warnings, *examine(references, systems, source), *repeated)
        # The native texts are kept, because they are counted faster than lists.
        return replace(
            self,
            systems={text.name: text.segments for text in systems},
            references=tuple(text.segments for text in references),
            source=None if source is None else source.segments,
            warnings=(*warnings, *document_warnings("documents", self.documents)),
            is_examined=True,
            repeats=repeats,
        )

    def part(self, segments: Sequence[int]) -> TestSet:
        """Return a test set of the segments at these indices, without warnings."""
        for index in segments:
            require_whole_number("segments", int(index), 0, len(self) - 1)

        def of(items: Sequence[Any]) -> list[Any]:
            return [items[index] for index in segments]

        return TestSet(
            systems={name: of(text) for name, text in self.systems.items()},
            references=tuple(of(text) for text in self.references),
            reference_names=self.reference_names,
            source=None if self.source is None else of(self.source),
            documents=None if self.documents is None else tuple(of(self.documents)),
            domains=None if self.domains is None else tuple(of(self.domains)),
            is_examined=True,
        )

    @property
    def outline(self) -> Outline:
        """Outline of the test set: everything except its texts."""
        return Outline(
            systems=tuple(self.systems),
            segments=len(self),
            reference_names=self.reference_names,
            references_each=self.references_per_segment,
            documents=self.documents,
            domains=self.domains,
            warnings=self.warnings,
            repeats=self.repeats,
            copies=self.copies,
        )

    def to_dict(self) -> dict[str, object]:
        """Return the sizes and names of the test set for JSON."""
        return self.outline.sizes.to_dict()


_CHECKED = ("systems", "references", "reference_names", "source", "documents", "domains")

#: Scores of one system: numbers in order, or rows with the names of items.
ScoresLike: TypeAlias = Iterable[float | None] | Iterable[Mapping[str, Any]]
#: First argument of a verb: a test set, or the systems' outputs, or their scores.
SystemsLike: TypeAlias = TestSet | Mapping[str, TextLike | ScoresLike] | TextLike | Frame


def as_test_set(
    systems: SystemsLike,
    references: ReferencesLike | None = None,
    *,
    source: TextLike | None = None,
    documents: Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
) -> TestSet:
    """Return a test set unchanged, or create one from texts in memory.

    >>> list(as_test_set(["The cat sat."], ["A cat sat."]).systems)
    ['system']
    >>> list(as_test_set({"a": ["A cat."], "b": ["The cat."]}, ["A cat sat."]).systems)
    ['a', 'b']

    Args:
        systems: test set; or outputs by system name, a data frame with one column per system, or
            the outputs of one system, which is then called "system".
        references: one text, or a list of texts, one per translator: the first segment of each
            belongs to the first output. Or texts by name, or a data frame with one column per
            reference. None if `systems` is a test set, or for metrics that need only the source.
        source: source text.
        documents: document of each segment.
        domains: domain of each segment.

    Raises:
        CorpusError: The texts do not pair, or are not texts.
    """
    if isinstance(systems, TestSet):
        names = ("references", "source", "documents", "domains")
        for name, value in zip(names, (references, source, documents, domains), strict=True):
            if value is not None:
                expected = (
                    f"None, because the TestSet has its own {name}; to change them, use "
                    "dataclasses.replace"
                )
                raise SettingError(name, type(value), expected)
        return systems
    if references is None and source is None:
        raise SettingError("references", None, A_TEXT)
    if isinstance(systems, Mapping) and not systems:
        raise EmptyTextError("systems")
    if not isinstance(systems, Mapping) and not is_frame(systems):
        systems = {"system": cast("TextLike", systems)}
    # The constructor converts and checks the texts.
    return TestSet(
        systems=cast("Mapping[str, TextLike]", systems),
        references=cast("tuple[TextLike, ...]", () if references is None else references),
        source=source,
        documents=cast("tuple[str, ...] | None", documents),
        domains=cast("tuple[str, ...] | None", domains),
    )


# Conversion and checks of a test set's texts.


def _outputs(systems: object) -> dict[str, TextLike]:
    """Return the outputs by name; raises CorpusError unless they are texts of one length."""
    if is_frame(systems):
        systems = frame_columns("systems", systems)
    if not isinstance(systems, Mapping):
        raise SettingError("systems", shortened_value(systems), _TEXTS)
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
    """Return the names and texts of the references; raises CorpusError if their lengths differ.

    A reference is a text, several are a list of texts: the first item of each text belongs to the
    first output. A list that could also be transposed is interpreted like this.
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
        raise SettingError("reference_names", found, "one name for each reference")
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


def _by_translator(references: object, length: int | None) -> list[object]:
    if isinstance(references, Segments):
        return [references]
    items = as_sequence("references", references)
    first = next((item for item in items if item is not None), None)
    if first is None or isinstance(first, str) or not isinstance(first, Iterable | Segments):
        return [items] if len(items) else []
    groups = [as_sequence(f"references[{i}]", item) for i, item in enumerate(items)]
    sizes = [len(group) for group in groups]
    if len(groups) == length and length not in sizes:
        raise TransposedReferencesError(length, len(groups), sizes[0])
    return list(groups)
