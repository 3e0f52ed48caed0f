"""Dependency F: agreement of dependency relations (Riezler & Maxwell, 2005, section 3).

Parses are read from CoNLL-U, given by the caller, or made by spaCy. A relation becomes a line of
text, so that relations can be counted as words are.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, NoReturn, Protocol, get_args

from truebleu import _core
from truebleu._settings import checked, require_name
from truebleu.corpus._files import BYTE_ORDER_MARK, COMPRESSED, Files, decode
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    MissingExtraError,
    SettingError,
    UnpairedSegmentsError,
    UnreadableFileError,
    shortened,
)
from truebleu.metrics.base import Metric, Score, Signature, ratio, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import Statistics
    from truebleu.corpus.test_set import TestSet, TextLike
    from truebleu.metrics.base import Formula

Word = Literal["form", "lemma"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DependencyScore(Score):
    """Dependency F of one text, with precision and recall in [0, 100]."""

    precision: float
    recall: float
    matched: int
    output_relations: int
    reference_relations: int

    def __str__(self) -> str:
        return (
            f"{self.name} = {self.score:.2f} (P = {self.precision:.1f} R = {self.recall:.1f} "
            f"output = {self.output_relations} reference = {self.reference_relations})"
        )


@checked
@dataclass(frozen=True, slots=True, kw_only=True)
class DependencyF(Metric):
    r"""F-score of dependency relations; see docs/reference/metrics/depf.md.

    >>> cats = "1 cats _ _ _ _ 2 nsubj _ _\n2 sleep _ _ _ _ 0 root _ _\n".replace(" ", "\t")
    >>> dogs = "1 dogs _ _ _ _ 2 nsubj _ _\n2 sleep _ _ _ _ 0 root _ _\n".replace(" ", "\t")
    >>> metric = DependencyF.of({"system": cats}, [dogs])
    >>> print(metric.corpus(["cats sleep"], ["dogs sleep"]))
    depF = 50.00 (P = 50.0 R = 50.0 output = 2 reference = 2)
    """

    parses: str = ""
    spacy: str = ""
    labelled: bool = True
    word: Word = "form"
    direction: bool = True
    lowercase: bool = False
    root: bool = True
    check_text: bool = True
    parser: str = ""
    given: GivenParses | None = field(default=None, repr=False, metadata={"text": False})

    name: ClassVar[str] = "depF"

    def __post_init__(self) -> None:
        require_name("word", self.word, get_args(Word))
        if bool(self.parses) + bool(self.spacy) + (self.given is not None) != 1:
            expected = "a folder of CoNLL-U files, or else spacy=MODEL, and not both"
            raise SettingError("parses", self.parses, expected)

    @classmethod
    @checked
    def of(
        cls,
        outputs: Mapping[str, str | PathLike[str]],
        references: Sequence[str | PathLike[str]],
        **settings: bool | str,
    ) -> DependencyF:
        """A metric of these parses: the outputs' by system, the references' in their order.

        Each is a path, or CoNLL-U itself, which has line ends. Settings are those of the class.
        """
        return cls(given=GivenParses.of(outputs, references), **settings)  # type: ignore[arg-type]

    @property
    def reads_texts(self) -> bool:
        """Only where it parses them itself: parses that were given are of given outputs."""
        return bool(self.spacy)

    @checked
    def column_parts(self, width: int) -> tuple[str, ...]:  # noqa: ARG002
        """Matches, and the relations of output and reference that they are divided by."""
        return ("matches", "output relations", "reference relations")

    @checked
    def count(self, test_set: TestSet) -> Statistics:
        """Columns: relations that match, those of the output, and those of the reference."""
        import numpy as np

        kind = Relations(self.labelled, self.word, self.direction, self.lowercase, self.root)
        source = self._source()
        texts = [
            relations_of(source.reference(test_set, index), kind)
            for index in range(len(test_set.references))
        ]
        references = [
            [Counter(relations) for relations in row if relations is not None]
            for row in zip(*texts, strict=True)
        ]
        rows = np.empty((len(test_set), len(test_set.systems), 3))
        for index, system in enumerate(test_set.systems):
            outputs = relations_of(source.output(test_set, system), kind)
            for segment, output in enumerate(outputs):
                rows[segment, index] = _best_row(output or [], references[segment])
        return _core.Statistics(rows)

    @checked
    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """F in [0, 100] of summed rows, over any leading axes; 0 where there are no relations."""
        import numpy as np

        rows, shape = rows_of(sums, 3)
        # The harmonic mean of matched / output and matched / reference.
        relations = rows[:, 1] + rows[:, 2]
        return (200 * rows[:, 0] / np.where(relations > 0, relations, 1)).reshape(shape)

    def formula(self) -> Formula:
        """Twice the matches over the relations of both."""
        return ratio([0], [1, 2], scale=200.0)

    @checked
    def describe(self, sums: Sequence[float], references: int | None) -> DependencyScore:
        """F of one row of sums, with precision, recall and counts."""
        matched, output, reference = sums
        return DependencyScore(
            score=_percent(2 * matched, output + reference),
            signature=self.signature.with_references(references),
            precision=_percent(matched, output),
            recall=_percent(matched, reference),
            matched=int(matched),
            output_relations=int(output),
            reference_relations=int(reference),
        )

    @property
    def signature(self) -> Signature:
        """Case, labels, words, direction, root, and the parser."""
        return Signature.of(
            self.name,
            case="lc" if self.lowercase else "mixed",
            labels=self.labelled,
            word=self.word,
            dir=self.direction,
            root=self.root,
            parser=self.parser or self._source().parser,
        )

    def _source(self) -> ParseSource:
        if self.given is not None:
            return self.given if self.check_text else self.given.unchecked()
        if self.spacy:
            return ParsesOfSpacy(self.spacy)
        return ParsesInFolder(self.parses, self.check_text)


def _best_row(output: Sequence[str], references: Sequence[Counter[str]]) -> tuple[int, int, int]:
    """The row against the reference with the best F; of equals, that with fewest relations."""
    own = Counter(output)
    best, row = (-1.0, 0), (0, 0, 0)
    for reference in references:
        # Clipped: a relation matches as often as both sides have it.
        both = own.keys() & reference.keys()
        matched = sum([min(own[relation], reference[relation]) for relation in both])
        total = reference.total()
        rank = (_percent(2 * matched, len(output) + total), -total)
        if rank > best:
            best, row = rank, (matched, len(output), total)
    return row


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


# Relations.


# No field of CoNLL-U can hold a tab, so no word can be taken for the root.
ROOT = "\t"


class Relations(NamedTuple):
    """What makes two relations the same; the settings of the metric say what each means."""

    labelled: bool
    word: str
    direction: bool
    lowercase: bool
    root: bool


def relations_of(text: ParsedText, kind: Relations) -> list[list[str] | None]:
    """The relations of each segment, repeated ones included; None where it is absent."""
    return [
        None
        if sentences is None
        else [
            relation
            for sentence in sentences
            for relation in _sentence_relations(text.label, sentence, kind)
        ]
        for sentences in text.segments
    ]


def _sentence_relations(label: str, sentence: Sentence, kind: Relations) -> list[str]:
    words: Sequence[str] = sentence.forms
    if kind.word == "lemma":
        words = _lemmas(label, sentence)
    if kind.lowercase:
        words = [word.lower() for word in words]
    labels: Sequence[str] = sentence.labels
    if not kind.labelled:
        labels = [""] * len(words)
    elif "_" in labels:
        _refuse(label, sentence, labels.index("_"), "relation", "labelled=no counts them without")
    with_root = (ROOT, *words)
    heads = [with_root[head] for head in sentence.heads]
    relations = list(zip(labels, heads, words, strict=True))
    if not kind.root:
        relations = [relation for relation in relations if relation[1] is not ROOT]
    if not kind.direction:
        relations = [(name, min(a, b), max(a, b)) for name, a, b in relations]
    return ["\t".join(relation) for relation in relations]


def _lemmas(label: str, sentence: Sentence) -> Sequence[str]:
    for place, (lemma, form) in enumerate(zip(sentence.lemmas, sentence.forms, strict=True)):
        # An underscore stands for nothing, unless the word is one.
        if lemma == "_" and form != "_":
            _refuse(label, sentence, place, "lemma", "word=form compares the words themselves")
    return sentence.lemmas


def _refuse(label: str, sentence: Sentence, place: int, thing: str, hint: str) -> NoReturn:
    line = sentence.lines[place] if sentence.lines else None
    word = sentence.forms[place]
    raise MalformedFileError(label, line, f"no {thing} of {word!r}", f"one; {hint}")


# Where parses come from: a folder of files, the caller, or spaCy.


ENDING = ".conllu"
UNSTATED = "unstated"


class ParsedText(NamedTuple):
    """The sentences of each segment; None where the segment is absent."""

    label: str
    segments: Sequence[Sequence[Sentence] | None]


class ParseSource(Protocol):
    """Gives the parses of the texts of a test set."""

    @property
    def parser(self) -> str:
        """What parsed them."""

    def output(self, test_set: TestSet, system: str) -> ParsedText:
        """The parses of a system's outputs."""

    def reference(self, test_set: TestSet, index: int) -> ParsedText:
        """The parses of the reference at an index."""


