"""Exact line search against brute force, and what a search may and may not do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.nbest.small_lists import line_profile, small_lists
from truebleu.errors import SettingError, UnknownNameError
from truebleu.nbest.mert import Ascent, Mert, ascend, restart_box
from truebleu.nbest.problem import Problem, Search, make_problem

METRICS = ["bleu", "chrf", "ter", "nist", "wer", "sentbleu", "feature:f2", "feature:-f2"]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (-0.7, 0.4)])
def test_the_profile_of_a_line_is_what_trying_every_point_gives(
    metric: str, direction: tuple[float, float]
) -> None:
    for seed in range(5):
        lists, references = small_lists(features=3, seed=seed)
        problem = make_problem(lists, references, [metric], scale=False)
        if len(problem.names) == 3:
            direction = (*direction[:2], 0.5)  # type: ignore[assignment]
        origin = np.array([0.3, -0.8, 0.1])[: len(problem.names)]
        profile = line_profile(problem, origin, direction[: len(origin)])
        ends = profile.boundaries
        points = [ends[0] - 1, *((ends[:-1] + ends[1:]) / 2), ends[-1] + 1] if len(ends) else [0.0]
        tried = [problem.value(origin + x * np.array(direction[: len(origin)])) for x in points]
        assert profile.scores == pytest.approx(np.array(tried), rel=1e-9, abs=1e-9)
        # Nothing between the boundaries was missed.
        grid = np.linspace(-9, 9, 181) + 0.01234
        for x in grid:
            place = int(np.searchsorted(ends, x))
            value = problem.value(origin + x * np.array(direction[: len(origin)]))
            assert value == pytest.approx(profile.scores[place], rel=1e-9, abs=1e-9)


def test_the_mean_of_several_metrics_can_be_searched() -> None:
    lists, references = small_lists()
    both = make_problem(lists, references, ["bleu", "ter"], scale=False)
    parts = [make_problem(lists, references, [name], scale=False) for name in ("bleu", "ter")]
    weights = np.array([0.4, -0.2])
    assert both.value(weights) == pytest.approx(np.mean([p.value(weights) for p in parts]))


def test_scaling_features_changes_no_decision() -> None:
    lists, references = small_lists(segments=20)
    other = type(lists).of(
        list(lists),
        features={
            name: [(lists.feature(name)[span] * factor).tolist() for span in lists.spans()]
            for name, factor in (("f0", 1000.0), ("f1", 0.001))
        },
    )
    choices = []
    for each in (lists, other):
        problem = make_problem(each, references, ["bleu"])
        found = Mert().weights(problem, Search.of(np.zeros(2), seed=3))
        choices.append(problem.choices(found).tolist())
    assert choices[0] == choices[1]


def test_more_restarts_are_never_worse_and_the_seed_decides() -> None:
    lists, references = small_lists(segments=15, features=4)
    problem = make_problem(lists, references, ["bleu"])

    def search(restarts: int) -> list[float]:
        found = Mert(restarts=restarts).weights(problem, Search.of(np.zeros(4), seed=5))
        return [float(weight) for weight in found]

    values = [problem.value(search(restarts)) for restarts in (0, 3, 10)]
    assert values == sorted(values)
    assert search(10) == search(10)


def test_a_search_stays_within_bounds() -> None:
    lists, references = small_lists(segments=15)
    problem = make_problem(lists, references, ["bleu"])
    low, high = np.array([0.5, 0.25]), np.array([0.75, 0.25])
    found = Mert().weights(problem, Search.of([0.5, 0.25], low, high, seed=1))
    assert 0.5 <= found[0] <= 0.75
    assert found[1] == 0.25
    ascent = ascend(problem, Mert(directions=0), Search.of(found, low, high))
    assert ascent.objective >= problem.value(found)


def test_random_starts_lie_between_minus_one_and_one_within_bounds() -> None:
    infinite = np.inf
    lower = np.array([-infinite, -0.5, 2.0, -infinite, 0.25])
    upper = np.array([infinite, 0.75, 5.0, -3.0, 0.25])
    low, high = restart_box(lower, upper)
    assert low.tolist() == [-1, -0.5, 2, -3, 0.25]
    assert high.tolist() == [1, 0.75, 2, -3, 0.25]


def test_starts_fill_the_box(monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[list[float]] = []

    def kept(problem: Problem, settings: Mert, search: Search, **options: Any) -> Ascent:
        starts.append(search.start.tolist())
        return ascend(problem, settings, search, **options)

    monkeypatch.setattr("truebleu.nbest.mert.ascend", kept)
    lists, references = small_lists(segments=3, features=2)
    problem = make_problem(lists, references, ["bleu"])
    Mert(restarts=200).weights(problem, Search.of([0.0, 0.0], [-np.inf, 0.5], seed=2))
    first, *drawn = starts
    assert first == [0.0, 0.0]
    free, bounded = np.array(drawn).T
    assert -1 <= free.min() < -0.95
    assert 0.95 < free.max() <= 1
    assert 0.5 <= bounded.min() < 0.55
    assert 0.95 < bounded.max() <= 1


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(SettingError, match="restarts"):
        Mert(restarts=-1)
    with pytest.raises(UnknownNameError, match="window"):
        Mert(window_kind="median")  # type: ignore[arg-type]
