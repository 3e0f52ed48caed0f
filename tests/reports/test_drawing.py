"""Differences on one axis."""

from __future__ import annotations

import re

import pytest

from tests.simulated_causes import simulate_causes
from truebleu.explanation.report import report
from truebleu.reports.drawing import Axis, ForestRow, Mark, forest, name_of, with_names


def positions(svg: str, attribute: str) -> list[float]:
    return [float(value) for value in re.findall(rf'{attribute}="([-\d.]+)%"', svg)]


def test_an_axis_has_0_and_round_ticks() -> None:
    axis = Axis([[1.2, 4.7], [2.0]])
    ticks = list(axis.ticks())
    assert 0 in ticks
    assert ticks == pytest.approx([0, 1, 2, 3, 4], abs=1e-9)


def test_an_axis_without_0_has_round_ticks() -> None:
    for values, texts in (
        ([0.8, 1.0], ["0.8", "0.9", "1.0"]),
        ([-14.2, -3.7], ["−10", "−5"]),
    ):
        axis = Axis([values], zero=False)
        assert list(axis.ticks().values()) == texts
        assert all(0 <= axis.share(value) <= 1 for value in axis.ticks())


def test_an_axis_of_one_number_has_it_in_the_middle() -> None:
    assert Axis([[3.0]], zero=False).share(3.0) == pytest.approx(0.5)


def mark(value: float, low: float, high: float) -> Mark:
    """A significant difference."""
    return Mark("BLEU", value, (low, high), 2, "ahead" if value > 0 else "behind")


def test_rows_far_beyond_the_others_are_cut_off() -> None:
    rows = [[-1.0], [-2.0], [-2.0], [-3.0], [-3.0], [-3.0], [-50.0]]
    # A few rows are all within the axis.
    assert Axis(rows[1:], cut=True).low < -50
    assert Axis(rows).low < -50
    cut = Axis(rows, cut=True)
    assert -50 < cut.low < -3
    assert "◂" in cut.row(mark(-50.0, -51.0, -49.0))
    assert "◂" not in cut.row(mark(-2.0, -2.5, -1.5))


def test_an_interval_is_drawn_on_the_side_of_0_on_which_it_lies() -> None:
    axis = Axis([[-5.0, 5.0]])
    zero = float(axis.at(0.0).rstrip("%"))
    for low, high in ((1.0, 3.0), (-3.0, -1.0), (-1.0, 2.0)):
        drawing = axis.row(mark((low + high) / 2, low, high))
        line = re.findall(r'<line class="interval"[^>]*>', drawing)[0]
        (left,), (right,) = positions(line, "x1"), positions(line, "x2")
        assert (left > zero) == (low > 0)
        assert (right < zero) == (high < 0)


def test_lower_is_better_turns_numbers_and_drawings_alike() -> None:
    made = report(simulate_causes(segments=30), metrics=["ter"], replicates=200)
    metric = made.comparison.metrics["TER"]
    row = ForestRow("TER", Mark.of("TER", (10.0, (4.0, 17.0), True), metric))
    html = forest([row], ("a", "b"), 0.95, metric)
    assert "−10.00" in html
    assert "[−17.00, −4.00]" in html
    assert 'class="behind"' in html
    circle = re.findall(r"<circle[^>]*>", html)[0]
    zero = re.findall(r'<line class="zero"[^>]*>', html)[0]
    assert positions(circle, "cx")[0] < positions(zero, "x1")[0]


def test_names_never_break_and_long_ones_lose_their_middle() -> None:
    assert name_of("b" * 25) == f'<span class="name">{"b" * 25}</span>'
    assert "b" * 26 not in re.sub('title="[^"]*"', "", name_of("b" * 26))
    assert name_of("<i>") == '<span class="name">&lt;i&gt;</span>'
    sentence = with_names("a is better than a-2.", ["a-2", "a-3"])
    assert sentence == 'a is better than <span class="name">a-2</span>.'
