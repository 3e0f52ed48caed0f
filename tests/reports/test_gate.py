"""A gate's decision in words: the rule, the numbers, and what may mislead."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from truebleu import gate
from truebleu.reports.gate import check_table, sentences

if TYPE_CHECKING:
    from truebleu.significance.gate import GateResult

# 40 segments; the new system is better by 0.9875 on average, and by 0.5 to 1.5 in each.
OLD = [float(n % 5) for n in range(40)]
NEW = [score + 0.5 + n % 3 / 2 for n, score in enumerate(OLD)]


def decided(new: list[float] = NEW, *, documents: int | None = None, **settings: Any) -> GateResult:
    names = None if documents is None else [str(n % documents) for n in range(len(OLD))]
    scores = {"new": new, "old": OLD}
    metric = "scores:higher_is_better=yes"
    return gate(scores, metrics=metric, documents=names, baseline="old", **settings)


@pytest.mark.parametrize(
    ("settings", "claim"),
    [
        ({}, "pass: no evidence that new is worse than old; it is ahead by at least 0."),
        ({"margin": 0.0}, "pass: new is shown to be better than old; it is ahead by at least 0."),
        (
            {"margin": 0.5},
            "pass: new is shown to be less than 0.5 score worse than old; it is ahead by at least",
        ),
    ],
)
def test_each_rule_has_its_claim(settings: dict[str, Any], claim: str) -> None:
    sentence, numbers = sentences(decided(**settings))
    assert sentence.startswith(claim)
    assert "new − old: +0.99, 90 % interval [" in numbers


def test_a_pass_says_which_loss_it_leaves_possible() -> None:
    result = decided([score + (-1.1 if n % 2 else 1) for n, score in enumerate(OLD)])
    low, _ = result.checks[0].interval
    assert result.passed
    assert sentences(result)[0] == (
        "pass: no evidence that new is worse than old; "
        f"a loss of up to {-(low or 0):.2f} score is not excluded."
    )


def test_a_system_that_is_worse_fails() -> None:
    worse = [2 * old - new for new, old in zip(NEW, OLD, strict=True)]
    assert sentences(decided(worse))[0] == "fail: new is worse than old by 0.99 score."
    assert sentences(decided(worse, margin=0.0))[0].startswith("fail: new is not shown to be bett")


def test_copies_are_named_as_such() -> None:
    assert sentences(decided(OLD))[0].endswith("; score counts the same in both.")


@pytest.mark.parametrize(("margin", "warned"), [(30.0, True), (1.0, False), (None, False)])
def test_a_unit_that_decides_the_gate_is_warned_of(margin: float | None, warned: bool) -> None:
    """A gate that shows nothing needs no caution."""
    scores = {"new": [n % 2 for n in range(59)] + [-90.0], "old": [0.5] * 60}
    told = gate(scores, metrics="scores:higher_is_better=yes", baseline="old", margin=margin)
    assert told.passed is (margin != 1.0)
    sentence = "One item accounts for 98 % of the variance of the difference in score"
    assert (sentence in " ".join(str(told).split())) is warned


def test_a_margin_names_the_rarest_failure_it_can_see() -> None:
    told = " ".join(str(decided(margin=0.5)).split())
    assert f"failures rarer than 1 in {len(OLD) // 3} items may not occur" in told
    assert "may not occur" not in str(decided())


@pytest.mark.parametrize(("margin", "warned"), [(0.5, True), (None, False)])
def test_a_margin_needs_more_documents(margin: float | None, warned: bool) -> None:
    told = " ".join(str(decided(documents=20, margin=margin)).split())
    assert ("passes more often than the level says" in told) is warned


def test_programs_get_every_number() -> None:
    (row,) = check_table(decided(margin=0.5)).rows
    assert (row["rule"], row["passed"]) == ("within margin", True)
    assert row["low"] < row["difference"] < row["high"]  # type: ignore[operator]


def test_scaled_swaps_are_named_in_the_method() -> None:
    references = [f"word{n} likes word{n + 1} and word{n + 2} very much {n}" for n in range(60)]
    short = [" ".join(text.split()[: 4 + n % 5]) for n, text in enumerate(references)]
    long = [f"{text} {'more ' * (n % 4)}indeed" for n, text in enumerate(references)]
    result = gate({"short": short, "long": long}, references, baseline="long", replicates=99)
    assert result.checks[0].scaled
    assert "one-sided scaled approximate randomization" in str(result)
    same = gate({"new": short, "old": short}, references, baseline="old", replicates=99)
    assert not same.checks[0].scaled
    assert "one-sided approximate randomization" in str(same)


@pytest.mark.parametrize(("documents", "warned"), [(199, True), (200, False)])
def test_a_margin_needs_200_documents(documents: int, warned: bool) -> None:
    result = replace(decided(documents=40, margin=0.5), units=documents)
    assert ("Fewer than 200 documents" in str(result)) == warned
    assert "Fewer than" not in str(replace(decided(documents=40), units=documents))
