"""Texts with document and segment ids, read from SGML and WMT XML files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from truebleu._core import Segments
from truebleu.corpus._files import BYTE_ORDER_MARK, Layout, NamedText, decode, stem
from truebleu.errors import EmptyTextError, MalformedFileError, MissingColumnError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from truebleu.corpus._files import Key, Role

_LINE_BREAK = re.compile(r"[\r\n]+")

_WHO = {"system": "system", "reference": "translator", "source": "source"}


class Markup:
    """The texts of one file, each a version of the same segments."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.byte_order_mark = False
        self._texts: dict[tuple[Role, str], dict[Key, str]] = {}
        self._domains: dict[str, str] = {}
        # A dict keeps the keys in the order of their first occurrence.
        self._keys: dict[Key, None] = {}

    def add(self, role: Role, name: str, key: Key, text: str, line: int | None = None) -> None:
        """Add one segment of one text; raises MalformedFileError if it is a duplicate."""
        segments = self._texts.setdefault((role, name), {})
        if key in segments:
            document, segment = key
            found = f"segment {segment!r} of document {document!r} twice by {_WHO[role]} {name!r}"
            raise MalformedFileError(self.path, line, found, "each segment once")
        segments[key] = _LINE_BREAK.sub(" ", text.strip(" \t\r\n\v\f"))
        self._keys.setdefault(key)

    def set_domain(self, document: str, domain: str | None) -> None:
        """Set the domain of a document, unless it is None."""
        if domain is not None:
            self._domains[document] = domain

    def select(self, role: Role, name: str | None) -> list[NamedText]:
        """Return the texts called `name` in any role; if `name` is None, all texts of the role."""
        if not self._texts:
            raise EmptyTextError(self.path)
        if name is None:
            keys = [key for key in self._texts if key[0] == role]
        else:
            # A reference may be scored like a system, so its role in the file does not matter.
            named = [key for key in self._texts if key[1] == name]
            keys = [key for key in named if key[0] == role] or named
        if not keys:
            names = [name for _, name in self._texts]
            if name is not None:
                raise MissingColumnError(self.path, _WHO[role], name, names)
            expected = f"a {role}; to use another text of the file, write {self.path}#{names[0]}"
            raise MalformedFileError(self.path, None, f"only {', '.join(names)}", expected)
        return [self._text(*key, chosen=name is not None) for key in keys]

    def _text(self, role: Role, name: str, *, chosen: bool) -> NamedText:
        segments = self._texts[role, name]
        is_only = sum(other == role for other, _ in self._texts) == 1 and not chosen
        documents = tuple(document for document, _ in self._keys)
        # Labels must cover every segment.
        complete = all(document in self._domains for document in documents)
        domains = tuple(self._domains[document] for document in documents) if complete else None
        return NamedText(
            label=self.path if is_only else f"{self.path}#{name}",
            path=self.path,
            name=name,
            # None marks a segment that only other texts have.
            segments=Segments([segments.get(key) for key in self._keys]),
            layout=Layout(documents=documents, domains=domains, keys=tuple(self._keys)),
            byte_order_mark=self.byte_order_mark,
        )


# SGML as NIST's mteval reads it: srcset, refset and tstset of documents of segments.


_ROLES: dict[str, Role] = {"srcset": "source", "refset": "reference", "tstset": "system"}

