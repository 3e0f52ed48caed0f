"""Coverage: intervals that hold the pool's value, counted again and against theory."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from truebleu.corpus import TestSet
from truebleu.errors import TruebleuError
from truebleu.execution.journal import Runner
from truebleu.metrics.function import FunctionMetric
from truebleu.metrics.registry import as_metrics
from truebleu.resampling import Bootstrap, Units
from truebleu.significance.compare import compare
from truebleu.significance.intervals import percentile_interval
from truebleu.significance.replicates import bootstrap_scores
from truebleu.simulation import simulate
from truebleu.studies import StudyResult, study_coverage
from truebleu.studies._study import Pool

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = simulate(segments=120, systems=[0.1, 0.2, 0.3], references=2, seed=6)
VALUE = FunctionMetric(function=lambda output, _: float(output), name="value")


def said(result: StudyResult) -> tuple[str, ...]:
    return result.to_document().sentences


def first_block(tmp_path: Path, **options: Any) -> tuple[TestSet, dict[str, Any]]:
    """The first of the blocks of 20 segments, and what the study recorded of it."""
    journal = tmp_path / "journal"
    design: dict[str, Any] = {"sizes": [20], "sampling": "block", "replicates": 200}
    study_coverage(TEXTS, ["bleu", "ter"], **design, runner=Runner(journal), **options)
    record = json.loads(journal.read_text().splitlines()[1])["record"]
    return replace(TEXTS.part(range(20)), documents=None, domains=None), record


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_intervals_of_the_first_sample_equal_compare(tmp_path: Path, interval: Any) -> None:
    options: dict[str, Any] = {"seed": 8, "interval": interval, "level": 0.9}
    block, record = first_block(tmp_path, **options)
    compared = compare(block, metrics=["bleu", "ter"], replicates=200, **options)
    for label in ("BLEU", "TER"):
        systems = [compared.systems[name][label] for name in block.systems]
        values, low, high = record[label]
        assert values == pytest.approx([system.score for system in systems], rel=1e-12)
        bounds = [system.interval for system in systems]
        expected = np.array(bounds, dtype=float)
        np.testing.assert_allclose(list(zip(low, high, strict=True)), expected, rtol=1e-12)


def test_intervals_of_differences_are_quantiles_of_the_replicates(tmp_path: Path) -> None:
    block, record = first_block(tmp_path, of="differences", level=0.9, seed=8)
    for statistics in Pool.of(block, ["bleu", "ter"]).statistics:
        bootstrap = Bootstrap(replicates=200, seed=8)
        (scores,) = bootstrap_scores([statistics], Units.segments(20), bootstrap)
        values, low, high = record[statistics.label]
        # The systems stand in the order of their quality.
        for place, (a, b) in enumerate(combinations(range(3), 2)):
            assert values[place] == pytest.approx(statistics.scores[a] - statistics.scores[b])
            bounds = percentile_interval(scores[:, a] - scores[:, b], 0.9)
            assert (low[place], high[place]) == pytest.approx(bounds, rel=1e-12)


@pytest.mark.parametrize("of", ["scores", "differences"])
def test_shares_equal_a_plain_count(tmp_path: Path, of: Any) -> None:
    journal = tmp_path / "journal"
    result = study_coverage(
        TEXTS,
        ["bleu", "ter"],
        sizes=[10, 40],
        samples=20,
        replicates=60,
        of=of,
        runner=Runner(journal),
    )
    lines = [json.loads(line) for line in journal.read_text().splitlines()[1:]]
    for metric in as_metrics(["bleu", "ter"]):
        scores = {
            name: metric.corpus(text, TEXTS.references).score
            for name, text in TEXTS.systems.items()
        }
        truth = list(scores.values())
        if of == "differences":
            truth = [scores[a] - scores[b] for a, b in combinations(scores, 2)]
        for size in (10, 40):
            held = [
                low - 1e-9 <= value <= high + 1e-9
                for line in lines
                if line["key"][0] == size
                for value, low, high in zip(truth, *line["record"][metric.name][1:], strict=True)
            ]
            (row,) = [r for r in result.rows if (r["metric"], r["size"]) == (metric.name, size)]
            assert row["coverage"] == np.mean(held)
            assert row["intervals"] == len(held)


def _normal_texts(systems: int) -> TestSet:
    values = np.random.default_rng(7).normal(size=(systems, 2000))
    texts = {f"s{number}": [f"{value:.9f}" for value in row] for number, row in enumerate(values)}
    return TestSet(systems=texts, references=(["x"] * 2000,), reference_names=("r",))


@pytest.mark.slow
@pytest.mark.parametrize(("of", "level"), [("scores", 0.95), ("differences", 0.8)])
def test_intervals_of_means_have_their_coverage(of: Any, level: float) -> None:
    result = study_coverage(
        _normal_texts(6), [VALUE], sizes=[200], samples=400, replicates=400, of=of, level=level
    )
    (row,) = result.rows
    assert row["coverage_low"] <= level <= row["coverage_high"]
    assert row["coverage"] == pytest.approx(level, abs=0.02)
    within = max(level - row["coverage_low"], row["coverage_high"] - level)
    equal = f"equals {100 * level:g} % within {100 * within:.1f} points"
    assert (equal if within <= 0.05 else "cannot be told from") in said(result)[0]


@pytest.mark.slow
def test_intervals_of_blocks_undercover_and_of_documents_do_not() -> None:
    random = np.random.default_rng(1)
    values = np.repeat(random.normal(size=300), 10) + random.normal(size=3000)
    texts = TestSet(
        systems={"a": [f"{value:.9f}" for value in values]},
        references=(["x"] * 3000,),
        reference_names=("r",),
        documents=tuple(f"d{number // 10}" for number in range(3000)),
    )
    blocks = study_coverage(texts, [VALUE], sizes=[100], sampling="block", replicates=200)
    documents = study_coverage(
        texts, [VALUE], sizes=[60], unit="document", samples=200, replicates=200
    )
    # The intervals are sqrt(5.5) times too narrow: 1.96 / 2.35 standard errors hold 60 %.
    assert blocks.rows[0]["coverage"] == pytest.approx(0.6, abs=0.25)
    assert "differs significantly from 95 %" in said(blocks)[0]
    assert documents.rows[0]["coverage"] == pytest.approx(0.95, abs=0.05)


def test_scores_of_few_segments_have_the_lowest_coverage() -> None:
    values = np.random.default_rng(2).normal(size=(4, 2000))
    # Most samples of 100 have none of the eight, and their intervals lie below the truth.
    values[2, ::250] += 300.0
    texts = {f"s{number}": [f"{value:.9f}" for value in row] for number, row in enumerate(values)}
    pool = TestSet(systems=texts, references=(["x"] * 2000,), reference_names=("r",))
    result = study_coverage(pool, [VALUE], sizes=[100], replicates=200)
    (sentence,) = said(result)
    (row,) = result.rows
    assert row["least"] == "s2"
    assert row["least_coverage"] < row["coverage"]
    assert " Coverage is lowest for s2 (" in sentence
    assert row["below"] > 0.1 > row["above"]


def test_a_score_that_never_varies_is_always_covered() -> None:
    texts = {"a": ["0.3"] * 50, "b": ["0.1"] * 50}
    pool = TestSet(systems=texts, references=(["x"] * 50,), reference_names=("r",))
    for of in ("scores", "differences"):
        result = study_coverage(pool, [VALUE], sizes=[10], samples=5, replicates=50, of=of)
        assert [(row["coverage"], row["width"]) for row in result.rows] == [(1.0, 0.0)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sizes": [121]}, "at most 120, the size of the pool"),
        ({"sizes": [60], "sampling": "block"}, "at most 24 for 5 block samples"),
        ({"samples": 4}, "samples: 4; expected a whole number from 5"),
        ({"replicates": 39}, "replicates: 39; expected at least 40"),
        ({"level": 0.0}, "level: 0.0"),
        ({"interval": "exact"}, "unknown interval 'exact'"),
        ({"interval": "student"}, "interval student: 'BLEU'"),
        ({"of": "ranks"}, "unknown of 'ranks'"),
    ],
)
def test_invalid_settings_are_rejected(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TruebleuError, match=said):
        study_coverage(TEXTS, **options)


def test_differences_need_two_systems() -> None:
    with pytest.raises(TruebleuError, match="systems: 1; expected at least 2"):
        study_coverage(simulate(segments=50, systems=[0.1]), of="differences")


def test_large_samples_of_the_pool_give_a_warning() -> None:
    result = study_coverage(TEXTS, sizes=[24], sampling="systematic", replicates=50)
    assert "20 % of the pool and have no unit twice: they vary by 11 % less" in said(result)[-1]
    assert len(said(study_coverage(TEXTS, sizes=[24], samples=5, replicates=50))) == 1


def test_the_chart_shows_at_most_50_intervals() -> None:
    result = study_coverage(TEXTS, sizes=[10], samples=60, replicates=40)
    assert [row["sample"] for row in result.chart_rows or ()] == list(range(1, 51))
    assert [row["samples"] for row in result.rows] == [60]


@pytest.mark.parametrize(("size", "noted"), [(5, False), (6, True)])
def test_samples_of_more_than_a_twentieth_of_the_pool_are_noted(size: int, noted: bool) -> None:
    texts = simulate(segments=100, systems=[0.3], seed=6)
    result = study_coverage(
        texts, ["chrf"], sizes=[size], sampling="random", samples=5, replicates=100
    )
    assert any("The largest samples are" in sentence for sentence in said(result)) == noted
