"""Texts that name their documents and segments, as SGML and WMT XML files hold them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from truebleu._core import Segments
from truebleu.corpus.texts import Layout, NamedText
from truebleu.errors import EmptyTextError, MalformedFileError, MissingColumnError

if TYPE_CHECKING:
    from truebleu.corpus.texts import Key, Role

_LINE_BREAK = re.compile(r"[\r\n]+")

_WHO = {"system": "system", "reference": "translator", "source": "source"}


class Markup:
    """The texts of one file, each a translation of the same segments."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.byte_order_mark = False
        self._texts: dict[tuple[Role, str], dict[Key, str]] = {}
        self._domains: dict[str, str] = {}
        # A dict because it keeps the order in which the file first names its segments.
        self._keys: dict[Key, None] = {}

    def add(self, role: Role, name: str, key: Key, text: str, line: int | None = None) -> None:
        """Adds one segment of one text."""
        segments = self._texts.setdefault((role, name), {})
        if key in segments:
            document, segment = key
            found = f"segment {segment!r} of document {document!r} twice by {_WHO[role]} {name!r}"
            raise MalformedFileError(self.path, line, found, "it once")
        segments[key] = _LINE_BREAK.sub(" ", text.strip(" \t\r\n\v\f"))
        self._keys.setdefault(key)

    def set_domain(self, document: str, domain: str | None) -> None:
        """Says what domain a document is from, if that is known."""
        if domain is not None:
            self._domains[document] = domain

    def select(self, role: Role, name: str | None) -> list[NamedText]:
        """The text of that name in whatever role, or all texts of the role."""
        if not self._texts:
            raise EmptyTextError(self.path)
        if name is None:
            found = [key for key in self._texts if key[0] == role]
        else:
            # A reference may be scored like a system, so its role in the file does not matter.
            named = [key for key in self._texts if key[1] == name]
            found = [key for key in named if key[0] == role] or named
        if not found:
            self._refuse(role, name)
        return [self._text(*key, chosen=name is not None) for key in found]

    def _refuse(self, role: Role, name: str | None) -> NoReturn:
        known = [name for _, name in self._texts]
        if name is not None:
            raise MissingColumnError(self.path, _WHO[role], name, known)
        expected = f"a {role}; to use one of the others, write {self.path}#{known[0]}"
        raise MalformedFileError(self.path, None, f"only {', '.join(known)}", expected)

    def _text(self, role: Role, name: str, *, chosen: bool) -> NamedText:
        segments = self._texts[role, name]
        missing = next((key for key in self._keys if key not in segments), None)
        if missing is not None:
            document, segment = missing
            found = f"no segment {segment!r} of document {document!r} by {_WHO[role]} {name!r}"
            raise MalformedFileError(self.path, None, found, "every segment of every document")
        alone = sum(other == role for other, _ in self._texts) == 1 and not chosen
        return NamedText(
            label=self.path if alone else f"{self.path}#{name}",
            path=self.path,
            name=name,
            segments=Segments([segments[key] for key in self._keys]),
            layout=self._layout(),
            byte_order_mark=self.byte_order_mark,
        )

    def _layout(self) -> Layout:
        documents = tuple(document for document, _ in self._keys)
        # Labels must cover every segment: domains of some documents only are of no use.
        complete = all(document in self._domains for document in documents)
        domains = tuple(self._domains[document] for document in documents) if complete else None
        return Layout(documents=documents, domains=domains, keys=tuple(self._keys))
