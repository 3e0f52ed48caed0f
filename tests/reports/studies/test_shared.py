"""What the reports of studies share: blocks, shares, and what a reader must know of trials."""

from __future__ import annotations

import pytest

from truebleu.reports.document import Chart, Column, Heading, Plot, Sentences, Table
from truebleu.reports.studies._shared import (
    listed,
    percent,
    rate_cells,
    rate_columns,
    study_document,
)
from truebleu.simulation import simulate
from truebleu.studies import study_power

TABLE = Table((Column("size", "Size"),), ({"size": 10},))


def test_a_study_has_a_title_a_table_sentences_and_a_chart() -> None:
    plot = Plot("line", "size", "size")
    document = study_document("Widths", TABLE, ["It narrows."], plot)
    kinds = [type(block) for block in document.blocks]
    assert kinds == [Heading, Table, Sentences, Chart]
    assert document.sentences == ("It narrows.",)
    assert document.data is TABLE


def test_a_share_has_its_bounds_and_an_unknown_one_has_none() -> None:
    names = [column.name for column in rate_columns("right", "Right")]
    assert list(rate_cells("right", None)) == names == ["right", "right_low", "right_high"]


@pytest.mark.parametrize(
    ("parts", "words"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_words_are_listed(parts: list[str], words: str) -> None:
    assert listed(parts) == words
    assert percent(0.12345, 2) == "12.35 %"


def test_samples_too_small_for_a_test_are_told() -> None:
    texts = simulate(segments=40, systems=[0.1, 0.3], seed=2)
    small = study_power(texts, ["bleu"], tests=["ar"], sizes=[5, 20], samples=5, replicates=50)
    told = "of 5 segments cannot conclude anything at the level 95 %: it needs at least 6."
    assert any(told in sentence for sentence in small.to_document().sentences)
