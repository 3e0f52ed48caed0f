"""Coefficients by name, with their settings; values, and why there are none."""

from __future__ import annotations

import json
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from scipy import stats

from truebleu.agreement.coefficients import (
    ALIASES,
    COEFFICIENTS,
    DEFINITIONS,
    SOFT,
    Coefficient,
    calibrate_ties,
    coefficient,
    count_pairs,
    measure,
    parse_coefficient,
    parse_coefficients,
)
from truebleu.errors import SettingError, UnknownNameError
from truebleu.schema import to_builtins


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_label_names_the_same_coefficient_again(name: str) -> None:
    definition = DEFINITIONS[name]
    settings: list[dict[str, Any]] = [{"threshold": 25.0} if definition.threshold else {}]
    if definition.epsilon:
        settings.append({"epsilon": 0.30000000000000004})
    if definition.calibrated:
        settings.append({"epsilon": "calibrated"})
    for setting in settings:
        chosen = coefficient(name, **setting)
        assert coefficient(chosen.text) == chosen


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_an_alias_is_another_name(alias: str, name: str) -> None:
    assert coefficient(alias) == coefficient(name)
    assert coefficient(alias.upper().replace("-", "_")) == coefficient(name)


def test_every_definition_has_a_title_and_an_origin() -> None:
    assert all(definition.title and definition.origin for definition in DEFINITIONS.values())


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'kendall-b'"):
        coefficient("kendal-b")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("acc-eq:often", r"'acc-eq:often'; expected a number after acc-eq:, or 'calibrated'"),
        ("kendall-b:wide", r"'kendall-b:wide'; expected a number after kendall-b:$"),
        ("kendall-b:calibrated", "only acc-eq and tau-eq are calibrated"),
        ("kendall-b:-1", "expected a finite number, at least 0"),
        ("kendall-b:nan", "expected a finite number, at least 0"),
        ("kendall-c:0.5", "expected 0: kendall-c has no tie threshold"),
        ("pearson:0.5", "expected 0: pearson has no tie threshold"),
        ("kendall-like", "such as kendall-like:25"),
        ("kendall-like:-5", "expected a finite number, at least 0"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(name: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        coefficient(name)


def test_a_threshold_is_for_kendall_like_only() -> None:
    with pytest.raises(SettingError, match="only kendall-like has a threshold"):
        Coefficient(name="pearson", threshold=1.0)
    with pytest.raises(SettingError, match="only once"):
        coefficient("acc-eq:0.5", epsilon=0.5)


def test_pooled_coefficients_have_no_average() -> None:
    assert coefficient("chen-cherry", grouping="item").average is None
    with pytest.raises(SettingError, match="pools the pairs of all groups"):
        coefficient("chen-cherry", grouping="item", average="macro")
    with pytest.raises(SettingError, match="leave-out"):
        coefficient("chen-cherry", grouping="item", undefined="zero")
    with pytest.raises(SettingError, match="leave-out"):
        coefficient("kendall-like:1", grouping="item", undefined="zero")
    assert not coefficient("kendall-like:1", grouping="item", average="macro").pooled


@pytest.mark.parametrize(
    "settings", [{"grouping": "segment"}, {"average": "mean"}, {"undefined": "nan"}]
)
def test_settings_of_no_such_name_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError):
        coefficient("pearson", **settings)


def test_a_label_says_all_that_must_match() -> None:
    calibrated = coefficient("acc-eq:calibrated", grouping="item")
    assert calibrated.label == "segment|acc-eq:calibrated|grouping:item|average:macro"
    by_system = Coefficient(name="pearson", grouping="system", undefined="zero")
    assert by_system.label == "segment|pearson|grouping:system|average:macro|undefined:zero"
    assert coefficient("pearson", level="system").label == "system|pearson"


# Values.


@pytest.mark.parametrize(
    ("human", "metric", "name", "grouping", "reason"),
    [
        ([1, 2], [3, 3], "spearman", "none", "all cells have the same score by the metric"),
        ([2, 2], [3, 4], "spearman", "none", "all cells have the same score by people"),
        (
            [[1, 2], [1, 2]],
            [[3, 4], [5, 6]],
            "kendall-b",
            "item",
            "all cells of an item have the same score by people or the metric",
        ),
        (
            [[1, 1], [1, 2]],
            [[3, 4], [5, 4]],
            "kendall-b",
            "item",
            "all cells of an item have the same score by people or the metric",
        ),
        (
            [1, 2],
            [3, 3.5],
            "kendall-b:1",
            "none",
            "all cells have scores within 1 of each other by the metric",
        ),
        ([2, 2], [3, 4], "tau-14", "none", "people tie every pair"),
        ([[1], [1]], [[3], [4]], "chen-cherry", "item", "people tie every pair of an item"),
        ([1, 2, 2], [3, 3, 4], "tau-13:1", "none", "ordered by people and by the metric"),
        ([1, 2], [3, 4], "kendall-like:25", "none", "no two human scores differ by 25 or more"),
        ([nan, 2], [3, 4], "acc-eq", "none", "there are no two human scores"),
        ([], [], "acc-eq", "none", "there are no two human scores"),
        (
            [[1, 2]],
            [[3, 4]],
            "acc-eq:calibrated",
            "item",
            "there are no two human scores of an item",
        ),
        ([[1], [2]], [[3], [4]], "pearson", "system", "there are no two human scores of a system"),
    ],
)
def test_undefined_values_are_none_with_a_reason(
    human: Any, metric: Any, name: str, grouping: Any, reason: str
) -> None:
    measured = measure(human, metric, name, grouping=grouping)
    assert measured.value is None
    assert reason in (measured.reason or "")
    assert measured.groups == 0
    assert '"value": null' in json.dumps(to_builtins(measured), allow_nan=False)


def test_groups_without_a_value_are_left_out_and_counted() -> None:
    measured = measure([[0, 0, -1], [0, -1, -1], [0, -5, 0]], np.eye(3), "pearson", grouping="item")
    assert (measured.groups, measured.undefined_groups) == (2, 1)
    zero = measure(
        [[0, 0, -1], [0, -1, -1], [0, -5, 0]],
        np.eye(3),
        "pearson",
        grouping="item",
        undefined="zero",
    )
    assert (zero.groups, zero.undefined_groups) == (3, 1)
    assert measured.value is not None
    assert zero.value == pytest.approx(measured.value * 2 / 3)


def test_results_are_plain_values_in_json() -> None:
    human, metric = [[0.0], [0.0], [0.0], [-5.0]], [[80], [81], [79], [60]]
    values = to_builtins(measure(human, metric, "acc-eq:calibrated", grouping="item"))
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    assert values["epsilon"] == 2.0


@pytest.mark.parametrize(
    ("human", "metric", "message"),
    [
        ([1, 2], [1, 2, 3], "metric: .* expected the shape"),
        ([1, inf], [1, 2], "human: inf"),
        ([1, 2], [1, nan], "metric: .*nan for system 2"),
        ([1, 2], [1, -inf], "metric: .*inf for system 2"),
        (["a", "b"], [1, 2], "a number for every system"),
        ([[1, 2], [3]], [1, 2], "a number for every system"),
        ([1, 2], [1, 1e200], "scores between -1e"),
        ([1, -1e200], [1, 2], "scores between -1e"),
        (1.0, 2.0, "human: .* expected shape"),
        (np.zeros((2, 2, 2)), np.zeros((2, 2, 2)), "human: .* expected shape"),
    ],
)
def test_scores_that_do_not_fit_are_refused(human: Any, metric: Any, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        measure(human, metric, "pearson")


def test_a_missing_human_score_drops_whatever_the_metric_says() -> None:
    with_nan = measure([1, 2, 3, nan], [1, 2, 3, nan], "pearson")
    assert with_nan == measure([1, 2, 3], [1, 2, 3], "pearson")


def test_tiny_and_large_scores_correlate_like_others() -> None:
    human, metric = np.array([1.0, 2.0, 4.0]), np.array([3.0, 1.0, 5.0])
    for name in ("pearson", "pairwise-difference-pearson"):
        expected = measure(human, metric, name).value
        for scale in (1e-200, 1e-170, 1e-100, 1e140):
            measured = measure(human * scale, metric / scale**0.5, name)
            assert measured.value == pytest.approx(expected)
        assert measure(human * 1e-200, [0.1, 0.1, 0.1], name).value is None


def test_scores_that_vary_in_their_last_digit_correlate_like_others() -> None:
    step = np.spacing(1000.0)
    human, steps = [1.0, 2.0, 4.0, 3.0], np.array([0.0, 1.0, 7.0, 2.0])
    expected = measure(human, steps, "pearson").value
    assert measure(human, 1000.0 + step * steps, "pearson").value == pytest.approx(expected)


def test_counting_refuses_what_it_cannot_count_by() -> None:
    with pytest.raises(UnknownNameError, match="grouping"):
        count_pairs([1], [1], grouping="segment")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="epsilon"):
        count_pairs([1], [1], epsilon=-1.0)
    with pytest.raises(UnknownNameError, match="grouping"):
        calibrate_ties([1], [1], grouping="all")  # type: ignore[arg-type]


def test_correlations_equal_scipy() -> None:
    rng = np.random.default_rng(4)
    human = rng.integers(0, 20, 300).astype(float)
    metric = human + rng.integers(0, 30, 300)
    expected = {
        "pearson": stats.pearsonr(human, metric),
        "spearman": stats.spearmanr(human, metric),
        "kendall-b": stats.kendalltau(human, metric),
        "kendall-c": stats.kendalltau(human, metric, variant="c"),
    }
    for name, (value, _) in expected.items():
        assert measure(human, metric, name).value == pytest.approx(value, rel=1e-12)


# Questions.


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("pearson", "system|pearson"),
        ("spearman", "system|spearman"),
        ("pairwise-accuracy", "system|pairwise-accuracy"),
        ("spa", "system|soft-pairwise-accuracy"),
        ("acc-eq", "segment|acc-eq:calibrated|grouping:item|average:macro"),
        ("acc-eq:0.5", "segment|acc-eq:0.5|grouping:item|average:macro"),
        ("acc-eq:epsilon=0", "segment|acc-eq|grouping:item|average:macro"),
        ("tau_b", "segment|kendall-b|grouping:item|average:macro"),
        ("Kendall-B:level=system", "system|kendall-b"),
        ("kendall-like:25", "segment|kendall-like:25.0|grouping:item|average:pooled"),
        ("kendall-like:threshold=2,average=macro",
         "segment|kendall-like:2.0|grouping:item|average:macro"),
        ("chen-cherry", "segment|chen-cherry|grouping:item|average:pooled"),
        ("PEARSON : Level = segment , grouping=none", "segment|pearson|grouping:none"),
        ("pearson:level=segment,grouping=system,average=micro,undefined=zero",
         "segment|pearson|grouping:system|average:micro|undefined:zero"),
    ],
)  # fmt: skip
def test_a_question_says_all_that_a_value_depends_on(text: str, label: str) -> None:
    assert parse_coefficient(text).label == label


