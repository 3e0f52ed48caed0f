"""Formats for programs: JSON, tab-separated values, and JUnit's XML for pipelines."""

from __future__ import annotations

from json import dumps
from math import isfinite
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from truebleu.reports.document import escaped_controls, one_line

if TYPE_CHECKING:
    from truebleu.reports.document import Document, Renderable, Value


def render_json(document: Document, result: Renderable) -> str:
    """Render the result's facts and the document's sentences; raises ValueError for a NaN."""
    values = result.facts()
    if document.sentences:
        values["sentences"] = list(document.sentences)
    return dump(values) + "\n"


def dump(values: Any, *, indent: int | None = 2) -> str:
    """Write values as JSON with control characters escaped; raises ValueError for a NaN."""
    return escaped_controls(dumps(values, ensure_ascii=False, indent=indent, allow_nan=False))


# A spreadsheet takes a text cell that begins with one of these for a formula, the wide ones in some
# languages; a quotation mark would make it, and other readers, look for the end of the cell.
UNSAFE = ("=", "+", "-", "@", "＝", "＋", "－", "＠", '"')


def render_tsv(document: Document, _result: Renderable | None = None) -> str:
    """Render the document's data with a heading; sentences and notes are comments above it."""
    table = document.data
    comments = [*document.sentences, *table.notes]
    names = tuple(map(_cell, table.names))
    rows = [names, *(tuple(map(_cell, map(row.get, table.names))) for row in table.rows)]
    lines = [*(f"# {one_line(comment)}" for comment in comments), *map("\t".join, rows)]
    return "\n".join(lines) + "\n"


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(float(value)) if isfinite(value) else ""
    if isinstance(value, str):
        text = one_line(value)
        return f"'{text}" if text.lstrip().startswith(UNSAFE) else text
    return str(value)


def render_junit(document: Document, _result: Renderable | None = None) -> str:
    """Render checks as the cases of a suite, and sentences and notes as the suite's output."""
    failed = sum(not check.passed for check in document.checks)
    counts = f'tests="{len(document.checks)}" failures="{failed}" errors="0" skipped="0"'
    cases = []
    for check in document.checks:
        case = f'    <testcase classname="truebleu.gate" name={_attribute(check.name)}'
        if check.passed:
            cases.append(f"{case}>\n      <system-out>{_text(check.reason)}</system-out>")
        else:
            message = f"<failure message={_attribute(check.reason)}></failure>"
            cases.append(f"{case}>\n      {message}")
        cases.append("    </testcase>")
    output = "\n".join(map(_text, (*document.sentences, *document.data.notes)))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="truebleu" {counts}>',
        f'  <testsuite name="truebleu gate" {counts}>',
        *cases,
        f"    <system-out>{output}</system-out>",
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    return escape(one_line(text))


def _attribute(text: str) -> str:
    return quoteattr(one_line(text))
