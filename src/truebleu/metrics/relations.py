"""Dependency relations as text, so that they can be counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn

from truebleu.errors import MalformedFileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.conllu import Sentence

# No field of CoNLL-U can hold a tab, so no word can be taken for the root.
ROOT = "\t"


class Relations(NamedTuple):
    """What makes two relations the same; the settings of the metric say what each means."""

    labelled: bool
    word: str
    direction: bool
    lowercase: bool
    root: bool


class ParsedText(NamedTuple):
    """The sentences of each segment; None where the segment is absent."""

    label: str
    segments: Sequence[Sequence[Sentence] | None]


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
