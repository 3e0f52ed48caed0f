"""Foreign text made harmless: one line, without control or direction characters."""

from __future__ import annotations

from unicodedata import category

# Tabs and line ends would end a cell; a space stands for each.
SPACES = "\t\n\r\x0b\x0c\x85\u2028\u2029"
# Marks that turn the direction of what follows, which could make a line read otherwise.
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def one_line(text: str) -> str:
    r"""The text on one line, with control characters as escapes that can be read.

    >>> one_line("a\x1b[31mb\nc")
    'a\\x1b[31mb c'
    """
    if text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in SPACES:
        return " "
    if character in DIRECTIONS or category(character) in ("Cc", "Cs"):
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return character
