"""XML as WMT publishes it since 2021: documents that hold source, references and outputs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from truebleu.corpus import locations
from truebleu.corpus.lines import BYTE_ORDER_MARK, decode
from truebleu.corpus.markup import Markup
from truebleu.errors import MalformedFileError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from truebleu.corpus.texts import Role

_ROLES: dict[str, Role] = {"src": "source", "ref": "reference", "hyp": "system"}
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FIRST_TAG = re.compile(r"<([A-Za-z][\w.-]*)")
_NIST = ("mteval", "srcset", "refset", "tstset")


def read_xml(path: str, data: bytes) -> Markup:
    """The texts of an XML file: WMT's format, or NIST's, which is SGML with an XML header."""
    decoded = decode(path, data)
    text = decoded.removeprefix(BYTE_ORDER_MARK)
    first = _FIRST_TAG.search(_COMMENT.sub("", text))
    if first is not None and first[1].lower() in _NIST:
        from truebleu.corpus.sgml import read_sgml

        return read_sgml(path, data, xml=True)
    markup = _texts(path, _root(path, text))
    markup.byte_order_mark = decoded.startswith(BYTE_ORDER_MARK)
    return markup


def _root(path: str, text: str) -> Element:
    """The root element. DTDs and entities are refused, never expanded."""
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    if not text.strip():
        _refuse(path, "nothing", "XML")
    try:
        root: Element = fromstring(
            text, forbid_dtd=True, forbid_entities=True, forbid_external=True
        )
    except DefusedXmlException as error:
        found = f"a DTD or entity ({type(error).__name__})"
        line = text.count("\n", 0, max(text.find("<!DOCTYPE"), 0)) + 1
        raise MalformedFileError(path, line, found, "XML without them") from None
    except ParseError as error:
        line = error.position[0]
        raise MalformedFileError(path, line, f"broken XML ({error})", "well-formed XML") from None
    return root


def _texts(path: str, root: Element) -> Markup:
    if root.tag != "dataset":
        _refuse(path, f"<{root.tag}>", "<dataset>, as in WMT's files")
    markup = Markup(path)
    # iter() also finds documents inside <collection>.
    for number, document in enumerate(root.iter("doc"), 1):
        identity = document.get("id") or str(number)
        markup.set_domain(identity, document.get("domain") or document.get("genre"))
        for text in document:
            if text.tag in _ROLES:
                _add(markup, identity, text)
    return markup


def _add(markup: Markup, document: str, text: Element) -> None:
    role = _ROLES[text.tag]
    name = _name(markup.path, role, text)
    for number, segment in enumerate(text.iter("seg"), 1):
        key = (document, segment.get("id") or str(number))
        markup.add(role, name, key, "".join(segment.itertext()))


def _name(path: str, role: Role, text: Element) -> str:
    if role == "source":
        return "source"
    return text.get("translator" if role == "reference" else "system") or locations.stem(path)


def _refuse(path: str, found: str, expected: str) -> NoReturn:
    raise MalformedFileError(path, None, found, expected)
