"""What must not come out of any format: names that attack it, and what each format is made of.

A format's checks take an output apart as its readers do, and give what the output is made of apart
from its texts: the same output with harmless names must be made of the same.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from unicodedata import category
from xml.etree import ElementTree

if TYPE_CHECKING:
    from collections.abc import Callable

PAYLOADS = {
    "LaTeX": r"\input{/etc/passwd}",
    "LaTeX on its own line": "x\n\\input{/etc/passwd}\n",
    "LaTeX by number": "^^5cinput{x} % & # $ _ ~ {",
    "terminal": "\x1b[2J\x1b[31mx",
    "terminal link": "\x1b]8;;https://evil.example\x07x",
    "C1": "\x9b31mx\x9dy\x9c\x7f",
    "direction": "\u202ex\u2066\u200f",
    "script": "</script><script>alert(1)</script>",
    "attribute": '"\' onmouseover="alert(1)',
    "image": "![x](https://evil.example)<img src=x onerror=alert(1)>",
    "link": "[x](javascript:alert(1)) https://evil.example www.evil.example",
    "cells": "x | y |\n|---|---|",
    "list": "- x\n1. y",
    "code": "x` `` <b>y",
    "comment": "--> ]]> x <!--",
    "function": '=HYPERLINK("https://evil.example")',
    "plus": "+1+cmd|' /C calc'!A0",
    "minus": "-1+1",
    "at": "@SUM(1)",
    "tab": "\t=1+1",
    "carriage return": "\r=1+1",
    "quotation": '"x\ty',
    "line ends": "x\r\ny\x0bz\x0cw\u2028v\u2029u\x85t",
    "expression": "'];alert(1);//\\",
    "NUL": "x\0y",
    "step command": "::stop-commands::x ##[group]y ##vso[task.complete]z",
}


def require_no_controls(text: str, allowed: str = "\n") -> None:
    """Nothing that a terminal obeys, that ends a line, or that turns the direction of text."""
    raw = {sign for sign in text if category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert raw <= set(allowed), raw


def require_no_commands(text: str) -> None:
    """Nothing that GitHub or Azure Pipelines would obey in the output of a step."""
    assert not re.search(r"(?m)^\s*::|##(\[|vso\[)", text)


def text(output: str) -> object:
    require_no_controls(output)
    require_no_commands(output)
    return output.count("\n")


def tsv(output: str) -> object:
    require_no_controls(output, "\n\t")
    require_no_commands(output)
    lines = output.splitlines()
    rows = [line for line in lines if not line.startswith("# ")]
    # Readers that know quotation marks and those that do not see the same cells.
    assert list(csv.reader(rows, delimiter="\t")) == [row.split("\t") for row in rows]
    for cell in (cell for row in rows for cell in row.split("\t")):
        if cell.strip().startswith(("=", "+", "-", "@")):
            float(cell)
    return len(lines), Counter(row.count("\t") for row in rows)


#: The table's own commands, and those that stand for a character.
COMMANDS = re.compile(
    "begingroup|endgroup|centering|caption|hspace|leq|small|setlength|tabcolsep|begin|end|toprule|midrule|bottomrule|textbf|rlap"
    "|textbackslash|textasciitilde|textasciicircum|textbar|ldots|pm|tau|times|dagger|ddagger|Delta"
)


def latex(output: str) -> object:
    require_no_controls(output)
    require_no_commands(output)
    assert output.isascii()
    lines = [line for line in output.splitlines() if not line.startswith("%")]
    for line in lines:
        assert all(map(COMMANDS.fullmatch, re.findall(r"\\([a-zA-Z]+)", line))), line
        # Without escapes, what is left are the table's own signs.
        bare = re.sub(r"\\[a-zA-Z]+|\\[^a-zA-Z]", "", line)
        assert bare.count("{") == bare.count("}"), line
        assert not re.search(r"(?<!4pt\})%|#|_|~|(?<!\$)\^", bare), line
        assert bare.count("$") % 2 == 0, line
    return output.count("\n"), Counter(
        re.sub(r"\\.", "", line).count("&") for line in lines if line.endswith(r"\\")
    )


def markdown(output: str) -> object:
    require_no_controls(output)
    require_no_commands(output)
    kinds = Counter[object]()
    for line in output.splitlines():
        bare = re.sub(r"\\[!-/:-@\[-`{-~]", "", line)
        # A code span ends at as many backticks as it begins with.
        bare = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", bare)
        bare = re.sub(r"^> \[!(TIP|CAUTION)\]$", r"> !\1", bare)
        for tag in ("<details>", "<summary>", "</summary>", "</details>"):
            kinds[tag] += bare.count(tag)
            bare = bare.replace(tag, "")
        assert not re.search(r"[<\[\]`]|https?:|www\.", bare), line
        assert not re.match(r"- +([-+*=]|\d+[.)])( |$)", bare), line
        kinds[bare.count("|")] += 1
    return kinds


def github(output: str) -> object:
    return markdown(output)


def json_(output: str) -> object:
    require_no_controls(output)
    require_no_commands(output)
    return _shape(json.loads(output))


def _shape(value: Any) -> object:
    """The kinds of values without the names and texts; what is true of any one is counted."""
    if isinstance(value, dict):
        return Counter(repr(_shape(item)) for item in value.values())
    return len(value) if isinstance(value, list) else type(value).__name__


class Tags(HTMLParser):
    """Counts the tags of a page with the names of their attributes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.kinds = Counter[object]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # A name has an element of its own if it has no blanks, and a title if it is long.
        if tag != "span" or ("class", "name") not in attrs:
            self.kinds[tag, tuple(name for name, _ in attrs)] += 1

    def handle_comment(self, _data: str) -> None:
        self.kinds["comment"] += 1


def html(output: str) -> Counter[object]:
    require_no_controls(output, "\n\t")
    tags = Tags()
    tags.feed(output)
    tags.close()
    return tags.kinds


def xml(output: str) -> Counter[object]:
    require_no_controls(output)
    root = ElementTree.fromstring(output)  # noqa: S314  # our own output, which has no entities
    return Counter[object]((part.tag, tuple(part.attrib)) for part in root.iter())


#: How each format is taken apart.
CHECKS: dict[str, Callable[[str], object]] = {
    "text": text,
    "tsv": tsv,
    "latex": latex,
    "markdown": markdown,
    "github": github,
    "json": json_,
    "html": html,
    "junit": xml,
}
