"""A comparison as a document: sentences and tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from truebleu import compare
from truebleu.metrics import FunctionMetric
from truebleu.reports.compare import method, pair_sentence, system_table, verdict
from truebleu.reports.document import bracketed
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from truebleu.corpus import TestSet
    from truebleu.schema import Alternative

# Outputs that are numbers, as their own scores.
VALUE = FunctionMetric(function=lambda output, _: float(output), name="value")
LABELS = {"bleu": "BLEU", "ter": "TER", "length": "Length"}


@pytest.fixture(scope="module")
def texts() -> TestSet:
    channels = {"bad": Channel.at_rate(0.3), "good": Channel.at_rate(0.1)}
    return simulate(segments=100, systems=channels, seed=3)


def said(texts: TestSet, metric: str = "bleu", segments: int = 100, **settings: Any) -> str:
    systems = {name: list(lines)[:segments] for name, lines in texts.systems.items()}
    references = [list(lines)[:segments] for lines in texts.references]
    comparison = compare(systems, references, [metric], **{"replicates": 500, **settings})
    return " ".join(verdict(comparison, LABELS[metric]))


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_the_interval_stands_around_the_size_of_the_difference(texts: TestSet, metric: str) -> None:
    sentence = said(texts, metric)
    assert sentence.startswith("bad is worse than good by ")
    size, bounds = sentence.split(" by ")[1].split(", p")[0].split(f" {LABELS[metric]} ")
    low, high = (float(bound) for bound in bounds.strip("[]").split(", "))
    assert 0 < low < float(size) < high


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_a_one_sided_test_says_what_it_did_not_show(texts: TestSet, metric: str) -> None:
    sentence = said(texts, metric, alternative="greater")
    assert sentence.startswith("It is not shown that bad is better than good: ")
    assert "told apart" not in sentence
    assert said(texts, metric, alternative="less").startswith("bad is worse than good by ")


def test_one_sided_tests_of_many_systems_do_not_call_them_alike() -> None:
    three = simulate(
        segments=60,
        systems={f"at {rate}": Channel.at_rate(rate) for rate in (0.5, 0.3, 0.1)},
        seed=3,
    )
    sentences = said(three, alternative="greater", segments=60)
    assert "0 of 3 pairs differ in the one direction that was tested" in sentences
    assert "told apart" not in sentences


def test_a_metric_without_direction_is_above_or_below(texts: TestSet) -> None:
    both = {said(texts, "length", alternative=side) for side in ("greater", "less")}
    assert all("is above" in sentence or "is below" in sentence for sentence in both)
    assert not any("better" in sentence or "worse" in sentence for sentence in both)


def test_one_sided_tests_are_named(texts: TestSet) -> None:
    systems, references = dict(texts.systems), list(texts.references)
    starts: dict[Alternative, str] = {"two-sided": "approximate", "less": "one-sided approximate"}
    for alternative, start in starts.items():
        comparison = compare(systems, references, ["bleu"], replicates=100, alternative=alternative)
        assert method(comparison, "BLEU").startswith(start)


def test_too_few_segments_for_any_significance_are_named(texts: TestSet) -> None:
    expected = "No verdict: with 4 segments no difference can be significant (smallest possible p"
    assert expected in said(texts, segments=4)
    assert "can't be told apart" not in said(texts, segments=4)
    assert "nothing can be significant" not in said(texts, segments=6)


def test_systems_that_differ_in_too_few_segments_are_named(texts: TestSet) -> None:
    good, bad = list(texts.systems["good"]), list(texts.systems["bad"])
    systems = {"good": good, "almost": [*bad[:3], *good[3:]]}
    comparison = compare(systems, list(texts.references), ["bleu"], replicates=500)
    assert "Only 3 of 100 segments differ: no interval" in " ".join(verdict(comparison, "BLEU"))


@pytest.mark.parametrize(("segments", "cautioned"), [(4, False), (5, True), (30, True)])
def test_a_unit_that_carries_much_is_named_unless_every_unit_does(
    segments: int, cautioned: bool
) -> None:
    systems = {"far": ["9", *["1"] * (segments - 1)], "near": ["0"] * segments}
    comparison = compare(systems, ["0"] * segments, [VALUE], alternative="greater", level=0.9)
    (pair,) = comparison.comparisons
    assert pair.largest_share is not None
    assert pair.largest_share > 0.7
    assert ("accounts for" in " ".join(verdict(comparison, "value"))) == cautioned


@pytest.mark.parametrize(("share", "cautioned"), [(0.2, False), (0.201, True)])
def test_a_unit_is_named_above_a_fifth_of_the_variance(
    texts: TestSet, share: float, cautioned: bool
) -> None:
    comparison = compare(texts, replicates=200)
    pairs = tuple(replace(pair, largest_share=share) for pair in comparison.comparisons)
    sentences = " ".join(verdict(replace(comparison, comparisons=pairs), "BLEU"))
    assert ("accounts for 20 % of the variance" in sentences) == cautioned


def test_equal_systems_differ_by_a_plain_zero() -> None:
    text = ["one two", "three"]
    comparison = compare({"a": text, "b": text}, text, ["wer"], baseline="a")
    assert [cells[2] for cells in system_table(comparison).cells()] == ["", "+0.00"]


def test_a_difference_to_the_baseline_has_its_own_interval(texts: TestSet) -> None:
    comparison = compare(texts, metrics=["bleu"], baseline="bad", replicates=500)
    table = system_table(comparison)
    for row in table.rows[1:]:
        (pair,) = (pair for pair in comparison.comparisons if pair.a == row["system"])
        assert (row["BLEU low"], row["BLEU high"]) == pair.interval
        assert row["BLEU interval"] == pair.interval


def test_systems_undecided_by_the_correction_alone_are_named(texts: TestSet) -> None:
    comparison = compare(texts, metrics=["bleu"], replicates=500, people=None)
    (first,) = comparison.comparisons
    close = replace(first, a="close", b="base", p=0.02, p_adjusted=0.2, significant=False)
    pairs = tuple(replace(close, a=f"other {n}", p=0.9) for n in range(5))
    settings = replace(comparison.settings, baseline="base")
    scores = dict.fromkeys(
        ["base", "close", *(pair.a for pair in pairs)], next(iter(comparison.systems.values()))
    )
    many = replace(comparison, settings=settings, systems=scores, comparisons=(close, *pairs))
    assert verdict(many, "BLEU")[1] == ("Significant alone, but not among 6 comparisons: close.")


def test_ar_warns_of_systems_that_differ_in_length() -> None:
    references = [[f"word{n} likes word{n + 1} and word{n + 2} very much {n}" for n in range(60)]]
    short = [" ".join(text.split()[: 4 + n % 5]) for n, text in enumerate(references[0])]
    long = [f"{text} {'more ' * (n % 4)}indeed" for n, text in enumerate(references[0])]
    equal = compare({"short": short, "long": long}, references, replicates=500, test="ar")

    def sentences_at(p: float) -> str:
        pair = replace(equal.comparisons[0], p_adjusted=p, significant=p <= 0.05)
        return " ".join(verdict(replace(equal, comparisons=(pair,)), "BLEU"))

    assert "without --test ar" not in sentences_at(0.9)
    expected = "short and long differ in length, so this test gives about 11 % false alarms"
    assert expected in sentences_at(0.04)
    for unaffected in ({}, {"metrics": ["wer"]}):
        settings: dict[str, Any] = {"replicates": 500, **unaffected}
        comparison = compare({"short": short, "long": long}, references, **settings)
        (label,) = comparison.metrics
        assert "without --test" not in " ".join(verdict(comparison, label))


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["tukey", "scheffe"])
def test_tukeys_and_scheffes_sentences_show_their_own_interval(correction: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(10):
        scores = {name: (rng.normal(size=25) + rng.uniform(0, 0.8)).tolist() for name in "abc"}
        result = compare(
            scores, metrics="scores", correction=correction, baseline="a", replicates=500
        )
        for pair in result.comparisons:
            low, high = pair.interval
            assert low is not None
            assert high is not None
            assert (low > 0 or high < 0) == pair.significant
            bounds = (low, high) if pair.difference >= 0 else (-high, -low)
            sentence = pair_sentence(result, pair)
            assert bracketed(bounds, 4) in sentence
            assert "adjusted p" in sentence


@pytest.mark.parametrize(("differing", "cautioned"), [(9, True), (19, True), (20, False)])
def test_an_interval_of_few_differing_items_has_a_caution(differing: int, cautioned: bool) -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(60, 9, 40)
    second = first.copy()
    second[:differing] += rng.exponential(8, differing) - 3
    printed = " ".join(str(compare({"a": first.tolist(), "b": second.tolist()})).split())
    sentence = f"Only {differing} of 40 items differ: the interval can be too narrow"
    assert (sentence in printed) == cautioned


def test_koehns_rule_is_told_by_wins() -> None:
    scores = {"a": [1.0, 2.0, 3.0, 4.0] * 10, "b": [0.5, 2.0, 2.5, 4.0] * 10}
    printed = " ".join(str(compare(scores, metrics="scores", test="wins")).split())
    assert "a is better than b by 0.2500 score" in printed
    assert "so in 100.0 % of the replicates" in printed
    assert "different in 9 to 11 % of all cases" in printed


@pytest.mark.parametrize(("segments", "warned"), [(19, True), (20, False)])
def test_skewed_intervals_of_fewer_than_20_units_are_warned_of(
    texts: TestSet, segments: int, warned: bool
) -> None:
    assert ("With fewer than 20 segments" in said(texts, segments=segments)) == warned


def test_differences_that_smoothing_made_are_named() -> None:
    systems = {"new": ["a b x c d", "f g h i"] * 10, "old": ["a x b x c", "f h g i"] * 10}
    references = [["a b c d e", "f g h x i"] * 10]
    text = " ".join(str(compare(systems, references, replicates=200)).split())
    assert "No 4-gram of new and old matches a reference: such BLEU comes from smoothing" in text
    alone = compare(systems, references, replicates=200).metrics["BLEU"]
    assert alone.unmatched == {"new": 4, "old": 2}


@pytest.mark.parametrize(
    ("documents", "few", "skewed"), [(19, 0, 1), (20, 1, 0), (99, 1, 0), (100, 0, 0)]
)
def test_few_documents_are_told_as_by_score(
    texts: TestSet, documents: int, few: int, skewed: int
) -> None:
    labels = tuple(f"d{place % documents}" for place in range(len(texts)))
    text = " ".join(str(compare(replace(texts, documents=labels), replicates=200)).split())
    assert text.count("Fewer than 100 documents: intervals may be too narrow.") == few
    assert text.count("With fewer than 20 documents") == skewed


@pytest.mark.parametrize(
    ("zeros", "items", "warned"), [(0, 60, False), (1, 60, True), (6, 60, True), (7, 60, False)]
)
def test_rare_zeros_are_warned_of_with_the_size_that_would_show_them(
    zeros: int, items: int, warned: bool
) -> None:
    ratings = [70.0 + place % 20 for place in range(items)]
    failing = [0.0] * zeros + ratings[zeros:]
    text = str(compare({"old": ratings[::-1], "new": failing}, replicates=99))
    assert ("of new ha" in text) == warned
    if zeros == 1:
        assert "1 of 60 items of new has score 0, far from the others" in " ".join(text.split())
        assert "600 items would show 10 such failures" in " ".join(text.split())


def test_zeros_among_small_scores_are_not_rare_failures() -> None:
    scores = {"a": [0.0, 0.1, 0.2, 0.9] + [1.0] * 40, "b": [0.5] * 22 + [1.0] * 22}
    assert "such failures" not in str(compare(scores, replicates=99))
