"""Claims about ranks of systems by human scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from truebleu.agreement.ranking import PROCEDURES, Procedure, rank_systems, stouffer
from truebleu.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from truebleu.resampling import Values


def graded_scores(seed: int, gap: float, systems: int = 4, segments: int = 60) -> Values:
    """Each system worse than the one before by a gap, in noise of standard deviation 1."""
    noise = np.random.default_rng(seed).normal(size=(systems, segments))
    return noise - gap * np.arange(systems)[:, np.newaxis]


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_systems_far_apart_have_a_cluster_each(procedure: Procedure) -> None:
    ranking = rank_systems(["a", "b", "c", "d"], graded_scores(1, 3), procedure=procedure)
    assert [system.name for system in ranking.systems] == ["a", "b", "c", "d"]
    assert [system.cluster for system in ranking.systems] == [1, 2, 3, 4]
    assert [system.rank_range for system in ranking.systems] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert [system.wins for system in ranking.systems] == [3, 2, 1, 0]


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_copies_of_one_system_share_a_cluster(procedure: Procedure) -> None:
    scores = np.tile(graded_scores(2, 0, systems=1), (3, 1))
    ranking = rank_systems(["a", "b", "c"], scores, procedure=procedure)
    assert {system.cluster for system in ranking.systems} == {1}
    assert {system.rank_range for system in ranking.systems} == {(1, 3)}


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_relabelling_changes_nothing_but_the_labels(procedure: Procedure) -> None:
    scores = graded_scores(3, 0.3)
    one = rank_systems(list("abcd"), scores, procedure=procedure)
    segments = np.random.default_rng(3).permutation(60)
    other = rank_systems(list("dcba"), scores[::-1][:, segments], procedure=procedure)
    assert [s.name for s in one.systems] == [s.name for s in other.systems]
    assert [(s.rank_range, s.cluster) for s in one.systems] == [
        (s.rank_range, s.cluster) for s in other.systems
    ]


def test_only_segments_rated_for_both_are_tested() -> None:
    scores = graded_scores(4, 0.2, systems=2)
    scores[0, :20] = np.nan
    scores[1, 50:] = np.nan
    ranking = rank_systems(["a", "b"], scores, procedure="wmt25")
    both = slice(20, 50)
    expected = stats.wilcoxon(scores[0, both], scores[1, both], alternative="greater").pvalue
    first = [system.name for system in ranking.systems].index("a")
    assert ranking.p_values[first][1 - first] == pytest.approx(expected, abs=1e-12)


def test_domains_weigh_alike_and_are_combined_by_stouffer() -> None:
    scores = graded_scores(5, 0.4, systems=2, segments=60)
    domains = ["news"] * 40 + ["speech"] * 20
    ranking = rank_systems(["a", "b"], scores, procedure="wmt24", domains=domains)
    parts = [slice(0, 40), slice(40, 60)]
    tests = [stats.wilcoxon(scores[0, part], scores[1, part]).pvalue for part in parts]
    expected = stats.combine_pvalues(tests, method="stouffer").pvalue
    assert ranking.p_values[0][1] == pytest.approx(expected, abs=1e-12)
    means = [float(np.mean([row[part].mean() for part in parts])) for row in scores]
    assert {s.name: s.mean for s in ranking.systems} == pytest.approx(
        dict(zip("ab", means, strict=True))
    )


def test_a_domain_without_a_difference_says_nothing() -> None:
    scores = graded_scores(6, 0.4, systems=2, segments=60)
    scores[1, 40:] = scores[0, 40:]
    domains = ["news"] * 40 + ["speech"] * 20
    ranking = rank_systems(["a", "b"], scores, procedure="wmt24", domains=domains)
    alone = stats.wilcoxon(scores[0, :40], scores[1, :40]).pvalue
    assert ranking.p_values[0][1] == pytest.approx(alone, abs=1e-12)


def test_p_values_without_a_finite_quantile_still_combine() -> None:
    assert stouffer([1.0, 0.001]) == 1
    assert stouffer([0.0, 0.3]) == 0
    assert stouffer([0.2]) == 0.2


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_systems_that_share_no_segment_are_not_told_apart(procedure: Procedure) -> None:
    scores = graded_scores(7, 5, systems=2)
    scores[0, :30] = np.nan
    scores[1, 30:] = np.nan
    ranking = rank_systems(["a", "b"], scores, procedure=procedure)
    assert ranking.p_values == ((None, None), (None, None))
    assert [system.cluster for system in ranking.systems] == [1, 1]


def test_an_unrated_system_has_no_rank() -> None:
    scores = graded_scores(8, 1, systems=3)
    scores[1] = np.nan
    ranking = rank_systems(["a", "b", "c"], scores)
    assert ranking.unrated == ("b",)
    assert [system.name for system in ranking.systems] == ["a", "c"]


def test_arguments_that_do_not_fit_raise() -> None:
    scores = graded_scores(9, 1, systems=2)
    with pytest.raises(UnknownNameError, match="procedure"):
        rank_systems(["a", "b"], scores, procedure="wmt19")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="one for each of 2 rows"):
        rank_systems(["a"], scores)
    with pytest.raises(SettingError, match="at least two"):
        rank_systems(["a"], scores[:1])
    with pytest.raises(SettingError, match="one for each of 60 segments"):
        rank_systems(["a", "b"], scores, procedure="wmt24", domains=["news"])
    with pytest.raises(SettingError, match="pools all domains"):
        rank_systems(["a", "b"], scores, procedure="wmt25", domains=["news"] * 60)
