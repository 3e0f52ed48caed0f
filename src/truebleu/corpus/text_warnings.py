"""What is suspicious about texts: what changes scores silently, as warnings people can read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from truebleu import _core

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.corpus._files import NamedText

__all__ = ["TextWarning", "examine"]

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

    def to_dict(self) -> dict[str, object]:
        """The warning for JSON."""
        return {
            "code": self.code,
            "text": self.text,
            "count": self.count,
            "segment": self.segment,
            "message": self.message,
        }


# Code, key of the survey, one of them, several of them, what it means.
_KINDS = (
    ("tabs", "tabs", "tab", "tabs", "was a table read as plain lines?"),
    (
        "carriage-returns",
        "carriage_returns",
        "carriage return inside a segment",
        "carriage returns inside segments",
        "they count as white space, not as line ends",
    ),
    (
        "line-breaks",
        "line_breaks",
        "line break inside a segment",
        "line breaks inside segments",
        "characters like U+2028 end a line for some tools, which then misalign; not here",
    ),
    (
        "zero-width",
        "zero_width",
        "zero-width character",
        "zero-width characters",
        "they are not seen, and keep words from matching",
    ),
    ("blank", "blank", "blank segment", "blank segments", "each matches nothing"),
)

_MOSTLY_EMPTY = 0.5
# sacreBLEU's rule: so many segments that end in a space and a full stop.
_TOKENIZED = 100


def examine(
    references: Sequence[NamedText], systems: Sequence[NamedText], source: NamedText | None
) -> tuple[TextWarning, ...]:
    """Everything suspicious about texts that pair segment by segment, text by text."""
    sources = [] if source is None else [source]
    texts = [*references, *systems, *sources]
    surveys = [_core.survey(text.segments) for text in texts]
    warnings = [*_of_files(texts)]
    for text, survey in zip(texts, surveys, strict=True):
        warnings += _of_characters(text, survey)
    translations = [*references, *systems]
    warnings += _of_tokens(systems, surveys[len(references) :])
    warnings += _of_normalization(translations, surveys[: len(translations)])
    warnings += _of_identity(references, systems, source)
    warnings += _of_order(references[0], [*references[1:], *systems])
    # A text in two roles, or like two others, would be reported twice.
    unique: dict[tuple[str, str], TextWarning] = {}
    for warning in warnings:
        unique.setdefault((warning.code, warning.text), warning)
    return tuple(unique.values())


def _of_files(texts: Sequence[NamedText]) -> Iterator[TextWarning]:
    """What is about whole files, each of which may hold several texts."""
    for text in {text.path: text for text in texts}.values():
        if text.byte_order_mark:
            message = f"{text.path}: began with a byte-order mark, which was removed"
            yield TextWarning("byte-order-mark", text.path, 1, 1, message)
        if text.carriage_returns:
            ended = _counted(text.carriage_returns, "line ended", "lines ended")
            message = f"{text.path}: {ended} in CR LF; the CR was dropped"
            yield TextWarning("crlf", text.path, text.carriage_returns, None, message)


def _of_characters(text: NamedText, survey: Survey) -> Iterator[TextWarning]:
    for code, kind, singular, plural, meaning in _KINDS:
        count, first = survey[kind]
        if first is None:
            continue
        if code == "blank" and count >= _MOSTLY_EMPTY * len(text.segments):
            code, meaning = (
                "mostly-empty",
                f"of {len(text.segments):,} in all: is it the right file?",
            )
        message = (
            f"{text.label}: {_counted(count, singular, plural)}, "
            f"first in segment {first + 1}; {meaning}"
        )
        yield TextWarning(code, text.label, count, first + 1, message)


def _of_tokens(texts: Sequence[NamedText], surveys: Sequence[Survey]) -> Iterator[TextWarning]:
    """Outputs that look tokenized; `surveys` may be longer."""
    for text, survey in zip(texts, surveys, strict=False):
        count, first = survey["tokenized"]
        if count < _TOKENIZED or first is None:
            continue
        message = (
            f"{text.label}: {count:,} segments end in a space and a full stop, first segment "
            f"{first + 1}; scores of tokenized text do not compare with others: detokenize it"
        )
        yield TextWarning("tokenized", text.label, count, first + 1, message)


def _of_normalization(
    texts: Sequence[NamedText], surveys: Sequence[Survey]
) -> Iterator[TextWarning]:
    """Texts with segments not in NFC, where others are or the text itself is in part."""
    decomposed = [survey["decomposed"][0] for survey in surveys]
    if not any(decomposed):
        return
    composed = [_core.count_composed(text.segments) for text in texts]
    in_nfc = [nfc > nfd for nfc, nfd in zip(composed, decomposed, strict=True)]
    for i, text in enumerate(texts):
        first = surveys[i]["decomposed"][1]
        if first is None or not (composed[i] or any(in_nfc)):
            continue
        count = _counted(decomposed[i], "segment is", "segments are")
        message = (
            f"{text.label}: {count} not in Unicode form NFC, first segment {first + 1}, but others "
            "are; the same letters in two forms do not match"
        )
        yield TextWarning("normalization", text.label, decomposed[i], first + 1, message)


def _of_identity(
    references: Sequence[NamedText], systems: Sequence[NamedText], source: NamedText | None
) -> Iterator[TextWarning]:
    for system in systems:
        for other, what in [*((r, "reference") for r in references), (source, "source")]:
            if other is not None and system.segments == other.segments:
                yield _identical(system, other, f"same-as-{what}", f"the {what}")
    for first, second in combinations(systems, 2):
        if first.segments == second.segments:
            yield _identical(second, first, "same-as-system", "the system")
    for first, second in combinations(references, 2):
        if first.segments == second.segments:
            yield _identical(second, first, "same-as-reference", "the reference")


def _identical(text: NamedText, other: NamedText, code: str, what: str) -> TextWarning:
    message = f"{text.label}: identical to {what} {other.label}; was one file given twice?"
    return TextWarning(code, text.label, len(text.segments), None, message)


def _of_order(reference: NamedText, texts: Sequence[NamedText]) -> Iterator[TextWarning]:
    """Texts of which a part fits the reference better one or two segments further on."""
    shifts = _core.shifts([text.segments for text in texts], reference.segments)
    for text, shift in zip(texts, shifts, strict=True):
        if shift is None:
            continue
        start, end, by = shift
        what = "lost" if by > 0 else "extra"
        message = (
            f"{text.label}: segments {start + 1} to {end} fit {reference.label} better moved "
            f"{'down' if by > 0 else 'up'} by {abs(by)}; {_counted(abs(by), 'line', 'lines')} "
            f"{what} at segment {start + 1}?"
        )
        yield TextWarning("shifted", text.label, end - start, start + 1, message)


def _counted(count: int, singular: str, plural: str) -> str:
    return f"{count:,} {singular if count == 1 else plural}"
