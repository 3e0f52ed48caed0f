"""The rates of panels, on pools that are made up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evidence import panels
from truebleu.counts.counting import count_texts
from truebleu.resampling import Units
from truebleu.significance.unit_counts import UnitCounts, count_units
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    import pytest


def made_up(name: str, metric: str) -> UnitCounts:
    systems = {"a": Channel.at_rate(0.1), "b": Channel.at_rate(0.1 + len(name) % 3 / 20)}
    made = simulate(segments=80, systems=systems, seed=len(name))
    (statistics,) = count_units(count_texts(made, metric), Units.segments(80))
    return statistics


def test_every_rate_is_a_share_of_the_panels(monkeypatch: pytest.MonkeyPatch) -> None:
    pools = {name: made_up(name, "chrf") for name in panels.SETS}
    monkeypatch.setattr(panels, "pool", lambda name, _metric: pools[name])
    monkeypatch.setattr(panels, "SEGMENTS", 40)
    rates = panels.rates("chrf", 4)
    assert len(rates) == 6
    assert all(rate * 4 == round(rate * 4) for rate in rates.values())


def test_systems_are_equal_in_sets_that_are_swapped(monkeypatch: pytest.MonkeyPatch) -> None:
    pools = {name: made_up(name, "chrf") for name in panels.SETS}
    monkeypatch.setattr(panels, "pool", lambda name, _metric: pools[name])
    rng = np.random.default_rng(1)
    low, high = panels.panel_of(panels.SETS, "chrf", "fixed", rng, panels.SETS).fixed
    assert low < 0 < high
