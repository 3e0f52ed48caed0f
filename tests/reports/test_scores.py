"""Scores as a document: a row per system or per segment, with signatures and details."""

from __future__ import annotations

import pytest

from truebleu import score
from truebleu.reports.document import Table
from truebleu.reports.scores import document, score_table, segment_table

TEXTS = {"a": ["the cat sat", "a dog"], "b": ["the cat ran", "the dog"]}
REFERENCE = ["the cat sat", "the dog"]


def test_a_row_per_system_and_a_column_per_metric() -> None:
    table = score_table(score(TEXTS, REFERENCE, ["bleu", "ter"]))
    assert table.names == ("system", "BLEU", "TER")
    assert [row["system"] for row in table.rows] == ["a", "b"]
    assert [note.split("|")[0] for note in table.notes] == ["BLEU", "TER"]


def test_intervals_have_columns_next_to_their_scores() -> None:
    scores = score(TEXTS, REFERENCE, ["chrf"], confidence=True, replicates=100)
    (row, _) = score_table(scores).rows
    assert row["chrF2 low"] <= row["chrF2"] <= row["chrF2 high"]  # type: ignore[operator]
    assert any("100 " in note and "2 segments" in note for note in score_table(scores).notes)


def test_segments_are_counted_from_1() -> None:
    scores = score(TEXTS, REFERENCE, ["ter"], per_segment=True)
    rows = segment_table(scores).rows
    assert [(row["system"], row["segment"]) for row in rows] == [
        ("a", 1), ("a", 2), ("b", 1), ("b", 2),
    ]  # fmt: skip
    assert next(row["TER"] for row in rows) == 0


def test_details_say_what_a_score_is_made_of() -> None:
    scores = score(TEXTS, REFERENCE)
    assert "BP" not in str(document(scores).blocks)
    assert "BP" in str(document(scores, details=True).blocks)


def test_details_of_several_systems_have_their_precisions_side_by_side() -> None:
    """Koehn (2004), Table 1."""
    systems = {"a": ["the cat sat on the mat"], "b": ["the cat sat on a mat"]}
    scores = score(systems, ["the cat sat on the mat"], ["bleu", "chrf"])
    tables = [b for b in document(scores, details=True).blocks if isinstance(b, Table)]
    (table,) = tables[1:]
    assert [column.heading for column in table.columns[2:]] == [f"{n}-gram" for n in (1, 2, 3, 4)]
    # 5 of 6 words, 3 of 5 pairs, 2 of 4 triples and 1 of 3 fours are right.
    expected = [100 * 5 / 6, 60, 50, 100 / 3]
    assert [table.rows[1][str(n)] for n in (1, 2, 3, 4)] == pytest.approx(expected)
    assert len([b for b in document(scores).blocks if isinstance(b, Table)]) == 1


def test_a_notebook_draws_even_a_single_score_and_a_repr_names_it() -> None:
    scores = score(TEXTS["b"], REFERENCE, ["bleu", "ter"])
    assert scores._repr_html_().count("<circle") == 2
    assert repr(scores) == "<Scores: system 0.00 BLEU, 20.00 TER>"
    assert repr(score(TEXTS, REFERENCE, "ter")) == "<Scores: a 20.00 TER and 1 more>"


def test_scores_that_smoothing_made_are_named() -> None:
    systems = {"new": ["a b x c d"] * 8, "old": ["a x b x c"] * 8, "good": ["a b c d e"] * 8}
    text = " ".join(str(score(systems, [["a b c d e"] * 8], ["bleu", "chrf"])).split())
    assert "No 3-gram of new and old matches a reference: such BLEU comes from smoothing" in text
    assert "such chrF2" not in text
