"""Where dependency parses come from: a folder of files, the caller, or spaCy."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from truebleu.corpus.conllu import Parses, Sentence, check_words, read_conllu
from truebleu.corpus.files import Files
from truebleu.corpus.locations import COMPRESSED
from truebleu.errors import (
    MissingColumnError,
    MissingExtraError,
    SettingError,
    UnreadableFileError,
)
from truebleu.metrics.relations import ParsedText

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.corpus import TestSet, TextLike

ENDING = ".conllu"
UNSTATED = "unstated"


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
        found = next((candidate for candidate in stored if os.path.exists(candidate)), None)
        if found is None:
            raise UnreadableFileError(path, f"no such file, expected the parses of {name}")
        return read_conllu(found, Files().contents(found))


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
    segments = [None if gone else found for gone, found in zip(absent, sentences, strict=True)]
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
