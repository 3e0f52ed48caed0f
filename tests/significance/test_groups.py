"""Scores and comparisons by groups of segments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from truebleu import TestSet, compare, explain, score
from truebleu.counts.inputs import counts_of
from truebleu.errors import SettingError, UnpairedSegmentsError
from truebleu.significance.corrections import adjust
from truebleu.significance.groups import heterogeneity_of_groups, segment_groups
from truebleu.significance.settings import CompareSettings
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from numpy.typing import NDArray

SYSTEMS = {"good": Channel.at_rate(0.1), "fair": Channel.at_rate(0.14), "bad": Channel.at_rate(0.3)}
LABELS = tuple("news" if place % 3 else "talks" for place in range(120))


@pytest.fixture(scope="module")
def texts() -> TestSet:
    plain = simulate(segments=120, systems=SYSTEMS, seed=3)
    return TestSet(systems=plain.systems, references=plain.references)


def part(texts: TestSet, label: str) -> TestSet:
    return texts.part([place for place, other in enumerate(LABELS) if other == label])


def test_p_values_of_single_groups_are_adjusted_over_all_groups(texts: TestSet) -> None:
    found = compare(texts, by={"kind": LABELS}, replicates=600)
    alone = [
        compare(part(texts, label), replicates=600, correction="none")
        for label in ("talks", "news")
    ]
    p = [pair.p for comparison in alone for pair in comparison.comparisons]
    grouped = [pair for group in found.groups for pair in group.comparisons]
    assert [pair.p for pair in grouped] == p
    assert [pair.p_adjusted for pair in grouped] == adjust(np.array(p), "holm").tolist()
    assert [pair.significant for pair in grouped] == [pair.p_adjusted <= 0.05 for pair in grouped]
    assert found.comparisons == compare(texts, replicates=600).comparisons


def test_intervals_of_scores_of_all_groups_hold_together(texts: TestSet) -> None:
    scores = score(texts, by={"kind": LABELS}, confidence=True, replicates=600)
    alone = score(part(texts, "news"), level=0.95**0.5, confidence=True, replicates=600)
    assert scores.groups[1].systems == alone.systems


def test_intervals_of_differences_in_a_group_equal_a_comparison_of_the_group(
    texts: TestSet,
) -> None:
    comparison = compare(texts, by={"kind": LABELS}, replicates=600)
    each = compare(part(texts, "news"), replicates=600, correction="none")
    assert [pair.uncorrected_interval for pair in comparison.groups[1].comparisons] == [
        pair.interval for pair in each.comparisons
    ]


def test_small_groups_are_scored_and_not_tested(texts: TestSet) -> None:
    labels = ["few" if place < 9 else "many" for place in range(120)]
    few, many = compare(texts, by={"size": labels}, replicates=600).groups
    assert (few.units, few.comparisons) == (9, ())
    assert few.systems["good"]["BLEU"] == score(texts.part(range(9)))["good"]["BLEU"].score
    assert len(many.comparisons) == 3


@pytest.mark.parametrize("replicates", [None, 600])
def test_groups_that_are_all_small_are_scored_and_not_tested(
    texts: TestSet, replicates: int | None
) -> None:
    labels = [place // 9 for place in range(120)]
    comparison = compare(texts, by={"nine": labels}, unit="segment", replicates=replicates)
    assert [group.comparisons for group in comparison.groups] == [()] * 14
    scores = score(texts.part(range(9)))
    assert comparison.groups[0].systems["good"]["BLEU"] == scores["good"]["BLEU"].score


def with_documents(texts: TestSet, size: int) -> TestSet:
    documents = tuple(f"d{place // size}" for place in range(120))
    domains = tuple("ab"[place >= 60] for place in range(120))
    return TestSet(
        systems=texts.systems, references=texts.references, documents=documents, domains=domains
    )


def test_documents_are_the_unit_within_domains_and_segments_within_documents(
    texts: TestSet,
) -> None:
    known = with_documents(texts, 5)
    comparison = compare(known, by=["domain", "document"], baseline="good", replicates=3000)
    assert [(group.unit, group.units) for group in comparison.groups[:2]] == [("document", 12)] * 2
    assert {group.unit for group in comparison.groups[2:]} == {"segment"}
    insisted = compare(known, by=["domain"], unit="segment", replicates=600)
    assert {group.units for group in insisted.groups} == {60}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"by": ["domain"]}, "the test set knows no documents"),
        ({"by": {"kind": LABELS}, "margin": 1.0}, "None with margin"),
        ({"by": {"kind": LABELS}, "adaptive": True}, "None with adaptive"),
        ({"by": {"kind": LABELS}, "replicates": 110}, "at least 119 for 6 comparisons of groups"),
        ({"by": {"each": range(120)}, "unit": "document"}, "a test set with documents"),
    ],
)
def test_options_that_exclude_groups_are_rejected(
    texts: TestSet, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        compare(texts, **settings)


def test_labels_that_are_not_one_for_each_segment_are_refused(texts: TestSet) -> None:
    with pytest.raises(UnpairedSegmentsError):
        score(texts, by={"kind": LABELS[1:]})


def test_too_many_comparisons_are_refused_before_anything_is_resampled() -> None:
    systems = {f"s{rate}": Channel.at_rate(0.1 + rate / 100) for rate in range(12)}
    many = simulate(segments=600, systems=systems, seed=1)
    labels = [place // 10 for place in range(600)]
    with pytest.raises(SettingError, match="60 groups with 66 comparisons each"):
        compare(many, by={"part": labels}, unit="segment", replicates=100, correction="none")


def test_explanations_name_columns_the_same_way(texts: TestSet) -> None:
    known = with_documents(texts, 20)
    two = TestSet(
        systems={name: known.systems[name] for name in ("good", "bad")},
        references=known.references,
        documents=known.documents,
        domains=known.domains,
    )
    explanation = explain(two, by=["document", "domain"], unit="segment", replicates=200)
    names = [variable.name for variable in explanation.pairs[0].variables]
    assert {"document", "domain"} <= set(names)


def test_groups_are_tested_from_ten_units_on(texts: TestSet) -> None:
    labels = ["nine"] * 9 + ["ten"] * 10 + ["rest"] * 101
    groups = compare(texts, by={"size": labels}, unit="segment", replicates=600).groups
    assert [len(group.comparisons) for group in groups] == [0, 3, 3]


def spread(rng: np.random.Generator, sizes: tuple[int, ...]) -> NDArray[np.float64]:
    """Scores whose differences have unlike standard deviations in the groups, and equal means."""
    deviations = np.repeat(1 + np.arange(len(sizes)) / 2, sizes)
    second = rng.normal(60, 9, sum(sizes))
    return np.stack([second + 0.3 + deviations * rng.normal(size=sum(sizes)), second])


def passes(rng: np.random.Generator, sizes: tuple[int, ...]) -> NDArray[np.float64]:
    """Pass/fail scores of two models with rates of .8 and .7 in every group."""
    luck, other = rng.random((2, sum(sizes)))
    other = np.where(rng.random(sum(sizes)) < 0.5, luck, other)
    return np.stack([luck < 0.8, other < 0.7]).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(10,) * 4, (30,) * 4, (10, 20, 40, 80), (15,) * 10])
@pytest.mark.parametrize("scores", [spread, passes])
def test_heterogeneity_of_equal_differences_is_found_one_time_in_twenty(
    scores: Any, sizes: tuple[int, ...]
) -> None:
    settings, trials = CompareSettings(), 600
    labels = [str(group) for group, size in enumerate(sizes) for _ in range(size)]
    rejected = by_cochran = 0
    for seed in range(trials):
        first, second = scores(np.random.default_rng([seed, sum(sizes)]), sizes)
        counts = counts_of({"a": first.tolist(), "b": second.tolist()})
        groups = segment_groups(counts.outline, {"group": labels}, None, settings)
        (found,) = heterogeneity_of_groups(counts, groups, [(0, 1)], settings)
        rejected += found.p <= 0.05
        parts = np.split(first - second, np.cumsum(sizes)[:-1])
        weights = np.array([len(part) / max(part.var(ddof=1), 1e-9) for part in parts])
        means = np.array([part.mean() for part in parts])
        cochran = weights @ (means - weights @ means / weights.sum()) ** 2
        by_cochran += stats.chi2.sf(cochran, len(sizes) - 1) <= 0.05
    # Three standard deviations of a share of .05 in 600; exact counts are conservative.
    assert (0.023 if scores is spread else 0) <= rejected / trials <= 0.077
    if sizes in ((10,) * 4, (15,) * 10) and scores is spread:
        assert by_cochran / trials > 0.077