def test_titles_are_for_people() -> None:
    assert parse_coefficient("pearson").title() == "Pearson's r of systems"
    assert (
        parse_coefficient("acc-eq").title() == "acc-eq with calibrated ties, of segments, by item"
    )
    by_document = parse_coefficient("kendall-b").title("document")
    assert by_document == "Kendall's tau-b of documents, by item"
    compared = parse_coefficient("chen-cherry", compared=True).title()
    assert compared == "Chen and Cherry's tau of compared segments"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nope", "unknown coefficient 'nope'"),
        ("", "unknown coefficient ''"),
        ("pearsn", "did you mean 'pearson'?"),
        ("pearson:foo=1", "unknown setting of pearson 'foo'"),
        ("pearson:level=document", "unknown level 'document'"),
        ("kendall-b:grouping=rows", "unknown grouping 'rows'"),
        ("kendall-b:average=median", "unknown average 'median'"),
        ("kendall-b:undefined=drop", "unknown undefined 'drop'"),
        ("pearson:grouping=item", "grouping of pearson: 'item'; expected no grouping at system"),
        ("pearson:average=micro", "average of pearson: 'micro'; expected no average at system"),
        ("kendall-b:grouping=none,average=micro", "expected no average with grouping=none"),
        ("acc-eq:undefined=zero", "defined in every group with two cells"),
        ("chen-cherry:average=macro", "pools the pairs of all groups"),
        ("kendall-like", "the smallest difference of human scores that counts"),
        ("kendall-like:epsilon=25", "kendall-like has no tie threshold"),
        ("acc-eq:threshold=1", "only kendall-like has a threshold"),
        ("pearson:0.5", "pearson has no tie threshold"),
        ("pearson:threshold=1", "threshold of pearson: 1.0; expected None"),
        ("kendall-b:calibrated", "only acc-eq and tau-eq are calibrated"),
        ("acc-eq:nan", "a finite number, at least 0"),
        ("acc-eq:-1", "a finite number, at least 0"),
        ("acc-eq:epsilon=", "a number after acc-eq:"),
        ("acc-eq:1,2", "each setting once"),
        ("spa:level=segment", "without settings, of systems"),
        ("spa:epsilon=1", "without settings, of systems"),
    ],
)
def test_contradictory_settings_raise(text: str, message: str) -> None:
    with pytest.raises(SettingError) as refused:
        parse_coefficient(text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("acc-eq", "ties are calibrated on scores"),
        ("pearson:level=segment", "a coefficient of compared pairs: kendall-a"),
        ("kendall-like:25", "a coefficient of compared pairs"),
        ("kendall-b:grouping=item", "no grouping with comparisons of pairs"),
    ],
)
def test_comparisons_allow_only_coefficients_of_pair_counts(text: str, message: str) -> None:
    with pytest.raises(SettingError) as refused:
        parse_coefficient(text, compared=True)
    assert message in str(refused.value)


