"""N-grams: contributions that add up, and typography that is known as such."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.simulated_causes import simulate_causes
from truebleu import explain
from truebleu.corpus import as_test_set
from truebleu.explanation import split_difference
from truebleu.explanation.contributions import ngram_effects
from truebleu.metrics.registry import parse_metric
from truebleu.reports.explain import verdict
from truebleu.resampling import Units
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Callable

    from truebleu.corpus import TestSet
    from truebleu.explanation import Contributions
    from truebleu.explanation.contributions import NgramEffects
    from truebleu.metrics.base import Metric


@pytest.fixture(scope="module")
def causes() -> TestSet:
    return simulate_causes(segments=800)


# The columns of matches, by metric.
MATCHES = {
    "bleu:tokenize=13a": [2, 3, 4, 5],
    "mbleu:tokenize=13a": [2, 3, 4, 5],
    "chrf": [2, 5, 8, 11, 14, 17],
    "chrf:word_order=2,lowercase": [2, 5, 8, 11, 14, 17],
}


def effects_of(metric: Metric, test_set: TestSet) -> tuple[NgramEffects | None, Contributions]:
    names = list(test_set.systems)
    rows = metric.count(test_set).array()
    split = split_difference(metric, rows[:, 0], rows[:, 1])
    units = Units.segments(len(test_set))
    return ngram_effects(metric, test_set, (names[0], names[1]), split, units), split


@pytest.mark.parametrize("name", MATCHES)
def test_n_grams_add_up_to_the_contribution_of_matches(causes: TestSet, name: str) -> None:
    names = ("baseline", "weak-in-sport")
    two = replace(causes, systems={name: causes.systems[name] for name in names})
    metric = parse_metric(name)
    effects, found = effects_of(metric, two)
    assert effects is not None
    matches = found.by_column()[MATCHES[name]].sum()
    assert abs(matches) > 0.01
    assert effects.contributions.sum() == pytest.approx(matches, abs=1e-9)


def test_several_references_are_clipped_as_bleu_does() -> None:
    test_set = simulate(segments=80, systems=[0.1, 0.3], references=3)
    effects, found = effects_of(parse_metric("bleu:tokenize=none"), test_set)
    assert effects is not None
    matches = found.by_column()[2:6].sum()
    assert effects.contributions.sum() == pytest.approx(matches, abs=1e-9)


@pytest.mark.parametrize("name", ["ter", "wer", "nist", "length", "chrf:whitespace"])
def test_metrics_that_match_no_n_grams_have_none(causes: TestSet, name: str) -> None:
    metric = parse_metric(name)
    names = list(causes.systems)
    assert metric.ngram_matches(causes, names[0], names[1]) is None


def test_chrf_against_the_best_of_several_references_has_none() -> None:
    test_set = simulate(segments=20, systems=[0.1, 0.3], references=2)
    assert effects_of(parse_metric("chrf"), test_set)[0] is None


# What one system does to the text of the other, by the kind of typography.
PLANTED: dict[str, tuple[str, Callable[[str], str]]] = {
    "quotes": ("bleu", lambda text: text.replace("“", '"').replace("”", '"')),
    "dashes": ("bleu", lambda text: text.replace("—", "-")),
    "case": ("bleu", str.lower),
    "spacing": ("chrf:whitespace", lambda text: text.replace(" ", "\u00a0")),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_each_kind_of_typography_follows_the_verdict(kind: str) -> None:
    metric, change = PLANTED[kind]
    plain = simulate(segments=80, systems=[0.1], seed=5)

    def dressed(text: str) -> str:
        words = text.split()
        return f"The “{words[0]}” — {' '.join(words[1:])} — Ends"

    references = [dressed(str(segment)) for segment in plain.references[0]]
    output = [dressed(str(segment)) for segment in next(iter(plain.systems.values()))]
    systems = {"changed": [change(text) for text in output], "plain": output}
    explanation = explain(systems, references, metrics=[metric], replicates=500)
    (pair,) = explanation.pairs
    assert pair.comparison.difference < 0
    assert pair.typography[0].kind == kind
    assert pair.typography[0].difference == pytest.approx(0, abs=1e-9)
    real, *others = verdict(explanation, pair)
    assert real.startswith("changed is worse than plain by ")
    told = next(line for line in others if line.startswith(f"With the same {kind} in all texts"))
    assert f" the difference is +0.00 {pair.comparison.metric} " in told


def test_equal_typography_has_no_effect() -> None:
    plain = simulate(segments=60, systems=[0.1, 0.3])
    (pair,) = explain(plain, metrics=["bleu"], replicates=200).pairs
    for effect in pair.typography:
        assert abs(effect.effect) < 0.05 * abs(pair.comparison.difference)


def test_an_n_gram_is_tested_if_six_units_match_it_differently() -> None:
    words = ["zebra"] * 6 + ["tiger"] * 5
    references = [f"the {word} sat there" for word in words]
    outputs = {"a": references, "b": ["the cat sat there"] * len(words)}
    effects, _ = effects_of(parse_metric("bleu"), as_test_set(outputs, references))
    assert effects is not None
    tested = {effects.ngrams[number] for number in effects.tested.tolist()}
    assert "zebra" in tested
    assert "tiger" in set(effects.ngrams) - tested
