"""chrF: its counts."""

from __future__ import annotations

from hypothesis import given, strategies as st

from tests.properties import plain
from truebleu import CHRF


@given(st.text(max_size=40), st.text(max_size=40), st.integers(1, 7))
def test_chrf_counts_what_its_definition_says(output: str, reference: str, order: int) -> None:
    (row,) = CHRF(char_order=order).statistics([output], [reference]).tolist()
    assert row == plain.chrf_row(output, reference, order)
