"""Dependency F: agreement of dependency relations (Riezler & Maxwell, 2005, section 3).

Parses are read from CoNLL-U, given by the caller, or made by spaCy. The native code reads them and
makes a line of text of each relation, so that relations are counted as words are.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from truebleu import _core
from truebleu.corpus._files import COMPRESSED, Files, decode
from truebleu.errors import MissingColumnError, MissingExtraError, SettingError, UnreadableFileError
from truebleu.metrics.base import NativeMetric, Score, Signature
from truebleu.metrics.threads import use_environment
from truebleu.schema import check_fields

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from truebleu._core import Parses, Statistics
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import CoreSettings

__all__ = ["DependencyF", "DependencyScore"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class DependencyF(NativeMetric):
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
    score_type = DependencyScore
    part_names = ("matches", "output relations", "reference relations")
    weight_columns: ClassVar[tuple[int, ...]] = (2,)

    def __post_init__(self) -> None:
        check_fields(self)
        if bool(self.parses) + bool(self.spacy) + (self.given is not None) != 1:
            expected = "a folder of CoNLL-U files, or else spacy=MODEL, and not both"
            raise SettingError("parses", self.parses, expected)

    @classmethod
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

    def core_settings(self) -> CoreSettings:
        """Columns: relations that match, those of the output, and those of the reference."""
        return {"kind": "dependency_f"}

    def count(self, test_set: TestSet) -> Statistics:
        """The statistics of all systems; parses are read anew, and checked against the texts."""
        use_environment()
        named = zip(test_set.reference_names, test_set.references, strict=True)
        references = [Parsed("reference", name, text) for name, text in named]
        systems = [Parsed("system", name, text) for name, text in test_set.systems.items()]
        if self.given is not None and len(self.given.references) != len(references):
            expected = f"{len(references)}, one for each reference"
            raise SettingError("references", f"{len(self.given.references)} parses", expected)
        columns = [
            [self._relations(text, place) for place, text in enumerate(texts)]
            for texts in (references, systems)
        ]
        return self.native().count(columns[1], columns[0])

    def _relations(self, text: Parsed, place: int) -> TextLike:
        """The relations of a text, one per line; its place is that among its kind."""
        if self.spacy:
            parses = _parsed_by_spacy(self.spacy, text)
        elif self.given is not None:
            parses = self.given.parses(text, place)
        else:
            parses = _parses_in_folder(self.parses, text)
        return parses.relations(
            text.text,
            str(text),
            check_text=self.check_text and not self.spacy,
            labelled=self.labelled,
            word=self.word,
            direction=self.direction,
            lowercase=self.lowercase,
            root=self.root,
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
            parser=self.parser or (_spacy_version(self.spacy) if self.spacy else "unstated"),
        )


# Where parses come from: a folder of files, the caller, or spaCy.


ENDING = ".conllu"


class Parsed(NamedTuple):
    """A text of a test set, and what it is there."""

    role: Literal["system", "reference"]
    name: str
    text: TextLike

    def __str__(self) -> str:
        return f"{self.role} {self.name!r}"


def _parses_in_folder(folder: str, text: Parsed) -> Parses:
    """Those in the file that is called as the text is: SYSTEM.conllu, REFERENCE.conllu."""
    path = os.path.join(folder, text.name + ENDING)
    stored = (path + ending for ending in ("", *COMPRESSED))
    existing = next((candidate for candidate in stored if os.path.exists(candidate)), None)
    if existing is None:
        raise UnreadableFileError(path, f"no such file; expected the parses of {text}")
    return read_conllu(existing, Files().contents(existing))


class GivenParses(NamedTuple):
    """Parses from the caller: a path each, or CoNLL-U as text."""

    outputs: tuple[tuple[str, str], ...]
    references: tuple[str, ...]

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
            tuple((name, os.fspath(path)) for name, path in outputs.items()),
            tuple(os.fspath(path) for path in references),
        )

    def parses(self, text: Parsed, place: int) -> Parses:
        """The parses that were given for a text."""
        outputs = dict(self.outputs)
        if text.role == "system" and text.name not in outputs:
            raise MissingColumnError("parses", "system", text.name, list(outputs))
        written = outputs[text.name] if text.role == "system" else self.references[place]
        # A path has no line end in it, and CoNLL-U no line without one.
        if "\n" in written:
            return read_conllu(f"parses of {text}", written.encode("utf-8", "surrogatepass"))
        return read_conllu(written, Files().contents(written))


def read_conllu(label: str, data: bytes) -> Parses:
    """The sentences of a file, of ten fields per word and with blank lines between them."""
    return _core.Parses(label, decode(label, data))


def _spacy_version(model: str) -> str:
    """The model with its version."""
    meta = _pipeline(model).meta
    return f"spacy-{meta['lang']}_{meta['name']}-{meta['version']}"


def _parsed_by_spacy(model: str, text: Parsed) -> Parses:
    """Parses that an installed model of spaCy makes of a text."""
    segments = []
    for document in _pipeline(model).pipe([segment or "" for segment in text.text]):
        if len(document) and not document.has_annotation("DEP"):
            raise SettingError("spacy", model, "a model with a dependency parser")
        segments.append(_spacy_words(document))
    return _core.Parses.of_words(f"{model}: {text}", segments)


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


def _spacy_words(document: Any) -> list[tuple[str, str, int, str]]:
    """A document's tokens but for white space; all its sentences hang on the root."""
    tokens = [token for token in document if not token.is_space]
    numbers = {token.i: number for number, token in enumerate(tokens, 1)}
    # A token that is its own head is a root; one that hangs on white space is taken for one.
    heads = [0 if token.head.i == token.i else numbers.get(token.head.i, 0) for token in tokens]
    # Relations are lines, so that no word may have a line end in it.
    forms = [token.text.replace("\n", " ") for token in tokens]
    lemmas = [(token.lemma_ or "_").replace("\n", " ") for token in tokens]
    relations = [token.dep_ or "_" for token in tokens]
    return list(zip(forms, lemmas, heads, relations, strict=True))
