"""Sampling: the spread over blocks and systematic samples, counted again from the texts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from truebleu.corpus import TestSet
from truebleu.errors import TruebleuError
from truebleu.metrics.function import FunctionMetric
from truebleu.metrics.registry import as_metrics
from truebleu.simulation import simulate
from truebleu.studies.sampling import study_sampling

if TYPE_CHECKING:
    from truebleu.exhibits import Exhibit, Row

TEXTS = simulate(segments=120, systems=[0.3, 0.2, 0.1], references=2, seed=6)
VALUE = FunctionMetric(function=lambda output, _: float(output), name="value")


def row_of(exhibit: Exhibit, name: str, size: int, metric: str = "BLEU") -> Row:
    (row,) = [
        row
        for row in exhibit.rows
        if (row["of"], row["size"], row["metric"]) == (name, size, metric)
    ]
    return row


def _score(metric: str, system: str, units: range) -> float:
    (one,) = as_metrics([metric])
    texts = [TEXTS.systems[system], *TEXTS.references]
    output, *references = ([text[unit] for unit in units] for text in texts)
    return float(one.corpus(output, references).score)


@pytest.mark.parametrize(("metric", "label", "sign"), [("bleu", "BLEU", 1), ("ter", "TER", -1)])
def test_ranges_and_deviations_are_those_of_the_texts(metric: str, label: str, sign: int) -> None:
    exhibit = study_sampling(TEXTS, [metric], sizes=[20, 24])
    for size in (20, 24):
        count = 120 // size
        units = {
            "block": [range(number * size, (number + 1) * size) for number in range(count)],
            "systematic": [range(number, 120, count) for number in range(count)],
        }
        for draw, samples in units.items():
            best, second = (
                np.array([_score(metric, system, sample) for sample in samples])
                for system in ("system-3", "system-2")
            )
            for name, values in (
                ("system-3", best),
                ("system-3 against system-2", sign * (best - second)),
            ):
                row = row_of(exhibit, name, size, label)
                found = [row[f"{draw}_low"], row[f"{draw}_high"], row[f"{draw}_sd"]]
                assert found == pytest.approx([values.min(), values.max(), values.std(ddof=1)])
                assert row["samples"] == count


def _values(values: np.ndarray[Any, Any]) -> TestSet:
    """One system, whose segments score so."""
    systems = {"a": [f"{value:.9f}" for value in values]}
    return TestSet(systems=systems, references=(["x"] * len(values),), reference_names=("r",))


def test_the_spread_of_independent_units_is_that_of_theory() -> None:
    values = np.random.default_rng(0).gamma(2, size=1000)
    exhibit = study_sampling(_values(values), [VALUE], sizes=[25, 100], samples=2000)
    for size in (25, 100):
        row = row_of(exhibit, "a", size, "value")
        # Five standard errors of a deviation from 2,000 samples.
        assert row["independent_sd"] == pytest.approx(values.std() / size**0.5, rel=0.08)


def test_in_random_order_the_design_effects_are_about_1() -> None:
    values = np.random.default_rng(4).normal(size=6000)
    row = row_of(study_sampling(_values(values), [VALUE], sizes=[30]), "a", 30, "value")
    for draw in ("block", "systematic"):
        # Five standard errors of a variance of 200 samples.
        assert row[f"{draw}_effect"] == pytest.approx(1, abs=0.5)
        low, high = row[f"{draw}_effect_low"], row[f"{draw}_effect_high"]
        assert isinstance(low, float)
        assert isinstance(high, float)
        assert low < 1 < high


def test_where_neighbours_are_alike_blocks_spread_more_and_systematic_samples_less() -> None:
    random = np.random.default_rng(4)
    # Ten segments of each document have its mean; within and between documents the variance is 1,
    # so the design effect of a whole document is 1 + 9 / 2.
    values = np.repeat(random.normal(size=3000), 10) + random.normal(size=30_000)
    row = row_of(study_sampling(_values(values), [VALUE], sizes=[10]), "a", 10, "value")
    assert row["block_effect"] == pytest.approx(5.5, rel=0.15)
    # Sorted, systematic samples are nearly the same, and blocks could not differ more.
    row = row_of(study_sampling(_values(np.sort(values)), [VALUE], sizes=[100]), "a", 100, "value")
    assert float(row["block_effect"] or 0) > 90
    assert float(row["systematic_effect"] or 0) < 0.1


def test_findings_say_what_a_block_is_worth() -> None:
    exhibit = study_sampling(TEXTS, sizes=[20])
    mean = row_of(exhibit, "mean of scores", 20)
    worth = 20 / float(mean["block_effect"] or 0)
    assert f"A block of 20 is worth {worth:,.0f} independent segments" in exhibit.findings[0]
    assert "differences spread" in exhibit.findings[1]


def test_the_chart_shows_blocks_beside_systematic_samples() -> None:
    for shown, name in (("scores", "system-3"), ("differences", "system-3 against system-2")):
        exhibit = study_sampling(TEXTS, sizes=[6, 12, 20], shown=shown)  # type: ignore[arg-type]
        assert exhibit.plot_rows is not None
        panels = list(dict.fromkeys(row["kind"] for row in exhibit.plot_rows))
        assert panels == [
            f"BLEU of {name}, {kind} of 12" for kind in ("blocks", "systematic samples")
        ]
        blocks = [row["score"] for row in exhibit.plot_rows if row["kind"] == panels[0]]
        row = row_of(exhibit, name, 12)
        assert np.array(blocks, dtype=float).max() == row["block_high"]
        assert exhibit.plot_rows[0]["whole"] == row["pool"]


def test_one_system_has_no_differences() -> None:
    alone = replace(TEXTS, systems={"a": TEXTS.systems["system-1"]})
    exhibit = study_sampling(alone, sizes=[20])
    assert [row["of"] for row in exhibit.rows] == ["a"]


def test_a_system_that_never_varies_has_no_design_effect() -> None:
    exhibit = study_sampling(_values(np.full(100, 0.3)), [VALUE], sizes=[10])
    row = row_of(exhibit, "a", 10, "value")
    assert (row["block_sd"], row["block_effect"], row["block_effect_low"]) == (0, None, None)
    assert exhibit.findings[0].endswith("what does not vary has no design effect.")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sizes": [30]}, "size: found 30, expected at most 24 for 5 block samples"),
        ({"sizes": [121]}, "no more than the pool has: 120"),
        ({"sizes": []}, "sizes: found 'none'"),
        ({"repetitions": 4}, "repetitions: found 4, expected at least 5"),
        ({"samples": 99}, "samples: found 99, expected at least 100"),
        ({"samples": 2.5}, "samples: found 2.5"),
        ({"shown": "both"}, "unknown shown 'both'"),
        ({"baseline": "b"}, "unknown baseline 'b'"),
        ({"seed": "1"}, "seed: found '1'"),
    ],
)
def test_what_says_nothing_is_refused_before_any_work(
    options: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truebleu.studies._pool.Pool.take", pytest.fail)
    with pytest.raises(TruebleuError, match=said):
        study_sampling(TEXTS, **options)


def test_a_pool_too_small_for_five_samples_is_refused() -> None:
    with pytest.raises(
        TruebleuError, match="found '9 units', expected at least 10: 5 samples of 2"
    ):
        study_sampling(simulate(segments=9, systems=[0.1]))
    with pytest.raises(TruebleuError, match="systems: found 1, expected at least 2"):
        study_sampling(simulate(segments=20, systems=[0.1]), shown="differences")
