"""Dependency F: agreement of dependency relations (Riezler & Maxwell, 2005, section 3).

Parses are read from CoNLL-U files, given by the caller, or made by spaCy. The native code writes
each relation as a line of text, so that relations are counted like words.
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
            expected = "a folder of CoNLL-U files, or spacy=MODEL, but not both"
            raise SettingError("parses", self.parses, expected)

    @classmethod
    def of(
        cls,
        outputs: Mapping[str, str | PathLike[str]],
        references: Sequence[str | PathLike[str]],
        **settings: bool | str,
    ) -> DependencyF:
        """Make a metric of parses of outputs by system, and of references in their order.

        A parse is a path, or CoNLL-U text, which has line ends. `settings` are fields of the class.
        """
        return cls(given=GivenParses.of(outputs, references), **settings)  # type: ignore[arg-type]

    @property
    def reads_texts(self) -> bool:
        """True if the metric parses texts by spaCy; given parses belong to given texts."""
        return bool(self.spacy)

    def core_settings(self) -> CoreSettings:
        """Return the settings; columns: matching relations, output and reference relations."""
        return {"kind": "dependency_f"}

    def count(self, test_set: TestSet) -> Statistics:
        """Count all systems, reading the parses and checking them against the texts."""
        use_environment()
        named = zip(test_set.reference_names, test_set.references, strict=True)
        references = [Parsed("reference", name, text) for name, text in named]
        systems = [Parsed("system", name, text) for name, text in test_set.systems.items()]
        if self.given is not None and len(self.given.references) != len(references):
            expected = f"{len(references)}, one for each reference"
            raise SettingError("references", f"{len(self.given.references)} parses", expected)
        columns = [
            [self._relations(text, index) for index, text in enumerate(texts)]
            for texts in (references, systems)
        ]
        return self.native().count(columns[1], columns[0])

    def _relations(self, text: Parsed, index: int) -> TextLike:
        """Return the relations of a text, one per line; `index` is among texts of its role."""
        if self.spacy:
            parses = _parsed_by_spacy(self.spacy, text)
        elif self.given is not None:
            parses = self.given.parses(text, index)
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


# Sources of parses: a folder of files, the caller, or spaCy.


ENDING = ".conllu"


class Parsed(NamedTuple):
    """A text of a test set with its role and name."""

    role: Literal["system", "reference"]
    name: str
    text: TextLike

    def __str__(self) -> str:
        return f"{self.role} {self.name!r}"


def _parses_in_folder(folder: str, text: Parsed) -> Parses:
    """Read the parses of a text from its file, SYSTEM.conllu or REFERENCE.conllu."""
    path = os.path.join(folder, text.name + ENDING)
    stored = (path + ending for ending in ("", *COMPRESSED))
    existing = next((candidate for candidate in stored if os.path.exists(candidate)), None)
    if existing is None:
        raise UnreadableFileError(path, f"no such file; expected the parses of {text}")
    return read_conllu(existing, Files().contents(existing))


class GivenParses(NamedTuple):
    """Parses from the caller: paths, or CoNLL-U as text."""

    outputs: tuple[tuple[str, str], ...]
    references: tuple[str, ...]

    @classmethod
    def of(
        cls,
        outputs: Mapping[str, str | os.PathLike[str]],
        references: Sequence[str | os.PathLike[str]],
    ) -> GivenParses:
        """Create from parses of outputs by system and of references in order.

        Raises SettingError if `references` is a single path.
        """
        if isinstance(references, str | os.PathLike):
            raise SettingError("references", references, "a list of files or texts")
        return cls(
            tuple((name, os.fspath(path)) for name, path in outputs.items()),
            tuple(os.fspath(path) for path in references),
        )

    def parses(self, text: Parsed, index: int) -> Parses:
        """Read the parses of a text; `index` is the index of a reference."""
        outputs = dict(self.outputs)
        if text.role == "system" and text.name not in outputs:
            raise MissingColumnError("parses", "system", text.name, list(outputs))
        given = outputs[text.name] if text.role == "system" else self.references[index]
        # Paths contain no line end, and all CoNLL-U does.
        if "\n" in given:
            return read_conllu(f"parses of {text}", given.encode("utf-8", "surrogatepass"))
        return read_conllu(given, Files().contents(given))


def read_conllu(label: str, data: bytes) -> Parses:
    """Parse CoNLL-U: ten fields per word, and blank lines between sentences."""
    return _core.Parses(label, decode(label, data))


def _spacy_version(model: str) -> str:
    """Return the name of the model with its version."""
    meta = _pipeline(model).meta
    return f"spacy-{meta['lang']}_{meta['name']}-{meta['version']}"


def _parsed_by_spacy(model: str, text: Parsed) -> Parses:
    """Parse a text by an installed model of spaCy."""
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
    """Return form, lemma, head and relation of each token but white space; roots have head 0."""
    tokens = [token for token in document if not token.is_space]
    numbers = {token.i: number for number, token in enumerate(tokens, 1)}
    # A token that is its own head is a root; a token whose head is white space becomes a root.
    heads = [0 if token.head.i == token.i else numbers.get(token.head.i, 0) for token in tokens]
    # Relations are lines of text, so no word may contain a line end.
    forms = [token.text.replace("\n", " ") for token in tokens]
    lemmas = [(token.lemma_ or "_").replace("\n", " ") for token in tokens]
    relations = [token.dep_ or "_" for token in tokens]
    return list(zip(forms, lemmas, heads, relations, strict=True))
