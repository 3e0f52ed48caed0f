"""Differences on one axis."""

from __future__ import annotations

import re

import pytest

from truebleu.reports.page.forest import Axis, ForestRow, Scale, forest, name_of, with_names


def positions(svg: str, attribute: str) -> list[float]:
    return [float(value) for value in re.findall(rf'{attribute}="([-\d.]+)%"', svg)]


def test_an_axis_has_0_and_round_ticks() -> None:
    axis = Axis([[1.2, 4.7], [2.0]])
    ticks = axis.ticks()
    assert 0 in ticks
    assert ticks == pytest.approx([0, 1, 2, 3, 4], abs=1e-9)


def test_rows_far_beyond_the_others_are_cut_off() -> None:
    rows = [[-1.0], [-2.0], [-2.0], [-3.0], [-3.0], [-3.0], [-50.0]]
    # A few rows are all within the axis.
    assert Axis(rows[1:], cut=True).low < -50
    assert Axis(rows).low < -50
    cut = Axis(rows, cut=True)
    assert -50 < cut.low < -3
    assert "◂" in cut.row(-50.0, (-51.0, -49.0), significant=True)
    assert "◂" not in cut.row(-2.0, (-2.5, -1.5), significant=True)


def test_an_interval_is_drawn_on_the_side_of_0_on_which_it_lies() -> None:
    axis = Axis([[-5.0, 5.0]])
    zero = float(axis.at(0.0).rstrip("%"))
    for low, high in ((1.0, 3.0), (-3.0, -1.0), (-1.0, 2.0)):
        drawing = axis.row((low + high) / 2, (low, high), significant=True)
        line = re.findall(r'<line class="interval"[^>]*>', drawing)[0]
        (left,), (right,) = positions(line, "x1"), positions(line, "x2")
        assert (left > zero) == (low > 0)
        assert (right < zero) == (high < 0)


def test_lower_is_better_turns_numbers_and_drawings_alike() -> None:
    scale = Scale(2, 1, -1)
    row = ForestRow(label="TER", scale=scale, difference=10.0, interval=(4.0, 17.0))
    html = forest([row], ("a", "b"), ["p"], 0.95)
    assert "−10.00" in html
    assert "[−17.00, −4.00]" in html
    circle = re.findall(r"<circle[^>]*>", html)[0]
    zero = re.findall(r'<line class="zero"[^>]*>', html)[0]
    assert positions(circle, "cx")[0] < positions(zero, "x1")[0]


def test_scores_of_0_and_1_are_points_with_one_decimal() -> None:
    scale = Scale(1, 100)
    row = ForestRow(label="all", scale=scale, scores=(0.39, 0.3471), difference=0.0429)
    html = forest([row], ("a", "b"), [], 0.95)
    assert "39.0 %" in html
    assert "34.7 %" in html
    assert "+4.3" in html


def test_names_never_break_and_long_ones_lose_their_middle() -> None:
    assert name_of("b" * 25) == f'<span class="name">{"b" * 25}</span>'
    assert "b" * 26 not in re.sub('title="[^"]*"', "", name_of("b" * 26))
    assert name_of("<i>") == '<span class="name">&lt;i&gt;</span>'
    sentence = with_names("a is better than a-2.", ["a-2", "a-3"])
    assert sentence == 'a is better than <span class="name">a-2</span>.'
