"""Documents that every format renders."""

from __future__ import annotations

import pytest

from tests.reports.formats.hostile import ATTACKS
from truebleu.reports.document import Column, Document, Heading, Notes, Sentences, Table

TABLE = Table(
    (
        Column("system", "System"),
        Column("score", "BLEU", digits=2),
        Column("interval", "95 % interval", parts=("low", "high"), numeric=True),
        Column("p_best", "best in", percent=True, digits=0),
    ),
    (
        {
            "system": "new",
            "score": 31.256,
            "interval": "[30.10, 32.40]",
            "low": 30.1,
            "high": 32.4,
            "p_best": 0.876,
        },
        {"system": "ältere", "score": -0.001, "interval": None, "p_best": None},
    ),
    notes=("BLEU|nrefs:1",),
)
DOCUMENT = Document(
    (Heading("Scores"), TABLE, Sentences(("new is better.",)), Notes(("seed 1",))), TABLE
)
MARKED = Table(
    (
        Column("system", "Système"),
        Column("score", "τ", digits=2, bold="best", mark="mark"),
    ),
    (
        {"system": "naïve 系统", "score": -1.5, "mark": "‡"},
        {"system": "łódź – Ørsted", "score": 31.25, "best": True, "mark": "†", "rule": True},
    ),
    rule="rule",
)
attacks = pytest.mark.parametrize("attack", ATTACKS, ids=ascii)
# A document of a study.
CONCLUSIONS = Table(
    (
        Column("pair", "Pair"),
        Column("size", "Segments"),
        Column("right", "Right", digits=1, percent=True),
        Column("difference", "Difference", digits=2, sign=True),
        Column("held", "Held"),
    ),
    (
        {"pair": "a_1", "size": 100, "right": 0.25, "difference": 1 / 3, "held": True},
        {"pair": "b|2", "size": 1600, "right": None, "difference": -0.001, "held": False},
    ),
)
SENTENCES = ("a_1 needs more.", "No pair of b|2 was drawn.")


def study_document(table: Table = CONCLUSIONS, sentences: tuple[str, ...] = SENTENCES) -> Document:
    """A heading, a table and sentences."""
    return Document((Heading("How often tests conclude"), table, Sentences(sentences)), table)
