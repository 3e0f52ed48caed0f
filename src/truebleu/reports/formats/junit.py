"""JUnit's XML, which pipelines show as test results: a case for each check of a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from truebleu.reports.document import one_line

if TYPE_CHECKING:
    from truebleu.reports.document import Document, Renderable


def render(document: Document, _result: Renderable | None = None) -> str:
    """A suite with a case for each check; what else the document says is the suite's output."""
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
    said = "\n".join(map(_text, (*document.sentences, *document.data.notes)))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="truebleu" {counts}>',
        f'  <testsuite name="truebleu gate" {counts}>',
        *cases,
        f"    <system-out>{said}</system-out>",
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    return escape(one_line(text))


def _attribute(text: str) -> str:
    return quoteattr(one_line(text))
