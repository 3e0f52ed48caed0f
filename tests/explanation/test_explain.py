"""The verb explain: planted causes are found, equal systems are not explained away."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import truebleu.explanation.explain as explanations
from tests.simulated_causes import simulate_causes
from truebleu import compare, explain
from truebleu.corpus import TestSet, read_test_set
from truebleu.errors import SettingError, UnknownNameError
from truebleu.explanation.contributions import QUOTES, NgramEffects
from truebleu.explanation.explain import LISTED_NGRAMS, SliceContribution, VariableContributions
from truebleu.metrics import FunctionMetric
from truebleu.metrics.threads import set_threads
from truebleu.reports.explain import verdict
from truebleu.resampling import Units
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from truebleu.explanation import Explanation, PairExplanation

METRICS = ["bleu", "chrf", "ter"]


@pytest.fixture(scope="module")
def causes() -> TestSet:
    return simulate_causes(segments=800)


@pytest.fixture(scope="module")
def explained(causes: TestSet) -> Explanation:
    return explain(causes, baseline="baseline", metrics=METRICS, replicates=2000)


def pair_of(explanation: Explanation, metric: str, system: str) -> PairExplanation:
    label = {"bleu": "BLEU", "chrf": "chrF2", "ter": "TER"}[metric]
    (pair,) = [pair for pair in explanation.of(label) if pair.comparison.a == system]
    return pair


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.slow
class TestPlantedCauses:
    def test_the_weak_domain_is_found_first(self, explained: Explanation, metric: str) -> None:
        pair = pair_of(explained, metric, "weak-in-sport")
        first = pair.variables[0]
        assert first.name == "domain"
        assert first.p_adjusted is not None
        assert first.p_adjusted <= 0.01
        largest = max(first.slices, key=lambda part: abs(part.contribution))
        assert largest.name == "sport"
        assert largest.contribution == pytest.approx(pair.comparison.difference, rel=0.25)
        where = [
            line for line in verdict(explained, pair) if line.startswith("The difference varies by")
        ]
        assert where[0].startswith("The difference varies by domain")
        assert ": sport is" in where[0]

    def test_runaway_outputs_are_told_after_the_verdict(
        self, explained: Explanation, metric: str
    ) -> None:
        pair = pair_of(explained, metric, "runaway")
        group = pair.degenerate[1]
        assert (group.kind, group.system) == ("runaway", "runaway")
        assert group.contribution / pair.comparison.difference > 0.8
        assert group.difference is not None
        assert abs(group.difference) < 0.3 * abs(pair.comparison.difference)
        told = verdict(explained, pair)
        assert told[0].startswith("runaway is worse than baseline by ")
        left_out = f"Without {len(group.segments)} runaway outputs of runaway the difference is "
        assert any(line.startswith(left_out) for line in told)

    def test_quotes_are_told_after_the_verdict(self, explained: Explanation, metric: str) -> None:
        pair = pair_of(explained, metric, "straight-quotes")
        effect = pair.typography[0]
        assert effect.kind == "quotes"
        assert effect.effect / pair.comparison.difference > 0.8
        told = verdict(explained, pair)
        assert told[0].startswith("straight-quotes is worse than baseline by ")
        assert any(
            line.startswith("With the same quotes in all texts the difference is ") for line in told
        )


def test_n_grams_with_quotes_are_found_where_quotes_differ(explained: Explanation) -> None:
    pair = pair_of(explained, "bleu", "straight-quotes")
    worst = pair.ngrams[-1]
    assert set(worst.ngram) & set(QUOTES)
    assert worst.p_adjusted is not None
    assert worst.p_adjusted <= 0.01


@pytest.mark.parametrize("metric", METRICS)
def test_everything_adds_up_to_the_difference(explained: Explanation, metric: str) -> None:
    pair = pair_of(explained, metric, "weak-in-sport")
    whole = pytest.approx(pair.comparison.difference, abs=1e-9)
    assert sum(pair.segments) == whole
    assert sum(part.contribution for part in pair.parts) == whole
    assert sum(document.contribution for document in pair.documents) == whole
    for variable in pair.variables:
        assert sum(part.contribution for part in variable.slices) == whole
        assert sum(part.share for part in variable.slices) == pytest.approx(1)
        assert sum(part.segments for part in variable.slices) == len(pair.segments)


def test_the_difference_equals_compare(causes: TestSet, explained: Explanation) -> None:
    compared = compare(causes, metrics=METRICS, baseline="baseline", replicates=2000)
    assert explained.comparison == compared
    assert compared.settings.unit == "document"


def test_explanations_depend_only_on_the_seed(causes: TestSet) -> None:
    two = replace(causes, systems=dict(list(causes.systems.items())[:2]))
    first, second = (explain(two, replicates=500, seed=4) for _ in range(2))
    assert first == second
    assert pickle.loads(pickle.dumps(first)) == first  # noqa: S301


def test_swapping_the_systems_changes_signs_but_not_p(causes: TestSet) -> None:
    names = ["weak-in-sport", "baseline"]
    forth, back = (
        explain(
            replace(causes, systems={name: causes.systems[name] for name in order}), replicates=500
        ).pairs[0]
        for order in (names, names[::-1])
    )
    assert np.allclose(forth.segments, -np.array(back.segments), atol=1e-9)
    for left, right in zip(forth.variables, back.variables, strict=True):
        assert left.p_adjusted == right.p_adjusted
    turned = [ngram.ngram for ngram in reversed(back.ngrams)]
    assert {ngram.ngram for ngram in forth.ngrams} == set(turned)


def test_identical_systems_have_nothing_to_explain() -> None:
    texts = ["the cat sat on the mat", "a dog ran", "no"] * 10
    pair = explain({"a": texts, "b": texts}, ["the cat sat on a mat", "the dog ran", "no"] * 10).pairs[0]  # fmt: skip  # noqa: E501
    assert pair.comparison.difference == 0
    assert not any(pair.segments)
    assert pair.ngrams == ()
    assert pair.fragility == ()
    assert all(variable.p_adjusted in (None, 1.0) for variable in pair.variables)


def test_a_function_is_called_once_for_each_output() -> None:
    calls = []

    def count_words(output: str, references: Sequence[str]) -> float:
        calls.append(output)
        return float(len(output.split()) + len(references))

    test_set = simulate(segments=40, systems=[0.1, 0.2])
    metric = FunctionMetric(function=count_words, name="words")
    pair = explain(test_set, metrics=[metric], replicates=200).pairs[0]
    assert len(calls) == 80
    assert sum(pair.segments) == pytest.approx(pair.comparison.difference, abs=1e-9)
    assert pair.typography == ()
    assert pair.comparison.people is None


def test_more_than_two_systems_need_a_baseline() -> None:
    test_set = simulate(segments=20, systems=[0.1, 0.2, 0.3])
    with pytest.raises(SettingError, match="baseline"):
        explain(test_set)
    with pytest.raises(UnknownNameError, match="nobody"):
        explain(test_set, baseline="nobody")


def test_custom_labels_make_slices() -> None:
    test_set = simulate(segments=60, systems=[0.1, 0.3])
    labels = ["even" if number % 2 else "odd" for number in range(60)]
    pair = explain(test_set, by={"parity": labels}, replicates=200).pairs[0]
    (parity,) = [variable for variable in pair.variables if variable.name == "parity"]
    assert {part.name for part in parity.slices} == {"even", "odd"}
    assert parity.origin == "metadata"


def test_lists_are_short(explained: Explanation) -> None:
    for pair in explained.of("BLEU"):
        assert len(pair.ngrams) <= 2 * LISTED_NGRAMS
        values = [ngram.contribution for ngram in pair.ngrams]
        assert values == sorted(values, reverse=True)


@pytest.mark.slow
def test_runaway_outputs_explain_gpt_4_against_gemini(shared: Path) -> None:
    folder = shared / "data" / "wmt24-en-es"
    systems = [str(folder / "sys" / f"{name}.txt") for name in ("GPT-4", "Gemini-1.5-Pro")]
    test_set = read_test_set(
        systems,
        [str(folder / "refA.txt")],
        source=str(folder / "src.txt"),
        documents=str(folder / "docs.tsv"),
    )
    explanation = explain(test_set, unit="segment", replicates=2000)
    (pair,) = explanation.pairs
    assert pair.comparison.difference == pytest.approx(3.8713, abs=1e-4)
    group = pair.degenerate[1]
    assert (group.kind, group.system, len(group.segments)) == ("runaway", "Gemini-1.5-Pro", 48)
    assert group.contribution == pytest.approx(5.14, abs=0.005)
    assert group.difference == pytest.approx(-1.03, abs=0.005)
    assert group.p == pytest.approx(0.012, abs=0.006)
    assert group.interval is not None
    assert group.interval[1] is not None
    assert group.interval[1] < 0
    parts = {part.name: part.contribution for part in pair.parts}
    assert parts["n-gram totals"] == pytest.approx(5.18, abs=0.005)
    assert parts["brevity penalty"] == pytest.approx(-0.41, abs=0.005)
    assert pair.fragility[0].until_sign_turns == 24
    assert pair.fragility[0].until_not_significant == pytest.approx(14, abs=2)
    told = next(line for line in verdict(explanation, pair) if line.startswith("Without"))
    assert told.startswith("Without 48 runaway outputs of Gemini-1.5-Pro the difference is -1.03 ")
    assert told.endswith(", instead of +3.87 (exploratory).")


def test_the_number_of_threads_changes_nothing(causes: TestSet) -> None:
    two = replace(causes, systems=dict(list(causes.systems.items())[:2]))
    used = []
    try:
        for threads in (1, 2):
            set_threads(threads)
            used.append(explain(two, metrics=["bleu", "chrf"], replicates=300))
    finally:
        set_threads(0)
    assert used[0] == used[1]


@pytest.fixture(scope="module")
def unlike() -> TestSet:
    """Two systems that differ in one domain and in runaway outputs, with short documents."""
    test_set = simulate_causes(segments=120)
    documents = tuple(str(place // 3) for place in range(120))
    test_set = replace(test_set, documents=documents, domains=None)
    names = ("weak-in-sport", "runaway")
    return replace(test_set, systems={name: test_set.systems[name] for name in names})


@pytest.mark.slow
def test_swapped_systems_give_findings_in_one_report_of_twenty(unlike: TestSet) -> None:
    reports, alarms = 200, 0
    first, second = (list(text) for text in unlike.systems.values())
    units = Units.documents(unlike.documents or ())
    for seed in range(reports):
        # Whatever the two systems are: swapped at random, neither is different from the other.
        swapped = (np.random.default_rng(seed).random(len(units)) < 0.5)[units.of_segment]
        pairs = list(zip(first, second, swapped.tolist(), strict=True))
        texts = {
            "a": [right if swap else left for left, right, swap in pairs],
            "b": [left if swap else right for left, right, swap in pairs],
        }
        test_set = replace(unlike, systems=texts, warnings=())
        pair = explain(test_set, replicates=400, seed=seed).pairs[0]
        ps = [variable.p_adjusted for variable in pair.variables]
        ps += [part.p_adjusted for variable in pair.variables for part in variable.slices]
        ps += [ngram.p_adjusted for ngram in pair.ngrams]
        alarms += min(p for p in ps if p is not None) <= 0.05
    # Two standard errors of a true 5 % are 3 points.
    assert alarms / reports <= 0.085
    assert alarms > 0


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_systems_are_refused(count: int) -> None:
    systems = {name: ["a b"] * 3 for name in ("a", "b")[:count]}
    with pytest.raises(SettingError, match="given: it takes at least two to compare"):
        explain(TestSet(systems=systems, references=(["a b"] * 3,)))


@pytest.mark.parametrize(("contribution", "unlike"), [(0.595, 0), (0.605, 2)])
def test_a_slice_is_unlike_the_text_from_a_tenth_on(contribution: float, unlike: int) -> None:
    def half(name: str, contribution: float) -> SliceContribution:
        return SliceContribution(
            name=name,
            segments=50,
            units=50,
            share=0.5,
            contribution=contribution,
            interval=(0.0, 1.0),
            scores=None,
            p_adjusted=0.01,
        )

    parts = (half("first", contribution), half("second", 1 - contribution))
    variable = VariableContributions(name="half", origin="source", slices=parts)
    assert len(variable.unlike_text) == unlike


@pytest.mark.parametrize(("segments", "listed"), [(79, ["a b", "b"]), (80, ["a b"])])
def test_a_longer_n_gram_stands_for_its_part_in_four_fifths_of_its_segments(
    segments: int, listed: list[str]
) -> None:
    effects = NgramEffects(
        ngrams=["a b", "b"],
        contributions=np.array([2.0, 1.0]),
        segments=np.array([segments, 100]),
        examples=lambda _: (),
        tested=np.array([], dtype=np.int64),
        by_unit=np.empty((0, 0)),
    )
    largest = explanations._largest(effects.contributions, effects)
    assert [effects.ngrams[number] for number in largest] == listed
