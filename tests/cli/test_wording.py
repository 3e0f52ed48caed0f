"""Texts that users see: sentences of at most 30 words, and no stock phrases without a noun."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

import truebleu
from tools.man_pages import commands
from truebleu.cli.main import truebleu as program

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(truebleu.__file__).parent
#: Modules with strings that are no sentences: simulated words, and Greek letters of LaTeX.
NOT_PROSE = ("simulation/*.py", "reports/formats/latex.py")
LONGEST_SENTENCE = 30
PHRASES = re.compile(
    r"\b(of (which|whom)|so (many|much|few|little)|those of|the same (of|as that)|at hand|anew"
    r"|where (there (is|are) )?(none|no|nothing|nobody)|nobody|beside|can be told from)\b",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
WORD = re.compile(r"\w")


def faults(text: str) -> list[str]:
    """Return the stock phrases and the sentences that are too long."""
    sentences = SENTENCE_END.split(text)
    words = {
        part: sum(WORD.search(word) is not None for word in part.split()) for part in sentences
    }
    too_long = [part for part, count in words.items() if count > LONGEST_SENTENCE]
    return [match[0] for match in PHRASES.finditer(text)] + too_long


def template(node: ast.AST) -> str | None:
    """Return a string, or an f-string with {} for its values; None for other nodes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return None


def strings(tree: ast.AST) -> Iterator[str]:
    """Yield all strings below a node, without docstrings and parts of f-strings."""
    hidden = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    hidden |= {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        text = template(node)
        if text is None or id(node) in hidden or " " not in text.strip():
            continue
        # Examples, declarations of columns and markup are no sentences.
        if "\b" not in text and " | " not in text and not text.startswith("<"):
            yield text


def messages() -> Iterator[tuple[str, str]]:
    """Yield the module and the text of everything that may be printed, but help."""
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE)
        if not any(module.match(pattern) for pattern in NOT_PROSE):
            for text in strings(ast.parse(path.read_text(encoding="utf-8"))):
                yield str(module), text


def helps() -> Iterator[tuple[str, str]]:
    """Yield the command and the text of each paragraph and option of the help."""
    whole = click.Context(program, info_name="truebleu")
    for context in commands(program, whole):
        command = context.command
        for paragraph in (command.help or "").split("\n\n"):
            if not paragraph.lstrip().startswith("\b"):
                yield str(context.info_name), " ".join(paragraph.split())
        for option in command.params:
            yield str(context.info_name), getattr(option, "help", None) or ""


@cache
def texts() -> tuple[tuple[str, str], ...]:
    return (*messages(), *helps())


def test_texts_for_users_have_short_sentences_and_no_stock_phrases() -> None:
    found = [f"{where}: {fault}" for where, text in texts() for fault in faults(text)]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "Break a difference down by segment, document and n-gram.",  # help of a group
        "Confidence level; tests use 1 − level.",  # an option
        "By {}, {} is better than the {} other {}.",  # a sentence of a report
        "no reference given: name one with -r FILE; only a pool of source texts needs none",
        "they prevent words from matching",  # a warning
    ],
)
def test_texts_of_help_reports_and_errors_are_collected(text: str) -> None:
    assert text in {found for _, found in texts()} | {
        program.table[name][1] for name in program.table
    }


@pytest.mark.parametrize(
    "text",
    ["systems, of which two differ", "With so few segments", "p of none, where there is none"],
)
def test_a_stock_phrase_is_a_fault(text: str) -> None:
    assert len(faults(text)) == 1


@pytest.mark.parametrize(("words", "expected"), [(30, 0), (31, 1)])
def test_a_sentence_of_more_than_30_words_is_a_fault(words: int, expected: int) -> None:
    text = "A short one. " + " ".join(["Word"] + ["word"] * (words - 1)) + ". Another."
    assert len(faults(text)) == expected
