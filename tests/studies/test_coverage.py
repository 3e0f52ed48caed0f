"""Coverage: intervals that hold the pool's value, counted again and against theory."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.studies.columns import numbers
from truebleu.corpus import TestSet
from truebleu.errors import TruebleuError
from truebleu.execution.journal import Runner
from truebleu.metrics.function import FunctionMetric
from truebleu.metrics.registry import as_metrics
from truebleu.significance.compare import compare
from truebleu.simulation import simulate
from truebleu.studies.coverage import study_coverage

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = simulate(segments=120, systems=[0.1, 0.2, 0.3], references=2, seed=6)
VALUE = FunctionMetric(function=lambda output, _: float(output), name="value")


@pytest.mark.parametrize("interval", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("of", ["scores", "differences"])
def test_intervals_of_the_first_sample_are_those_of_compare(
    tmp_path: Path, interval: Any, of: Any
) -> None:
    options: dict[str, Any] = {"seed": 8, "interval": interval, "level": 0.9}
    journal = tmp_path / "journal"
    design: dict[str, Any] = {"sizes": [20], "draw": "block", "of": of, "samples": 200}
    study_coverage(TEXTS, ["bleu", "ter"], **design, runner=Runner(journal), **options)
    record = json.loads(journal.read_text().splitlines()[1])["record"]
    systems = {name: list(outputs)[:20] for name, outputs in TEXTS.systems.items()}
    references = tuple(list(text)[:20] for text in TEXTS.references)
    block = replace(TEXTS, systems=systems, references=references, documents=None, domains=None)
    expected = compare(block, metrics=["bleu", "ter"], replicates=200, **options)
    for label in ("BLEU", "TER"):
        # The systems stand in the order of their quality, and so pairs are those of compare.
        wanted = (
            [(one.score, one.interval) for one in (expected.systems[s][label] for s in systems)]
            if of == "scores"
            else [(p.difference, p.interval) for p in expected.comparisons if p.metric == label]
        )
        values, low, high = record[label]
        assert values == pytest.approx([value for value, _ in wanted], rel=1e-12)
        bounds = [bound for _, interval_ in wanted for bound in interval_]
        found = [bound for one in zip(low, high, strict=True) for bound in one]
        assert found == pytest.approx(bounds, rel=1e-12)


@pytest.mark.parametrize("of", ["scores", "differences"])
def test_shares_are_those_of_a_plain_count(tmp_path: Path, of: Any) -> None:
    journal = tmp_path / "journal"
    exhibit = study_coverage(
        TEXTS,
        ["bleu", "ter"],
        sizes=[10, 40],
        repetitions=20,
        samples=60,
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
            assert numbers(exhibit, "covered", metric=metric.name, size=size) == [np.mean(held)]
            assert numbers(exhibit, "intervals", metric=metric.name, size=size) == [len(held)]


def _normal_texts(systems: int) -> TestSet:
    values = np.random.default_rng(7).normal(size=(systems, 2000))
    texts = {f"s{number}": [f"{value:.9f}" for value in row] for number, row in enumerate(values)}
    return TestSet(systems=texts, references=(["x"] * 2000,), reference_names=("r",))


@pytest.mark.parametrize(("of", "level"), [("scores", 0.95), ("differences", 0.8)])
def test_intervals_of_means_cover_what_they_should(of: Any, level: float) -> None:
    exhibit = study_coverage(
        _normal_texts(6), [VALUE], sizes=[200], repetitions=400, samples=400, of=of, level=level
    )
    (covered,), (low,), (high,) = (numbers(exhibit, name) for name in ("covered", "low", "high"))
    assert low <= level <= high
    assert covered == pytest.approx(level, abs=0.02)
    assert "is within the error" in exhibit.findings[0]


def test_blocks_of_alike_segments_are_covered_too_seldom_and_documents_rightly() -> None:
    random = np.random.default_rng(1)
    values = np.repeat(random.normal(size=300), 10) + random.normal(size=3000)
    texts = TestSet(
        systems={"a": [f"{value:.9f}" for value in values]},
        references=(["x"] * 3000,),
        reference_names=("r",),
        documents=tuple(f"d{number // 10}" for number in range(3000)),
    )
    blocks = study_coverage(texts, [VALUE], sizes=[100], draw="block", samples=200)
    documents = study_coverage(
        texts, [VALUE], sizes=[60], unit="document", repetitions=200, samples=200
    )
    # The intervals are sqrt(5.5) times too narrow: 1.96 / 2.35 standard errors hold 60 %.
    assert numbers(blocks, "covered")[0] == pytest.approx(0.6, abs=0.25)
    assert "not 95 %" in blocks.findings[0]
    assert numbers(documents, "covered")[0] == pytest.approx(0.95, abs=0.05)


def test_what_few_segments_decide_is_covered_least_and_missed_on_one_side() -> None:
    values = np.random.default_rng(2).normal(size=(4, 2000))
    # Most samples of 100 have none of the eight, and their intervals lie below the truth.
    values[2, ::250] += 300.0
    texts = {f"s{number}": [f"{value:.9f}" for value in row] for number, row in enumerate(values)}
    pool = TestSet(systems=texts, references=(["x"] * 2000,), reference_names=("r",))
    exhibit = study_coverage(pool, [VALUE], sizes=[100], samples=200)
    (finding,) = exhibit.findings
    assert " Least covered is s2 with " in finding
    assert "% lie above, " in finding
    effects = values[2] - values[2].mean()
    skewness = (effects**3).mean() / effects.std() ** 3
    assert finding.endswith(f"has a skewness of {skewness:.1f}.")
    assert numbers(exhibit, "below")[0] > 0.1 > numbers(exhibit, "above")[0]


def test_a_score_that_never_varies_is_always_covered() -> None:
    texts = {"a": ["0.3"] * 50, "b": ["0.1"] * 50}
    pool = TestSet(systems=texts, references=(["x"] * 50,), reference_names=("r",))
    for of in ("scores", "differences"):
        exhibit = study_coverage(pool, [VALUE], sizes=[10], repetitions=5, samples=50, of=of)
        assert (numbers(exhibit, "covered"), numbers(exhibit, "width")) == ([1.0], [0.0])


def test_samples_that_are_much_of_the_pool_are_said_to_be() -> None:
    exhibit = study_coverage(TEXTS, sizes=[24], draw="systematic", samples=50)
    assert "20 % of the pool and have no unit twice: they vary by 11 % less" in exhibit.findings[-1]
    assert len(study_coverage(TEXTS, sizes=[24], repetitions=5, samples=50).findings) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sizes": [121]}, "no more than the pool has: 120"),
        ({"sizes": [60], "draw": "block"}, "at most 24 for 5 block samples"),
        ({"repetitions": 4}, "repetitions: found 4, expected at least 5"),
        ({"samples": 39}, "replicates: found 39, expected at least 40"),
        ({"level": 0.0}, "level: found 0.0"),
        ({"interval": "exact"}, "unknown interval 'exact'"),
        ({"interval": "student"}, "interval student: found 'BLEU'"),
        ({"of": "ranks"}, "unknown of 'ranks'"),
    ],
)
def test_what_says_nothing_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TruebleuError, match=said):
        study_coverage(TEXTS, **options)


def test_differences_need_two_systems() -> None:
    with pytest.raises(TruebleuError, match="systems: found 1, expected at least 2"):
        study_coverage(simulate(segments=50, systems=[0.1]), of="differences")


def test_the_chart_shows_no_more_intervals_than_can_be_told_from_one_another() -> None:
    exhibit = study_coverage(TEXTS, sizes=[10], repetitions=60, samples=40)
    assert exhibit.plot_rows is not None
    assert [row["sample"] for row in exhibit.plot_rows] == list(range(1, 51))
    assert numbers(exhibit, "samples") == [60]
