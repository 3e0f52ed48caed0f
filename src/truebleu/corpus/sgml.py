"""SGML as NIST's mteval reads it: srcset, refset and tstset of documents of segments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from truebleu.corpus import locations
from truebleu.corpus.lines import BYTE_ORDER_MARK, decode
from truebleu.corpus.markup import Markup
from truebleu.errors import MalformedFileError

if TYPE_CHECKING:
    from truebleu.corpus.texts import Role

_ROLES: dict[str, Role] = {"srcset": "source", "refset": "reference", "tstset": "system"}

# Only these tags are looked at; whatever else stands between them (<p>, <hl>, <poster>) is skipped.
_TAG = re.compile(
    r"""<!--.*?-->|<(?P<end>/?)(?P<tag>srcset|refset|tstset|doc|seg)\b"""
    r"""(?P<attributes>(?:[^>"']|"[^"]*"|'[^']*')*)>""",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_SEGMENT_END = re.compile(r"</seg\s*>", re.IGNORECASE)
_SEGMENT_START = re.compile(r"<seg\b[^>]*>|</doc\s*>", re.IGNORECASE)
_ENTITY = re.compile(r"&(lt|gt|amp|quot|apos);")
# What an XML parser would resolve besides; mteval leaves it as it is in SGML.
_XML_PIECE = re.compile(
    r"<!--.*?-->|<!\[CDATA\[(?P<raw>.*?)\]\]>|"
    r"&#(?:x(?P<hex>[0-9a-fA-F]{1,6})|(?P<decimal>[0-9]{1,7}));|" + _ENTITY.pattern,
    re.DOTALL,
)
_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


def read_sgml(path: str, data: bytes, *, xml: bool = False) -> Markup:
    """The texts of an SGML file; tags in any case, attributes with or without quotes.

    With `xml`, segments are text as in XML, where characters may be written as numbers.
    """
    text = decode(path, data)
    markup = _Parser(path, text.removeprefix(BYTE_ORDER_MARK), xml=xml).parse()
    markup.byte_order_mark = text.startswith(BYTE_ORDER_MARK)
    return markup


class _Parser:
    """Walks over the tags of one file and keeps what is open: a set, a document in it."""

    def __init__(self, path: str, text: str, *, xml: bool) -> None:
        self.path = path
        self.text = text
        self.resolved = _resolved_xml if xml else _resolved
        self.markup = Markup(path)
        self.kind: str | None = None
        self.inherited: dict[str, str] = {}
        self.document: str | None = None
        self.name = ""
        self.documents = 0
        self.segments = 0
        self.counted = (0, 1)

    def parse(self) -> Markup:
        position = 0
        while (tag := _TAG.search(self.text, position)) is not None:
            position = tag.end() if tag["tag"] is None else self._step(tag)
        if self.kind is not None:
            self._refuse(len(self.text), "the end of the file", self._expected_end())
        return self.markup

    def _step(self, tag: re.Match[str]) -> int:
        """Follows one tag; reading goes on at the offset that is returned."""
        match tag["end"] + tag["tag"].lower():
            case "seg":
                return self._segment(tag)
            case "doc":
                self._open_document(tag)
            case "/doc" if self.document is not None:
                self.document = None
            case "/doc" | "/seg":
                self._refuse(tag.start(), tag[0], f"<{tag['tag']}> before it")
            case "srcset" | "refset" | "tstset":
                self._open_set(tag)
            case _:
                self._close_set(tag)
        return tag.end()

    def _open_set(self, tag: re.Match[str]) -> None:
        if self.kind is not None:
            self._refuse(tag.start(), f"<{tag['tag']}>", f"</{self.kind}> before it")
        self.kind = tag["tag"].lower()
        self.inherited = _attributes(tag)
        self.documents = 0

    def _close_set(self, tag: re.Match[str]) -> None:
        if self.document is not None or tag["tag"].lower() != self.kind:
            self._refuse(tag.start(), f"</{tag['tag']}>", self._expected_end())
        self.kind = None

    def _open_document(self, tag: re.Match[str]) -> None:
        if self.kind is None or self.document is not None:
            expected = "it inside srcset, refset or tstset" if self.kind is None else "</doc> first"
            self._refuse(tag.start(), "<doc>", expected)
        attributes = _attributes(tag)
        self.documents += 1
        self.segments = 0
        self.document = attributes.get("docid") or attributes.get("id") or str(self.documents)
        self.name = self._name({**self.inherited, **attributes})
        self.markup.set_domain(self.document, attributes.get("genre") or attributes.get("domain"))

    def _segment(self, tag: re.Match[str]) -> int:
        """Adds a segment; what comes after it starts at the offset that is returned."""
        if self.kind is None or self.document is None:
            self._refuse(tag.start(), "<seg>", "it inside a document")
        end = _SEGMENT_END.search(self.text, tag.end())
        stop = len(self.text) if end is None else end.start()
        if end is None or _SEGMENT_START.search(self.text, tag.end(), stop):
            self._refuse(tag.start(), "a segment that does not end", "</seg>")
        self.segments += 1
        key = (self.document, _attributes(tag).get("id", str(self.segments)))
        text = self.resolved(self.text[tag.end() : stop])
        self.markup.add(_ROLES[self.kind], self.name, key, text, self._line(tag.start()))
        return end.end()

    def _name(self, attributes: dict[str, str]) -> str:
        if self.kind == "srcset":
            return "source"
        first, second = ("refid", "sysid") if self.kind == "refset" else ("sysid", "refid")
        return attributes.get(first) or attributes.get(second) or locations.stem(self.path)

    def _expected_end(self) -> str:
        if self.document is not None:
            return "</doc>"
        return "a set before it" if self.kind is None else f"</{self.kind}>"

    def _refuse(self, position: int, found: str, expected: str) -> NoReturn:
        raise MalformedFileError(self.path, self._line(position), found, expected)

    def _line(self, position: int) -> int:
        # Counted on from the last time: from the start for each segment would be quadratic.
        start, line = self.counted
        line += self.text.count("\n", start, position)
        self.counted = (position, line)
        return line


def _attributes(tag: re.Match[str]) -> dict[str, str]:
    """The attributes of a tag by their names in lower case."""
    return {
        name.lower(): _resolved(double or single or bare)
        for name, double, single, bare in _ATTRIBUTE.findall(tag["attributes"])
    }


def _resolved(text: str) -> str:
    """Text with the entities that SGML and XML share."""
    return _ENTITY.sub(lambda entity: _CHARACTERS[entity[1]], text)


def _resolved_xml(text: str) -> str:
    """Text as an XML parser hands it over; entities that a DTD would have to define stay."""
    return _XML_PIECE.sub(_character, text)


def _character(piece: re.Match[str]) -> str:
    if piece["hex"] or piece["decimal"]:
        code = int(piece["hex"], 16) if piece["hex"] else int(piece["decimal"])
        return chr(code) if 0 < code < 0xD800 or 0xDFFF < code <= 0x10FFFF else piece[0]
    if piece["raw"] is not None or piece[0].startswith("<"):
        return piece["raw"] or ""
    return _CHARACTERS[piece[0][1:-1]]
