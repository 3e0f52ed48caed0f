"""What is said and drawn of how often intervals cover."""

from __future__ import annotations

from truebleu.simulation import simulate
from truebleu.studies.coverage import CoverageResult, study_coverage

TEXTS = simulate(segments=120, systems=[0.1, 0.2, 0.3], references=2, seed=6)


def said(result: CoverageResult) -> tuple[str, ...]:
    return result.to_document().sentences


def test_samples_that_are_much_of_the_pool_are_said_to_be() -> None:
    result = study_coverage(TEXTS, sizes=[24], sampling="systematic", replicates=50)
    assert "20 % of the pool and have no unit twice: they vary by 11 % less" in said(result)[-1]
    assert len(said(study_coverage(TEXTS, sizes=[24], samples=5, replicates=50))) == 1


def test_the_chart_shows_no_more_intervals_than_can_be_told_from_one_another() -> None:
    result = study_coverage(TEXTS, sizes=[10], samples=60, replicates=40)
    assert [interval.sample for interval in result.intervals] == list(range(1, 51))
    assert [row.samples for row in result.rows] == [60]
