"""Texts to draw."""

from __future__ import annotations

from hypothesis import strategies as st


@st.composite
def aligned_texts(
    draw: st.DrawFn, segment: st.SearchStrategy[str]
) -> tuple[list[str], list[list[str]]]:
    """Outputs of up to 6 segments, and one to three references as long."""
    size = draw(st.integers(1, 6))
    text = st.lists(segment, min_size=size, max_size=size)
    return draw(text), draw(st.lists(text, min_size=1, max_size=3))
