"""Warnings about suspicious properties of texts that change scores silently."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from truebleu import _core
from truebleu.errors import SuspiciousTextError, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from truebleu._core import Segments
    from truebleu.corpus._files import NamedText

__all__ = ["TextWarning"]

#: Codes of serious warnings: the texts are not what they should be, and no decision follows from
#: their scores.
SERIOUS = frozenset({"shifted", "misaligned", "copied-reference"})
#: Number of occurrences of each kind in a text, and the index of the first segment with one.
Survey: TypeAlias = "dict[str, tuple[int, int | None]]"


@dataclass(frozen=True, slots=True)
class TextWarning:
    """A warning about a text.

    Attributes:
        code: kind of the warning, such as `byte-order-mark`.
        text: label of the text: a file, or a file and its column.
        count: number of occurrences.
        segment: first segment concerned, from 1, or None if the warning is about the whole text.
        message: one line with all of this and its consequence.
    """

    code: str
    text: str
    count: int
    segment: int | None
    message: str

    @property
    def is_serious(self) -> bool:
        """True if scores of the text say nothing about its system."""
        return self.code in SERIOUS


def refuse_serious(warnings: Iterable[TextWarning]) -> None:
    """Raise SuspiciousTextError if any warning is serious."""
    messages = [warning.message for warning in warnings if warning.is_serious]
    if messages:
        heading = "no decision follows from these texts; correct them, or accept them as they are "
        raise SuspiciousTextError(messages, f"{heading}with --accept-inputs (accept_inputs=True):")


def merge_warnings(warnings: Iterable[TextWarning], remedy: str = "") -> Iterator[str]:
    """Merge warnings of one kind into one line that counts the rest; `remedy` lists them all."""
    kinds: dict[str, list[TextWarning]] = {}
    for warning in warnings:
        kinds.setdefault(warning.code, []).append(warning)
    for first, *others in kinds.values():
        yield first.message + (f" (and {len(others)} more{remedy})" if others else "")


# Key of the survey, which is also the code; noun; consequence.
_KINDS = (
    ("tabs", "tab", "they count as white space"),
    ("carriage_returns", "inner carriage return", "they count as white space, not as line ends"),
    (
        "line_breaks",
        "inner line break",
        "characters like U+2028 end a line for some tools, which then misalign; not here",
    ),
    ("zero_width", "invisible character", "they prevent words from matching"),
    ("blank", "blank segment", "each matches nothing"),
)

#: Code and message of each kind of finding of the core.
_FINDINGS = {
    "random": (
        "misaligned",
        "its segments fit {other} no better than other segments; are the lines in the same order, "
        "and of the same test set?",
    ),
    "stretch": (
        "misaligned",
        "segments {first} to {last} fit {other} no better than other segments; are these lines in "
        "the same order?",
    ),
    "exchanged": (
        "misaligned",
        "{count} fit {other} better if exchanged with the next one, first segment {first}; are the "
        "lines in the same order?",
    ),
    "shifted": (
        "shifted",
        "segments {first} to {last} fit {other} better moved {way} by {number}; {lines} {change} "
        "at segment {first}?",
    ),
    "copied": (
        "copied-reference",
        "{share} of the long segments equal {other}, first segment {first}; was the reference made "
        "from this system, or copied into it?",
    ),
    "common": (
        "copied-system",
        "{share} of the long segments equal {other}, first segment {first}, and the other segments "
        "are unlike; were outputs of two systems mixed?",
    ),
    "untranslated": (
        "untranslated",
        "{share} of the long segments equal {other}, first segment {first}; were they translated?",
    ),
    "shared": (
        "shared-text",
        "{count} are {example}, first segment {first}, although {other} differs there",
    ),
    "beginning": (
        "added-text",
        "{count} begin with {example}, first segment {first}, but hardly any of {other}",
    ),
    "end": (
        "added-text",
        "{count} end with {example}, first segment {first}, but hardly any of {other}",
    ),
    "character": (
        "strange-characters",
        "{count} have {unit}, first segment {first}; {known} of {other} have it",
    ),
    "cut": (
        "cut-off",
        "{count} have about {number} {unit}, and none has more, while many of {other} do; were "
        "outputs cut off?",
    ),
    "foreign": (
        "wrong-language",
        "{count} are in another language than {other}, first segment {first}: {example}",
    ),
}

_MOSTLY_EMPTY = 0.5
# Number of segments that end in a space and a full stop, as in sacreBLEU's rule.
_TOKENIZED = 100


def examine(
    references: Sequence[NamedText], systems: Sequence[NamedText], source: NamedText | None
) -> tuple[TextWarning, ...]:
    """Examine texts that pair segment by segment; return warnings, text by text."""
    examination = Examination()
    examination.add(references, systems, source, is_whole=True)
    return examination.warnings()


@dataclass(slots=True, eq=False)
class _Examined:
    """Findings about one text, accumulated over its parts.

    Attributes:
        label: name of the text in messages.
        path: path of its file.
        segments: number of segments so far.
        carriage_returns: number of line ends that are CR LF.
        byte_order_mark: True if the file begins with a byte-order mark.
        survey: number and first segment of each kind of occurrence.
        composed: number of segments in Unicode's form C that would differ in form D.
    """

    label: str
    path: str
    segments: int = 0
    carriage_returns: int = 0
    byte_order_mark: bool = False
    survey: Survey = field(default_factory=dict)
    composed: int = 0

    def add(self, part: NamedText) -> None:
        """Examine another part."""
        for kind, (count, first) in part.segments.survey().items():
            before, earlier = self.survey.get(kind, (0, None))
            index = None if first is None else self.segments + first
            self.survey[kind] = before + count, index if earlier is None else earlier
        self.carriage_returns += part.carriage_returns
        self.byte_order_mark |= part.byte_order_mark


class Examination:
    """An examination of texts that pair segment by segment, part by part."""

    def __init__(self) -> None:
        self._references: list[_Examined] = []
        self._systems: list[_Examined] = []
        self._sources: list[_Examined] = []
        self._inspection = _core.Inspection()
        # Groups of texts that are equal so far.
        self._identical: list[list[int]] | None = None

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
        """Examine the next part of every text.

        `is_whole` says that there are no other parts, which saves time.
        """
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
        native = [part.segments for part in (*references, *systems)]
        # Without references, the first system takes their place.
        m = len(references) or 1
        self._inspection.add(
            native[:m],
            native[m:],
            None if source is None else source.segments,
        )
        if self._identical is None:
            # Few texts have three segments in common: the others need no comparison in full.
            self._identical = _grouped(range(len(parts)), lambda i: _three_of(parts[i].segments))
        self._identical = [
            same
            for indices in self._identical
            for same in _grouped(indices, lambda i: parts[i].segments)
        ]
        for text, part in zip(self._texts, parts, strict=True):
            text.segments += len(part.segments)

    def warnings(self) -> tuple[TextWarning, ...]:
        """Return the warnings about the texts so far, text by text."""
        warnings = [*_of_files(self._texts)]
        for text in self._texts:
            warnings += _of_characters(text)
        warnings += _of_tokens(self._systems)
        warnings += _of_normalization([*self._references, *self._systems])
        warnings += self._of_identity()
        warnings += self._of_findings({warning.text for warning in self._of_identity()})
        # A text with two roles, or equal to two others, would be reported twice.
        unique: dict[tuple[str, str], TextWarning] = {}
        for warning in warnings:
            unique.setdefault((warning.code, warning.text), warning)
        return tuple(unique.values())

    def _of_findings(self, identical: set[str]) -> Iterator[TextWarning]:
        """Yield warnings about lines that do not belong together, debris and copies."""
        for kind, index, other, count, number, first, example in self._inspection.findings():
            text = self._texts[index]
            code, finding = _FINDINGS[kind]
            if code.startswith("copied") and text.label in identical:
                continue
            if code == "copied-reference" and not self._references:
                continue
            message = finding.format(
                other=self._texts[other].label,
                count=_counted(count, "segment", "segments"),
                share=f"{count / max(1, number):.0%}".replace("%", " %"),
                number=abs(number),
                known=f"about {number:,}" if number else "none",
                first=first + 1,
                last=first + count,
                example=repr(shortened(example, 40)),
                unit=example,
                way="down" if number > 0 else "up",
                lines=_counted(abs(number), "line", "lines"),
                change="lost" if number > 0 else "extra",
            )
            segment = None if kind in {"random", "cut"} else first + 1
            yield TextWarning(code, text.label, count, segment, f"{text.label}: {message}")

    def _of_identity(self) -> Iterator[TextWarning]:
        """Yield warnings about outputs and references that equal another text."""
        texts, m, n = self._texts, len(self._references), len(self._systems)
        groups = self._identical or []
        group_of = {index: indices for indices in groups for index in indices}
        for system in range(m, m + n):
            for other in group_of.get(system, ()):
                if not m <= other < m + n:
                    role = "reference" if other < m else "source"
                    yield _identical(texts[system], texts[other], role, is_left_out=other < m)
        for members, role in ((range(m, m + n), "system"), (range(m), "reference")):
            for indices in groups:
                first, *others = [index for index in indices if index in members] or [0]
                for other in others:
                    yield _identical(texts[other], texts[first], role)


def _grouped(indices: Iterable[int], key: Callable[[int], Hashable]) -> list[list[int]]:
    """Group indices by a key, in order; groups of one are left out."""
    groups: dict[Hashable, list[int]] = {}
    for index in indices:
        groups.setdefault(key(index), []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def _three_of(segments: Segments) -> tuple[str | None, ...]:
    return segments[0], segments[len(segments) // 2], segments[len(segments) - 1]


def _of_files(texts: Sequence[_Examined]) -> Iterator[TextWarning]:
    """Yield warnings about whole files, which may hold several texts."""
    for text in {text.path: text for text in texts}.values():
        if text.byte_order_mark:
            message = f"{text.path}: begins with a byte-order mark, which was removed"
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
    """Yield warnings about outputs that look tokenized."""
    for text in texts:
        count, first = text.survey["tokenized"]
        if count < _TOKENIZED or first is None:
            continue
        message = (
            f"{text.label}: {count:,} segments end in a space and a full stop, first segment "
            f"{first + 1}: detokenize the output"
        )
        yield TextWarning("tokenized", text.label, count, first + 1, message)


def _of_normalization(texts: Sequence[_Examined]) -> Iterator[TextWarning]:
    """Yield warnings about segments not in NFC, if other segments of any text are in NFC."""
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


def _identical(
    text: _Examined, other: _Examined, role: str, *, is_left_out: bool = False
) -> TextWarning:
    message = f"{text.label}: identical to the {role} {other.label}; was one file given twice?"
    if is_left_out:
        message += " Commands that compare systems leave it out if two others remain."
    return TextWarning(f"same-as-{role}", text.label, text.segments, None, message)


def _counted(count: int, singular: str, plural: str) -> str:
    return f"{count:,} {singular if count == 1 else plural}"