class ParsesInFolder(NamedTuple):
    """A file for each text, called as the text is: SYSTEM.conllu, REFERENCE.conllu."""

    folder: str
    check_text: bool = True
    parser: str = UNSTATED

    def output(self, test_set: TestSet, system: str) -> ParsedText:
        """The parses in the file of a system."""
        parses = self._read(system, f"system {system!r}")
        return _parsed(parses, test_set.systems[system], f"system {system!r}", self.check_text)

    def reference(self, test_set: TestSet, index: int) -> ParsedText:
        """The parses in the file of a reference."""
        name = f"reference {test_set.reference_names[index]!r}"
        parses = self._read(test_set.reference_names[index], name)
        return _parsed(parses, test_set.references[index], name, self.check_text)

    def _read(self, stem: str, name: str) -> Parses:
        path = os.path.join(self.folder, stem + ENDING)
        stored = (path + ending for ending in ("", *COMPRESSED))
        existing = next((candidate for candidate in stored if os.path.exists(candidate)), None)
        if existing is None:
            raise UnreadableFileError(path, f"no such file, expected the parses of {name}")
        return read_conllu(existing, Files().contents(existing))


class GivenParses(NamedTuple):
    """Parses from the caller: a path each, or CoNLL-U as text."""

    outputs: tuple[tuple[str, str], ...]
    references: tuple[str, ...]
    check_text: bool = True
    parser: str = UNSTATED

    @classmethod
    def of(
        cls,
        outputs: Mapping[str, str | os.PathLike[str]],
        references: Sequence[str | os.PathLike[str]],
    ) -> GivenParses:
        """Parses of outputs by system, and of references in their order."""
        if isinstance(references, str | os.PathLike):
            raise SettingError("references", references, "a list of files or texts")
        return cls(
            tuple((name, os.fspath(given)) for name, given in outputs.items()),
            tuple(os.fspath(given) for given in references),
        )

    def unchecked(self) -> GivenParses:
        """The same, not compared with the words of the texts."""
        return self._replace(check_text=False)

    def output(self, test_set: TestSet, system: str) -> ParsedText:
        """The parses that were given for a system."""
        given = dict(self.outputs)
        if system not in given:
            raise MissingColumnError("parses", "system", system, list(given))
        name = f"system {system!r}"
        return _parsed(_read(given[system], name), test_set.systems[system], name, self.check_text)

    def reference(self, test_set: TestSet, index: int) -> ParsedText:
        """The parses that were given for a reference."""
        if len(self.references) != len(test_set.references):
            expected = f"{len(test_set.references)}, one for each reference"
            raise SettingError("references", f"{len(self.references)} parses", expected)
        name = f"reference {test_set.reference_names[index]!r}"
        parses = _read(self.references[index], name)
        return _parsed(parses, test_set.references[index], name, self.check_text)


