"""What is shown of groups of segments."""

from __future__ import annotations

from dataclasses import replace

import pytest

from truebleu import TestSet, compare, score
from truebleu.simulation import Channel, simulate

LABELS = tuple("news" if place % 3 else "talks" for place in range(120))


@pytest.fixture(scope="module")
def texts() -> TestSet:
    rates = {"good": 0.1, "fair": 0.14, "bad": 0.3}
    channels = {name: Channel.at_rate(rate) for name, rate in rates.items()}
    plain = simulate(segments=120, systems=channels, seed=3)
    return TestSet(systems=plain.systems, references=plain.references)


def test_the_text_names_the_correction_and_the_groups_that_differ(texts: TestSet) -> None:
    shown = str(compare(texts, by={"kind": LABELS}, baseline="bad", replicates=600))
    assert "good is better than bad in talks and news." in shown
    assert "p and intervals are adjusted for 4 comparisons (2 groups × 2) by Holm's" in shown
    assert "By kind, BLEU" in shown
    every = str(compare(texts, by={"kind": LABELS}, replicates=600))
    assert "* significantly worse than the best of the kind" in every
    lower = str(compare(texts, metrics=["ter"], by={"kind": LABELS}, baseline="bad"))
    assert "good is better than bad in talks and news." in lower


def test_programs_get_the_groups_too(texts: TestSet) -> None:
    comparison = compare(texts, by={"kind": LABELS}, replicates=600)
    assert [group["label"] for group in comparison.to_dict()["groups"]] == ["talks", "news"]
    rows = comparison.to_document().data.rows
    assert [row.get("group") for row in rows] == [None] * 3 + ["talks"] * 3 + ["news"] * 3
    scores = score(texts, by={"kind": LABELS}).to_document().data
    assert len(set(scores.names)) == len(scores.names)
    assert [row.get("group") for row in scores.rows] == [None] * 3 + ["talks"] * 3 + ["news"] * 3


def test_groups_whose_swaps_are_scaled_are_named() -> None:
    references = [f"word{n} likes word{n + 1} and word{n + 2} very much {n}" for n in range(60)]
    short = [" ".join(text.split()[: 4 + n % 5]) for n, text in enumerate(references)]
    long = [f"{text} {'more ' * (n % 4)}indeed" for n, text in enumerate(references)]
    same = [f"{text} indeed" for text in references]
    systems = {"a": [*short, *same], "b": [*long, *same[1:], same[0]]}
    result = compare(
        systems, references * 2, replicates=200, by={"length": ["other"] * 60 + ["same"] * 60}
    )
    assert [group.test for group in result.groups] == ["scaled", "ar"]
    told = "Swaps are scaled to the variance of samples in other."
    assert told in str(replace(result, settings=replace(result.settings, test="ar")))
    assert told not in str(replace(result, settings=replace(result.settings, test="scaled")))
