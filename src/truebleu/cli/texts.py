"""Reads the texts that commands are given, and says on standard error what is suspicious."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from truebleu.corpus import read_test_set
from truebleu.corpus.locations import expanded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus import TestSet


def read_texts(
    systems: Sequence[str],
    references: Sequence[str],
    *,
    source: str | None,
    documents: str | None,
    strict: bool,
) -> TestSet:
    """The test set of a command's arguments; folders and patterns stand for their files."""
    test_set = read_test_set(
        expanded(systems),
        references,
        source=source,
        documents=documents,
        strict=strict,
    )
    for warning in test_set.warnings:
        click.echo(f"warning: {warning.message}", err=True)
    return test_set