def test_a_coefficient_of_comparisons_has_no_groups() -> None:
    assert parse_coefficient("tau-13", compared=True).label == "segment|tau-13|comparisons"
    assert parse_coefficient("pearson", compared=True).label == "system|pearson"


def test_duplicate_coefficients_are_measured_once() -> None:
    questions = parse_coefficients(["kendall-b", "tau-b", "kendall-b:grouping=item", "pearson"])
    assert [question.name for question in questions] == ["kendall-b", "pearson"]


@pytest.mark.parametrize("texts", [[], "kendall-b"])
def test_questions_are_a_list_of_some(texts: list[str]) -> None:
    with pytest.raises(SettingError):
        parse_coefficients(texts)


def test_an_unknown_name_is_an_error_of_its_own() -> None:
    with pytest.raises(UnknownNameError):
        parse_coefficient("rho")


# Tie thresholds.


def test_a_degenerate_threshold_is_said_to_be_one() -> None:
    # Three of six pairs are tied by people, and the metric has every other pair wrong.
    measured = measure([0, 0, 0, -5], [1, 2, 3, 4], "acc-eq:calibrated")
    assert measured.value == 0.5
    ties = calibrate_ties([0, 0, 0, -5], [1, 2, 3, 4], grouping="none")
    assert ties is not None
    assert ties.degenerate
    assert ties.human_ties == 0.5
    assert any("every pair a tie" in note and "50.0 %" in note for note in measured.notes)


def test_a_threshold_that_helps_is_not_called_degenerate() -> None:
    ties = calibrate_ties([0, 0, 0, -5], [80, 81, 79, 60], grouping="none")
    assert ties is not None
    assert (ties.epsilon, ties.below, ties.accuracy) == (2.0, 19.0, 1.0)
    assert ties.unique
    assert not ties.degenerate
    assert ties.notes == ()


def test_two_thresholds_that_are_equally_good_are_reported() -> None:
    # Right at 0: the concordant pair 1. At 1 the tied pair is gained, at 2 the other is lost,
    # at 5 one is gained again.
    human = [[0, 0, 0], [0, 1, 0]]
    metric = [[0.0, 0.0, 0.0], [1.0, 2.0, 5.0]]
    ties = calibrate_ties(human, metric)
    assert ties is not None
    assert (ties.epsilon, ties.below, ties.unique) == (1.0, 2.0, False)
    assert ties.accuracy == pytest.approx(2 / 3)
    assert any("separate" in note for note in ties.notes)


def test_soft_pairwise_accuracy_is_measured_elsewhere() -> None:
    with pytest.raises(SettingError, match="soft_pairwise_accuracy"):
        measure([1, 2], [1, 2], SOFT)
