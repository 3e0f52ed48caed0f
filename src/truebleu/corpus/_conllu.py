"""Dependency parses in CoNLL-U, and which segments of a text they belong to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from truebleu.corpus._files import BYTE_ORDER_MARK, decode
from truebleu.errors import EmptyTextError, MalformedFileError, UnpairedSegmentsError, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.corpus.test_set import TextLike

FIELDS = 10
_SEGMENT = re.compile(r"#\s*seg(?:ment)?\s*=(.*)")
# Of more digits, Python makes no numbers.
DIGITS = 18
_RANGE = re.compile(r"([1-9][0-9]{,17})-([1-9][0-9]{,17})")
_EMPTY_NODE = re.compile(r"[0-9]+\.[1-9][0-9]*")
# The numbers of words as they are written, long enough for almost any sentence.
_NUMBERS = tuple(map(str, range(1, 1000)))
_HEADS = {str(number): number for number in range(1000)}


class Sentence(NamedTuple):
    """A parsed sentence: its words, each with its head (from 1; 0 is the root) and relation.

    Attributes:
        surface: The words as they stand in the text, a contraction as one; white space is left out.
        lines: The line of each word in the file.
        segment: The segment, from 1, where the file says so.
    """

    forms: Sequence[str]
    lemmas: Sequence[str]
    heads: Sequence[int]
    labels: Sequence[str]
    surface: str
    lines: Sequence[int]
    first_line: int
    segment: int | None = None


class Parses:
    """The sentences of a file."""

    def __init__(self, label: str, sentences: Sequence[Sentence]) -> None:
        self.label = label
        self.sentences = sentences

    def by_segment(self, segments: int, text: str) -> list[list[Sentence]]:
        """The sentences of each segment of a text.

        Where a comment names the segment of the first sentence, every sentence must have one, and
        segments may have several sentences or none. Otherwise each segment has one, in order.
        """
        if self.sentences[0].segment is not None:
            return self._by_number(segments, text)
        if len(self.sentences) != segments:
            raise UnpairedSegmentsError(self.label, len(self.sentences), text, segments)
        for sentence in self.sentences:
            if sentence.segment is not None:
                self._refuse(sentence, f"segment {sentence.segment}", "no number, as above")
        return [[sentence] for sentence in self.sentences]

    def _by_number(self, segments: int, text: str) -> list[list[Sentence]]:
        by_segment: list[list[Sentence]] = [[] for _ in range(segments)]
        for sentence in self.sentences:
            if sentence.segment is None:
                self._refuse(sentence, "a sentence without segment", "'# segment = …' above it")
            if sentence.segment > segments:
                expected = f"at most {segments}, as {text} has"
                self._refuse(sentence, f"segment {sentence.segment}", expected)
            by_segment[sentence.segment - 1].append(sentence)
        return by_segment

    def _refuse(self, sentence: Sentence, found: str, expected: str) -> NoReturn:
        raise MalformedFileError(self.label, sentence.first_line, found, expected)


def read_conllu(label: str, data: bytes) -> Parses:
    """Sentences of ten fields per word, with blank lines between them.

    Lines of contractions (1-2) give the text only, and empty nodes (1.1) are left out. Comments
    alone are the parse of an empty segment.
    """
    text = decode(label, data).removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n").rstrip("\n")
    if not text:
        raise EmptyTextError(label)
    sentences, line = [], 1
    for block in text.split("\n\n"):
        if not block or block.startswith("\n"):
            expected = "a sentence; write that of an empty segment as a comment"
            raise MalformedFileError(label, line, "a second blank line", expected)
        lines = block.split("\n")
        sentences.append(_Block(label, line, lines).sentence())
        line += len(lines) + 1
    return Parses(label, sentences)


def check_words(
    parses: Parses, sentences: Sequence[Sequence[Sentence]], text: TextLike, name: str
) -> None:
    """Raises MalformedFileError where a segment is not made of the words of its parse.

    White space does not count, and a segment that is absent has no words to compare.
    """
    for number, (segment, parsed) in enumerate(zip(text, sentences, strict=True), 1):
        if segment is None:
            continue
        wanted = "".join(segment.split())
        words = "".join([sentence.surface for sentence in parsed])
        if words != wanted:
            line = parsed[0].first_line if parsed else None
            start = _first_difference(words, wanted)
            raise MalformedFileError(
                parses.label,
                line,
                f"words that are not those of segment {number} of {name}: {_part(words, start)}",
                f"{_part(wanted, start)}; check_text=no takes them as they are",
            )


class _Block:
    """The lines of one sentence."""

    def __init__(self, label: str, line: int, lines: list[str]) -> None:
        self.label = label
        self.line = line
        self.lines = lines

    def sentence(self) -> Sentence:
        segment, comments = None, 0
        for line in self.lines:
            if not line.startswith("#"):
                break
            if (match := _SEGMENT.match(line)) is not None:
                segment = self._segment(comments, match[1].strip())
            comments += 1
        rows = [line.split("\t") for line in self.lines[comments:]]
        if not rows:
            return Sentence((), (), (), (), "", (), self.line, segment)
        for offset, row in enumerate(rows, comments):
            if len(row) != FIELDS:
                found = "1 field" if len(row) == 1 else f"{len(row)} fields"
                self._refuse(offset, found, f"{FIELDS}, with tabs between them")
        return self._words(rows, comments, segment)

    def _words(self, rows: list[list[str]], first: int, segment: int | None) -> Sentence:
        lines: Sequence[int] = range(self.line + first, self.line + first + len(rows))
        ids, forms, lemmas, _, _, _, heads, labels, _, _ = zip(*rows, strict=True)
        surface = forms
        if ids != _NUMBERS[: len(ids)]:
            surface = tuple(self._surface(rows, first))
            kept = [index for index, row in enumerate(rows) if row[0].isdecimal()]
            lines = [lines[index] for index in kept]
            if not kept:
                self._refuse(first, "no words", "at least one")
            columns = zip(*(rows[index] for index in kept), strict=True)
            ids, forms, lemmas, _, _, _, heads, labels, _, _ = columns
        numbers = self._heads(heads, lines)
        text = "".join("".join(surface).split())
        return Sentence(forms, lemmas, numbers, labels, text, lines, self.line, segment)

    def _heads(self, heads: Sequence[str], lines: Sequence[int]) -> list[int]:
        count = len(heads)
        numbers = []
        for place, head in enumerate(heads, 1):
            number = _HEADS.get(head)
            if number is None and head.isdecimal() and len(head) <= DIGITS:
                number = int(head)
            if number is None or number > count or number == place:
                expected = f"another word's number up to {count}, or 0 for the root"
                line = lines[place - 1]
                raise MalformedFileError(
                    self.label, line, f"the head {shortened(head)!r}", expected
                )
            numbers.append(number)
        return numbers

    def _surface(self, rows: list[list[str]], first: int) -> Iterator[str]:
        """The words as they stand in the text; raises unless they are counted from 1."""
        expected, covered = 1, 0
        for offset, row in enumerate(rows, first):
            number, form = row[0], row[1]
            if number == str(expected):
                if expected > covered:
                    yield form
                expected += 1
            elif (span := _RANGE.fullmatch(number)) is not None:
                start, end = int(span[1]), int(span[2])
                if start != expected or end < start or start <= covered:
                    self._refuse(offset, f"the words {number}", f"words from {expected} on")
                covered = end
                yield form
            elif _EMPTY_NODE.fullmatch(number) is None:
                self._refuse(offset, f"the word number {shortened(number)!r}", str(expected))
        if covered >= expected:
            self._refuse(len(rows) + first - 1, f"words up to {expected - 1}", f"{covered} of them")

    def _segment(self, offset: int, text: str) -> int:
        if not text.isdecimal() or len(text) > DIGITS or int(text) == 0:
            self._refuse(offset, f"the segment {shortened(text)!r}", "a number from 1 up")
        return int(text)

    def _refuse(self, offset: int, found: str, expected: str) -> NoReturn:
        raise MalformedFileError(self.label, self.line + offset, found, expected)


def _first_difference(left: str, right: str) -> int:
    pairs = zip(left, right, strict=False)
    shorter = min(len(left), len(right))
    return next((index for index, (a, b) in enumerate(pairs) if a != b), shorter)


def _part(text: str, start: int) -> str:
    """A little of the text around a place."""
    return repr(text[max(0, start - 10) : start + 20])