class ParsesOfSpacy(NamedTuple):
    """Parses that an installed model of spaCy makes of the texts."""

    model: str

    @property
    def parser(self) -> str:
        """The model with its version."""
        meta = _pipeline(self.model).meta
        return f"spacy-{meta['lang']}_{meta['name']}-{meta['version']}"

    def output(self, test_set: TestSet, system: str) -> ParsedText:
        """The parses of a system's outputs."""
        return self._parse(test_set.systems[system], f"system {system!r}")

    def reference(self, test_set: TestSet, index: int) -> ParsedText:
        """The parses of a reference."""
        name = f"reference {test_set.reference_names[index]!r}"
        return self._parse(test_set.references[index], name)

    def _parse(self, text: TextLike, name: str) -> ParsedText:
        documents: Iterator[Any] = _pipeline(self.model).pipe([segment or "" for segment in text])
        segments = []
        for segment, document in zip(text, documents, strict=True):
            if len(document) and not document.has_annotation("DEP"):
                raise SettingError("spacy", self.model, "a model with a dependency parser")
            segments.append(None if segment is None else [_spacy_sentence(document)])
        return ParsedText(f"{self.model}: {name}", segments)


def _read(given: str, name: str) -> Parses:
    # A path has no line end in it, and CoNLL-U no line without one.
    if "\n" in given:
        return read_conllu(f"parses of {name}", given.encode("utf-8", "surrogatepass"))
    return read_conllu(given, Files().contents(given))


def _parsed(parses: Parses, text: TextLike, name: str, check_text: bool) -> ParsedText:
    sentences = parses.by_segment(len(text), name)
    if check_text:
        check_words(parses, sentences, text, name)
    absent = (segment is None for segment in text)
    segments = [None if gone else parsed for gone, parsed in zip(absent, sentences, strict=True)]
    return ParsedText(parses.label, segments)


@lru_cache(maxsize=2)
def _pipeline(model: str) -> Any:
    try:
        import spacy
    except ImportError:
        raise MissingExtraError("parsing with spaCy", "spacy") from None
    try:
        return spacy.load(model)
    except OSError as error:
        expected = f"an installed model; try: python -m spacy download {model}"
        raise SettingError("spacy", model, expected) from error


def _spacy_sentence(document: Any) -> Sentence:
    """A document's tokens but for white space; all its sentences hang on the root."""
    tokens = [token for token in document if not token.is_space]
    numbers = {token.i: number for number, token in enumerate(tokens, 1)}
    # A token that is its own head is a root; one that hangs on white space is taken for one.
    heads = [0 if token.head.i == token.i else numbers.get(token.head.i, 0) for token in tokens]
    return Sentence(
        forms=[token.text for token in tokens],
        lemmas=[token.lemma_ or "_" for token in tokens],
        heads=heads,
        labels=[token.dep_ or "_" for token in tokens],
        surface="",
        lines=(),
        first_line=1,
    )


# CoNLL-U: sentences, and the segments of a text that they belong to.


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
