"""What the reports of studies share: shares, and what a reader must know of trials."""

from __future__ import annotations

from truebleu.reports.studies import rate_cells, rate_columns
from truebleu.simulation import simulate
from truebleu.studies import study_power


def test_a_share_has_its_bounds_and_an_unknown_one_has_none() -> None:
    names = [column.name for column in rate_columns("right", "Right")]
    assert list(rate_cells("right", None)) == names == ["right", "right_low", "right_high"]


def test_samples_too_small_for_a_test_are_told() -> None:
    texts = simulate(segments=40, systems=[0.1, 0.3], seed=2)
    small = study_power(texts, ["bleu"], tests=["ar"], sizes=[5, 20], samples=5, replicates=50)
    told = "of 5 segments cannot conclude anything at the level 95 %: it needs at least 6."
    assert any(told in sentence for sentence in small.to_document().sentences)
