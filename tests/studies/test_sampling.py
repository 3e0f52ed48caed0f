"""Sampling: the spread over blocks and systematic samples, counted again from the texts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import ANY

import numpy as np
import pytest
from scipy.stats import chi2

from truebleu.corpus import TestSet
from truebleu.errors import TruebleuError
from truebleu.metrics.function import FunctionMetric
from truebleu.metrics.registry import as_metrics
from truebleu.simulation import simulate
from truebleu.studies import StudyResult, study_sampling
from truebleu.studies.sampling import Quantities, design_effect, mean_variation, standard_deviation

TEXTS = simulate(segments=120, systems=[0.3, 0.2, 0.1], references=2, seed=6)
VALUE = FunctionMetric(function=lambda output, _: float(output), name="value")


def sampling_row(result: StudyResult, of: str, size: int, metric: str = "BLEU") -> dict[str, Any]:
    """The row of a system, a pair or a mean."""
    (row,) = [
        row for row in result.rows if (row["of"], row["size"], row["metric"]) == (of, size, metric)
    ]
    return row


def _score(metric: str, system: str, units: range) -> float:
    (one,) = as_metrics([metric])
    texts = [TEXTS.systems[system], *TEXTS.references]
    output, *references = ([text[unit] for unit in units] for text in texts)
    return float(one.corpus(output, references).score)


@pytest.mark.parametrize(("metric", "label", "sign"), [("bleu", "BLEU", 1), ("ter", "TER", -1)])
def test_ranges_and_deviations_equal_scores_of_the_texts(
    metric: str, label: str, sign: int
) -> None:
    result = study_sampling(TEXTS, [metric], sizes=[20, 24])
    for size in (20, 24):
        count = 120 // size
        units = {
            "block": [range(number * size, (number + 1) * size) for number in range(count)],
            "systematic": [range(number, 120, count) for number in range(count)],
        }
        for sampling, samples in units.items():
            best, second = (
                np.array([_score(metric, system, sample) for sample in samples])
                for system in ("system-3", "system-2")
            )
            for of, values in (
                ("system-3", best),
                ("system-3 against system-2", sign * (best - second)),
            ):
                row = sampling_row(result, of, size, label)
                spread = [row[f"{sampling}_{name}"] for name in ("low", "high", "sd")]
                assert spread == pytest.approx([values.min(), values.max(), values.std(ddof=1)])
                assert row["samples"] == count


def _values(values: np.ndarray[Any, Any]) -> TestSet:
    """One system, whose segments score so."""
    systems = {"a": [f"{value:.9f}" for value in values]}
    return TestSet(systems=systems, references=(["x"] * len(values),), reference_names=("r",))


def test_the_spread_of_independent_units_agrees_with_theory() -> None:
    values = np.random.default_rng(0).gamma(2, size=1000)
    result = study_sampling(_values(values), [VALUE], sizes=[25, 100], independent=2000)
    for size in (25, 100):
        row = sampling_row(result, "a", size, "value")
        # Five standard errors of a deviation from 2,000 samples.
        assert row["independent_sd"] == pytest.approx(values.std() / size**0.5, rel=0.08)


def test_the_design_effects_of_random_order_are_about_1() -> None:
    values = np.random.default_rng(4).normal(size=6000)
    row = sampling_row(study_sampling(_values(values), [VALUE], sizes=[30]), "a", 30, "value")
    for cut in ("block", "systematic"):
        # Five standard errors of a variance of 200 samples.
        assert row[f"{cut}_effect"] == pytest.approx(1, abs=0.5)
        assert row[f"{cut}_effect_low"] < 1 < row[f"{cut}_effect_high"]


@pytest.mark.slow
def test_similar_neighbours_raise_the_design_effect_of_blocks() -> None:
    random = np.random.default_rng(4)
    # Ten segments of each document have its mean; within and between documents the variance is 1,
    # so the design effect of a whole document is 1 + 9 / 2.
    values = np.repeat(random.normal(size=3000), 10) + random.normal(size=30_000)
    row = sampling_row(study_sampling(_values(values), [VALUE], sizes=[10]), "a", 10, "value")
    assert row["block_effect"] == pytest.approx(5.5, rel=0.15)
    # Sorted, systematic samples are nearly the same, and blocks could not differ more.
    row = sampling_row(
        study_sampling(_values(np.sort(values)), [VALUE], sizes=[100]), "a", 100, "value"
    )
    assert row["block_effect"] > 90
    assert row["systematic_effect"] < 0.1


def test_one_system_has_no_differences() -> None:
    alone = replace(TEXTS, systems={"a": TEXTS.systems["system-1"]})
    result = study_sampling(alone, sizes=[20])
    assert [(row["of"], row["kind"]) for row in result.rows] == [("a", "score")]


def test_a_system_that_never_varies_has_no_design_effect() -> None:
    result = study_sampling(_values(np.full(100, 0.3)), [VALUE], sizes=[10])
    row = sampling_row(result, "a", 10, "value")
    assert (row["block_sd"], row["block_effect"], row["block_effect_low"]) == (0, None, None)
    assert (
        result.to_document().sentences[0].endswith("without variation there is no design effect.")
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sizes": [30]}, "size: 30; expected at most 24 for 5 block samples"),
        ({"sizes": [121]}, "at most 120, the size of the pool"),
        ({"samples": 4}, "samples: 4; expected a whole number from 5"),
        ({"independent": 99}, "independent: 99; expected a whole number from 100"),
        ({"independent": 2.5}, "independent: 2.5"),
        ({"figure": "both"}, "unknown figure 'both'"),
        ({"seed": "1"}, "seed: '1'"),
    ],
)
def test_invalid_settings_are_rejected_before_any_work(
    options: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truebleu.studies._study.Pool.take", pytest.fail)
    with pytest.raises(TruebleuError, match=said):
        study_sampling(TEXTS, **options)


def test_a_pool_too_small_for_five_samples_is_refused() -> None:
    with pytest.raises(TruebleuError, match="'9 units'; expected at least 10: 5 samples of 2"):
        study_sampling(simulate(segments=9, systems=[0.1]))
    with pytest.raises(TruebleuError, match="systems: 1; expected at least 2"):
        study_sampling(simulate(segments=20, systems=[0.1]), figure="differences")


# Standard deviations, design effects and their errors.


def over(values: list[float], independent: list[float]) -> dict[str, Any]:
    sds = (standard_deviation(np.array(numbers)) for numbers in (values, independent))
    sd, independent_sd = sds
    return design_effect("block", sd, len(values), independent_sd)


@pytest.mark.parametrize("samples", [5, 10, 100, 3000])
def test_intervals_of_the_design_effect_are_by_chi_square(samples: int) -> None:
    values = np.random.default_rng(1).normal(size=samples)
    row = design_effect("block", standard_deviation(values), samples, 0.5)
    assert row["block_effect"] == pytest.approx(values.var(ddof=1) / 0.25)
    bounds = [
        row["block_effect"] * (samples - 1) / chi2.ppf(share, samples - 1)
        for share in (0.975, 0.025)
    ]
    assert [row["block_effect_low"], row["block_effect_high"]] == pytest.approx(bounds, rel=1e-9)


def test_a_design_effect_is_a_ratio_of_variances() -> None:
    block = over([1, 3, 5], [0.0, 1, 2])
    assert (block["block_sd"], block["block_effect"]) == (2, 4)
    assert over([2, 3, 4], [0.0, 1, 2])["block_effect"] == 1


def test_intervals_of_the_design_effect_have_their_coverage() -> None:
    random = np.random.default_rng(2)
    held = 0
    for _ in range(1000):
        block, _ = random.normal(0, 3, size=(2, 12))
        row = over(block.tolist(), random.normal(size=4000).tolist())
        held += row["block_effect_low"] <= 9 <= row["block_effect_high"]
    assert 0.93 < held / 1000 < 0.97


def test_constant_scores_have_no_design_effect() -> None:
    same = [0.1 + 0.2] * 5
    row = over(same, same)
    assert row["block_sd"] == 0
    assert [row[f"block_effect{end}"] for end in ("", "_low", "_high")] == [None] * 3


def test_the_mean_averages_variances() -> None:
    result = study_sampling(TEXTS, sizes=[20])
    pair = [
        {
            **result.rows[0],
            **over([0, high], [0, 2.0]),
            "independent_sd": 2**0.5,
        }
        for high in (6.0, 8.0)
    ]
    mean = mean_variation(pair)
    assert mean["block_sd"] ** 2 == pytest.approx((18 + 32) / 2)
    assert mean["block_effect"] == pytest.approx(25 / 2)
    assert (mean["of"], "pool" in mean) == ("mean of scores", False)
    assert sampling_row(result, "mean of scores", 20)["samples"] == 6


def test_sentences_have_the_effective_sample_size_of_a_block() -> None:
    result = study_sampling(TEXTS, sizes=[20])
    worth = 20 / sampling_row(result, "mean of scores", 20)["block_effect"]
    scores, differences = result.sentences
    assert f"The effective sample size of a block of 20 segments is {worth:,.0f} (" in scores
    assert "differences have" in differences


@pytest.mark.parametrize(
    ("figure", "of"),
    [("scores", "system-3"), ("differences", "system-3 against system-2")],
)
def test_the_chart_shows_blocks_and_systematic_samples(figure: Any, of: str) -> None:
    result = study_sampling(TEXTS, sizes=[6, 12, 20], figure=figure)
    rows = result.to_document().charts[0].table.rows
    panels = list(dict.fromkeys(row["case"] for row in rows))
    assert panels == [f"BLEU of {of}, {kind} of 12" for kind in ("blocks", "systematic samples")]
    blocks = [row["score"] for row in rows if row["case"] == panels[0]]
    row = sampling_row(result, of, 12)
    assert np.array(blocks, dtype=float).max() == row["block_high"]
    assert rows[0]["pool"] == row["pool"]


def test_differences_are_improvements() -> None:
    scores = [[30.0, 20.0], [10.0, 20.0]]
    assert Quantities(ANY, [0], []).of(scores, -1).tolist() == [[30], [10]]
    assert Quantities(ANY, [0], [(0, 1)]).of(scores, 1).tolist() == [[30, 10], [10, -10]]
    assert Quantities(ANY, [0], [(0, 1)]).of(scores, -1).tolist() == [[30, -10], [10, 10]]


@pytest.mark.parametrize(("size", "drawn"), [(30, 30), (33, 20)])
def test_points_are_drawn_of_at_least_ten_samples(size: int, drawn: int) -> None:
    texts = simulate(segments=300, systems=[0.3], seed=6)
    result = study_sampling(texts, ["chrf"], sizes=[20, size], independent=100)
    assert {row["case"].rpartition(" ")[2] for row in result.chart_rows} == {str(drawn)}
