"""Texts to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from truebleu.metrics.base import WordMetric

# Few words, so that they repeat and there is more than one way to align.
WORDS = st.sampled_from(["a", "b", "c", "d", "É", "é"])
SEGMENT = st.lists(WORDS, max_size=12).map(" ".join)
REFERENCES = st.lists(SEGMENT, min_size=1, max_size=4)
# Fewer still, so that n-grams repeat and clipping matters.
REPETITIVE = st.lists(st.sampled_from("abc"), max_size=9).map(" ".join)
REPETITIVE_REFERENCES = st.lists(REPETITIVE, min_size=1, max_size=3)


@st.composite
def aligned_texts(
    draw: st.DrawFn, segment: st.SearchStrategy[str]
) -> tuple[list[str], list[list[str]]]:
    """Outputs of up to 6 segments, and one to three references as long."""
    size = draw(st.integers(1, 6))
    text = st.lists(segment, min_size=size, max_size=size)
    return draw(text), draw(st.lists(text, min_size=1, max_size=3))


def row_of(metric: WordMetric, output: str, references: list[str]) -> list[float]:
    """The counts of one segment."""
    (row,) = metric.statistics([output], [[reference] for reference in references]).tolist()
    return list(row)