# Only these tags are parsed; others (<p>, <hl>, <poster>) are skipped.
_TAG = re.compile(
    r"""<!--|<(?P<end>/?)(?P<tag>srcset|refset|tstset|doc|seg)\b"""
    # No < outside quotes, or an unclosed tag would be scanned to the end of the file.
    r"""(?P<attributes>(?:[^<>"']|"[^"]*"|'[^']*')*)>""",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_SEGMENT_END = re.compile(r"</seg\s*>", re.IGNORECASE)
_SEGMENT_START = re.compile(r"<seg\b[^<>]*>|</doc\s*>", re.IGNORECASE)
_ENTITY = re.compile(r"&(lt|gt|amp|quot|apos);")
# Markup that only an XML parser resolves; mteval keeps it in SGML.
_XML_PIECE = re.compile(
    r"(?P<open><!--|<!\[CDATA\[)|"
    r"&#(?:x(?P<hex>[0-9a-fA-F]{1,6})|(?P<decimal>[0-9]{1,7}));|" + _ENTITY.pattern,
)
_CLOSED_BY = {"<!--": "-->", "<![CDATA[": "]]>"}
_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


def read_sgml(path: str, data: bytes, *, xml: bool = False) -> Markup:
    """Read an SGML file; tags may be in any case, attributes with or without quotes.

    If `xml` is set, segments are XML text, which may have numeric character references.
    """
    text = decode(path, data)
    markup = _Parser(path, text.removeprefix(BYTE_ORDER_MARK), xml=xml).parse()
    markup.byte_order_mark = text.startswith(BYTE_ORDER_MARK)
    return markup


class _Parser:
    """A parser of one file's tags; its state is the open set and document."""

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
        # Searched once: a search from every unclosed comment would be quadratic.
        self.last_comment_end = text.rfind("-->")

    def parse(self) -> Markup:
        position = 0
        while (tag := _TAG.search(self.text, position)) is not None:
            if tag["tag"] is not None:
                position = self._step(tag)
            else:
                # An unclosed comment is text.
                is_closed = tag.end() <= self.last_comment_end
                position = self.text.index("-->", tag.end()) + 3 if is_closed else tag.end()
        if self.kind is not None:
            self._refuse(len(self.text), "the end of the file", self._expected_end())
        return self.markup

    def _step(self, tag: re.Match[str]) -> int:
        """Process one tag and return the offset to continue from."""
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
                if self.kind is not None:
                    self._refuse(tag.start(), f"<{tag['tag']}>", f"</{self.kind}> before it")
                self.kind, self.documents = tag["tag"].lower(), 0
                self.inherited = _attributes(tag)
            case _:
                if self.document is not None or tag["tag"].lower() != self.kind:
                    self._refuse(tag.start(), f"</{tag['tag']}>", self._expected_end())
                self.kind = None
        return tag.end()

    def _open_document(self, tag: re.Match[str]) -> None:
        if self.kind is None or self.document is not None:
            expected = "srcset, refset or tstset around it" if self.kind is None else "</doc> first"
            self._refuse(tag.start(), "<doc>", expected)
        attributes = _attributes(tag)
        self.documents += 1
        self.segments = 0
        self.document = attributes.get("docid") or attributes.get("id") or str(self.documents)
        named = {**self.inherited, **attributes}
        ids = ("refid", "sysid") if self.kind == "refset" else ("sysid", "refid")
        self.name = named.get(ids[0]) or named.get(ids[1]) or stem(self.path)
        if self.kind == "srcset":
            self.name = "source"
        self.markup.set_domain(self.document, attributes.get("genre") or attributes.get("domain"))

    def _segment(self, tag: re.Match[str]) -> int:
        """Add a segment and return the offset after it."""
        if self.kind is None or self.document is None:
            self._refuse(tag.start(), "<seg>", "<doc> around it")
        end = _SEGMENT_END.search(self.text, tag.end())
        stop = len(self.text) if end is None else end.start()
        if end is None or _SEGMENT_START.search(self.text, tag.end(), stop):
            self._refuse(tag.start(), "an unclosed segment", "</seg>")
        self.segments += 1
        key = (self.document, _attributes(tag).get("id", str(self.segments)))
        text = self.resolved(self.text[tag.end() : stop])
        self.markup.add(_ROLES[self.kind], self.name, key, text, self._line(tag.start()))
        return end.end()

    def _expected_end(self) -> str:
        if self.document is not None:
            return "</doc>"
        return "a set before it" if self.kind is None else f"</{self.kind}>"

    def _refuse(self, position: int, found: str, expected: str) -> NoReturn:
        raise MalformedFileError(self.path, self._line(position), found, expected)

    def _line(self, position: int) -> int:
        # Counting continues from the last call; from the start it would be quadratic.
        start, line = self.counted
        line += self.text.count("\n", start, position)
        self.counted = (position, line)
        return line


def _attributes(tag: re.Match[str]) -> dict[str, str]:
    """Return the attributes of a tag by their names in lower case."""
    return {
        name.lower(): _resolved(double or single or bare)
        for name, double, single, bare in _ATTRIBUTE.findall(tag["attributes"])
    }


def _resolved(text: str) -> str:
    """Resolve the entities that SGML and XML share."""
    return _ENTITY.sub(lambda entity: _CHARACTERS[entity[1]], text)


def _resolved_xml(text: str) -> str:
    """Resolve text like an XML parser, but keep entities that a DTD would define."""
    parts: list[str] = []
    position, last = 0, {start: text.rfind(end) for start, end in _CLOSED_BY.items()}
    for piece in _XML_PIECE.finditer(text):
        if piece.start() < position:
            continue
        parts.append(text[position : piece.start()])
        start = piece["open"]
        if start is None:
            parts.append(_character(piece))
            position = piece.end()
        elif piece.end() > last[start]:
            # Unclosed, so it is text.
            parts.append(start)
            position = piece.end()
        else:
            end = text.index(_CLOSED_BY[start], piece.end())
            parts.append("" if start == "<!--" else text[piece.end() : end])
            position = end + 3
    return "".join([*parts, text[position:]])


def _without_comments(text: str) -> str:
    last, position, parts = text.rfind("-->"), 0, []
    while 0 <= (start := text.find("<!--", position)) < last:
        end = text.find("-->", start + 4)
        if end < 0:
            break
        parts.append(text[position:start])
        position = end + 3
    return "".join([*parts, text[position:]])


def _character(piece: re.Match[str]) -> str:
    if piece["hex"] or piece["decimal"]:
        code = int(piece["hex"], 16) if piece["hex"] else int(piece["decimal"])
        return chr(code) if 0 < code < 0xD800 or 0xDFFF < code <= 0x10FFFF else piece[0]
    return _CHARACTERS[piece[0][1:-1]]


# WMT's XML format since 2021: documents with source, references and outputs.


_XML_ROLES: dict[str, Role] = {"src": "source", "ref": "reference", "hyp": "system"}
_FIRST_TAG = re.compile(r"<([A-Za-z][\w.-]*)")
_NIST = ("mteval", "srcset", "refset", "tstset")


def read_xml(path: str, data: bytes) -> Markup:
    """Read an XML file in WMT's format, or in NIST's, which is SGML with an XML header."""
    decoded = decode(path, data)
    text = decoded.removeprefix(BYTE_ORDER_MARK)
    first = _FIRST_TAG.search(_without_comments(text))
    if first is not None and first[1].lower() in _NIST:
        return read_sgml(path, data, xml=True)
    markup = _texts(path, _root(path, text))
    markup.byte_order_mark = decoded.startswith(BYTE_ORDER_MARK)
    return markup


def _root(path: str, text: str) -> Element:
    """Parse XML and return its root; raises MalformedFileError for DTDs and entities."""
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    if not text.strip():
        raise MalformedFileError(path, None, "an empty file", "XML")
    try:
        root: Element = fromstring(
            text, forbid_dtd=True, forbid_entities=True, forbid_external=True
        )
    except DefusedXmlException as error:
        found = f"a DTD or entity ({type(error).__name__})"
        line = text.count("\n", 0, max(text.find("<!DOCTYPE"), 0)) + 1
        raise MalformedFileError(path, line, found, "XML without DTD and entities") from None
    except ParseError as error:
        line = error.position[0]
        raise MalformedFileError(path, line, f"broken XML ({error})", "well-formed XML") from None
    return root


def _texts(path: str, root: Element) -> Markup:
    if root.tag != "dataset":
        expected = "<dataset>, as in WMT's files"
        raise MalformedFileError(path, None, f"<{root.tag}>", expected)
    markup = Markup(path)
    # iter() also finds documents inside <collection>.
    for number, document in enumerate(root.iter("doc"), 1):
        identity = document.get("id") or str(number)
        markup.set_domain(identity, document.get("domain") or document.get("genre"))
        for text in document:
            role = _XML_ROLES.get(text.tag)
            if role is None:
                continue
            name = text.get("translator" if role == "reference" else "system") or stem(path)
            for index, segment in enumerate(text.iter("seg"), 1):
                key = (identity, segment.get("id") or str(index))
                content = "".join(segment.itertext())
                markup.add(role, "source" if role == "source" else name, key, content)
    return markup
