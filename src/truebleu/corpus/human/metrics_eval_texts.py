"""The texts and documents of mt-metrics-eval's directory layout."""

from __future__ import annotations

import os
from typing import NamedTuple

from truebleu.corpus.files import Files
from truebleu.corpus.human.places import CANARY
from truebleu.corpus.json_lines import read_records
from truebleu.corpus.labels import parse_docs
from truebleu.corpus.lines import BYTE_ORDER_MARK, decode
from truebleu.errors import EmptyTextError, MalformedFileError, UnpairedSegmentsError

#: What stands for a translation that is not there.
NOT_SUPPLIED = "[No translation supplied]"

Text = tuple[str | None, ...]


class Labels(NamedTuple):
    """Documents and domains of the segments, and whether the first is the canary."""

    documents: tuple[str, ...] | None
    domains: tuple[str, ...] | None
    canary: bool


def read_texts(root: str, pair: str) -> tuple[Text, dict[str, Text], dict[str, Text]]:
    """Source, references by name and outputs by system."""
    path = _existing(os.path.join(root, "sources", pair))
    source = _text(path, "source")
    references = {
        name: _text(file, "target") for name, file in _texts(root, "references", f"{pair}.")
    }
    folder = os.path.join("system-outputs", pair)
    outputs = {name: _text(file, "hypothesis") for name, file in _texts(root, folder, "")}
    if not outputs:
        raise EmptyTextError(os.path.join(root, folder))
    for name, text in (*references.items(), *outputs.items()):
        if len(text) != len(source):
            raise UnpairedSegmentsError(f"{pair} {name}", len(text), path, len(source))
    return source, references, outputs


def read_labels(root: str, pair: str, segments: int) -> Labels | None:
    """The domain and document of each segment; None where there is no file of them."""
    path = os.path.join(root, "documents", f"{pair}.docs")
    if not os.path.exists(path):
        return None
    lines = _lines(path)
    if len(lines) != segments:
        raise UnpairedSegmentsError(path, len(lines), "the source", segments)
    documents, domains = parse_docs(path, lines)
    canary = CANARY in (domains[0].lower(), documents[0].lower())
    return Labels(documents, domains, canary)


def _existing(stem: str) -> str:
    lines = f"{stem}.jsonl"
    return lines if os.path.exists(lines) else f"{stem}.txt"


def _texts(root: str, folder: str, prefix: str) -> list[tuple[str, str]]:
    path = os.path.join(root, folder)
    if not os.path.isdir(path):
        return []
    found = []
    for file in sorted(os.listdir(path)):
        stem, ending = os.path.splitext(file)
        if ending in (".txt", ".jsonl") and stem.startswith(prefix):
            found.append((stem.removeprefix(prefix), os.path.join(path, file)))
    return found


def _text(path: str, key: str) -> Text:
    if path.endswith(".jsonl"):
        values = [record.get(key) for record in read_records(path, Files().contents(path))]
        for number, value in enumerate(values, 1):
            if value is not None and not isinstance(value, str):
                found = f"a value of type {type(value).__name__} in key {key!r}"
                raise MalformedFileError(path, number, found, "text")
        texts = [None if value is None else str(value) for value in values]
    else:
        texts = list(_lines(path))
    # White space at the end of a line is not part of the text in this layout.
    return tuple(
        None if text is None or text.strip() == NOT_SUPPLIED else text.rstrip() for text in texts
    )


def _lines(path: str) -> list[str]:
    text = decode(path, Files().contents(path)).removeprefix(BYTE_ORDER_MARK)
    if not text:
        raise EmptyTextError(path)
    return text.removesuffix("\n").split("\n")
